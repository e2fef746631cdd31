"""Functions return bit for bit the data that the commands write."""

import numpy as np
import pytest

import arcuate as ar

CPU = {"device": "cpu"}


def same(image, path):
    """Returns true if an image equals the image of a file bit for bit. NaNs count as equal."""
    stored = ar.load_image(path).data
    return image.data.shape == stored.shape and np.array_equal(image.data, stored, equal_nan=True)


def test_the_mask(scan, folder, program, tmp_path):
    program("mask", folder / "dwi.nii.gz", "--out", tmp_path / "mask.nii.gz")
    assert same(ar.find_mask(*scan), tmp_path / "mask.nii.gz")


@pytest.mark.parametrize("keywords, options", [({}, []), ({"max_b": 2500.0, "reweightings": 1}, ["--max-b", 2500, "--reweightings", 1])])
def test_tensors(scan, mask, folder, program, tmp_path, keywords, options):
    program("fit", "tensor", folder / "dwi.nii.gz", "--mask", folder / "mask.nii.gz", *options, "--out", tmp_path / "out")
    maps = ar.fit_tensor(*scan, mask, **keywords)
    for name in "tensor s0 fa md ad rd residual".split():
        assert same(maps[name], tmp_path / "out" / f"{name}.nii.gz"), name
    assert np.array_equal(ar.tensor_maps(maps.tensor).fa.data, maps.fa.data)


def test_models(scan, mask, folder, program, tmp_path):
    fa = ar.fit_tensor(*scan, mask).fa
    fa.save(tmp_path / "fa.nii.gz")
    options = ["--max-b", 1000, "--standard-errors", "--start", f"f={tmp_path / 'fa.nii.gz'}"]
    program("fit", "ball-1-stick", folder / "dwi.nii.gz", "--mask", folder / "mask.nii.gz", *options, "--out", tmp_path / "out")
    fit = ar.fit("ball-1-stick", *scan, mask, max_b=1000.0, standard_errors=True, start={"f": fa}, **CPU)
    written = ar.load(tmp_path / "out")
    for name in fit.maps:
        assert same(fit[name], tmp_path / "out" / f"{name}.nii.gz"), name
    assert fit.units["d"] == "mm²/s" and len(fit.standard_errors) > 0
    assert written.title and "seconds" in written.record


def test_chains(scan, mask, folder, program, tmp_path):
    options = ["--method", "mcmc", "--burn-in", 50, "--jumps", 100, "--interval", 20, "--random-seed", 5, "--max-b", 1000]
    program("fit", "ball-1-stick", folder / "dwi.nii.gz", "--mask", folder / "mask.nii.gz", *options, "--out", tmp_path / "out")
    told = {"burn_in": 50, "jumps": 100, "interval": 20, "random_seed": 5, "max_b": 1000.0}
    found = ar.sample("ball-1-stick", *scan, mask, **told, **CPU)
    assert found.samples["f"].shape == (*mask.shape, 5) and found.samples["n"].shape == (*mask.shape, 5, 3)
    stored = ar.load_image(tmp_path / "out" / "f_samples.nii.gz").data
    assert np.array_equal(found.samples["f"], stored)
    assert not np.array_equal(found.samples["f"], ar.sample("ball-1-stick", *scan, mask, **{**told, "random_seed": 6}, **CPU).samples["f"])


@pytest.fixture(scope="module")
def slices(mask):
    """Mask of four slices of the brain, so that deconvolution takes a second."""
    data = np.zeros_like(mask.data)
    middle = mask.shape[2] // 2
    data[:, :, middle - 2 : middle + 2] = mask.data[:, :, middle - 2 : middle + 2]
    return ar.Image(data, mask.affine)


@pytest.fixture(scope="module")
def csd(folder, slices, program, tmp_path_factory):
    """Folder of responses and distributions that the commands write."""
    out = tmp_path_factory.mktemp("csd")
    slices.save(out / "slices.nii.gz")
    program("response", folder / "dwi.nii.gz", "--mask", out / "slices.nii.gz", "--out", out / "responses")
    told = ["--mask", out / "slices.nii.gz", "--responses", out / "responses", "--normalise"]
    program("fit", "csd", folder / "dwi.nii.gz", *told, "--out", out / "csd")
    return out


@pytest.mark.filterwarnings("ignore:.*rests on .* fewer than 20:arcuate.ArcuateWarning")
def test_responses_and_distributions(scan, slices, csd):
    responses = ar.estimate_responses(*scan, slices)
    for tissue, rows in responses.tissues.items():
        stored = np.loadtxt(csd / "responses" / f"response_{tissue}.txt", ndmin=2)
        assert np.allclose(rows, stored, rtol=1e-5), tissue
    # Response files have fewer digits than arrays, so both fits use the files.
    found = ar.fit_csd(*scan, slices, responses=csd / "responses", normalise=True, **CPU)
    for name, file in {"fod": "wm_fod", "gm": "gm", "csf": "csf", "peaks": "peaks", "field": "field"}.items():
        assert same(found[name], csd / "csd" / f"{file}.nii.gz"), name
    assert np.array_equal(ar.find_peaks(found.fod, slices).data, found.peaks.data)


def lines_of(path):
    tracks = ar.load_tractogram(path)
    return tracks.positions, tracks.offsets


def agree(tracks, path):
    positions, offsets = lines_of(path)
    return np.array_equal(tracks.positions, positions) and np.array_equal(tracks.offsets, offsets)


def test_tracking_of_tensors(scan, mask, folder, program, tmp_path):
    maps = ar.fit_tensor(*scan, mask)
    maps.tensor.save(tmp_path / "tensor.nii.gz")
    told = ["--mask", folder / "mask.nii.gz", "--select", 300, "--angle", 30, "--random-seed", 3]
    program("track", "tensor", tmp_path / "tensor.nii.gz", *told, "--out", tmp_path / "tracks.trx")
    tracks = ar.track_tensor(maps.tensor, mask=mask, select=300, angle=30.0, random_seed=3)
    assert len(tracks) == 300 and agree(tracks, tmp_path / "tracks.trx")
    assert tracks.summary["streamlines"] == 300 and tracks.summary["seeds"] >= 300
    told = ["--seed-mask", folder / "white_matter.nii.gz", "--seed-grid", 1, "--method", "fact", "--avoid", folder / "labels.nii.gz"]
    program("track", "tensor", tmp_path / "tensor.nii.gz", *told, "--out", tmp_path / "fact.trx")
    white, labels = ar.load_image(folder / "white_matter.nii.gz"), ar.load_image(folder / "labels.nii.gz")
    tracks = ar.track_tensor(maps.tensor, seed_mask=white, seed_grid=1, method="fact", avoid=[labels])
    assert len(tracks) > 0 and tracks.summary["avoided"] > 0 and agree(tracks, tmp_path / "fact.trx")


def test_tracking_of_distributions(csd, folder, program, tmp_path):
    told = ["--five-tissues", folder / "truth_5tt.nii.gz", "--select", 200, "--random-seed", 4]
    program("track", "fod", csd / "csd" / "wm_fod.nii.gz", *told, "--out", tmp_path / "tracks.trx")
    fod = ar.load_image(csd / "csd" / "wm_fod.nii.gz")
    tracks = ar.track_fod(fod, five_tissues=folder / "truth_5tt.nii.gz", select=200, random_seed=4, **CPU)
    assert len(tracks) == 200 and agree(tracks, tmp_path / "tracks.trx")


def test_tracking_of_samples(scan, mask, folder, program, tmp_path):
    options = ["--method", "mcmc", "--burn-in", 50, "--jumps", 100, "--max-b", 1000, "--mask", folder / "mask.nii.gz"]
    program("fit", "ball-1-stick", folder / "dwi.nii.gz", *options, "--out", tmp_path / "samples")
    program("track", "samples", tmp_path / "samples", "--select", 200, "--out", tmp_path / "tracks.trx")
    samples = ar.load_samples(tmp_path / "samples")
    assert samples.fibres == 1
    tracks = ar.track_samples(samples, select=200, targets=[ar.load_image(folder / "white_matter.nii.gz")], **CPU)
    assert len(tracks) == 200 and agree(tracks, tmp_path / "tracks.trx")
    assert 0 < tracks.summary["through_targets"][0] <= 200
    along_peaks = ar.track_samples(ar.peaks_as_orientations(samples.peaks(), mask), seeds=500, **CPU)
    assert len(along_peaks) > 0


def test_maps_of_visits(scan, mask, folder, program, tmp_path):
    seeds, tracked = folder / "white_matter.nii.gz", folder / "truth_peaks.nii.gz"
    told = ["--seed-mask", seeds, "--per-seed", 3, "--seed-anywhere", "--products", "visits,lengths,target-counts", "--threshold", 0, "--targets", folder / "mask.nii.gz"]
    program("track", "peaks", tracked, "--mask", folder / "mask.nii.gz", *told, "--random-seed", 2, "--out", tmp_path / "out")
    peaks = ar.peaks_as_orientations(ar.load_image(tracked), mask)
    keywords = {"per_seed": 3, "seed_anywhere": True, "lengths": True, "threshold": 0, "targets": [mask], "random_seed": 2}
    found = ar.map_visits(peaks, seed_mask=seeds, **keywords, **CPU)
    written = {"visits": found.visits, "visits_normalised": found.normalised, "lengths": found.lengths, "visits_by_length": found.by_length}
    for name, image in {**written, "seeds_to_mask": found.target_counts[0]}.items():
        assert image.data.any() and same(image, tmp_path / "out" / f"{name}.nii.gz"), name
    of_points = ar.map_visits(peaks, seed_points=[[0, 0, 0], [20, 0, 20]], per_seed=10, targets=[mask], **CPU)
    assert of_points.target_counts[0].shape == (2,) and of_points.lengths is None


def test_refits(scan, mask, folder, program, tmp_path):
    told = ["--mask", folder / "mask.nii.gz", "--replicates", 5, "--resampling", "signs", "--select", 100, "--random-seed", 3]
    program("track", "bootstrap", folder / "dwi.nii.gz", *told, "--out", tmp_path / "tracks.trx")
    refits = ar.refits_as_orientations(*scan, mask, replicates=5, resampling="signs", random_seed=3)
    assert agree(ar.track_samples(refits, select=100, random_seed=3, **CPU), tmp_path / "tracks.trx")


def test_geodesics(scan, mask, folder, program, tmp_path):
    tensor = ar.fit_tensor(*scan, mask).tensor
    tensor.save(tmp_path / "tensor.nii.gz")
    told = ["--mask", folder / "mask.nii.gz", "--seeds", 50, "--metric", "adjugate", "--sharpen", 2, "--max-length", 120]
    program("track", "geodesic", tmp_path / "tensor.nii.gz", "--all", *told, "--out", tmp_path / "all")
    rays = ar.track_geodesic(tensor, mask=mask, seeds=50, metric="adjugate", sharpen=2, max_length=120, **CPU)
    assert len(rays) > 30 and agree(rays, tmp_path / "all" / "streamlines.trx")
    stored = ar.load_tractogram(tmp_path / "all" / "streamlines.trx")
    assert np.array_equal(rays.data_per_streamline["cm"], stored.data_per_streamline["cm"])
    labels = ar.load_image(folder / "labels.nii.gz")
    regions = {}
    for name, numbers in {"left": (1, 2), "right": (3, 4)}.items():
        regions[name] = ar.Image(np.isin(labels.data, numbers).astype(np.float32), labels.affine)
        regions[name].save(tmp_path / f"{name}.nii.gz")
    told = ["--seed-mask", tmp_path / "left.nii.gz", "--targets", tmp_path / "right.nii.gz", "--per-seed", 40, "--best", 5]
    program("track", "geodesic", tmp_path / "tensor.nii.gz", *told, "--out", tmp_path / "connections")
    found = ar.track_geodesic(tensor, seed_mask=regions["left"], targets={"right": regions["right"]}, per_seed=40, best=5, **CPU)
    assert agree(found, tmp_path / "connections" / "streamlines.trx")
    assert found.summary["targets"]["right"]["kept"] == len(found.groups.get("right", []))


def test_commands_are_those_of_the_command_line(folder, program, tmp_path):
    """Commands from Python write the same files as the command line."""
    told = ["--voxel-size", 8, "--directions", 12, "--b-value", 1000]
    program("simulate", *told, "--out", tmp_path / "theirs")
    done = ar.commands.simulate(voxel_size=8, directions=12, b_value=1000, out=tmp_path / "ours", device="cpu")
    for name in done.results.images:
        assert same(done.results[name], tmp_path / "theirs" / name), name
    assert done.out == str(tmp_path / "ours") and done.results.options["voxel-size"] == 8
    out = ar.commands.connectome(folder / "truth_streamlines.trx", labels=folder / "labels.nii.gz", out=tmp_path / "connectome")
    program("connectome", folder / "truth_streamlines.trx", "--labels", folder / "labels.nii.gz", "--out", tmp_path / "theirs2")
    counts = [(tmp_path / name / "connectome_counts.csv").read_bytes() for name in ("connectome", "theirs2")]
    assert counts[0] == counts[1] and out.said and ar.load(tmp_path / "connectome").record == out.results.record


def test_life(scan, mask, folder, program, tmp_path):
    tracks = folder / "truth_streamlines.trx"
    told = ["--dwi", folder / "dwi.nii.gz", "--mask", folder / "mask.nii.gz", "--shells", 2500, "--iterations", 30]
    program("evaluate", "life", tracks, *told, "--out", tmp_path / "life")
    life = ar.evaluate_life(tracks, *scan, mask, shells=[2500], iterations=30, **CPU)
    stored = np.loadtxt(tmp_path / "life" / "life_weights.txt")
    assert np.array_equal(life.weights.astype(np.float32), stored.astype(np.float32)) and life.figures["supported"] > 0
    assert same(life.rmse_after, tmp_path / "life" / "life_rmse_after.nii.gz")


def test_commit(scan, mask, folder, program, tmp_path):
    tracks = folder / "truth_streamlines.trx"
    told = ["--dwi", folder / "dwi.nii.gz", "--mask", folder / "mask.nii.gz", "--peaks", folder / "truth_peaks.nii.gz", "--iterations", 40]
    program("evaluate", "commit", tracks, *told, "--isotropic-diffusivities", "0.8,3", "--out", tmp_path / "commit")
    peaks = ar.load_image(folder / "truth_peaks.nii.gz")
    with pytest.warns(ar.ArcuateWarning, match="iterations"):
        commit = ar.evaluate_commit(
            tracks, *scan, mask, peaks=peaks, iterations=40, isotropic_diffusivities=[0.8, 3], **CPU
        )
    stored = np.loadtxt(tmp_path / "commit" / "commit_weights.txt")
    assert np.array_equal(commit.weights.astype(np.float32), stored.astype(np.float32)) and commit.figures["supported"] > 0
    assert same(commit.nrmse, tmp_path / "commit" / "commit_nrmse.nii.gz")
    assert same(commit.intra_fraction, tmp_path / "commit" / "commit_intra_fraction.nii.gz")


def test_densities_values_and_connectomes(folder, program, tmp_path):
    tracks = ar.load_tractogram(folder / "truth_streamlines.trx")
    program("density", folder / "truth_streamlines.trx", "--like", folder / "mask.nii.gz", "--out", tmp_path / "density.nii.gz")
    assert same(ar.density(tracks, folder / "mask.nii.gz"), tmp_path / "density.nii.gz")
    weights = np.linspace(0, 1, len(tracks))
    np.savetxt(tmp_path / "weights.txt", weights, fmt="%.17g")
    told = ["--labels", folder / "labels.nii.gz", "--weights", tmp_path / "weights.txt"]
    program("connectome", folder / "truth_streamlines.trx", *told, "--out", tmp_path / "connectome")
    found = ar.connectome(tracks, folder / "labels.nii.gz", weights=weights)
    for name in "count weight mean_length".split():
        file = {"count": "counts", "weight": "weights", "mean_length": "lengths"}[name]
        stored = np.loadtxt(tmp_path / "connectome" / f"connectome_{file}.csv", delimiter=",")
        assert np.allclose(getattr(found, name), stored, rtol=1e-6), name
    assert found.count.sum() == 2 * (found.assignments[:, 0] > 0).sum() - np.trace(found.count)
    program("sample", folder / "truth_streamlines.trx", folder / "truth_bias.nii.gz", "--statistic", "mean", "--out", tmp_path / "mean.txt")
    means = ar.sample_along(tracks, folder / "truth_bias.nii.gz", statistic="mean")
    assert np.allclose(means, np.loadtxt(tmp_path / "mean.txt"), rtol=1e-5)
    assert ar.sample_along(tracks, folder / "truth_bias.nii.gz").shape == (len(tracks.positions),)


def test_the_simulated_brain(program, tmp_path):
    program("simulate", "--voxel-size", 8, "--directions", 6, "--b-value", 1000, "--random-seed", 9, "--out", tmp_path / "brain")
    brain = ar.simulate(voxel_size=8, directions=6, b_value=1000, random_seed=9)
    for name, file in {"dwi": "dwi", "mask": "mask", "labels": "labels", "peaks": "truth_peaks"}.items():
        assert same(brain[name], tmp_path / "brain" / f"{file}.nii.gz"), name
    assert agree(brain.truth, tmp_path / "brain" / "truth_streamlines.trx")
    assert list(brain.truth.groups) == sorted(brain.bundles) and len(brain.label_names) == 30


def test_five_tissues(folder, program, tmp_path):
    maps = {}
    truth = ar.load_image(folder / "truth_5tt.nii.gz")
    for name, volume in {"grey_matter": 0, "white_matter": 2, "csf": 3, "subcortical": 1}.items():
        maps[name] = tmp_path / f"{name}.nii.gz"
        ar.Image(truth.data[..., volume], truth.affine).save(maps[name])
    told = [word for name, path in maps.items() for word in (f"--{name.replace('_', '-')}", path)]
    program("5tt", *told, "--out", tmp_path / "5tt.nii.gz", "--interface", tmp_path / "interface.nii.gz")
    tissues = ar.five_tissues(**maps)
    assert same(tissues, tmp_path / "5tt.nii.gz") and same(ar.tissue_interface(tissues), tmp_path / "interface.nii.gz")
    # FreeSurfer's labels of the left white matter (2) and the left cortex (3).
    numbers = np.where(truth.data[..., 2] > 0.5, 2.0, np.where(truth.data[..., 0] > 0.5, 3.0, 0.0))
    found = ar.five_tissues((numbers, truth.affine)).data
    assert np.array_equal(found[..., 2], numbers == 2) and np.array_equal(found[..., 0], numbers == 3)


def test_a_whole_run(folder, program, tmp_path):
    told = ["--labels", folder / "labels.nii.gz", "--select", 200, "--tracking", "tensor", "--random-seed", 2]
    program("run", folder / "dwi.nii.gz", *told, "--out", tmp_path / "by_command")
    keywords = {"labels": folder / "labels.nii.gz", "select": 200, "tracking": "tensor", "random_seed": 2}
    results = ar.run(folder / "dwi.nii.gz", tmp_path / "by_python", **keywords, **CPU)
    for file in ("tracks.trx", "life/life_weights.txt", "connectome/connectome_counts.csv", "tensor/fa.nii.gz"):
        one, other = (tmp_path / way / file for way in ("by_command", "by_python"))
        if file.endswith(".trx"):
            assert agree(ar.load_tractogram(one), other)
        elif file.endswith(".gz"):
            assert same(ar.load_image(one), other)
        else:
            assert one.read_text() == other.read_text(), file
    assert results.command[:2] == ["arcuate", "run"] and results.title
    # A repeated run finds its results and returns them. A run with other options is refused because the folder is in use.
    assert ar.run(folder / "dwi.nii.gz", tmp_path / "by_python", **keywords, **CPU).record == results.record
    with pytest.raises(ar.InputError, match="force"):
        ar.run(folder / "dwi.nii.gz", tmp_path / "by_python", **{**keywords, "select": 100}, **CPU)
    page = ar.report(results, tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 100_000 and "srcdoc" in page._repr_html_()


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_gives_the_same(scan, mask, threads):
    maps = ar.fit_tensor(*scan, mask)
    tracks = ar.track_tensor(maps.tensor, mask=mask, select=200)
    again = ar.track_tensor(ar.fit_tensor(*scan, mask, threads=threads).tensor, mask=mask, select=200, threads=threads)
    assert np.array_equal(tracks.positions, again.positions)


@pytest.fixture(scope="module")
def kspace():
    """Radial k-space data of a disc with a square in its centre from two coils, with trajectory, sensitivities and true image."""
    rng = np.random.default_rng(6)
    radii, angles = np.arange(-8, 8.0), np.pi * np.arange(24) / 24
    places = np.stack([np.outer(np.cos(angles), radii), np.outer(np.sin(angles), radii)], -1).reshape(-1, 2)
    x, y = np.meshgrid((np.arange(16) - 8) / 16, (np.arange(16) - 8) / 16, indexing="ij")
    disc = (np.hypot(x, y) < 0.3) + 0.5 * (abs(x) + abs(y) < 0.2)
    maps = np.stack([np.exp(-(x - 0.4) ** 2 + 1j * y), np.exp(-(y - 0.4) ** 2 - 1j * x)])
    sums = ar.operators.FourierSums((16, 16), places)
    data = np.stack([sums @ (disc * one).ravel(order="F") for one in maps])
    noise = rng.normal(size=data.shape) + 1j * rng.normal(size=data.shape)
    return (data + 0.01 * noise).astype(np.complex64), places.astype(np.float32), maps.astype(np.complex64), disc


def complex_image(path):
    """Reads a two-dimensional array from BART's files."""
    shape = [int(n) for n in path.with_suffix(".hdr").read_text().splitlines()[1].split()]
    return np.fromfile(path, np.complex64).reshape(shape, order="F").squeeze()


@pytest.mark.parametrize(
    "keywords, options",
    [
        ({}, []),
        ({"regularise": "differences", "lambda_": "auto", "precision": "double"}, ["--regularise", "differences", "--lambda", "auto", "--precision", "double"]),
        ({"sigma": 0.01, "lambda_": "auto", "iterations": 20}, ["--sigma", 0.01, "--lambda", "auto", "--iterations", 20]),
        ({"method": "adjoint"}, ["--method", "adjoint"]),
        ({"method": "gridding", "density": "voronoi", "oversampling": 1.5}, ["--method", "gridding", "--density", "voronoi", "--oversampling", 1.5]),
    ],
)
@pytest.mark.parametrize("with_maps", [False, True])
def test_reconstructions(kspace, program, tmp_path, keywords, options, with_maps):
    data, places, maps, disc = kspace
    np.save(tmp_path / "kspace.npy", data.T[None, :, None, :])
    np.save(tmp_path / "places.npy", np.vstack([places.T, np.zeros(len(places), np.float32)])[:, :, None])
    np.save(tmp_path / "maps.npy", maps.transpose(1, 2, 0)[:, :, None, :])
    of_coils = ["--sensitivities", tmp_path / "maps.npy"] if with_maps else []
    files = [tmp_path / "kspace.npy", "--trajectory", tmp_path / "places.npy", "--out", tmp_path / "out.cfl"]
    program("recon", *files, "--size", "16,16", *of_coils, *options)
    found = ar.reconstruct(data, places, (16, 16), sensitivities=maps if with_maps else None, **keywords, **CPU)
    assert np.array_equal(found.image.astype(np.complex64), complex_image(tmp_path / "out.cfl"))
    if not keywords and with_maps:
        assert abs(found.magnitude - disc).mean() < 0.05 and found.figures["misfit"] < 0.05


@pytest.mark.parametrize("refit", [False, True])
def test_virtual_lesions(folder, scan, mask, program, tmp_path, refit):
    tracks = ar.load_tractogram(folder / "truth_streamlines.trx")
    names = list(tracks.groups)[:2]
    told = [word for name in names for word in ("--lesion", name)] + (["--refit"] if refit else [])
    files = [folder / "truth_streamlines.trx", "--dwi", folder / "dwi.nii.gz", "--mask", folder / "mask.nii.gz", "--out", tmp_path / "out"]
    program("evaluate", "life", *files, *told, "--iterations", 20)
    rows = {row["group"]: row for row in ar.load(tmp_path / "out").record["lesions"]}
    life = ar.evaluate_life(tracks, *scan, mask, lesion=names, refit=refit, iterations=20, **CPU)
    numbers = {name: tracks.groups[name] for name in names}
    by_numbers = ar.evaluate_life(tracks, *scan, mask, lesion=numbers, refit=refit, iterations=20, **CPU)
    assert list(life.lesions) == sorted(names) and life.lesions == by_numbers.lesions
    for name in names:
        assert life.lesions[name] == {key: rows[name][key] for key in life.lesions[name]}
        assert life.lesions[name]["strength_of_evidence"] > 1
    for wrong in ["nothing", {"a": [-1]}, {"a": [0.5]}, {"a": [len(tracks)]}]:
        with pytest.raises(ar.InputError, match="lesion|group"):
            ar.evaluate_life(tracks, *scan, mask, lesion=wrong, **CPU)
