"""Functions on arrays, with the options of commands as keywords.

Generated from the definition of the command line. Do not edit.
"""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _connect, _evaluation, _fitting, _fod, _geodesic, _recon, _runs, _sampled, _simulate, _tracking
from ._calls import Progress, call
from ._commands import PathLike, Several, Word
from ._connect import Connectome
from ._evaluation import Commit, Life
from ._fitting import Fit, Given, Samples, TensorMaps
from ._fod import Distributions, Responses
from ._images import Gradients, Image, ImageLike, Regions
from ._recon import Reconstruction
from ._records import Results
from ._sampled import Orientations, Visits
from ._simulate import Brain
from ._tracking import Tracks


def fit_tensor(
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    reweightings: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> TensorMaps:
    """Fits a diffusion tensor in every voxel, as ``arcuate fit tensor``.

    Parameters
    ----------
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: 1500 if at least 12 gradient directions have b-values up to 1500; if not, no limit]
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        Measurements with b = 0 are always used, too. [default: all shells up to ``max_b``]
    reweightings : int, optional
        Number of weighted fits after the first fit, each with new weights. [default: 2]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    TensorMaps
        The diffusion tensor of each voxel (mm²/s, scanner axes) and the maps that are computed from it.

    References
    ----------
    Basser PJ, Mattiello J, Le Bihan D (1994) MR diffusion tensor spectroscopy and imaging. doi:10.1016/S0006-3495(94)80775-1
    Veraart J et al. (2013) Weighted linear least squares estimation of diffusion MRI parameters. doi:10.1016/j.neuroimage.2013.05.028

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000)
    >>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
    >>> maps.fa.shape
    (15, 18, 14)
    """
    options = {
        "max_b": max_b, "shells": shells, "reweightings": reweightings,
    }
    told = call("cpu", threads=threads, progress=progress, frames=3)
    return _fitting.fit_tensor(told, options, dwi, gradients, mask)


@overload
def fit(
    model: PathLike,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: Literal["lm", "grid"] = "lm",
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    free: Optional[Several[Word]] = None,
    standard_errors: bool = False,
    bounds: Optional[Literal["projection", "transform"]] = None,
    evaluations: Optional[int] = None,
    precision: Optional[Literal["single", "double"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Fit: ...

@overload
def fit(
    model: Union[List[str], Tuple[str, ...]],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: Literal["lm", "grid"] = "lm",
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    free: Optional[Several[Word]] = None,
    standard_errors: bool = False,
    bounds: Optional[Literal["projection", "transform"]] = None,
    evaluations: Optional[int] = None,
    precision: Optional[Literal["single", "double"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> List[Fit]: ...

def fit(
    model: Union[PathLike, Sequence[str]],
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: Literal["lm", "grid"] = "lm",
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    free: Optional[Several[Word]] = None,
    standard_errors: bool = False,
    bounds: Optional[Literal["projection", "transform"]] = None,
    evaluations: Optional[int] = None,
    precision: Optional[Literal["single", "double"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Any:
    """Fits a model of the signal in every voxel, as ``arcuate fit``.

    Parameters
    ----------
    model : Union[path, Sequence[str]]
        Name of a built-in model (see :func:`models`), path of a .toml model file, or a list of such names and paths.
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    method : Literal["lm", "grid"], optional
        Algorithm that finds the parameters. ``lm`` runs the grid searches of the model, and then the Levenberg–Marquardt method. ``grid``
        runs only the grid searches. (:func:`sample` runs Markov chains.).
    fix : Union[Mapping[str, Optional[Given]], Sequence[str], None], optional
        Parameters of the model that are not fitted. A mapping gives, for each name, a number in the unit of the parameter, an image of its
        values, or None. With None, and in a list of names only, a parameter has its start value.
    start : Mapping[str, Given], optional
        Start value of each named parameter: a number in the unit of the parameter, or an image with the value in each voxel.
    columns : Mapping[str, array_like], optional
        Quantities that the model needs for each measurement, such as echo times: for each name, an array with one number per measurement.
    maps : Mapping[str, image], optional
        Quantities that the model needs in each voxel, such as T1: for each name, an image.
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: all]
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        Measurements with b = 0 are always used, too. [default: all shells]
    free : one or several of str, optional
        Fit this parameter, which the model file fixes.
    standard_errors : bool
        Write a map of each parameter's standard error (Cramér–Rao bound): NAME_error.
    bounds : {"projection", "transform"}, optional
        How the optimiser keeps parameters within their bounds.

        `projection` ends a step of the optimiser where a parameter reaches its bound. `transform` fits an unbounded variable for each
        parameter. The parameter is a function of this variable that approaches the bounds but never reaches them. [default: projection]
    evaluations : int, optional
        Largest number of model evaluations per voxel and Levenberg–Marquardt stage. [default: 200]
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Fit
        Result of the fit. If a list of models is given, a list with one result per model.

    References
    ----------
    Hernandez-Fernandez M et al. (2019) Using GPUs to accelerate computational diffusion MRI: From microstructure estimation to tractography
    and connectomes. doi:10.1016/j.neuroimage.2018.12.015

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=10, directions=20, b_value=1000)
    >>> fit = ar.fit("ball-1-stick", brain.dwi, brain.gradients, brain.mask, device="cpu")
    >>> sorted(fit.units.items())[:2]
    [('d', 'mm²/s'), ('f', '1')]
    """
    options = {
        "max_b": max_b, "shells": shells, "free": free, "standard_errors": standard_errors, "bounds": bounds, "evaluations": evaluations,
        "precision": precision,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, progress=progress, frames=3)
    return _fitting.fit(told, options, model, dwi, gradients, mask, method=method, fix=fix, start=start, columns=columns, maps=maps)


def sample(
    model: PathLike,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    fix: Union[Mapping[str, Optional[Given]], Sequence[str], None] = None,
    start: Optional[Mapping[str, Given]] = None,
    columns: Optional[Mapping[str, ArrayLike]] = None,
    maps: Optional[Mapping[str, ImageLike]] = None,
    prior: Optional[Mapping[str, str]] = None,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    free: Optional[Several[Word]] = None,
    bounds: Optional[Literal["projection", "transform"]] = None,
    evaluations: Optional[int] = None,
    precision: Optional[Literal["single", "double"]] = None,
    burn_in: Optional[int] = None,
    jumps: Optional[int] = None,
    interval: Optional[int] = None,
    adapt_every: Optional[int] = None,
    chains: Optional[int] = None,
    noise: Optional[Literal["gaussian", "rician"]] = None,
    sigma: Optional[Word] = None,
    sigma_prior: Optional[Word] = None,
    begin_at: Optional[Literal["fit", "search", "model", "dispersed"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Samples:
    """Samples the posterior of a model by Markov chains in every voxel, as ``arcuate fit``.

    The Markov chains are those of ``arcuate fit --method mcmc``. The same random seed gives the same samples at any number of threads and
    on any device.

    Parameters
    ----------
    model : path
        Name of a built-in model (see :func:`models`), or path of a .toml model file.
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    fix : Union[Mapping[str, Optional[Given]], Sequence[str], None], optional
        Parameters of the model that are not fitted. A mapping gives, for each name, a number in the unit of the parameter, an image of its
        values, or None. With None, and in a list of names only, a parameter has its start value.
    start : Mapping[str, Given], optional
        Start value of each named parameter: a number in the unit of the parameter, or an image with the value in each voxel.
    columns : Mapping[str, array_like], optional
        Quantities that the model needs for each measurement, such as echo times: for each name, an array with one number per measurement.
    maps : Mapping[str, image], optional
        Quantities that the model needs in each voxel, such as T1: for each name, an image.
    prior : Mapping[str, str], optional
        Prior distributions of parameters in the syntax of the model language, such as ``{"d": "normal(1.7e-3, 0.3e-3)"}``.
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: all]
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        Measurements with b = 0 are always used, too. [default: all shells]
    free : one or several of str, optional
        Fit this parameter, which the model file fixes.
    bounds : {"projection", "transform"}, optional
        How the optimiser keeps parameters within their bounds.

        `projection` ends a step of the optimiser where a parameter reaches its bound. `transform` fits an unbounded variable for each
        parameter. The parameter is a function of this variable that approaches the bounds but never reaches them. [default: projection]
    evaluations : int, optional
        Largest number of model evaluations per voxel and Levenberg–Marquardt stage. [default: 200]
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    burn_in : int, optional
        Number of sweeps (updates of all parameters) before the first sample.

        [default: 1000]
    jumps : int, optional
        Number of sweeps (updates of all parameters) after ``burn_in``.

        [default: 1250]
    interval : int, optional
        Number of sweeps (updates of all parameters) per sample.

        [default: 25]
    adapt_every : int, optional
        Number of sweeps of ``burn_in`` between two adaptations of the proposal widths.

        The proposal width of a parameter is the standard deviation of its random steps. [default: 40]
    chains : int, optional
        Number of Markov chains per voxel.

        If there are two or more chains, the convergence measure R̂ of each parameter is also computed. [default: 1]
    noise : {"gaussian", "rician"}, optional
        Probability distribution of the noise.

        [default: gaussian]

        - ``rician``: Rician noise, as in magnitude images.
    sigma : str, optional
        Standard deviation of the noise.

        `integrated` integrates the standard deviation out of the posterior distribution. `sampled` samples it as a parameter. A number in
        the unit of the signal fixes it. [default: integrated for Gaussian noise, sampled for Rician noise]
    sigma_prior : str, optional
        Prior distribution of the noise's standard deviation, for ``sigma`` sampled.

        PRIOR has the syntax of ``prior``. The standard deviation has the unit of the signal. [default: log_uniform]
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Parameter values at which the Markov chains start.

        [default: fit]

        - ``fit``: Chains start at the best fit of the voxel.

        - ``search``: Chains start at the best result of the model's grid searches in the voxel.

        - ``model``: Chains start at the start values that the model defines.

        - ``dispersed``: Each chain of a voxel starts at other parameter values within the bounds.
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Samples
        The posterior samples of each parameter, and the maps of the model at the posterior mean.

    References
    ----------
    Hernandez-Fernandez M et al. (2019) Using GPUs to accelerate computational diffusion MRI: From microstructure estimation to tractography
    and connectomes. doi:10.1016/j.neuroimage.2018.12.015
    """
    options = {
        "max_b": max_b, "shells": shells, "free": free, "bounds": bounds, "evaluations": evaluations, "precision": precision, "burn_in":
        burn_in, "jumps": jumps, "interval": interval, "adapt_every": adapt_every, "chains": chains, "noise": noise, "sigma": sigma,
        "sigma_prior": sigma_prior, "begin_at": begin_at,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _fitting.sample(told, options, model, dwi, gradients, mask, fix=fix, start=start, columns=columns, maps=maps, prior=prior)


def estimate_responses(
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    method: Optional[Literal["single-fibre", "tissues"]] = None,
    voxels: Optional[int] = None,
    order: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Responses:
    """Estimates the response functions of tissues from a diffusion series, as ``arcuate response``.

    Parameters
    ----------
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    method : {"single-fibre", "tissues"}, optional
        Method: it decides for which tissues and shells to estimate response functions.

        [default: tissues if the series has several shells with b > 0; if not, single-fibre]

        - ``single-fibre``: Response of white matter with one fibre, for the shell with the largest b-value, as in MRtrix's dwi2response
        tournier.

        - ``tissues``: Responses of white matter, grey matter and cerebrospinal fluid (CSF), for all shells, as in MRtrix's dwi2response
        dhollander.
    voxels : int, optional
        Number of voxels from which the response of a single fibre is estimated.

        [default: 300]
    order : int, optional
        Largest degree of the spherical harmonics (an even number).

        [default: 10]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Responses
        For each tissue, the zonal coefficients of its response (one row per shell) and the voxels from which the response was estimated.

    References
    ----------
    Tournier JD, Calamante F, Connelly A (2013) Determination of the appropriate b value and number of gradient directions for
    high-angular-resolution diffusion-weighted imaging. doi:10.1002/nbm.3017
    Dhollander T, Raffelt D, Connelly A (2016) Unsupervised 3-tissue response function estimation from single-shell or multi-shell diffusion
    MR data without a co-registered T1 image. ISMRM Workshop on Breaking the Barriers of Diffusion MRI
    """
    options = {
        "method": method, "voxels": voxels, "order": order,
    }
    told = call("cpu", threads=threads, progress=progress, frames=3)
    return _fod.estimate_responses(told, options, dwi, gradients, mask)


def fit_csd(
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    responses: Union[Responses, Mapping[str, ArrayLike], ArrayLike, PathLike],
    peaks: int = 3,
    order: Optional[int] = None,
    normalise: bool = False,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Distributions:
    """Estimates fibre orientation distributions by constrained spherical deconvolution, as ``arcuate fit csd``.

    Parameters
    ----------
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    responses : Union[Responses, Mapping[str, array_like], array_like, path]
        Response functions: a result of :func:`estimate_responses`, a folder with response files, or for each tissue an array of zonal
        coefficients with one row per shell. If the series cannot separate all tissues, cerebrospinal fluid (CSF) is fitted and grey matter
        is not.
    peaks : int, optional
        Largest number of peaks to find in each voxel.
    order : int, optional
        Largest degree of the spherical harmonics (an even number).

        [default: the degree of the white-matter response, but at most 8]
    normalise : bool
        Correct the smooth intensity bias of the tissue maps.

        Divides the maps of all tissues by a smooth intensity field, and writes this field as field.nii.gz.
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Distributions
        Spherical-harmonic coefficients of each tissue, and the peaks of the distributions of white matter.

    References
    ----------
    Tournier JD, Calamante F, Connelly A (2007) Robust determination of the fibre orientation distribution in diffusion MRI.
    doi:10.1016/j.neuroimage.2007.02.016
    Jeurissen B et al. (2014) Multi-tissue constrained spherical deconvolution for improved analysis of multi-shell diffusion MRI data.
    doi:10.1016/j.neuroimage.2014.07.061
    """
    options = {
        "order": order, "normalise": normalise,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, progress=progress, frames=3)
    return _fod.fit_csd(told, options, dwi, gradients, mask, responses=responses, peaks=peaks)


def evaluate_life(
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    eigenvalues: Optional[Sequence[float]] = None,
    orientations: Optional[int] = None,
    lesion: Union[Mapping[str, ArrayLike], Sequence[str], str, None] = None,
    precision: Optional[Literal["single", "double"]] = None,
    refit: bool = False,
    shells: Optional[Several[float]] = None,
    normalise_signal: bool = False,
    node_value: Optional[Literal["count", "length"]] = None,
    solver: Optional[Literal["barzilai-borwein", "sbbnnls"]] = None,
    lambda_: Optional[float] = None,
    tolerance: Optional[float] = None,
    iterations: Optional[int] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Life:
    """Weights streamlines by Linear Fascicle Evaluation, as ``arcuate evaluate life``.

    Parameters
    ----------
    tracks : Tractogram
        Streamlines: a tractogram of Arcuate, nibabel or DIPY, the path of a tractogram file, or a sequence with one array (points, 3) per
        streamline, in RAS mm.
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: all voxels that streamlines pass]
    eigenvalues : Sequence[float], optional
        Eigenvalues λ₁,λ₂,λ₃ of the tensor of a fibre in µm²/ms, with λ₂ = λ₃. [default: 1,0,0]
    orientations : int, optional
        Number of fibre orientations for which the table of responses is computed. The direction of each streamline point is rounded to the
        nearest of them. [default: 1057]
    lesion : Union[Mapping[str, array_like], Sequence[str], str, None], optional
        Groups of streamlines that are removed virtually (virtual lesions). A mapping gives, for each name, the numbers of the streamlines,
        or one boolean per streamline. A list gives the names of groups of the tractogram.
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    refit : bool
        After each lesion, fit the weights of the remaining streamlines again.

        Without this option, the remaining streamlines keep their weights.
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        The fit also estimates the mean signal of each shell. Opposite gradient directions count as one. [default: all shells with at least
        15 gradient directions; if there is none, the shells with the most directions]
    normalise_signal : bool
        Divide the signal of each voxel by its mean b = 0 signal, as DIPY does.

        Without this option, voxels with a large signal count more in the fit.
    node_value : {"count", "length"}, optional
        Weight of a streamline point in the model: 1, or the length of its segment.

        With `count`, each point has the weight 1. With `length`, its weight is the length of its segment in mm, so that the result does not
        depend on the spacing of the points. [default: count]
    solver : {"barzilai-borwein", "sbbnnls"}, optional
        Algorithm that solves for the weights. [default: barzilai-borwein]
    lambda_ : float, optional
        Strength λ of the penalty that ``regularise`` selects.

        The value is a fraction, at least 0 and below 1, of the smallest λ that sets all weights to 0. This smallest λ is max(Mᵀy), the
        largest entry of the product of the transposed model matrix M and the signal y. The fraction does not depend on the unit of the
        signal.
    tolerance : float, optional
        Relative tolerance at which the iterations of the solver stop.

        The iterations stop when the norm of the projected gradient is at most this fraction of its norm when all weights are 0. [default:
        0.0001]
    iterations : int, optional
        Largest number of iterations of the solver. [default: 500]
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Life
        The weight of each streamline, maps of the errors of the fit, and the key figures of the fit.

    References
    ----------
    Pestilli F et al. (2014) Evaluation and statistical inference for human connectomes. doi:10.1038/nmeth.3098
    Caiafa CF, Pestilli F (2017) Multidimensional encoding of brain connectomes. doi:10.1038/s41598-017-09250-w
    Kim D, Sra S, Dhillon IS (2013) A non-monotonic method for large-scale non-negative least squares. doi:10.1080/10556788.2012.656368
    Kumar S et al. (2019) ReAl-LiFE: accelerating the discovery of individualized brain connectomes on GPUs (the option ``lambda_``).
    doi:10.1609/aaai.v33i01.3301630

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=12, b_value=1000, streamlines_per_bundle=6)
    >>> life = ar.evaluate_life(brain.truth, brain.dwi, brain.gradients, brain.mask, lesion=[brain.bundles[0]], device="cpu")
    >>> life.lesions[brain.bundles[0]]["strength_of_evidence"] > 1
    True
    """
    options = {
        "precision": precision, "refit": refit, "shells": shells, "normalise_signal": normalise_signal, "node_value": node_value, "solver":
        solver, "lambda_": lambda_, "tolerance": tolerance, "iterations": iterations,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, progress=progress, frames=3)
    return _evaluation.evaluate_life(told, options, tracks, dwi, gradients, mask, eigenvalues=eigenvalues, orientations=orientations, lesion=lesion)


def evaluate_commit(
    tracks: Any,
    dwi: ImageLike,
    gradients: Gradients,
    mask: Optional[ImageLike] = None,
    *,
    peaks: Optional[ImageLike] = None,
    confidence: Optional[ImageLike] = None,
    orientations: Union[int, Literal["auto", "exact"], None] = None,
    peaks_frame: Optional[Literal["scanner", "image", "fsl"]] = None,
    peak_threshold: Optional[float] = None,
    precision: Optional[Literal["single", "double"]] = None,
    merge_b0: bool = False,
    normalise_signal: bool = True,
    normalise_kernels: bool = True,
    demean: bool = False,
    min_b0: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    min_segment: Optional[float] = None,
    blur_core_extent: Optional[float] = None,
    blur_gauss_extent: Optional[float] = None,
    blur_gauss_min: Optional[float] = None,
    blur_spacing: Optional[float] = None,
    model: Optional[Word] = None,
    axial_diffusivity: Optional[float] = None,
    radial_diffusivity: Optional[float] = None,
    zeppelin_axial_diffusivity: Optional[float] = None,
    radial_diffusivities: Optional[Several[float]] = None,
    intra_fractions: Optional[Several[float]] = None,
    isotropic_diffusivities: Optional[Several[float]] = None,
    radii: Optional[Several[float]] = None,
    gamma_radii: Optional[Several[Word]] = None,
    big_delta: Optional[float] = None,
    small_delta: Optional[float] = None,
    echo_time: Optional[float] = None,
    b_step: Optional[float] = None,
    lambda_: Optional[Several[float]] = None,
    lambda_extra: Optional[float] = None,
    lambda_isotropic: Optional[float] = None,
    absolute_lambda: bool = False,
    debias: bool = False,
    solver: Optional[Literal["barzilai-borwein", "fista"]] = None,
    tolerance: Optional[float] = None,
    gap: Optional[float] = None,
    iterations: Optional[int] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Commit:
    """Weights streamlines by COMMIT, with the tissue around them and free water, as ``arcuate evaluate commit``.

    Parameters
    ----------
    tracks : Tractogram
        Streamlines: a tractogram of Arcuate, nibabel or DIPY, the path of a tractogram file, or a sequence with one array (points, 3) per
        streamline, in RAS mm.
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image, optional
        Mask image of the voxels to process.

        [default: all voxels that streamlines pass]
    peaks : image, optional
        Image of peaks, the directions of the extra-axonal compartments: along the last axis, x, y, z of 1 to 5 peaks per voxel. [default:
        no extra-axonal compartments]
    confidence : image, optional
        3-D image with the weight of each voxel in the fit, 0 or larger.

        Without this option, all voxels have the weight 1.
    orientations : Union[int, Literal["auto", "exact"], None], optional
        Number of fibre orientations for which the table of responses is computed. ``exact`` computes the response for the exact direction
        of each segment by spherical harmonics, without a table. If ``exact`` takes more than three times the arithmetic of a table,
        ``auto`` uses a table of 4096 orientations. If not, ``auto`` uses ``exact``. [default: auto]
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the x, y and z components of the peaks.

        `scanner` means scanner axes, and `image` voxel axes. `fsl` means voxel axes, with x negated if the determinant of the image's
        affine matrix is positive. If streamlines agree clearly better with the peaks in other axes, the command stops with an error. If
        this option is given, the command only prints a warning. [default: scanner]
    peak_threshold : float, optional
        Ignore peaks shorter than this fraction of the longest peak in the voxel. [default: 0.1]
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    merge_b0 : bool
        In each voxel, replace all b = 0 measurements by their mean.
    normalise_signal : bool, optional
        If False: Do not divide the signal of each voxel by its mean b = 0 signal.

        Without the division, voxels with a large signal count more in the fit. [default: True]
    normalise_kernels : bool, optional
        If False: Do not scale the matrix columns of compartments and streamlines to equal norms.

        By default, each response is divided by its root-mean-square norm, and the segment lengths of each streamline by the root of the sum
        of their squares per voxel. With this scaling, the solver needs fewer iterations, and penalties treat short and long streamlines
        alike. The weights in the results are per mm in both cases. [default: True]
    demean : bool
        Subtract the mean over measurements from each voxel's signal and each response.
    min_b0 : float, optional
        Ignore voxels whose b = 0 signal is below this fraction of the mean over voxels. [default: 0]
    min_length : float, optional
        Smallest length of a streamline, in mm.

        Shorter streamlines get the weight 0. [default: 0]
    max_length : float, optional
        Largest length of a streamline, in mm.

        Longer streamlines get the weight 0. [default: inf]
    min_segment : float, optional
        Ignore segments (parts of a streamline in a voxel) up to this length, in mm. [default: 0.000001]
    blur_core_extent : float, optional
        Distance from a streamline within which its copies have full weight, in mm.

        To blur a streamline, the model replaces it by parallel copies. This distance is the radius of their core. [default: 0]
    blur_gauss_extent : float, optional
        Width of the zone around the core in which weights of copies decrease, in mm.

        To blur a streamline, the model replaces it by parallel copies. ``blur_core_extent`` is the radius of their core. Around the core,
        the weights of the copies decrease like a Gaussian function. [default: 0]
    blur_gauss_min : float, optional
        Weight of the outermost copies of a blurred streamline, relative to the core. [default: 0.1]
    blur_spacing : float, optional
        Distance between the parallel copies of a blurred streamline, in mm. [default: 0.25]
    model : str, optional
        Signal model: the compartments of streamlines, peaks and voxels.

        `gdr-cylinders` has cylinders whose radii have gamma distributions. `scalar-map` explains the values of ``scalar_map`` instead of a
        diffusion series. [default: stick-zeppelin-ball]
    axial_diffusivity : float, optional
        Diffusivity along streamlines (intra-axonal compartment), in µm²/ms.

        [default: 1.7 for sticks, 0.6 for cylinders]
    radial_diffusivity : float, optional
        Diffusivity across streamlines (intra-axonal compartment), in µm²/ms.

        [default: 0, which is a stick]
    zeppelin_axial_diffusivity : float, optional
        Diffusivity along peaks (extra-axonal compartments), in µm²/ms.

        [default: the value of ``axial_diffusivity``]
    radial_diffusivities : one or several of float, optional
        Diffusivities across peaks (extra-axonal compartments), in µm²/ms.

        Each value gives one zeppelin (compartment with an axially symmetric tensor) per peak. [default: 0.51; 1.19,0.85,0.51,0.17 for
        models with cylinders]
    intra_fractions : one or several of float, optional
        Intra-axonal fractions f of the extra-axonal compartments (zeppelins).

        Each fraction f gives one zeppelin per peak. Its diffusivity across the peak is d⊥ = d∥ (1 − f), where d∥ is the diffusivity along
        the peak. Use this option instead of ``radial_diffusivities``.
    isotropic_diffusivities : one or several of float, optional
        Diffusivities of the balls (isotropic compartments), in µm²/ms.

        [default: 0.8,3; 1.7,3 for ball-and-stick; 2 for models with cylinders]
    radii : one or several of float, optional
        Radii of the cylinders (intra-axonal compartments), in µm.

        [default: 0.01, and 20 radii from 0.5 to 8]
    gamma_radii : one or several of str, optional
        Gamma distributions of the cylinder radii, for ``model`` gdr-cylinders.

        K is the shape of a distribution, and THETA its scale in µm. Each distribution gives one intra-axonal compartment.
    big_delta : float, optional
        Time Δ between the starts of the two gradient pulses, in ms.

        Models with cylinders need this time if the gradient table does not state Δ, the pulse duration δ and the echo time TE.
    small_delta : float, optional
        Duration δ of each of the two gradient pulses, in ms.
    echo_time : float, optional
        Echo time TE of the measurements, in ms.
    b_step : float, optional
        Step to which b-values are rounded, in s/mm².

        Rounding to multiples of this step merges measurements of one shell whose b-values differ slightly. With the value 0, b-values are
        not rounded. [default: 0]
    lambda_ : one or several of float, optional
        Strength λ of the penalty that ``regularise`` selects.

        The value is a fraction, from 0 to 1, of the smallest λ that sets the weights of all streamlines to 0. With ``regularise``
        sparse-group, give two fractions: the first for the penalty on streamlines, the second for the penalty on groups.
    lambda_extra : float, optional
        Strength λ of a penalty λ Σ x on the amounts x of extra-axonal compartments.

        λ is given as a fraction, from 0 to 1, of the largest entry of Aᵀy for these amounts. A is the matrix of the model, and y the
        signal.
    lambda_isotropic : float, optional
        Strength λ of a penalty λ Σ x on the amounts x of isotropic compartments.

        λ is given as a fraction, from 0 to 1, of the largest entry of Aᵀy for these amounts. A is the matrix of the model, and y the
        signal.
    absolute_lambda : bool
        Interpret each penalty strength λ as a number in the unit of Aᵀy.

        A is the matrix of the model, and y the signal. Without this option, penalty strengths are fractions.
    debias : bool
        Fit the streamlines with a weight above 0 once more, without the penalty.
    solver : {"barzilai-borwein", "fista"}, optional
        Algorithm that solves for the weights.

        [default: fista if a penalty or ``gap`` is given; if not, barzilai-borwein]
    tolerance : float, optional
        Relative tolerance at which the iterations of the solver stop.

        The iterations stop when the norm of the projected gradient is at most this fraction of its norm when all amounts are 0. [default:
        0.00001]
    gap : float, optional
        Stop when the duality gap is below this fraction of the objective function.

        This option uses the solver FISTA, and may need many iterations. Without it, ``tolerance`` stops the iterations.
    iterations : int, optional
        Largest number of iterations of the solver. [default: 2000]
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Commit
        The weight of each streamline (signal per mm), maps of the compartments, and the key figures of the fit.

    References
    ----------
    Daducci A, Dal Palù A, Lemkaddem A, Thiran JP (2015) COMMIT: convex optimization modeling for microstructure informed tractography.
    doi:10.1109/TMI.2014.2352414
    Schiavi S et al. (2020) A new method for accurate in vivo mapping of human brain connections using microstructural and anatomical
    information (COMMIT2, the option ``groups``). doi:10.1126/sciadv.aba8245
    Panagiotaki E et al. (2012) Compartment models of the diffusion MR signal in brain white matter. doi:10.1016/j.neuroimage.2011.09.081
    Beck A, Teboulle M (2009) A fast iterative shrinkage-thresholding algorithm for linear inverse problems. doi:10.1137/080716542
    """
    options = {
        "peaks_frame": peaks_frame, "peak_threshold": peak_threshold, "precision": precision, "merge_b0": merge_b0, "no_normalise_signal":
        not normalise_signal, "no_normalise_kernels": not normalise_kernels, "demean": demean, "min_b0": min_b0, "min_length": min_length,
        "max_length": max_length, "min_segment": min_segment, "blur_core_extent": blur_core_extent, "blur_gauss_extent": blur_gauss_extent,
        "blur_gauss_min": blur_gauss_min, "blur_spacing": blur_spacing, "model": model, "axial_diffusivity": axial_diffusivity,
        "radial_diffusivity": radial_diffusivity, "zeppelin_axial_diffusivity": zeppelin_axial_diffusivity, "radial_diffusivities":
        radial_diffusivities, "intra_fractions": intra_fractions, "isotropic_diffusivities": isotropic_diffusivities, "radii": radii,
        "gamma_radii": gamma_radii, "big_delta": big_delta, "small_delta": small_delta, "echo_time": echo_time, "b_step": b_step, "lambda_":
        lambda_, "lambda_extra": lambda_extra, "lambda_isotropic": lambda_isotropic, "absolute_lambda": absolute_lambda, "debias": debias,
        "solver": solver, "tolerance": tolerance, "gap": gap, "iterations": iterations,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, progress=progress, frames=3)
    return _evaluation.evaluate_commit(told, options, tracks, dwi, gradients, mask, peaks=peaks, confidence=confidence, orientations=orientations)


def density(
    tracks: Any,
    like: ImageLike,
    *,
    weights: Optional[ArrayLike] = None,
    kind: Optional[Literal["counts", "lengths", "directional"]] = None,
    by_length: bool = False,
    threads: Optional[int] = None,
) -> Image:
    """Maps track density, mean length or direction per voxel, as ``arcuate density``.

    Parameters
    ----------
    tracks : Tractogram
        Streamlines: a tractogram of Arcuate, nibabel or DIPY, the path of a tractogram file, or a sequence with one array (points, 3) per
        streamline, in RAS mm.
    like : image
        Image whose voxel grid the output gets.
    weights : array_like, optional
        Array with one weight per streamline. If it is not given, each streamline has the weight 1.
    kind : {"counts", "lengths", "directional"}, optional
        Quantity that the map shows in each voxel. [default: counts]

        - ``counts``: Number of streamlines that pass the voxel.

        - ``lengths``: Mean length of the streamlines that pass the voxel, in mm.

        - ``directional``: Mean unsigned direction (left–right, front–back, up–down) of the streamlines in the voxel, as a vector whose
        length is the number of streamlines.
    by_length : bool
        Sum the lengths of the streamlines inside each voxel, in mm.

        Without this option, each streamline that passes the voxel counts 1.
    threads : int, optional
        Number of CPU threads.

        [default: all]

    Returns
    -------
    Image
        Map on the voxel grid of ``like``.

    References
    ----------
    Calamante F et al. (2010) Track-density imaging (TDI): super-resolution white matter imaging using whole-brain track-density mapping.
    doi:10.1016/j.neuroimage.2010.07.024
    Pannek K et al. (2011) The average pathlength map: a diffusion MRI tractography-derived index for studying brain pathology.
    doi:10.1016/j.neuroimage.2010.12.021
    """
    options = {
        "kind": kind, "by_length": by_length,
    }
    told = call("cpu", threads=threads, frames=3)
    return _connect.density(told, options, tracks, like, weights=weights)


def sample_along(
    tracks: Any,
    given: ImageLike,
    *,
    statistic: Optional[Literal["mean", "median", "min", "max"]] = None,
    nearest: bool = False,
    threads: Optional[int] = None,
) -> NDArray[np.float32]:
    """Samples the values of an image along streamlines, as ``arcuate sample``.

    Parameters
    ----------
    tracks : Tractogram
        Streamlines: a tractogram of Arcuate, nibabel or DIPY, the path of a tractogram file, or a sequence with one array (points, 3) per
        streamline, in RAS mm.
    given : image
        Image with one volume, whose values are sampled.
    statistic : {"mean", "median", "min", "max"}, optional
        Write this statistic of each streamline, instead of one value per point.

        - ``mean``: Mean over the points of a streamline, weighted by the length of streamline that each point represents.
    nearest : bool
        Use the nearest voxel at each point, without interpolation.
    threads : int, optional
        Number of CPU threads.

        [default: all]

    Returns
    -------
    NDArray[np.float32]
        Array with one value per point of the streamlines. With ``statistic``, the array has one value per streamline.
    """
    options = {
        "statistic": statistic, "nearest": nearest,
    }
    told = call("cpu", threads=threads, frames=3)
    return _connect.sample_along(told, options, tracks, given)


def connectome(
    tracks: Any,
    labels: ImageLike,
    *,
    label_names: Optional[Mapping[int, str]] = None,
    weights: Optional[ArrayLike] = None,
    assignment: Optional[Literal["radial", "end-voxel", "reverse", "forward", "all-voxels"]] = None,
    assignment_radius: Optional[float] = None,
    threads: Optional[int] = None,
) -> Connectome:
    """Counts and measures the streamlines between regions, as ``arcuate connectome``.

    Parameters
    ----------
    tracks : Tractogram
        Streamlines: a tractogram of Arcuate, nibabel or DIPY, the path of a tractogram file, or a sequence with one array (points, 3) per
        streamline, in RAS mm.
    labels : image
        Label image: the number of the region in each voxel, 0 for no region.
    label_names : Mapping[int, str], optional
        Name of each region, by its number.
    weights : array_like, optional
        Array with one weight per streamline. If it is not given, each streamline has the weight 1.
    assignment : {"radial", "end-voxel", "reverse", "forward", "all-voxels"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel or vertex within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.

        - ``reverse``: From each end, search back along the streamline for at most ``assignment_radius``. The end belongs to the first
        region found.

        - ``forward``: Each end of a streamline belongs to the first region that the streamline would reach if it continued, within
        ``assignment_radius``.

        - ``all-voxels``: A streamline connects all pairs of regions that contain one of its points.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4; with ``assignment`` reverse, up to the middle of the streamline]
    threads : int, optional
        Number of CPU threads.

        [default: all]

    Returns
    -------
    Connectome
        Symmetric matrices of the connections between regions, and the two regions that each streamline connects.

    References
    ----------
    Smith RE et al. (2015) The effects of SIFT on the reproducibility and biological accuracy of the structural connectome (radial search).
    doi:10.1016/j.neuroimage.2014.10.004

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=5, directions=6, b_value=1000)
    >>> ar.connectome(brain.truth, brain.labels)
    <arcuate.Connectome of 30 regions, 2,987 of 3,000 streamlines>
    """
    options = {
        "assignment": assignment, "assignment_radius": assignment_radius,
    }
    told = call("cpu", threads=threads, frames=3)
    return _connect.connectome(told, options, tracks, labels, label_names=label_names, weights=weights)


def simulate(
    gradients: Optional[Gradients] = None,
    *,
    voxel_size: Optional[float] = None,
    snr: Optional[float] = None,
    directions: Optional[int] = None,
    b_value: Optional[float] = None,
    b0s: Optional[int] = None,
    shells: Optional[Several[Word]] = None,
    streamlines_per_bundle: Optional[int] = None,
    tissues: bool = False,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Brain:
    """Simulates a small brain with known connections, as ``arcuate simulate``.

    Parameters
    ----------
    gradients : Gradients, optional
        Gradient table of the simulated measurements. Use it instead of ``directions``, ``b_value`` and ``b0s``.
    voxel_size : float, optional
        Edge length of the voxels, in mm. [default: 2.5]
    snr : float, optional
        Signal-to-noise ratio (SNR), or 0 for data without noise.

        The ratio is the b = 0 signal of white matter divided by the standard deviation of the noise. [default: 30]
    directions : int, optional
        Number of measurements with b > 0, each with another gradient direction. [default: 64]
    b_value : float, optional
        b-value of the measurements with b > 0, in s/mm². [default: 2000]
    b0s : int, optional
        Number of measurements with b = 0. [default: 6]
    shells : one or several of str, optional
        Shells to use, listed by their b-values in s/mm².

        B:N is a shell with N gradient directions at b-value B, such as 700:16 in 0:6,700:16,2800:50. Without :N, a shell has 64 directions,
        or 6 measurements if b = 0. Use this option instead of ``directions``, ``b_value`` and ``b0s``.
    streamlines_per_bundle : int, optional
        Number of true streamlines in each bundle. [default: 200]
    tissues : bool
        Simulate realistic tissues, and write the true tissues, bias field and FODs.

        In the images, cerebrospinal fluid (CSF) is 3.5 times as bright as white matter. All white matter has the same fibre response, and
        there is an intensity bias field. Writes truth_5tt (five-tissue-type image), truth_bias, truth_fod (fibre orientation distributions)
        and response files for MRtrix. Without this option, the tissues are simple.
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Brain
        The simulated measurement of the brain, and the ground truth.

    References
    ----------
    Gudbjartsson H, Patz S (1995) The Rician distribution of noisy MRI data. doi:10.1002/mrm.1910340618
    Côté MA et al. (2013) Tractometer: towards validation of tractography pipelines. doi:10.1016/j.media.2013.03.009

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=6, b_value=1000)
    >>> len(brain.bundles), brain.gradients
    (15, <arcuate.Gradients of 12 measurements: 6 × b 0, 6 × b 1000>)
    """
    options = {
        "voxel_size": voxel_size, "snr": snr, "directions": directions, "b_value": b_value, "b0s": b0s, "shells": shells,
        "streamlines_per_bundle": streamlines_per_bundle, "tissues": tissues,
    }
    told = call("cpu", threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _simulate.simulate(told, options, gradients)


def reconstruct(
    kspace: ArrayLike,
    trajectory: ArrayLike,
    size: Sequence[int],
    *,
    sensitivities: Optional[ArrayLike] = None,
    sample_weights: Optional[ArrayLike] = None,
    regularise: Union[Literal["tikhonov", "differences"], ArrayLike, None] = None,
    density: Union[Literal["pipe-menon", "voronoi", "none"], ArrayLike, None] = None,
    fov: Union[float, Sequence[float], None] = None,
    method: Optional[Literal["cg", "adjoint", "gridding"]] = None,
    lambda_: Optional[Word] = None,
    sigma: Optional[float] = None,
    edge: Optional[float] = None,
    interpolation: Optional[Literal["kaiser-bessel", "trilinear"]] = None,
    oversampling: Optional[float] = None,
    iterations: Optional[int] = None,
    tolerance: Optional[float] = None,
    trajectory_unit: Optional[Literal["fov", "voxel", "radian", "per-metre"]] = None,
    precision: Optional[Literal["single", "double"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = False,
) -> Reconstruction:
    """Reconstructs an image from k-space, along any trajectory, as ``arcuate recon``.

    Solves (FᴴF + λ WᴴW) ρ = Fᴴd for the image ρ by conjugate gradients, with exact Fourier sums. F is the Fourier transform at the samples,
    d are the data, and λ WᴴW is the penalty.

    Parameters
    ----------
    kspace : array_like
        Complex k-space samples: an array (samples), or (coils, samples) for several coils.
    trajectory : array_like
        k-space coordinates of the samples: an array (samples, 2 or 3). The unit is cycles per field of view, unless ``trajectory_unit`` is
        given.
    size : Sequence[int]
        Number of voxels of the image along x and y, and for a volume also along z.
    sensitivities : array_like, optional
        Complex coil sensitivities: an array (coils, x, y[, z]). Without this array, each coil is reconstructed separately, and the coil
        images are combined by the root of the sum of squares.
    sample_weights : array_like, optional
        Complex weights by which the k-space samples were multiplied: an array (samples).
    regularise : Union[Literal["tikhonov", "differences"], array_like, None], optional
        Penalty that is added to the misfit. ``tikhonov`` penalises the sum of squared voxel values. ``differences`` penalises the squared
        differences between neighbouring voxels. An array (x, y[, z]) is an anatomical image: differences are penalised less between voxels
        that have an edge (a large difference) between them in this image. [default: tikhonov]
    density : Union[Literal["pipe-menon", "voronoi", "none"], array_like, None], optional
        Density compensation of the k-space samples, for ``method="gridding"``: the name of an algorithm, or an array with one weight per
        sample. [default: pipe-menon]
    fov : Union[float, Sequence[float], None], optional
        Field of view in mm, which a trajectory in 1/m needs: one length for all axes, or one length per axis.
    method : {"cg", "adjoint", "gridding"}, optional
        Method: algorithm that computes the image from the k-space samples.

        `cg` solves for the image by conjugate gradients. `adjoint` only applies the adjoint Fourier transform Fᴴ to the data d. `gridding`
        interpolates the samples to a Cartesian grid, for comparison with the exact methods. [default: cg]
    lambda_ : str, optional
        Strength λ of the penalty that ``regularise`` selects.

        F is the operator from the image to the k-space data. λ is relative to FᴴF, scaled so that FᴴF is 1 for a fully sampled Cartesian
        scan. The scale of the coil sensitivities does not change λ. If ``sigma`` is given, `auto` chooses λ from the noise level. If not,
        `auto` uses the L-curve. [default: 1e-3]
    sigma : float, optional
        Standard deviation of the noise.

        The value is the standard deviation of the noise in the real part of a k-space sample, which is equal to that in the imaginary part.
        The iterations of the solver stop when the residual reaches this noise level. Without this option, only ``tolerance`` and
        ``iterations`` stop the iterations.
    edge : float, optional
        Difference between anatomical voxels at which the penalty is halved.

        The option is for ``regularise`` anatomy=IMAGE. Its value is in the unit of IMAGE: the larger the value, the fewer differences
        between neighbouring voxels of IMAGE count as edges. [default: three times the median of the non-zero differences]
    interpolation : {"kaiser-bessel", "trilinear"}, optional
        Interpolation between k-space samples and grid, for ``method`` gridding. [default: kaiser-bessel]

        - ``kaiser-bessel``: Kaiser–Bessel window with a width of four grid points.

        - ``trilinear``: Linear interpolation along each axis of the grid.
    oversampling : float, optional
        Grid points per voxel along each axis, for ``method`` gridding. [default: 2]
    iterations : int, optional
        Largest number of iterations of the solver. [default: 30]
    tolerance : float, optional
        Relative tolerance at which the iterations of the solver stop.

        The iterations stop when the norm of the residual is at most this fraction of the norm of the first residual. [default: 0.0001]
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
        Unit of the k-space coordinates in the trajectory.

        If the range of the coordinates suggests another unit than the default, the command stops with an error. [default: fov]

        - ``fov``: Cycles per field of view: coordinates from −n/2 to n/2 for n voxels.

        - ``voxel``: Cycles per voxel: coordinates from −½ to ½.

        - ``radian``: Radians per voxel: coordinates from −π to π.

        - ``per-metre``: Cycles per metre (1/m).
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Reconstruction
        The reconstructed complex image and the key figures of the reconstruction.

    References
    ----------
    Pruessmann KP et al. (2001) Advances in sensitivity encoding with arbitrary k-space trajectories. doi:10.1002/mrm.1241
    Fessler JA et al. (2005) Toeplitz-based iterative image reconstruction for MRI with correction for magnetic field inhomogeneity.
    doi:10.1109/TSP.2005.853152
    Stone SS et al. (2008) Accelerating advanced MRI reconstructions on GPUs. doi:10.1016/j.jpdc.2008.05.013
    Haldar JP et al. (2008) Anatomically constrained reconstruction from noisy data. doi:10.1002/mrm.21536
    Pipe JG, Menon P (1999) Sampling density compensation in MRI. doi:10.1002/(SICI)1522-2594(199901)41:1<179::AID-MRM25>3.0.CO;2-V
    Beatty PJ, Nishimura DG, Pauly JM (2005) Rapid gridding reconstruction with a minimal oversampling ratio. doi:10.1109/TMI.2005.848376
    Hansen PC (1992) Analysis of discrete ill-posed problems by means of the L-curve. doi:10.1137/1034115

    Examples
    --------
    >>> import numpy as np, arcuate as ar
    >>> places = np.stack(np.meshgrid(np.arange(-4, 4), np.arange(-4, 4)), -1).reshape(-1, 2)
    >>> truth = np.zeros((8, 8)); truth[2:5, 3:6] = 1
    >>> samples = ar.operators.FourierSums((8, 8), places) @ truth.ravel(order="F")
    >>> image = ar.reconstruct(samples, places, (8, 8), lambda_=1e-6, device="cpu")
    >>> bool(abs(image.magnitude - truth).max() < 1e-4)
    True
    """
    options = {
        "method": method, "lambda_": lambda_, "sigma": sigma, "edge": edge, "interpolation": interpolation, "oversampling": oversampling,
        "iterations": iterations, "tolerance": tolerance, "trajectory_unit": trajectory_unit, "precision": precision,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, progress=progress, frames=3)
    return _recon.reconstruct(told, options, kspace, trajectory, size, sensitivities=sensitivities, sample_weights=sample_weights, regularise=regularise, density=density, fov=fov)


def refits_as_orientations(
    dwi: ImageLike,
    gradients: Gradients,
    mask: ImageLike,
    *,
    replicates: Optional[int] = None,
    resampling: Optional[Literal["residuals", "signs"]] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Orientations:
    """Refits tensors to resampled residuals, and returns their directions for tracking, as ``arcuate track bootstrap``.

    First, the tensor of each voxel is fitted. Then tensors are fitted to the predicted signals of this fit plus resampled residuals. The
    principal direction of each refitted tensor is a sample of the fibre orientation, and its fractional anisotropy (FA) is the fibre
    fraction.

    Parameters
    ----------
    dwi : image
        Diffusion series: a 4-D image with the axes (x, y, z, measurements).
    gradients : Gradients
        Gradient table: direction and b-value of each measurement of the series.
    mask : image
        Mask image of the voxels to process.
    replicates : int, optional
        Number of refitted tensors (simulated repeated scans) per voxel. [default: 50]
    resampling : {"residuals", "signs"}, optional
        Rule that gives each measurement a residual of the first fit, for a refit. [default: residuals]

        - ``residuals``: Each measurement gets the residual of a measurement that is drawn at random, with replacement.

        - ``signs``: Each measurement keeps its own residual, but with a random sign (wild bootstrap).
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Orientations
        Samples of the orientation of one fibre per voxel.

    References
    ----------
    Jones DK (2008) Tractography gone wild: probabilistic fibre tracking using the wild bootstrap with diffusion tensor MRI.
    doi:10.1109/TMI.2008.922191
    Chung S, Lu Y, Henry RG (2006) Comparison of bootstrap approaches for estimation of uncertainties of DTI parameters.
    doi:10.1016/j.neuroimage.2006.07.001
    """
    options = {
        "replicates": replicates, "resampling": resampling,
    }
    told = call("cpu", threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _sampled.refits_as_orientations(told, options, dwi, gradients, mask)


def track_tensor(
    tensor: ImageLike,
    *,
    mask: Optional[ImageLike] = None,
    seed_mask: Optional[ImageLike] = None,
    seed_weights: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    waypoints: Regions = (),
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    five_tissues: Optional[ImageLike] = None,
    part: Optional[Word] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
    matrix: Optional[Literal["seeds", "targets", "pairs", "network"]] = None,
    target_columns: Optional[Several[Word]] = None,
    measure: Optional[Several[Literal["count", "length", "by-length"]]] = None,
    matrix_format: Optional[Several[Literal["npz", "dot", "dconn"]]] = None,
    resume: bool = False,
    assignment: Optional[Literal["radial", "end-voxel"]] = None,
    assignment_radius: Optional[float] = None,
    cropping: bool = True,
    seed_interface: bool = False,
    method: Optional[Literal["fact", "tensor", "deflection"]] = None,
    integrator: Optional[Literal["euler", "runge-kutta"]] = None,
    curvature_radius: Optional[float] = None,
    one_way: bool = False,
    deflection_f: Optional[float] = None,
    deflection_g: Optional[float] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Tracks:
    """Follows streamlines through diffusion tensors, as ``arcuate track tensor``.

    Parameters
    ----------
    tensor : image
        Diffusion tensors with the axes (x, y, z, 6), in mm²/s, such as ``fit_tensor(...).tensor``.
    mask : image, optional
        Mask image of the voxels to process. Streamlines terminate where they leave this mask.
    seed_mask : image, optional
        Mask image of the voxels in which streamlines begin.
    seed_weights : image, optional
        Image of the relative density of random seeds: a seed is drawn in a voxel with a probability proportional to the value of this
        image.
    seed_points : array_like, optional
        Array (n, 3) of points in RAS mm at which streamlines begin.
    waypoints : image or sequence of images, optional
        Regions (mask images) that each streamline must pass. Other streamlines are rejected.
    avoid : image or sequence of images, optional
        Regions (mask images) that no streamline may enter. Streamlines that enter one of them are rejected.
    stop : image or sequence of images, optional
        Regions (mask images) in which streamlines terminate, at their first point inside.
    stop_on_exit : image or sequence of images, optional
        Regions (mask images) that streamlines may not leave. A streamline terminates where it leaves one of them.
    targets : image or sequence of images, optional
        Target regions (mask images). The streamlines that pass each target region are counted.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, such as a result of :func:`five_tissues`.
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_depth : float, optional
        Distance below the surface at which streamlines begin, in mm.

        The distance is measured from each vertex along the inward normal of the surface. Without this option, streamlines begin at the
        vertices.
    per_seed : int, optional
        Number of streamlines that begin at each seed.

        [default: 1 for seed points, surface vertices and ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each seed voxel.

        The seeds of the grid replace random seeds.
    seeds : int, optional
        Number of seeds to draw at random.

        Each seed is a random point in ``seed_mask`` and gives one streamline. On surfaces, each seed is a vertex, drawn with a probability
        proportional to the area of the vertex.
    select : int, optional
        Stop after this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin each streamline at a random point of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius of the ball around each seed in which streamlines begin, in mm.

        Each streamline begins at a random point of this ball. [default: 0, which is the seed itself, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    waypoints_one_way : bool
        Require that one half of a streamline passes all waypoints.

        A half is the path from the seed to one end. Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests each half (from the seed to one end) separately, as FSL's probtrackx2 does. `whole` tests the whole streamline, as
        MRtrix's tckgen does. [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; if
        not, whole]

        - ``half``: Test and reject each half of the streamline (from the seed to one end) separately.

        - ``whole``: Test and reject the whole streamline.
    step : float, optional
        Length of each tracking step, in mm. [default: half a voxel, or 0.1 voxel with ``integrator`` euler]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.2]
    seed_cutoff : float, optional
        Smallest FA, FOD amplitude or fibre fraction at which a seed is used. [default: same as ``cutoff``]
    min_length : float, optional
        Smallest length of a streamline, in mm. [default: 20]
    max_length : float, optional
        Largest length of a streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline whose length reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline at this length and keep it.

        - ``discard``: Reject the whole streamline.
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        Products to write.

        [default: streamlines, or none with ``labels`` or ``matrix``]

        - ``streamlines``: Accepted streamlines: streamlines.trx.

        - ``visits``: Number of streamlines per voxel, and this number as a fraction of all streamlines: visits.nii.gz,
        visits_normalised.nii.gz.

        - ``lengths``: Mean path length from the seed, and this length times the number of visits: lengths.nii.gz, visits_by_length.nii.gz.

        - ``target-counts``: For each region of ``targets``, number of streamlines from each seed that pass the region: seeds_to_NAME.
    threshold : float, optional
        Smallest fraction of streamlines to keep in visits_normalised.nii.gz.

        Voxels with a smaller fraction get the value 0. [default: 0.005, or 0.001 for a tract with ``protocols``]
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a connectivity matrix of voxels, vertices or regions during tracking.

        Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the rows and columns of the
        matrix. For each voxel or vertex, these tables list its position x y z, the number of its file, and its number in that file. A
        symmetric matrix has one table for both.

        - ``seeds``: Matrix of seeds by seeds: counts the streamlines from the seed of the row that pass the seed of the column.

        - ``targets``: Matrix of seeds by targets: counts the streamlines from the seed of the row that pass the column's voxel or vertex of
        ``targets``; targets have no other results.

        - ``pairs``: Matrix of targets by targets: counts the streamlines from any seed that pass both the row's voxel or vertex (of
        ``targets``) and the column's (of ``target_columns``).

        - ``network``: Matrix of regions by regions, which ``seed_list`` gives: counts the streamlines from the region of the row that pass
        the region of the column.
    target_columns : one or several of str, optional
        Masks and surfaces whose voxels and vertices are the matrix columns.

        This option is for ``matrix`` pairs, whose rows are the voxels and vertices of ``targets``. [default: the second file of
        ``targets``; if there is only one, the same elements as the rows]
    measure : one or several of {"count", "length", "by-length"}, optional
        Quantities to write for each matrix entry (pair of row and column).

        `count` is the number of streamlines, which is always written. `length` is the mean path length in mm from the seed to the element
        of the column. With ``matrix`` pairs, `length` is the mean path length between the elements of the row and the column. `by-length`
        is the number of streamlines times their mean length. [default: count]
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        File formats of the connectivity matrix.

        [default: npz]

        - ``npz``: SciPy's sparse matrix (.npz, compressed sparse rows).

        - ``dot``: FSL's text format (.dot), with the coordinates of rows and columns in separate files.

        - ``dconn``: CIFTI-2's dense matrix (.dconn.nii), with every entry.
    resume : bool
        Resume an interrupted run of the same data and options.

        With this option, a run saves its state in the result folder about every minute. The interrupted run must also have been started
        with this option. It can be used with ``matrix`` seeds and ``matrix`` targets.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    cropping : bool, optional
        If False: Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter. [default: True]
    seed_interface : bool
        Begin streamlines at the boundary of grey and white matter in ``five_tissues``.
    method : {"fact", "tensor", "deflection"}, optional
        Method: rule by which a streamline finds its next direction. [default: tensor]

        - ``fact``: Go straight through each voxel, along the principal direction of its tensor.

        - ``tensor``: Step along the principal direction of the interpolated tensor.

        - ``deflection``: Step along the incoming direction, deflected by the interpolated tensor (TEND).
    integrator : {"euler", "runge-kutta"}, optional
        Integration scheme.

        This option has no effect with ``method`` fact. [default: runge-kutta]
    curvature_radius : float, optional
        Smallest radius of curvature of a streamline, in mm; replaces ``angle``.
    one_way : bool
        Follow only one of the two opposite directions from each seed.

        This direction is drawn at random. Without this option, both directions are followed, and their paths form one streamline.
    deflection_f : float, optional
        Weight f of the principal direction in each step, for ``method`` deflection.

        With the weight 1, steps follow the principal direction. With the weight 0, the principal direction has no effect. [default: 0]
    deflection_g : float, optional
        Weight g of the deflected direction in each step, for ``method`` deflection.

        The deflected direction is the product of the tensor and the incoming direction. The incoming direction has the weight 1 − g.
        [default: 1]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Tracks
        The streamlines that were accepted.

    References
    ----------
    Mori S et al. (1999) Three-dimensional tracking of axonal projections. doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3
    Basser PJ et al. (2000) In vivo fiber tractography using DT-MRI data. doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O
    Lazar M et al. (2003) White matter tractography using diffusion tensor deflection. doi:10.1002/hbm.10102

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=5, directions=12, b_value=1000)
    >>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
    >>> tracks = ar.track_tensor(maps.tensor, seed_mask=brain.white_matter, select=100)
    >>> len(tracks)
    100
    """
    options = {
        "part": part, "seed_surfaces": seed_surfaces, "seed_depth": seed_depth, "per_seed": per_seed, "seed_grid": seed_grid, "seeds":
        seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius, "waypoint_condition": waypoint_condition,
        "waypoints_in_order": waypoints_in_order, "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "step": step, "angle":
        angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length": min_length, "max_length": max_length, "at_max_length":
        at_max_length, "products": products, "threshold": threshold, "matrix": matrix, "target_columns": target_columns, "measure": measure,
        "matrix_format": matrix_format, "resume": resume, "assignment": assignment, "assignment_radius": assignment_radius, "no_cropping":
        not cropping, "seed_interface": seed_interface, "method": method, "integrator": integrator, "curvature_radius": curvature_radius,
        "one_way": one_way, "deflection_f": deflection_f, "deflection_g": deflection_g,
    }
    told = call("cpu", threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _tracking.track_tensor(told, options, tensor, mask=mask, seed_mask=seed_mask, seed_weights=seed_weights, seed_points=seed_points, waypoints=waypoints, avoid=avoid, stop=stop, stop_on_exit=stop_on_exit, targets=targets, five_tissues=five_tissues)


def track_fod(
    fod: ImageLike,
    *,
    mask: Optional[ImageLike] = None,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    waypoints: Regions = (),
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    five_tissues: Optional[ImageLike] = None,
    part: Optional[Word] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
    matrix: Optional[Literal["seeds", "targets", "pairs", "network"]] = None,
    target_columns: Optional[Several[Word]] = None,
    measure: Optional[Several[Literal["count", "length", "by-length"]]] = None,
    matrix_format: Optional[Several[Literal["npz", "dot", "dconn"]]] = None,
    resume: bool = False,
    assignment: Optional[Literal["radial", "end-voxel"]] = None,
    assignment_radius: Optional[float] = None,
    cropping: bool = True,
    seed_interface: bool = False,
    back_tracking: bool = False,
    method: Optional[Literal["arcs", "steps", "peaks"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Tracks:
    """Follows streamlines through fibre orientation distributions, as ``arcuate track fod``.

    Parameters
    ----------
    fod : image
        Fibre orientation distributions (FODs) with the axes (x, y, z, coefficients), as coefficients of MRtrix's spherical harmonics, such
        as ``fit_csd(...).fod``.
    mask : image, optional
        Mask image of the voxels to process. Streamlines terminate where they leave this mask.
    seed_mask : image, optional
        Mask image of the voxels in which streamlines begin.
    seed_points : array_like, optional
        Array (n, 3) of points in RAS mm at which streamlines begin.
    waypoints : image or sequence of images, optional
        Regions (mask images) that each streamline must pass. Other streamlines are rejected.
    avoid : image or sequence of images, optional
        Regions (mask images) that no streamline may enter. Streamlines that enter one of them are rejected.
    stop : image or sequence of images, optional
        Regions (mask images) in which streamlines terminate, at their first point inside.
    stop_on_exit : image or sequence of images, optional
        Regions (mask images) that streamlines may not leave. A streamline terminates where it leaves one of them.
    targets : image or sequence of images, optional
        Target regions (mask images). The streamlines that pass each target region are counted.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, such as a result of :func:`five_tissues`.
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_depth : float, optional
        Distance below the surface at which streamlines begin, in mm.

        The distance is measured from each vertex along the inward normal of the surface. Without this option, streamlines begin at the
        vertices.
    per_seed : int, optional
        Number of streamlines that begin at each seed.

        [default: 1 for seed points, surface vertices and ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each seed voxel.

        The seeds of the grid replace random seeds.
    seeds : int, optional
        Number of seeds to draw at random.

        Each seed is a random point in ``seed_mask`` and gives one streamline. On surfaces, each seed is a vertex, drawn with a probability
        proportional to the area of the vertex.
    select : int, optional
        Stop after this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin each streamline at a random point of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius of the ball around each seed in which streamlines begin, in mm.

        Each streamline begins at a random point of this ball. [default: 0, which is the seed itself, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    waypoints_one_way : bool
        Require that one half of a streamline passes all waypoints.

        A half is the path from the seed to one end. Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests each half (from the seed to one end) separately, as FSL's probtrackx2 does. `whole` tests the whole streamline, as
        MRtrix's tckgen does. [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; if
        not, whole]

        - ``half``: Test and reject each half of the streamline (from the seed to one end) separately.

        - ``whole``: Test and reject the whole streamline.
    step : float, optional
        Length of each tracking step, in mm. [default: half a voxel, or 0.1 voxel with ``method`` steps or peaks]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: 45, or 15 with ``method`` steps, 60 with
        ``method`` peaks]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.1]
    seed_cutoff : float, optional
        Smallest FA, FOD amplitude or fibre fraction at which a seed is used. [default: same as ``cutoff``]
    min_length : float, optional
        Smallest length of a streamline, in mm. [default: 20]
    max_length : float, optional
        Largest length of a streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline whose length reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline at this length and keep it.

        - ``discard``: Reject the whole streamline.
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        Products to write.

        [default: streamlines, or none with ``labels`` or ``matrix``]

        - ``streamlines``: Accepted streamlines: streamlines.trx.

        - ``visits``: Number of streamlines per voxel, and this number as a fraction of all streamlines: visits.nii.gz,
        visits_normalised.nii.gz.

        - ``lengths``: Mean path length from the seed, and this length times the number of visits: lengths.nii.gz, visits_by_length.nii.gz.

        - ``target-counts``: For each region of ``targets``, number of streamlines from each seed that pass the region: seeds_to_NAME.
    threshold : float, optional
        Smallest fraction of streamlines to keep in visits_normalised.nii.gz.

        Voxels with a smaller fraction get the value 0. [default: 0.005, or 0.001 for a tract with ``protocols``]
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a connectivity matrix of voxels, vertices or regions during tracking.

        Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the rows and columns of the
        matrix. For each voxel or vertex, these tables list its position x y z, the number of its file, and its number in that file. A
        symmetric matrix has one table for both.

        - ``seeds``: Matrix of seeds by seeds: counts the streamlines from the seed of the row that pass the seed of the column.

        - ``targets``: Matrix of seeds by targets: counts the streamlines from the seed of the row that pass the column's voxel or vertex of
        ``targets``; targets have no other results.

        - ``pairs``: Matrix of targets by targets: counts the streamlines from any seed that pass both the row's voxel or vertex (of
        ``targets``) and the column's (of ``target_columns``).

        - ``network``: Matrix of regions by regions, which ``seed_list`` gives: counts the streamlines from the region of the row that pass
        the region of the column.
    target_columns : one or several of str, optional
        Masks and surfaces whose voxels and vertices are the matrix columns.

        This option is for ``matrix`` pairs, whose rows are the voxels and vertices of ``targets``. [default: the second file of
        ``targets``; if there is only one, the same elements as the rows]
    measure : one or several of {"count", "length", "by-length"}, optional
        Quantities to write for each matrix entry (pair of row and column).

        `count` is the number of streamlines, which is always written. `length` is the mean path length in mm from the seed to the element
        of the column. With ``matrix`` pairs, `length` is the mean path length between the elements of the row and the column. `by-length`
        is the number of streamlines times their mean length. [default: count]
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        File formats of the connectivity matrix.

        [default: npz]

        - ``npz``: SciPy's sparse matrix (.npz, compressed sparse rows).

        - ``dot``: FSL's text format (.dot), with the coordinates of rows and columns in separate files.

        - ``dconn``: CIFTI-2's dense matrix (.dconn.nii), with every entry.
    resume : bool
        Resume an interrupted run of the same data and options.

        With this option, a run saves its state in the result folder about every minute. The interrupted run must also have been started
        with this option. It can be used with ``matrix`` seeds and ``matrix`` targets.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    cropping : bool, optional
        If False: Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter. [default: True]
    seed_interface : bool
        Begin streamlines at the boundary of grey and white matter in ``five_tissues``.
    back_tracking : bool
        Track half of a streamline again if this half terminates in the wrong tissue.

        Tracking restarts at a point shortly before the end of this half, up to 100 times. Without this option, a streamline that terminates
        in a wrong tissue is rejected at once.
    method : {"arcs", "steps", "peaks"}, optional
        Method: rule by which a streamline finds its next direction. [default: arcs]

        - ``arcs``: Draw the next arc, with a probability proportional to the FOD amplitudes along the arc (second order, as MRtrix's
        iFOD2).

        - ``steps``: Draw the next straight step, with a probability proportional to the FOD amplitude in its direction (first order, as
        MRtrix's iFOD1).

        - ``peaks``: Step along the FOD peak that is nearest to the last direction (deterministic, as MRtrix's SD_STREAM).
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Tracks
        The streamlines that were accepted.

    References
    ----------
    Tournier JD et al. (2010) Improved probabilistic streamlines tractography by 2nd order integration over fibre orientation distributions.
    Proc. ISMRM 18:1670
    Tournier JD et al. (2012) MRtrix: diffusion tractography in crossing fiber regions. doi:10.1002/ima.22005
    Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405
    """
    options = {
        "part": part, "seed_surfaces": seed_surfaces, "seed_depth": seed_depth, "per_seed": per_seed, "seed_grid": seed_grid, "seeds":
        seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius, "waypoint_condition": waypoint_condition,
        "waypoints_in_order": waypoints_in_order, "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "step": step, "angle":
        angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length": min_length, "max_length": max_length, "at_max_length":
        at_max_length, "products": products, "threshold": threshold, "matrix": matrix, "target_columns": target_columns, "measure": measure,
        "matrix_format": matrix_format, "resume": resume, "assignment": assignment, "assignment_radius": assignment_radius, "no_cropping":
        not cropping, "seed_interface": seed_interface, "back_tracking": back_tracking, "method": method,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _tracking.track_fod(told, options, fod, mask=mask, seed_mask=seed_mask, seed_points=seed_points, waypoints=waypoints, avoid=avoid, stop=stop, stop_on_exit=stop_on_exit, targets=targets, five_tissues=five_tissues)


def track_samples(
    samples: Union[Orientations, PathLike],
    *,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    waypoints: Regions = (),
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    five_tissues: Optional[ImageLike] = None,
    per_seed: Optional[int] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    cropping: bool = True,
    seed_interface: bool = False,
    back_tracking: bool = False,
    integrator: Optional[Literal["euler", "modified-euler"]] = None,
    initial_fibre: Optional[Word] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    preset: Optional[Literal["probtrackx"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Tracks:
    """Follows streamlines through samples of fibre orientations, as ``arcuate track samples``.

    Parameters
    ----------
    samples : Union[Orientations, path]
        Fibre orientations to follow: a result of :func:`load_samples`, :func:`peaks_as_orientations` or :func:`refits_as_orientations`, or
        the path of a folder of samples.
    seed_mask : image, optional
        Mask image of the voxels in which streamlines begin.
    seed_points : array_like, optional
        Array (n, 3) of points in RAS mm at which streamlines begin.
    waypoints : image or sequence of images, optional
        Regions (mask images) that each streamline must pass. Other streamlines are rejected.
    avoid : image or sequence of images, optional
        Regions (mask images) that no streamline may enter. Streamlines that enter one of them are rejected.
    stop : image or sequence of images, optional
        Regions (mask images) in which streamlines terminate, at their first point inside.
    stop_on_exit : image or sequence of images, optional
        Regions (mask images) that streamlines may not leave. A streamline terminates where it leaves one of them.
    targets : image or sequence of images, optional
        Target regions (mask images). The streamlines that pass each target region are counted.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, such as a result of :func:`five_tissues`.
    per_seed : int, optional
        Number of streamlines that begin at each seed.

        [default: 1 for seed points, surface vertices and ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each seed voxel.

        The seeds of the grid replace random seeds.
    seeds : int, optional
        Number of seeds to draw at random.

        Each seed is a random point in ``seed_mask`` and gives one streamline. On surfaces, each seed is a vertex, drawn with a probability
        proportional to the area of the vertex.
    select : int, optional
        Stop after this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin each streamline at a random point of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius of the ball around each seed in which streamlines begin, in mm.

        Each streamline begins at a random point of this ball. [default: 0, which is the seed itself, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    waypoints_one_way : bool
        Require that one half of a streamline passes all waypoints.

        A half is the path from the seed to one end. Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests each half (from the seed to one end) separately, as FSL's probtrackx2 does. `whole` tests the whole streamline, as
        MRtrix's tckgen does. [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; if
        not, whole]

        - ``half``: Test and reject each half of the streamline (from the seed to one end) separately.

        - ``whole``: Test and reject the whole streamline.
    step : float, optional
        Length of each tracking step, in mm. [default: half a voxel]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.05]
    seed_cutoff : float, optional
        Smallest FA, FOD amplitude or fibre fraction at which a seed is used. [default: 0.2, or any value if seeds are given]
    min_length : float, optional
        Smallest length of a streamline, in mm. [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Largest length of a streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline whose length reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline at this length and keep it.

        - ``discard``: Reject the whole streamline.
    cropping : bool, optional
        If False: Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter. [default: True]
    seed_interface : bool
        Begin streamlines at the boundary of grey and white matter in ``five_tissues``.
    back_tracking : bool
        Track half of a streamline again if this half terminates in the wrong tissue.

        Tracking restarts at a point shortly before the end of this half, up to 100 times. Without this option, a streamline that terminates
        in a wrong tissue is rejected at once.
    integrator : {"euler", "modified-euler"}, optional
        Integration scheme. [default: euler]

        - ``euler``: Each step follows the fibre orientation at the start of the step.

        - ``modified-euler``: Each step follows the mean of the fibre orientations at the two ends of the step.
    initial_fibre : str, optional
        Fibre of the seed voxel that a streamline follows at the seed.

        A number, counted from 1, selects the fibre with this number. `random` draws one of the fibres whose fraction is at least
        ``cutoff``, all with the same probability. `in-proportion` draws one of these fibres with a probability proportional to its
        fraction. `random-of-all` draws one of all fibres. [default: 1, or random with ``protocols``]
    fraction_stops : bool
        At each point, continue only with a probability equal to the fibre fraction.
    loop_check : bool
        Terminate streamlines that return to a place in the opposite direction.

        A place is a cube with an edge of five voxels. With ``protocols``, this check is always done.
    nearest : bool
        Use the nearest voxel at each point, without interpolation.

        Without this option, each step uses one of the eight surrounding voxels, drawn at random (probabilistic interpolation).
    max_steps : int, optional
        Largest number of steps of a streamline.

        Each half of a streamline (from the seed to one end) can have half of this number of steps. [default: 2000]
    min_half_length : float, optional
        Smallest length of half a streamline (from the seed to one end), in mm. [default: 0]
    preset : {"probtrackx"}, optional
        Use the defaults of another program for all options that are not given.

        - ``probtrackx``: Defaults of FSL's probtrackx2: ``step`` 0.5, ``angle`` 78.463, no smallest length, 5000 streamlines per seed, and
        ``products`` visits.
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Tracks
        The streamlines that were accepted.

    References
    ----------
    Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. doi:10.1002/mrm.10609
    Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain?
    doi:10.1016/j.neuroimage.2006.09.018
    Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405
    Warrington S et al. (2020) XTRACT - Standardised protocols for automated tractography in the human and macaque brain.
    doi:10.1016/j.neuroimage.2020.116923
    de Groot M et al. (2013) Improving alignment in tract-based spatial statistics: evaluation and optimization of image registration.
    doi:10.1016/j.neuroimage.2013.03.015
    """
    options = {
        "per_seed": per_seed, "seed_grid": seed_grid, "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius":
        seed_radius, "waypoint_condition": waypoint_condition, "waypoints_in_order": waypoints_in_order, "waypoints_one_way":
        waypoints_one_way, "judged_by": judged_by, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length":
        min_length, "max_length": max_length, "at_max_length": at_max_length, "no_cropping": not cropping, "seed_interface": seed_interface,
        "back_tracking": back_tracking, "integrator": integrator, "initial_fibre": initial_fibre, "fraction_stops": fraction_stops,
        "loop_check": loop_check, "nearest": nearest, "max_steps": max_steps, "min_half_length": min_half_length, "preset": preset,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _sampled.track_samples(told, options, samples, seed_mask=seed_mask, seed_points=seed_points, waypoints=waypoints, avoid=avoid, stop=stop, stop_on_exit=stop_on_exit, targets=targets, five_tissues=five_tissues)


def map_visits(
    samples: Union[Orientations, PathLike],
    *,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    waypoints: Regions = (),
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    five_tissues: Optional[ImageLike] = None,
    lengths: bool = False,
    per_seed: Optional[int] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    threshold: Optional[float] = None,
    cropping: bool = True,
    seed_interface: bool = False,
    back_tracking: bool = False,
    integrator: Optional[Literal["euler", "modified-euler"]] = None,
    initial_fibre: Optional[Word] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    preset: Optional[Literal["probtrackx"]] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Visits:
    """Counts the streamlines that pass each voxel, in tracking through samples of fibre orientations, as ``arcuate track samples``.

    The streamlines are counted but not stored. They are the same as those of :func:`track_samples` with the same seeds and options.

    Parameters
    ----------
    samples : Union[Orientations, path]
        Fibre orientations to follow: a result of :func:`load_samples`, :func:`peaks_as_orientations` or :func:`refits_as_orientations`, or
        the path of a folder of samples.
    seed_mask : image, optional
        Mask image of the voxels in which streamlines begin.
    seed_points : array_like, optional
        Array (n, 3) of points in RAS mm at which streamlines begin.
    waypoints : image or sequence of images, optional
        Regions (mask images) that each streamline must pass. Other streamlines are rejected.
    avoid : image or sequence of images, optional
        Regions (mask images) that no streamline may enter. Streamlines that enter one of them are rejected.
    stop : image or sequence of images, optional
        Regions (mask images) in which streamlines terminate, at their first point inside.
    stop_on_exit : image or sequence of images, optional
        Regions (mask images) that streamlines may not leave. A streamline terminates where it leaves one of them.
    targets : image or sequence of images, optional
        Target regions (mask images). The streamlines that pass each target region are counted.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, such as a result of :func:`five_tissues`.
    lengths : bool, optional
        True to also map the mean path length from the seeds to each voxel, in mm.
    per_seed : int, optional
        Number of streamlines that begin at each seed.

        [default: 1 for seed points, surface vertices and ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each seed voxel.

        The seeds of the grid replace random seeds.
    seeds : int, optional
        Number of seeds to draw at random.

        Each seed is a random point in ``seed_mask`` and gives one streamline. On surfaces, each seed is a vertex, drawn with a probability
        proportional to the area of the vertex.
    select : int, optional
        Stop after this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin each streamline at a random point of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius of the ball around each seed in which streamlines begin, in mm.

        Each streamline begins at a random point of this ball. [default: 0, which is the seed itself, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    waypoints_one_way : bool
        Require that one half of a streamline passes all waypoints.

        A half is the path from the seed to one end. Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests each half (from the seed to one end) separately, as FSL's probtrackx2 does. `whole` tests the whole streamline, as
        MRtrix's tckgen does. [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; if
        not, whole]

        - ``half``: Test and reject each half of the streamline (from the seed to one end) separately.

        - ``whole``: Test and reject the whole streamline.
    step : float, optional
        Length of each tracking step, in mm. [default: half a voxel]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.05]
    seed_cutoff : float, optional
        Smallest FA, FOD amplitude or fibre fraction at which a seed is used. [default: 0.2, or any value if seeds are given]
    min_length : float, optional
        Smallest length of a streamline, in mm. [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Largest length of a streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline whose length reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline at this length and keep it.

        - ``discard``: Reject the whole streamline.
    threshold : float, optional
        Smallest fraction of streamlines to keep in visits_normalised.nii.gz.

        Voxels with a smaller fraction get the value 0. [default: 0.005, or 0.001 for a tract with ``protocols``]
    cropping : bool, optional
        If False: Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter. [default: True]
    seed_interface : bool
        Begin streamlines at the boundary of grey and white matter in ``five_tissues``.
    back_tracking : bool
        Track half of a streamline again if this half terminates in the wrong tissue.

        Tracking restarts at a point shortly before the end of this half, up to 100 times. Without this option, a streamline that terminates
        in a wrong tissue is rejected at once.
    integrator : {"euler", "modified-euler"}, optional
        Integration scheme. [default: euler]

        - ``euler``: Each step follows the fibre orientation at the start of the step.

        - ``modified-euler``: Each step follows the mean of the fibre orientations at the two ends of the step.
    initial_fibre : str, optional
        Fibre of the seed voxel that a streamline follows at the seed.

        A number, counted from 1, selects the fibre with this number. `random` draws one of the fibres whose fraction is at least
        ``cutoff``, all with the same probability. `in-proportion` draws one of these fibres with a probability proportional to its
        fraction. `random-of-all` draws one of all fibres. [default: 1, or random with ``protocols``]
    fraction_stops : bool
        At each point, continue only with a probability equal to the fibre fraction.
    loop_check : bool
        Terminate streamlines that return to a place in the opposite direction.

        A place is a cube with an edge of five voxels. With ``protocols``, this check is always done.
    nearest : bool
        Use the nearest voxel at each point, without interpolation.

        Without this option, each step uses one of the eight surrounding voxels, drawn at random (probabilistic interpolation).
    max_steps : int, optional
        Largest number of steps of a streamline.

        Each half of a streamline (from the seed to one end) can have half of this number of steps. [default: 2000]
    min_half_length : float, optional
        Smallest length of half a streamline (from the seed to one end), in mm. [default: 0]
    preset : {"probtrackx"}, optional
        Use the defaults of another program for all options that are not given.

        - ``probtrackx``: Defaults of FSL's probtrackx2: ``step`` 0.5, ``angle`` 78.463, no smallest length, 5000 streamlines per seed, and
        ``products`` visits.
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Visits
        Maps on the voxel grid of ``seed_mask``. If there is no seed mask, on the grid of the samples.

    References
    ----------
    Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. doi:10.1002/mrm.10609
    Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain?
    doi:10.1016/j.neuroimage.2006.09.018
    Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405
    Warrington S et al. (2020) XTRACT - Standardised protocols for automated tractography in the human and macaque brain.
    doi:10.1016/j.neuroimage.2020.116923
    de Groot M et al. (2013) Improving alignment in tract-based spatial statistics: evaluation and optimization of image registration.
    doi:10.1016/j.neuroimage.2013.03.015

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=6, directions=15, b_value=1000)
    >>> peaks = ar.peaks_as_orientations(brain.peaks, brain.mask)
    >>> visits = ar.map_visits(peaks, seed_points=[[20, 0, 20]], seed_radius=6, per_seed=1000, preset="probtrackx", device="cpu")
    >>> bool(visits.visits.data.max() > 300)
    True
    """
    options = {
        "per_seed": per_seed, "seed_grid": seed_grid, "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius":
        seed_radius, "waypoint_condition": waypoint_condition, "waypoints_in_order": waypoints_in_order, "waypoints_one_way":
        waypoints_one_way, "judged_by": judged_by, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length":
        min_length, "max_length": max_length, "at_max_length": at_max_length, "threshold": threshold, "no_cropping": not cropping,
        "seed_interface": seed_interface, "back_tracking": back_tracking, "integrator": integrator, "initial_fibre": initial_fibre,
        "fraction_stops": fraction_stops, "loop_check": loop_check, "nearest": nearest, "max_steps": max_steps, "min_half_length":
        min_half_length, "preset": preset,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _sampled.map_visits(told, options, samples, seed_mask=seed_mask, seed_points=seed_points, waypoints=waypoints, avoid=avoid, stop=stop, stop_on_exit=stop_on_exit, targets=targets, five_tissues=five_tissues, lengths=lengths)


def track_geodesic(
    tensor: ImageLike,
    *,
    targets: Optional[Mapping[str, ImageLike]] = None,
    mask: Optional[ImageLike] = None,
    seed_mask: Optional[ImageLike] = None,
    seed_weights: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    waypoints: Regions = (),
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    best: Optional[int] = None,
    min_connectivity: Optional[float] = None,
    one_per_voxel: bool = False,
    part: Optional[Word] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_depth: Optional[float] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
    matrix: Optional[Literal["seeds", "targets", "pairs", "network"]] = None,
    target_columns: Optional[Several[Word]] = None,
    measure: Optional[Several[Literal["count", "length", "by-length"]]] = None,
    matrix_format: Optional[Several[Literal["npz", "dot", "dconn"]]] = None,
    resume: bool = False,
    assignment: Optional[Literal["radial", "end-voxel"]] = None,
    assignment_radius: Optional[float] = None,
    field: Optional[Literal["spline", "trilinear", "thesis"]] = None,
    metric: Optional[Literal["inverse", "adjugate", "conformal"]] = None,
    gain: Optional[float] = None,
    sharpen: Optional[float] = None,
    sharpen_fa: Optional[float] = None,
    sharpen_side: Optional[Literal["below", "above"]] = None,
    integrator: Optional[Literal["euler", "heun", "runge-kutta", "adaptive"]] = None,
    step_tolerance: Optional[float] = None,
    precision: Optional[Literal["single", "double"]] = None,
    initial_directions: Optional[Literal["principal", "sphere", "cone"]] = None,
    cone: Optional[float] = None,
    one_way: bool = False,
    max_steps: Optional[int] = None,
    allow_loops: bool = False,
    per_seed: Optional[int] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Tracks:
    """Follows rays (shortest paths) through diffusion tensors, as ``arcuate track geodesic``.

    Parameters
    ----------
    tensor : image
        Diffusion tensors with the axes (x, y, z, 6), in mm²/s, such as ``fit_tensor(...).tensor``.
    targets : Mapping[str, image], optional
        Target regions to which connections are found: a mask image for each name. The regions must not overlap. Without targets, every ray
        is kept. [default: none]
    mask : image, optional
        Mask image of the voxels to process. Rays terminate where they leave this mask.
    seed_mask : image, optional
        Mask image of the voxels in which rays begin. [default: if all rays are kept, every voxel with a fractional anisotropy (FA) from 0.2
        to 1]
    seed_weights : image, optional
        Image of the relative density of random seeds: a seed is drawn in a voxel with a probability proportional to the value of this
        image.
    seed_points : array_like, optional
        Array (n, 3) of points in RAS mm at which streamlines begin.
    waypoints : image or sequence of images, optional
        Regions (mask images) that each streamline must pass. Other streamlines are rejected.
    avoid : image or sequence of images, optional
        Regions (mask images) that no streamline may enter. Streamlines that enter one of them are rejected.
    stop : image or sequence of images, optional
        Regions (mask images) in which streamlines terminate, at their first point inside.
    stop_on_exit : image or sequence of images, optional
        Regions (mask images) that streamlines may not leave. A streamline terminates where it leaves one of them.
    best : int, optional
        Keep the N strongest connections (rays) to each target region.

        The strength of a connection is its connectivity measure. [default: 100, or no limit with ``min_connectivity``]
    min_connectivity : float, optional
        Smallest connectivity measure (CM) of a connection (ray) to keep.

        The CM of a ray is its length divided by its geodesic length. Without this option, ``best`` limits the connections.
    one_per_voxel : bool
        For each voxel of a target region, keep only the strongest connection (ray).
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_depth : float, optional
        Distance below the surface at which streamlines begin, in mm.

        The distance is measured from each vertex along the inward normal of the surface. Without this option, streamlines begin at the
        vertices.
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each seed voxel.

        The seeds of the grid replace random seeds.
    seeds : int, optional
        Number of seeds to draw at random.

        Each seed is a random point in ``seed_mask`` and gives one streamline. On surfaces, each seed is a vertex, drawn with a probability
        proportional to the area of the vertex.
    select : int, optional
        Stop after this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin each streamline at a random point of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius of the ball around each seed in which streamlines begin, in mm.

        Each streamline begins at a random point of this ball. [default: 0, which is the seed itself, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    waypoints_one_way : bool
        Require that one half of a streamline passes all waypoints.

        A half is the path from the seed to one end. Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests each half (from the seed to one end) separately, as FSL's probtrackx2 does. `whole` tests the whole streamline, as
        MRtrix's tckgen does. [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; if
        not, whole]

        - ``half``: Test and reject each half of the streamline (from the seed to one end) separately.

        - ``whole``: Test and reject the whole streamline.
    step : float, optional
        Length of each tracking step, in mm. [default: 0.1 of the shortest voxel edge, or up to half of it with ``integrator`` adaptive]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: any]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0]
    seed_cutoff : float, optional
        Smallest FA, FOD amplitude or fibre fraction at which a seed is used. [default: 0.2, or any value if seeds are given]
    min_length : float, optional
        Smallest length of a streamline, in mm. [default: 0]
    max_length : float, optional
        Largest length of a streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline whose length reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline at this length and keep it.

        - ``discard``: Reject the whole streamline.
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        Products to write.

        [default: streamlines, or none with ``labels`` or ``matrix``]

        - ``streamlines``: Accepted streamlines: streamlines.trx.

        - ``visits``: Number of streamlines per voxel, and this number as a fraction of all streamlines: visits.nii.gz,
        visits_normalised.nii.gz.

        - ``lengths``: Mean path length from the seed, and this length times the number of visits: lengths.nii.gz, visits_by_length.nii.gz.

        - ``target-counts``: For each region of ``targets``, number of streamlines from each seed that pass the region: seeds_to_NAME.
    threshold : float, optional
        Smallest fraction of streamlines to keep in visits_normalised.nii.gz.

        Voxels with a smaller fraction get the value 0. [default: 0.005, or 0.001 for a tract with ``protocols``]
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a connectivity matrix of voxels, vertices or regions during tracking.

        Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the rows and columns of the
        matrix. For each voxel or vertex, these tables list its position x y z, the number of its file, and its number in that file. A
        symmetric matrix has one table for both.

        - ``seeds``: Matrix of seeds by seeds: counts the streamlines from the seed of the row that pass the seed of the column.

        - ``targets``: Matrix of seeds by targets: counts the streamlines from the seed of the row that pass the column's voxel or vertex of
        ``targets``; targets have no other results.

        - ``pairs``: Matrix of targets by targets: counts the streamlines from any seed that pass both the row's voxel or vertex (of
        ``targets``) and the column's (of ``target_columns``).

        - ``network``: Matrix of regions by regions, which ``seed_list`` gives: counts the streamlines from the region of the row that pass
        the region of the column.
    target_columns : one or several of str, optional
        Masks and surfaces whose voxels and vertices are the matrix columns.

        This option is for ``matrix`` pairs, whose rows are the voxels and vertices of ``targets``. [default: the second file of
        ``targets``; if there is only one, the same elements as the rows]
    measure : one or several of {"count", "length", "by-length"}, optional
        Quantities to write for each matrix entry (pair of row and column).

        `count` is the number of streamlines, which is always written. `length` is the mean path length in mm from the seed to the element
        of the column. With ``matrix`` pairs, `length` is the mean path length between the elements of the row and the column. `by-length`
        is the number of streamlines times their mean length. [default: count]
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        File formats of the connectivity matrix.

        [default: npz]

        - ``npz``: SciPy's sparse matrix (.npz, compressed sparse rows).

        - ``dot``: FSL's text format (.dot), with the coordinates of rows and columns in separate files.

        - ``dconn``: CIFTI-2's dense matrix (.dconn.nii), with every entry.
    resume : bool
        Resume an interrupted run of the same data and options.

        With this option, a run saves its state in the result folder about every minute. The interrupted run must also have been started
        with this option. It can be used with ``matrix`` seeds and ``matrix`` targets.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    field : {"spline", "trilinear", "thesis"}, optional
        Interpolation of the metric between voxels. [default: spline]

        - ``spline``: Interpolate the logarithm of the tensor between voxels by cubic B-splines.

        - ``trilinear``: Interpolate the metric linearly along each axis, which is faster but less smooth than a spline.

        - ``thesis``: Interpolate the tensor and the finite differences of its inverse separately (only for comparison).
    metric : {"inverse", "adjugate", "conformal"}, optional
        Metric that defines the length of paths; the shortest paths are the rays. [default: inverse]

        - ``inverse``: The metric is the inverse of the tensor.

        - ``adjugate``: The metric is the inverse of the tensor times the determinant of the tensor.

        - ``conformal``: The metric is the inverse of the tensor times a scalar field, which is chosen so that curves along principal
        directions are as close to geodesics as possible.
    gain : float, optional
        Factor by which each tensor is multiplied, from 1e-12 to 1e12.

        The factor does not change the rays, because a multiple of a metric has the same shortest paths. [default: 1]
    sharpen : float, optional
        Power to which tensors are raised, to sharpen or smooth their anisotropy.

        With a power above 1, rays follow the principal direction of the tensors more closely. With a power below 1, rays follow it less
        closely. ``sharpen_fa`` and ``sharpen_side`` select the tensors. Without this option, tensors are not changed.
    sharpen_fa : float, optional
        Fractional anisotropy (FA) that separates tensors to sharpen from others.

        [default: 0.3]
    sharpen_side : {"below", "above"}, optional
        Sharpen the tensors whose FA is below, or above, ``sharpen_fa``.

        [default: below]
    integrator : {"euler", "heun", "runge-kutta", "adaptive"}, optional
        Integration scheme.

        `adaptive` chooses the length of each step, up to ``step``. The other schemes take steps of nearly the same length. A step differs
        from ``step`` by up to 12 %, because a ray's speed changes a little within a step. [default: adaptive]

        - ``euler``: Euler's method, of first order.

        - ``heun``: Heun's method, of second order.

        - ``runge-kutta``: Runge–Kutta method of fourth order.

        - ``adaptive``: Dormand–Prince 5(4) method, which chooses the length of each step by ``step_tolerance``.
    step_tolerance : float, optional
        Largest error of a step of ``integrator`` adaptive.

        The limit holds for the position, in voxels, and for the direction, in radians. [default: 1e-5]
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    initial_directions : {"principal", "sphere", "cone"}, optional
        Initial directions in which rays leave each seed.

        [default: sphere if connections to ``targets`` are kept; if not, principal]

        - ``principal``: Rays leave the seed along the principal direction of its tensor.

        - ``sphere``: Rays leave the seed in ``per_seed`` directions, which are evenly distributed over the sphere.

        - ``cone``: Rays leave the seed in ``per_seed`` directions, which are evenly distributed over a cone about the principal direction
        (``cone``).
    cone : float, optional
        Angle between the axis and the border of the cone of directions, in degrees.

        The option is for ``initial_directions`` cone. [default: 30]
    one_way : bool
        Follow only one of the two opposite directions from each seed.

        A ray leaves the seed in each initial direction, but not in the opposite direction.
    max_steps : int, optional
        Largest number of steps of a streamline.

        [default: the number that ``max_length`` needs]
    allow_loops : bool
        Do not terminate rays that return to an earlier position and direction.

        Without this option, such a ray terminates, because it is in a loop.
    per_seed : int, optional
        Number of streamlines that begin at each seed.

        Each streamline is a ray (shortest path) that leaves the seed in another direction. [default: 500]
    device : str, optional
        Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first GPU that can be used. If
        there is none, `auto` selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of the random numbers.

        The same seed gives the same results. Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        True to show a progress bar. A function is called as ``progress(done, total)``.

    Returns
    -------
    Tracks
        The rays as streamlines. Each point and each streamline has its connectivity measure ``cm``. Each streamline also has its ``length``
        in mm and its ``drift`` (relative change of the ray's energy). There is a group of streamlines for each target.
        ``summary["targets"]`` states how each target was reached.

    References
    ----------
    O'Donnell L, Haker S, Westin CF (2002) New approaches to estimation of white matter connectivity in diffusion tensor MRI: elliptic PDEs
    and geodesics in a tensor-warped space. doi:10.1007/3-540-45786-0_57
    van Aart E, Sepasian N, Jalba A, Vilanova A (2011) CUDA-accelerated geodesic ray-tracing for fiber tracking. doi:10.1155/2011/698908
    Sepasian N et al. (2009) Multi-valued geodesic based fiber tracking for diffusion tensor imaging. MICCAI Workshop on Computational
    Diffusion MRI, 148–158
    Astola L, Florack L, ter Haar Romeny B (2007) Measures for pathway analysis in brain white matter using diffusion tensor images (the
    connectivity measure). doi:10.1007/978-3-540-73273-0_53
    Lenglet C et al. (2009) Brain connectivity mapping using Riemannian geometry, control theory, and PDEs. doi:10.1137/070710986
    Dormand JR, Prince PJ (1980) A family of embedded Runge-Kutta formulae (``integrator`` adaptive). doi:10.1016/0771-050X(80)90013-3
    Fuster A et al. (2016) Adjugate diffusion tensors for geodesic tractography in white matter (``metric`` adjugate).
    doi:10.1007/s10851-015-0586-8
    Hao X, Whitaker RT, Fletcher PT (2011) Adaptive Riemannian metrics for improved geodesic tracking of white matter (``metric``
    conformal). doi:10.1007/978-3-642-22092-0_2

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=5, directions=12, b_value=1000)
    >>> tensor = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask).tensor
    >>> rays = ar.track_geodesic(tensor, mask=brain.mask, seeds=50, device="cpu")
    >>> len(rays), sorted(rays.data_per_streamline)
    (50, ['cm', 'drift', 'length'])
    """
    options = {
        "best": best, "min_connectivity": min_connectivity, "one_per_voxel": one_per_voxel, "part": part, "seed_surfaces": seed_surfaces,
        "seed_depth": seed_depth, "seed_grid": seed_grid, "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius":
        seed_radius, "waypoint_condition": waypoint_condition, "waypoints_in_order": waypoints_in_order, "waypoints_one_way":
        waypoints_one_way, "judged_by": judged_by, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length":
        min_length, "max_length": max_length, "at_max_length": at_max_length, "products": products, "threshold": threshold, "matrix":
        matrix, "target_columns": target_columns, "measure": measure, "matrix_format": matrix_format, "resume": resume, "assignment":
        assignment, "assignment_radius": assignment_radius, "field": field, "metric": metric, "gain": gain, "sharpen": sharpen,
        "sharpen_fa": sharpen_fa, "sharpen_side": sharpen_side, "integrator": integrator, "step_tolerance": step_tolerance, "precision":
        precision, "initial_directions": initial_directions, "cone": cone, "one_way": one_way, "max_steps": max_steps, "allow_loops":
        allow_loops, "per_seed": per_seed,
    }
    told = call(device=device, device_memory=device_memory, threads=threads, random_seed=random_seed, progress=progress, frames=3)
    return _geodesic.track_geodesic(told, options, tensor, targets=targets, mask=mask, seed_mask=seed_mask, seed_weights=seed_weights, seed_points=seed_points, waypoints=waypoints, avoid=avoid, stop=stop, stop_on_exit=stop_on_exit)


def run(
    dwi: PathLike,
    out: PathLike,
    *,
    mask: Optional[PathLike] = None,
    labels: Optional[PathLike] = None,
    label_names: Optional[PathLike] = None,
    select: Optional[int] = None,
    tracking: Optional[Literal["distributions", "tensor", "geodesic", "samples"]] = None,
    five_tissues: Optional[PathLike] = None,
    evaluate: Optional[Literal["life", "commit", "none"]] = None,
    recipe: Optional[PathLike] = None,
    anatomy: Optional[PathLike] = None,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    bval: Optional[PathLike] = None,
    bvec: Optional[PathLike] = None,
    gradients: Optional[PathLike] = None,
    b0_threshold: Optional[float] = None,
    gradient_axes: Optional[Word] = None,
    b_unit: Optional[Literal["s/mm2", "s/m2", "ms/um2"]] = None,
    bvec_lengths: Optional[Literal["scale", "ignore"]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Results:
    """Runs all stages, from a diffusion series in a file to an evaluated tractogram and a report in a folder, as ``arcuate run``.

    Parameters
    ----------
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: folder for the results.
    mask : path, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        If this option is given, the run also writes a connectome: the matrix of streamlines between the regions.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.
    select : int, optional
        Stop after this many streamlines.

        This option cannot be used with ``tracking`` geodesic. [default: 50000]
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        Field of fibre directions that streamlines follow.

        The default depends on the gradient directions, of which opposite ones count once. The default is `distributions` if several shells
        have at least 28 directions in total, or if one shell has at least 45 directions at b ≥ 2000 s/mm². If not, the default is `samples`
        if a shell has at least 15 directions, and `tensor` if no shell has 15. [default: distributions, samples or tensor]

        - ``distributions``: Fibre orientation distributions (FODs), which constrained spherical deconvolution estimates.

        - ``tensor``: Principal directions of the diffusion tensors: one fibre per voxel.

        - ``geodesic``: Directions of shortest paths (geodesics) through the diffusion tensors.

        - ``samples``: Random samples of the orientations of two fibres per voxel, drawn from the posterior distribution.
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen, in the space of the diffusion series. With this image, streamlines
        terminate in grey matter. Streamlines that terminate in white matter, or that enter cerebrospinal fluid (CSF), are rejected.
    evaluate : {"life", "commit", "none"}, optional
        Method that evaluates the streamlines against the measured signal.

        [default: commit with ``tracking`` distributions and samples; life with ``tracking`` tensor and geodesic]

        - ``life``: Evaluate with LiFE (Linear Fascicle Evaluation), as `arcuate evaluate life` does.

        - ``commit``: Evaluate with COMMIT (Convex Optimization Modeling for Microstructure Informed Tractography).

        - ``none``: Do not evaluate the streamlines.
    recipe : path, optional
        Recipe: TOML file with options of the commands, such as [track.tensor]
    anatomy : path, optional
        Background image under the maps and streamlines in the report.

        For example, give a T1-weighted image in the space of the scan. [default: the fractional anisotropy (FA) and the mean b = 0 image]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
    bval : path, optional
        File of b-values in FSL's format, in s/mm².

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        File of gradient directions in FSL's format, along the image axes.

        If the determinant of the image's affine matrix is positive, the x values in this file are along the negative x axis of the image.
        [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file, with b-values and directions.

        The file is MRtrix's table (columns x y z b, directions in scanner axes), a Camino .scheme, or a .prtcl. Use it instead of ``bval``
        and ``bvec``.
    b0_threshold : float, optional
        Largest b-value of a measurement that counts as b = 0, in s/mm². [default: 50]
    gradient_axes : str, optional
        Axes of the gradient table along the image axes, such as -x,y,z or y,x,z.

        Use this option if the check of the gradient table reports reversed or exchanged axes. `-x,y,z` reverses the x axis, and `y,x,z`
        exchanges the x and y axes. [default: x,y,z]
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the b-values in the gradient table.

        [default: s/mm²; s/m² for a .prtcl, and for a .scheme with a b-value above 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret gradient directions whose length is not 1.

        If the lengths of the directions may encode b-values of several shells, the command stops with an error unless this option is given.

        - ``scale``: Multiply each b-value by the squared length of its direction, as MRtrix does.

        - ``ignore``: Use the b-values of the gradient table unchanged, as FSL does.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.

    Returns
    -------
    Results
        The folder of results, with its record.

    References
    ----------
    Otsu N (1979) A threshold selection method from gray-level histograms. doi:10.1109/TSMC.1979.4310076
    Basser PJ, Mattiello J, Le Bihan D (1994) MR diffusion tensor spectroscopy and imaging. doi:10.1016/S0006-3495(94)80775-1
    Veraart J et al. (2013) Weighted linear least squares estimation of diffusion MRI parameters. doi:10.1016/j.neuroimage.2013.05.028
    Mori S et al. (1999) Three-dimensional tracking of axonal projections. doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3
    Basser PJ et al. (2000) In vivo fiber tractography using DT-MRI data. doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O
    Lazar M et al. (2003) White matter tractography using diffusion tensor deflection. doi:10.1002/hbm.10102
    O'Donnell L, Haker S, Westin CF (2002) New approaches to estimation of white matter connectivity in diffusion tensor MRI: elliptic PDEs
    and geodesics in a tensor-warped space. doi:10.1007/3-540-45786-0_57
    van Aart E, Sepasian N, Jalba A, Vilanova A (2011) CUDA-accelerated geodesic ray-tracing for fiber tracking. doi:10.1155/2011/698908
    Sepasian N et al. (2009) Multi-valued geodesic based fiber tracking for diffusion tensor imaging. MICCAI Workshop on Computational
    Diffusion MRI, 148–158
    Astola L, Florack L, ter Haar Romeny B (2007) Measures for pathway analysis in brain white matter using diffusion tensor images (the
    connectivity measure). doi:10.1007/978-3-540-73273-0_53
    Lenglet C et al. (2009) Brain connectivity mapping using Riemannian geometry, control theory, and PDEs. doi:10.1137/070710986
    Dormand JR, Prince PJ (1980) A family of embedded Runge-Kutta formulae (``integrator`` adaptive). doi:10.1016/0771-050X(80)90013-3
    Fuster A et al. (2016) Adjugate diffusion tensors for geodesic tractography in white matter (``metric`` adjugate).
    doi:10.1007/s10851-015-0586-8
    Hao X, Whitaker RT, Fletcher PT (2011) Adaptive Riemannian metrics for improved geodesic tracking of white matter (``metric``
    conformal). doi:10.1007/978-3-642-22092-0_2
    Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. doi:10.1002/mrm.10609
    Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain?
    doi:10.1016/j.neuroimage.2006.09.018
    Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405
    Warrington S et al. (2020) XTRACT - Standardised protocols for automated tractography in the human and macaque brain.
    doi:10.1016/j.neuroimage.2020.116923
    de Groot M et al. (2013) Improving alignment in tract-based spatial statistics: evaluation and optimization of image registration.
    doi:10.1016/j.neuroimage.2013.03.015
    Tournier JD, Calamante F, Connelly A (2013) Determination of the appropriate b value and number of gradient directions for
    high-angular-resolution diffusion-weighted imaging. doi:10.1002/nbm.3017
    Dhollander T, Raffelt D, Connelly A (2016) Unsupervised 3-tissue response function estimation from single-shell or multi-shell diffusion
    MR data without a co-registered T1 image. ISMRM Workshop on Breaking the Barriers of Diffusion MRI
    Tournier JD, Calamante F, Connelly A (2007) Robust determination of the fibre orientation distribution in diffusion MRI.
    doi:10.1016/j.neuroimage.2007.02.016
    Jeurissen B et al. (2014) Multi-tissue constrained spherical deconvolution for improved analysis of multi-shell diffusion MRI data.
    doi:10.1016/j.neuroimage.2014.07.061
    Tournier JD et al. (2010) Improved probabilistic streamlines tractography by 2nd order integration over fibre orientation distributions.
    Proc. ISMRM 18:1670
    Tournier JD et al. (2012) MRtrix: diffusion tractography in crossing fiber regions. doi:10.1002/ima.22005
    Pestilli F et al. (2014) Evaluation and statistical inference for human connectomes. doi:10.1038/nmeth.3098
    Caiafa CF, Pestilli F (2017) Multidimensional encoding of brain connectomes. doi:10.1038/s41598-017-09250-w
    Kim D, Sra S, Dhillon IS (2013) A non-monotonic method for large-scale non-negative least squares. doi:10.1080/10556788.2012.656368
    Kumar S et al. (2019) ReAl-LiFE: accelerating the discovery of individualized brain connectomes on GPUs (the option ``lambda_``).
    doi:10.1609/aaai.v33i01.3301630
    Daducci A, Dal Palù A, Lemkaddem A, Thiran JP (2015) COMMIT: convex optimization modeling for microstructure informed tractography.
    doi:10.1109/TMI.2014.2352414
    Schiavi S et al. (2020) A new method for accurate in vivo mapping of human brain connections using microstructural and anatomical
    information (COMMIT2, the option ``groups``). doi:10.1126/sciadv.aba8245
    Panagiotaki E et al. (2012) Compartment models of the diffusion MR signal in brain white matter. doi:10.1016/j.neuroimage.2011.09.081
    Beck A, Teboulle M (2009) A fast iterative shrinkage-thresholding algorithm for linear inverse problems. doi:10.1137/080716542
    Calamante F et al. (2010) Track-density imaging (TDI): super-resolution white matter imaging using whole-brain track-density mapping.
    doi:10.1016/j.neuroimage.2010.07.024
    Pannek K et al. (2011) The average pathlength map: a diffusion MRI tractography-derived index for studying brain pathology.
    doi:10.1016/j.neuroimage.2010.12.021
    Smith RE et al. (2015) The effects of SIFT on the reproducibility and biological accuracy of the structural connectome (radial search).
    doi:10.1016/j.neuroimage.2014.10.004
    """
    options = {
        "mask": mask, "labels": labels, "label_names": label_names, "select": select, "tracking": tracking, "five_tissues": five_tissues,
        "evaluate": evaluate, "recipe": recipe, "anatomy": anatomy, "format": format, "bval": bval, "bvec": bvec, "gradients": gradients,
        "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit, "bvec_lengths": bvec_lengths, "force": force, "log":
        log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return _runs.run(options, dwi, out)
