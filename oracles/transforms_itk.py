#!/usr/bin/env python3
"""Compares transforms of ITK and ANTs with SimpleITK: the mapped positions of points, file by file.

    pip install SimpleITK nibabel numpy scipy
    cargo build --release -p arcuate-pipeline --example map_points
    oracles/transforms_itk.py [--program target/release/examples/map_points]

SimpleITK makes random transforms of every supported kind: affine, Euler with both orders of its angles, versor, rigid, similarity,
scale, translation, identity. It writes them as text, MATLAB files and HDF5. SciPy writes MATLAB files of level 4 with the names that ANTs
uses. h5py writes ANTs's composites in single precision, compressed, and with names that ITK once misspelt. Warps (on an oblique grid,
along its own axes) are written as images and within composites, before and after matrices.

Points of an oblique grid are mapped by each transform. SimpleITK maps them in double precision with the same file, or with the transform
in memory if it does not read the file. Arcuate maps them in RAS mm. Both invert matrices. Points for warps are within the warp's image,
because beyond it ITK has no displacement, and Arcuate uses the outermost one.

Lists are those of antsApplyTransforms: 1Warp.nii.gz,0GenericAffine.mat and back 0GenericAffine.mat:inverse,1InverseWarp.nii.gz.

Prints the largest distances in mm. The limit is 1e-9 mm for matrices, and 2e-5 mm for warps, whose displacements and image affines are in
single precision. With SimpleITK 2.5.7, matrices are 8e-14 mm apart, warps in images 1.7e-6 mm, and warps in composites 1.5e-7 mm. The
comparison detects these errors: the list applied from its end, LPS read as RAS, the centre ignored, and displacements that are not rotated
by the following transforms.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import h5py
import nibabel as nib
import numpy as np
import scipy.io
import SimpleITK as sitk
from scipy.spatial.transform import Rotation

FLIP = np.array([-1.0, -1.0, 1.0])
SHAPE = (22, 26, 20)
SIZES = (4.0, 3.5, 5.0)
POINTS = 1000
EXACT, SINGLE = 1e-9, 2e-5


def lattice(rng):
    """Voxels to RAS mm: oblique, right- or left-handed."""
    to_mm = np.eye(4)
    to_mm[:3, :3] = Rotation.from_rotvec(rng.uniform(-0.5, 0.5, 3)).as_matrix() @ np.diag(SIZES)
    if rng.random() < 0.5:
        to_mm[:3, 0] *= -1
    to_mm[:3, 3] = rng.uniform(-5, 5, 3) - to_mm[:3, :3] @ ((np.array(SHAPE) - 1) / 2)
    return to_mm


def image_of(to_mm, values):
    """A SimpleITK image on a grid in RAS mm; vectors are along LPS axes."""
    image = sitk.GetImageFromArray(np.ascontiguousarray(values.transpose(2, 1, 0, 3)), isVector=True)
    sizes = np.linalg.norm(to_mm[:3, :3], axis=0)
    image.SetSpacing(sizes.tolist())
    image.SetDirection((FLIP[:, None] * to_mm[:3, :3] / sizes).ravel().tolist())
    image.SetOrigin((FLIP * to_mm[:3, 3]).tolist())
    return image


def warp_of(rng, to_mm, size):
    """Smooth displacements of some `size` mm, in single precision."""
    voxels = np.stack(np.meshgrid(*[np.arange(n) for n in SHAPE], indexing="ij"), -1)
    waves = [np.sin(voxels @ rng.uniform(-0.3, 0.3, 3) + rng.uniform(0, 6)) for _ in range(3)]
    return image_of(to_mm, (size * np.stack(waves, -1)).astype(np.float32))


def field_of(image):
    return sitk.DisplacementFieldTransform(sitk.Cast(image, sitk.sitkVectorFloat64))


def matrices(rng):
    """A transform of each kind, with numbers typical of registrations."""
    centre = rng.uniform(-20, 20, 3).tolist()
    shift = rng.uniform(-10, 10, 3).tolist()
    axis, angle = rng.normal(size=3).tolist(), rng.uniform(-1, 1)
    affine = sitk.AffineTransform(3)
    affine.SetMatrix((np.eye(3) + rng.normal(scale=0.1, size=(3, 3))).ravel().tolist())
    affine.SetTranslation(shift)
    affine.SetCenter(centre)
    euler = sitk.Euler3DTransform(centre, *rng.uniform(-1, 1, 3).tolist(), shift)
    zyx = sitk.Euler3DTransform(euler)
    zyx.SetComputeZYX(True)
    versor = sitk.VersorTransform(axis, angle)
    versor.SetCenter(centre)
    rigid = sitk.VersorRigid3DTransform(axis, angle, shift, centre)
    similarity = sitk.Similarity3DTransform(rng.uniform(0.8, 1.2), axis, angle, shift, centre)
    scale = sitk.ScaleTransform(3, rng.uniform(0.8, 1.2, 3).tolist())
    scale.SetCenter(centre)
    return {
        "affine": affine, "euler": euler, "euler_zyx": zyx, "versor": versor, "rigid": rigid, "similarity": similarity,
        "scale": scale, "translation": sitk.TranslationTransform(3, shift), "identity": sitk.Transform(3, sitk.sitkIdentity),
    }


def write_hdf5(path, transforms, misspelt):
    """Writes a composite as ANTs does with --float: single precision, compressed. `transforms` are in the order of the file."""
    s = "" if misspelt else "s"
    with h5py.File(path, "w") as file:
        kinds = [("CompositeTransform", None, None)] + transforms
        for number, (kind, parameters, fixed) in enumerate(kinds):
            group = file.create_group(f"TransformGroup/{number}")
            group.create_dataset("TransformType", (1,), dtype=h5py.special_dtype(vlen=bytes))[0] = f"{kind}_float_3_3".encode()
            if fixed is None:
                continue
            group[f"Tran{s}formFixedParameters"] = np.array(fixed, "f8")
            words = {"compression": "gzip", "shuffle": True, "chunks": (1000,)} if len(parameters) > 1000 else {}
            group.create_dataset(f"Tran{s}formParameters", data=np.array(parameters, "f4"), **words)


class Comparison:
    def __init__(self, program, folder, rng):
        self.program, self.folder, self.rng = program, folder, rng
        self.rows, self.failed = {}, []
        self.to_mm = lattice(rng)
        for name in ("mask", "dwi"):
            nib.save(nib.Nifti1Image(np.ones(SHAPE, np.uint8), self.to_mm), folder / f"{name}.nii")

    def points(self, inside):
        """Points in RAS mm that `inside` (points to voxels) maps into the grid."""
        voxels = self.rng.uniform(0, np.array(SHAPE) - 1, (20 * POINTS, 3))
        points = voxels @ self.to_mm[:3, :3].T + self.to_mm[:3, 3]
        if inside is not None:
            at = inside(points)
            points = points[((at >= 0) & (at <= np.array(SHAPE) - 1)).all(1)]
        assert len(points) >= POINTS, len(points)
        return points[:POINTS]

    def check(self, kind, name, tolerance, points, there, back, to_masks, to_images):
        """`there` and `back` are options. The others map LPS points as ITK does, or are None if nothing is compared."""
        np.savetxt(self.folder / "points.txt", points, fmt="%.17g")
        words = [self.program, *(self.folder / name for name in ("mask.nii", "dwi.nii", "points.txt"))]
        options = [",".join(str(self.folder / file) for file in files) for files in (there, back) if files]
        done = subprocess.run([str(word) for word in words + options], capture_output=True, text=True)
        if done.returncode:
            self.failed.append(f"{name}: {done.stderr.strip()}")
            return
        ours = np.array([[float(word) for word in line.split()] for line in done.stdout.splitlines()])
        worst = 0
        for theirs, found in ((to_masks, ours[:, :3]), (to_images, ours[:, 3:])):
            if theirs is not None:
                expected = np.array([theirs(point) for point in (points * FLIP).tolist()]) * FLIP
                worst = max(worst, np.linalg.norm(found - expected, axis=1).max())
        count, before = self.rows.get(kind, (0, 0))
        self.rows[kind] = count + 1, max(before, worst)
        if not worst <= tolerance:
            self.failed.append(f"{name}: {worst:.3g} mm")


def undone(transform):
    inverse = transform.GetInverse()
    return inverse.TransformPoint


def matrices_alone(compare, transforms):
    for name, transform in transforms.items():
        for ending in ("txt", "tfm", "mat", "h5"):
            file = f"{name}.{ending}"
            sitk.WriteTransform(transform, str(compare.folder / file))
            read = sitk.ReadTransform(str(compare.folder / file))
            compare.check("matrices as " + ending, file, EXACT, compare.points(None), [file], [], read.TransformPoint, undone(read))
    affine = transforms["affine"]
    for kind in ("AffineTransform_double_3_3", "MatrixOffsetTransformBase_double_3_3", "AffineTransform_float_3_3"):
        numbers = np.float32 if "float" in kind else np.float64
        values = {kind: np.array(affine.GetParameters(), numbers)[:, None], "fixed": np.array(affine.GetFixedParameters(), numbers)[:, None]}
        file = f"{kind}.mat"
        scipy.io.savemat(compare.folder / file, values, format="4")
        same = sitk.AffineTransform(3)
        same.SetFixedParameters([float(value) for value in values["fixed"].ravel()])
        same.SetParameters([float(value) for value in values[kind].ravel()])
        compare.check("matrices by SciPy", file, EXACT, compare.points(None), [file], [], same.TransformPoint, undone(same))
    # Points pass the last transform of a composite first, and the first one of a list.
    a, b, c = (transforms[name] for name in ("affine", "euler", "similarity"))
    composite = sitk.CompositeTransform([a, b, c])
    for ending in ("h5", "txt"):
        sitk.WriteTransform(composite, str(compare.folder / f"three.{ending}"))
        read = sitk.ReadTransform(str(compare.folder / f"three.{ending}"))
        compare.check("composites of matrices", f"three.{ending}", EXACT, compare.points(None), [f"three.{ending}"], [],
                      read.TransformPoint, undone(composite))
    compare.check("lists of matrices", "list", EXACT, compare.points(None), ["similarity.mat", "euler.txt", "affine.h5"], [],
                  composite.TransformPoint, undone(composite))
    mixed = sitk.CompositeTransform([a, b.GetInverse(), c])
    compare.check("lists of matrices", "list with an inverse", EXACT, compare.points(None),
                  ["similarity.mat", "euler.txt:inverse", "affine.h5"], [], mixed.TransformPoint, undone(mixed))


def warps(compare, transforms):
    rng, folder = compare.rng, compare.folder
    affine = transforms["affine"]
    to_mm = lattice(rng)
    from_mm = np.linalg.inv(to_mm)
    # Small enough that both are inverses within the program's tolerance. Each direction is checked separately.
    forth, back = warp_of(rng, to_mm, 3), warp_of(rng, to_mm, 2)
    sitk.WriteImage(forth, str(folder / "1Warp.nii.gz"))
    sitk.WriteImage(back, str(folder / "1InverseWarp.nii.gz"))
    scipy.io.savemat(folder / "0GenericAffine.mat", {
        "AffineTransform_double_3_3": np.array(affine.GetParameters())[:, None],
        "fixed": np.array(affine.GetFixedParameters())[:, None]}, format="4")
    forth_field, back_field = field_of(forth), field_of(back)

    def voxels(points):
        return points @ from_mm[:3, :3].T + from_mm[:3, 3]

    def after(transform):
        return lambda points: voxels(np.array([transform.TransformPoint(p) for p in (points * FLIP).tolist()]) * FLIP)

    one, other = ["1Warp.nii.gz"], ["1InverseWarp.nii.gz"]
    points = compare.points(voxels)
    compare.check("warps", "warp alone", SINGLE, points, one, other, forth_field.TransformPoint, back_field.TransformPoint)

    # As from antsRegistration, with diffusion images fixed and masks moving, and the other way round.
    onto = sitk.CompositeTransform([affine, forth_field])
    from_ = sitk.CompositeTransform([back_field, affine.GetInverse()])
    there, again = one + ["0GenericAffine.mat"], ["0GenericAffine.mat:inverse"] + other
    compare.check("ANTs' lists", "to", SINGLE, points, there, again, onto.TransformPoint, None)
    undone_points = compare.points(after(affine.GetInverse()))
    compare.check("ANTs' lists", "from", SINGLE, undone_points, there, again, None, from_.TransformPoint)
    compare.check("ANTs' lists", "the other way round", SINGLE, undone_points, again, there, from_.TransformPoint, None)
    compare.check("ANTs' lists", "the other way round, back", SINGLE, points, again, there, None, onto.TransformPoint)

    # With the names of fMRIPrep and QSIPrep.
    for name, composite in (("to", onto), ("from", sitk.CompositeTransform([back_field, sitk.AffineTransform(affine.GetInverse())]))):
        sitk.WriteTransform(composite, str(folder / f"{name}.h5"))
        sitk.WriteTransform(composite, str(folder / f"{name}.txt"))
    for ending, kind in (("h5", "composites with a warp"), ("txt", "composites as text")):
        to, back_ = sitk.ReadTransform(str(folder / f"to.{ending}")), sitk.ReadTransform(str(folder / f"from.{ending}"))
        compare.check(kind, f"to.{ending}", SINGLE, points, [f"to.{ending}"], [f"from.{ending}"], to.TransformPoint, None)
        compare.check(kind, f"from.{ending}", SINGLE, undone_points, [f"to.{ending}"], [f"from.{ending}"], None, back_.TransformPoint)

    # In single precision, like files of ANTs with --float.
    rounded = sitk.AffineTransform(affine)
    rounded.SetParameters([float(np.float32(value)) for value in affine.GetParameters()])
    for misspelt in (False, True):
        names = ("misspelt_to.h5", "misspelt_from.h5") if misspelt else ("float_to.h5", "float_from.h5")
        inverse = sitk.AffineTransform(rounded.GetInverse())
        matrix = ("AffineTransform", rounded.GetParameters(), rounded.GetFixedParameters())
        unmatrix = ("AffineTransform", inverse.GetParameters(), inverse.GetFixedParameters())
        field, unfield = (("DisplacementFieldTransform", f.GetParameters(), f.GetFixedParameters()) for f in (forth_field, back_field))
        write_hdf5(folder / names[0], [matrix, field], misspelt)
        write_hdf5(folder / names[1], [unfield, unmatrix], misspelt)
        to = sitk.CompositeTransform([rounded, forth_field])
        compare.check("composites as ANTs'", names[0], SINGLE, points, [names[0]], [names[1]], to.TransformPoint, None)
    # A matrix, a warp, a matrix.
    rigid = transforms["rigid"]
    three = sitk.CompositeTransform([affine, forth_field, rigid])
    sitk.WriteTransform(three, str(folder / "three_to.h5"))
    back_three = ["0GenericAffine.mat:inverse", "1InverseWarp.nii.gz", "rigid.mat:inverse"]
    compare.check("composites with a warp", "three", SINGLE, compare.points(after(rigid)), ["three_to.h5"], back_three,
                  three.TransformPoint, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/examples/map_points")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows, failed = {}, []
    for seed in range(options.rounds):
        with tempfile.TemporaryDirectory() as name:
            rng = np.random.default_rng(seed)
            compare = Comparison(options.program, pathlib.Path(name), rng)
            transforms = matrices(rng)
            matrices_alone(compare, transforms)
            warps(compare, transforms)
            failed += [f"seed {seed}: {line}" for line in compare.failed]
            for kind, (count, worst) in compare.rows.items():
                before, largest = rows.get(kind, (0, 0))
                rows[kind] = before + count, max(largest, worst)
    for kind, (count, worst) in rows.items():
        print(f"# {kind:<26}{count:5} files of {POINTS} points, {worst:.1e} mm")
    for line in failed:
        print(f"# FAILED {line}")
    print(f"# {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
