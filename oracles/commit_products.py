#!/usr/bin/env python3
"""Computes COMMIT's products A x and A' y by dmri-commit 2.4.2. Arcuate repeats them from the same dictionary files.

    pip install dmri-commit nibabel numpy
    oracles/commit_products.py OUT --data DATA/philips_dwi [--ball-and-stick]    # the whole tractogram
        oracles/commit_products.py OUT --data DATA/philips_dwi --dictionary FOLDER   # an existing one
    oracles/commit_products.py OUT                                               # a handful of streamlines, made here
    ARCUATE_COMMIT_PRODUCTS=OUT/products cargo test --release -p arcuate-evaluate --test all commit_dictionary:: -- --nocapture

OUT/products gets the dictionary, and its tractogram and mask if they were made here. It also gets raw little-endian numbers: the
kernels (float32), and x, y, A x and A' y (float64). The file shape.txt has their sizes. The file orientations.txt has the directions
that the dictionary numbers, along the image's axes.

With 2.4.2, `philips_dwi` and 500 orientations, the largest difference of an entry, relative to the largest entry:

| dictionary | entries | rows | columns | A x | A' y |
|---|---|---|---|---|---|
| mask.nii.gz | 538,200 | 1,046,928 | 189,752 | 4.9e-9 | 7.0e-9 |
| the same, without zeppelin | 538,200 | 1,046,928 | 128,168 | 5.4e-9 | 6.7e-9 |
| wm_fa02.nii.gz, fiber_shift 0 | 506,241 | 924,426 | 168,133 | 4.7e-9 | 9.7e-9 |
| the handful | 106 | 222 | 133 | 2.2e-9 | 1.0e-8 |

For the first dictionary, 2.6 of 371,385 mm of streamlines are in other voxels than Arcuate finds.
"""
import argparse
import pathlib
import shutil

import amico.lut
import commit
import nibabel as nib
import numpy as np
from commit import trk2dictionary


def small(folder):
    """Nine streamlines in an oblique image with unequal edges; one too short to be kept, one turning back, two peaks per voxel."""
    folder.mkdir(parents=True, exist_ok=True)
    shape, rng = (7, 6, 5), np.random.default_rng(7)
    affine = np.array([[-1.9, 0.3, 0.2, 9], [0.25, 1.4, -0.5, -6], [0.15, 0.45, 3.0, -8], [0, 0, 0, 1]])
    # A rotation times edge lengths, because trackvis-like coordinates cannot represent shear.
    q, _ = np.linalg.qr(affine[:3, :3])
    affine[:3, :3] = q * np.sign(np.diag(q)) * [-1, 1, 1] * [1.9, 1.5, 3.0]
    lines = []
    for n in range(9):
        steps = rng.normal(size=3) + 0.5 * rng.normal(size=(12 if n != 4 else 1, 3))
        centre = rng.uniform(1.5, 3.5, size=3)
        line = nib.affines.apply_affine(affine, centre) + 0.6 * np.cumsum(steps, axis=0)
        lines.append((np.vstack([line, line[-2::-1] + 0.05]) if n == 6 else line).astype(np.float32))
    nib.streamlines.save(nib.streamlines.Tractogram(lines, affine_to_rasmm=np.eye(4)), folder / "tracks.tck")
    image = lambda values, name: nib.save(nib.Nifti1Image(values.astype(np.float32), affine), folder / name)
    image(np.ones(shape), "mask.nii.gz")
    peaks = rng.normal(size=shape + (6,))
    peaks[..., 3:] *= rng.random(shape + (1,)) > 0.5
    image(peaks, "peaks.nii.gz")
    b, g = np.array([0, 1000, 1000, 2500, 2500, 2500.0]), rng.normal(size=(6, 3))
    np.savetxt(folder / "dwi.bval", b[None])
    np.savetxt(folder / "dwi.bvec", (g / np.linalg.norm(g, axis=1, keepdims=True)).T)
    image(100 + rng.random(shape + (6,)), "dwi.nii.gz")
    return folder


def make_dictionary(data, products, ndirs, mask="mask.nii.gz"):
    # Streamlines of .tck files need half a voxel, because dmri-commit counts from the corner of a voxel.
    trk2dictionary.run(
        filename_tractogram=str(data / "tracks.tck"), path_out=str(products), filename_mask=str(data / mask),
        filename_peaks=str(data / "peaks.nii.gz"), peaks_use_affine=True, fiber_shift=0.5, ndirs=ndirs,
        min_fiber_len=0.01, n_threads=1, verbose=2,
    )
    shutil.copyfile(data / "tracks.tck", products / "tracks.tck")
    shutil.copyfile(data / mask, products / "mask.nii.gz")


def save_kernels(mit, products, ndirs):
    """The kernels as used, and their numbers by size."""
    kernels = {name: np.ascontiguousarray(mit.KERNELS[name], "<f4") for name in ("wmr", "wmh", "iso")}
    for name, values in kernels.items():
        values.tofile(products / f"{name}.f32")
    counts = [len(kernels["wmr"]), len(kernels["wmh"]), len(kernels["iso"]), ndirs, kernels["iso"].shape[1]]
    (products / "shape.txt").write_text(" ".join(map(str, counts)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--dictionary", type=pathlib.Path, help="one of this data, in place of making it")
    parser.add_argument("--ball-and-stick", action="store_true", help="no zeppelin")
    parser.add_argument("--ndirs", type=int, default=500)
    options = parser.parse_args()
    out = options.out.resolve()
    data = (options.data or small(out / "data")).resolve()
    products = out / "products"
    shutil.rmtree(products, ignore_errors=True)
    products.mkdir(parents=True)

    commit.setup()
    scheme = str(out / "dwi.scheme")
    amico.util.fsl2scheme(str(data / "dwi.bval"), str(data / "dwi.bvec"), scheme)
    if options.dictionary:
        for file in options.dictionary.glob("dictionary_*"):
            shutil.copyfile(file, products / file.name)
    else:
        make_dictionary(data, products, options.ndirs)
    mit = commit.Evaluation(study_path=str(out), subject=".", dictionary_path=str(products))
    mit.load_data(str(data / "dwi.nii.gz"), scheme, b0_thr=50)
    mit.set_model("StickZeppelinBall")
    mit.model.set(1.7e-3, [] if options.ball_and_stick else [0.51e-3], [1.7e-3, 3.0e-3])
    mit.generate_kernels(regenerate=True, ndirs=options.ndirs)
    mit.load_kernels()
    mit.load_dictionary(str(products))
    mit.set_threads(1)
    mit.build_operator()

    rng = np.random.default_rng(0)
    x, y = rng.random(mit.A.shape[1]), rng.random(mit.A.shape[0])
    for name, values in {"x": x, "y": y, "Ax": mit.A.dot(x), "Aty": mit.A.T.dot(y)}.items():
        np.asarray(values, "<f8").tofile(products / f"{name}.f64")
    save_kernels(mit, products, options.ndirs)
    np.savetxt(products / "orientations.txt", amico.lut.load_directions(options.ndirs))
    print(f"{products}: A has {mit.A.shape[0]} rows and {mit.A.shape[1]} columns")


if __name__ == "__main__":
    main()
