#!/usr/bin/env python3
"""Compares images with nibabel and MRtrix: every number type, byte order, version and layout, read and written.

    pip install nibabel numpy        # and MRtrix 3 (mrconvert, mrinfo) on the PATH
    cargo build --release -p arcuate-io --example convert_image
    oracles/nifti_nibabel.py [--real DATA] [--program target/release/examples/convert_image]

nibabel writes NIfTI files and MRtrix .mif files. Arcuate must read the same values and affines. Arcuate writes NIfTI
and .mif files, and nibabel and MRtrix must read the same values and affines. With --real, it also compares the real images in
DATA, and times. The exit code is 1 if anything differs.
"""
import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

import nibabel as nib
import numpy as np

REAL_TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
OUR_NAMES = dict(zip(REAL_TYPES, ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"]))
AFFINES = {
    "oblique": [[-1.9, 0.3, 0.2, 90], [0.25, 1.8, -0.5, -120], [0.15, 0.45, 2.4, -60], [0, 0, 0, 1]],
    "left": [[-2, 0, 0, 90], [0, 2, 0, -120], [0, 0, 3, -60], [0, 0, 0, 1]],
    "permuted": [[0, 0, 1.5, -10], [-2, 0, 0, 20], [0, 2.5, 0, 30], [0, 0, 0, 1]],
}
SHAPES = [(5, 4, 3), (5, 4, 3, 7), (5, 4, 3, 2, 3)]


class Comparison:
    def __init__(self, program):
        self.program, self.checked, self.failed = program, 0, []

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True)
        return done.stderr.strip() if done.returncode else None

    def values(self, path, kind="f64"):
        """Arcuate's values of an image as an array of x, y, z, channel, or the error's text."""
        out = path.with_name("values.npy")
        error = self.run(path, out, kind)
        return error if error else np.load(out).transpose(2, 1, 0, 3)

    def check(self, name, ours, theirs, tolerance=0.0):
        self.checked += 1
        theirs = np.asarray(theirs)
        if isinstance(ours, str):
            self.failed.append(f"{name}: {ours}")
        elif ours.shape != theirs.shape:
            self.failed.append(f"{name}: shape {ours.shape}, not {theirs.shape}")
        elif not np.allclose(ours, theirs, rtol=tolerance, atol=0, equal_nan=True):
            self.failed.append(f"{name}: values differ by up to {np.nanmax(np.abs(ours - theirs))}")

    def affine(self, name, ours, theirs, tolerance):
        self.checked += 1
        if not np.allclose(ours, theirs, rtol=0, atol=tolerance):
            self.failed.append(f"{name}: affine\n{ours}\nnot\n{theirs}")


def as_channels(array):
    """The image with the dimensions beyond the third combined into one, the fourth fastest."""
    return array.reshape(array.shape[:3] + (-1,), order="F") if array.ndim > 3 else array[..., None]


def random_values(rng, kind, shape):
    kind = np.dtype(kind)
    if kind.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(kind)
    if kind.kind == "f":
        values = rng.normal(size=shape).astype(kind)
        values.flat[:3] = np.nan, np.inf, -np.inf
        return values
    limits = np.iinfo(kind)
    values = rng.integers(limits.min, limits.max, size=shape, dtype=kind, endpoint=True)
    values.flat[:2] = limits.min, limits.max
    return values


def read_nibabel(compare, folder, rng):
    """Checks images that nibabel writes."""
    for version, order, kind, shape, (place, affine) in itertools.product(
        (1, 2), "<>", REAL_TYPES + ["c8", "c16"], SHAPES, AFFINES.items()
    ):
        image_class, pair_class = [(nib.Nifti1Image, nib.Nifti1Pair), (nib.Nifti2Image, nib.Nifti2Pair)][version - 1]
        header_class = image_class.header_class
        values = random_values(rng, kind, shape)
        header = header_class(endianness=order)
        header.set_data_dtype(np.dtype(kind).newbyteorder(order))
        for ending in [".nii", ".nii.gz", ".hdr"]:
            image = (pair_class if ending == ".hdr" else image_class)(values, np.array(affine), header)
            path = folder / f"theirs{ending}"
            image.to_filename(path)
            name = f"NIfTI-{version} {order}{kind} {shape} {place} {ending}"
            if np.dtype(kind).kind == "c":
                parts = np.stack([values.real, values.imag], -1)
                theirs = as_channels(np.moveaxis(parts, -1, 3)) if values.ndim > 3 else parts
                compare.check(name, compare.values(path, "components"), theirs)
            else:
                compare.check(name, compare.values(path, OUR_NAMES[kind]), as_channels(values))
            # The affine, through a file that Arcuate writes; complex images are skipped.
            if np.dtype(kind).kind != "c" and ending == ".nii" and kind == "f8":
                compare.run(path, folder / "ours.nii")
                compare.affine(name, nib.load(folder / "ours.nii").affine, nib.load(path).affine, 1e-5)
    # Scaled integers, which nibabel scales in double precision.
    for slope, inter in [(0.37, -12.5), (2.0, 0.0), (1e-3, 1e3)]:
        header = nib.Nifti1Header()
        header.set_data_dtype("i2")
        header.set_slope_inter(slope, inter)
        image = nib.Nifti1Image(rng.normal(size=(5, 4, 3, 2)) * 1000 * slope + inter, np.eye(4), header)
        path = folder / "theirs.nii"
        image.to_filename(path)
        compare.check(f"scaling {slope} {inter}", compare.values(path), as_channels(nib.load(path).get_fdata()), 1e-15)
    # Colours.
    for fields in ["RGB", "RGBA"]:
        colour = np.dtype([(c, "u1") for c in fields])
        values = rng.integers(0, 256, size=(5, 4, 3, len(fields)), dtype="u1")
        path = folder / "theirs.nii"
        nib.Nifti1Image(values.view(colour)[..., 0], np.eye(4)).to_filename(path)
        compare.check(fields, compare.values(path), values)
    # Transforms: only the qform.
    for place, affine in list(AFFINES.items())[1:]:
        image = nib.Nifti1Image(np.zeros((5, 4, 3), "f4"), None)
        image.set_sform(None)
        image.set_qform(np.array(affine), code=1)
        path = folder / "theirs.nii"
        image.to_filename(path)
        compare.run(path, folder / "ours.nii")
        compare.affine(f"qform {place}", nib.load(folder / "ours.nii").affine, nib.load(path).affine, 1e-5)


def write_for_nibabel(compare, folder, rng):
    """Checks images that Arcuate writes."""
    for kind, shape, (place, affine), ending in itertools.product(
        REAL_TYPES, SHAPES[:2], AFFINES.items(), [".nii", ".nii.gz"]
    ):
        values = random_values(rng, kind, shape)
        source, path = folder / "source.nii", folder / f"ours{ending}"
        nib.Nifti1Image(values, np.array(affine), dtype=kind).to_filename(source)
        name = f"written {kind} {shape} {place} {ending}"
        error = compare.run(source, path, OUR_NAMES[kind])
        if error:
            compare.check(name, error, values)
            continue
        back = nib.load(path)
        compare.check(name, np.asanyarray(back.dataobj), values)
        compare.affine(name, back.affine, np.array(affine), 1e-5)
        if int(back.header["qform_code"]):
            compare.affine(name + " qform", back.get_qform(), np.array(affine), 1e-3)
        if np.dtype(kind) != back.get_data_dtype():
            compare.failed.append(f"{name}: written as {back.get_data_dtype()}")


def mrtrix(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout


def mif_files(compare, folder, rng):
    """Checks images that MRtrix writes, in all orders and types, and what it reads of Arcuate's."""
    types = ["bit", "uint8", "int8"] + [
        f"{kind}{order}"
        for kind in ["uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"]
        for order in ["le", "be"]
    ]
    layouts = ["1,2,3,4", "2,3,4,1", "-1,-2,3,4", "4,3,2,1", "-3,1,-4,2", "-1,-2,-3,-4"]
    for place, affine in AFFINES.items():
        source = folder / "source.nii"
        values = rng.integers(0, 100, size=(5, 4, 3, 7)).astype("f4")
        nib.Nifti1Image(values, np.array(affine)).to_filename(source)
        for kind, layout, ending in itertools.product(types, layouts, [".mif", ".mif.gz"]):
            path, back = folder / f"theirs{ending}", folder / "back.nii"
            mrtrix("mrconvert", "-quiet", "-force", source, path, "-datatype", kind, "-strides", layout)
            name = f"mif {kind} {layout} {place} {ending}"
            # MRtrix may permute and flip the axes of the image it writes. The comparison uses the NIfTI that Arcuate writes of the
            # same file, in scanner space.
            error = compare.run(path, back, "f32")
            if error:
                compare.check(name, error, values)
                continue
            theirs = values if kind != "bit" else (values > 0).astype("f4")
            in_space(compare, name, nib.load(back), theirs, np.array(affine))
    for kind, ending, (place, affine) in itertools.product(REAL_TYPES, [".mif", ".mif.gz"], AFFINES.items()):
        source, path, back = folder / "source.nii", folder / f"ours{ending}", folder / "back.nii"
        values = rng.integers(0, 100, size=(5, 4, 3, 7)).astype(kind)
        nib.Nifti1Image(values, np.array(affine), dtype=kind).to_filename(source)
        error = compare.run(source, path, OUR_NAMES[kind])
        if error:
            compare.check(f"mif written {kind}", error, values)
            continue
        mrtrix("mrconvert", "-quiet", "-force", path, back)
        in_space(compare, f"mif written {kind} {place} {ending}", nib.load(back), values, np.array(affine))


def in_space(compare, name, ours, theirs, affine):
    """Compares two images voxel centre by voxel centre, whatever the order of their axes."""
    index = np.stack(np.meshgrid(*map(np.arange, ours.shape[:3]), indexing="ij"), -1).reshape(-1, 3)
    points = nib.affines.apply_affine(ours.affine, index)
    there = nib.affines.apply_affine(np.linalg.inv(affine), points)
    rounded = np.rint(there).astype(int)
    compare.affine(name, there, rounded, 1e-3)
    inside = np.all((rounded >= 0) & (rounded < theirs.shape[:3]), axis=1)
    if not inside.all():
        compare.failed.append(f"{name}: voxels elsewhere")
        return
    compare.check(name, np.asanyarray(ours.dataobj)[tuple(index.T)], theirs[tuple(rounded.T)].astype(float))


def real_images(compare, folder, data):
    for path in sorted(data.glob("*/*.nii.gz")):
        compare.check(path.name, compare.values(path), as_channels(nib.load(path).get_fdata()), 1e-15)
    for path in sorted((data / "mrtrix").glob("*.mif")):
        theirs, ours = folder / "theirs.nii", folder / "ours.nii"
        mrtrix("mrconvert", "-quiet", "-force", path, theirs, "-datatype", "float64")
        compare.run(path, ours)
        image = nib.load(theirs)
        in_space(compare, path.name, nib.load(ours), image.get_fdata(), image.affine)
        ours = folder / "ours.mif"
        if not compare.run(path, ours) and path.name.startswith("dwi"):
            tables = [np.loadtxt(mrtrix("mrinfo", p, "-dwgrad").splitlines()) for p in (path, ours)]
            # MRtrix multiplies b by the squared length of directions even if it differs from 1 by rounding only. Arcuate does so
            # from a difference of 1 %.
            compare.affine(f"{path.name} gradients", tables[1][:, 3], tables[0][:, 3], 0.01)
            weighted = tables[0][:, 3] > 50
            compare.affine(f"{path.name} gradients", tables[1][weighted, :3], tables[0][weighted, :3], 1e-6)
    path = data / "philips_dwi/dwi.nii.gz"
    print("times to read", path.name)
    print(subprocess.run([compare.program, "time", path], capture_output=True, text=True).stdout, end="")
    for _ in range(5):
        start = time.perf_counter()
        nib.load(path).get_fdata(dtype=np.float32)
        print(f"nibabel get_fdata(float32) {time.perf_counter() - start:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/examples/convert_image")
    parser.add_argument("--real", type=pathlib.Path)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    compare = Comparison(options.program)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        read_nibabel(compare, folder, rng)
        write_for_nibabel(compare, folder, rng)
        mif_files(compare, folder, rng)
        if options.real:
            real_images(compare, folder, options.real)
    print(f"{compare.checked} comparisons, {len(compare.failed)} failed")
    print("\n".join(compare.failed[:20]))
    sys.exit(1 if compare.failed else 0)


if __name__ == "__main__":
    main()
