#!/usr/bin/env python3
"""Compares the time of a whole run, from a series to streamlines, with MRtrix's commands, step by step on two threads.

    apt-get install mrtrix3; pip install numpy nibabel
    cargo build --release -p arcuate
    oracles/run_mrtrix.py [--arcuate target/release/arcuate] [--voxel-size 1.25] [--select 50000] [--folder FOLDER]

Simulates a brain with tissues and the Human Connectome Project's protocol. It has 18 × b = 0, 90 directions at 1000, 2000 and 3000 s/mm², and
416,000 voxels at 1.25 mm. Both programs compute the mask, the tensor and its maps, responses of three tissues, and normalised distributions
of order 8 with three peaks each. Then they track 50,000 streamlines by second-order integration within the mask, and compute their density.
`arcuate run` reads the series once and also makes a report. MRtrix's programs read it (uncompressed, memory-mapped) for each step. Neither
evaluates streamlines.

Fails if a whole run takes more than half of MRtrix's time.
"""
import argparse
import json
import pathlib
import tempfile

from fod_tracking_mrtrix import call


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", default="target/release/arcuate", type=pathlib.Path)
    parser.add_argument("--voxel-size", default=1.25, type=float)
    parser.add_argument("--select", default=50000, type=int)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    arcuate = options.arcuate.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or pathlib.Path(scratch)).resolve()
        scan, ours, theirs = folder / "scan", folder / "ours", folder / "theirs"
        if not scan.exists():
            call(arcuate, "simulate", "--voxel-size", options.voxel_size, "--shells", "0:18,1000:90,2000:90,3000:90", "--tissues", "--out", scan)
        theirs.mkdir(exist_ok=True)

        seconds = call(arcuate, "run", scan / "dwi.nii.gz", "--select", options.select, "--evaluate", "none", "--device", "cpu",
                       "--threads", options.threads, "--force", "--out", ours)
        for step, took in json.loads((ours / "arcuate.json").read_text())["seconds"].items():
            print(f"arcuate {step:40} {took:8.1f} s")
        print(f"arcuate run  {seconds:.1f} s", flush=True)

        total = 0.0

        def step(*words, **environment):
            nonlocal total
            took = call(words[0], "-quiet", "-force", "-nthreads", options.threads, *words[1:], **environment)
            total += took
            print(f"{words[0]:20} {took:8.1f} s", flush=True)

        dwi, mask, tensor = theirs / "dwi.mif", theirs / "mask.mif", theirs / "tensor.mif"
        step("mrconvert", scan / "dwi.nii.gz", "-fslgrad", scan / "dwi.bvec", scan / "dwi.bval", dwi)
        step("dwi2mask", dwi, mask)
        step("dwi2tensor", dwi, tensor, "-mask", mask)
        step("tensor2metric", tensor, "-mask", mask, "-fa", theirs / "fa.mif", "-adc", theirs / "md.mif", "-vector", theirs / "vector.mif")
        tissues = "wm", "gm", "csf"
        responses = [theirs / f"response_{tissue}.txt" for tissue in tissues]
        step("dwi2response", "dhollander", dwi, *responses, "-mask", mask)
        images = [theirs / f"{tissue}.mif" for tissue in tissues]
        pairs = [word for response, image in zip(responses, images) for word in (response, image)]
        step("dwi2fod", "msmt_csd", dwi, *pairs, "-mask", mask)
        normalised = [theirs / f"{tissue}_norm.mif" for tissue in tissues]
        pairs = [word for image, normal in zip(images, normalised) for word in (image, normal)]
        step("mtnormalise", *pairs, "-mask", mask)
        step("sh2peaks", normalised[0], theirs / "peaks.mif", "-mask", mask)
        tracks = theirs / "tracks.tck"
        step("tckgen", normalised[0], tracks, "-seed_image", mask, "-mask", mask, "-select", options.select, "-minlength", 20,
             "-maxlength", 250, MRTRIX_RNG_SEED="1")
        step("tckmap", tracks, theirs / "density.mif", "-template", mask)
        print(f"MRtrix in all  {total:.1f} s; {total / seconds:.2f} ×")
        if 2 * seconds > total:
            raise SystemExit("a run takes more than half of MRtrix's time")


if __name__ == "__main__":
    main()
