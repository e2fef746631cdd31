"""The dictionary of :mod:`arcuate.commit`: the streamlines, peaks and voxels to fit."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import flags, number, numbers, vector
from ._commit_calls import Options, is_file, neutral, verbosity
from ._errors import ArcuateWarning, InputError
from ._images import Image, PathLike, load_image
from ._tractogram import Tractogram, load_tractogram

FORM = 1
OWN_DICTIONARY = "arcuate_dictionary.json"
THEIR_DICTIONARY = "dictionary_IC_v.dict"


def _moved(tractogram: str, shift: NDArray[np.float64], affine: NDArray[np.float64]) -> Tractogram:
    """Returns the streamlines of a file, shifted by a number of voxels along each voxel axis."""
    tracks = load_tractogram(tractogram)
    return Tractogram(tracks.positions + (affine[:3, :3] @ shift).astype(np.float32), tracks.offsets)


def _flipped(peaks: Image, use_affine: bool, flips: NDArray[np.bool_]) -> Image:
    """Returns peaks along the voxel axes, with some axes flipped."""
    values = peaks.data.reshape(*peaks.shape[:3], -1, 3)
    if use_affine:
        axes = peaks.affine[:3, :3]
        values = values @ (axes / np.linalg.norm(axes, axis=0))
    return Image(np.where(flips, -values, values).reshape(peaks.shape), peaks.affine)


# This class has the name of a module of dmri-commit. It does not need a file of its own here.
class trk2dictionary:
    """``trk2dictionary.run`` selects the streamlines, peaks and voxels to fit."""

    @staticmethod
    def run(
        filename_tractogram: Optional[PathLike] = None,
        path_out: Optional[PathLike] = None,
        filename_peaks: Optional[PathLike] = None,
        filename_mask: Optional[PathLike] = None,
        filename_iso_mask: Optional[PathLike] = None,
        do_intersect: bool = True,
        fiber_shift: Union[float, Sequence[float]] = 0,
        min_seg_len: float = 1e-3,
        min_fiber_len: float = 0.0,
        max_fiber_len: float = 250.0,
        vf_THR: float = 0.1,
        peaks_use_affine: bool = False,
        flip_peaks: Sequence[bool] = (False, False, False),
        blur_clust_groupby: Optional[Any] = None,
        blur_clust_thr: float = 0,
        blur_spacing: float = 0.25,
        blur_core_extent: float = 0.0,
        blur_gauss_extent: float = 0.0,
        blur_gauss_min: float = 0.1,
        blur_apply_to: Optional[ArrayLike] = None,
        TCK_ref_image: Optional[PathLike] = None,
        ndirs: int = 500,
        n_threads: Optional[int] = -1,
        keep_temp: bool = False,
        verbose: int = 1,
    ) -> None:
        """Writes a folder that describes what to fit. :meth:`Evaluation.load_dictionary` reads this folder.

        The folder stores the paths of the files, not copies. The files must stay in place, or be moved together with the folder.

        Parameters
        ----------
        filename_tractogram : path
            Tractogram with the streamlines to fit, in any format that Arcuate reads.
        path_out : path, optional
            Folder to write. Default: ``COMMIT`` next to the tractogram.
        filename_peaks : path, optional
            Image of peaks with the axes (x, y, z, 3 × peaks): the directions of extra-axonal compartments. Without this file there
            are no such compartments.
        filename_mask : path, optional
            Mask image of the voxels to fit. Default: all voxels that streamlines pass.
        fiber_shift : float or (3) float
            Shifts streamlines by this number of voxels along each voxel axis. As in dmri-commit, 0.5 leaves the streamlines of a ``.tck``
            file where they were tracked, and 0 those of other files. Other values give a warning.
        min_seg_len : float
            Length of streamline segments in mm. Segments that are not longer than this are ignored.
        min_fiber_len, max_fiber_len : float
            Smallest and largest length of a streamline in mm. Streamlines with other lengths get the weight 0.
        vf_THR : float
            Smallest length of a peak, as a fraction of the length of the longest peak in its voxel. Shorter peaks are ignored.
        peaks_use_affine : bool
            True if peaks are in scanner axes, False if they are in voxel axes.
        flip_peaks : (3) bool
            Voxel axes along which peaks are flipped.
        blur_spacing, blur_core_extent, blur_gauss_extent, blur_gauss_min : float
            These numbers blur streamlines: each streamline is replaced by parallel copies on a grid of the spacing ``blur_spacing``
            (mm). Copies within the distance ``blur_core_extent`` (mm) from the streamline have equal weights. In a border of the
            width ``blur_gauss_extent`` (mm), the weights decrease to the fraction ``blur_gauss_min`` of these equal weights.
        TCK_ref_image : path, optional
            Image whose voxel size is the unit of ``fiber_shift``. Default: the image of the peaks or of the mask.
        ndirs : int
            Number of fibre orientations for which the table of responses is computed, from 6 to 65,536. For models without
            directions, 1.
        n_threads : int
            Number of threads of the fit, unless :meth:`Evaluation.set_threads` sets it; -1 for all.
        verbose : int
            Verbosity; 0 suppresses warnings.
        """
        verbose = verbosity(verbose)
        if filename_tractogram is None:
            raise InputError("filename_tractogram: it is missing; give the file of the streamlines")
        tractogram = is_file("filename_tractogram", filename_tractogram)
        names = {"peaks": filename_peaks, "mask": filename_mask, "TCK_ref_image": TCK_ref_image}
        files = {
            name: is_file(name if name == "TCK_ref_image" else f"filename_{name}", path)
            for name, path in names.items()
            if path is not None
        }
        neutral("filename_iso_mask", filename_iso_mask, None, "every voxel has isotropic compartments")
        neutral("do_intersect", do_intersect, True, "streamlines are cut at the faces of voxels")
        neutral("blur_clust_groupby", blur_clust_groupby, None, "streamlines are not clustered")
        neutral("blur_clust_thr", blur_clust_thr, 0, "streamlines are not clustered")
        neutral("keep_temp", keep_temp, False, "there are no temporary files")
        if blur_apply_to is not None:
            blurred = bool(np.all(numbers(blur_apply_to, "blur_apply_to", np.int64)))
            neutral("blur_apply_to", blurred, True, "all streamlines are blurred alike")
        if ndirs != 1 and not 6 <= ndirs <= 65536:
            raise InputError(f"ndirs: {ndirs} orientations make no table; give 6 to 65536, or 1 for a model without directions")
        if n_threads is not None and n_threads != -1 and n_threads < 1:
            raise InputError(f"n_threads: {n_threads} threads cannot be; give 1 or more, or -1 for all")
        given, flips = vector(fiber_shift, "fiber_shift"), flags(flip_peaks, "flip_peaks", 3)
        if given.shape not in ((1,), (3,)):
            raise InputError(f"fiber_shift: its shape is {given.shape}; give one for each of x, y and z")
        if flips.any() and filename_peaks is None:
            raise InputError("flip_peaks: there are no peaks; give filename_peaks, or leave it out")

        folder = os.path.join(os.path.dirname(tractogram), "COMMIT") if path_out is None else os.fspath(path_out)
        if os.path.exists(os.path.join(folder, THEIR_DICTIONARY)):
            raise InputError(f"path_out: {folder} has a dictionary of dmri-commit; give another folder, or remove it")
        usual = 0.5 if tractogram.lower().endswith((".tck", ".tck.gz")) else 0.0
        shift = np.broadcast_to(given - usual, 3)
        reference = files.get("TCK_ref_image") or files.get("peaks") or files.get("mask")
        if shift.any() and reference is None:
            raise InputError("fiber_shift: the voxel size is not known; give TCK_ref_image, or filename_mask")
        options: Options = {
            "min_segment": number(min_seg_len, "min_seg_len"),
            "min_length": number(min_fiber_len, "min_fiber_len"),
            "max_length": number(max_fiber_len, "max_fiber_len"),
            "blur_spacing": number(blur_spacing, "blur_spacing"),
            "blur_core_extent": number(blur_core_extent, "blur_core_extent"),
            "blur_gauss_extent": number(blur_gauss_extent, "blur_gauss_extent"),
            "blur_gauss_min": number(blur_gauss_min, "blur_gauss_min"),
        }
        os.makedirs(folder, exist_ok=True)
        if reference is not None and shift.any():
            if verbose > 0:
                warnings.warn(
                    f"fiber_shift: with {usual:g} the streamlines of {tractogram} would lie where they were tracked; they are moved "
                    f"by {', '.join(f'{part:g}' for part in shift)} voxels",
                    ArcuateWarning,
                    stacklevel=2,
                )
            moved = os.path.join(folder, "arcuate_streamlines.tck")
            _moved(tractogram, shift, load_image(reference).affine).save(moved)
            tractogram = moved
        frame = "scanner" if peaks_use_affine else "image"
        if flips.any() and "peaks" in files:
            flipped = os.path.join(folder, "arcuate_peaks.nii.gz")
            _flipped(load_image(files["peaks"]), peaks_use_affine, flips).save(flipped)
            files["peaks"], frame = flipped, "image"
        noted = {
            "form": FORM,
            "tractogram": os.path.relpath(tractogram, folder),
            "bytes": os.path.getsize(tractogram),
            "mask": os.path.relpath(files["mask"], folder) if "mask" in files else None,
            "peaks": os.path.relpath(files["peaks"], folder) if "peaks" in files else None,
            "of_peaks": {"peaks_frame": frame, "peak_threshold": float(vf_THR)},
            "ndirs": int(ndirs),
            "threads": None if n_threads is None or n_threads == -1 else int(n_threads),
            "options": options,
        }
        with open(os.path.join(folder, OWN_DICTIONARY), "w", encoding="utf-8") as file:
            json.dump(noted, file, indent=1)


class Dictionary:
    """The dictionary to fit, written by :class:`trk2dictionary` or by dmri-commit."""

    def __init__(self, folder: str):
        own, theirs = (os.path.join(folder, name) for name in (OWN_DICTIONARY, THEIR_DICTIONARY))
        self.folder = folder
        self.ours = os.path.exists(own)
        if not self.ours and not os.path.exists(theirs):
            raise InputError(f"{folder}: the folder has no dictionary; call trk2dictionary.run, or give the folder as dictionary_path")
        if self.ours and os.path.exists(theirs):
            raise InputError(f"{folder}: dmri-commit has written there, too; remove {OWN_DICTIONARY} or its dictionary_*.dict")
        self.options: Options = {}
        self.of_peaks: Options = {}
        self.ndirs: Optional[int] = None
        self.threads: Optional[int] = None
        self.tractogram: Optional[str] = None
        if not self.ours:
            self.has_peaks = os.path.getsize(os.path.join(folder, "dictionary_EC_v.dict")) > 0
            return
        try:
            with open(own, encoding="utf-8") as file:
                noted = json.load(file)
        except (OSError, ValueError) as error:
            raise InputError(f"{own}: it cannot be read ({error}); call trk2dictionary.run again") from None
        if not isinstance(noted, dict) or noted.get("form") != FORM:
            raise InputError(f"{own}: this version does not know its form; call trk2dictionary.run again")
        files = {name: noted[name] and os.path.normpath(os.path.join(folder, noted[name])) for name in ("tractogram", "mask", "peaks")}
        for name, path in files.items():
            if path is not None:
                is_file(f"{own}, {name}", path)
        if os.path.getsize(files["tractogram"]) != noted["bytes"]:
            raise InputError(f"{files['tractogram']}: it has changed since trk2dictionary.run; call that again")
        self.tractogram = files["tractogram"]
        self.has_peaks = files["peaks"] is not None
        self.options = {**noted["options"], "mask": files["mask"]}
        self.of_peaks = {"peaks": files["peaks"], **noted["of_peaks"]}
        self.ndirs, self.threads = noted["ndirs"], noted["threads"]

    def directions(self, ndirs: int, work: str) -> str:
        """Returns the file of the directions to which the numbers in a dictionary of dmri-commit refer."""
        path = os.path.join(self.folder, "directions.txt")
        if os.path.exists(path):
            return path
        try:
            from importlib import import_module

            directions = import_module("amico.lut").load_directions(ndirs)
        except ImportError:
            write = f"import amico.lut, numpy; numpy.savetxt('{path}', amico.lut.load_directions({ndirs}))"
            raise InputError(f'{path}: there are no directions of the dictionary; where AMICO is, say python -c "{write}"') from None
        path = os.path.join(work, "directions.txt")
        np.savetxt(path, directions, fmt="%.17g")
        return path
