#!/usr/bin/env python3
"""Compares tractograms with nibabel, trx-python and MRtrix: every format, number type, layout and kind of data, in both directions.

    pip install nibabel numpy trx-python        # and MRtrix 3 (tckinfo, tckconvert, tckstats) on the PATH
    cargo build --release -p arcuate-io --example tractogram_formats
    oracles/tractogram_formats.py [--real DATA] [--program target/release/examples/tractogram_formats]

The other programs write .trk, .trx and .tck files. Arcuate reads them and writes them in another format. The other programs read the
result; positions, data and number types must be unchanged. Without --real, streamlines are random. With it, the 5,000 of
DATA/philips_dwi/tracks.tck are also used. Prints the largest difference of each kind; the exit code is 1 if one is too large.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zipfile

import nibabel as nib
import numpy as np
import trx.trx_file_memmap as tmm
from nibabel.streamlines import ArraySequence, Field, TckFile, Tractogram, TrkFile
from nibabel.streamlines.trk import header_2_dtype

warnings.filterwarnings("ignore")

GRIDS = {
    "RAS": ([[2, 0, 0, -90], [0, 2, 0, -126], [0, 0, 2, -72], [0, 0, 0, 1]], (91, 109, 91)),
    "LAS, anisotropic": ([[-1.5, 0, 0, 90], [0, 2, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1]], (121, 109, 61)),
    "LPS": ([[-2, 0, 0, 90], [0, -2, 0, 126], [0, 0, 2.5, -72], [0, 0, 0, 1]], (91, 109, 72)),
    "oblique": ([[-1.9, 0.3, 0.2, 90], [0.25, 1.8, -0.5, -120], [0.15, 0.45, 2.4, -60], [0, 0, 0, 1]], (96, 110, 60)),
    "sagittal": ([[0, 0, 1.5, -80], [-2, 0, 0, 100], [0, -2.5, 0, 90], [0, 0, 0, 1]], (100, 70, 110)),
    "doubly oblique": ([[1.4, 1.38, 1.42, -90], [1.02, -1.44, 0.2, 20], [1, 0.2, -1.38, 10], [0, 0, 0, 1]], (80, 81, 82)),
}
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
# Single precision: .trk stores mm from the image's corner, up to about 500. A unit in the last place is 3e-5.
TRK_MM = 1e-4


class Comparison:
    def __init__(self, program, folder):
        self.program, self.folder, self.checked, self.failed, self.largest = program, folder, 0, [], {}

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{words}: {done.stderr}")
        return done.stdout

    def near(self, kind, name, ours, theirs, tolerance):
        self.checked += 1
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if ours.shape != theirs.shape:
            self.failed.append(f"{kind}, {name}: shape {ours.shape}, not {theirs.shape}")
            return
        a, b = ours.astype(np.float64), theirs.astype(np.float64)
        difference = float(np.abs(a - b).max(initial=0))
        self.largest[kind] = max(self.largest.get(kind, 0.0), difference)
        if not difference <= tolerance:
            self.failed.append(f"{kind}, {name}: differs by {difference:g}, more than {tolerance:g}")

    def same(self, kind, name, ours, theirs):
        self.checked += 1
        self.largest.setdefault(kind, 0.0)
        if ours != theirs:
            self.failed.append(f"{kind}, {name}: {ours!r}, not {theirs!r}")


def random_streamlines(rng, count=200, odd=True):
    """Random walks inside a head; with `odd`, one streamline has a single point."""
    lengths = rng.integers(2, 120, count)
    if odd:
        lengths[7] = 1
    walks = [rng.normal(0, 30, 3) + np.cumsum(rng.normal(0, 0.6, (n, 3)), 0) for n in lengths]
    return ArraySequence([walk.astype(np.float32) for walk in walks])


def header_for(affine, shape, order=None):
    affine = np.array(affine, np.float32)
    return {
        Field.VOXEL_TO_RASMM: affine,
        Field.VOXEL_SIZES: nib.affines.voxel_sizes(affine).astype(np.float32),
        Field.DIMENSIONS: np.array(shape, np.int16),
        Field.VOXEL_ORDER: (order or "".join(nib.aff2axcodes(affine))).encode(),
    }


def positions(sequence):
    return sequence.get_data(), np.asarray(sequence._lengths)


def compare_positions(c, kind, name, ours, theirs, tolerance):
    (a, lengths_a), (b, lengths_b) = positions(ours), positions(theirs)
    c.same(kind, f"{name}: lengths", lengths_a.tolist(), lengths_b.tolist())
    c.near(kind, name, a, b, tolerance)


def their_trk(c, rng):
    for name, (affine, shape) in GRIDS.items():
        own = "".join(nib.aff2axcodes(np.array(affine)))
        flipped = own.translate(str.maketrans("RLAPSI", "LRPAIS"))
        swapped_axes = [own[1:] + own[0], flipped[2] + own[:2], own[1] + flipped[0] + own[2]]
        for order in [own, flipped, own[0] + flipped[1:], *swapped_axes]:
            lines = random_streamlines(rng)
            points = len(lines.get_data())
            tractogram = Tractogram(lines, affine_to_rasmm=np.eye(4))
            tractogram.data_per_point["fa"] = ArraySequence([np.full((len(s), 1), n / 7) for n, s in enumerate(lines)])
            tractogram.data_per_point["colour"] = ArraySequence([rng.random((len(s), 3), np.float32) for s in lines])
            tractogram.data_per_streamline["weight"] = rng.random((len(lines), 1)).astype(np.float32)
            tractogram.data_per_streamline["ends"] = rng.random((len(lines), 2)).astype(np.float32)
            theirs = c.folder / "theirs.trk"
            TrkFile(tractogram, header_for(affine, shape, order)).save(str(theirs))
            expected = TrkFile.load(str(theirs)).tractogram
            case = f"{name}, order {order}"

            c.run("convert", theirs, c.folder / "ours.tck")
            ours = TckFile.load(str(c.folder / "ours.tck")).tractogram
            compare_positions(c, "nibabel .trk read by us (mm)", case, ours.streamlines, expected.streamlines, TRK_MM)

            c.run("convert", theirs, c.folder / "ours.trk")
            ours_trk = TrkFile.load(str(c.folder / "ours.trk"))
            ours = ours_trk.tractogram
            kind = "our .trk read by nibabel (mm)"
            compare_positions(c, kind, case, ours.streamlines, expected.streamlines, 2 * TRK_MM)
            c.same(kind, f"{case}: voxel order", ours_trk.header[Field.VOXEL_ORDER].decode(), own)
            c.same(kind, f"{case}: size", list(ours_trk.header[Field.DIMENSIONS]), list(shape))
            c.near(kind, f"{case}: affine", ours_trk.header[Field.VOXEL_TO_RASMM], np.array(affine, np.float32), 0)
            for key in ["fa", "colour"]:
                c.near("data of .trk", f"{case}: {key}", ours.data_per_point[key].get_data(),
                       expected.data_per_point[key].get_data(), 0)
            for key in ["weight", "ends"]:
                c.near("data of .trk", f"{case}: {key}", ours.data_per_streamline[key],
                       expected.data_per_streamline[key], 0)
            c.same("data of .trk", f"{case}: points", len(ours.streamlines.get_data()), points)

            # The same file in the other byte order.
            swapped = c.folder / "swapped.trk"
            raw = theirs.read_bytes()
            header = np.frombuffer(raw[:1000], header_2_dtype).byteswap().tobytes()
            swapped.write_bytes(header + np.frombuffer(raw[1000:], "<u4").astype(">u4").tobytes())
            c.run("convert", swapped, c.folder / "swapped.tck")
            ours = TckFile.load(str(c.folder / "swapped.tck")).tractogram
            compare_positions(c, "big-endian .trk (mm)", case, ours.streamlines, expected.streamlines, TRK_MM)


def make_trx(rng, dtype, affine, shape):
    lines = random_streamlines(rng, odd=False)
    trx = tmm.TrxFile(nb_vertices=len(lines.get_data()), nb_streamlines=len(lines))
    trx.header["VOXEL_TO_RASMM"] = np.array(affine, np.float32)
    trx.header["DIMENSIONS"] = np.array(shape, np.uint16)
    trx.streamlines._data = lines.get_data().astype(dtype)
    trx.streamlines._offsets = np.asarray(lines._offsets).astype(rng.choice(["uint32", "uint64"]))
    trx.streamlines._lengths = np.asarray(lines._lengths).astype(np.uint32)
    for kind in TYPES:
        top = 100 if kind == "int8" else 200
        for rows, width in [(len(lines.get_data()), 1), (len(lines), 1), (len(lines), 3)]:
            values = (rng.random((rows, width)) * top).astype(kind)
            if rows == len(lines):
                trx.data_per_streamline[f"dps_{kind}_{width}"] = values
            else:
                sequence = ArraySequence()
                sequence._data, sequence._offsets, sequence._lengths = values, trx.streamlines._offsets, trx.streamlines._lengths
                trx.data_per_vertex[f"dpv_{kind}"] = sequence
    trx.groups["AF_L"] = np.array([3, 1, 4, 15], np.uint32)
    trx.groups["CC"] = np.arange(len(lines), dtype=np.uint32)
    trx.data_per_group["AF_L"] = {"mean_fa": np.array([0.5], np.float16), "rgb": np.array([[1, 2, 3]], np.uint8)}
    return trx


def compare_trx(c, case, ours, theirs, position_type):
    kind = f".trx positions, {position_type} (mm)"
    tolerance = {"float16": 0.07, "float32": 0, "float64": 0}[position_type]  # 11 bits at 128 mm
    if theirs.streamlines._data.dtype == np.float64:
        tolerance = max(tolerance, 8e-6)  # narrowed to single precision in between
    compare_positions(c, kind, case, ours.streamlines, theirs.streamlines, tolerance)
    c.same(kind, f"{case}: type", ours.streamlines._data.dtype.name, position_type)
    c.near("header of .trx", case, ours.header["VOXEL_TO_RASMM"], theirs.header["VOXEL_TO_RASMM"], 0)
    c.same("header of .trx", case, list(ours.header["DIMENSIONS"]), list(theirs.header["DIMENSIONS"]))
    c.same("data of .trx", f"{case}: dpv", sorted(ours.data_per_vertex), sorted(theirs.data_per_vertex))
    c.same("data of .trx", f"{case}: dps", sorted(ours.data_per_streamline), sorted(theirs.data_per_streamline))
    c.same("data of .trx", f"{case}: groups", sorted(ours.groups), sorted(theirs.groups))
    columns = [(k, ours.data_per_vertex[k]._data, v._data) for k, v in theirs.data_per_vertex.items()]
    columns += [(k, ours.data_per_streamline[k], v) for k, v in theirs.data_per_streamline.items()]
    columns += [(k, ours.groups[k], v) for k, v in theirs.groups.items()]
    for group, values in theirs.data_per_group.items():
        columns += [(f"{group}/{k}", ours.data_per_group[group][k], v) for k, v in values.items()]
    for name, a, b in columns:
        c.same("data of .trx", f"{case}: type of {name}", a.dtype.name, b.dtype.name)
        c.near("data of .trx", f"{case}: {name}", a, b, 0)


def their_trx(c, rng):
    for dtype in ["float16", "float32", "float64"]:
        for layout in ["zip", "deflated", "folder"]:
            affine, shape = GRIDS["oblique"]
            trx = make_trx(rng, np.dtype(dtype), affine, shape)
            theirs = c.folder / ("theirs" if layout == "folder" else "theirs.trx")
            compression = zipfile.ZIP_DEFLATED if layout == "deflated" else zipfile.ZIP_STORED
            tmm.save(trx, str(theirs), compression_standard=compression)
            if layout == "folder":
                remove(c.folder / "theirs.trx")
                theirs = theirs.rename(c.folder / "theirs.trx")
            expected = tmm.load(str(theirs))
            for words in ["f16 stored", "f32 stored", "f64 stored", "f32 deflated", "f32 folder", "f64 folder"]:
                ours = c.folder / "ours.trx"
                remove(ours)
                c.run("convert", theirs, ours, *words.split())
                written = {"f16": "float16", "f32": "float32", "f64": "float64"}[words[:3]]
                compare_trx(c, f"{dtype} {layout} → {words}", tmm.load(str(ours)), expected, written)
            c.run("convert", theirs, c.folder / "ours.tck")
            tck = TckFile.load(str(c.folder / "ours.tck"))
            single = ArraySequence([np.asarray(s).astype(np.float32) for s in expected.streamlines])
            compare_positions(c, ".trx to .tck (mm)", f"{dtype} {layout}", tck.streamlines, single, 0)
            remove(theirs)


def remove(path):
    import shutil
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def mrtrix(*words):
    return subprocess.run([*map(str, words), "-quiet"], check=True, capture_output=True, text=True).stdout


def tck_with_mrtrix(c, source, name):
    """Converts `source`, a .tck, with Arcuate, and reads the results with MRtrix and nibabel."""
    theirs = TckFile.load(str(source)).tractogram
    reference = c.folder / "reference.trk"
    TrkFile(Tractogram(theirs.streamlines, affine_to_rasmm=np.eye(4)), header_for(*GRIDS["oblique"])).save(str(reference))
    count = lambda path: int(mrtrix("tckinfo", path, "-count").rsplit("actual count in file:", 1)[1])
    for words in ["f32", "f64"]:
        ours = c.folder / "ours.tck"
        c.run("convert", source, ours, words)
        kind = f"our .tck, {words}, read by MRtrix and nibabel (mm)"
        c.same(kind, f"{name}: count", count(ours), count(source))
        if words == "f32":  # nibabel does not know the other type
            compare_positions(c, kind, name, TckFile.load(str(ours)).streamlines, theirs.streamlines, 0)
        again = c.folder / "again.tck"
        mrtrix("tckconvert", ours, again, "-force")
        compare_positions(c, kind, name, TckFile.load(str(again)).streamlines, theirs.streamlines, 0)
    for ending, tolerance in [(".trk", TRK_MM), (".trx", 0)]:
        ours = (c.folder / "in_grid").with_suffix(ending)
        remove(ours)
        c.run("convert-like", reference, source, ours)
        read = TrkFile.load(str(ours)).streamlines if ending == ".trk" else tmm.load(str(ours)).streamlines
        compare_positions(c, f".tck to {ending} (mm)", name, read, theirs.streamlines, tolerance)


def weights(c, tck):
    count = len(TckFile.load(str(tck)).streamlines)
    values = np.random.default_rng(3).random(count)
    np.savetxt(c.folder / "w.txt", values, header="made by NumPy")
    c.run("weights", c.folder / "w.txt", c.folder / "ours.txt")
    c.near("weights", "NumPy", np.loadtxt(c.folder / "ours.txt"), values, 0)
    mean = [float(mrtrix("tckstats", tck, "-tck_weights_in", c.folder / f, "-output", "mean")) for f in ["w.txt", "ours.txt"]]
    c.near("weights", "tckstats", mean[1], mean[0], 0)


def empty_streamlines(c):
    """Empty streamlines keep their place (weights follow it): MRtrix counts them in .tck."""
    trk = c.folder / "empty.trk"
    lines = ArraySequence([np.ones((2, 3), np.float32)])
    TrkFile(Tractogram(lines, affine_to_rasmm=np.eye(4)), header_for(*GRIDS["RAS"])).save(str(trk))
    raw = bytearray(trk.read_bytes())
    raw[988:992] = np.int32(4).tobytes()
    one_point = np.int32(1).tobytes() + np.ones(3, "<f4").tobytes()
    trk.write_bytes(raw + np.int32(0).tobytes() + one_point + raw[1000:])
    tck = c.folder / "empty.tck"
    c.run("convert", trk, tck)
    count = int(mrtrix("tckinfo", tck, "-count").rsplit("actual count in file:", 1)[1])
    c.same("empty streamlines", "MRtrix counts", count, 4)
    for ending in [".trk", ".trx"]:
        c.run("convert-like", trk, tck, (c.folder / "again").with_suffix(ending))
    lengths = [len(s) for s in TrkFile.load(str(c.folder / "again.trk")).streamlines]
    c.same("empty streamlines", ".trk", lengths, [len(s) for s in TrkFile.load(str(trk)).streamlines])
    offsets = zipfile.ZipFile(c.folder / "again.trx").read("offsets.uint32")
    c.same("empty streamlines", ".trx", np.frombuffer(offsets, "<u4").tolist(), [0, 2, 2, 3, 5])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--real", type=pathlib.Path)
    options.add_argument("--program", default="target/release/examples/tractogram_formats")
    options = options.parse_args()
    rng = np.random.default_rng(2)
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(options.program, pathlib.Path(folder))
        their_trk(c, rng)
        their_trx(c, rng)
        random_tck = c.folder / "random.tck"
        TckFile(Tractogram(random_streamlines(rng), affine_to_rasmm=np.eye(4))).save(str(random_tck))
        tck_with_mrtrix(c, random_tck, "random")
        empty_streamlines(c)
        weights(c, random_tck)
        if options.real:
            real = options.real / "philips_dwi" / "tracks.tck"
            tck_with_mrtrix(c, real, "philips_dwi")
            weights(c, real)
        for kind, largest in c.largest.items():
            print(f"{kind}: largest difference {largest:g}")
        print(f"{c.checked} comparisons, {len(c.failed)} differ")
        for failure in c.failed[:40]:
            print("  " + failure[:300])
        sys.exit(1 if c.failed else 0)


if __name__ == "__main__":
    main()
