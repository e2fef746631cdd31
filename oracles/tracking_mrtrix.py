#!/usr/bin/env python3
"""Compares tensor tracking with MRtrix's tckgen: lengths, track density, and time of the whole process.

    apt-get install mrtrix3; pip install nibabel numpy
    cargo build --release -p arcuate
    oracles/tracking_mrtrix.py DATA/philips_dwi [--arcuate target/release/arcuate] [--streamlines 100000] [--rounds 3]

Runs `tckgen -algorithm Tensor_Det` twice with different random seeds, to measure how well two runs of the same program
agree. Runs `arcuate track tensor` with the same step, cutoff, angle, lengths and seed mask, with and without the brain mask. Its tensors
come from two fits: dwi2tensor without weights, as in tckgen, and with its reweighting. The command tckmap computes the density with the
same upsampling for both (tckgen's header would set another). Then the two programs run in alternation, and the shortest time of each
counts. tckgen reads and fits signals during tracking; Arcuate reads tensors.

The two random seeds are far apart. tckgen's threads take consecutive ones, so runs with neighbouring numbers share
streamlines and agree too well.

Fails if, within the brain mask, densities correlate below 0.95 or mean lengths differ by more than 5 %.

With MRtrix 3.0.3, 100,000 streamlines and a step of 1 mm, mean lengths agree within 1 %. Densities correlate (over the
whole image; over the voxels that either program visits):

    whole image   tckgen again 0.990 (0.987)   unweighted fit 0.977 (0.970)   reweighted fit 0.949 (0.935)
    brain mask    tckgen again 0.990 (0.987)   unweighted fit 0.981 (0.974)   reweighted fit 0.962 (0.948)
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import nibabel as nib
import numpy as np


def call(*words, **environment):
    words = [str(word) for word in words]
    begin = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    return time.perf_counter() - begin


def density(tracks, template):
    image = tracks.with_suffix(".nii")
    call("tckmap", "-quiet", "-force", "-upsample", "4", "-template", template, tracks, image)
    return nib.load(image).get_fdata().ravel()


def mean_length(tracks):
    out = subprocess.run(["tckstats", "-quiet", "-output", "mean", tracks], check=True, capture_output=True, text=True)
    return float(out.stdout)


def agreement(a, b):
    visited = (a + b) > 0
    return np.corrcoef(a, b)[0, 1], np.corrcoef(a[visited], b[visited])[0, 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--streamlines", type=int, default=100_000)
    parser.add_argument("--step", default="1")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    data = options.folder
    scan = [data / "dwi.nii.gz", "-fslgrad", data / "dwi.bvec", data / "dwi.bval"]
    # tckgen's default: 5 and 100 voxels.
    voxel = np.prod(nib.load(data / "dwi.nii.gz").header.get_zooms()[:3]) ** (1 / 3)
    least, most = f"{5 * voxel:g}", f"{100 * voxel:g}"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        call("dwi2tensor", "-quiet", *scan, folder / "unweighted.nii.gz", "-ols", "-iter", "0")
        call("dwi2tensor", "-quiet", *scan, folder / "reweighted.nii.gz")

        def tckgen(name, seed, *more):
            tracks = folder / f"{name}.tck"
            seconds = call(
                "tckgen", "-quiet", "-force", "-algorithm", "Tensor_Det", *scan, "-seed_image", data / "wm_fa02.nii.gz",
                "-select", options.streamlines, "-step", options.step, "-cutoff", "0.1", "-nthreads", options.threads,
                *more, tracks, MRTRIX_RNG_SEED=str(seed),
            )
            return tracks, seconds

        def arcuate(name, tensor, *more):
            tracks = folder / f"{name}.tck"
            seconds = call(
                options.arcuate, "track", "tensor", folder / tensor, "--out", tracks, "--force", "--quiet",
                "--seed-mask", data / "wm_fa02.nii.gz", "--select", options.streamlines, "--step", options.step,
                "--cutoff", "0.1", "--angle", "60", "--integrator", "euler", "--min-length", least, "--max-length", most,
                "--threads", options.threads, *more,
            )
            return tracks, seconds

        failed = []
        brain = data / "mask.nii.gz"
        for title, theirs_option, our_option in [("whole image", [], []), ("brain mask", ["-mask", brain], ["--mask", brain])]:
            reference, _ = tckgen("reference", 1, *theirs_option)
            expected, length = density(reference, data / "fa.nii.gz"), mean_length(reference)
            print(f"{title}: tckgen {length:.2f} mm")
            runs = [("tckgen again", tckgen("again", 1001, *theirs_option)[0])]
            for fit in ("unweighted", "reweighted"):
                runs.append((f"arcuate, {fit} fit", arcuate(fit, f"{fit}.nii.gz", *our_option)[0]))
            for name, tracks in runs:
                whole, visited = agreement(expected, density(tracks, data / "fa.nii.gz"))
                found = mean_length(tracks)
                if title == "brain mask" and (whole < 0.95 or abs(found / length - 1) > 0.05):
                    failed.append(f"{title}, {name}")
                print(f"  {name:24} {found:.2f} mm ({100 * (found / length - 1):+.1f} %), density correlates {whole:.4f} "
                      f"over the image, {visited:.4f} over visited voxels")
        times = {"tckgen": [], "arcuate": []}
        for turn in range(options.rounds):
            times["tckgen"].append(tckgen("reference", turn)[1])
            times["arcuate"].append(arcuate("unweighted", "unweighted.nii.gz")[1])
        for name, seconds in times.items():
            print(f"{name}: {min(seconds):.2f} s, {options.streamlines / min(seconds):.0f} streamlines/s, "
                  f"whole process, {options.threads} threads")
        print(f"ratio {min(times['tckgen']) / min(times['arcuate']):.1f}")
        if failed:
            raise SystemExit(f"below 0.95, or mean length off by more than 5 %: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
