"""Fibre orientation distributions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import numbers
from ._calls import Progress, call
from ._errors import InputError
from ._fitting import Maps, _inside
from ._images import Gradients, Image, ImageLike, PathLike, series, volume

TISSUES = ("wm", "gm", "csf")


@dataclass
class Responses:
    """What the signal of each tissue is: ``{"wm": ..., "gm": ..., "csf": ...}``, or white matter's alone.

    Each has a row of zonal coefficients for each shell (MRtrix's text format). ``voxels`` are those that each is from.
    """

    tissues: Dict[str, NDArray[np.float64]]
    voxels: Dict[str, Image]

    def save(self, folder: PathLike) -> None:
        """Writes ``response_wm.txt`` and so on."""
        os.makedirs(folder, exist_ok=True)
        for tissue, rows in self.tissues.items():
            text = "".join(" ".join(repr(float(value)) for value in row) + "\n" for row in rows)
            with open(os.path.join(os.fspath(folder), f"response_{tissue}.txt"), "w", encoding="utf-8") as file:
                file.write(text)

    def __repr__(self) -> str:
        each = ", ".join(f"{tissue} {rows.shape[0]} shells to degree {2 * rows.shape[1] - 2}" for tissue, rows in self.tissues.items())
        return f"<arcuate.Responses {each}>"


class Distributions(Maps):
    """Fibre orientation distributions ``fod`` (MRtrix's spherical harmonics, scanner axes), amounts of ``gm`` and ``csf`` where they are told
    apart, ``peaks`` (x, y, z of up to three, as long as their amplitudes), and ``field`` where tissues were brought to one scale."""


def estimate_responses(
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: Optional[str] = None,
    voxels: Optional[int] = None,
    order: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Responses:
    """Estimates response functions from a series itself, as ``arcuate response``.

    Parameters
    ----------
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image, optional
        The voxels, where it is not 0; found in the series by default.
    method : {"single-fibre", "tissues"}, optional
        Whose responses; of three tissues where the series has several shells by default.
    voxels : int, optional
        Voxels that the response of single fibres is from; 300 by default.
    order : int, optional
        The highest degree of white matter's; 10 by default.

    References
    ----------
    Tournier JD et al. (2013), doi:10.1002/nbm.3017; Dhollander T et al. (2016).
    """
    dwi, table = series(dwi, gradients)
    native = dwi._volume()
    inside = _inside(mask, dwi, native, table, threads)
    told = call("cpu", threads=threads, progress=progress)
    found = _arcuate.estimate_responses(told, native, table, inside, method, voxels, order)
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
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    responses: Union[Responses, Mapping[str, ArrayLike], ArrayLike, PathLike],
    order: Optional[int] = None,
    normalise: bool = False,
    peaks: int = 3,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Distributions:
    """Finds fibre orientation distributions by constrained spherical deconvolution, as ``arcuate fit csd``.

    Parameters
    ----------
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image, optional
        The voxels, where it is not 0; found in the series by default.
    responses : Responses, mapping, array or path
        Those of :func:`estimate_responses`, a folder of them, or rows of zonal coefficients by tissue. Of more than the series can
        tell apart fluid is kept before grey matter.
    order : int, optional
        The highest degree of the distributions; that of the response up to 8 by default.
    normalise : bool
        Whether tissues are brought to one scale across the brain.
    peaks : int
        How many peaks of each voxel.

    References
    ----------
    Tournier JD et al. (2007), doi:10.1016/j.neuroimage.2007.02.016; Jeurissen B et al. (2014), doi:10.1016/j.neuroimage.2014.07.061.
    """
    dwi, table = series(dwi, gradients)
    native = dwi._volume()
    inside = _inside(mask, dwi, native, table, threads)
    given = _responses(responses)
    numbers = _arcuate.told_apart(table, [TISSUES.index(tissue) for tissue in given])
    names = [TISSUES[number] for number in numbers]
    if normalise and len(names) < 2:
        raise InputError("normalise: there is one tissue, which has no other to be balanced with; leave it out")
    told = call(device, device_memory, threads, 0, progress)
    rows = [(number, given[name].tolist()) for number, name in zip(numbers, names)]
    found, _, _ = _arcuate.fit_csd(told, native, table, inside, rows, order)
    maps = {}
    if normalise:
        found, field, _ = _arcuate.normalise(call("cpu", threads=threads), found, inside)
        maps["field"] = Image._of(field)
    maps["fod"] = Image._of(found[0])
    maps.update({name: Image._of(one) for name, one in zip(names[1:], found[1:])})
    maps["peaks"] = Image._of(_arcuate.find_peaks(call("cpu", threads=threads), found[0], inside, peaks))
    return Distributions(maps)


def find_peaks(fod: ImageLike, mask: Optional[ImageLike] = None, *, number: int = 3, threads: Optional[int] = None) -> Image:
    """The largest maxima of distributions.

    Parameters
    ----------
    fod : image
        (x, y, z, coefficients), MRtrix's spherical harmonics.
    mask : image, optional
        The voxels; all that have a distribution by default.
    number : int
        How many of each voxel.

    Returns
    -------
    Image
        (x, y, z, 3 · number): x, y, z of each in scanner axes, as long as its amplitude, the largest first.
    """
    native = volume(fod, "fod")
    array = native.array()
    inside = volume((np.asarray(array[..., 0] != 0, dtype=np.float32), native.affine) if mask is None else mask, "mask", Image._of(native))
    return Image._of(_arcuate.find_peaks(call("cpu", threads=threads), native, inside, number))
