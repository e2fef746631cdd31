#!/usr/bin/env python3
"""Compares the speed of probabilistic tracking with DIPY on CPUs, or with GPUStreamlines (cuslines) on a GPU: mm per second.

    pip install dipy nibabel numpy scipy        # and for --peer cuslines: pip install "cuslines[cu13]"
    cargo build --release -p arcuate
    oracles/samples_dipy.py [--peer dipy|cuslines] [--arcuate target/release/arcuate] [--streamlines 100000] [--threads 2]
        [--samples X.bedpostX]

Writes a folder like bedpostX's (three fibres, 50 samples, an ellipsoid of 2 mm voxels), or uses an existing one. Arcuate draws from the
samples. The peer gets them as distributions: in each voxel the histogram of all samples over the 362 directions of DIPY's
default sphere, weighted by their fractions. Both track one streamline from each of the same points in both directions. Steps are 0.5 mm
within the same mask, and angles are up to 45 degrees. Halves have at most 500 steps, and whole streamlines up to 250 mm are kept.
After one unmeasured run each, three runs alternate, and medians count. There are three times of each program:

    followed    Arcuate: from its record, for streamlines that are counted in a map of visits and not kept
                the peer: until its threads have tracked all (DIPY); its kernels alone (cuslines)
    in memory   Arcuate: from its record, for streamlines that are written to a file
                the peer: until it has all streamlines in memory
    in a file   Arcuate: the whole command without reading the samples, from its start and the seeds to the .trx
                the peer: and saved as .trx; without imports, distributions, compilation and transfers to the GPU

The programs differ in these points:

- The peers interpolate the distributions of the eight voxels around a point linearly, and set values below 0.05 of the largest to zero.
  They exclude directions beyond the angle, and draw one of the 362. Arcuate draws a voxel and one of its samples, and takes the fibre
  nearest to its direction. It stops if this fibre is beyond the angle.
- Arcuate also stops if the drawn voxel is outside the mask. The peers stop if the point is: DIPY by the nearest voxel, cuslines
  by linear interpolation of a texture. This is half a voxel off, because cuslines omits the half that textures need.
- Lengths therefore differ by a few steps, and mm per second are comparable.
- A streamline of Arcuate starts along a sample of the first fibre. With DIPY, it starts along the largest direction of the seed's voxel,
  an argument that is computed in Python. With cuslines, it starts along the largest direction at the seed, which a kernel finds. Other
  maxima, which would be more streamlines per seed, are omitted.

cuslines 2.2.3 is changed to run if a GPU cannot read the host's pages: the handle of its mask's texture is in GPU memory. If streams
of cuda.bindings are too old for cuda.core, it gets streams that provide their handle. The rest is unchanged.

Fails if mean lengths differ by more than 20 %, or if counts of points in cubes of three voxels correlate below 0.9.

Results in memory, peer and Arcuate:

    DIPY 1.12.1, 100,000 streamlines, two threads   34.8 s and 2.6 s, 110 and 107 mm each, 13 times the mm per second
    cuslines 2.2.3, one H200, a million             19.1 s and 2.6 s, 7.2 times

The times with DIPY are the shortest of five runs. The medians, 51.6 s and 5.0 s, are of a machine with other work. The kernels of
cuslines take 0.93 s, and Arcuate's 0.26 s for 20 million, 69 times as fast.
"""
import os

# Before the import: no progress bars.
os.environ.setdefault("TQDM_DISABLE", "1")

import argparse
import importlib.metadata
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import nibabel as nib
import numpy as np
from dipy.data import default_sphere
from scipy.spatial import cKDTree
from trx import trx_file_memmap

STEP, ANGLE, HALF, LONGEST, THRESHOLD = 0.5, 45.0, 500, 250.0, 0.05
SHAPE, VOXEL, SAMPLES = (64, 78, 60), 2.0, 50
SPREAD = np.radians(7)
# Edge of the cubes in which points are counted. In single voxels, the counts of some 10,000 streamlines are noise.
CUBE = 3


def write_samples(folder):
    """Fibres that bend gently through an ellipsoid; the second in half of it, the third in a quarter."""
    rng = np.random.default_rng(17)
    affine = np.diag([-VOXEL, VOXEL, VOXEL, 1.0])
    affine[:3, 3] = -np.diag(affine)[:3] * (np.array(SHAPE) - 1) / 2
    x, y, z = (VOXEL * (i - (n - 1) / 2) for i, n in zip(np.indices(SHAPE), SHAPE))
    mask = sum((a / (0.96 * VOXEL * n / 2)) ** 2 for a, n in zip((x, y, z), SHAPE)) < 1
    turn, tilt = 0.8 * np.sin(y / 45) + 0.5 * np.cos(z / 40), 0.5 * np.sin(x / 40)
    first = np.stack([np.cos(tilt) * np.sin(turn), np.cos(tilt) * np.cos(turn), np.sin(tilt)], -1)
    second = np.cross(first, [0.0, 0.0, 1.0])
    second /= np.linalg.norm(second, axis=-1, keepdims=True)
    third = np.cross(first, second)
    present = np.stack([mask, mask & (np.sin(x / 15) > 0), mask & (np.sin(x / 15) > 0) & (np.sin(y / 15) > 0)], -1)
    header = nib.Nifti1Image(np.zeros(SHAPE, np.uint8), affine).header
    for fibre, (direction, share) in enumerate(zip((first, second, third), (0.5, 0.25, 0.15))):
        inside = present[..., fibre]
        v = direction[inside][:, None] + rng.normal(0, SPREAD, (inside.sum(), SAMPLES, 3)).astype(np.float32)
        v /= np.linalg.norm(v, axis=-1, keepdims=True)
        f = np.clip(share + rng.normal(0, 0.03, v.shape[:2]), 0.02, 1)
        for name, values in (("th", np.arccos(v[..., 2])), ("ph", np.arctan2(v[..., 1], v[..., 0])), ("f", f)):
            image = np.zeros((*SHAPE, SAMPLES), np.float32)
            image[inside] = values
            nib.save(nib.Nifti1Image(image, affine), folder / f"merged_{name}{fibre + 1}samples.nii")
    nib.save(nib.Nifti1Image(mask.astype(np.uint8), affine, header), folder / "nodif_brain_mask.nii")


def find(folder, name):
    """An image of the folder, compressed or not; None if it does not exist."""
    paths = [folder / f"{name}{ending}" for ending in (".nii.gz", ".nii")]
    return next((nib.load(path) for path in paths if path.exists()), None)


def distributions(folder, sphere):
    """The mask, and for each voxel the fractions of the sphere's directions in voxel axes."""
    mask_image = find(folder, "nodif_brain_mask")
    mask = np.asarray(mask_image.dataobj) > 0
    nearest = cKDTree(np.concatenate([sphere.vertices, -sphere.vertices]))
    size = len(sphere.vertices)
    # FSL's x runs from right to left.
    flip = np.array([-1 if np.linalg.det(mask_image.affine) > 0 else 1, 1, 1])
    shares = np.zeros((mask.sum(), size), np.float32)
    for fibre in itertools.count(1):
        series = [find(folder, f"merged_{name}{fibre}samples") for name in ("th", "ph", "f")]
        if series[0] is None:
            break
        theta, phi, f = (np.asarray(image.dataobj)[mask] for image in series)
        for part in np.array_split(np.arange(len(shares)), max(1, len(shares) // 20_000)):
            th, ph = theta[part], phi[part]
            v = np.stack([np.sin(th) * np.cos(ph), np.sin(th) * np.sin(ph), np.cos(th)], -1) * flip
            bins = nearest.query(v, workers=-1)[1] % size + size * np.arange(len(part))[:, None]
            weights = np.where(f[part] > 0.01, f[part], 0)
            shares[part] += np.bincount(bins.ravel(), weights.ravel(), size * len(part)).reshape(-1, size)
    shares /= np.maximum(shares.sum(-1, keepdims=True), 1e-9)
    field = np.zeros((*mask.shape, size), np.float32)
    field[mask] = shares
    return mask_image, mask, field


class Dipy:
    """Tracks with dipy.tracking.tracker.probabilistic_tracking."""

    def __init__(self, image, mask, field, seeds, options):
        from dipy.tracking.stopping_criterion import BinaryStoppingCriterion

        self.name = f"DIPY {importlib.metadata.version('dipy')}, {options.threads} threads"
        self.image, self.field, self.threads = image, field.astype(float), options.threads
        self.stop = BinaryStoppingCriterion(mask)
        self.seeds = nib.affines.apply_affine(image.affine, seeds)
        voxels = np.floor(seeds + 0.5).astype(int).T
        self.directions = default_sphere.vertices[np.concatenate(
            [field[tuple(v)].argmax(-1) for v in np.array_split(voxels, max(1, len(seeds) // 10_000), axis=1)])]

    def run(self, out):
        from dipy.io.stateful_tractogram import Space, StatefulTractogram
        from dipy.io.streamline import save_tractogram
        from dipy.tracking.tracker import probabilistic_tracking

        started = time.perf_counter()
        lines = probabilistic_tracking(
            self.seeds, self.stop, self.image.affine, seed_directions=self.directions, sf=self.field, sphere=default_sphere,
            min_len=0, max_len=LONGEST, step_size=STEP, max_angle=ANGLE, pmf_threshold=THRESHOLD, nbr_threads=self.threads,
        )
        # All have been tracked when the first one is returned.
        first = next(lines)
        followed = time.perf_counter() - started
        kept = nib.streamlines.ArraySequence(itertools.chain([first], lines))
        in_memory = time.perf_counter() - started
        tractogram = StatefulTractogram(kept, self.image, Space.RASMM)
        save_tractogram(tractogram, str(out), bbox_valid_check=False)
        return followed, in_memory, time.perf_counter() - started


class InDeviceMemory:
    """States the address of a handle, instead of a host object."""

    def __init__(self, handle):
        from cuda.bindings import runtime

        value = np.array([int(handle)], np.uint64)
        error, self.pointer = runtime.cudaMalloc(8)
        assert error == 0, error
        to_device = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
        (error,) = runtime.cudaMemcpy(self.pointer, value.ctypes.data, 8, to_device)
        assert error == 0, error

    def getPtr(self):
        return self.pointer


class Cuslines:
    """Tracks with cuslines' getter of probabilistic directions, on one GPU."""

    def __init__(self, image, mask, field, seeds, options):
        import cuslines

        self.name = f"cuslines {importlib.metadata.version('cuslines')} on {cuslines.BACKEND or 'the processor'}"
        voxels = nib.affines.voxel_sizes(image.affine)
        assert np.ptp(voxels) < 1e-3, "cuslines steps in voxels, which must be cubes"
        self.image, self.seeds, self.followed = image, seeds.astype(np.float32), 0.0
        self.tracker = cuslines.Tracker(
            cuslines.ProbDirectionGetter(), field, mask.astype(np.float32), 0.5, default_sphere.vertices,
            default_sphere.edges, sphere_symm=True, max_angle=math.radians(ANGLE), step_size=STEP / voxels[0],
            max_pts=LONGEST / STEP + 1, relative_peak_thresh=0.999, chunk_size=options.chunk,
        )
        self.tracker.__enter__()
        if cuslines.BACKEND == "cuda":
            self.prepare()
        else:
            propagator = self.tracker.seed_propagator
            propagator.propagate = self.timed(propagator.propagate)

    def timed(self, call):
        def called(*words):
            started = time.perf_counter()
            call(*words)
            self.followed += time.perf_counter() - started

        return called

    def prepare(self):
        from cuda.bindings import runtime

        class Stream(runtime.cudaStream_t):
            def __cuda_stream__(self):
                return 0, int(self)

        tracker, getter = self.tracker, self.tracker.dg
        reads = runtime.cudaDeviceGetAttribute(runtime.cudaDeviceAttr.cudaDevAttrPageableMemoryAccess, 0)
        print("the GPU reads the host's pages:", bool(reads[1]))
        if not hasattr(tracker.streams[0], "__cuda_stream__"):
            tracker.streams[0] = Stream(int(tracker.streams[0]))
        handle = InDeviceMemory(tracker.metric_map_d[0])

        def to_the_end(launch):
            def launched(*words):
                textures, tracker.metric_map_d = tracker.metric_map_d, [handle]
                launch(*words)
                tracker.metric_map_d = textures
                # The caller would wait for this next, too.
                (error,) = runtime.cudaStreamSynchronize(tracker.streams[0])
                assert error == 0, error

            return self.timed(launched)

        getter.getNumStreamlines = to_the_end(getter.getNumStreamlines)
        getter.generateStreamlines = to_the_end(getter.generateStreamlines)

    def run(self, out):
        self.followed = 0.0
        started = time.perf_counter()
        tractogram = self.tracker.generate_trx(self.seeds, self.image)
        in_memory = time.perf_counter() - started
        trx_file_memmap.save(tractogram, str(out))
        in_file = time.perf_counter() - started
        tractogram.close()
        return self.followed, in_memory, in_file


class Arcuate:
    """Tracks with arcuate track samples."""

    name = "Arcuate"

    def __init__(self, samples, seeds_file, folder, options):
        self.command = [options.arcuate, "track", "samples", samples, "--seed-points", seeds_file, "--step", STEP]
        self.command += ["--angle", ANGLE, "--max-steps", 2 * HALF, "--max-length", LONGEST, "--force", "--quiet"]
        self.command += ["--min-fraction", "0.01", "--min-length", "0"]
        self.command += ["--threads", options.threads, "--device", options.device]
        self.visits, self.each = folder / "visits", options.visits_each

    def call(self, record, *words):
        """Seconds of the whole command without reading, and of tracking from the record."""
        started = time.perf_counter()
        done = subprocess.run([str(word) for word in (*self.command, *words)], capture_output=True, text=True)
        whole = time.perf_counter() - started
        if done.returncode:
            sys.exit(f"{self.command} {words}: {done.stderr}")
        seconds = json.loads(record.read_text())["seconds"]
        return whole - seconds["read the orientations"], seconds["follow the streamlines"]

    def run(self, out):
        _, followed = self.call(self.visits / "arcuate.json", "--per-seed", self.each, "--products", "visits", "--out", self.visits)
        in_file, in_memory = self.call(out.with_name(f"{out.name}.json"), "--per-seed", 1, "--out", out)
        return followed, in_memory, in_file


def summary(path, image):
    """The number of streamlines in a .trx, their total length in mm, and the fraction of some points in each cube of voxels."""
    tractogram = trx_file_memmap.load(str(path))
    points, count = tractogram.streamlines._data, len(tractogram.streamlines)
    some = np.asarray(points[:: max(1, len(points) // 5_000_000)], float)
    voxels = np.floor(nib.affines.apply_affine(np.linalg.inv(image.affine), some) + 0.5).astype(int)
    shape = -(-np.array(image.shape) // CUBE)
    cubes = np.clip(voxels // CUBE, 0, shape - 1)
    density = np.bincount(np.ravel_multi_index(tuple(cubes.T), shape), minlength=shape.prod())
    length = (len(points) - count) * STEP
    tractogram.close()
    return count, length, density / max(1, density.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", choices=["dipy", "cuslines"], default="dipy")
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--device", default="cpu", help="device of Arcuate, such as cpu or cuda:0")
    parser.add_argument("--samples", type=pathlib.Path, help="a folder of bedpostX, instead of one that is made")
    parser.add_argument("--streamlines", type=int, default=100_000)
    parser.add_argument("--visits-each", type=int, default=1, help="streamlines of a seed where Arcuate counts visits alone")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--chunk", type=int, default=100_000, help="seeds that cuslines takes at a time")
    parser.add_argument("--work", help="folder for created files, instead of the system's temporary one")
    options = parser.parse_args()
    tempfile.tempdir = options.work or tempfile.gettempdir()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        samples = options.samples
        if samples is None:
            samples = folder / "made.bedpostX"
            samples.mkdir()
            write_samples(samples)
        image, mask, field = distributions(samples, default_sphere)
        rng = np.random.default_rng(23)
        voxels = np.argwhere(mask & (field.sum(-1) > 0))
        seeds = voxels[rng.integers(len(voxels), size=options.streamlines)].astype(float)
        seeds += rng.uniform(-0.499, 0.499, seeds.shape)
        np.savetxt(folder / "seeds.txt", nib.affines.apply_affine(image.affine, seeds), fmt="%.6f")
        print(f"{mask.sum():,} voxels, {options.streamlines:,} seeds; load {os.getloadavg()[0]:.1f}", flush=True)
        peer = {"dipy": Dipy, "cuslines": Cuslines}[options.peer](image, mask, field, seeds, options)
        programs = [peer, Arcuate(samples, folder / "seeds.txt", folder, options)]
        times, results = {program: [] for program in programs}, {}
        for turn in range(options.turns + 1):
            for program in programs:
                out = folder / "out.trx"
                seconds = program.run(out)
                print(f"turn {turn} {program.name}: " + " ".join(f"{s:.2f}" for s in seconds), flush=True)
                if turn > 0:
                    times[program].append(seconds)
                if turn == options.turns:
                    results[program] = summary(out, image)
                out.unlink()
        print(f"load {os.getloadavg()[0]:.1f}")
        report(programs, times, results, options)


def report(programs, times, results, options):
    rates = {}
    print(f"{'':48} {'streamlines':>12} {'mm each':>8} {'least s':>8} {'s':>8} {'mm/s':>10}")
    for program in programs:
        count, length, _ = results[program]
        figures = zip(("followed", "in memory", "in a file"), np.median(times[program], axis=0), np.min(times[program], axis=0))
        for what, seconds, least in figures:
            each = options.visits_each if what == "followed" and isinstance(program, Arcuate) else 1
            rates[program, what] = each * length / seconds if seconds > 0 else math.inf
            print(f"{program.name + ', ' + what:48} {each * count:12,} {length / max(count, 1):8.1f} {least:8.2f} "
                  f"{seconds:8.2f} {rates[program, what]:10.3g}")
    peer, ours = programs
    for what in ("followed", "in memory", "in a file"):
        print(f"{what}: {rates[ours, what] / rates[peer, what]:.1f} times the mm a second")
    (count, length, density), (our_count, our_length, our_density) = results[peer], results[ours]
    lengths = our_length / our_count / (length / count)
    correlation = np.corrcoef(density, our_density)[0, 1]
    print(f"mean length {lengths:.3f} of the peer's; points per cube of voxels correlate {correlation:.4f}")
    sys.exit(0 if abs(lengths - 1) < 0.2 and correlation > 0.9 else 1)


main()
