#!/usr/bin/env python3
"""Compares `arcuate 5tt` and the five tissues of the simulated brain with MRtrix's 5ttgen, 5tt2gmwmi, 5ttcheck and dwi2fod.

    apt-get install mrtrix3; pip install mne nibabel numpy
    cargo build --release -p arcuate
    oracles/five_tissues_mrtrix.py DATA/mrtrix [--arcuate target/release/arcuate]

MNE-Python is only needed for its copy of FreeSurfer's colour table. Debian's package lacks 5ttgen's table, FreeSurfer2ACT.txt, which
is in DATA/mrtrix. The script therefore runs a copy of MRtrix's programs with this table. Fails if a number is outside the tolerance
that the source states next to it.

A segmentation with three voxels of each label of the colour table becomes the same image in every voxel. The simulated brain's five tissues
pass 5ttcheck. 96 % of the voxels of 5tt2gmwmi's interface are in Arcuate's, and 89 % of Arcuate's in MRtrix's, with a correlation of
0.94. Without noise and bias, MRtrix's multi-shell deconvolution with the true responses finds the true fractions, for white matter to
0.0016 on average. Its peaks are within 0.3° of the bundles' directions. truth_fod has the same peaks.
"""
import argparse
import importlib.util
import pathlib
import shutil
import subprocess
import tempfile

import nibabel as nib
import numpy as np

failed = []


def call(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def report(title, figure, bound):
    good = figure <= bound
    print(f"{'  ' if good else '! '}{title:74} {figure:.2g}  (at most {bound:g})")
    if not good:
        failed.append(title)


def load(path):
    return nib.load(path).get_fdata()


def mrtrix_with_table(table, folder):
    """A copy of MRtrix's programs in which 5ttgen finds its table."""
    installed = pathlib.Path(shutil.which("5ttgen")).resolve().parent.parent
    for name in ("bin", "lib"):
        shutil.copytree(installed / name, folder / name)
    at = folder / "share" / "mrtrix3" / "_5ttgen"
    at.mkdir(parents=True)
    shutil.copy(table, at)
    return folder / "bin" / "5ttgen"


def labels_of(colours):
    rows = (line.split("#")[0].split() for line in colours.read_text(errors="replace").splitlines())
    return sorted({int(row[0]) for row in rows if len(row) >= 6 and row[0].isdigit()})


def segmentation(data, folder, arcuate):
    # Located, not imported, so that its dependencies are not needed.
    package = importlib.util.find_spec("mne").submodule_search_locations[0]
    colours = pathlib.Path(package) / "data" / "FreeSurferColorLUT.txt"
    labels = labels_of(colours)
    values = np.random.default_rng(1).permutation(np.repeat(labels, 3))
    values = np.concatenate([values, np.zeros(-len(values) % 64, int)]).reshape(8, 8, -1)
    nib.save(nib.Nifti1Image(values.astype(np.int32), np.diag([2, 2, 2, 1])), folder / "labels.nii")
    program = mrtrix_with_table(data / "FreeSurfer2ACT.txt", folder / "mrtrix")
    theirs = folder / "theirs.nii"
    call(program, "freesurfer", folder / "labels.nii", theirs, "-lut", colours, "-nocrop", "-scratch", folder)
    ours = folder / "ours.nii"
    call(arcuate, "5tt", folder / "labels.nii", "--lut", "FreeSurfer", "--out", ours)
    ours, theirs = load(ours), load(theirs)
    print(f"   {len(labels)} labels, voxels by tissue {theirs.sum((0, 1, 2)).astype(int)}")
    report("5tt of a segmentation: voxels that differ", int((ours != theirs).any(-1).sum()), 0)


def interface(folder, arcuate):
    brain = folder / "brain"
    call(arcuate, "simulate", "--shells", "0:6,700:16,1200:30,2800:50", "--tissues", "--voxel-size", 3, "--snr", 0,
         "--out", brain)
    call("5ttcheck", brain / "truth_5tt.nii.gz")
    tissues = load(brain / "truth_5tt.nii.gz")
    maps = {"--grey-matter": tissues[..., 0] + tissues[..., 1], "--white-matter": tissues[..., 2], "--csf": tissues[..., 3],
            "--subcortical": tissues[..., 1]}
    words = []
    for option, values in maps.items():
        path = folder / f"{option.strip('-')}.nii"
        nib.save(nib.Nifti1Image(values.astype(np.float32), nib.load(brain / "mask.nii.gz").affine), path)
        words += [option, path]
    call(arcuate, "5tt", *words, "--out", folder / "made.nii", "--interface", folder / "between.nii")
    report("5tt of the brain's own maps: largest difference", np.abs(load(folder / "made.nii") - tissues).max(), 1e-6)
    call("5tt2gmwmi", brain / "truth_5tt.nii.gz", folder / "gmwmi.nii")
    ours, theirs = load(folder / "between.nii"), load(folder / "gmwmi.nii").squeeze()
    inside = tissues.sum(-1) > 0
    both = ((ours > 0.1) & (theirs > 0.1)).sum()
    print(f"   interface: {(ours > 0.1).sum()} and {(theirs > 0.1).sum()} voxels above 0.1, "
          f"correlation in the brain {np.corrcoef(ours[inside], theirs[inside])[0, 1]:.3f}")
    report("interface: what is not in both, of MRtrix's", 1 - both / (theirs > 0.1).sum(), 0.1)
    report("interface: what is not in both, of ours", 1 - both / (ours > 0.1).sum(), 0.25)


def deconvolution(folder):
    brain = folder / "brain"
    series, bias = nib.load(brain / "dwi.nii.gz"), load(brain / "truth_bias.nii.gz")
    even = (series.get_fdata() / bias[..., None]).astype(np.float32)
    nib.save(nib.Nifti1Image(even, series.affine), folder / "even.nii")
    words = []
    for tissue in ("wm", "gm", "csf"):
        words += [brain / f"truth_response_{tissue}.txt", folder / f"fod_{tissue}.nii"]
    call("dwi2fod", "msmt_csd", folder / "even.nii", *words, "-mask", brain / "mask.nii.gz", "-fslgrad", brain / "dwi.bvec",
         brain / "dwi.bval", "-lmax", "8,0,0")
    mask = load(brain / "mask.nii.gz") > 0
    truth = load(brain / "truth_tissue.nii.gz")[mask]
    root = np.sqrt(4 * np.pi)
    for tissue, column, bound in (("wm", 2, 0.02), ("gm", 1, 0.04), ("csf", 0, 0.02)):
        found = load(folder / f"fod_{tissue}.nii")
        found = found.reshape(*mask.shape, -1)[mask][:, 0] * root
        report(f"dwi2fod with the true responses: {tissue}, mean difference", np.abs(found - truth[:, column]).mean(), bound)
    one = load(brain / "truth_bundles.nii.gz").max(-1) > 0.999
    truth = load(brain / "truth_peaks.nii.gz")[one][:, :3]
    for name, image in (("truth_fod", brain / "truth_fod.nii.gz"), ("dwi2fod", folder / "fod_wm.nii")):
        peaks = folder / f"peaks_{name}.nii"
        call("sh2peaks", image, peaks, "-num", "1")
        found = load(peaks)[one]
        cosine = np.abs((found * truth).sum(-1)) / np.linalg.norm(found, axis=-1) / np.linalg.norm(truth, axis=-1)
        angle = np.degrees(np.arccos(np.minimum(cosine, 1)))
        report(f"peak of {name} and the bundle, {one.sum()} voxels of one: 99th percentile (°)", np.percentile(angle, 99), 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--arcuate", type=pathlib.Path, default=pathlib.Path("target/release/arcuate"))
    arguments = parser.parse_args()
    arcuate = arguments.arcuate.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        segmentation(arguments.data, folder, arcuate)
        interface(folder, arcuate)
        deconvolution(folder)
    if failed:
        raise SystemExit(f"beyond the tolerance: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
