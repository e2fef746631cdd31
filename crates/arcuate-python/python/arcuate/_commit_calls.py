"""Functions that all parts of :mod:`arcuate.commit` use: running the command, and rejecting unsupported arguments."""

from __future__ import annotations

import os
import warnings
from typing import Any, Dict, Optional

import numpy as np

from . import commands
from ._errors import ArcuateWarning, InputError
from ._images import PathLike
from ._records import Results

Options = Dict[str, Any]
"""Keywords of :func:`arcuate.commands.evaluate_commit`."""


def evaluate(tractogram: Optional[str], out: str, options: Options, verbose: int) -> Results:
    """Runs ``arcuate evaluate commit``."""
    with warnings.catch_warnings():
        if verbose == 0:
            warnings.simplefilter("ignore", ArcuateWarning)
        return commands.evaluate_commit(tractogram, out=out, force=True, **options).results


def neutral(name: str, value: Any, usual: Any, why: str) -> None:
    """Raises an error if an argument requests an unsupported feature; ``usual`` is its neutral value."""
    if not np.array_equal(value, usual):
        raise InputError(f"{name}: {why}; leave it at {usual}")


def is_file(name: str, path: PathLike) -> str:
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise InputError(f"{name}: there is no file {path}; give one that is there")
    return path


def verbosity(verbose: int) -> int:
    if verbose not in range(5):
        raise InputError(f"verbose: {verbose} is none of 0 to 4; give 0 for errors alone, 1 or more for warnings")
    return verbose
