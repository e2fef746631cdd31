#!/usr/bin/env python3
"""Signals of models and their derivatives by JAX's automatic differentiation, in double precision.

    pip install jax numpy
    oracles/fit_jacobians.py

Prints Rust arrays for a test of the derivatives that Arcuate makes of the model files: B in s/mm² and G of the
measurements; then for each model parameter sets, in the order and the units of its file (orientations as three numbers),
and for each measurement the signal and its derivative by each number. Derivatives by an orientation are those by the three
components of a unit vector, projected onto the plane across it. NODDI's last two numbers are d_parallel and d_free.

The models are written anew from their equations. Watson's mean is a sum over a fixed product rule on the half sphere that
knows nothing of the mean orientation (Gauss and Legendre by equal steps, 96 by 192 points), so that derivatives by
concentration and orientation are those of its weights.

Signals of NODDI are those of noddi_watson.py to 1e-13, and all derivatives those of central differences to 1e-7 of the
largest of a column or 1e-10 of s0; both are checked at each run.
"""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

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
    # The density's Laplace transform, of shape (d / d_std)² and scale d_std² / d.
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


FIRST, SECOND, THIRD = unit(1, 2, 2), unit(-2, 6, 3), unit(4, -1, 8)
# Of each model: its function, where orientations begin, and parameter sets.
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
}


def project(jacobian, parameters, orientations):
    for start in orientations:
        n = parameters[start:start + 3]
        jacobian[:, start:start + 3] -= np.outer(jacobian[:, start:start + 3] @ n, n)
    return jacobian


def check(function, parameters, signal, jacobian, orientations):
    """Against central differences, fourth order."""
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


def number(value):
    return repr(float(value))


def row(values):
    return "[" + ", ".join(number(value) for value in values) + "]"


def main():
    print(f"const B: [f64; {len(B)}] = {row(B)};")
    print(f"const G: [[f64; 3]; {len(G)}] = [" + ", ".join(row(g) for g in G) + "];")
    for name, (function, orientations, sets) in MODELS.items():
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
