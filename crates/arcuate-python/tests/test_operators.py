"""Operators work with the solvers of SciPy."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse.linalg import lsqr

import arcuate as ar


@pytest.fixture(scope="module")
def brain():
    return ar.simulate(voxel_size=8, directions=12, b_value=1000, streamlines_per_bundle=6)


def adjoint(operator, complex_numbers=False):
    """Returns |⟨Ax, y⟩ − ⟨x, Aᴴy⟩| / (|Ax| · |Aᴴy|) for random x and y, which is 0 for an exact adjoint."""
    rng = np.random.default_rng(3)
    draw = lambda n: rng.normal(size=n) + (1j * rng.normal(size=n) if complex_numbers else 0)  # noqa: E731
    x, y = draw(operator.shape[1]), draw(operator.shape[0])
    left, right = np.vdot(operator @ x, y), np.vdot(x, operator.H @ y)
    return abs(left - right) / (np.linalg.norm(operator @ x) * np.linalg.norm(y))


def test_life_is_solved_by_scipy(brain):
    operator, data = ar.operators.life(brain.truth, brain.dwi, brain.gradients, brain.mask)
    assert operator.shape[1] == len(brain.truth) and adjoint(operator) < 1e-12
    weights, _ = nnls(operator @ np.eye(operator.shape[1]), data)
    ours = ar.evaluate_life(
        brain.truth, brain.dwi, brain.gradients, brain.mask, precision="double", tolerance=1e-9, iterations=5000, device="cpu"
    )
    # The problem is well determined: 90 streamlines and thousands of samples. Both solvers find the same minimum.
    assert np.abs(weights - ours.weights).max() < 1e-5 * weights.max()


def test_commit_is_an_operator(brain):
    operator, data = ar.operators.commit(brain.truth, brain.dwi, brain.gradients, brain.mask, peaks=brain.peaks)
    assert operator.shape[0] == len(data) and adjoint(operator) < 1e-10
    solution = lsqr(operator, data, iter_lim=50)
    assert solution[3] < 0.5 * np.linalg.norm(data)


def test_fourier_sums_are_the_sums(brain):
    rng = np.random.default_rng(4)
    samples = rng.uniform(-2, 2, size=(7, 2))
    operator = ar.operators.FourierSums((4, 6), samples)
    image = rng.normal(size=(4, 6)) + 1j * rng.normal(size=(4, 6))
    x, y = np.meshgrid((np.arange(4) - 2) / 4, (np.arange(6) - 3) / 6, indexing="ij")
    due = [(image * np.exp(-2j * np.pi * (k[0] * x + k[1] * y))).sum() / np.sqrt(24) for k in samples]
    assert np.allclose(operator @ image.ravel(order="F"), due, rtol=1e-10)
    assert adjoint(operator, complex_numbers=True) < 1e-12
    normal = ar.operators.Toeplitz((4, 6), samples)
    assert np.allclose(normal @ image.ravel(order="F"), operator.H @ (operator @ image.ravel(order="F")), rtol=1e-9)
    assert adjoint(normal, complex_numbers=True) < 1e-12
    with pytest.raises(ar.InputError, match="samples"):
        ar.operators.FourierSums((4, 4, 4), samples)
    with pytest.raises(ValueError):
        operator @ np.ones(5)


def test_differences_are_the_gradient():
    rng = np.random.default_rng(5)
    image = rng.normal(size=(4, 3, 2)) + 1j * rng.normal(size=(4, 3, 2))
    operator = ar.operators.Differences(image.shape)
    due = [np.diff(image, axis=axis, append=np.take(image, [-1], axis=axis)).ravel(order="F") for axis in range(3)]
    assert np.allclose(operator @ image.ravel(order="F"), np.concatenate(due))
    assert adjoint(operator, complex_numbers=True) < 1e-12
    # At an edge of the anatomy that is ten times as large as `edge`, differences are weighted by about a tenth.
    anatomy = np.zeros((4, 3, 2))
    anatomy[2:] = 10
    along = ar.operators.Differences(image.shape, anatomy, edge=1.0) @ image.ravel(order="F")
    of_edge, of_others = along.reshape(4, 3, 2, 3, order="F")[1, :, :, 0], along.reshape(4, 3, 2, 3, order="F")[0, :, :, 0]
    assert np.allclose(of_edge, (image[2] - image[1]) / np.sqrt(101)) and np.allclose(of_others, image[1] - image[0])
