"""COMMIT with the interface of dmri-commit, computed by ``arcuate evaluate commit``.

A script for dmri-commit works after two lines are changed, and its results have the same file names:

>>> import arcuate.commit as commit
>>> from arcuate.commit import trk2dictionary

Names, arguments, defaults and units are those of dmri-commit 2.4: diffusivities mm²/s, radii m. If both fits are near
the minimum, weights and maps agree with those of dmri-commit. The page on COMMIT lists the differences. An argument that has no effect here
raises an error, unless it has its neutral value.

The dictionary folder contains only a short description, because streamlines are cut during the fit. Response functions are computed for
each direction and not stored in a folder.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import warnings
import weakref
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import flags, vector
from ._commit_calls import Options, evaluate, is_file, neutral, verbosity
from ._commit_dictionary import Dictionary, trk2dictionary
from ._commit_models import MODELS, Model
from ._commit_penalties import Penalty
from ._errors import ArcuateWarning, InputError
from ._images import Image, PathLike, load_image
from ._records import Results

__all__ = ["Evaluation", "fsl2scheme", "setup", "trk2dictionary"]

# Settings of ``set_config``. For each: its default, and the option of the command that selects the other value.
SETTINGS = {
    "doNormalizeSignal": (True, "no_normalise_signal"),
    "doMergeB0": (False, "merge_b0"),
    "doNormalizeKernels": (True, "no_normalise_kernels"),
    "doDemean": (False, "demean"),
    "doNormalizeMaps": (False, None),
}

LACKING = {
    "A": "the operator is arcuate.operators.commit",
    "DICTIONARY": "segments are cut in the fit",
    "KERNELS": "responses are computed in the fit",
    "get_temp_data": "there is none",
    "get_y": "arcuate.operators.commit answers it with the operator",
    "niiDWI": "load the series by arcuate.load_image",
    "niiDWI_img": "load the series by arcuate.load_image",
    "scheme": "load the series by arcuate.load_series",
    "set_wLasso_ISO": "a penalty is the same in all voxels; set_regularisation has one",
    "x": "get_coeffs has the amounts",
    "x_nnls": "get_coeffs has the amounts of the last fit",
}


def setup(lmax: int = 12) -> None:
    """Does nothing. In dmri-commit, this function prepares the rotation of responses. Here, responses are not rotated.

    Parameters
    ----------
    lmax : int
        Must be 12, the default of dmri-commit.
    """
    neutral("lmax", lmax, 12, "responses are computed for each direction and not rotated")


def fsl2scheme(
    bvalsFilename: PathLike,
    bvecsFilename: PathLike,
    schemeFilename: Optional[PathLike] = None,
    flipAxes: Sequence[bool] = (False, False, False),
    bStep: Union[float, Sequence[float]] = 1.0,
    delimiter: Optional[str] = None,
) -> str:
    """Writes FSL's b-values and directions as one Camino scheme, like ``amico.util.fsl2scheme``.

    Directions in a scheme are in voxel axes. FSL's directions have x negated if the affine of the image has a positive determinant. For
    such an image, flip x.

    Parameters
    ----------
    bvalsFilename, bvecsFilename : path
        Files of the b-values in s/mm² (one per measurement) and of the gradient directions (3, measurements).
    schemeFilename : path, optional
        Path of the scheme. Default: the path of the b-values with the ending ``.scheme``.
    flipAxes : (3) bool
        True for each axis along which the directions are flipped.
    bStep : float or sequence of float
        Step for rounding. b-values are rounded to multiples of this number, or to the nearest of several numbers.
    delimiter : str, optional
        Separator of the numbers in the files. Default: white space.

    Returns
    -------
    str
        Path of the scheme.

    Examples
    --------
    >>> import tempfile, pathlib, arcuate.commit
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "dwi.bval").write_text("0 1001"), (folder / "dwi.bvec").write_text("0 1\\n0 0\\n0 0")
    >>> scheme = arcuate.commit.fsl2scheme(folder / "dwi.bval", folder / "dwi.bvec", flipAxes=[True, False, False], bStep=10)
    >>> pathlib.Path(scheme).read_text().split()[-4:]
    ['-1.000000', '0.000000', '0.000000', '1000.000000']
    """
    tables = []
    for name, path in (("bvalsFilename", bvalsFilename), ("bvecsFilename", bvecsFilename)):
        try:
            tables.append(np.loadtxt(is_file(name, path), delimiter=delimiter, ndmin=2))
        except ValueError as error:
            raise InputError(f"{os.fspath(path)}: it is no table of numbers ({error}); give FSL's file") from None
    b, directions = tables[0].ravel(), tables[1]
    if directions.shape != (3, len(b)):
        raise InputError(f"bvecsFilename: its shape is {directions.shape}; give (3, {len(b)}), a column for each b-value")
    flips = flags(flipAxes, "flipAxes", 3)
    steps = vector(bStep, "bStep")
    if not (steps >= 0).all() or (steps.size == 1 and steps[0] == 0) or steps.size == 0:
        raise InputError(f"bStep: {bStep} is no step; give a number above 0, or b-values of shells")
    if np.ndim(bStep) == 0:
        b = np.round(b / steps[0]) * steps[0]
    else:
        b = steps[np.abs(b[:, None] - steps).argmin(axis=1)]
    directions = np.where(flips[:, None], -directions, directions)
    scheme = os.path.splitext(os.fspath(bvalsFilename))[0] + ".scheme" if schemeFilename is None else os.fspath(schemeFilename)
    np.savetxt(scheme, np.vstack([directions, b]).T, fmt="%.06f", delimiter="\t", header="VERSION: BVECTOR", comments="")
    return scheme


class _Folder:
    """A temporary folder, which is removed together with this object."""

    def __init__(self, parent: str):
        self.path = tempfile.mkdtemp(prefix="arcuate-", dir=parent)
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass
class _Fit:
    """A finished fit: its settings and its results, in a temporary folder that is removed together with this object."""

    results: Results
    options: Options
    model: Model
    dictionary: Dictionary
    work: _Folder


class NotHere(InputError, AttributeError):
    """Error for an attribute of dmri-commit's class that is not available here."""



class Evaluation:
    """An evaluation with COMMIT.

    ``CONFIG`` has the settings, and ``model`` the forward model after :meth:`set_model`. ``device`` selects the device of the fit:
    ``"auto"`` uses the first GPU, if there is one.

    Parameters
    ----------
    study_path : path
        Folder of all subjects.
    subject : path
        Folder of this subject in ``study_path``. File names are relative to this folder.
    dictionary_path : path
        Folder of the dictionary, relative to the folder of the subject.

    Examples
    --------
    >>> import os, tempfile, arcuate as ar, arcuate.commit as commit
    >>> study = tempfile.mkdtemp()
    >>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000, streamlines_per_bundle=6)
    >>> brain.dwi.save(f"{study}/dwi.nii.gz")
    >>> brain.truth.save(f"{study}/tracks.trx", reference=brain.dwi)
    >>> directions = brain.gradients.directions  # along the axes of the voxels, too, which are those of the scanner here
    >>> table = [f"{x:f} {y:f} {z:f} {b:f}" for (x, y, z), b in zip(directions, brain.gradients.b_values)]
    >>> _ = open(f"{study}/dwi.scheme", "w").write("\\n".join(["VERSION: BVECTOR", *table]))
    >>> commit.trk2dictionary.run(f"{study}/tracks.trx")
    >>> mit = commit.Evaluation(study, ".")
    >>> mit.load_data("dwi.nii.gz", "dwi.scheme")
    >>> mit.set_model("StickZeppelinBall")
    >>> mit.model.set(1.7e-3, [], [1.7e-3, 3e-3])
    >>> mit.generate_kernels(regenerate=True)
    >>> mit.load_kernels()
    >>> mit.load_dictionary("COMMIT")
    >>> mit.set_threads()
    >>> mit.build_operator()
    >>> mit.fit(tol_fun=1e-3, max_iter=1000)
    >>> mit.save_results()
    >>> "streamline_weights.txt" in os.listdir(f"{study}/COMMIT/Results_StickZeppelinBall")
    True

    References
    ----------
    Daducci A et al. (2015), doi:10.1109/TMI.2014.2352414.
    """

    def __init__(self, study_path: PathLike = ".", subject: PathLike = ".", dictionary_path: PathLike = "COMMIT"):
        data = os.path.normpath(os.path.join(study_path, subject))
        self.CONFIG: Dict[str, Any] = {
            "study_path": os.fspath(study_path),
            "subject": os.fspath(subject),
            "dictionary_path": os.fspath(dictionary_path),
            "DATA_path": data,
            "TRACKING_path": os.path.join(data, os.fspath(dictionary_path)),
            **{name: usual for name, (usual, _) in SETTINGS.items()},
        }
        self.model: Any = None
        self.device = "auto"
        self.verbose = 1
        self._threads: Optional[int] = None
        self._dictionary: Optional[Dictionary] = None
        self._penalty = Penalty((None,) * 3, (None,) * 3, (None,) * 3)
        self._fit: Optional[_Fit] = None

    def __getattr__(self, name: str) -> Any:
        if name in LACKING:
            raise NotHere(f"{name}: it is not here; {LACKING[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def set_verbose(self, verbose: int) -> None:
        """Sets the verbosity: 0 suppresses warnings, 1 to 4 show them."""
        self.verbose = verbosity(verbose)

    def get_config(self, key: str) -> Any:
        """Returns the setting with this name, or None if there is none."""
        return self.CONFIG.get(key)

    def set_config(self, key: str, value: bool) -> None:
        """Sets ``doNormalizeSignal``, ``doMergeB0``, ``doNormalizeKernels``, ``doDemean`` or ``doNormalizeMaps`` for the next fits.

        ``doNormalizeMaps`` divides the maps of compartments by their sum in each voxel.
        """
        if key not in SETTINGS:
            raise InputError(f"{key}: it cannot be set; give one of {', '.join(SETTINGS)}")
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{key}: {value!r} is neither; give True or False")
        self.CONFIG[key] = bool(value)

    def load_data(
        self,
        dwi_filename: PathLike,
        scheme_filename: Optional[PathLike] = None,
        b0_thr: float = 0,
        b0_min_signal: float = 0,
        replace_bad_voxels: Optional[float] = None,
    ) -> None:
        """Selects the data to fit.

        Parameters
        ----------
        dwi_filename : path
            File of the diffusion series, in the folder of the subject. If no scheme is given, a scalar map.
        scheme_filename : path, optional
            Gradient table of the series: a Camino ``.scheme``, or another gradient table in one file.
        b0_thr : float
            Largest b-value (s/mm²) of a measurement that counts as b = 0.
        b0_min_signal : float
            Smallest b = 0 signal of a voxel, as a fraction of the mean over the mask. Voxels whose signal is not above it are
            ignored.
            (dmri-commit uses the mean over the whole image.)
        """
        neutral("replace_bad_voxels", replace_bad_voxels, None, "voxels with values that are no numbers are ignored")
        names = {"dwi_filename": dwi_filename, **({} if scheme_filename is None else {"scheme_filename": scheme_filename})}
        for name, path in names.items():
            is_file(name, os.path.join(self.CONFIG["DATA_path"], path))
        if scheme_filename is None:
            for threshold, value in (("b0_thr", b0_thr), ("b0_min_signal", b0_min_signal)):
                neutral(threshold, value, 0, "a map has no b-values")
        self.CONFIG.update(
            dwi_filename=os.fspath(dwi_filename),
            scheme_filename=None if scheme_filename is None else os.fspath(scheme_filename),
            b0_thr=b0_thr,
            b0_min_signal=b0_min_signal,
        )

    def set_model(self, model_name: str) -> None:
        """Chooses the forward model. ``model.set`` sets its parameters.

        Parameters
        ----------
        model_name : {"StickZeppelinBall", "CylinderZeppelinBall", "VolumeFractions", "ScalarMap"}
        """
        if model_name not in MODELS:
            raise InputError(f"model_name: {model_name!r} is none of {', '.join(MODELS)}; give one of them")
        if model_name == "VolumeFractions" and "dwi_filename" in self.CONFIG and self.CONFIG["scheme_filename"] is None:
            model_name = "ScalarMap"
            if self.verbose > 0:
                warnings.warn("VolumeFractions: of a map this is ScalarMap, as its folder is called", ArcuateWarning, stacklevel=2)
        self.model = MODELS[model_name]()

    def generate_kernels(self, regenerate: bool = False, lmax: int = 12, ndirs: int = 500) -> None:
        """Sets the number of orientations for which responses are computed. The fit computes the responses.

        Parameters
        ----------
        regenerate : bool
            Has no effect, because responses are not stored.
        lmax : int
            Must be 12, the default of dmri-commit.
        ndirs : int
            Number of orientations. It must be equal to the number of orientations of the dictionary.
        """
        if self.model is None:
            raise InputError("generate_kernels: there is no model; call set_model first")
        setup(lmax)
        self.CONFIG.update(lmax=lmax, ndirs=ndirs if self.model.oriented else 1, model=self.model.get_params())

    def load_kernels(self) -> None:
        """Checks that :meth:`generate_kernels` was called. The fit computes the responses."""
        self._need("ndirs", "load_kernels: there are no responses; call generate_kernels first")

    def load_dictionary(self, path: Optional[PathLike] = None, use_all_voxels_in_mask: bool = False) -> None:
        """Opens a folder written by ``trk2dictionary.run`` of Arcuate or dmri-commit.

        A dictionary of dmri-commit refers to directions by number. If AMICO is not installed, the folder must contain these directions as
        ``directions.txt``.

        Parameters
        ----------
        path : path, optional
            Folder of the dictionary, relative to the folder of the subject. Default: ``dictionary_path``.
        use_all_voxels_in_mask : bool
            Must be False: voxels without streamlines are ignored.
        """
        neutral("use_all_voxels_in_mask", use_all_voxels_in_mask, False, "voxels that no streamline passes are ignored")
        if path is not None:
            self.CONFIG.update(dictionary_path=os.fspath(path), TRACKING_path=os.path.join(self.CONFIG["DATA_path"], path))
        self._dictionary = Dictionary(self.CONFIG["TRACKING_path"])

    def set_threads(self, n: Optional[int] = None) -> None:
        """Sets the number of CPU threads of the fit. Default: the number that ``trk2dictionary.run`` got, or all."""
        if n is not None and n < 1:
            raise InputError(f"n: {n} threads cannot be; give 1 or more")
        self._threads = n

    def build_operator(self) -> None:
        """Checks that a dictionary is loaded. The fit builds the operator."""
        if self._dictionary is None:
            raise InputError("build_operator: there is no dictionary; call load_dictionary first")

    def set_regularisation(
        self,
        regularisers: Sequence[Optional[str]] = (None, None, None),
        lambdas: Sequence[Any] = (None, None, None),
        is_nonnegative: Sequence[bool] = (True, True, True),
        params: Sequence[Optional[Mapping[str, Any]]] = (None, None, None),
    ) -> None:
        """Sets the penalties of streamlines, peaks and voxels for the next fits.

        Parameters
        ----------
        regularisers : (3) str or None
            Penalty of streamlines, of peaks and of voxels: ``"lasso"`` or None. For streamlines, ``"group_lasso"`` and
            ``"sparse_group_lasso"`` are also possible.
        lambdas : (3) float or None
            Strength of each penalty, as a fraction of the smallest λ that keeps all amounts at their start value 0. The fit first
            computes this λ. For this, it cuts all streamlines into segments once more (twice for ``"sparse_group_lasso"``, which has
            two λ).
        is_nonnegative : (3) bool
            Must all be True.
        params : (3) mapping or None
            For streamlines: ``"group_idx"``, the numbers of the streamlines of each group. Groups must not overlap. Their weights are the
            square roots of their sizes, so ``"group_weights_adaptive"`` must be False.
        """
        neutral("is_nonnegative", list(is_nonnegative), [True, True, True], "amounts are never negative")
        self._penalty = Penalty(regularisers, lambdas, params)

    def fit(
        self,
        tol_fun: float = 1e-3,
        tol_x: float = 1e-6,
        max_iter: int = 100,
        *,
        x0: Optional[ArrayLike] = None,
        confidence_map_filename: Optional[PathLike] = None,
        confidence_map_rescale: bool = False,
    ) -> None:
        """Fits the amounts of all compartments.

        Parameters
        ----------
        tol_fun : float
            Iterations stop if the norm of the projected gradient is below this fraction of its value when all amounts are 0. In
            dmri-commit, iterations stop if the objective changes by less than this fraction, which is as far from the minimum or
            farther.
        tol_x : float
            Must be 1e-6, the default of dmri-commit: changes of amounts do not stop iterations.
        max_iter : int
            Largest number of iterations.
        confidence_map_filename : path, optional
            3-D image with the weight of each voxel in the fit, in the folder of the subject.
        """
        neutral("tol_x", tol_x, 1e-6, "changes of amounts end no iterations, tol_fun does")
        neutral("x0", x0, None, "fits begin with all amounts at 0")
        neutral("confidence_map_rescale", confidence_map_rescale, False, "a map is taken as it is")
        dictionary, options = self._options()
        if confidence_map_filename is not None:
            path = os.path.join(self.CONFIG["DATA_path"], confidence_map_filename)
            options["confidence"] = is_file("confidence_map_filename", path)
        options.update(tolerance=tol_fun, iterations=max_iter, compat=True)
        # The results are as large as the tractogram. They are written to the folder of the dictionary, which has enough space.
        work = _Folder(dictionary.folder)
        if not dictionary.ours:
            directions = dictionary.directions(self.CONFIG["ndirs"], work.path)
            options.update(dictionary=dictionary.folder, dictionary_directions=directions)
        extra = bool(options.get("radial_diffusivities")) or (self.model.id == "VolumeFractions" and dictionary.has_peaks)
        options.update(self._penalty.options(dictionary.tractogram, {**options, "compat": False}, extra, work.path))
        found = evaluate(dictionary.tractogram, os.path.join(work.path, "out"), options, self.verbose)
        self._fit = _Fit(found, options, deepcopy(self.model), dictionary, work)
        with open(os.path.join(found.folder, "commit_trace.csv"), encoding="utf-8") as trace:
            iterations = int(trace.read().split()[-1].split(",")[0])
        details = {"iterations": iterations, "cost_function": found.figures["objective"]["value"]}
        self.CONFIG["optimization"] = {"tol_fun": tol_fun, "tol_x": tol_x, "max_iter": max_iter, "fit_details": details}
        self.CONFIG["model"] = self.model.get_params()

    def get_coeffs(self, get_normalized: bool = True) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Returns the amounts of the last fit.

        Amounts of single responses and peaks are not stored; the returned amounts are sums over responses and peaks. If there is one
        response of each kind and one peak in every voxel, they are equal to those of dmri-commit. (dmri-commit has no rows for streamlines
        that it ignores.)

        Parameters
        ----------
        get_normalized : bool
            Must be True: amounts refer to responses and lengths without normalisation.

        Returns
        -------
        ic : (streamlines) array
            Amount of each streamline, in units of the signal per mm. The amount is 0 if the signal does not support the streamline.
        ec, iso : (voxels) array
            Amounts of the extra-axonal and of the isotropic compartments, as signals at b = 0. There is one value for each voxel that
            streamlines pass, with x as the fastest axis.
        """
        neutral("get_normalized", get_normalized, True, "amounts of normalised responses are not kept")
        found = self._fitted("get_coeffs").results
        # The voxels have the same order as in the image, with x fastest.
        inside = found["commit_segments"].data.ravel(order="F") > 0
        extra, isotropic = (found[name].data.ravel(order="F")[inside].astype(float) for name in ("commit_extra", "commit_isotropic"))
        return np.loadtxt(os.path.join(found.folder, "commit_weights.txt"), ndmin=1), extra, isotropic

    def save_results(
        self,
        path_suffix: Optional[str] = None,
        coeffs_format: str = "%.5e",
        stat_coeffs: str = "sum",
        save_est_dwi: bool = False,
    ) -> None:
        """Writes the results into ``Results_<model>`` in the folder of the dictionary, and overwrites existing results.

        The files are ``compartment_IC``, ``_EC`` and ``_ISO``, ``fit_RMSE`` and ``fit_NRMSE`` and ``streamline_weights.txt``. Instead of
        ``results.pickle``, there is the folder ``arcuate_<model>`` next to it: a folder of results with its record, for
        :func:`arcuate.load` and :func:`arcuate.report`.

        Parameters
        ----------
        path_suffix : str, optional
            Text that is appended to the names of both folders.
        coeffs_format : str
            Format of a number in ``streamline_weights.txt``.
        stat_coeffs : {"sum", "mean", "median", "min", "max", "all"}
            Statistic over the weights of a streamline, if it has one weight per radius. With several radii, only ``"sum"`` is
            supported.
        save_est_dwi : bool
            True to also write the series that the model predicts. The fit is then repeated.
        """
        stats = ("sum", "mean", "median", "min", "max", "all")
        if stat_coeffs not in stats:
            raise InputError(f"stat_coeffs: {stat_coeffs!r} is none of {', '.join(stats)}; give one of them")
        fit = self._fitted("save_results")
        if fit.model.responses > 1:
            neutral("stat_coeffs", stat_coeffs, "sum", "weights of single radii are not kept")
        folder = fit.results.folder
        if save_est_dwi and "predicted" not in fit.options:
            fit.options["predicted"] = True
            evaluate(fit.dictionary.tractogram, folder, fit.options, 0)
        if path_suffix and re.search(r"[/\\]|\.\.", path_suffix):
            raise InputError(f"path_suffix: {path_suffix!r} leads to another folder; give letters that end the name of this one")
        name = f"{fit.model.id}{path_suffix or ''}"
        out, own = (os.path.join(fit.dictionary.folder, f"{whose}_{name}") for whose in ("Results", "arcuate"))
        os.makedirs(out, exist_ok=True)
        # If the model has no zeppelins, the command uses another name for this folder.
        (theirs,) = [os.path.join(folder, one) for one in os.listdir(folder) if one.startswith("Results_")]
        for one in os.listdir(theirs):
            if save_est_dwi or not one.startswith("fit_signal_estimated"):
                shutil.copy(os.path.join(theirs, one), out)
        # The folder of Arcuate's results is next to the folder `Results_…`, not inside it. dmri-commit deletes the files in
        # `Results_…`, and fails if it contains folders.
        if os.path.exists(own) and not os.path.isfile(os.path.join(own, "arcuate.json")):
            raise InputError(f"{own}: it is there, and no folder of results of Arcuate; move it away")
        # The folder gets its final name when it is complete.
        beside = own + ".new"
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(folder, beside, ignore=shutil.ignore_patterns("Results_*"))
        if os.path.exists(own):
            shutil.rmtree(own)
        os.rename(beside, own)
        if coeffs_format != "%.5e":
            weights, _, _ = self.get_coeffs()
            np.savetxt(os.path.join(out, "streamline_weights.txt"), weights, fmt=coeffs_format)
        if self.CONFIG["doNormalizeMaps"]:
            self._normalise_maps(out)
        self.CONFIG.update(path_suffix=path_suffix, RESULTS_path=out, stat_coeffs=stat_coeffs)

    @staticmethod
    def _normalise_maps(folder: str) -> None:
        """Divides the maps of compartments by their sum in each voxel."""
        paths = [os.path.join(folder, f"compartment_{name}.nii.gz") for name in ("IC", "EC", "ISO")]
        maps = [load_image(path) for path in paths]
        total = np.sum([one.data for one in maps], axis=0, dtype=float)
        total[total == 0] = 1
        for path, one in zip(paths, maps):
            Image((one.data / total).astype(np.float32), one.affine).save(path)

    def _need(self, key: str, otherwise: str) -> Any:
        if self.CONFIG.get(key) is None:
            raise InputError(otherwise)
        return self.CONFIG[key]

    def _fitted(self, what: str) -> _Fit:
        if self._fit is None:
            raise InputError(f"{what}: there is no fit; call fit first")
        return self._fit

    def _options(self) -> Tuple[Dictionary, Options]:
        """Returns the dictionary and the options of the command, except those that control when the fit stops."""
        data = os.path.join(self.CONFIG["DATA_path"], self._need("dwi_filename", "fit: there are no data; call load_data first"))
        ndirs = self._need("ndirs", "fit: there are no responses; call set_model and generate_kernels first")
        dictionary = self._dictionary
        if dictionary is None:
            raise InputError("fit: there is no dictionary; call load_dictionary first")
        scheme = self.CONFIG["scheme_filename"]
        if (scheme is None) != (self.model.id == "ScalarMap"):
            raise InputError("scheme_filename: ScalarMap is of a map, without a scheme, and all other models of a series, with one")
        options: Options = {**dictionary.options, "device": self.device, "threads": self._threads or dictionary.threads}
        options.update(self.model.options(dictionary.has_peaks))
        if options["model"] not in ("ball-and-stick", "scalar-map"):
            options.update(dictionary.of_peaks if dictionary.has_peaks else {})
        if self.model.oriented and dictionary.ours:
            if dictionary.ndirs != ndirs:
                raise InputError(f"ndirs: the dictionary has {dictionary.ndirs} and generate_kernels {ndirs}; give both the same")
            options["orientations"] = ndirs
        if scheme is None:
            options["scalar_map"] = data
        else:
            options.update(dwi=data, gradients=os.path.join(self.CONFIG["DATA_path"], scheme))
            options.update(b0_threshold=self.CONFIG["b0_thr"], min_b0=self.CONFIG["b0_min_signal"])
        for key, (usual, option) in SETTINGS.items():
            if option is not None and self.CONFIG[key] != usual:
                options[option] = True
        return dictionary, options
