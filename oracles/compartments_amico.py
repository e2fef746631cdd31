#!/usr/bin/env python3
"""Compares forward models with AMICO's, and with independent numerical references.

    pip install dmri-amico scipy numpy
    oracles/compartments_amico.py

Prints Rust arrays for the tests in crates/arcuate-model/src/compartments:

- the signals of AMICO's cylinder, stick, zeppelin, ball and astrosticks (`amico.synthesis`), for our gyromagnetic
  ratio: AMICO has 2.675987e8, so its amplitudes are scaled;
- the exponent perpendicular to a cylinder from a finite-volume solution of the diffusion equation, without Bessel functions. With
  the autocorrelation C(t) of a particle's position across the disc, it is `−ln S = γ²G² ∫ [2(δ−t)₊ − (δ−|t−Δ|)₊] C(t) dt`;
- signals of gamma-distributed radii, by adaptive quadrature over the radii and the published sum over 3000 roots;
- roots of J₁′;
- singular values of the responses of nine radii from 1 to 5 µm, relative to the first, by the published sum.
"""
import numpy as np
from scipy.integrate import quad
from scipy.linalg import eigh_tridiagonal
from scipy.special import jnp_zeros

import amico.scheme
import amico.synthesis

GAMMA = 2.6751525e8
AMICO_GAMMA = 2.675987e8
BIG, SMALL, ECHO = 0.04, 0.02, 0.08
RADII = [1e-8, 0.5e-6, 1e-6, 2e-6, 3e-6, 5e-6, 8e-6, 20e-6]
D = 1.7e-9
ROOTS = jnp_zeros(1, 1000)


def b_value(amplitude):
    return (GAMMA * amplitude * SMALL) ** 2 * (BIG - SMALL / 3)


def from_amico():
    cosines = [0.0, 0.5, 1.0]
    amplitudes = [0.04, 0.08, 0.3]
    rows = [[0, 0, 1, 0, BIG, SMALL, ECHO]]
    for amplitude in amplitudes:
        for c in cosines:
            rows.append([np.sqrt(1 - c * c), 0, c, amplitude * GAMMA / AMICO_GAMMA, BIG, SMALL, ECHO])
    scheme = amico.scheme.Scheme(np.array(rows))
    # The scheme's own b, in s/mm², must equal ours. Then its gyromagnetic ratio is the one above.
    ours = [b_value(a) * 1e-6 for a in amplitudes for _ in cosines]
    print("// relative difference of b:", np.abs(scheme.b[1:] / ours - 1).max())
    print("// |G| in T/m, cosine, R in m, cylinder of d = 1.7e-9")
    signals = {radius: amico.synthesis.CylinderGPD(scheme).get_signal(D * 1e6, radius) for radius in RADII}
    for radius in [1e-8, 1e-6, 3e-6, 5e-6, 8e-6]:
        for (amplitude, c), s in zip([(a, c) for a in amplitudes for c in cosines], signals[radius][1:]):
            if amplitude < 0.1:
                print(f"({amplitude}, {c}, {radius:g}, {s:.12}),")
    synthesis = amico.synthesis
    print("stick", repr(synthesis.Stick(scheme).get_signal(D * 1e6)[4:7]))
    print("zeppelin 1.7 0.51", repr(synthesis.Zeppelin(scheme).get_signal(D * 1e6, 0.51e-3)[4:7]))
    print("ball 3.0", repr(synthesis.Ball(scheme).get_signal(3.0e-3)[[1, 4]]))
    print("astrosticks", repr(synthesis.Astrosticks(scheme).get_signal(D * 1e6)[[1, 4, 7]]))
    print("astrosticks by quadrature", [quad(lambda c: np.exp(-b_value(a) * D * c * c), 0, 1, epsabs=0, epsrel=1e-13)[0]
                                        for a in amplitudes])


def autocorrelation(radius, cells=4000):
    """(weights, rates): ⟨x(0) x(t)⟩ = Σ weight exp(−rate t) of a disc, by finite volumes in r for r·cos φ."""
    h = 1.0 / cells
    r = (np.arange(cells) + 0.5) * h
    faces = np.arange(1, cells) * h
    mass = r * h
    # −(1/r)(r f′)′ + f/r², no flux through the wall; symmetric after scaling by √mass.
    diagonal = np.zeros(cells)
    diagonal[:-1] += faces / h
    diagonal[1:] += faces / h
    diagonal += mass / r**2
    off = -faces / h
    scale = 1 / np.sqrt(mass)
    symmetric = diagonal * scale**2, off * scale[:-1] * scale[1:]
    rates, vectors = eigh_tridiagonal(*symmetric, select="i", select_range=(0, 300))
    overlap = vectors.T @ (np.sqrt(mass) * r)
    # ⟨x²⟩ = ∫ r² cos²φ dA / πR² = ∫ r³ dr for R = 1: 1/4.
    return overlap**2 * radius**2, rates * D / radius**2


def exponent_by_volumes(radius, amplitude):
    weights, rates = autocorrelation(radius)

    def integrand(t):
        kernel = 2 * max(SMALL - t, 0) - max(SMALL - abs(t - BIG), 0)
        return kernel * np.sum(weights * np.exp(-rates * t))

    marks = [0] + list(np.geomspace(1e-3 / rates[0], BIG + SMALL, 40)) + [SMALL, BIG - SMALL, BIG, BIG + SMALL]
    marks = sorted({min(m, BIG + SMALL) for m in marks})
    total = sum(quad(integrand, a, b, epsabs=0, epsrel=1e-11, limit=200)[0] for a, b in zip(marks, marks[1:]))
    return (GAMMA * amplitude) ** 2 * total


def exponent_by_roots(radius, amplitude, big=BIG, small=SMALL, d=D, roots=ROOTS):
    """The published sum, unchanged."""
    alpha = roots / radius
    rate = d * alpha**2
    terms = 2 * rate * small - 2 + 2 * np.exp(-rate * small) + 2 * np.exp(-rate * big)
    terms -= np.exp(-rate * (big - small)) + np.exp(-rate * (big + small))
    return 2 * (GAMMA * amplitude) ** 2 * np.sum(terms / (d**2 * alpha**6 * (roots**2 - 1)))


def gamma_signal(shape, scale, amplitude, cosine):
    power = shape + 2
    peak = (power - 1) * scale

    def weight(r):
        return np.exp((power - 1) * np.log(r / peak) - (r - peak) / scale)

    def part(r):
        return weight(r) * np.exp(-exponent_by_roots(r, amplitude) * (1 - cosine**2))

    edges = np.linspace(1e-12, peak + 60 * scale, 61)
    over = lambda f: sum(quad(f, a, b, epsabs=1e-18, epsrel=1e-12)[0] for a, b in zip(edges, edges[1:]))
    return np.exp(-b_value(amplitude) * D * cosine**2) * over(part) / over(weight)


def singular_values(b_values, big, small):
    """Responses of nine cylinders, sampled at 200 cosines in each shell (b in s/mm²)."""
    c = (np.arange(200) + 0.5) / 200
    amplitudes = [np.sqrt(b * 1e6 / (big - small / 3)) / (GAMMA * small) for b in b_values]
    rows = [
        np.concatenate([
            np.exp(-b * 1e6 * D * c**2 - exponent_by_roots(radius, amplitude, big, small) * (1 - c**2))
            for b, amplitude in zip(b_values, amplitudes)
        ])
        for radius in np.linspace(1e-6, 5e-6, 9)
    ]
    values = np.linalg.svd(np.array(rows), compute_uv=False)
    return [f"{v:.8e}" for v in values[:5] / values[0]]


if __name__ == "__main__":
    for number in (1, 10, 50, 100, 200):
        print(f"({number}, {float(jnp_zeros(1, 200)[number - 1])!r}),")
    from_amico()
    print("// R, exponent across at |G| = 0.08 by finite volumes, by the published sum")
    for radius in RADII:
        print(f"({radius:g}, {exponent_by_volumes(radius, 0.08):.12}, {exponent_by_roots(radius, 0.08):.12}),")
    print("// Δ = δ = 20 ms, R = 100 µm; δ = 1 ms, R = 100 µm: published sum over 1000 roots")
    print(f"{exponent_by_roots(1e-4, 0.08, 0.02, 0.02):.15} {exponent_by_roots(1e-4, 0.08, 0.02, 0.001):.15}")
    print("// shape, scale, |G|, cosine, signal")
    for shape, scale in [(2.0, 0.5e-6), (5.0, 0.4e-6), (0.5, 1e-6), (20.0, 0.2e-6)]:
        for amplitude, cosine in [(0.08, 0.0), (0.3, 0.1)]:
            print(f"({shape}, {scale:g}, {amplitude}, {cosine}, {gamma_signal(shape, scale, amplitude, cosine):.12}),")
    print("# singular values, Human Connectome Project:", *singular_values([1000, 2000, 3000], 0.0431, 0.0106))
    print("# b up to 10,000:", *singular_values([1000, 3000, 5000, 10000], 0.0218, 0.0129))
