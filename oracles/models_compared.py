#!/usr/bin/env python3
"""Finds which of the six models of Hernandez-Fernandez et al. (2019, Figure 12) has the lowest criterion, in simulations and in a scan.

    pip install nibabel numpy
    ARCUATE=target/release/arcuate oracles/models_compared.py [--voxels 200] [--snr 30 100]
    ARCUATE_DATA=DATA ARCUATE=target/release/arcuate oracles/models_compared.py --scan [--every 30] [--words "--method mcmc"]

Without --scan, each model simulates voxels. Signals are from bingham_models.py with Gaussian noise on the protocol of noddi_watson.py
(5 × b 0, 50 × b 1000, 50 × b 2000), with random orientations. All six models are fitted to each voxel. The table shows the models with
the lowest BIC and the lowest AIC. Concentrations are uniform in their logarithm, the other parameters are uniform:

    ball-1-stick-gamma     d 0.9 to 1.7 · 10⁻³ mm²/s, its standard deviation 0.3 to 0.7 of it, f 0.4 to 0.8
    ball-2-sticks-gamma    the same, f1 0.3 to 0.5, f2 0.15 to 0.3, 45 to 90° between them
    noddi-watson           fwf 0 to 0.3, ndi 0.3 to 0.8, κ 1 to 16
    ball-1-racket          d and f as those of one stick, κ₁ 8 to 32, κ₂ 0.1 to 0.5 κ₁
    noddi-bingham          as noddi-watson with κ₁ 4 to 32, κ₂ 0.1 to 0.5 κ₁
    noddi-2-binghams       fwf 0 to 0.3, f2 0.25 to 0.5, ndi 0.4 to 0.8, κ₁ 8 to 32, κ₂ 0.1 to 0.5 κ₁, 60 to 90° between them

Fails if, at a signal-to-noise ratio of 100, BIC selects another model than the true one in more than a tenth of its
voxels. With 200 voxels per model it was at most 4 %.

With --scan, the models are fitted to the scan mdt, or to every N-th voxel of its mask. Prints percentages among all six models, and among
the four with dispersed orientations. The last row of the paper's table has NODDI-Bingham 55 %, NODDI-Watson 24 %, and two Bingham
distributions 5 %.
"""
import argparse
import os
import pathlib
import tempfile
import time

import nibabel as nib
import numpy as np

from bingham_models import (Fan, axis, axis_at, ball_1_racket, ball_and_sticks_gamma, draw_fan, log_uniform, noddi_2_binghams,
                            noddi_bingham)
from fit_dmipy import fit
from noddi_watson import uk_biobank

RULE = {"along": 24, "around": 72}
MODELS = ["ball-1-stick-gamma", "ball-2-sticks-gamma", "noddi-watson", "ball-1-racket", "noddi-bingham", "noddi-2-binghams"]
# The following models have dispersed orientations.
DISPERSED = 2


def signal(draw, model, b, g):
    """Signals of one voxel, relative to s0."""
    d, ndi, fwf, mu = draw.uniform(0.9e-3, 1.7e-3), (0.3, 0.8), draw.uniform(0, 0.3), axis(draw)
    if model == "ball-1-stick-gamma":
        return ball_and_sticks_gamma(b, g, d, d * draw.uniform(0.3, 0.7), [draw.uniform(0.4, 0.8)], [mu])
    if model == "ball-2-sticks-gamma":
        fractions = [draw.uniform(0.3, 0.5), draw.uniform(0.15, 0.3)]
        return ball_and_sticks_gamma(b, g, d, d * draw.uniform(0.3, 0.7), fractions, [mu, axis_at(draw, mu, draw.uniform(45, 90))])
    if model == "noddi-watson":
        kappa = log_uniform(draw, 1, 16)
        return noddi_bingham(b, g, fwf, Fan(draw.uniform(*ndi), kappa, kappa, mu, axis_at(draw, mu, 90)), **RULE)
    if model == "ball-1-racket":
        return ball_1_racket(b, g, d, draw.uniform(0.4, 0.8), draw_fan(draw, ndi, (8, 32), (0.1, 0.5), mu), **RULE)
    if model == "noddi-bingham":
        return noddi_bingham(b, g, fwf, draw_fan(draw, ndi, (4, 32), (0.1, 0.5), mu), **RULE)
    fans = [draw_fan(draw, (0.4, 0.8), (8, 32), (0.1, 0.5), n) for n in (mu, axis_at(draw, mu, draw.uniform(60, 90)))]
    return noddi_2_binghams(b, g, fwf, draw.uniform(0.25, 0.5), *fans, **RULE)


def criteria_of(read, names, mask):
    """For each criterion, a row per voxel and a number per model. Models without a number cannot win."""
    found = {}
    for name in names:
        values = np.stack([read(f"{model}/{name.replace('-', '_')}")[mask] for model in MODELS], 1)
        fitted = np.stack([read(f"{model}/status")[mask] for model in MODELS], 1)
        found[name] = np.where(np.isin(fitted, [1, 2, 3, 8]), values, np.inf)
    return found


def confusion(count, snr):
    b, g = uk_biobank()
    wrong = []
    draw = np.random.default_rng(5)
    signals = np.stack([signal(draw, model, b, g) for model in MODELS for _ in range(count)])
    signals += draw.normal(size=signals.shape) / snr
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        nib.save(nib.Nifti1Image(1000 * signals[:, None, None].astype("f4"), np.eye(4)), folder / "dwi.nii")
        nib.save(nib.Nifti1Image(np.ones((len(signals), 1, 1), "u1"), np.eye(4)), folder / "mask.nii")
        np.savetxt(folder / "dwi.b", np.column_stack([g, b]))
        words = [folder / "dwi.nii", "--gradients", folder / "dwi.b", "--mask", folder / "mask.nii", "--criteria", "aic,bic"]
        read = fit([",".join(MODELS), *words], folder / "ours")
        for name, values in criteria_of(read, ["bic", "aic"], np.ones((len(signals), 1, 1), bool)).items():
            best = values.argmin(1).reshape(len(MODELS), count)
            print(f"SNR {snr:g}, lowest {name.upper()}, {count} voxels of each, %\n| made by | " + " | ".join(MODELS) + " |")
            for place, (model, row) in enumerate(zip(MODELS, best)):
                shares = 100 * np.bincount(row, minlength=len(MODELS)) / count
                if name == "bic" and snr >= 100 and shares[place] < 90:
                    wrong.append(f"{model}: the lowest BIC is another model's in {100 - shares[place]:.0f} %")
                print(f"| {model} | " + " | ".join(f"{share:.1f}" for share in shares) + " |", flush=True)
    if wrong:
        raise SystemExit("\n".join(wrong))


def scan(every, more):
    data = pathlib.Path(os.environ["ARCUATE_DATA"]) / "mdt"
    stem = "b1k_b2k_example_slices_24_38"
    image = nib.load(data / f"{stem}_mask.nii.gz")
    mask = image.get_fdata() > 0
    places = np.flatnonzero(mask)
    mask.flat[:] = False
    mask.flat[places[every // 2::every]] = True
    chains = "mcmc" in more
    names = ["bic", "bic-maximum", "dic", "waic"] if chains else ["bic", "aic"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        nib.save(nib.Nifti1Image(mask.astype("u1"), image.affine), folder / "mask.nii")
        words = [data / f"{stem}.nii.gz", "--bval", data / "b1k_b2k.bval", "--bvec", data / "b1k_b2k.bvec"]
        words += ["--mask", folder / "mask.nii", "--criteria", ",".join(names), *more]
        started = time.perf_counter()
        read = fit([",".join(MODELS), *words], folder / "ours")
        print(f"mdt, {mask.sum()} voxels, {time.perf_counter() - started:.0f} s")
        print("| lowest | among | " + " | ".join(MODELS) + " |")
        for name, values in criteria_of(read, names, mask).items():
            values = values[np.isfinite(values).any(1)]
            for among, first in ("six", 0), ("four", DISPERSED):
                shares = 100 * np.bincount(values[:, first:].argmin(1) + first, minlength=len(MODELS)) / len(values)
                print(f"| {name} | {among} | " + " | ".join(f"{share:.1f}" for share in shares) + " |")
            grouped = 100 * np.mean(values[:, DISPERSED:].min(1) < values[:, :DISPERSED].min(1))
            print(f"# {name}: dispersed models in {grouped:.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--voxels", type=int, default=200)
    parser.add_argument("--snr", type=float, nargs="+", default=[30, 100])
    parser.add_argument("--scan", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="with --scan: use every N-th voxel of the mask, because chains take long")
    parser.add_argument("--words", default="", help="further options of the command, such as `--method mcmc`")
    options = parser.parse_args()
    if options.scan:
        return scan(options.every, options.words.split())
    for snr in options.snr:
        confusion(options.voxels, snr)


if __name__ == "__main__":
    main()
