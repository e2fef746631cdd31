#!/usr/bin/env python3
"""Checks the calibration of NODDI-Bingham's chains by simulation: ranks of the truth among samples of the posterior.

    pip install nibabel numpy
    ARCUATE=target/release/arcuate oracles/bingham_calibration.py [--voxels 240]

If truths are drawn from the prior and signals from the truths, all ranks of a truth among independent samples are equally likely
(Talts et al. 2018, arXiv:1804.06788). Priors are those of the program, except for s0, whose prior has no finite integral:

- Fractions are uniform from 0 to 1, and κ₁ and κ₂ are uniform on 0 ≤ κ₂ ≤ κ₁ ≤ 64.
- The mean orientation is uniform on the sphere, and the fan is uniform around it. ψ is uniform over nearly four half turns, for any
  reference axis.
- s0 is normal, 1000 ± 150.

Most of the fans are therefore narrow. If there is little tissue or few neurites, posteriors are as wide as priors.

The noise is Gaussian with σ = 1000/30, which the chains know. Signals are from bingham_models.py with the protocol of noddi_watson.py
(5 × b 0, 50 × b 1000, 50 × b 2000). There are 63 samples per voxel, and ranks 0 to 63 in 16 bins.

Prints the bins, and χ² with 15 degrees of freedom. It exceeds 37.7 once in 1,000 times and 44.3 once in 10,000. Orientations are
ranked by the height of their axes above a plane. Arcuate counts the independent samples (`NAME_ess`). If they are much fewer than 63,
ranks accumulate at both ends although the density is right; a longer interval helps.

The output is the table of docs/src/algorithms/sampling.md. It takes two minutes of one core, or a few. As a check, chains with twice the
true σ have a χ² of 83 for s0 and 92 for the height of mu (samples 30 sweeps apart).
"""
import argparse
import pathlib
import tempfile
import time

import nibabel as nib
import numpy as np

from bingham_models import Fan, axis, axis_at, da_of, noddi_bingham, odi_of
from fit_dmipy import fit
from noddi_watson import uk_biobank

SAMPLES, BINS, SIGMA = 63, 16, 1000 / 30
LARGEST = 44.3
NAMES = ["s0", "fwf", "ndi", "kappa1", "kappa2", "height of mu", "height of fan", "odi", "da"]


def truth(draw):
    first, second = np.sort(64 * draw.random(2))[::-1]
    mu = axis(draw)
    return 1000 + 150 * draw.normal(), draw.random(), Fan(draw.random(), first, second, mu, axis_at(draw, mu, 90))


def across(n, reference, angle):
    """The unit vector perpendicular to n at this angle from reference × n."""
    side, up = np.cross(reference, n), reference - (reference * n).sum(-1, keepdims=True) * n
    fan = np.cos(angle)[..., None] * side + np.sin(angle)[..., None] * up
    return fan / np.linalg.norm(side, axis=-1, keepdims=True)


def quantities(s0, fwf, ndi, kappa1, kappa2, mu, fan):
    numbers = [s0, fwf, ndi, kappa1, kappa2, np.abs(mu[..., 2]), np.abs(fan[..., 2])]
    return np.stack([*numbers, odi_of(kappa1, kappa2), da_of(kappa1, kappa2)], -1)


def sample(folder, signals, b, g, options):
    count = len(signals)
    nib.save(nib.Nifti1Image(signals[:, None, None].astype("f4"), np.eye(4)), folder / "dwi.nii")
    nib.save(nib.Nifti1Image(np.ones((count, 1, 1), "u1"), np.eye(4)), folder / "mask.nii")
    np.savetxt(folder / "dwi.b", np.column_stack([g, b]))
    words = ["noddi-bingham", folder / "dwi.nii", "--gradients", folder / "dwi.b", "--mask", folder / "mask.nii"]
    words += ["--method", "mcmc", "--sigma", SIGMA, "--prior", "s0=normal(1000,150)", "--burn-in", options.burn_in]
    words += ["--jumps", SAMPLES * options.interval, "--interval", options.interval, "--random-seed", options.seed]
    read = fit([*words, *options.words.split()], folder / "ours")
    return lambda name: read(name).reshape(count, -1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--voxels", type=int, default=240)
    parser.add_argument("--burn-in", type=int, default=2000)
    parser.add_argument("--interval", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", default="", help="further options of the command")
    options = parser.parse_args()
    b, g = uk_biobank()
    draw = np.random.default_rng(options.seed)
    truths = [truth(draw) for _ in range(options.voxels)]
    signals = np.stack([s0 * noddi_bingham(b, g, fwf, fan) for s0, fwf, fan in truths])
    signals += SIGMA * draw.normal(size=signals.shape)
    with tempfile.TemporaryDirectory() as name:
        started = time.perf_counter()
        read = sample(pathlib.Path(name), signals, b, g, options)
        print(f"{options.voxels} voxels, {time.perf_counter() - started:.0f} s")
        numbers = [read(f"{key}_samples") for key in ("s0", "fwf", "ndi", "kappa1", "kappa2")]
        mu = read("mu_samples").reshape(options.voxels, SAMPLES, 3)
        reference = np.broadcast_to(read("reference")[:, None], mu.shape)
        sampled = quantities(*numbers, mu, across(mu, reference, read("psi_samples")))
        least = {key: np.quantile(read(f"{key}_ess")[:, 0], [0.05, 0.5]) for key in ("s0", "fwf", "ndi", "kappa1", "kappa2", "mu")}
        print("# independent samples, 5 % and median:",
              "; ".join(f"{key} {low:.0f}, {middle:.0f}" for key, (low, middle) in least.items()))
    fans = [fan for _, _, fan in truths]
    column = lambda key: np.array([getattr(fan, key) for fan in fans])
    true = quantities(np.array([s0 for s0, _, _ in truths]), np.array([fwf for _, fwf, _ in truths]), column("ndi"),
                      column("kappa1"), column("kappa2"), column("mu"), column("fan"))
    ranks = (sampled < true[:, None]).sum(1)
    expected = options.voxels / BINS
    failures = []
    for place, name in enumerate(NAMES):
        bins = np.bincount(ranks[:, place] * BINS // (SAMPLES + 1), minlength=BINS)
        squares = ((bins - expected) ** 2 / expected).sum()
        # Mean and standard deviation of uniform ranks: ½ and √(1/12).
        parts = (ranks[:, place] + 0.5) / (SAMPLES + 1)
        print(f"{name:14} χ² {squares:5.1f}, mean rank {parts.mean():.3f}, deviation {parts.std():.3f}  {' '.join(map(str, bins))}")
        if squares > LARGEST:
            failures.append(f"ranks of {name} are not uniform")
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
