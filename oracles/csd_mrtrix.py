#!/usr/bin/env python3
"""Compares spherical deconvolution and peaks with MRtrix's dwi2fod and sh2peaks.

    apt-get install mrtrix3; pip install nibabel numpy
    cargo build --release -p arcuate-fod --example deconvolve
    oracles/csd_mrtrix.py [DATA/mrtrix] [--deconvolve target/release/examples/deconvolve]

Both programs get the same signals, responses and constraint directions (`-directions`). Lines without # are the numbers in
crates/arcuate-fod/tests/all/mrtrix.rs: MRtrix's results for three simulated voxels. With a folder, its real series are also compared and
timed. Both deconvolve crossings of two equal bundles at 45, 60 and 90 degrees, in 500 random orientations with noise of 1/30 of the signal
at b = 0. A true direction without a peak within 22.5 degrees is missed. A peak without a true direction is false. Peaks below a
third of the largest are not counted.

The comparison fails if one of these is true in more than 1 % of the voxels. With a single shell, the angular correlation is below 0.999. With
several tissues, the relative distance is above 1e-3. A peak above a tenth of the largest is more than 1 degree from MRtrix's.
"""
import argparse
import math
import pathlib
import subprocess
import tempfile
import time

import nibabel as nib
import numpy as np

# The zonal coefficients of exp(-b (0.3 + 1.4 cos²) 1e-3) · 1000 at b = 0, 1000, 2500, and of two isotropic tissues.
WHITE = [[3544.9077, 0, 0, 0, 0], [1781.554, -633.4772, 107.661, -12.3508, 1.0693], [786.7569, -526.8693, 198.7089, -53.4, 11.096]]
GREY = [[3190.4169], [1433.5467], [431.776]]
FLUID = [[8862.2693], [441.2264], [4.9016]]


def half_sphere(count):
    golden = (1 + math.sqrt(5)) / 2
    n = np.arange(count)
    z = 1 - (n + 0.5) / count
    angle = 2 * np.pi * n / golden
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], 1)


def series():
    """Gradients: 6 × b 0, 60 × b 1000, 60 × b 2500."""
    weighted = half_sphere(60)
    zeros = np.tile([[0.0, 0.0, 1.0]], (6, 1))
    return np.concatenate([np.c_[zeros, np.zeros(6)], np.c_[weighted, np.full(60, 1000.0)], np.c_[weighted, np.full(60, 2500.0)]])


def signals(gradients, bundles, grey, fluid):
    """Signals of voxels from directions and fractions of bundles, and from fractions of the other tissues."""
    shell = np.searchsorted([0.0, 1000.0, 2500.0], gradients[:, 3])
    total = (grey * np.array(GREY)[shell, 0] + fluid * np.array(FLUID)[shell, 0]) / math.sqrt(4 * math.pi)
    for direction, fraction in bundles:
        cosine = gradients[:, :3] @ direction
        total += fraction * 1000 * np.exp(-gradients[:, 3] * (0.3e-3 + 1.4e-3 * cosine**2))
    return total


def write_text(path, rows):
    path.write_text("".join(" ".join(f"{value:.17g}" for value in row) + "\n" for row in rows))


def write_image(path, values):
    nib.save(nib.Nifti1Image(np.asarray(values, np.float32)[:, None, None, :], np.eye(4)), path)


def read_image(path):
    values = nib.load(path).get_fdata(dtype=np.float32).astype(float)
    return values.reshape(-1, values.shape[3] if values.ndim == 4 else 1)


def call(*words):
    begin = time.perf_counter()
    done = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
    return time.perf_counter() - begin, done.stdout


def mrtrix(folder, kind, responses, threads):
    """Distributions of each tissue and three peaks of the first, as rows; time in seconds."""
    pairs = [word for n, path in enumerate(responses) for word in (path, folder / f"tissue-{n}.nii")]
    seconds, _ = call(
        "dwi2fod", "-quiet", "-force", "-nthreads", threads, "msmt_csd" if kind == "multi" else "csd", folder / "signals.nii",
        *pairs, "-grad", folder / "gradients.txt", "-directions", folder / "constraints.txt")
    peaks_seconds, _ = call(
        "sh2peaks", "-quiet", "-force", "-nthreads", threads, "-num", 3, folder / "tissue-0.nii", folder / "peaks.nii")
    tissues = [read_image(folder / f"tissue-{n}.nii") for n in range(len(responses))]
    return tissues, read_image(folder / "peaks.nii").reshape(-1, 3, 3), (seconds, peaks_seconds)


def own(program, folder, kind, responses, threads):
    _, text = call(program, folder, threads, kind, *responses)
    seconds = tuple(float(line.split()[0]) for line in text.splitlines()[:2])
    voxels = len(read_image(folder / "signals.nii"))
    read = lambda name: np.fromfile(folder / name, "<f4").astype(float).reshape(voxels, -1)
    tissues = [read(f"tissue-{n}.f32") for n in range(len(responses))]
    return tissues, read("peaks.f32").reshape(-1, 3, 3), seconds, text.splitlines()[0]


def prepare(folder, values, gradients, constraints):
    folder.mkdir(exist_ok=True)
    np.asarray(values, "<f4").tofile(folder / "signals.f32")
    write_image(folder / "signals.nii", values)
    write_text(folder / "gradients.txt", gradients)
    write_text(folder / "directions.txt", constraints)
    # MRtrix expects azimuth and inclination.
    write_text(folder / "constraints.txt", np.c_[np.arctan2(constraints[:, 1], constraints[:, 0]), np.arccos(constraints[:, 2])])


def angles(a, b):
    """Angles between all directions of one set and all of another, in degrees."""
    unit = lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True)
    return np.degrees(np.arccos(np.clip(np.abs(unit(a) @ unit(b).T), 0, 1)))


def present(peaks, share):
    lengths = np.nan_to_num(np.linalg.norm(peaks, axis=1))
    return peaks[lengths > share * max(lengths.max(), 1e-300)]


def compare(name, kind, theirs, ours):
    """Angular correlation, relative distance, and distances of peaks; whether the limits are met."""
    (t, t_peaks, t_seconds), (o, o_peaks, o_seconds, text) = theirs, ours
    a, b = np.concatenate(o, 1), np.concatenate(t, 1)
    distance = np.linalg.norm(a - b, axis=1) / np.maximum(np.linalg.norm(b, axis=1), 1e-30)
    x, y = o[0][:, 1:], t[0][:, 1:]
    # Voxels with only rounding errors of white matter have no angles.
    some = np.linalg.norm(y, axis=1) > 1e-6 * np.linalg.norm(b, axis=1)
    x, y = x[some], y[some]
    correlation = (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    apart = []
    for p, q in zip(o_peaks[some], t_peaks[some]):
        p, q = present(p, 0), present(q, 0.1)
        if len(q) and len(p):
            apart.append(angles(q, p).min(1).max())
    far = np.mean(np.array(apart) > 1)
    print(f"# {name} {kind}: {len(a)} voxels, {text}; dwi2fod {t_seconds[0]:.2f} s with files; peaks {o_seconds[1]:.2f} s, "
          f"sh2peaks {t_seconds[1]:.2f} s")
    print(f"#   angular correlation at 0, 1, 50 %: {np.percentile(correlation, [0, 1, 50])}")
    print(f"#   relative distance at 50, 99, 100 %: {np.percentile(distance, [50, 99, 100])}; peaks more than 1 degree apart: {far:.4f}")
    met = np.percentile(correlation, 1) >= 0.999 if kind == "single" else np.percentile(distance, 99) <= 1e-3
    return met and far <= 0.01


def crossings(program, folder, threads):
    generator = np.random.default_rng(1)
    gradients = series()
    for angle in (45, 60, 90):
        truth, values = [], []
        for _ in range(500):
            q, _ = np.linalg.qr(generator.normal(size=(3, 3)))
            a, b = q[0], math.cos(math.radians(angle)) * q[0] + math.sin(math.radians(angle)) * q[1]
            clean = signals(gradients, [(a, 0.5), (b, 0.5)], 0, 0)
            noise = generator.normal(size=(2, len(gradients))) * 1000 / 30
            truth.append(np.stack([a, b]))
            values.append(np.hypot(clean + noise[0], noise[1]))
        prepare(folder, values, gradients, half_sphere(300))
        for kind in ("single", "multi"):
            responses = response_files(folder, kind)
            results = {"here": own(program, folder, kind, responses, threads)[1], "MRtrix": mrtrix(folder, kind, responses, threads)[1]}
            for name, peaks in results.items():
                errors, missed, false = [], 0, 0
                for own_peaks, directions in zip(peaks, truth):
                    own_peaks = present(own_peaks, 1 / 3)
                    between = angles(directions, own_peaks)
                    near = between.min(1)
                    missed += (near > 22.5).sum()
                    errors.extend(near[near <= 22.5])
                    false += (between.min(0) > 22.5).sum()
                print(f"# crossing of {angle} degrees, {kind}, {name}: error {np.mean(errors):.2f} degrees, missed {missed / 500:.3f} "
                      f"and false {false / 500:.3f} a voxel")


def response_files(folder, kind):
    if kind == "single":
        write_text(folder / "white.txt", WHITE[-1:])
        return [folder / "white.txt"]
    for name, rows in (("white", WHITE), ("grey", GREY), ("fluid", FLUID)):
        write_text(folder / f"{name}.txt", rows)
    return [folder / f"{name}.txt" for name in ("white", "grey", "fluid")]


def fixtures(folder, threads):
    gradients = series()
    a, b = np.array([0.6, 0.0, 0.8]), np.array([0.0, 0.6, 0.8])
    c = np.array([-0.8, 0.0, 0.6])
    # Pseudo-random deviations, up to 20 of 1000.
    deviation = np.modf(np.arange(len(gradients)) * 0.618034)[0] * 40 - 20
    values = [
        signals(gradients, [(a, 1.0)], 0, 0) + deviation,
        signals(gradients, [(a, 0.5), (b, 0.3)], 0.1, 0.1) + deviation[::-1],
        signals(gradients, [(a, 0.4), (c, 0.4)], 0.2, 0.0) - deviation,
    ]
    prepare(folder, values, gradients, half_sphere(300))
    for kind in ("single", "multi"):
        tissues, peaks, _ = mrtrix(folder, kind, response_files(folder, kind), threads)
        for voxel in range(3):
            print(f"# {kind}, voxel {voxel}")
            numbers = np.concatenate([tissue[voxel] for tissue in tissues])
            for first in range(0, len(numbers), 9):
                print(", ".join(f"{value:.6f}" for value in numbers[first:first + 9]))
            for peak in present(peaks[voxel], 0.1):
                print("# peak")
                print(", ".join(f"{value:.4f}" for value in peak))


def real(program, folder, data, threads):
    met = True
    for name, kind, responses in (("dwi_multishell", "multi", ("wm", "gm", "csf")), ("dwi_multishell", "single", ("wm",)), ("dwi_b3000", "single", ("wm",))):
        call("mrconvert", "-quiet", "-force", data / f"{name}.mif", folder / "dwi.nii", "-export_grad_mrtrix", folder / "grad.txt")
        image = nib.load(folder / "dwi.nii").get_fdata(dtype=np.float32)
        inside = np.ones(image.shape[:3], bool)
        if name == "dwi_multishell":
            call("mrconvert", "-quiet", "-force", data / "mask_multishell.mif", folder / "mask.nii")
            inside = nib.load(folder / "mask.nii").get_fdata() > 0.5
        prepare(folder, image[inside], np.loadtxt(folder / "grad.txt"), half_sphere(300))
        files = [data / f"{response}.txt" for response in responses]
        if kind == "single":
            write_text(folder / "last.txt", np.loadtxt(files[0])[-1:])
            files = [folder / "last.txt"]
        ours = own(program, folder, kind, files, threads)
        met &= compare(name, kind, mrtrix(folder, kind, files, threads), ours)
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--deconvolve", default="target/release/examples/deconvolve")
    parser.add_argument("--threads", default="2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        fixtures(folder, options.threads)
        crossings(options.deconvolve, folder, options.threads)
        if options.data and not real(options.deconvolve, folder, options.data, options.threads):
            raise SystemExit("the results differ by more than they may")


main()
