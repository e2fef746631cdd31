"""Every command as a function, of files to files, with its options as keywords.

Made of the definition of the command line, whose test says how; not to be changed by hand.

>>> import arcuate as ar
>>> print(ar.commands.models("ball-1-stick").said.splitlines()[1])
title = "Ball and one stick"
"""

from __future__ import annotations

from typing import Literal, Optional

from ._calls import Progress
from ._commands import Done as Done
from ._commands import PathLike, Several, Word, done
from ._commands import python_of as python_of


def run(
    dwi: Optional[PathLike] = None,
    *,
    out: Optional[PathLike] = None,
    mask: Optional[PathLike] = None,
    labels: Optional[PathLike] = None,
    label_names: Optional[PathLike] = None,
    select: Optional[int] = None,
    tracking: Optional[Literal["distributions", "tensor", "geodesic", "samples"]] = None,
    five_tissues: Optional[PathLike] = None,
    evaluate: Optional[Literal["life", "commit", "none"]] = None,
    recipe: Optional[PathLike] = None,
    show_recipe: bool = False,
    dry_run: bool = False,
    share: Optional[Word] = None,
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
) -> Done:
    """From a diffusion series to an evaluated tractogram and a report, in one command: ``arcuate run``.

    Does what these commands do, one after the other, with their defaults: mask, fit tensor, then by what was measured response, fit csd and
    track fod, or fit ball-2-sticks by Markov chains and track samples, or track tensor (or geodesic), evaluate, density, connectome (with
    labels), and makes a report of all of it. dry_run prints them as they would be typed; they give the same files. A recipe sets any of
    their options.

    Parameters
    ----------
    dwi : path, optional
        Diffusion series, 4-D
    out : path, optional
        Where the result goes; a folder
    mask : path, optional
        Mask of the voxels that count; found in the series by default
    labels : path, optional
        Image of region numbers, 0 for none; adds a connectome
    label_names : path, optional
        Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table
    select : int, optional
        Stop at this many streamlines; 50000 by default. Not for tracking geodesic, which has a streamline for each of its seeds
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        What streamlines follow; by default distributions where several shells have 28 directions or one has 45 at 2000 s/mm², samples from
        15 directions on, tensors else; distributions: Fibre orientation distributions, by constrained spherical deconvolution; tensor:
        Diffusion tensors, along their principal directions; geodesic: Diffusion tensors, along shortest paths; samples: Samples of the
        posteriors of two fibres in every voxel, by Markov chains
    five_tissues : path, optional
        Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
        matter, and those that end in white matter or come into fluid are left out
    evaluate : {"life", "commit", "none"}, optional
        How streamlines are evaluated; by default commit where distributions or samples are followed, life else; life: Linear Fascicle
        Evaluation; commit: Convex Optimization Modeling for Microstructure Informed Tractography; none: Not at all
    recipe : path, optional
        Options of the stages: a TOML file with a table for each, such as [track.tensor], whose keys are the names of its options
    show_recipe : bool
        Print a recipe of all options with their defaults
    dry_run : bool
        Print the commands that this run stands for, and do nothing
    share : str, optional
        Do only a share of the run, so that several machines work on one scan; prepare for all that comes before its streamlines are
        followed, then 1/8 to 8/8 for these, at the same time; without this what is left, which merges them. With tracking samples, and
        seeds or per-seed in [track.samples] of the recipe
    anatomy : path, optional
        Image that the report shows maps and streamlines on, such as a T1 that lies where the scan does (in the scanner's millimetres); FA
        and the mean b = 0 image of the scan by default
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("run", ("dwi",), locals())


def bids(
    root: PathLike,
    output: PathLike,
    level: Optional[Literal["participant", "group"]] = None,
    *,
    participant_label: Optional[Several[Word]] = None,
    session_label: Optional[Several[Word]] = None,
    scan: Optional[Several[Word]] = None,
    bids_filter_file: Optional[PathLike] = None,
    derivatives: Optional[Several[PathLike]] = None,
    raw: bool = False,
    skip_bids_validation: bool = False,
    atlas: Optional[Word] = None,
    tracking: Optional[Literal["distributions", "tensor", "geodesic", "samples"]] = None,
    evaluate: Optional[Literal["life", "commit", "none"]] = None,
    select: Optional[int] = None,
    recipe: Optional[PathLike] = None,
    share: Optional[Word] = None,
    work_dir: Optional[PathLike] = None,
    mem_mb: Optional[int] = None,
    workflow: Optional[PathLike] = None,
    jobs_per_gpu: Optional[int] = None,
    shares: Optional[int] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Do the scans of a BIDS data set, and what they are together: ``arcuate bids``.

    A BIDS App. Takes preprocessed series (QSIPrep's, or any *_desc-preproc_dwi), with gradient tables and sidecars by BIDS's inheritance,
    and does `arcuate run` with each; results are derivatives under BIDS's names. One scan that cannot be done does not stop the others. The
    same command again does what is missing or has changed. `group` makes a table, a stack of connectomes and a report of all.

    Parameters
    ----------
    root : path
        Root of the data set
    output : path
        Root of the derivatives that are written
    level : {"participant", "group"}, optional
        What is done; participant: The scans of participants, one after the other; group: What all of them are together
    participant_label : one or several of str, optional
        Labels of participants, with or without sub-; all by default
    session_label : one or several of str, optional
        Labels of sessions, with or without ses-; all by default
    scan : one or several of str, optional
        Names of scans, as `arcuate status` has them: sub-01_ses-a_run-2_space-ACPC; all that labels choose by default
    bids_filter_file : path, optional
        What the entities of series must be, as fMRIPrep and QSIPrep have it: {"dwi": {"session": "a", "run": ["1", null]}}
    derivatives : one or several of path, optional
        More data sets where anatomy, atlases and tissues of the same participants are looked for, in the space of the series
    raw : bool
        Take series as the scanner gave them, where no preprocessing was done
    skip_bids_validation : bool
        Do not compare the data set with its own tables and sidecars
    atlas : str, optional
        The atlas of connectomes, by its label in names of files (atlas-, seg-, desc-); the only one, or FreeSurfer's aparcaseg by default
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        What streamlines follow; by default distributions where several shells have 28 directions or one has 45 at 2000 s/mm², samples from
        15 directions on, tensors else; distributions: Fibre orientation distributions, by constrained spherical deconvolution; tensor:
        Diffusion tensors, along their principal directions; geodesic: Diffusion tensors, along shortest paths; samples: Samples of the
        posteriors of two fibres in every voxel, by Markov chains
    evaluate : {"life", "commit", "none"}, optional
        How streamlines are evaluated; by default commit where distributions or samples are followed, life else; life: Linear Fascicle
        Evaluation; commit: Convex Optimization Modeling for Microstructure Informed Tractography; none: Not at all
    select : int, optional
        Stop at this many streamlines; 50000 by default. Not for tracking geodesic, which has a streamline for each of its seeds
    recipe : path, optional
        Options of the stages: a TOML file with a table for each, such as [track.tensor], whose keys are the names of its options
    share : str, optional
        Do only a share of the run, so that several machines work on one scan; prepare for all that comes before its streamlines are
        followed, then 1/8 to 8/8 for these, at the same time; without this what is left, which merges them. With tracking samples, and
        seeds or per-seed in [track.samples] of the recipe
    work_dir : path, optional
        Folder of the work, from which a cancelled command goes on; OUT/.arcuate by default
    mem_mb : int, optional
        Memory of the machine that may be used, in MB: scans that need more are refused before they begin
    workflow : path, optional
        Write a Snakemake workflow that does it, a job for each scan, and do nothing
    jobs_per_gpu : int, optional
        Jobs that share a GPU, each with its part of device_memory; no GPU by default
    shares : int, optional
        Jobs that follow the streamlines of each scan together, as share has it; a scan is one job by default
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("bids", ("root", "output", "level",), locals())


def status(
    folder: PathLike,
    *,
    json: bool = False,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Report the state of each scan of `arcuate bids`: ``arcuate status``.

    Prints one line per scan: done, running, failed with the reason, or interrupted, with the time. It can be called while scans are
    running. The exit code is 1 if a scan failed or was interrupted.

    Parameters
    ----------
    folder : path
        Root of the derivatives, or the work folder (work_dir)
    json : bool
        Write JSON; a list with one object per scan
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("status", ("folder",), locals())


def recon(
    kspace: PathLike,
    *,
    trajectory: PathLike,
    out: PathLike,
    sensitivities: Optional[PathLike] = None,
    method: Optional[Literal["cg", "adjoint", "gridding"]] = None,
    regularise: Optional[Word] = None,
    lambda_: Optional[Word] = None,
    sigma: Optional[float] = None,
    edge: Optional[float] = None,
    density: Optional[Word] = None,
    interpolation: Optional[Literal["kaiser-bessel", "trilinear"]] = None,
    oversampling: Optional[float] = None,
    iterations: Optional[int] = None,
    tolerance: Optional[float] = None,
    size: Optional[Several[int]] = None,
    fov: Optional[Several[float]] = None,
    like: Optional[PathLike] = None,
    trajectory_unit: Optional[Literal["fov", "voxel", "radian", "per-metre"]] = None,
    sample_weights: Optional[PathLike] = None,
    save_q: Optional[PathLike] = None,
    q: Optional[PathLike] = None,
    truth: Optional[PathLike] = None,
    complex: bool = False,
    precision: Optional[Literal["single", "double"]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Reconstruct an image from k-space, along any trajectory: ``arcuate recon``.

    Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums. Reads arrays of BART (.cfl with .hdr) or NumPy (.npy), in
    BART's dimensions: k-space is 1 × samples × readouts × coils, the trajectory 3 × samples × readouts in cycles per field of view, coil
    sensitivities x × y × z × coils. Writes the magnitude and, beside it, the phase in radians (NAME_phase), or, where out ends in .cfl, the
    complex image as BART's array. Several coils without sensitivities are reconstructed one by one and combined by the root of the sum of
    squares.

    Parameters
    ----------
    kspace : path
        Samples of k-space
    trajectory : path
        Where the samples lie
    out : path
        Where the result goes; an image: .nii.gz, .nii, .mif, or .cfl
    sensitivities : path, optional
        Sensitivities of the coils
    method : {"cg", "adjoint", "gridding"}, optional
        Method, of those that the command has; cg solves for the image, adjoint is Fᴴd alone, gridding interpolates to a grid, for
        comparison (cg by default)
    regularise : str, optional
        Penalty that regularises the result; tikhonov (the image's size), differences (of neighbours), or anatomy=IMAGE (differences where
        that image of the same anatomy has no edge; on other voxels it is resampled by world coordinates) (tikhonov by default)
    lambda_ : str, optional
        Strength of the penalty; in units in which FᴴF is 1 of a Cartesian scan that samples all wave numbers once, whatever the scale of
        sensitivities; or auto: by the noise where sigma says it, else by the L-curve (1e-3 by default)
    sigma : float, optional
        Standard deviation of the noise; in real and imaginary part of a sample: iterations end when the data are explained as well
    edge : float, optional
        Difference of the anatomical image that counts as an edge; by default three times the median difference
    density : str, optional
        Of gridding, what samples are weighed with: pipe-menon, voronoi (both by how dense they are), none, or a file with a number for each
        (pipe-menon by default)
    interpolation : {"kaiser-bessel", "trilinear"}, optional
        Of gridding, how samples are spread (kaiser-bessel by default); kaiser-bessel: By a window of four points; trilinear: Linearly along
        each axis
    oversampling : float, optional
        Of gridding, points of the grid for each voxel along an axis (2 by default)
    iterations : int, optional
        Iterations at most (30 by default)
    tolerance : float, optional
        Iterations end below this fraction; of the residual at first (0.0001 by default)
    size : one or several of int, optional
        Voxels along each axis; as 256,256 or 128,128,64; by default those of like, of sensitivities, or twice the trajectory's largest wave
        number
    fov : one or several of float, optional
        Field of view in mm; one length (a slice is as thick as its voxels are wide) or three: the size of voxels, and of trajectories in
        1/m
    like : path, optional
        Image whose voxels the result has
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
        Unit of the trajectory; by default cycles per field of view, unless its range speaks for another, which is an error; fov: Cycles per
        field of view, −n/2 to n/2; voxel: Cycles per voxel, −½ to ½; radian: Radians per voxel, −π to π; per-metre: 1/m
    sample_weights : path, optional
        Complex weight of each sample, which the signal was multiplied with
    save_q : path, optional
        Keep Q, the transform of the trajectory's FᴴF, for other scans along it
    q : path, optional
        Q that save_q kept
    truth : path, optional
        The true image, where it is known: the result is compared with it
    complex : bool
        Write one image of complex numbers instead of magnitude and phase
    precision : {"single", "double"}, optional
        Precision of the arithmetic (single by default)
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("recon", ("kspace",), locals())


def mask(
    dwi: PathLike,
    *,
    out: PathLike,
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
) -> Done:
    """Find the brain in a diffusion series: ``arcuate mask``.

    Median filter and Otsu's threshold on the mean b = 0 and the mean weighted image, largest component, holes filled.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Where the result goes; an image, 1 inside the brain, 0 outside
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("mask", ("dwi",), locals())


def five_tissues(
    segmentation: Optional[PathLike] = None,
    *,
    out: PathLike,
    lut: Optional[Literal["FreeSurfer"]] = None,
    grey_matter: Optional[PathLike] = None,
    white_matter: Optional[PathLike] = None,
    csf: Optional[PathLike] = None,
    subcortical: Optional[PathLike] = None,
    pathological: Optional[PathLike] = None,
    interface: Optional[PathLike] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Make an image of five tissues for anatomically-constrained tractography: ``arcuate 5tt``.

    Of a segmentation of FreeSurfer's, or of maps of tissues with values from 0 to 1. Volumes are fractions of cortical grey matter,
    sub-cortical grey matter, white matter, cerebrospinal fluid and pathological tissue, MRtrix's 5TT; they add up to 1 in the brain.
    Fractions of maps are divided by their sum where that is at least a half, and are 0 elsewhere.

    Parameters
    ----------
    segmentation : path, optional
        Segmentation, such as aparc+aseg.mgz; with lut
    out : path
        Where the result goes; an image of five volumes
    lut : {"FreeSurfer"}, optional
        Table that the numbers of a segmentation are from; FreeSurfer: FreeSurfer's, of aseg, aparc+aseg, aparc.a2009s+aseg and wmparc
    grey_matter : path, optional
        Map of grey matter; in place of a segmentation
    white_matter : path, optional
        Map of white matter
    csf : path, optional
        Map of cerebrospinal fluid
    subcortical : path, optional
        Map of sub-cortical grey matter; taken off that of grey matter
    pathological : path, optional
        Map of pathological tissue
    interface : path, optional
        Write where grey and white matter meet, too; an image, 0 to 1, from which seeds may be drawn
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("5tt", ("segmentation",), locals())


def response(
    dwi: PathLike,
    *,
    out: PathLike,
    mask: Optional[PathLike] = None,
    method: Optional[Literal["single-fibre", "tissues"]] = None,
    voxels: Optional[int] = None,
    order: Optional[int] = None,
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
) -> Done:
    """Estimate response functions, the signals of tissues by which a series is deconvolved: ``arcuate response``.

    Writes response_wm.txt, and of several tissues response_gm.txt and response_csf.txt (MRtrix's text: a row for each shell, columns for
    degrees 0, 2, 4, …), and response_voxels.nii.gz, the voxels that they are from.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Where the result goes; a folder
    mask : path, optional
        Mask of the voxels that count; found in the series by default
    method : {"single-fibre", "tissues"}, optional
        Method, of those that the command has; responses of three tissues where the series has several weighted shells, else of single
        fibres by default; single-fibre: White matter with one fibre, the shell with the largest b, as dwi2response tournier; tissues: White
        matter, grey matter and cerebrospinal fluid, all shells, as dwi2response dhollander
    voxels : int, optional
        Voxels that the response of single fibres is from; 300 by default
    order : int, optional
        Highest degree of harmonics, an even number; of the response of white matter, 10 by default
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("response", ("dwi",), locals())


def fit_tensor(
    dwi: PathLike,
    *,
    out: PathLike,
    mask: Optional[PathLike] = None,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    reweightings: Optional[int] = None,
    names: Optional[Literal["arcuate", "fsl"]] = None,
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
) -> Done:
    """Fit a diffusion tensor in every voxel and write its maps: ``arcuate fit tensor``.

    Weighted linear least squares with reweighting. Writes tensor.nii.gz (D11 D22 D33 D12 D13 D23, mm²/s, scanner axes), s0, residual (root
    mean square, signal units), fa, md, ad, rd (mm²/s), eigenvalues, eigenvectors (three unit vectors, scanner axes), principal_direction
    (the first of them) and colour_fa (red left–right, green front–back, blue up–down).

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Where the result goes; a folder for the maps
    mask : path, optional
        Mask of the voxels that count; found in the series by default
    max_b : float, optional
        Fit to b-values up to this many s/mm²; by default 1500, beyond which the signal is no tensor's, where that leaves 12 axes or more
    shells : one or several of float, optional
        Shells to take, by their b-values in s/mm²; b = 0 is taken too
    reweightings : int, optional
        Reweightings after the first fit (2 by default)
    names : {"arcuate", "fsl"}, optional
        What maps are called (arcuate by default); arcuate: As above, directions in scanner axes; fsl: As FSL's dtifit does, dti_FA, dti_V1
        and so on, directions along FSL's axes, those of bvec files
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("fit tensor", ("dwi",), locals())


def fit_csd(
    dwi: PathLike,
    *,
    responses: Several[PathLike],
    out: PathLike,
    mask: Optional[PathLike] = None,
    order: Optional[int] = None,
    normalise: bool = False,
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
) -> Done:
    """Find fibre orientation distributions by constrained spherical deconvolution: ``arcuate fit csd``.

    With one response the shell with the largest b is deconvolved, with a soft constraint; with those of several tissues all shells, with a
    hard one. Writes wm_fod.nii.gz (spherical harmonics in MRtrix's basis and order, which track fod and MRtrix read), of several tissues
    gm.nii.gz, csf.nii.gz and all three in vf.nii.gz, peaks.nii.gz (up to three, scanner axes, as long as their amplitudes) and
    peak_amplitude.nii.gz.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    responses : one or several of path
        Responses; the folder of `arcuate response`, or files of white matter, grey matter and cerebrospinal fluid with commas. Of three the
        first and the last are taken where the series has one weighted shell
    out : path
        Where the result goes; a folder for the maps
    mask : path, optional
        Mask of the voxels that count; found in the series by default
    order : int, optional
        Highest degree of harmonics, an even number; of the distributions, that of the response up to 8 by default
    normalise : bool
        Bring tissues to one scale across the brain, and write the field that they are divided by, field.nii.gz
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("fit csd", ("dwi",), locals())


def fit(
    models: Word,
    dwi: PathLike,
    *,
    out: PathLike,
    mask: Optional[PathLike] = None,
    max_b: Optional[float] = None,
    shells: Optional[Several[float]] = None,
    fix: Optional[Several[Word]] = None,
    start: Optional[Several[Word]] = None,
    free: Optional[Several[Word]] = None,
    column: Optional[Several[Word]] = None,
    map: Optional[Several[Word]] = None,
    gradient_deviations: Optional[PathLike] = None,
    method: Optional[Literal["lm", "grid", "mcmc"]] = None,
    compare: Optional[Literal["aic", "aicc", "bic", "bic-maximum", "dic", "waic"]] = None,
    criteria: Optional[Several[Literal["aic", "aicc", "bic", "bic-maximum", "dic", "waic"]]] = None,
    predicted: bool = False,
    names: Optional[Literal["arcuate", "mdt", "amico", "bids"]] = None,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    standard_errors: bool = False,
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
    prior: Optional[Several[Word]] = None,
    quantiles: Optional[Several[float]] = None,
    begin_at: Optional[Literal["fit", "search", "model", "dispersed"]] = None,
    save_state: bool = False,
    resume: Optional[PathLike] = None,
    trace_voxel: Optional[Several[Word]] = None,
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
) -> Done:
    """Fit a model of the signal in every voxel: ``arcuate fit``.

    `fit tensor` is the linear fit of the diffusion tensor, `fit csd` finds fibre orientation distributions. Every other model is one of
    those that `arcuate models` lists, or a file of your own in the model language: a search, then Levenberg–Marquardt within bounds, with
    exact derivatives. Writes a map for each parameter (orientations as three volumes, scanner axes), what the model makes of them, residual
    (root mean square, signal units) and status (1 converged, 2 converged at a bound or a constraint, 3 evaluations ran out, 4 to 6 not
    fitted: no signal, too few measurements, no signal of the model; 7 and 8 of chains: no proposal taken, sampled; 0 outside the mask). Of
    several models each has a folder.

    Parameters
    ----------
    models : str
        Model to fit, by its name (`arcuate models` lists them) or as a file; several, separated by commas, are compared
    dwi : path
        Diffusion series, 4-D
    out : path
        Where the result goes; a folder for the maps
    mask : path, optional
        Mask of the voxels that count; found in the series by default
    max_b : float, optional
        Fit to b-values up to this many s/mm²
    shells : one or several of float, optional
        Shells to take, by their b-values in s/mm²; b = 0 is taken too
    fix : one or several of str, optional
        Take a parameter as known: at a value in its unit, in an image, or where the model has it start
    start : one or several of str, optional
        Start a parameter at a value in its unit, or in an image
    free : one or several of str, optional
        Fit a parameter that the model has fixed
    column : one or several of str, optional
        Numbers of the measurements that the model asks for: a text file with one for each
    map : one or several of str, optional
        Numbers of the voxels that the model asks for
    gradient_deviations : path, optional
        How gradients deviate from the table in each voxel: nine volumes, as FSL and the Human Connectome Project write them (grad_dev)
    method : {"lm", "grid", "mcmc"}, optional
        Method, of those that the command has; how parameters are found (lm by default); lm: The best fit: a search and Levenberg–Marquardt,
        as the model has it; grid: Search alone: the best of all combinations of the values of grids; what has no grid stays where it
        starts; mcmc: Samples of the posterior distribution by Markov chains (Metropolis within Gibbs) that begin there
    compare : {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        By which criterion models are compared, voxel by voxel; aic: Akaike's, of the best fit; aicc: The same, corrected for few
        measurements; bic: The Bayesian one, of the best fit; bic-maximum: The Bayesian one, of the sample with the least sum of squares
        (method mcmc); dic: Deviance information criterion, of samples (method mcmc); waic: Widely applicable information criterion, of
        samples (method mcmc)
    criteria : one or several of {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Write information criteria of each model, of one alone too: aic, aicc, bic, and of chains bic-maximum, dic, waic; aic: Akaike's, of
        the best fit; aicc: The same, corrected for few measurements; bic: The Bayesian one, of the best fit; bic-maximum: The Bayesian one,
        of the sample with the least sum of squares (method mcmc); dic: Deviance information criterion, of samples (method mcmc); waic:
        Widely applicable information criterion, of samples (method mcmc)
    predicted : bool
        Write the series that the model predicts; predicted.nii.gz, and what it leaves, residuals.nii.gz
    names : {"arcuate", "mdt", "amico", "bids"}, optional
        What maps are called; as the model has them, or as other programs would (arcuate by default); arcuate: As the model has them; mdt:
        As the NODDI toolbox for MATLAB does: ficvf, fiso, odi; amico: As AMICO does: fit_NDI, fit_FWF, fit_ODI; bids: As the brain imaging
        data structure wants: …_model-noddi_param-icvf_dwimap
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    standard_errors : bool
        Write standard errors too (Cramér–Rao bound): NAME_error
    bounds : {"projection", "transform"}, optional
        How bounds are kept: steps end there, or parameters are transformed so that bounds are only approached (within rounding a fit may
        end at one) (projection by default)
    evaluations : int, optional
        Evaluations of the signal in a voxel at most, in each Levenberg–Marquardt stage (200 by default)
    precision : {"single", "double"}, optional
        Precision of the arithmetic (single by default)
    burn_in : int, optional
        Sweeps before the first sample [default: 1000]
    jumps : int, optional
        Sweeps behind the burn-in [default: 1250]
    interval : int, optional
        Keep every N-th of them as a sample [default: 25]
    adapt_every : int, optional
        Change the widths of proposals after every N sweeps of the burn-in [default: 40]
    chains : int, optional
        Chains of each voxel; with two and more, R̂ says whether they agree [default: 1]
    noise : {"gaussian", "rician"}, optional
        Distribution of the noise [default: gaussian]; rician: Of magnitude images
    sigma : str, optional
        Standard deviation of the noise; integrated (out of the posterior), sampled, or a number in units of the signal [default:
        integrated; sampled where the noise is Rician]
    sigma_prior : str, optional
        Prior of the standard deviation where it is sampled, in units of the signal [default: log_uniform]
    prior : one or several of str, optional
        Prior of a parameter, in its unit: uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least),
        log_uniform or energy(formula)
    quantiles : one or several of float, optional
        Write quantiles of samples, each of a part from 0 to 1, such as 0.025,0.5,0.975: NAME_quantiles, a volume for each
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Where chains begin [default: fit]; fit: At the best fit; search: At the best that the model's searches find; model: Where the model
        has its fits start; dispersed: Every chain anywhere within bounds: chains that then agree do so not because they began at one place
    save_state : bool
        Write where chains end to state.nii.gz, and what they are of to state.json, so that they can go on
    resume : path, optional
        Go on from where a run of the same data and options has ended; chains of the same model and random seed by their state.nii.gz, with
        state.json beside it. The mask may be smaller; jumps, interval, device and threads may differ
    trace_voxel : one or several of str, optional
        Show the samples of this voxel in their order; its indices in the image, counted from 0. Up to 8 times [default: the example voxel
        of the report]
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("fit", ("models", "dwi",), locals())


def maps(
    tensor: PathLike,
    *,
    out: PathLike,
    mask: Optional[PathLike] = None,
    tensor_order: Optional[Literal["arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"]] = None,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Write the maps of diffusion tensors: ``arcuate maps``.

    Writes fa, md, ad, rd (mm²/s), eigenvalues, eigenvectors (three unit vectors, scanner axes), principal_direction (the first of them),
    colour_fa (red left–right, green front–back, blue up–down), linearity, planarity, sphericity (Westin's measures, which sum to 1) and
    mode (−1 for a disc to 1 for a stick).

    Parameters
    ----------
    tensor : path
        Tensor image of six volumes, mm²/s
    out : path
        Where the result goes; a folder for the maps
    mask : path, optional
        Mask of the voxels that count; maps are 0 outside
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor image's six volumes; by default the header's, or arcuate; arcuate: D11 D22 D33 D12 D13 D23, scanner
        axes; mrtrix: The same: dwi2tensor; fsl: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file: dtifit save_tensor; dipy: Dxx Dxy Dyy Dxz
        Dyz Dzz, axes of the bvec file: dipy_fit_dti; ants: The same order, voxel axes: ANTs; lower-triangle: The same order, scanner axes
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("maps", ("tensor",), locals())


def models(
    models: Optional[Word] = None,
    *,
    graph: bool = False,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """List the signal models, or print one as a file to read and change: ``arcuate models``.

    Every model of `arcuate fit` is a file in the model language. To make your own, print one into a file, change it, and fit it: arcuate
    models ball-1-stick > mine.toml; arcuate fit ./mine.toml DWI out DIR

    Parameters
    ----------
    models : str, optional
        Model to print; or a file, to check it: several, separated by commas, where one starts from another
    graph : bool
        Print the program of a model's signal instead: what is computed once, of each measurement, of each voxel, and of both, in µm, ms and
        T
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("models", ("models",), locals())


def track_tensor(
    tensor: PathLike,
    *,
    out: PathLike,
    tensor_order: Optional[Literal["arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"]] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_weights: Optional[PathLike] = None,
    method: Optional[Literal["fact", "tensor", "deflection"]] = None,
    integrator: Optional[Literal["euler", "runge-kutta"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    curvature_radius: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    mask: Optional[PathLike] = None,
    one_way: bool = False,
    deflection_f: Optional[float] = None,
    deflection_g: Optional[float] = None,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    targets: Optional[Several[Word]] = None,
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Deterministic tracking through diffusion tensors: ``arcuate track tensor``.

    The same random seed gives the same streamlines at any number of threads. Output: .tck, .trk or .trx.

    Parameters
    ----------
    tensor : path
        Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    out : path
        Where the result goes; a tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor image's six volumes; by default the header's, or arcuate; arcuate: D11 D22 D33 D12 D13 D23, scanner
        axes; mrtrix: The same: dwi2tensor; fsl: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file: dtifit save_tensor; dipy: Dxx Dxy Dyy Dxz
        Dyz Dzz, axes of the bvec file: dipy_fit_dti; ants: The same order, voxel axes: ANTs; lower-triangle: The same order, scanner axes
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; by default every voxel (of mask) that has what seeds need: of tensors seed_cutoff as its FA,
        which is at most 1 (above which noise has made an eigenvalue negative), of distributions seed_amplitude
    seed_points : path, optional
        Points to begin at: a text file, x y z in RAS mm a line
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seeds : int, optional
        Number of random seeds; by default as many as select needs
    select : int, optional
        Stop at this many streamlines; 50000 by default where neither seeds, seed_grid nor seed_points says how far to go
    seed_weights : path, optional
        Image that seeds are drawn in proportion to
    method : {"fact", "tensor", "deflection"}, optional
        Method, of those that the command has; how a streamline finds its direction (tensor by default); fact: Straight through each voxel
        along its principal direction; tensor: Principal direction of the interpolated tensor; deflection: The interpolated tensor deflects
        the streamline (TEND)
    integrator : {"euler", "runge-kutta"}, optional
        How a streamline moves along; runge-kutta by default, and nothing for fact
    step : float, optional
        Step in mm; at most two voxels, half a voxel for runge-kutta and 0.1 voxel for euler by default
    angle : float, optional
        Largest turn from step to step, in degrees (45 by default)
    curvature_radius : float, optional
        Smallest radius of curvature, in mm, in place of angle
    cutoff : float, optional
        Streamlines end where FA falls below this (0.2 by default)
    seed_cutoff : float, optional
        Seeds need at least this FA; that of cutoff by default
    min_length : float, optional
        Shortest streamline, in mm; shorter ones are left out (20 by default)
    max_length : float, optional
        Longest streamline, in mm; they end there (250 by default)
    mask : path, optional
        Mask of the voxels that count; streamlines end outside
    one_way : bool
        Follow directions from a seed one way; which of the two is drawn at random
    deflection_f : float, optional
        Weight of the principal direction in deflection; 0 by default
    deflection_g : float, optional
        Weight of the deflected direction within the rest; 1 by default
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    waypoints_one_way : bool
        One half of the streamline must pass the waypoints by itself, not both together
    judged_by : {"half", "whole"}, optional
        What avoid and waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones (tckgen). Half
        by default for samples, peaks and bootstrap, whole for tensor and geodesic
    targets : one or several of str, optional
        Regions to find the connections to; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz;
        at vertices .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    five_tissues : path, optional
        Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
        matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("track tensor", ("tensor",), locals())


def track_fod(
    fod: PathLike,
    *,
    out: PathLike,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    method: Optional[Literal["arcs", "steps", "peaks"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    min_amplitude: Optional[float] = None,
    seed_amplitude: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    mask: Optional[PathLike] = None,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    targets: Optional[Several[Word]] = None,
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    back_tracking: bool = False,
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Tracking through fibre orientation distributions: ``arcuate track fod``.

    Follows what `arcuate fit csd` or MRtrix's dwi2fod wrote: coefficients of spherical harmonics in MRtrix's basis and order, of white
    matter. The same random seed gives the same streamlines at any number of threads and on any device. Output: .tck, .trk or .trx.

    Parameters
    ----------
    fod : path
        Image of the distributions, of white matter; 6, 15, 28 or 45 volumes
    out : path
        Where the result goes; a tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; by default every voxel (of mask) that has what seeds need: of tensors seed_cutoff as its FA,
        which is at most 1 (above which noise has made an eigenvalue negative), of distributions seed_amplitude
    seed_points : path, optional
        Points to begin at: a text file, x y z in RAS mm a line
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seeds : int, optional
        Number of random seeds; by default as many as select needs
    select : int, optional
        Stop at this many streamlines; 50000 by default where neither seeds, seed_grid nor seed_points says how far to go
    method : {"arcs", "steps", "peaks"}, optional
        Method, of those that the command has; how a streamline finds its way (arcs by default); arcs: Arcs, each drawn by the amplitudes
        along it: of second order, as iFOD2; steps: Straight steps drawn by their amplitudes: of first order, as iFOD1; peaks: Straight
        steps along the nearest peak, without chance, as SD_STREAM
    step : float, optional
        Step in mm; at most two voxels, half a voxel for arcs and 0.1 voxel for steps and peaks by default
    angle : float, optional
        Largest turn from step to step, in degrees; up to 90, of arcs 45, of steps 15, of peaks 60 by default
    min_amplitude : float, optional
        Streamlines end where no way on has this amplitude (0.1 by default)
    seed_amplitude : float, optional
        Seeds need at least this amplitude; that of min_amplitude by default
    min_length : float, optional
        Shortest streamline, in mm; shorter ones are left out (20 by default)
    max_length : float, optional
        Longest streamline, in mm; longer ones are left out (250 by default)
    mask : path, optional
        Mask of the voxels that count; streamlines end outside
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    waypoints_one_way : bool
        One half of the streamline must pass the waypoints by itself, not both together
    judged_by : {"half", "whole"}, optional
        What avoid and waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones (tckgen). Half
        by default for samples, peaks and bootstrap, whole for tensor and geodesic
    targets : one or several of str, optional
        Regions to find the connections to; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz;
        at vertices .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    five_tissues : path, optional
        Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
        matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("track fod", ("fod",), locals())


def track_geodesic(
    tensor: PathLike,
    *,
    out: PathLike,
    tensor_order: Optional[Literal["arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"]] = None,
    targets: Optional[Several[PathLike]] = None,
    all: bool = False,
    best: Optional[int] = None,
    min_connectivity: Optional[float] = None,
    one_per_voxel: bool = False,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    field: Optional[Literal["spline", "trilinear", "thesis"]] = None,
    metric: Optional[Literal["inverse", "adjugate", "conformal"]] = None,
    gain: Optional[float] = None,
    sharpen: Optional[float] = None,
    sharpen_fa: Optional[float] = None,
    sharpen_side: Optional[Literal["below", "above"]] = None,
    integrator: Optional[Literal["euler", "heun", "runge-kutta", "adaptive"]] = None,
    step_tolerance: Optional[float] = None,
    step: Optional[float] = None,
    precision: Optional[Literal["single", "double"]] = None,
    initial_directions: Optional[Literal["principal", "sphere", "cone"]] = None,
    per_seed: Optional[int] = None,
    cone: Optional[float] = None,
    one_way: bool = False,
    mask: Optional[PathLike] = None,
    cutoff: Optional[float] = None,
    angle: Optional[float] = None,
    max_length: Optional[float] = None,
    max_steps: Optional[int] = None,
    allow_loops: bool = False,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Shortest paths through diffusion tensors: the connections between regions, or every ray: ``arcuate track geodesic``.

    Where tensors are long, ways are short: rays are geodesics of the metric D⁻¹. With targets writes connections.trx (those that reach a
    target, cut there, strongest first, a group for each target) and connections.tsv (rank, target, connectivity measure, length, drift of
    each); with all rays.trx. Streamlines have dpv/cm and dps/cm (the connectivity measure, length over geodesic length: up to each point,
    and of the whole), dps/length (mm) and dps/drift (how far the ray's energy strays, relative). fa.nii.gz is what the report shows them
    before. The same seeds give the same rays at any number of threads, and on GPUs.

    Parameters
    ----------
    tensor : path
        Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    out : path
        Where the result goes; a folder
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor image's six volumes; by default the header's, or arcuate; arcuate: D11 D22 D33 D12 D13 D23, scanner
        axes; mrtrix: The same: dwi2tensor; fsl: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file: dtifit save_tensor; dipy: Dxx Dxy Dyy Dxz
        Dyz Dzz, axes of the bvec file: dipy_fit_dti; ants: The same order, voxel axes: ANTs; lower-triangle: The same order, scanner axes
    targets : one or several of path, optional
        Regions to find the connections to; masks that do not overlap, with commas or the option again: rays that reach one are kept, cut
        there, and a region has the name of its file
    all : bool
        Keep every ray, as it is
    best : int, optional
        Keep the N strongest connections of each target; 100 by default, any number with min_connectivity
    min_connectivity : float, optional
        Keep connections of at least this connectivity measure
    one_per_voxel : bool
        Keep the strongest connection to each voxel of a target
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; with all by default every voxel (of mask) whose FA is 0.2 to 1
    seed_points : path, optional
        Points to begin at: a text file, x y z in RAS mm a line
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; 1, the voxel centres, by default
    seeds : int, optional
        Number of random seeds; in place of seed_grid
    field : {"spline", "trilinear", "thesis"}, optional
        How the metric between voxels comes from that of the voxels (spline by default); spline: Cubic B-spline of the logarithm of the
        tensor; trilinear: Trilinear interpolation of the metric: less smooth, faster; thesis: Tensor and differences of its inverse
        interpolated apart, which is no metric: for comparison
    metric : {"inverse", "adjugate", "conformal"}, optional
        What rays are shortest paths of (inverse by default); inverse: Inverse of the tensor; adjugate: The inverse times the determinant;
        conformal: The inverse times a factor that makes principal directions as straight as they can be
    gain : float, optional
        Multiply every tensor by this, 1e-12 to 1e12 (1 by default)
    sharpen : float, optional
        Raise tensors to this power, so that rays keep closer to the principal direction (above 1) or less close
    sharpen_fa : float, optional
        The FA that divides tensors into those that are sharpened and the others; 0.3 by default
    sharpen_side : {"below", "above"}, optional
        On which side of it tensors are sharpened; below by default
    integrator : {"euler", "heun", "runge-kutta", "adaptive"}, optional
        How a streamline moves along (adaptive by default); euler: First order; heun: Second order; runge-kutta: Fourth order; adaptive:
        Steps as long as step_tolerance lets them be (Dormand–Prince 5(4))
    step_tolerance : float, optional
        Largest error of a step of the adaptive integrator, in voxels, and of its direction in radians; 1e-5 by default
    step : float, optional
        Step in mm; at most a voxel's edge, 0.1 of it by default. Of the adaptive integrator the longest step: half of it
    precision : {"single", "double"}, optional
        Precision of the arithmetic (single by default)
    initial_directions : {"principal", "sphere", "cone"}, optional
        Directions in which rays leave a seed; sphere with targets, principal with all by default; principal: Along the principal direction
        of the tensor; sphere: Evenly over the sphere; cone: Evenly over a cone about the principal direction
    per_seed : int, optional
        Streamlines of each seed; rays over the sphere or the cone, 500 by default
    cone : float, optional
        Angle between axis and border of the cone; 30 by default
    one_way : bool
        Follow directions from a seed one way; not the opposite one too
    mask : path, optional
        Mask of the voxels that count; rays end outside
    cutoff : float, optional
        Streamlines end where FA falls below this; nowhere by default
    angle : float, optional
        Largest turn from step to step, in degrees; any by default
    max_length : float, optional
        Longest streamline, in mm; rays from their seed on, which end there (250 by default)
    max_steps : int, optional
        Most steps of a streamline; as many as the length needs by default
    allow_loops : bool
        Let rays go on that come back to a place and direction of their own
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    waypoints_one_way : bool
        One half of the streamline must pass the waypoints by itself, not both together
    judged_by : {"half", "whole"}, optional
        What avoid and waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones (tckgen). Half
        by default for samples, peaks and bootstrap, whole for tensor and geodesic
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("track geodesic", ("tensor",), locals())


def track_samples(
    samples: PathLike,
    *,
    out: PathLike,
    fibres: Optional[Several[Word]] = None,
    mask: Optional[PathLike] = None,
    part: Optional[Word] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_cifti: Optional[PathLike] = None,
    white: Optional[Several[PathLike]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    targets: Optional[Several[Word]] = None,
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    back_tracking: bool = False,
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    integrator: Optional[Literal["euler", "modified-euler"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    min_fraction: Optional[float] = None,
    initial_fibre: Optional[Word] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    lengths: bool = False,
    threshold: Optional[float] = None,
    streamlines: bool = False,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    matrix: Optional[Literal["seeds", "targets", "pairs", "network"]] = None,
    target_columns: Optional[Several[Word]] = None,
    seed_list: Optional[Several[PathLike]] = None,
    measure: Optional[Several[Literal["count", "length", "by-length"]]] = None,
    matrix_format: Optional[Several[Literal["npz", "dot", "dconn"]]] = None,
    resume: bool = False,
    labels: Optional[PathLike] = None,
    label_names: Optional[PathLike] = None,
    assignment: Optional[Literal["radial", "end-voxel"]] = None,
    assignment_radius: Optional[float] = None,
    seed_fraction: Optional[float] = None,
    protocols: Optional[PathLike] = None,
    tracts: Optional[Several[Word]] = None,
    tract_maps: Optional[Several[Word]] = None,
    blueprint: Optional[Several[Word]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Probabilistic tracking through samples of fibre orientations: ``arcuate track samples``.

    Each streamline draws a sample at every step; where many pass, a connection is likely. Reads what bedpostX writes, and what `arcuate fit
    MODEL method mcmc` does. With a folder as out: visits.nii.gz (accepted streamlines through each voxel, each once, on the lattice of the
    seeds' mask), visits_normalised.nii.gz (in parts of all of them) and, as wished, lengths, seeds_to_NAME.nii.gz and the streamlines. With
    a tractogram as out, defaults are those of a whole brain: seeds in white matter, less sharp turns, a shortest length. The same seed
    gives the same streamlines at any number of threads.

    Parameters
    ----------
    samples : path
        Folder of samples: X.bedpostX, or that of a fit with method mcmc
    out : path
        Where the result goes; a folder for maps of where streamlines pass, or a tractogram to write instead (.tck, .trk, .trx), or with
        labels a name that ends in .npz for sparse matrices alone
    fibres : one or several of str, optional
        In the folder of a fit: the orientation and the fraction of each fibre, NAME=FRACTION, with commas between fibres. n=f, or
        n1=f1,n2=f2, … by default
    mask : path, optional
        Mask of the voxels that count; by default nodif_brain_mask of bedpostX, or where the fit has samples
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. With seeds or per_seed where
        out is a tractogram
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; by default every voxel that has orientations, for a tractogram of samples or refits those in
        white matter (seed_fraction)
    seed_points : path, optional
        Points to begin at: a text file, x y z in RAS mm a line
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin, after those of seed_mask if that is given, too: all vertices, or those of a label as
        FILE:LABELS:NAME, or those with a value as FILE:MAP; several with commas, or the option again
    seed_cifti : path, optional
        Begin at the vertices and in the voxels of a CIFTI-2 file, whatever its values, in its order, which matrix seeds has then; its
        vertices lie on the surfaces of white
    white : one or several of path, optional
        The surfaces of seed_cifti's vertices, those of white matter as a rule: one of each hemisphere, with commas or the option again
    seed_depth : float, optional
        Begin so far below the surfaces, in mm along the inward normals of their vertices
    per_seed : int, optional
        Streamlines of each seed; 5000 by default where out is a folder and neither seeds nor select is given, by protocols as many as these
        say
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; accepted ones, which begin anywhere in the mask unless per_seed is given. 50000 by default where out
        is a tractogram
    seed_anywhere : bool
        Begin anywhere in the seed's voxel instead of at its centre
    seed_radius : float, optional
        Begin anywhere in a ball of this radius about the seed, in mm; 1 by default by protocols
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    waypoints_one_way : bool
        One half of the streamline must pass the waypoints by itself, not both together
    judged_by : {"half", "whole"}, optional
        What avoid and waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones (tckgen). Half
        by default for samples, peaks and bootstrap, whole for tensor and geodesic
    targets : one or several of str, optional
        Regions to find the connections to; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz;
        at vertices .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    five_tissues : path, optional
        Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
        matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    integrator : {"euler", "modified-euler"}, optional
        How a streamline moves along (euler by default); euler: One orientation a step; modified-euler: The mean of two, at both ends of a
        step
    step : float, optional
        Step in mm; at most two voxels, 0.5 by default, half a voxel where out is a tractogram
    angle : float, optional
        Largest turn from step to step, in degrees; 78.463 by default, whose cosine is 0.2, and 45 where out is a tractogram
    min_fraction : float, optional
        Fibres count whose fraction is above this; 0.01 by default, 0.05 where out is a tractogram
    initial_fibre : str, optional
        Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their fractions) or
        random-of-all; 1 by default, random by protocols
    fraction_stops : bool
        Go on from each point with the sampled fibre's fraction as the probability
    loop_check : bool
        End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    nearest : bool
        Take what the nearest voxel has; else one of the voxels around is drawn
    max_steps : int, optional
        Most steps of a streamline; half of them to each side (2000 by default)
    min_half_length : float, optional
        Shortest half of a streamline kept, in mm of its steps (0 by default)
    min_length : float, optional
        Shortest streamline, in mm; shorter ones are rejected: any by default, but where out is a tractogram 20 mm or ten voxels, whichever
        is less
    max_length : float, optional
        Longest streamline, in mm; longer ones are rejected: any by default
    lengths : bool
        Mean lengths of the ways from the seeds, lengths.nii.gz, and visits times lengths, visits_by_length.nii.gz; by protocols
        density_lengths.nii.gz of each tract
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz, 0.005 by default; voxels below are 0. By protocols that from
        which on a voxel belongs to a tract, 0.001
    streamlines : bool
        The accepted streamlines, streamlines.trx
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a matrix of what streamlines meet while they are tracked, in the files matrix_counts and so on; rows and columns are in
        matrix_rows.tsv and matrix_columns.tsv (x y z of the voxel or vertex, the number of its file, its own in it), or one table where the
        matrix is symmetric; seeds: Each seed with all others: what its streamlines meet; targets: Each seed with the voxels and vertices of
        targets, which have no other results then; pairs: Voxels and vertices of targets with each other, or those of two targets; seeds
        anywhere; network: Each region of seed_list, whose voxels and vertices are the seeds, with the others
    target_columns : one or several of str, optional
        Masks and surfaces that are the columns, where those of the rows (targets) are others; with matrix pairs
    seed_list : one or several of path, optional
        Regions in which streamlines begin, and which they join; with matrix network, as masks, labels or surfaces, or text files that name
        them
    measure : one or several of {"count", "length", "by-length"}, optional
        What is measured of the streamlines of each entry; count (always there), length (mean of their ways from the seed, of pairs from one
        to the other, in mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Go on from where a run of the same data and options has ended; interrupted ones by what they save in the folder about every minute,
        where they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the
        table, in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        How a streamline finds its regions (radial by default); radial: The nearest labelled voxel within assignment_radius; end-voxel: The
        voxel of the end point
    assignment_radius : float, optional
        How far the search for a region looks, in mm; 4 by default
    seed_fraction : float, optional
        Without seed_mask, seed_points, seed_surfaces and seed_cifti: begin in voxels whose fibres together have at least this fraction, in
        the mean of their samples (FA, of refits). 0.2 by default where out is a tractogram, which is white matter; else 0
    protocols : path, optional
        Follow many tracts in one go, each by the masks of its protocol: XTRACT's folder (structureList, and for each tract a folder with
        seed, target or target1, target2, …, stop, exclude, invert), or protocols.toml in it. Results are in XTRACT's layout:
        tracts/NAME/densityNorm.nii.gz and others, tracts.nii.gz (the strongest of each voxel of the scan), tracts.tsv
    tracts : one or several of str, optional
        The only tracts that are followed, with commas between their names; all by default
    tract_maps : one or several of str, optional
        Images in the space of the scan whose mean, median and standard deviation in each tract are wanted in tracts.tsv
    blueprint : one or several of str, optional
        Surfaces of the cortex in the space of the scan: also write the share of each tract at their vertices, blueprint.dscalar.nii, by
        streamlines from each of them
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("track samples", ("samples",), locals())


def track_peaks(
    peaks: PathLike,
    *,
    out: PathLike,
    peaks_frame: Optional[Literal["scanner", "image", "fsl"]] = None,
    min_peak: Optional[float] = None,
    mask: Optional[PathLike] = None,
    part: Optional[Word] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_cifti: Optional[PathLike] = None,
    white: Optional[Several[PathLike]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    targets: Optional[Several[Word]] = None,
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    back_tracking: bool = False,
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    integrator: Optional[Literal["euler", "modified-euler"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    min_fraction: Optional[float] = None,
    initial_fibre: Optional[Word] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    lengths: bool = False,
    threshold: Optional[float] = None,
    streamlines: bool = False,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    matrix: Optional[Literal["seeds", "targets", "pairs", "network"]] = None,
    target_columns: Optional[Several[Word]] = None,
    seed_list: Optional[Several[PathLike]] = None,
    measure: Optional[Several[Literal["count", "length", "by-length"]]] = None,
    matrix_format: Optional[Several[Literal["npz", "dot", "dconn"]]] = None,
    resume: bool = False,
    labels: Optional[PathLike] = None,
    label_names: Optional[PathLike] = None,
    assignment: Optional[Literal["radial", "end-voxel"]] = None,
    assignment_radius: Optional[float] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Tracking through peaks of any origin: ``arcuate track peaks``.

    A peak is a fibre, its fraction its length in parts of the longest of the voxel. Streamlines draw one of the voxels around at each step
    and follow the peak nearest to their direction. Results are as those of `arcuate track samples`.

    Parameters
    ----------
    peaks : path
        Image of peaks: x y z of each, three volumes a peak
    out : path
        Where the result goes; a folder for maps of where streamlines pass, or a tractogram to write instead (.tck, .trk, .trx), or with
        labels a name that ends in .npz for sparse matrices alone
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes that the peaks are along; the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated where the affine's
        determinant is positive)
    min_peak : float, optional
        Peaks shorter than this are none (0 by default)
    mask : path, optional
        Mask of the voxels that count; by default all that have a peak
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. With seeds or per_seed where
        out is a tractogram
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; by default every voxel that has orientations, for a tractogram of samples or refits those in
        white matter (seed_fraction)
    seed_points : path, optional
        Points to begin at: a text file, x y z in RAS mm a line
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin, after those of seed_mask if that is given, too: all vertices, or those of a label as
        FILE:LABELS:NAME, or those with a value as FILE:MAP; several with commas, or the option again
    seed_cifti : path, optional
        Begin at the vertices and in the voxels of a CIFTI-2 file, whatever its values, in its order, which matrix seeds has then; its
        vertices lie on the surfaces of white
    white : one or several of path, optional
        The surfaces of seed_cifti's vertices, those of white matter as a rule: one of each hemisphere, with commas or the option again
    seed_depth : float, optional
        Begin so far below the surfaces, in mm along the inward normals of their vertices
    per_seed : int, optional
        Streamlines of each seed; 5000 by default where out is a folder and neither seeds nor select is given, by protocols as many as these
        say
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; accepted ones, which begin anywhere in the mask unless per_seed is given. 50000 by default where out
        is a tractogram
    seed_anywhere : bool
        Begin anywhere in the seed's voxel instead of at its centre
    seed_radius : float, optional
        Begin anywhere in a ball of this radius about the seed, in mm; 1 by default by protocols
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    waypoints_one_way : bool
        One half of the streamline must pass the waypoints by itself, not both together
    judged_by : {"half", "whole"}, optional
        What avoid and waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones (tckgen). Half
        by default for samples, peaks and bootstrap, whole for tensor and geodesic
    targets : one or several of str, optional
        Regions to find the connections to; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz;
        at vertices .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    five_tissues : path, optional
        Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
        matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    integrator : {"euler", "modified-euler"}, optional
        How a streamline moves along (euler by default); euler: One orientation a step; modified-euler: The mean of two, at both ends of a
        step
    step : float, optional
        Step in mm; at most two voxels, 0.5 by default, half a voxel where out is a tractogram
    angle : float, optional
        Largest turn from step to step, in degrees; 78.463 by default, whose cosine is 0.2, and 45 where out is a tractogram
    min_fraction : float, optional
        Fibres count whose fraction is above this; 0.01 by default, 0.05 where out is a tractogram
    initial_fibre : str, optional
        Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their fractions) or
        random-of-all; 1 by default, random by protocols
    fraction_stops : bool
        Go on from each point with the sampled fibre's fraction as the probability
    loop_check : bool
        End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    nearest : bool
        Take what the nearest voxel has; else one of the voxels around is drawn
    max_steps : int, optional
        Most steps of a streamline; half of them to each side (2000 by default)
    min_half_length : float, optional
        Shortest half of a streamline kept, in mm of its steps (0 by default)
    min_length : float, optional
        Shortest streamline, in mm; shorter ones are rejected: any by default, but where out is a tractogram 20 mm or ten voxels, whichever
        is less
    max_length : float, optional
        Longest streamline, in mm; longer ones are rejected: any by default
    lengths : bool
        Mean lengths of the ways from the seeds, lengths.nii.gz, and visits times lengths, visits_by_length.nii.gz; by protocols
        density_lengths.nii.gz of each tract
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz, 0.005 by default; voxels below are 0. By protocols that from
        which on a voxel belongs to a tract, 0.001
    streamlines : bool
        The accepted streamlines, streamlines.trx
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a matrix of what streamlines meet while they are tracked, in the files matrix_counts and so on; rows and columns are in
        matrix_rows.tsv and matrix_columns.tsv (x y z of the voxel or vertex, the number of its file, its own in it), or one table where the
        matrix is symmetric; seeds: Each seed with all others: what its streamlines meet; targets: Each seed with the voxels and vertices of
        targets, which have no other results then; pairs: Voxels and vertices of targets with each other, or those of two targets; seeds
        anywhere; network: Each region of seed_list, whose voxels and vertices are the seeds, with the others
    target_columns : one or several of str, optional
        Masks and surfaces that are the columns, where those of the rows (targets) are others; with matrix pairs
    seed_list : one or several of path, optional
        Regions in which streamlines begin, and which they join; with matrix network, as masks, labels or surfaces, or text files that name
        them
    measure : one or several of {"count", "length", "by-length"}, optional
        What is measured of the streamlines of each entry; count (always there), length (mean of their ways from the seed, of pairs from one
        to the other, in mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Go on from where a run of the same data and options has ended; interrupted ones by what they save in the folder about every minute,
        where they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the
        table, in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        How a streamline finds its regions (radial by default); radial: The nearest labelled voxel within assignment_radius; end-voxel: The
        voxel of the end point
    assignment_radius : float, optional
        How far the search for a region looks, in mm; 4 by default
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("track peaks", ("peaks",), locals())


def track_bootstrap(
    dwi: PathLike,
    *,
    out: PathLike,
    mask: Optional[PathLike] = None,
    replicates: Optional[int] = None,
    resampling: Optional[Literal["residuals", "signs"]] = None,
    bval: Optional[PathLike] = None,
    bvec: Optional[PathLike] = None,
    gradients: Optional[PathLike] = None,
    b0_threshold: Optional[float] = None,
    gradient_axes: Optional[Word] = None,
    b_unit: Optional[Literal["s/mm2", "s/m2", "ms/um2"]] = None,
    bvec_lengths: Optional[Literal["scale", "ignore"]] = None,
    part: Optional[Word] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_cifti: Optional[PathLike] = None,
    white: Optional[Several[PathLike]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    waypoints_one_way: bool = False,
    judged_by: Optional[Literal["half", "whole"]] = None,
    targets: Optional[Several[Word]] = None,
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    back_tracking: bool = False,
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    integrator: Optional[Literal["euler", "modified-euler"]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    min_fraction: Optional[float] = None,
    initial_fibre: Optional[Word] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    lengths: bool = False,
    threshold: Optional[float] = None,
    streamlines: bool = False,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    matrix: Optional[Literal["seeds", "targets", "pairs", "network"]] = None,
    target_columns: Optional[Several[Word]] = None,
    seed_list: Optional[Several[PathLike]] = None,
    measure: Optional[Several[Literal["count", "length", "by-length"]]] = None,
    matrix_format: Optional[Several[Literal["npz", "dot", "dconn"]]] = None,
    resume: bool = False,
    labels: Optional[PathLike] = None,
    label_names: Optional[PathLike] = None,
    assignment: Optional[Literal["radial", "end-voxel"]] = None,
    assignment_radius: Optional[float] = None,
    seed_fraction: Optional[float] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Probabilistic tracking through tensors that are refitted to resampled residuals: ``arcuate track bootstrap``.

    In every voxel the tensor is fitted to the measured signal, then replicates times to what it predicts with the residuals of that fit in
    another order or sign: as if the scan had been repeated. The principal directions are the samples, FA the fraction. Results are as those
    of `arcuate track samples`.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Where the result goes; a folder for maps of where streamlines pass, or a tractogram to write instead (.tck, .trk, .trx), or with
        labels a name that ends in .npz for sparse matrices alone
    mask : path, optional
        Mask of the voxels that count; found in the series by default
    replicates : int, optional
        Refits of each voxel (50 by default)
    resampling : {"residuals", "signs"}, optional
        What a measurement gets as its residual (residuals by default); residuals: That of any measurement, with replacement; signs: Its
        own, with a sign drawn at random (wild bootstrap)
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. With seeds or per_seed where
        out is a tractogram
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; by default every voxel that has orientations, for a tractogram of samples or refits those in
        white matter (seed_fraction)
    seed_points : path, optional
        Points to begin at: a text file, x y z in RAS mm a line
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin, after those of seed_mask if that is given, too: all vertices, or those of a label as
        FILE:LABELS:NAME, or those with a value as FILE:MAP; several with commas, or the option again
    seed_cifti : path, optional
        Begin at the vertices and in the voxels of a CIFTI-2 file, whatever its values, in its order, which matrix seeds has then; its
        vertices lie on the surfaces of white
    white : one or several of path, optional
        The surfaces of seed_cifti's vertices, those of white matter as a rule: one of each hemisphere, with commas or the option again
    seed_depth : float, optional
        Begin so far below the surfaces, in mm along the inward normals of their vertices
    per_seed : int, optional
        Streamlines of each seed; 5000 by default where out is a folder and neither seeds nor select is given, by protocols as many as these
        say
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; accepted ones, which begin anywhere in the mask unless per_seed is given. 50000 by default where out
        is a tractogram
    seed_anywhere : bool
        Begin anywhere in the seed's voxel instead of at its centre
    seed_radius : float, optional
        Begin anywhere in a ball of this radius about the seed, in mm; 1 by default by protocols
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    waypoints_one_way : bool
        One half of the streamline must pass the waypoints by itself, not both together
    judged_by : {"half", "whole"}, optional
        What avoid and waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones (tckgen). Half
        by default for samples, peaks and bootstrap, whole for tensor and geodesic
    targets : one or several of str, optional
        Regions to find the connections to; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz;
        at vertices .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    five_tissues : path, optional
        Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
        matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    integrator : {"euler", "modified-euler"}, optional
        How a streamline moves along (euler by default); euler: One orientation a step; modified-euler: The mean of two, at both ends of a
        step
    step : float, optional
        Step in mm; at most two voxels, 0.5 by default, half a voxel where out is a tractogram
    angle : float, optional
        Largest turn from step to step, in degrees; 78.463 by default, whose cosine is 0.2, and 45 where out is a tractogram
    min_fraction : float, optional
        Fibres count whose fraction is above this; 0.01 by default, 0.05 where out is a tractogram
    initial_fibre : str, optional
        Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their fractions) or
        random-of-all; 1 by default, random by protocols
    fraction_stops : bool
        Go on from each point with the sampled fibre's fraction as the probability
    loop_check : bool
        End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    nearest : bool
        Take what the nearest voxel has; else one of the voxels around is drawn
    max_steps : int, optional
        Most steps of a streamline; half of them to each side (2000 by default)
    min_half_length : float, optional
        Shortest half of a streamline kept, in mm of its steps (0 by default)
    min_length : float, optional
        Shortest streamline, in mm; shorter ones are rejected: any by default, but where out is a tractogram 20 mm or ten voxels, whichever
        is less
    max_length : float, optional
        Longest streamline, in mm; longer ones are rejected: any by default
    lengths : bool
        Mean lengths of the ways from the seeds, lengths.nii.gz, and visits times lengths, visits_by_length.nii.gz; by protocols
        density_lengths.nii.gz of each tract
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz, 0.005 by default; voxels below are 0. By protocols that from
        which on a voxel belongs to a tract, 0.001
    streamlines : bool
        The accepted streamlines, streamlines.trx
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    matrix : {"seeds", "targets", "pairs", "network"}, optional
        Count a matrix of what streamlines meet while they are tracked, in the files matrix_counts and so on; rows and columns are in
        matrix_rows.tsv and matrix_columns.tsv (x y z of the voxel or vertex, the number of its file, its own in it), or one table where the
        matrix is symmetric; seeds: Each seed with all others: what its streamlines meet; targets: Each seed with the voxels and vertices of
        targets, which have no other results then; pairs: Voxels and vertices of targets with each other, or those of two targets; seeds
        anywhere; network: Each region of seed_list, whose voxels and vertices are the seeds, with the others
    target_columns : one or several of str, optional
        Masks and surfaces that are the columns, where those of the rows (targets) are others; with matrix pairs
    seed_list : one or several of path, optional
        Regions in which streamlines begin, and which they join; with matrix network, as masks, labels or surfaces, or text files that name
        them
    measure : one or several of {"count", "length", "by-length"}, optional
        What is measured of the streamlines of each entry; count (always there), length (mean of their ways from the seed, of pairs from one
        to the other, in mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Go on from where a run of the same data and options has ended; interrupted ones by what they save in the folder about every minute,
        where they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the
        table, in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        How a streamline finds its regions (radial by default); radial: The nearest labelled voxel within assignment_radius; end-voxel: The
        voxel of the end point
    assignment_radius : float, optional
        How far the search for a region looks, in mm; 4 by default
    seed_fraction : float, optional
        Without seed_mask, seed_points, seed_surfaces and seed_cifti: begin in voxels whose fibres together have at least this fraction, in
        the mean of their samples (FA, of refits). 0.2 by default where out is a tractogram, which is white matter; else 0
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("track bootstrap", ("dwi",), locals())


def merge(
    parts: PathLike,
    *,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Merge the parts of a run: ``arcuate merge``.

    Makes maps, matrices and tractograms of all parts of `arcuate track samples`, `track peaks` or `track bootstrap` with part, with the
    bits of one run. It does what their command does without part, in its words: call it in the folder where that was called, if its paths
    are relative. The parts stay.

    Parameters
    ----------
    parts : path
        Folder of the parts: the name of the result, and .parts
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("merge", ("parts",), locals())


def evaluate_life(
    tractogram: PathLike,
    *,
    dwi: PathLike,
    out: PathLike,
    mask: Optional[PathLike] = None,
    precision: Optional[Literal["single", "double"]] = None,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    lesion: Optional[Several[Word]] = None,
    refit: bool = False,
    bval: Optional[PathLike] = None,
    bvec: Optional[PathLike] = None,
    gradients: Optional[PathLike] = None,
    b0_threshold: Optional[float] = None,
    gradient_axes: Optional[Word] = None,
    b_unit: Optional[Literal["s/mm2", "s/m2", "ms/um2"]] = None,
    bvec_lengths: Optional[Literal["scale", "ignore"]] = None,
    shells: Optional[Several[float]] = None,
    eigenvalues: Optional[Word] = None,
    orientations: Optional[Word] = None,
    normalise_signal: bool = False,
    node_value: Optional[Literal["count", "length"]] = None,
    solver: Optional[Literal["barzilai-borwein", "sbbnnls"]] = None,
    regularise: Optional[Literal["none", "lasso"]] = None,
    lambda_: Optional[float] = None,
    tolerance: Optional[float] = None,
    iterations: Optional[int] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Linear Fascicle Evaluation: non-negative weights with which the streamlines predict the signal best: ``arcuate evaluate life``.

    Writes life_weights.txt (one row per streamline, 0 where unsupported), tracks_weighted.trx (all streamlines, weights as
    dps/life_weights), tracks_supported.trx (those above 0), life_rmse_before/after.nii.gz (what the mean signal of each shell leaves, and
    what the weighted streamlines leave) and life_trace.csv.

    Parameters
    ----------
    tractogram : path
        Tractogram
    dwi : path
        Diffusion series, 4-D
    out : path
        Where the result goes; a folder
    mask : path, optional
        Mask of the voxels that count; all that streamlines pass by default
    precision : {"single", "double"}, optional
        Precision of the arithmetic (single by default)
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    lesion : one or several of str, optional
        A group of streamlines to remove virtually: the name of a group of a .trx, or a text file of streamline numbers (from 0); may be
        given again
    refit : bool
        Refit the remaining streamlines after each lesion
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    shells : one or several of float, optional
        Shells to take, by their b-values in s/mm²; by default those of 15 axes or more, or of as many as the largest has where that has
        fewer. The mean signal of each shell is left free
    eigenvalues : str, optional
        λ₁,λ₂,λ₃ of a fascicle's tensor in µm²/ms, λ₂ = λ₃ (1,0,0 by default)
    orientations : str, optional
        Orientations that responses are tabulated for; a number of them, or a text file of directions (scanner axes) (1057 by default)
    normalise_signal : bool
        Divide the signal of a voxel by the mean of its b = 0 measurements, as DIPY; without it the prediction is multiplied with that mean,
        so that voxels count by their brightness
    node_value : {"count", "length"}, optional
        What a point of a streamline counts: 1, or its length in mm (count by default)
    solver : {"barzilai-borwein", "sbbnnls"}, optional
        Algorithm of the fit (barzilai-borwein by default)
    regularise : {"none", "lasso"}, optional
        Penalty that regularises the result; on the streamlines, which leaves fewer of them (ReAl-LiFE) (none by default); lasso: λ Σ w: few
        streamlines
    lambda_ : float, optional
        Strength of the penalty; a fraction of the smallest that leaves no streamline, max(Mᵀy), from 0 to below 1: it means the same in any
        unit of the signal
    tolerance : float, optional
        Iterations end below this fraction; of the projected gradient without streamlines (0.0001 by default)
    iterations : int, optional
        Iterations at most (500 by default)
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("evaluate life", ("tractogram",), locals())


def evaluate_commit(
    tractogram: Optional[PathLike] = None,
    *,
    out: PathLike,
    dwi: Optional[PathLike] = None,
    scalar_map: Optional[PathLike] = None,
    mask: Optional[PathLike] = None,
    peaks: Optional[PathLike] = None,
    peaks_frame: Optional[Literal["scanner", "image", "fsl"]] = None,
    peak_threshold: Optional[float] = None,
    confidence: Optional[PathLike] = None,
    orientations: Optional[Word] = None,
    precision: Optional[Literal["single", "double"]] = None,
    predicted: bool = False,
    compat: bool = False,
    format: Optional[Literal["nii.gz", "nii", "mif"]] = None,
    merge_b0: bool = False,
    no_normalise_signal: bool = False,
    no_normalise_kernels: bool = False,
    demean: bool = False,
    min_b0: Optional[float] = None,
    dictionary: Optional[PathLike] = None,
    dictionary_directions: Optional[PathLike] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    min_segment: Optional[float] = None,
    blur_core_extent: Optional[float] = None,
    blur_gauss_extent: Optional[float] = None,
    blur_gauss_min: Optional[float] = None,
    blur_spacing: Optional[float] = None,
    bval: Optional[PathLike] = None,
    bvec: Optional[PathLike] = None,
    gradients: Optional[PathLike] = None,
    b0_threshold: Optional[float] = None,
    gradient_axes: Optional[Word] = None,
    b_unit: Optional[Literal["s/mm2", "s/m2", "ms/um2"]] = None,
    bvec_lengths: Optional[Literal["scale", "ignore"]] = None,
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
    regularise: Optional[Literal["none", "lasso", "group-sparse", "sparse-group"]] = None,
    groups: Optional[Word] = None,
    group_weights: Optional[Literal["size", "adaptive"]] = None,
    lambda_: Optional[Several[float]] = None,
    lambda_extra: Optional[float] = None,
    lambda_isotropic: Optional[float] = None,
    absolute_lambda: bool = False,
    lambda_curve: Optional[int] = None,
    debias: bool = False,
    solver: Optional[Literal["barzilai-borwein", "fista"]] = None,
    tolerance: Optional[float] = None,
    gap: Optional[float] = None,
    iterations: Optional[int] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Convex Optimization Modeling for Microstructure Informed Tractography: how much of the signal each streamline, the tissue around it
    and free water explain together: ``arcuate evaluate commit``.

    Writes commit_weights.txt (one row per streamline, 0 where unsupported; signal per mm), tracks_weighted.trx (all streamlines, weights as
    dps/commit_weights), tracks_supported.trx (those above 0), maps of the compartments (commit_intra, _extra, _isotropic: signal at b = 0;
    …_fraction: over their sum), of the errors (commit_rmse, _nrmse) and of the segments in each voxel, and commit_trace.csv.

    Parameters
    ----------
    tractogram : path, optional
        Tractogram
    out : path
        Where the result goes; a folder
    dwi : path, optional
        Diffusion series, 4-D
    scalar_map : path, optional
        The map of model scalar-map, 3-D
    mask : path, optional
        Mask of the voxels that count; all that streamlines pass by default
    peaks : path, optional
        Directions of the extra-axonal compartments: 1 to 5 peaks a voxel, 4-D; or a folder of samples, X.bedpostX or that of a fit with
        method mcmc, for the mean orientation of each fibre. Without it there are none of these
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes that the peaks are along; the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated where the affine's
        determinant is positive). Where streamlines follow them better in others, that is an error unless this option is given
    peak_threshold : float, optional
        Leave out peaks shorter than this fraction of the longest of their voxel (0.1 by default)
    confidence : path, optional
        How much each voxel counts, 3-D, numbers of 0 or more
    orientations : str, optional
        Orientations that responses are tabulated for; a number of them, a text file of directions (scanner axes), exact (no table, but
        spherical harmonics), or auto: exact unless that takes over three times the arithmetic, else 4,096, or those of dictionary (auto by
        default)
    precision : {"single", "double"}, optional
        Precision of the arithmetic (single by default)
    predicted : bool
        Write the series that the model predicts; commit_signal.nii.gz
    compat : bool
        Also write the files of dmri-commit 2.4 into Results_<Model>
    format : {"nii.gz", "nii", "mif"}, optional
        Format of the maps, which is the ending of their names; nii.gz by default
    merge_b0 : bool
        Replace all b = 0 measurements by their mean
    no_normalise_signal : bool
        Do not divide the signal of a voxel by the mean of its b = 0 measurements
    no_normalise_kernels : bool
        Do not divide each response and the lengths of each streamline by their norm, with which the solver needs fewer iterations, and
        penalties count short and long streamlines alike; weights are per mm in any case
    demean : bool
        Subtract their mean from the signal of a voxel and from each response
    min_b0 : float, optional
        Leave out voxels whose mean b = 0 signal is not above this fraction of the mean over the mask (0 by default)
    dictionary : path, optional
        Folder that trk2dictionary.run of dmri-commit wrote: streamlines and peaks are taken from it, and the tractogram, where one is
        named, only goes into the results
    dictionary_directions : path, optional
        The directions that the numbers of the dictionary stand for: a text file, x y z along the axes of the image, one a line, as
        numpy.savetxt(FILE, amico.lut.load_directions(500)) writes it
    min_length : float, optional
        Shortest streamline, in mm; shorter ones get no weight (0 by default)
    max_length : float, optional
        Longest streamline, in mm; longer ones get no weight (inf by default)
    min_segment : float, optional
        Pieces of a streamline in a voxel no longer than this (mm) are left out (0.000001 by default)
    blur_core_extent : float, optional
        Share the contribution of a streamline among parallel copies up to this far from it (mm), all alike (0 by default)
    blur_gauss_extent : float, optional
        Width of a border around those in which copies count less and less (mm) (0 by default)
    blur_gauss_min : float, optional
        What the outermost copies count, relative to the core (0.1 by default)
    blur_spacing : float, optional
        Distance between copies (mm) (0.25 by default)
    bval : path, optional
        FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    bvec : path, optional
        FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series with ending .bvec
        (or .bvecs), or called bvecs
    gradients : path, optional
        Gradient table in one file; in place of bval and bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    b0_threshold : float, optional
        Measurements with b up to this many s/mm² count as b = 0 (50 by default)
    gradient_axes : str, optional
        Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
        first is reversed, y,x,z where two are exchanged
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    model : str, optional
        Compartments: stick-zeppelin-ball, cylinder-zeppelin-ball, gdr-cylinders (gamma-distributed radii), ball-and-stick,
        volume-fractions, scalar-map (a map in place of a series) (stick-zeppelin-ball by default)
    axial_diffusivity : float, optional
        Diffusivity along streamlines (µm²/ms), and along peaks unless said otherwise; 1.7 for sticks, 0.6 for cylinders by default
    radial_diffusivity : float, optional
        Diffusivity across streamlines (µm²/ms); 0, a stick, by default
    zeppelin_axial_diffusivity : float, optional
        Diffusivity along peaks (µm²/ms); that along streamlines by default
    radial_diffusivities : one or several of float, optional
        Diffusivities across peaks (µm²/ms), one zeppelin each; 0.51 by default (1.19,0.85,0.51,0.17 beside cylinders)
    intra_fractions : one or several of float, optional
        Instead, by tortuosity: a zeppelin with d⊥ = d∥ (1 − f) for each of these intra-axonal fractions
    isotropic_diffusivities : one or several of float, optional
        Diffusivities of the balls (µm²/ms); 0.8,3 by default (1.7,3 for ball-and-stick, 2 for cylinders)
    radii : one or several of float, optional
        Radii of the cylinders (µm); 0.01 and 20 from 0.5 to 8 by default
    gamma_radii : one or several of str, optional
        Gamma distributions of radii: shape and scale (µm) of each
    big_delta : float, optional
        Δ, from the start of one gradient pulse to that of the other (ms), where the gradient table has no timings
    small_delta : float, optional
        δ, the length of a gradient pulse (ms)
    echo_time : float, optional
        TE, the echo time (ms)
    b_step : float, optional
        Round b-values to multiples of this (s/mm²), so that those which scanners scatter become one shell (0 by default)
    regularise : {"none", "lasso", "group-sparse", "sparse-group"}, optional
        Penalty that regularises the result; on the streamlines, which leaves fewer of them (none by default); lasso: λ Σ x: few
        streamlines; group-sparse: λ Σ w ‖x_g‖: few groups (COMMIT2); sparse-group: Both
    groups : str, optional
        Groups of streamlines: a text file with the name of a group for each streamline, one a line (- for none), or names of groups of a
        .trx with commas between, or `all` of them
    group_weights : {"size", "adaptive"}, optional
        What a group's penalty is multiplied with: the root of its number of streamlines, or that over the norm of its weights without
        penalty (COMMIT2) (size by default)
    lambda_ : one or several of float, optional
        Strength of the penalty; a fraction of the smallest that leaves no streamline, from 0 up to 1. For sparse-group two, of streamlines
        and of groups
    lambda_extra : float, optional
        Strength of a penalty λ Σ x on the extra-axonal amounts, a fraction of max(Aᵀy) over them: from 0 up to 1
    lambda_isotropic : float, optional
        The same on the isotropic amounts
    absolute_lambda : bool
        Take every λ as it is, in the unit of Aᵀy, and not as a fraction
    lambda_curve : int, optional
        Fit so many penalties, from the smallest that leaves nothing down to lambda_, each from the one before, and write
        commit_lambda_curve.csv
    debias : bool
        After a fit with a penalty, fit what it left above 0 once more without it
    solver : {"barzilai-borwein", "fista"}, optional
        Algorithm of the fit; barzilai-borwein by default, and fista with a penalty or gap
    tolerance : float, optional
        Iterations end below this fraction; of the projected gradient with all amounts at 0 (0.00001 by default)
    gap : float, optional
        Iterations end instead where the objective is certain to be within this fraction of its minimum (the duality gap, which may need
        many iterations; FISTA)
    iterations : int, optional
        Iterations at most (2000 by default)
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("evaluate commit", ("tractogram",), locals())


def density(
    tractogram: PathLike,
    *,
    like: PathLike,
    out: PathLike,
    kind: Optional[Literal["counts", "lengths", "directional"]] = None,
    by_length: bool = False,
    weights: Optional[PathLike] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Map streamlines to the voxels they pass: ``arcuate density``.

    Voxels are found by the exact walk along each streamline; each streamline counts once in a voxel, however often it returns. Voxels
    without streamlines are 0.

    Parameters
    ----------
    tractogram : path
        Tractogram
    like : path
        Image whose voxels the result has
    out : path
        Where the result goes; an image
    kind : {"counts", "lengths", "directional"}, optional
        What the map shows (counts by default); counts: Streamlines through the voxel; lengths: Their mean length in mm; directional: Their
        directions without sign, three volumes: left–right, front–back, up–down, of the counts' norm
    by_length : bool
        Count each streamline with its length inside the voxel, in mm, instead of once
    weights : path, optional
        Weights, one number per streamline
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("density", ("tractogram",), locals())


def connectome(
    tractogram: PathLike,
    *,
    labels: Several[PathLike],
    out: PathLike,
    surfaces: Optional[Several[PathLike]] = None,
    reference: Optional[PathLike] = None,
    mesh_space: Optional[Literal["caret", "tkras", "freesurfer", "first", "vox"]] = None,
    weights: Optional[PathLike] = None,
    measure: Optional[Several[Word]] = None,
    label_names: Optional[PathLike] = None,
    assignment: Optional[Literal["radial", "end-voxel", "reverse", "forward", "all-voxels"]] = None,
    assignment_radius: Optional[float] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Count the streamlines between the regions of parcellations: ``arcuate connectome``.

    Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts, connectome_weights (sum of
    weights; counts where none are given), connectome_lengths (mean, mm), or what measure asks for; and the two regions of each streamline
    (0 0 where it joins none). Of several parcellations, which one pass over the tractogram serves, names of files begin with that of the
    parcellation instead of connectome; of CIFTI-2 labels each measure is written as .pconn.nii too. With out NAME.npz it writes sparse
    matrices for SciPy instead: NAME_counts.npz, NAME_weights.npz, NAME_lengths.npz, their rows in NAME_regions.tsv, and
    NAME_assignments.txt.

    Parameters
    ----------
    tractogram : path
        Tractogram
    labels : one or several of path
        Image of region numbers, 0 for none; or labels at the vertices of surfaces (.annot, .label.gii) or CIFTI-2 (.dlabel.nii). Each of
        several, parted by commas, is a parcellation of its own, but the two of lh.aparc.annot,rh.aparc.annot are one
    out : path
        Where the result goes; a folder for the matrices, or a name that ends in .npz for sparse ones
    surfaces : one or several of path, optional
        Surfaces whose vertices have the labels, one for each hemisphere
    reference : path, optional
        Image whose space the file refers to; that of surfaces in FreeSurfer's coordinates that do not say it
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        What the coordinates of a surface are, whatever its file says of them; caret: Scanner mm, as Caret and Workbench have them; tkras:
        FreeSurfer's surface coordinates of the reference (tkRAS); freesurfer: FreeSurfer's as FSL takes them: of a conformed reference;
        first: FSL's mm, as FIRST writes them; vox: Voxels of the reference, x from the right
    weights : path, optional
        Weights, one number per streamline
    measure : one or several of str, optional
        What is measured of the streamlines of each entry; count (always there), weight, length, and NAME=FILE, the mean of an image along
        them or of a text file's number for each, or sum:NAME=FILE, their sum (count,weight,length by default)
    label_names : path, optional
        Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the
        table, in the order of numbers, whether it occurs in the labels or not
    assignment : {"radial", "end-voxel", "reverse", "forward", "all-voxels"}, optional
        How a streamline finds its regions (radial by default); radial: Each end the nearest labelled voxel or vertex within
        assignment_radius; end-voxel: Each end its voxel; reverse: Each end the last region that the streamline was in, up to
        assignment_radius along it; forward: Each end the first region ahead of it, up to assignment_radius; all-voxels: All regions that a
        point of the streamline lies in; it joins any two of them
    assignment_radius : float, optional
        How far the search for a region looks, in mm; 4 by default, but to the middle of the streamline with assignment reverse
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("connectome", ("tractogram",), locals())


def parcellate(
    matrix: PathLike,
    *,
    out: PathLike,
    clusters: Optional[int] = None,
    similarity: Optional[Literal["cosine", "euclidean"]] = None,
    restarts: Optional[int] = None,
    like: Optional[PathLike] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Parcellate the rows of a connectivity matrix by what they are connected to: ``arcuate parcellate``.

    Reads a matrix of seeds by targets (.npz, FSL's .dot or _1.mtx, CIFTI-2's .dconn.nii) and gives each row the number of its largest
    column, counted from 1 (find the biggest); or with clusters that of its cluster by k-means. Rows without connections have 0. Labels are
    written where the rows are: as an image, .label.gii or .dlabel.nii with like, or as a table (.tsv).

    Parameters
    ----------
    matrix : path
        Connectivity matrix
    out : path
        Where the result goes; an image, .label.gii, .dlabel.nii or .tsv
    clusters : int, optional
        Clusters that rows are put into by k-means, instead of the largest column of each
    similarity : {"cosine", "euclidean"}, optional
        What makes rows alike (cosine by default); cosine: The angle between them, whatever the numbers of their streamlines; euclidean:
        Their distance as they are
    restarts : int, optional
        How often k-means begins anew; the best counts, 10 by default
    like : path, optional
        Image whose voxels the result has; also the surface or CIFTI-2 file whose vertices the rows are
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("parcellate", ("matrix",), locals())


def edit(
    tractograms: Several[PathLike],
    *,
    out: PathLike,
    reference: Optional[PathLike] = None,
    skip: Optional[int] = None,
    select: Optional[int] = None,
    waypoints: Optional[Several[Word]] = None,
    waypoint_condition: Optional[Literal["all", "any"]] = None,
    waypoints_in_order: bool = False,
    avoid: Optional[Several[Word]] = None,
    stop: Optional[Several[Word]] = None,
    stop_on_exit: Optional[Several[Word]] = None,
    targets: Optional[Several[Word]] = None,
    region_test: Optional[Literal["line", "points", "ends"]] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    weights: Optional[PathLike] = None,
    min_weight: Optional[float] = None,
    max_weight: Optional[float] = None,
    weights_out: Optional[PathLike] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Keep some streamlines of a tractogram, or join several: ``arcuate edit``.

    Streamlines that fit every option are kept, in their order; of several tractograms one after the other. Groups and data of .trx and .trk
    files stay with the streamlines that are kept. stop and stop_on_exit cut streamlines first: all else is asked of what is left of them.

    Parameters
    ----------
    tractograms : one or several of path
        Tractograms
    out : path
        Where the result goes; a tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    reference : path, optional
        Image whose space the file refers to; a .trk or .trx, by default that of the first input that names one
    skip : int, optional
        Leave out the first so many that fit (0 by default)
    select : int, optional
        Stop at this many streamlines; of those that fit and are not left out
    waypoints : one or several of str, optional
        Keep streamlines that pass these
    waypoint_condition : {"all", "any"}, optional
        How many of the waypoints must be passed (all by default)
    waypoints_in_order : bool
        Waypoints must be passed in the order given
    avoid : one or several of str, optional
        Reject streamlines that enter these
    stop : one or several of str, optional
        End streamlines at their first point in these
    stop_on_exit : one or several of str, optional
        End streamlines where they leave these again; those that begin inside first leave freely
    targets : one or several of str, optional
        Regions to find the connections to; says how many streamlines meet each, which in a .trx are a group of its name
    region_test : {"line", "points", "ends"}, optional
        What of a streamline meets waypoints, avoid and targets; line by default. stop and stop_on_exit are met by points, from the
        streamline's first on; line: Every voxel that its line passes; points: The voxels of its points; ends: The voxels of its two ends
    min_length : float, optional
        Shortest streamline, in mm; shorter ones are left out
    max_length : float, optional
        Longest streamline, in mm; longer ones are left out
    weights : path, optional
        Weights, one number per streamline; of all inputs
    min_weight : float, optional
        Smallest weight kept
    max_weight : float, optional
        Largest weight kept
    weights_out : path, optional
        Write the weights of the streamlines kept
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("edit", ("tractograms",), locals())


def sample(
    tractogram: PathLike,
    image: PathLike,
    *,
    out: PathLike,
    statistic: Optional[Literal["mean", "median", "min", "max"]] = None,
    nearest: bool = False,
    name: Optional[Word] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Sample the values of an image along streamlines: ``arcuate sample``.

    Writes the value at each point: as text (.txt, .csv), a line for each streamline; or into the tractogram (.trx, .trk), beside its
    points. With statistic one number for each streamline. Points outside the image have the value 0.

    Parameters
    ----------
    tractogram : path
        Tractogram
    image : path
        Image of one volume
    out : path
        Where the result goes; .txt or .csv, or .trx or .trk for the tractogram with the values
    statistic : {"mean", "median", "min", "max"}, optional
        One number for each streamline instead of one for each point; mean: Each point weighted by the length of the streamline around it
    nearest : bool
        Take what the nearest voxel has; else values between voxels are interpolated
    name : str, optional
        Name of the values in a .trx or .trk; the image's by default
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("sample", ("tractogram", "image",), locals())


def convert(
    input: PathLike,
    output: PathLike,
    *,
    reference: Optional[PathLike] = None,
    gradients: Optional[PathLike] = None,
    positions: Optional[Literal["f16", "f32", "f64"]] = None,
    folder: bool = False,
    nifti_2: bool = False,
    volumes: Optional[Word] = None,
    shells: Optional[Several[float]] = None,
    mesh_space: Optional[Literal["caret", "tkras", "freesurfer", "first", "vox"]] = None,
    structure: Optional[Word] = None,
    b_unit: Optional[Literal["s/mm2", "s/m2", "ms/um2"]] = None,
    bvec_lengths: Optional[Literal["scale", "ignore"]] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Convert images, tractograms, gradient tables, surfaces and matrices between formats: ``arcuate convert``.

    The endings decide: images .nii .nii.gz .mif .mif.gz; tractograms .tck .trk .trx .tck.gz .trk.gz; gradient tables .bvec and .bval
    (always both, whichever is named), .b (MRtrix), .scheme (Camino), .prtcl; surfaces with what is known at their vertices .gii .annot .asc
    .srf and FreeSurfer's lh.white, rh.thickness and the like; CIFTI-2 .dscalar.nii .dlabel.nii .dconn.nii .pconn.nii; connectivity matrices
    .npz (SciPy), .dot and _1.mtx (FSL), with what tells their rows and columns beside them, and .dconn.nii. A series takes its gradient
    table along: in the header of a .mif, beside a NIfTI as .bval and .bvec. What else of a header the other format cannot hold is said.

    Parameters
    ----------
    input : path
        File to read
    output : path
        File to write
    reference : path, optional
        Image whose space the file refers to; a tractogram (.trk, .trx), a gradient table in image axes or a surface. Of a matrix that
        becomes .dconn.nii a CIFTI-2 file whose vertices and voxels are its rows and columns
    gradients : path, optional
        Gradient table in one file; by default that of the series' header, or .bval and .bvec beside it
    positions : {"f16", "f32", "f64"}, optional
        How the positions of a tractogram are stored, f32 by default; f16 in .trx only
    folder : bool
        Write a .trx as a folder instead of an archive
    nifti_2 : bool
        Write NIfTI-2
    volumes : str, optional
        Keep these volumes of an image, counted from 0
    shells : one or several of float, optional
        Shells to take, by their b-values in s/mm²; 0 for b = 0
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        What the coordinates of a surface are, whatever its file says of them; caret: Scanner mm, as Caret and Workbench have them; tkras:
        FreeSurfer's surface coordinates of the reference (tkRAS); freesurfer: FreeSurfer's as FSL takes them: of a conformed reference;
        first: FSL's mm, as FIRST writes them; vox: Voxels of the reference, x from the right
    structure : str, optional
        Part of the brain that a surface is of, or that is taken out of a CIFTI-2 file, such as CORTEX_LEFT
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values; s/mm² by default (.prtcl: s/m²; .scheme: s/m² where the largest is above 100,000)
    bvec_lengths : {"scale", "ignore"}, optional
        What lengths of the table's directions other than 1 mean; to be said where shells may be hidden in them; scale: b is the number in
        the table times the squared length, as MRtrix reads it; ignore: b is the number in the table, as FSL reads it
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("convert", ("input", "output",), locals())


def info(
    files: Several[PathLike],
    *,
    json: bool = False,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Say what a file is: ``arcuate info``.

    Images (.nii .nii.gz .hdr .mif .mif.gz .mgz), tractograms (.tck .trk .trx .tck.gz .trk.gz), gradient tables, surfaces (.gii .annot .asc,
    FreeSurfer's lh.white and the like), CIFTI-2 files and connectivity matrices (.npz .dot _1.mtx). Of several files all are told, also
    where one of them cannot be read; the command fails then at its end.

    Parameters
    ----------
    files : one or several of path
        Files
    json : bool
        Write JSON; a list with an object for each file, as docs/src/reference/info.schema.json says
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("info", ("files",), locals())


def simulate_kspace(
    *,
    out: PathLike,
    object: Optional[Word] = None,
    size: Optional[Several[int]] = None,
    fov: Optional[float] = None,
    trajectory_kind: Optional[Literal["cartesian", "radial", "radial-3d", "spiral", "cones", "rosette"]] = None,
    readouts: Optional[int] = None,
    samples: Optional[int] = None,
    turns: Optional[float] = None,
    petals: Optional[float] = None,
    coils: Optional[int] = None,
    snr: Optional[float] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Simulate raw data along a trajectory, of an object whose Fourier transform is known exactly: ``arcuate simulate kspace``.

    Writes BART's arrays: ksp (1 × samples × readouts × coils), traj (3 × samples × readouts, cycles per field of view), with coils also
    sens (their sensitivities), and the object's mean in every voxel as truth.nii.gz.

    Parameters
    ----------
    out : path
        Where the result goes; a folder for the data
    object : str, optional
        Object: shepp-logan, the head of Shepp and Logan, or a text file with a line for each ellipsoid: value, middle x y z, half axes x y
        z (mm), turn about z (degrees) (shepp-logan by default)
    size : one or several of int, optional
        Voxels along each axis; of the object's image, X,Y of a slice, X,Y,Z of a volume (128,128 by default)
    fov : float, optional
        Field of view in mm (220 by default)
    trajectory_kind : {"cartesian", "radial", "radial-3d", "spiral", "cones", "rosette"}, optional
        Kind of way through k-space (radial by default); cartesian: Line by line; radial: Spokes through the middle of a plane, by the
        golden angle; radial-3d: Half spokes from the middle of space, by the golden means; spiral: Spirals from the middle, in each slice
        of a stack where there are several; cones: Spirals on cones about z; rosette: Petals through the middle
    readouts : int, optional
        Readouts: spokes, interleaves (of a slice of a stack), cones or shots; by default as many as sample k-space fully, but 16
        interleaves and 16 shots
    samples : int, optional
        Samples of each readout; by default at half of Nyquist's distance
    turns : float, optional
        Turns of a spiral, a cone at the equator, or a rosette; by default as many as sample k-space fully
    petals : float, optional
        Times that a shot of a rosette goes out and in; 17 by default
    coils : int, optional
        Receive coils: loops of wire around the object; without them one that sees everything alike
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise; largest value of the object over the noise in the image of a full Cartesian scan (0 by
        default)
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("simulate kspace", (), locals())


def simulate(
    *,
    out: PathLike,
    voxel_size: Optional[float] = None,
    snr: Optional[float] = None,
    directions: Optional[int] = None,
    b_value: Optional[float] = None,
    b0s: Optional[int] = None,
    shells: Optional[Several[Word]] = None,
    gradients: Optional[PathLike] = None,
    streamlines_per_bundle: Optional[int] = None,
    tissues: bool = False,
    meshes: bool = False,
    tract_protocols: bool = False,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Simulate a small brain whose connections are known, or raw data (simulate kspace): ``arcuate simulate``.

    Of a brain, writes the series (dwi.nii.gz, .bval, .bvec), mask, white matter, labels with names, and the truth: streamlines with a group
    per bundle, up to three peaks per voxel (scanner axes), tissue and bundle fractions; with meshes surfaces that agree with them.

    Parameters
    ----------
    out : path
        Where the result goes; a folder for the brain
    voxel_size : float, optional
        Edge of a voxel in mm (2.5 by default)
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise; of the white matter's b = 0 signal (30 by default)
    directions : int, optional
        Weighted measurements (64 by default)
    b_value : float, optional
        Their b-value in s/mm² (2000 by default)
    b0s : int, optional
        Measurements with b = 0 (6 by default)
    shells : one or several of str, optional
        Shells to take, by their b-values in s/mm²; B:N with so many directions, as 0:6,700:16,2800:50, else 64 and of 0 six. In place of
        directions, b_value and b0s
    gradients : path, optional
        Gradient table in one file; in place of directions, b_value and b0s: MRtrix's (x y z b, scanner axes)
    streamlines_per_bundle : int, optional
        Known streamlines in each bundle (200 by default)
    tissues : bool
        Tissues as real ones; fluid 3.5 times as bright as white matter, all white matter of fibres with one response, and an image that is
        brighter here than there. Writes the truth, too; truth_5tt, truth_bias, truth_fod, and responses as MRtrix has them
    meshes : bool
        Write surfaces too, into the folder surfaces; white and pial surface of each hemisphere with regions and cortex at their vertices,
        the nuclei as meshes and voxels, and vertices and voxels together in CIFTI-2
    tract_protocols : bool
        Write protocols too, into the folder protocols; for each bundle the masks by which it is followed, in a standard space, in XTRACT's
        layout for track samples protocols, and the matrix from there to the brain
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("simulate", (), locals())


def demo(
    *,
    out: PathLike,
    voxel_size: Optional[float] = None,
    snr: Optional[float] = None,
    directions: Optional[int] = None,
    b_value: Optional[float] = None,
    b0s: Optional[int] = None,
    shells: Optional[Several[Word]] = None,
    gradients: Optional[PathLike] = None,
    streamlines_per_bundle: Optional[int] = None,
    select: Optional[int] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Simulate a small brain with known connections, do the whole job on it, and compare: ``arcuate demo``.

    What `simulate` and `run tracking tensor` do, with their defaults, into OUT/brain and OUT/results; then how the result compares with the
    truth: bundles found, false connections, angular error. The report is OUT/results/report.html.

    Parameters
    ----------
    out : path
        Where the result goes; a folder for brain and results
    voxel_size : float, optional
        Edge of a voxel in mm (2.5 by default)
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise; of the white matter's b = 0 signal (30 by default)
    directions : int, optional
        Weighted measurements (64 by default)
    b_value : float, optional
        Their b-value in s/mm² (2000 by default)
    b0s : int, optional
        Measurements with b = 0 (6 by default)
    shells : one or several of str, optional
        Shells to take, by their b-values in s/mm²; B:N with so many directions, as 0:6,700:16,2800:50, else 64 and of 0 six. In place of
        directions, b_value and b0s
    gradients : path, optional
        Gradient table in one file; in place of directions, b_value and b0s: MRtrix's (x y z b, scanner axes)
    streamlines_per_bundle : int, optional
        Known streamlines in each bundle (200 by default)
    select : int, optional
        Stop at this many streamlines (20000 by default)
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("demo", (), locals())


def report(
    result: PathLike,
    *,
    out: Optional[PathLike] = None,
    anatomy: Optional[PathLike] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Make the report of a folder of results again, or of a result that is a file: ``arcuate report``.

    The folder is one that a command wrote, with its arcuate.json; a file has its record beside it, as image.nii.gz has image.nii.gz.json.
    Folders of bedpostx, FSL's own too, have one as well. The page holds everything it shows: it opens offline and asks the network for
    nothing.

    Parameters
    ----------
    result : path
        Folder of results, or a result with its record beside it
    out : path, optional
        Where the result goes; a page, by default report.html in the folder, or NAME.html beside the file
    anatomy : path, optional
        Image that the report shows maps and streamlines on, such as a T1 that lies where the scan does (in the scanner's millimetres); by
        default what the results have themselves: FA or the mean b = 0 image
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("report", ("result",), locals())


def devices(
    *,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """List the devices that can compute: ``arcuate devices``.

    Parameters
    ----------
    force : bool
        Write over results that are there already.
    log : path, optional
        Add what is done and said to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    return done("devices", (), locals())
