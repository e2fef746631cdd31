"""Track densities, values along streamlines, and connectomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers
from ._commands import asked
from ._errors import InputError
from ._images import Image, ImageLike, volume
from ._tractogram import tractogram


def _weights(weights: Optional[ArrayLike], tracks: Any) -> Any:
    if weights is None:
        return None
    array = numbers(weights, "weights", np.float64)
    if array.shape != (len(tracks),):
        raise InputError(f"weights: their shape is {array.shape}; give one for each of {len(tracks):,} streamlines")
    return array


def density(told: _arcuate.Call, options: Mapping[str, Any], tracks: Any, like: ImageLike, *, weights: Optional[ArrayLike]) -> Image:
    """Implements :func:`arcuate.density` with its options in a mapping."""
    native = tractogram(tracks)
    words = asked("density", options, {"like": like, "weights": weights})
    return Image._of(_arcuate.density(told, native, volume(like, "like"), _weights(weights, native), words))


def sample_along(told: _arcuate.Call, options: Mapping[str, Any], tracks: Any, given: ImageLike) -> NDArray[np.float32]:
    """Implements :func:`arcuate.sample_along` with its options in a mapping."""
    words = asked("sample", options, {}, places=2)
    return _arcuate.sample_along(told, tractogram(tracks), volume(given, "image"), words)


@dataclass
class Connectome:
    """Connections between regions, as symmetric matrices with a row and a column per region.

    ``count`` has the numbers of streamlines, ``weight`` the sums of their weights, and ``mean_length`` their mean lengths in mm.
    ``assignments`` has the two regions that each streamline connects, with 0 for no region.
    """

    regions: NDArray[np.uint64]
    names: List[str]
    count: NDArray[np.float64]
    weight: NDArray[np.float64]
    mean_length: NDArray[np.float64]
    assignments: NDArray[np.uint32]

    def _repr_html_(self) -> str:
        from ._pictures import Slice, table

        # Matrices are shown with the first row at the top.
        shown = {"count": self.count, "weight": self.weight, "mean_length": self.mean_length}
        return table(repr(self), {name: Slice(matrix.T[:, ::-1, None]) for name, matrix in shown.items()})

    def __repr__(self) -> str:
        joined = int((self.assignments[:, 0] > 0).sum())
        return f"<arcuate.Connectome of {len(self.regions)} regions, {joined:,} of {len(self.assignments):,} streamlines>"


def connectome(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    tracks: Any,
    labels: ImageLike,
    *,
    label_names: Optional[Mapping[int, str]],
    weights: Optional[ArrayLike],
) -> Connectome:
    """Implements :func:`arcuate.connectome` with its options in a mapping."""
    native = tractogram(tracks)
    names = {int(number): str(name) for number, name in (label_names or {}).items()}
    words = asked("connectome", options, {"labels": labels, "label_names": label_names, "weights": weights})
    regions, named, matrices, joined = _arcuate.make_connectome(
        told, native, volume(labels, "labels"), names, _weights(weights, native), words
    )
    return Connectome(np.array(regions, dtype=np.uint64), named, matrices["count"], matrices["weight"], matrices["mean_length"], joined)
