"""Images, gradient tables, tractograms and maps keep all their data if they are pickled, copied or sent to other processes."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import arcuate as ar

COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "pickle of the oldest protocol": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
copied = pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)


def same_image(found, expected):
    assert type(found) is ar.Image
    # NumPy stores the values of a pickle in the byte order of the machine.
    assert found.data.dtype == expected.data.dtype.newbyteorder("=") or found.data.dtype == expected.data.dtype
    assert np.array_equal(found.data, expected.data, equal_nan=True)
    assert np.array_equal(found.affine, expected.affine)


def same_tracks(found, expected):
    assert type(found) is type(expected)
    for name in ("positions", "offsets"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    for name in ("data_per_point", "data_per_streamline", "groups"):
        these, those = getattr(found, name), getattr(expected, name)
        assert list(these) == list(those)
        for key in those:
            assert these[key].dtype == those[key].dtype and np.array_equal(these[key], those[key])


@copied
def test_images_that_arcuate_made_stay_views_that_cannot_be_written_to(scan, mask, make):
    for image in (scan.dwi, mask):
        again = make(image)
        same_image(again, image)
        with pytest.raises(ValueError):
            again.data[0, 0, 0] = 1
        # The copy stays valid after the original is deleted.
        total = image.data.sum(dtype=float)
        del image
        assert again.data.sum(dtype=float) == total


@copied
@pytest.mark.parametrize("kind", [np.float32, np.int16, np.float64, ">f4"])
def test_images_of_the_caller_keep_their_values(make, kind):
    values = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)[::-1, :, ::2].astype(kind)
    image = ar.Image(values, np.diag([2, 2, 2, 1]))
    same_image(make(image), image)


def test_a_deep_copy_of_an_image_does_not_change_with_it():
    values = np.zeros((2, 3, 4), np.float32)
    image = ar.Image(values, np.eye(4))
    again = copy.deepcopy(image)
    values[:] = 1
    assert (image.data == 1).all() and (again.data == 0).all()


@copied
def test_an_image_without_a_place_stays_so(tmp_path, make):
    import nibabel

    nifti = nibabel.Nifti1Image(np.ones((2, 3, 4), np.float32), None)
    nifti.header.set_zooms((2, 2, 3))
    nibabel.save(nifti, tmp_path / "raw.nii")
    image = ar.load_image(tmp_path / "raw.nii")
    again = make(image)
    same_image(again, image)
    for name, one in (("before", image), ("after", again)):
        one.save(tmp_path / f"{name}.nii")
    codes = [[int(nibabel.load(tmp_path / f"{name}.nii").header[code]) for code in ("sform_code", "qform_code")] for name in ("before", "after")]
    assert codes == [[0, 0], [0, 0]]


@copied
def test_gradient_tables_keep_every_bit(scan, tmp_path, make):
    directions = np.random.default_rng(3).normal(size=(40, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    tables = [scan.gradients, ar.Gradients(directions, np.full(40, 1234.5), 77.0)]
    # A table in Camino's scheme format, with the timing of the pulses.
    rows = "".join(f"{x:.6f} {y:.6f} {z:.6f} 0.05 0.03 0.01 0.06\n" for x, y, z in directions)
    (tmp_path / "stejskal.scheme").write_text("VERSION: STEJSKALTANNER\n" + rows)
    ar.Image(np.ones((2, 2, 2, 40)), np.eye(4)).save(tmp_path / "dwi.nii.gz")
    tables.append(ar.load_series(tmp_path / "dwi.nii.gz", gradients=tmp_path / "stejskal.scheme").gradients)
    assert tables[-1]._native.parts()["timings"] is not None
    for table in tables:
        again = make(table)
        assert type(again) is ar.Gradients and again._native.parts() == table._native.parts()
        assert np.array_equal(again.directions, table.directions) and np.array_equal(again.b_values, table.b_values)
        assert again.b0_threshold == table.b0_threshold and again.shells == table.shells


@copied
def test_tractograms_keep_points_data_and_groups(folder, make):
    truth = ar.load_tractogram(folder / "truth_streamlines.trx")
    assert truth.groups
    same_tracks(make(truth), truth)
    with pytest.raises(ValueError):
        make(truth).positions[0] = 0
    given = ar.Tractogram(
        [[0, 0, 0], [1, 0, 0], [0, 2, 0]],
        [0, 2, 3],
        {"half": np.arange(3, dtype=np.float16), "several": np.arange(6, dtype=np.int16).reshape(3, 2)},
        {"whole": np.array([1, 2], dtype=np.uint64)},
        {"all": [0, 1]},
    )
    same_tracks(make(given), given)
    empty = ar.Tractogram(np.zeros((0, 3)), [0])
    assert len(make(empty)) == 0


@copied
def test_values_of_groups_are_kept(tmp_path, make):
    tracks = ar.Tractogram([[0, 0, 0], [1, 0, 0]], [0, 2], groups={"one": [0]})
    native = tracks._native.with_data_per_group({"one": {"colour": np.array([[1, 2, 3]], dtype=np.uint8)}})
    again = make(ar.Tractogram._of(native))._native.data_per_group()
    assert list(again) == ["one"] and again["one"]["colour"].tolist() == [[1, 2, 3]]


@copied
def test_maps_and_what_was_followed_are_kept(scan, mask, make):
    maps = ar.fit_tensor(*scan, mask)
    again = make(maps)
    assert type(again) is ar.TensorMaps and list(again) == list(maps)
    for name, image in maps.items():
        same_image(again[name], image)
    fit = ar.fit("ball-1-stick", *scan, mask, max_b=1000.0, device="cpu", evaluations=20)
    again = make(fit)
    assert (again.model, again.units, again.voxels) == (fit.model, fit.units, fit.voxels)
    for name, image in fit.items():
        same_image(again[name], image)
    tracks = ar.track_tensor(maps.tensor, seeds=200)
    again = make(tracks)
    same_tracks(again, tracks)
    assert again.summary == tracks.summary


def _sums(things):
    """Returns sums of the data in another process, and the maps."""
    series, tracks, maps = things
    native = series.dwi._volume().array()
    return native.sum(dtype=float), series.gradients.b_values.sum(), tracks.positions.sum(dtype=float), maps.fa.data.sum(dtype=float), maps


def test_other_processes_get_them_and_give_them_back(scan, mask, folder):
    truth, maps = ar.load_tractogram(folder / "truth_streamlines.trx"), ar.fit_tensor(*scan, mask)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        *found, back = pool.apply(_sums, ((scan, truth, maps),))
    assert found == [
        scan.dwi.data.sum(dtype=float),
        scan.gradients.b_values.sum(),
        truth.positions.sum(dtype=float),
        maps.fa.data.sum(dtype=float),
    ]
    same_image(back.tensor, maps.tensor)


@copied
def test_orientations_keep_every_sample(scan, mask, make):
    refits = ar.refits_as_orientations(scan.dwi, scan.gradients, mask, replicates=6)
    again = make(refits)
    assert (again.fibres, again.samples) == (refits.fibres, refits.samples)
    assert np.array_equal(again.peaks().data, refits.peaks().data)
    asked = {"select": 40, "device": "cpu", "random_seed": 3}
    same_tracks(ar.track_samples(again, **asked), ar.track_samples(refits, **asked))
    # Five fibres per voxel are more than are stored together.
    values = np.random.default_rng(1).normal(size=(4, 5, 6, 15)).astype(np.float32)
    peaks = ar.peaks_as_orientations(ar.Image(values, np.diag([2, 2, 2, 1])))
    again = make(peaks)
    assert again.fibres == 5
    assert np.array_equal(again.peaks().data, peaks.peaks().data)
