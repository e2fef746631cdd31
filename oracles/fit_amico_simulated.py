#!/usr/bin/env python3
"""Compares errors and time of Arcuate's and AMICO's NODDI-Watson on simulated signals with a known truth.

    pip install dmri-amico nibabel numpy
    ARCUATE=target/release/arcuate oracles/fit_amico_simulated.py [--voxels 5000] [--snr 30] [--turns 7] [--threads 2]

Signals come from the model's equations (noddi_watson.py) with a protocol like the UK Biobank's. It has 5 measurements at b = 0, and 50
directions each at b 1000 and 2000 s/mm². NDI is from 0.2 to 0.8, ODI from 0.05 to 0.8, and FWF from 0 to 0.5. Orientations are random,
and the noise is Gaussian. AMICO's kernels, AMICO's fit and the whole process of Arcuate (start, reading and writing included) run in
alternation. Fails if a mean absolute error of Arcuate is above AMICO's.

With AMICO 2.1.1 and 5,000 voxels at SNR 30, mean absolute error (median; bias) of Arcuate and of AMICO:

    NDI   0.0376 (0.0301;  0.0021)   0.0380 (0.0302;  0.0009)
    ODI   0.0428 (0.0237; -0.0155)   0.0459 (0.0275; -0.0087)
    FWF   0.0391 (0.0317; -0.0013)   0.0396 (0.0319; -0.0073)

Most of both errors comes from noise. Seeds 2, 3 and 4 agree, with differences of 1 to 2 % (NDI, FWF) and 5 to 7 % (ODI). At SNR 60
Arcuate's errors are smaller by 2 % (NDI), 15 % (ODI) and 7 % (FWF). Without noise (--snr 1e6) they are below 5e-5, and AMICO's are
0.0022, 0.0053 and 0.0058. At SNR 15 Arcuate is closer in NDI and ODI, and AMICO in FWF (0.0741 and 0.0733). Arcuate's ODI then has the
larger bias (-0.047 and -0.004).

Time on two threads of a machine with two cores (AMD EPYC, not quite idle), median of seven runs: AMICO's fit 1.06 s, its
kernels 1.32 s, Arcuate 0.12 s. Arcuate is 8.7 times as fast as the fit alone, and 19.6 times as fast as fit and kernels. Three more runs
gave 8.7 to 9.2 and 19.5 to 20.6. On the same machine under more load, the factors were 9.4 and 15.9.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import nibabel as nib
import numpy as np

from noddi_watson import arcuate, in_lots, kappa_of, noddi, uk_biobank

RANGES = {"ndi": (0.2, 0.8), "odi": (0.05, 0.8), "fwf": (0.0, 0.5)}
THEIRS = {"ndi": "NDI", "odi": "ODI", "fwf": "FWF"}
S0 = 1000.0


def simulate(count, snr, seed):
    draw = np.random.default_rng(seed)
    truth = {key: draw.uniform(low, high, count) for key, (low, high) in RANGES.items()}
    truth["mu"] = draw.normal(size=(count, 3))
    truth["mu"] /= np.linalg.norm(truth["mu"], axis=1, keepdims=True)
    truth["kappa"] = kappa_of(truth["odi"])
    b, g = uk_biobank()
    part = lambda n: noddi(b, g, truth["ndi"][n], truth["fwf"][n], truth["kappa"][n], truth["mu"][n])
    return truth, b, g, S0 * (in_lots(part, count) + draw.normal(0, 1 / snr, (count, len(b))))


def write(folder, b, g, signal):
    files = {key: str(folder / name) for key, name in
             {"dwi": "dwi.nii", "mask": "mask.nii", "b": "dwi.b", "scheme": "p.scheme"}.items()}
    # No rotation: the axes of the image, of its table and of the scanner are the same.
    nib.save(nib.Nifti1Image(signal.astype("f4").reshape(-1, 10, 1, len(b)), np.eye(4)), files["dwi"])
    nib.save(nib.Nifti1Image(np.ones((len(signal) // 10, 10, 1), "u1"), np.eye(4)), files["mask"])
    table = np.column_stack([g, b])
    np.savetxt(files["b"], table)
    np.savetxt(files["scheme"], table, header="VERSION: BVECTOR", comments="")
    return files


def prepare_amico(folder, files, threads):
    import amico

    amico.set_verbose(0)
    amico.setup()
    evaluation = amico.Evaluation(str(folder), ".")
    evaluation.set_config("nthreads", threads)
    evaluation.load_data(files["dwi"], files["scheme"], mask_filename=files["mask"], b0_thr=0)
    evaluation.set_model("NODDI")
    return evaluation


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--voxels", type=int, default=5000)
    parser.add_argument("--snr", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    holder = tempfile.TemporaryDirectory()
    folder = pathlib.Path(holder.name)
    truth, b, g, signal = simulate(options.voxels, options.snr, options.seed)
    files = write(folder, b, g, signal)
    evaluation = prepare_amico(folder, files, options.threads)

    def amico_kernels():
        evaluation.generate_kernels(regenerate=True)
        evaluation.load_kernels()

    def ours():
        command = [arcuate(), "fit", "noddi-watson", files["dwi"], "--gradients", files["b"], "--mask", files["mask"]]
        command += ["--out", folder / "ours", "--device", "cpu", "--threads", options.threads, "--force", "--quiet"]
        subprocess.run([str(word) for word in command], check=True)

    def seconds(function):
        begin = time.perf_counter()
        function()
        return time.perf_counter() - begin

    times = [[seconds(turn) for turn in (amico_kernels, evaluation.fit, ours)] for _ in range(options.turns)]
    evaluation.save_results()
    theirs = {key: nib.load(next(folder.rglob(f"fit_{name}.nii.gz"))) for key, name in THEIRS.items()}
    fits = {
        "arcuate": {key: nib.load(folder / "ours" / f"{key}.nii.gz").get_fdata().reshape(-1) for key in RANGES},
        "AMICO": {key: image.get_fdata().reshape(-1) for key, image in theirs.items()},
    }
    status = nib.load(folder / "ours" / "status.nii.gz").get_fdata().astype(int).ravel()
    print(f"{options.voxels} voxels, SNR {options.snr:g}; with status 0, 1, 2, ...: {np.bincount(status)}")
    worse = False
    print("map   mean |error|: arcuate  AMICO   median |error|: arcuate  AMICO   bias: arcuate    AMICO   ours closer in")
    for key in RANGES:
        errors = [fit[key] - truth[key] for fit in fits.values()]
        means = [np.abs(error).mean() for error in errors]
        medians = [np.median(np.abs(error)) for error in errors]
        closer = np.mean(np.abs(errors[0]) < np.abs(errors[1]))
        print(f"{key} {means[0]:22.4f} {means[1]:7.4f} {medians[0]:24.4f} {medians[1]:7.4f}"
              f" {errors[0].mean():14.4f} {errors[1].mean():9.4f} {100 * closer:13.1f} %")
        worse |= means[0] > means[1]
    kernels, fit, process = (statistics.median(column) for column in zip(*times))
    print(f"seconds, median of {options.turns} turns, {options.threads} threads: AMICO's fit {fit:.2f}, its kernels"
          f" {kernels:.2f}, both {kernels + fit:.2f}; arcuate, whole process {process:.2f}:"
          f" {fit / process:.1f} and {(kernels + fit) / process:.1f} times as fast")
    print("each turn's kernels, fit, arcuate:", *("/".join(f"{t:.2f}" for t in turn) for turn in times))
    print("load of the machine:", os.getloadavg())
    if worse:
        raise SystemExit("a mean error is above AMICO's")


if __name__ == "__main__":
    main()
