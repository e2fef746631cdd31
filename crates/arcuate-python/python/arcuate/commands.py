"""Every command as a function from files to files, with its options as keywords.

Generated from the definition of the command line. Do not edit.

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
    """Run the pipeline from a diffusion series to an evaluated tractogram and a report: ``arcuate run``.

    Runs these commands with their defaults: mask, fit tensor, reconstruction and tracking by tracking, evaluate, density, and connectome if
    labels is given. Writes a report of all results. dry_run prints the commands, which write the same files. A recipe sets any of their
    options.

    Parameters
    ----------
    dwi : path, optional
        Diffusion series, 4-D
    out : path, optional
        Output: folder for the results
    mask : path, optional
        Mask of the voxels to process

        [default: the brain, found in the series]
    labels : path, optional
        Image of region numbers, 0 for none

        Adds a connectome.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table
    select : int, optional
        Stop at this many streamlines

        Not for tracking geodesic. [default: 50000]
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        Field that streamlines follow

        [default: distributions for multi-shell data with at least 28 directions or one shell with at least 45 directions at b ≥ 2000 s/mm²;
        otherwise samples for at least 15 directions; otherwise tensor]; distributions: Fibre orientation distributions from constrained
        spherical deconvolution; tensor: Principal directions of diffusion tensors; geodesic: Shortest paths through diffusion tensors;
        samples: Posterior samples of two fibres per voxel
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking

        An image from `arcuate 5tt` or 5ttgen, in the space of the series. Streamlines terminate in grey matter. Streamlines that terminate
        in white matter or enter CSF are rejected.
    evaluate : {"life", "commit", "none"}, optional
        Evaluation of the streamlines

        [default: commit for distributions and samples, otherwise life]; life: Linear Fascicle Evaluation; commit: Convex Optimization
        Modeling for Microstructure Informed Tractography; none: No evaluation
    recipe : path, optional
        Recipe: TOML file with options of the stages, such as [track.tensor]
    show_recipe : bool
        Print a recipe with all options and their defaults
    dry_run : bool
        Print the commands of the run, and do nothing
    share : str, optional
        Share of the run to compute: prepare, or N/OF such as 1/8

        Needs tracking samples, and `seeds` or `per-seed` in [track.samples] of the recipe. Run share prepare once, then 1/8 to 8/8 in
        parallel, then the same command without share to merge.
    anatomy : path, optional
        Background image of maps and streamlines in the report

        For example a T1 image in the space of the scan. [default: FA and the mean b = 0 image]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "mask": mask, "labels": labels, "label_names": label_names, "select": select, "tracking": tracking, "five_tissues":
        five_tissues, "evaluate": evaluate, "recipe": recipe, "show_recipe": show_recipe, "dry_run": dry_run, "share": share, "anatomy":
        anatomy, "format": format, "bval": bval, "bvec": bvec, "gradients": gradients, "b0_threshold": b0_threshold, "gradient_axes":
        gradient_axes, "b_unit": b_unit, "bvec_lengths": bvec_lengths, "force": force, "log": log, "device": device, "device_memory":
        device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("run", (dwi,), told)


def bids_status(
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
    """Print the state of each scan: ``arcuate bids status``.

    Prints one line per scan with the time: done, running, interrupted, or failed with the reason. Can be called while scans are running.
    The exit code is 1 if a scan failed or was interrupted.

    Parameters
    ----------
    folder : path
        Root folder of the derivatives, or the work folder (work_dir)
    json : bool
        Print JSON

        One object per scan.
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "json": json, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed":
        random_seed, "progress": progress,
    }
    return done("bids status", (folder,), told)


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
    """Process the scans of a BIDS data set, and summarise the group: ``arcuate bids``.

    A BIDS App. Runs `arcuate run` on each preprocessed series (from QSIPrep, or any *_desc-preproc_dwi) and writes BIDS derivatives.
    Gradient tables and sidecars follow BIDS's inheritance. A failed scan does not stop the others. The same command again processes the
    scans that are missing or have changed. Level `group` writes a table, a stack of connectomes and a report of all scans.

    Parameters
    ----------
    root : path
        Root folder of the BIDS data set
    output : path
        Root folder of the derivatives
    level : {"participant", "group"}, optional
        Level of the analysis; participant: Process the scans of participants; group: Summarise all scans
    participant_label : one or several of str, optional
        Labels of participants, with or without sub-

        [default: all]
    session_label : one or several of str, optional
        Labels of sessions, with or without ses-

        [default: all]
    scan : one or several of str, optional
        Names of scans from `arcuate bids status`: sub-01_ses-a_run-2_space-ACPC

        [default: all scans of the chosen participants and sessions]
    bids_filter_file : path, optional
        BIDS filter file of fMRIPrep and QSIPrep

        JSON such as {"dwi": {"session": "a", "run": ["1", null]}}.
    derivatives : one or several of path, optional
        More derivatives with anatomy, atlases or tissues of the participants

        Images must be in the space of the series.
    raw : bool
        Accept series that were not preprocessed
    skip_bids_validation : bool
        Do not compare the data set with its tables and sidecars
    atlas : str, optional
        Atlas of the connectomes, by its label in file names (atlas-, seg-, desc-)

        [default: the only atlas, or FreeSurfer's aparcaseg]
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        Field that streamlines follow

        [default: distributions, samples or tensor, depending on the measured directions]; distributions: Fibre orientation distributions
        from constrained spherical deconvolution; tensor: Principal directions of diffusion tensors; geodesic: Shortest paths through
        diffusion tensors; samples: Posterior samples of two fibres per voxel
    evaluate : {"life", "commit", "none"}, optional
        Evaluation of the streamlines

        [default: commit for distributions and samples, otherwise life]; life: Linear Fascicle Evaluation; commit: Convex Optimization
        Modeling for Microstructure Informed Tractography; none: No evaluation
    select : int, optional
        Stop at this many streamlines

        Not for tracking geodesic. [default: 50000]
    recipe : path, optional
        Recipe: TOML file with options of the stages, such as [track.tensor]
    share : str, optional
        Share of the run to compute: prepare, or N/OF such as 1/8

        Needs tracking samples, and `seeds` or `per-seed` in [track.samples] of the recipe. Run share prepare once, then 1/8 to 8/8 in
        parallel, then the same command without share to merge.
    work_dir : path, optional
        Work folder, from which a cancelled command resumes

        [default: OUT/.arcuate]
    mem_mb : int, optional
        Available memory in MB; scans that need more are refused
    workflow : path, optional
        Write a Snakemake workflow with one job per scan, and process nothing
    jobs_per_gpu : int, optional
        Number of jobs that share a GPU, each with a part of device_memory

        [default: no GPU]
    shares : int, optional
        Number of jobs that track each scan together (share)

        [default: 1]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "participant_label": participant_label, "session_label": session_label, "scan": scan, "bids_filter_file": bids_filter_file,
        "derivatives": derivatives, "raw": raw, "skip_bids_validation": skip_bids_validation, "atlas": atlas, "tracking": tracking,
        "evaluate": evaluate, "select": select, "recipe": recipe, "share": share, "work_dir": work_dir, "mem_mb": mem_mb, "workflow":
        workflow, "jobs_per_gpu": jobs_per_gpu, "shares": shares, "force": force, "log": log, "device": device, "device_memory":
        device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("bids", (root, output, level,), told)


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

    Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums. Reads arrays of BART (.cfl with .hdr) or NumPy (.npy) in
    BART's dimensions: k-space is 1 × samples × readouts × coils, the trajectory 3 × samples × readouts in cycles per field of view, and
    sensitivities x × y × z × coils. Writes the magnitude, and the phase in radians as NAME_phase. If out ends in .cfl, writes the complex
    image as BART's array. Without sensitivities, coils are reconstructed separately and combined by the root of the sum of squares.

    Parameters
    ----------
    kspace : path
        Samples of k-space (.cfl or .npy)
    trajectory : path
        Trajectory: coordinates of the samples (.cfl or .npy)
    out : path
        Output: image (.nii.gz, .nii, .mif or .cfl)
    sensitivities : path, optional
        Coil sensitivities (.cfl or .npy)
    method : {"cg", "adjoint", "gridding"}, optional
        Method

        `cg` solves for the image. `adjoint` computes Fᴴd only. `gridding` interpolates to a grid, for comparison. (cg by default)
    regularise : str, optional
        Penalty that regularises the result

        `tikhonov` penalises the size of the image. `differences` penalises differences of neighbours. `anatomy=IMAGE` penalises differences
        of neighbours that have no edge between them in IMAGE. IMAGE is resampled by world coordinates if its grid differs. (tikhonov by
        default)
    lambda_ : str, optional
        Strength of the penalty

        The unit is such that FᴴF is 1 for a fully sampled Cartesian scan, whatever the scale of the sensitivities. `auto` chooses it by the
        noise if sigma is given, otherwise by the L-curve. (1e-3 by default)
    sigma : float, optional
        Standard deviation of the noise

        Noise in the real and the imaginary part of a sample. Iterations stop when the data are explained to this level.
    edge : float, optional
        Smallest difference of the anatomical image that counts as an edge

        [default: three times the median difference]
    density : str, optional
        Density weights of gridding: pipe-menon, voronoi, none, or a file

        A file has one number per sample. (pipe-menon by default)
    interpolation : {"kaiser-bessel", "trilinear"}, optional
        Interpolation of gridding (kaiser-bessel by default); kaiser-bessel: Window of four points; trilinear: Linear along each axis
    oversampling : float, optional
        Oversampling of gridding: grid points per voxel along an axis (2 by default)
    iterations : int, optional
        Largest number of iterations (30 by default)
    tolerance : float, optional
        Relative tolerance at which iterations stop

        Relative to the first residual. (0.0001 by default)
    size : one or several of int, optional
        Number of voxels along each axis

        For example 256,256 or 128,128,64. [default: as like, as sensitivities, or twice the largest wave number of the trajectory]
    fov : one or several of float, optional
        Field of view in mm

        One length, or three. A slice is as thick as its voxels are wide. Sets the voxel size, and the scale of trajectories in 1/m.
    like : path, optional
        Image whose voxel grid the output has
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
        Unit of the trajectory

        [default: cycles per field of view; an error if the range suggests another unit]; fov: Cycles per field of view, −n/2 to n/2; voxel:
        Cycles per voxel, −½ to ½; radian: Radians per voxel, −π to π; per-metre: 1/m
    sample_weights : path, optional
        Complex weights by which the samples were multiplied
    save_q : path, optional
        Write Q, the transform of the trajectory's FᴴF, for later scans
    q : path, optional
        Read Q, written by save_q
    truth : path, optional
        Image of the truth; the result is compared with it
    complex : bool
        Write one complex image instead of magnitude and phase
    precision : {"single", "double"}, optional
        Arithmetic precision (single by default)
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "trajectory": trajectory, "out": out, "sensitivities": sensitivities, "method": method, "regularise": regularise, "lambda_":
        lambda_, "sigma": sigma, "edge": edge, "density": density, "interpolation": interpolation, "oversampling": oversampling,
        "iterations": iterations, "tolerance": tolerance, "size": size, "fov": fov, "like": like, "trajectory_unit": trajectory_unit,
        "sample_weights": sample_weights, "save_q": save_q, "q": q, "truth": truth, "complex": complex, "precision": precision, "force":
        force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress":
        progress,
    }
    return done("recon", (kspace,), told)


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

    Applies a median filter and Otsu's threshold to the mean b = 0 and the mean weighted image, keeps the largest component and fills its
    holes.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Output: image, 1 in the brain and 0 outside
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "bval": bval, "bvec": bvec, "gradients": gradients, "b0_threshold": b0_threshold, "gradient_axes": gradient_axes,
        "b_unit": b_unit, "bvec_lengths": bvec_lengths, "force": force, "log": log, "device": device, "device_memory": device_memory,
        "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("mask", (dwi,), told)


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
    """Make a five-tissue-type (5TT) image for anatomically-constrained tractography: ``arcuate 5tt``.

    Converts a FreeSurfer segmentation, or maps of tissues with values from 0 to 1. Volumes are the fractions of cortical grey matter,
    sub-cortical grey matter, white matter, CSF and pathological tissue, as in MRtrix. They sum to 1 in the brain. Maps are divided by their
    sum if it is at least 0.5; otherwise the fractions are 0.

    Parameters
    ----------
    segmentation : path, optional
        Segmentation, such as aparc+aseg.mgz; needs lut
    out : path
        Output: image of five volumes
    lut : {"FreeSurfer"}, optional
        Label table of the segmentation; FreeSurfer: FreeSurfer's labels of aseg, aparc+aseg, aparc.a2009s+aseg and wmparc
    grey_matter : path, optional
        Map of grey matter, 0 to 1; replaces a segmentation
    white_matter : path, optional
        Map of white matter, 0 to 1
    csf : path, optional
        Map of CSF, 0 to 1
    subcortical : path, optional
        Map of sub-cortical grey matter, 0 to 1; subtracted from grey matter
    pathological : path, optional
        Map of pathological tissue, 0 to 1
    interface : path, optional
        Write the interface of grey and white matter, 0 to 1, for seeds
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "lut": lut, "grey_matter": grey_matter, "white_matter": white_matter, "csf": csf, "subcortical": subcortical,
        "pathological": pathological, "interface": interface, "force": force, "log": log, "device": device, "device_memory": device_memory,
        "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("5tt", (segmentation,), told)


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
    """Estimate response functions for spherical deconvolution: ``arcuate response``.

    Writes response_wm.txt, for several tissues also response_gm.txt and response_csf.txt (MRtrix's text format: one row per shell, columns
    for degrees 0, 2, 4, …), and response_voxels.nii.gz, the voxels used.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Output: folder for the responses
    mask : path, optional
        Mask of the voxels to process

        [default: the brain, found in the series]
    method : {"single-fibre", "tissues"}, optional
        Method

        [default: tissues for several weighted shells, otherwise single-fibre]; single-fibre: White matter with one fibre, shell with the
        largest b, as dwi2response tournier; tissues: White matter, grey matter and CSF, all shells, as dwi2response dhollander
    voxels : int, optional
        Number of voxels of the single-fibre response

        [default: 300]
    order : int, optional
        Largest degree of the spherical harmonics, an even number

        [default: 10]
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "mask": mask, "method": method, "voxels": voxels, "order": order, "bval": bval, "bvec": bvec, "gradients": gradients,
        "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit, "bvec_lengths": bvec_lengths, "force": force, "log":
        log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("response", (dwi,), told)


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
    """Fit the diffusion tensor by weighted linear least squares and write its maps: ``arcuate fit tensor``.

    Writes tensor.nii.gz (D11 D22 D33 D12 D13 D23, mm²/s, scanner axes), s0, residual (root mean square, signal units), fa, md, ad, rd
    (mm²/s), eigenvalues, eigenvectors (three unit vectors, scanner axes), principal_direction (the first eigenvector) and colour_fa (red
    left–right, green front–back, blue up–down).

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Output: folder for the maps
    mask : path, optional
        Mask of the voxels to process

        [default: the brain, found in the series]
    max_b : float, optional
        Largest b-value to fit, in s/mm²

        [default: 1500, if that leaves at least 12 axes]
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm²

        b = 0 is always used. [default: up to max_b]
    reweightings : int, optional
        Number of reweightings after the first fit (2 by default)
    names : {"arcuate", "fsl"}, optional
        Naming scheme of the maps (arcuate by default); arcuate: fa, md and so on, directions in scanner axes; fsl: dti_FA, dti_V1 and so
        on, as FSL's dtifit, directions in the axes of bvec files
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "mask": mask, "max_b": max_b, "shells": shells, "reweightings": reweightings, "names": names, "format": format, "bval":
        bval, "bvec": bvec, "gradients": gradients, "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit,
        "bvec_lengths": bvec_lengths, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads,
        "random_seed": random_seed, "progress": progress,
    }
    return done("fit tensor", (dwi,), told)


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
    """Estimate fibre orientation distributions by constrained spherical deconvolution: ``arcuate fit csd``.

    One response deconvolves the shell with the largest b with a soft constraint. Responses of several tissues deconvolve all shells with a
    hard constraint. Writes wm_fod.nii.gz (spherical harmonics in MRtrix's basis and order), peaks.nii.gz (up to three, scanner axes, as
    long as their amplitudes) and peak_amplitude.nii.gz. Several tissues add gm.nii.gz, csf.nii.gz and vf.nii.gz with all three.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    responses : one or several of path
        Responses: a folder from `arcuate response`, or files with commas

        Files are those of white matter, grey matter and CSF. If the series has one weighted shell, the first and the last are used.
    out : path
        Output: folder for the maps
    mask : path, optional
        Mask of the voxels to process

        [default: the brain, found in the series]
    order : int, optional
        Largest degree of the spherical harmonics, an even number

        [default: that of the response, at most 8]
    normalise : bool
        Normalise the tissues across the brain, and write field.nii.gz
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "responses": responses, "out": out, "mask": mask, "order": order, "normalise": normalise, "format": format, "bval": bval, "bvec":
        bvec, "gradients": gradients, "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit, "bvec_lengths":
        bvec_lengths, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed":
        random_seed, "progress": progress,
    }
    return done("fit csd", (dwi,), told)


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

    `fit tensor` fits the diffusion tensor by linear least squares. `fit csd` estimates fibre orientation distributions. Any other MODEL is
    a name that `arcuate fit list` prints, or a file in the model language. It is fitted by a search, then by Levenberg–Marquardt within
    bounds. Writes one map per parameter (orientations as three volumes, scanner axes), maps derived from them, the residual (root mean
    square, signal units) and the status of each voxel: 0 outside the mask, 1 converged, 2 converged at a bound, 3 evaluations exhausted, 4
    no signal, 5 too few measurements, 6 the model has no signal, 7 no proposal accepted, 8 sampled. Several models get one folder each.

    Parameters
    ----------
    models : str
        Models: names from `arcuate fit list`, or files, separated by commas
    dwi : path
        Diffusion series, 4-D
    out : path
        Output: folder for the maps
    mask : path, optional
        Mask of the voxels to process

        [default: the brain, found in the series]
    max_b : float, optional
        Largest b-value to fit, in s/mm²

        [default: all]
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm²

        b = 0 is always used. [default: all]
    fix : one or several of str, optional
        Fix a parameter at a value in its unit, an image, or its start value
    start : one or several of str, optional
        Start a parameter at a value in its unit, or an image
    free : one or several of str, optional
        Fit a parameter that the model fixes
    column : one or several of str, optional
        Values per measurement that the model needs: a text file
    map : one or several of str, optional
        Values per voxel that the model needs: an image
    gradient_deviations : path, optional
        Gradient deviations per voxel: nine volumes, as FSL's and HCP's grad_dev
    method : {"lm", "grid", "mcmc"}, optional
        Method (lm by default); lm: Best fit: search, then Levenberg–Marquardt; grid: Search only: the best combination of grid values;
        mcmc: Posterior samples by Markov chains (Metropolis within Gibbs)
    compare : {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Compare the models in each voxel by this criterion; aic: Akaike information criterion of the best fit; aicc: Akaike information
        criterion, corrected for few measurements; bic: Bayesian information criterion of the best fit; bic-maximum: Bayesian information
        criterion of the sample with the least sum of squares; dic: Deviance information criterion of the samples; waic: Widely applicable
        information criterion of the samples
    criteria : one or several of {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Write these information criteria of each model

        bic-maximum, dic and waic need method mcmc.; aic: Akaike information criterion of the best fit; aicc: Akaike information criterion,
        corrected for few measurements; bic: Bayesian information criterion of the best fit; bic-maximum: Bayesian information criterion of
        the sample with the least sum of squares; dic: Deviance information criterion of the samples; waic: Widely applicable information
        criterion of the samples
    predicted : bool
        Write the predicted series

        Writes predicted.nii.gz and residuals.nii.gz.
    names : {"arcuate", "mdt", "amico", "bids"}, optional
        Naming scheme of the maps (arcuate by default); arcuate: Names of the model; mdt: Names of the NODDI toolbox for MATLAB: ficvf,
        fiso, odi; amico: Names of AMICO: fit_NDI, fit_FWF, fit_ODI; bids: Names of BIDS: …_model-noddi_param-icvf_dwimap
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    standard_errors : bool
        Write standard errors (Cramér–Rao bound) as NAME_error
    bounds : {"projection", "transform"}, optional
        How parameters are kept within their bounds

        `projection` stops steps at a bound. `transform` transforms parameters so that they only approach a bound. (projection by default)
    evaluations : int, optional
        Largest number of evaluations per voxel in each Levenberg–Marquardt stage (200 by default)
    precision : {"single", "double"}, optional
        Arithmetic precision (single by default)
    burn_in : int, optional
        Number of sweeps before the first sample

        [default: 1000]
    jumps : int, optional
        Number of sweeps after the burn-in

        [default: 1250]
    interval : int, optional
        Number of sweeps per sample

        [default: 25]
    adapt_every : int, optional
        Number of burn-in sweeps after which proposal widths adapt

        [default: 40]
    chains : int, optional
        Number of chains per voxel; two or more give R̂

        [default: 1]
    noise : {"gaussian", "rician"}, optional
        Distribution of the noise

        [default: gaussian]; rician: Noise of magnitude images
    sigma : str, optional
        Standard deviation of the noise

        `integrated` out of the posterior, `sampled`, or a number in units of the signal. [default: integrated; sampled for Rician noise]
    sigma_prior : str, optional
        Prior of the sampled standard deviation, in units of the signal

        [default: log_uniform]
    prior : one or several of str, optional
        Prior of a parameter, in its unit

        uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least), log_uniform or energy(formula).
    quantiles : one or several of float, optional
        Write these quantiles of the samples, such as 0.025,0.5,0.975

        Writes NAME_quantiles, one volume per quantile.
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Start of the chains

        [default: fit]; fit: At the best fit; search: At the best result of the model's searches; model: At the start values of the model;
        dispersed: Anywhere within bounds, different for each chain
    save_state : bool
        Write the state of the chains (state.nii.gz, state.json) to resume them
    resume : path, optional
        Resume an interrupted run of the same data and options

        Chains resume from their state.nii.gz with state.json. The mask may be smaller. Jumps, interval, device and threads may differ.
    trace_voxel : one or several of str, optional
        Plot the samples of this voxel; its indices, counted from 0

        At most 8 times. [default: the example voxel of the report]
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "mask": mask, "max_b": max_b, "shells": shells, "fix": fix, "start": start, "free": free, "column": column, "map": map,
        "gradient_deviations": gradient_deviations, "method": method, "compare": compare, "criteria": criteria, "predicted": predicted,
        "names": names, "format": format, "standard_errors": standard_errors, "bounds": bounds, "evaluations": evaluations, "precision":
        precision, "burn_in": burn_in, "jumps": jumps, "interval": interval, "adapt_every": adapt_every, "chains": chains, "noise": noise,
        "sigma": sigma, "sigma_prior": sigma_prior, "prior": prior, "quantiles": quantiles, "begin_at": begin_at, "save_state": save_state,
        "resume": resume, "trace_voxel": trace_voxel, "bval": bval, "bvec": bvec, "gradients": gradients, "b0_threshold": b0_threshold,
        "gradient_axes": gradient_axes, "b_unit": b_unit, "bvec_lengths": bvec_lengths, "force": force, "log": log, "device": device,
        "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("fit", (models, dwi,), told)


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
    """List the signal models, or print one as a file: ``arcuate fit --list``.

    Parameters
    ----------
    models : str, optional
        Models: names from `arcuate fit list`, or files, separated by commas
    graph : bool
        Print the compiled formula of each MODEL, in µm, ms and T; with list
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "graph": graph, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed":
        random_seed, "progress": progress,
    }
    return done("fit --list", (models,), told)


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
    """Compute maps of a tensor image: ``arcuate maps``.

    Writes fa, md, ad, rd (mm²/s), eigenvalues, eigenvectors (three unit vectors, scanner axes), principal_direction (the first
    eigenvector), colour_fa (red left–right, green front–back, blue up–down), linearity, planarity, sphericity (Westin's measures, which sum
    to 1) and mode (−1 for a disc to 1 for a stick).

    Parameters
    ----------
    tensor : path
        Tensor image of six volumes, in mm²/s
    out : path
        Output: folder for the maps
    mask : path, optional
        Mask of the voxels to process

        [default: all]
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the six volumes of the tensor image

        [default: that of the header, otherwise arcuate]; arcuate: D11 D22 D33 D12 D13 D23, scanner axes; mrtrix: The same order, from
        dwi2tensor; fsl: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit save_tensor; dipy: Dxx Dxy Dyy Dxz Dyz Dzz, axes of the
        bvec file, from dipy_fit_dti; ants: Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs; lower-triangle: Dxx Dxy Dyy Dxz Dyz Dzz, scanner
        axes
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "mask": mask, "tensor_order": tensor_order, "format": format, "force": force, "log": log, "device": device,
        "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("maps", (tensor,), told)


def track_tensor(
    tensor: PathLike,
    *,
    out: PathLike,
    tensor_order: Optional[Literal["arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"]] = None,
    part: Optional[Word] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_cifti: Optional[PathLike] = None,
    white: Optional[Several[PathLike]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seed_grid: Optional[int] = None,
    seed_weights: Optional[PathLike] = None,
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
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
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
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    method: Optional[Literal["fact", "tensor", "deflection"]] = None,
    integrator: Optional[Literal["euler", "runge-kutta"]] = None,
    curvature_radius: Optional[float] = None,
    mask: Optional[PathLike] = None,
    one_way: bool = False,
    deflection_f: Optional[float] = None,
    deflection_g: Optional[float] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Deterministic tracking through diffusion tensors: ``arcuate track tensor``.

    The same random seed gives the same streamlines at any number of threads.

    Parameters
    ----------
    tensor : path
        Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    out : path
        Output: folder, or a file if one product is written: streamlines .tck .trk .trx, visits .nii.gz, labels .npz
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the six volumes of the tensor image; by default the header's, or arcuate; arcuate: D11 D22 D33 D12 D13 D23,
        scanner axes; mrtrix: The same order, from dwi2tensor; fsl: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit save_tensor;
        dipy: Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file, from dipy_fit_dti; ants: Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs;
        lower-triangle: Dxx Dxy Dyy Dxz Dyz Dzz, scanner axes
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. Not with select
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; [default: all voxels of mask with at least seed_cutoff]
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
        Streamlines of each seed; [default: 1 of each point, vertex and element]
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seed_weights : path, optional
        Image that seeds are drawn in proportion to
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
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
        Target regions; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz; at vertices
        .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    step : float, optional
        Step length, in mm; [default: half a voxel, with integrator euler 0.1 voxel]
    angle : float, optional
        Largest turn between two steps, in degrees (45 by default)
    cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction that is followed (0.2 by default)
    seed_cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction at a seed; [default: same as cutoff]
    min_length : float, optional
        Shortest streamline, in mm (20 by default)
    max_length : float, optional
        Longest streamline, in mm (250 by default)
    at_max_length : {"stop", "discard"}, optional
        What happens to a streamline that reaches max_length (stop by default); stop: It stops and is kept; discard: It is rejected
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        What is written; [default: streamlines, nothing else with labels or matrix]; streamlines: The accepted streamlines: streamlines.trx;
        visits: How many streamlines pass each voxel: visits.nii.gz, and as a share of all visits_normalised.nii.gz; lengths: Mean length of
        the path from the seed: lengths.nii.gz, and times the visits visits_by_length.nii.gz; target-counts: How many streamlines of each
        seed pass each of targets: seeds_to_NAME
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz; [default: 0.005, of a tract by protocols: 0.001]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
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
        Measures of each matrix entry; count (always there), length (mean of their ways from the seed, of pairs from one to the other, in
        mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Resume an interrupted run of the same data and options; interrupted ones by what they save in the folder about every minute, where
        they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the table,
        in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions (radial by default); radial: The nearest labelled voxel within assignment_radius;
        end-voxel: The voxel of the end point
    assignment_radius : float, optional
        Search radius for a region, in mm; 4 by default
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of
        masks: they end in grey matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    method : {"fact", "tensor", "deflection"}, optional
        Method; how a streamline finds its direction (tensor by default); fact: Straight through each voxel along its principal direction;
        tensor: Principal direction of the interpolated tensor; deflection: The interpolated tensor deflects the streamline (TEND)
    integrator : {"euler", "runge-kutta"}, optional
        How a streamline moves along; runge-kutta by default, and nothing for fact
    curvature_radius : float, optional
        Smallest radius of curvature, in mm, in place of angle
    mask : path, optional
        Mask of the voxels to process; streamlines end outside
    one_way : bool
        Follow directions from a seed one way; which of the two is drawn at random
    deflection_f : float, optional
        Weight of the principal direction in deflection; 0 by default
    deflection_g : float, optional
        Weight of the deflected direction within the rest; 1 by default
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "tensor_order": tensor_order, "part": part, "seed_mask": seed_mask, "seed_points": seed_points, "seed_surfaces":
        seed_surfaces, "seed_cifti": seed_cifti, "white": white, "seed_depth": seed_depth, "per_seed": per_seed, "seed_grid": seed_grid,
        "seed_weights": seed_weights, "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius,
        "waypoints": waypoints, "waypoint_condition": waypoint_condition, "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop":
        stop, "stop_on_exit": stop_on_exit, "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "targets": targets,
        "masks_to_dwi": masks_to_dwi, "dwi_to_masks": dwi_to_masks, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff":
        seed_cutoff, "min_length": min_length, "max_length": max_length, "at_max_length": at_max_length, "products": products, "threshold":
        threshold, "format": format, "matrix": matrix, "target_columns": target_columns, "seed_list": seed_list, "measure": measure,
        "matrix_format": matrix_format, "resume": resume, "labels": labels, "label_names": label_names, "assignment": assignment,
        "assignment_radius": assignment_radius, "five_tissues": five_tissues, "no_cropping": no_cropping, "seed_interface": seed_interface,
        "method": method, "integrator": integrator, "curvature_radius": curvature_radius, "mask": mask, "one_way": one_way, "deflection_f":
        deflection_f, "deflection_g": deflection_g, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads":
        threads, "random_seed": random_seed, "progress": progress,
    }
    return done("track tensor", (tensor,), told)


def track_fod(
    fod: PathLike,
    *,
    out: PathLike,
    part: Optional[Word] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_cifti: Optional[PathLike] = None,
    white: Optional[Several[PathLike]] = None,
    seed_depth: Optional[float] = None,
    per_seed: Optional[int] = None,
    seed_grid: Optional[int] = None,
    seed_weights: Optional[PathLike] = None,
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
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
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
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
    seed_interface: bool = False,
    back_tracking: bool = False,
    method: Optional[Literal["arcs", "steps", "peaks"]] = None,
    mask: Optional[PathLike] = None,
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
    matter. The same random seed gives the same streamlines at any number of threads and on any device.

    Parameters
    ----------
    fod : path
        Image of the distributions, of white matter; 6, 15, 28 or 45 volumes
    out : path
        Output: folder, or a file if one product is written: streamlines .tck .trk .trx, visits .nii.gz, labels .npz
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. Not with select
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; [default: all voxels of mask with at least seed_cutoff]
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
        Streamlines of each seed; [default: 1 of each point, vertex and element]
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seed_weights : path, optional
        Image that seeds are drawn in proportion to
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
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
        Target regions; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz; at vertices
        .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    step : float, optional
        Step length, in mm; [default: half a voxel, with method steps or peaks 0.1 voxel]
    angle : float, optional
        Largest turn between two steps, in degrees; [default: 45, with method steps 15, peaks 60]
    cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction that is followed (0.1 by default)
    seed_cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction at a seed; [default: same as cutoff]
    min_length : float, optional
        Shortest streamline, in mm (20 by default)
    max_length : float, optional
        Longest streamline, in mm (250 by default)
    at_max_length : {"stop", "discard"}, optional
        What happens to a streamline that reaches max_length (stop by default); stop: It stops and is kept; discard: It is rejected
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        What is written; [default: streamlines, nothing else with labels or matrix]; streamlines: The accepted streamlines: streamlines.trx;
        visits: How many streamlines pass each voxel: visits.nii.gz, and as a share of all visits_normalised.nii.gz; lengths: Mean length of
        the path from the seed: lengths.nii.gz, and times the visits visits_by_length.nii.gz; target-counts: How many streamlines of each
        seed pass each of targets: seeds_to_NAME
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz; [default: 0.005, of a tract by protocols: 0.001]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
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
        Measures of each matrix entry; count (always there), length (mean of their ways from the seed, of pairs from one to the other, in
        mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Resume an interrupted run of the same data and options; interrupted ones by what they save in the folder about every minute, where
        they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the table,
        in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions (radial by default); radial: The nearest labelled voxel within assignment_radius;
        end-voxel: The voxel of the end point
    assignment_radius : float, optional
        Search radius for a region, in mm; 4 by default
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of
        masks: they end in grey matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    method : {"arcs", "steps", "peaks"}, optional
        Method; how a streamline finds its direction (arcs by default); arcs: Arcs, each drawn by the amplitudes along it: of second order,
        as iFOD2; steps: Straight steps drawn by their amplitudes: of first order, as iFOD1; peaks: Straight steps along the nearest peak,
        without chance, as SD_STREAM
    mask : path, optional
        Mask of the voxels to process; streamlines end outside
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "part": part, "seed_mask": seed_mask, "seed_points": seed_points, "seed_surfaces": seed_surfaces, "seed_cifti":
        seed_cifti, "white": white, "seed_depth": seed_depth, "per_seed": per_seed, "seed_grid": seed_grid, "seed_weights": seed_weights,
        "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius, "waypoints": waypoints,
        "waypoint_condition": waypoint_condition, "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop": stop, "stop_on_exit":
        stop_on_exit, "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "targets": targets, "masks_to_dwi": masks_to_dwi,
        "dwi_to_masks": dwi_to_masks, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length": min_length,
        "max_length": max_length, "at_max_length": at_max_length, "products": products, "threshold": threshold, "format": format, "matrix":
        matrix, "target_columns": target_columns, "seed_list": seed_list, "measure": measure, "matrix_format": matrix_format, "resume":
        resume, "labels": labels, "label_names": label_names, "assignment": assignment, "assignment_radius": assignment_radius,
        "five_tissues": five_tissues, "no_cropping": no_cropping, "seed_interface": seed_interface, "back_tracking": back_tracking,
        "method": method, "mask": mask, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads,
        "random_seed": random_seed, "progress": progress,
    }
    return done("track fod", (fod,), told)


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
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    max_length: Optional[float] = None,
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
    per_seed: Optional[int] = None,
    cone: Optional[float] = None,
    one_way: bool = False,
    mask: Optional[PathLike] = None,
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
        Output: folder
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the six volumes of the tensor image; by default the header's, or arcuate; arcuate: D11 D22 D33 D12 D13 D23,
        scanner axes; mrtrix: The same order, from dwi2tensor; fsl: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit save_tensor;
        dipy: Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file, from dipy_fit_dti; ants: Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs;
        lower-triangle: Dxx Dxy Dyy Dxz Dyz Dzz, scanner axes
    targets : one or several of path, optional
        Target regions; masks that do not overlap, with commas or the option again: rays that reach one are kept, cut there, and a region
        has the name of its file
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
    step : float, optional
        Step length, in mm; [default: 0.1 of the shortest edge of a voxel, with integrator adaptive at most half of it]
    angle : float, optional
        Largest turn between two steps, in degrees; [default: any]
    cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction that is followed (0 by default)
    max_length : float, optional
        Longest streamline, in mm (250 by default)
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
    precision : {"single", "double"}, optional
        Arithmetic precision (single by default)
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
        Mask of the voxels to process; rays end outside
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
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "tensor_order": tensor_order, "targets": targets, "all": all, "best": best, "min_connectivity": min_connectivity,
        "one_per_voxel": one_per_voxel, "seed_mask": seed_mask, "seed_points": seed_points, "seed_grid": seed_grid, "seeds": seeds, "step":
        step, "angle": angle, "cutoff": cutoff, "max_length": max_length, "field": field, "metric": metric, "gain": gain, "sharpen":
        sharpen, "sharpen_fa": sharpen_fa, "sharpen_side": sharpen_side, "integrator": integrator, "step_tolerance": step_tolerance,
        "precision": precision, "initial_directions": initial_directions, "per_seed": per_seed, "cone": cone, "one_way": one_way, "mask":
        mask, "max_steps": max_steps, "allow_loops": allow_loops, "waypoints": waypoints, "waypoint_condition": waypoint_condition,
        "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop": stop, "stop_on_exit": stop_on_exit, "waypoints_one_way":
        waypoints_one_way, "judged_by": judged_by, "masks_to_dwi": masks_to_dwi, "dwi_to_masks": dwi_to_masks, "force": force, "log": log,
        "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("track geodesic", (tensor,), told)


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
    seed_grid: Optional[int] = None,
    seed_weights: Optional[PathLike] = None,
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
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
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
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
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
    MODEL method mcmc` does. products chooses what is written; it changes no streamline, and neither does the name of out. Maps lie on the
    grid of the seeds' mask. preset probtrackx takes the numbers of FSL's program. The same seed gives the same streamlines at any number of
    threads.

    Parameters
    ----------
    samples : path
        Folder of samples: X.bedpostX, or that of a fit with method mcmc
    out : path
        Output: folder, or a file if one product is written: streamlines .tck .trk .trx, visits .nii.gz, labels .npz
    fibres : one or several of str, optional
        In the folder of a fit: the orientation and the fraction of each fibre, NAME=FRACTION, with commas between fibres. n=f, or
        n1=f1,n2=f2, … by default
    mask : path, optional
        Mask of the voxels to process; streamlines end outside; by default nodif_brain_mask of bedpostX, or where the fit has samples
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. Not with select
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; [default: all voxels of mask with at least seed_cutoff]
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
        Streamlines of each seed; [default: 1 of each point, vertex and element]
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seed_weights : path, optional
        Image that seeds are drawn in proportion to
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
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
        Target regions; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz; at vertices
        .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest turn between two steps, in degrees; [default: 45]
    cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction that is followed; [default: 0.05]
    seed_cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction at a seed; [default: 0.2, with chosen seeds any]
    min_length : float, optional
        Shortest streamline, in mm; [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Longest streamline, in mm; [default: 250]
    at_max_length : {"stop", "discard"}, optional
        What happens to a streamline that reaches max_length (stop by default); stop: It stops and is kept; discard: It is rejected
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        What is written; [default: streamlines, nothing else with labels or matrix]; streamlines: The accepted streamlines: streamlines.trx;
        visits: How many streamlines pass each voxel: visits.nii.gz, and as a share of all visits_normalised.nii.gz; lengths: Mean length of
        the path from the seed: lengths.nii.gz, and times the visits visits_by_length.nii.gz; target-counts: How many streamlines of each
        seed pass each of targets: seeds_to_NAME
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz; [default: 0.005, of a tract by protocols: 0.001]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
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
        Measures of each matrix entry; count (always there), length (mean of their ways from the seed, of pairs from one to the other, in
        mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Resume an interrupted run of the same data and options; interrupted ones by what they save in the folder about every minute, where
        they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the table,
        in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions (radial by default); radial: The nearest labelled voxel within assignment_radius;
        end-voxel: The voxel of the end point
    assignment_radius : float, optional
        Search radius for a region, in mm; 4 by default
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of
        masks: they end in grey matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    integrator : {"euler", "modified-euler"}, optional
        How a streamline moves along (euler by default); euler: One orientation a step; modified-euler: The mean of two, at both ends of a
        step
    initial_fibre : str, optional
        Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their fractions) or
        random-of-all; 1 by default, random by protocols
    fraction_stops : bool
        Go on from each point with the sampled fibre's fraction as the probability
    loop_check : bool
        End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    nearest : bool
        Use the nearest voxel, without interpolation; else one of the voxels around is drawn
    max_steps : int, optional
        Most steps of a streamline; half of them to each side (2000 by default)
    min_half_length : float, optional
        Shortest half of a streamline kept, in mm of its steps (0 by default)
    preset : {"probtrackx"}, optional
        Take all numbers of another program that no other option gives; probtrackx: FSL's probtrackx2: steps of 0.5 mm, turns up to 78.463°,
        no minimum length, 5000 streamlines of each seed, products visits
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
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "fibres": fibres, "mask": mask, "part": part, "seed_mask": seed_mask, "seed_points": seed_points, "seed_surfaces":
        seed_surfaces, "seed_cifti": seed_cifti, "white": white, "seed_depth": seed_depth, "per_seed": per_seed, "seed_grid": seed_grid,
        "seed_weights": seed_weights, "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius,
        "waypoints": waypoints, "waypoint_condition": waypoint_condition, "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop":
        stop, "stop_on_exit": stop_on_exit, "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "targets": targets,
        "masks_to_dwi": masks_to_dwi, "dwi_to_masks": dwi_to_masks, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff":
        seed_cutoff, "min_length": min_length, "max_length": max_length, "at_max_length": at_max_length, "products": products, "threshold":
        threshold, "format": format, "matrix": matrix, "target_columns": target_columns, "seed_list": seed_list, "measure": measure,
        "matrix_format": matrix_format, "resume": resume, "labels": labels, "label_names": label_names, "assignment": assignment,
        "assignment_radius": assignment_radius, "five_tissues": five_tissues, "no_cropping": no_cropping, "seed_interface": seed_interface,
        "back_tracking": back_tracking, "integrator": integrator, "initial_fibre": initial_fibre, "fraction_stops": fraction_stops,
        "loop_check": loop_check, "nearest": nearest, "max_steps": max_steps, "min_half_length": min_half_length, "preset": preset,
        "protocols": protocols, "tracts": tracts, "tract_maps": tract_maps, "blueprint": blueprint, "force": force, "log": log, "device":
        device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("track samples", (samples,), told)


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
    seed_grid: Optional[int] = None,
    seed_weights: Optional[PathLike] = None,
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
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
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
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
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
    and follow the peak nearest to their direction. Options and results are those of `arcuate track samples`.

    Parameters
    ----------
    peaks : path
        Image of peaks: x y z of each, three volumes a peak
    out : path
        Output: folder, or a file if one product is written: streamlines .tck .trk .trx, visits .nii.gz, labels .npz
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the peaks; the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated where the affine's determinant
        is positive)
    min_peak : float, optional
        Peaks shorter than this are none (0 by default)
    mask : path, optional
        Mask of the voxels to process; streamlines end outside; by default all that have a peak
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. Not with select
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; [default: all voxels of mask with at least seed_cutoff]
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
        Streamlines of each seed; [default: 1 of each point, vertex and element]
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seed_weights : path, optional
        Image that seeds are drawn in proportion to
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
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
        Target regions; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz; at vertices
        .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest turn between two steps, in degrees; [default: 45]
    cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction that is followed; [default: 0.05]
    min_length : float, optional
        Shortest streamline, in mm; [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Longest streamline, in mm; [default: 250]
    at_max_length : {"stop", "discard"}, optional
        What happens to a streamline that reaches max_length (stop by default); stop: It stops and is kept; discard: It is rejected
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        What is written; [default: streamlines, nothing else with labels or matrix]; streamlines: The accepted streamlines: streamlines.trx;
        visits: How many streamlines pass each voxel: visits.nii.gz, and as a share of all visits_normalised.nii.gz; lengths: Mean length of
        the path from the seed: lengths.nii.gz, and times the visits visits_by_length.nii.gz; target-counts: How many streamlines of each
        seed pass each of targets: seeds_to_NAME
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz; [default: 0.005, of a tract by protocols: 0.001]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
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
        Measures of each matrix entry; count (always there), length (mean of their ways from the seed, of pairs from one to the other, in
        mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Resume an interrupted run of the same data and options; interrupted ones by what they save in the folder about every minute, where
        they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the table,
        in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions (radial by default); radial: The nearest labelled voxel within assignment_radius;
        end-voxel: The voxel of the end point
    assignment_radius : float, optional
        Search radius for a region, in mm; 4 by default
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of
        masks: they end in grey matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    integrator : {"euler", "modified-euler"}, optional
        How a streamline moves along (euler by default); euler: One orientation a step; modified-euler: The mean of two, at both ends of a
        step
    initial_fibre : str, optional
        Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their fractions) or
        random-of-all; 1 by default, random by protocols
    fraction_stops : bool
        Go on from each point with the sampled fibre's fraction as the probability
    loop_check : bool
        End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    nearest : bool
        Use the nearest voxel, without interpolation; else one of the voxels around is drawn
    max_steps : int, optional
        Most steps of a streamline; half of them to each side (2000 by default)
    min_half_length : float, optional
        Shortest half of a streamline kept, in mm of its steps (0 by default)
    preset : {"probtrackx"}, optional
        Take all numbers of another program that no other option gives; probtrackx: FSL's probtrackx2: steps of 0.5 mm, turns up to 78.463°,
        no minimum length, 5000 streamlines of each seed, products visits
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "peaks_frame": peaks_frame, "min_peak": min_peak, "mask": mask, "part": part, "seed_mask": seed_mask, "seed_points":
        seed_points, "seed_surfaces": seed_surfaces, "seed_cifti": seed_cifti, "white": white, "seed_depth": seed_depth, "per_seed":
        per_seed, "seed_grid": seed_grid, "seed_weights": seed_weights, "seeds": seeds, "select": select, "seed_anywhere": seed_anywhere,
        "seed_radius": seed_radius, "waypoints": waypoints, "waypoint_condition": waypoint_condition, "waypoints_in_order":
        waypoints_in_order, "avoid": avoid, "stop": stop, "stop_on_exit": stop_on_exit, "waypoints_one_way": waypoints_one_way, "judged_by":
        judged_by, "targets": targets, "masks_to_dwi": masks_to_dwi, "dwi_to_masks": dwi_to_masks, "step": step, "angle": angle, "cutoff":
        cutoff, "min_length": min_length, "max_length": max_length, "at_max_length": at_max_length, "products": products, "threshold":
        threshold, "format": format, "matrix": matrix, "target_columns": target_columns, "seed_list": seed_list, "measure": measure,
        "matrix_format": matrix_format, "resume": resume, "labels": labels, "label_names": label_names, "assignment": assignment,
        "assignment_radius": assignment_radius, "five_tissues": five_tissues, "no_cropping": no_cropping, "seed_interface": seed_interface,
        "back_tracking": back_tracking, "integrator": integrator, "initial_fibre": initial_fibre, "fraction_stops": fraction_stops,
        "loop_check": loop_check, "nearest": nearest, "max_steps": max_steps, "min_half_length": min_half_length, "preset": preset, "force":
        force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress":
        progress,
    }
    return done("track peaks", (peaks,), told)


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
    seed_grid: Optional[int] = None,
    seed_weights: Optional[PathLike] = None,
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
    masks_to_dwi: Optional[Several[Word]] = None,
    dwi_to_masks: Optional[Several[Word]] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: Optional[Literal["stop", "discard"]] = None,
    products: Optional[Several[Literal["streamlines", "visits", "lengths", "target-counts"]]] = None,
    threshold: Optional[float] = None,
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
    five_tissues: Optional[PathLike] = None,
    no_cropping: bool = False,
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
    another order or sign: as if the scan had been repeated. The principal directions are the samples, FA the fraction. Options and results
    are those of `arcuate track samples`.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D
    out : path
        Output: folder, or a file if one product is written: streamlines .tck .trk .trx, visits .nii.gz, labels .npz
    mask : path, optional
        Mask of the voxels to process; streamlines end outside; found in the series by default
    replicates : int, optional
        Refits of each voxel (50 by default)
    resampling : {"residuals", "signs"}, optional
        What a measurement gets as its residual (residuals by default); residuals: That of any measurement, with replacement; signs: Its
        own, with a sign drawn at random (wild bootstrap)
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    part : str, optional
        Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of out and .parts; once all
        are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. Not with select
    seed_mask : path, optional
        Mask in whose voxels streamlines begin; [default: all voxels of mask with at least seed_cutoff]
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
        Streamlines of each seed; [default: 1 of each point, vertex and element]
    seed_grid : int, optional
        A lattice of N × N × N seeds in each voxel; in place of random ones
    seed_weights : path, optional
        Image that seeds are drawn in proportion to
    seeds : int, optional
        Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    select : int, optional
        Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
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
        Target regions; how many streamlines pass each, in a folder of results also of each seed (seeds_to_NAME.nii.gz; at vertices
        .shape.gii, of seed_cifti .dscalar.nii, of seed_points .tsv)
    masks_to_dwi : one or several of str, optional
        Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients
        on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text) as
        `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for [FILE,1]. Without it all
        are one space, in the scanner's millimetres
    dwi_to_masks : one or several of str, optional
        The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the masks),
        found by itself for matrices
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest turn between two steps, in degrees; [default: 45]
    cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction that is followed; [default: 0.05]
    seed_cutoff : float, optional
        Least FA, FOD amplitude or fibre fraction at a seed; [default: 0.2, with chosen seeds any]
    min_length : float, optional
        Shortest streamline, in mm; [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Longest streamline, in mm; [default: 250]
    at_max_length : {"stop", "discard"}, optional
        What happens to a streamline that reaches max_length (stop by default); stop: It stops and is kept; discard: It is rejected
    products : one or several of {"streamlines", "visits", "lengths", "target-counts"}, optional
        What is written; [default: streamlines, nothing else with labels or matrix]; streamlines: The accepted streamlines: streamlines.trx;
        visits: How many streamlines pass each voxel: visits.nii.gz, and as a share of all visits_normalised.nii.gz; lengths: Mean length of
        the path from the seed: lengths.nii.gz, and times the visits visits_by_length.nii.gz; target-counts: How many streamlines of each
        seed pass each of targets: seeds_to_NAME
    threshold : float, optional
        Lowest share of all accepted streamlines in visits_normalised.nii.gz; [default: 0.005, of a tract by protocols: 0.001]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
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
        Measures of each matrix entry; count (always there), length (mean of their ways from the seed, of pairs from one to the other, in
        mm), by-length (counts times mean lengths). count by default
    matrix_format : one or several of {"npz", "dot", "dconn"}, optional
        Forms of the matrix; npz by default; npz: SciPy's compressed sparse rows; dot: FSL's text, with coordinates beside it; dconn:
        CIFTI-2 with every entry, .dconn.nii
    resume : bool
        Resume an interrupted run of the same data and options; interrupted ones by what they save in the folder about every minute, where
        they have this option too. With matrix seeds and targets
    labels : path, optional
        Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between its regions
        (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with out NAME.npz). Streamlines need not be stored for
        that
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for each region of the table,
        in the order of numbers, whether it occurs in the image or not
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions (radial by default); radial: The nearest labelled voxel within assignment_radius;
        end-voxel: The voxel of the end point
    assignment_radius : float, optional
        Search radius for a region, in mm; 4 by default
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of
        masks: they end in grey matter, and those that end in white matter or come into fluid are left out
    no_cropping : bool
        Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    seed_interface : bool
        Begin where grey and white matter meet, by the fractions of five_tissues
    back_tracking : bool
        Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
        once
    integrator : {"euler", "modified-euler"}, optional
        How a streamline moves along (euler by default); euler: One orientation a step; modified-euler: The mean of two, at both ends of a
        step
    initial_fibre : str, optional
        Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their fractions) or
        random-of-all; 1 by default, random by protocols
    fraction_stops : bool
        Go on from each point with the sampled fibre's fraction as the probability
    loop_check : bool
        End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    nearest : bool
        Use the nearest voxel, without interpolation; else one of the voxels around is drawn
    max_steps : int, optional
        Most steps of a streamline; half of them to each side (2000 by default)
    min_half_length : float, optional
        Shortest half of a streamline kept, in mm of its steps (0 by default)
    preset : {"probtrackx"}, optional
        Take all numbers of another program that no other option gives; probtrackx: FSL's probtrackx2: steps of 0.5 mm, turns up to 78.463°,
        no minimum length, 5000 streamlines of each seed, products visits
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "mask": mask, "replicates": replicates, "resampling": resampling, "bval": bval, "bvec": bvec, "gradients": gradients,
        "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit, "bvec_lengths": bvec_lengths, "part": part,
        "seed_mask": seed_mask, "seed_points": seed_points, "seed_surfaces": seed_surfaces, "seed_cifti": seed_cifti, "white": white,
        "seed_depth": seed_depth, "per_seed": per_seed, "seed_grid": seed_grid, "seed_weights": seed_weights, "seeds": seeds, "select":
        select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius, "waypoints": waypoints, "waypoint_condition":
        waypoint_condition, "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop": stop, "stop_on_exit": stop_on_exit,
        "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "targets": targets, "masks_to_dwi": masks_to_dwi, "dwi_to_masks":
        dwi_to_masks, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length": min_length, "max_length":
        max_length, "at_max_length": at_max_length, "products": products, "threshold": threshold, "format": format, "matrix": matrix,
        "target_columns": target_columns, "seed_list": seed_list, "measure": measure, "matrix_format": matrix_format, "resume": resume,
        "labels": labels, "label_names": label_names, "assignment": assignment, "assignment_radius": assignment_radius, "five_tissues":
        five_tissues, "no_cropping": no_cropping, "seed_interface": seed_interface, "back_tracking": back_tracking, "integrator":
        integrator, "initial_fibre": initial_fibre, "fraction_stops": fraction_stops, "loop_check": loop_check, "nearest": nearest,
        "max_steps": max_steps, "min_half_length": min_half_length, "preset": preset, "force": force, "log": log, "device": device,
        "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("track bootstrap", (dwi,), told)


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
    """Merge the parts of a tracking run: ``arcuate merge``.

    Writes the maps, matrices and tractograms of `arcuate track` with part, with the same bits as one run. It repeats the command of the
    parts without part. If that command has relative paths, call it in the same folder. The parts are kept.

    Parameters
    ----------
    parts : path
        Folder of the parts: NAME.parts of the result NAME
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed,
        "progress": progress,
    }
    return done("merge", (parts,), told)


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
    """Weight streamlines by Linear Fascicle Evaluation (LiFE): ``arcuate evaluate life``.

    Finds the non-negative weights with which the streamlines predict the signal best. Writes life_weights.txt (one row per streamline, 0 if
    unsupported), tracks_weighted.trx (all streamlines, weights as dps/life_weights), tracks_supported.trx (weights above 0),
    life_trace.csv, and the errors without and with streamlines (life_rmse_before.nii.gz, life_rmse_after.nii.gz).

    Parameters
    ----------
    tractogram : path
        Tractogram (.tck, .trk, .trx)
    dwi : path
        Diffusion series, 4-D
    out : path
        Output: folder for the weights and maps
    mask : path, optional
        Mask of the voxels to process

        [default: all voxels that streamlines pass]
    precision : {"single", "double"}, optional
        Arithmetic precision (single by default)
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    lesion : one or several of str, optional
        Remove these streamlines virtually; may be repeated

        A group of a .trx, or a text file of streamline numbers, counted from 0.
    refit : bool
        Refit the remaining streamlines after each lesion
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm²

        The mean signal of each shell is free. [default: shells with at least 15 axes, or as many as the largest shell]
    eigenvalues : str, optional
        Eigenvalues λ₁,λ₂,λ₃ of a fascicle's tensor in µm²/ms, with λ₂ = λ₃ (1,0,0 by default)
    orientations : str, optional
        Orientations for which responses are tabulated

        A number, or a text file of directions (scanner axes). (1057 by default)
    normalise_signal : bool
        Divide the signal of each voxel by its mean b = 0 signal, as DIPY
    node_value : {"count", "length"}, optional
        Weight of a point of a streamline: 1, or its length in mm (count by default)
    solver : {"barzilai-borwein", "sbbnnls"}, optional
        Solver (barzilai-borwein by default)
    regularise : {"none", "lasso"}, optional
        Penalty that regularises the result

        Penalises streamlines and leaves fewer of them (ReAl-LiFE). (none by default); lasso: λ Σ w: few streamlines
    lambda_ : float, optional
        Strength of the penalty

        A fraction, at least 0 and below 1, of the smallest value that leaves no streamline, max(Mᵀy). It does not depend on the unit of the
        signal.
    tolerance : float, optional
        Relative tolerance at which iterations stop

        Relative to the projected gradient without streamlines. (0.0001 by default)
    iterations : int, optional
        Largest number of iterations (500 by default)
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "dwi": dwi, "out": out, "mask": mask, "precision": precision, "format": format, "lesion": lesion, "refit": refit, "bval": bval,
        "bvec": bvec, "gradients": gradients, "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit,
        "bvec_lengths": bvec_lengths, "shells": shells, "eigenvalues": eigenvalues, "orientations": orientations, "normalise_signal":
        normalise_signal, "node_value": node_value, "solver": solver, "regularise": regularise, "lambda_": lambda_, "tolerance": tolerance,
        "iterations": iterations, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads,
        "random_seed": random_seed, "progress": progress,
    }
    return done("evaluate life", (tractogram,), told)


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
    """Weight streamlines by COMMIT, with the tissue around them and free water: ``arcuate evaluate commit``.

    Convex Optimization Modeling for Microstructure Informed Tractography. Writes commit_weights.txt (one row per streamline, 0 if
    unsupported; signal per mm), tracks_weighted.trx (all streamlines, weights as dps/commit_weights), tracks_supported.trx (weights above
    0) and commit_trace.csv. Writes maps of the compartments (commit_intra, _extra, _isotropic: signal at b = 0; …_fraction: divided by
    their sum), of the errors (commit_rmse, _nrmse) and of the segments per voxel.

    Parameters
    ----------
    tractogram : path, optional
        Tractogram (.tck, .trk, .trx)
    out : path
        Output: folder for the weights and maps
    dwi : path, optional
        Diffusion series, 4-D
    scalar_map : path, optional
        Map of model scalar-map, 3-D
    mask : path, optional
        Mask of the voxels to process

        [default: all voxels that streamlines pass]
    peaks : path, optional
        Directions of the extra-axonal compartments: an image or a folder

        1 to 5 peaks per voxel, 4-D. Or samples: X.bedpostX, or a fit with method mcmc, for the mean orientation of each fibre. [default: no
        extra-axonal compartments]
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the peaks

        `fsl` negates x if the determinant of the affine is positive. If streamlines follow the peaks better in another frame, the command
        fails unless this option is given. [default: scanner]
    peak_threshold : float, optional
        Ignore peaks shorter than this fraction of the longest in the voxel (0.1 by default)
    confidence : path, optional
        Weight of each voxel, 3-D, 0 or larger
    orientations : str, optional
        Orientations for which responses are tabulated

        A number, a text file of directions (scanner axes), `exact` (spherical harmonics), or `auto`. `auto` is exact unless that takes
        three times the arithmetic; otherwise 4096, or those of dictionary. (auto by default)
    precision : {"single", "double"}, optional
        Arithmetic precision (single by default)
    predicted : bool
        Write the predicted series

        Writes commit_signal.nii.gz.
    compat : bool
        Write the files of dmri-commit 2.4 into Results_<Model>, too
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps

        [default: nii.gz]
    merge_b0 : bool
        Replace all b = 0 measurements by their mean
    no_normalise_signal : bool
        Do not divide the signal of a voxel by its mean b = 0 signal
    no_normalise_kernels : bool
        Do not divide responses and streamline lengths by their norms

        With normalisation the solver needs fewer iterations, and penalties treat short and long streamlines alike. Weights are per mm in
        both cases.
    demean : bool
        Subtract the mean of the signal of a voxel and of each response
    min_b0 : float, optional
        Ignore voxels with less than this fraction of the mean b = 0 signal (0 by default)
    dictionary : path, optional
        Folder that trk2dictionary.run of dmri-commit wrote

        Streamlines and peaks are read from it. A tractogram is only copied to the results.
    dictionary_directions : path, optional
        Directions of the dictionary: a text file, x y z per line, image axes

        As numpy.savetxt(FILE, amico.lut.load_directions(500)) writes it.
    min_length : float, optional
        Shortest streamline, in mm

        Shorter streamlines get no weight. (0 by default)
    max_length : float, optional
        Longest streamline, in mm

        Longer streamlines get no weight. (inf by default)
    min_segment : float, optional
        Ignore segments of a streamline in a voxel up to this length (mm) (0.000001 by default)
    blur_core_extent : float, optional
        Radius of equal copies around a streamline (mm) (0 by default)
    blur_gauss_extent : float, optional
        Width of the border in which copies have decreasing weights (mm) (0 by default)
    blur_gauss_min : float, optional
        Weight of the outermost copies, relative to the core (0.1 by default)
    blur_spacing : float, optional
        Distance between copies (mm) (0.25 by default)
    bval : path, optional
        FSL b-values (s/mm²)

        [default: .bval, .bvals or bvals next to the series]
    bvec : path, optional
        FSL directions (image axes)

        The x axis is negated if the determinant of the affine is positive. [default: .bvec, .bvecs or bvecs next to the series]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes), a Camino .scheme, or a .prtcl. Replaces bval and bvec.
    b0_threshold : float, optional
        Largest b-value that counts as b = 0, in s/mm² (50 by default)
    gradient_axes : str, optional
        Image axes of the table's directions, such as -x,y,z or y,x,z

        Use it if a check reports reversed or exchanged axes. `-x,y,z` reverses the first axis, and `y,x,z` exchanges two.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    model : str, optional
        Compartments of the model

        `gdr-cylinders` has gamma-distributed radii. `scalar-map` explains a map instead of a series. (stick-zeppelin-ball by default)
    axial_diffusivity : float, optional
        Diffusivity along streamlines (µm²/ms)

        [default: 1.7 for sticks, 0.6 for cylinders]
    radial_diffusivity : float, optional
        Diffusivity across streamlines (µm²/ms)

        [default: 0, a stick]
    zeppelin_axial_diffusivity : float, optional
        Diffusivity along peaks (µm²/ms)

        [default: axial_diffusivity]
    radial_diffusivities : one or several of float, optional
        Diffusivities across peaks (µm²/ms), one zeppelin each

        [default: 0.51; 1.19,0.85,0.51,0.17 with cylinders]
    intra_fractions : one or several of float, optional
        Intra-axonal fractions f of zeppelins with d⊥ = d∥ (1 − f)

        Replaces radial_diffusivities.
    isotropic_diffusivities : one or several of float, optional
        Diffusivities of the balls (µm²/ms)

        [default: 0.8,3; 1.7,3 for ball-and-stick; 2 for cylinders]
    radii : one or several of float, optional
        Radii of the cylinders (µm)

        [default: 0.01, and 20 from 0.5 to 8]
    gamma_radii : one or several of str, optional
        Gamma distributions of radii: shape and scale (µm) of each
    big_delta : float, optional
        Δ, time between the starts of the two gradient pulses (ms)

        Needed if the gradient table has no timings.
    small_delta : float, optional
        δ, duration of a gradient pulse (ms)
    echo_time : float, optional
        TE, echo time (ms)
    b_step : float, optional
        Round b-values to multiples of this (s/mm²), to merge scattered shells (0 by default)
    regularise : {"none", "lasso", "group-sparse", "sparse-group"}, optional
        Penalty that regularises the result

        Penalises streamlines and leaves fewer of them. (none by default); lasso: λ Σ x: few streamlines; group-sparse: λ Σ w ‖x_g‖: few
        groups (COMMIT2); sparse-group: Both penalties
    groups : str, optional
        Groups: a text file, names of groups of a .trx, or `all`

        A text file has one group name per streamline, `-` for none. Names are separated by commas.
    group_weights : {"size", "adaptive"}, optional
        Weight of a group's penalty

        The square root of its number of streamlines, or that divided by the norm of its weights without penalty (COMMIT2). (size by
        default)
    lambda_ : one or several of float, optional
        Strength of the penalty

        A fraction, from 0 to 1, of the smallest value that leaves no streamline. Two fractions for sparse-group: streamlines and groups.
    lambda_extra : float, optional
        Penalty on extra-axonal amounts

        λ Σ x, as a fraction of max(Aᵀy) over these amounts, from 0 to 1.
    lambda_isotropic : float, optional
        Penalty on isotropic amounts

        λ Σ x, as a fraction of max(Aᵀy) over these amounts, from 0 to 1.
    absolute_lambda : bool
        Interpret every λ in the unit of Aᵀy, not as a fraction
    lambda_curve : int, optional
        Fit N penalties down to lambda_, and write commit_lambda_curve.csv

        The first is the smallest that leaves no streamline. Each fit starts from the previous one.
    debias : bool
        Fit the supported streamlines again without the penalty
    solver : {"barzilai-borwein", "fista"}, optional
        Solver

        [default: barzilai-borwein; fista with a penalty or gap]
    tolerance : float, optional
        Relative tolerance at which iterations stop

        Relative to the projected gradient with all amounts at 0. (0.00001 by default)
    gap : float, optional
        Stop when the duality gap is below this fraction of the objective

        Uses FISTA. May need many iterations.
    iterations : int, optional
        Largest number of iterations (2000 by default)
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "dwi": dwi, "scalar_map": scalar_map, "mask": mask, "peaks": peaks, "peaks_frame": peaks_frame, "peak_threshold":
        peak_threshold, "confidence": confidence, "orientations": orientations, "precision": precision, "predicted": predicted, "compat":
        compat, "format": format, "merge_b0": merge_b0, "no_normalise_signal": no_normalise_signal, "no_normalise_kernels":
        no_normalise_kernels, "demean": demean, "min_b0": min_b0, "dictionary": dictionary, "dictionary_directions": dictionary_directions,
        "min_length": min_length, "max_length": max_length, "min_segment": min_segment, "blur_core_extent": blur_core_extent,
        "blur_gauss_extent": blur_gauss_extent, "blur_gauss_min": blur_gauss_min, "blur_spacing": blur_spacing, "bval": bval, "bvec": bvec,
        "gradients": gradients, "b0_threshold": b0_threshold, "gradient_axes": gradient_axes, "b_unit": b_unit, "bvec_lengths":
        bvec_lengths, "model": model, "axial_diffusivity": axial_diffusivity, "radial_diffusivity": radial_diffusivity,
        "zeppelin_axial_diffusivity": zeppelin_axial_diffusivity, "radial_diffusivities": radial_diffusivities, "intra_fractions":
        intra_fractions, "isotropic_diffusivities": isotropic_diffusivities, "radii": radii, "gamma_radii": gamma_radii, "big_delta":
        big_delta, "small_delta": small_delta, "echo_time": echo_time, "b_step": b_step, "regularise": regularise, "groups": groups,
        "group_weights": group_weights, "lambda_": lambda_, "lambda_extra": lambda_extra, "lambda_isotropic": lambda_isotropic,
        "absolute_lambda": absolute_lambda, "lambda_curve": lambda_curve, "debias": debias, "solver": solver, "tolerance": tolerance, "gap":
        gap, "iterations": iterations, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads,
        "random_seed": random_seed, "progress": progress,
    }
    return done("evaluate commit", (tractogram,), told)


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
    """Map track density, mean length or direction per voxel: ``arcuate density``.

    The voxels of each streamline are exact. A streamline counts once per voxel, however often it returns. Voxels without streamlines are 0.

    Parameters
    ----------
    tractogram : path
        Tractogram (.tck, .trk, .trx)
    like : path
        Image whose voxel grid the output has
    out : path
        Output: image
    kind : {"counts", "lengths", "directional"}, optional
        Quantity of the map (counts by default); counts: Number of streamlines in the voxel; lengths: Mean length of these streamlines in
        mm; directional: Unsigned directions: left–right, front–back, up–down, with the norm of the count
    by_length : bool
        Count each streamline by its length in the voxel (mm), not once
    weights : path, optional
        Weights of the streamlines: a text file with one number each
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "like": like, "out": out, "kind": kind, "by_length": by_length, "weights": weights, "force": force, "log": log, "device": device,
        "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("density", (tractogram,), told)


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
    """Count and measure the streamlines between regions: ``arcuate connectome``.

    Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts, connectome_weights (sum of
    weights, or counts), connectome_lengths (mean, mm), or those of measure. Writes the two regions of each streamline, 0 0 for none. With
    several parcellations, file names begin with the parcellation. CIFTI-2 labels add .pconn.nii files. out NAME.npz writes sparse matrices
    for SciPy instead: NAME_counts.npz, NAME_weights.npz, NAME_lengths.npz, the rows in NAME_regions.tsv, and NAME_assignments.txt.

    Parameters
    ----------
    tractogram : path
        Tractogram (.tck, .trk, .trx)
    labels : one or several of path
        Image of region numbers, 0 for none

        Or labels of the vertices of surfaces (.annot, .label.gii), or CIFTI-2 (.dlabel.nii). Several, separated by commas, are separate
        parcellations. A left and a right hemisphere, such as lh.aparc.annot,rh.aparc.annot, are one parcellation.
    out : path
        Output: folder for the matrices, or a name ending in .npz
    surfaces : one or several of path, optional
        Surfaces with the labelled vertices, one per hemisphere
    reference : path, optional
        Image that defines the space of the file

        For surfaces in FreeSurfer's coordinates that do not contain it.
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        Coordinate space of the surface, whatever its file states; caret: Scanner millimetres, from Caret and Workbench; tkras: FreeSurfer's
        surface coordinates of the reference (tkRAS); freesurfer: FreeSurfer's coordinates of a conformed reference, as FSL reads them;
        first: FSL's millimetres, from FIRST; vox: Voxels of the reference, with x from the right
    weights : path, optional
        Weights of the streamlines: a text file with one number each
    measure : one or several of str, optional
        Measures of each matrix entry

        `count` (always), `weight`, `length`, NAME=FILE for a mean, or sum:NAME=FILE for a sum. FILE is an image that is sampled along
        streamlines, or a text file with one number per streamline. (count,weight,length by default)
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table

        Matrices have one row per region of the table, in the order of their numbers, even if no voxel has the region.
    assignment : {"radial", "end-voxel", "reverse", "forward", "all-voxels"}, optional
        Rule that assigns streamlines to regions (radial by default); radial: Nearest labelled voxel or vertex within assignment_radius of
        each end; end-voxel: Voxel of each end; reverse: Last region before each end, up to assignment_radius along the streamline; forward:
        First region beyond each end, up to assignment_radius; all-voxels: All regions that points of the streamline are in; every pair is
        connected
    assignment_radius : float, optional
        Search radius for a region, in mm

        [default: 4; to the middle of the streamline for assignment reverse]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "labels": labels, "out": out, "surfaces": surfaces, "reference": reference, "mesh_space": mesh_space, "weights": weights, "measure":
        measure, "label_names": label_names, "assignment": assignment, "assignment_radius": assignment_radius, "force": force, "log": log,
        "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("connectome", (tractogram,), told)


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
    """Parcellate the rows of a connectivity matrix by their connections: ``arcuate parcellate``.

    Reads a matrix of seeds by targets (.npz, FSL's .dot or _1.mtx, CIFTI-2's .dconn.nii). Each row gets the number of its largest column,
    counted from 1 (find the biggest), or with clusters the number of its k-means cluster. Rows without connections get 0. Writes an image,
    .label.gii or .dlabel.nii with like, or a table (.tsv).

    Parameters
    ----------
    matrix : path
        Connectivity matrix
    out : path
        Output: image, .label.gii, .dlabel.nii or .tsv
    clusters : int, optional
        Number of clusters by k-means, instead of the largest column
    similarity : {"cosine", "euclidean"}, optional
        Similarity of rows (cosine by default); cosine: Angle between rows, independent of their number of streamlines; euclidean: Euclidean
        distance
    restarts : int, optional
        Number of k-means restarts; the best result is used

        [default: 10]
    like : path, optional
        Image whose voxel grid the output has

        Or the surface or CIFTI-2 file of the rows.
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "clusters": clusters, "similarity": similarity, "restarts": restarts, "like": like, "force": force, "log": log,
        "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("parcellate", (matrix,), told)


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
    """Select, cut or join streamlines of tractograms: ``arcuate edit``.

    Keeps the streamlines that meet every option, in their order, one input after the other. Groups and data of .trx and .trk files stay
    with their streamlines. stop and stop_on_exit cut streamlines first; the other options test the cut streamlines.

    Parameters
    ----------
    tractograms : one or several of path
        Tractograms (.tck, .trk, .trx)
    out : path
        Output: tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    reference : path, optional
        Image that defines the space of the file

        For a .trk or .trx. [default: that of the first input that has one]
    skip : int, optional
        Skip this many of the selected streamlines (0 by default)
    select : int, optional
        Stop at this many streamlines
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
        Target regions

        Prints how many streamlines pass each. In a .trx each target is a group.
    region_test : {"line", "points", "ends"}, optional
        Part of a streamline that is tested against regions

        For waypoints, avoid and targets. stop and stop_on_exit always test points. [default: line]; line: Voxels that the line passes;
        points: Voxels of the points; ends: Voxels of the two ends
    min_length : float, optional
        Shortest streamline, in mm

        Shorter streamlines are removed.
    max_length : float, optional
        Longest streamline, in mm

        Longer streamlines are removed.
    weights : path, optional
        Weights of the streamlines: a text file with one number each

        In the order of all inputs.
    min_weight : float, optional
        Smallest weight to keep
    max_weight : float, optional
        Largest weight to keep
    weights_out : path, optional
        Write the weights of the kept streamlines
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "reference": reference, "skip": skip, "select": select, "waypoints": waypoints, "waypoint_condition":
        waypoint_condition, "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop": stop, "stop_on_exit": stop_on_exit, "targets":
        targets, "region_test": region_test, "min_length": min_length, "max_length": max_length, "weights": weights, "min_weight":
        min_weight, "max_weight": max_weight, "weights_out": weights_out, "force": force, "log": log, "device": device, "device_memory":
        device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("edit", (tractograms,), told)


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

    Writes one value per point: as text (.txt, .csv) with one line per streamline, or in the tractogram (.trx, .trk). With statistic, writes
    one number per streamline. Points outside the image have the value 0.

    Parameters
    ----------
    tractogram : path
        Tractogram (.tck, .trk, .trx)
    image : path
        Image of one volume
    out : path
        Output: .txt or .csv, or a .trx or .trk with the values
    statistic : {"mean", "median", "min", "max"}, optional
        Statistic per streamline, instead of one value per point; mean: Mean, weighted by the length of the streamline around each point
    nearest : bool
        Use the nearest voxel, without interpolation
    name : str, optional
        Name of the values in a .trx or .trk

        [default: that of the image]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "statistic": statistic, "nearest": nearest, "name": name, "force": force, "log": log, "device": device, "device_memory":
        device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("sample", (tractogram, image,), told)


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
    """Convert images, tractograms, gradient tables, surfaces and matrices: ``arcuate convert``.

    The file endings choose the formats. Images: .nii .nii.gz .mif .mif.gz. Tractograms: .tck .trk .trx .tck.gz .trk.gz. Gradient tables:
    .bvec and .bval (always both), .b (MRtrix), .scheme (Camino), .prtcl. Surfaces and their data: .gii .annot .asc .srf and FreeSurfer's
    lh.white, rh.thickness and similar. CIFTI-2: .dscalar.nii .dlabel.nii .dconn.nii .pconn.nii. Connectivity matrices: .npz (SciPy), .dot
    and _1.mtx (FSL), .dconn.nii. A series keeps its gradient table: in the header of a .mif, or as .bval and .bvec next to a NIfTI. Lost
    header fields are reported.

    Parameters
    ----------
    input : path
        Input file
    output : path
        Output file; its ending chooses the format
    reference : path, optional
        Image that defines the space of the file

        For a tractogram (.trk, .trx), a gradient table in image axes, or a surface. For a matrix that becomes .dconn.nii, a CIFTI-2 file of
        its rows and columns.
    gradients : path, optional
        Gradient table in one file

        [default: that of the header, or .bval and .bvec next to the series]
    positions : {"f16", "f32", "f64"}, optional
        Data type of tractogram positions; f16 in .trx only

        [default: f32]
    folder : bool
        Write a .trx as a folder instead of an archive
    nifti_2 : bool
        Write NIfTI-2
    volumes : str, optional
        Volumes to keep, counted from 0, such as 0,4,10-15
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm²

        0 is b = 0.
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        Coordinate space of the surface, whatever its file states; caret: Scanner millimetres, from Caret and Workbench; tkras: FreeSurfer's
        surface coordinates of the reference (tkRAS); freesurfer: FreeSurfer's coordinates of a conformed reference, as FSL reads them;
        first: FSL's millimetres, from FIRST; vox: Voxels of the reference, with x from the right
    structure : str, optional
        Brain structure of a surface, or to extract from CIFTI-2

        For example CORTEX_LEFT.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the table's b-values

        [default: s/mm², but s/m² for .prtcl, and for .scheme if a b-value exceeds 100,000]
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret directions whose length is not 1

        Required if the lengths may encode shells.; scale: Multiply b by the squared length, as MRtrix does; ignore: Use b as it is in the
        table, as FSL does
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "reference": reference, "gradients": gradients, "positions": positions, "folder": folder, "nifti_2": nifti_2, "volumes": volumes,
        "shells": shells, "mesh_space": mesh_space, "structure": structure, "b_unit": b_unit, "bvec_lengths": bvec_lengths, "force": force,
        "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("convert", (input, output,), told)


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
    """Describe files: ``arcuate info``.

    Reads images (.nii .nii.gz .hdr .mif .mif.gz .mgz), tractograms (.tck .trk .trx .tck.gz .trk.gz), gradient tables, surfaces (.gii .annot
    .asc, FreeSurfer's lh.white and similar), CIFTI-2 files and connectivity matrices (.npz .dot _1.mtx). If a file cannot be read, the
    others are still described, and the exit code is 1.

    Parameters
    ----------
    files : one or several of path
        Files to describe
    json : bool
        Print JSON

        One object per file, as in docs/src/reference/info.schema.json.
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "json": json, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed":
        random_seed, "progress": progress,
    }
    return done("info", (files,), told)


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
    """Simulate raw data of an object whose Fourier transform is known exactly: ``arcuate simulate kspace``.

    Writes BART's arrays: ksp (1 × samples × readouts × coils), traj (3 × samples × readouts, cycles per field of view), and with coils also
    sens (sensitivities). Writes the mean of the object in each voxel as truth.nii.gz.

    Parameters
    ----------
    out : path
        Output: folder for the data
    object : str, optional
        Object: shepp-logan, or a text file of ellipsoids

        One ellipsoid per line: value, centre x y z, half axes x y z (mm), rotation about z (degrees). (shepp-logan by default)
    size : one or several of int, optional
        Number of voxels along each axis

        X,Y for a slice, or X,Y,Z for a volume. (128,128 by default)
    fov : float, optional
        Field of view in mm (220 by default)
    trajectory_kind : {"cartesian", "radial", "radial-3d", "spiral", "cones", "rosette"}, optional
        Kind of trajectory (radial by default); cartesian: Line by line; radial: Spokes in a plane, at the golden angle; radial-3d: Half
        spokes in space, by the golden means; spiral: Spirals, one stack of slices for a volume; cones: Spirals on cones about z; rosette:
        Rosettes
    readouts : int, optional
        Number of readouts: spokes, interleaves (per slice), cones or shots

        [default: enough to sample k-space fully; 16 interleaves, 16 shots]
    samples : int, optional
        Number of samples per readout

        [default: spaced at half the Nyquist distance]
    turns : float, optional
        Turns of a spiral, of a cone at the equator, or of a rosette

        [default: enough to sample k-space fully]
    petals : float, optional
        Number of petals per shot of a rosette

        [default: 17]
    coils : int, optional
        Number of receive coils around the object

        [default: one coil with uniform sensitivity]
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise

        Largest value of the object over the noise in a fully sampled Cartesian image. (0 by default)
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "object": object, "size": size, "fov": fov, "trajectory_kind": trajectory_kind, "readouts": readouts, "samples":
        samples, "turns": turns, "petals": petals, "coils": coils, "snr": snr, "force": force, "log": log, "device": device,
        "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("simulate kspace", (), told)


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
    """Simulate a small brain with known connections (or raw data: simulate kspace): ``arcuate simulate``.

    Writes the series (dwi.nii.gz, .bval, .bvec), mask, white matter, labels with names, and the truth: streamlines with a group per bundle,
    up to three peaks per voxel (scanner axes), tissue and bundle fractions.

    Parameters
    ----------
    out : path
        Output: folder for the brain
    voxel_size : float, optional
        Voxel size in mm (2.5 by default)
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise

        Relative to the b = 0 signal of white matter. (30 by default)
    directions : int, optional
        Number of weighted measurements (64 by default)
    b_value : float, optional
        b-value of the weighted measurements in s/mm² (2000 by default)
    b0s : int, optional
        Number of measurements with b = 0 (6 by default)
    shells : one or several of str, optional
        Shells to use, by their b-values in s/mm²

        B:N has N directions, such as 0:6,700:16,2800:50. Replaces directions, b_value and b0s. [default: N is 64, for b = 0 six]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes). Replaces directions, b_value and b0s.
    streamlines_per_bundle : int, optional
        Number of known streamlines per bundle (200 by default)
    tissues : bool
        Simulate realistic tissues, and write their truth

        CSF is 3.5 times as bright as white matter, white matter has one fibre response, and the image has a bias field. Writes truth_5tt,
        truth_bias, truth_fod and MRtrix's responses.
    meshes : bool
        Write surfaces into the folder surfaces

        White and pial surface of each hemisphere with regions and cortex per vertex, nuclei as meshes and voxels, and CIFTI-2 files.
    tract_protocols : bool
        Write tracking protocols into the folder protocols

        XTRACT's layout for track samples protocols: masks of each bundle in a standard space, and the transform to the brain.
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "voxel_size": voxel_size, "snr": snr, "directions": directions, "b_value": b_value, "b0s": b0s, "shells": shells,
        "gradients": gradients, "streamlines_per_bundle": streamlines_per_bundle, "tissues": tissues, "meshes": meshes, "tract_protocols":
        tract_protocols, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed":
        random_seed, "progress": progress,
    }
    return done("simulate", (), told)


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
    """Simulate a small brain, run the pipeline on it, and compare with the truth: ``arcuate demo``.

    Runs `simulate` into OUT/brain and `run tracking tensor` into OUT/results. Compares the result with the truth: bundles found, false
    connections, angular error. The report is OUT/results/report.html.

    Parameters
    ----------
    out : path
        Output: folder for the brain and the results
    voxel_size : float, optional
        Voxel size in mm (2.5 by default)
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise

        Relative to the b = 0 signal of white matter. (30 by default)
    directions : int, optional
        Number of weighted measurements (64 by default)
    b_value : float, optional
        b-value of the weighted measurements in s/mm² (2000 by default)
    b0s : int, optional
        Number of measurements with b = 0 (6 by default)
    shells : one or several of str, optional
        Shells to use, by their b-values in s/mm²

        B:N has N directions, such as 0:6,700:16,2800:50. Replaces directions, b_value and b0s. [default: N is 64, for b = 0 six]
    gradients : path, optional
        Gradient table in one file

        MRtrix's table (x y z b, scanner axes). Replaces directions, b_value and b0s.
    streamlines_per_bundle : int, optional
        Number of known streamlines per bundle (200 by default)
    select : int, optional
        Stop at this many streamlines (20000 by default)
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "voxel_size": voxel_size, "snr": snr, "directions": directions, "b_value": b_value, "b0s": b0s, "shells": shells,
        "gradients": gradients, "streamlines_per_bundle": streamlines_per_bundle, "select": select, "force": force, "log": log, "device":
        device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
    }
    return done("demo", (), told)


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
    """Write the report of a folder of results, or of a result file: ``arcuate report``.

    The folder is the output of a command, with its arcuate.json. A file has its record next to it, such as image.nii.gz.json for
    image.nii.gz. Folders of bedpostx, including FSL's, have reports, too. The page is self-contained and opens offline.

    Parameters
    ----------
    result : path
        Folder of results, or a result file with a record next to it
    out : path, optional
        Output: HTML page

        [default: report.html in the folder, or NAME.html next to the file]
    anatomy : path, optional
        Background image of maps and streamlines in the report

        For example a T1 image in the space of the scan. [default: FA or the mean b = 0 image of the results]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "anatomy": anatomy, "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads,
        "random_seed": random_seed, "progress": progress,
    }
    return done("report", (result,), told)


def setup_devices(
    *,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """List the processor and the GPUs, and why a GPU cannot be used: ``arcuate setup devices``.

    Parameters
    ----------
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed,
        "progress": progress,
    }
    return done("setup devices", (), told)


# Former names.
devices = setup_devices
status = bids_status
