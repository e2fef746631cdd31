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

    Runs these commands with their defaults: mask, fit tensor, the reconstruction and tracking that ``tracking`` selects, evaluate, density,
    and, if ``labels`` is given, connectome. Then writes a report of all results. With ``dry_run``, prints these commands, which write the
    same files if they are called one by one. A recipe file (``recipe``) sets options of these commands.

    Parameters
    ----------
    dwi : path, optional
        Diffusion series: a 4-D image of all measurements.
    out : path, optional
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
    show_recipe : bool
        Print a recipe (TOML file) with all options of the commands and their defaults.
    dry_run : bool
        Print the commands that the run consists of, but do not run them.
    share : str, optional
        Share of the run that this job computes: prepare, or N/OF such as 1/8.

        Shares divide the tracking of one run over several jobs. First run the command with ``share`` prepare, which computes everything
        before tracking. Then run it with ``share`` 1/8 to ``share`` 8/8, at the same time. Then run it without ``share``, which merges the
        shares. This option needs ``tracking`` samples, and a recipe with `seeds` or `per-seed` in [track.samples].
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

    Prints one line per scan with the time and the state: done, running, interrupted, or failed with the reason. Can be called while scans
    are processed. The exit code is 1 if a scan failed or was interrupted.

    Parameters
    ----------
    folder : path
        Root folder of the BIDS derivatives, or the folder of ``work_dir``.
    json : bool
        Print the result as JSON.

        The JSON text has one object per scan.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    This command is a BIDS App. It runs `arcuate run` on each preprocessed series (from QSIPrep, or any *_desc-preproc_dwi) and writes BIDS
    derivatives. Gradient tables and JSON sidecars follow BIDS's inheritance. A failed scan does not stop the other scans. If the same
    command is called again, it processes only the scans that are missing or have changed. Level `group` writes a table, a stack of
    connectomes and a report of all scans.

    Parameters
    ----------
    root : path
        Root folder of the BIDS data set to read.
    output : path
        Root folder of the BIDS derivatives to write.
    level : {"participant", "group"}, optional
        Level of the BIDS analysis.

        - ``participant``: Process each scan of the chosen participants with `arcuate run`.

        - ``group``: Summarise the results of all processed scans in a table and a report.
    participant_label : one or several of str, optional
        Labels of the participants to process, with or without sub-

        [default: all]
    session_label : one or several of str, optional
        Labels of the sessions to process, with or without ses-

        [default: all]
    scan : one or several of str, optional
        Names of the scans to process, such as sub-01_ses-a_run-2_space-ACPC.

        `arcuate bids status` prints the names of scans. [default: all scans of the chosen participants and sessions]
    bids_filter_file : path, optional
        Filter file that selects scans, in the format of fMRIPrep and QSIPrep.

        The file is JSON, such as {"dwi": {"session": "a", "run": ["1", null]}}.
    derivatives : one or several of path, optional
        More folders of derivatives, with anatomical images, atlases or tissue maps.

        The images must be in the space of the diffusion series.
    raw : bool
        Also accept diffusion series that were not preprocessed.
    skip_bids_validation : bool
        Do not check the scans against the tables and JSON sidecars of the data set.
    atlas : str, optional
        Atlas for connectomes: its label in file names (atlas-, seg- or desc-).

        If the data set has several atlases and this option is not given, no connectome is written. [default: the only atlas of the data
        set; if there is none, FreeSurfer's aparcaseg]
    tracking : {"distributions", "tensor", "geodesic", "samples"}, optional
        Field of fibre directions that streamlines follow.

        [default: distributions, samples or tensor, which `arcuate run` chooses from the gradient directions]

        - ``distributions``: Fibre orientation distributions (FODs), which constrained spherical deconvolution estimates.

        - ``tensor``: Principal directions of the diffusion tensors: one fibre per voxel.

        - ``geodesic``: Directions of shortest paths (geodesics) through the diffusion tensors.

        - ``samples``: Random samples of the orientations of two fibres per voxel, drawn from the posterior distribution.
    evaluate : {"life", "commit", "none"}, optional
        Method that evaluates the streamlines against the measured signal.

        [default: commit with ``tracking`` distributions and samples; life with ``tracking`` tensor and geodesic]

        - ``life``: Evaluate with LiFE (Linear Fascicle Evaluation), as `arcuate evaluate life` does.

        - ``commit``: Evaluate with COMMIT (Convex Optimization Modeling for Microstructure Informed Tractography).

        - ``none``: Do not evaluate the streamlines.
    select : int, optional
        Stop after this many streamlines.

        This option cannot be used with ``tracking`` geodesic. [default: 50000]
    recipe : path, optional
        Recipe: TOML file with options of the commands, such as [track.tensor]
    share : str, optional
        Share of the run that this job computes: prepare, or N/OF such as 1/8.

        Shares divide the tracking of one run over several jobs. First run the command with ``share`` prepare, which computes everything
        before tracking. Then run it with ``share`` 1/8 to ``share`` 8/8, at the same time. Then run it without ``share``, which merges the
        shares. This option needs ``tracking`` samples, and a recipe with `seeds` or `per-seed` in [track.samples].
    work_dir : path, optional
        Folder of intermediate files, from which a cancelled command resumes.

        [default: OUT/.arcuate]
    mem_mb : int, optional
        Available memory in MB; a scan that needs more memory is refused.
    workflow : path, optional
        Write a Snakemake workflow with one job per scan, and process no scan.
    jobs_per_gpu : int, optional
        Number of jobs of the workflow that use one GPU at the same time.

        ``device_memory`` limits the GPU memory of each of these jobs. Without this option, the jobs use no GPU. [default: no GPU]
    shares : int, optional
        Number of jobs of the workflow that divide the tracking of each scan.

        The jobs call `arcuate run` with ``share``. [default: 1]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Solves (FᴴF + λ WᴴW) ρ = Fᴴd for the image ρ by conjugate gradients, with exact Fourier sums. F is the Fourier transform at the samples,
    d are the data, and λ WᴴW is the penalty. Reads arrays of BART (.cfl with .hdr) or NumPy (.npy) in BART's dimensions. The dimensions of
    k-space are 1 × samples × readouts × coils. The trajectory has 3 × samples × readouts (in cycles per field of view), and coil
    sensitivities have x × y × z × coils. Writes the magnitude image, and the phase in radians as NAME_phase. If ``out`` ends in .cfl,
    writes the complex image as BART's array. Without coil sensitivities, each coil is reconstructed separately, and the coil images are
    combined by the root of the sum of squares.

    Parameters
    ----------
    kspace : path
        Array of k-space samples (.cfl or .npy).
    trajectory : path
        Trajectory: array of the k-space coordinates of the samples (.cfl or .npy).
    out : path
        Output: reconstructed image (.nii.gz, .nii, .mif or .cfl).
    sensitivities : path, optional
        Array of coil sensitivities (.cfl or .npy).
    method : {"cg", "adjoint", "gridding"}, optional
        Method: algorithm that computes the image from the k-space samples.

        `cg` solves for the image by conjugate gradients. `adjoint` only applies the adjoint Fourier transform Fᴴ to the data d. `gridding`
        interpolates the samples to a Cartesian grid, for comparison with the exact methods. [default: cg]
    regularise : str, optional
        Penalty that is added to the misfit, to regularise the result.

        `tikhonov` penalises the sum of squared voxel values. `differences` penalises the squared differences between neighbouring voxels.
        `anatomy=IMAGE` does the same, but reduces the penalty between voxels that have an edge (a large difference) between them in IMAGE.
        If IMAGE has another voxel grid, it is resampled by world coordinates. [default: tikhonov]
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
    density : str, optional
        Density compensation of the k-space samples, for ``method`` gridding.

        The value is pipe-menon, voronoi, none, or a text file with one weight per sample. [default: pipe-menon]
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
    size : one or several of int, optional
        Number of voxels of the image along each axis.

        Give two numbers for one slice, such as 256,256, or three for a volume, such as 128,128,64. [default: the size of ``like``, or else
        of ``sensitivities``, or else twice the largest k-space coordinate of the trajectory]
    fov : one or several of float, optional
        Field of view in mm.

        Give one length for all axes, or three lengths for x, y and z. For one slice, the slice thickness equals the voxel width. The field
        of view sets the voxel size. It also sets the scale of a trajectory in 1/m.
    like : path, optional
        Image whose voxel grid the output gets.
    trajectory_unit : {"fov", "voxel", "radian", "per-metre"}, optional
        Unit of the k-space coordinates in the trajectory.

        If the range of the coordinates suggests another unit than the default, the command stops with an error. [default: fov]

        - ``fov``: Cycles per field of view: coordinates from −n/2 to n/2 for n voxels.

        - ``voxel``: Cycles per voxel: coordinates from −½ to ½.

        - ``radian``: Radians per voxel: coordinates from −π to π.

        - ``per-metre``: Cycles per metre (1/m).
    sample_weights : path, optional
        Array of complex weights by which the k-space samples were multiplied.
    save_q : path, optional
        Write Q, the convolution kernel of FᴴF for this trajectory, for use with ``q``.
    q : path, optional
        Read the convolution kernel Q that an earlier run wrote with ``save_q``.
    truth : path, optional
        True image, with which the reconstructed image is compared.
    complex : bool
        Write one complex image instead of a magnitude image and a phase image.
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Applies a median filter and Otsu's threshold to the mean b = 0 image and to the mean weighted image. Then keeps the largest connected
    component and fills its holes.

    Parameters
    ----------
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: mask image with the value 1 in the brain and 0 outside.
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

    Converts a FreeSurfer segmentation, or maps of tissue fractions from 0 to 1. The five volumes of the image are the fractions of cortical
    grey matter, sub-cortical grey matter, white matter, cerebrospinal fluid (CSF) and pathological tissue, as in MRtrix. The fractions of a
    voxel in the brain sum to 1. For this, the maps are divided by their sum if the sum is at least 0.5. If the sum is smaller, all
    fractions of the voxel are 0.

    Parameters
    ----------
    segmentation : path, optional
        FreeSurfer's label image of the brain, such as aparc+aseg.mgz; needs ``lut``.
    out : path
        Output: 5TT image, with one volume for each of the five tissues.
    lut : {"FreeSurfer"}, optional
        Table with the meaning of the labels in the segmentation.

        - ``FreeSurfer``: Labels of FreeSurfer's images aseg, aparc+aseg, aparc.a2009s+aseg and wmparc.
    grey_matter : path, optional
        Map of grey-matter fractions from 0 to 1; required without a segmentation.
    white_matter : path, optional
        Map of white-matter fractions from 0 to 1.
    csf : path, optional
        Map of the fractions of cerebrospinal fluid (CSF), from 0 to 1.
    subcortical : path, optional
        Map of the fractions of sub-cortical grey matter, from 0 to 1.

        These fractions are subtracted from the map of ``grey_matter``.
    pathological : path, optional
        Map of the fractions of pathological tissue, from 0 to 1.
    interface : path, optional
        Write an image of the boundary of grey and white matter, to place seeds there.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Writes response_wm.txt, and for several tissues also response_gm.txt and response_csf.txt. These text files have MRtrix's format: one
    row per shell, and one column for each of the degrees 0, 2, 4, … of the spherical harmonics. Also writes response_voxels.nii.gz, the
    voxels from which the responses were estimated.

    Parameters
    ----------
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: folder for the response functions.
    mask : path, optional
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

    Writes tensor.nii.gz with the elements D11 D22 D33 D12 D13 D23 (mm²/s, scanner axes). Writes the maps s0 (signal at b = 0), residual
    (root mean square, in the unit of the signal), and fa (fractional anisotropy). Writes the maps md, ad and rd (mean, axial and radial
    diffusivity, mm²/s). Writes eigenvalues (mm²/s), eigenvectors (three unit vectors, scanner axes) and principal_direction (the first
    eigenvector). Writes colour_fa, in which red is left–right, green front–back and blue up–down.

    Parameters
    ----------
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: folder for the maps.
    mask : path, optional
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
    names : {"arcuate", "fsl"}, optional
        Naming scheme for the files of the maps. [default: arcuate]

        - ``arcuate``: Names such as fa and md; maps of directions are in scanner axes.

        - ``fsl``: Names of FSL's dtifit such as dti_FA; maps of directions are in the axes of bvec files.
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

    With the response of one tissue, deconvolves the shell with the largest b-value, with a soft non-negativity constraint. With the
    responses of several tissues, deconvolves all shells, with a hard non-negativity constraint. Writes wm_fod.nii.gz, the fibre orientation
    distributions (FODs) of white matter as spherical harmonics in MRtrix's basis and order. Writes peaks.nii.gz (up to three peaks per
    voxel in scanner axes, whose lengths are the FOD amplitudes) and peak_amplitude.nii.gz. With several tissues, also writes gm.nii.gz and
    csf.nii.gz (amounts of grey matter and cerebrospinal fluid), and vf.nii.gz with all three tissues.

    Parameters
    ----------
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    responses : one or several of path
        Response functions: a folder of `arcuate response`, or files.

        The files, separated by commas, are the responses of white matter, grey matter and cerebrospinal fluid (CSF), in this order. If the
        series has only one shell with b > 0, only the responses of white matter and CSF are used.
    out : path
        Output: folder for the maps.
    mask : path, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    order : int, optional
        Largest degree of the spherical harmonics (an even number).

        [default: the degree of the white-matter response, but at most 8]
    normalise : bool
        Correct the smooth intensity bias of the tissue maps.

        Divides the maps of all tissues by a smooth intensity field, and writes this field as field.nii.gz.
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
    a name that `arcuate fit list` prints, or a file in the model language. These models are fitted by a grid search, and then by the
    Levenberg–Marquardt method within the bounds of the parameters. Writes one map per parameter (an orientation as three volumes, in
    scanner axes), and maps that are computed from the parameters. Writes a map of the residual (root mean square, in the unit of the
    signal) and a map of the status. The status of a voxel is 0 outside the mask, 1 converged, 2 converged at a bound, or 3 largest number
    of evaluations reached. It is 4 if there is no signal, 5 if there are too few measurements, and 6 if the model has no signal. With
    ``method`` mcmc, it is 7 if no proposal was accepted, and 8 if the voxel was sampled. If several models are given, each has its own
    folder.

    Parameters
    ----------
    models : str
        Models: names from `arcuate fit list` or model files, separated by commas.
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: folder for the maps.
    mask : path, optional
        Mask image of the voxels to process.

        [default: the brain that `arcuate mask` finds]
    max_b : float, optional
        Largest b-value to fit, in s/mm².

        [default: all]
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        Measurements with b = 0 are always used, too. [default: all shells]
    fix : one or several of str, optional
        Fix a parameter of the model, so that it is not fitted.

        NAME=VALUE fixes the parameter at a number in its unit. NAME=IMAGE fixes it at the value of the image in each voxel. NAME alone
        fixes it at its start value.
    start : one or several of str, optional
        Start the fit of a parameter at a value in its unit, or at an image.

        With NAME=IMAGE, the start value in each voxel is the value of the image. Without this option, the model defines the start value.
    free : one or several of str, optional
        Fit this parameter, which the model file fixes.
    column : one or several of str, optional
        Text file with one number per measurement, such as its echo time.

        NAME is the name of a quantity that the model needs for each measurement, in addition to b-values and directions. The file of the
        model states the unit of this quantity.
    map : one or several of str, optional
        Image of a quantity that the model needs in each voxel, such as T1.

        NAME is the name of the quantity. The file of the model states the unit of this quantity.
    gradient_deviations : path, optional
        Image of gradient deviations, such as grad_dev of FSL and of the HCP.

        The image has nine volumes, which describe how the actual gradients in each voxel differ from the nominal ones. The HCP is the Human
        Connectome Project. Without this option, all voxels have the same gradients.
    method : {"lm", "grid", "mcmc"}, optional
        Method: algorithm that finds the parameters. [default: lm]

        - ``lm``: Find the best fit: by a grid search, and then by the Levenberg–Marquardt method.

        - ``grid``: Find the best combination of the parameter values in the model's search grids.

        - ``mcmc``: Draw samples of the posterior distribution by Markov chains (Metropolis within Gibbs).
    compare : {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Criterion that compares the models in each voxel.

        The criterion is an information criterion: the model with its smallest value is the best. The criteria bic-maximum, dic and waic
        need ``method`` mcmc.

        - ``aic``: Akaike information criterion (AIC) of the best fit.

        - ``aicc``: Akaike information criterion of the best fit, corrected for few measurements (AICc).

        - ``bic``: Bayesian information criterion (BIC) of the best fit.

        - ``bic-maximum``: Bayesian information criterion (BIC) of the posterior sample with the smallest sum of squared residuals.

        - ``dic``: Deviance information criterion (DIC) of the posterior samples.

        - ``waic``: Widely applicable information criterion (WAIC) of the posterior samples.
    criteria : one or several of {"aic", "aicc", "bic", "bic-maximum", "dic", "waic"}, optional
        Write maps of these information criteria for each model.

        The criteria bic-maximum, dic and waic need ``method`` mcmc.

        - ``aic``: Akaike information criterion (AIC) of the best fit.

        - ``aicc``: Akaike information criterion of the best fit, corrected for few measurements (AICc).

        - ``bic``: Bayesian information criterion (BIC) of the best fit.

        - ``bic-maximum``: Bayesian information criterion (BIC) of the posterior sample with the smallest sum of squared residuals.

        - ``dic``: Deviance information criterion (DIC) of the posterior samples.

        - ``waic``: Widely applicable information criterion (WAIC) of the posterior samples.
    predicted : bool
        Also write the signal that the model predicts.

        Writes two series: the predicted signal of each measurement as predicted.nii.gz, and the measured signal minus the predicted signal
        as residuals.nii.gz.
    names : {"arcuate", "mdt", "amico", "bids"}, optional
        Naming scheme for the files of the maps. [default: arcuate]

        - ``arcuate``: Names that the model gives to its parameters and outputs.

        - ``mdt``: Names as in the NODDI toolbox for MATLAB: ficvf (intra-cellular volume fraction), fiso (isotropic volume fraction), odi
        (orientation dispersion index).

        - ``amico``: Names as in AMICO: fit_NDI (neurite density index), fit_FWF (free-water fraction), fit_ODI (orientation dispersion
        index).

        - ``bids``: Names as in BIDS derivatives, such as …_model-noddi_param-icvf_dwimap.
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    prior : one or several of str, optional
        Prior distribution of a parameter, with numbers in the unit of the parameter.

        PRIOR is uniform, normal(mean, deviation), gamma(shape, scale), log_uniform, ard, ard(weight), ard(weight, least) or
        energy(formula). `ard` (automatic relevance determination) shrinks the parameter x to 0: the density is proportional to x^(−weight)
        if x is at least `least`, and 0 if x is smaller. By default, weight is 1 and least is 0.001. In energy(formula), the formula is
        minus the logarithm of the density.
    quantiles : one or several of float, optional
        Write these quantiles of each parameter's samples, such as 0.025,0.5,0.975.

        For each parameter NAME, writes the map NAME_quantiles with one volume per quantile.
    begin_at : {"fit", "search", "model", "dispersed"}, optional
        Parameter values at which the Markov chains start.

        [default: fit]

        - ``fit``: Chains start at the best fit of the voxel.

        - ``search``: Chains start at the best result of the model's grid searches in the voxel.

        - ``model``: Chains start at the start values that the model defines.

        - ``dispersed``: Each chain of a voxel starts at other parameter values within the bounds.
    save_state : bool
        Save the state of the Markov chains in state.nii.gz and state.json, for ``resume``.
    resume : path, optional
        Resume an interrupted run of the same data and options.

        FILE is the state.nii.gz that ``save_state`` wrote, with state.json next to it. The mask may be smaller than in the earlier run.
        ``jumps``, ``interval``, ``device`` and ``threads`` may differ from the earlier run.
    trace_voxel : one or several of str, optional
        Plot the Markov chains in the voxel with these indices, counted from 0.

        The option can be given at most 8 times. Without it, the example voxel of the report is plotted. [default: the example voxel of the
        report]
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
    """List the built-in signal models, or print one of them as a model file: ``arcuate fit --list``.

    Parameters
    ----------
    models : str, optional
        Models: names from `arcuate fit list` or model files, separated by commas.
    graph : bool
        With ``list``, print the compiled formula of each MODEL (units: µm, ms and T).
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Writes the maps fa (fractional anisotropy), md, ad and rd (mean, axial and radial diffusivity, mm²/s). Writes eigenvalues (mm²/s),
    eigenvectors (three unit vectors, scanner axes) and principal_direction (the first eigenvector). Writes colour_fa, in which red is
    left–right, green front–back and blue up–down. Writes linearity, planarity and sphericity (Westin's measures, which sum to 1), and mode
    (from −1 for a disc to 1 for a stick).

    Parameters
    ----------
    tensor : path
        Tensor image with six volumes, one per tensor element, in mm²/s.
    out : path
        Output: folder for the maps.
    mask : path, optional
        Mask image of the voxels to process.

        [default: all]
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor elements in the six volumes of the image.

        [default: the order that the image header states; if it states none, arcuate]

        - ``arcuate``: Volumes D11 D22 D33 D12 D13 D23, in scanner axes.

        - ``mrtrix``: Volumes D11 D22 D33 D12 D13 D23, in scanner axes, as MRtrix's dwi2tensor writes them.

        - ``fsl``: Volumes Dxx Dxy Dxz Dyy Dyz Dzz, in the axes of the bvec file, as dtifit ``save``_tensor writes them.

        - ``dipy``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in the axes of the bvec file, as dipy_fit_dti writes them.

        - ``ants``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in voxel axes, as ANTs writes them.

        - ``lower-triangle``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in scanner axes.
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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
        Tensor image, such as tensor.nii.gz of `arcuate fit tensor`.

        The image has six volumes, D11 D22 D33 D12 D13 D23, in scanner axes. If its tensor elements have another order or other axes, use
        ``tensor_order``.
    out : path
        Output: folder, or one file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per voxel), and an .npz for the
        connectome of ``labels``.
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor elements in the six volumes of the image.

        [default: the order that the header states; if it states none, arcuate]

        - ``arcuate``: Volumes D11 D22 D33 D12 D13 D23, in scanner axes.

        - ``mrtrix``: Volumes D11 D22 D33 D12 D13 D23, in scanner axes, as MRtrix's dwi2tensor writes them.

        - ``fsl``: Volumes Dxx Dxy Dxz Dyy Dyz Dzz, in the axes of the bvec file, as dtifit ``save``_tensor writes them.

        - ``dipy``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in the axes of the bvec file, as dipy_fit_dti writes them.

        - ``ants``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in voxel axes, as ANTs writes them.

        - ``lower-triangle``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in scanner axes.
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_mask : path, optional
        Mask image of the voxels in which streamlines begin.

        [default: the voxels of ``mask`` with an FA, FOD amplitude or fibre fraction of at least ``seed_cutoff``]
    seed_points : path, optional
        Text file of seed points, with x y z of one point per line (RAS mm).
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel that a CIFTI-2 file lists.

        The values in the file are ignored. With ``matrix`` seeds, the rows of the matrix have the order of this file. ``white`` gives the
        surfaces of the vertices.
    white : one or several of path, optional
        Surface files with the vertices of ``seed_cifti``, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
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
    seed_weights : path, optional
        Image of the relative density of random seeds.

        Seeds are drawn in a voxel with a probability proportional to the value of this image.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
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
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Counts the streamlines that pass each target region. If ``out`` is a folder, also writes a map for each target NAME: the number of
        streamlines from each seed that pass this target. The map is seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii
        for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images. It can also be a transform of
        ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in
        antsApplyTransforms. [default: none; all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        This option is required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default:
        the inverse of ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions for ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        The label image must be in the space of the fibre orientations. The command counts the accepted streamlines between each pair of
        regions, and writes connectome_counts (numbers of streamlines) and connectome_lengths (mean lengths). With ``out`` NAME.npz, these
        files are NAME_counts.npz and NAME_lengths.npz. The streamlines themselves need not be stored.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        The matrix has one row per region of this file, in the order of the region numbers. A region without voxels also has a row.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. It must be in the space of the masks, but its voxel grid can be
        another one. With this image, streamlines terminate in grey matter. Streamlines that terminate in white matter, or that enter
        cerebrospinal fluid (CSF), are rejected.
    no_cropping : bool
        Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter.
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
    mask : path, optional
        Mask image of the voxels to process.

        Streamlines terminate where they leave this mask.
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
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Reads fibre orientation distributions (FODs) of white matter from `arcuate fit csd` or MRtrix's dwi2fod: coefficients of spherical
    harmonics in MRtrix's basis and order. The same random seed gives the same streamlines at any number of threads and on any device.

    Parameters
    ----------
    fod : path
        Image of the fibre orientation distributions (FODs) of white matter.

        The image has 6, 15, 28 or 45 volumes, which are the coefficients of spherical harmonics of degree 2, 4, 6 or 8.
    out : path
        Output: folder, or one file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per voxel), and an .npz for the
        connectome of ``labels``.
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_mask : path, optional
        Mask image of the voxels in which streamlines begin.

        [default: the voxels of ``mask`` with an FA, FOD amplitude or fibre fraction of at least ``seed_cutoff``]
    seed_points : path, optional
        Text file of seed points, with x y z of one point per line (RAS mm).
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel that a CIFTI-2 file lists.

        The values in the file are ignored. With ``matrix`` seeds, the rows of the matrix have the order of this file. ``white`` gives the
        surfaces of the vertices.
    white : one or several of path, optional
        Surface files with the vertices of ``seed_cifti``, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
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
    seed_weights : path, optional
        Image of the relative density of random seeds.

        Seeds are drawn in a voxel with a probability proportional to the value of this image.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
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
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Counts the streamlines that pass each target region. If ``out`` is a folder, also writes a map for each target NAME: the number of
        streamlines from each seed that pass this target. The map is seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii
        for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images. It can also be a transform of
        ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in
        antsApplyTransforms. [default: none; all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        This option is required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default:
        the inverse of ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions for ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        The label image must be in the space of the fibre orientations. The command counts the accepted streamlines between each pair of
        regions, and writes connectome_counts (numbers of streamlines) and connectome_lengths (mean lengths). With ``out`` NAME.npz, these
        files are NAME_counts.npz and NAME_lengths.npz. The streamlines themselves need not be stored.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        The matrix has one row per region of this file, in the order of the region numbers. A region without voxels also has a row.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. It must be in the space of the masks, but its voxel grid can be
        another one. With this image, streamlines terminate in grey matter. Streamlines that terminate in white matter, or that enter
        cerebrospinal fluid (CSF), are rejected.
    no_cropping : bool
        Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter.
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
    mask : path, optional
        Mask image of the voxels to process.

        Streamlines terminate where they leave this mask.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    A ray is a geodesic (shortest path) of the metric D⁻¹, the inverse of the tensor: paths are short where diffusion is fast. With
    ``targets``, the streamlines are the rays that reach a target region. These rays are cut at the target and sorted by strength, and the
    tractogram has a group for each target. The file connections.tsv lists rank, target, connectivity measure, length and drift of each ray.
    Streamlines have the values dpv/cm and dps/cm: the connectivity measure (length divided by geodesic length) of the path up to each
    point, and of the whole path. They also have dps/length (mm) and dps/drift (relative change of the ray's energy). The same seeds give
    the same rays at any number of threads, and on GPUs.

    Parameters
    ----------
    tensor : path
        Tensor image, such as tensor.nii.gz of `arcuate fit tensor`.

        The image has six volumes, D11 D22 D33 D12 D13 D23, in scanner axes. If its tensor elements have another order or other axes, use
        ``tensor_order``.
    out : path
        Output: folder, or one file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per voxel), and an .npz for the
        connectome of ``labels``.
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor elements in the six volumes of the image.

        [default: the order that the header states; if it states none, arcuate]

        - ``arcuate``: Volumes D11 D22 D33 D12 D13 D23, in scanner axes.

        - ``mrtrix``: Volumes D11 D22 D33 D12 D13 D23, in scanner axes, as MRtrix's dwi2tensor writes them.

        - ``fsl``: Volumes Dxx Dxy Dxz Dyy Dyz Dzz, in the axes of the bvec file, as dtifit ``save``_tensor writes them.

        - ``dipy``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in the axes of the bvec file, as dipy_fit_dti writes them.

        - ``ants``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in voxel axes, as ANTs writes them.

        - ``lower-triangle``: Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in scanner axes.
    all : bool
        Keep every ray at its full length.

        Without this option, ``targets`` keeps only the strongest rays to each target region, and cuts these rays at the target. [default:
        if there are no ``targets``]
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
    seed_mask : path, optional
        Mask image of the voxels in which streamlines begin.

        [default: the voxels of ``mask`` with an FA, FOD amplitude or fibre fraction of at least ``seed_cutoff``]
    seed_points : path, optional
        Text file of seed points, with x y z of one point per line (RAS mm).
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel that a CIFTI-2 file lists.

        The values in the file are ignored. With ``matrix`` seeds, the rows of the matrix have the order of this file. ``white`` gives the
        surfaces of the vertices.
    white : one or several of path, optional
        Surface files with the vertices of ``seed_cifti``, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
    seed_depth : float, optional
        Distance below the surface at which streamlines begin, in mm.

        The distance is measured from each vertex along the inward normal of the surface. Without this option, streamlines begin at the
        vertices.
    seed_grid : int, optional
        Place a regular grid of N × N × N seeds in each seed voxel.

        The seeds of the grid replace random seeds.
    seed_weights : path, optional
        Image of the relative density of random seeds.

        Seeds are drawn in a voxel with a probability proportional to the value of this image.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
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
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Counts the streamlines that pass each target region. If ``out`` is a folder, also writes a map for each target NAME: the number of
        streamlines from each seed that pass this target. The map is seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii
        for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images. It can also be a transform of
        ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in
        antsApplyTransforms. [default: none; all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        This option is required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default:
        the inverse of ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions for ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        The label image must be in the space of the fibre orientations. The command counts the accepted streamlines between each pair of
        regions, and writes connectome_counts (numbers of streamlines) and connectome_lengths (mean lengths). With ``out`` NAME.npz, these
        files are NAME_counts.npz and NAME_lengths.npz. The streamlines themselves need not be stored.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        The matrix has one row per region of this file, in the order of the region numbers. A region without voxels also has a row.
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
    mask : path, optional
        Mask image of the voxels to process.

        Rays terminate where they leave this mask.
    max_steps : int, optional
        Largest number of steps of a streamline.

        [default: the number that ``max_length`` needs]
    allow_loops : bool
        Do not terminate rays that return to an earlier position and direction.

        Without this option, such a ray terminates, because it is in a loop.
    per_seed : int, optional
        Number of streamlines that begin at each seed.

        Each streamline is a ray (shortest path) that leaves the seed in another direction. [default: 500]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    At every step, a streamline draws one sample of the fibre orientations. A connection is likely if many streamlines pass along it. Reads
    the results of bedpostX and of `arcuate fit MODEL method mcmc`. ``products`` chooses the files to write. Neither ``products`` nor the
    name of ``out`` changes a streamline. Maps have the voxel grid of the seed mask. With ``preset`` probtrackx, the options have the
    defaults of FSL's probtrackx2. The same random seed gives the same streamlines at any number of threads.

    Parameters
    ----------
    samples : path
        Folder of samples: X.bedpostX, or a result of `arcuate fit` with ``method`` mcmc.
    out : path
        Output: folder, or one file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per voxel), and an .npz for the
        connectome of ``labels``.
    fibres : one or several of str, optional
        Names of the orientation and fraction maps of each fibre, in a fit's folder.

        Give ORIENTATION=FRACTION for each fibre, separated by commas. The names are those of the model's parameters. [default: n=f for a
        model with one fibre, n1=f1,n2=f2,… for a model with several fibres]
    mask : path, optional
        Mask image of the voxels to process.

        Streamlines terminate where they leave this mask. [default: nodif_brain_mask for a bedpostX folder; for other folders, all voxels
        with samples]
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_mask : path, optional
        Mask image of the voxels in which streamlines begin.

        [default: the voxels of ``mask`` with an FA, FOD amplitude or fibre fraction of at least ``seed_cutoff``]
    seed_points : path, optional
        Text file of seed points, with x y z of one point per line (RAS mm).
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel that a CIFTI-2 file lists.

        The values in the file are ignored. With ``matrix`` seeds, the rows of the matrix have the order of this file. ``white`` gives the
        surfaces of the vertices.
    white : one or several of path, optional
        Surface files with the vertices of ``seed_cifti``, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
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
    seed_weights : path, optional
        Image of the relative density of random seeds.

        Seeds are drawn in a voxel with a probability proportional to the value of this image.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
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
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Counts the streamlines that pass each target region. If ``out`` is a folder, also writes a map for each target NAME: the number of
        streamlines from each seed that pass this target. The map is seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii
        for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images. It can also be a transform of
        ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in
        antsApplyTransforms. [default: none; all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        This option is required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default:
        the inverse of ``masks_to_dwi``, if this has only matrices]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions for ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        The label image must be in the space of the fibre orientations. The command counts the accepted streamlines between each pair of
        regions, and writes connectome_counts (numbers of streamlines) and connectome_lengths (mean lengths). With ``out`` NAME.npz, these
        files are NAME_counts.npz and NAME_lengths.npz. The streamlines themselves need not be stored.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        The matrix has one row per region of this file, in the order of the region numbers. A region without voxels also has a row.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. It must be in the space of the masks, but its voxel grid can be
        another one. With this image, streamlines terminate in grey matter. Streamlines that terminate in white matter, or that enter
        cerebrospinal fluid (CSF), are rejected.
    no_cropping : bool
        Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter.
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
    protocols : path, optional
        Folder of tract protocols: masks that define tracts, all tracked in one run.

        The folder has either XTRACT's layout or a file protocols.toml. XTRACT's layout is the file structureList and, for each tract, a
        folder with the masks seed, target (or target1, target2, …), stop, exclude and invert. The results also have XTRACT's layout:
        tracts/NAME/densityNorm.nii.gz and similar files. In addition, the command writes tracts.nii.gz (number of the strongest tract in
        each voxel) and tracts.tsv.
    tracts : one or several of str, optional
        Names of the tracts of ``protocols`` to track, separated by commas.

        [default: all]
    tract_maps : one or several of str, optional
        Images whose values are summarised in each tract of ``protocols``.

        The file tracts.tsv lists the mean, median and standard deviation of each image in each tract. The images must be in the space of
        the scan.
    blueprint : one or several of str, optional
        Surface files of the cortex, for a connectivity blueprint of ``protocols``.

        Streamlines begin at the vertices of these surfaces, which must be in the space of the scan. The result blueprint.dscalar.nii has,
        for each vertex, the proportion of each tract in the connections of this vertex.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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
    """Tracking through peaks (fibre directions) of any origin: ``arcuate track peaks``.

    Each peak is a fibre. The fraction of this fibre is the length of the peak divided by the length of the longest peak in the voxel. At
    each step, a streamline draws one of the surrounding voxels and follows the peak that is nearest to its own direction. Options and
    results are those of `arcuate track samples`.

    Parameters
    ----------
    peaks : path
        Image of peaks, with three volumes (x, y and z) for each peak of a voxel.
    out : path
        Output: folder, or one file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per voxel), and an .npz for the
        connectome of ``labels``.
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the x, y and z components of the peaks.

        Use `scanner` for peaks of MRtrix, `image` for peaks along the voxel axes, and `fsl` for peaks of FSL. With `fsl`, the axes are the
        voxel axes, but x is negated if the determinant of the image's affine matrix is positive. [default: scanner]
    min_peak : float, optional
        Length of the shortest peaks to use; shorter peaks are ignored. [default: 0]
    mask : path, optional
        Mask image of the voxels to process.

        Streamlines terminate where they leave this mask. [default: all voxels with a peak]
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_mask : path, optional
        Mask image of the voxels in which streamlines begin.

        [default: the voxels of ``mask`` with an FA, FOD amplitude or fibre fraction of at least ``seed_cutoff``]
    seed_points : path, optional
        Text file of seed points, with x y z of one point per line (RAS mm).
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel that a CIFTI-2 file lists.

        The values in the file are ignored. With ``matrix`` seeds, the rows of the matrix have the order of this file. ``white`` gives the
        surfaces of the vertices.
    white : one or several of path, optional
        Surface files with the vertices of ``seed_cifti``, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
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
    seed_weights : path, optional
        Image of the relative density of random seeds.

        Seeds are drawn in a voxel with a probability proportional to the value of this image.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
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
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Counts the streamlines that pass each target region. If ``out`` is a folder, also writes a map for each target NAME: the number of
        streamlines from each seed that pass this target. The map is seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii
        for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images. It can also be a transform of
        ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in
        antsApplyTransforms. [default: none; all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        This option is required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default:
        the inverse of ``masks_to_dwi``, if this has only matrices]
    step : float, optional
        Length of each tracking step, in mm. [default: half a voxel]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: 45]
    cutoff : float, optional
        FA, FOD amplitude or fibre fraction below which a streamline terminates. [default: 0.05]
    min_length : float, optional
        Smallest length of a streamline, in mm. [default: 20 or ten voxels, whichever is less]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions for ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        The label image must be in the space of the fibre orientations. The command counts the accepted streamlines between each pair of
        regions, and writes connectome_counts (numbers of streamlines) and connectome_lengths (mean lengths). With ``out`` NAME.npz, these
        files are NAME_counts.npz and NAME_lengths.npz. The streamlines themselves need not be stored.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        The matrix has one row per region of this file, in the order of the region numbers. A region without voxels also has a row.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. It must be in the space of the masks, but its voxel grid can be
        another one. With this image, streamlines terminate in grey matter. Streamlines that terminate in white matter, or that enter
        cerebrospinal fluid (CSF), are rejected.
    no_cropping : bool
        Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter.
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
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    First, the tensor of each voxel is fitted to the measured signal. Then the tensor is refitted ``replicates`` times. Each refit uses the
    signal that the first fit predicts, plus the residuals of the first fit in another order or with other signs. In this way, each refit
    simulates a repeated scan. The principal direction of the refitted tensor is a sample, and its fractional anisotropy (FA) is the fibre
    fraction. Options and results are those of `arcuate track samples`.

    Parameters
    ----------
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: folder, or one file if only one product is written.

        The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per voxel), and an .npz for the
        connectome of ``labels``.
    mask : path, optional
        Mask image of the voxels to process.

        Streamlines terminate where they leave this mask. [default: the brain, as `arcuate mask` finds it in the series]
    replicates : int, optional
        Number of refitted tensors (simulated repeated scans) per voxel. [default: 50]
    resampling : {"residuals", "signs"}, optional
        Rule that gives each measurement a residual of the first fit, for a refit. [default: residuals]

        - ``residuals``: Each measurement gets the residual of a measurement that is drawn at random, with replacement.

        - ``signs``: Each measurement keeps its own residual, but with a random sign (wild bootstrap).
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
    part : str, optional
        Part of the streamlines that this job computes, such as 2/8 (second of eight).

        The part is saved in the folder OUT.parts, where OUT is the name in ``out``. If all parts exist, the same command without ``part``,
        or `arcuate merge`, merges them. The merged result is bit-identical to the result of one run without parts. This option cannot be
        used with ``select``.
    seed_mask : path, optional
        Mask image of the voxels in which streamlines begin.

        [default: the voxels of ``mask`` with an FA, FOD amplitude or fibre fraction of at least ``seed_cutoff``]
    seed_points : path, optional
        Text file of seed points, with x y z of one point per line (RAS mm).
    seed_surfaces : one or several of str, optional
        Surface files at whose vertices streamlines begin.

        FILE uses all vertices of a surface. FILE:LABELS:NAME uses the vertices that have the label NAME in the file LABELS. FILE:MAP uses
        the vertices at which the file MAP has a value other than 0. Separate several surfaces by commas, or repeat the option. If
        ``seed_mask`` is also given, its voxels are the first seeds.
    seed_cifti : path, optional
        Begin streamlines at each vertex and voxel that a CIFTI-2 file lists.

        The values in the file are ignored. With ``matrix`` seeds, the rows of the matrix have the order of this file. ``white`` gives the
        surfaces of the vertices.
    white : one or several of path, optional
        Surface files with the vertices of ``seed_cifti``, usually white surfaces.

        Give one surface per hemisphere, separated by commas, or repeat the option.
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
    seed_weights : path, optional
        Image of the relative density of random seeds.

        Seeds are drawn in a voxel with a probability proportional to the value of this image.
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
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
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
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Counts the streamlines that pass each target region. If ``out`` is a folder, also writes a map for each target NAME: the number of
        streamlines from each seed that pass this target. The map is seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii
        for ``seed_cifti``, .tsv for ``seed_points``).
    masks_to_dwi : one or several of str, optional
        Transform from the space of masks and seeds to that of the diffusion images.

        The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images. It can also be a transform of
        ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text). Give several ITK files separated by commas, in the order of
        `antsApplyTransforms -i MASK -r DWI -t …`. FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in
        antsApplyTransforms. [default: none; all files are in the same scanner millimetres]
    dwi_to_masks : one or several of str, optional
        Transform from the space of the diffusion images to the space of the masks.

        This option is required if ``masks_to_dwi`` contains a deformation field. A FNIRT field must be on the grid of the masks. [default:
        the inverse of ``masks_to_dwi``, if this has only matrices]
    step : float, optional
        Length of each tracking step, in mm. [default: half a voxel]
    angle : float, optional
        Largest angle between two consecutive steps of a streamline, in degrees. [default: 45]
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
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
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
    seed_list : one or several of path, optional
        Regions for ``matrix`` network, in which streamlines begin.

        The files are masks, label images or surfaces, or text files that list such files.
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
    labels : path, optional
        Label image: the number of the region in each voxel, 0 for no region.

        The label image must be in the space of the fibre orientations. The command counts the accepted streamlines between each pair of
        regions, and writes connectome_counts (numbers of streamlines) and connectome_lengths (mean lengths). With ``out`` NAME.npz, these
        files are NAME_counts.npz and NAME_lengths.npz. The streamlines themselves need not be stored.
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        The matrix has one row per region of this file, in the order of the region numbers. A region without voxels also has a row.
    assignment : {"radial", "end-voxel"}, optional
        Rule that decides which regions a streamline connects. [default: radial]

        - ``radial``: Each end of a streamline belongs to the region of the nearest labelled voxel within ``assignment_radius``.

        - ``end-voxel``: Each end of a streamline belongs to the region of the voxel that contains it.
    assignment_radius : float, optional
        Largest distance from a streamline's end to its region, in mm.

        [default: 4]
    five_tissues : path, optional
        Five-tissue-type (5TT) image for anatomically-constrained tracking.

        The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. It must be in the space of the masks, but its voxel grid can be
        another one. With this image, streamlines terminate in grey matter. Streamlines that terminate in white matter, or that enter
        cerebrospinal fluid (CSF), are rejected.
    no_cropping : bool
        Do not cut off the ends of streamlines that are in the cortex.

        By default, a streamline that terminates in the cortex is cut at the boundary of grey and white matter.
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
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Each part is a result of `arcuate track` with ``part``. Writes the maps, matrices and tractograms of the whole run, with the same bits
    as one run without parts. For this, it repeats the command of the parts without ``part``. If that command has relative paths, call
    `arcuate merge` in the same folder as that command. The parts are kept.

    Parameters
    ----------
    parts : path
        Folder of the parts: NAME.parts for the result NAME.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Finds the non-negative weights with which the streamlines predict the measured signal best. Writes life_weights.txt with one row per
    streamline; the weight is 0 if the signal does not support the streamline. Writes tracks_weighted.trx with all streamlines (weights as
    dps/life_weights), and tracks_supported.trx with the streamlines whose weight is above 0. Writes life_trace.csv with the iterations of
    the solver. Also writes maps of the root-mean-square error without streamlines (life_rmse_before.nii.gz) and with streamlines
    (life_rmse_after.nii.gz).

    Parameters
    ----------
    tractogram : path
        Tractogram: file of streamlines (.tck, .trk or .trx).
    dwi : path
        Diffusion series: a 4-D image of all measurements.
    out : path
        Output: folder for the streamline weights and the maps.
    mask : path, optional
        Mask image of the voxels to process.

        [default: all voxels that streamlines pass]
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
    lesion : one or several of str, optional
        Group of streamlines to remove virtually (virtual lesion); can be repeated.

        GROUP is the name of a group in a .trx file, or a text file with the numbers of the streamlines, counted from 0. The command reports
        how much larger the error is without these streamlines.
    refit : bool
        After each lesion, fit the weights of the remaining streamlines again.

        Without this option, the remaining streamlines keep their weights.
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
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        The fit also estimates the mean signal of each shell. Opposite gradient directions count as one. [default: all shells with at least
        15 gradient directions; if there is none, the shells with the most directions]
    eigenvalues : str, optional
        Eigenvalues λ₁,λ₂,λ₃ of the tensor of a fibre in µm²/ms, with λ₂ = λ₃. [default: 1,0,0]
    orientations : str, optional
        Fibre orientations for which the table of responses is computed.

        The value is a number of orientations, or a text file with one direction x y z per line, in scanner axes. The direction of each
        streamline point is rounded to the nearest of these orientations. [default: 1057]
    normalise_signal : bool
        Divide the signal of each voxel by its mean b = 0 signal, as DIPY does.

        Without this option, voxels with a large signal count more in the fit.
    node_value : {"count", "length"}, optional
        Weight of a streamline point in the model: 1, or the length of its segment.

        With `count`, each point has the weight 1. With `length`, its weight is the length of its segment in mm, so that the result does not
        depend on the spacing of the points. [default: count]
    solver : {"barzilai-borwein", "sbbnnls"}, optional
        Algorithm that solves for the weights. [default: barzilai-borwein]
    regularise : {"none", "lasso"}, optional
        Penalty that is added to the misfit, to regularise the result.

        A penalty on the weights of streamlines leaves fewer streamlines with a weight above 0 (ReAl-LiFE). [default: none]

        - ``lasso``: Penalty λ Σ w, proportional to the sum of all streamline weights w: keeps few streamlines.
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
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    COMMIT is Convex Optimization Modeling for Microstructure Informed Tractography. Writes commit_weights.txt with one row per streamline,
    in units of the signal per mm; the weight is 0 if the signal does not support the streamline. Writes tracks_weighted.trx with all
    streamlines (weights as dps/commit_weights), and tracks_supported.trx with the streamlines whose weight is above 0. Writes
    commit_trace.csv with the iterations of the solver. Writes maps of the signal of each compartment at b = 0 (commit_intra, commit_extra,
    commit_isotropic). Writes maps of this signal divided by the sum of all compartments (commit_intra_fraction and so on). Also writes maps
    of the errors of the fit (commit_rmse, commit_nrmse) and of the number of segments per voxel.

    Parameters
    ----------
    tractogram : path, optional
        Tractogram: file of streamlines (.tck, .trk or .trx).
    out : path
        Output: folder for the streamline weights and the maps.
    dwi : path, optional
        Diffusion series: a 4-D image of all measurements.
    scalar_map : path, optional
        3-D map of the values that ``model`` scalar-map explains.
    mask : path, optional
        Mask image of the voxels to process.

        [default: all voxels that streamlines pass]
    peaks : path, optional
        Directions of the extra-axonal compartments: an image of peaks, or a folder.

        An image of peaks is 4-D and has 1 to 5 peaks per voxel. A folder contains samples of fibre orientations: X.bedpostX, or a result of
        `arcuate fit` with ``method`` mcmc. From a folder, the mean orientation of each fibre is used. [default: no extra-axonal
        compartments]
    peaks_frame : {"scanner", "image", "fsl"}, optional
        Axes of the x, y and z components of the peaks.

        `scanner` means scanner axes, and `image` voxel axes. `fsl` means voxel axes, with x negated if the determinant of the image's
        affine matrix is positive. If streamlines agree clearly better with the peaks in other axes, the command stops with an error. If
        this option is given, the command only prints a warning. [default: scanner]
    peak_threshold : float, optional
        Ignore peaks shorter than this fraction of the longest peak in the voxel. [default: 0.1]
    confidence : path, optional
        3-D image with the weight of each voxel in the fit, 0 or larger.

        Without this option, all voxels have the weight 1.
    orientations : str, optional
        Fibre orientations for which the table of responses is computed.

        The value is a number of orientations, a text file with one direction x y z per line (scanner axes), `exact` or `auto`. `exact`
        computes the response for the exact direction of each segment by spherical harmonics, without a table. If `exact` takes more than
        three times the arithmetic of a table, `auto` uses a table of 4096 orientations, or of the orientations of ``dictionary``. If not,
        `auto` uses `exact`. [default: auto]
    precision : {"single", "double"}, optional
        Floating-point precision: single (32 bits) or double (64 bits). [default: single]
    predicted : bool
        Also write the signal that the model predicts.

        Writes the predicted series as commit_signal.nii.gz.
    compat : bool
        Also write the files of dmri-commit 2.4, into a folder Results_<Model>
    format : {"nii.gz", "nii", "mif"}, optional
        File format of the maps: compressed NIfTI, NIfTI or MRtrix's .mif.

        [default: nii.gz]
    merge_b0 : bool
        In each voxel, replace all b = 0 measurements by their mean.
    no_normalise_signal : bool
        Do not divide the signal of each voxel by its mean b = 0 signal.

        Without the division, voxels with a large signal count more in the fit.
    no_normalise_kernels : bool
        Do not scale the matrix columns of compartments and streamlines to equal norms.

        By default, each response is divided by its root-mean-square norm, and the segment lengths of each streamline by the root of the sum
        of their squares per voxel. With this scaling, the solver needs fewer iterations, and penalties treat short and long streamlines
        alike. The weights in the results are per mm in both cases.
    demean : bool
        Subtract the mean over measurements from each voxel's signal and each response.
    min_b0 : float, optional
        Ignore voxels whose b = 0 signal is below this fraction of the mean over voxels. [default: 0]
    dictionary : path, optional
        Folder of a dictionary that trk2dictionary.run of dmri-commit wrote.

        The segments of streamlines and the peaks are read from this folder. If a tractogram is also given, its streamlines are only copied
        to the results.
    dictionary_directions : path, optional
        Text file of the dictionary's directions: x y z per line, in image axes.

        numpy.savetxt(FILE, amico.lut.load_directions(500)) writes such a file.
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
    regularise : {"none", "lasso", "group-sparse", "sparse-group"}, optional
        Penalty that is added to the misfit, to regularise the result.

        A penalty on the weights of streamlines leaves fewer streamlines with a weight above 0. [default: none]

        - ``lasso``: Penalty λ Σ x, proportional to the sum of all streamline amounts x: keeps few streamlines.

        - ``group-sparse``: Penalty λ Σ w ‖x_g‖, the sum over groups g of the norm of their amounts x_g times the group weight w: keeps few
        groups (COMMIT2).

        - ``sparse-group``: Sum of the penalties lasso and group-sparse: keeps few groups, and few streamlines in them.
    groups : str, optional
        Groups of streamlines: a text file, names of groups in a .trx, or `all`.

        The text file has one group name per streamline, and `-` for a streamline in no group. Separate names of groups in a .trx file by
        commas. `all` is all groups of the .trx file.
    group_weights : {"size", "adaptive"}, optional
        Weight w of a group's penalty.

        `size` is the square root of the number of streamlines in the group. `adaptive` divides this root by the norm of the group's amounts
        in a fit without penalty (COMMIT2). [default: size]
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
    lambda_curve : int, optional
        Fit with N penalty strengths, down to ``lambda_``; write commit_lambda_curve.csv.

        The first strength is the smallest λ that sets the weights of all streamlines to 0. Each fit starts from the result of the previous
        fit. The file has one row per fit.
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
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    The voxels that a streamline passes are computed exactly. A streamline counts once per voxel, even if it returns to the voxel. Voxels
    without streamlines have the value 0.

    Parameters
    ----------
    tractogram : path
        Tractogram: file of streamlines (.tck, .trk or .trx).
    like : path
        Image whose voxel grid the output gets.
    out : path
        Output: image of the map.
    kind : {"counts", "lengths", "directional"}, optional
        Quantity that the map shows in each voxel. [default: counts]

        - ``counts``: Number of streamlines that pass the voxel.

        - ``lengths``: Mean length of the streamlines that pass the voxel, in mm.

        - ``directional``: Mean unsigned direction (left–right, front–back, up–down) of the streamlines in the voxel, as a vector whose
        length is the number of streamlines.
    by_length : bool
        Sum the lengths of the streamlines inside each voxel, in mm.

        Without this option, each streamline that passes the voxel counts 1.
    weights : path, optional
        Text file with one weight (number) per streamline.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Writes symmetric matrices as CSV files without header, and as NumPy files; connectome_regions.csv lists the regions of the rows. The
    matrices are connectome_counts (numbers of streamlines), connectome_weights (sums of weights; without weights, counts) and
    connectome_lengths (mean lengths in mm), or the quantities of ``measure``. Also writes the two regions of each streamline, with 0 for no
    region. With several parcellations, file names begin with the name of the parcellation. If the labels are a CIFTI-2 file, also writes
    .pconn.nii files. With ``out`` NAME.npz, writes sparse matrices for SciPy instead: NAME_counts.npz, NAME_weights.npz and
    NAME_lengths.npz. Then the regions of the rows are in NAME_regions.tsv, and the regions of each streamline in NAME_assignments.txt.

    Parameters
    ----------
    tractogram : path
        Tractogram: file of streamlines (.tck, .trk or .trx).
    labels : one or several of path
        Label image: the number of the region in each voxel, 0 for no region.

        Files with labels of the vertices of ``surfaces`` (.annot, .label.gii) and CIFTI-2 labels (.dlabel.nii) are also accepted. Several
        files, separated by commas, are separate parcellations. But two files of the left and the right hemisphere, such as
        lh.aparc.annot,rh.aparc.annot, are one parcellation.
    out : path
        Output: folder for the matrices, or a file name NAME.npz.
    surfaces : one or several of path, optional
        Surface files whose vertices have the labels of ``labels``, one per hemisphere.
    reference : path, optional
        Image that defines the coordinate space of the file.

        The image is needed only for surfaces in FreeSurfer's coordinates whose file does not state the position of the volume (c_ras).
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        Coordinate space of the surface files; replaces the space that they state.

        - ``caret``: Millimetres in scanner space, as Caret and Workbench write them.

        - ``tkras``: FreeSurfer's surface coordinates (tkRAS) of the reference image.

        - ``freesurfer``: FreeSurfer's coordinates as FSL reads them, if the reference image is a conformed image of FreeSurfer.

        - ``first``: FSL's millimetre coordinates, as FIRST writes them.

        - ``vox``: Voxel coordinates of the reference image, with x counted from the right side.
    weights : path, optional
        Text file with one weight (number) per streamline.
    measure : one or several of str, optional
        Quantities to write for each matrix entry (pair of row and column).

        An entry describes the streamlines between two regions. `count` is their number, which is always written. `weight` is the sum of
        their weights, and `length` their mean length in mm. NAME=FILE is the mean of their values in FILE, and sum:NAME=FILE the sum of
        these values. FILE is a text file with one value per streamline, or an image whose mean along a streamline is its value. [default:
        count,weight,length]
    label_names : path, optional
        File of region names: FreeSurfer's colour table or MRtrix's labelconvert table.

        A matrix has one row per region of this file, in the order of region numbers, even for regions without voxels.
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
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Reads a matrix of seeds (rows) by targets (columns): .npz, FSL's .dot or _1.mtx, or CIFTI-2's .dconn.nii. Each row gets the number of
    the column with its largest value, counted from 1 (find the biggest). With ``clusters``, each row gets the number of its k-means cluster
    instead. Rows without connections get 0. With ``like``, writes an image, .label.gii or .dlabel.nii. If not, writes a table (.tsv).

    Parameters
    ----------
    matrix : path
        Connectivity matrix (.npz, .dot, _1.mtx or .dconn.nii).
    out : path
        Output: image, .label.gii, .dlabel.nii or table (.tsv).
    clusters : int, optional
        Divide the matrix rows (seeds) into N clusters by the k-means method.

        Without this option, each row gets the number of the column (target) with its largest value.
    similarity : {"cosine", "euclidean"}, optional
        Measure of similarity of two matrix rows, for ``clusters``. [default: cosine]

        - ``cosine``: Cosine of the angle between the rows, which does not depend on the total number of streamlines in each row.

        - ``euclidean``: Euclidean distance between the rows.
    restarts : int, optional
        Number of k-means runs from different starts; the best result is used.

        [default: 10]
    like : path, optional
        Image whose voxel grid the output gets.

        If the matrix rows are vertices of a surface, give the surface file, or a CIFTI-2 file with the same vertices.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Keeps the streamlines that meet the conditions of all options. They keep their order, and the inputs are joined one after the other. The
    groups and the data of .trx and .trk files stay with their streamlines. ``stop`` and ``stop_on_exit`` first cut the streamlines; the
    other options test the cut streamlines.

    Parameters
    ----------
    tractograms : one or several of path
        Tractograms: files of streamlines (.tck, .trk or .trx).
    out : path
        Output: tractogram (.tck, .trk, .trx, .tck.gz or .trk.gz).
    reference : path, optional
        Image that defines the coordinate space of the file.

        This image is used if a tractogram is a .trk or .trx file. [default: the space of the first input file that states one]
    skip : int, optional
        Number of selected streamlines to skip, from the first one. [default: 0]
    select : int, optional
        Stop after this many streamlines.
    waypoints : one or several of str, optional
        Keep only streamlines that pass these regions (waypoints).
    waypoint_condition : {"all", "any"}, optional
        Number of waypoints that a streamline must pass. [default: all]

        - ``all``: A streamline must pass every waypoint.

        - ``any``: A streamline must pass at least one waypoint.
    waypoints_in_order : bool
        Require that a streamline passes the waypoints in the order of ``waypoints``.
    avoid : one or several of str, optional
        Reject streamlines that enter these regions.
    stop : one or several of str, optional
        Terminate each streamline at its first point inside these regions.
    stop_on_exit : one or several of str, optional
        Terminate each streamline where it leaves these regions.

        If a streamline begins inside such a region, it may leave this region once without terminating.
    targets : one or several of str, optional
        Target regions, in which passing streamlines are counted.

        Prints the number of streamlines that pass each target region. If the output is a .trx file, it also gets a group of streamlines for
        each target.
    region_test : {"line", "points", "ends"}, optional
        Part of a streamline that is tested against ``waypoints``, ``avoid`` and ``targets``.

        The options ``stop`` and ``stop_on_exit`` always test the points of the streamline. [default: line]

        - ``line``: Test all voxels that the line through the points of the streamline passes.

        - ``points``: Test the voxels that contain a point of the streamline.

        - ``ends``: Test the voxels that contain one of the two ends of the streamline.
    min_length : float, optional
        Smallest length of a streamline, in mm.

        Shorter streamlines are removed. Without this option, streamlines of any length are kept.
    max_length : float, optional
        Largest length of a streamline, in mm.

        Longer streamlines are removed. Without this option, streamlines of any length are kept.
    weights : path, optional
        Text file with one weight (number) per streamline.

        The weights have the order of the streamlines in all input files, one file after the other.
    min_weight : float, optional
        Smallest weight (in ``weights``) of a streamline to keep.
    max_weight : float, optional
        Largest weight (in ``weights``) of a streamline to keep.
    weights_out : path, optional
        Write the weights of the kept streamlines to this text file.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Writes one value per point of each streamline: as text (.txt, .csv) with one line per streamline, or as data of the points in a
    tractogram (.trx, .trk). With ``statistic``, writes one number per streamline. Points outside the image have the value 0.

    Parameters
    ----------
    tractogram : path
        Tractogram: file of streamlines (.tck, .trk or .trx).
    image : path
        Image with one volume, whose values are sampled.
    out : path
        Output: text file (.txt, .csv), or tractogram with the values (.trx, .trk).
    statistic : {"mean", "median", "min", "max"}, optional
        Write this statistic of each streamline, instead of one value per point.

        - ``mean``: Mean over the points of a streamline, weighted by the length of streamline that each point represents.
    nearest : bool
        Use the nearest voxel at each point, without interpolation.
    name : str, optional
        Name that the sampled values get in the .trx or .trk file.

        [default: the name of the image file]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    The endings of the file names choose the formats. Images can be .nii .nii.gz .mif .mif.gz, and tractograms .tck .trk .trx .tck.gz
    .trk.gz. Gradient tables can be .bvec and .bval (always both), .b (MRtrix), .scheme (Camino) or .prtcl. Surfaces and their data can be
    .gii .annot .asc .srf, and FreeSurfer's lh.white, rh.thickness and similar. CIFTI-2 files can be .dscalar.nii .dlabel.nii .dconn.nii
    .pconn.nii. Connectivity matrices can be .npz (SciPy), .dot and _1.mtx (FSL), and .dconn.nii. A diffusion series keeps its gradient
    table: in the header of a .mif file, or as .bval and .bvec next to a NIfTI file. Header fields that the output format cannot store are
    reported.

    Parameters
    ----------
    input : path
        Input file to convert.
    output : path
        Output file; the ending of its name chooses the format.
    reference : path, optional
        Image that defines the coordinate space of the file.

        The image is used for a tractogram (.trk, .trx), a gradient table in image axes, or a surface. If a matrix is converted to
        .dconn.nii, give a CIFTI-2 file with the vertices and voxels of the rows and columns instead.
    gradients : path, optional
        Gradient table in one file, with b-values and directions.

        [default: the table in the image header, or .bval and .bvec next to the series]
    positions : {"f16", "f32", "f64"}, optional
        Floating-point type of the point coordinates in the tractogram.

        f16, f32 and f64 have 16, 32 and 64 bits. f16 is possible only in a .trx file. [default: f32]
    folder : bool
        Write the .trx tractogram as a folder instead of an archive file.
    nifti_2 : bool
        Write the image in the NIfTI-2 format instead of NIfTI-1.
    volumes : str, optional
        Volumes of the image to keep, counted from 0, such as 0,4,10-15.
    shells : one or several of float, optional
        Shells to use, listed by their b-values in s/mm².

        The measurements of other shells are discarded. The value 0 selects the measurements with b = 0.
    mesh_space : {"caret", "tkras", "freesurfer", "first", "vox"}, optional
        Coordinate space of the surface files; replaces the space that they state.

        - ``caret``: Millimetres in scanner space, as Caret and Workbench write them.

        - ``tkras``: FreeSurfer's surface coordinates (tkRAS) of the reference image.

        - ``freesurfer``: FreeSurfer's coordinates as FSL reads them, if the reference image is a conformed image of FreeSurfer.

        - ``first``: FSL's millimetre coordinates, as FIRST writes them.

        - ``vox``: Voxel coordinates of the reference image, with x counted from the right side.
    structure : str, optional
        Brain structure of a surface, or structure to extract from a CIFTI-2 file.

        For example, give CORTEX_LEFT for the left cortex.
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

    Reads images (.nii .nii.gz .hdr .mif .mif.gz .mih .mgz), tractograms (.tck .trk .trx .tck.gz .trk.gz) and gradient tables. Reads
    surfaces (.gii .annot .asc .srf .vtk, FreeSurfer's lh.white and similar), CIFTI-2 files and connectivity matrices (.npz .dot _1.mtx). If
    a file cannot be read, the other files are still described, and the exit code is 1.

    Parameters
    ----------
    files : one or several of path
        Files to describe.
    json : bool
        Print the result as JSON.

        The JSON text has one object per file, as in docs/src/reference/info.schema.json.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Writes arrays in BART's format. The array ksp is the k-space (1 × samples × readouts × coils). The array traj is the trajectory (3 ×
    samples × readouts, in cycles per field of view). With ``coils``, also writes sens, the coil sensitivities. Writes the mean of the
    object in each voxel as truth.nii.gz.

    Parameters
    ----------
    out : path
        Output: folder for the simulated raw data.
    object : str, optional
        Object to image: shepp-logan (a head phantom), or a text file of ellipsoids.

        Each line of the file is an ellipsoid: its value, centre x y z (mm), half axes x y z (mm) and rotation about z (°). [default:
        shepp-logan]
    size : one or several of int, optional
        Number of voxels of the image along each axis.

        Give two numbers X,Y for one slice, or three numbers X,Y,Z for a volume. [default: 128,128]
    fov : float, optional
        Field of view in mm. [default: 220]
    trajectory_kind : {"cartesian", "radial", "radial-3d", "spiral", "cones", "rosette"}, optional
        Kind of k-space trajectory. [default: radial]

        - ``cartesian``: Cartesian trajectory: parallel lines.

        - ``radial``: Radial trajectory: spokes in a plane, each rotated by the golden angle from the previous one.

        - ``radial-3d``: Radial trajectory in 3-D: spokes from the centre of k-space, in directions that the golden means give.

        - ``spiral``: Spiral trajectory: spirals in a plane; a volume is a stack of such planes.

        - ``cones``: Cones trajectory: spirals on cones about the z axis.

        - ``rosette``: Rosette trajectory: loops through the centre of k-space.
    readouts : int, optional
        Number of readouts: spokes, spiral interleaves per slice, cones or rosette shots.

        [default: enough to sample k-space fully; but 16 interleaves of a spiral, and 16 shots of a rosette]
    samples : int, optional
        Number of k-space samples per readout.

        [default: the number that gives half the Nyquist distance between samples]
    turns : float, optional
        Number of turns of a spiral, of a cone at the equator, or of a rosette.

        [default: the number that samples k-space fully]
    petals : float, optional
        Number of petals of one shot of a rosette trajectory.

        [default: 17]
    coils : int, optional
        Number of receive coils around the object.

        [default: one coil with uniform sensitivity]
    snr : float, optional
        Signal-to-noise ratio (SNR), or 0 for data without noise.

        The ratio is the largest value of the object divided by the standard deviation of the noise in a fully sampled Cartesian image.
        [default: 0]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Writes the diffusion series (dwi.nii.gz, .bval, .bvec), a brain mask, a mask of white matter, and labels with their names. Also writes
    the truth: streamlines with a group for each bundle, up to three peaks per voxel (scanner axes), and the fractions of tissues and
    bundles.

    Parameters
    ----------
    out : path
        Output: folder for the simulated brain.
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
    gradients : path, optional
        Gradient table in one file, with b-values and directions.

        The file is MRtrix's table (columns x y z b, directions in scanner axes). Use it instead of ``directions``, ``b_value`` and ``b0s``.
    streamlines_per_bundle : int, optional
        Number of true streamlines in each bundle. [default: 200]
    tissues : bool
        Simulate realistic tissues, and write the true tissues, bias field and FODs.

        In the images, cerebrospinal fluid (CSF) is 3.5 times as bright as white matter. All white matter has the same fibre response, and
        there is an intensity bias field. Writes truth_5tt (five-tissue-type image), truth_bias, truth_fod (fibre orientation distributions)
        and response files for MRtrix. Without this option, the tissues are simple.
    meshes : bool
        Write surface files into the folder surfaces.

        The files are the white and the pial surface of each hemisphere, with labels of regions and of the cortex at their vertices. Other
        files are the nuclei, as meshes and as voxels, and CIFTI-2 files.
    tract_protocols : bool
        Write tract protocols into the folder protocols.

        The folder has XTRACT's layout, for `arcuate track samples protocols`. It contains the masks of each bundle in a standard space, and
        the transform from this space to the simulated brain.
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    Runs `arcuate simulate` into OUT/brain, and `arcuate run` with its defaults into OUT/results: fibre orientation distributions, COMMIT
    and a connectome. Then compares the result with the truth: the bundles that were found, false connections, and the angular error. The
    report is OUT/results/report.html.

    Parameters
    ----------
    out : path
        Output: folder for the simulated brain and for the results.
    voxel_size : float, optional
        Edge length of the voxels, in mm. [default: 3.5]
    snr : float, optional
        Signal-to-noise ratio (SNR), or 0 for data without noise.

        The ratio is the b = 0 signal of white matter divided by the standard deviation of the noise. [default: 30]
    shells : one or several of str, optional
        Shells to use, listed by their b-values in s/mm².

        B:N is a shell with N gradient directions at b-value B. `arcuate run` chooses its methods from the shells. [default:
        0:6,1000:20,2000:40]
    select : int, optional
        Stop after this many streamlines. [default: 5000]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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

    The folder is the output of a command and contains the record arcuate.json. A result file has its record next to it, such as
    image.nii.gz.json for image.nii.gz. Folders of bedpostx can also be reported, even if FSL's bedpostx wrote them. The report is one HTML
    page that needs no other files and opens offline.

    Parameters
    ----------
    result : path
        Folder of results, or a result file with its record (JSON file) next to it.
    out : path, optional
        Output: HTML page of the report.

        [default: report.html in the folder, or NAME.html next to the file NAME]
    anatomy : path, optional
        Background image under the maps and streamlines in the report.

        For example, give a T1-weighted image in the space of the scan. [default: the map of fractional anisotropy (FA) or the mean b = 0
        image of the results]
    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
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
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
    """
    told = {
        "force": force, "log": log, "device": device, "device_memory": device_memory, "threads": threads, "random_seed": random_seed,
        "progress": progress,
    }
    return done("setup devices", (), told)


# Former names.
devices = setup_devices
status = bids_status
