#!/usr/bin/env python3
"""Measures how settings change whole-brain tractograms: the pairs of regions that are found, and those that exist.

    apt-get install mrtrix3; pip install nibabel numpy scipy dipy
    cargo build --release -p arcuate
    oracles/tractogram_defaults.py --work FOLDER [--anatomy FOLDER] [--brains tuning|reported] [--streamlines 50000]

There are two simulators. `arcuate simulate` has 15 bundles, each between its own two regions; their pairs are the truth. The other,
`simulate_brain.py` in the folder of --anatomy, simulates signals with the directions of a real brain, and has 84 regions in all its
grey matter. There, a pair is true if MRtrix's FACT finds it by at least one in 10,000 streamlines. FACT tracks the directions of the
simulation without noise, from all of the white matter. Settings were chosen on the `tuning` brains: two of the first simulator, and one of
the second. The `reported` brains were made later, with other noise, resolutions, weightings and regions.

`fit ball-2-sticks --method mcmc` samples each brain once, and FOLDER keeps the results. Then rules are added one by one, from the settings
of visit maps to the defaults of tractograms. For each it prints

- the percentages of the tracked streamlines that are rejected, and that are too short;
- the median length;
- the percentage of the accepted streamlines that join two regions, and of those the percentage that join a true pair;
- false pairs, and precision and recall of pairs. A pair is found if one in 10,000 streamlines joins it.

The last output is the table of the page on probabilistic tracking, with ranges over the brains of each simulator.

Fails if the median length with the defaults is below 20 mm, or if fewer than 90 % of the joining streamlines join a true pair.
With the first simulator, the comparison is with the settings of maps. It fails if less than four times as many streamlines join a true pair,
or if more false pairs are found. With the second, it fails if the precision is below 0.85.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import nibabel as nib
import numpy as np

SCHEME = "--directions 32 --b-value 1000 --b0s 4"
BRAINS = {
    "tuning": {
        "simulated, 4 mm, SNR 30": f"--voxel-size 4 {SCHEME} --snr 30 --random-seed 1",
        "simulated, 3 mm, SNR 20": f"--voxel-size 3 {SCHEME} --snr 20 --random-seed 2",
        "anatomy, 4 mm, SNR 25": "--voxel 4 --shells 1000:32 --b0 4 --snr 25 --seed 1",
    },
    "reported": {
        "simulated, 4 mm, SNR 20": f"--voxel-size 4 {SCHEME} --snr 20 --random-seed 11",
        "simulated, 4 mm, b = 2000": "--voxel-size 4 --directions 48 --b-value 2000 --b0s 4 --snr 30 --random-seed 12",
        "simulated, 3 mm, SNR 30": f"--voxel-size 3 {SCHEME} --snr 30 --random-seed 13",
        "anatomy, 4 mm, SNR 25": "--voxel 4 --shells 1000:32 --b0 4 --snr 25 --seed 11",
        "anatomy, 4 mm, SNR 50": "--voxel 4 --shells 1000:32 --b0 4 --snr 50 --seed 12",
        "anatomy, 4 mm, b = 2000": "--voxel 4 --shells 2000:48 --b0 4 --snr 30 --seed 13",
    },
}
# The settings of visit maps. A step of half a voxel and the shortest length depend on the voxels.
MAPS = {"step": 0.5, "angle": 78.463, "cutoff": 0.01, "min-length": 0, "seed-fraction": 0}
SHARE = 1e-4


def settings(voxel):
    """The options of each row; none for the defaults."""
    seeds = {**MAPS, "seed-fraction": 0.2}
    turns = {**seeds, "step": 0.5 * voxel, "angle": 45}
    return {
        "as maps": MAPS,
        "+ seeds in white matter": seeds,
        "+ 45°, half a voxel": turns,
        "+ fractions above 0.05": {**turns, "cutoff": 0.05},
        "+ 20 mm: the defaults": {},
        "30°": {"angle": 30},
        "60°": {"angle": 60},
        "45° at 0.5 mm": {"step": 0.5},
        "10 mm": {"min-length": 10},
        "40 mm": {"min-length": 40},
        "nearest voxels": {"nearest": None},
        "from all voxels": {"seed-fraction": 0},
    }


def words(options):
    return [word for name, value in options.items() for word in (f"--{name}", value) if word is not None]


class Brain:
    """A simulated brain with samples of its orientations."""

    def __init__(self, name, options, work, arcuate, anatomy, samples=True):
        self.folder = work / name.replace(" ", "").replace(",", "_").replace("=", "")
        self.arcuate, self.is_anatomy = arcuate, anatomy is not None
        if self.is_anatomy:
            make = [sys.executable, anatomy / "simulate_brain.py", self.folder / "brain", *options.split()]
            self.labels, self.table = "brain/parc.nii.gz", ["--bval", "brain/bvals", "--bvec", "brain/bvecs"]
        else:
            make = [arcuate, "simulate", "--out", "brain", *options.split()]
            self.labels, self.table = "brain/labels.nii.gz", []
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "brain/dwi.nii.gz").exists():
            self.call(*make)
        fit = ["brain/dwi.nii.gz", *self.table, "--mask", "brain/mask.nii.gz", "--force"]
        if samples and not (self.folder / "fit/arcuate.json").exists():
            self.call(arcuate, "fit", "ball-2-sticks", *fit, "--method", "mcmc", "--out", "fit")
        if not (self.folder / "tensor/arcuate.json").exists():
            self.call(arcuate, "fit", "tensor", *fit, "--out", "tensor")
        affine = nib.load(self.folder / self.labels).affine
        self.voxel = abs(np.linalg.det(affine[:3, :3])) ** (1 / 3)
        self.truth = self.pairs_of_the_anatomy() if self.is_anatomy else {(2 * n, 2 * n + 1) for n in range(15)}

    def call(self, *words):
        subprocess.run([str(word) for word in words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def joined(self, tracks):
        """The number of streamlines that join each pair of rows of the matrix."""
        self.call(self.arcuate, "connectome", tracks, "--labels", self.labels, "--out", "matrices", "--force")
        counts = np.triu(np.load(self.folder / "matrices/connectome_counts.npy"), 1)
        return {(int(i), int(j)): counts[i, j] for i, j in np.argwhere(counts)}

    def pairs_of_the_anatomy(self):
        reference = self.folder / "reference.tck"
        if not reference.exists():
            directions = nib.load(self.folder / "brain/truth_directions.nii.gz")
            fractions = nib.load(self.folder / "brain/truth_fractions.nii.gz").get_fdata()
            peaks = directions.get_fdata().reshape(*fractions.shape, 3) * fractions[..., None]
            peaks = peaks.reshape(*fractions.shape[:3], 9).astype("f4")
            nib.save(nib.Nifti1Image(peaks, directions.affine), self.folder / "peaks.nii.gz")
            self.call("tckgen", "-algorithm", "FACT", "peaks.nii.gz", reference, "-seed_image", "brain/wm.nii.gz", "-mask",
                      "brain/mask.nii.gz", "-seeds", 200_000, "-select", 0, "-minlength", 2 * self.voxel, "-maxlength", 250,
                      "-angle", 60, "-step", self.voxel / 8, "-nthreads", 1, "-force")
        streamlines = nib.streamlines.load(reference, lazy_load=True).header["count"]
        return {pair for pair, count in self.joined(reference).items() if count >= SHARE * int(streamlines)}

    def row(self, options, count):
        """Measures of a tractogram through the samples, or through the tensors if there are no options."""
        if options is None:
            words_ = ["tensor", "tensor/tensor.nii.gz"]
        else:
            words_ = ["samples", "fit", *words(options)]
        self.call(self.arcuate, "track", *words_, "--mask", "brain/mask.nii.gz", "--select", count, "--out", "t.tck", "--force")
        lines = nib.streamlines.load(self.folder / "t.tck").streamlines
        lengths = np.array([np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in lines])
        joined = self.joined("t.tck")
        found = {pair for pair, n in joined.items() if n >= SHARE * len(lengths)}
        right = sum(n for pair, n in joined.items() if pair in self.truth)
        figures = {
            "median": np.median(lengths),
            "below_10": 100 * np.mean(lengths < 10),
            "joined": 100 * sum(joined.values()) / len(lengths),
            "right": 100 * right / max(1, sum(joined.values())),
            "false": len(found - self.truth),
            "precision": len(found & self.truth) / max(1, len(found)),
            "recall": len(found & self.truth) / len(self.truth),
        }
        if options is not None:
            tables = json.loads((self.folder / "t.tck.json").read_text())["tables"]
            rows = {row[0]: row[1] for row in next(t for t in tables if t["title"] == "Streamlines")["rows"]}
            figures["out"] = 100 * (1 - rows["accepted"] / sum(rows.values()))
            figures["short"] = 100 * rows["shorter than the minimum"] / sum(rows.values())
        return figures


COLUMNS = {
    "left out": ("out", "{:.0f}", " %"),
    "median": ("median", "{:.0f}", " mm"),
    "join two regions": ("joined", "{:.0f}", " %"),
    "join a true pair": ("right", "{:.0f}", " %"),
    "false pairs": ("false", "{:.0f}", ""),
    "precision": ("precision", "{:.2f}", ""),
    "recall": ("recall", "{:.2f}", ""),
}


def print_table(brains):
    """Ranges over brains, in the format of the page."""
    print("| | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---|" * len(COLUMNS))
    for row in brains[0]:
        cells = []
        for key, form, unit in COLUMNS.values():
            values = sorted(brain[row][key] for brain in brains if key in brain[row])
            ends = list(dict.fromkeys(form.format(value) for value in (values[:1] + values[-1:])))
            cells.append(" to ".join(ends) + unit if ends else "")
        print(f"| {row} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--anatomy", type=pathlib.Path, help="folder of simulate_brain.py; skipped without it")
    parser.add_argument("--brains", choices=list(BRAINS), default="reported")
    parser.add_argument("--streamlines", type=int, default=50_000)
    o = parser.parse_args()
    arcuate, work = pathlib.Path(o.arcuate).resolve(), o.work.resolve()
    failed, brains = False, {}
    for name, options in BRAINS[o.brains].items():
        anatomy = o.anatomy.resolve() if o.anatomy and name.startswith("anatomy") else None
        if name.startswith("anatomy") and anatomy is None:
            continue
        brain = Brain(f"{o.brains}_{name}", options, work, arcuate, anatomy)
        print(f"\n{name}: {len(brain.truth)} true pairs")
        print(f"{'':24} left out  short  median  <10 mm  joined  right  false  precision  recall")
        all_figures = {}
        for row, settings_ in {**settings(brain.voxel), "tensors": None}.items():
            f = all_figures[row] = brain.row(settings_, o.streamlines)
            out = f"{f['out']:6.0f} % {f['short']:4.0f} %" if "out" in f else " " * 15
            print(f"{row:24} {out}  {f['median']:6.1f}  {f['below_10']:4.0f} %  {f['joined']:4.1f} %  {f['right']:3.0f} %"
                  f"  {f['false']:5}  {f['precision']:9.2f}  {f['recall']:6.2f}", flush=True)
        maps, defaults = all_figures["as maps"], all_figures["+ 20 mm: the defaults"]
        failed |= defaults["median"] < 20 or defaults["right"] < 90
        if brain.is_anatomy:
            failed |= defaults["precision"] < 0.85
        else:
            failed |= defaults["joined"] * defaults["right"] < 4 * maps["joined"] * maps["right"]
            failed |= defaults["false"] > maps["false"]
        brains.setdefault(name.split(",")[0], []).append(all_figures)
    for kind, figures in brains.items():
        print(f"\n{kind}, {len(figures)} brains")
        print_table(figures)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
