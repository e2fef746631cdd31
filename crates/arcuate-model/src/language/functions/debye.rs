//! Debye's function D(x) = 2 (e⁻ˣ − 1 + x) / x² (Debye 1947, doi:10.1021/j150451a002). It is the mean of e⁻ˣᵗ
//! over the distance t of two uniformly distributed points between 0 and 1.

use super::operation::unary_operation;
use super::row::{Argument, FROM_0, Function};
use crate::language::lowering::Value;
use crate::language::node::{Binary, Unary};
use crate::language::range::Range;

pub(super) const DEBYE: Function = Function {
    name: Debye::NAME,
    arguments: &[Argument::number("x").within(FROM_0)],
    value: "Debye's function 2 (e⁻ˣ − 1 + x) / x²",
    example: "debye(p / q)",
    // From `oracles/restricted_diffusion.py`.
    reference: ("debye(0.5)", 0.8522452777010674, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Debye, of.id(0)))),
};

/// The coefficients of the power series of Debye's function: 2 (−1)ⁿ / (n + 2)!.
const SERIES: [f64; 18] = series();

const fn series() -> [f64; 18] {
    let mut coefficients = [1.0; 18];
    let mut n = 1;
    while n < coefficients.len() {
        coefficients[n] = -coefficients[n - 1] / (n + 2) as f64;
        n += 1;
    }
    coefficients
}

unary_operation! {
    /// Debye's function 2 (e⁻ˣ − 1 + x) / x².
    Debye = "debye";
    range |x| {
        // The function decreases. A value of the formula is below 0 only if the range of its argument is not
        // known to be at least 0.
        if x.low >= 0.0 { Range::new(Debye::reference(x.high), Debye::reference(x.low)) } else { Range::ALL }
    };
    reference |x| {
        if x < 1.0 {
            return SERIES.iter().rev().fold(0.0, |sum, coefficient| x * sum + coefficient);
        }
        2.0 / x * (1.0 + (-x).exp_m1() / x)
    };
    slope |program, value, x| {
        // D' = (2 − (x + 2) D) / x loses digits at small x, where the power series replaces it.
        const SMALL: f64 = 0.03;
        let [one, two, small] = [1.0, 2.0, SMALL].map(|value| program.constant(value));
        let mut series = program.constant(0.0);
        for n in (1..8).rev() {
            let coefficient = program.constant(n as f64 * SERIES[n]);
            let product = program.multiply(series, x);
            series = program.add(product, coefficient);
        }
        let is_small = program.binary(Binary::Less, x, small);
        let below = program.choose(is_small, one, x);
        let sum = program.add(x, two);
        let product = program.multiply(sum, value);
        let difference = program.subtract(two, product);
        let quotient = program.divide(difference, below);
        program.choose(is_small, series, quotient)
    };
    compute |x| {
        let (one, two) = (x.known(1.0), x.known(2.0));
        // The omitted terms of the power series are below the rounding error at x = 1.
        let terms = if x.is_double() { SERIES.len() } else { 10 };
        let mut series = x.known(SERIES[terms - 1]);
        for coefficient in SERIES[..terms - 1].iter().rev() {
            series = series.fma(x, x.known(*coefficient));
        }
        let large = x.larger(one);
        let mean = (one - (-x).exponential()) / large;
        one.if_above(x, series, two / large * (one - mean))
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_numbers::{Lanes, Real};

    fn computed<T: Real>(x: f64) -> f64 {
        Debye::compute(Lanes([T::of(x)])).0[0].double()
    }

    #[test]
    fn values_agree_with_multiple_precision() {
        // From `oracles/restricted_diffusion.py`.
        for [x, expected] in [
            [0.0, 1.0],
            [1e-6, 0.99999966666675],
            [0.01, 0.9966749833610715],
            [0.5, 0.8522452777010674],
            [0.99, 0.7378363249097963],
            [1.0, 0.7357588823428847],
            [1.5, 0.642782364576382],
            [4.0, 0.3772894548610918],
            [30.0, 0.06444444444444465],
            [1e4, 1.9998e-4],
        ] {
            // The subtraction from 1 near x = 1 gives about three rounding errors.
            for (found, error) in
                [(Debye::reference(x), 5e-16), (computed::<f64>(x), 1e-15), (computed::<f32>(x), 5e-7)]
            {
                assert!((found - expected).abs() < error * expected, "{x}: {found} {expected}");
            }
        }
        assert!(computed::<f32>(f64::NAN).is_nan() && computed::<f64>(f64::NAN).is_nan());
        assert_eq!(computed::<f32>(f64::INFINITY), 0.0);
    }
}
