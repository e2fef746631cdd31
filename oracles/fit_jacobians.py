#!/usr/bin/env python3
"""Computes signals of models and their derivatives by JAX's automatic differentiation, in double precision.

    pip install jax numpy
    oracles/fit_jacobians.py

Prints Rust arrays for a test of Arcuate's derivatives of the model files. First come B in s/mm² and G of the measurements. Then each
model has parameter sets, in the order and the units of its file (orientations as three numbers). For each measurement there is the
signal and its derivative by each number. Derivatives by an orientation are those by the three components of a unit vector, projected
onto the plane perpendicular to it. The last two numbers of NODDI are d_parallel and d_free. To print the models of one test file, give
their names: `oracles/fit_jacobians.py BALL_1_RACKET NODDI_BINGHAM`. Without names, all are printed.

The models are rewritten from their equations. Watson's and Bingham's means use a fixed product rule on the half sphere, which does not
depend on the mean orientation: Gauss–Legendre nodes and equal steps, 96 by 192 points. Derivatives by concentration and orientation
therefore come from its weights only.

Each run checks two things. Signals of NODDI agree with noddi_watson.py to 1e-13 and with bingham_models.py to 1e-12. All derivatives agree
with central differences to 1e-7 of the largest of a column or 1e-10 of s0.
"""
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

import bingham_models
import noddi_watson

jax.config.update("jax_enable_x64", True)

B = np.array([0.0, 700.0, 1000.0, 2000.0, 3000.0, 2000.0])
G = np.array([[0, 0, 1], [1, 0, 0], [0.6, 0, 0.8], [-2 / 3, 1 / 3, 2 / 3], [0.48, 0.6, -0.64], [2 / 7, 3 / 7, -6 / 7]])


def unit(*components):
    return list(np.array(components, float) / np.linalg.norm(components))


def sphere_rule(rows, turns):
    z, weights = np.polynomial.legendre.leggauss(rows)
    z, weights = (z + 1) / 2, weights / 2
    angle = 2 * np.pi * np.arange(turns) / turns
    sine = np.sqrt(1 - z**2)[:, None]
    nodes = np.stack([sine * np.cos(angle), sine * np.sin(angle), z[:, None] + 0 * angle], -1)
    return nodes.reshape(-1, 3), np.repeat(weights / turns, turns)


NODES, WEIGHTS = (jnp.array(part) for part in sphere_rule(96, 192))


def ball_1_stick(p, b, g):
    s0, d, f, n = p[0], p[1], p[2], p[3:6]
    return s0 * ((1 - f) * jnp.exp(-b * d) + f * jnp.exp(-b * d * jnp.dot(g, n) ** 2))


def ball_2_sticks(p, b, g):
    s0, d, f1, n1, f2, n2 = p[0], p[1], p[2], p[3:6], p[6], p[7:10]
    sticks = f1 * jnp.exp(-b * d * jnp.dot(g, n1) ** 2) + f2 * jnp.exp(-b * d * jnp.dot(g, n2) ** 2)
    return s0 * ((1 - f1 - f2) * jnp.exp(-b * d) + sticks)


def ball_1_stick_gamma(p, b, g):
    s0, d, d_std, f, n = p[0], p[1], p[2], p[3], p[4:7]
    # The density's Laplace transform, with shape (d / d_std)² and scale d_std² / d.
    mean = lambda x: jnp.exp(-((d / d_std) ** 2) * jnp.log1p(x * d_std**2 / d))
    return s0 * ((1 - f) * mean(b) + f * mean(b * jnp.dot(g, n) ** 2))


def noddi_watson_model(p, b, g):
    s0, fwf, ndi, kappa, mu, d_parallel, d_free = p[0], p[1], p[2], p[3], p[4:7], p[7], p[8]
    cosines = NODES @ mu
    density = WEIGHTS * jnp.exp(kappa * (cosines**2 - 1))
    density = density / density.sum()
    sticks = (density * jnp.exp(-b * d_parallel * (NODES @ g) ** 2)).sum()
    cos2 = (density * cosines**2).sum()
    along = d_parallel * (1 - ndi * (1 - cos2))
    across = d_parallel * (1 - ndi * (1 + cos2) / 2)
    around = jnp.exp(-b * (across + (along - across) * jnp.dot(g, mu) ** 2))
    return s0 * ((1 - fwf) * (ndi * sticks + (1 - ndi) * around) + fwf * jnp.exp(-b * d_free))


def across(n, reference, angle):
    """The unit vector perpendicular to n at this angle from reference × n."""
    side, up = jnp.cross(reference, n), reference - jnp.dot(reference, n) * n
    return (jnp.cos(angle) * side + jnp.sin(angle) * up) / jnp.linalg.norm(side)


def bingham(kappa1, kappa2, mu, fan):
    """Weights of the nodes."""
    density = WEIGHTS * jnp.exp(-kappa1 * (NODES @ jnp.cross(mu, fan)) ** 2 - kappa2 * (NODES @ fan) ** 2)
    return density / density.sum()


def ball_and_rackets(p, b, g):
    """One to three rackets: f, n, kappa1, kappa2 and psi of each, then the reference of all."""
    s0, d, reference = p[0], p[1], p[-3:]
    signal, rest = 0.0, 1.0
    for start in range(2, len(p) - 3, 7):
        f, n, kappa1, kappa2, psi = p[start], p[start + 1:start + 4], p[start + 4], p[start + 5], p[start + 6]
        density = bingham(kappa1, kappa2, n, across(n, reference, psi))
        signal += f * (density * jnp.exp(-b * d * (NODES @ g) ** 2)).sum()
        rest -= f
    return s0 * (rest * jnp.exp(-b * d) + signal)


def bingham_tissue(p, d_parallel, reference, b, g):
    """Sticks and the mean tensor around them, from ndi, kappa1, kappa2, mu and psi."""
    ndi, kappa1, kappa2, mu, psi = p[0], p[1], p[2], p[3:6], p[6]
    density = bingham(kappa1, kappa2, mu, across(mu, reference, psi))
    squares = (NODES @ g) ** 2
    around = jnp.exp(-b * d_parallel * (1 - ndi * (1 - (density * squares).sum())))
    return ndi * (density * jnp.exp(-b * d_parallel * squares)).sum() + (1 - ndi) * around


def noddi_bingham(p, b, g):
    s0, fwf, reference, d_parallel, d_free = p[0], p[1], p[9:12], p[12], p[13]
    return s0 * ((1 - fwf) * bingham_tissue(p[2:9], d_parallel, reference, b, g) + fwf * jnp.exp(-b * d_free))


def noddi_2_binghams(p, b, g):
    s0, fwf, f2, reference, d_parallel, d_free = p[0], p[1], p[2], p[17:20], p[20], p[21]
    first, second = (bingham_tissue(p[at:at + 7], d_parallel, reference, b, g) for at in (3, 10))
    return s0 * ((1 - fwf) * ((1 - f2) * first + f2 * second) + fwf * jnp.exp(-b * d_free))


FIRST, SECOND, THIRD = unit(1, 2, 2), unit(-2, 6, 3), unit(4, -1, 8)
FOURTH = unit(2, -3, 6)
# For each model: its function, the indices at which orientations start, and parameter sets.
MODELS = {
    "BALL_1_STICK": (ball_1_stick, [3], [
        [1000.0, 1.2e-3, 0.55, *FIRST],
        [250.0, 2.9e-3, 0.05, *SECOND],
        [1.0, 0.6e-3, 0.95, *unit(0, 0, 1)],
    ]),
    "BALL_2_STICKS": (ball_2_sticks, [3, 7], [
        [1000.0, 1.2e-3, 0.4, *FIRST, 0.25, *SECOND],
        [300.0, 2e-3, 0.1, *THIRD, 0.6, *FIRST],
        [1.0, 0.8e-3, 0.5, *SECOND, 0.5, *unit(1, 0, 0)],
    ]),
    "BALL_1_STICK_GAMMA": (ball_1_stick_gamma, [4], [
        [1000.0, 1.2e-3, 0.6e-3, 0.55, *FIRST],
        [250.0, 2.9e-3, 1.9e-3, 0.05, *SECOND],
        [1.0, 0.9e-3, 0.1e-3, 0.8, *THIRD],
    ]),
    "NODDI_WATSON": (noddi_watson_model, [4], [
        [1000.0, 0.1, 0.55, 2.0, *FIRST, 1.7e-3, 3e-3],
        [500.0, 0.4, 0.3, 0.15, *SECOND, 1.7e-3, 3e-3],
        [800.0, 0.05, 0.7, 16.0, *THIRD, 1.7e-3, 3e-3],
        [1.0, 0.25, 0.5, 40.0, *unit(3, 4, 12), 1.7e-3, 3e-3],
        [1.0, 0.6, 0.8, 0.0, *FIRST, 1.1e-3, 2e-3],
    ]),
    "BALL_1_RACKET": (ball_and_rackets, [3, 9], [
        [1000.0, 1.2e-3, 0.55, *FIRST, 12.0, 3.0, 0.4, *SECOND],
        [250.0, 2.9e-3, 0.2, *SECOND, 40.0, 0.5, -2.5, *THIRD],
        [1.0, 0.6e-3, 0.95, *unit(0, 0, 1), 2.0, 2.0, 5.0, *FOURTH],
    ]),
    "BALL_2_RACKETS": (ball_and_rackets, [3, 10, 16], [
        [1000.0, 1.2e-3, 0.4, *FIRST, 16.0, 4.0, 0.4, 0.25, *SECOND, 8.0, 1.0, -1.2, *FOURTH],
        [300.0, 2e-3, 0.1, *THIRD, 1.0, 0.2, 3.0, 0.6, *FIRST, 30.0, 20.0, 0.0, *SECOND],
    ]),
    "BALL_3_RACKETS": (ball_and_rackets, [3, 10, 17, 23], [
        [1000.0, 1.2e-3, 0.3, *FIRST, 16.0, 4.0, 0.4, 0.25, *SECOND, 8.0, 1.0, -1.2, 0.15, *THIRD, 24.0, 2.0, 1.9, *FOURTH],
        [1.0, 1.7e-3, 0.5, *SECOND, 5.0, 4.0, -0.3, 0.3, *THIRD, 3.0, 0.0, 1.1, 0.2, *FOURTH, 12.0, 12.0, 6.0, *FIRST],
    ]),
    "NODDI_BINGHAM": (noddi_bingham, [5, 9], [
        [1000.0, 0.1, 0.55, 4.0, 1.0, *FIRST, 0.4, *SECOND, 1.7e-3, 3e-3],
        [500.0, 0.4, 0.3, 0.15, 0.0, *SECOND, -1.5, *THIRD, 1.7e-3, 3e-3],
        [800.0, 0.05, 0.7, 16.0, 5.0, *THIRD, 2.8, *FOURTH, 1.7e-3, 3e-3],
        [1.0, 0.25, 0.5, 40.0, 0.5, *unit(3, 4, 12), -6.0, *FIRST, 1.7e-3, 3e-3],
        [1.0, 0.2, 0.8, 2.0, 2.0, *FOURTH, 1.1, *SECOND, 1.1e-3, 2e-3],
    ]),
    "NODDI_2_BINGHAMS": (noddi_2_binghams, [6, 13, 17], [
        [1000.0, 0.1, 0.35, 0.55, 16.0, 4.0, *FIRST, 0.4, 0.7, 8.0, 1.0, *SECOND, -1.2, *FOURTH, 1.7e-3, 3e-3],
        [1.0, 0.3, 0.5, 0.8, 30.0, 2.0, *THIRD, 2.2, 0.3, 1.0, 0.2, *FIRST, 5.5, *SECOND, 1.1e-3, 2e-3],
    ]),
}


def project(jacobian, parameters, orientations):
    for start in orientations:
        n = parameters[start:start + 3]
        jacobian[:, start:start + 3] -= np.outer(jacobian[:, start:start + 3] @ n, n)
    return jacobian


def check(function, parameters, signal, jacobian, orientations):
    """Compares with central differences of fourth order."""
    all_signals = jax.jit(lambda p: jax.vmap(lambda b, g: function(p, b, g))(B, G))
    columns = []
    for place, value in enumerate(parameters):
        step = 1e-3 * abs(value) if abs(value) > 1e-6 else 1e-3
        at = lambda k: np.asarray(all_signals(parameters + k * step * (np.arange(len(parameters)) == place)))
        columns.append((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step))
    numeric = project(np.stack(columns, 1), parameters, orientations)
    allowed = 1e-7 * np.abs(jacobian).max(0) + 1e-10 * parameters[0]
    assert (np.abs(numeric - jacobian).max(0) <= allowed).all(), (function, parameters)
    if function is noddi_watson_model and parameters[7:].tolist() == [1.7e-3, 3e-3]:
        s0, fwf, ndi, kappa = parameters[:4]
        again = s0 * noddi_watson.noddi(B, G, [ndi], [fwf], [kappa], parameters[None, 4:7])[0]
        assert np.abs(again - signal).max() < 1e-13 * s0
    if function is noddi_bingham and parameters[12:].tolist() == [1.7e-3, 3e-3]:
        s0, fwf, ndi, kappa1, kappa2 = parameters[:5]
        mu, fan = parameters[5:8], across(parameters[5:8], parameters[9:12], parameters[8])
        again = s0 * bingham_models.noddi_bingham(B, G, fwf, bingham_models.Fan(ndi, kappa1, kappa2, mu, np.array(fan)))
        assert np.abs(again - signal).max() < 1e-12 * s0


def number(value):
    return repr(float(value))


def row(values):
    return "[" + ", ".join(number(value) for value in values) + "]"


def main():
    print(f"const B: [f64; {len(B)}] = {row(B)};")
    print(f"const G: [[f64; 3]; {len(G)}] = [" + ", ".join(row(g) for g in G) + "];")
    for name in sys.argv[1:] or MODELS:
        function, orientations, sets = MODELS[name]
        width = len(sets[0])
        gradient = jax.jit(jax.vmap(jax.value_and_grad(function), in_axes=(None, 0, 0)))
        print("\n/// Parameters; of each measurement the signal and its derivatives.")
        print(f"const {name}: [([f64; {width}], [[f64; {width + 1}]; {len(B)}]); {len(sets)}] = [")
        for parameters in sets:
            parameters = np.array(parameters)
            signal, jacobian = (np.array(part) for part in gradient(parameters, B, G))
            jacobian = project(jacobian, parameters, orientations)
            check(function, parameters, signal, jacobian, orientations)
            print(f"    (\n        {row(parameters)},\n        [")
            for value, slopes in zip(signal, jacobian):
                print(f"            {row([value, *slopes])},")
            print("        ],\n    ),")
        print("];")


if __name__ == "__main__":
    main()
