#!/usr/bin/env python3
"""Compares FNIRT's coefficients of cubic B-splines with fslpy: the mapped positions of points.

    pip install fslpy nibabel numpy scipy
    cargo build --release -p arcuate-pipeline --example map_points
    oracles/transforms_fnirt.py [--program target/release/examples/map_points]

Random coefficients are written in FNIRT's format, for grids of either handedness, with knots 3 to 7 voxels apart, with and without an
initial registration. The package fslpy reads them (`fsl.transform.fnirt.readFnirt`), expands them to displacements
(`coefficientFieldToDeformationField`) and maps the centres of all voxels of their grid. Arcuate reads the same files. The mapping has a
file on the grid of the diffusion images, and its inverse one on the grid of the masks; both are compared.

Prints the largest distances in mm. The limit is 2e-5 mm, because displacements of some 10 mm are in single precision. With fslpy
3.29.1, distances are 2e-6 mm. Neither fslpy nor Arcuate reads quadratic splines. The comparison detects these errors: knots one further,
the registration inverted, and x of right-handed grids counted from the other side.
"""
import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile

import nibabel as nib
import numpy as np
from fsl.data.image import Image
from fsl.transform import affine as fslaffine
from fsl.transform import fnirt
from scipy.spatial.transform import Rotation

CUBIC = 2007
TOLERANCE = 2e-5


def image(path, rng, right_handed):
    """A mask on an oblique grid."""
    shape = rng.integers(14, 24, 3)
    to_mm = np.eye(4)
    to_mm[:3, :3] = Rotation.from_rotvec(rng.uniform(-0.4, 0.4, 3)).as_matrix() @ np.diag(rng.uniform(1.5, 3, 3))
    if not right_handed:
        to_mm[:3, 0] *= -1
    to_mm[:3, 3] = rng.uniform(-8, 8, 3) - to_mm[:3, :3] @ ((shape - 1) / 2)
    nib.save(nib.Nifti1Image(np.ones(shape, np.uint8), to_mm), path)
    return Image(str(path))


def coefficients(path, rng, ref, src_to_ref):
    """A file in FNIRT's format for a grid `ref`."""
    shape = np.array(ref.shape[:3])
    spacing = rng.integers(3, 8, 3)
    knots = np.ceil((shape + 1) / spacing).astype(int) + 2
    written = nib.Nifti1Image(rng.normal(scale=2, size=(*knots, 3)).astype(np.float32), None)
    header = written.header
    header.set_zooms((*spacing.astype(float), 1))
    written.set_sform(src_to_ref, 1)
    where = np.diag((*spacing.astype(float), 1))
    where[:3, 3] = shape
    written.set_qform(where, 1)
    header = written.header
    header["intent_code"] = CUBIC
    for axis in range(3):
        header[f"intent_p{axis + 1}"] = ref.pixdim[axis]
    nib.save(written, path)


def theirs(path, src, ref):
    """Centres of all voxels of `ref` and their positions mapped by fslpy, both in RAS mm."""
    field = fnirt.readFnirt(str(path), src, ref).asDeformationField()
    voxels = np.stack(np.meshgrid(*[np.arange(n) for n in ref.shape[:3]], indexing="ij"), -1).reshape(-1, 3)
    centres = fslaffine.transform(voxels, ref.getAffine("voxel", "world"))
    return centres, field.transform(voxels, from_="voxel", to="world")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/examples/map_points")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    failed = 0
    for of_dwi, of_mask, registered in itertools.product(("left", "right"), ("left", "right"), (False, True)):
        worst, count = 0, 0
        for seed in range(options.rounds):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                rng = np.random.default_rng([seed, of_dwi == "right", of_mask == "right", registered])
                dwi = image(folder / "dwi.nii", rng, of_dwi == "right")
                mask = image(folder / "mask.nii", rng, of_mask == "right")
                # FLIRT's matrix for a shift in scanner mm only and, if registered, with some degrees of rotation and shears.
                there = np.eye(4)
                if registered:
                    there[:3, :3] = Rotation.from_rotvec(rng.uniform(-0.2, 0.2, 3)).as_matrix() + rng.normal(scale=0.05, size=(3, 3))
                    there[:3, 3] = rng.uniform(-5, 5, 3)
                matrix = fslaffine.concat(dwi.getAffine("world", "fsl"), there, mask.getAffine("fsl", "world"))
                if not registered:
                    matrix = np.eye(4)
                coefficients(folder / "masks_to_dwi.nii.gz", rng, dwi, matrix)
                coefficients(folder / "dwi_to_masks.nii.gz", rng, mask, np.linalg.inv(matrix))
                for column, (file, src, ref) in enumerate((("masks_to_dwi", mask, dwi), ("dwi_to_masks", dwi, mask))):
                    points, expected = theirs(folder / f"{file}.nii.gz", src, ref)
                    known = np.isfinite(expected).all(1)
                    np.savetxt(folder / "points.txt", points[known], fmt="%.17g")
                    words = [options.program, folder / "mask.nii", folder / "dwi.nii", folder / "points.txt",
                             folder / "masks_to_dwi.nii.gz", folder / "dwi_to_masks.nii.gz"]
                    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
                    ours = np.array([line.split() for line in done.stdout.splitlines()], float)[:, 3 * column:3 * column + 3]
                    assert known.mean() > 0.99 and len(ours) == known.sum(), (known.mean(), len(ours))
                    worst = max(worst, np.linalg.norm(ours - expected[known], axis=1).max())
                    count += len(ours)
        wrong = not worst <= TOLERANCE
        failed += wrong
        print(f"# images {of_dwi:<6}masks {of_mask:<6}{'registered' if registered else 'alike':<11}{count:7,} points, {worst:.1e} mm"
              f"{'  FAILED' if wrong else ''}", flush=True)
    print(f"# {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
