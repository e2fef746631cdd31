#!/usr/bin/env python3
"""Compares the mapping of masks in another space with fslpy, by FLIRT matrices and FNIRT fields.

    pip install fslpy nibabel numpy scipy
    cargo build --release -p arcuate
    oracles/samples_fslpy.py [--arcuate target/release/arcuate]

Writes a folder like bedpostX's, and tracks a streamline from every voxel. The folder has 26 × 28 × 22 voxels of 2 × 2.2 × 2.5 mm,
oblique, of either handedness. All voxels are in the mask, so streamlines leave the grid. Then it writes masks on other grids: of either
handedness, with axes exchanged, with a qform only, and with an sform whose lengths differ from the voxel sizes. They are mapped by a
matrix (with scales and shears) or by two fields from fslpy (relative, absolute, or constant). Random draws depend on the streamline's
number only, so the points do not change. fslpy's positions of these points determine the effect of regions:

    avoid      halves are rejected
    waypoints  two, the second on a coarser grid; both halves together must pass both
    stop       halves stop at their first point inside
    maps       seeds are in a mask; visits of every voxel of its grid, and for each seed whether it reaches two targets
    anywhere   seeds drawn anywhere in a mask, mapped back, are in the mask

Streamlines are compared point by point, and counts voxel by voxel. The package fslpy takes the nearest voxel of a field, but Arcuate
interpolates. Therefore, fslpy maps the voxel centres, and interpolation between them is trilinear here. With the constant field,
fslpy's own result is checked for every point. Beyond the outermost voxels of a field (some 6 % of the points), the displacement is
extrapolated.

`changed` counts streamlines that regions shorten or reject (in the last two tests, seeds outside the mask). `near` counts cases
that a voxel's boundary within 1e-4 voxel may decide differently; they are not compared. `wrong` counts differences. Fails if anything
differs, or if too many seeds drawn anywhere are outside their mask by fields (below).

The results are for fslpy 3.29.1 (six minutes on two cores). In each of the 150 tests, at most 9 of the 16,016 streamlines with 1.9
million points are near, and none differs. With displacements, 1.5 to 2.0 % of the seeds drawn anywhere are outside their mask. With
absolute positions, it is 4.0 %, and with exchanged axes 4.5 %.

The comparison detects errors. If seeds were not mapped one by one by the field, 10 to 25 % were outside. With voxel sizes of the affine
instead of the header's, the mask whose sform has other lengths failed all 20 tests. These errors fail in every test that they affect:

- two axes of fslpy's positions exchanged;
- the matrix inverted;
- fields read at the nearest voxel;
- beyond a field, no displacement or the outermost position.
"""
import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import nibabel as nib
import numpy as np
from fsl.data.constants import FSL_FNIRT_DISPLACEMENT_FIELD
from fsl.data.image import Image
from fsl.transform import affine as fslaffine
from fsl.transform import flirt, fnirt, nonlinear
from scipy import ndimage

SHAPE = (26, 28, 22)
SIZES = (2.0, 2.2, 2.5)
# Voxels: the distance from a boundary within which single precision may decide differently. Positions have an error of some 1e-5
# voxel; with 1e-6 here, two counts of a map differ in all.
MARGIN = 1e-4
SHIFTS = np.array(list(itertools.product([-MARGIN, MARGIN], repeat=3)))
# Largest distance of a seed from fslpy's position, and between points of two runs.
NEAR_MM = 1e-4
# Largest fraction of seeds drawn anywhere that may be outside their mask by fields, which are not exact inverses between voxels.
# The round trip is 0.05 mm off on average with displacements, and 0.12 mm with absolute positions. If axes are exchanged, the
# displacement extrapolated beyond the outermost voxel centres is up to half a voxel off.
BESIDE = {"exchanged": 0.06, "absolute": 0.06}
OTHERS_BESIDE = 0.03


def turned(degrees, axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    k = np.cross(np.eye(3), axis)
    a = np.radians(degrees)
    return np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * k @ k


def lattice(shape, sizes, turn, centre, right_handed):
    """Voxels to mm, with the middle of the grid at `centre`; mirrored along x if not right-handed."""
    to_mm = np.eye(4)
    to_mm[:3, :3] = turn @ np.diag(sizes) * ([1, 1, 1] if right_handed == (np.linalg.det(turn) > 0) else [-1, 1, 1])
    to_mm[:3, 3] = centre - to_mm[:3, :3] @ ((np.array(shape) - 1) / 2)
    return to_mm


def moved(matrix, points):
    return fslaffine.transform(points, matrix)


def voxels_of(shape):
    return np.stack(np.meshgrid(*[np.arange(n) for n in shape], indexing="ij"), -1).reshape(-1, 3)


class Transform:
    """The two mappings between the spaces, as fslpy reads them from the files."""

    def __init__(self, folder, kind, dwi, mask):
        """Writes a matrix or two fields for the images `dwi` and `mask`, and reads them again."""
        middle = moved(dwi.getAffine("voxel", "world"), (np.array(dwi.shape[:3]) - 1) / 2)
        there = np.eye(4)
        there[:3, :3] = turned(14, [1, -2, 3]) @ [[1.06, 0.05, 0], [0, 0.93, -0.04], [0.02, 0, 1.03]]
        there[:3, 3] = middle - there[:3, :3] @ middle + [5, -3, 4]
        if kind == "shift":
            there[:3, :3] = np.eye(3)
        self.kind = kind
        if kind == "matrix":
            flirt.writeFlirt(flirt.toFlirt(np.linalg.inv(there), mask, dwi, "world", "world"), folder / "masks_to_dwi.mat")
            self.options = ["--masks-to-dwi", folder / "masks_to_dwi.mat"]
            matrix = flirt.readFlirt(folder / "masks_to_dwi.mat")
            self.to_dwi = flirt.fromFlirt(matrix, mask, dwi, "world", "world")
            return

        def bent(x):
            """A smooth displacement of some 4 mm at positions in mm."""
            waves = [np.sin(x @ k / 9 + n) for n, k in enumerate(np.array([[1, 0.4, 0], [-0.3, 1, 0.5], [0.2, -0.6, 1]]))]
            return 2.5 * np.stack(waves, -1)

        def forth(x):
            return moved(there, x) + (0 if kind == "shift" else bent(x))

        def back(y):
            x = moved(np.linalg.inv(there), y)
            for _ in range(0 if kind == "shift" else 60):
                x = moved(np.linalg.inv(there), y - bent(x))
            return x

        self.fields = []
        for name, where, ref, src in (("masks_to_dwi", forth, dwi, mask), ("dwi_to_masks", back, mask, dwi)):
            at = moved(ref.getAffine("voxel", "world"), voxels_of(ref.shape[:3]))
            values = (where(at) - (0 if kind == "absolute" else at)).reshape(*ref.shape[:3], 3)
            if kind == "shift":
                values[:] = np.array([-3, 4, 7]) * (1 if ref is dwi else -1)
            space = "fsl" if kind == "shift" else "world"
            type_ = "absolute" if kind == "absolute" else "relative"
            # The header of the image, as in FNIRT's files.
            image = nib.Nifti1Image(values.astype(np.float32), None, ref.header)
            field = nonlinear.DeformationField(image, src, ref, defType=type_, srcSpace=space, refSpace=space)
            image = nib.Nifti1Image(fnirt.toFnirt(field).data.astype(np.float32), None, ref.header)
            image.header["intent_code"] = FSL_FNIRT_DISPLACEMENT_FIELD
            nib.save(image, folder / f"{name}_fslpy.nii.gz")
            # FSL's programs read a file with this intent as displacements. Absolute positions have no intent.
            image.header["intent_code"] = 0 if kind == "absolute" else FSL_FNIRT_DISPLACEMENT_FIELD
            nib.save(image, folder / f"{name}.nii.gz")
            field = fnirt.readFnirt(str(folder / f"{name}_fslpy.nii.gz"), src, ref)
            assert field.deformationType == type_, (name, kind)
            assert np.allclose(field.voxToWorldMat, ref.voxToWorldMat) and np.allclose(field.pixdim[:3], ref.pixdim[:3])
            self.fields.append(field)
        self.options = ["--masks-to-dwi", folder / "masks_to_dwi.nii.gz", "--dwi-to-masks", folder / "dwi_to_masks.nii.gz"]

    def to_masks(self, points):
        """mm of the diffusion images to mm of the masks."""
        if self.kind == "matrix":
            return moved(np.linalg.inv(self.to_dwi), points)
        return self.by_field(self.fields[0], points)

    def to_images(self, points):
        """mm of the masks to mm of the diffusion images."""
        return moved(self.to_dwi, points) if self.kind == "matrix" else self.by_field(self.fields[1], points)

    def by_field(self, field, points):
        """Trilinear interpolation of the mapped voxel centres, because fslpy takes the nearest voxel of a field. Beyond
        the outermost voxels, the displacement in FSL's mm is extrapolated."""
        ref, src = field.ref, field.src
        ends = field.transform(voxels_of(ref.shape[:3]), from_="voxel", to="fsl").reshape(*ref.shape[:3], 3)
        assert np.isfinite(ends).all()
        at = moved(ref.getAffine("world", "voxel"), points)
        clamped = np.clip(at, 0, np.array(ref.shape[:3]) - 1)
        places = np.stack([ndimage.map_coordinates(ends[..., n], clamped.T, order=1, mode="nearest") for n in range(3)], -1)
        to_fsl = ref.getAffine("voxel", "fsl")
        places += moved(to_fsl, at) - moved(to_fsl, clamped)
        if self.kind == "shift":
            theirs = field.transform(points, from_="world", to="fsl")
            known = np.isfinite(theirs).all(1)
            assert known.mean() > 0.9 and np.abs(theirs - places)[known].max() < 1e-4, np.abs(theirs - places)[known].max()
        return moved(src.getAffine("fsl", "world"), places)


def candidates(image, points):
    """Voxels of an image that may contain each point in mm: points × 8, −1 outside; all equal if no boundary is near."""
    at = moved(image.getAffine("world", "voxel"), points)[:, None] + SHIFTS
    voxel = np.floor(at + 0.5).astype(int)
    shape = np.array(image.shape[:3])
    outside = ((voxel < 0) | (voxel >= shape)).any(-1)
    return np.where(outside, -1, voxel @ [1, shape[0], shape[0] * shape[1]])


class Region:
    """A mask: the points that are certainly inside, and those that may be."""

    def __init__(self, path):
        self.path, self.image = path, Image(str(path))
        self.inside = np.append(self.image.data.ravel(order="F") > 0, False)

    def holds(self, points):
        flags = self.inside[candidates(self.image, points)]
        return flags.all(1), flags.any(1)


class Lines:
    """Streamlines, with all points in one array, and the index of each seed."""

    def __init__(self, lines, seeds):
        self.lines, self.at = lines, seeds
        self.points = np.concatenate(lines).astype(float)
        self.starts = np.cumsum([0] + [len(line) for line in lines])
        distances = [np.linalg.norm(line - seed, axis=1) for line, seed in zip(lines, seeds, strict=True)]
        self.seeds = [int(d.argmin()) for d in distances]
        assert max(d.min() for d in distances) < NEAR_MM

    def halves(self, flags):
        """Returns if a point of the first and of the second half has a flag, with and without the seed."""
        both = []
        for line, seed in enumerate(self.seeds):
            own = flags[self.starts[line]:self.starts[line + 1]]
            both.append(((own[:seed + 1].any(), own[seed:].any()), (own[:seed].any(), own[seed + 1:].any())))
        return np.array(both)


def read_trx(path):
    with zipfile.ZipFile(path) as archive:
        name = {entry.split("/")[-1].split(".")[0]: entry for entry in archive.namelist()}
        points = np.frombuffer(archive.read(name["positions"]), name["positions"].split(".")[-1]).reshape(-1, 3)
        offsets = np.frombuffer(archive.read(name["offsets"]), name["offsets"].split(".")[-1])
    return [points[a:b] for a, b in zip(offsets[:-1], offsets[1:])]


def write_bedpostx(folder, dwi_affine):
    """One fibre with ten samples in every voxel, straight with a rotation that varies with position."""
    folder.mkdir()
    rng = np.random.default_rng(5)
    bend = [ndimage.gaussian_filter(rng.standard_normal(SHAPE), 5) for _ in range(2)]
    bend = [b / b.std() for b in bend]
    for name, middle, values in (("th", np.pi / 2, bend[0] * 0.9), ("ph", 0.7, bend[1] * 1.6)):
        values = middle + values[..., None] + rng.normal(0, 0.12, (*SHAPE, 10))
        nib.save(nib.Nifti1Image(values.astype(np.float32), dwi_affine), folder / f"merged_{name}1samples.nii.gz")
    nib.save(nib.Nifti1Image(np.full((*SHAPE, 10), 0.6, np.float32), dwi_affine), folder / "merged_f1samples.nii.gz")
    nib.save(nib.Nifti1Image(np.ones(SHAPE, np.uint8), dwi_affine), folder / "nodif_brain_mask.nii.gz")


def write_mask(path, values, to_mm, says):
    """`says` selects the sform and qform of the header."""
    image = nib.Nifti1Image(values.astype(np.uint8), to_mm)
    image.set_qform(to_mm, 1)
    image.set_sform(to_mm, 1)
    if says == "qform alone":
        image.set_sform(None, 0)
    elif says == "stretched":
        # Like a file from a registration with scaling: voxel sizes are the original ones.
        image.set_sform(np.diag([1.15, 0.9, 1.05, 1]) @ to_mm, 2)
    nib.save(image, path)
    return path


# Shape, voxel sizes, directions of the voxel axes, whether they are right-handed.
TILTED = turned(-9, [2, 1, 1])
UPRIGHT = turned(6, [0, 1, 1]) @ np.array([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]])
MASKS = {
    "left": ((44, 36, 42), (1.4, 1.9, 1.2), TILTED, False),
    "right": ((44, 36, 42), (1.4, 1.9, 1.2), TILTED, True),
    "exchanged": ((46, 40, 18), (1.1, 1.5, 3.4), UPRIGHT, False),
    "qform alone": ((44, 36, 42), (1.4, 1.9, 1.2), TILTED, True),
    "stretched": ((44, 36, 42), (1.4, 1.9, 1.2), TILTED, False),
}
KINDS = ["matrix", "relative", "absolute", "shift"]
# With exchanged axes, absolute positions vary less than the displacements, and are read as displacements, also by fslpy.
LEFT_OUT = {("exchanged", "absolute")} | {(name, kind) for name in ("qform alone", "stretched") for kind in KINDS[2:]}


class Case:
    """One grid of masks and one kind of transform."""

    def __init__(self, arcuate, folder, lines, dwi, of_mask, kind):
        self.arcuate, self.folder, self.lines, self.dwi = arcuate, folder, lines, dwi
        self.of_mask, self.rng = of_mask, np.random.default_rng(9)
        shape, sizes, turn, right_handed = MASKS[of_mask]
        self.lattices = []
        for finer in (1, 0.5):
            own = tuple(int(n * finer) for n in shape)
            self.lattices.append((own, lattice(own, np.array(sizes) / finer, turn, [8, -15, 12], right_handed)))
        whole = write_mask(folder / "whole.nii.gz", np.ones(shape), self.lattices[0][1], of_mask)
        self.transform = Transform(folder, kind, dwi, Image(str(whole)))
        self.points = self.transform.to_masks(lines.points)

    def region(self, name, share, coarse=False):
        """Blobs, on the grid of the transform or a coarser one in the same mm."""
        shape, to_mm = self.lattices[coarse]
        noise = ndimage.gaussian_filter(self.rng.standard_normal(shape), 1 if coarse else 2, mode="wrap")
        path = self.folder / f"{name}.nii.gz"
        return Region(write_mask(path, noise > np.quantile(noise, 1 - share), to_mm, self.of_mask))

    def run(self, *words, out="out.tck"):
        command = [self.arcuate, "track", "samples", self.folder.parent / "x.bedpostX", *TRACK, "--out", self.folder / out]
        words = [*words, *(word for name, value in OF_MAPS.items() if name not in words for word in (name, value))]
        subprocess.run([str(word) for word in [*command, *self.transform.options, *words]], check=True)
        return self.folder / out

    def compare(self, path, expected):
        """Compares the streamlines of a file with the expected ones, one per seed: points, None, or "?" if a boundary is near.
        Returns the numbers of accepted streamlines, of those that regions shorten or reject, of near ones, and of wrong ones."""
        ours, at, changed, near, wrong = read(path), 0, 0, 0, 0
        for seed, whole, line in zip(self.lines.at, self.lines.lines, expected, strict=True):
            mine = None
            if at < len(ours) and np.linalg.norm(ours[at] - seed, axis=1).min() < NEAR_MM:
                mine, at = ours[at], at + 1
            if isinstance(line, str):
                near += 1
                continue
            changed += line is None or len(line) < len(whole)
            if line is None or mine is None:
                wrong += (line is None) != (mine is None)
            else:
                wrong += len(line) != len(mine) or np.abs(line - mine).max() > NEAR_MM
        return {"accepted": len(ours), "changed": changed, "near": near, "wrong": wrong + len(ours) - at}

    def kept(self, keep):
        """The streamlines after their first or second half is kept or removed."""
        for line, seed, (first, second) in zip(self.lines.lines, self.lines.seeds, keep, strict=True):
            yield line[0 if first else seed:len(line) if second else seed + 1] if first or second else None

    def bounds(self, sure, may, keep):
        """The result of `keep` for the certain flags; "?" if it differs for the possible flags."""
        for one, other in zip(self.kept(keep(sure)), self.kept(keep(may)), strict=True):
            same = (one is None) == (other is None) and (one is None or len(one) == len(other))
            yield one if same else "?"

    def avoid(self):
        region = self.region("avoid", 0.015)
        sure, may = region.holds(self.points)
        keep = lambda flags: ~self.lines.halves(flags)[:, 0]
        return self.compare(self.run(*ALL, "--avoid", region.path), self.bounds(sure, may, keep))

    def waypoints(self):
        regions = [self.region("one", 0.05), self.region("other", 0.05, coarse=True)]
        both = [region.holds(self.points) for region in regions]

        def keep(which):
            hits = np.stack([self.lines.halves(flags[which])[:, 1] for flags in both], -1)
            first, together = hits[:, 0], hits.any(1)
            second = together.all(-1)
            return np.stack([first.all(-1) | (first.any(-1) & second), second], -1)

        path = self.run(*ALL, "--waypoints", ",".join(str(region.path) for region in regions))
        return self.compare(path, self.bounds(0, 1, keep))

    def stop(self):
        region = self.region("stop", 0.015)
        sure, may = region.holds(self.points)
        expected = []
        for line, seed, start in zip(self.lines.lines, self.lines.seeds, self.lines.starts):
            ends = []
            for flags in (sure, may):
                own = flags[start:start + len(line)]
                before, after = np.flatnonzero(own[:seed]), np.flatnonzero(own[seed + 1:])
                ends.append((before[-1] if len(before) else 0, seed + 2 + after[0] if len(after) else len(line)))
            expected.append(line[slice(*ends[0])] if ends[0] == ends[1] else "?")
        return self.compare(self.run(*ALL, "--stop", region.path), expected)

    def maps(self):
        """Seeds in the space of the masks: visits of its voxels, and targets of each seed."""
        seeds, targets = self.region("seeds", 0.04), [self.region("near", 0.03), self.region("far", 0.03, coarse=True)]
        files = ",".join(str(target.path) for target in targets)
        folder = self.run("--seed-mask", seeds.path, *ALL, "--preset", "probtrackx", "--targets", files, "--products",
                          "streamlines,visits,target-counts", out="maps")
        ours = read(folder / "streamlines.trx")
        voxels = np.argwhere(seeds.image.data > 0)
        voxels = voxels[np.lexsort(voxels.T)]
        world = moved(seeds.image.getAffine("voxel", "world"), voxels)
        places = self.transform.to_images(world)
        choice = candidates(self.dwi, places) >= 0
        at, near, wrong, of_line = 0, 0, 0, []
        for n, (seed, inside) in enumerate(zip(places, choice)):
            distance = np.linalg.norm(ours[at] - seed, axis=1).min() if at < len(ours) else np.inf
            if distance < NEAR_MM:
                of_line.append(n)
                at += 1
            near += inside.any() != inside.all()
            wrong += inside.any() == inside.all() and inside.all() != (distance < NEAR_MM)
        wrong += len(ours) - at
        figures = {"accepted": len(ours), "changed": len(voxels) - len(ours), "near": near, "wrong": wrong}
        if wrong:
            return figures
        lines = Lines(ours, places[of_line])
        points = self.transform.to_masks(lines.points)
        voxel, of = candidates(seeds.image, points), np.repeat(np.arange(len(ours)), np.diff(lines.starts))
        size = seeds.image.data.size

        def count(voxel, of):
            """Each voxel of each streamline once."""
            pairs = np.unique(np.stack([of, voxel], -1)[voxel >= 0], axis=0)
            return np.bincount(pairs[:, 1], minlength=size)

        single = (voxel == voxel[:, :1]).all(1)
        least, most = count(voxel[single, 0], of[single]), count(voxel.ravel(), np.repeat(of, 8))
        visits = Image(str(folder / "visits.nii.gz")).data.ravel(order="F")
        figures["near"] += int((least != most).sum())
        figures["wrong"] += int(((visits < least) | (visits > most)).sum())
        for target in targets:
            sure, may = (lines.halves(flags)[:, 1].any(1) for flags in target.holds(points))
            hits = Image(str(folder / f"seeds_to_{target.path.name}")).data
            hits = hits[tuple(voxels[of_line].T)]
            figures["near"] += int((sure != may).sum())
            figures["wrong"] += int(((hits < sure) | (hits > may)).sum())
        return figures

    def anywhere(self):
        """Seeds drawn anywhere in the mask are in the mask. With fields, some of those that start at its edge are not."""
        seeds = self.region("seeds", 0.04)
        path = self.run("--seed-mask", seeds.path, "--seeds", "20000", "--max-steps", "4", "--step", "1e-4")
        points = np.array([line[len(line) // 2] for line in read(path)])
        sure, may = seeds.holds(self.transform.to_masks(points))
        outside = int((~may).sum())
        kind = self.transform.kind
        share = max(BESIDE.get(self.of_mask, OTHERS_BESIDE), BESIDE.get(kind, OTHERS_BESIDE))
        allowed = 0 if kind in ("matrix", "shift") else share * len(points)
        return {"accepted": len(points), "changed": outside, "near": int((sure != may).sum()),
                "wrong": outside if outside > allowed else 0}


def read(path):
    if path.suffix == ".trx":
        return read_trx(path)
    return list(nib.streamlines.load(path).streamlines)


TRACK = ["--random-seed", "7", "--force", "--quiet"]
# The numbers of probtrackx2.
OF_MAPS = {"--step": "0.5", "--angle": "78.46304096718453", "--min-fraction": "0.01", "--min-length": "0"}
ALL = ["--per-seed", "1", "--max-steps", "300"]
COLUMNS = ["accepted", "changed", "near", "wrong"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    options = parser.parse_args()
    failed = 0
    print(f"{'images':<9}{'masks':<13}{'by':<10}{'test':<10}" + "".join(f"{column:>10}" for column in COLUMNS))
    for right_handed in (False, True):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            samples = folder / "x.bedpostX"
            write_bedpostx(samples, lattice(SHAPE, SIZES, turned(11, [1, 2, -1]), [3, -12, 8], right_handed))
            dwi = Image(str(samples / "nodif_brain_mask.nii.gz"))
            every = folder / "all.tck"
            of_maps = [word for pair in OF_MAPS.items() for word in pair]
            command = [options.arcuate, "track", "samples", samples, *TRACK, *ALL, *of_maps, "--seed-fraction", "0", "--out", every]
            subprocess.run([str(word) for word in command], check=True)
            voxels = voxels_of(SHAPE)
            voxels = voxels[np.lexsort(voxels.T)]
            lines = Lines(read(every), moved(dwi.getAffine("voxel", "world"), voxels))
            for of_mask, kind in itertools.product(MASKS, KINDS):
                if (of_mask, kind) in LEFT_OUT:
                    continue
                here = folder / f"{of_mask}_{kind}".replace(" ", "_")
                here.mkdir()
                case = Case(options.arcuate, here, lines, dwi, of_mask, kind)
                for test in (case.avoid, case.waypoints, case.stop, case.maps, case.anywhere):
                    figures = test()
                    failed += figures["wrong"] > 0
                    words = "".join(f"{figures[column]:10,}" for column in COLUMNS)
                    print(f"{'right' if right_handed else 'left':<9}{of_mask:<13}{kind:<10}{test.__name__:<10}{words}"
                          f"{'  FAILED' if figures['wrong'] else ''}", flush=True)
    print(f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
