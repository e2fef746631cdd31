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
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: 1500, if that leaves at least 12 axes]
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        Measurements with b = 0 are always used. [default: up to ``max_b``]
    reweightings : int, optional
        Number of reweightings after the first fit. [default: 2]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    TensorMaps
        The tensor (mm²/s, scanner axes) and its maps.

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
        Name of a model (:func:`models`), path of a .toml file with one, or several of them.
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    method : Literal["lm", "grid"], optional
        Levenberg–Marquardt after the searches of the model, or the searches alone. :func:`sample` runs Markov chains.
    fix : Union[Mapping[str, Optional[Given]], Sequence[str], None], optional
        Parameters that are not fitted, at a number in their unit, at an image, or (None, or names only) at their start value.
    start : Mapping[str, Given], optional
        Start values in the units of the parameters: numbers or images.
    columns : Mapping[str, array_like], optional
        Values per measurement that the model needs.
    maps : Mapping[str, image], optional
        Values per voxel that the model needs.
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: all]
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        Measurements with b = 0 are always used. [default: all]
    free : one or several of str, optional
        Fit a parameter that the model fixes.
    standard_errors : bool
        Write standard errors (Cramér–Rao bound) as NAME_error.
    bounds : {"projection", "transform"}, optional
        How parameters are kept within their bounds.

        `projection` ends a step of the optimiser at a bound. `transform` replaces a parameter by a function that approaches its bounds but
        never reaches them. [default: projection]
    evaluations : int, optional
        Largest number of model evaluations per voxel in a Levenberg–Marquardt stage. [default: 200]
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Fit
        Or a list of them, if several models are given.

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

    These are the chains of ``--method mcmc``. The same seed gives the same samples at any number of threads and on any device.

    Parameters
    ----------
    model : path
        Name of a model (:func:`models`), or path of a .toml file with one.
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    fix : Union[Mapping[str, Optional[Given]], Sequence[str], None], optional
        Parameters that are not fitted, at a number in their unit, at an image, or (None, or names only) at their start value.
    start : Mapping[str, Given], optional
        Start values in the units of the parameters: numbers or images.
    columns : Mapping[str, array_like], optional
        Values per measurement that the model needs.
    maps : Mapping[str, image], optional
        Values per voxel that the model needs.
    prior : Mapping[str, str], optional
        Priors of parameters in the model language: ``{"d": "normal(1.7e-3, 0.3e-3)"}``.
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: all]
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        Measurements with b = 0 are always used. [default: all]
    free : one or several of str, optional
        Fit a parameter that the model fixes.
    bounds : {"projection", "transform"}, optional
        How parameters are kept within their bounds.

        `projection` ends a step of the optimiser at a bound. `transform` replaces a parameter by a function that approaches its bounds but
        never reaches them. [default: projection]
    evaluations : int, optional
        Largest number of model evaluations per voxel in a Levenberg–Marquardt stage. [default: 200]
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    burn_in : int, optional
        Number of sweeps before the first sample.

        [default: 1000]
    jumps : int, optional
        Number of sweeps after the burn-in.

        [default: 1250]
    interval : int, optional
        Number of sweeps per sample.

        [default: 25]
    adapt_every : int, optional
        Number of burn-in sweeps between adaptations of the proposal widths.

        [default: 40]
    chains : int, optional
        Number of chains per voxel; two or more also give the convergence measure R̂

        [default: 1]
    noise : {"gaussian", "rician"}, optional
        Distribution of the noise.

        [default: gaussian]

        - ``rician``: Noise of magnitude images.
    sigma : str, optional
        Standard deviation of the noise.

        `integrated` integrates it out of the posterior, `sampled` samples it, and a number (in the unit of the signal) fixes it. [default:
        integrated; sampled for Rician noise]
    sigma_prior : str, optional
        Prior of the standard deviation with ``sigma`` sampled, in the unit of the signal.

        [default: log_uniform]
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Start of the chains.

        [default: fit]

        - ``fit``: Chains start at the best fit.

        - ``search``: Chains start at the best result of the model's grid searches.

        - ``model``: Chains start at the start values of the model.

        - ``dispersed``: Each chain starts at another place within the bounds.
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Samples
        The fit at the mean of the samples, and the samples of each parameter.

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
    """Estimates response functions from a series, as ``arcuate response``.

    Parameters
    ----------
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    method : {"single-fibre", "tissues"}, optional
        Method.

        [default: tissues for several weighted shells, otherwise single-fibre]

        - ``single-fibre``: White matter with one fibre, for the shell with the largest b, as in dwi2response tournier.

        - ``tissues``: White matter, grey matter and CSF, for all shells, as in dwi2response dhollander.
    voxels : int, optional
        Number of voxels of the single-fibre response.

        [default: 300]
    order : int, optional
        Largest degree of the spherical harmonics, an even number.

        [default: 10]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Responses
        Rows of zonal coefficients for each tissue, and the voxels that they come from.

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
    """Finds fibre orientation distributions by constrained spherical deconvolution, as ``arcuate fit csd``.

    Parameters
    ----------
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    responses : Union[Responses, Mapping[str, array_like], array_like, path]
        Result of :func:`estimate_responses`, a folder with responses, or rows of zonal coefficients by tissue. If the series cannot
        separate all tissues, CSF takes precedence over grey matter.
    peaks : int, optional
        Number of peaks per voxel.
    order : int, optional
        Largest degree of the spherical harmonics, an even number.

        [default: that of the response, at most 8]
    normalise : bool
        Correct the intensity bias between places, and write its field, field.nii.gz.
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Distributions
        Coefficients of each tissue, and the peaks of white matter.

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
        Of Arcuate, nibabel or DIPY, a path, or a sequence of arrays (points, 3) in RAS mm.
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: all voxels that streamlines pass]
    eigenvalues : Sequence[float], optional
        Eigenvalues λ₁,λ₂,λ₃ of a fascicle's tensor in µm²/ms, with λ₂ = λ₃. [default: 1,0,0]
    orientations : int, optional
        Number of directions for which responses are tabulated. [default: 1057]
    lesion : Union[Mapping[str, array_like], Sequence[str], str, None], optional
        Groups of streamlines that are removed virtually: numbers of streamlines (or a boolean for each streamline) by name, or names of
        groups of the tractogram.
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    refit : bool
        Refit the remaining streamlines after each lesion.
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        The mean signal of each shell is a free parameter. [default: shells with at least 15 axes, or as many axes as the largest shell]
    normalise_signal : bool
        Divide the signal of each voxel by its mean b = 0 signal, as DIPY does.
    node_value : {"count", "length"}, optional
        Weight of a streamline point in the model: 1, or its segment's length in mm. [default: count]
    solver : {"barzilai-borwein", "sbbnnls"}, optional
        Solver. [default: barzilai-borwein]
    lambda_ : float, optional
        Strength of the penalty.

        The value is a fraction, at least 0 and below 1, of max(Mᵀy), the smallest penalty that sets all weights to 0. A fraction does not
        depend on the unit of the signal.
    tolerance : float, optional
        Relative tolerance at which iterations stop.

        The tolerance is relative to the projected gradient when all weights are 0. [default: 0.0001]
    iterations : int, optional
        Largest number of iterations. [default: 500]
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Life
        Weights of the streamlines, maps of errors, and figures.

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
        Of Arcuate, nibabel or DIPY, a path, or a sequence of arrays (points, 3) in RAS mm.
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image, optional
        Mask of the voxels to process.

        [default: all voxels that streamlines pass]
    peaks : image, optional
        Directions of the extra-axonal compartments: x, y, z of 1 to 5 peaks per voxel along the last axis. [default: no extra-axonal
        compartments]
    confidence : image, optional
        3-D image of the weight of each voxel in the fit, 0 or larger.
    orientations : Union[int, Literal["auto", "exact"], None], optional
        Number of directions for which responses are tabulated. ``exact`` uses spherical harmonics. ``auto`` is exact unless that takes
        three times the arithmetic; otherwise 4096. [default: auto]
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the peaks.

        `fsl` means image axes, with x negated if the determinant of the affine is positive. If the streamlines agree better with the peaks
        in other axes, the command stops with an error unless this option is given. [default: scanner]
    peak_threshold : float, optional
        Ignore peaks shorter than this fraction of the longest peak in the voxel. [default: 0.1]
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    merge_b0 : bool
        Replace all b = 0 measurements by their mean.
    normalise_signal : bool, optional
        If False: Do not divide the signal of a voxel by its mean b = 0 signal. [default: True]
    normalise_kernels : bool, optional
        If False: Do not divide responses and streamline lengths by their norms.

        With normalisation (without this option), the solver needs fewer iterations, and penalties treat short and long streamlines alike.
        Weights are per mm in both cases. [default: True]
    demean : bool
        From the signal of each voxel and each response, subtract its mean.
    min_b0 : float, optional
        Ignore voxels with less than this fraction of the mean b = 0 signal. [default: 0]
    min_length : float, optional
        Shortest streamline, in mm.

        Shorter streamlines get no weight. [default: 0]
    max_length : float, optional
        Longest streamline, in mm.

        Longer streamlines get no weight. [default: inf]
    min_segment : float, optional
        Ignore segments of a streamline in a voxel up to this length (mm). [default: 0.000001]
    blur_core_extent : float, optional
        Distance from a streamline within which its blur copies have full weight (mm). [default: 0]
    blur_gauss_extent : float, optional
        Width of the zone around the core in which weights of blur copies decrease (mm). [default: 0]
    blur_gauss_min : float, optional
        Weight of the outermost blur copies of a streamline, relative to the core. [default: 0.1]
    blur_spacing : float, optional
        Distance between the blur copies of a streamline (mm). [default: 0.25]
    model : str, optional
        Compartments of the model.

        `gdr-cylinders` has gamma-distributed radii. `scalar-map` explains the values of ``scalar_map`` instead of a diffusion series.
        [default: stick-zeppelin-ball]
    axial_diffusivity : float, optional
        Diffusivity along streamlines (µm²/ms).

        [default: 1.7 for sticks, 0.6 for cylinders]
    radial_diffusivity : float, optional
        Diffusivity across streamlines (µm²/ms).

        [default: 0, a stick]
    zeppelin_axial_diffusivity : float, optional
        Diffusivity along peaks (µm²/ms).

        [default: ``axial_diffusivity``]
    radial_diffusivities : one or several of float, optional
        Diffusivities across peaks (µm²/ms), one zeppelin each.

        [default: 0.51; 1.19,0.85,0.51,0.17 with cylinders]
    intra_fractions : one or several of float, optional
        Intra-axonal fractions f; each gives a zeppelin with d⊥ = d∥ (1 − f).

        Replaces ``radial_diffusivities``.
    isotropic_diffusivities : one or several of float, optional
        Diffusivities of the balls (µm²/ms).

        [default: 0.8,3; 1.7,3 for ball-and-stick; 2 for cylinders]
    radii : one or several of float, optional
        Radii of the cylinders (µm).

        [default: 0.01, and 20 from 0.5 to 8]
    gamma_radii : one or several of str, optional
        Gamma distributions of cylinder radii: for each, its shape and its scale in µm.
    big_delta : float, optional
        Δ, time between the starts of the two gradient pulses (ms).

        Needed by cylinder models if the gradient table does not state Δ, δ and TE.
    small_delta : float, optional
        δ, duration of a gradient pulse (ms).
    echo_time : float, optional
        TE, echo time (ms).
    b_step : float, optional
        Round b-values to multiples of this step (s/mm²), to merge scattered shells. [default: 0]
    lambda_ : one or several of float, optional
        Strength of the penalty.

        The value is a fraction, from 0 to 1, of the smallest penalty that sets all streamline weights to 0. For sparse-group give two
        fractions: for streamlines and for groups.
    lambda_extra : float, optional
        Penalty λ Σ x on the extra-axonal amounts x.

        The strength λ is given as a fraction, from 0 to 1, of the largest entry of Aᵀy for these amounts.
    lambda_isotropic : float, optional
        Penalty λ Σ x on the isotropic amounts x.

        The strength λ is given as a fraction, from 0 to 1, of the largest entry of Aᵀy for these amounts.
    absolute_lambda : bool
        Interpret each penalty strength λ in the unit of Aᵀy, not as a fraction.
    debias : bool
        Fit streamlines with a positive weight again, without the penalty.
    solver : {"barzilai-borwein", "fista"}, optional
        Solver.

        [default: barzilai-borwein; fista with a penalty or ``gap``]
    tolerance : float, optional
        Relative tolerance at which iterations stop.

        The tolerance is relative to the projected gradient when all amounts are 0. [default: 0.00001]
    gap : float, optional
        Stop when the duality gap is below this fraction of the objective function.

        Uses FISTA. May need many iterations.
    iterations : int, optional
        Largest number of iterations. [default: 2000]
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Commit
        Weights of the streamlines (signal per mm), maps of the compartments, and figures.

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
        Of Arcuate, nibabel or DIPY, a path, or a sequence of arrays (points, 3) in RAS mm.
    like : image
        Image whose voxel grid the output has.
    weights : array_like, optional
        Weight of each streamline (streamlines).
    kind : {"counts", "lengths", "directional"}, optional
        Quantity of the map. [default: counts]

        - ``counts``: Number of streamlines in the voxel.

        - ``lengths``: Mean length of these streamlines in mm.

        - ``directional``: Sum of unsigned streamline directions (left–right, front–back, up–down), scaled so that its length is the number
        of streamlines.
    by_length : bool
        In each voxel, sum the lengths of streamline segments (mm), not their number.
    threads : int, optional
        Number of CPU threads.

        [default: all]

    Returns
    -------
    Image
        On the grid of ``like``.

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
        Of Arcuate, nibabel or DIPY, a path, or a sequence of arrays (points, 3) in RAS mm.
    given : image
        Image of one volume.
    statistic : {"mean", "median", "min", "max"}, optional
        Write this statistic for each streamline, instead of one value per point.

        - ``mean``: Mean, in which each point has the weight of the streamline length around it.
    nearest : bool
        Use the nearest voxel, without interpolation.
    threads : int, optional
        Number of CPU threads.

        [default: all]

    Returns
    -------
    NDArray[np.float32]
        One value per point, or with ``statistic`` one per streamline.
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
        Of Arcuate, nibabel or DIPY, a path, or a sequence of arrays (points, 3) in RAS mm.
    labels : image
        Numbers of regions, 0 for none.
    label_names : Mapping[int, str], optional
        Names of the regions by their numbers.
    weights : array_like, optional
        Weight of each streamline (streamlines).
    assignment : {"radial", "end-voxel", "reverse", "forward", "all-voxels"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel or vertex within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.

        - ``reverse``: Last region that the streamline passes before each of its ends, within ``assignment_radius``.

        - ``forward``: First region ahead of each end of the streamline, within ``assignment_radius``.

        - ``all-voxels``: All regions that contain a point of the streamline; each pair of them is connected.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4; to the middle of the streamline for ``assignment`` reverse]
    threads : int, optional
        Number of CPU threads.

        [default: all]

    Returns
    -------
    Connectome
        Symmetric matrices, and the two regions of each streamline.

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
        Measurements. Replaces ``directions``, ``b_value`` and ``b0s``.
    voxel_size : float, optional
        Voxel size in mm. [default: 2.5]
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise.

        The signal is the b = 0 signal of white matter. [default: 30]
    directions : int, optional
        Number of weighted measurements. [default: 64]
    b_value : float, optional
        b-value of the weighted measurements in s/mm². [default: 2000]
    b0s : int, optional
        Number of measurements with b = 0. [default: 6]
    shells : one or several of str, optional
        Shells to use, by their b-values in s/mm².

        B:N has N directions, such as 0:6,700:16,2800:50. Replaces ``directions``, ``b_value`` and ``b0s``. [default: N is 64, or 6 for b =
        0]
    streamlines_per_bundle : int, optional
        Number of known streamlines per bundle. [default: 200]
    tissues : bool
        Simulate realistic tissues, and write the true tissues, bias and FODs.

        In the images, CSF is 3.5 times as bright as white matter, all white matter has the same fibre response, and there is a bias field.
        Writes truth_5tt, truth_bias, truth_fod and MRtrix's responses.
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Brain
        The measurement and the truth.

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

    Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums.

    Parameters
    ----------
    kspace : array_like
        Complex samples: (samples) or (coils, samples).
    trajectory : array_like
        Coordinates of the samples: (samples, 2 or 3), in cycles per field of view unless ``trajectory_unit`` is given.
    size : Sequence[int]
        Number of voxels along x, y and, for a volume, z.
    sensitivities : array_like, optional
        Complex coil sensitivities: (coils, x, y[, z]). Without them, coils are reconstructed separately and combined by the root of the sum
        of squares.
    sample_weights : array_like, optional
        Complex weights by which the k-space samples were multiplied: (samples).
    regularise : Union[Literal["tikhonov", "differences"], array_like, None], optional
        Penalty. ``tikhonov`` penalises the size of the image. ``differences`` penalises differences of neighbours. An image of the anatomy
        (x, y[, z]) penalises differences of neighbours that have no edge between them in this image. [default: tikhonov]
    density : Union[Literal["pipe-menon", "voronoi", "none"], array_like, None], optional
        Density weights of gridding, or one number per sample. [default: pipe-menon]
    fov : Union[float, Sequence[float], None], optional
        Field of view in mm, of trajectories in 1/m: one length, or one per axis.
    method : {"cg", "adjoint", "gridding"}, optional
        Method.

        `cg` solves for the image. `adjoint` computes Fᴴd only. `gridding` interpolates to a grid, for comparison. [default: cg]
    lambda_ : str, optional
        Strength of the penalty.

        The scale is such that FᴴF is 1 for a fully sampled Cartesian scan, independent of the scale of the coil sensitivities. `auto`
        chooses the strength from the noise level if ``sigma`` is given. If not, `auto` uses the L-curve. [default: 1e-3]
    sigma : float, optional
        Standard deviation of the noise.

        The value is the standard deviation of the real part, and of the imaginary part, of a k-space sample. Iterations stop when the
        residual reaches this level.
    edge : float, optional
        Smallest difference between voxels of the anatomical image that is an edge.

        [default: three times the median difference]
    interpolation : {"kaiser-bessel", "trilinear"}, optional
        Interpolation of gridding. [default: kaiser-bessel]

        - ``kaiser-bessel``: Window of four points.

        - ``trilinear``: Linear along each axis.
    oversampling : float, optional
        Oversampling factor of gridding: grid points per voxel along each axis. [default: 2]
    iterations : int, optional
        Largest number of iterations. [default: 30]
    tolerance : float, optional
        Relative tolerance at which iterations stop.

        The tolerance is relative to the first residual. [default: 0.0001]
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
        Unit of the trajectory.

        [default: cycles per field of view; an error if the range suggests another unit]

        - ``fov``: Cycles per field of view, from −n/2 to n/2 for n voxels.

        - ``voxel``: Cycles per voxel, −½ to ½.

        - ``radian``: Radians per voxel, −π to π.

        - ``per-metre``: 1/m.
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Reconstruction
        The complex image and figures.

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
    """Refits tensors to resampled residuals, as orientations to follow, as ``arcuate track bootstrap``.

    The tensor of each voxel is fitted. Its predictions with resampled residuals are then fitted again. Principal directions are the
    orientations, FA is the fraction.

    Parameters
    ----------
    dwi : image
        Diffusion series (x, y, z, measurements).
    gradients : Gradients
        Gradient directions and b-values of the measurements.
    mask : image
        Mask of voxels to process.
    replicates : int, optional
        Number of repeated tensor fits per voxel. [default: 50]
    resampling : {"residuals", "signs"}, optional
        Rule that assigns a residual to each measurement of a repeated tensor fit. [default: residuals]

        - ``residuals``: Each measurement gets the residual of a random measurement, drawn with replacement.

        - ``signs``: Each measurement keeps its own residual, with a random sign (wild bootstrap).
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Orientations
        One fibre per voxel.

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
    """Follows diffusion tensors, as ``arcuate track tensor``.

    Parameters
    ----------
    tensor : image
        Tensors (x, y, z, 6) in mm²/s, as ``fit_tensor(...).tensor``.
    mask : image, optional
        Mask of the voxels to process; streamlines end outside.
    seed_mask : image, optional
        Mask in whose voxels streamlines begin.
    seed_weights : image, optional
        Image that seeds are drawn in proportion to.
    seed_points : array_like, optional
        Points to begin at: (n, 3), RAS mm.
    waypoints : image or sequence of images, optional
        Reject streamlines that do not pass these.
    avoid : image or sequence of images, optional
        Reject streamlines that enter these.
    stop : image or sequence of images, optional
        End streamlines at their first point in these.
    stop_on_exit : image or sequence of images, optional
        End streamlines where they leave these.
    targets : image or sequence of images, optional
        Count the streamlines that pass these.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, as of :func:`five_tissues`.
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seeds : int, optional
        Number of random seeds.

        Each seed is a random point in the mask and gives one streamline. On surfaces, vertices are drawn with probability proportional to
        their area.
    select : int, optional
        Stop at this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin streamlines at random points of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius in mm of the ball around the seed in which streamlines begin.

        [default: no displacement, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    step : float, optional
        Step length, in mm; [default: half a voxel, or 0.1 voxel with ``integrator`` euler]
    angle : float, optional
        Largest angle between consecutive steps, in degrees. [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.2]
    seed_cutoff : float, optional
        Seeds with a smaller FA, FOD amplitude or fibre fraction are not used; [default: same as ``cutoff``]
    min_length : float, optional
        Shortest streamline, in mm. [default: 20]
    max_length : float, optional
        Longest streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline that reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline and keep it.

        - ``discard``: Reject the streamline.
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        Products to write.

        [default: streamlines, or none with ``labels`` or ``matrix``]

        - ``streamlines``: Accepted streamlines: streamlines.trx.

        - ``visits``: Number of streamlines per voxel, and this number as a fraction of all streamlines: visits.nii.gz,
        visits_normalised.nii.gz.

        - ``lengths``: Mean path length from the seed, and this length times the number of visits: lengths.nii.gz, visits_by_length.nii.gz.

        - ``target-counts``: For each region of ``targets``, number of streamlines from each seed that pass the region: seeds_to_NAME.
    threshold : float, optional
        Smaller fractions of streamlines in visits_normalised.nii.gz are set to 0.

        [default: 0.005, or 0.001 for a tract with ``protocols``]
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a connectivity matrix during tracking.

        Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the rows and columns. A table
        lists x y z of each voxel or vertex, the number of its file, and its number in that file. A symmetric matrix has one table for both.

        - ``seeds``: Rows and columns are the seeds.

        - ``targets``: Rows are the seeds, and columns are the voxels and vertices of ``targets``; targets have no other results.

        - ``pairs``: Counts streamlines that pass both elements: rows are the voxels and vertices of ``targets``, and columns are those of
        ``target_columns`` (by default the rows); seeds can be anywhere.

        - ``network``: Rows and columns are the regions of ``seed_list``, and their voxels and vertices are the seeds.
    target_columns : one or several of str, optional
        Masks and surfaces for the matrix columns, if these differ from the rows.

        This option is for ``matrix`` pairs, whose rows are ``targets``.
    measure : one or several of {"count", "length", "by-length"}, optional
        Measures of each matrix entry.

        `count` is always written. `length` is the mean path length in mm from the seed. For ``matrix`` pairs, it is the mean path length
        between the two elements. `by-length` is the number of streamlines times their mean length. [default: count]
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        File formats of the matrix.

        [default: npz]

        - ``npz``: SciPy's compressed sparse rows.

        - ``dot``: FSL's text format, with the coordinates of rows and columns in separate files.

        - ``dconn``: CIFTI-2 with every entry, .dconn.nii.
    resume : bool
        Resume an interrupted run of the same data and options.

        With this option, a run saves its state in the result folder about every minute. The interrupted run must also have had this option.
        It can be used with ``matrix`` seeds and ``matrix`` targets.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    cropping : bool, optional
        If False: Do not crop streamline ends in the cortex at the grey/white interface. [default: True]
    seed_interface : bool
        Begin streamlines at the grey/white-matter interface of ``five_tissues``.
    method : {"fact", "tensor", "deflection"}, optional
        Method.

        The method is the rule by which a streamline finds its next direction. [default: tensor]

        - ``fact``: A straight line through each voxel along the principal direction of its tensor.

        - ``tensor``: Steps along the principal direction of the interpolated tensor.

        - ``deflection``: Steps in the incoming direction, deflected by the interpolated tensor (TEND).
    integrator : {"euler", "runge-kutta"}, optional
        Integration scheme.

        Unused by ``method`` fact. [default: runge-kutta]
    curvature_radius : float, optional
        Smallest radius of curvature of a streamline, in mm; replaces ``angle``.
    one_way : bool
        Follow only one of the two directions from a seed.

        One of the two directions is drawn at random.
    deflection_f : float, optional
        Weight of the principal direction, for ``method`` deflection.

        [default: 0]
    deflection_g : float, optional
        Weight of the deflected direction compared with the incoming direction.

        For ``method`` deflection. [default: 1]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Tracks
        The accepted streamlines.

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
    """Follows fibre orientation distributions, as ``arcuate track fod``.

    Parameters
    ----------
    fod : image
        Coefficients (x, y, z, coefficients) of MRtrix's spherical harmonics, as ``fit_csd(...).fod``.
    mask : image, optional
        Mask of the voxels to process; streamlines end outside.
    seed_mask : image, optional
        Mask in whose voxels streamlines begin.
    seed_points : array_like, optional
        Points to begin at: (n, 3), RAS mm.
    waypoints : image or sequence of images, optional
        Reject streamlines that do not pass these.
    avoid : image or sequence of images, optional
        Reject streamlines that enter these.
    stop : image or sequence of images, optional
        End streamlines at their first point in these.
    stop_on_exit : image or sequence of images, optional
        End streamlines where they leave these.
    targets : image or sequence of images, optional
        Count the streamlines that pass these.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, as of :func:`five_tissues`.
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seeds : int, optional
        Number of random seeds.

        Each seed is a random point in the mask and gives one streamline. On surfaces, vertices are drawn with probability proportional to
        their area.
    select : int, optional
        Stop at this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin streamlines at random points of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius in mm of the ball around the seed in which streamlines begin.

        [default: no displacement, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    step : float, optional
        Step length, in mm; [default: half a voxel, or 0.1 voxel with ``method`` steps or peaks]
    angle : float, optional
        Largest angle between consecutive steps, in degrees; [default: 45, or 15 with ``method`` steps, 60 with ``method`` peaks]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.1]
    seed_cutoff : float, optional
        Seeds with a smaller FA, FOD amplitude or fibre fraction are not used; [default: same as ``cutoff``]
    min_length : float, optional
        Shortest streamline, in mm. [default: 20]
    max_length : float, optional
        Longest streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline that reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline and keep it.

        - ``discard``: Reject the streamline.
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        Products to write.

        [default: streamlines, or none with ``labels`` or ``matrix``]

        - ``streamlines``: Accepted streamlines: streamlines.trx.

        - ``visits``: Number of streamlines per voxel, and this number as a fraction of all streamlines: visits.nii.gz,
        visits_normalised.nii.gz.

        - ``lengths``: Mean path length from the seed, and this length times the number of visits: lengths.nii.gz, visits_by_length.nii.gz.

        - ``target-counts``: For each region of ``targets``, number of streamlines from each seed that pass the region: seeds_to_NAME.
    threshold : float, optional
        Smaller fractions of streamlines in visits_normalised.nii.gz are set to 0.

        [default: 0.005, or 0.001 for a tract with ``protocols``]
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a connectivity matrix during tracking.

        Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the rows and columns. A table
        lists x y z of each voxel or vertex, the number of its file, and its number in that file. A symmetric matrix has one table for both.

        - ``seeds``: Rows and columns are the seeds.

        - ``targets``: Rows are the seeds, and columns are the voxels and vertices of ``targets``; targets have no other results.

        - ``pairs``: Counts streamlines that pass both elements: rows are the voxels and vertices of ``targets``, and columns are those of
        ``target_columns`` (by default the rows); seeds can be anywhere.

        - ``network``: Rows and columns are the regions of ``seed_list``, and their voxels and vertices are the seeds.
    target_columns : one or several of str, optional
        Masks and surfaces for the matrix columns, if these differ from the rows.

        This option is for ``matrix`` pairs, whose rows are ``targets``.
    measure : one or several of {"count", "length", "by-length"}, optional
        Measures of each matrix entry.

        `count` is always written. `length` is the mean path length in mm from the seed. For ``matrix`` pairs, it is the mean path length
        between the two elements. `by-length` is the number of streamlines times their mean length. [default: count]
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        File formats of the matrix.

        [default: npz]

        - ``npz``: SciPy's compressed sparse rows.

        - ``dot``: FSL's text format, with the coordinates of rows and columns in separate files.

        - ``dconn``: CIFTI-2 with every entry, .dconn.nii.
    resume : bool
        Resume an interrupted run of the same data and options.

        With this option, a run saves its state in the result folder about every minute. The interrupted run must also have had this option.
        It can be used with ``matrix`` seeds and ``matrix`` targets.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    cropping : bool, optional
        If False: Do not crop streamline ends in the cortex at the grey/white interface. [default: True]
    seed_interface : bool
        Begin streamlines at the grey/white-matter interface of ``five_tissues``.
    back_tracking : bool
        Retry half of a streamline if it terminates in the wrong tissue.

        Tracking restarts at a point shortly before the end of the streamline, up to 100 times. Without this option, a streamline that
        terminates in a wrong tissue is rejected at once.
    method : {"arcs", "steps", "peaks"}, optional
        Method.

        The method is the rule by which a streamline finds its next direction. [default: arcs]

        - ``arcs``: Second order, as iFOD2: arcs, drawn with probability proportional to the FOD amplitudes along them.

        - ``steps``: First order, as iFOD1: straight steps, drawn with probability proportional to the FOD amplitude.

        - ``peaks``: Deterministic, as SD_STREAM: straight steps along the FOD peak nearest to the last direction.
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Tracks
        The accepted streamlines.

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
    """Follows samples of fibre orientations, as ``arcuate track samples``.

    Parameters
    ----------
    samples : Union[Orientations, path]
        Result of :func:`load_samples`, :func:`peaks_as_orientations` or :func:`refits_as_orientations`, or a folder of samples.
    seed_mask : image, optional
        Mask in whose voxels streamlines begin.
    seed_points : array_like, optional
        Points to begin at: (n, 3), RAS mm.
    waypoints : image or sequence of images, optional
        Reject streamlines that do not pass these.
    avoid : image or sequence of images, optional
        Reject streamlines that enter these.
    stop : image or sequence of images, optional
        End streamlines at their first point in these.
    stop_on_exit : image or sequence of images, optional
        End streamlines where they leave these.
    targets : image or sequence of images, optional
        Count the streamlines that pass these.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, as of :func:`five_tissues`.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seeds : int, optional
        Number of random seeds.

        Each seed is a random point in the mask and gives one streamline. On surfaces, vertices are drawn with probability proportional to
        their area.
    select : int, optional
        Stop at this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin streamlines at random points of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius in mm of the ball around the seed in which streamlines begin.

        [default: no displacement, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest angle between consecutive steps, in degrees; [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates; [default: 0.05]
    seed_cutoff : float, optional
        Seeds with a smaller FA, FOD amplitude or fibre fraction are not used; [default: 0.2, or any value if seeds are given]
    min_length : float, optional
        Shortest streamline, in mm; [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Longest streamline, in mm; [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline that reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline and keep it.

        - ``discard``: Reject the streamline.
    cropping : bool, optional
        If False: Do not crop streamline ends in the cortex at the grey/white interface. [default: True]
    seed_interface : bool
        Begin streamlines at the grey/white-matter interface of ``five_tissues``.
    back_tracking : bool
        Retry half of a streamline if it terminates in the wrong tissue.

        Tracking restarts at a point shortly before the end of the streamline, up to 100 times. Without this option, a streamline that
        terminates in a wrong tissue is rejected at once.
    integrator : {"euler", "modified-euler"}, optional
        Integration scheme. [default: euler]

        - ``euler``: A step follows the orientation at its start.

        - ``modified-euler``: A step follows the mean of the orientations at its two ends.
    initial_fibre : str, optional
        Fibre that streamlines follow from the seed.

        A number, from 1, selects this fibre. `random` draws one of the fibres whose fraction is at least ``cutoff``, all with the same
        probability. `in-proportion` draws one of them with a probability proportional to its fraction. `random-of-all` draws one of all
        fibres. [default: 1, or random with ``protocols``]
    fraction_stops : bool
        Continue at each point only with a probability equal to the fibre fraction.
    loop_check : bool
        Terminate streamlines that return to a place in the opposite direction.

        A place is a cube with an edge of five voxels. The check is always done with ``protocols``.
    nearest : bool
        Use the nearest voxel, without interpolation.

        Without this option, one of the surrounding voxels is drawn at random at each step.
    max_steps : int, optional
        Largest number of steps of a streamline.

        Each side of the seed can have half of this number of steps. [default: 2000]
    min_half_length : float, optional
        Shortest half of a streamline, measured from the seed, in mm. [default: 0]
    preset : {"probtrackx"}, optional
        Use another program's defaults for all options that are not given.

        - ``probtrackx``: Values of FSL's probtrackx2: ``step`` 0.5, ``angle`` 78.463, no minimum length, 5000 streamlines per seed,
        ``products`` visits.
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Tracks
        The accepted streamlines.

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
    """Maps where streamlines through samples of fibre orientations pass, as ``arcuate track samples``.

    No streamline is kept. The same seeds and options give the same streamlines as :func:`track_samples`.

    Parameters
    ----------
    samples : Union[Orientations, path]
        Result of :func:`load_samples`, :func:`peaks_as_orientations` or :func:`refits_as_orientations`, or a folder of samples.
    seed_mask : image, optional
        Mask in whose voxels streamlines begin.
    seed_points : array_like, optional
        Points to begin at: (n, 3), RAS mm.
    waypoints : image or sequence of images, optional
        Reject streamlines that do not pass these.
    avoid : image or sequence of images, optional
        Reject streamlines that enter these.
    stop : image or sequence of images, optional
        End streamlines at their first point in these.
    stop_on_exit : image or sequence of images, optional
        End streamlines where they leave these.
    targets : image or sequence of images, optional
        Count the streamlines that pass these.
    five_tissues : image, optional
        Five-tissue-type (5TT) image for anatomically constrained tracking, as of :func:`five_tissues`.
    lengths : bool, optional
        Also map the mean length from the seeds in mm.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seeds : int, optional
        Number of random seeds.

        Each seed is a random point in the mask and gives one streamline. On surfaces, vertices are drawn with probability proportional to
        their area.
    select : int, optional
        Stop at this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin streamlines at random points of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius in mm of the ball around the seed in which streamlines begin.

        [default: no displacement, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest angle between consecutive steps, in degrees; [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates; [default: 0.05]
    seed_cutoff : float, optional
        Seeds with a smaller FA, FOD amplitude or fibre fraction are not used; [default: 0.2, or any value if seeds are given]
    min_length : float, optional
        Shortest streamline, in mm; [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Longest streamline, in mm; [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline that reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline and keep it.

        - ``discard``: Reject the streamline.
    threshold : float, optional
        Smaller fractions of streamlines in visits_normalised.nii.gz are set to 0.

        [default: 0.005, or 0.001 for a tract with ``protocols``]
    cropping : bool, optional
        If False: Do not crop streamline ends in the cortex at the grey/white interface. [default: True]
    seed_interface : bool
        Begin streamlines at the grey/white-matter interface of ``five_tissues``.
    back_tracking : bool
        Retry half of a streamline if it terminates in the wrong tissue.

        Tracking restarts at a point shortly before the end of the streamline, up to 100 times. Without this option, a streamline that
        terminates in a wrong tissue is rejected at once.
    integrator : {"euler", "modified-euler"}, optional
        Integration scheme. [default: euler]

        - ``euler``: A step follows the orientation at its start.

        - ``modified-euler``: A step follows the mean of the orientations at its two ends.
    initial_fibre : str, optional
        Fibre that streamlines follow from the seed.

        A number, from 1, selects this fibre. `random` draws one of the fibres whose fraction is at least ``cutoff``, all with the same
        probability. `in-proportion` draws one of them with a probability proportional to its fraction. `random-of-all` draws one of all
        fibres. [default: 1, or random with ``protocols``]
    fraction_stops : bool
        Continue at each point only with a probability equal to the fibre fraction.
    loop_check : bool
        Terminate streamlines that return to a place in the opposite direction.

        A place is a cube with an edge of five voxels. The check is always done with ``protocols``.
    nearest : bool
        Use the nearest voxel, without interpolation.

        Without this option, one of the surrounding voxels is drawn at random at each step.
    max_steps : int, optional
        Largest number of steps of a streamline.

        Each side of the seed can have half of this number of steps. [default: 2000]
    min_half_length : float, optional
        Shortest half of a streamline, measured from the seed, in mm. [default: 0]
    preset : {"probtrackx"}, optional
        Use another program's defaults for all options that are not given.

        - ``probtrackx``: Values of FSL's probtrackx2: ``step`` 0.5, ``angle`` 78.463, no minimum length, 5000 streamlines per seed,
        ``products`` visits.
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Visits
        On the grid of ``seed_mask``, or else of the samples.

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
    """Follows shortest paths through diffusion tensors, as ``arcuate track geodesic``.

    Parameters
    ----------
    tensor : image
        Tensors (x, y, z, 6) in mm²/s, as ``fit_tensor(...).tensor``.
    targets : Mapping[str, image], optional
        Regions to find the connections to, by name; they must not overlap. [default: none, and every ray is kept]
    mask : image, optional
        Mask of the voxels to process; rays end outside.
    seed_mask : image, optional
        Mask in whose voxels rays begin. [default: every voxel with an FA of 0.2 to 1, if all rays are kept]
    seed_weights : image, optional
        Image that seeds are drawn in proportion to.
    seed_points : array_like, optional
        Points to begin at: (n, 3), RAS mm.
    waypoints : image or sequence of images, optional
        Reject streamlines that do not pass these.
    avoid : image or sequence of images, optional
        Reject streamlines that enter these.
    stop : image or sequence of images, optional
        End streamlines at their first point in these.
    stop_on_exit : image or sequence of images, optional
        End streamlines where they leave these.
    best : int, optional
        Keep the N strongest connections of each target.

        [default: 100, or no limit with ``min_connectivity``]
    min_connectivity : float, optional
        Keep connections of at least this connectivity measure.
    one_per_voxel : bool
        For each voxel of a target, keep only the strongest connection.
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seeds : int, optional
        Number of random seeds.

        Each seed is a random point in the mask and gives one streamline. On surfaces, vertices are drawn with probability proportional to
        their area.
    select : int, optional
        Stop at this many streamlines.

        [default: 50000 if seeds are drawn at random and their number is not given]
    seed_anywhere : bool
        Begin streamlines at random points of the seed voxel, not at its centre.
    seed_radius : float, optional
        Radius in mm of the ball around the seed in which streamlines begin.

        [default: no displacement, or 1 with ``protocols``]
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    step : float, optional
        Step length, in mm; [default: 0.1 of the shortest voxel edge, or up to half of it with ``integrator`` adaptive]
    angle : float, optional
        Largest angle between consecutive steps, in degrees; [default: any]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0]
    seed_cutoff : float, optional
        Seeds with a smaller FA, FOD amplitude or fibre fraction are not used; [default: 0.2, or any value if seeds are given]
    min_length : float, optional
        Shortest streamline, in mm. [default: 0]
    max_length : float, optional
        Longest streamline, in mm. [default: 250]
    at_max_length : {"stop", "discard"}, optional
        Treatment of a streamline that reaches ``max_length``. [default: stop]

        - ``stop``: Stop the streamline and keep it.

        - ``discard``: Reject the streamline.
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        Products to write.

        [default: streamlines, or none with ``labels`` or ``matrix``]

        - ``streamlines``: Accepted streamlines: streamlines.trx.

        - ``visits``: Number of streamlines per voxel, and this number as a fraction of all streamlines: visits.nii.gz,
        visits_normalised.nii.gz.

        - ``lengths``: Mean path length from the seed, and this length times the number of visits: lengths.nii.gz, visits_by_length.nii.gz.

        - ``target-counts``: For each region of ``targets``, number of streamlines from each seed that pass the region: seeds_to_NAME.
    threshold : float, optional
        Smaller fractions of streamlines in visits_normalised.nii.gz are set to 0.

        [default: 0.005, or 0.001 for a tract with ``protocols``]
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a connectivity matrix during tracking.

        Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the rows and columns. A table
        lists x y z of each voxel or vertex, the number of its file, and its number in that file. A symmetric matrix has one table for both.

        - ``seeds``: Rows and columns are the seeds.

        - ``targets``: Rows are the seeds, and columns are the voxels and vertices of ``targets``; targets have no other results.

        - ``pairs``: Counts streamlines that pass both elements: rows are the voxels and vertices of ``targets``, and columns are those of
        ``target_columns`` (by default the rows); seeds can be anywhere.

        - ``network``: Rows and columns are the regions of ``seed_list``, and their voxels and vertices are the seeds.
    target_columns : one or several of str, optional
        Masks and surfaces for the matrix columns, if these differ from the rows.

        This option is for ``matrix`` pairs, whose rows are ``targets``.
    measure : one or several of {"count", "length", "by-length"}, optional
        Measures of each matrix entry.

        `count` is always written. `length` is the mean path length in mm from the seed. For ``matrix`` pairs, it is the mean path length
        between the two elements. `by-length` is the number of streamlines times their mean length. [default: count]
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        File formats of the matrix.

        [default: npz]

        - ``npz``: SciPy's compressed sparse rows.

        - ``dot``: FSL's text format, with the coordinates of rows and columns in separate files.

        - ``dconn``: CIFTI-2 with every entry, .dconn.nii.
    resume : bool
        Resume an interrupted run of the same data and options.

        With this option, a run saves its state in the result folder about every minute. The interrupted run must also have had this option.
        It can be used with ``matrix`` seeds and ``matrix`` targets.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    field : {"spline", "trilinear", "thesis"}, optional
        Interpolation of the metric between voxels. [default: spline]

        - ``spline``: Cubic B-spline interpolation of the logarithm of the tensor.

        - ``trilinear``: Trilinear interpolation of the metric, which is faster but less smooth.

        - ``thesis``: Separate interpolation of the tensor and of the finite differences of its inverse (only for comparison).
    metric : {"inverse", "adjugate", "conformal"}, optional
        Metric whose shortest paths are the rays. [default: inverse]

        - ``inverse``: Inverse of the tensor.

        - ``adjugate``: Inverse of the tensor times its determinant.

        - ``conformal``: Inverse of the tensor times a scalar field, chosen so that curves along principal directions are as close to
        geodesics as possible.
    gain : float, optional
        Factor by which each tensor is multiplied, from 1e-12 to 1e12. [default: 1]
    sharpen : float, optional
        Raise tensors to this power.

        With a power above 1, rays follow the principal direction more closely. With a power below 1, they follow it less closely.
    sharpen_fa : float, optional
        FA threshold that separates tensors to sharpen from other tensors.

        [default: 0.3]
    sharpen_side : {"below", "above"}, optional
        Sharpen the tensors whose FA is below, or above, ``sharpen_fa``.

        [default: below]
    integrator : {"euler", "heun", "runge-kutta", "adaptive"}, optional
        Integration scheme.

        `adaptive` chooses the length of each step, up to ``step``. The other schemes take steps of nearly the same length: a ray's speed
        changes a little within a step, so that a step differs from ``step`` by up to 12 %. [default: adaptive]

        - ``euler``: First order.

        - ``heun``: Second order.

        - ``runge-kutta``: Fourth order.

        - ``adaptive``: Step length chosen by ``step_tolerance`` (Dormand–Prince 5(4)).
    step_tolerance : float, optional
        Largest error of an adaptive step: of position (voxels) and direction (radians).

        [default: 1e-5]
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    initial_directions : {"principal", "sphere", "cone"}, optional
        Directions in which rays leave a seed.

        [default: sphere if connections to ``targets`` are kept, otherwise principal]

        - ``principal``: Rays leave along the principal direction of the tensor.

        - ``sphere``: Directions are evenly distributed over the sphere.

        - ``cone``: Directions are evenly distributed over a cone about the principal direction.
    cone : float, optional
        Angle between the axis and the border of the cone of directions, in degrees.

        [default: 30]
    one_way : bool
        Follow only one of the two directions from a seed.

        The opposite direction is not followed.
    max_steps : int, optional
        Largest number of steps of a streamline.

        [default: enough for ``max_length``]
    allow_loops : bool
        Do not terminate rays that return to an earlier position and direction.
    per_seed : int, optional
        Number of streamlines per seed.

        Each streamline is a ray that leaves the seed in another direction. [default: 500]
    device : str, optional
        Device: auto, cpu, cuda, cuda:1 or cuda:0,1.

        `auto` selects the first GPU that can be used. If there is none, it selects the CPU. [default: auto]
    device_memory : str, optional
        Memory limit per GPU, such as 2GiB or 512MiB.

        [default: all free memory]
    threads : int, optional
        Number of CPU threads.

        [default: all]
    random_seed : int, optional
        Seed of random numbers.

        Results do not depend on the number of threads. [default: 0]
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(done, total)``.

    Returns
    -------
    Tracks
        With ``cm`` (the connectivity measure) at each point and of each streamline, ``length`` in mm and ``drift`` of each streamline, and
        a group for each target. ``summary["targets"]`` states how each target was reached.

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
    """Runs all stages from a series in a file to an evaluated tractogram and a report in a folder, as ``arcuate run``.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D.
    out : path
        Folder of the results.
    mask : path, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    labels : path, optional
        Image of region numbers, 0 for none.

        Adds a connectome.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.
    select : int, optional
        Stop at this many streamlines.

        Not for ``tracking`` geodesic. [default: 50000]
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        Field that streamlines follow.

        [default: distributions for multi-shell data with at least 28 directions or one shell with at least 45 directions at b ≥ 2000 s/mm²;
        otherwise samples for at least 15 directions; otherwise tensor]

        - ``distributions``: Fibre orientation distributions from constrained spherical deconvolution.

        - ``tensor``: Principal directions of diffusion tensors.

        - ``geodesic``: Shortest paths through diffusion tensors.

        - ``samples``: Posterior samples of two fibres per voxel.
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen, in the space of the diffusion series. Streamlines terminate in grey
        matter. Streamlines that terminate in white matter or enter CSF are rejected.
    evaluate : {"life", "commit", "none"}, optional
        Evaluation of the streamlines.

        [default: commit for distributions and samples, otherwise life]

        - ``life``: Linear Fascicle Evaluation.

        - ``commit``: Convex Optimization Modeling for Microstructure Informed Tractography.

        - ``none``: No evaluation.
    recipe : path, optional
        Recipe: TOML file with options of the stages, such as [track.tensor]
    anatomy : path, optional
        Background image of maps and streamlines in the report.

        For example a T1 image in the space of the scan. [default: FA and the mean b = 0 image]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
    bval : path, optional
        FSL b-values (s/mm²).

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes).

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file.

        The file is MRtrix's table (x y z b, in scanner axes), a Camino .scheme, or a .prtcl. Replaces ``bval`` and ``bvec``.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm². [default: 50]
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z.

        Use this option if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values.

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1.

        Required if the lengths may encode shells.

        - ``scale``: Multiply the b-value by the squared length of the direction, as MRtrix does.

        - ``ignore``: Use the b-value of the table unchanged, as FSL does.
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.

    Returns
    -------
    Results
        The folder with its record.

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
