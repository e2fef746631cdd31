#!/usr/bin/env python3
"""Runs dmri-commit 2.4.2 for timing by `cargo xtask bench commit`, in alternation with Arcuate.

    pip install dmri-commit nibabel numpy
    oracles/commit_speed.py OUT DATA/philips_dwi --model stick-zeppelin-ball

Makes OUT/products as commit_products.py does, with y of ones and the norms of y = A 1 and A' y. Prints `ready`, rows, columns and both
norms. Then it reads commands from standard input: `threads N`, `forward N` and `adjoint N` (N products), and `fit N` (a fit of N
iterations). Each is answered with a line of seconds per product, or per iteration of the fit. The time of an iteration is
from one product with A' to the next. Each iteration has exactly one; the number of products with A depends on its line search.
"""
import os
import sys

# Set before numpy starts its threads. Their number must be that of the products, otherwise the other work is not comparable.
os.environ.update({name: sys.argv[sys.argv.index("--blas-threads") + 1] if "--blas-threads" in sys.argv else "1"
                   for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")})

import argparse
import pathlib
import time

import amico
import commit
import numpy as np
from commit_products import make_dictionary, save_kernels

# Radii of cylinders in m, pulses in s.
RADII = np.linspace(1e-6, 5e-6, 9)
SEPARATION, DURATION, ECHO_TIME = 43.1e-3, 10.6e-3, 89.5e-3
AMICO_GAMMA = 2.675987e8

MODELS = {
    "stick-zeppelin-ball": dict(model="StickZeppelinBall", d_par=1.7e-3, d_perps_zep=[0.51e-3], d_isos=[1.7e-3, 3.0e-3]),
    "ball-and-stick": dict(model="StickZeppelinBall", d_par=1.7e-3, d_perps_zep=[], d_isos=[1.7e-3, 3.0e-3]),
    "cylinder-zeppelin-ball": dict(
        model="CylinderZeppelinBall", d_par=1.7e-3, Rs=RADII, d_perps=[1.19e-3, 0.85e-3, 0.51e-3, 0.17e-3],
        d_isos=[1.7e-3, 3.0e-3],
    ),
}


def scheme_with_timing(data, path):
    """Gradient amplitudes for the pulses above that give the b-values of the scan."""
    b = np.loadtxt(data / "dwi.bval")
    b = np.where(b < 50, 0, b) * 1e6
    amplitude = np.sqrt(b / (SEPARATION - DURATION / 3)) / (AMICO_GAMMA * DURATION)
    directions = np.loadtxt(data / "dwi.bvec").reshape(3, -1).T
    rows = [[*g, a, SEPARATION, DURATION, ECHO_TIME] for g, a in zip(directions, amplitude)]
    path.write_text("VERSION: STEJSKALTANNER\n" + "".join(" ".join(f"{v:.8g}" for v in row) + "\n" for row in rows))


class Timed:
    """A product that records its start time."""

    def __init__(self, product, began, transposed=None):
        self.product, self.began, self.transposed = product, began, transposed
        self.shape = product.shape

    @property
    def T(self):
        return self.transposed

    def dot(self, vector):
        if self.began is not None:
            self.began.append(time.perf_counter())
        return self.product.dot(vector)


def operator(out, data, products, scheme, options):
    """dmri-commit with the operator of a dictionary in `products`, which also gets the kernels."""
    mit = commit.Evaluation(study_path=str(out), subject=".", dictionary_path=str(products))
    mit.load_data(str(data / "dwi.nii.gz"), str(scheme), b0_thr=50)
    responses = dict(MODELS[options.model])
    mit.set_model(responses.pop("model"))
    # AMICO 2.1.1 reads this attribute of its cylinders and does not set it.
    mit.model.isExvivo = False
    mit.model.set(**responses)
    mit.generate_kernels(regenerate=True, ndirs=options.ndirs)
    mit.load_kernels()
    mit.load_dictionary(str(products))
    mit.set_threads(1)
    mit.build_operator()
    save_kernels(mit, products, options.ndirs)
    return mit


def fit(mit, iterations):
    plain, began = mit.A, []
    mit.A = Timed(plain, None, Timed(plain.T, began))
    # The first product with A' belongs to the start, and a fit has none at its end.
    mit.fit(tol_fun=1e-14, max_iter=iterations + 2)
    mit.A = plain
    return np.diff(began)


def products(product, vector, count):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        product.dot(vector)
        times.append(time.perf_counter() - started)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--model", choices=MODELS, default="stick-zeppelin-ball")
    parser.add_argument("--mask", default="wm_fa02.nii.gz")
    parser.add_argument("--ndirs", type=int, default=500)
    parser.add_argument("--blas-threads", type=int, default=1, help="threads of the work other than products")
    options = parser.parse_args()

    # dmri-commit writes to standard output, so our answers use a copy of it.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    out, data = options.out.resolve(), options.data.resolve()
    out.mkdir(parents=True, exist_ok=True)
    scheme = out / "dwi.scheme"
    if "Rs" in MODELS[options.model]:
        scheme_with_timing(data, scheme)
    else:
        amico.util.fsl2scheme(str(data / "dwi.bval"), str(data / "dwi.bvec"), str(scheme))
    products_folder = out / "products"
    products_folder.mkdir(exist_ok=True)
    commit.setup()
    make_dictionary(data, products_folder, options.ndirs, options.mask)
    mit = operator(out, data, products_folder, scheme, options)
    mit.set_verbose(1)

    ones = np.ones(mit.A.shape[1])
    image = np.asarray(mit.A.dot(ones))
    adjoint = np.asarray(mit.A.T.dot(image))
    np.asarray(mit.get_y(), "<f8").tofile(products_folder / "y.f64")
    print("ready", *mit.A.shape, np.linalg.norm(image), np.linalg.norm(adjoint), file=answers)
    rng = np.random.default_rng(0)
    x, y = rng.random(mit.A.shape[1]), rng.random(mit.A.shape[0])
    for line in sys.stdin:
        command, count = line.split()[0], int(line.split()[1])
        if command == "threads":
            mit.set_threads(count)
            mit.build_operator()
            times = []
        elif command == "forward":
            times = products(mit.A, x, count)
        elif command == "adjoint":
            times = products(mit.A.T, y, count)
        else:
            times = fit(mit, count)
        print("seconds", *times, file=answers)


if __name__ == "__main__":
    main()
