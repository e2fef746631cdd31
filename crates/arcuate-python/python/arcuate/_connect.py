"""Densities, values along streamlines, and connectomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers
from ._calls import call
from ._errors import InputError
from ._images import Image, ImageLike, image, volume
from ._tractogram import tractogram


def _weights(weights: Optional[ArrayLike], tracks: Any) -> Any:
    if weights is None:
        return None
    array = numbers(weights, "weights", np.float64)
    if array.shape != (len(tracks),):
        raise InputError(f"weights: their shape is {array.shape}; give one for each of {len(tracks):,} streamlines")
    return array


def density(
    tracks: Any,
    like: ImageLike,
    *,
    kind: str = "counts",
    by_length: bool = False,
    weights: Optional[ArrayLike] = None,
    threads: Optional[int] = None,
) -> Image:
    """Maps streamlines to the voxels that they pass, as ``arcuate density``.

    Parameters
    ----------
    tracks : Tractogram
        Arcuate's, nibabel's, DIPY's, a path, or a list of arrays.
    like : image
        The image whose grid the map has.
    kind : {"counts", "lengths", "directional"}
        How many pass, their mean length in mm, or the sum of their directions.
    by_length : bool
        Whether each counts with its length in the voxel.
    weights : array_like, optional
        What each streamline counts.
    """
    native = tractogram(tracks)
    done = call("cpu", threads=threads)
    return Image._of(_arcuate.density(done, native, volume(like, "like"), kind, by_length, _weights(weights, native)))


def sample_along(
    tracks: Any,
    given: ImageLike,
    *,
    statistic: Optional[str] = None,
    nearest: bool = False,
    threads: Optional[int] = None,
) -> NDArray[np.float32]:
    """Values of an image along streamlines, as ``arcuate sample``.

    Parameters
    ----------
    tracks : Tractogram
        Arcuate's, nibabel's, DIPY's, a path, or a list of arrays.
    given : image
        (x, y, z).
    statistic : {"mean", "median", "min", "max"}, optional
        One value of each streamline; by default one at each point.
    nearest : bool
        Whether values are those of the nearest voxel, and not between voxels.

    Returns
    -------
    array
        (points) or (streamlines).
    """
    done = call("cpu", threads=threads)
    return _arcuate.sample_along(done, tractogram(tracks), volume(given, "image"), statistic, nearest)


@dataclass
class Connectome:
    """Connections between regions: symmetric matrices ``count``, ``weight`` and ``mean_length`` (mm).

    ``assignments`` has the two regions that each streamline joins, zeros for none.
    """

    regions: NDArray[np.uint64]
    names: List[str]
    count: NDArray[np.float64]
    weight: NDArray[np.float64]
    mean_length: NDArray[np.float64]
    assignments: NDArray[np.uint32]

    def _repr_html_(self) -> str:
        from ._pictures import Slice, table

        # As matrices are read: the first row above.
        shown = {"count": self.count, "weight": self.weight, "mean_length": self.mean_length}
        return table(repr(self), {name: Slice(matrix.T[:, ::-1, None]) for name, matrix in shown.items()})

    def __repr__(self) -> str:
        joined = int((self.assignments[:, 0] > 0).sum())
        return f"<arcuate.Connectome of {len(self.regions)} regions, {joined:,} of {len(self.assignments):,} streamlines>"


def connectome(
    tracks: Any,
    labels: ImageLike,
    *,
    label_names: Optional[Mapping[int, str]] = None,
    weights: Optional[ArrayLike] = None,
    assignment: str = "radial",
    assignment_radius: Optional[float] = None,
    threads: Optional[int] = None,
) -> Connectome:
    """Connections that streamlines make between regions, as ``arcuate connectome``.

    Parameters
    ----------
    tracks : Tractogram
        Arcuate's, nibabel's, DIPY's, a path, or a list of arrays.
    labels : image
        Numbers of regions, 0 for none.
    label_names : mapping of int to str, optional
        Names of regions.
    weights : array_like, optional
        What each streamline counts.
    assignment : {"radial", "end-voxel", "reverse", "forward"}
        How an end finds its region.
    assignment_radius : float, optional
        How far that looks, in mm; 4 by default.

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=5, directions=6, b_value=1000)
    >>> ar.connectome(brain.truth, brain.labels)
    <arcuate.Connectome of 30 regions, 2,987 of 3,000 streamlines>
    """
    native = tractogram(tracks)
    names = {int(number): str(name) for number, name in (label_names or {}).items()}
    done = call("cpu", threads=threads)
    regions, named, matrices, joined = _arcuate.make_connectome(
        done, native, volume(labels, "labels"), names, _weights(weights, native), assignment, assignment_radius
    )
    return Connectome(np.array(regions, dtype=np.uint64), named, matrices["count"], matrices["weight"], matrices["mean_length"], joined)
