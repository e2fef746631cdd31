#!/usr/bin/env python3
"""Runs the replacements of FSL's dtifit, make_dyadic_vectors, find_the_biggest, proj_thresh and fdt_matrix_merge under their callers:
nipype's DTIFit, MakeDyadicVectors, FindTheBiggest and ProjThresh, and fslpy's dtifit. The callers are unchanged, and the links of
`arcuate names` are on the path.

    pip install nipype==1.11.0 fslpy nibabel numpy
    ARCUATE=target/release/arcuate oracles/fsl_tools_callers.py [--work FOLDER]

Subjects are those of bedpostx_callers.py: voxels from right to left, from left to right, oblique, and without sform and qform. Every
file that a caller promises is read back and compared with NumPy's result for the same series. Tensors are fitted by weighted and by
ordinary least squares on logarithms. Signals below 1 % of S0 are raised to that. Eigenvalues, FA, MD, mode and squared errors are also
compared. Fails if a value differs by more than 1e-4 of the largest one. The same limit holds for directions whose eigenvalue differs by
more than 1e-5 mm²/s from the others.

With nipype 1.11.0, fslpy 3.29.1 and nibabel 5.4.2 everything passes; the largest difference is 4.7e-7.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

import nibabel as nib
import numpy as np
from bedpostx_callers import ARCUATE, affines, check_promised, files_of, inside, read, surroundings, vector, write_subject

ALLOWED = 1e-4
largest = 0.0


def close(found, wanted, what):
    global largest
    off = np.abs(found - wanted).max() / np.abs(wanted).max()
    largest = max(largest, off)
    assert off < ALLOWED, (what, off)


def fit(signals, b_values, directions, weighted):
    """ln S0 and the elements xx xy xz yy yz zz of each row of signals, and the residuals of the logarithms."""
    x, y, z = directions
    columns = [x * x, 2 * x * y, 2 * x * z, y * y, 2 * y * z, z * z]
    design = np.stack([np.ones_like(b_values)] + [-b_values * column for column in columns], axis=1)
    least = np.zeros((len(signals), 1))
    for _ in range(2):
        clipped = np.maximum(signals, least)
        logs = np.log(clipped)
        weights = clipped**2 if weighted else np.ones_like(clipped)
        normal = np.einsum("mi,vm,mj->vij", design, weights, design)
        found = np.linalg.solve(normal, np.einsum("mi,vm,vm->vi", design, weights, logs)[..., None])[..., 0]
        least = 0.01 * np.exp(found[:, :1])
    return found, logs - found @ design.T


def check_dtifit(folder, base, subject, weighted):
    signals = inside(nib.load(subject / "data.nii.gz").get_fdata())
    b_values, directions = np.loadtxt(subject / "bvals"), np.loadtxt(subject / "bvecs")
    found, left = fit(signals, b_values, directions, weighted)
    elements = found[:, 1:]
    matrices = elements[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    values, vectors = np.linalg.eigh(matrices)
    values, vectors = values[:, ::-1], vectors[:, :, ::-1]
    mean = values.mean(1)
    deviations = values - mean[:, None]
    norm = np.sqrt((deviations**2).sum(1))
    maps = {
        "S0": np.exp(found[:, 0]),
        "MD": mean,
        "FA": np.sqrt(1.5) * norm / np.sqrt((values**2).sum(1)),
        "MO": 3 * np.sqrt(6) * np.prod(deviations / norm[:, None], axis=1),
        "sse": (left**2).sum(1),
        "tensor": elements,
    } | {f"L{n + 1}": values[:, n] for n in range(3)}
    for name, wanted in maps.items():
        channels = 6 if name == "tensor" else 1
        close(inside(read(folder / f"{base}_{name}.nii.gz", channels, subject)), wanted, name)
    gaps = np.abs(np.diff(values, axis=1))
    for n in range(3):
        apart = np.min(gaps[:, max(n - 1, 0) : n + 1], axis=1) > 1e-5
        assert apart.mean() > 0.3, "hardly a direction is compared"
        own = inside(read(folder / f"{base}_V{n + 1}.nii.gz", 3, subject))
        cosines = np.abs((own * vectors[:, :, n]).sum(1))
        assert cosines[apart].min() > 1 - ALLOWED, (n, cosines[apart].min())
        np.testing.assert_allclose((own**2).sum(1), 1, atol=1e-5)


def save(path, values, subject):
    image = nib.load(subject / "nodif_brain_mask.nii.gz")
    header = image.header.copy()
    header.set_data_dtype(values.dtype)
    nib.save(nib.Nifti1Image(values, image.affine, header), path)
    return str(path)


def with_nipype(work, name, subject):
    from nipype.interfaces import fsl

    here = work / f"nipype-{name}"
    here.mkdir()
    os.chdir(here)
    tensor = fsl.DTIFit(base_name="dti", sse=True, save_tensor=True, **files_of(subject))
    print(f"{name}: {tensor.cmdline}")
    count = check_promised(tensor.run().outputs)
    check_dtifit(here, "dti", subject, weighted=False)
    weighted = fsl.DTIFit(base_name="wls", sse=True, save_tensor=True, args="--wls", **files_of(subject))
    count += check_promised(weighted.run().outputs)
    check_dtifit(here, "wls", subject, weighted=True)
    refused = subprocess.run([*tensor.cmdline.split(), "--kurt"], capture_output=True, text=True)
    assert refused.returncode == 1 and refused.stderr.startswith("error: --kurt: "), refused

    generator = np.random.default_rng(11)
    shape = nib.load(subject / "nodif_brain_mask.nii.gz").shape
    theta = generator.uniform(0.2, 0.6, shape + (30,)).astype(np.float32)
    phi = generator.uniform(-0.4, 0.4, shape + (30,)).astype(np.float32)
    mask = files_of(subject)["mask"]
    angles = {"theta_vol": save(here / "th.nii.gz", theta, subject), "phi_vol": save(here / "ph.nii.gz", phi, subject)}
    dyads = fsl.MakeDyadicVectors(mask=mask, output="dyads", perc=90.0, **angles)
    print(f"{name}: {dyads.cmdline}")
    count += check_promised(dyads.run().outputs)
    samples = inside(vector(theta.astype(float), phi.astype(float)))
    values, vectors = np.linalg.eigh(np.einsum("vsi,vsj->vij", samples, samples) / 30)
    close(inside(read(here / "dyads_dispersion.nii.gz", 1, subject)), 1 - values[:, 2], "dispersion")
    axes = vectors[:, :, 2] * np.sign(vectors[:, 2:, 2])
    close(inside(read(here / "dyads.nii.gz", 3, subject)), axes, "dyads")
    cosines = np.abs(np.einsum("vsi,vi->vs", samples, axes))
    wanted = np.sort(np.degrees(np.arccos(np.minimum(cosines, 1))), axis=1)[:, 26]
    close(inside(read(here / "dyads_cones90.nii.gz", 1, subject)), wanted, "cones")

    maps = np.floor(generator.exponential(40, (3,) + shape)).astype(np.float32)
    maps[:, 0, 0, 0] = 0
    names = [save(here / f"seeds_to_{n}.nii.gz", values, subject) for n, values in enumerate(maps)]
    biggest = fsl.FindTheBiggest(in_files=names, out_file="biggest.nii.gz")
    print(f"{name}: {biggest.cmdline}")
    count += check_promised(biggest.run().outputs)
    found = nib.load("biggest.nii.gz")
    assert found.get_data_dtype() == np.int32
    np.testing.assert_array_equal(found.get_fdata(), np.where(maps.max(0) > 0, maps.argmax(0) + 1, 0))
    count += check_promised(fsl.FindTheBiggest(in_files=names).run().outputs)
    shares = fsl.ProjThresh(in_files=names, threshold=100)
    print(f"{name}: {shares.cmdline}")
    count += check_promised(shares.run().outputs)
    total = maps.sum(0)
    np.testing.assert_array_equal(nib.load("total.nii.gz").get_fdata(), total)
    assert 0.1 < (total >= 100).mean() < 0.9
    for n, values in enumerate(maps):
        found = nib.load(f"seeds_to_{n}_proj_seg_thr_100.nii.gz").get_fdata()
        np.testing.assert_allclose(found, np.where(total >= 100, values / np.maximum(total, 1), 0), atol=1e-7)
    print(f"{name}: nipype found its {count} files")


def with_fslpy(work, name, subject):
    from fsl import wrappers

    here = work / f"fslpy-{name}"
    here.mkdir()
    os.chdir(here)
    files = [str(subject / file) for file in ["nodif_brain_mask.nii.gz", "bvecs", "bvals"]]
    wrappers.dtifit(str(subject / "data.nii.gz"), "ols", *files, sse=True, save_tensor=True, verbose=True)
    check_dtifit(here, "ols", subject, weighted=False)
    wrappers.dtifit(str(subject / "data.nii.gz"), "wls", *files, sse=True, save_tensor=True, w=True)
    check_dtifit(here, "wls", subject, weighted=True)
    # Images and tables in memory, also for results.
    data, mask = (nib.load(subject / file) for file in ["data.nii.gz", "nodif_brain_mask.nii.gz"])
    tables = [np.loadtxt(subject / file) for file in ["bvecs", "bvals"]]
    found = wrappers.dtifit(data, wrappers.LOAD, mask, tables[0], tables[1][None])
    names = sorted(name.lstrip("_") for name in found)
    own = nib.load(here / "ols_FA.nii.gz").get_fdata()
    loaded = next(image for name, image in found.items() if name.endswith("FA"))
    np.testing.assert_allclose(loaded.get_fdata(), own, atol=1e-5)
    print(f"{name}: fslpy loaded {names}")


def merge(work):
    os.chdir(work)
    generator = np.random.default_rng(5)
    total = np.zeros((20, 30))
    for n in range(3):
        matrix = np.where(generator.uniform(size=total.shape) < 0.2, generator.integers(1, 50, total.shape), 0)
        entries = [f"{i + 1}  {j + 1}  {matrix[i, j]}" for j, i in np.argwhere(matrix.T)]
        pathlib.Path(f"run{n}.dot").write_text("\n".join(entries + ["20  30  0"]) + "\n")
        total += matrix
    pathlib.Path("list").write_text("run0.dot run1.dot run2.dot\n")
    subprocess.run(["fdt_matrix_merge", "list", "sum.dot"], check=True)
    found = np.zeros_like(total)
    entries = np.loadtxt("sum.dot")
    for i, j, value in entries[:-1]:
        found[int(i) - 1, int(j) - 1] = value
    np.testing.assert_array_equal(found, total)
    assert entries[-1].tolist() == [20, 30, 0]


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
    merge(work)
    absent = subprocess.run([ARCUATE, "vecreg"], capture_output=True, text=True)
    assert absent.returncode == 2 and "without a counterpart in Arcuate" in absent.stderr, absent
    print(f"largest difference {largest:.1e} of the largest value")


if __name__ == "__main__":
    main()
