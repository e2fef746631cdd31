"""Signal models in every voxel."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, ItemsView, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers
from ._calls import call
from ._commands import asked
from ._images import Gradients, Image, ImageLike, PathLike, optional_volume, series, tensor_image, volume


class Maps:
    """Maps of a fit: images by name, as attributes (``maps.fa``) or items (``maps["fa"]``)."""

    def __init__(self, maps: Mapping[str, Image]):
        self._maps = dict(maps)

    def __getattr__(self, name: str) -> Image:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._maps[name]
        except KeyError:
            raise AttributeError(f"there is no map {name}; there are {', '.join(self._maps)}") from None

    def __getitem__(self, name: str) -> Image:
        return self._maps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._maps)

    def __len__(self) -> int:
        return len(self._maps)

    def __contains__(self, name: object) -> bool:
        return name in self._maps

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._maps]

    def items(self) -> ItemsView[str, Image]:
        """Returns the name and the image of each map."""
        return self._maps.items()

    def to_nifti(self, folder: PathLike) -> None:
        """Writes each map into a folder, as ``NAME.nii.gz``."""
        os.makedirs(folder, exist_ok=True)
        for name, picture in self._maps.items():
            picture.save(os.path.join(os.fspath(folder), f"{name}.nii.gz"))

    def _repr_html_(self) -> str:
        from ._pictures import table

        return table(repr(self), self._maps)

    def __repr__(self) -> str:
        return f"<arcuate.{type(self).__name__}: {', '.join(self._maps)}>"


class TensorMaps(Maps):
    """Maps of diffusion tensors.

    ``tensor`` has the elements D11, D22, D33, D12, D13, D23 in mm²/s, scanner axes. ``s0`` (signal at b = 0) and ``residual`` (root
    mean square) are in the unit of the signal. The other maps are ``fa`` (fractional anisotropy), ``md``, ``ad`` and ``rd`` (mean,
    axial and radial diffusivity, mm²/s), ``eigenvalues`` (mm²/s), ``eigenvectors`` (e₁, e₂, e₃ in scanner axes) and ``colour_fa``.
    """


@dataclass
class Fit(Maps):
    """Result of a model fit in every voxel: its maps, with their units in ``units``.

    If a voxel could not be fitted, the map ``status`` has the reason, and the value of the voxel is 0 in all other maps.
    """

    model: str
    maps: Dict[str, Image]
    units: Dict[str, str]
    about: Dict[str, str]
    standard_errors: Dict[str, Image]
    residual: Image
    status: Image
    voxels: int
    unknowns: int
    _maps: Dict[str, Image] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._maps = {**self.maps, "residual": self.residual, "status": self.status}
        self._maps.update({f"{name}_standard_error": error for name, error in self.standard_errors.items()})

    def __repr__(self) -> str:
        return f"<arcuate.Fit of {self.model} in {self.voxels:,} voxels: {', '.join(self.maps)}>"


def _fit(native: Any) -> Fit:
    return Fit(
        model=native.model,
        maps={name: Image._of(one) for name, one, _, _ in native.maps},
        units={name: unit for name, _, unit, _ in native.maps},
        about={name: about for name, _, _, about in native.maps},
        standard_errors={name: Image._of(one) for name, one, _, _ in native.standard_errors},
        residual=Image._of(native.residual),
        status=Image._of(native.status),
        voxels=native.voxels,
        unknowns=native.unknowns,
    )


@dataclass
class Samples:
    """Samples of the posterior distribution of a model. ``fit`` is the model at the posterior mean.

    ``samples`` has an array for each parameter. If the parameter is a number, the array has the shape (x, y, z, samples). If the
    parameter is an orientation, the array has the shape (x, y, z, samples, 3), with unit vectors in scanner axes. With several
    chains, the samples of a chain come after those of the previous chain.
    """

    fit: Fit
    samples: Dict[str, NDArray[np.float32]]

    def __repr__(self) -> str:
        return f"<arcuate.Samples of {self.fit.model} in {self.fit.voxels:,} voxels: {', '.join(self.samples)}>"


def find_mask(dwi: ImageLike, gradients: Gradients, *, threads: Optional[int] = None) -> Image:
    """Computes the brain mask of a diffusion series, like ``arcuate mask``.

    Parameters
    ----------
    dwi : image
        Diffusion series with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement.
    threads : int, optional
        Number of CPU threads. Default: all.

    Returns
    -------
    Image
        Mask image with the value 1 in the brain and 0 outside.
    """
    dwi, table = series(dwi, gradients)
    return Image._of(_arcuate.find_mask(call("cpu", threads=threads), dwi._volume(), table))


def fit_tensor(
    told: _arcuate.Call, options: Mapping[str, Any], dwi: ImageLike, gradients: Gradients, mask: Optional[ImageLike]
) -> TensorMaps:
    """Implements :func:`arcuate.fit_tensor` with its options in a mapping."""
    dwi, table = series(dwi, gradients)
    words = asked("fit tensor", options, {})
    maps = _arcuate.fit_tensor(told, dwi._volume(), table, optional_volume(mask, "mask", dwi), words)
    return TensorMaps({name: Image._of(one) for name, one in maps.items()})


def tensor_maps(tensor: ImageLike, *, threads: Optional[int] = None) -> TensorMaps:
    """Computes maps of diffusion tensors, like ``arcuate maps``.

    Parameters
    ----------
    tensor : image
        Diffusion tensors with the axes (x, y, z, 6): D11, D22, D33, D12, D13, D23 in mm²/s, scanner axes (MRtrix's order). Files
        and images of nibabel can have another order: it is read from their header, as :func:`load_tensor` does.
    """
    maps = _arcuate.tensor_maps(call("cpu", threads=threads), tensor_image(tensor)._volume())
    return TensorMaps({name: Image._of(one) for name, one in maps.items()})


def models() -> List[str]:
    """Returns the names of the built-in signal models."""
    return _arcuate.model_names()


def model_text(name: str) -> str:
    """Returns the text of a built-in model: its equation, its parameters and the stages of its fit. The text can be edited and used
    as a model file."""
    return _arcuate.model_text(name)


Given = Union[float, ImageLike]


def _given(values: Optional[Mapping[str, Optional[Given]]], name: str, like: Image) -> List[Any]:
    def one(key: str, value: Any) -> Any:
        if value is None or isinstance(value, (int, float, np.floating, np.integer)):
            return None if value is None else float(value)
        return volume(value, f"{name} {key}", like)

    return [(key, one(key, value)) for key, value in (values or {}).items()]


def _overrides(
    dwi: Image,
    fix: "Union[Mapping[str, Optional[Given]], Sequence[str], None]",
    start: Optional[Mapping[str, Given]],
    columns: Optional[Mapping[str, ArrayLike]],
    maps: Optional[Mapping[str, ImageLike]],
) -> Dict[str, Any]:
    """Returns overrides and values of a model, for the library."""
    fixed = fix if isinstance(fix, Mapping) or fix is None else dict.fromkeys(fix)
    return {
        "fix": _given(fixed, "fix", dwi),
        "start": _given(start, "start", dwi),
        "columns": [(name, numbers(values, f"columns: {name}", np.float64).tolist()) for name, values in (columns or {}).items()],
        "maps": [(name, volume(one, f"map {name}", dwi)) for name, one in (maps or {}).items()],
    }


def fit(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    model: Union[PathLike, Sequence[str]],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike],
    *,
    method: str,
    **overrides: Any,
) -> Any:
    """Implements :func:`arcuate.fit` with its options in a mapping."""
    names: List[PathLike] = [model] if isinstance(model, (str, os.PathLike)) else [*model]
    dwi, table = series(dwi, gradients)
    found = _arcuate.fit(
        told,
        [os.fspath(name) for name in names],
        dwi._volume(),
        table,
        optional_volume(mask, "mask", dwi),
        _overrides(dwi, **overrides),
        asked("fit", {**options, "method": method}, {}, places=2),
    )
    fits = [_fit(one) for one in found]
    return fits[0] if isinstance(model, (str, os.PathLike)) else fits


def sample(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    model: PathLike,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike],
    *,
    prior: Optional[Mapping[str, str]],
    **overrides: Any,
) -> Samples:
    """Implements :func:`arcuate.sample` with its options in a mapping."""
    dwi, table = series(dwi, gradients)
    priors = [f"{name}={text}" for name, text in (prior or {}).items()] or None
    found, samples = _arcuate.sample(
        told,
        os.fspath(model),
        dwi._volume(),
        table,
        optional_volume(mask, "mask", dwi),
        _overrides(dwi, **overrides),
        asked("fit", {**options, "method": "mcmc", "prior": priors}, {}, places=2),
    )

    def of(one: _arcuate.Volume, numbers: int) -> NDArray[np.float32]:
        array = one.array()
        array = array if array.ndim == 4 else array[..., None]
        return array if numbers == 1 else array.reshape(*array.shape[:3], -1, numbers)

    return Samples(_fit(found), {name: of(*one) for name, one in samples.items()})
