"""Folders of results written by commands."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Dict, List, Optional

from . import _arcuate
from ._calls import call
from ._errors import InputError
from ._images import Image, PathLike, load_image

FORM = 1


class Results:
    """A folder of results: its record, and its images by name. An image is read when it is first used.

    Attributes are ``title``, ``done`` (a description of the work), ``command``, ``options``, ``choices``, ``figures`` (name, value and
    unit), ``warnings``, ``seconds`` (by step), ``references`` and ``versions``. ``record`` is the complete record.
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
        """Names of the images in the folder of results."""
        endings = tuple(_arcuate.image_endings())
        return sorted(name for name in os.listdir(self.folder) if name.endswith(endings))

    def __getitem__(self, name: str) -> Image:
        for file in self.images:
            if file == name or file.split(".")[0] == name:
                return load_image(os.path.join(self.folder, file))
        raise KeyError(f"{self.folder} has no image {name}; it has {', '.join(self.images)}")

    def __repr__(self) -> str:
        return f"<arcuate.Results {self.folder}: {self.record.get('title', '')}>"


def load(folder: PathLike) -> Results:
    """Opens a folder of results by its record ``arcuate.json``, or a file with a record next to it.

    Parameters
    ----------
    folder : path
        A folder or a file that a command wrote, or a record (JSON file).
    """
    folder = os.fspath(folder)
    beside = folder + ".json"
    path = os.path.join(folder, "arcuate.json") if os.path.isdir(folder) else beside if os.path.exists(beside) else folder
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
    return Results(os.path.dirname(path) or ".", record)


class Page:
    """A report, with the path of its HTML page. Notebooks show the page."""

    def __init__(self, path: str):
        self.path = path

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            page = html.escape(file.read())
        return f'<iframe title="Report" style="width:100%;height:600px;border:0" srcdoc="{page}"></iframe>'

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<arcuate.Page {self.path}>"


def report(
    result: "Results | PathLike", out: Optional[PathLike] = None, *, anatomy: Optional[PathLike] = None
) -> Page:
    """Renders the report of a folder of results, like ``arcuate report``.

    Parameters
    ----------
    result : Results or path
        The folder of results, or the result of :func:`load` or :func:`run`.
    out : path, optional
        Path of the HTML page. Default: ``report.html`` in the folder of results.
    anatomy : path, optional
        Background image under the maps and streamlines in the report.
    """
    folder = result.folder if isinstance(result, Results) else os.fspath(result)
    paths = [None if path is None else os.fspath(path) for path in (out, anatomy)]
    return Page(os.fspath(_arcuate.report(call("cpu"), folder, *paths)))
