"""Geodesic tracking through diffusion tensors."""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional

from . import _arcuate
from ._images import ImageLike, tensor_image, volume
from ._tracking import Tracks, followed


def track_geodesic(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    tensor: ImageLike,
    *,
    targets: Optional[Mapping[str, ImageLike]],
    **given: Any,
) -> Tracks:
    """Implements :func:`arcuate.track_geodesic` with its options in a mapping."""
    tensor = tensor_image(tensor)
    # The parser of the command requires targets with different names, so it gets placeholders.
    ends: Dict[str, Any] = {"targets": [f"array{n}" for n in range(len(targets))]} if targets else {}
    arrays, words = followed("track geodesic", {**options, **ends}, given, tensor, "array.trx")
    of_targets = [(os.fspath(name), volume(one, f"targets[{name!r}]", tensor)) for name, one in (targets or {}).items()]
    return Tracks._found(_arcuate.along_geodesics(told, tensor._volume(), arrays, of_targets, words))
