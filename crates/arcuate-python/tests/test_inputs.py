"""All functions refuse inputs that are no numeric array, or that single precision cannot hold, with the same messages."""

import re

import numpy as np
import pytest

import arcuate as ar

EYE = np.eye(4)
PLACES = np.stack(np.meshgrid(np.arange(-4.0, 4), np.arange(-4.0, 4)), -1).reshape(-1, 2)


def refused(problem, work):
    with pytest.raises(ar.InputError, match=re.escape(problem)):
        work()


@pytest.fixture(scope="module")
def tracks():
    return ar.Tractogram([[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 5, 0]], [0, 2, 4])


@pytest.fixture(scope="module")
def like():
    return ar.Image(np.ones((8, 8, 8), np.float32), EYE)


STREAMLINES = {
    "density": lambda given, like: ar.density(given, like),
    "sample_along": lambda given, like: ar.sample_along(given, like),
    "connectome": lambda given, like: ar.connectome(given, like),
}


@pytest.mark.parametrize("work", STREAMLINES.values(), ids=STREAMLINES)
def test_points_that_are_no_places_are_refused_with_their_streamline(work, like):
    for value, problem in [
        (np.nan, "streamline 1 has a position that is not a number"),
        (np.inf, "streamline 1 has a position that is not a number"),
        (-3e9, "streamline 1 reaches -3e9 mm, where no scanner does"),
    ]:
        bad = np.array([[0, 5, 0], [0, value, 0]])
        refused(problem, lambda: work([np.zeros((2, 3)), bad], like))
        refused(problem, lambda: work(ar.Tractogram(np.concatenate([np.zeros((2, 3)), bad]), [0, 2, 4]), like))
    refused("beyond the range of single precision", lambda: work([np.full((2, 3), 1e300)], like))
    refused("tracks[0]: their shape is (3, 5); give (points, 3)", lambda: work([np.zeros((3, 5))], like))
    refused("tracks[1]: values of the type object", lambda: work([np.zeros((2, 3)), np.array([[0, 0, None]])], like))
    refused("tracks[0]: its values are complex", lambda: work([np.zeros((2, 3), complex)], like))
    masked = np.ma.masked_invalid([[0, 0, 0], [0, np.nan, 0]])
    refused("tracks[0]: 1 values of this masked array are masked", lambda: work([masked], like))


def test_points_of_any_layout_are_the_same(like):
    points = np.arange(12, dtype=np.float32).reshape(4, 3) / 2
    expected = ar.density([points], like).data
    assert expected.any()
    for given in [
        points.astype(np.float64),
        points.astype(">f4"),
        np.asfortranarray(points),
        np.ascontiguousarray(points[::-1])[::-1],
        np.repeat(points, 2, axis=1)[:, ::2],
        np.ma.MaskedArray(points),
        points.tolist(),
    ]:
        assert np.array_equal(ar.density([given], like).data, expected)
        assert np.array_equal(ar.density(ar.Tractogram(given, [0, 4]), like).data, expected)
    unaligned = np.frombuffer(b"\0" + points.tobytes(), dtype=np.uint8)[1:].view(np.float32).reshape(4, 3)
    assert np.array_equal(ar.density([unaligned], like).data, expected)
    for none in ([], [np.zeros((0, 3))], ar.Tractogram(np.zeros((0, 3)), [0])):
        assert not ar.density(none, like).data.any()


def test_what_is_no_image_is_refused(like):
    ones = np.ones((3, 4, 5))
    for problem, work in {
        "data: 60 values of this masked array are masked": lambda: ar.Image(np.ma.masked_all((3, 4, 5)), EYE),
        "data: its values are complex": lambda: ar.Image(1j * ones, EYE),
        "data: values of the type object": lambda: ar.Image(ones.astype(object), EYE),
        "data: values of the type <U1": lambda: ar.Image(np.full((3, 4, 5), "a"), EYE),
        "data: values of the type datetime64[D]": lambda: ar.Image(np.zeros((3, 4, 5), "datetime64[D]"), EYE),
        "data: its shape is (3, 0, 5); give an image with a voxel": lambda: ar.Image(ones[:, :0], EYE),
        "data: 2 dimensions": lambda: ar.Image(ones[0], EYE),
        "data: it is no array": lambda: ar.Image([[[1, 2], [3]]], EYE),
        "affine: its shape is (4, 4); give (4, 4) finite numbers": lambda: ar.Image(ones, np.full((4, 4), np.nan)),
        "affine: values of the type object": lambda: ar.Image(ones, None),
        "beyond the range of single precision": lambda: ar.tensor_maps((np.full((3, 4, 5, 6), 1e300), EYE)),
        "single precision does not hold the whole number 16777217": lambda: ar.connectome(
            [np.zeros((2, 3))], (np.full((3, 4, 5), 16777217), EYE)
        ),
    }.items():
        refused(problem, work)
    # NaN is allowed as a value, and so is a masked array without masked values.
    assert np.isnan(ar.Image(ones * np.nan, EYE).data).all()
    assert np.array_equal(ar.Image(np.ma.MaskedArray(ones), EYE).data, ones)
    # Single precision holds all whole numbers up to 2**24, and beyond it all even numbers up to 2**25.
    assert ar.Image(np.full((3, 4, 5), 2**24), EYE)._volume().array().max() == 2**24
    assert ar.Image(np.full((3, 4, 5), 2**24 + 2), EYE)._volume().array().max() == 2**24 + 2


def test_what_is_no_table_or_number_is_refused(tracks, like):
    directions, b_values = np.eye(3), np.full(3, 1000.0)
    for problem, work in {
        "directions: its values are complex": lambda: ar.Gradients(1j * directions, b_values),
        "b_values: 1 values of this masked array": lambda: ar.Gradients(directions, np.ma.masked_equal([1000, 1000, 0], 0)),
        "b_values: values of the type <U4": lambda: ar.Gradients(directions, ["1000", "1000", "1000"]),
        "offsets: its values are not whole": lambda: ar.Tractogram(np.zeros((2, 3)), [0, 1.5]),
        "offsets: its values are -1 to 2": lambda: ar.Tractogram(np.zeros((2, 3)), [-1, 2]),
        "groups: a: its values are not whole": lambda: ar.Tractogram(np.zeros((2, 3)), [0, 2], groups={"a": [0.5]}),
        "data_per_point: a: values of the type object": lambda: ar.Tractogram(np.zeros((2, 3)), [0, 2], {"a": [None, 1]}),
        "weights: its values are complex": lambda: ar.density(tracks, like, weights=np.ones(2, complex)),
        "weights: 2 values of this masked array": lambda: ar.connectome(tracks, like, weights=np.ma.masked_all(2)),
        "seed_points: values of the type object": lambda: ar.track_tensor((np.ones((3, 3, 3, 6)), EYE), seed_points=[[None, 0, 0]]),
        "kspace: 64 values of this masked array": lambda: ar.reconstruct(np.ma.masked_all(64), PLACES, (8, 8)),
        "trajectory: its values are complex": lambda: ar.reconstruct(np.ones(64), 1j * PLACES, (8, 8)),
        "x: its values are complex": lambda: ar.operators.life(tracks, *_series())[0] @ np.ones(2, complex),
    }.items():
        refused(problem, work)
    again = ar.Gradients(directions.astype(">f8")[:, ::-1], b_values.astype(np.float32)[::-1])
    assert np.array_equal(again.directions, directions[:, ::-1])


def _series():
    brain = ar.simulate(voxel_size=10, directions=6, b_value=1000)
    return brain.dwi, brain.gradients


class Table:
    """Table with the attributes of DIPY's `GradientTable`."""

    def __init__(self, bvals, bvecs):
        self.bvals, self.bvecs, self.b0_threshold = bvals, bvecs, 50


@pytest.mark.parametrize("flip", [1.0, -1.0])
def test_tables_of_dipy_are_turned_from_the_axes_of_an_oblique_scan(tmp_path, flip):
    import nibabel

    # The image is rotated by 40° about z and 25° about x. Its x axis is stored from right to left or from left to right.
    z, x = np.radians([40, 25])
    turn = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    turn = turn @ np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    affine = np.eye(4)
    affine[:3, :3] = turn @ np.diag([2 * flip, 2, 3])
    rng = np.random.default_rng(5)
    scanner = rng.normal(size=(20, 3))
    scanner /= np.linalg.norm(scanner, axis=1)[:, None]
    b_values = np.full(20, 1000.0)
    voxel = scanner @ turn @ np.diag([flip, 1, 1])
    fsl = voxel * [-1 if flip > 0 else 1, 1, 1]
    # The same table in FSL's files, which Arcuate reads itself.
    np.savetxt(tmp_path / "dwi.bval", b_values[None])
    np.savetxt(tmp_path / "dwi.bvec", fsl.T)
    nibabel.save(nibabel.Nifti1Image(np.ones((2, 2, 2, 20), np.float32), affine), tmp_path / "dwi.nii.gz")
    read = ar.load_series(tmp_path / "dwi.nii.gz").gradients
    found = ar.Gradients.from_dipy(Table(b_values, fsl), affine)
    assert np.allclose(read.directions, scanner, atol=1e-6) and np.allclose(found.directions, scanner, atol=1e-12)
    assert np.array_equal(found.b_values, b_values) and found.b0_threshold == 50
    assert np.allclose(ar.Gradients.from_dipy(Table(b_values, voxel), affine, axes="voxel").directions, scanner, atol=1e-12)
    assert np.allclose(ar.Gradients.from_dipy(Table(b_values, scanner), axes="scanner").directions, scanner, atol=1e-12)
    # Only the caller knows the axes of DIPY's table, so they must be given.
    refused("affine: DIPY's table does not state its axes", lambda: ar.Gradients.from_dipy(Table(b_values, fsl)))
    refused("affine: it has no meaning", lambda: ar.Gradients.from_dipy(Table(b_values, scanner), affine, axes="scanner"))
    refused("axes: `image` is none of", lambda: ar.Gradients.from_dipy(Table(b_values, fsl), affine, axes="image"))


def test_series_are_read_along_the_axes_that_are_given(scan, folder):
    turned = ar.load_series(folder / "dwi.nii.gz", gradient_axes="-x,y,z")
    expected = scan.gradients.directions * [-1, 1, 1]
    assert np.allclose(turned.gradients.directions, expected, atol=1e-12)
    with pytest.raises(ar.InputError, match="^gradient_axes: `x,y` does not have each of x, y and z exactly once"):
        ar.load_series(folder / "dwi.nii.gz", gradient_axes="x,y")


def test_tables_are_read_in_the_unit_and_by_the_lengths_that_are_given(scan, tmp_path):
    scan.dwi.save(tmp_path / "dwi.nii.gz")
    directions, b = scan.gradients.directions, scan.gradients.b_values

    def save(lengths, factor):
        np.savetxt(tmp_path / "table.txt", np.column_stack([directions * lengths[:, None], b * factor]), fmt="%.12f")

    def load(**words):
        return ar.load_series(tmp_path / "dwi.nii.gz", gradients=tmp_path / "table.txt", **words).gradients.b_values

    save(np.ones(len(b)), 1e-3)
    assert np.allclose(load(b_unit="ms/um2"), b)
    lengths = np.where((b > 0) & (np.arange(len(b)) % 2 == 0), np.sqrt(0.5), 1.0)
    save(lengths, 1)
    assert np.allclose(load(bvec_lengths="scale"), b * lengths**2, rtol=1e-6)
    assert np.allclose(load(bvec_lengths="ignore"), b, rtol=1e-6)
    refused("bvec_lengths: `twice` is none of scale, ignore; give one of them", lambda: load(bvec_lengths="twice"))
