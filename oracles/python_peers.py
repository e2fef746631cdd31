#!/usr/bin/env python3
"""Runs the scripts of docs/src/how-to/python-from-elsewhere.md unchanged, and compares the results of the other packages with Arcuate's.

    apt-get install bart
    pip install dipy dmri-amico nilearn nibabel numpy scipy
    pip install .; oracles/python_peers.py [--work FOLDER]

The package is the installed one, or the one that `own_package.py` selects. BART's `bart.py` is used if it can be imported; otherwise a
function with the same call is defined here. It takes a minute on two cores.

Fails if a number is beyond its bound. Each line states the reason for the bound. `differs` marks quantities that are not meant to be the
same; their bounds only detect gross errors.
"""
import argparse
import contextlib
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import types

import nibabel as nib
import numpy as np

import own_package

PAGE = own_package.ROOT / "docs/src/how-to/python-from-elsewhere.md"
failed = []


def check(title, value, low, high, why):
    good = low <= value <= high
    print(f"{'  ' if good else '! '}{title}: {value:.3g}, due {low:g} to {high:g}: {why}")
    if not good:
        failed.append(title)


def bart(outputs, command, *arrays, **options):
    """Replaces the function of this name in BART's `bart.py`: arrays are passed by files."""
    with tempfile.TemporaryDirectory() as folder:

        def put(name, array):
            path = os.path.join(folder, name)
            with open(path + ".hdr", "w") as header:
                header.write("# Dimensions\n" + " ".join(map(str, array.shape)) + "\n")
            np.asarray(array, np.complex64).ravel(order="F").tofile(path + ".cfl")
            return path

        def get(path):
            shape = [int(n) for n in open(path + ".hdr").read().splitlines()[1].split()]
            while len(shape) > 1 and shape[-1] == 1:
                shape.pop()
            return np.fromfile(path + ".cfl", np.complex64).reshape(shape, order="F")

        words = [word for name, array in options.items() for word in ("-" * min(len(name), 2) + name, put(name, array))]
        words += [put(f"in{n}", array) for n, array in enumerate(arrays)]
        paths = [os.path.join(folder, f"out{n}") for n in range(outputs)]
        subprocess.run(["bart", *command.split(), *words, *paths], check=True, stdout=subprocess.DEVNULL)
        found = [get(path) for path in paths]
    return found[0] if outputs == 1 else found


def find_bart():
    try:
        import bart as _  # noqa: F401
    except ImportError:
        module = types.ModuleType("bart")
        module.bart = bart
        sys.modules["bart"] = module


def scripts():
    """The named code blocks of the page, by name."""
    found, name = {}, None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("<!-- file "):
            name = line.split()[2]
            found[name] = []
        elif name and (line.startswith("    ") or not line):
            found[name].append(line[4:])
        else:
            name = None
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in found.items()}


def degrees(a, b):
    """The angle between axes."""
    return np.degrees(np.arccos(np.clip(np.abs((a * b).sum(-1)), 0, 1)))


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-20)


def image(name):
    return nib.load(f"{name}.nii.gz").get_fdata(dtype=np.float32)


def dipy(run):
    import arcuate as ar
    from dipy.io.streamline import load_tractogram
    from dipy.reconst.shm import sh_to_sf

    theirs, ours = run("dipy_theirs"), run("dipy_ours")
    mask, white = image("mask") > 0, image("white_matter") > 0
    maps, tensors = ours["maps"], theirs["tensors"]
    fa = np.abs(maps.fa.data - tensors.fa)[mask]
    check("FA apart, median", np.median(fa), 0, 5e-4, "both are weighted least squares of the same logarithms; weights differ by the noise's square")
    check("FA apart, 99 %", np.percentile(fa, 99), 0, 0.02, "the same, in CSF, where b = 1000 leaves little signal")
    md = np.abs(maps.md.data / np.maximum(tensors.md, 1e-9) - 1)[mask]
    check("MD apart, part of it, median", np.median(md), 0, 2e-3, "the same")
    some = white & (tensors.fa > 0.2)
    # Here, the axes of the image and of the scanner are the same.
    angle = degrees(maps.eigenvectors.data[..., :3], tensors.evecs[..., 0])[some]
    check("principal direction apart, degrees, median", np.median(angle), 0, 0.1, "the same")

    sphere = theirs["sphere"]
    here = ours["csd"].peaks.data.reshape(*mask.shape, 3, 3)
    height = np.linalg.norm(here, axis=-1)
    # The same rule as in the other package: peaks of at least half the height of the highest.
    peaks = {
        "theirs": unit(theirs["peaks"].peak_dirs) * (theirs["peaks"].peak_values > 0)[..., None],
        "ours": unit(here) * (height >= 0.5 * height[..., :1])[..., None],
    }
    truth = image("peaks").reshape(*mask.shape, 3, 3)
    fraction = np.linalg.norm(truth, axis=-1)
    first = degrees(peaks["theirs"][..., 0, :], peaks["ours"][..., 0, :])
    single = white & (fraction[..., 0] > 0.8)
    angle = np.median(first[single])
    check("first peaks apart where one bundle has 0.8, degrees, median", angle, 0, 4, "theirs are vertices 7 apart, so errors are up to 4")
    bundles = (fraction > 0.3) & white[..., None]
    for who, due in ("theirs", 5), ("ours", 3):
        nearest = np.min([degrees(unit(truth), peaks[who][..., n : n + 1, :]) for n in range(3)], axis=0)[bundles]
        found = nearest < 25
        check(f"bundles of 0.3 to the nearest peak, {who}, degrees, median", np.median(nearest[found]), 0, due, "noise; theirs also has the spacing of its sphere")
        check(f"bundles of 0.3 without a peak within 25 degrees, {who}", 1 - found.mean(), 0, 0.05, "closely crossing bundles have one peak")
    a = theirs["model"].fit(theirs["data"][..., theirs["outer"]], mask=mask).odf(sphere)[white]
    b = sh_to_sf(ours["csd"].fod.data[white], sphere, sh_order_max=8, basis_type="tournier07", legacy=False)
    correlation = np.median([np.corrcoef(x, y)[0, 1] for x, y in zip(a, b)])
    check("correlation of distributions, median", correlation, 0.9, 1, "differs: theirs are held to fewer directions, and more firmly")

    labels = "labels.nii.gz"
    matrices = [ar.connectome(tracks, labels).count for tracks in (theirs["tracks"], ours["tracks"])]
    known = ar.simulate(ours["gradients"], voxel_size=6).truth
    matrices.append(ar.connectome(known, labels).count)
    above = np.triu_indices(30, 1)
    t, o, k = (np.log1p(matrix[above]) for matrix in matrices)
    print(f"  streamlines: theirs {len(theirs['tracks'])}, ours {len(ours['tracks'])}")
    for title, x, y in ("theirs and ours", t, o), ("theirs and the truth", t, k), ("ours and the truth", o, k):
        check(f"correlation of log(1 + count), {title}", np.corrcoef(x, y)[0, 1], 0.75, 1, "differs: seeds alone are the same")
    script = pathlib.Path("dipy_theirs.py").read_text(encoding="utf-8")
    lines = 'if np.linalg.det(affine) > 0:\n    bvecs[:, 0] *= -1\n'
    assert lines in script
    pathlib.Path("dipy_as_it_stands.py").write_text(script.replace(lines, "").replace("dipy_tracks", "wrong"), encoding="utf-8")
    wrong = ar.connectome(run("dipy_as_it_stands")["tracks"], labels).count
    check("correlation of counts, theirs with x not turned round", np.corrcoef(wrong[above], matrices[0][above])[0, 1], 0, 0.7, "differs: it is wrong")
    again = load_tractogram("tracks.trx", "same")
    apart = np.abs(np.concatenate(list(again.streamlines)) - ours["tracks"].positions).max()
    check("points of our file in DIPY, mm apart", apart, 0, 1e-4, "single precision at 100 mm")
    apart = np.abs(ar.load_tractogram("dipy_tracks.trk").positions - np.concatenate(list(theirs["tracks"].streamlines))).max()
    check("points of their file here, mm apart", apart, 0, 1e-4, "the same")
    apart = np.abs(np.concatenate(list(ours["stateful"].streamlines)) - ours["tracks"].positions).max()
    check("points of to_dipy, mm apart", apart, 0, 0, "they are copied")


def amico(run):
    import amico

    from noddi_watson import in_lots, kappa_of, noddi

    amico.set_verbose(0)
    theirs, ours = run("amico_theirs"), run("amico_ours")
    white = image("white_matter") > 0
    tissue = (image("mask") > 0) & (theirs["fwf"] < 0.5) & (ours["fwf"] < 0.5)
    print(f"  {tissue.sum()} voxels of tissue")
    # In fit_amico.py, on a real scan, correlations are 0.978, 0.986 and 0.994. Here, bundles cross in most voxels.
    for name, due in ("ndi", 0.75), ("odi", 0.95), ("fwf", 0.99):
        x, y = theirs[name][tissue], ours[name][tissue]
        check(f"{name}: correlation in tissue", np.corrcoef(x, y)[0, 1], due, 1, "differs: theirs is regularised and on a grid")
        print(f"    mean difference {np.mean(y - x):.3f}, median size of it {np.median(np.abs(y - x)):.4f}")
    flip = [-1, 1, 1]
    direction = image("AMICO/NODDI/fit_dir") * flip
    study = theirs["study"]
    study.model.set_solver(lambda1=0.0, lambda2=1e-3)
    study.generate_kernels(regenerate=True)
    study.load_kernels()
    with contextlib.redirect_stdout(sys.stderr):
        study.fit()
        study.save_results()
    x, y = image("AMICO/NODDI/fit_NDI")[tissue], ours["ndi"][tissue]
    check("ndi without lambda1: correlation", np.corrcoef(x, y)[0, 1], 0.99, 1, "the difference comes from the grid")
    check("ndi without lambda1: mean difference", np.mean(y - x), -0.005, 0.005, "the same")
    angle = degrees(direction, ours["fit"].mu.data)[white]
    check("mean orientation apart, degrees, median", np.median(angle), 0, 5, "theirs is the tensor's, ours is fitted")
    dwi, gradients = ours["dwi"].data[white].astype(float), ours["gradients"]

    def squares(ndi, odi, fwf, mu):
        kappa = kappa_of(np.clip(odi, 1e-3, 1 - 1e-6))
        signal = in_lots(lambda n: noddi(gradients.b_values, gradients.directions, ndi[n], fwf[n], kappa[n], mu[n]), len(ndi))
        s0 = (signal * dwi).sum(1) / (signal**2).sum(1)
        return ((dwi - s0[:, None] * signal) ** 2).sum(1)

    of = lambda one, mu: squares(*(one[name][white] for name in ("ndi", "odi", "fwf")), mu[white].astype(float))
    ratio = of(theirs, direction) / of(ours, ours["fit"].mu.data)
    check("sum of squares, theirs over ours, least in white matter", ratio.min(), 1 - 1e-3, np.inf, "ours is the least there is, in single precision")
    print(f"    median {np.median(ratio):.2f}")


def reconstruction(run):
    find_bart()
    theirs, ours = run("bart_theirs"), run("bart_ours")
    flat = lambda array: np.asarray(array).ravel(order="F")
    pairs = {
        "adjoint": (ours["adjoint"], theirs["adjoint"][..., 0], 1e-3, "theirs are interpolated, ours exact"),
        # Both sample the other package's image.
        "samples": (ours["sums"] @ flat(theirs["image"]), theirs["samples"], 1e-3, "the same"),
        "image": (ours["image"], theirs["image"], 0.02, "the same, and 30 iterations are not the end of it"),
    }
    for name, (x, y, due, why) in pairs.items():
        x, y = flat(x), flat(y)
        factor = np.vdot(x, y) / np.vdot(x, x)
        check(f"{name}: relative distance", np.linalg.norm(factor * x - y) / np.linalg.norm(y), 0, due, why)
        check(f"{name}: factor", abs(factor), 0.997, 1.003, "the scale is the same, apart from their interpolation")


def learning(run):
    ours = run("nilearn_ours")
    labels, numbers = ours["brains"][0].labels.data, np.arange(1, 31)
    due = [ours["maps"].fa.data[labels == number].mean() for number in numbers]
    check("regions' mean FA by nilearn and NumPy, apart", np.abs(ours["regions"][-1].ravel() - due).max(), 0, 1e-6, "single precision")
    check("features", ours["features"].shape[1], 435, 435, "30 · 29 / 2")
    matrix = ours["matrices"][-1]
    check("connectomes are symmetric", np.abs(matrix - matrix.T).max(), 0, 0, "sym_matrix_to_vec reads a half")
    check("accuracy of four folds", ours["accuracy"].mean(), 0.9, 1, "the lesion takes a whole bundle; by chance half are right")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    own_package.add_options(parser)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", help="dipy, amico, bart, nilearn; all by default")
    options = parser.parse_args()
    own_package.find_package(options)
    work = options.work or pathlib.Path(tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)
    for name, text in scripts().items():
        (work / name).write_text(text, encoding="utf-8")
    os.chdir(work)

    def run(name):
        with contextlib.redirect_stdout(sys.stderr):
            return runpy.run_path(f"{name}.py")

    run("make_scan")
    for name, part in {"dipy": dipy, "amico": amico, "bart": reconstruction, "nilearn": learning}.items():
        if not options.parts or name in options.parts:
            print(name)
            part(run)
    raise SystemExit(f"{len(failed)} figures are beyond their bounds" if failed else 0)


main()
