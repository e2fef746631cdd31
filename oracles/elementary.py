#!/usr/bin/env python3
"""Computes the coefficients of `arcuate_numbers::elementary::single`: minimax polynomials with float coefficients.

    pip install mpmath && python3 oracles/elementary.py

A polynomial is fitted by Remez's exchange. Its lowest coefficient is rounded and kept, and the others are fitted again,
until all are rounded. Prints the coefficients, lowest first, and the largest error of the approximation relative to
the function, in units of 2^-24. The tests measure the additional rounding errors.
"""

import struct
from mpmath import mp, mpf, matrix, lu_solve, exp, log, sin, cos, sqrt, pi

mp.dps = 40


def single(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def chebyshev_nodes(low, high, count):
    return [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * n + 1) / (2 * count)) for n in range(count)][::-1]


def remez(wanted, weight, low, high, powers):
    """Coefficients c that minimise max |weight(x) (wanted(x) - sum c x^power)|, and that error."""
    points = chebyshev_nodes(low, high, len(powers) + 1)
    grid = chebyshev_nodes(low, high, 4001)
    for _ in range(12):
        rows = [[x**p for p in powers] + [(-1) ** n / weight(x)] for n, x in enumerate(points)]
        solution = lu_solve(matrix(rows), matrix([wanted(x) for x in points]))
        coefficients = [solution[n] for n in range(len(powers))]
        error = [weight(x) * (wanted(x) - sum(c * x**p for c, p in zip(coefficients, powers))) for x in grid]
        # The largest error of each interval with one sign.
        extremes, best = [], 0
        for n in range(1, len(grid)):
            if error[n] * error[best] < 0:
                extremes.append(best)
                best = n
            elif abs(error[n]) > abs(error[best]):
                best = n
        extremes.append(best)
        while len(extremes) > len(points):
            extremes.pop(0 if abs(error[extremes[0]]) < abs(error[extremes[-1]]) else -1)
        if len(extremes) < len(points):
            break
        points = [grid[n] for n in extremes]
    return coefficients, max(abs(e) for e in error)


def fit(name, function, start, factor, low, high, terms):
    """function(x) = start(x) + factor(x) * polynomial(x), with the error relative to the function."""
    wanted = lambda x: (function(x) - start(x)) / factor(x)
    weight = lambda x: abs(factor(x) / function(x))
    fixed = []
    while len(fixed) < terms:
        rest = lambda x: wanted(x) - sum(c * x**p for p, c in enumerate(fixed))
        coefficients, _ = remez(rest, weight, low, high, range(len(fixed), terms))
        fixed.append(single(coefficients[0]))
    grid = chebyshev_nodes(low, high, 4001)
    error = max(abs(weight(x) * (wanted(x) - sum(c * x**p for p, c in enumerate(fixed)))) for x in grid)
    print(f"{name}: {', '.join(repr(float(c)) for c in fixed)}\n#   error {float(error * 2**24):.3f}")


# No interval is symmetric about 0, because the error has no weight there.
more = mpf(2) ** -12
tiny = mpf(2) ** -60
eighth = (pi / 4 * (1 + mpf(2) ** -7)) ** 2
root = lambda z: sqrt(z + tiny)
fit("exp(r) = 1 + r + r^2 p(r)", exp, lambda r: 1 + r, lambda r: r**2, -log(2) / 2, log(2) / 2 + more, 5)
fit("ln(1 + f) = f - f^2/2 + f^3 p(f)", lambda f: log(1 + f), lambda f: f - f**2 / 2, lambda f: f**3, -mpf(1) / 3, mpf(1) / 3 + more, 8)
fit("sin(r) = r + r z p(z), z = r^2", lambda z: sin(root(z)), root, lambda z: root(z) * z, tiny, eighth, 3)
fit("cos(r) = 1 - z/2 + z^2 p(z)", lambda z: cos(root(z)), lambda z: 1 - z / 2, lambda z: z**2, tiny, eighth, 3)
TAU = 2 * pi
high = single(TAU)
fit("sin(2 pi r) = r (high + (low + z p(z)))", lambda z: sin(TAU * root(z)), lambda z: TAU * root(z), lambda z: root(z) * z, tiny, mpf(1) / 64, 3)
fit("cos(2 pi r) = 1 + z p(z)", lambda z: cos(TAU * root(z)), lambda z: 1, lambda z: z, tiny, mpf(1) / 64, 4)
for name, value, counts in [("ln 2", log(2), (16, 24)), ("pi/2", pi / 2, (24, 24, 24)), ("2 pi", TAU, (24, 24)), ("1/ln 2", 1 / log(2), (24,)), ("2/pi", 2 / pi, (24,))]:
    parts, rest = [], value
    for bits in counts:
        if bits < 24:
            scale = mpf(2) ** (bits - 1 - mp.floor(log(rest) / log(2)))
            part = mp.floor(rest * scale) / scale
        else:
            part = single(rest)
        parts.append(part)
        rest -= part
    print(f"{name} in parts: {', '.join(repr(float(p)) for p in parts)}\n#   rest {float(rest):.3e}")
