"""From k-space to images."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers, vector
from ._calls import Progress, call
from ._errors import InputError


def lengths(shape: Sequence[int], name: str = "shape") -> List[int]:
    """Voxels along x, y and z."""
    if len(shape) not in (2, 3):
        raise InputError(f"{name}: an image has 2 or 3 dimensions, not {len(shape)}; give voxels along x, y and, of a volume, z")
    return [*map(int, shape), 1][:3]


def places(samples: ArrayLike, shape: Sequence[int], name: str = "samples") -> NDArray[np.float64]:
    """Samples as (samples, 3)."""
    given = numbers(samples, name, np.float64)
    if given.ndim != 2 or given.shape[1] != len(shape):
        raise InputError(f"{name}: the shape is {given.shape} for an image of {len(shape)} dimensions; give (samples, {len(shape)})")
    whole = np.zeros((len(given), 3))
    whole[:, : given.shape[1]] = given
    return whole


def _vector(values: Optional[ArrayLike], name: str, kind: Any, shape: Sequence[int]) -> Optional[NDArray[Any]]:
    """Values of an array of this shape, x fastest, or nothing."""
    if values is None:
        return None
    given = numbers(values, name, kind)
    if given.shape != tuple(shape):
        raise InputError(f"{name}: its shape is {given.shape}; give {tuple(shape)}")
    return given.ravel(order="F")


class Reconstruction:
    """A complex image, ``image``, and what its reconstruction came to, ``figures``.

    ``figures`` has, of method cg, ``iterations``, ``residual`` (of the equation, over Fᴴd), ``lambda``, ``misfit`` (‖d − Fρ‖ / ‖d‖),
    ``misfit_resolution`` (a misfit below it is rounding) and, with ``sigma``, ``misfit_of_noise`` (the misfit that the noise leaves).
    ``lambda_choice`` states how the choice of ``lambda_="auto"`` ended, for each equation: ``"found"``, ``"at lower edge"``,
    ``"at upper edge"`` or ``"not determined"``.
    """

    def __init__(self, image: NDArray[Any], figures: Mapping[str, float], lambda_choice: Sequence[str] = ()):
        self.image = image
        self.figures: Dict[str, float] = dict(figures)
        self.lambda_choice = lambda_choice

    @property
    def magnitude(self) -> NDArray[Any]:
        """|ρ|."""
        size: NDArray[Any] = np.abs(self.image)
        return size

    @property
    def phase(self) -> NDArray[Any]:
        """The phase in radians."""
        angle: NDArray[Any] = np.angle(self.image)
        return angle

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        return np.array(self.image, dtype=dtype) if copy else np.asarray(self.image, dtype=dtype)

    def _repr_html_(self) -> str:
        from ._pictures import Slice, table

        whole = self.image.reshape((*self.image.shape, 1)[:3])
        return table(repr(self), {"magnitude": Slice(np.abs(whole)), "phase": Slice(np.angle(whole))})

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value:.3g}" for name, value in self.figures.items())
        size = " × ".join(map(str, self.image.shape))
        return f"<arcuate.Reconstruction: {size} voxels{', ' if told else ''}{told}>"


def reconstruct(
    kspace: ArrayLike,
    trajectory: ArrayLike,
    size: Sequence[int],
    *,
    sensitivities: Optional[ArrayLike] = None,
    sample_weights: Optional[ArrayLike] = None,
    method: str = "cg",
    regularise: Union[str, ArrayLike] = "tikhonov",
    lambda_: Union[float, str] = 1e-3,
    sigma: Optional[float] = None,
    edge: Optional[float] = None,
    tolerance: Optional[float] = None,
    iterations: Optional[int] = None,
    density: Union[str, ArrayLike] = "pipe-menon",
    interpolation: str = "kaiser-bessel",
    oversampling: Optional[float] = None,
    fov: Union[float, Sequence[float], None] = None,
    trajectory_unit: Optional[str] = None,
    precision: str = "single",
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Reconstruction:
    """An image from k-space along any trajectory, as ``arcuate recon``.

    Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums.

    Parameters
    ----------
    kspace : array_like
        Complex, (samples) or (coils, samples).
    trajectory : array_like
        (samples, 2 or 3); in cycles per field of view unless ``trajectory_unit`` says otherwise.
    size : sequence of int
        Voxels along x, y and (of a volume) z.
    sensitivities : array_like, optional
        Complex, (coils, x, y[, z]). Several coils without them are combined by the root of the sum of squares.
    sample_weights : (samples), optional
        Complex; what each sample was multiplied with.
    method : {"cg", "adjoint", "gridding"}
    regularise : {"tikhonov", "differences"} or array_like
        The penalty; an array (x, y[, z]) is an image of the same anatomy, at whose edges differences count less [1]_.
    lambda_ : float or "auto"
        Its strength; auto: by the noise where ``sigma`` says it, else by the L-curve.
    sigma : float, optional
        Standard deviation of the noise in real and imaginary part of a sample.
    edge : float, optional
        What of the anatomy counts as an edge.
    tolerance, iterations : optional
        Where iterations end.
    density : {"pipe-menon", "voronoi", "none"} or (samples)
        Of gridding, what samples are weighed with.
    interpolation : {"kaiser-bessel", "trilinear"}
    oversampling : float, optional
    fov : float or (2 or 3), optional
        Field of view in mm, of trajectories in 1/m.
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
    precision : {"single", "double"}

    Returns
    -------
    Reconstruction

    References
    ----------
    .. [1] Haldar et al. 2008, https://doi.org/10.1002/mrm.21536

    Examples
    --------
    >>> import numpy as np, arcuate as ar
    >>> places = np.stack(np.meshgrid(np.arange(-4, 4), np.arange(-4, 4)), -1).reshape(-1, 2)
    >>> truth = np.zeros((8, 8)); truth[2:5, 3:6] = 1
    >>> samples = ar.operators.FourierSums((8, 8), places) @ truth.ravel(order="F")
    >>> image = ar.reconstruct(samples, places, (8, 8), lambda_=1e-6, device="cpu")
    >>> bool(abs(image.magnitude - truth).max() < 1e-4)
    True
    """
    shape = lengths(size, "size")
    data = np.atleast_2d(numbers(kspace, "kspace", np.complex128))
    samples = places(trajectory, size, "trajectory")
    if data.ndim != 2 or data.shape[1] != len(samples):
        raise InputError(
            f"kspace: its shape is {np.shape(kspace)}, and the trajectory has {len(samples)} samples; give (coils, samples)"
        )
    maps = None
    if sensitivities is not None:
        given = numbers(sensitivities, "sensitivities", np.complex128)
        if given.shape != (len(data), *map(int, size)):
            raise InputError(f"sensitivities: their shape is {given.shape}; give {(len(data), *map(int, size))}")
        maps = np.concatenate([one.ravel(order="F") for one in given])
    named = isinstance(regularise, str)
    if isinstance(lambda_, str) and lambda_ != "auto":
        raise InputError(f"lambda_: `{lambda_}` is no number; give one, or \"auto\"")
    view = None if fov is None else vector(fov, "fov").tolist()
    if view is not None and len(view) not in (1, len(size)):
        raise InputError(f"fov: it has {len(view)} values; give one, or one for each of {len(size)} axes")
    if view is not None and len(view) == 1:
        view = view * len(size)
    native, figures, choices = _arcuate.reconstruct(
        call(device, device_memory, threads, progress=progress),
        data,
        samples,
        shape,
        maps,
        _vector(sample_weights, "sample_weights", np.complex128, (len(samples),)),
        None if named else _vector(regularise, "regularise", np.float32, size),
        None if isinstance(density, str) else _vector(density, "density", np.float64, (len(samples),)),
        {
            "method": method,
            "regularise": regularise if named else "anatomy",
            "lambda_": None if isinstance(lambda_, str) else float(lambda_),
            "sigma": sigma,
            "edge": edge,
            "tolerance": tolerance,
            "iterations": iterations,
            "density": density if isinstance(density, str) else "given",
            "interpolation": interpolation,
            "oversampling": oversampling,
            "fov": None if view is None else [*view, 1.0][:3],
            "trajectory_unit": trajectory_unit,
            "precision": precision,
        },
    )
    image = native.reshape(tuple(map(int, size)), order="F")
    return Reconstruction(image if precision == "double" else image.astype(np.complex64), figures, choices)
