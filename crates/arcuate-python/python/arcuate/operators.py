"""Operators for the solvers of SciPy and PyLops.

All operators are ``scipy.sparse.linalg.LinearOperator`` objects. Only this module of the package needs SciPy.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator

from . import _arcuate, _evaluation
from ._arrays import numbers
from ._calls import call
from ._images import Gradients, ImageLike
from ._recon import lengths, places

__all__ = ["Differences", "FourierSums", "Toeplitz", "commit", "life"]


class _Real(LinearOperator):  # type: ignore[misc]
    def __init__(self, native: _arcuate.Operator, told: _arcuate.Call):
        super().__init__(np.float64, native.shape)
        self._native, self._told = native, told

    def _matvec(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._native.matvec(self._told, numbers(x, "x", np.float64).ravel())

    def _rmatvec(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._native.rmatvec(self._told, numbers(x, "x", np.float64).ravel())


def life(
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    shells: Optional[Sequence[float]] = None,
    eigenvalues: Optional[Sequence[float]] = None,
    orientations: Optional[int] = None,
    normalise_signal: bool = False,
    node_value: str = "count",
    device: str = "cpu",
    threads: Optional[int] = None,
) -> Tuple[LinearOperator, NDArray[np.float64]]:
    """Returns LiFE's operator in double precision, and its signal. The operator maps the weights of streamlines to this signal.

    The signal has the values of all voxels that streamlines pass, voxel after voxel. The mean of each shell is subtracted from the
    measurements of a voxel.
    Parameters are those of :func:`arcuate.evaluate_life`.

    Returns
    -------
    operator, data

    Examples
    --------
    >>> from scipy.optimize import nnls
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000, streamlines_per_bundle=4)
    >>> operator, data = ar.operators.life(brain.truth, brain.dwi, brain.gradients, brain.mask)
    >>> weights, residual = nnls(operator @ np.eye(60), data)
    """
    told = call(device, threads=threads, frames=3)
    options = {"shells": shells, "normalise_signal": normalise_signal, "node_value": node_value}
    native, data = _evaluation.life_operator(
        told, options, tracks, dwi, gradients, mask, eigenvalues=eigenvalues, orientations=orientations
    )
    return _Real(native, told), data


def commit(
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    peaks: Optional[ImageLike] = None,
    device: str = "cpu",
    threads: Optional[int] = None,
    **keywords: Any,
) -> Tuple[LinearOperator, NDArray[np.float64]]:
    """Returns COMMIT's operator in double precision, and its samples. The operator maps the amounts of all compartments to samples.

    Amounts are ordered: streamlines by intra-axonal response, then peaks, then isotropic compartments. Columns have length 1 unless
    ``normalise_kernels=False``. Further keywords are those of :func:`arcuate.evaluate_commit`.
    """
    told = call(device, threads=threads, frames=3)
    images = {"peaks": peaks, **{name: keywords.pop(name, None) for name in ("confidence", "orientations")}}
    # The command has options that switch these settings off.
    on = {name: keywords.pop(name) for name in ("normalise_signal", "normalise_kernels") if name in keywords}
    options = {**keywords, **{f"no_{name}": not value for name, value in on.items()}}
    native, data = _evaluation.commit_operator(told, options, tracks, dwi, gradients, mask, **images)
    return _Real(native, told), data


class _Complex(LinearOperator):  # type: ignore[misc]
    def __init__(self, native: _arcuate.ComplexOperator, told: _arcuate.Call):
        super().__init__(np.complex128, native.shape)
        self._native, self._told = native, told

    def _matvec(self, x: NDArray[Any]) -> NDArray[np.complex128]:
        return self._native.matvec(self._told, numbers(x, "x", np.complex128).ravel())

    def _rmatvec(self, x: NDArray[Any]) -> NDArray[np.complex128]:
        return self._native.rmatvec(self._told, numbers(x, "x", np.complex128).ravel())


class FourierSums(_Complex):
    """Exact Fourier sums from an image to arbitrary samples in k-space.

    s(k) = N^(−½) Σ_r ρ(r) e^(−2πi k·r). Along each axis, r = (i − ⌊n/2⌋) / n of the field of view. N is the number of voxels.

    Parameters
    ----------
    shape : sequence of int
        Number of voxels of the image along x, y and (for a volume) z.
    samples : array_like
        k-space coordinates of the samples: an array (samples, 2 or 3), in cycles per field of view.
    device : str
        Computing device for the sums, as in :func:`arcuate.fit`.

    Notes
    -----
    Vectors are images with x fastest: ``image.ravel(order="F")``.

    Examples
    --------
    >>> import numpy as np, arcuate as ar
    >>> sums = ar.operators.FourierSums((4, 4), [[0, 0], [1, 0]])
    >>> np.abs(sums @ np.ones(16)).round(12).tolist()
    [4.0, 0.0]
    """

    def __init__(self, shape: Sequence[int], samples: ArrayLike, device: str = "cpu", threads: Optional[int] = None):
        told = call(device, threads=threads)
        super().__init__(_arcuate.fourier_sums(told, lengths(shape), places(samples, shape)), told)


class Toeplitz(_Complex):
    """FᴴF of :class:`FourierSums` as a convolution: maps an image to an image of the same size, without the samples.

    The cost does not depend on the number of samples. Parameters are those of :class:`FourierSums`.

    Examples
    --------
    >>> import numpy as np, arcuate as ar
    >>> samples, image = [[0, 0], [1, 0.5]], np.arange(16.0)
    >>> sums, normal = ar.operators.FourierSums((4, 4), samples), ar.operators.Toeplitz((4, 4), samples)
    >>> bool(np.allclose(normal @ image, sums.H @ (sums @ image)))
    True
    """

    def __init__(self, shape: Sequence[int], samples: ArrayLike, device: str = "cpu", threads: Optional[int] = None):
        told = call(device, threads=threads)
        super().__init__(_arcuate.toeplitz(told, lengths(shape), places(samples, shape)), told)


class Differences(_Complex):
    """Differences of neighbouring voxels along each axis of length above 1: the gradient of an image, axis after axis.

    The difference to the next voxel is stored at the place of the voxel. For the last voxel of a row, the difference is 0.

    Parameters
    ----------
    shape : sequence of int
        Number of voxels along x, y and (for a volume) z.
    anatomy : array_like, optional
        An image of the same shape. Differences are reduced at its edges, by the factor 1 / √(1 + (g / s)²), with the difference g of the
        anatomy and the ``edge`` s [1]_.
    edge : float, optional
        Edge size s, in the unit of the anatomy. Default: three times the median difference of the anatomy.

    References
    ----------
    .. [1] Haldar et al. 2008, https://doi.org/10.1002/mrm.21536

    Examples
    --------
    >>> import numpy as np, arcuate as ar
    >>> (ar.operators.Differences((3, 1)) @ np.array([1, 4, 9])).real.tolist()
    [3.0, 5.0, 0.0]
    """

    def __init__(
        self, shape: Sequence[int], anatomy: Optional[ArrayLike] = None, edge: Optional[float] = None, threads: Optional[int] = None
    ):
        told = call("cpu", threads=threads)
        given = None if anatomy is None else numbers(anatomy, "anatomy", np.float32).ravel(order="F")
        super().__init__(_arcuate.differences(told, lengths(shape), given, edge), told)
