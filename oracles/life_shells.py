#!/usr/bin/env python3
"""Compares LiFE on two shells with SciPy with explicit isotropic columns.

    pip install scipy numpy
    oracles/life_shells.py

The problem is artificial, the same as in `crates/arcuate-evaluate/tests/all/life/shells.rs`: 24 voxels, b = 1000 and 2500 s/mm², six
straight streamlines. Signals and predictions of fascicles are unchanged. Each voxel and shell has a column of ones with a free
amount (two columns, +1 and −1, for NNLS). Prints the least squares ½‖y − Mw − levels‖² and the weights, also for one mean over both
shells. Then it does the same for voxels with isotropic tissue only, in which all weights must be 0. Finally it prints the weight that
LiFE gives a bundle whose axial diffusivity differs from that of its dictionary, 1 µm²/ms.
"""
import numpy as np
from scipy.optimize import nnls

SHAPE = (4, 3, 2)
SIZE = 2.0
SHELLS = [(1000.0, 20), (2500.0, 24)]
GOLDEN = np.pi * (3 - np.sqrt(5))
STREAMLINES = [  # start (mm), direction, points 0.25 mm apart
    ((-0.4, 0.1, 0.2), (1.0, 0.0, 0.0), 27),
    ((-0.4, 2.1, 0.3), (1.0, 0.0, 0.0), 27),
    ((0.3, -0.4, 1.9), (0.0, 1.0, 0.0), 20),
    ((4.2, -0.3, 0.1), (0.0, 1.0, 0.0), 19),
    ((0.1, 0.3, -0.2), (0.6, 0.8, 0.0), 18),
    ((6.2, 3.9, 0.1), (-0.8, 0.0, 0.6), 14),
]


def table(jitter):
    directions, b_values, shells = [(0.0, 0.0, 0.0)] * 2, [0.0, 0.0], [-1, -1]
    for n, (b, axes) in enumerate(SHELLS):
        for k in range(axes):
            z = (k + 0.5) / axes
            r = np.sqrt(1 - z * z)
            directions.append((r * np.cos(GOLDEN * k), r * np.sin(GOLDEN * k), z))
            b_values.append(b + jitter * (k % 3 - 1))
            shells.append(n)
    return np.array(directions), np.array(b_values), np.array(shells)


def signals(g, b, isotropic_alone):
    voxels = np.arange(np.prod(SHAPE))
    s0 = 900.0 + 20.0 * voxels
    signal = np.empty((len(voxels), len(b)))
    for v in voxels:
        u = np.array(STREAMLINES[v % 6][1])
        m = np.arange(len(b))
        isotropic = 0.5 * np.exp(-0.9e-3 * b) + 0.1 * np.exp(-2.5e-3 * b)
        fibre = 0.4 * np.exp(-1.7e-3 * b * (g @ u) ** 2)
        noise = 0.01 * np.sin(12.9898 * m + 3.7 * v)
        signal[v] = isotropic + (0.4 * np.exp(-0.7e-3 * b) if isotropic_alone else fibre + noise)
    return (s0[:, None] * signal).astype(np.float32).astype(float)


def counts():
    """The number of points of each streamline in each voxel; x fastest."""
    phi = np.zeros((np.prod(SHAPE), len(STREAMLINES)))
    for f, (start, direction, points) in enumerate(STREAMLINES):
        for n in range(points):
            i, j, k = np.floor((np.array(start) + 0.25 * n * np.array(direction)) / SIZE + 0.5).astype(int)
            if 0 <= i < SHAPE[0] and 0 <= j < SHAPE[1] and 0 <= k < SHAPE[2]:
                phi[i + SHAPE[0] * (j + SHAPE[1] * k), f] += 1
    return phi


def solve(g, b, shells, signal, levels):
    """½‖…‖² and weights with a free level for each voxel and each set of measurements."""
    weighted = b > 50
    s0 = signal[:, ~weighted].mean(axis=1)
    phi = counts()
    passed = np.flatnonzero(phi.sum(axis=1))
    # λ∥ = 1 µm²/ms, λ⊥ = 0.
    dictionary = np.exp(-1e-3 * b[weighted] * (np.array([s[1] for s in STREAMLINES]) @ g[weighted].T) ** 2)
    rows = [s0[v] * phi[v][:, None] * dictionary for v in passed]
    matrix = np.concatenate([row.T for row in rows])
    columns = []
    for n in range(len(passed)):
        for level in levels:
            column = np.zeros((len(passed), weighted.sum()))
            column[n] = level[weighted]
            columns += [column.ravel(), -column.ravel()]
    everything = np.column_stack([matrix] + columns)
    # Columns of about the same length, so that NNLS is exact.
    lengths = np.linalg.norm(everything, axis=0)
    found, norm = nnls(everything / lengths, signal[passed][:, weighted].ravel(), maxiter=10_000)
    weights = (found / lengths)[: len(STREAMLINES)]
    return 0.5 * norm**2, weights


def bias():
    """The weight of a bundle of sticks that fills its voxels, fitted to shells of 60 axes."""
    k = np.arange(60)
    z = (k + 0.5) / 60
    squares = (np.sqrt(1 - z * z) * np.cos(GOLDEN * k)) ** 2
    print("# weight of a bundle of fraction 1, by its axial diffusivity (µm²/ms) and shells (s/mm²)")
    for shells in [(1000,), (2000,), (3000,), (1000, 2000), (1000, 3000)]:
        of = {}
        for axial in (1.0, 1.3, 1.7, 2.2):
            centred = []
            for d in (1.0, axial):
                signal = [np.exp(-1e-3 * b * d * squares) for b in shells]
                centred.append(np.concatenate([s - s.mean() for s in signal]))
            model, truth = centred
            w = model @ truth / (model @ model)
            of[axial] = f"{w:.2f} (misfit {np.linalg.norm(truth - w * model) / np.linalg.norm(truth):.2f})"
        print(f"# {'+'.join(map(str, shells)):>10}: " + ", ".join(f"{d}: {text}" for d, text in of.items()))


def main():
    for what, isotropic_alone in [("fibres and isotropic tissue", False), ("isotropic tissue alone", True)]:
        # b-values as scanners record them; a single value if isotropic tissue must be constant in each shell.
        g, b, shells = table(0.0 if isotropic_alone else 10.0)
        per_shell = [(shells == n).astype(float) for n in range(len(SHELLS))]
        one_mean = [(shells >= 0).astype(float)]
        signal = signals(g, b, isotropic_alone)
        for name, levels in [("a level for each shell", per_shell), ("one level", one_mean)]:
            objective, weights = solve(g, b, shells, signal, levels)
            # For isotropic tissue alone, the weights are 0 up to rounding. The page describes the result with one level.
            remark = "" if name != "one level" and not isotropic_alone else "# "
            print(f"{remark}{what}, {name}: {objective:.9g}; weights {', '.join(f'{w:.9f}' for w in weights)}")


    bias()


if __name__ == "__main__":
    main()
