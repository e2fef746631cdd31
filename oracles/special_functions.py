#!/usr/bin/env python3
"""Computes references of the special functions in signal models, by mpmath with 40 digits.

    pip install mpmath
    oracles/special_functions.py

Prints Rust arrays for crates/arcuate-model/src/special/tests.rs:

- WATSON: for each of CONCENTRATIONS, ∫ P_l(t) exp(κt²) dt / ∫ exp(κt²) dt over −1 to 1 for each of WATSON_DEGREES;
- STICK: for each of STICK_RATES, (2l+1)/2 ∫ exp(−x t²) P_l(t) dt over −1 to 1 for each of STICK_DEGREES;
- FUNCTIONS: x, Dawson's integral, erf x, exp(−|x|) I₀(x), exp(−|x|) I₁(x).

Each integral is computed by Kummer's function and by quadrature. The two must agree to 1e-25 of the value, or to 1e-32
of the integral for l = 0. Arguments are doubles (0.1 is the double nearest to it). Values are the doubles nearest to the
exact ones. scipy 1.17's dawsn, erf, i0e and i1e differ from them by at most 6e-16.
"""
import mpmath as mp

mp.mp.dps = 40
WATSON_DEGREES = [2, 8, 14, 20, 34]
CONCENTRATIONS = ["0", "1e-3", "0.1", "0.2", "1", "4", "16", "40", "64"]
STICK_DEGREES = [0, 2, 8, 14, 20, 34]
STICK_RATES = ["0", "1e-3", "0.5", "1.7", "3.4", "5.1", "10", "30", "60"]
PLACES = ["0", "1e-6", "0.01", "0.3", "0.9241388730045916", "1", "1.5", "2.5", "3.4", "5", "7.5", "12", "20", "50"]


def by_series(rate, degree):
    """∫ exp(rate t²) P_l(t) dt over −1 to 1: rateⁿ 1F1(n+½; 2n+3/2; rate) Γ(n+½) / Γ(2n+3/2) with l = 2n."""
    n = degree // 2
    front = rate**n if n else mp.mpf(1)
    return front * mp.gamma(n + mp.mpf(1) / 2) / mp.gamma(2 * n + mp.mpf(3) / 2) * mp.hyp1f1(
        n + mp.mpf(1) / 2, 2 * n + mp.mpf(3) / 2, rate)


def by_quadrature(rate, degree):
    with mp.workdps(70):
        pieces = [mp.mpf(k) / 16 for k in range(17)]
        return 2 * mp.quad(lambda t: mp.exp(rate * t * t) * mp.legendre(degree, t), pieces)


def integral(rate, degree):
    first, second = by_series(rate, degree), by_quadrature(rate, degree)
    scale = by_series(rate, 0)
    assert abs(first - second) < max(mp.mpf("1e-25") * abs(first), mp.mpf("1e-32") * scale), (rate, degree, first, second)
    return first


def number(value):
    """The nearest double, with the digits that identify it: at most 17."""
    return repr(float(value))


def array(name, rows):
    width = len(rows[0])
    print(f"const {name}: [[f64; {width}]; {len(rows)}] = [")
    for row in rows:
        print("    [" + ", ".join(number(value) for value in row) + "],")
    print("];\n")


def listing(name, kind, values):
    print(f"const {name}: [{kind}; {len(values)}] = [" + ", ".join(values) + "];")


def numbers(words):
    return [number(word) for word in words]


def main():
    listing("WATSON_DEGREES", "usize", [str(degree) for degree in WATSON_DEGREES])
    listing("CONCENTRATIONS", "f64", numbers(CONCENTRATIONS))
    array("WATSON", [[integral(kappa, degree) / integral(kappa, 0) for degree in WATSON_DEGREES]
                     for kappa in (mp.mpf(float(word)) for word in CONCENTRATIONS)])
    listing("STICK_DEGREES", "usize", [str(degree) for degree in STICK_DEGREES])
    listing("STICK_RATES", "f64", numbers(STICK_RATES))
    array("STICK", [[(2 * degree + 1) * integral(-x, degree) / 2 for degree in STICK_DEGREES]
                    for x in (mp.mpf(float(word)) for word in STICK_RATES)])
    rows = []
    for word in PLACES:
        x = mp.mpf(float(word))
        dawson = mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
        rows.append([x, dawson, mp.erf(x), mp.exp(-x) * mp.besseli(0, x), mp.exp(-x) * mp.besseli(1, x)])
    array("FUNCTIONS", rows)


if __name__ == "__main__":
    main()
