#!/usr/bin/env python3
"""Measures rows of a dense connectome of the simulated brain: their repeatability, the number of streamlines that a seed needs, and
the effect of anatomy on false connections.

    pip install numpy nibabel
    cargo build --release -p arcuate
    oracles/dense_connectome.py [--arcuate target/release/arcuate] [--rows 1000] [--most 100000] [--keep FOLDER]

`simulate --meshes` makes the brain in voxels of 3 mm, and `fit ball-2-sticks --method mcmc` makes the samples. `--rows` vertices of the
white surfaces are drawn once, in regions with a bundle end. For each vertex, `track samples --matrix targets` counts the row
over all vertices of the cortex. Prints

- repeats: the correlation of a row between two of ten runs with different random seeds, for 1,000 and 10,000 streamlines per
  seed. Median and 5th percentile are over rows and 45 pairs of runs;
- enough: the correlation of a row of 1,000 and of 10,000 streamlines with that of `--most` (median and 5th percentile over
  rows);
- anatomy: the fraction of streamlines that connect a row to a wrong region. Right regions are the seed's own and the one that
  its bundle joins to it. The first case has no surfaces. In the second, streamlines end at the pial surface. In the third, they end before the
  second crossing of the white surface. The fourth has both rules, and nuclei that a streamline may enter but not leave again.

Fails if rows of 10,000 streamlines are not more alike than rows of 1,000, or if the pial surface adds false connections.
"""
import argparse
import pathlib
import subprocess
import tempfile

import nibabel
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--arcuate", default="target/release/arcuate")
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--most", type=int, default=100_000)
parser.add_argument("--keep")
given = parser.parse_args()
arcuate = str(pathlib.Path(given.arcuate).resolve())
work = pathlib.Path(given.keep or tempfile.mkdtemp()).resolve()
work.mkdir(exist_ok=True)
SIDES = ["left", "right"]
# Without the medial walls, through which the corpus callosum passes.
CORTEX = ":brain/surfaces/{side}.cortex.shape.gii"
REPEATS = 10


def run(*words):
    subprocess.run([arcuate, "--quiet", *map(str, words)], check=True, cwd=work)


if not (work / "brain").exists():
    run("simulate", "--meshes", "--out", "brain", "--voxel-size", 3, "--directions", 32, "--b-value", 1000, "--b0s", 4,
        "--random-seed", 1)
if not (work / "fit").exists():
    run("fit", "ball-2-sticks", "brain/dwi.nii.gz", "--method", "mcmc", "--mask", "brain/mask.nii.gz", "--out", "fit")


def arrays(name):
    return [array.data for array in nibabel.load(work / "brain/surfaces" / name).darrays]


regions = {side: arrays(f"{side}.regions.label.gii")[0] for side in SIDES}
cortex = {side: arrays(f"{side}.cortex.shape.gii")[0] > 0 for side in SIDES}
# Bundles join regions 1 and 2, 3 and 4, ….
partner = np.array([0, *((n - 1 ^ 1) + 1 for n in range(1, 31))])

# The rows, as a map that is 1 at their vertices.
random = np.random.default_rng(16)
candidates = [(side, vertex) for side in SIDES for vertex in np.flatnonzero((regions[side] > 0) & cortex[side])]
drawn = [candidates[n] for n in sorted(random.choice(len(candidates), given.rows, replace=False))]
for side in SIDES:
    values = np.zeros(len(regions[side]), np.float32)
    values[[vertex for of, vertex in drawn if of == side]] = 1
    image = nibabel.gifti.GiftiImage(darrays=[nibabel.gifti.GiftiDataArray(values, intent="NIFTI_INTENT_SHAPE")])
    nibabel.save(image, work / f"rows_{side}.shape.gii")
row_regions = np.array([regions[side][vertex] for side in SIDES for of, vertex in drawn if of == side])
column_regions = np.concatenate([regions[side][cortex[side]] for side in SIDES])


def surfaces(kind, part=""):
    return ",".join(f"brain/surfaces/{side}.{kind}.surf.gii" + part.format(side=side) for side in SIDES)


def rows(name, streamlines, seed, *options):
    """The rows of a run as a dense matrix."""
    out = work / name
    if not out.exists():
        run("track", "samples", "fit", "--seed-surfaces", surfaces("white", ":rows_{side}.shape.gii"), "--seed-depth", 1,
            "--per-seed", streamlines, "--min-length", 0, "--random-seed", seed, "--matrix", "targets",
            "--targets", surfaces("white", CORTEX), "--out", name, *options)
    file = np.load(out / "matrix_counts.npz")
    dense = np.zeros(file["shape"])
    row = np.repeat(np.arange(dense.shape[0]), np.diff(file["indptr"]))
    dense[row, file["indices"]] = file["data"]
    assert dense.shape == (given.rows, len(column_regions)), dense.shape
    return dense


def normal(dense):
    centred = dense - dense.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0), length[:, 0] > 0


def correlation(one, other):
    (a, some), (b, any_) = one, other
    return (a * b).sum(axis=1)[some & any_]


def words(values):
    return f"median {np.median(values):.4f}, 5th percentile {np.percentile(values, 5):.4f}"


PIAL = ["--stop", surfaces("pial", CORTEX)]
failed = []

print(f"{given.rows} rows, {len(column_regions)} columns")
medians = []
for streamlines in (1000, 10_000):
    runs = [normal(rows(f"repeat_{streamlines}_{seed}", streamlines, seed, *PIAL)) for seed in range(1, REPEATS + 1)]
    pairs = [correlation(runs[a], runs[b]) for a in range(REPEATS) for b in range(a)]
    print(f"repeats, {streamlines} streamlines, {len(pairs)} pairs: {words(np.concatenate(pairs))}")
    medians.append(np.median(np.concatenate(pairs)))
if medians[0] >= medians[1]:
    failed.append("10,000 streamlines are not more alike than 1,000")

most = normal(rows(f"most_{given.most}", given.most, 99, *PIAL))
for streamlines in (1000, 10_000):
    print(f"enough, {streamlines} streamlines against {given.most}: "
          f"{words(correlation(normal(rows(f'repeat_{streamlines}_1', streamlines, 1, *PIAL)), most))}")

white = surfaces("white", CORTEX)
EXIT = ["--stop-on-exit", white]
nuclei = ",".join(f"brain/surfaces/{name}_{side}.surf.gii:inside" for name in ("thalamus", "putamen") for side in SIDES)
shares = []
for title, options in [
    ("no surface", []),
    ("pial surface stops", PIAL),
    ("white surface not a second time", EXIT),
    ("pial, and nuclei not left again", [*PIAL, "--stop-on-exit", nuclei]),
    ("pial, white not a second time, nuclei not left", [*PIAL, "--stop-on-exit", f"{white},{nuclei}"]),
]:
    dense = rows("anatomy_" + str(len(shares)), 1000, 1, *options)
    is_true = (column_regions == row_regions[:, None]) | (column_regions == partner[row_regions][:, None])
    labelled = column_regions > 0
    all_, true = dense[:, labelled].sum(), (dense * is_true)[:, labelled].sum()
    joined = ((dense * (column_regions == partner[row_regions][:, None])).sum(axis=1) > 0).mean()
    shares.append(1 - true / all_)
    print(f"anatomy, {title}: {100 * shares[-1]:.1f} % of {all_:.3e} counts at regions are false")
    print(f"anatomy, {title}: {100 * joined:.1f} % of the rows reach the region that their bundle joins them to")
if shares[1] > shares[0] + 0.005:
    failed.append("the pial surface adds false connections")
print(*(f"! {line}" for line in failed), sep="\n")
raise SystemExit(bool(failed))
