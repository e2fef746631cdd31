#!/usr/bin/env python3
"""Compares surfaces and CIFTI-2 files with nibabel in both directions, and crossings of meshes with exact fractions.

    cargo build --release -p arcuate-io --example surface_files
    python oracles/surfaces_nibabel.py --program target/release/examples/surface_files

nibabel writes GIFTI (text, base64, compressed, in another file; both byte orders; rows and columns first), FreeSurfer's
surfaces, values and annotations, and CIFTI-2 of every kind. Arcuate reads them and writes them again, and nibabel reads Arcuate's
files. Coordinates in scanner mm are compared with vox2ras · vox2ras_tkr⁻¹ computed here. Segments against a folded closed
mesh with whole millimetres are computed in exact fractions. For segments that touch no edge and no vertex, the number of crossings must be
equal. First contacts and inside tests must agree for all. Needs nibabel and numpy. If wb_command is installed, it also reads Arcuate's
files.
"""

import argparse
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

import nibabel as nib
import numpy as np
from nibabel import cifti2, gifti
from nibabel.freesurfer import io as freesurfer


class Comparison:
    def __init__(self, program):
        self.program = program
        self.checked = 0
        self.failed = []

    def run(self, *words):
        return subprocess.run([self.program, *map(str, words)], capture_output=True, text=True)

    def dump(self, path):
        done = self.run("dump", path)
        if done.returncode:
            raise SystemExit(f"{path}: {done.stderr}")
        return json.loads(done.stdout)

    def convert(self, *paths):
        done = self.run("convert", *paths)
        if done.returncode:
            raise SystemExit(f"{paths}: {done.stderr}")

    def check(self, name, ours, theirs, tolerance=0.0):
        self.checked += 1
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        if ours.shape != theirs.shape:
            self.failed.append(f"{name}: {ours.shape} against {theirs.shape}")
        elif not np.all(np.abs(ours - theirs) <= tolerance):
            self.failed.append(f"{name}: {np.abs(ours - theirs).max()} apart")

    def same(self, name, ours, theirs):
        self.checked += 1
        if ours != theirs:
            self.failed.append(f"{name}: {ours!r} against {theirs!r}")


def globe(rings, around, place):
    """A closed mesh of rings between two poles."""
    polar = np.pi * np.arange(1, rings + 1) / (rings + 1)
    azimuth = 2 * np.pi * np.arange(around) / around
    vertices = [place(0.0, 0.0)] + [place(p, a) for p in polar for a in azimuth] + [place(np.pi, 0.0)]
    at = lambda ring, n: 1 + ring * around + n % around
    triangles = []
    for n in range(around):
        triangles += [[0, at(0, n), at(0, n + 1)], [len(vertices) - 1, at(rings - 1, n + 1), at(rings - 1, n)]]
        for ring in range(rings - 1):
            triangles += [[at(ring, n), at(ring + 1, n), at(ring + 1, n + 1)], [at(ring, n), at(ring + 1, n + 1), at(ring, n + 1)]]
    return np.array(vertices, "f4"), np.array(triangles, "i4")


def folded(p, a):
    radius = 8 + 4 * np.sin(8 * a) * np.sin(p) + 2 * np.sin(7 * p)
    return np.rint(radius * np.array([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)]))


def gifti_files(compare, folder, rng):
    vertices, triangles = globe(5, 8, folded)
    vertices += rng.normal(size=vertices.shape).astype("f4")
    values = rng.normal(size=len(vertices)).astype("f4")
    labels = rng.integers(0, 3, len(vertices)).astype("i4")
    encodings = ["GIFTI_ENCODING_ASCII", "GIFTI_ENCODING_B64BIN", "GIFTI_ENCODING_B64GZ", "GIFTI_ENCODING_EXTBIN"]
    for encoding, order in itertools.product(encodings, ["C", "F"]):
        if encoding == "GIFTI_ENCODING_EXTBIN":
            continue  # nibabel reads but does not write it: below.
        if (encoding, order) == ("GIFTI_ENCODING_ASCII", "F"):
            continue  # nibabel writes text row by row but labels it column by column.
        image = gifti.GiftiImage(meta=gifti.GiftiMetaData(AnatomicalStructurePrimary="CortexRight"))
        table = gifti.GiftiLabelTable()
        for key, name in enumerate(["???", "a & b", "<c>"]):
            label = gifti.GiftiLabel(key, 0.25, 0.5, key / 2, 1.0)
            label.label = name
            table.labels.append(label)
        image.labeltable = table
        for data, intent in [(vertices, "POINTSET"), (triangles, "TRIANGLE"), (values, "SHAPE"), (labels, "LABEL")]:
            kind = "NIFTI_TYPE_FLOAT32" if data.dtype == "f4" else "NIFTI_TYPE_INT32"
            array = gifti.GiftiDataArray(
                data, f"NIFTI_INTENT_{intent}", kind, encoding=encoding, ordering=order, meta={"Name": intent}
            )
            image.add_gifti_data_array(array)
        path = folder / "theirs.gii"
        nib.save(image, path)
        back = nib.load(path)
        for direction in ["read", "written"]:
            name = f"GIFTI {encoding} {order} {direction}"
            if direction == "read":
                ours = compare.dump(path)
            else:
                compare.convert(path, folder / "ours.gii")
                back = nib.load(folder / "ours.gii")
                ours = compare.dump(folder / "ours.gii")
            compare.check(name, ours["scanner"], back.agg_data("pointset"))
            compare.check(name, ours["scanner"], vertices, 2e-6 if "ASCII" in encoding else 0)
            compare.check(name, ours["triangles"], back.agg_data("triangle"))
            compare.check(name, ours["maps"][0]["values"], back.get_arrays_from_intent("NIFTI_INTENT_SHAPE")[0].data)
            compare.check(name, ours["labels"][0]["values"], back.get_arrays_from_intent("NIFTI_INTENT_LABEL")[0].data)
            table = [[l.key, l.label, [l.red, l.green, l.blue, l.alpha]] for l in back.labeltable.labels]
            compare.same(name, ours["labels"][0]["table"], table)
            compare.same(name, ours["structure"], back.meta["AnatomicalStructurePrimary"])
    # Both byte orders, and data in another file, by hand.
    for order, word in [("<", "LittleEndian"), (">", "BigEndian")]:
        (folder / "data.bin").write_bytes(b"xx" + values.astype(order + "f4").tobytes())
        path = folder / "external.shape.gii"
        path.write_text(
            '<?xml version="1.0"?><GIFTI Version="1.0" NumberOfDataArrays="1"><DataArray Intent="NIFTI_INTENT_SHAPE" '
            f'DataType="NIFTI_TYPE_FLOAT32" ArrayIndexingOrder="RowMajorOrder" Dimensionality="1" Dim0="{len(values)}" '
            f'Encoding="ExternalFileBinary" Endian="{word}" ExternalFileName="data.bin" ExternalFileOffset="2">'
            "<Data></Data></DataArray></GIFTI>"
        )
        compare.check(f"external {word}", compare.dump(path)["maps"][0]["values"], values)
        compare.check(f"external {word} by nibabel", nib.load(path).agg_data(), values)


VOLUMES = {
    "conformed": ([256] * 3, [1.0] * 3, [[-1, 0, 0], [0, 0, -1], [0, 1, 0]], [3.5, -12.25, 20.0]),
    "axial": ([80, 90, 60], [2.0, 2.5, 3.0], [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], [1.0, 2.0, 3.0]),
    "oblique": ([100, 120, 70], [1.5, 1.5, 2.0], [[-0.8, 0.6, 0], [0.6, 0.8, 0], [0, 0, 1]], [-7.0, 0.0, 11.0]),
}


def matrices(shape, sizes, axes, centre):
    (nx, ny, nz), (dx, dy, dz) = shape, sizes
    tkras = np.array([[-dx, 0, 0, nx * dx / 2], [0, 0, dz, -nz * dz / 2], [0, -dy, 0, ny * dy / 2], [0, 0, 0, 1]])
    scanner = np.eye(4)
    scanner[:3, :3] = np.array(axes, float).T * sizes
    scanner[:3, 3] = centre - scanner[:3, :3] @ (np.array(shape) / 2)
    return scanner, tkras


def freesurfer_files(compare, folder, rng):
    vertices, triangles = globe(5, 8, folded)
    for place, (shape, sizes, axes, centre) in VOLUMES.items():
        info = {
            "head": np.array([2, 0, 20]),
            "valid": "1  # volume info valid",
            "filename": "orig.mgz",
            "volume": np.array(shape),
            "voxelsize": np.array(sizes),
            **{name: np.array(axis, float) for name, axis in zip(["xras", "yras", "zras"], axes)},
            "cras": np.array(centre),
        }
        path = folder / "lh.white"
        freesurfer.write_geometry(path, vertices, triangles, volume_info=info)
        scanner, tkras = matrices(shape, sizes, axes, centre)
        expected = nib.affines.apply_affine(scanner @ np.linalg.inv(tkras), vertices)
        ours = compare.dump(path)
        compare.check(f"FreeSurfer {place}", ours["stored"], vertices)
        compare.check(f"FreeSurfer {place} in scanner mm", ours["scanner"], expected, 1e-5)
        compare.same(f"FreeSurfer {place}", ours["structure"], "CortexLeft")
        compare.convert(path, folder / "lh.surf.gii")
        points = nib.load(folder / "lh.surf.gii").agg_data("pointset")
        compare.check(f"FreeSurfer {place} to GIFTI", points, expected, 1e-5)
        # Back, in the coordinates of an image.
        reference = folder / "reference.nii"
        nib.save(nib.Nifti1Image(np.zeros(shape, "u1"), scanner), reference)
        compare.convert(folder / "lh.surf.gii", folder / "rh.pial", reference)
        back, corners, stated = freesurfer.read_geometry(folder / "rh.pial", read_metadata=True)
        compare.check(f"written for FreeSurfer {place}", back, vertices, 1e-4)
        compare.check(f"written for FreeSurfer {place}", stated["cras"], centre, 1e-4)
        compare.check(f"written for FreeSurfer {place}", stated["volume"], shape)
        # The order of corners may differ, because it keeps the triangles' orientation in space.
        compare.check(f"written for FreeSurfer {place}", np.sort(corners), np.sort(triangles))
    values = rng.normal(size=50).astype("f4")
    freesurfer.write_morph_data(folder / "lh.thickness", values)
    compare.check("values", compare.dump(folder / "lh.thickness")["maps"][0]["values"], values)
    compare.convert(folder / "lh.thickness", folder / "rh.curv")
    compare.check("values written", freesurfer.read_morph_data(folder / "rh.curv"), values)
    labels = rng.integers(0, 4, 50)
    table = np.array([[25, 5, 25, 0], [100, 25, 0, 0], [125, 100, 160, 0], [0, 0, 255, 0]])
    names = [b"unknown", b"bankssts", b"caudal", b"blue"]
    freesurfer.write_annot(folder / "lh.a.annot", labels, table, names, fill_ctab=True)
    ours = compare.dump(folder / "lh.a.annot")["labels"][0]
    compare.check("annotation", ours["values"], labels)
    compare.same("annotation", [entry[1] for entry in ours["table"]], [name.decode() for name in names])
    compare.convert(folder / "lh.a.annot", folder / "lh.a.label.gii")
    compare.check("annotation to GIFTI", nib.load(folder / "lh.a.label.gii").agg_data(), labels)
    compare.convert(folder / "lh.a.label.gii", folder / "lh.b.annot")
    back, colours, named = freesurfer.read_annot(folder / "lh.b.annot")
    compare.check("annotation written", back, labels)
    compare.check("annotation written", colours[:, :3], table[:, :3])
    compare.same("annotation written", list(named), names)


def cifti_files(compare, folder, rng):
    left = cifti2.BrainModelAxis.from_surface(np.array([0, 2, 3, 7]), 9, "CortexLeft")
    affine = np.array([[-2.0, 0, 0, 90], [0, 2, 0, -126], [0, 0, 2, -72], [0, 0, 0, 1]])
    mask = np.zeros((6, 5, 4), bool)
    mask[1:3, 2, 1] = mask[4, 4, 3] = True
    dense = left + cifti2.BrainModelAxis.from_mask(mask, "thalamus_right", affine)
    parcels = cifti2.ParcelsAxis.from_brain_models([("one", left[:2]), ("two & three", dense[3:])])
    scalars = cifti2.ScalarAxis(["thickness", "a & b"])
    labels = cifti2.LabelAxis(["parts"], [{0: ("???", (0, 0, 0, 0)), 5: ("five", (0.25, 0.5, 1, 1))}])
    series = cifti2.SeriesAxis(0.5, 0.75, 7)
    for ending, intent, along, down in [
        ("dconn", "ConnDense", dense, dense),
        ("pconn", "ConnParcels", parcels, parcels),
        ("dscalar", "ConnDenseScalar", scalars, dense),
        ("dlabel", "ConnDenseLabel", labels, dense),
        ("dtseries", "ConnDenseSeries", series, dense),
        ("pscalar", "ConnParcelScalr", scalars, parcels),
        ("ptseries", "ConnParcelSries", series, parcels),
    ]:
        values = rng.integers(0, 6, (len(along), len(down))).astype("f4")
        path = folder / f"theirs.{ending}.nii"
        image = cifti2.Cifti2Image(values, header=(along, down))
        image.to_filename(path)
        ours = compare.dump(path)
        # nibabel's first axis is along a row of the file.
        compare.check(f"{ending} read", ours["values"], values.T)
        if down is dense:
            models = [
                [
                    name,
                    int(part.nvertices[name]) if name in part.nvertices else None,
                    part.vertex.tolist() if name in part.nvertices else part.voxel.tolist(),
                ]
                for name, _, part in dense.iter_structures()
            ]
            compare.same(f"{ending} models", ours["rows"]["models"], models)
            compare.check(f"{ending} affine", ours["rows"]["affine"], affine[:3])
        if ending == "ptseries":
            continue  # described, not written.
        compare.convert(path, folder / f"ours.{ending}.nii")
        back = nib.load(folder / f"ours.{ending}.nii")
        compare.check(f"{ending} written", back.get_fdata(), values)
        for n, axis in enumerate([along, down]):
            compare.same(f"{ending} axis {n}", back.header.get_axis(n) == axis, True)
        workbench(compare, folder / f"ours.{ending}.nii", values.T)
        compare.same(f"{ending} intent", back.nifti_header.get_intent(), (intent, (), intent))


def workbench(compare, path, values):
    """Compares a file that Arcuate wrote, as Connectome Workbench reads it, if installed (Debian: connectome-workbench)."""
    if shutil.which("wb_command") is None:
        return
    text = path.with_suffix(".txt")
    subprocess.run(["wb_command", "-file-information", path], check=True, capture_output=True)
    subprocess.run(["wb_command", "-cifti-convert", "-to-text", path, text], check=True, capture_output=True)
    compare.check(f"{path.name} by Workbench", np.loadtxt(text, ndmin=2), values)


def determinant(u, v, w):
    return (
        u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
    )


def minus(a, b):
    return [a[n] - b[n] for n in range(3)]


def meeting(p, q, triangle):
    """The intersection of an open-ended segment with a triangle: the position along the segment, and whether it is in the interior. None
    if there is none, "plane" if the segment is in the triangle's plane."""
    a, b, c = triangle
    before = determinant(minus(p, a), minus(b, a), minus(c, a))
    behind = determinant(minus(q, a), minus(b, a), minus(c, a))
    if before == 0 and behind == 0:
        return "plane"
    if before * behind > 0:
        return None
    along = Fraction(before, before - behind)
    point = [p[n] + along * (q[n] - p[n]) for n in range(3)]
    u, v = minus(b, a), minus(c, a)
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    sides = [determinant(normal, minus(t, s), minus(point, s)) for s, t in [(a, b), (b, c), (c, a)]]
    if min(sides) < 0:
        return None
    return along, min(sides) > 0 and 0 < along < 1


def crossings(compare, folder, rng, count):
    vertices, triangles = globe(10, 12, folded)
    image = gifti.GiftiImage()
    image.add_gifti_data_array(gifti.GiftiDataArray(vertices, "NIFTI_INTENT_POINTSET", "NIFTI_TYPE_FLOAT32"))
    image.add_gifti_data_array(gifti.GiftiDataArray(triangles, "NIFTI_INTENT_TRIANGLE", "NIFTI_TYPE_INT32"))
    mesh = folder / "mesh.surf.gii"
    nib.save(image, mesh)
    corners = [[[int(x) for x in vertices[n]] for n in t] for t in triangles]
    has_area = [np.any(np.cross(np.subtract(t[1], t[0]), np.subtract(t[2], t[0]))) for t in corners]
    # Half of them have whole millimetres and mostly hit edges and vertices; half have multiples of 2⁻¹⁰ mm.
    points = np.rint(rng.uniform(-13, 13, (count, 6)) * 1024) / 1024
    points[::2] = np.rint(points[::2])
    np.savetxt(folder / "segments.txt", points, fmt="%.10f")
    done = compare.run("segments", mesh, folder / "segments.txt")
    ours = np.array([line.split() for line in done.stdout.splitlines()], float)
    plain = contacts = insides = 0
    for (crossed, touched, inside, along), numbers in zip(ours, points):
        p, q = [[Fraction(x) for x in numbers[n : n + 3]] for n in (0, 3)]
        found = [meeting(p, q, t) for t, area in zip(corners, has_area) if area]
        if "plane" not in found:
            met = [m for m in found if m is not None]
            first = [m[0] for m in met if m[0] > 0]
            compare.same("contact", bool(touched), bool(first))
            if first and touched:
                compare.check("contact along", along, float(min(first)), 1e-15)
            contacts += bool(first)
            if all(m[1] for m in met):
                compare.same("crossings", int(crossed), len(met))
                plain += len(met) > 0
        # The inside test uses a direction that hits no edge of a mesh with whole millimetres.
        far = [p[0] + Fraction(1000003, 7), p[1] + Fraction(99991, 13), p[2] + Fraction(77773, 17)]
        found = [meeting(p, far, t) for t, area in zip(corners, has_area) if area]
        met = [m for m in found if m is not None]
        if "plane" not in found and all(m[1] for m in met):
            compare.same("inside", bool(inside), len(met) % 2 == 1)
            insides += 1
    print(f"# {count} segments in fractions: {contacts} with contact, {plain} through no edge or vertex, {insides} beginnings")
    compare.same("enough of each", min(contacts, plain, insides) > count / 20, True)


def figures():
    """First contacts of a few segments, for the tests of `arcuate-core`."""
    vertices, triangles = globe(10, 12, folded)
    corners = [[[int(x) for x in vertices[n]] for n in t] for t in triangles]
    for n in range(11):
        p, q = [13 - n, n - 7, 2 * n - 9], [n - 9, 5 - n, 11 - 2 * n]
        found = [meeting(p, q, t) for t in corners if np.any(np.cross(np.subtract(t[1], t[0]), np.subtract(t[2], t[0])))]
        first = [m[0] for m in found if m is not None and m[0] > 0]
        print(f"{float(min(first)):.12f}" if first else "# none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/examples/surface_files")
    parser.add_argument("--segments", type=int, default=300)
    options = parser.parse_args()
    compare = Comparison(options.program)
    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        gifti_files(compare, folder, rng)
        freesurfer_files(compare, folder, rng)
        cifti_files(compare, folder, rng)
        print(f"# {compare.checked} comparisons of files")
        crossings(compare, folder, rng, options.segments)
    figures()
    print(f"# {compare.checked} comparisons, {len(compare.failed)} failed")
    print("\n".join(compare.failed[:20]))
    sys.exit(1 if compare.failed else 0)


if __name__ == "__main__":
    main()
