#!/usr/bin/env python3
"""Runs the replacements of FSL's bedpostx and xfibres under their callers: nipype's BEDPOSTX5 and XFibres5 and fslpy's wrappers.
The callers are unchanged, and links with FSL's names are on the path.

    pip install nipype==1.11.0 fslpy nibabel numpy
    ARCUATE=target/release/arcuate oracles/bedpostx_callers.py [--work FOLDER]

nibabel writes a subject with known fibres in four geometries: voxels from right to left, from left to right, oblique, and without
sform and qform. Every file that a caller promises is read back. Sizes, geometry and data type are checked. Directions are compared with
the truth along FSL's axes (x runs from right to left), by the dyads and by the angles. The comparison fails if a cosine is below 0.999
in a voxel, or if a file is missing or has another shape. It also fails if fslpy's parts differ from the whole by a bit.

With nipype 1.11.0, fslpy 3.29.1 and nibabel 5.4.2 everything passes; the smallest cosine is 0.99998.
"""
import argparse
import importlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import nibabel as nib
import numpy as np

ARCUATE = pathlib.Path(os.environ.get("ARCUATE", "target/release/arcuate")).absolute()
SHAPE = (5, 4, 3)
LEAST = 0.999
smallest = 1.0


def surroundings(work):
    """A folder that looks like FSL's, and the environment that points to it."""
    folder = work / "fsl"
    (folder / "etc").mkdir(parents=True)
    (folder / "etc" / "fslversion").write_text("6.0.7\n")
    subprocess.run([ARCUATE, "setup", "names", folder / "bin"], check=True)
    os.environ |= {
        "FSLDIR": str(folder),
        "FSLOUTPUTTYPE": "NIFTI_GZ",
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
    }


def affines():
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    tilt = np.array([[1.0, 0.0, 0.0], [0.0, 0.96, -0.28], [0.0, 0.28, 0.96]])
    of = {"left": np.diag([-2.0, 2.0, 2.5]), "right": np.diag([2.0, 2.0, 2.5]), "oblique": turn @ tilt * 2.0}
    affines = {}
    for name, matrix in of.items():
        affines[name] = np.eye(4)
        affines[name][:3, :3] = matrix
        affines[name][:3, 3] = [10, -20, 5]
    affines["nowhere"] = None
    return affines


def truth():
    """The fibre of every voxel of the file, along FSL's axes."""
    generator = np.random.default_rng(7)
    fibres = generator.standard_normal(SHAPE + (3,))
    return fibres / np.linalg.norm(fibres, axis=-1, keepdims=True)


def write_subject(folder, affine):
    folder.mkdir(parents=True)
    generator = np.random.default_rng(3)
    directions = generator.standard_normal((40, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    directions = np.vstack([np.zeros((3, 3)), directions])
    b_values = np.array([0.0] * 3 + [1000.0] * 20 + [2000.0] * 20)
    along = truth() @ directions.T
    d, f = 1.5e-3, 0.6
    signal = 1000 * ((1 - f) * np.exp(-b_values * d) + f * np.exp(-b_values * d * along**2))
    signal += generator.normal(0, 4, signal.shape)
    mask = np.ones(SHAPE, np.uint8)
    mask[0, 0, 0] = 0
    for name, values in [("data", signal.astype(np.float32)), ("nodif_brain_mask", mask)]:
        image = nib.Nifti1Image(values, np.eye(4) if affine is None else affine)
        image.header.set_zooms((2, 2, 2) + image.header.get_zooms()[3:] if affine is None else image.header.get_zooms())
        code = 0 if affine is None else 1
        image.set_sform(image.affine, code)
        image.set_qform(image.affine, code)
        nib.save(image, folder / f"{name}.nii.gz")
    np.savetxt(folder / "bvals", b_values[None], fmt="%g")
    np.savetxt(folder / "bvecs", directions.T, fmt="%.8f")


def read(path, channels, subject):
    image = nib.load(path)
    wanted = SHAPE if channels == 1 else SHAPE + (channels,)
    assert image.shape == wanted, (path, image.shape, wanted)
    assert image.get_data_dtype() == np.float32, (path, image.get_data_dtype())
    data = nib.load(subject / "data.nii.gz")
    if data.header["sform_code"]:
        np.testing.assert_allclose(image.affine, data.affine, atol=1e-5, err_msg=str(path))
    else:
        # FSL assumes that a file without sform and qform is stored from right to left.
        assert np.linalg.det(image.affine[:3, :3]) < 0, path
    values = image.get_fdata()
    assert np.isfinite(values).all() and not values[0, 0, 0].any(), path
    return values


def inside(values):
    chosen = np.ones(SHAPE, bool)
    chosen[0, 0, 0] = False
    return values[chosen]


def check_directions(vectors, what):
    global smallest
    cosines = np.abs((inside(vectors) * inside(truth())).sum(-1))
    smallest = min(smallest, cosines.min())
    assert cosines.min() > LEAST, (what, cosines.min())


def vector(theta, phi):
    return np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1)


def check_bedpostx(folder, subject, fibres, samples):
    for i in range(1, fibres + 1):
        series = {}
        for what in ["th", "ph", "f"]:
            series[what] = read(folder / f"merged_{what}{i}samples.nii.gz", samples, subject)
            mean = read(folder / f"mean_{what}{i}samples.nii.gz", 1, subject)
            np.testing.assert_allclose(series[what].mean(-1), mean, atol=2e-5)
        dyads = read(folder / f"dyads{i}.nii.gz", 3, subject)
        np.testing.assert_allclose(np.linalg.norm(inside(dyads), axis=-1), 1, atol=1e-5)
        read(folder / f"dyads{i}_dispersion.nii.gz", 1, subject)
        vectors = vector(series["th"], series["ph"])
        if i == 1:
            check_directions(dyads, "dyads")
            check_directions(vector(series["th"].mean(-1), series["ph"].mean(-1)), "mean angles")
        # The dyads are the principal axes of the samples.
        mean = np.einsum("...ni,...nj->...ij", inside(vectors), inside(vectors)) / samples
        values = np.linalg.eigvalsh(mean)
        found = np.einsum("...i,...ij,...j->...", inside(dyads), mean, inside(dyads))
        np.testing.assert_allclose(found, values[..., 2], atol=2e-5)
        dispersion = read(folder / f"dyads{i}_dispersion.nii.gz", 1, subject)
        np.testing.assert_allclose(inside(dispersion), 1 - values[..., 2], atol=2e-5)
        if i > 1:
            mean_f, first = (read(folder / f"mean_f{n}samples.nii.gz", 1, subject)[..., None] for n in [i, 1])
            kept = np.where(mean_f >= 0.05, dyads, 0)
            np.testing.assert_allclose(read(folder / f"dyads{i}_thr0.05.nii.gz", 3, subject), kept, atol=1e-6)
            modulated = read(folder / f"dyads{i}_thr0.05_modf{i}.nii.gz", 3, subject)
            np.testing.assert_allclose(modulated, kept * mean_f / np.maximum(first, 1e-9), atol=1e-5)
    for name in ["mean_dsamples", "mean_S0samples", "mean_fsumsamples"]:
        read(folder / f"{name}.nii.gz", 1, subject)
    np.testing.assert_array_equal(np.loadtxt(folder / "xfms" / "eye.mat"), np.eye(4))
    for name in ["bvals", "bvecs"]:
        assert (folder / name).read_bytes() == (subject / name).read_bytes()


def check_promised(outputs):
    """Checks that the files in a caller's outputs exist."""
    count = 0
    for name, value in outputs.get().items():
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, str):
                assert pathlib.Path(path).exists(), (name, path)
                count += 1
    return count


def files_of(subject):
    return {
        "dwi": str(subject / "data.nii.gz"),
        "mask": str(subject / "nodif_brain_mask.nii.gz"),
        "bvecs": str(subject / "bvecs"),
        "bvals": str(subject / "bvals"),
    }


def with_nipype(work, name, subject):
    from nipype.interfaces import fsl

    here = work / f"nipype-{name}"
    here.mkdir()
    os.chdir(here)
    chains = {"burn_in": 100, "n_jumps": 200, "sample_every": 10}
    bedpostx = fsl.BEDPOSTX5(n_fibres=2, model=2, **chains, **files_of(subject))
    print(f"{name}: {bedpostx.cmdline}")
    count = check_promised(bedpostx.run().outputs)
    check_bedpostx(here / "bedpostx.bedpostX", subject, 2, 20)
    (here / "x").mkdir()
    xfibres = fsl.XFibres5(n_fibres=2, model=1, rician=True, logdir=str(here / "x"), **chains, **files_of(subject))
    print(f"{name}: {xfibres.cmdline}")
    count += check_promised(xfibres.run().outputs)
    check_directions(read(here / "x" / "dyads1.nii.gz", 3, subject), "dyads of xfibres")
    tau = inside(read(here / "x" / "mean_tausamples.nii.gz", 1, subject))
    assert 0.04 < np.median(tau) < 0.08, np.median(tau)
    print(f"{name}: nipype found its {count} files")


def with_fslpy(work, name, subject):
    from fsl import wrappers

    # The package also has a function of this name.
    more = importlib.import_module("fsl.wrappers.bedpostx")
    here = work / f"fslpy-{name}"
    here.mkdir()
    os.chdir(here)
    for copy in ["whole", "xgpu", "parts"]:
        shutil.copytree(subject, here / copy)
    wrappers.bedpostx("whole", n=2, b=100, j=200, s=10, V=True)
    check_bedpostx(here / "whole.bedpostX", subject, 2, 20)
    wrappers.bedpostx_gpu("xgpu", nf=2, burnin=100, njumps=200, sampleevery=10, model=2, cnonlinear=True)
    count, parts = int(np.prod(SHAPE)) - 1, 4
    data, mask, bvecs, bvals = (f"parts/{n}" for n in ["data.nii.gz", "nodif_brain_mask.nii.gz", "bvecs", "bvals"])
    options = {"nf": 2, "model": 2, "bi": 100, "nj": 200, "se": 10, "fudge": 1, "cnonlinear": True, "forcedir": True}
    more.split_parts_gpu(data, mask, bvals, bvecs, parts, "parts.bedpostX")
    for part in range(parts):
        # Its part, and the whole series from which the part is cut.
        own = f"parts.bedpostX/data_{part}" if part % 2 == 0 else data
        more.xfibres_gpu(own, mask, bvecs, bvals, "parts", part, parts, count, logdir="parts.bedpostX/log", **options)
    more.bedpostx_postproc_gpu(data, mask, bvecs, bvals, count, parts, "parts", os.environ["FSLDIR"] + "/bin", **options)
    check_bedpostx(here / "parts.bedpostX", subject, 2, 20)
    images = sorted(path.name for path in (here / "whole.bedpostX").glob("*.nii.gz"))
    for other in ["xgpu", "parts"]:
        assert images == sorted(path.name for path in (here / f"{other}.bedpostX").glob("*.nii.gz")), other
        for image in images:
            a, b = (here / f"{of}.bedpostX" / image for of in ["whole", other])
            assert a.read_bytes() == b.read_bytes(), (other, image)
    more.xfibres(data, mask, bvecs, bvals, logdir="x", nf=1, burnin=100, njumps=200, sampleevery=10)
    check_directions(read(here / "x" / "dyads1.nii.gz", 3, subject), "dyads of xfibres")
    print(f"{name}: fslpy's three ways come to the same {len(images)} images")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path)
    arguments = parser.parse_args()
    work = (arguments.work or pathlib.Path(tempfile.mkdtemp())).absolute()
    surroundings(work)
    for name, affine in affines().items():
        subject = work / "subjects" / name
        write_subject(subject, affine)
        with_nipype(work, name, subject)
        with_fslpy(work, name, subject)
    refused = subprocess.run(["bedpostx", "whole"], cwd=work / "fslpy-left", capture_output=True, text=True)
    assert refused.returncode == 1 and "processed already" in refused.stderr, refused
    print(f"smallest cosine to the truth {smallest:.4f}")


if __name__ == "__main__":
    main()
