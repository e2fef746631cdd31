#!/usr/bin/env python3
"""Compares reconstruction with SigPy: the same arrays, the same penalty, the same number of iterations.

    pip install numpy sigpy
    cargo build --release -p arcuate
    oracles/recon_sigpy.py [DATA/noncart] [--arcuate target/release/arcuate] [--repeats 5] [--threads N] [--oversampling 1.25]

`sigpy.mri.app.SenseRecon` and SigPy's NUFFT adjoint run in alternation with `arcuate recon` and its `--method adjoint`, on both real
trajectories (of $ARCUATE_DATA/noncart if no folder is given). Prints the NRMSE to the true image after one complex factor, the
difference of the two images, without a factor, relative to Arcuate's, and medians of the times. Both solvers do all 30
iterations; with its defaults, Arcuate may stop before.

Arcuate's times are of whole processes that read and write. SigPy's times start with arrays in memory and after a run in which Numba
compiles, which favours SigPy. Its NUFFT on CPUs always uses one thread, because neither NumPy's FFT nor its loops in Numba are parallel.
`--threads 1` therefore compares single cores. `--oversampling 2` gives SigPy a finer grid than its default and thus shows which
program causes the difference.

Fails if Arcuate's image is the worse one.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

LAMBDA = 1e-3
ITERATIONS = 30
OVERSAMPLING = 1.25  # SigPy's default


def read(name):
    shape = [int(n) for n in open(name + ".hdr").read().split("\n")[1].split()]
    return np.fromfile(name + ".cfl", "<c8").reshape(shape, order="F").squeeze()


def nrmse(image, truth):
    factor = np.vdot(image, truth) / np.vdot(image, image)
    return np.linalg.norm(factor * image - truth) / np.linalg.norm(truth)


def timed(action):
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def options_given():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--oversampling", type=float, default=OVERSAMPLING)
    options = parser.parse_args()
    if options.data is None:
        if "ARCUATE_DATA" not in os.environ:
            parser.error("give the folder noncart, or set ARCUATE_DATA to the folder it is in")
        options.data = os.path.join(os.environ["ARCUATE_DATA"], "noncart")
    return options


class SigPy:
    """SENSE along one trajectory. Arrays and coordinates have x first."""

    def __init__(self, data, name, oversampling):
        # Imported here: libraries read the number of threads from the environment when they are loaded.
        import sigpy
        import sigpy.mri

        self.sigpy, self.oversampling = sigpy, oversampling
        # The third wave number of a slice is 0.
        self.coordinates = np.ascontiguousarray(read(f"{data}/traj_{name}").real.T[..., :2])
        self.samples = np.ascontiguousarray(read(f"{data}/ksp_{name}").T)
        maps = np.ascontiguousarray(np.moveaxis(read(f"{data}/sens"), -1, 0))
        # Arcuate multiplies λ with the mean of Σ |S|² over voxels that a coil sees. It is 2·10¹⁰ for these maps, with which SigPy's
        # sums of squares overflow in single precision. SigPy therefore gets maps with a mean of 1.
        squares = np.sum(np.abs(maps.astype(complex)) ** 2, axis=0)
        self.unit = np.float32(np.sqrt(squares[squares > 0].mean()))
        self.maps = maps / self.unit

    def adjoint(self):
        images = self.sigpy.nufft_adjoint(self.samples, self.coordinates, self.maps.shape, self.oversampling)
        return self.unit * np.sum(self.maps.conj() * images, axis=0)

    def cg(self):
        rule = {"lamda": LAMBDA, "max_iter": ITERATIONS, "show_pbar": False}
        if self.oversampling == OVERSAMPLING:
            recon = self.sigpy.mri.app.SenseRecon(self.samples, self.maps, coord=self.coordinates, **rule)
            return recon.run() / self.unit
        # The same operator as in SenseRecon, which has no option for the oversampling.
        coils = self.sigpy.linop.Multiply(self.maps.shape[1:], self.maps)
        operator = self.sigpy.linop.NUFFT(self.maps.shape, self.coordinates, self.oversampling) * coils
        return self.sigpy.app.LinearLeastSquares(operator, self.samples, **rule).run() / self.unit


def compare(name, method, options, truth):
    """Prints a line; returns whether Arcuate's image is the worse one."""
    of_sigpy = getattr(SigPy(options.data, name, options.oversampling), method)
    ksp, traj, maps = (f"{options.data}/{part}" for part in [f"ksp_{name}", f"traj_{name}", "sens"])
    with tempfile.TemporaryDirectory() as folder:
        command = [options.arcuate, "recon", ksp, "--trajectory", traj, "--sensitivities", maps, "--out", f"{folder}/ours.cfl"]
        command += ["--method", method, "--quiet", "--force", "--device", "cpu", "--threads", str(options.threads)]
        if method == "cg":
            command += ["--lambda", str(LAMBDA), "--iterations", str(ITERATIONS), "--tolerance", "0"]
        theirs, times = of_sigpy(), []
        for _ in range(options.repeats):
            times.append((timed(of_sigpy), timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))))
        ours = read(f"{folder}/ours")
    sigpy_time, our_time = (statistics.median(column) for column in zip(*times))
    errors = nrmse(theirs, truth), nrmse(ours, truth)
    apart = np.linalg.norm(theirs - ours) / np.linalg.norm(ours)
    print(
        f"{name:10} {method:7} {errors[0]:11.5f} {errors[1]:11.5f} {apart:11.1e}"
        f" {sigpy_time:8.2f} {our_time:8.2f} {sigpy_time / our_time:6.2f}"
    )
    return errors[1] > errors[0] * 1.001


def main():
    options = options_given()
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"]:
        os.environ[variable] = str(options.threads)
    truth = read(f"{options.data}/img")
    print(f"threads: {options.threads}; SigPy's oversampling: {options.oversampling}")
    print("trajectory method  sigpy NRMSE  ours NRMSE  difference  sigpy s   ours s  ratio")
    worse = [compare(name, method, options, truth) for name in ["radial", "spiral"] for method in ["adjoint", "cg"]]
    sys.exit("ours is the worse image" if any(worse) else 0)


main()
