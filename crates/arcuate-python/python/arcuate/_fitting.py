"""Models of the signal in every voxel."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, ItemsView, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers
from ._calls import Progress, call
from ._errors import InputError
from ._images import Gradients, Image, ImageLike, PathLike, image, optional_volume, series, tensor_image, volume


class Maps:
    """Images by name: as attributes (``maps.fa``), or by ``maps["fa"]``."""

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
        """Names and images."""
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
    """What diffusion tensors come to.

    ``tensor`` has D11, D22, D33, D12, D13, D23 in mm²/s, scanner axes; ``s0`` and ``residual`` are in units of the signal; ``fa``,
    ``md``, ``ad``, ``rd`` (mm²/s), ``eigenvalues`` (mm²/s), ``eigenvectors`` (e₁, e₂, e₃ in scanner axes), ``colour_fa``.
    """


@dataclass
class Fit(Maps):
    """A model that was fitted in every voxel: its maps, in the units that ``units`` says.

    Zeros stand where nothing could be fitted; ``status`` says why.
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
    """Samples of the posterior of a model: ``fit`` is the model at their mean, ``samples`` has those of each parameter.

    Samples of a number are (x, y, z, samples), of an orientation (x, y, z, samples, 3), unit vectors in scanner axes; those of one
    chain stand behind those of the one before.
    """

    fit: Fit
    samples: Dict[str, NDArray[np.float32]]

    def __repr__(self) -> str:
        return f"<arcuate.Samples of {self.fit.model} in {self.fit.voxels:,} voxels: {', '.join(self.samples)}>"


def find_mask(dwi: ImageLike, gradients: Gradients, *, threads: Optional[int] = None) -> Image:
    """The brain in a diffusion series, as ``arcuate mask`` finds it.

    Parameters
    ----------
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    threads : int, optional
        Processor threads; all by default.

    Returns
    -------
    Image
        1 inside, 0 outside.
    """
    dwi, table = series(dwi, gradients)
    return Image._of(_arcuate.find_mask(call("cpu", threads=threads), dwi._volume(), table))


def _inside(mask: Optional[ImageLike], dwi: Image, native: Any, table: Any, threads: Optional[int]) -> Any:
    if mask is None:
        return _arcuate.find_mask(call("cpu", threads=threads), native, table)
    return volume(mask, "mask", dwi)


def fit_tensor(
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    max_b: Optional[float] = None,
    shells: Optional[Sequence[float]] = None,
    reweightings: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> TensorMaps:
    """Fits a diffusion tensor in every voxel, as ``arcuate fit tensor``.

    Parameters
    ----------
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image, optional
        The voxels, where it is not 0; found in the series by default.
    max_b : float, optional
        Fit measurements with b up to this many s/mm². By default, where they suffice, shells up to 1500.
    shells : sequence of float, optional
        Fit the shells of these b-values, and b = 0.
    reweightings : int, optional
        How often the fit is repeated with weights of its own; 2 by default.
    threads : int, optional
        Processor threads; all by default.
    progress : bool or callable
        Whether, or by whom, it is told how far it is: ``progress(done, total)``.

    Returns
    -------
    TensorMaps

    References
    ----------
    Veraart J et al. (2013), doi:10.1016/j.neuroimage.2013.05.028.

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000)
    >>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
    >>> maps.fa.shape
    (15, 18, 14)
    """
    dwi, table = series(dwi, gradients)
    native = dwi._volume()
    inside = _inside(mask, dwi, native, table, threads)
    told = call("cpu", threads=threads, progress=progress)
    chosen = None if shells is None else [float(b) for b in shells]
    maps = _arcuate.fit_tensor(told, native, table, inside, max_b, chosen, reweightings)
    return TensorMaps({name: Image._of(one) for name, one in maps.items()})


def tensor_maps(tensor: ImageLike, *, threads: Optional[int] = None) -> TensorMaps:
    """Maps of diffusion tensors, as ``arcuate maps``.

    Parameters
    ----------
    tensor : image
        (x, y, z, 6): D11, D22, D33, D12, D13, D23 in mm²/s, scanner axes (MRtrix's order). A file, or an image of nibabel, is read in
        the order that its header states, as by :func:`load_tensor`.
    """
    maps = _arcuate.tensor_maps(call("cpu", threads=threads), tensor_image(tensor)._volume())
    return TensorMaps({name: Image._of(one) for name, one in maps.items()})


def models() -> List[str]:
    """Names of the signal models that come with Arcuate."""
    return _arcuate.model_names()


def model_text(name: str) -> str:
    """A model as a file to read and change: its equation, parameters and the stages of its fit."""
    return _arcuate.model_text(name)


Given = Union[float, ImageLike]


def _given(values: Optional[Mapping[str, Optional[Given]]], name: str, like: Image) -> List[Any]:
    def one(key: str, value: Any) -> Any:
        if value is None or isinstance(value, (int, float, np.floating, np.integer)):
            return None if value is None else float(value)
        return volume(value, f"{name} {key}", like)

    return [(key, one(key, value)) for key, value in (values or {}).items()]


def _fit_keywords(dwi: Image, told: Mapping[str, Any]) -> Dict[str, Any]:
    columns = [(name, numbers(values, f"columns: {name}", np.float64).tolist()) for name, values in (told["columns"] or {}).items()]
    fixed = told["fix"] if isinstance(told["fix"], Mapping) or told["fix"] is None else dict.fromkeys(told["fix"])
    return {
        "max_b": told["max_b"],
        "shells": None if told["shells"] is None else [float(b) for b in told["shells"]],
        "fix": _given(fixed, "fix", dwi),
        "start": _given(told["start"], "start", dwi),
        "free": list(told["free"]),
        "columns": columns,
        "maps": [(name, volume(one, f"map {name}", dwi)) for name, one in (told["maps"] or {}).items()],
        "bounds": told["bounds"],
        "evaluations": told["evaluations"],
        "precision": told["precision"],
        "standard_errors": told.get("standard_errors", False),
        "method": told.get("method", "lm"),
    }


@overload
def fit(
    model: PathLike,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: str = "lm",
    max_b: Optional[float] = None,
    shells: Optional[Sequence[float]] = None,
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    free: Sequence[str] = (),
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    bounds: Optional[str] = None,
    evaluations: Optional[int] = None,
    precision: str = "single",
    standard_errors: bool = False,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Fit: ...


@overload
def fit(
    model: Union[List[str], Tuple[str, ...]],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: str = "lm",
    max_b: Optional[float] = None,
    shells: Optional[Sequence[float]] = None,
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    free: Sequence[str] = (),
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    bounds: Optional[str] = None,
    evaluations: Optional[int] = None,
    precision: str = "single",
    standard_errors: bool = False,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> List[Fit]: ...


def fit(
    model: Union[PathLike, Sequence[str]],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: str = "lm",
    max_b: Optional[float] = None,
    shells: Optional[Sequence[float]] = None,
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    free: Sequence[str] = (),
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    bounds: Optional[str] = None,
    evaluations: Optional[int] = None,
    precision: str = "single",
    standard_errors: bool = False,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Any:
    """Fits a model of the signal in every voxel, as ``arcuate fit MODEL``.

    Parameters
    ----------
    model : str, or several
        The name of a model (:func:`models`), or the path of a ``.toml`` with one.
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image, optional
        The voxels, where it is not 0; found in the series by default.
    method : {"lm", "grid"}
        Levenberg–Marquardt behind the model's searches, or these alone.
    max_b, shells : optional
        Which measurements: up to a b-value in s/mm², or the shells of these.
    fix : mapping or sequence of str, optional
        Parameters that are known: at a number in their unit, in an image, or (None, or names alone) where the model has them start.
    start : mapping, optional
        Where parameters start, in their units: numbers or images.
    free : sequence of str, optional
        Parameters that are fitted though the model has them fixed.
    columns : mapping of str to array_like, optional
        Numbers of each measurement that the model asks for.
    maps : mapping of str to image, optional
        Numbers of each voxel that the model asks for.
    bounds : {"projection", "transform"}, optional
        How bounds are kept.
    evaluations : int, optional
        Evaluations of the signal in a voxel at most, by each stage.
    precision : {"single", "double"}
        That of sums and functions.
    standard_errors : bool
        Whether standard errors are wanted.
    device : str
        ``auto`` (the first GPU where there is one), ``cpu``, ``cuda``, ``cuda:0,1``.
    device_memory : str, optional
        Most memory to use on each GPU, as ``"2GiB"``.
    threads : int, optional
        Processor threads; all by default.
    progress : bool or callable
        Whether, or by whom, it is told how far it is: ``progress(done, total)``.

    Returns
    -------
    Fit, or a list of them where several models were asked for

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=10, directions=20, b_value=1000)
    >>> fit = ar.fit("ball-1-stick", brain.dwi, brain.gradients, brain.mask, device="cpu")
    >>> sorted(fit.units.items())[:2]
    [('d', 'mm²/s'), ('f', '1')]
    """
    names: List[PathLike] = [model] if isinstance(model, (str, os.PathLike)) else [*model]
    words = [os.fspath(name) for name in names]
    dwi, table = series(dwi, gradients)
    native = dwi._volume()
    inside = _inside(mask, dwi, native, table, threads)
    keywords = _fit_keywords(dwi, locals())
    found = _arcuate.fit(call(device, device_memory, threads, 0, progress), words, native, table, inside, keywords)
    fits = [_fit(one) for one in found]
    return fits[0] if isinstance(model, (str, os.PathLike)) else fits


def sample(
    model: str,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    burn_in: Optional[int] = None,
    jumps: Optional[int] = None,
    interval: Optional[int] = None,
    adapt_every: Optional[int] = None,
    chains: Optional[int] = None,
    noise: Optional[str] = None,
    sigma: Union[str, float, None] = None,
    sigma_prior: Optional[str] = None,
    prior: Optional[Mapping[str, str]] = None,
    begin_at: Optional[str] = None,
    max_b: Optional[float] = None,
    shells: Optional[Sequence[float]] = None,
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    free: Sequence[str] = (),
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    bounds: Optional[str] = None,
    evaluations: Optional[int] = None,
    precision: str = "single",
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Samples:
    """Samples the posterior of a model by Markov chains in every voxel, as ``arcuate fit MODEL --method mcmc``.

    Parameters
    ----------
    burn_in, jumps, interval, adapt_every, chains : int, optional
        Sweeps before the first sample (1000) and behind it (1250), of which every so many-th is kept (25); sweeps after which
        proposals are adapted (40); chains of a voxel (1).
    noise : {"gaussian", "rician"}, optional
        Distribution of the noise; Gaussian by default.
    sigma : {"integrated", "sampled"} or float, optional
        What is known of its standard deviation.
    sigma_prior : str, optional
        Its prior, in the model language.
    prior : mapping of str to str, optional
        Priors of parameters, in the model language: ``{"d": "normal(1.7e-3, 0.3e-3)"}``.
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Where chains begin.
    random_seed : int
        The same seed gives the same samples at any number of threads and on any device.

    Other parameters are those of :func:`fit`.

    Returns
    -------
    Samples
    """
    dwi, table = series(dwi, gradients)
    native = dwi._volume()
    inside = _inside(mask, dwi, native, table, threads)
    keywords = _fit_keywords(dwi, locals())
    told = {
        "burn_in": burn_in,
        "jumps": jumps,
        "interval": interval,
        "adapt_every": adapt_every,
        "chains": chains,
        "noise": noise,
        "sigma": None if sigma is None else str(sigma),
        "sigma_prior": sigma_prior,
        "prior": [f"{name}={text}" for name, text in (prior or {}).items()],
        "begin_at": begin_at,
    }
    done = call(device, device_memory, threads, random_seed, progress)
    found, samples = _arcuate.sample(done, model, native, table, inside, keywords, told)

    def of(one: _arcuate.Volume, numbers: int) -> NDArray[np.float32]:
        array = one.array()
        array = array if array.ndim == 4 else array[..., None]
        return array if numbers == 1 else array.reshape(*array.shape[:3], -1, numbers)

    return Samples(_fit(found), {name: of(*one) for name, one in samples.items()})
