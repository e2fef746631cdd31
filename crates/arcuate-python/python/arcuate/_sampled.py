"""Tracking with samples of fibre orientations: streamlines, and maps of the voxels they pass."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _arcuate
from ._calls import call
from ._commands import asked
from ._images import Gradients, Image, ImageLike, PathLike, image, optional_volume, series, volume
from ._tracking import Tracks, followed


@dataclass(frozen=True)
class Orientations:
    """Fibre orientations for tracking: posterior samples, peaks, or refits."""

    _native: _arcuate.Orientations

    @property
    def fibres(self) -> int:
        """Largest number of fibres in a voxel."""
        return self._native.fibres

    @property
    def samples(self) -> int:
        """Number of samples in each voxel."""
        return self._native.samples

    def peaks(self) -> Image:
        """Returns the mean direction of each fibre as x, y, z in scanner axes, with the mean fraction as length."""
        return Image._of(self._native.peaks(call("cpu")))

    def __reduce__(self) -> Tuple[Any, ...]:
        mask, samples, fibres = self._native.parts()
        return _restored_orientations, (Image._of(mask), samples, fibres)

    def __repr__(self) -> str:
        return f"<arcuate.Orientations of up to {self.fibres} fibres, {self.samples} samples each>"


def _restored_orientations(mask: Image, samples: int, fibres: List[NDArray[np.uint64]]) -> Orientations:
    """Restores orientations from a pickle or a copy."""
    return Orientations(_arcuate.Orientations.of_parts(mask._volume(), samples, fibres))


def load_samples(folder: PathLike, *, fibres: Sequence[str] = (), mask: Optional[PathLike] = None) -> Orientations:
    """Reads samples of fibre orientations from a folder of bedpostX or of ``arcuate fit --method mcmc``.

    Parameters
    ----------
    folder : path
        Folder of the samples.
    fibres : sequence of str
        For the folder of a fit: names of the orientation parameter and the fraction parameter of each fibre, such as ``"n1=f1"``.
        Default: the names are found automatically.
    mask : path, optional
        Mask image of the voxels to use, instead of bedpostX's own mask.
    """
    path = None if mask is None else os.fspath(mask)
    return Orientations(_arcuate.load_samples(call("cpu"), os.fspath(folder), list(fibres), path))


def peaks_as_orientations(peaks: ImageLike, mask: Optional[ImageLike] = None) -> Orientations:
    """Converts an image of peaks to fibre orientations.

    Along its last axis, the image has x, y, z of each peak in scanner axes. The length of a peak is the fibre fraction.
    """
    like = image(peaks, "peaks")
    return Orientations(_arcuate.peaks_as_orientations(call("cpu"), like._volume(), optional_volume(mask, "mask", like)))


def refits_as_orientations(
    told: _arcuate.Call, options: Mapping[str, Any], dwi: ImageLike, gradients: Gradients, mask: ImageLike
) -> Orientations:
    """Implements :func:`arcuate.refits_as_orientations` with its options in a mapping."""
    dwi, table = series(dwi, gradients)
    words = asked("track bootstrap", options, {"mask": mask})
    return Orientations(_arcuate.refits_as_orientations(told, dwi._volume(), table, volume(mask, "mask", dwi), words))


def _orientations(samples: "Union[Orientations, PathLike]") -> Orientations:
    return samples if isinstance(samples, Orientations) else load_samples(samples)


def track_samples(
    told: _arcuate.Call, options: Mapping[str, Any], samples: "Union[Orientations, PathLike]", **given: Any
) -> Tracks:
    """Implements :func:`arcuate.track_samples` with its options in a mapping."""
    orientations = _orientations(samples)
    chosen = {**options, "products": ["streamlines"]}
    arrays, words = followed("track samples", chosen, given, orientations.peaks(), "array.trx")
    return Tracks._found(_arcuate.through_samples(told, orientations._native, arrays, words))


@dataclass
class Visits:
    """Maps of the streamlines in each voxel. ``visits`` has their number, and ``normalised`` this number as a fraction of all
    streamlines.

    If requested, ``lengths`` has the mean path length from the seeds in mm, and ``by_length`` the visits times this length.
    For each target region, ``target_counts`` has the number of streamlines from each seed that pass the target: an image, or an
    array if the seeds are points.
    """

    visits: Image
    normalised: Image
    lengths: Optional[Image]
    by_length: Optional[Image]
    target_counts: "List[Union[Image, NDArray[np.uint32]]]"
    summary: Dict[str, Any]

    def _repr_html_(self) -> str:
        from ._pictures import table

        return table(repr(self), {"normalised": self.normalised})

    def __repr__(self) -> str:
        return f"<arcuate.Visits of {self.summary['streamlines']:,} streamlines from {self.summary['seeds']:,} seeds>"


def map_visits(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    samples: "Union[Orientations, PathLike]",
    *,
    lengths: bool,
    **given: Any,
) -> Visits:
    """Implements :func:`arcuate.map_visits` with its options in a mapping."""
    orientations = _orientations(samples)
    products = ["visits", "lengths"] if lengths else ["visits"]
    arrays, words = followed("track samples", {**options, "products": products}, given, orientations.peaks())
    found = _arcuate.map_visits(told, orientations._native, arrays, words)
    maps = {name: Image._of(found[name]) if name in found else None for name in ("visits", "normalised", "lengths", "by_length")}
    counts: "List[Union[Image, NDArray[np.uint32]]]" = [Image._of(one) for one in found["target_counts"]]
    counts += [np.array(one, dtype=np.uint32) for one in found["target_counts_of_points"]]
    return Visits(**maps, target_counts=counts, summary=found["summary"])  # type: ignore[arg-type]
