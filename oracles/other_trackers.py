#!/usr/bin/env python3
"""Compares the defaults of tckgen, probtrackx2 and dipy_track with those of `arcuate track`.

    apt-get install mrtrix3; pip install dipy nibabel numpy scipy
    cargo build --release -p arcuate
    oracles/other_trackers.py --work FOLDER [--only fod,tissues,tensor,samples,dipy]

FOLDER is that of tracking_defaults.py: the brain of 3 mm and SNR 30 is used again. A second brain has tissues (3 mm, SNR 30), for
anatomically-constrained tracking. All programs read the same FODs, tensors and masks, and begin in white matter. Each row has the
program, its numbers, the accepted streamlines of the same number of seeds, and their mean length. Then it has the percentage of true
streamlines among those that join two of 30 regions. Last are true pairs (of 15) and false pairs with at least 5 streamlines.

--page FILE is the page with the tables of options. The comparison fails if an option of tckgen, dipy_track or dipy_track_pft is
missing there.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import nibabel as nib
import numpy as np

from tracking_defaults import BRAINS, Measured, lengths_of

SEEDS = 20_000
LEAST = 5
BRAIN = "simulated, 3 mm, SNR 30"
TISSUES = "simulated, 3 mm, tissues"
TISSUE_OPTIONS = "--voxel-size 3 --shells 0:6,2000:48 --snr 30 --tissues --random-seed 31"


class Compared(Measured):
    """A simulated brain through which several programs track."""

    def row(self, title, words):
        self.call(*words)
        name = next(str(word) for word in words if str(word).endswith(".tck"))
        lines = nib.streamlines.load(self.folder / name).streamlines
        if not len(lines):
            print(f"| {title} | 0 | | | | |", flush=True)
            return
        counts = self.pairs(lines)
        found = {pair for pair, count in counts.items() if count >= LEAST}
        right = 100 * sum(count for pair, count in counts.items() if pair in self.truth) / max(1, sum(counts.values()))
        print(f"| {title} | {len(lines):,} | {np.mean(lengths_of(lines)):.0f} mm | {right:.0f} % | {len(found & self.truth)} | "
              f"{len(found - self.truth)} |", flush=True)

    def track(self, title, source, *options):
        mask = [] if source[0] == "samples" or "--mask" in options else ["--mask", "brain/mask.nii.gz"]
        seeds = [] if "--seed-grid" in options or "--seed-interface" in options else ["--seeds", SEEDS]
        where = [] if "--seed-interface" in options else ["--seed-mask", self.white]
        self.row(f"`arcuate track {source[0]}`, {title}",
                 [self.arcuate, "track", *source, *mask, *where, *seeds, *options, "--threads", self.threads, "--out", "o.tck",
                  "--force"])

    def tckgen(self, title, algorithm, image, *options):
        self.row(f"`tckgen`, {title}",
                  ["tckgen", "-quiet", "-force", "-algorithm", algorithm, image, "o.tck", "-mask", "brain/mask.nii.gz",
                  "-seeds", SEEDS, "-select", 0, "-nthreads", self.threads,
                  *([] if "-seed_gmwmi" in options else ["-seed_image", self.white]), *options])

    def dipy(self, title, command, *words):
        program = pathlib.Path(sys.executable).parent / command
        self.row(f"`{command}`, {title}",
                 [program, *words, "--nbr_threads", self.threads, "--out_tractogram", "o.tck", "--force"])

    def peaks_and_metrics(self):
        """Writes the FODs with their peaks as DIPY's programs read them."""
        from dipy.core.sphere import HemiSphere
        from dipy.data import get_sphere
        from dipy.direction.peaks import PeaksAndMetrics, peak_directions
        from dipy.io.peaks import save_pam
        from dipy.reconst.shm import convert_sh_descoteaux_tournier, sh_to_sf_matrix

        if (self.folder / "fod.pam5").exists():
            return
        image = nib.load(self.folder / "csd/wm_fod.nii.gz")
        coefficients = convert_sh_descoteaux_tournier(image.get_fdata())
        sphere = get_sphere(name="repulsion724")
        matrix, inverse = sh_to_sf_matrix(sphere, sh_order_max=8, basis_type="descoteaux07", legacy=True)
        matrix = matrix[:coefficients.shape[-1]]
        pam = PeaksAndMetrics()
        shape = coefficients.shape[:3]
        pam.peak_dirs, pam.peak_values = np.zeros((*shape, 5, 3)), np.zeros((*shape, 5))
        pam.peak_indices = np.full((*shape, 5), -1, "i4")
        for voxel in np.argwhere(coefficients[..., 0] > 0):
            at = tuple(voxel)
            directions, values, indices = peak_directions(coefficients[at] @ matrix, sphere, relative_peak_threshold=0.5,
                                                          min_separation_angle=25)
            count = min(5, len(values))
            pam.peak_dirs[at][:count], pam.peak_values[at][:count] = directions[:count], values[:count]
            pam.peak_indices[at][:count] = indices[:count]
        pam.affine, pam.sphere, pam.B, pam.shm_coeff = image.affine, sphere, matrix, coefficients
        pam.total_weight, pam.ang_thr, pam.gfa, pam.qa, pam.odf = 0.5, 60, np.zeros(shape), np.zeros((*shape, 5)), None
        save_pam(str(self.folder / "fod.pam5"), pam)


def fods(brain):
    image, voxel = "csd/wm_fod.nii.gz", brain.voxel
    ours, theirs = ["-minlength", 20, "-maxlength", 250], ["--min-length", 5 * voxel, "--max-length", 100 * voxel]
    brain.tckgen("iFOD2, its defaults", "iFOD2", image)
    brain.tckgen("iFOD2, lengths of arcuate", "iFOD2", image, *ours)
    brain.track("arcs, its defaults", ["fod", image])
    brain.track("arcs, lengths of tckgen", ["fod", image], *theirs)
    brain.tckgen("SD_Stream, its defaults", "SD_Stream", image)
    brain.track("peaks, its defaults", ["fod", image], "--method", "peaks")
    brain.track("peaks, lengths of tckgen", ["fod", image], "--method", "peaks", *theirs)


def tissues(brain):
    image, voxel, act = "csd/wm_fod.nii.gz", brain.voxel, "brain/truth_5tt.nii.gz"
    both = ["--five-tissues", act]
    brain.tckgen("`-act`, its defaults", "iFOD2", image, "-act", act)
    brain.tckgen("`-act -minlength 20`", "iFOD2", image, "-act", act, "-minlength", 20)
    brain.tckgen("`-act -cutoff 0.1`", "iFOD2", image, "-act", act, "-cutoff", 0.1)
    brain.tckgen("`-act`, numbers of arcuate", "iFOD2", image, "-act", act, "-cutoff", 0.1, "-minlength", 20, "-maxlength", 250)
    brain.track("`--five-tissues`, its defaults", ["fod", image], *both)
    brain.track("`--five-tissues`, shortest length of tckgen", ["fod", image], *both, "--min-length", 2 * voxel)
    brain.track("`--five-tissues`, cutoff of tckgen", ["fod", image], *both, "--cutoff", 0.05)
    brain.track("`--five-tissues`, numbers of tckgen", ["fod", image], *both, "--cutoff", 0.05, "--min-length", 2 * voxel,
                "--max-length", 100 * voxel)
    brain.tckgen("`-act -backtrack`, its defaults", "iFOD2", image, "-act", act, "-backtrack")
    brain.track("`--five-tissues --back-tracking`, its defaults", ["fod", image], *both, "--back-tracking")


def tensors(brain):
    image, voxel = "tensor/tensor.nii.gz", brain.voxel
    brain.tckgen("Tensor_Det, its defaults", "Tensor_Det", "brain/dwi.nii.gz", "-fslgrad", "brain/dwi.bvec", "brain/dwi.bval")
    brain.tckgen("Tensor_Det, numbers of arcuate", "Tensor_Det", "brain/dwi.nii.gz", "-fslgrad", "brain/dwi.bvec", "brain/dwi.bval",
                 "-rk4", "-step", voxel / 2, "-angle", 45, "-cutoff", 0.2, "-minlength", 20, "-maxlength", 250)
    brain.track("its defaults", ["tensor", image])
    brain.track("numbers of tckgen", ["tensor", image], "--integrator", "euler", "--step", voxel / 10, "--angle", 60, "--cutoff", 0.1,
                "--min-length", 5 * voxel, "--max-length", 100 * voxel)
    brain.track("`--cutoff 0.1`", ["tensor", image], "--cutoff", 0.1)


def samples(brain):
    preset = ["--step", 0.5, "--angle", 78.463, "--cutoff", 0.01, "--min-length", 0]
    brain.track("its defaults", ["samples", "fit"])
    brain.track("numbers of probtrackx2", ["samples", "fit"], *preset)
    for name, value in (("step", 0.5), ("angle", 78.463), ("cutoff", 0.01), ("min-length", 0)):
        brain.track(f"`--{name} {value}`", ["samples", "fit"], f"--{name}", value)


def dipy(brain):
    brain.peaks_and_metrics()
    fa = nib.load(brain.folder / "tensor/fa.nii.gz")
    high = (fa.get_fdata() >= 0.2).astype("u1")
    nib.save(nib.Nifti1Image(high, fa.affine), brain.folder / "high.nii.gz")
    image, files = "csd/wm_fod.nii.gz", ["fod.pam5", "tensor/fa.nii.gz", brain.white]
    grid = ["--seed-grid", 1]
    theirs = ["--step", 0.5, "--angle", 30, "--min-length", 2, "--max-length", 500, "--mask", "high.nii.gz"]
    ours = ["--step_size", brain.voxel / 10, "--max_angle", 60, "--minlen", 20, "--maxlen", 250]
    brain.dipy("deterministic, its defaults", "dipy_track", *files)
    brain.dipy("deterministic, numbers of arcuate", "dipy_track", *files, *ours)
    brain.track("peaks, its defaults", ["fod", image], "--method", "peaks", *grid)
    brain.track("peaks, numbers of dipy_track", ["fod", image], "--method", "peaks", *grid, *theirs)
    brain.dipy("probabilistic, its defaults", "dipy_track", *files, "--tracking_method", "prob")
    brain.dipy("probabilistic, lengths of arcuate", "dipy_track", *files, "--tracking_method", "prob", "--minlen", 20, "--maxlen", 250)
    brain.track("steps, its defaults", ["fod", image], "--method", "steps", *grid)
    brain.track("steps, numbers of dipy_track", ["fod", image], "--method", "steps", *grid, *theirs)
    brain.track("arcs, its defaults", ["fod", image], *grid)


def filtering(brain):
    brain.peaks_and_metrics()
    five = nib.load(brain.folder / "brain/truth_5tt.nii.gz")
    fractions = five.get_fdata()
    for name, map_ in (("wm", fractions[..., 2]), ("gm", fractions[..., 0] + fractions[..., 1]), ("csf", fractions[..., 3])):
        nib.save(nib.Nifti1Image(map_.astype("f4"), five.affine), brain.folder / f"pve_{name}.nii.gz")
    image, act = ["fod", "csd/wm_fod.nii.gz"], ["--five-tissues", "brain/truth_5tt.nii.gz"]
    brain.dipy("its defaults", "dipy_track_pft", "fod.pam5", "pve_wm.nii.gz", "pve_gm.nii.gz", "pve_csf.nii.gz", brain.white)
    brain.track("`--five-tissues --back-tracking`, its defaults", image, *act, "--back-tracking", "--seed-grid", 1)
    brain.track("`--five-tissues --back-tracking --min-length 2`", image, *act, "--back-tracking", "--seed-grid", 1, "--min-length", 2)


COMPARISONS = {
    "fod": (BRAIN, fods, "FODs, 20,000 seeds in white matter"),
    "tissues": (TISSUES, tissues, "FODs and tissues, 20,000 seeds in white matter"),
    "tensor": (BRAIN, tensors, "Tensors, 20,000 seeds in white matter"),
    "samples": (BRAIN, samples, "Samples, 20,000 seeds in white matter"),
    "dipy": (BRAIN, dipy, "FODs, one seed at the centre of each voxel of white matter"),
    "pft": (TISSUES, filtering, "FODs and tissues, one seed at the centre of each voxel of white matter"),
}


def options_of(program):
    """The options in a program's help."""
    if program == "tckgen":
        text = subprocess.run(["tckgen", "-help"], check=True, capture_output=True, text=True).stdout
        text = re.sub(".\x08", "", text)
        return set(re.findall(r"^  (-[a-z0-9_]+)(?: |$)", text, re.M))
    path = pathlib.Path(sys.executable).parent / program
    text = subprocess.run([path, "-h"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^\| (?:-h, )?(--[a-z_]+)", text, re.M))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=",".join(COMPARISONS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--page", type=pathlib.Path, help="docs/src/how-to/from-other-trackers.md")
    o = parser.parse_args()
    arcuate, work = pathlib.Path(o.arcuate).resolve(), o.work.resolve()
    missing = []
    if o.page:
        text = o.page.read_text()
        for program in ("tckgen", "dipy_track", "dipy_track_pft"):
            missing += [f"{program} {name}" for name in sorted(options_of(program)) if f"`{name}`" not in text]
    brains = {}
    for name in filter(None, o.only.split(",")):
        title, compare, heading = COMPARISONS[name]
        if title not in brains:
            options = BRAINS.get(title, TISSUE_OPTIONS)
            brains[title] = Compared(f"defaults_{title}", options, work, arcuate, None, o.threads, samples=title == BRAIN)
        print(f"\n{heading}:\n\n| program and numbers | accepted | mean length | right | true pairs | false pairs |\n"
              "|---|---|---|---|---|---|", flush=True)
        compare(brains[title])
    sys.exit(f"not on the page: {', '.join(missing)}" if missing else 0)


if __name__ == "__main__":
    main()
