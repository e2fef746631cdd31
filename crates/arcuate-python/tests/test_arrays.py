"""Arrays as inputs and results: memory layouts, views, nibabel images, and file objects."""

import io

import nibabel
import numpy as np
import pytest

import arcuate as ar

AFFINE = np.array([[0, -2, 0, 10], [1.5, 0, 0, -20], [0, 0, 3, 5], [0, 0, 0, 1.0]])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 4, 5, 2), (1, 1, 1), (2, 1, 3, 1)])
def test_images_keep_every_value_and_place(tmp_path, order, shape):
    values = np.asarray(np.random.default_rng(1).normal(size=shape), dtype=np.float32, order=order)
    path = tmp_path / "image.nii.gz"
    ar.Image(values, AFFINE).save(path)
    by_nibabel = nibabel.load(path)
    squeezed = values[..., 0] if len(shape) == 4 and shape[3] == 1 else values
    assert np.array_equal(by_nibabel.get_fdata(dtype=np.float32).reshape(squeezed.shape), squeezed)
    assert np.allclose(by_nibabel.affine, AFFINE, atol=1e-5)
    again = ar.load_image(path)
    assert np.array_equal(again.data, squeezed)
    assert np.allclose(again.affine, AFFINE, atol=1e-5)


def test_slices_that_lie_apart_are_taken(tmp_path):
    values = np.arange(4 * 6 * 8, dtype=np.float32).reshape(4, 6, 8)[::2, ::-1, ::3]
    path = tmp_path / "image.nii"
    ar.Image(values, np.eye(4)).save(path)
    assert np.array_equal(nibabel.load(path).get_fdata(), values)


def test_results_are_views_that_cannot_be_written_to(folder):
    image = ar.load_image(folder / "dwi.nii.gz")
    first, second = image._volume().array(), image._volume().array()
    assert np.shares_memory(first, second) and np.shares_memory(image.data, first)
    with pytest.raises(ValueError):
        first[0, 0, 0, 0] = 1
    # A result stays valid after the object from which it came is deleted.
    total = image.data.sum(dtype=float)
    data = image.data
    del image, first, second
    assert data.sum(dtype=float) == total
    truth = ar.load_tractogram(folder / "truth_streamlines.trx")
    with pytest.raises(ValueError):
        truth.positions[0] = 0


def test_what_changes_after_a_call_counts_in_the_next(scan, mask):
    values = np.array(scan.dwi.data)
    image = ar.Image(values, scan.dwi.affine)
    before = ar.fit_tensor(image, scan.gradients, mask).s0.data.max()
    values *= 2
    assert ar.fit_tensor(image, scan.gradients, mask).s0.data.max() == pytest.approx(2 * before, rel=1e-5)


def test_everything_that_is_an_image_is_taken(folder, scan):
    path = folder / "mask.nii.gz"
    given = [path, str(path), nibabel.load(path), ar.load_image(path), (nibabel.load(path).get_fdata() > 0, nibabel.load(path).affine)]
    given.append(nibabel.load(path).get_fdata() > 0)
    maps = [ar.fit_tensor(scan.dwi, scan.gradients, one).fa.data for one in given]
    assert all(np.array_equal(maps[0], other) for other in maps[1:])
    by_nibabel = ar.fit_tensor(nibabel.load(folder / "dwi.nii.gz"), scan.gradients, path).fa.data
    assert np.array_equal(by_nibabel, maps[0])
    assert np.array_equal(scan.dwi.to_nibabel().get_fdata(dtype=np.float32), scan.dwi.data)


def test_directions_are_in_scanner_axes(tmp_path):
    directions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0]])
    b_values = np.array([0, 1000, 1000, 1000, 1000.0])
    # FSL's gradient axes are the image axes, with x negated if the determinant of the affine is positive, as here.
    assert np.linalg.det(AFFINE[:3, :3]) > 0
    turned = directions @ (AFFINE[:3, :3] / np.linalg.norm(AFFINE[:3, :3], axis=0))
    turned[:, 0] *= -1
    nibabel.save(nibabel.Nifti1Image(np.ones((2, 2, 2, 5), np.float32), AFFINE), tmp_path / "dwi.nii.gz")
    np.savetxt(tmp_path / "dwi.bval", b_values[None])
    np.savetxt(tmp_path / "dwi.bvec", turned.T)
    _, gradients = ar.load_series(tmp_path / "dwi.nii.gz")
    assert np.allclose(gradients.directions[1:], directions[1:], atol=1e-6)
    assert np.array_equal(gradients.b_values, b_values)
    assert gradients.shells == [(0.0, 1), (1000.0, 4)]


def some_tracks():
    rng = np.random.default_rng(2)
    lengths = [3, 1, 0, 4]
    points = rng.normal(size=(sum(lengths), 3)).astype(np.float32)
    return ar.Tractogram(
        points,
        np.concatenate([[0], np.cumsum(lengths)]),
        {"fa": np.arange(8, dtype=np.float32)},
        {"weight": np.array([1, 2, 3, 4.0]), "colour": np.arange(12, dtype=np.uint8).reshape(4, 3)},
        {"left": [0, 3]},
    )


def test_tractograms_keep_their_data(tmp_path):
    tracks = some_tracks()
    tracks.save(tmp_path / "tracks.trx", reference=(np.zeros((2, 2, 2)), np.eye(4)))
    for other in tracks, ar.load_tractogram(tmp_path / "tracks.trx"):
        assert len(other) == 4 and [len(line) for line in other] == [3, 1, 0, 4]
        assert np.array_equal(other.positions, tracks.positions)
        assert np.array_equal(other.data_per_point["fa"], np.arange(8))
        assert np.array_equal(other.data_per_streamline["weight"], [1, 2, 3, 4])
        assert other.data_per_streamline["colour"].tolist() == np.arange(12).reshape(4, 3).tolist()
        assert other.groups["left"].tolist() == [0, 3]
    kept = tracks[[3, 0]]
    assert [len(line) for line in kept] == [4, 3]
    assert kept.groups["left"].tolist() == [0, 1]
    assert kept.data_per_point["fa"].tolist() == [4, 5, 6, 7, 0, 1, 2]
    assert len(tracks[1:]) == 3 and len(tracks[-1]) == 4 and len(tracks[np.array([True, False, False, True])]) == 2


def test_lengths_are_sums_of_segments():
    tracks = some_tracks()
    due = [np.sqrt((np.diff(line.astype(float), axis=0) ** 2).sum(1)).sum() for line in tracks]
    assert np.allclose(tracks.lengths, due)


def test_nibabel_has_the_same_tractogram_and_the_same_points(folder, tmp_path):
    tracks = ar.load_tractogram(folder / "truth_streamlines.trx")
    theirs = tracks.to_nibabel()
    assert np.shares_memory(theirs.streamlines._data, tracks.positions)
    assert all(np.array_equal(a, b) for a, b in zip(theirs.streamlines, tracks))
    nibabel.streamlines.save(theirs, str(tmp_path / "tracks.tck"))
    again = ar.load_tractogram(tmp_path / "tracks.tck")
    assert np.array_equal(again.positions, tracks.positions)
    back = ar.Tractogram.from_nibabel(theirs)
    assert np.array_equal(back.positions, tracks.positions) and np.array_equal(back.offsets, tracks.offsets)
    moved = nibabel.streamlines.Tractogram(theirs.streamlines, affine_to_rasmm=np.diag([2, 2, 2, 1]))
    with pytest.raises(ar.InputError, match="to_world"):
        ar.Tractogram.from_nibabel(moved)


@pytest.mark.parametrize("name", ["dwi.nii.gz", "copy.mif", "copy.mif.gz", "copy.nii"])
def test_images_are_read_from_file_objects(folder, tmp_path, name):
    if name == "dwi.nii.gz":
        path = folder / name
    else:
        path = tmp_path / name
        ar.load_image(folder / "dwi.nii.gz").save(path)
    due = ar.load_image(path).data
    with open(path, "rb") as file:
        assert np.array_equal(ar.load_image(file).data, due)
    assert np.array_equal(ar.load_image(io.BytesIO(path.read_bytes())).data, due)
    with pytest.raises(ar.InputError, match="image: "):
        ar.load_image(io.BytesIO(b"nonsense"))
    with pytest.raises(ar.InputError, match="binary mode"):
        ar.load_image(io.StringIO("nonsense"))


@pytest.mark.parametrize("name", ["a.tck", "a.trk", "a.trx"])
def test_tractograms_are_read_from_file_objects(folder, tmp_path, name):
    truth = ar.load_tractogram(folder / "truth_streamlines.trx")
    truth.save(tmp_path / name, folder / "mask.nii.gz")
    with open(tmp_path / name, "rb") as file:
        assert np.array_equal(ar.load_tractogram(file).positions, ar.load_tractogram(tmp_path / name).positions)


def test_arrays_of_other_libraries_come_by_dlpack(mask):
    class Array:
        """Array of a library without NumPy's interfaces."""

        def __init__(self, array, device):
            self.array, self.device = array, device

        def __dlpack_device__(self):
            return (self.device, 0)

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert np.array_equal(ar.Image(Array(values, 1), np.eye(4)).data, values)
    with pytest.raises(ar.InputError, match="data: its array is on a GPU"):
        ar.Image(Array(values, 2), np.eye(4))
    tracks = ar.Tractogram(np.zeros((2, 3)), [0, 2])
    with pytest.raises(ar.InputError, match="like: its array is on a GPU"):
        ar.density(tracks, Array(values, 2))


def test_points_of_dipy_from_corners_are_refused():
    class Corner:
        value = "corner"

    class Stateful:
        streamlines = [np.zeros((2, 3))]
        origin = Corner()

    with pytest.raises(ar.InputError, match="call to_center"):
        ar.density(Stateful(), (np.zeros((2, 2, 2)), np.eye(4)))


def test_sequences_of_arrays_of_nibabel_are_taken():
    nibabel = pytest.importorskip("nibabel")
    lines = nibabel.streamlines.ArraySequence([np.zeros((3, 3)), np.ones((4, 3))])
    like = (np.zeros((2, 2, 2)), np.eye(4))
    assert np.array_equal(ar.density(lines, like).data, ar.density(list(lines), like).data)


@pytest.mark.parametrize("five", [True, False])
def test_tensors_are_in_the_order_that_their_header_states(scan, mask, tmp_path, five):
    maps = ar.fit_tensor(scan.dwi, scan.gradients, mask)
    lower = maps.tensor.data[..., [0, 3, 1, 4, 5, 2]]
    marked = nibabel.Nifti1Image(lower[:, :, :, None] if five else lower, maps.tensor.affine)
    marked.header.set_intent("symmetric matrix", (3,))
    path = tmp_path / "tensor.nii.gz"
    nibabel.save(marked, path)
    for given in (path, nibabel.load(path)):
        with pytest.warns(ar.ArcuateWarning, match="symmetric matrices"):
            again = ar.tensor_maps(given)
        assert np.array_equal(again.fa.data, ar.tensor_maps(maps.tensor).fa.data)
    with pytest.warns(ar.ArcuateWarning, match="load_tensor"):
        assert np.array_equal(ar.load_image(path).data, lower)
    assert np.array_equal(ar.load_tensor(path, tensor_order="lower-triangle").data, maps.tensor.data)
    with pytest.raises(ar.InputError, match="tensor_order states D11 D22 D33"):
        ar.load_tensor(path, tensor_order="mrtrix")
    with pytest.raises(ar.InputError, match="is not an order of tensor elements"):
        ar.load_tensor(path, tensor_order="nonsense")


def test_compressed_tractograms_are_read_and_written(folder, tmp_path):
    tracks = ar.load_tractogram(folder / "truth_streamlines.trx")
    path = tmp_path / "tracks.tck.gz"
    tracks.save(path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    with open(path, "rb") as file:
        for again in (ar.load_tractogram(path), ar.load_tractogram(file)):
            assert np.array_equal(again.positions, tracks.positions)
