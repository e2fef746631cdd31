#!/usr/bin/env python3
"""Compares means of a stick's signal over Bingham's distribution, from dmipy-fit and Arcuate, with mpmath's of 30 digits.

    pip install dmipy-fit==2.3.0 mpmath numpy scipy nibabel
    ARCUATE=target/release/arcuate oracles/bingham_dmipy.py

Each pair of concentrations has six directions at each of three b d (1.7, 3.4 and 5.1). The parameters of dmipy-fit are odi = (2/π)
arctan(1/κ₁), at least 0.02, and beta_fraction = (κ₁ − κ₂)/κ₁. The program dmipy-fit is only run; no other part of it is used.

Arcuate's signals come from `fit noddi-bingham --predicted` with all parameters but s0 fixed. With ndi = 1 they are the sticks alone
(A_ic). A_ec follows from ndi = 0.5. The computation is in double precision, but the maps are in single precision.

A_ec = exp(−b gᵀ⟨D⟩g) is compared with mpmath's second moments. dmipy-fit has no such signal. It averages exponentials,
exp(−b gᵀ D(n) g), over the distribution. The last columns are these averages, with mpmath and with dmipy-fit.

Prints the largest differences of each pair. The comparison fails if Arcuate's are above 2e-7 (A_ic, limited by single precision) or 6e-7
(A_ec, from two maps), or if dmipy-fit's A_ic is above 2e-3. It takes three minutes, most of them for mpmath.
"""
import pathlib
import tempfile

import mpmath as mp
import nibabel as nib
import numpy as np

from bingham import mean
from bingham_models import odi_of
from fit_dmipy import fit
from noddi_watson import D_PARALLEL, odi_of as odi_of_watson

mp.mp.dps = 30
CONCENTRATIONS = [(0.1, 0.05), (0.5, 0.5), (1, 0.2), (2, 0), (2, 2), (4, 1), (8, 8), (16, 0), (16, 4), (30, 1), (30, 30)]
# Concentrations above dmipy-fit's range: compared with mpmath only.
STEEP = [(64, 0), (64, 24), (64, 64)]
RATES = [1.7, 3.4, 5.1]
# Components perpendicular to the fan, along it, and along the mean orientation.
DIRECTIONS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0, 0.8], [0, 0.6, 0.8], [2 / 7, -3 / 7, 6 / 7]])
# In scanner axes, the fan is along y and the mean orientation along z.
G, X = np.tile(DIRECTIONS, (len(RATES), 1)), np.repeat(RATES, len(DIRECTIONS))
B = X / D_PARALLEL


def direction(g):
    g = mp.matrix([mp.mpf(float(part)) for part in g])
    return g / mp.sqrt((g.T * g)[0])


def second_moment(kappa1, kappa2, g):
    """⟨(g·n)²⟩."""
    step = mp.mpf("1e-8")
    return (mean(kappa1, kappa2, -step, g) - mean(kappa1, kappa2, step, g)) / (2 * step)


def exact(kappa1, kappa2):
    """A_ic and ⟨(g·n)²⟩ of each measurement."""
    first, second = mp.mpf(kappa1), mp.mpf(kappa2)
    squares = [second_moment(first, second, direction(g)) for g in DIRECTIONS]
    sticks = [mean(first, second, mp.mpf(float(x)), direction(g)) for x, g in zip(X, G)]
    return np.array(sticks, float), np.tile(np.array(squares, float), len(RATES))


def ours(folder, pairs, signal, ndi):
    """Arcuate's predicted signals relative to b = 0; one voxel per pair."""
    count = len(pairs)

    def image(name, values, kind="f8"):
        nib.save(nib.Nifti1Image(np.asarray(values, kind).reshape(count, 1, 1, -1), np.eye(4)), folder / f"{name}.nii")
        return folder / f"{name}.nii"

    data = np.column_stack([np.ones(count), signal])
    np.savetxt(folder / "dwi.b", np.column_stack([np.vstack([[0, 0, 0], G]), np.append(0, B)]), fmt="%.17g")
    kappa = np.array(pairs, float)
    mask = folder / "mask.nii"
    nib.save(nib.Nifti1Image(np.ones((count, 1, 1), "u1"), np.eye(4)), mask)
    words = ["noddi-bingham", image("dwi", data, "f4"), "--gradients", folder / "dwi.b", "--mask", mask, "--precision", "double"]
    axes = {"mu": [0, 0, 1], "reference": [1, 0, 0]}
    fixed = {"kappa1": kappa[:, 0], "kappa2": kappa[:, 1], **{name: np.tile(axis, (count, 1)) for name, axis in axes.items()}}
    for name, values in fixed.items():
        words += ["--fix", f"{name}={image(name, values)}"]
    # reference × mu is −y, and the sign of the fan has no meaning.
    for name, value in {"fwf": 0, "ndi": ndi, "psi": 0}.items():
        words += ["--fix", f"{name}={value}"]
    read = fit([*words, "--predicted"], folder / "ours")
    predicted = read("predicted")[:, 0, 0]
    return predicted[:, 1:] / predicted[:, :1]


def theirs(model, scheme, kappa1, kappa2, **other):
    """Tries both axes, because dmipy-fit does not state which axis of its distribution is the larger one."""
    place = {"SD2Bingham_1_mu": [0.0, 0.0], "SD2Bingham_1_odi": odi_of_watson(kappa1),
             "SD2Bingham_1_beta_fraction": (kappa1 - kappa2) / kappa1}
    return [model(scheme, **{**place, "SD2Bingham_1_psi": psi}, **other) for psi in (0.0, np.pi / 2)]


def dmipy_model(names):
    from dmipy_fit.core.acquisition_scheme import acquisition_scheme_from_bvalues
    from dmipy_fit.distributions.distribute_models import SD2BinghamDistributed
    from dmipy_fit.signal_models import cylinder_models, gaussian_models

    scheme = acquisition_scheme_from_bvalues(B * 1e6, G, 0.0106, 0.0431)
    made = {"stick": cylinder_models.C1Stick, "zeppelin": gaussian_models.G2Zeppelin}
    return SD2BinghamDistributed([made[name]() for name in names]), scheme


def averaged_exponentials(kappa1, kappa2, across):
    """Mean of exp(−x (across + (1 − across) (g·n)²)) by mpmath, with `across` the ratio across / along of dmipy-fit's zeppelin."""
    first, second = mp.mpf(kappa1), mp.mpf(kappa2)
    return np.array([mp.exp(-x * across) * mean(first, second, mp.mpf(float(x * (1 - across))), direction(g)) for x, g in zip(X, G)],
                    float)


def main():
    pairs = CONCENTRATIONS + STEEP
    found = [exact(*pair) for pair in pairs]
    sticks, squares = (np.array(part) for part in zip(*found))
    around = np.exp(-X * (1 - 0.5 * (1 - squares)))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        own_sticks = ours(folder, pairs, sticks, 1)
        own_both = ours(folder, pairs, (sticks + around) / 2, 0.5)
    own_around = 2 * own_both - own_sticks
    stick, scheme = dmipy_model(["stick"])
    zeppelin, _ = dmipy_model(["zeppelin"])
    print("κ₁, κ₂ | OD | A_ic: dmipy-fit − mpmath, by x; Arcuate − mpmath | A_ec: Arcuate − mpmath |"
          " averaged exponentials − A_ec: mpmath; dmipy-fit − mpmath's averages")
    turned = None
    for n, pair in enumerate(pairs):
        said = ["", "", "", ""]
        if pair in CONCENTRATIONS:
            options = theirs(stick, scheme, *pair, C1Stick_1_lambda_par=D_PARALLEL * 1e-6)
            if turned is None:
                # The most anisotropic pair.
                most = CONCENTRATIONS.index((16, 0))
                tried = theirs(stick, scheme, *pairs[most], C1Stick_1_lambda_par=D_PARALLEL * 1e-6)
                turned = int(np.argmin([np.abs(one - sticks[most]).max() for one in tried]))
                print(f"# dmipy-fit's psi of this fan: {[0, 90][turned]}°")
            apart = np.abs(options[turned] - sticks[n])
            if apart.max() > 2e-3:
                raise SystemExit(f"dmipy-fit differs from mpmath at {pair}")
            averages = averaged_exponentials(*pair, 0.5)
            their_averages = theirs(zeppelin, scheme, *pair, G2Zeppelin_1_lambda_par=D_PARALLEL * 1e-6,
                                    G2Zeppelin_1_lambda_perp=D_PARALLEL * 0.5e-6)[turned]
            by_x = [f"{apart[X == x].max():.1e}" for x in RATES]
            said = [", ".join(by_x), f"{np.abs(averages - around[n]).max():.1e}", f"{np.abs(their_averages - averages).max():.1e}"]
        own = np.abs(own_sticks[n] - sticks[n]).max()
        own_ec = np.abs(own_around[n] - around[n]).max()
        print(f"{pair[0]}, {pair[1]} | {odi_of(*pair):.3f} | {said[0]}; {own:.1e} | {own_ec:.1e} | {said[1]}; {said[2]}")
        if own > 2e-7 or own_ec > 6e-7:
            raise SystemExit(f"Arcuate differs from mpmath at {pair}")
    # A case with a large difference between the models: κ₁ = κ₂ = 2, b d = 5.1, along µ, with a stick fraction of 0.7.
    x, first, ndi = mp.mpf("5.1"), mp.mpf(2), mp.mpf("0.7")
    g = direction([0, 0, 1])
    tensor = mp.exp(-x * (1 - ndi * (1 - second_moment(first, first, g))))
    averaged = mp.exp(-x * (1 - ndi)) * mean(first, first, x * ndi, g)
    print(f"# κ = 2, b d = 5.1, g = µ, ndi 0.7: mean tensor {float(tensor):.3f}, averaged exponentials {float(averaged):.3f}")


if __name__ == "__main__":
    main()
