#!/usr/bin/env python3
"""Compares exact Fourier sums with FINUFFT in double precision.

The problem is small and has closed formulas. `crates/arcuate-recon/src/sums/tests.rs` has the same one, so that the numbers can be
compared to the last digits. Prints FINUFFT's numbers, and NumPy's from the definition as a check of this script.

    pip install numpy finufft
    python oracles/recon_finufft.py
"""

import finufft
import numpy as np

GOLDEN = 0.6180339887498949
SHAPE = (12, 9, 5)
SAMPLES = 400


def numbers(count, seed):
    """Pseudo-random numbers in (-1, 1), with the same operations as in the test."""
    products = (np.arange(count) + 1.0) * GOLDEN * seed
    return 2.0 * (products - np.floor(products)) - 1.0


places = numbers(3 * SAMPLES, 3.7).reshape(SAMPLES, 3) * np.array([6.0, 4.5, 2.5])
voxels = int(np.prod(SHAPE))
image = numbers(2 * voxels, 1.3).view(np.complex128).reshape(SHAPE, order="F")
data = numbers(2 * SAMPLES, 2.1).view(np.complex128)
scale = 1.0 / np.sqrt(voxels)

# FINUFFT counts modes from -floor(n/2), as Arcuate does, and expects 2 pi k / n.
radians = [2 * np.pi * places[:, axis] / SHAPE[axis] for axis in range(3)]
forward = scale * finufft.nufft3d2(*radians, np.ascontiguousarray(image), isign=-1, eps=1e-14)
adjoint = scale * finufft.nufft3d1(*radians, data, SHAPE, isign=1, eps=1e-14)

axes = [(np.arange(n) - n // 2) / n for n in SHAPE]
waves = [np.exp(2j * np.pi * np.outer(places[:, axis], axes[axis])) for axis in range(3)]
by_definition = scale * np.einsum("mx,my,mz,xyz->m", *[w.conj() for w in waves], image, optimize=True)
back = scale * np.einsum("mx,my,mz,m->xyz", *waves, data, optimize=True)
for name, found, expected in [("forward", forward, by_definition), ("adjoint", adjoint, back)]:
    print(f"// {name}: FINUFFT against the definition {np.linalg.norm(found - expected) / np.linalg.norm(expected):.1e}")

flat = adjoint.reshape(-1, order="F")
for name, values, chosen in [("forward", forward, [0, 131, 399]), ("adjoint", flat, [0, 271, 539])]:
    for n in chosen:
        print(f"({name}[{n}]) [{float(values[n].real)!r}, {float(values[n].imag)!r}]")
