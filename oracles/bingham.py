#!/usr/bin/env python3
"""Computes means of a stick's signal over Bingham's distribution, by mpmath with 30 digits.

    pip install mpmath numpy scipy
    oracles/bingham.py

Prints a Rust array for crates/arcuate-model/src/special/bingham/means.rs. Each row has κ₁, κ₂, x, then cos θ and cos² φ of the
gradient g, then ∫ p(n) exp(−x (g·n)²) dn, and ∫ p(n) (g·n)² dn. Here p ∝ exp(−κ₁ (n·u)² − κ₂ (n·v)²), and v is the axis of the
fan. The angle θ is measured from μ = u × v, and the angle φ around μ from the axis of the fan.

Both integrals come from the normalisation constant of symmetric matrices, `c(A) = ∫ exp(nᵀ A n) dn`, as in the paper of Kume and Wood.
The first is c(B − x g gᵀ) / c(B). With the eigenvalues a ≥ b ≥ c of A, c(A) is an integral of a modified Bessel function along one axis:

    c(A) = 4π ∫ exp(a t² + (b + c)/2 (1 − t²)) I₀((b − c)/2 (1 − t²)) dt over t from 0 to 1

The second moments are central differences by x with 30 digits.

The lines with # have two kinds of errors. The first is the largest error of each of Arcuate's series, over 400 random arguments. The
series is rewritten here in double precision and compared with Gauss–Legendre quadrature. The second is the relative error of Kume and
Wood's third-order saddlepoint approximation (2005, doi:10.1093/biomet/92.2.465), which Arcuate does not use.
"""
import mpmath as mp
import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, ive, lpmv

mp.mp.dps = 30
CONCENTRATIONS = [("0", "0"), ("1e-3", "0"), ("0.5", "0.5"), ("1", "0.2"), ("4", "1"), ("8", "8"), ("16", "0"),
                  ("16", "4"), ("32", "16"), ("64", "0"), ("64", "1"), ("64", "24"), ("64", "64")]
STICKS = ["0.5", "1.7", "3.4", "5.1", "10", "16"]
PLACES = [("0.96875", "0.25"), ("0.5", "0.75"), ("0.125", "1"), ("0", "0.0625")]


def constant(matrix):
    """∫ exp(nᵀ A n) dn over the sphere without the factor exp(largest eigenvalue), and this eigenvalue."""
    eigenvalues = sorted((mp.re(e) for e in mp.eigsy(matrix, eigvals_only=True)), reverse=True)
    a, b, c = eigenvalues
    half, middle = (b - c) / 2, (b + c) / 2

    def integrand(t):
        s = 1 - t * t
        return mp.exp((middle - a) * s) * mp.besseli(0, half * s)

    pieces = [0, mp.mpf(1) / 2, mp.mpf(3) / 4, mp.mpf(7) / 8, 1]
    return 4 * mp.pi * mp.quad(integrand, pieces), a


def mean(first, second, x, gradient):
    """∫ p(n) exp(−x (g·n)²) dn."""
    def matrix(x):
        diagonal = mp.diag([-first, -second, 0])
        return diagonal - x * (gradient * gradient.T)

    above, a = constant(matrix(x))
    below, b = constant(matrix(mp.mpf(0)))
    return above / below * mp.exp(a - b)


def gradient(cosine, share):
    """(g·u, g·v, g·μ)."""
    sine = 1 - cosine**2
    return mp.matrix([mp.sqrt(sine * (1 - share)), mp.sqrt(sine * share), cosine])


def rows():
    for n, (first, second) in enumerate(CONCENTRATIONS):
        for m, (cosine, share) in enumerate(PLACES):
            x = STICKS[(n + 2 * m) % len(STICKS)]
            numbers = [mp.mpf(float(v)) for v in (first, second, x, cosine, share)]
            g = gradient(numbers[3], numbers[4])
            step = mp.mpf("1e-8")
            slope = (mean(*numbers[:2], -step, g) - mean(*numbers[:2], step, g)) / (2 * step)
            yield numbers + [mean(*numbers[:3], g), slope]


# The series, in double precision and vectorised over arguments.

def rule(nodes):
    x, weights = np.polynomial.legendre.leggauss(nodes)
    v = (x + 1) / 2
    return v * (2 - v), weights * (1 - v)


def harmonic(l, m, t):
    norm = np.sqrt((1 if m == 0 else 2) * np.exp(gammaln(l - m + 1) - gammaln(l + m + 1)))
    return norm * lpmv(m, l, t)


def series_errors(count, degree, largest_x):
    random = np.random.default_rng(1)
    t, weights = rule(40)
    fine_t, fine_weights = np.polynomial.legendre.leggauss(300)
    phi = (np.arange(96) + 0.5) * np.pi / 96
    worst = 0.0
    stick_t, stick_w = np.polynomial.legendre.leggauss(200)
    for _ in range(count):
        first = 64 * random.random() ** 2
        second, x = first * random.random(), largest_x * random.random()
        g = random.normal(size=3)
        g /= np.linalg.norm(g)
        cosine, angle = g[2], np.arctan2(g[1], g[0])
        s = 1 - t * t
        value, below = 0.0, None
        for l in range(0, degree + 1, 2):
            stick = (2 * l + 1) / 2 * np.sum(stick_w * np.exp(-x * stick_t**2) * lpmv(0, l, stick_t))
            for m in range(0, l + 1, 2):
                part = weights * np.exp(-second * s) * ive(m // 2, (first - second) / 2 * s) * (-1) ** (m // 2)
                if below is None:
                    below = part.sum()
                coefficient = np.sum(part * harmonic(l, m, t)) / below
                value += stick * coefficient * harmonic(l, m, cosine) * np.cos(m * angle)
        sine = np.sqrt(1 - fine_t**2)[:, None]
        u, v = sine * np.cos(phi), sine * np.sin(phi)
        density = fine_weights[:, None] * np.exp(-first * u**2 - second * v**2)
        along = g[0] * u + g[1] * v + g[2] * fine_t[:, None]
        # φ over half a turn: n and −n are equivalent.
        exact = np.sum(density * np.exp(-x * along**2)) / np.sum(density)
        worst = max(worst, abs(value - exact))
    return worst


def saddlepoint(eigenvalues):
    """Kume and Wood's third-order approximation of ∫ exp(−Σ λ_i n_i²) dn."""
    lam = np.array(eigenvalues, float) + 1
    p = 3
    equation = lambda t: np.sum(0.5 / (lam - t)) - 1
    low, high = lam.min() - p / 2 - 1, lam.min() - 0.5 * (1 - 1e-12)
    t = brentq(equation, low, high, xtol=1e-14)
    k = [np.sum(0.5 * float(mp.factorial(j - 1)) / (lam - t) ** j) for j in (2, 3, 4)]
    rho3, rho4 = k[1] / k[0] ** 1.5, k[2] / k[0] ** 2
    first = 2**0.5 * np.pi ** ((p - 1) / 2) * k[0] ** -0.5 * np.prod((lam - t) ** -0.5) * np.exp(-t)
    return first * np.exp(rho4 / 8 - 5 * rho3**2 / 24) * np.e


def main():
    print("pub(crate) const MEANS: [[f64; 7]; 52] = [")
    for row in rows():
        print("    [" + ", ".join(repr(float(value)) for value in row) + "],")
    print("];")
    for degree, x in ((16, 3.4), (18, 5.1), (28, 16.0)):
        print(f"# series to degree {degree}, x up to {x}: {series_errors(400, degree, x):.1e}")
    for first, second in ((0, 0), (1, 0.2), (4, 1), (16, 4), (64, 0), (64, 24), (64, 64)):
        exact, _ = constant(mp.diag([-first, -second, 0]))
        print(f"# saddlepoint at {first}, {second}: relative error {saddlepoint([first, second, 0]) / float(exact) - 1:.1e}")


if __name__ == "__main__":
    main()
