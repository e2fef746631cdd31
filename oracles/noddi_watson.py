"""Implements NODDI with Watson's distribution from its equations. The other scripts use it.

It is independent of Arcuate's series. The sticks' signal uses a product rule over the half sphere: Gauss–Legendre nodes along
the mean orientation, and equal steps around it. Diffusivities are in mm²/s, b is in s/mm², and directions have length 1.
"""
import os

import numpy as np

D_PARALLEL, D_FREE = 1.7e-3, 3e-3


def rule(along):
    nodes, weights = np.polynomial.legendre.leggauss(along)
    return (nodes + 1) / 2, weights / 2


def odi_of(kappa):
    return 2 / np.pi * np.arctan2(1, kappa)


def kappa_of(odi):
    return 1 / np.tan(np.pi / 2 * odi)


def watson_cos2(kappa, along=64):
    """⟨t²⟩ of the cosine t to the mean orientation."""
    t, weights = rule(along)
    density = weights * np.exp(np.asarray(kappa)[..., None] * (t**2 - 1))
    return (density * t**2).sum(-1) / density.sum(-1)


def watson_stick(x, kappa, cosine, along=36, around=20):
    """Mean of exp(−x (g·n)²) over orientations n around mu with g·mu = cosine; x, kappa and cosine have the same shape.

    The default rule is accurate to 1e-12 up to x = 6 and kappa = 64 (`python3 noddi_watson.py`).
    """
    x, kappa, cosine = np.broadcast_arrays(x, kappa, cosine)
    t, weights = rule(along)
    density = weights * np.exp(kappa[..., None] * (t**2 - 1))
    angles = np.cos((np.arange(around) + 0.5) * np.pi / around)
    sine = np.sqrt(np.maximum(1 - cosine**2, 0))
    total = np.zeros(x.shape)
    for angle in angles:
        dots = cosine[..., None] * t + sine[..., None] * np.sqrt(1 - t**2) * angle
        total += (density * np.exp(-x[..., None] * dots**2)).sum(-1)
    return total / around / density.sum(-1)


def noddi(b, g, ndi, fwf, kappa, mu, **order):
    """Signals relative to s0: one row per set of parameters, one column per measurement."""
    ndi, fwf, kappa = (np.asarray(value, float)[:, None] for value in (ndi, fwf, kappa))
    cosine = np.clip(np.asarray(mu) @ np.asarray(g).T, -1, 1)
    sticks = watson_stick(b * D_PARALLEL, kappa, cosine, **order)
    cos2 = watson_cos2(kappa)
    along, across = 1 - ndi * (1 - cos2), 1 - ndi * (1 + cos2) / 2
    around = np.exp(-b * D_PARALLEL * (across + (along - across) * cosine**2))
    return (1 - fwf) * (ndi * sticks + (1 - ndi) * around) + fwf * np.exp(-b * D_FREE)


def in_lots(function, count, size=200):
    """Signals of voxels, in blocks that fit into memory."""
    return np.concatenate([function(slice(n, n + size)) for n in range(0, count, size)])


def sphere(count):
    """Directions spread over a half sphere, on a spiral."""
    z = 1 - (np.arange(count) + 0.5) / count
    turn = np.pi * (3 - np.sqrt(5)) * np.arange(count)
    return np.stack([np.sqrt(1 - z**2) * np.cos(turn), np.sqrt(1 - z**2) * np.sin(turn), z], 1)


def uk_biobank():
    """b and directions of a protocol like the UK Biobank's: 5 unweighted measurements, 50 directions on each of two shells."""
    g = np.concatenate([np.tile([0.0, 0.0, 0.0], (5, 1)), sphere(50), sphere(50)[:, [1, 2, 0]]])
    return np.repeat([0.0, 1000.0, 2000.0], [5, 50, 50]), g


def arcuate():
    return os.environ.get("ARCUATE", "arcuate")


if __name__ == "__main__":
    from numpy.random import default_rng

    draw = default_rng(1)
    x, kappa = draw.uniform(0, 6, 4000), np.append(draw.uniform(0, 64, 3999), 64)
    cosine = draw.uniform(-1, 1, 4000)
    fine = watson_stick(x, kappa, cosine, 120, 64)
    print("rule against a finer one:", np.abs(watson_stick(x, kappa, cosine) - fine).max())
