#!/usr/bin/env python3
"""Compares reconstruction with BART: the same arrays, the same penalty, the same number of iterations and threads.

    apt-get install bart
    pip install numpy
    cargo build --release -p arcuate
    oracles/recon_bart.py DATA/noncart [--arcuate target/release/arcuate] [--repeats 5]

`bart pics -S -l2 -r 1e-3 -i 30` and `arcuate recon` with its defaults run in alternation on each of the two real trajectories. Times
include set-up, reading and writing. Prints the NRMSE to the true image after one complex factor, and the median of the times. Fails if
Arcuate's image is the worse one.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def read(name):
    shape = [int(n) for n in open(name + ".hdr").read().split("\n")[1].split()]
    return np.fromfile(name + ".cfl", "<c8").reshape(shape, order="F").squeeze()


def nrmse(image, truth):
    factor = np.vdot(image, truth) / np.vdot(image, image)
    return np.linalg.norm(factor * image - truth) / np.linalg.norm(truth)


def timed(command, threads):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    truth = read(f"{options.data}/img")
    worse = False
    print("trajectory  bart NRMSE  ours NRMSE   bart s   ours s  ratio")
    for name in ["radial", "spiral"]:
        ksp, traj, sens = (f"{options.data}/{part}" for part in [f"ksp_{name}", f"traj_{name}", "sens"])
        with tempfile.TemporaryDirectory() as folder:
            theirs = ["bart", "pics", "-S", "-l2", "-r", "1e-3", "-i", "30", "-t", traj, ksp, sens, f"{folder}/bart"]
            ours = [options.arcuate, "recon", ksp, "--trajectory", traj, "--sensitivities", sens, "--out", f"{folder}/ours.cfl"]
            ours += ["--quiet", "--force", "--device", "cpu", "--threads", str(options.threads)]
            times = [(timed(theirs, options.threads), timed(ours, options.threads)) for _ in range(options.repeats)]
            errors = [nrmse(read(f"{folder}/{part}"), truth) for part in ["bart", "ours"]]
        bart, arcuate = (statistics.median(column) for column in zip(*times))
        print(f"{name:10} {errors[0]:11.5f} {errors[1]:11.5f} {bart:8.2f} {arcuate:8.2f} {bart / arcuate:6.2f}")
        worse |= errors[1] > errors[0] * 1.001
    sys.exit("ours is the worse image" if worse else 0)


main()
