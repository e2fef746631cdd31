"""Folders of results that commands left."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List

from ._errors import InputError
from ._images import Image, PathLike, load_image

FORM = 1


class Results:
    """A folder of results: what its record says, and its images by name (read when they are asked for).

    ``title``, ``done`` (what was done, in words), ``command``, ``options``, ``choices``, ``figures`` (of name, value and unit),
    ``warnings``, ``seconds`` by step, ``references``, ``versions``; ``record`` is all of it.
    """

    def __init__(self, folder: str, record: Dict[str, Any]):
        self.folder = folder
        self.record = record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.record:
            return self.record[name]
        raise AttributeError(f"the record of {self.folder} has no {name}; it has {', '.join(self.record)}")

    @property
    def images(self) -> List[str]:
        """Names of the images in the folder."""
        endings = (".nii", ".nii.gz", ".mif", ".mif.gz")
        return sorted(name for name in os.listdir(self.folder) if name.endswith(endings))

    def __getitem__(self, name: str) -> Image:
        for file in self.images:
            if file == name or file.split(".")[0] == name:
                return load_image(os.path.join(self.folder, file))
        raise KeyError(f"{self.folder} has no image {name}; it has {', '.join(self.images)}")

    def __repr__(self) -> str:
        return f"<arcuate.Results {self.folder}: {self.record.get('title', '')}>"


def load(folder: PathLike) -> Results:
    """Opens a folder of results, by its record ``arcuate.json``.

    Parameters
    ----------
    folder : path
        A folder that a command wrote.
    """
    folder = os.fspath(folder)
    path = os.path.join(folder, "arcuate.json") if os.path.isdir(folder) else folder
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except FileNotFoundError:
        raise InputError(f"{folder}: it has no arcuate.json; give a folder that a command of Arcuate wrote") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: it cannot be read ({error}); give a folder that a command of Arcuate wrote") from None
    if not isinstance(record, dict) or "form" not in record:
        raise InputError(f"{path}: it is no record; give a folder that a command of Arcuate wrote")
    if record["form"] != FORM:
        raise InputError(f"{path}: it is a record of form {record['form']}, and this version reads form {FORM}; install a newer arcuate")
    return Results(os.path.dirname(path), record)
