#!/usr/bin/env python3
"""Measures how often chains find, miss and invent a second fibre, for several lower bounds of automatic relevance determination.

    pip install arviz nibabel numpy
    ARCUATE=target/release/arcuate oracles/relevance_least.py

Makes the simulated brain of docs/src/tutorials/uncertain-crossings.md (signal-to-noise ratio 30). Selects voxels that one or two
bundles fill: all with a second bundle, and every seventh of the others. Two chains of 12,500 sweeps sample `ball-2-sticks` with
the density 1/f2 for f2 ≥ LEAST. The model is a file whose lower bound is LEAST. Chains then start at the fit of both sticks, which is
the harder start. A second fibre counts as found if its fraction is above 0.05 in more than half of the samples. FSL's users omit
fibres below this fraction. Chains agree if ArviZ's R-hat of the smaller fraction is below 1.1. Prints the table of
docs/src/algorithms/sampling.md, in some five minutes on one CPU thread.
"""
import math
import os
import pathlib
import subprocess
import tempfile

import arviz
import nibabel
import numpy

ARCUATE = os.path.abspath(os.environ.get("ARCUATE", "target/release/arcuate"))
LEAST = ["5e-3", "2e-3", "1e-3", "1e-4"]
PARTS = [(-1, 0), (0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.5)]


def table():
    """The measurements of the tutorial."""
    rows = []
    for b, count in (0, 6), (1000, 32), (2500, 64):
        for n in range(count):
            z, turn = (n + 0.5) / count, 2.39996 * n
            across = math.sqrt(1 - z * z)
            rows.append(f"{across * math.cos(turn):.6f} {across * math.sin(turn):.6f} {z:.6f} {b}")
    return "\n".join(rows) + "\n"


def run(folder, *words):
    return subprocess.run([ARCUATE, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def model(text, least):
    """`ball-2-sticks` with another lower bound and prior of f2."""
    head, tail = text.split("[parameters.f2]")
    own, rest = tail.split("[parameters.n2]")
    own = own.replace("bounds = [0, 1]", f"bounds = [{least}, 1]").replace('"ard"', f'"ard(1, {least})"')
    return head + "[parameters.f2]" + own + "[parameters.n2]" + rest


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "table.txt").write_text(table())
        run(folder, "simulate", "--gradients", "table.txt", "--out", "brain")
        bundles = nibabel.load(folder / "brain/truth_bundles.nii.gz")
        parts = numpy.sort(bundles.get_fdata(), axis=3)
        second = parts[..., -2]
        filled = parts[..., -1] + second > 0.99
        seventh = numpy.cumsum(filled.ravel()).reshape(filled.shape) % 7 == 0
        chosen = filled & ((second > 0) | seventh)
        mask = nibabel.Nifti1Image(chosen.astype(numpy.uint8), bundles.affine)
        nibabel.save(mask, folder / "mask.nii.gz")
        second = second[chosen]
        base = run(folder, "models", "ball-2-sticks")
        columns = []
        for least in LEAST:
            (folder / "model.toml").write_text(model(base, least))
            run(folder, "fit", "./model.toml", "brain/dwi.nii.gz", "--method", "mcmc", "--chains", "2", "--jumps",
                "12500", "--mask", "mask.nii.gz", "--out", least)
            both = [nibabel.load(folder / least / f"{part}_samples.nii.gz").get_fdata()[chosen] for part in ("f1", "f2")]
            smaller = numpy.minimum(*both)
            found = (smaller > 0.05).mean(axis=1) > 0.5
            agree = numpy.array([arviz.rhat(row.reshape(2, -1)) for row in smaller]) < 1.1
            columns.append((found, agree))
        print(f"| second bundle | voxels | {' | '.join(LEAST)} |")
        for low, high in PARTS:
            of = (low < second) & (second <= high)
            cells = [f"{100 * found[of].mean():.1f} % ({100 * agree[of].mean():.0f} %)" for found, agree in columns]
            what = "none" if high == 0 else f"{low} to {high}"
            print(f"| {what} | {of.sum()} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
