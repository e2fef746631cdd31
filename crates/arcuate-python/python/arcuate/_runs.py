"""Runs of the whole pipeline, which write files."""

from __future__ import annotations

from typing import Any, Mapping

from ._commands import done
from ._images import PathLike
from ._records import Results


def run(options: Mapping[str, Any], dwi: PathLike, out: PathLike) -> Results:
    """Implements :func:`arcuate.run` with its options in a mapping."""
    return done("run", (dwi,), {"out": out, **options}, frames=4).results
