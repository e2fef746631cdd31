#!/usr/bin/env python3
"""Compares geodesics through a real brain with SciPy: the same B-spline of log D, the same seeds, another integrator.

    pip install nibabel numba numpy scipy
    cargo build --release -p arcuate
    oracles/geodesic_scipy.py DATA/philips_dwi [--arcuate target/release/arcuate] [--runs 1e-13 1e-12:0.01]

`arcuate mask`, `arcuate fit tensor` and `arcuate track geodesic --all --initial-directions principal --one-way --precision double`
track one ray of up to 100 mm from each of 1,000 random points of the mask. This is repeated for each of --runs: the tolerance of
the adaptive pair and, after a colon, its longest step in mm.

The reference starts from the same tensors, repaired and converted to logarithms here. `scipy.ndimage.spline_filter` (mirrored at the
borders) computes the coefficients, and NumPy's eigenvectors give G = exp(-L) and its derivatives. SciPy's DOP853 integrates the geodesic
equation from the seed along the principal eigenvector of the seed's voxel, with the sign of Arcuate's first step. Spline, slopes and
acceleration are first compared with `scipy.ndimage.map_coordinates`, `scipy.interpolate.NdBSpline` and `scipy.linalg.expm_frechet` at
random positions. The reference has no mask, so it continues beyond the end of Arcuate's ray.

Each point of Arcuate's ray has a distance from the reference (or 500 points if there are many more). It is the distance from the nearest
point of the reference's dense output near the same arc length. A ray's distance is the largest of its points, in voxels. The file's
points are single-precision mm, with an error of some 2e-6 voxel.

Fails if fewer than 99 % of the rays of the first run stay within 1e-3 voxel of the reference over their whole length.

Neighbouring geodesics diverge. Over 100 mm of this brain, a shift of the seed typically grows some 1e5-fold, and at worst 1e9-fold.
The tolerance therefore determines how long two integrators agree. DOP853 with rtol 1e-10 is no reference: one ray in five is then more
than 1e-3 voxel off. With SciPy 1.17 and 1,000 seeds, rays have a mean length of 61 mm, and 369 have 100 mm:

    tolerance, longest step       within 1e-3     median     99 %     of 100 mm: within 1e-3     steps, drift
    1e-13                                99.1 %    2.1e-6   9.7e-4                     97.6 %    3,982   2e-11
    1e-12                                97.1 %    2.4e-6   7.2e-3                     92.1 %    2,540   2e-10
    1e-9                                 63.7 %    1.1e-4      3.1                     25.6 %      657    1e-7
    1e-5, the default                    23.7 %      0.17       28                      0.0 %      103    2e-4
    DOP853, rtol 1e-10, atol 1e-12       78.2 %    1.1e-5     0.54                     51.2 %

Nine rays are further off (1e-3 to 3.5e-2 voxel, all of 100 mm). In them a shift grows at least 1e8-fold, and the reference itself moves
by up to 3e-3 voxel with other tolerances. The comparison takes some 18 minutes of processor time, and 0.5 GB on disk.
"""
import argparse
import multiprocessing
import pathlib
import subprocess
import tempfile
import time
import zipfile

import nibabel as nib
import numpy as np
from numba import njit
from scipy import ndimage
from scipy.integrate import solve_ivp
from scipy.interpolate import NdBSpline
from scipy.linalg import expm, expm_frechet

ELEMENTS = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
# Nodes beyond the image, because the reference may leave it at the end of Arcuate's ray.
MARGIN = 6
NEAR = 1e-3
WANTED = 0.99
# rtol, atol and longest step of DOP853 (in time; one unit is 1 mm at the seed). The reference has the smallest rtol that SciPy
# accepts, and short steps. At the knots of the spline, the acceleration has no second derivative, so a long step may be worse
# than its estimate. The others are a usual choice, and a check of the reference.
FINE, USUAL, CHECK = (2.3e-14, 1e-16, 0.05), (1e-10, 1e-12, np.inf), (1e-13, 1e-15, 0.02)
MOST_POINTS = 500


def call(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def full(elements):
    matrix = np.empty(elements.shape[:-1] + (3, 3))
    for n, (a, b) in enumerate(ELEMENTS):
        matrix[..., a, b] = matrix[..., b, a] = elements[..., n]
    return matrix


def repaired(elements, mask):
    """Tensors in units of the mask's mean diffusivity, positive definite."""
    elements = elements.astype(np.float64)
    mean = elements[..., :3].mean(axis=-1)
    mean = mean[mask & (mean > 0) & np.isfinite(mean)].mean()
    nothing = ~np.isfinite(elements).all(axis=-1) | (elements == 0).all(axis=-1)
    elements[nothing] = np.array([mean, mean, mean, 0, 0, 0])
    values, vectors = np.linalg.eigh(full(elements / mean))
    return np.maximum(values, 0.01), vectors


def coefficients_of(values, vectors):
    """Coefficients of the spline of log D with a mirrored margin, six elements per node."""
    logarithm = np.einsum("...an,...n,...bn->...ab", vectors, np.log(values), vectors)
    filtered = [ndimage.spline_filter(np.ascontiguousarray(logarithm[..., a, b]), order=3, mode="mirror")
                for a, b in ELEMENTS]
    return np.ascontiguousarray(np.stack([np.pad(f, MARGIN, mode="reflect") for f in filtered], axis=-1))


@njit
def logarithm_at(place, coefficients):
    """L and its slopes along the three axes of the image, at a position in voxels."""
    weights = np.empty((2, 3, 4))
    first = np.empty(3, np.int64)
    for axis in range(3):
        below = np.floor(place[axis])
        t = place[axis] - below
        s = 1 - t
        weights[0, axis] = np.array([s**3, 4 - 6 * t**2 + 3 * t**3, 4 - 6 * s**2 + 3 * s**3, t**3]) / 6
        weights[1, axis] = np.array([-(s**2), 3 * t**2 - 4 * t, 4 * s - 3 * s**2, t**2]) / 2
        first[axis] = min(max(int(below) - 1 + MARGIN, 0), coefficients.shape[axis] - 4)
    result = np.zeros((4, 6))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                x, y, z = weights[0, 0, i], weights[0, 1, j], weights[0, 2, k]
                dx, dy, dz = weights[1, 0, i], weights[1, 1, j], weights[1, 2, k]
                for n in range(6):
                    c = coefficients[first[0] + i, first[1] + j, first[2] + k, n]
                    result[0, n] += c * x * y * z
                    result[1, n] += c * dx * y * z
                    result[2, n] += c * x * dy * z
                    result[3, n] += c * x * y * dz
    return result


@njit
def symmetric(e):
    return np.array([[e[0], e[3], e[4]], [e[3], e[1], e[5]], [e[4], e[5], e[2]]])


@njit
def equation(_, state, coefficients, to_voxels):
    """The derivative of position (voxels), velocity (mm along scanner axes) and arc length (mm)."""
    velocity = state[3:6].copy()
    found = logarithm_at(state[:3], coefficients)
    values, q = np.linalg.eigh(symmetric(found[0]))
    # The derivative of exp(-L) along E is -q (p * (q' E q)) q', by Daleckii and Krein.
    p = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            apart = values[i] - values[j]
            ratio = 1 + apart / 2 if abs(apart) < 1e-9 else np.expm1(apart) / apart
            p[i, j] = np.exp(-values[i]) * ratio
    w = q.T @ velocity
    along = np.zeros((3, 3))
    gradient = np.empty(3)
    for axis in range(3):
        slope = np.zeros(6)
        for image_axis in range(3):
            slope += to_voxels[image_axis, axis] * found[1 + image_axis]
        change = -p * (q.T @ symmetric(slope) @ q)
        gradient[axis] = w @ change @ w
        along += velocity[axis] * change
    force = along @ w - 0.5 * (q.T @ gradient)
    result = np.empty(7)
    result[:3] = to_voxels @ velocity
    result[3:6] = -(q @ (np.exp(values) * force))
    result[6] = np.sqrt(velocity @ velocity)
    return result


def check_equation(coefficients, to_voxels, shape, random):
    """The largest errors of the spline, its slopes and the acceleration at random positions."""
    places = random.uniform(0, np.array(shape) - 1, (300, 3))
    velocities = random.normal(size=(300, 3))
    at = places + MARGIN
    found = np.array([logarithm_at(place, coefficients) for place in places])
    expected = np.empty_like(found)
    for n in range(6):
        expected[:, 0, n] = ndimage.map_coordinates(coefficients[..., n], at.T, order=3, prefilter=False)
    # The basis function of a node is centred on it and extends two knots to each side.
    knots = tuple(np.arange(count + 4) - 2.0 for count in coefficients.shape[:3])
    spline = NdBSpline(knots, coefficients, 3)
    for axis in range(3):
        expected[:, 1 + axis] = spline(at, nu=np.eye(3, dtype=int)[axis])
    errors = np.abs(found - expected).max(axis=(0, 2))
    acceleration = 0.0
    for place, velocity, elements in zip(places, velocities, expected):
        minus = -full(elements[0])
        slopes = np.einsum("ba,bcd->acd", to_voxels, full(elements[1:]))
        change = np.array([expm_frechet(minus, -slope, compute_expm=False) for slope in slopes])
        force = np.einsum("a,abc,c->b", velocity, change, velocity)
        force -= 0.5 * np.einsum("b,abc,c->a", velocity, change, velocity)
        wanted = -np.linalg.solve(expm(minus), force)
        ours = equation(0.0, np.concatenate([place, velocity, [0.0]]), coefficients, to_voxels)[3:6]
        acceleration = max(acceleration, np.linalg.norm(ours - wanted) / np.linalg.norm(wanted))
    print(f"at 300 random places log D differs from SciPy's by {errors[0]:.1e}, its slopes by {errors[1:].max():.1e}, "
          f"the acceleration by {acceleration:.1e} (relative)")
    if not (errors.max() < 1e-12 and acceleration < 1e-10):
        raise SystemExit("the reference's own equation is wrong")


def read_rays(path):
    """Points of each ray in mm (a subset if there are many), its number of steps, length and energy drift."""
    with zipfile.ZipFile(path) as file:
        def array(start):
            name = next(name for name in file.namelist() if name.startswith(start))
            return np.frombuffer(file.read(name), np.dtype(name.rsplit(".", 1)[1]))

        points, offsets = array("positions").reshape(-1, 3), array("offsets").astype(np.int64)
        length, drift = array("dps/length"), array("dps/drift")
    # The file may or may not have a last offset for the total number.
    begins = offsets[: len(length)]
    ends = np.append(begins[1:], len(points))
    rays = []
    for begin, end in zip(begins, ends):
        chosen = np.append(np.arange(begin, end - 1, max(1, (end - begin) // MOST_POINTS)), end - 1)
        rays.append(points[chosen].astype(np.float64))
    return rays, ends - begins - 1, length, drift


class Reference:
    """The geodesic from a seed by DOP853, up to an arc length."""

    def __init__(self, start, velocity, length, field, tolerances):
        def far_enough(_, state, *__):
            return state[6] - length

        def outside(_, state, coefficients, *__):
            room = np.minimum(state[:3], np.array(coefficients.shape[:3]) - 2 * MARGIN - 1 - state[:3])
            return room.min() + MARGIN - 2

        far_enough.terminal = outside.terminal = True
        state = np.concatenate([start, velocity, [0.0]])
        rtol, atol, longest = tolerances
        solved = solve_ivp(equation, (0, np.inf), state, "DOP853", args=field, rtol=rtol, atol=atol, max_step=longest,
                           dense_output=True, events=[far_enough, outside])
        self.at, knots = solved.sol, solved.t
        self.times = np.unique(np.concatenate([knots[:-1] + f * np.diff(knots) for f in np.linspace(0, 1, 5)]))
        states = self.at(self.times)
        self.places, self.lengths = states[:3].T, states[6]

    def distances(self, points, to_mm):
        """Distances of points from the curve, both in voxels, near the points' own arc length."""
        chords = np.linalg.norm(np.diff(points, axis=0) @ to_mm.T, axis=1)
        length = np.concatenate([[0.0], np.cumsum(chords)])
        # A polygon is shorter than its curve.
        low = np.searchsorted(self.lengths, 0.98 * length - 1.0)
        high = np.searchsorted(self.lengths, 1.05 * length + 1.0)
        best = np.empty(len(points), np.int64)
        for n, point in enumerate(points):
            part = slice(min(low[n], len(self.lengths) - 1), high[n])
            best[n] = part.start + np.argmin(((self.places[part] - point) ** 2).sum(axis=1))
        before, after = self.times[np.maximum(best - 1, 0)], self.times[np.minimum(best + 1, len(self.times) - 1)]
        t = self.times[best].copy()
        nearest = np.linalg.norm(self.places[best] - points, axis=1)
        for _ in range(3):
            state = self.at(t)
            offset, velocity = state[:3].T - points, np.linalg.solve(to_mm, state[3:6]).T
            nearest = np.minimum(nearest, np.linalg.norm(offset, axis=1))
            t = np.clip(t - (offset * velocity).sum(axis=1) / (velocity**2).sum(axis=1), before, after)
        return nearest


def length_of(ray):
    return np.linalg.norm(np.diff(ray, axis=0), axis=1).sum()


class Comparison:
    """Compares the rays of all runs from a seed with the reference."""

    def __init__(self, runs, seeds, vectors, field, to_mm):
        self.runs, self.seeds, self.vectors, self.field, self.to_mm = runs, seeds, vectors, field, to_mm

    def follow(self, seed, tolerances, shift=0.0):
        rays = [rays[seed] for rays in self.runs if seed in rays]
        principal = self.vectors[tuple(np.rint(self.seeds[seed]).astype(int))][:, -1]
        velocity = principal if principal @ (self.to_mm @ (rays[0][1] - rays[0][0])) > 0 else -principal
        length = 1.01 * max(length_of(ray @ self.to_mm.T) for ray in rays) + 1.0
        return Reference(self.seeds[seed] + shift, velocity, length, self.field, tolerances)

    def places(self, reference, seed):
        """Positions of another reference, up to the length of the first run's ray."""
        ray = next(rays[seed] for rays in self.runs if seed in rays)
        return reference.places[reference.lengths <= length_of(ray @ self.to_mm.T)]

    def of_seed(self, seed):
        """The largest distance of each run, and that of DOP853 with the usual tolerances."""
        if not any(seed in rays for rays in self.runs):
            return [np.nan] * (len(self.runs) + 1)
        reference = self.follow(seed, FINE)
        usual = self.places(self.follow(seed, USUAL), seed)
        rays = [rays.get(seed) for rays in self.runs] + [usual]
        return [np.nan if ray is None else reference.distances(ray, self.to_mm).max() for ray in rays]

    def of_far(self, seed):
        """Movement of the reference with other tolerances, and its movement per shift of the seed."""
        reference, shift = self.follow(seed, FINE), 1e-9
        moved = self.places(self.follow(seed, FINE, shift / np.sqrt(3)), seed)
        other = self.places(self.follow(seed, CHECK), seed)
        return reference.distances(other, self.to_mm).max(), reference.distances(moved, self.to_mm).max() / shift


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--rays", type=int, default=1000)
    parser.add_argument("--length", type=float, default=100.0, help="in mm")
    parser.add_argument("--runs", nargs="+", default=["1e-13", "1e-12", "1e-9", "1e-5"])
    parser.add_argument("--random-seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    random = np.random.default_rng(options.random_seed)
    series = options.folder / "dwi.nii.gz"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        usual = ["--quiet", "--threads", options.threads]
        mask_file, tensor_file = folder / "mask.nii.gz", folder / "fit" / "tensor.nii.gz"
        call(options.arcuate, "mask", series, "--out", mask_file, *usual)
        call(options.arcuate, "fit", "tensor", series, "--mask", mask_file, "--out", folder / "fit", *usual)
        image = nib.load(tensor_file)
        mask, elements = nib.load(mask_file).get_fdata() > 0.5, np.asarray(image.dataobj)
        to_mm, origin = image.affine[:3, :3], image.affine[:3, 3]
        to_voxels = np.ascontiguousarray(np.linalg.inv(to_mm))
        voxels = np.argwhere(mask)
        seeds = voxels[random.integers(len(voxels), size=options.rays)] + random.uniform(-0.5, 0.5, (options.rays, 3))
        seeds_mm = seeds @ to_mm.T + origin
        seeds_file = folder / "seeds.txt"
        seeds_file.write_text("".join(" ".join(repr(float(c)) for c in seed) + "\n" for seed in seeds_mm))
        runs, known, lengths = [], [], np.full((options.rays, len(options.runs) + 1), np.nan)
        for run_number, run in enumerate(options.runs):
            tolerance, _, step = run.partition(":")
            begin = time.perf_counter()
            call(options.arcuate, "track", "geodesic", tensor_file, "--out", folder / "rays", "--force",
                 "--mask", mask_file, "--seed-points", seeds_file, "--all", "--initial-directions", "principal", "--one-way",
                 "--precision", "double", "--field", "spline", "--integrator", "adaptive", "--step-tolerance", tolerance,
                 *(["--step", step] if step else []), "--max-length", options.length, "--max-steps", "1000000", *usual)
            seconds = time.perf_counter() - begin
            rays, steps, length, drift = read_rays(folder / "rays" / "streamlines.trx")
            # Rays are in the order of the seeds, without those of a single point.
            apart = np.linalg.norm(np.array([ray[0] for ray in rays])[:, None] - seeds_mm, axis=2)
            number = apart.argmin(axis=1)
            if apart.min(axis=1).max() > 1e-4 or (np.diff(number) <= 0).any():
                raise SystemExit(f"rays at {run} do not begin at the seeds")
            lengths[number, run_number] = length
            runs.append({n: (ray - origin) @ to_voxels.T for n, ray in zip(number, rays)})
            known.append((np.median(steps), np.median(drift), seconds))

    values, vectors = repaired(elements, mask)
    field = coefficients_of(values, vectors), to_voxels
    check_equation(*field, mask.shape, random)
    comparison = Comparison(runs, seeds, vectors, field, to_mm)
    begin = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(options.threads) as pool:
        furthest = np.array(pool.map(comparison.of_seed, range(options.rays), chunksize=4))
        far = [seed for seed in np.argsort(furthest[:, 0]) if furthest[seed, 0] >= NEAR]
        moved = pool.map(comparison.of_far, far, chunksize=1)
    print(f"{options.rays} seeds, the reference took {time.perf_counter() - begin:.0f} s\n")

    lengths[:, -1] = lengths[:, 0]
    print("medians of steps and largest energy drift, mean length in mm; distances in voxels; * only rays of full length")
    print(f"{'tolerance:step':>14} {'rays':>5} {'steps':>6} {'drift':>7} {'mm':>5} {'within 1e-3':>11} {'median':>7} "
          f"{'90 %':>7} {'99 %':>7} {'*rays':>6} {'*within':>7} {'*median':>7} {'time':>6}")
    for n, name in enumerate([*options.runs, "DOP853 1e-10"]):
        there = np.isfinite(furthest[:, n]) & np.isfinite(lengths[:, n])
        distance, length = furthest[there, n], lengths[there, n]
        whole = distance[length >= options.length - 1e-3]
        steps, drift, seconds = "   "
        if n < len(runs):
            steps, drift, seconds = f"{known[n][0]:.0f}", f"{known[n][1]:.1e}", f"{known[n][2]:.1f} s"
        tail = f"{(whole < NEAR).mean():7.1%} {np.median(whole):7.1e}" if len(whole) else " " * 15
        print(f"{name:>14} {len(distance):5} {steps:>6} {drift:>7} {length.mean():5.1f} "
              f"{(distance < NEAR).mean():11.1%} {np.median(distance):7.1e} {np.quantile(distance, 0.9):7.1e} "
              f"{np.quantile(distance, 0.99):7.1e} {len(whole):6} {tail} {seconds:>6}")

    if far:
        print(f"\n{options.runs[0]}, beyond 1e-3 voxel; the reference moves with other tolerances; a shift grows:")
    for seed, (other, growth) in zip(far, moved):
        length, distance = lengths[seed, 0], furthest[seed, 0]
        print(f"  seed {seed:4}: {length:5.1f} mm, {distance:.1e} voxel; {other:.1e}; {growth:.0e}-fold")
    share = (furthest[np.isfinite(furthest[:, 0]), 0] < NEAR).mean()
    if not share >= WANTED:
        raise SystemExit(f"{share:.2%} within 1e-3 voxel, less than {WANTED:.0%}")


if __name__ == "__main__":
    main()
