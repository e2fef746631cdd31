"""Reconstruction of images from k-space."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers, vector
from ._commands import ARRAY, asked
from ._errors import InputError


def lengths(shape: Sequence[int], name: str = "shape") -> List[int]:
    """Returns the number of voxels along x, y and z."""
    if len(shape) not in (2, 3):
        raise InputError(f"{name}: an image has 2 or 3 dimensions, not {len(shape)}; give voxels along x, y and, of a volume, z")
    return [*map(int, shape), 1][:3]


def places(samples: ArrayLike, shape: Sequence[int], name: str = "samples") -> NDArray[np.float64]:
    """Returns sample positions with shape (samples, 3)."""
    given = numbers(samples, name, np.float64)
    if given.ndim != 2 or given.shape[1] != len(shape):
        raise InputError(f"{name}: the shape is {given.shape} for an image of {len(shape)} dimensions; give (samples, {len(shape)})")
    whole = np.zeros((len(given), 3))
    whole[:, : given.shape[1]] = given
    return whole


def _vector(values: Optional[ArrayLike], name: str, kind: Any, shape: Sequence[int]) -> Optional[NDArray[Any]]:
    """Returns the values of an array of this shape as a vector, x fastest, or None."""
    if values is None:
        return None
    given = numbers(values, name, kind)
    if given.shape != tuple(shape):
        raise InputError(f"{name}: its shape is {given.shape}; give {tuple(shape)}")
    return given.ravel(order="F")


class Reconstruction:
    """A reconstructed complex image ``image`` and its key figures ``figures``.

    With the method cg, ``figures`` has ``iterations``, ``residual`` (norm of the residual of the equation, relative to Fᴴd) and
    ``lambda``. It also has ``misfit``, which is ‖d − Fρ‖ / ‖d‖ for the image ρ, the data d and the Fourier transform F. Misfits below
    ``misfit_resolution`` are rounding errors. If ``sigma`` was given, ``figures`` also has ``misfit_of_noise`` (the misfit that the
    noise causes). ``lambda_choice`` states how the choice of ``lambda_="auto"`` ended for each equation: ``"found"``, ``"at lower
    edge"``, ``"at upper edge"`` or ``"not determined"``.
    """

    def __init__(self, image: NDArray[Any], figures: Mapping[str, float], lambda_choice: Sequence[str] = ()):
        self.image = image
        self.figures: Dict[str, float] = dict(figures)
        self.lambda_choice = lambda_choice

    @property
    def magnitude(self) -> NDArray[Any]:
        """Magnitude |ρ| of the complex image ρ."""
        size: NDArray[Any] = np.abs(self.image)
        return size

    @property
    def phase(self) -> NDArray[Any]:
        """Phase of the complex image, in radians."""
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
    told: _arcuate.Call,
    options: Mapping[str, Any],
    kspace: ArrayLike,
    trajectory: ArrayLike,
    size: Sequence[int],
    *,
    sensitivities: Optional[ArrayLike],
    sample_weights: Optional[ArrayLike],
    regularise: Union[str, ArrayLike, None],
    density: Union[str, ArrayLike, None],
    fov: Union[float, Sequence[float], None],
) -> Reconstruction:
    """Implements :func:`arcuate.reconstruct` with its options in a mapping."""
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
    view = None if fov is None else vector(fov, "fov").tolist()
    if view is not None and len(view) not in (1, len(size)):
        raise InputError(f"fov: it has {len(view)} values; give one, or one for each of {len(size)} axes")
    if view is not None and len(view) == 1:
        view = view * len(size)
    anatomy = regularise is not None and not isinstance(regularise, str)
    weighted = density is not None and not isinstance(density, str)
    chosen = {"regularise": f"anatomy={ARRAY}" if anatomy else regularise, "density": ARRAY if weighted else density}
    native, figures, choices = _arcuate.reconstruct(
        told,
        data,
        samples,
        shape,
        maps,
        _vector(sample_weights, "sample_weights", np.complex128, (len(samples),)),
        _vector(regularise, "regularise", np.float32, size) if anatomy else None,
        _vector(density, "density", np.float64, (len(samples),)) if weighted else None,
        None if view is None else [*view, 1.0][:3],
        asked("recon", {**options, **chosen}, {"trajectory": trajectory}, out="array.cfl"),
    )
    image = native.reshape(tuple(map(int, size)), order="F")
    return Reconstruction(image if options["precision"] == "double" else image.astype(np.complex64), figures, choices)
