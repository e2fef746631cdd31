"""Tracking through tensors and FODs, and the arrays that all sources of tracking share."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Tuple

import numpy as np

from . import _arcuate
from ._arrays import numbers
from ._commands import ARRAY, asked
from ._errors import InputError
from ._images import Image, ImageLike, image, optional_volume, tensor_image, volume
from ._tractogram import Tractogram


class Tracks(Tractogram):
    """Streamlines from tracking. ``summary`` has the number of seeds, and the reasons for which streamlines were rejected."""

    __slots__ = ("summary",)
    summary: Dict[str, Any]

    @classmethod
    def _found(cls, found: Any) -> "Tracks":
        tracks = cls._of(found[0])
        tracks.summary = found[1]  # type: ignore[attr-defined]
        return tracks  # type: ignore[return-value]


# Arguments that accept one image or several images.
REGIONS = ("waypoints", "avoid", "stop", "stop_on_exit", "targets")

# Arguments whose images must have the grid of the tracked image. The five-tissue image may have another grid.
IMAGES = ("mask", "seed_mask", "seed_weights")


def _regions(given: Any, name: str, like: Image) -> List[_arcuate.Volume]:
    """Returns a list from one image or several images."""
    is_pair = isinstance(given, tuple) and len(given) == 2 and np.shape(given[1]) == (4, 4)
    if is_pair or isinstance(given, (str, os.PathLike, Image, np.ndarray)) or hasattr(given, "dataobj"):
        given = [given]
    return [volume(one, name, like) for one in given]


def _points(given: Any) -> Any:
    if given is None:
        return None
    points = numbers(given, "seed_points", np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise InputError(f"seed_points: their shape is {points.shape}; give (n, 3), RAS mm")
    return points.tolist()


def followed(
    command: str, options: Mapping[str, Any], given: Mapping[str, Any], like: Image, out: str = ARRAY
) -> Tuple[Dict[str, Any], List[str]]:
    """Returns the arrays of a tracking function and its command line, for the library."""
    regions = {name: _regions(given.get(name, ()), name, like) for name in REGIONS}
    arrays = {
        **{name: optional_volume(given.get(name), name, like) for name in IMAGES},
        **regions,
        "five_tissues": optional_volume(given.get("five_tissues"), "five_tissues"),
        "seed_points": _points(given.get("seed_points")),
        "seed_interface": bool(options.get("seed_interface", False)),
    }
    marks = {name: [ARRAY] * len(images) for name, images in regions.items() if images}
    files = {name: one for name, one in given.items() if name not in REGIONS}
    return arrays, asked(command, {**options, **marks}, files, out=out)


def track_tensor(told: _arcuate.Call, options: Mapping[str, Any], tensor: ImageLike, **given: Any) -> Tracks:
    """Implements :func:`arcuate.track_tensor` with its options in a mapping."""
    tensor = tensor_image(tensor)
    arrays, words = followed("track tensor", options, given, tensor, "array.trx")
    return Tracks._found(_arcuate.through_tensors(told, tensor._volume(), arrays, words))


def track_fod(told: _arcuate.Call, options: Mapping[str, Any], fod: ImageLike, **given: Any) -> Tracks:
    """Implements :func:`arcuate.track_fod` with its options in a mapping."""
    fod = image(fod, "fod")
    arrays, words = followed("track fod", options, given, fod, "array.trx")
    return Tracks._found(_arcuate.through_fods(told, fod._volume(), arrays, words))
