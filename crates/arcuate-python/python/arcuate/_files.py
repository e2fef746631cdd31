"""Paths and file objects as inputs."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import Any, Iterator

from . import _arcuate
from ._errors import InputError


@contextmanager
def path_of(given: Any, name: str) -> Iterator[str]:
    """Yields the path of a file. For a file object, yields the path of a temporary copy of the rest of its contents."""
    if isinstance(given, (str, os.PathLike)):
        yield os.fspath(given)
        return
    beginning = given.read(4096)
    if not isinstance(beginning, bytes):
        raise InputError(f"{name}: it is open as text; open it in binary mode, \"rb\"")
    with tempfile.NamedTemporaryFile(suffix=_arcuate.ending_of_data(beginning) or ".nii") as file:
        file.write(beginning)
        shutil.copyfileobj(given, file)
        file.flush()
        try:
            yield file.name
        except InputError as error:
            # The error must not name the path of the temporary copy, because users do not know it.
            raise type(error)(str(error).replace(file.name, name)) from None


def is_file(given: Any) -> bool:
    """Returns True for a path or a file object."""
    return isinstance(given, (str, os.PathLike)) or callable(getattr(given, "read", None))
