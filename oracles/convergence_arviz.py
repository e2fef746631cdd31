"""Compares R̂ and effective sample sizes with ArviZ (rank-normalised, split; bulk and tail).

    pip install arviz
    python oracles/convergence_arviz.py > crates/arcuate-model/src/fit/sample/convergence_arviz.rs

Writes the numbers for the test `diagnostics_agree_with_arviz` in `convergence.rs`. Formulas generate the chains, so that
both sides have bit-identical values.
"""

import warnings

warnings.filterwarnings("ignore")
import arviz
import numpy


def chains(count, length, rate, shift, stretch, ties):
    """Autoregressions of a logistic map, which needs no library, shifted and scaled differently in each chain."""
    values = numpy.empty((count, length))
    for chain in range(count):
        state = 0.1 * (chain + 1)
        x = 0.0
        for n in range(length):
            state = (state * 3.9 * (1 - state)) if 0 < state < 1 else 0.3
            x = rate * x + (1 - rate) * (state - 0.5)
            value = (x + shift * chain) * (1 + stretch * chain)
            values[chain, n] = numpy.floor(value * 16) / 16 if ties else value
    return values


CASES = [
    (1, 50, 0.0, 0.0, 0.0, False),
    (2, 500, 0.9, 0.0, 0.0, False),
    (4, 101, 0.5, 0.05, 0.0, False),
    (3, 200, 0.0, 0.0, 1.5, False),
    (2, 8, 0.2, 0.0, 0.0, False),
    (2, 60, 0.8, 0.0, 0.0, True),
]

print("// The script oracles/convergence_arviz.py wrote this file with ArviZ", arviz.__version__ + ". Change the script, not this")
print("// file.")
print("{")
print("    let cases = [")
for case in CASES:
    values = chains(*case)
    # ArviZ has no R̂ for one chain. R̂ of its halves as two chains is not that of its quarters, so it is omitted.
    hat = float(arviz.rhat(values)) if case[0] > 1 else 0.0
    bulk, tail = (float(arviz.ess(values, method=method)) for method in ("bulk", "tail"))
    count, length, rate, shift, stretch, ties = case
    print(
        f"        (({count}, {length}, {rate!r}, {shift!r}, {stretch!r}, {str(ties).lower()}),"
        f" [{hat!r}, {bulk!r}, {tail!r}]),"
    )
print(
    """    ];
    for ((count, length, rate, shift, stretch, ties), [hat, bulk, tail]) in cases {
        let mut values = Vec::new();
        for chain in 0..count {
            let (mut state, mut x) = (0.1 * f64::from(chain + 1), 0.0);
            for _ in 0..length {
                state = if state > 0.0 && state < 1.0 { state * 3.9 * (1.0 - state) } else { 0.3 };
                x = rate * x + (1.0 - rate) * (state - 0.5);
                let value: f64 = (x + shift * f64::from(chain)) * (1.0 + stretch * f64::from(chain));
                values.push(if ties { (value * 16.0).floor() / 16.0 } else { value });
            }
        }
        let found = of(&values, count as usize).unwrap();
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        assert!(count == 1 || near(found.hat, hat), "{count} {length}: {found:?} for {hat}");
        assert!(near(found.bulk, bulk) && near(found.tail, tail), "{count} {length}: {found:?} for {bulk} {tail}");
    }
}"""
)
