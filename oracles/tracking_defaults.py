#!/usr/bin/env python3
"""Measures how step, angle, threshold and shortest length change streamlines and visit maps, for each source of tracking.

    apt-get install mrtrix3; pip install nibabel numpy scipy dipy
    cargo build --release -p arcuate
    oracles/tracking_defaults.py --work FOLDER [--anatomy FOLDER] [--sources samples,peaks] [--seeds 3]

Four brains of `arcuate simulate` (voxels of 3 and 4 mm, SNR 15 and 30; 48 directions at b = 2000 s/mm²) have 15 bundles. Each bundle
joins two regions of its own; these 15 pairs are the truth. With --anatomy there is a fifth brain, with the directions of a real brain
and 84 regions (see tractogram_defaults.py).

One setting at a time differs from the current defaults of the source. Seeds are in white matter. For each setting and random seed,
20,000 accepted streamlines (2,000 of FODs, which take longer) give:

    kept       percentage of the streamlines that are not too short
    joined     percentage of the accepted streamlines that join a true pair
    right      percentage of the streamlines joining two regions that join a true pair
    true       true pairs with at least 5 streamlines, in percent of all true pairs
    false      other pairs with at least 5 streamlines
    coverage   mean percentage of a bundle's voxels that its streamlines pass

For sources with visit maps, 20,000 further seeds in the first region of each bundle give a map of each bundle. It has the voxels that
at least 0.5 % of the accepted streamlines pass. Its overlap with the true voxels is a Dice coefficient, the mean over the bundles:

    from one   streamlines that pass the first region
    between    streamlines that pass both regions

Prints one table per source: means over brains and random seeds, and the lowest and highest brain. The last row of the sources with
samples is the preset of FSL's numbers. FOLDER keeps the brains, the fits and the figures, so that a run can be repeated in parts.

Fails if a default finds fewer than 90 % of the true pairs of the four brains.
"""
import argparse
import json
import pathlib
import sys

import nibabel as nib
import numpy as np
from scipy.sparse import coo_matrix
from scipy.spatial import cKDTree

from tractogram_defaults import Brain

SCHEME = "--directions 48 --b-value 2000 --b0s 4"
BRAINS = {
    f"simulated, {voxel} mm, SNR {snr}": f"--voxel-size {voxel} {SCHEME} --snr {snr} --random-seed 2{voxel}"
    for voxel in (4, 3) for snr in (30, 15)
}
ANATOMY = {"anatomy, 4 mm, SNR 30": "--voxel 4 --shells 2000:48 --b0 4 --snr 30 --seed 21"}
STREAMLINES = {"fod": 2_000}
MOST, LEAST = 20_000, 5
# The numbers of probtrackx2: `--preset probtrackx`.
PRESET = {"step": 0.5, "angle": 78.463, "cutoff": 0.01, "min-length": 0}


def shortest(voxel):
    return min(20, 10 * voxel)


def one_at_a_time(base, voxel, threshold, values):
    """The defaults, and one setting at a time that differs from them."""
    rows = {"defaults": base}
    rows |= {f"step {step} voxel": {**base, "step": step * voxel} for step in (0.25, 1)}
    rows |= {f"angle {angle}°": {**base, "angle": angle} for angle in (30, 60, 78.463)}
    rows |= {f"{threshold} {value}": {**base, "cutoff": value} for value in values}
    return rows | {f"at least {length} mm": {**base, "min-length": length} for length in (0, 10)}


def settings_of_draws(voxel):
    """Settings of sources that draw an orientation at each step."""
    base = {"step": 0.5 * voxel, "angle": 45, "cutoff": 0.05, "min-length": shortest(voxel)}
    rows = one_at_a_time(base, voxel, "fractions above", (0.01, 0.1))
    return rows | {"0.5 mm, 78.463°, 0.01, any length": PRESET}


def settings_of_refits(voxel):
    """Settings of the bootstrap, which has one fibre and follows it whatever its fraction."""
    base = {"step": 0.5 * voxel, "angle": 45, "min-length": shortest(voxel)}
    rows = one_at_a_time(base, voxel, "cutoff", ())
    return rows | {"0.5 mm, 78.463°, any length": {key: value for key, value in PRESET.items() if key != "cutoff"}}


def settings_of_tensors(voxel):
    base = {"step": 0.5 * voxel, "angle": 45, "cutoff": 0.2, "min-length": 20}
    return one_at_a_time(base, voxel, "cutoff", (0.1, 0.15))


def settings_of_fods(voxel):
    base = {"step": 0.5 * voxel, "angle": 45, "cutoff": 0.1, "min-length": 20}
    rows = one_at_a_time(base, voxel, "cutoff", (0.05, 0.2))
    # Arcs that turn more take minutes.
    return {row: options for row, options in rows.items() if options["angle"] <= 60}


SOURCES = {
    "samples": (["samples", "fit"], settings_of_draws, True),
    "peaks": (["peaks", "csd/peaks.nii.gz"], settings_of_draws, True),
    "bootstrap": (["bootstrap", "brain/dwi.nii.gz"], settings_of_refits, True),
    "tensor": (["tensor", "tensor/tensor.nii.gz"], settings_of_tensors, False),
    "fod": (["fod", "csd/wm_fod.nii.gz"], settings_of_fods, False),
}


class Measured(Brain):
    """A simulated brain, its fits, and what tracking finds in it."""

    def __init__(self, name, options, work, arcuate, anatomy, threads, samples=True):
        super().__init__(name, options, work, arcuate, anatomy, samples)
        self.threads = threads
        white = "wm" if self.is_anatomy else "white_matter"
        self.white = f"brain/{white}.nii.gz"
        fit = ["brain/dwi.nii.gz", *self.table, "--mask", "brain/mask.nii.gz", "--force"]
        if not (self.folder / "csd/arcuate.json").exists():
            self.call(arcuate, "response", *fit, "--out", "response")
            self.call(arcuate, "fit", "csd", *fit, "--responses", "response", "--out", "csd")
        image = nib.load(self.folder / self.labels)
        self.region = np.asanyarray(image.dataobj).astype(int)
        self.affine, self.to_voxel = image.affine, np.linalg.inv(image.affine)
        where = np.argwhere(self.region)
        self.tree = cKDTree(nib.affines.apply_affine(image.affine, where))
        self.labels_of_tree = self.region[tuple(where.T)]
        self.bundles = None
        if not self.is_anatomy:
            self.bundles = nib.load(self.folder / "brain/truth_bundles.nii.gz").get_fdata() >= 0.1
            first = (self.region % 2 == 1).astype("u1")
            nib.save(nib.Nifti1Image(first, image.affine), self.folder / "first.nii.gz")

    def followed(self, source, options, seeds, random_seed):
        """Tracks, and returns the streamlines and the percentage that is accepted."""
        words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
        mask = [] if source[0] == "samples" else ["--mask", "brain/mask.nii.gz"]
        table = self.table if source[0] == "bootstrap" else []
        out = f"{source[0]}.tck"
        self.call(self.arcuate, "track", *source, *table, *mask, *words, *seeds, "--random-seed", random_seed,
                  "--threads", self.threads, "--out", out, "--force")
        record = json.loads((self.folder / f"{out}.json").read_text())
        rows = {row[0]: row[1] for table in record["tables"] for row in table["rows"]}
        short = next(number for what, number in rows.items() if "too short" in what or what == "shorter than the minimum")
        lines = nib.streamlines.load(self.folder / out).streamlines
        return lines, 100 * len(lines) / max(1, len(lines) + short)

    def passed(self, lines):
        """A sparse matrix of streamlines and voxels: whether the streamline has a point in the voxel."""
        points = np.floor(nib.affines.apply_affine(self.to_voxel, lines._data) + 0.5).astype(int)
        line = np.repeat(np.arange(len(lines)), lines._lengths)
        inside = np.all((points >= 0) & (points < self.region.shape), axis=1)
        voxel = np.ravel_multi_index(points[inside].T, self.region.shape)
        found = coo_matrix((np.ones(len(voxel), "f4"), (line[inside], voxel)), (len(lines), self.region.size)).tocsr()
        found.data[:] = 1
        return found

    def regions_of_ends(self, lines):
        """The regions of the two ends of each streamline in ascending order, counted from 0; -1 if an end has none within 4 mm."""
        starts = lines._offsets
        distance, end = self.tree.query(np.vstack([lines._data[starts], lines._data[starts + lines._lengths - 1]]))
        return np.sort(np.where(distance <= 4, self.labels_of_tree[end], 0).reshape(2, -1), axis=0) - 1

    def pairs(self, lines):
        """The number of streamlines that join each pair of regions."""
        return counts_of_pairs(self.regions_of_ends(lines))

    def streamlines(self, source, options, random_seed):
        seeds = ["--seed-mask", self.white, "--select", STREAMLINES.get(source[0], MOST)]
        lines, kept = self.followed(source, options, seeds, random_seed)
        ends = self.regions_of_ends(lines)
        counts = counts_of_pairs(ends)
        found = {pair for pair, count in counts.items() if count >= LEAST}
        right = sum(count for pair, count in counts.items() if pair in self.truth)
        figures = {
            "kept": kept,
            "median": float(np.median(lengths_of(lines))),
            "joined": 100 * right / len(lines),
            "right": 100 * right / max(1, sum(counts.values())),
            "true": 100 * len(found & self.truth) / len(self.truth),
            "false": len(found - self.truth),
        }
        if self.bundles is not None:
            voxels, covered = self.passed(lines), []
            for bundle in range(15):
                own = (ends[0] == 2 * bundle) & (ends[1] == 2 * bundle + 1)
                passed = np.asarray(voxels[own].sum(axis=0)).ravel() > 0
                truth = self.bundles[..., bundle].ravel()
                covered.append(100 * np.mean(passed[truth]))
            figures["coverage"] = float(np.mean(covered))
        return figures

    def visits(self, source, options, random_seed):
        lines, _ = self.followed(source, options, ["--seed-mask", "first.nii.gz", "--seeds", MOST], random_seed)
        voxels, region = self.passed(lines), self.region.ravel()
        one, between = [], []
        for bundle in range(15):
            first, second = (np.asarray(voxels[:, region == 2 * bundle + n].sum(axis=1)).ravel() > 0 for n in (1, 2))
            truth = self.bundles[..., bundle].ravel()
            for own, into in ((first, one), (first & second, between)):
                share = np.asarray(voxels[own].sum(axis=0)).ravel() / max(1, own.sum())
                into.append(2 * (truth & (share >= 0.005)).sum() / (truth.sum() + (share >= 0.005).sum()))
        return {"from one": float(np.mean(one)), "between": float(np.mean(between))}


def counts_of_pairs(ends):
    joining = (ends[0] >= 0) & (ends[0] != ends[1])
    pairs, counts = np.unique(ends[:, joining], axis=1, return_counts=True)
    return {tuple(pair): int(count) for pair, count in zip(pairs.T.tolist(), counts)}


def lengths_of(lines):
    pieces = np.linalg.norm(np.diff(lines._data, axis=0), axis=1)
    pieces = np.append(pieces, 0)
    pieces[lines._offsets + lines._lengths - 1] = 0
    return np.add.reduceat(pieces, lines._offsets)


COLUMNS = {
    "kept": ("{:.0f}", " %"),
    "median": ("{:.0f}", " mm"),
    "joined": ("{:.1f}", " %"),
    "right": ("{:.0f}", " %"),
    "true": ("{:.0f}", " %"),
    "false": ("{:.1f}", ""),
    "coverage": ("{:.0f}", " %"),
    "from one": ("{:.2f}", ""),
    "between": ("{:.2f}", ""),
}


def print_table(title, rows):
    """Means over brains and seeds, with the lowest and highest brain in parentheses."""
    columns = [name for name in COLUMNS if any(name in figures for brains in rows.values() for figures in brains)]
    print(f"\n{title}\n\n| | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for row, brains in rows.items():
        cells = []
        for name in columns:
            form, unit = COLUMNS[name]
            values = [figures[name] for figures in brains if name in figures]
            low, high = form.format(min(values)), form.format(max(values))
            cells.append(form.format(np.mean(values)) + (f" ({low}–{high})" if low != high else "") + unit)
        print(f"| {row} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--anatomy", type=pathlib.Path, help="folder of simulate_brain.py; skipped without it")
    parser.add_argument("--sources", default=",".join(SOURCES))
    parser.add_argument("--brains", default="", help="only those whose names contain this")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="random seeds of each setting")
    o = parser.parse_args()
    arcuate, work = pathlib.Path(o.arcuate).resolve(), o.work.resolve()
    made = {}

    def brain(name, options):
        if name not in made:
            anatomy = o.anatomy.resolve() if name.startswith("anatomy") else None
            made[name] = Measured(f"defaults_{name}", options, work, arcuate, anatomy, o.threads)
        return made[name]

    failed = False
    for source in o.sources.split(","):
        words, settings, has_visits = SOURCES[source]
        tables = {"four brains": {}, "anatomy": {}}
        for name, options in {**BRAINS, **(ANATOMY if o.anatomy else {})}.items():
            if o.brains not in name:
                continue
            here = brain(name, options)
            kept = here.folder / f"figures_{source}.json"
            figures = json.loads(kept.read_text()) if kept.exists() else {}
            table = tables["anatomy" if here.is_anatomy else "four brains"]
            for row, setting in settings(here.voxel).items():
                for seed in range(o.seeds):
                    if f"{row} {seed}" not in figures:
                        one = here.streamlines(words, setting, seed)
                        if has_visits and not here.is_anatomy:
                            one |= here.visits(words, setting, seed)
                        figures[f"{row} {seed}"] = one
                        kept.write_text(json.dumps(figures))
                        print(f"# {source}, {name}, {row}, seed {seed}: "
                              + ", ".join(f"{key} {value:.2f}" for key, value in one.items()), flush=True)
                runs = [figures[f"{row} {seed}"] for seed in range(o.seeds)]
                means = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
                table.setdefault(row, []).append(means)
        for title, rows in tables.items():
            if rows:
                print_table(f"{source}, {title}", rows)
        defaults = tables["four brains"].get("defaults", [])
        failed |= bool(defaults) and np.mean([figures["true"] for figures in defaults]) < 90
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
