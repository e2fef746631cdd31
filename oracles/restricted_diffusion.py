#!/usr/bin/env python3
"""Prints values of `sphere_gpd`, `cylinder_gpd` and `debye` of the model language, computed with 30 digits by mpmath.

In the Gaussian phase approximation, the exponent of the signal is γ²G² (2 K(δ) + 2 K(Δ) − K(Δ + δ) − K(Δ − δ)). K is
the double integral over time of the autocorrelation C of a molecule's position along the gradient. The Laplace
transform of C follows from the diffusion equation with reflecting walls, in closed form. K is its numerical inverse
(Talbot's method). The formula has no sum over eigenvalues, unlike the implementation (Neuman 1974,
doi:10.1063/1.1680931; Murday and Cotts 1968, doi:10.1063/1.1668160).

Lengths are in µm, times in ms and b-values in ms/µm².
"""

from mpmath import besseli, exp, invertlaplace, mp, mpf, sqrt

mp.dps = 30


def spherical(order, x):
    """Returns a modified spherical Bessel function of the first kind."""
    return sqrt(mp.pi / (2 * x)) * besseli(order + mpf(1) / 2, x)


def of_sphere(d, radius):
    """Returns the Laplace transform of the autocorrelation of a coordinate in a sphere."""

    def transform(s):
        k = sqrt(s / d)
        x = k * radius
        slope = spherical(0, x) - 2 * spherical(1, x) / x
        weight = -1 / (s * k * slope)
        return radius**2 / (5 * s) + weight * spherical(2, x) / k

    return transform


def of_cylinder(d, radius):
    """Returns the Laplace transform of the autocorrelation of a coordinate across a cylinder."""

    def transform(s):
        k = sqrt(s / d)
        x = k * radius
        slope = besseli(0, x) - besseli(1, x) / x
        weight = -1 / (s * k * slope)
        return radius**2 / (4 * s) + weight * besseli(2, x) / k

    return transform


def exponent(transform, b, separation, duration):
    """Returns −ln S of a pair of rectangular pulses."""
    twice = lambda t: invertlaplace(lambda s: transform(s) / s**2, t, method="talbot", degree=40)
    integrals = 2 * twice(duration) + 2 * twice(separation) - twice(separation + duration)
    if separation > duration:
        integrals -= twice(separation - duration)
    return b / (duration**2 * (separation - duration / 3)) * integrals


def sphere(b, separation, duration, d, radius):
    return exp(-exponent(of_sphere(d, radius), b, separation, duration))


def cylinder(b, separation, duration, d, radius, cosine):
    across = exponent(of_cylinder(d, radius), b, separation, duration)
    return exp(-b * d * cosine**2 - (1 - cosine**2) * across)


def debye(x):
    return 2 * (exp(-x) - 1 + x) / x**2


PULSES = [(3, 30, 10), (1, 40, 20), (10, 20, 20), (0.5, 80, 2)]
TISSUE = [(2, 5), (3, 8), (1.7, 1), (1, 15), (0.6, 3), (2, 0.3), (3, 50)]

if __name__ == "__main__":
    print("# SPHERES and CYLINDERS: b, Δ, δ, d, R, the signal of the sphere, and of the cylinder at the cosine 0.3")
    for pulses in PULSES:
        for tissue in TISSUE:
            inputs = [mpf(str(value)) for value in (*pulses, *tissue)]
            row = [*(pulses + tissue), float(sphere(*inputs)), float(cylinder(*inputs, mpf("0.3")))]
            print(f"    [{', '.join(repr(float(value)) for value in row)}],")
    print("# DEBYE: x, value")
    for x in ["1e-6", "0.01", "0.5", "0.99", "1", "1.5", "4", "30", "1e4"]:
        print(f"    [{float(x)!r}, {float(debye(mpf(x)))!r}],")
