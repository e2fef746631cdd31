"""Implements models with Bingham's distribution, and models to compare them with, from their equations. The other scripts use them.

No code is shared with Arcuate's series. Means over orientations use a product rule on the half sphere around the mean orientation:
Gauss–Legendre nodes along it and equal steps around it. Diffusivities are in mm²/s, b is in s/mm², and directions have length 1.
Signals are relative to s0, for one voxel, one number per measurement.
"""
import dataclasses

import numpy as np

from noddi_watson import D_FREE, D_PARALLEL, kappa_of, watson_cos2, watson_stick


@dataclasses.dataclass
class Fan:
    """A population: stick fraction of its tissue, concentrations perpendicular to the fan and along it, mean orientation, fan axis."""
    ndi: float
    kappa1: float
    kappa2: float
    mu: np.ndarray
    fan: np.ndarray

    @property
    def odi(self):
        return odi_of(self.kappa1, self.kappa2)

    @property
    def da(self):
        return da_of(self.kappa1, self.kappa2)


def odi_of(kappa1, kappa2):
    return 2 / np.pi * np.arctan2(1, np.sqrt(kappa1 * kappa2))


def da_of(kappa1, kappa2):
    return 2 / np.pi * np.arctan2(kappa1 - kappa2, kappa2)


def half_sphere(along, around):
    """Components perpendicular to the fan, along it and along the mean orientation, and weights."""
    nodes, weights = np.polynomial.legendre.leggauss(along)
    t = (nodes + 1) / 2
    angles = (np.arange(around) + 0.5) * 2 * np.pi / around
    sine = np.sqrt(1 - t**2)[:, None]
    parts = np.broadcast_arrays(sine * np.sin(angles), sine * np.cos(angles), t[:, None])
    return np.stack([part.ravel() for part in parts], 1), np.repeat(weights, around)


def bingham_means(x, g, kappa1, kappa2, mu, fan, along=40, around=128):
    """Means of exp(−x (g·n)²) and of (g·n)² over the distribution.

    The default rule is accurate to 1e-12 up to x = 16 and κ = 64 (`python3 bingham_models.py`).
    """
    nodes, weights = half_sphere(along, around)
    density = weights * np.exp(-kappa1 * nodes[:, 0] ** 2 - kappa2 * nodes[:, 1] ** 2)
    density /= density.sum()
    squares = (g @ np.stack([np.cross(mu, fan), fan, mu]).T @ nodes.T) ** 2
    return np.exp(-np.asarray(x)[:, None] * squares) @ density, squares @ density


def tissue(b, g, fan, **rule):
    """Sticks and the mean tensor around them."""
    sticks, cos2 = bingham_means(b * D_PARALLEL, g, fan.kappa1, fan.kappa2, fan.mu, fan.fan, **rule)
    return fan.ndi * sticks + (1 - fan.ndi) * np.exp(-b * D_PARALLEL * (1 - fan.ndi * (1 - cos2)))


def noddi_bingham(b, g, fwf, fan, **rule):
    return (1 - fwf) * tissue(b, g, fan, **rule) + fwf * np.exp(-b * D_FREE)


def noddi_2_binghams(b, g, fwf, f2, first, second, **rule):
    both = (1 - f2) * tissue(b, g, first, **rule) + f2 * tissue(b, g, second, **rule)
    return (1 - fwf) * both + fwf * np.exp(-b * D_FREE)


def ball_1_racket(b, g, d, f, fan, **rule):
    sticks, _ = bingham_means(b * d, g, fan.kappa1, fan.kappa2, fan.mu, fan.fan, **rule)
    return (1 - f) * np.exp(-b * d) + f * sticks


def ball_and_sticks_gamma(b, g, d, d_std, fractions, axes):
    """Free diffusion and sticks with gamma-distributed diffusivity."""
    mean = lambda x: (1 + x * d_std**2 / d) ** (-((d / d_std) ** 2))
    sticks = sum(f * mean(b * (g @ n) ** 2) for f, n in zip(fractions, axes))
    return (1 - sum(fractions)) * mean(b) + sticks


def axis(draw):
    n = draw.normal(size=3)
    return n / np.linalg.norm(n)


def axis_at(draw, n, degrees):
    """A unit vector at this angle from n, in a random direction around it."""
    side = np.cross(n, axis(draw))
    side /= np.linalg.norm(side)
    return np.cos(np.radians(degrees)) * n + np.sin(np.radians(degrees)) * side


def log_uniform(draw, low, high):
    return low * (high / low) ** draw.random()


def draw_fan(draw, ndi, kappa1, share, mu=None):
    """A fan with random orientation; arguments are ranges of ndi, of κ₁ (uniform in its logarithm) and of κ₂/κ₁."""
    mu = axis(draw) if mu is None else mu
    first = log_uniform(draw, *kappa1)
    return Fan(draw.uniform(*ndi), first, first * draw.uniform(*share), mu, axis_at(draw, mu, 90))


def degrees_between(a, b):
    """The angle between axes, whose signs have no meaning."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.degrees(np.arctan2(across, np.abs((np.asarray(a) * b).sum(-1))))


def main():
    draw = np.random.default_rng(1)
    g = np.stack([axis(draw) for _ in range(40)])
    worst = [0.0, 0.0, 0.0]
    for n in range(100):
        first = 64 if n < 20 else 64 * draw.random() ** 2
        fan = draw_fan(draw, (0, 1), (first, first), (0, 1))
        place = (first, [0, fan.kappa2, first][n % 3], fan.mu, fan.fan)
        for k, x in enumerate((16, 6, 3.4)):
            found, fine = (bingham_means(np.full(40, x), g, *place, **rule) for rule in ({}, {"along": 100, "around": 256}))
            worst[k] = max(worst[k], *(np.abs(a - b).max() for a, b in zip(found, fine)))
    print("rule against a finer one, x up to 16, 6, 3.4:", *worst)
    b = np.repeat([1000.0, 2000.0], 20)
    kappa, mu = kappa_of(0.2), axis(draw)
    found, cos2 = bingham_means(b * D_PARALLEL, g, kappa, kappa, mu, axis_at(draw, mu, 90))
    apart = np.abs(found - watson_stick(b * D_PARALLEL, kappa, g @ mu)).max()
    along = watson_cos2(kappa)
    again = (1 - along) / 2 + (3 * along - 1) / 2 * (g @ mu) ** 2
    print("κ₁ = κ₂ against Watson's:", apart, np.abs(cos2 - again).max())


if __name__ == "__main__":
    main()
