"""Fibre orientation distributions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from . import _arcuate
from ._arrays import numbers
from ._calls import call
from ._commands import asked
from ._errors import InputError
from ._fitting import Maps
from ._images import Gradients, Image, ImageLike, PathLike, optional_volume, series, volume

TISSUES = ("wm", "gm", "csf")


@dataclass
class Responses:
    """Response functions of tissues, ``{"wm": ..., "gm": ..., "csf": ...}``, or only of white matter (``wm``).

    Each response is an array of zonal coefficients with one row per shell, as in MRtrix's text format. ``voxels`` has the voxels
    from which each response was estimated.
    """

    tissues: Dict[str, NDArray[np.float64]]
    voxels: Dict[str, Image]

    def save(self, folder: PathLike) -> None:
        """Writes the responses as ``response_wm.txt`` and so on."""
        os.makedirs(folder, exist_ok=True)
        for tissue, rows in self.tissues.items():
            text = "".join(" ".join(repr(float(value)) for value in row) + "\n" for row in rows)
            with open(os.path.join(os.fspath(folder), f"response_{tissue}.txt"), "w", encoding="utf-8") as file:
                file.write(text)

    def __repr__(self) -> str:
        each = ", ".join(f"{tissue} {rows.shape[0]} shells to degree {2 * rows.shape[1] - 2}" for tissue, rows in self.tissues.items())
        return f"<arcuate.Responses {each}>"


class Distributions(Maps):
    """Result of spherical deconvolution.

    ``fod`` has the fibre orientation distributions (FODs) as MRtrix's spherical harmonics in scanner axes. ``gm`` and ``csf`` have
    the amounts of grey matter and cerebrospinal fluid, if the data can separate these tissues. ``peaks`` has x, y, z of up to three
    peaks per voxel, with the FOD amplitude as length. ``field`` is the intensity field, if the tissues were normalised.
    """


def estimate_responses(
    told: _arcuate.Call, options: Mapping[str, Any], dwi: ImageLike, gradients: Gradients, mask: Optional[ImageLike]
) -> Responses:
    """Implements :func:`arcuate.estimate_responses` with its options in a mapping."""
    dwi, table = series(dwi, gradients)
    words = asked("response", options, {})
    found = _arcuate.estimate_responses(told, dwi._volume(), table, optional_volume(mask, "mask", dwi), words)
    tissues = {tissue: _rows(rows) for tissue, (rows, _) in zip(TISSUES, found)}
    return Responses(tissues, {tissue: Image._of(one) for tissue, (_, one) in zip(TISSUES, found)})


def _rows(rows: List[List[float]]) -> NDArray[np.float64]:
    width = max(len(row) for row in rows)
    return np.array([[*row, *[0.0] * (width - len(row))] for row in rows])


def _responses(given: Any) -> Dict[str, NDArray[np.float64]]:
    if isinstance(given, Responses):
        return given.tissues
    if isinstance(given, (str, os.PathLike)):
        folder = os.fspath(given)
        if not os.path.isdir(folder):
            return {"wm": np.loadtxt(folder, ndmin=2)}
        paths = {tissue: os.path.join(folder, f"response_{tissue}.txt") for tissue in TISSUES}
        found = {tissue: np.loadtxt(path, ndmin=2) for tissue, path in paths.items() if os.path.exists(path)}
        if not found:
            raise InputError(f"responses: {folder} has no response_wm.txt; give a folder of `arcuate response`")
        return found
    if isinstance(given, Mapping):
        unknown = [tissue for tissue in given if tissue not in TISSUES]
        if unknown or "wm" not in given:
            raise InputError(f"responses: {', '.join(map(str, given))}; give wm, gm and csf, or wm alone")
        return {tissue: numbers(given[tissue], f"responses: {tissue}", np.float64) for tissue in TISSUES if tissue in given}
    return {"wm": numbers(given, "responses", np.float64)}


def fit_csd(
    told: _arcuate.Call,
    options: Mapping[str, Any],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike],
    *,
    responses: Any,
    peaks: int,
) -> Distributions:
    """Implements :func:`arcuate.fit_csd` with its options in a mapping."""
    dwi, table = series(dwi, gradients)
    given = _responses(responses)
    separable = _arcuate.told_apart(table, [TISSUES.index(tissue) for tissue in given])
    names = [TISSUES[number] for number in separable]
    rows = [(number, given[name].tolist()) for number, name in zip(separable, names)]
    words = asked("fit csd", options, {"responses": responses})
    found, field, maxima = _arcuate.fit_csd(told, dwi._volume(), table, optional_volume(mask, "mask", dwi), rows, peaks, words)
    maps = {} if field is None else {"field": Image._of(field)}
    maps["fod"] = Image._of(found[0])
    maps.update({name: Image._of(one) for name, one in zip(names[1:], found[1:])})
    maps["peaks"] = Image._of(maxima)
    return Distributions(maps)


def find_peaks(fod: ImageLike, mask: Optional[ImageLike] = None, *, number: int = 3, threads: Optional[int] = None) -> Image:
    """Finds the largest maxima of fibre orientation distributions.

    Parameters
    ----------
    fod : image
        Fibre orientation distributions with the axes (x, y, z, coefficients), as MRtrix's spherical harmonics.
    mask : image, optional
        Mask image of the voxels in which maxima are searched. Default: all voxels with a distribution.
    number : int
        Largest number of maxima in each voxel.

    Returns
    -------
    Image
        Image with the axes (x, y, z, 3 · number). The last axis has x, y, z of each maximum in scanner axes, with the amplitude as length.
        The largest maximum is first.
    """
    native = volume(fod, "fod")
    array = native.array()
    inside = volume((np.asarray(array[..., 0] != 0, dtype=np.float32), native.affine) if mask is None else mask, "mask", Image._of(native))
    return Image._of(_arcuate.find_peaks(call("cpu", threads=threads), native, inside, number))
