#!/usr/bin/env python3
"""Compares tracking through FODs with MRtrix's tckgen: densities, connections against the truth, and time.

    apt-get install mrtrix3; pip install nibabel numpy
    cargo build --release -p arcuate
    oracles/fod_tracking_mrtrix.py [--arcuate target/release/arcuate] [--streamlines 5000] [--seeds 5] [--folder FOLDER]

Simulates the brain with known connections (`arcuate simulate`) and deconvolves it with `dwi2fod csd`. Both programs track the same image
with the same seeds, mask, cutoff and lengths, several times with other random seeds. tckmap computes densities, and tck2connectome
connections. There are 30 regions and 15 true pairs. A streamline that joins two regions is true if they are such a pair.

The limits are for arcs. Precision is the fraction of true streamlines among those that join two regions. Recall is the fraction of true
connected pairs. The comparison fails if one of these is true:

- The agreement of the density with tckgen's is more than 0.01 worse than that of two runs of tckgen.
- Precision, recall or the number of false pairs is worse than tckgen's by more than two standard errors of the difference over the
  random seeds.
- tckgen is faster.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import nibabel
import numpy

METHODS = {"arcs": "iFOD2", "steps": "iFOD1", "peaks": "SD_STREAM"}
# Two regions of each bundle, in the order of their numbers.
TRUE = [(2 * n, 2 * n + 1) for n in range(15)]


def call(*words, **environment):
    words = [str(word) for word in words]
    begin = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, **environment})
    return time.perf_counter() - begin


def density(tracks, folder):
    image = tracks.with_suffix(".nii")
    call("tckmap", "-quiet", "-force", "-template", folder / "dwi.nii.gz", tracks, image)
    return nibabel.load(image).get_fdata().ravel()


def connections(tracks, folder):
    """Pairs found of 15, false pairs, and the fraction of true streamlines among those that join two regions."""
    table = tracks.with_suffix(".csv")
    call("tck2connectome", "-quiet", "-force", "-symmetric", tracks, folder / "labels.nii.gz", table)
    counts = numpy.triu(numpy.loadtxt(table, delimiter=","), 1)
    true = numpy.array([counts[pair] for pair in TRUE])
    return (true > 0).sum(), (counts > 0).sum() - (true > 0).sum(), true.sum() / counts.sum()


def agreement(a, b):
    visited = (a + b) > 0
    return numpy.corrcoef(a[visited], b[visited])[0, 1]


def not_worse(ours, theirs):
    """True if a mean is not below another by more than two standard errors of the difference."""
    ours, theirs = numpy.array(ours, float), numpy.array(theirs, float)
    error = numpy.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
    return ours.mean() >= theirs.mean() - 2 * error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate", type=pathlib.Path)
    parser.add_argument("--streamlines", default=5000, type=int)
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    arcuate = options.arcuate.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or pathlib.Path(scratch)) / "brain"
        if not folder.exists():
            call(arcuate, "simulate", "--out", folder)
        dwi, fod = folder / "dwi.mif", folder / "fod.nii.gz"
        mask, white = folder / "mask.nii.gz", folder / "white_matter.nii.gz"
        call("mrconvert", "-quiet", "-force", folder / "dwi.nii.gz", "-fslgrad", folder / "dwi.bvec",
             folder / "dwi.bval", dwi)
        response = folder / "response.txt"
        call("dwi2response", "-quiet", "-force", "fa", dwi, response, "-mask", mask)
        call("dwi2fod", "-quiet", "-force", "csd", dwi, response, fod, "-mask", mask)
        failed = []
        print("method  program  seconds  agreement  pairs  false pairs  true share")
        for method, algorithm in METHODS.items():
            found = {"arcuate": [], "tckgen": []}
            maps, seconds = {"arcuate": [], "tckgen": []}, {"arcuate": [], "tckgen": []}
            for seed in range(options.seeds):
                ours, theirs = folder / f"ours_{method}_{seed}.tck", folder / f"theirs_{method}_{seed}.tck"
                seconds["arcuate"].append(call(
                    arcuate, "track", "fod", fod, "--method", method, "--mask", mask, "--seed-mask", white, "--select",
                    options.streamlines, "--random-seed", seed, "--threads", 2, "--force", "--out", ours))
                seconds["tckgen"].append(call(
                    "tckgen", "-quiet", "-force", "-algorithm", algorithm, fod, theirs, "-seed_image", white, "-mask", mask,
                    "-select", options.streamlines, "-minlength", 20, "-maxlength", 250, "-nthreads", 2,
                    MRTRIX_RNG_SEED=str(1000 * seed)))
                for program, tracks in ("arcuate", ours), ("tckgen", theirs):
                    found[program].append(connections(tracks, folder))
                    maps[program].append(density(tracks, folder))
            again = numpy.mean([agreement(a, b) for a, b in zip(maps["tckgen"], maps["tckgen"][1:])])
            with_ours = numpy.mean([agreement(a, b) for a, b in zip(maps["tckgen"], maps["arcuate"])])
            for program, agrees in ("arcuate", with_ours), ("tckgen", again):
                pairs, false, share = numpy.mean(found[program], axis=0)
                print(f"{method:6}  {program:7}  {numpy.median(seconds[program]):7.2f}  {agrees:9.4f}  {pairs:5.1f}"
                      f"  {false:11.1f}  {share:10.4f}")
            if method == "arcs":
                if with_ours < again - 0.01:
                    failed.append(f"densities agree to {with_ours:.4f}, those of tckgen to {again:.4f}")
                for n, (what, sign) in enumerate([("pairs", 1), ("false pairs", -1), ("true share", 1)]):
                    ours, theirs = ([sign * run[n] for run in found[program]] for program in ("arcuate", "tckgen"))
                    if not not_worse(ours, theirs):
                        failed.append(f"{what}: {numpy.mean(ours)} beside tckgen's {numpy.mean(theirs)}")
                if numpy.median(seconds["arcuate"]) > numpy.median(seconds["tckgen"]):
                    failed.append("tckgen is faster")
        if failed:
            raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    main()
