#!/usr/bin/env python3
"""Computes polynomials of `arcuate_numbers::elementary::transcendental`, and reference values for its tests, by mpmath.

    pip install mpmath
    oracles/transcendental.py [crates/arcuate-numbers/src/elementary/transcendental]

Prints `tables.rs` and `tests/values.rs` of that folder, or writes them there. Run `cargo fmt` afterwards.

Each polynomial interpolates a function at the Chebyshev nodes of an interval. It is the shortest one whose error is below 2^-26
(single precision) or 2^-56 (double precision) of the function's smallest value there. Each coefficient is rounded. Values are
at doubles that are also floats, for tests of both precisions; each is the double nearest to the exact value.
"""
import random
import struct
import sys

import mpmath as mp
from mpmath import mpf, sqrt, exp, pi

mp.mp.dps = 60


def single(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def double(x):
    return mpf(float(x))


def dawson(x):
    return sqrt(pi) / 2 * exp(-x * x) * mp.erfi(x)


def bessel(order, x):
    size = abs(x)
    return exp(-size) * mp.besseli(order, x)


def at_root(function):
    """A function of x as a function of z = x², whose limit at 0 is computed slightly next to 0."""
    return lambda z: function(sqrt(max(z, mpf(10) ** -30)))


def through(function, low, high, centre, terms):
    """Coefficients, lowest first, in s - centre."""
    places = [(low + high) / 2 + (high - low) / 2 * mp.cos(pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    rows = mp.matrix([[(s - centre) ** n for n in range(terms)] for s in places])
    return list(mp.lu_solve(rows, mp.matrix([function(s) for s in places])))


def polynomial(function, low, high, centre, bits, kind, weight):
    low, high, centre = mpf(low), mpf(high), mpf(centre)
    grid = [low + (high - low) * mpf(2 * k + 1) / 400 for k in range(200)]
    wanted = [function(s) for s in grid]
    for terms in range(2, 40):
        found = through(function, low, high, centre, terms)
        worst = max(abs((mp.polyval(found[::-1], s - centre) - value) * weight(s)) for s, value in zip(grid, wanted))
        if worst < mpf(2) ** -bits:
            return [kind(value) for value in found]
    raise ValueError("no polynomial is short enough")


def relative(function):
    return lambda s: 1 / function(s)


def inverse(function, shift):
    """A function of x as a function of s = 1 / (x + shift)."""
    return lambda s: function(1 / max(s, mpf(10) ** -12) - shift)


# Name, description, function of s, from, to, centre, weight of its error (1 over the value to which it is added, if any).
sine = at_root(lambda x: (mp.sin(x) / x - 1) / x**2)
cosine = at_root(lambda x: (mp.cos(x) - 1 + x**2 / 2) / x**4)
arc = at_root(lambda x: (mp.atan(x) / x - 1) / x**2)
error = at_root(lambda x: mp.erf(x) / x - 1)
scaled = lambda x: exp(x * x) * mp.erfc(x)
near = at_root(lambda x: (dawson(x) / x - 1) / x**2)
far = at_root(lambda x: 2 * dawson(x) * x)
eighth = (pi / 4 * (1 + mpf(1) / 16)) ** 2
TABLES = [
    ("SINE", "sin r = r + r z p(z), with z = r², for |r| up to a little above π/4", sine, 0, eighth, 0, lambda z: z),
    ("COSINE", "cos r = 1 − z/2 + z² p(z), with z = r², for |r| up to a little above π/4", cosine, 0, eighth, 0, lambda z: z * z),
    ("ARC_TANGENT", "atan u = u + u z p(z), with z = u², for |u| ≤ tan π/8", arc, 0, "0.1717", 0, lambda z: z),
    ("ERF", "erf x = x + x p(x²) for |x| ≤ 1", error, 0, 1, 0, lambda z: mpf(1)),
    ("ERFC", "exp(x²) erfc x = p(1 / (x + 3) − 3/16) for 1 ≤ x ≤ 6", inverse(scaled, 3), mpf(1) / 9, mpf(1) / 4, "0.1875", relative(inverse(scaled, 3))),
    ("DAWSON_NEAR", "Dawson's integral F(x) = x + x z p(z), with z = x², for |x| ≤ 1", near, 0, 1, 0, lambda z: z),
    ("DAWSON_FIRST", "Dawson's integral F(x) = p(x − 1.75) for 1 ≤ x ≤ 2.5", dawson, 1, "2.5", "1.75", relative(dawson)),
    ("DAWSON_SECOND", "Dawson's integral F(x) = p(x − 3.75) for 2.5 ≤ x ≤ 5", dawson, "2.5", 5, "3.75", relative(dawson)),
    ("DAWSON_FAR", "Dawson's integral F(x) = p(1 / x² − 5/256) / 2x for x ≥ 5", lambda s: far(1 / max(s, mpf(10) ** -12)), 0, "0.04", mpf(5) / 256, relative(lambda s: mpf(1))),
    ("BESSEL_0_NEAR", "exp(−x) I₀(x) = p(x − 1) for 0 ≤ x ≤ 2", lambda x: bessel(0, x), 0, 2, 1, relative(lambda x: bessel(0, x))),
    ("BESSEL_0_MIDDLE", "exp(−x) I₀(x) = p(x − 5) for 2 ≤ x ≤ 8", lambda x: bessel(0, x), 2, 8, 5, relative(lambda x: bessel(0, x))),
    ("BESSEL_0_FAR", "exp(−x) I₀(x) = p(1 / x − 1/16) / √x for x ≥ 8", inverse(lambda x: bessel(0, x) * sqrt(x), 0), 0, "0.125", "0.0625", lambda s: mpf("2.5")),
    ("BESSEL_1_NEAR", "exp(−x) I₁(x) = x p(x − 1) for 0 ≤ x ≤ 2", lambda x: bessel(1, max(x, mpf(10) ** -25)) / max(x, mpf(10) ** -25), 0, 2, 1, lambda x: 1 / (bessel(1, x) / x)),
    ("BESSEL_1_MIDDLE", "exp(−x) I₁(x) = p(x − 5) for 2 ≤ x ≤ 8", lambda x: bessel(1, x), 2, 8, 5, relative(lambda x: bessel(1, x))),
    ("BESSEL_1_FAR", "exp(−x) I₁(x) = p(1 / x − 1/16) / √x for x ≥ 8", inverse(lambda x: bessel(1, x) * sqrt(x), 0), 0, "0.125", "0.0625", lambda s: mpf("2.6")),
]


def numbers(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def tables():
    yield "//! Generated by `oracles/transcendental.py`. Coefficients of polynomials, in single and in double precision;\n//! the lowest degree is first.\n"
    yield "use super::Coefficients;\n"
    for name, what, function, low, high, centre, weight in TABLES:
        rows = [polynomial(function, low, high, centre, bits, kind, weight) for bits, kind in ((26, single), (56, double))]
        single_row, double_row = (f"&{numbers(row)}" for row in rows)
        yield f"/// Coefficients of the polynomial p in {what}.\npub(super) const {name}: Coefficients =\n    Coefficients {{ single: {single_row}, double: {double_row} }};\n"


def places(random, low, high, count):
    """Floats, uniform on a logarithmic scale."""
    low, high = mp.log(mpf(low)), mp.log(mpf(high))
    return [single(exp(low + (high - low) * (k + mpf(random.random())) / count)) for k in range(count)]


def values():
    yield "//! Generated by `oracles/transcendental.py`. Arguments that single precision can represent, and values that\n//! were computed with 60 digits and rounded to double precision.\n"
    yield "#![allow(clippy::approx_constant, reason = \"what functions of π come to\")]\n"
    draw = random.Random(1)
    signed = lambda all: [value if draw.random() < 0.5 else -value for value in all]
    # Near multiples of π/2, the remaining angle is smallest.
    multiples = [single(k * pi / 2) for k in (1, 2, 3, 4, 5, 11, 22, 355, 710, 52174, 104348, 600000)]
    angles = [mpf(0)] + signed(places(draw, "1e-6", 2**20, 100) + multiples)
    yield listing("SINES", "x, sin x, cos x", [[x, mp.sin(x), mp.cos(x)] for x in angles])
    far_angles = signed(places(draw, 2**20, 2**40, 24)) + [double(k * pi / 2) for k in (1, 2, 3, 4, 11, 355, 52174, 10**8, 10**11, 6 * 10**11)]
    yield listing("FAR_SINES", "x, sin x, cos x for larger |x|, for tests of double precision only", [[x, mp.sin(x), mp.cos(x)] for x in far_angles])
    tangents = [mpf(0)] + signed(places(draw, "1e-10", "1e8", 80) + [single(mp.tan(pi * k / 32)) for k in range(1, 16)])
    yield listing("ARC_TANGENTS", "x, atan x", [[x, mp.atan(x)] for x in tangents])
    turns = [k * pi / 30 for k in range(-29, 31)]
    points = [[single(scale * mp.sin(turn)), single(scale * mp.cos(turn))] for turn in turns for scale in (1, 3000)]
    yield listing("ANGLES", "y, x, the angle of the point (x, y)", [[y, x, mp.atan2(y, x)] for y, x in points])
    cosines = [mpf(0), mpf(1), mpf(-1)] + signed([1 - small for small in places(draw, "6e-8", "1", 40)] + places(draw, "1e-6", "1", 30))
    cosines = [single(x) for x in cosines]
    yield listing("ARC_COSINES", "x, acos x", [[x, mp.acos(x)] for x in cosines])
    sizes = [mpf(0)] + signed(places(draw, "1e-8", "1", 30) + places(draw, "0.3", "8", 80) + places(draw, "8", "1e4", 25) + [mpf(1), mpf("2"), mpf("2.5"), mpf(5), mpf(6), mpf(8)])
    rows = [[x, mp.erf(x), dawson(x), bessel(0, x), bessel(1, x)] for x in sizes]
    yield listing("SPECIAL", "x, erf x, Dawson's integral, exp(−|x|) I₀(x), exp(−|x|) I₁(x)", rows)


def listing(name, what, rows):
    lines = "\n".join(f"    {numbers(row)}," for row in rows)
    return f"/// {what}.\n#[rustfmt::skip]\npub(super) const {name}: [[f64; {len(rows[0])}]; {len(rows)}] = [\n{lines}\n];\n"


def main():
    for file, text in (("tables.rs", tables()), ("tests/values.rs", values())):
        if len(sys.argv) < 2:
            print("\n".join(text))
            continue
        with open(f"{sys.argv[1]}/{file}", "w") as out:
            out.write("\n".join(text))


if __name__ == "__main__":
    main()
