"""Evaluation of streamlines by the measured signal."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import real_or_complex
from ._commands import asked
from ._errors import InputError
from ._fitting import Maps
from ._images import Gradients, Image, ImageLike, optional_volume, series
from ._tractogram import tractogram


class Evaluation(Maps):
    """Weights of streamlines, and maps of how well they explain the signal.

    ``weights`` has one weight, of 0 or more, for each streamline. ``figures`` has the key figures of the fit.
    """

    def __init__(self, weights: NDArray[np.float64], maps: Mapping[str, Image], figures: Mapping[str, float]):
        super().__init__(maps)
        self.weights = weights
        self.figures = dict(figures)

    def __repr__(self) -> str:
        supported = int((self.weights > 0).sum())
        return f"<arcuate.{type(self).__name__}: {supported:,} of {len(self.weights):,} streamlines supported; {', '.join(self)}>"


class Life(Evaluation):
    """Result of LiFE. ``rmse_before`` and ``rmse_after`` are maps of the error without streamlines and with the weighted
    streamlines.

    The errors are root mean squares, in the unit of the signal. ``lesions`` has, for each group of streamlines that was removed
    virtually, ``streamlines``, ``supported``, ``voxels``, ``rmse_with``, ``rmse_without``, ``strength_of_evidence`` and
    ``earth_movers_distance``.
    """

    lesions: Dict[str, Dict[str, float]] = {}


def _groups(lesion: Any, tracks: _arcuate.Tractogram) -> "list[tuple[str, list[int]]]":
    """Returns lists of streamline numbers by name: the given ones, or the groups of the tractogram."""
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
    """Result of COMMIT.

    The maps ``intra``, ``extra`` and ``isotropic`` are the signals of the compartments at b = 0. The maps ``intra_fraction``,
    ``extra_fraction`` and ``isotropic_fraction`` are these signals divided by their sum. The maps of the errors are ``rmse`` and
    ``nrmse``. Weights are in units of the signal per mm of streamline.
    """


def _life_words(options: Mapping[str, Any], eigenvalues: Optional[Sequence[float]], orientations: Optional[int], lesion: Any = None) -> List[str]:
    """Returns the command line of LiFE."""
    axes = None if eigenvalues is None else ",".join(str(float(one)) for one in eigenvalues)
    # LiFE has only one penalty (the lasso). It is used if the user gives its strength λ.
    penalty = None if options.get("lambda_") is None else "lasso"
    others = {"eigenvalues": axes, "orientations": orientations, "regularise": penalty}
    return asked("evaluate life", {**others, **options}, {"dwi": True, "lesion": lesion or None})


def evaluate_life(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike],
    *,
    eigenvalues: Optional[Sequence[float]],
    orientations: Optional[int],
    lesion: "Union[Mapping[str, ArrayLike], Sequence[str], str, None]",
) -> Life:
    """Implements :func:`arcuate.evaluate_life` with its options in a mapping."""
    dwi, table = series(dwi, gradients)
    inside = optional_volume(mask, "mask", dwi)
    native = tractogram(tracks)
    words = _life_words(options, eigenvalues, orientations, lesion)
    (weights, maps, figures), lesions = _arcuate.evaluate_life(
        told, native, dwi._volume(), table, inside, _groups(lesion, native), bool(options["refit"]), words
    )
    life = Life(weights, {name: Image._of(one) for name, one in maps.items()}, figures)
    life.lesions = lesions
    return life


def life_operator(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike],
    *,
    eigenvalues: Optional[Sequence[float]],
    orientations: Optional[int],
) -> "Tuple[_arcuate.Operator, NDArray[np.float64]]":
    """Returns the operator of LiFE and the signal that it models."""
    dwi, table = series(dwi, gradients)
    words = _life_words(options, eigenvalues, orientations)
    return _arcuate.life_operator(told, tractogram(tracks), dwi._volume(), table, optional_volume(mask, "mask", dwi), words)


def _commit(
    options: Mapping[str, Any],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike],
    peaks: Optional[ImageLike],
    confidence: Optional[ImageLike],
    orientations: "Union[int, str, None]",
) -> Tuple[Any, ...]:
    """Returns the inputs of COMMIT and its command line, for the library."""
    dwi, table = series(dwi, gradients)
    # If there are no groups of streamlines, λ can only be the strength of the lasso.
    penalty = None if options.get("lambda_") is None else "lasso"
    words = asked(
        "evaluate commit",
        {"orientations": orientations, "regularise": penalty, **options},
        {"dwi": True, "peaks": peaks, "confidence": confidence},
    )
    images = (optional_volume(mask, "mask", dwi), optional_volume(peaks, "peaks", dwi), optional_volume(confidence, "confidence", dwi))
    return (dwi._volume(), table, *images, words)


def evaluate_commit(
    told: _arcuate.Call, options: Mapping[str, Any], tracks: Any, dwi: ImageLike, gradients: Gradients, mask: Optional[ImageLike], **images: Any
) -> Commit:
    """Implements :func:`arcuate.evaluate_commit` with its options in a mapping."""
    explained = _commit(options, dwi, gradients, mask, **images)
    weights, maps, figures = _arcuate.evaluate_commit(told, tractogram(tracks), *explained)
    return Commit(weights, {name: Image._of(one) for name, one in maps.items()}, figures)


def commit_operator(
    told: _arcuate.Call, options: Mapping[str, Any], tracks: Any, dwi: ImageLike, gradients: Gradients, mask: Optional[ImageLike], **images: Any
) -> "Tuple[_arcuate.Operator, NDArray[np.float64]]":
    """Returns the operator of COMMIT and the samples that it models."""
    return _arcuate.commit_operator(told, tractogram(tracks), *_commit(options, dwi, gradients, mask, **images))
