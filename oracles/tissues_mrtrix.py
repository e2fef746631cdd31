#!/usr/bin/env python3
"""Compares responses and intensity normalisation with MRtrix's dwi2response and mtnormalise.

    apt-get install mrtrix3; pip install nibabel numpy
    cargo build --release -p arcuate-fod --example tissues
    oracles/tissues_mrtrix.py [DATA/mrtrix] [--tissues target/release/examples/tissues]

A simulated brain has blocks of single fibres in many directions, crossings, grey matter and CSF. They mix at their borders, and the noise is
1/50 of white matter's signal at b = 0. `dwi2response tournier` and `dhollander` are compared with Arcuate's methods, tournier also on the
real series. A response agrees if its signal along, across and between fibres agrees in every shell. The measure is the largest difference
relative to the mean signal. The fields of `mtnormalise` and Arcuate are correlated over the mask, on simulated tissues with a known field and
on tissues of the real series.

Fails if responses of simulated tissues differ by more than 5 %, or if fields of simulated tissues correlate below 0.99.
"""
import argparse
import math
import pathlib
import subprocess
import tempfile

import nibabel as nib
import numpy as np

SHAPE = (30, 30, 16)


def half_sphere(count):
    n = np.arange(count)
    z = 1 - (n + 0.5) / count
    angle = 4 * np.pi * n / (1 + math.sqrt(5))
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], 1)


def call(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def write_text(path, rows):
    path.write_text("".join(" ".join(f"{value:.17g}" for value in row) + "\n" for row in rows))


def write_image(path, values):
    nib.save(nib.Nifti1Image(np.asarray(values, np.float32), np.eye(4)), path)


def write_raw(path, values):
    """Voxel after voxel, x fastest."""
    values = np.asarray(values, "<f4")
    values = values if values.ndim == 4 else values[..., None]
    values.transpose(2, 1, 0, 3).tofile(path)


def read_raw(path, shape):
    return np.fromfile(path, "<f4").reshape(shape[::-1]).transpose(2, 1, 0)


def responses(text):
    """Rows of coefficients, in one or more parts."""
    parts = [[]]
    for line in text.splitlines():
        if line.startswith("# white") or line.startswith("# grey") or line.startswith("# fluid"):
            parts.append([])
        elif not line.startswith("#") and line.strip():
            parts[-1].append([float(word) for word in line.split()])
    return [np.array(part) for part in parts if part]


def amplitudes(response):
    angles = np.radians([0, 30, 60, 90])
    degrees = [2 * n for n in range(response.shape[1])]
    zonal = [math.sqrt((2 * l + 1) / (4 * math.pi)) * np.polynomial.legendre.Legendre.basis(l)(np.cos(angles)) for l in degrees]
    return response @ np.array(zonal)


def difference(theirs, ours):
    a, b = amplitudes(theirs), amplitudes(ours)
    return (np.abs(a - b) / (theirs[:, :1] / math.sqrt(4 * math.pi))).max()


def simulated():
    generator = np.random.default_rng(2)
    weighted = half_sphere(60)
    gradients = np.concatenate([np.c_[np.tile([[0, 0, 1.0]], (6, 1)), np.zeros(6)], np.c_[weighted, np.full(60, 1000.0)],
                                np.c_[weighted, np.full(60, 2500.0)]])
    b, axes = gradients[:, 3], gradients[:, :3]
    fibre = lambda d: 1000 * np.exp(-b * (0.2e-3 + 1.6e-3 * (axes @ d) ** 2))
    grey, fluid = 900 * np.exp(-b * 0.8e-3), 2600 * np.exp(-b * 2.2e-3)
    signals = np.zeros(SHAPE + (len(b),))
    for x, y, z in np.ndindex(*SHAPE):
        q, _ = np.linalg.qr(generator.normal(size=(3, 3)))
        if x < 12:
            fractions = (1, 0, 0)
        elif x < 14:
            fractions = ((14.5 - x) / 3, 1 - (14.5 - x) / 3, 0)
        elif x < 22:
            fractions = (0, 1, 0)
        elif x < 24:
            fractions = (0, (24.5 - x) / 3, 1 - (24.5 - x) / 3)
        else:
            fractions = (0, 0, 1)
        white = fibre(q[0]) if y < 15 else (fibre(q[0]) + fibre(q[1])) / 2
        clean = fractions[0] * white + fractions[1] * grey + fractions[2] * fluid
        noise = generator.normal(size=(2, len(b))) * 20
        signals[x, y, z] = np.hypot(clean + noise[0], noise[1])
    return signals, gradients


def prepare(folder, signals, gradients, mask):
    write_image(folder / "signals.nii", signals)
    write_image(folder / "mask.nii", mask)
    write_text(folder / "gradients.txt", gradients)
    write_text(folder / "directions.txt", half_sphere(300))
    write_text(folder / "shape.txt", [mask.shape])
    call("dwi2tensor", "-quiet", "-force", folder / "signals.nii", folder / "tensor.nii", "-grad", folder / "gradients.txt")
    call("tensor2metric", "-quiet", "-force", folder / "tensor.nii", "-fa", folder / "anisotropy.nii")
    write_raw(folder / "anisotropy.f32", nib.load(folder / "anisotropy.nii").get_fdata())
    write_raw(folder / "signals.f32", signals)
    write_raw(folder / "mask.f32", mask)


def tournier(program, folder, voxels):
    theirs = folder / "theirs.txt"
    call("dwi2response", "tournier", "-quiet", "-force", folder / "signals.nii", theirs, "-grad", folder / "gradients.txt", "-mask",
         folder / "mask.nii", "-number", voxels, "-scratch", folder)
    return responses(theirs.read_text())[0], responses(call(program, folder, "tournier", voxels))[0]


def dhollander(program, folder):
    names = [folder / f"{name}.txt" for name in ("white", "grey", "fluid")]
    call("dwi2response", "dhollander", "-quiet", "-force", folder / "signals.nii", *names, "-grad", folder / "gradients.txt", "-mask",
         folder / "mask.nii", "-erode", 0, "-sfwm", 2, "-scratch", folder)
    return [responses(name.read_text())[0] for name in names], responses(call(program, folder, "dhollander", 0.02))


def normalise(program, folder, tissues, mask):
    write_raw(folder / "mask.f32", mask)
    write_image(folder / "mask.nii", mask)
    write_text(folder / "shape.txt", [mask.shape])
    words = []
    for n, tissue in enumerate(tissues):
        write_raw(folder / f"tissue-{n}.f32", tissue)
        write_image(folder / f"tissue-{n}.nii", tissue)
        words += [folder / f"tissue-{n}.nii", folder / f"normalised-{n}.nii"]
    call("mtnormalise", "-quiet", "-force", *words, "-mask", folder / "mask.nii", "-check_norm", folder / "field.nii", "-check_factors",
         folder / "factors.txt")
    ours = call(program, folder, "normalise", len(tissues)).strip()
    inside = mask > 0.5
    theirs = nib.load(folder / "field.nii").get_fdata().reshape(mask.shape)[inside]
    own = read_raw(folder / "field.f32", mask.shape)[inside]
    factors = (folder / "factors.txt").read_text().strip()
    return theirs, own, f"factors {factors} and here {ours}"


def under_a_field():
    """Three tissues that sum to 0.282095 when balanced, times a field of order 3, with noise of 3 %."""
    generator = np.random.default_rng(3)
    x, y, z = np.meshgrid(*(np.linspace(-1, 1, n) for n in SHAPE), indexing="ij")
    field = np.exp(0.4 * x - 0.3 * y * z + 0.2 * z * z + 0.15 * x**3)
    shares = generator.dirichlet((0.6, 0.6, 0.3), SHAPE)
    noise = generator.normal(1, 0.03, SHAPE)
    return [0.282095 * shares[..., n] * field * noise / balance for n, balance in enumerate((0.85, 1.05, 1 / 0.85 / 1.05))], field


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--tissues", default="target/release/examples/tissues")
    options = parser.parse_args()
    program, met = options.tissues, True
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        signals, gradients = simulated()
        prepare(folder, signals, gradients, np.ones(SHAPE))
        apart = difference(*tournier(program, folder, 200))
        print(f"# tournier, simulated: {apart:.4f} of the mean signal apart")
        met &= apart <= 0.05
        for name, theirs, ours in zip(("white", "grey", "fluid"), *dhollander(program, folder)):
            apart = difference(theirs, ours)
            print(f"# dhollander {name}, simulated: {apart:.4f} of the mean signal apart")
            met &= apart <= 0.05
        tissues, truth = under_a_field()
        theirs, own, factors = normalise(program, folder, tissues, np.ones(SHAPE))
        correlation = np.corrcoef(theirs, own)[0, 1]
        met &= correlation >= 0.99
        print(f"# normalised, simulated: fields correlate {correlation:.5f}, ratio {np.median(own / theirs):.4f}, with the truth "
              f"{np.corrcoef(truth.ravel(), theirs)[0, 1]:.5f} and here {np.corrcoef(truth.ravel(), own)[0, 1]:.5f}; {factors}")
        if options.data:
            call("mrconvert", "-quiet", "-force", options.data / "dwi_multishell.mif", folder / "dwi.nii", "-export_grad_mrtrix", folder / "grad.txt")
            call("mrconvert", "-quiet", "-force", options.data / "mask_multishell.mif", folder / "real_mask.nii")
            mask = nib.load(folder / "real_mask.nii").get_fdata()
            prepare(folder, nib.load(folder / "dwi.nii").get_fdata(), np.loadtxt(folder / "grad.txt"), mask)
            print(f"# tournier, real: {difference(*tournier(program, folder, 100)):.4f} of the mean signal apart")
            for name, theirs, ours in zip(("white", "grey", "fluid"), *dhollander(program, folder)):
                print(f"# dhollander {name}, real: {difference(theirs, ours):.4f} of the mean signal apart")
            pairs = [word for n, name in enumerate(("wm", "gm", "csf")) for word in (options.data / f"{name}.txt", folder / f"tissue-{n}.nii")]
            call("dwi2fod", "-quiet", "-force", "msmt_csd", folder / "signals.nii", *pairs, "-grad", folder / "gradients.txt", "-mask", folder / "mask.nii")
            tissues = [nib.load(folder / f"tissue-{n}.nii").get_fdata() for n in range(3)]
            theirs, own, factors = normalise(program, folder, tissues, mask)
            print(f"# normalised, real: fields correlate {np.corrcoef(theirs, own)[0, 1]:.5f}, ratio {np.median(own / theirs):.4f}; {factors}")
    if not met:
        raise SystemExit("the results differ by more than they may")


main()
