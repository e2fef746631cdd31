"""Functions on arrays give the same warnings as the commands, in the same words."""

import re
import warnings

import numpy as np
import pytest

import arcuate as ar

CPU = {"device": "cpu"}


def heard(work):
    """Returns the sorted warnings of a call."""
    with warnings.catch_warnings(record=True) as all:
        warnings.simplefilter("always")
        work()
    return sorted(str(warning.message) for warning in all if issubclass(warning.category, ar.ArcuateWarning))


def without(lines, *names):
    """Returns the lines without the given names of files or arrays."""
    for name in map(str, names):
        lines = [line.replace(name, "…") for line in lines]
    return [re.sub(r"^…: ", "", line) for line in lines]


def save_series(path, dwi, gradients):
    """Writes a series to files, with its gradient table in scanner axes, and returns the arguments for a command."""
    dwi.save(path / "dwi.nii.gz")
    rows = np.column_stack([gradients.directions, gradients.b_values])
    np.savetxt(path / "table.txt", rows, fmt="%.12f")
    return {"dwi": path / "dwi.nii.gz", "gradients": path / "table.txt"}


def test_gradients_along_other_axes(tmp_path):
    brain = ar.simulate(voxel_size=4, directions=20, b_value=1000)
    turned = ar.Gradients(brain.gradients.directions[:, [1, 0, 2]], brain.gradients.b_values)
    files = save_series(tmp_path, brain.dwi, turned)
    brain.mask.save(tmp_path / "mask.nii.gz")
    command = heard(lambda: ar.commands.fit_tensor(files["dwi"], gradients=files["gradients"], mask=tmp_path / "mask.nii.gz", out=tmp_path / "out"))
    array = heard(lambda: ar.fit_tensor(brain.dwi, turned, brain.mask))
    assert any("fibre paths would be" in line for line in array)
    assert without(array, "gradients: ") == without(command, f"{files['gradients']}: ")
    # Gradients along the right axes give no such warning.
    right = heard(lambda: ar.fit_tensor(brain.dwi, brain.gradients, brain.mask))
    assert not any("fibre paths would be" in line for line in right)


def test_slices_that_drop_out(scan, mask, folder, tmp_path):
    data = np.array(scan.dwi.data)
    data[:, :, 12, 10] *= 0.2
    dwi = ar.Image(data, scan.dwi.affine)
    files = save_series(tmp_path, dwi, scan.gradients)
    told = {"gradients": files["gradients"], "mask": folder / "mask.nii.gz"}
    pairs = {
        "fit_tensor": (
            lambda: ar.fit_tensor(dwi, scan.gradients, mask),
            lambda: ar.commands.fit_tensor(files["dwi"], **told, out=tmp_path / "tensor"),
        ),
        "fit": (
            lambda: ar.fit("ball-1-stick", dwi, scan.gradients, mask, max_b=1000.0, **CPU),
            lambda: ar.commands.fit("ball-1-stick", files["dwi"], **told, max_b=1000.0, out=tmp_path / "fit", **CPU),
        ),
    }
    for name, (array, command) in pairs.items():
        found = heard(array)
        assert any("slices much darker" in line for line in found), (name, found)
        assert without(found, "gradients: ") == without(heard(command), f"{files['gradients']}: "), name


def test_a_model_that_needs_more_shells(scan, mask, folder, tmp_path):
    one = scan.gradients.b_values < 1500
    dwi = ar.Image(scan.dwi.data[..., one], scan.dwi.affine)
    gradients = ar.Gradients(scan.gradients.directions[one], scan.gradients.b_values[one])
    files = save_series(tmp_path, dwi, gradients)
    array = heard(lambda: ar.fit("noddi-watson", dwi, gradients, mask, **CPU))
    told = {"gradients": files["gradients"], "mask": folder / "mask.nii.gz"}
    command = heard(lambda: ar.commands.fit("noddi-watson", files["dwi"], **told, out=tmp_path / "out", **CPU))
    assert array and array == command


def test_diffusivities_that_no_tissue_has(scan, mask, tmp_path):
    tensor = ar.fit_tensor(*scan, mask).tensor
    large = ar.Image(1000 * tensor.data, tensor.affine)
    large.save(tmp_path / "tensor.nii.gz")
    array, command = heard(lambda: ar.tensor_maps(large)), heard(lambda: ar.commands.maps(tmp_path / "tensor.nii.gz", out=tmp_path / "out"))
    assert any("the median mean diffusivity is" in line for line in array)
    assert [line for line in array if "the median" in line] == [line for line in command if "the median" in line]


def test_streamlines_that_belong_to_another_image(scan, mask, folder, tmp_path):
    truth = ar.load_tractogram(folder / "truth_streamlines.trx")
    far = ar.Tractogram(truth.positions + np.float32(1000), truth.offsets)
    far.save(tmp_path / "far.tck")
    path = {"mask": folder / "mask.nii.gz", "labels": folder / "labels.nii.gz", "whole": tmp_path / "whole.nii.gz"}
    # One label covers all regions, so all streamlines start and end in it. A second label is in a corner.
    regions = np.minimum(ar.load_image(path["labels"]).data, 1)
    regions[0, 0, 0] = 2
    whole = ar.Image(regions, mask.affine)
    whole.save(tmp_path / "whole.nii.gz")
    out = tmp_path / "out"
    pairs = {
        "density": (lambda: ar.density(far, mask), lambda: ar.commands.density(tmp_path / "far.tck", like=path["mask"], out=tmp_path / "d.nii")),
        "sample": (lambda: ar.sample_along(far, mask), lambda: ar.commands.sample(tmp_path / "far.tck", path["mask"], out=tmp_path / "s.txt")),
        "connectome": (
            lambda: ar.connectome(truth, whole),
            lambda: ar.commands.connectome(folder / "truth_streamlines.trx", labels=tmp_path / "whole.nii.gz", out=out),
        ),
    }
    for name, (array, command) in pairs.items():
        found = without(heard(array), "like", "the image")
        assert found and found == without(heard(command), *path.values()), name


def test_images_that_hardly_are_ones(tmp_path):
    places = np.stack(np.meshgrid(np.arange(-8.0, 8), np.arange(-8.0, 8)), -1).reshape(-1, 2)
    truth = np.zeros((16, 16))
    truth[4:11, 5:12] = 1
    rng = np.random.default_rng(7)
    data = (ar.operators.FourierSums((16, 16), places) @ truth.ravel(order="F")).astype(np.complex64)
    data += (0.02 * (rng.normal(size=data.size) + 1j * rng.normal(size=data.size))).astype(np.complex64)
    np.save(tmp_path / "ksp.npy", data[None])
    np.save(tmp_path / "traj.npy", np.column_stack([places, np.zeros(len(places))]).T)
    for told, words in [
        ({"lambda_": "auto", "sigma": 1e3}, "the choice of λ ended at the upper edge of its interval"),
        ({"lambda_": "auto", "sigma": 1e-9}, "the choice of λ ended at the lower edge of its interval"),
        ({"lambda_": 1e10}, "it leaves 100 % of the data unexplained"),
        ({"iterations": 0}, "the image is 0 everywhere; give more iterations"),
        ({"sigma": 1e3}, "the image is 0 everywhere; sigma explains all of the data"),
        ({"method": "gridding"}, None),
        ({"lambda_": "auto", "sigma": 0.02}, None),
    ]:
        found = ar.reconstruct(data, places, (16, 16), **told, **CPU) if words is None else None
        array = without(heard(lambda: ar.reconstruct(data, places, (16, 16), **told, **CPU)), "image: ")
        out = tmp_path / "o.cfl"
        given = {"trajectory": tmp_path / "traj.npy", "out": out, "size": [16, 16], "force": True, **CPU}
        command = without(heard(lambda: ar.commands.recon(tmp_path / "ksp.npy", **given, **told)), f"{out}: ")
        assert array == command, told
        if words is None:
            assert array == [] and (found.lambda_choice in ([], ["found"]))
        else:
            assert any(words in line for line in array), (told, array)
    # One trajectory does not match the order of the samples, and one covers only a small part of k-space.
    mixed = places[rng.permutation(len(places))]
    array = heard(lambda: ar.reconstruct(data, mixed, (16, 16), **CPU))
    assert any("does not gather in the middle of k-space" in line for line in array)
    array = heard(lambda: ar.reconstruct(data, places / 4, (16, 16), trajectory_unit="fov", **CPU))
    assert any("of the way to the edge of k-space of 16 × 16 × 1 voxels. Check trajectory_unit and size" in line for line in array)
    image = ar.reconstruct(data, places, (16, 16), lambda_="auto", sigma=1e3, **CPU)
    assert image.lambda_choice == ["at upper edge"] and image.figures["misfit_of_noise"] > 1


@pytest.mark.parametrize("sub_cortical", [True, False])
def test_anatomies_without_sub_cortical_grey_matter(scan, mask, folder, tmp_path, sub_cortical):
    tensor = ar.fit_tensor(*scan, mask).tensor
    tissues = np.zeros((*mask.shape, 5), np.float32)
    # The white matter is surrounded by grey matter.
    brain = mask.data > 0
    inner = brain & np.all([np.roll(brain, step, axis) for axis in range(3) for step in (1, -1)], axis=0)
    tissues[..., 0], tissues[..., 2] = brain & ~inner, inner
    if sub_cortical:
        middle = tuple(np.argwhere(inner).mean(0).astype(int))
        tissues[middle] = [0, 1, 0, 0, 0]
    tensor.save(tmp_path / "tensor.nii.gz")
    ar.Image(tissues, mask.affine).save(tmp_path / "5tt.nii.gz")
    # Streamlines continue up to the grey matter, independent of the anisotropy.
    followed = {"seeds": 2000, "cutoff": 0.01, "angle": 80.0, "min_length": 1.0}
    array = heard(lambda: ar.track_tensor(tensor, five_tissues=(tissues, mask.affine), **followed))
    given = {"five_tissues": tmp_path / "5tt.nii.gz", "out": tmp_path / "t.tck", **followed}
    command = heard(lambda: ar.commands.track_tensor(tmp_path / "tensor.nii.gz", **given))
    assert any("no sub-cortical grey matter" in line for line in array) != sub_cortical
    assert without(array, "five_tissues") == without(command, tmp_path / "5tt.nii.gz")


def refusal(work):
    """Returns the error message of a call without the name of the input."""
    with pytest.raises(ar.InputError) as error:
        work()
    return str(error.value).split(": ", 1)[1]


def test_tensors_in_another_unit(scan, mask, tmp_path):
    fitted = ar.fit_tensor(scan.dwi, scan.gradients, mask).tensor
    tensor = ar.Image(np.asarray(fitted.data) * 1000, fitted.affine)
    tensor.save(tmp_path / "tensor.nii.gz")
    points = {"seed_points": [[0.0, 0.0, 0.0]]}
    calls = {
        "maps": lambda: ar.tensor_maps(tensor),
        "track tensor": lambda: ar.track_tensor(tensor, **points),
        "track geodesic": lambda: ar.track_geodesic(tensor, **points, **CPU),
    }
    with_command = heard(lambda: ar.commands.maps(tmp_path / "tensor.nii.gz", out=tmp_path / "maps"))
    unit = [line for line in without(with_command, tmp_path / "tensor.nii.gz") if "as if they were in µm²/ms" in line]
    assert len(unit) == 1
    for name, work in calls.items():
        assert unit[0] in [line.removeprefix("tensor: ") for line in heard(work)], name


def test_tensors_that_are_all_0(scan):
    tensor = ar.Image(np.zeros((*scan.dwi.shape[:3], 6), np.float32), scan.dwi.affine)
    for work in (lambda: ar.tensor_maps(tensor), lambda: ar.track_tensor(tensor), lambda: ar.track_geodesic(tensor, **CPU)):
        assert refusal(work).startswith("no voxel has a tensor")


def test_labels_that_no_streamline_comes_near(tmp_path):
    tracks = ar.Tractogram(np.array([[0, 0, 0], [10, 0, 0]], np.float32), [0, 2])
    values = np.zeros((4, 4, 4), np.float32)
    values[0], values[3] = 1, 2
    labels = ar.Image(values, np.array([[2, 0, 0, 500], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1.0]]))
    labels.save(tmp_path / "labels.nii.gz")
    tracks.save(tmp_path / "tracks.trx", reference=labels)
    array = refusal(lambda: ar.connectome(tracks, labels))
    command = refusal(lambda: ar.commands.connectome(tmp_path / "tracks.trx", labels=tmp_path / "labels.nii.gz", out=tmp_path / "out"))
    assert array.startswith("no region is near the ends of the streamlines")
    assert array == command.replace(f" of {tmp_path / 'tracks.trx'}", "")


def test_labels_of_one_region(tmp_path):
    tracks = ar.Tractogram(np.array([[0, 0, 0], [6, 0, 0]], np.float32), [0, 2])
    mask = ar.Image(np.ones((4, 4, 4), np.float32), np.diag([2, 2, 2, 1.0]))
    mask.save(tmp_path / "mask.nii.gz")
    tracks.save(tmp_path / "tracks.trx", reference=mask)
    array = refusal(lambda: ar.connectome(tracks, mask))
    command = refusal(lambda: ar.commands.connectome(tmp_path / "tracks.trx", labels=tmp_path / "mask.nii.gz", out=tmp_path / "out"))
    assert array == command
    assert array.startswith("all labelled voxels have the region 1")


def test_seeds_of_which_none_gives_a_streamline(scan, mask):
    tensor = ar.fit_tensor(scan.dwi, scan.gradients, mask).tensor
    assert refusal(lambda: ar.track_tensor(tensor, select=5, min_length=240.0, max_length=250.0, seeds=50)).startswith("all streamlines are shorter")
    assert refusal(lambda: ar.track_tensor(tensor, seed_cutoff=1.0, cutoff=1.0)).startswith("all streamlines are shorter")
    # Seed points are chosen by the caller, so seed points without a streamline are no error.
    assert len(ar.track_tensor(tensor, seed_points=[[1e4, 0, 0]])) == 0
    fod = ar.Image(np.asarray(scan.dwi.data[..., :6]) * 0 + 1e-3, scan.dwi.affine)
    assert refusal(lambda: ar.track_fod(fod, cutoff=0.5, **CPU)).startswith("no distribution has an amplitude of 0.5")
