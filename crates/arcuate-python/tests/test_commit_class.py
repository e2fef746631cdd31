"""Scripts for dmri-commit run with `arcuate.commit`: they write the same files, and their calls give the right commands and options."""

import os
import pathlib
import shutil

import numpy as np
import pytest

import arcuate as ar
import arcuate.commit as commit
from arcuate.commit import trk2dictionary

pytestmark = pytest.mark.filterwarnings("ignore:.*(have no peak|stopped before its|without peaks):arcuate.ArcuateWarning")

FILES = {f"compartment_{name}.nii.gz" for name in ("IC", "EC", "ISO")} | {"fit_RMSE.nii.gz", "fit_NRMSE.nii.gz", "streamline_weights.txt"}
DIFFUSIVITIES = (1.7e-3, [0.51e-3], [1.7e-3, 3.0e-3])


def refused(line):
    return pytest.raises(ar.InputError, match=line)


@pytest.fixture(scope="module")
def brain():
    return ar.simulate(voxel_size=8, directions=15, b_value=1000, b0s=3, streamlines_per_bundle=8)


@pytest.fixture(scope="module")
def files(brain, tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("study")
    for name in ("dwi", "mask", "peaks"):
        brain[name].save(folder / f"{name}.nii.gz")
    affine = brain.dwi.affine
    ar.Image(brain.dwi.data[..., 0] / 1000, affine).save(folder / "map.nii.gz")
    ar.Image(brain.peaks.data * np.tile([1, -1, 1], brain.peaks.shape[3] // 3), affine).save(folder / "flipped.nii.gz")
    ar.Tractogram(brain.truth.positions, brain.truth.offsets).save(folder / "tracks.tck")
    brain.truth.save(folder / "tracks.trx", reference=brain.dwi)
    np.savetxt(folder / "dwi.bval", brain.gradients.b_values[None])
    # FSL negates x if the determinant of the affine is positive, as it is here.
    np.savetxt(folder / "dwi.bvec", (brain.gradients.directions * [-1, 1, 1]).T)
    commit.fsl2scheme(folder / "dwi.bval", folder / "dwi.bvec", folder / "dwi.scheme", [True, False, False])
    strengths = np.sqrt(brain.gradients.b_values * 1e6 / (0.04 - 0.02 / 3)) / (2.6751525e8 * 0.02)
    rows = [[*g, strength, 0.04, 0.02, 0.08] for g, strength in zip(brain.gradients.directions, strengths)]
    np.savetxt(folder / "timed.scheme", rows, fmt="%.9f", header="VERSION: STEJSKALTANNER", comments="")
    return folder


@pytest.fixture
def study(files, tmp_path, monkeypatch) -> pathlib.Path:
    """Working folder of a script, with the files that the script reads."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dictionary(**given):
    words = {"filename_tractogram": "tracks.tck", "filename_peaks": "peaks.nii.gz", "filename_mask": "mask.nii.gz"}
    trk2dictionary.run(**{**words, "fiber_shift": 0.5, "peaks_use_affine": True, **given})


def evaluation(model="StickZeppelinBall", parameters=DIFFUSIVITIES, data=("dwi.nii.gz", "dwi.scheme"), **settings):
    """Runs the calls of a script up to the fit, which is left to the test."""
    mit = commit.Evaluation(".", ".")
    mit.device = "cpu"
    for key, value in settings.items():
        mit.set_config(key, value)
    mit.load_data(*data)
    mit.set_model(model)
    mit.model.set(*parameters)
    mit.generate_kernels(regenerate=True)
    mit.load_kernels()
    mit.load_dictionary("COMMIT")
    mit.set_threads()
    mit.build_operator()
    return mit


def fitted(**given):
    mit = evaluation(**given)
    mit.fit(max_iter=2)
    return mit


def words(mit):
    """Returns the command that the script ran."""
    mit.save_results("_tried")
    return ar.load(mit.get_config("RESULTS_path").replace("Results_", "arcuate_")).command


def test_the_page_for_beginners(study):
    commit.setup()
    dictionary()
    mit = evaluation()
    mit.fit(tol_fun=1e-3, max_iter=1000)
    mit.save_results()
    results = study / "COMMIT" / "Results_StickZeppelinBall"
    assert {file.name for file in results.iterdir()} == FILES
    assert {"arcuate_dictionary.json", "arcuate_StickZeppelinBall", results.name} < set(os.listdir("COMMIT"))

    options = dict(
        dwi="dwi.nii.gz", gradients="dwi.scheme", mask="mask.nii.gz", peaks="peaks.nii.gz", peaks_frame="scanner", peak_threshold=0.1,
        axial_diffusivity=1.7, zeppelin_axial_diffusivity=1.7, radial_diffusivity=0, radial_diffusivities=0.51,
        isotropic_diffusivities=[1.7, 3.0], b0_threshold=0, min_segment=1e-3, max_length=250, orientations=500,
        tolerance=1e-3, iterations=1000, compat=True, device="cpu",
    )  # fmt: skip
    ar.commands.evaluate_commit("tracks.tck", out="own", **options)
    for name in FILES:
        own, theirs = study / "own" / results.name / name, results / name
        same = ar.load_image(own).data.tobytes() == ar.load_image(theirs).data.tobytes() if name.endswith("gz") else None
        assert own.read_bytes() == theirs.read_bytes() if same is None else same, name
    ic, ec, iso = mit.get_coeffs()
    assert np.array_equal(ic, np.loadtxt("own/commit_weights.txt")) and (ic > 0).any()
    assert len(ec) == len(iso) == mit._fit.results.figures["voxels"]["value"]
    assert np.isclose(ec.sum(), ar.load_image(results / "compartment_EC.nii.gz").data.sum(), rtol=1e-5)
    details = mit.get_config("optimization")["fit_details"]
    assert 0 < details["iterations"] < 1000 and details["cost_function"] > 0
    assert ar.load("COMMIT/arcuate_StickZeppelinBall").figures["streamlines"]["value"] == len(ic)


def test_what_a_fit_needs_goes_with_it(study):
    dictionary()
    mit = fitted()
    assert len(os.listdir("COMMIT")) == 2
    mit.fit(max_iter=1)
    assert len(os.listdir("COMMIT")) == 2
    del mit
    assert os.listdir("COMMIT") == ["arcuate_dictionary.json"]


def test_a_study_elsewhere(study):
    os.makedirs("all/one")
    for file in ("dwi.nii.gz", "dwi.scheme", "tracks.tck", "mask.nii.gz"):
        shutil.move(file, "all/one")
    trk2dictionary.run("all/one/tracks.tck", "all/one/d", filename_mask="all/one/mask.nii.gz", fiber_shift=0.5, n_threads=1)
    os.rename("all", "moved")
    mit = commit.Evaluation("moved", "one", "d")
    mit.device = "cpu"
    mit.load_data("dwi.nii.gz", "dwi.scheme", b0_thr=10)
    mit.set_model("StickZeppelinBall")
    mit.generate_kernels()
    mit.load_dictionary()
    mit.fit(max_iter=2)
    command = words(mit)
    assert "--threads=1" in command and "--b0-threshold=10" in command
    assert os.listdir("moved/one/d/Results_StickZeppelinBall_tried")
    with open("moved/one/tracks.tck", "ab") as file:
        file.write(b"\0")
    with refused("has changed since"):
        mit.load_dictionary()


@pytest.mark.parametrize(
    "settings, option",
    [
        ({"doNormalizeSignal": False}, "--no-normalise-signal"),
        ({"doMergeB0": True}, "--merge-b0"),
        ({"doNormalizeKernels": False}, "--no-normalise-kernels"),
        ({"doDemean": True}, "--demean"),
    ],
)
def test_settings_are_options(study, settings, option):
    dictionary()
    assert option in words(fitted(**settings))
    assert option not in words(fitted())


@pytest.mark.parametrize(
    "given, expected",
    [
        ({"vf_THR": 0.5, "min_seg_len": 0.1}, ["--peak-threshold=0.5", "--min-segment=0.1"]),
        ({"min_fiber_len": 50, "max_fiber_len": 90.0}, ["--min-length=50.0", "--max-length=90.0"]),
        ({"blur_core_extent": 0.5, "blur_spacing": 0.5}, ["--blur-core-extent=0.5", "--blur-spacing=0.5"]),
        ({"blur_gauss_extent": 0.5, "blur_gauss_min": 0.2}, ["--blur-gauss-extent=0.5", "--blur-gauss-min=0.2"]),
        ({"peaks_use_affine": False}, ["--peaks-frame=image"]),
        ({"n_threads": 2}, ["--threads=2"]),
    ],
)
def test_what_is_fitted_is_in_options(study, given, expected):
    dictionary(**given)
    command = words(fitted())
    assert all(word in command for word in expected), command


def test_models(study, brain):
    dictionary()
    command = words(fitted(parameters=(1.8e-3, [0.6e-3, 0.17e-3], [2e-3], 1.5e-3, 0.1e-3)))
    wanted = "--axial-diffusivity=1.8 --zeppelin-axial-diffusivity=1.5 --radial-diffusivity=0.1 --radial-diffusivities=0.6"
    assert set(wanted.split()) < set(command)
    mit = evaluation()
    mit.model.set(d_perps=[0.3e-3])
    assert mit.model.get_params()["d_perps_zep"] == [0.3e-3] and mit.model.get_params()["d_isos"] == [3e-3]
    mit = fitted(parameters=(1.7e-3, [], [3e-3]))
    assert "--model=ball-and-stick" in words(mit) and mit.get_config("RESULTS_path").endswith("Results_StickZeppelinBall_tried")
    mit = fitted(model="CylinderZeppelinBall", parameters=(0.6e-3, [1e-6, 2.5e-6]), data=("dwi.nii.gz", "timed.scheme"))
    assert "--radii=2.5" in words(mit) and mit.get_config("model")["d_perps"][0] == 1.19e-3
    with refused("stat_coeffs: weights of single radii"):
        mit.save_results(stat_coeffs="max")
    assert "--model=volume-fractions" in words(fitted(model="VolumeFractions", parameters=()))
    with pytest.warns(ar.ArcuateWarning, match="ScalarMap"):
        mit = fitted(model="VolumeFractions", parameters=(), data=("map.nii.gz",))
    mit.save_results()
    assert {file.name for file in (study / "COMMIT/Results_ScalarMap").iterdir()} == FILES


def test_results_as_they_are_asked_for(study):
    dictionary()
    mit = fitted(doNormalizeMaps=True)
    mit.save_results("_x", coeffs_format="%.3f", stat_coeffs="mean", save_est_dwi=True)
    results = study / "COMMIT/Results_StickZeppelinBall_x"
    assert {file.name for file in results.iterdir()} == FILES | {"fit_signal_estimated.nii.gz"}
    total = sum(ar.load_image(results / f"compartment_{name}.nii.gz").data for name in ("IC", "EC", "ISO"))
    assert np.allclose(total[total > 0], 1) and (total > 0).any()
    assert ar.load_image(results / "fit_signal_estimated.nii.gz").shape[3] == 18
    weights = (results / "streamline_weights.txt").read_text().split()
    assert weights == [f"{weight:.3f}" for weight in mit.get_coeffs()[0]]
    mit.save_results()
    assert {file.name for file in (study / "COMMIT/Results_StickZeppelinBall").iterdir()} == FILES


def test_streamlines_are_moved(study, brain):
    half = 4.0
    with pytest.warns(ar.ArcuateWarning, match=r"fiber_shift: with 0.5 .* by -0.5, -0.5, -0.5 voxels"):
        dictionary(fiber_shift=0)
    moved = ar.load_tractogram("COMMIT/arcuate_streamlines.tck").positions - brain.truth.positions
    assert np.allclose(moved, -half, atol=1e-3)
    assert any("arcuate_streamlines.tck" in word for word in words(fitted()))
    with pytest.warns(ar.ArcuateWarning, match="with 0 the streamlines"):
        dictionary(filename_tractogram="tracks.trx", fiber_shift=[0, 0.5, 0])
    moved = ar.load_tractogram("COMMIT/arcuate_streamlines.tck").positions - brain.truth.positions
    assert np.allclose(moved, [0, half, 0], atol=1e-3)
    dictionary(fiber_shift=0, verbose=0)
    with refused("fiber_shift: the voxel size is not known"):
        trk2dictionary.run("tracks.tck", "nowhere")
    assert not os.path.exists("nowhere")


def test_peaks_are_flipped_along_voxels(study):
    dictionary()
    straight = fitted().get_coeffs()[0]
    dictionary(filename_peaks="flipped.nii.gz", flip_peaks=[False, True, False])
    assert np.array_equal(fitted().get_coeffs()[0], straight)
    oblique = np.eye(4)
    oblique[:3, :3] = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0] * [2, 3, 4]
    peak = np.array([0.6, 0.48, 0.64])
    ar.Image(np.broadcast_to(peak, (2, 2, 2, 3)).copy(), oblique).save("peaks.nii.gz")
    for affine in (True, False):
        dictionary(peaks_use_affine=affine, flip_peaks=[True, False, False])
        written = ar.load_image("COMMIT/arcuate_peaks.nii.gz").data[0, 0, 0]
        along = oblique[:3, :3].T @ peak / [2, 3, 4] if affine else peak
        assert np.allclose(written, along * [-1, 1, 1], atol=1e-5)


def test_penalties_are_fractions_of_the_largest_gradient(study, brain):
    dictionary()
    mit = evaluation()
    mit.set_regularisation(("lasso", "lasso", "lasso"), (0.01, 0.02, 0.03))
    mit.fit(max_iter=500)
    figures = mit._fit.results.figures
    keywords = dict(peaks_frame="scanner", isotropic_diffusivities=[1.7, 3.0], min_segment=1e-3, orientations=500)
    operator, data = ar.operators.commit(brain.truth, brain.dwi, brain.gradients, brain.mask, peaks=brain.peaks, **keywords)
    gradient = operator.T @ data
    count, voxels = len(brain.truth), figures["voxels"]["value"]
    parts = np.split(gradient, [count, len(gradient) - 2 * voxels])
    for fraction, part, name in zip((0.01, 0.02, 0.03), parts, ("streamlines", "extra-axonal amounts", "isotropic amounts")):
        assert np.isclose(figures[f"λ of {name}"]["value"], fraction * part.max(), rtol=1e-4), name

    groups = [list(range(0, count, 2)), list(range(1, count, 2))]
    of_groups = {"group_idx": groups, "group_weights_cardinality": True, "group_weights_adaptive": False}
    tops = (parts[0].max(), max(np.linalg.norm(parts[0][group]) / np.sqrt(len(group)) for group in groups))
    mit.set_regularisation(("sparse_group_lasso", None, None), ((0.01, 0.02), None, None), params=(of_groups, None, None))
    mit.fit(max_iter=5)
    figures = mit._fit.results.figures
    assert np.isclose(figures["λ of streamlines"]["value"], 0.01 * tops[0], rtol=1e-4)
    assert np.isclose(figures["λ of groups"]["value"], 0.02 * tops[1], rtol=1e-4)
    mit.set_regularisation((None, "lasso", None), (None, 0.1, None))
    mit.fit(max_iter=2)
    assert "--lambda-extra=0.1" in words(mit)
    mit.set_regularisation()
    mit.fit(max_iter=2)
    assert not any("lambda" in word for word in words(mit))


def test_schemes(tmp_path):
    (tmp_path / "bvals").write_text("0 1004 2999")
    (tmp_path / "bvecs").write_text("0 1 0\n0 0 0.6\n0 0 0.8")
    scheme = commit.fsl2scheme(tmp_path / "bvals", tmp_path / "bvecs", bStep=[0, 1000, 3000])
    lines = open(scheme).read().splitlines()
    assert scheme == f"{tmp_path}/bvals.scheme" and lines[0] == "VERSION: BVECTOR"
    assert lines[3] == "0.000000\t0.600000\t0.800000\t3000.000000"
    commit.fsl2scheme(tmp_path / "bvals", tmp_path / "bvecs", scheme, [False, True, False], 10)
    assert open(scheme).read().splitlines()[3] == "0.000000\t-0.600000\t0.800000\t3000.000000"
    with refused("bvecsFilename: its shape"):
        commit.fsl2scheme(tmp_path / "bvals", tmp_path / "bvals")
    with refused("bStep"):
        commit.fsl2scheme(tmp_path / "bvals", tmp_path / "bvecs", bStep=0)
    with refused("bStep: values of the type"):
        commit.fsl2scheme(tmp_path / "bvals", tmp_path / "bvecs", bStep="ten")
    with refused("flipAxes: its shape"):
        commit.fsl2scheme(tmp_path / "bvals", tmp_path / "bvecs", flipAxes=[True, False])


@pytest.mark.parametrize(
    "given, line",
    [
        ({"filename_iso_mask": "mask.nii.gz"}, "filename_iso_mask: every voxel"),
        ({"do_intersect": False}, "do_intersect: streamlines are cut"),
        ({"blur_clust_thr": 1}, "blur_clust_thr"),
        ({"blur_clust_groupby": "mask.nii.gz"}, "blur_clust_groupby"),
        ({"blur_apply_to": [True, False]}, "blur_apply_to"),
        ({"keep_temp": True}, "keep_temp"),
        ({"ndirs": 2}, "ndirs: 2 orientations"),
        ({"n_threads": 0}, "n_threads"),
        ({"verbose": 5}, "verbose"),
        ({"fiber_shift": [0, 0]}, "fiber_shift: its shape"),
        ({"fiber_shift": np.ma.array([0.0, 0, 0], mask=[True, False, False])}, "fiber_shift: 1 values of this masked array"),
        ({"fiber_shift": [0, np.nan, 0]}, "fiber_shift: a value is not finite"),
        ({"fiber_shift": [0, 1j, 0]}, "fiber_shift: its values are complex"),
        ({"flip_peaks": [2, 0, 0]}, "flip_peaks: its values are 0 to 2"),
        ({"min_seg_len": "long"}, "min_seg_len: values of the type"),
        ({"flip_peaks": [True, False, False], "filename_peaks": None}, "flip_peaks: there are no peaks"),
        ({"filename_peaks": "none.nii.gz"}, "filename_peaks: there is no file"),
        ({"filename_tractogram": None}, "filename_tractogram: it is missing"),
    ],
)
def test_dictionaries_that_cannot_be_are_refused(study, given, line):
    with refused(line):
        dictionary(**given)
    assert not os.path.exists("COMMIT")


def test_parameters_that_are_no_numbers_are_refused():
    model = commit.Evaluation()
    model.set_model("StickZeppelinBall")
    for words, line in [
        ({"d_isos": np.ma.array([1e-3, 2e-3], mask=[False, True])}, "d_isos: 1 values of this masked array"),
        ({"d_perps_zep": [[1e-3]]}, "d_perps_zep: its shape"),
        ({"d_perps": ["fast"]}, "d_perps: values of the type"),
        ({"d_par": [1e-3, 2e-3]}, "d_par: its shape"),
    ]:
        with refused(line):
            model.model.set(**words)
    for groups, line in [
        ([[0, 1.5]], "group_idx: its values are not whole"),
        ([], "group_idx: each streamline must be in one group"),
        ([0, 1], "group_idx: it is no list of groups"),
    ]:
        with refused(line):
            model.set_regularisation(
                ("group_lasso", None, None), (0.1, None, None), params=({"group_idx": groups, "group_weights_adaptive": False}, None, None)
            )
    with refused("lambdas: values of the type"):
        model.set_regularisation(("lasso", None, None), ("much", None, None))


def test_what_is_not_there_is_refused_by_its_name(study):
    with refused("lmax: responses are computed"):
        commit.setup(10)
    mit = commit.Evaluation()
    for call, line in {
        mit.fit: "fit: there are no data",
        mit.load_kernels: "load_kernels: there are no responses",
        mit.generate_kernels: "generate_kernels: there is no model",
        mit.build_operator: "build_operator: there is no dictionary",
        mit.load_dictionary: "the folder has no dictionary",
        mit.get_coeffs: "get_coeffs: there is no fit",
        mit.save_results: "save_results: there is no fit",
    }.items():
        with refused(line):
            call()
    for name in ("A", "x", "get_y", "set_wLasso_ISO"):
        with refused(f"{name}: it is not here"):
            getattr(mit, name)
    assert not hasattr(mit, "nonsense") and mit.get_config("nonsense") is None
    with refused("nonsense: it cannot be set"):
        mit.set_config("nonsense", True)
    with refused("doDemean"):
        mit.set_config("doDemean", 2)
    with refused("model_name: 'Nonsense'"):
        mit.set_model("Nonsense")
    with refused("scheme_filename: there is no file"):
        mit.load_data("dwi.nii.gz", "none.scheme")
    with refused("replace_bad_voxels"):
        mit.load_data("dwi.nii.gz", "dwi.scheme", replace_bad_voxels=0.0)
    with refused("b0_thr: a map"):
        mit.load_data("map.nii.gz", b0_thr=50)
    dictionary()
    mit = evaluation()
    for name, value in {"x0": np.ones(3), "tol_x": 1e-3, "confidence_map_rescale": True}.items():
        with refused(f"{name}: .*; leave it at"):
            mit.fit(**{name: value})
    with refused("use_all_voxels_in_mask"):
        mit.load_dictionary(use_all_voxels_in_mask=True)
    mit.generate_kernels(ndirs=1000)
    with refused("ndirs: the dictionary has 500 and generate_kernels 1000"):
        mit.fit()
    with refused("d_isos: it is empty"):
        mit.model.set(1.7e-3, [0.5e-3], [])
    with refused("scheme_filename: ScalarMap"):
        evaluation(model="ScalarMap", parameters=()).fit()
    mit = fitted()
    with refused("get_normalized"):
        mit.get_coeffs(get_normalized=False)
    with refused("stat_coeffs: 'most'"):
        mit.save_results(stat_coeffs="most")


@pytest.mark.parametrize(
    "given, line",
    [
        ((("ridge", None, None), (0.1, None, None)), "regularisers: 'ridge' is none for IC"),
        (((None, "group_lasso", None), (None, 0.1, None)), "regularisers: 'group_lasso' is none for EC"),
        ((("lasso", None), (0.1, None)), "regularisers: it has 2 values"),
        ((("lasso", None, None),), "lambdas: None is no strength"),
        ((("lasso", None, None), (0, None, None)), "lambdas: 0 is no strength"),
        ((("lasso", None, None), (0.1, None, None), (False, True, True)), "is_nonnegative"),
        ((("group_lasso", None, None), (0.1, None, None)), "group_idx is missing"),
    ],
)
def test_penalties_that_cannot_be_are_refused(given, line):
    with refused(line):
        commit.Evaluation().set_regularisation(*given)


@pytest.mark.parametrize(
    "params, line",
    [
        ({"group_idx": [[0, 1], [1, 2]], "group_weights_adaptive": False}, "groups that overlap"),
        ({"group_idx": [[0, 1], [2]]}, "group_weights_adaptive"),
        ({"group_idx": [[0], [1]], "group_weights_cardinality": False, "group_weights_adaptive": False}, "group_weights_cardinality"),
        ({"group_idx": [[0], [1]], "group_weights_extra": [1, 1]}, "group_weights_extra is not known"),
        ({"group_idx": [[0], [1]], "coeff_weights": [1, 1]}, "coeff_weights is not known"),
    ],
)
def test_groups_that_cannot_be_are_refused(params, line):
    with refused(line):
        commit.Evaluation().set_regularisation(("group_lasso", None, None), (0.1, None, None), params=(params, None, None))


def test_what_dmri_commit_wrote_is_not_written_over(study):
    os.mkdir("COMMIT")
    open("COMMIT/dictionary_IC_v.dict", "w").close()
    open("COMMIT/dictionary_EC_v.dict", "w").close()
    with refused("has a dictionary of dmri-commit"):
        dictionary()
    with refused(r"directions.txt: there are no directions .* amico.lut.load_directions\(500\)"):
        evaluation().fit()
    open("COMMIT/arcuate_dictionary.json", "w").close()
    with refused("dmri-commit has written there, too"):
        evaluation()
