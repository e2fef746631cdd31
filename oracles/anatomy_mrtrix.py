#!/usr/bin/env python3
"""Compares anatomically-constrained tracking with MRtrix's tckgen -act: densities, connections against the truth, ends, and time.

    apt-get install mrtrix3; pip install nibabel numpy
    cargo build --release -p arcuate
    oracles/anatomy_mrtrix.py [--arcuate target/release/arcuate] [--streamlines 5000] [--seeds 5] [--folder FOLDER] [--only white]

Simulates the brain with its tissues (`arcuate simulate --shells --tissues`) and deconvolves it. Both programs track the same
distributions with the same five-tissue-type image, lengths and cropping, several times with other random seeds. There are three cases:
seeds in the voxels of white matter without back-tracking, the same with back-tracking, and seeds on the interface of grey and white
matter. The rest is as in `fod_tracking_mrtrix.py`.

The limits are for seeds in white matter without back-tracking. The comparison fails if one of these is true:

- The agreement of the density with tckgen's is more than 0.01 worse than that of two runs of tckgen.
- Precision, recall, the number of false pairs or the percentage of ends in grey matter is worse than tckgen's. Differences up to two
  standard errors over the random seeds do not count.
- tckgen is faster.
"""
import argparse
import pathlib
import tempfile

import nibabel
import numpy

from fod_tracking_mrtrix import agreement, call, connections, density, not_worse


def ends_in_grey(tracks, tissues):
    """The fraction of ends within a voxel of mostly cortical or sub-cortical grey matter."""
    lines = nibabel.streamlines.load(tracks).streamlines
    ends = numpy.concatenate([[line[0], line[-1]] for line in lines])
    image = nibabel.load(tissues)
    voxels = nibabel.affines.apply_affine(numpy.linalg.inv(image.affine), ends)
    fractions = image.get_fdata()
    low = numpy.floor(voxels).astype(int)
    part = voxels - low
    at = numpy.zeros((len(ends), 5))
    for corner in numpy.ndindex(2, 2, 2):
        weight = numpy.prod(numpy.where(corner, part, 1 - part), axis=1)
        place = numpy.clip(low + corner, 0, numpy.array(fractions.shape[:3]) - 1)
        at += weight[:, None] * fractions[tuple(place.T)]
    # On the interface, grey and white matter have the same fraction.
    return (at[:, 0] + at[:, 1] >= at[:, 2] - 0.1).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate", type=pathlib.Path)
    parser.add_argument("--streamlines", default=5000, type=int)
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--only", default="white,back-tracked,interface", help="which of these")
    options = parser.parse_args()
    arcuate = options.arcuate.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or pathlib.Path(scratch)).resolve() / "brain"
        if not folder.exists():
            call(arcuate, "simulate", "--shells", "0:6,1000:32,2500:64", "--tissues", "--out", folder)
        dwi, mask, tissues = folder / "dwi.nii.gz", folder / "mask.nii.gz", folder / "truth_5tt.nii.gz"
        if not (folder / "csd").exists():
            call(arcuate, "response", dwi, "--mask", mask, "--force", "--out", folder / "responses")
            call(arcuate, "fit", "csd", dwi, "--responses", folder / "responses", "--mask", mask, "--normalise", "--force",
                 "--out", folder / "csd")
        fod, white = folder / "csd" / "wm_fod.nii.gz", folder / "white_matter.nii.gz"
        image = nibabel.load(tissues)
        interface = folder / "interface.mif"
        call("5tt2gmwmi", "-quiet", "-force", tissues, interface)
        failed = []
        print("seeds         program  seconds  agreement  pairs  false pairs  true share  ends in grey")
        for where in options.only.split(","):
            found, maps, seconds = ({"arcuate": [], "tckgen": []} for _ in range(3))
            for seed in range(options.seeds):
                ours, theirs = folder / f"act_ours_{where}_{seed}.tck", folder / f"act_theirs_{where}_{seed}.tck"
                seconds["arcuate"].append(call(
                    arcuate, "track", "fod", fod, "--five-tissues", tissues, "--select", options.streamlines,
                    "--random-seed", seed, "--threads", 2, "--force", "--out", ours,
                    *(["--back-tracking"] if where == "back-tracked" else []),
                    *(["--seed-interface"] if where == "interface" else ["--seed-mask", white])))
                seconds["tckgen"].append(call(
                    "tckgen", "-quiet", "-force", "-algorithm", "iFOD2", fod, theirs, "-act", tissues, "-crop_at_gmwmi",
                    *(["-backtrack"] if where == "back-tracked" else []),
                    "-cutoff", 0.1, "-select", options.streamlines, "-minlength", 20, "-maxlength", 250, "-nthreads", 2,
                    *(["-seed_gmwmi", interface] if where == "interface" else ["-seed_image", white]),
                    MRTRIX_RNG_SEED=str(1000 * seed)))
                for program, tracks in ("arcuate", ours), ("tckgen", theirs):
                    found[program].append((*connections(tracks, folder), ends_in_grey(tracks, tissues)))
                    maps[program].append(density(tracks, folder))
            again = numpy.mean([agreement(a, b) for a, b in zip(maps["tckgen"], maps["tckgen"][1:])])
            with_ours = numpy.mean([agreement(a, b) for a, b in zip(maps["tckgen"], maps["arcuate"])])
            for program, agrees in ("arcuate", with_ours), ("tckgen", again):
                pairs, false, share, grey = numpy.mean(found[program], axis=0)
                print(f"{where:12}  {program:7}  {numpy.median(seconds[program]):7.2f}  {agrees:9.4f}  {pairs:5.1f}"
                      f"  {false:11.1f}  {share:10.4f}  {grey:12.4f}", flush=True)
            if where == "white":
                if with_ours < again - 0.01:
                    failed.append(f"densities agree to {with_ours:.4f}, those of tckgen to {again:.4f}")
                names = [("pairs", 1), ("false pairs", -1), ("true share", 1), ("ends in grey matter", 1)]
                for n, (what, sign) in enumerate(names):
                    ours, theirs = ([sign * run[n] for run in found[program]] for program in ("arcuate", "tckgen"))
                    if not not_worse(ours, theirs):
                        failed.append(f"{what}: {numpy.mean(ours)} beside tckgen's {numpy.mean(theirs)}")
                if numpy.median(seconds["arcuate"]) > numpy.median(seconds["tckgen"]):
                    failed.append("tckgen is faster")
        if failed:
            raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    main()
