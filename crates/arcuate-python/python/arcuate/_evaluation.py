"""Which streamlines the signal supports."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import real_or_complex
from ._calls import Progress, call
from ._errors import InputError
from ._fitting import Maps
from ._images import Gradients, Image, ImageLike, optional_volume, series
from ._tractogram import tractogram


class Evaluation(Maps):
    """Weights of streamlines, and maps of how well they explain the signal.

    ``weights`` has one number of 0 or more for each streamline, ``figures`` what the fit came to.
    """

    def __init__(self, weights: NDArray[np.float64], maps: Mapping[str, Image], figures: Mapping[str, float]):
        super().__init__(maps)
        self.weights = weights
        self.figures = dict(figures)

    def __repr__(self) -> str:
        supported = int((self.weights > 0).sum())
        return f"<arcuate.{type(self).__name__}: {supported:,} of {len(self.weights):,} streamlines supported; {', '.join(self)}>"


class Life(Evaluation):
    """``rmse_before`` and ``rmse_after``: without streamlines, and with the weighted ones, in units of the signal.

    ``lesions`` has of each group that was left out ``streamlines``, ``supported``, ``voxels``, ``rmse_with``, ``rmse_without``,
    ``strength_of_evidence`` and ``earth_movers_distance``.
    """

    lesions: Dict[str, Dict[str, float]] = {}


def _groups(lesion: Any, tracks: _arcuate.Tractogram) -> "list[tuple[str, list[int]]]":
    """Numbers of streamlines by name: those given, or those of groups of the tractogram."""
    if lesion is None:
        return []
    if isinstance(lesion, str):
        lesion = [lesion]
    if not isinstance(lesion, Mapping):
        known = tracks.groups()
        missing = [name for name in lesion if name not in known]
        if missing:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"lesion: `{missing[0]}` is no group of the tractogram; {has}; or give numbers of streamlines by name")
        lesion = {name: known[name] for name in lesion}
    groups = []
    for name, members in lesion.items():
        numbers = real_or_complex(members, f"lesion of `{name}`")
        if numbers.dtype == bool and numbers.shape == (len(tracks),):
            numbers = np.flatnonzero(numbers)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers < 0).any():
            raise InputError(f"lesion of `{name}`: these are no streamlines; give their numbers, from 0, or a boolean for each")
        groups.append((str(name), [int(number) for number in numbers]))
    return groups


class Commit(Evaluation):
    """``intra_fraction``, ``extra_fraction``, ``isotropic_fraction``; ``intra``, ``extra``, ``isotropic`` (signal at b = 0); ``rmse``, ``nrmse``.

    Weights are in signal per mm of streamline.
    """


def _life_keywords(told: Mapping[str, Any]) -> Dict[str, Any]:
    shells = told["shells"]
    return {
        "shells": None if shells is None else [float(b) for b in shells],
        "eigenvalues": None if told["eigenvalues"] is None else [float(one) for one in told["eigenvalues"]],
        "orientations": told["orientations"],
        "normalise_signal": told["normalise_signal"],
        "node_value": told["node_value"],
        "solver": told.get("solver", "barzilai-borwein"),
        "lambda_": told.get("lambda_"),
        "tolerance": told.get("tolerance"),
        "iterations": told.get("iterations"),
        "precision": told.get("precision", "double"),
    }


def evaluate_life(
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
    solver: str = "barzilai-borwein",
    lambda_: Optional[float] = None,
    tolerance: Optional[float] = None,
    iterations: Optional[int] = None,
    precision: str = "single",
    lesion: Union[Mapping[str, ArrayLike], Sequence[str], str, None] = None,
    refit: bool = False,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Life:
    """Linear Fascicle Evaluation, as ``arcuate evaluate life``.

    Parameters
    ----------
    tracks : Tractogram
        Arcuate's, nibabel's, DIPY's, a path, or a list of arrays.
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image, optional
        The voxels that count; all that streamlines pass by default.
    shells : sequence of float, optional
        b-values of the shells to explain.
    eigenvalues : (3), optional
        Of a fascicle's tensor in µm²/ms; 1, 0, 0 by default.
    orientations : int, optional
        Directions that responses are tabulated for; 1,057 by default.
    normalise_signal : bool
        Whether the signal of a voxel is divided by its b = 0 signal.
    node_value : {"count", "length"}
        What a point counts.
    solver : {"barzilai-borwein", "sbbnnls"}
    lambda_ : float, optional
        A penalty on the sum of weights, as a fraction of the smallest that leaves no streamline.
    tolerance, iterations : optional
        Where iterations end.
    precision : {"single", "double"}
    lesion : mapping of str to array_like, or sequence of str, optional
        Groups of streamlines to remove virtually: their numbers (or a boolean for each streamline) by name, or names of groups of
        the tractogram.
    refit : bool
        Whether the other streamlines are fitted anew then.

    Returns
    -------
    Life

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000, streamlines_per_bundle=6)
    >>> life = ar.evaluate_life(brain.truth, brain.dwi, brain.gradients, brain.mask, lesion=[brain.bundles[0]], device="cpu")
    >>> life.lesions[brain.bundles[0]]["strength_of_evidence"] > 1
    True

    References
    ----------
    Pestilli F et al. (2014), doi:10.1038/nmeth.3098; Caiafa CF, Pestilli F (2017), doi:10.1038/s41598-017-09250-w.
    """
    dwi, table = series(dwi, gradients)
    keywords = _life_keywords(locals())
    told = call(device, device_memory, threads, 0, progress)
    inside = optional_volume(mask, "mask", dwi)
    if refit and not lesion:
        raise InputError("refit: nothing is left out; give ‘lesion’, or leave it out")
    native = tractogram(tracks)
    (weights, maps, figures), lesions = _arcuate.evaluate_life(
        told, native, dwi._volume(), table, inside, keywords, _groups(lesion, native), refit
    )
    life = Life(weights, {name: Image._of(one) for name, one in maps.items()}, figures)
    life.lesions = lesions
    return life


def _commit_keywords(told: Mapping[str, Any], dwi: Image) -> Dict[str, Any]:
    names = (
        "peaks_frame peak_threshold model axial_diffusivity radial_diffusivity zeppelin_axial_diffusivity radial_diffusivities "
        "intra_fractions isotropic_diffusivities radii b_step merge_b0 normalise_signal normalise_kernels demean min_b0 min_length "
        "max_length min_segment orientations lambda_ lambda_extra lambda_isotropic tolerance iterations precision"
    ).split()
    keywords: Dict[str, Any] = {name: told.get(name) for name in names}
    for name in ("radial_diffusivities", "intra_fractions", "isotropic_diffusivities", "radii"):
        if keywords[name] is not None:
            keywords[name] = [float(one) for one in keywords[name]]
    times: "list[Any]" = [told.get("big_delta"), told.get("small_delta"), told.get("echo_time")]
    given = [time for time in times if time is not None]
    if given and len(given) < len(times):
        raise InputError("big_delta, small_delta, echo_time: one is given without the others; give all three, in ms")
    keywords["pulses"] = [float(time) for time in given] or None
    keywords["peaks"] = optional_volume(told["peaks"], "peaks", dwi)
    keywords["confidence"] = optional_volume(told["confidence"], "confidence", dwi)
    return keywords


def evaluate_commit(
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    peaks: Optional[ImageLike] = None,
    peaks_frame: Optional[str] = None,
    peak_threshold: Optional[float] = None,
    confidence: Optional[ImageLike] = None,
    model: Optional[str] = None,
    axial_diffusivity: Optional[float] = None,
    radial_diffusivity: Optional[float] = None,
    zeppelin_axial_diffusivity: Optional[float] = None,
    radial_diffusivities: Optional[Sequence[float]] = None,
    intra_fractions: Optional[Sequence[float]] = None,
    isotropic_diffusivities: Optional[Sequence[float]] = None,
    radii: Optional[Sequence[float]] = None,
    big_delta: Optional[float] = None,
    small_delta: Optional[float] = None,
    echo_time: Optional[float] = None,
    b_step: float = 0.0,
    merge_b0: bool = False,
    normalise_signal: bool = True,
    normalise_kernels: bool = True,
    demean: bool = False,
    min_b0: float = 0.0,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    min_segment: Optional[float] = None,
    orientations: Optional[int] = None,
    lambda_: Optional[float] = None,
    lambda_extra: Optional[float] = None,
    lambda_isotropic: Optional[float] = None,
    tolerance: Optional[float] = None,
    iterations: Optional[int] = None,
    precision: str = "single",
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Commit:
    """Convex Optimization Modeling for Microstructure Informed Tractography, as ``arcuate evaluate commit``.

    Parameters
    ----------
    tracks : Tractogram
        Arcuate's, nibabel's, DIPY's, a path, or a list of arrays.
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image, optional
        The voxels that count; all that streamlines pass by default.
    peaks : image, optional
        Directions of extra-axonal compartments, x, y, z of 1 to 5 peaks along the last axis.
    peaks_frame : {"scanner", "image", "fsl"}, optional
        The axes that they are along.
    peak_threshold : float, optional
        Peaks shorter than this fraction of the longest of their voxel are left out; 0.1 by default.
    confidence : image, optional
        How much each voxel counts.
    model : str, optional
        ``stick-zeppelin-ball`` by default.
    axial_diffusivity, radial_diffusivity, zeppelin_axial_diffusivity : float, optional
        In µm²/ms.
    radial_diffusivities, intra_fractions, isotropic_diffusivities, radii : sequences of float, optional
        In µm²/ms; radii in µm.
    big_delta, small_delta, echo_time : float, optional
        Timings of the pulses in ms.
    b_step : float
        Round b-values to multiples of this.
    merge_b0, normalise_signal, normalise_kernels, demean, min_b0
        What is done to the signal and to the columns of the problem.
    min_length, max_length, min_segment : float, optional
        In mm.
    orientations : int, optional
        So many that responses are tabulated for; exact by default, unless that takes too long.
    lambda_, lambda_extra, lambda_isotropic : float, optional
        Penalties on streamlines, extra-axonal and isotropic amounts, as fractions of the smallest that leave nothing.
    tolerance, iterations : optional
        Where iterations end.
    precision : {"single", "double"}

    Returns
    -------
    Commit

    References
    ----------
    Daducci A et al. (2015), doi:10.1109/TMI.2014.2352414.
    """
    dwi, table = series(dwi, gradients)
    keywords = _commit_keywords(locals(), dwi)
    told = call(device, device_memory, threads, 0, progress)
    inside = optional_volume(mask, "mask", dwi)
    weights, maps, figures = _arcuate.evaluate_commit(told, tractogram(tracks), dwi._volume(), table, inside, keywords)
    return Commit(weights, {name: Image._of(one) for name, one in maps.items()}, figures)
