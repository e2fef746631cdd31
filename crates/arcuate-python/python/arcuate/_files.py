"""Paths and file objects as inputs."""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from contextlib import contextmanager
from typing import Any, Iterator

from ._errors import InputError

# For each file format, the bytes at the start of its files, and its file name ending.
BEGINNINGS = ((b"mrtrix image", ".mif"), (b"mrtrix tracks", ".tck"), (b"TRACK", ".trk"), (b"PK", ".trx"))


def _ending(beginning: bytes) -> str:
    if beginning[:2] == b"\x1f\x8b":
        try:
            inside = zlib.decompressobj(wbits=31).decompress(beginning, 64)
        except zlib.error:
            inside = b""
        known = {".mif": b"mrtrix image", ".tck": b"mrtrix tracks", ".trk": b"TRACK"}
        return next((ending for ending, word in known.items() if inside.startswith(word)), ".nii") + ".gz"
    return next((ending for known, ending in BEGINNINGS if beginning.startswith(known)), ".nii")


@contextmanager
def path_of(given: Any, name: str) -> Iterator[str]:
    """Yields the path of a file. For a file object, yields the path of a temporary copy of the rest of its contents."""
    if isinstance(given, (str, os.PathLike)):
        yield os.fspath(given)
        return
    beginning = given.read(4096)
    if not isinstance(beginning, bytes):
        raise InputError(f"{name}: it is open as text; open it in binary mode, \"rb\"")
    with tempfile.NamedTemporaryFile(suffix=_ending(beginning)) as file:
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
