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

    Runs these commands with their defaults: mask, fit tensor, reconstruction and tracking by ``tracking``, evaluate, density, and
    connectome if ``labels`` is given. Writes a report of all results. ``dry_run`` prints the commands, which write the same files. A recipe
    sets any of their options.

    Parameters
    ----------
    dwi : path, optional
        Diffusion series, 4-D.
    out : path, optional
        Output: folder for the results.
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
    show_recipe : bool
        Print a recipe (TOML file) with all options and their defaults.
    dry_run : bool
        Print the commands of the run, and do nothing.
    share : str, optional
        Share of the run to compute: prepare, or one share such as 1/8.

        This option needs ``tracking`` samples, and a recipe with `seeds` or `per-seed` in [track.samples]. First run the command with
        ``share`` prepare, then with ``share`` 1/8 to 8/8 in parallel, then without ``share``, which merges the shares.
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
        Root folder of the derivatives, or the work folder (``work_dir``).
    json : bool
        Print JSON.

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
        Root folder of the BIDS data set.
    output : path
        Root folder of the derivatives.
    level : {"participant", "group"}, optional
        Level of the analysis.

        - ``participant``: Process the scans of participants.

        - ``group``: Summarise all scans.
    participant_label : one or several of str, optional
        Labels of participants, with or without sub-

        [default: all]
    session_label : one or several of str, optional
        Labels of sessions, with or without ses-

        [default: all]
    scan : one or several of str, optional
        Names of scans from `arcuate bids status`: sub-01_ses-a_run-2_space-ACPC.

        [default: all scans of the chosen participants and sessions]
    bids_filter_file : path, optional
        BIDS filter file of fMRIPrep and QSIPrep.

        JSON such as {"dwi": {"session": "a", "run": ["1", null]}}.
    derivatives : one or several of path, optional
        Further folders of derivatives, with anatomical images, atlases or tissue maps.

        Images must be in the space of the diffusion series.
    raw : bool
        Accept series that were not preprocessed.
    skip_bids_validation : bool
        Do not check the scans against the data set's tables and JSON sidecars.
    atlas : str, optional
        Label of the atlas for connectomes, as in file names (atlas-, seg- or desc-).

        [default: the only atlas, or FreeSurfer's aparcaseg]
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        Field that streamlines follow.

        [default: distributions, samples or tensor, depending on the measured directions]

        - ``distributions``: Fibre orientation distributions from constrained spherical deconvolution.

        - ``tensor``: Principal directions of diffusion tensors.

        - ``geodesic``: Shortest paths through diffusion tensors.

        - ``samples``: Posterior samples of two fibres per voxel.
    evaluate : {"life", "commit", "none"}, optional
        Evaluation of the streamlines.

        [default: commit for distributions and samples, otherwise life]

        - ``life``: Linear Fascicle Evaluation.

        - ``commit``: Convex Optimization Modeling for Microstructure Informed Tractography.

        - ``none``: No evaluation.
    select : int, optional
        Stop at this many streamlines.

        Not for ``tracking`` geodesic. [default: 50000]
    recipe : path, optional
        Recipe: TOML file with options of the stages, such as [track.tensor]
    share : str, optional
        Share of the run to compute: prepare, or one share such as 1/8.

        This option needs ``tracking`` samples, and a recipe with `seeds` or `per-seed` in [track.samples]. First run the command with
        ``share`` prepare, then with ``share`` 1/8 to 8/8 in parallel, then without ``share``, which merges the shares.
    work_dir : path, optional
        Work folder, from which a cancelled command resumes.

        [default: OUT/.arcuate]
    mem_mb : int, optional
        Available memory in MB; scans that need more are refused.
    workflow : path, optional
        Write a Snakemake workflow with one job per scan, and process nothing.
    jobs_per_gpu : int, optional
        Number of jobs that share a GPU, each with a part of ``device_memory``.

        [default: no GPU]
    shares : int, optional
        Number of jobs that divide the tracking of each scan, as `arcuate run share`.

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
    sensitivities x × y × z × coils. Writes the magnitude, and the phase in radians as NAME_phase. If ``out`` ends in .cfl, writes the
    complex image as BART's array. Without sensitivities, coils are reconstructed separately and combined by the root of the sum of squares.

    Parameters
    ----------
    kspace : path
        Samples of k-space (.cfl or .npy).
    trajectory : path
        Trajectory: coordinates of the samples (.cfl or .npy).
    out : path
        Output: image (.nii.gz, .nii, .mif or .cfl).
    sensitivities : path, optional
        Coil sensitivities (.cfl or .npy).
    method : {"cg", "adjoint", "gridding"}, optional
        Method.

        `cg` solves for the image. `adjoint` computes Fᴴd only. `gridding` interpolates to a grid, for comparison. [default: cg]
    regularise : str, optional
        Penalty that regularises the result.

        `tikhonov` penalises the size of the image. `differences` penalises differences of neighbouring voxels. `anatomy=IMAGE` penalises
        differences of neighbouring voxels that have no edge between them in IMAGE. If IMAGE has another grid, it is resampled by world
        coordinates. [default: tikhonov]
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
    density : str, optional
        Density compensation of k-space samples in gridding.

        The value is pipe-menon, voronoi, none, or a text file with one number per sample. [default: pipe-menon]
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
    size : one or several of int, optional
        Number of voxels along each axis.

        For example 256,256 or 128,128,64. [default: the size of ``like``, otherwise of ``sensitivities``, otherwise twice the largest wave
        number of the trajectory]
    fov : one or several of float, optional
        Field of view in mm.

        Give one length, or three. For one slice, the slice thickness equals the voxel width. The field of view sets the voxel size, and the
        scale of trajectories in 1/m.
    like : path, optional
        Image whose voxel grid the output has.
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
        Unit of the trajectory.

        [default: cycles per field of view; an error if the range suggests another unit]

        - ``fov``: Cycles per field of view, from −n/2 to n/2 for n voxels.

        - ``voxel``: Cycles per voxel, −½ to ½.

        - ``radian``: Radians per voxel, −π to π.

        - ``per-metre``: 1/m.
    sample_weights : path, optional
        Complex weights by which the k-space samples were multiplied.
    save_q : path, optional
        Write Q, the convolution kernel of FᴴF for this trajectory, to reuse with ``q``.
    q : path, optional
        Read the convolution kernel Q that ``save_q`` wrote.
    truth : path, optional
        Truth image, with which the result is compared.
    complex : bool
        Write one complex image instead of magnitude and phase.
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
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
        Diffusion series, 4-D.
    out : path
        Output: mask image with 1 in the brain and 0 outside.
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
        Segmentation, such as aparc+aseg.mgz; needs ``lut``.
    out : path
        Output: image of five volumes.
    lut : {"FreeSurfer"}, optional
        Label table of the segmentation.

        - ``FreeSurfer``: Labels of FreeSurfer's images aseg, aparc+aseg, aparc.a2009s+aseg and wmparc.
    grey_matter : path, optional
        Map of grey matter, with fractions from 0 to 1; needed without a segmentation.
    white_matter : path, optional
        Map of white matter, 0 to 1.
    csf : path, optional
        Map of CSF, 0 to 1.
    subcortical : path, optional
        Map of sub-cortical grey matter; subtracted from the map of grey matter.
    pathological : path, optional
        Map of pathological tissue, 0 to 1.
    interface : path, optional
        Write an image of the interface of grey and white matter, for seeds.
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
        Diffusion series, 4-D.
    out : path
        Output: folder for the responses.
    mask : path, optional
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
        Diffusion series, 4-D.
    out : path
        Output: folder for the maps.
    mask : path, optional
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
    names : {"arcuate", "fsl"}, optional
        Naming scheme of the maps. [default: arcuate]

        - ``arcuate``: Names such as fa and md, with directions in scanner axes.

        - ``fsl``: Names of FSL's dtifit such as dti_FA, with directions in the axes of bvec files.
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
        Diffusion series, 4-D.
    responses : one or several of path
        Responses: a folder from `arcuate response`, or files separated by commas.

        The files are the responses of white matter, grey matter and CSF, in this order. If the series has only one weighted shell, only the
        responses of white matter and CSF are used.
    out : path
        Output: folder for the maps.
    mask : path, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    order : int, optional
        Largest degree of the spherical harmonics, an even number.

        [default: that of the response, at most 8]
    normalise : bool
        Correct the intensity bias between places, and write its field, field.nii.gz.
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
        Models: names from `arcuate fit list`, or files, separated by commas.
    dwi : path
        Diffusion series, 4-D.
    out : path
        Output: folder for the maps.
    mask : path, optional
        Mask of the voxels to process.

        [default: the brain, found in the series]
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: all]
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        Measurements with b = 0 are always used. [default: all]
    fix : one or several of str, optional
        Fix a parameter at a value (in its unit), at an image, or at its start value.
    start : one or several of str, optional
        Start a parameter at a value (in its unit) or at an image.
    free : one or several of str, optional
        Fit a parameter that the model fixes.
    column : one or several of str, optional
        Text file with one number per measurement, for a column that the model needs.
    map : one or several of str, optional
        Image of a quantity that the model needs in each voxel.
    gradient_deviations : path, optional
        Image of gradient deviations: nine volumes, such as grad_dev of FSL and the HCP.
    method : {"lm", "grid", "mcmc"}, optional
        Method. [default: lm]

        - ``lm``: Best fit: a grid search, then the Levenberg–Marquardt method.

        - ``grid``: Grid search only: the best combination of the values in the model's grids.

        - ``mcmc``: Samples of the posterior by Markov chains (Metropolis within Gibbs).
    compare : {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Compare the models in each voxel by this criterion.

        - ``aic``: Akaike information criterion of the best fit.

        - ``aicc``: Akaike information criterion, corrected for few measurements.

        - ``bic``: Bayesian information criterion of the best fit.

        - ``bic-maximum``: Bayesian information criterion of the sample with the smallest sum of squared residuals.

        - ``dic``: Deviance information criterion of the samples.

        - ``waic``: Widely applicable information criterion of the samples.
    criteria : one or several of {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Write these information criteria of each model.

        bic-maximum, dic and waic need ``method`` mcmc.

        - ``aic``: Akaike information criterion of the best fit.

        - ``aicc``: Akaike information criterion, corrected for few measurements.

        - ``bic``: Bayesian information criterion of the best fit.

        - ``bic-maximum``: Bayesian information criterion of the sample with the smallest sum of squared residuals.

        - ``dic``: Deviance information criterion of the samples.

        - ``waic``: Widely applicable information criterion of the samples.
    predicted : bool
        Write the predicted series.

        Writes predicted.nii.gz and residuals.nii.gz.
    names : {"arcuate", "mdt", "amico", "bids"}, optional
        Naming scheme of the maps. [default: arcuate]

        - ``arcuate``: Names of the model.

        - ``mdt``: Names as in the NODDI toolbox for MATLAB: ficvf, fiso, odi.

        - ``amico``: Names as in AMICO: fit_NDI, fit_FWF, fit_ODI.

        - ``bids``: Names as in BIDS: …_model-noddi_param-icvf_dwimap.
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    prior : one or several of str, optional
        Prior of a parameter, in its unit.

        PRIOR is uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least), log_uniform or
        energy(formula).
    quantiles : one or several of float, optional
        Write these quantiles of each parameter's samples, such as 0.025,0.5,0.975.

        Writes NAME_quantiles, one volume per quantile.
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Start of the chains.

        [default: fit]

        - ``fit``: Chains start at the best fit.

        - ``search``: Chains start at the best result of the model's grid searches.

        - ``model``: Chains start at the start values of the model.

        - ``dispersed``: Each chain starts at another place within the bounds.
    save_state : bool
        Save the state of the chains in state.nii.gz and state.json, for ``resume``.
    resume : path, optional
        Resume an interrupted run of the same data and options.

        FILE is the state.nii.gz of the chains, with state.json next to it. The mask may be smaller. Jumps, interval, device and threads may
        differ.
    trace_voxel : one or several of str, optional
        Plot the chains in the voxel with these indices, counted from 0.

        The option can be given at most 8 times. [default: the example voxel of the report]
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
        Models: names from `arcuate fit list`, or files, separated by commas.
    graph : bool
        With ``list``, print the compiled formula of each MODEL, in µm, ms and T.
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
        Tensor image of six volumes, in mm²/s.
    out : path
        Output: folder for the maps.
    mask : path, optional
        Mask of the voxels to process.

        [default: all]
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the six volumes of the tensor image.

        [default: the order that the header states; if it states none, arcuate]

        - ``arcuate``: D11 D22 D33 D12 D13 D23, scanner axes.

        - ``mrtrix``: The same order, from dwi2tensor.

        - ``fsl``: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit ``save``_tensor.

        - ``dipy``: Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file, from dipy_fit_dti.

        - ``ants``: Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs.

        - ``lower-triangle``: Dxx Dxy Dyy Dxz Dyz Dzz, scanner axes.
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

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
        Tensor image, as `arcuate fit tensor` writes it.

        The image has six volumes, D11 D22 D33 D12 D13 D23 in scanner axes. For another order or other axes, use ``tensor_order``.
    out : path
        Output: folder, or a file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits, and an .npz for ``labels``.
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the six volumes of the tensor image.

        [default: the order that the header states; if it states none, arcuate]

        - ``arcuate``: D11 D22 D33 D12 D13 D23, scanner axes.

        - ``mrtrix``: The same order, from dwi2tensor.

        - ``fsl``: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit ``save``_tensor.

        - ``dipy``: Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file, from dipy_fit_dti.

        - ``ants``: Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs.

        - ``lower-triangle``: Dxx Dxy Dyy Dxz Dyz Dzz, scanner axes.
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_mask : path, optional
        Mask of the voxels in which streamlines begin.

        [default: all voxels of ``mask`` with at least ``seed_cutoff``]
    seed_points : path, optional
        Seed points: a text file with x y z (RAS, mm) of one point per line.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel of a CIFTI-2 file.

        Values of the file are ignored. The rows of ``matrix`` seeds have the order of the file. The vertices belong to the surfaces of
        ``white``.
    white : one or several of path, optional
        Surfaces to which the vertices of ``seed_cifti`` belong, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seed_weights : path, optional
        Image of the relative density at which random seeds are drawn.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    targets : one or several of str, optional
        Target regions.

        Counts the streamlines that pass each region. If ``out`` is a folder, also writes the number for each seed into seeds_to_NAME.nii.gz
        (.shape.gii for surfaces, .dscalar.nii for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, FNIRT coefficients on the grid of the diffusion images, or a transform of ITK or ANTs
        (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of FILE, as [FILE,1] in antsApplyTransforms. [default:
        none, all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        Required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default: the inverse of
        ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions of ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Image of region numbers, 0 for none.

        The image must be in the space of the orientations. Counts the accepted streamlines between regions, and writes connectome_counts
        and connectome_lengths. With ``out`` NAME.npz these are NAME_counts.npz and NAME_lengths.npz. Streamlines need not be stored.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. Its grid can differ, but it must be in the space of the masks.
        Streamlines terminate in grey matter. Streamlines that terminate in white matter or enter CSF are rejected.
    no_cropping : bool
        Do not crop streamline ends in the cortex at the grey/white interface.
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
    mask : path, optional
        Mask of the voxels to process.

        Streamlines terminate outside this mask.
    one_way : bool
        Follow only one of the two directions from a seed.

        One of the two directions is drawn at random.
    deflection_f : float, optional
        Weight of the principal direction, for ``method`` deflection.

        [default: 0]
    deflection_g : float, optional
        Weight of the deflected direction compared with the incoming direction.

        For ``method`` deflection. [default: 1]
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

    Reads white-matter FODs from `arcuate fit csd` or MRtrix's dwi2fod: spherical harmonic coefficients in MRtrix's basis and order. The
    same random seed gives the same streamlines at any number of threads and on any device.

    Parameters
    ----------
    fod : path
        White-matter FOD image with 6, 15, 28 or 45 volumes.
    out : path
        Output: folder, or a file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits, and an .npz for ``labels``.
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_mask : path, optional
        Mask of the voxels in which streamlines begin.

        [default: all voxels of ``mask`` with at least ``seed_cutoff``]
    seed_points : path, optional
        Seed points: a text file with x y z (RAS, mm) of one point per line.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel of a CIFTI-2 file.

        Values of the file are ignored. The rows of ``matrix`` seeds have the order of the file. The vertices belong to the surfaces of
        ``white``.
    white : one or several of path, optional
        Surfaces to which the vertices of ``seed_cifti`` belong, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seed_weights : path, optional
        Image of the relative density at which random seeds are drawn.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    targets : one or several of str, optional
        Target regions.

        Counts the streamlines that pass each region. If ``out`` is a folder, also writes the number for each seed into seeds_to_NAME.nii.gz
        (.shape.gii for surfaces, .dscalar.nii for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, FNIRT coefficients on the grid of the diffusion images, or a transform of ITK or ANTs
        (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of FILE, as [FILE,1] in antsApplyTransforms. [default:
        none, all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        Required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default: the inverse of
        ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions of ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Image of region numbers, 0 for none.

        The image must be in the space of the orientations. Counts the accepted streamlines between regions, and writes connectome_counts
        and connectome_lengths. With ``out`` NAME.npz these are NAME_counts.npz and NAME_lengths.npz. Streamlines need not be stored.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. Its grid can differ, but it must be in the space of the masks.
        Streamlines terminate in grey matter. Streamlines that terminate in white matter or enter CSF are rejected.
    no_cropping : bool
        Do not crop streamline ends in the cortex at the grey/white interface.
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
    mask : path, optional
        Mask of the voxels to process.

        Streamlines terminate outside this mask.
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
    all: bool = False,
    best: Optional[int] = None,
    min_connectivity: Optional[float] = None,
    one_per_voxel: bool = False,
    part: Optional[Word] = None,
    seed_mask: Optional[PathLike] = None,
    seed_points: Optional[PathLike] = None,
    seed_surfaces: Optional[Several[Word]] = None,
    seed_cifti: Optional[PathLike] = None,
    white: Optional[Several[PathLike]] = None,
    seed_depth: Optional[float] = None,
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
    mask: Optional[PathLike] = None,
    max_steps: Optional[int] = None,
    allow_loops: bool = False,
    per_seed: Optional[int] = None,
    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
) -> Done:
    """Shortest paths through diffusion tensors: connections between regions, or all rays: ``arcuate track geodesic``.

    Rays are geodesics of the metric D⁻¹: paths are short where diffusion is fast. With ``targets``, streamlines are the rays that reach a
    target. They are cut there and sorted by strength, with a group per target. connections.tsv lists rank, target, connectivity measure,
    length and drift of each. Streamlines have dpv/cm and dps/cm, the connectivity measure up to each point and of the whole: length divided
    by geodesic length. They also have dps/length (mm) and dps/drift (relative change of the ray's energy). The same seeds give the same
    rays at any number of threads, and on GPUs.

    Parameters
    ----------
    tensor : path
        Tensor image, as `arcuate fit tensor` writes it.

        The image has six volumes, D11 D22 D33 D12 D13 D23 in scanner axes. For another order or other axes, use ``tensor_order``.
    out : path
        Output: folder, or a file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits, and an .npz for ``labels``.
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the six volumes of the tensor image.

        [default: the order that the header states; if it states none, arcuate]

        - ``arcuate``: D11 D22 D33 D12 D13 D23, scanner axes.

        - ``mrtrix``: The same order, from dwi2tensor.

        - ``fsl``: Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit ``save``_tensor.

        - ``dipy``: Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file, from dipy_fit_dti.

        - ``ants``: Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs.

        - ``lower-triangle``: Dxx Dxy Dyy Dxz Dyz Dzz, scanner axes.
    all : bool
        Keep every ray at its full length.

        Without this option, ``targets`` keeps only the strongest rays to each target, and cuts them at the target. [default: if there are
        no ``targets``]
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
    seed_mask : path, optional
        Mask of the voxels in which streamlines begin.

        [default: all voxels of ``mask`` with at least ``seed_cutoff``]
    seed_points : path, optional
        Seed points: a text file with x y z (RAS, mm) of one point per line.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel of a CIFTI-2 file.

        Values of the file are ignored. The rows of ``matrix`` seeds have the order of the file. The vertices belong to the surfaces of
        ``white``.
    white : one or several of path, optional
        Surfaces to which the vertices of ``seed_cifti`` belong, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seed_weights : path, optional
        Image of the relative density at which random seeds are drawn.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    targets : one or several of str, optional
        Target regions.

        Counts the streamlines that pass each region. If ``out`` is a folder, also writes the number for each seed into seeds_to_NAME.nii.gz
        (.shape.gii for surfaces, .dscalar.nii for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, FNIRT coefficients on the grid of the diffusion images, or a transform of ITK or ANTs
        (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of FILE, as [FILE,1] in antsApplyTransforms. [default:
        none, all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        Required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default: the inverse of
        ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions of ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Image of region numbers, 0 for none.

        The image must be in the space of the orientations. Counts the accepted streamlines between regions, and writes connectome_counts
        and connectome_lengths. With ``out`` NAME.npz these are NAME_counts.npz and NAME_lengths.npz. Streamlines need not be stored.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
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
    mask : path, optional
        Mask of the voxels to process.

        Rays terminate outside this mask.
    max_steps : int, optional
        Largest number of steps of a streamline.

        [default: enough for ``max_length``]
    allow_loops : bool
        Do not terminate rays that return to an earlier position and direction.
    per_seed : int, optional
        Number of streamlines per seed.

        Each streamline is a ray that leaves the seed in another direction. [default: 500]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "tensor_order": tensor_order, "all": all, "best": best, "min_connectivity": min_connectivity, "one_per_voxel":
        one_per_voxel, "part": part, "seed_mask": seed_mask, "seed_points": seed_points, "seed_surfaces": seed_surfaces, "seed_cifti":
        seed_cifti, "white": white, "seed_depth": seed_depth, "seed_grid": seed_grid, "seed_weights": seed_weights, "seeds": seeds,
        "select": select, "seed_anywhere": seed_anywhere, "seed_radius": seed_radius, "waypoints": waypoints, "waypoint_condition":
        waypoint_condition, "waypoints_in_order": waypoints_in_order, "avoid": avoid, "stop": stop, "stop_on_exit": stop_on_exit,
        "waypoints_one_way": waypoints_one_way, "judged_by": judged_by, "targets": targets, "masks_to_dwi": masks_to_dwi, "dwi_to_masks":
        dwi_to_masks, "step": step, "angle": angle, "cutoff": cutoff, "seed_cutoff": seed_cutoff, "min_length": min_length, "max_length":
        max_length, "at_max_length": at_max_length, "products": products, "threshold": threshold, "format": format, "matrix": matrix,
        "target_columns": target_columns, "seed_list": seed_list, "measure": measure, "matrix_format": matrix_format, "resume": resume,
        "labels": labels, "label_names": label_names, "assignment": assignment, "assignment_radius": assignment_radius, "field": field,
        "metric": metric, "gain": gain, "sharpen": sharpen, "sharpen_fa": sharpen_fa, "sharpen_side": sharpen_side, "integrator":
        integrator, "step_tolerance": step_tolerance, "precision": precision, "initial_directions": initial_directions, "cone": cone,
        "one_way": one_way, "mask": mask, "max_steps": max_steps, "allow_loops": allow_loops, "per_seed": per_seed, "force": force, "log":
        log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
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

    Each streamline draws a sample at every step. A connection is likely if many streamlines pass. Reads the results of bedpostX and of
    `arcuate fit MODEL method mcmc`. ``products`` chooses the files to write; neither it nor the name of ``out`` changes a streamline. Maps
    have the grid of the seed mask. ``preset`` probtrackx uses the values of FSL's program. The same random seed gives the same streamlines
    at any number of threads.

    Parameters
    ----------
    samples : path
        Folder of samples: X.bedpostX, or a fit with ``method`` mcmc.
    out : path
        Output: folder, or a file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits, and an .npz for ``labels``.
    fibres : one or several of str, optional
        Names of the maps of each fibre's orientation and fraction, in a fit's folder.

        Give one NAME=FRACTION per fibre, separated by commas. [default: n=f, or n1=f1,n2=f2,…]
    mask : path, optional
        Mask of the voxels to process.

        Streamlines terminate outside this mask. [default: nodif_brain_mask of bedpostX, or the voxels with samples]
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_mask : path, optional
        Mask of the voxels in which streamlines begin.

        [default: all voxels of ``mask`` with at least ``seed_cutoff``]
    seed_points : path, optional
        Seed points: a text file with x y z (RAS, mm) of one point per line.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel of a CIFTI-2 file.

        Values of the file are ignored. The rows of ``matrix`` seeds have the order of the file. The vertices belong to the surfaces of
        ``white``.
    white : one or several of path, optional
        Surfaces to which the vertices of ``seed_cifti`` belong, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seed_weights : path, optional
        Image of the relative density at which random seeds are drawn.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    targets : one or several of str, optional
        Target regions.

        Counts the streamlines that pass each region. If ``out`` is a folder, also writes the number for each seed into seeds_to_NAME.nii.gz
        (.shape.gii for surfaces, .dscalar.nii for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, FNIRT coefficients on the grid of the diffusion images, or a transform of ITK or ANTs
        (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of FILE, as [FILE,1] in antsApplyTransforms. [default:
        none, all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        Required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default: the inverse of
        ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions of ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Image of region numbers, 0 for none.

        The image must be in the space of the orientations. Counts the accepted streamlines between regions, and writes connectome_counts
        and connectome_lengths. With ``out`` NAME.npz these are NAME_counts.npz and NAME_lengths.npz. Streamlines need not be stored.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. Its grid can differ, but it must be in the space of the masks.
        Streamlines terminate in grey matter. Streamlines that terminate in white matter or enter CSF are rejected.
    no_cropping : bool
        Do not crop streamline ends in the cortex at the grey/white interface.
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
    protocols : path, optional
        Folder of tract protocols; all tracts are tracked in one run.

        The folder has either XTRACT's layout or a file protocols.toml. XTRACT's layout is the file structureList, and for each tract a
        folder with the masks seed, target (or target1, target2, …), stop, exclude and invert. Results also have XTRACT's layout:
        tracts/NAME/densityNorm.nii.gz and similar files, tracts.nii.gz (number of the strongest tract in each voxel) and tracts.tsv.
    tracts : one or several of str, optional
        Names of the tracts to track, separated by commas.

        [default: all]
    tract_maps : one or several of str, optional
        Images to summarise in each tract.

        The file tracts.tsv lists the mean, median and standard deviation of each image in each tract. The images must be in the space of
        the scan.
    blueprint : one or several of str, optional
        Cortical surfaces, in the space of the scan, for a connectivity blueprint.

        Streamlines begin at the vertices of the surfaces. For each vertex, blueprint.dscalar.nii has the proportion of each tract in its
        connections.
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

    Each peak is a fibre. The fibre fraction is the length of the peak divided by that of the longest peak in the voxel. At each step, a
    streamline draws one of the surrounding voxels and follows the peak nearest to its direction. Options and results are those of `arcuate
    track samples`.

    Parameters
    ----------
    peaks : path
        Image of peaks, with three volumes per peak: its x, y and z.
    out : path
        Output: folder, or a file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits, and an .npz for ``labels``.
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the peaks.

        Use `scanner` for peaks of MRtrix, `image` for peaks in voxel axes, and `fsl` for peaks of FSL. `fsl` means image axes, with x
        negated if the determinant of the affine is positive. [default: scanner]
    min_peak : float, optional
        Ignore peaks shorter than this length. [default: 0]
    mask : path, optional
        Mask of the voxels to process.

        Streamlines terminate outside this mask. [default: all voxels with a peak]
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_mask : path, optional
        Mask of the voxels in which streamlines begin.

        [default: all voxels of ``mask`` with at least ``seed_cutoff``]
    seed_points : path, optional
        Seed points: a text file with x y z (RAS, mm) of one point per line.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel of a CIFTI-2 file.

        Values of the file are ignored. The rows of ``matrix`` seeds have the order of the file. The vertices belong to the surfaces of
        ``white``.
    white : one or several of path, optional
        Surfaces to which the vertices of ``seed_cifti`` belong, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seed_weights : path, optional
        Image of the relative density at which random seeds are drawn.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    targets : one or several of str, optional
        Target regions.

        Counts the streamlines that pass each region. If ``out`` is a folder, also writes the number for each seed into seeds_to_NAME.nii.gz
        (.shape.gii for surfaces, .dscalar.nii for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, FNIRT coefficients on the grid of the diffusion images, or a transform of ITK or ANTs
        (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of FILE, as [FILE,1] in antsApplyTransforms. [default:
        none, all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        Required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default: the inverse of
        ``masks_to_dwi``, if this has only matrices]
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest angle between consecutive steps, in degrees; [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates; [default: 0.05]
    min_length : float, optional
        Shortest streamline, in mm; [default: 20 or ten voxels, whichever is less]
    max_length : float, optional
        Longest streamline, in mm; [default: 250]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions of ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Image of region numbers, 0 for none.

        The image must be in the space of the orientations. Counts the accepted streamlines between regions, and writes connectome_counts
        and connectome_lengths. With ``out`` NAME.npz these are NAME_counts.npz and NAME_lengths.npz. Streamlines need not be stored.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. Its grid can differ, but it must be in the space of the masks.
        Streamlines terminate in grey matter. Streamlines that terminate in white matter or enter CSF are rejected.
    no_cropping : bool
        Do not crop streamline ends in the cortex at the grey/white interface.
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
    """Probabilistic tracking through tensors refitted to resampled residuals: ``arcuate track bootstrap``.

    In each voxel the tensor is fitted to the measured signal. Then it is refitted ``replicates`` times, to the predicted signal plus the
    residuals of the first fit in another order or with other signs. Each refit simulates a repeated scan. Its principal direction is a
    sample, and its FA is the fibre fraction. Options and results are those of `arcuate track samples`.

    Parameters
    ----------
    dwi : path
        Diffusion series, 4-D.
    out : path
        Output: folder, or a file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits, and an .npz for ``labels``.
    mask : path, optional
        Mask of the voxels to process.

        Streamlines terminate outside this mask. [default: the brain mask found in the series]
    replicates : int, optional
        Number of repeated tensor fits per voxel. [default: 50]
    resampling : {"residuals", "signs"}, optional
        Rule that assigns a residual to each measurement of a repeated tensor fit. [default: residuals]

        - ``residuals``: Each measurement gets the residual of a random measurement, drawn with replacement.

        - ``signs``: Each measurement keeps its own residual, with a random sign (wild bootstrap).
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
    part : str, optional
        Part of the streamlines to compute, such as 2/8: the second of eight.

        The part is saved in the folder OUT.parts, with OUT from ``out``. When all parts exist, the same command without ``part``, or
        `arcuate merge`, merges them. The merged result is bit-identical to that of one run. This option cannot be used with ``select``.
    seed_mask : path, optional
        Mask of the voxels in which streamlines begin.

        [default: all voxels of ``mask`` with at least ``seed_cutoff``]
    seed_points : path, optional
        Seed points: a text file with x y z (RAS, mm) of one point per line.
    seed_surfaces : one or several of str, optional
        Surfaces at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices with the label NAME. FILE:MAP uses the vertices at which MAP
        is not 0. Separate several surfaces by commas, or repeat the option. Seeds of ``seed_mask``, if given, come first.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel of a CIFTI-2 file.

        Values of the file are ignored. The rows of ``matrix`` seeds have the order of the file. The vertices belong to the surfaces of
        ``white``.
    white : one or several of path, optional
        Surfaces to which the vertices of ``seed_cifti`` belong, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Depth below the surface at which streamlines begin, in mm.

        The depth is measured along the inward normal of each vertex.
    per_seed : int, optional
        Number of streamlines per seed.

        [default: 1 per point, vertex and voxel of ``seed_cifti``]
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each voxel.

        The grid replaces random seeds.
    seed_weights : path, optional
        Image of the relative density at which random seeds are drawn.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    waypoints_one_way : bool
        Require that one half of the streamline alone passes all waypoints.

        Without this option, the two halves of a streamline can pass different waypoints.
    judged_by : {"half", "whole"}, optional
        Part of a streamline that ``avoid`` and ``waypoints`` test and reject.

        `half` tests the two halves from the seed separately, as probtrackx2 does. `whole` tests the whole streamline, as tckgen does.
        [default: half for samples, peaks and bootstrap, and with ``waypoints_in_order`` or ``waypoints_one_way``; otherwise whole]

        - ``half``: The two halves of the streamline from the seed, each alone.

        - ``whole``: The whole streamline.
    targets : one or several of str, optional
        Target regions.

        Counts the streamlines that pass each region. If ``out`` is a folder, also writes the number for each seed into seeds_to_NAME.nii.gz
        (.shape.gii for surfaces, .dscalar.nii for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, FNIRT coefficients on the grid of the diffusion images, or a transform of ITK or ANTs
        (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of FILE, as [FILE,1] in antsApplyTransforms. [default:
        none, all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        Required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default: the inverse of
        ``masks_to_dwi``, if this has only matrices]
    step : float, optional
        Step length, in mm; [default: half a voxel]
    angle : float, optional
        Largest angle between consecutive steps, in degrees; [default: 45]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions of ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Image of region numbers, 0 for none.

        The image must be in the space of the orientations. Counts the accepted streamlines between regions, and writes connectome_counts
        and connectome_lengths. With ``out`` NAME.npz these are NAME_counts.npz and NAME_lengths.npz. Streamlines need not be stored.
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
    assignment : {"radial", "end-voxel"}, optional
        Rule that assigns streamlines to regions. [default: radial]

        - ``radial``: Nearest labelled voxel within ``assignment_radius`` of each streamline end.

        - ``end-voxel``: Voxel of each end.
    assignment_radius : float, optional
        Search radius for a region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. Its grid can differ, but it must be in the space of the masks.
        Streamlines terminate in grey matter. Streamlines that terminate in white matter or enter CSF are rejected.
    no_cropping : bool
        Do not crop streamline ends in the cortex at the grey/white interface.
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
        dwi_to_masks, "step": step, "angle": angle, "seed_cutoff": seed_cutoff, "min_length": min_length, "max_length": max_length,
        "at_max_length": at_max_length, "products": products, "threshold": threshold, "format": format, "matrix": matrix, "target_columns":
        target_columns, "seed_list": seed_list, "measure": measure, "matrix_format": matrix_format, "resume": resume, "labels": labels,
        "label_names": label_names, "assignment": assignment, "assignment_radius": assignment_radius, "five_tissues": five_tissues,
        "no_cropping": no_cropping, "seed_interface": seed_interface, "back_tracking": back_tracking, "integrator": integrator,
        "initial_fibre": initial_fibre, "fraction_stops": fraction_stops, "loop_check": loop_check, "nearest": nearest, "max_steps":
        max_steps, "min_half_length": min_half_length, "preset": preset, "force": force, "log": log, "device": device, "device_memory":
        device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
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

    Writes the maps, matrices and tractograms of `arcuate track` with ``part``, with the same bits as one run. It repeats the command of the
    parts without ``part``. If that command has relative paths, call it in the same folder. The parts are kept.

    Parameters
    ----------
    parts : path
        Folder of the parts: NAME.parts of the result NAME.
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
        Tractogram (.tck, .trk, .trx).
    dwi : path
        Diffusion series, 4-D.
    out : path
        Output: folder for the weights and maps.
    mask : path, optional
        Mask of the voxels to process.

        [default: all voxels that streamlines pass]
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
    lesion : one or several of str, optional
        Remove these streamlines virtually; may be repeated.

        GROUP is the name of a group in a .trx, or a text file of streamline numbers, counted from 0.
    refit : bool
        Refit the remaining streamlines after each lesion.
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
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        The mean signal of each shell is a free parameter. [default: shells with at least 15 axes, or as many axes as the largest shell]
    eigenvalues : str, optional
        Eigenvalues λ₁,λ₂,λ₃ of a fascicle's tensor in µm²/ms, with λ₂ = λ₃. [default: 1,0,0]
    orientations : str, optional
        Orientations for which responses are tabulated.

        The value is a number of orientations, or a text file of directions in scanner axes. [default: 1057]
    normalise_signal : bool
        Divide the signal of each voxel by its mean b = 0 signal, as DIPY does.
    node_value : {"count", "length"}, optional
        Weight of a streamline point in the model: 1, or its segment's length in mm. [default: count]
    solver : {"barzilai-borwein", "sbbnnls"}, optional
        Solver. [default: barzilai-borwein]
    regularise : {"none", "lasso"}, optional
        Penalty that regularises the result.

        The penalty on streamline weights leaves fewer streamlines (ReAl-LiFE). [default: none]

        - ``lasso``: λ Σ w: few streamlines.
    lambda_ : float, optional
        Strength of the penalty.

        The value is a fraction, at least 0 and below 1, of max(Mᵀy), the smallest penalty that sets all weights to 0. A fraction does not
        depend on the unit of the signal.
    tolerance : float, optional
        Relative tolerance at which iterations stop.

        The tolerance is relative to the projected gradient when all weights are 0. [default: 0.0001]
    iterations : int, optional
        Largest number of iterations. [default: 500]
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
        Tractogram (.tck, .trk, .trx).
    out : path
        Output: folder for the weights and maps.
    dwi : path, optional
        Diffusion series, 4-D.
    scalar_map : path, optional
        Map of ``model`` scalar-map, 3-D.
    mask : path, optional
        Mask of the voxels to process.

        [default: all voxels that streamlines pass]
    peaks : path, optional
        Directions of the extra-axonal compartments: an image or a folder.

        An image is 4-D and has 1 to 5 peaks per voxel. A folder contains samples of fibre orientations: X.bedpostX, or a fit with
        ``method`` mcmc. Then the mean orientation of each fibre is used. [default: no extra-axonal compartments]
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the peaks.

        `fsl` means image axes, with x negated if the determinant of the affine is positive. If the streamlines agree better with the peaks
        in other axes, the command stops with an error unless this option is given. [default: scanner]
    peak_threshold : float, optional
        Ignore peaks shorter than this fraction of the longest peak in the voxel. [default: 0.1]
    confidence : path, optional
        3-D image of the weight of each voxel in the fit, 0 or larger.
    orientations : str, optional
        Orientations for which responses are tabulated.

        The value is a number of orientations, a text file of directions (scanner axes), `exact` (spherical harmonics, no table), or `auto`.
        `auto` selects `exact`, unless it takes more than three times the arithmetic of a table. Then it selects 4096 orientations, or those
        of ``dictionary``. [default: auto]
    precision : {"single", "double"}, optional
        Arithmetic precision. [default: single]
    predicted : bool
        Write the predicted series.

        Writes commit_signal.nii.gz.
    compat : bool
        Also write the files that dmri-commit 2.4 writes, into Results_<Model>
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps.

        [default: nii.gz]
    merge_b0 : bool
        Replace all b = 0 measurements by their mean.
    no_normalise_signal : bool
        Do not divide the signal of a voxel by its mean b = 0 signal.
    no_normalise_kernels : bool
        Do not divide responses and streamline lengths by their norms.

        With normalisation (without this option), the solver needs fewer iterations, and penalties treat short and long streamlines alike.
        Weights are per mm in both cases.
    demean : bool
        From the signal of each voxel and each response, subtract its mean.
    min_b0 : float, optional
        Ignore voxels with less than this fraction of the mean b = 0 signal. [default: 0]
    dictionary : path, optional
        Folder that trk2dictionary.run of dmri-commit wrote.

        Streamlines and peaks are read from it. If a tractogram is given, it is only copied to the results.
    dictionary_directions : path, optional
        Text file of the dictionary's directions: x y z per line, in image axes.

        As numpy.savetxt(FILE, amico.lut.load_directions(500)) writes it.
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
    regularise : {"none", "lasso", "group-sparse", "sparse-group"}, optional
        Penalty that regularises the result.

        The penalty on streamline weights leaves fewer streamlines. [default: none]

        - ``lasso``: λ Σ x: few streamlines.

        - ``group-sparse``: λ Σ w ‖x_g‖: few groups (COMMIT2).

        - ``sparse-group``: Both penalties.
    groups : str, optional
        Groups of streamlines: a text file, names of groups in a .trx, or `all`.

        The text file has one group name per streamline, with `-` for a streamline in no group. Names are separated by commas.
    group_weights : {"size", "adaptive"}, optional
        Weight of a group's penalty.

        `size` is the square root of the number of streamlines in the group. `adaptive` divides it by the norm of the group's weights in a
        fit without penalty (COMMIT2). [default: size]
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
    lambda_curve : int, optional
        Fit with N penalty strengths, down to ``lambda_``; writes commit_lambda_curve.csv.

        The first strength is the smallest one that sets all streamline weights to 0. Each fit starts from the previous one.
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
        Tractogram (.tck, .trk, .trx).
    like : path
        Image whose voxel grid the output has.
    out : path
        Output: image.
    kind : {"counts", "lengths", "directional"}, optional
        Quantity of the map. [default: counts]

        - ``counts``: Number of streamlines in the voxel.

        - ``lengths``: Mean length of these streamlines in mm.

        - ``directional``: Sum of unsigned streamline directions (left–right, front–back, up–down), scaled so that its length is the number
        of streamlines.
    by_length : bool
        In each voxel, sum the lengths of streamline segments (mm), not their number.
    weights : path, optional
        Weights of the streamlines: a text file with one number each.
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
    weights, or counts), connectome_lengths (mean, mm), or those of ``measure``. Writes the two regions of each streamline, 0 0 for none.
    With several parcellations, file names begin with the parcellation. CIFTI-2 labels add .pconn.nii files. ``out`` NAME.npz writes sparse
    matrices for SciPy instead: NAME_counts.npz, NAME_weights.npz, NAME_lengths.npz, the rows in NAME_regions.tsv, and NAME_assignments.txt.

    Parameters
    ----------
    tractogram : path
        Tractogram (.tck, .trk, .trx).
    labels : one or several of path
        Image of region numbers, 0 for none.

        Labels of the vertices of ``surfaces`` (.annot, .label.gii) and CIFTI-2 labels (.dlabel.nii) are also accepted. Several files,
        separated by commas, are separate parcellations. The files of the left and right hemisphere, such as lh.aparc.annot,rh.aparc.annot,
        are one parcellation.
    out : path
        Output: folder for the matrices, or a file name that ends in .npz.
    surfaces : one or several of path, optional
        Surfaces whose vertices are labelled, one per hemisphere.
    reference : path, optional
        Image that defines the space of the file.

        Needed only for surfaces in FreeSurfer's coordinates whose file does not state the position of the volume (c_ras).
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        Coordinate space of the surface; replaces the space that the file states.

        - ``caret``: Scanner millimetres, from Caret and Workbench.

        - ``tkras``: FreeSurfer's surface coordinates (tkRAS) of the reference image.

        - ``freesurfer``: FreeSurfer's coordinates as FSL reads them, if the reference is a conformed image.

        - ``first``: FSL's millimetres, from FIRST.

        - ``vox``: Voxel coordinates of the reference image, with x counted from the right.
    weights : path, optional
        Weights of the streamlines: a text file with one number each.
    measure : one or several of str, optional
        Measures of each matrix entry.

        `count` is always written. `weight` is the sum of weights, and `length` the mean length. NAME=FILE gives the mean of the values in
        FILE, and sum:NAME=FILE their sum. FILE is an image that is sampled along streamlines, or a text file with one number per
        streamline. [default: count,weight,length]
    label_names : path, optional
        Region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
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
    counted from 1 (find the biggest), or with ``clusters`` the number of its k-means cluster. Rows without connections get 0. Writes an
    image, .label.gii or .dlabel.nii with ``like``, or a table (.tsv).

    Parameters
    ----------
    matrix : path
        Connectivity matrix.
    out : path
        Output: image, .label.gii, .dlabel.nii or .tsv.
    clusters : int, optional
        Divide the matrix rows into N k-means clusters.

        Without this option, each row gets the number of the column (target) with its largest value.
    similarity : {"cosine", "euclidean"}, optional
        Similarity of rows. [default: cosine]

        - ``cosine``: Cosine of the angle between rows, which does not depend on their numbers of streamlines.

        - ``euclidean``: Euclidean distance.
    restarts : int, optional
        Number of k-means runs from different starts; the best result is used.

        [default: 10]
    like : path, optional
        Image whose voxel grid the output has.

        If the matrix rows are vertices of a surface, give the surface, or a CIFTI-2 file with the same vertices.
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
    with their streamlines. ``stop`` and ``stop_on_exit`` cut streamlines first; the other options test the cut streamlines.

    Parameters
    ----------
    tractograms : one or several of path
        Tractograms (.tck, .trk, .trx).
    out : path
        Output: tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz).
    reference : path, optional
        Image that defines the space of the file.

        Used for a .trk or .trx. [default: the space of the first input file that states one]
    skip : int, optional
        Skip this many of the selected streamlines. [default: 0]
    select : int, optional
        Stop at this many streamlines.
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions.
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: Pass every waypoint.

        - ``any``: Pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes waypoints in the order given.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate streamlines at their first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate streamlines when they leave these regions.

        A streamline that begins inside a region may leave it once.
    targets : one or several of str, optional
        Target regions.

        Prints the number of streamlines that pass each region. In a .trx output, each target is a group of streamlines.
    region_test : {"line", "points", "ends"}, optional
        Part of a streamline that is tested against ``waypoints``, ``avoid`` and ``targets``.

        The options ``stop`` and ``stop_on_exit`` always test the points of the streamline. [default: line]

        - ``line``: Voxels that the line between the points passes.

        - ``points``: Voxels that contain a point of the streamline.

        - ``ends``: Voxels that contain one of the two ends.
    min_length : float, optional
        Shortest streamline, in mm.

        Shorter streamlines are removed.
    max_length : float, optional
        Longest streamline, in mm.

        Longer streamlines are removed.
    weights : path, optional
        Weights of the streamlines: a text file with one number each.

        The weights have the order of the streamlines of all input files.
    min_weight : float, optional
        Smallest weight to keep.
    max_weight : float, optional
        Largest weight to keep.
    weights_out : path, optional
        Write the weights of the kept streamlines.
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

    Writes one value per point: as text (.txt, .csv) with one line per streamline, or in the tractogram (.trx, .trk). With ``statistic``,
    writes one number per streamline. Points outside the image have the value 0.

    Parameters
    ----------
    tractogram : path
        Tractogram (.tck, .trk, .trx).
    image : path
        Image of one volume.
    out : path
        Output: text file (.txt, .csv), or tractogram with the values (.trx, .trk).
    statistic : {"mean", "median", "min", "max"}, optional
        Write this statistic for each streamline, instead of one value per point.

        - ``mean``: Mean, in which each point has the weight of the streamline length around it.
    nearest : bool
        Use the nearest voxel, without interpolation.
    name : str, optional
        Name that the values get in the .trx or .trk.

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
        Input file.
    output : path
        Output file; its ending chooses the format.
    reference : path, optional
        Image that defines the space of the file.

        Used for a tractogram (.trk, .trx), a gradient table in image axes, or a surface. For a matrix that is converted to .dconn.nii, it
        is a CIFTI-2 file with the vertices and voxels of rows and columns.
    gradients : path, optional
        Gradient table in one file.

        [default: that of the header, or .bval and .bvec next to the series]
    positions : {"f16", "f32", "f64"}, optional
        Data type of tractogram positions; f16 is possible only in .trx.

        [default: f32]
    folder : bool
        Write a .trx as a folder instead of an archive.
    nifti_2 : bool
        Write NIfTI-2.
    volumes : str, optional
        Volumes to keep, counted from 0, such as 0,4,10-15.
    shells : one or several of float, optional
        Shells to use, by their b-values in s/mm².

        The value 0 selects measurements with b = 0.
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        Coordinate space of the surface; replaces the space that the file states.

        - ``caret``: Scanner millimetres, from Caret and Workbench.

        - ``tkras``: FreeSurfer's surface coordinates (tkRAS) of the reference image.

        - ``freesurfer``: FreeSurfer's coordinates as FSL reads them, if the reference is a conformed image.

        - ``first``: FSL's millimetres, from FIRST.

        - ``vox``: Voxel coordinates of the reference image, with x counted from the right.
    structure : str, optional
        Brain structure of a surface, or structure to extract from a CIFTI-2 file.

        For example CORTEX_LEFT.
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
        Files to describe.
    json : bool
        Print JSON.

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

    Writes BART's arrays: ksp (1 × samples × readouts × coils), traj (3 × samples × readouts, cycles per field of view), and with ``coils``
    also sens (sensitivities). Writes the mean of the object in each voxel as truth.nii.gz.

    Parameters
    ----------
    out : path
        Output: folder for the data.
    object : str, optional
        Object to image: shepp-logan, or a text file of ellipsoids.

        Each line of the file is an ellipsoid: its value, centre x y z (mm), half axes x y z (mm), and rotation about z (degrees). [default:
        shepp-logan]
    size : one or several of int, optional
        Number of voxels along each axis.

        Give X,Y for one slice, or X,Y,Z for a volume. [default: 128,128]
    fov : float, optional
        Field of view in mm. [default: 220]
    trajectory_kind : {"cartesian", "radial", "radial-3d", "spiral", "cones", "rosette"}, optional
        Kind of trajectory. [default: radial]

        - ``cartesian``: Line by line.

        - ``radial``: Spokes in a plane, in steps of the golden angle.

        - ``radial-3d``: Spokes from the centre of k-space in 3-D directions given by the golden means.

        - ``spiral``: Spirals in a plane; a volume is a stack of such slices.

        - ``cones``: Spirals on cones about z.

        - ``rosette``: Rosettes.
    readouts : int, optional
        Number of readouts: spokes, spiral interleaves per slice, cones or rosette shots.

        [default: enough to sample k-space fully; 16 interleaves, 16 shots]
    samples : int, optional
        Number of samples per readout.

        [default: spaced at half the Nyquist distance]
    turns : float, optional
        Number of turns of a spiral, of a cone at the equator, or of a rosette.

        [default: enough to sample k-space fully]
    petals : float, optional
        Number of petals of one shot of a rosette trajectory.

        [default: 17]
    coils : int, optional
        Number of receive coils around the object.

        [default: one coil with uniform sensitivity]
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise.

        The ratio is the largest value of the object divided by the noise of a fully sampled Cartesian image. [default: 0]
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
        Output: folder for the brain.
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
    gradients : path, optional
        Gradient table in one file.

        The file is MRtrix's table (x y z b, in scanner axes). Replaces ``directions``, ``b_value`` and ``b0s``.
    streamlines_per_bundle : int, optional
        Number of known streamlines per bundle. [default: 200]
    tissues : bool
        Simulate realistic tissues, and write the true tissues, bias and FODs.

        In the images, CSF is 3.5 times as bright as white matter, all white matter has the same fibre response, and there is a bias field.
        Writes truth_5tt, truth_bias, truth_fod and MRtrix's responses.
    meshes : bool
        Write surfaces into the folder surfaces.

        The files are the white and pial surface of each hemisphere, regions and cortex at their vertices, nuclei as meshes and voxels, and
        CIFTI-2 files.
    tract_protocols : bool
        Write tract protocols into the folder protocols.

        The folder has XTRACT's layout, for `arcuate track samples protocols`. It contains masks of each bundle in a standard space, and the
        transform to the simulated brain.
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
    shells: Optional[Several[Word]] = None,
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

    Runs `simulate` into OUT/brain and `run` with its defaults into OUT/results: fibre orientation distributions, COMMIT and a connectome.
    Compares the result with the truth: bundles found, false connections, angular error. The report is OUT/results/report.html.

    Parameters
    ----------
    out : path
        Output: folder for the brain and the results.
    voxel_size : float, optional
        Voxel size in mm. [default: 3.5]
    snr : float, optional
        Signal-to-noise ratio, 0 for no noise.

        The signal is the b = 0 signal of white matter. [default: 30]
    shells : one or several of str, optional
        Shells to use, by their b-values in s/mm².

        B:N has N directions. `run` chooses its methods from the shells. [default: 0:6,1000:20,2000:40]
    select : int, optional
        Stop at this many streamlines. [default: 5000]
    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
    """
    told = {
        "out": out, "voxel_size": voxel_size, "snr": snr, "shells": shells, "select": select, "force": force, "log": log, "device": device,
        "device_memory": device_memory, "threads": threads, "random_seed": random_seed, "progress": progress,
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
        Folder of results, or a result file with its record (JSON) next to it.
    out : path, optional
        Output: HTML page.

        [default: report.html in the folder, or NAME.html next to the file]
    anatomy : path, optional
        Background image of maps and streamlines in the report.

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
