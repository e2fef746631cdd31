"""Functions report values that could not be computed, as the commands do. Data without signal and impossible responses are refused."""

import warnings

import numpy as np
import pytest

import arcuate as ar

CPU = {"device": "cpu"}
RESPONSES = {"wm": "truth_response_wm.txt", "gm": "truth_response_gm.txt", "csf": "truth_response_csf.txt"}


@pytest.fixture(scope="module")
def responses(folder):
    return {tissue: np.loadtxt(folder / name, ndmin=2) for tissue, name in RESPONSES.items()}


@pytest.fixture(scope="module")
def mask(mask):
    """Mask of two slices of the brain, so that each deconvolution takes a fraction of a second."""
    data = np.zeros_like(mask.data)
    middle = mask.shape[2] // 2
    data[:, :, middle : middle + 2] = mask.data[:, :, middle : middle + 2]
    return ar.Image(data, mask.affine)


def changed(dwi, change):
    """Returns an image with changed values."""
    data = np.array(dwi.data)
    change(data)
    return ar.Image(data, dwi.affine)


def heard(work):
    """Returns the warnings and the result of a call."""
    with warnings.catch_warnings(record=True) as all:
        warnings.simplefilter("always")
        found = work()
    return [str(warning.message) for warning in all], found


@pytest.mark.parametrize("value, kind", [(np.nan, "not finite"), (np.inf, "not finite"), (-1e6, "negative")])
def test_a_bad_volume_is_left_out_of_distributions(scan, mask, responses, value, kind):
    dwi, gradients = scan
    inside = int((mask.data > 0.5).sum())
    bad = changed(dwi, lambda data: data.__setitem__((..., 30), value))
    said, found = heard(lambda: ar.fit_csd(bad, gradients, mask, responses=responses, **CPU))
    assert said == [f"deconvolution: {inside} measurements were not used ({inside} {kind})"]
    _, good = heard(lambda: ar.fit_csd(dwi, gradients, mask, responses=responses, **CPU))
    assert np.abs(found.fod.data[..., 0] - good.fod.data[..., 0]).mean() < 0.01


def test_voxels_without_a_signal_are_counted(scan, mask, responses):
    dwi, gradients = scan
    places = np.argwhere(mask.data > 0.5)

    def change(data):
        for n, value in [(100, 0.0), (200, np.nan)]:
            data[tuple(places[n])] = value

    bad = changed(dwi, change)
    words = f"2 of {len(places)} voxels could not be computed (1 without a signal above 0, 1 with a value that is not finite)"
    for what, work in {
        "deconvolution": lambda: ar.fit_csd(bad, gradients, mask, responses=responses, **CPU),
        "tensor": lambda: ar.fit_tensor(bad, gradients, mask),
        "ball-1-stick": lambda: ar.fit("ball-1-stick", bad, gradients, mask, **CPU),
        "response": lambda: ar.estimate_responses(bad, gradients, mask),
    }.items():
        said, _ = heard(work)
        assert any(line.startswith(f"{what}: {words}") for line in said), said


@pytest.mark.parametrize("factor, problem", [(0.0, "all of its values are 0"), (-1.0, "all of its values are 0 or negative")])
def test_a_series_without_a_signal_is_refused(scan, mask, responses, factor, problem):
    dwi, gradients = scan
    bad = changed(dwi, lambda data: np.multiply(data, factor, out=data))
    for work in [
        lambda: ar.find_mask(bad, gradients),
        lambda: ar.fit_tensor(bad, gradients, mask),
        lambda: ar.fit("ball-1-stick", bad, gradients, mask, **CPU),
        lambda: ar.estimate_responses(bad, gradients, mask),
        lambda: ar.fit_csd(bad, gradients, mask, responses=responses, **CPU),
    ]:
        with pytest.raises(ar.InputError, match=problem):
            work()


def test_impossible_responses_are_refused_and_doubtful_ones_are_told(scan, mask, responses):
    dwi, gradients = scan
    fit = lambda given: ar.fit_csd(dwi, gradients, mask, responses=given, **CPU)  # noqa: E731
    wm, gm, csf = (responses[tissue] for tissue in ("wm", "gm", "csf"))
    for given, problem in [
        ({"wm": gm, "gm": wm, "csf": csf}, "isotropic"),
        ({"wm": wm, "gm": csf, "csf": csf}, "the same as the response of grey matter"),
        ({"wm": wm[::-1], "gm": gm, "csf": csf}, "the mean signal of the response rises"),
        ({"wm": 1e-300 * wm, "gm": gm, "csf": csf}, "smaller than the signal of the series"),
    ]:
        with pytest.raises(ar.InputError, match=problem):
            fit(given)
    said, _ = heard(lambda: fit({"wm": wm, "gm": csf, "csf": gm}))
    assert len(said) == 1 and "CSF falls more slowly with b" in said[0]
    assert heard(lambda: fit(responses))[0] == []
