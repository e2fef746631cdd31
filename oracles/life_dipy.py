#!/usr/bin/env python3
"""Compares LiFE with dipy: the exact optimum of dipy's own problem, and dipy's time to its final objective.

    pip install dipy nibabel scipy numpy
    oracles/life_dipy.py DATA/philips_dwi --streamlines 500 [--vertices FILE] [--time]

Builds dipy's `life_matrix` and `fit_data` for the first N streamlines of tracks.tck. Solves the non-negative least
squares problem exactly (SciPy's NNLS on a QR-reduced problem), and prints both objectives ‖y − Mw‖². `--vertices`
writes dipy's 724 sphere vertices, rotated to scanner axes, for `arcuate evaluate life --orientations FILE`.
"""
import argparse
import pathlib
import time

import nibabel as nib
import numpy as np
import scipy.linalg
from dipy.core.gradients import gradient_table
from dipy.core.optimize import sparse_nnls
from dipy.data import default_sphere
from dipy.tracking.life import FiberModel
from scipy.optimize import nnls


def load(folder, count):
    image = nib.load(folder / "dwi.nii.gz")
    table = gradient_table(
        np.loadtxt(folder / "dwi.bval"), bvecs=np.loadtxt(folder / "dwi.bvec").reshape(3, -1).T, b0_threshold=50
    )
    tracks = nib.streamlines.load(folder / "tracks.tck").streamlines
    return image, table, [np.asarray(s) for s in tracks[:count]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--streamlines", type=int, default=500)
    parser.add_argument("--vertices", type=pathlib.Path)
    parser.add_argument("--time", action="store_true", help="print dipy's set-up, solve and CSR product times")
    options = parser.parse_args()

    image, table, tracks = load(options.folder, options.streamlines)
    data = image.get_fdata()
    started = time.perf_counter()
    inverse = np.linalg.inv(image.affine)
    model = FiberModel(table)
    matrix, coordinates = model.setup(tracks, inverse)
    y = model._signals(data, coordinates)[0]
    print(f"# determinant of the affine {np.linalg.det(image.affine[:3, :3]):+.3f}")
    print(f"# {matrix.shape[0]} rows, {matrix.shape[1]} streamlines, {matrix.nnz} stored values")
    set_up = time.perf_counter()
    w = sparse_nnls(y, matrix)
    solved = time.perf_counter()
    residual = y - matrix @ w
    print(f"# dipy's solver: sum of squares {residual @ residual:.6f}")
    if options.time:
        csr = matrix.tocsr()
        transposed = csr.T.tocsr()
        pairs = []
        for _ in range(7):
            begin = time.perf_counter()
            transposed @ (csr @ w)
            pairs.append(time.perf_counter() - begin)
        print(f"# dipy set-up {set_up - started:.3f} s, solve {solved - set_up:.3f} s")
        print(f"# SciPy CSR pair of products {1e3 * np.median(pairs):.3f} ms")
    if options.streamlines <= 2000:
        q, r = scipy.linalg.qr(matrix.toarray(), mode="economic", overwrite_a=True)
        target = q.T @ y
        rest = y @ y - target @ target
        exact, norm = nnls(r, target, maxiter=100 * options.streamlines)
        print(f"exact optimum: sum of squares {norm**2 + rest:.9f}, {np.count_nonzero(exact)} streamlines above 0")
    if options.vertices:
        axes = image.affine[:3, :3] / np.linalg.norm(image.affine[:3, :3], axis=0)
        np.savetxt(options.vertices, default_sphere.vertices @ axes.T, fmt="%.17g")


if __name__ == "__main__":
    main()
