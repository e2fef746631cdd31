#!/usr/bin/env python3
"""Compares `arcuate density`, `edit`, `sample` and `maps` with MRtrix's tckmap, tckedit, tcksample and tensor2metric.

    apt-get install mrtrix3; pip install nibabel numpy
    cargo build --release -p arcuate
    oracles/small_commands_mrtrix.py DATA/philips_dwi [--arcuate target/release/arcuate]

Uses the 5,000 streamlines and the tensors of a real scan, and artificial straight streamlines. Fails if a number is outside the
tolerance that the source states next to it.

With MRtrix 3.0.3, sums of absolute differences relative to the sum of tckmap's map, with and without weights:

                            straight lines   real streamlines
    counts                  0.2 %            0.9 %     -upsample 50: it misses corners of voxels, 0.2 % of the visits
    counts by length        0.2 %            0.7 %     -precise: the sums differ by less than 0.1 %
    lengths                 0.2 %            0.6 %
    lengths by length       0.2 %            0.5 %
    directional             0.2 %            1.8 %
    directional by length   0.2 %            1.1 %

`edit` keeps the same streamlines as tckedit in every case with --region-test points and ends. MRtrix's tckedit does not test the line; by
the line, up to 2.4 % of the kept streamlines differ. `sample` gives tcksample's six digits at each of 376,394 points and for every
statistic. With --nearest, one point is on a face to its last bit and has the value of the adjacent voxel. `maps` agree with tensor2metric
to single precision in each of the 134,223 voxels with positive eigenvalues.
"""
import argparse
import pathlib
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


def read_tck(path):
    return [np.asarray(line) for line in nib.streamlines.load(path).streamlines]


def straight_streamlines(grid, count, random):
    """Points 0.5 mm apart on straight lines, on which tckmap's Hermite curve and the polygon are the same."""
    lines = []
    shape = np.array(grid.shape[:3])
    for _ in range(count):
        middle = nib.affines.apply_affine(grid.affine, random.uniform(0.2, 0.8, 3) * shape)
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        steps = np.arange(random.integers(10, 120)) * 0.5
        lines.append((middle + np.outer(steps, direction)).astype(np.float32))
    return lines


def compare_maps(title, ours, theirs, bound):
    ours, theirs = (nib.load(path).get_fdata() for path in (ours, theirs))
    both = np.abs(ours).reshape(*ours.shape[:3], -1).sum(-1) * np.abs(theirs).reshape(*ours.shape[:3], -1).sum(-1) > 0
    correlation = np.corrcoef(ours[both].ravel(), theirs[both].ravel())[0, 1]
    print(f"   {title}: sums {ours.sum():.6g} and {theirs.sum():.6g}, correlation where both are {correlation:.5f}")
    report(f"{title}: sum of differences over sum", np.abs(ours - theirs).sum() / np.abs(theirs).sum(), bound)


def density(data, folder, arcuate):
    like = data / "fa.nii.gz"
    random = np.random.default_rng(1)
    made = folder / "straight.tck"
    lines = straight_streamlines(nib.load(like), 2000, random)
    nib.streamlines.save(nib.streamlines.Tractogram(lines, affine_to_rasmm=np.eye(4)), made)
    kinds = {
        "counts": [],
        "lengths": ["-contrast", "length", "-stat_vox", "mean"],
        "directional": ["-dec"],
    }
    for name, tracks in [("straight", made), ("real", data / "tracks.tck")]:
        weights = folder / f"{name}_weights.txt"
        np.savetxt(weights, random.uniform(0.1, 2, len(read_tck(tracks))))
        for weighted in (False, True):
            for kind, words in kinds.items():
                for by_length in (False, True):
                    ours, theirs = folder / "ours.nii", folder / "theirs.nii"
                    call(arcuate, "density", tracks, "--like", like, "--kind", kind, "--out", ours, "--force", "--quiet",
                         *(["--by-length"] if by_length else []), *(["--weights", weights] if weighted else []))
                    call("tckmap", tracks, theirs, "-template", like, "-force", "-quiet", *words,
                         *(["-precise"] if by_length else ["-upsample", 50]),
                         *(["-tck_weights_in", weights] if weighted else []))
                    title = f"{name} {kind}{' by length' if by_length else ''}{' weighted' if weighted else ''}"
                    # tckmap finds the faces of voxels to a hundredth of an edge. On real streamlines it follows a curve
                    # through the points, whose tangents are not those of the polygon.
                    bound = 3e-3 if name == "straight" else 2.5e-2 if kind == "directional" else 1e-2
                    compare_maps(title, ours, theirs, bound)


def edit(data, folder, arcuate):
    tracks = data / "tracks.tck"
    fa = nib.load(data / "fa.nii.gz")
    random = np.random.default_rng(2)
    lines = read_tck(tracks)
    regions = []
    for number, voxel in enumerate([(40, 60, 16), (70, 60, 16), (56, 50, 20)]):
        distance = np.linalg.norm((np.indices(fa.shape) - np.array(voxel).reshape(3, 1, 1, 1)), axis=0)
        path = folder / f"region{number}.nii"
        nib.save(nib.Nifti1Image((distance < 9).astype(np.uint8), fa.affine), path)
        regions.append(path)
    weights = folder / "weights.txt"
    np.savetxt(weights, random.uniform(0, 2, len(lines)))
    a, b, c = regions
    # Limits of length are not whole numbers: steps of 1 mm make many streamlines of 20 mm, whose sums are rounded differently.
    cases = {
        "one region": (["--waypoints", a], ["-include", a]),
        "two regions": (["--waypoints", a, "--waypoints", c], ["-include", a, "-include", c]),
        "one and not the other": (["--waypoints", c, "--avoid", b], ["-include", c, "-exclude", b]),
        "lengths": (["--min-length", 20.5, "--max-length", 45.5], ["-minlength", 20.5, "-maxlength", 45.5]),
        "weights": (["--weights", weights, "--min-weight", 0.5, "--max-weight", 1.5],
                    ["-tck_weights_in", weights, "-minweight", 0.5, "-maxweight", 1.5]),
        "skip and select": (["--avoid", a, "--skip", 100, "--select", 1000],
                            ["-exclude", a, "-skip", 100, "-number", 1000]),
        "all at once": (["--waypoints", a, "--avoid", b, "--min-length", 15, "--weights", weights, "--min-weight", 0.3],
                        ["-include", a, "-exclude", b, "-minlength", 15, "-tck_weights_in", weights, "-minweight", 0.3]),
    }
    ours, theirs = folder / "ours.tck", folder / "theirs.tck"

    def differing(our_words, their_words):
        """The number of streamlines that only one of the two keeps, and the number that tckedit keeps."""
        call(arcuate, "edit", tracks, "--out", ours, "--force", "--quiet", *our_words)
        call("tckedit", tracks, theirs, "-force", "-quiet", *their_words)
        first, second = ({line.tobytes() for line in read_tck(path)} for path in (ours, theirs))
        return len(first ^ second), len(second)

    for name, (our_words, their_words) in cases.items():
        has_region = any("clude" in str(word) for word in our_words)
        different, kept = differing([*our_words, *(["--region-test", "points"] if has_region else [])], their_words)
        report(f"edit, {name}: streamlines that differ of {kept}", different, 0)
        if has_region:
            different, _ = differing([*our_words, "--region-test", "ends"], [*their_words, "-ends_only"])
            report(f"edit, {name}, ends: streamlines that differ", different, 0)
            different, kept = differing(our_words, their_words)
            # The line passes corners of voxels in which it has no point.
            report(f"edit, {name}, line: share that differs of {kept}", different / max(kept, 1), 0.1)
    call("tckedit", tracks, theirs, "-force", "-quiet", "-tck_weights_in", weights, "-minweight", 1,
         "-tck_weights_out", folder / "theirs.txt")
    call(arcuate, "edit", tracks, "--out", ours, "--force", "--quiet", "--weights", weights, "--min-weight", 1,
         "--weights-out", folder / "ours.txt")
    kept = [np.loadtxt(folder / name).ravel() for name in ("ours.txt", "theirs.txt")]
    report("edit: weights of kept streamlines", np.abs(kept[0] - kept[1]).max(), 1e-6)
    both = [tracks, data / "tracks.tck"]
    call(arcuate, "edit", *both, "--out", ours, "--force", "--quiet")
    call("tckedit", *both, theirs, "-force", "-quiet")
    same = all(np.array_equal(x, y) for x, y in zip(read_tck(ours), read_tck(theirs), strict=True))
    report("edit: two tractograms joined differ", 0 if same else 1, 0)


def rows(path):
    lines = [line for line in path.read_text().split("\n") if not line.startswith("#")]
    return [np.array([float(word) for word in line.split()]) for line in lines[:-1]]


def sample(data, folder, arcuate):
    tracks = data / "tracks.tck"
    # The comparison includes streamlines that leave the image.
    lines = read_tck(tracks)
    moved = folder / "moved.tck"
    lines = [line + np.float32([0, 0, 40 if n % 3 == 0 else 0]) for n, line in enumerate(lines)]
    nib.streamlines.save(nib.streamlines.Tractogram(lines, affine_to_rasmm=np.eye(4)), moved)
    for image in ("fa", "md"):
        path = data / f"{image}.nii.gz"
        largest = np.nanmax(np.abs(nib.load(path).get_fdata()))
        for name, where in [("tracks", tracks), ("beyond the image", moved)]:
            for our_words, their_words in [([], []), (["--nearest"], ["-nointerp"])]:
                ours, theirs = folder / "ours.txt", folder / "theirs.txt"

                def both(our_more, their_more):
                    call(arcuate, "sample", where, path, "--out", ours, "--force", "--quiet", *our_words, *our_more)
                    call("tcksample", where, path, theirs, "-force", "-quiet", *their_words, *their_more)
                    return rows(ours), rows(theirs)

                title = f"sample {image}, {name}{', nearest' if our_words else ''}"
                a, b = both([], [])
                assert [len(row) for row in a] == [len(row) for row in b]
                # MRtrix writes six digits. One point is on a face to its last bit, and takes another voxel.
                others = 2 if our_words else 0

                def differing(a, b):
                    return (np.abs(np.concatenate(a) - np.concatenate(b)) > 1e-5 * largest).sum()

                report(f"{title}: points that differ of {sum(map(len, a))}", differing(a, b), others)
                for statistic in ("mean", "median", "min", "max"):
                    a, b = both(["--statistic", statistic], ["-stat_tck", statistic])
                    report(f"{title}: {statistic}, streamlines that differ of {len(a)}", differing(a, b), others)


def maps(data, folder, arcuate):
    tensor = data / "dt.nii.gz"
    call(arcuate, "maps", tensor, "--mask", data / "mask.nii.gz", "--out", folder / "maps", "--quiet")
    theirs = {name: folder / f"{name}.nii" for name in ("fa", "adc", "ad", "rd", "cl", "cp", "cs", "value", "vector")}
    words = [word for name, path in theirs.items() for word in (f"-{name}", path)]
    call("tensor2metric", tensor, "-quiet", "-mask", data / "mask.nii.gz", "-num", "1,2,3", "-modulate", "none", *words)
    load = lambda path: nib.load(path).get_fdata()
    values = load(theirs["value"])
    inside = load(data / "mask.nii.gz") > 0
    # tensor2metric sorts by absolute value, so it differs if noise made an eigenvalue negative.
    positive = inside & (values > 0).all(-1)
    print(f"   maps: {inside.sum()} voxels, {(inside & ~positive).sum()} with an eigenvalue that is not above 0")
    names = {"fa": "fa", "md": "adc", "ad": "ad", "rd": "rd", "linearity": "cl", "planarity": "cp", "sphericity": "cs",
             "eigenvalues": "value"}
    for our_name, their_name in names.items():
        ours, other = load(folder / "maps" / f"{our_name}.nii.gz"), load(theirs[their_name])
        scale = 1 if our_name in ("fa", "linearity", "planarity", "sphericity") else np.abs(other[positive]).max()
        report(f"maps, {our_name}", np.abs(ours - other)[positive].max() / scale, 1e-6)
    vectors = load(folder / "maps" / "eigenvectors.nii.gz")
    other = load(theirs["vector"])
    # If the first two eigenvalues are equal, neither has a direction.
    apart = positive & (values[..., 0] > 1.001 * values[..., 1])
    cosine = np.abs((vectors[..., :3] * other[..., :3]).sum(-1))[apart]
    report("maps, first eigenvector: 1 - |cosine|", 1 - cosine.min(), 1e-5)
    first = load(folder / "maps" / "principal_direction.nii.gz")
    report("maps, principal direction: differences from that", np.abs(first - vectors[..., :3]).max(), 0)


def tensor_orders(data, folder, arcuate):
    """DIPY fits the same scan with the unchanged bvec file."""
    try:
        from dipy.core.gradients import gradient_table
        from dipy.reconst.dti import TensorModel, lower_triangular
    except ImportError:
        print("   no dipy: --tensor-order dipy is not compared")
        return
    image = nib.load(data / "dwi.nii.gz")
    table = gradient_table(np.loadtxt(data / "dwi.bval"), bvecs=np.loadtxt(data / "dwi.bvec").T)
    inside = nib.load(data / "mask.nii.gz").get_fdata() > 0
    fit = TensorModel(table).fit(image.get_fdata(), mask=inside)
    lower = lower_triangular(fit.quadratic_form).astype(np.float32)
    path = folder / "dipy.nii.gz"
    nib.save(nib.Nifti1Image(lower[..., None, :], image.affine), path)
    call(arcuate, "maps", path, "--tensor-order", "dipy", "--out", folder / "dipy", "--quiet")
    call(arcuate, "maps", data / "dt.nii.gz", "--out", folder / "mrtrix", "--tensor-order", "mrtrix", "--quiet")
    first, second = (nib.load(folder / name / "principal_direction.nii.gz").get_fdata() for name in ("dipy", "mrtrix"))
    fa = nib.load(data / "fa.nii.gz").get_fdata()
    clear = inside & (fa > 0.5) & (fa < 1)
    angle = np.degrees(np.arccos(np.clip(np.abs((first * second).sum(-1))[clear], 0, 1)))
    # Two estimates with different weights: a degree apart, but a wrong axis is tens of degrees off.
    report("DIPY's fit: median angle to MRtrix's principal direction, degrees", np.median(angle), 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arcuate", default="target/release/arcuate", type=pathlib.Path)
    options = parser.parse_args()
    print(call("tckmap", "-version").splitlines()[0])
    for check in (density, edit, sample, maps, tensor_orders):
        with tempfile.TemporaryDirectory() as folder:
            check(options.folder, pathlib.Path(folder), options.arcuate.resolve())
    if failed:
        raise SystemExit(f"beyond the tolerance: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
