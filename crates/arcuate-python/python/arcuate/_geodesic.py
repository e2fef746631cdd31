"""Shortest paths through diffusion tensors."""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional, Union

from numpy.typing import ArrayLike

from . import _arcuate
from ._calls import Progress, call
from ._commands import words_of
from ._images import ImageLike, Regions, tensor_image, volume
from ._tracking import Tracks, common_of

# Options of `track geodesic` that are no arrays and that regions have no part in.
OPTIONS = (
    "best min_connectivity one_per_voxel seed_grid seeds field metric gain sharpen sharpen_fa sharpen_side integrator step_tolerance step "
    "precision initial_directions per_seed cone one_way cutoff angle max_length max_steps allow_loops"
).split()


def track_geodesic(
    tensor: ImageLike,
    *,
    targets: Union[Mapping[str, ImageLike], None] = None,
    best: Optional[int] = None,
    min_connectivity: Optional[float] = None,
    one_per_voxel: bool = False,
    mask: Optional[ImageLike] = None,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    seed_grid: Optional[int] = None,
    seeds: Optional[int] = None,
    field: str = "spline",
    metric: str = "inverse",
    gain: float = 1.0,
    sharpen: Optional[float] = None,
    sharpen_fa: Optional[float] = None,
    sharpen_side: Optional[str] = None,
    integrator: str = "adaptive",
    step_tolerance: Optional[float] = None,
    step: Optional[float] = None,
    precision: str = "single",
    initial_directions: Optional[str] = None,
    per_seed: Optional[int] = None,
    cone: Optional[float] = None,
    one_way: bool = False,
    cutoff: Optional[float] = None,
    angle: Optional[float] = None,
    max_length: float = 250.0,
    max_steps: Optional[int] = None,
    allow_loops: bool = False,
    waypoints: Regions = (),
    waypoint_condition: str = "all",
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    judged_by: str = "whole",
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
        (x, y, z, 6) in mm²/s, as ``fit_tensor(...).tensor``.
    targets : mapping of str to image, optional
        Regions to find the connections to, by name; they do not overlap. By default every ray is kept, as with ``--all``.
    best, min_connectivity, one_per_voxel : int, float, bool, optional
        Of connections: so many of each target (100), those of at least this connectivity measure, the strongest to each voxel.
    mask : image, optional
        The voxels that count; rays end outside.
    seed_mask, seed_points : image, array_like, optional
        Where rays begin: in the voxels of a mask, or at points (n, 3) in RAS mm; every voxel with an FA from 0.2 to 1 by default, where all
        rays are kept.
    seed_grid, seeds : int, optional
        A lattice of so many seeds along each edge of a voxel (1, its centre), or so many random ones.
    field : {"spline", "trilinear", "thesis"}
        How the metric between voxels comes from that of the voxels.
    metric : {"inverse", "adjugate", "conformal"}
    gain, sharpen : float, optional
        Multiply tensors by this, or raise them to this power.
    sharpen_fa, sharpen_side : float, {"below", "above"}, optional
        The FA that divides tensors into those that are sharpened and others (0.3), and on which side (below).
    integrator : {"adaptive", "runge-kutta", "heun", "euler"}
    step_tolerance : float, optional
        Largest error of an adaptive step, in voxels and radians; 1e-5 by default.
    step : float, optional
        In mm.
    precision : {"single", "double"}
    initial_directions : {"principal", "sphere", "cone"}, optional
        How rays leave a seed; over the sphere with targets, else along the principal direction.
    per_seed, cone : int, float, optional
        Rays over the sphere or the cone (500), and the cone's angle in degrees (30).
    one_way : bool
        Whether to follow one direction from the seed alone.
    cutoff, angle, max_length, max_steps : optional
        Rays end at an FA below this, a turn above this in degrees, a length of so many mm, so many steps.
    allow_loops : bool
        Whether rays go on that come back to a place and direction of their own.
    waypoints, avoid, stop, stop_on_exit, waypoint_condition, waypoints_in_order, waypoints_one_way, judged_by
        As of :func:`track_tensor`.
    device, device_memory, threads, random_seed, progress
        As of :func:`fit`.

    Returns
    -------
    Tracks
        With ``cm`` (the connectivity measure) at each point and of each streamline, ``length`` in mm and ``drift`` of each, a group for
        each target; ``summary["targets"]`` tells how each was reached.

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=5, directions=12, b_value=1000)
    >>> tensor = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask).tensor
    >>> rays = ar.track_geodesic(tensor, mask=brain.mask, seeds=50, device="cpu")
    >>> len(rays), sorted(rays.data_per_streamline)
    (50, ['cm', 'drift', 'length'])

    References
    ----------
    O'Donnell L, Haker S, Westin CF (2002), doi:10.1007/3-540-45786-0_57; van Aart E et al. (2011), doi:10.1155/2011/698908.
    """
    told: Dict[str, Any] = locals()
    tensor = tensor_image(tensor)
    common = common_of(told, tensor, with_targets=False)
    options = {name: told[name] for name in OPTIONS}
    # Which of them are arrays is said, for what goes together.
    options.update({name: "array" for name in ("seed_mask", "seed_points") if told[name] is not None})
    if targets:
        options["targets"] = [f"array{n}" for n in range(len(targets))]
    else:
        options["all"] = True
    words = words_of("track geodesic", ["array"], {"out": "array", **options})
    of_targets = [(os.fspath(name), volume(one, f"targets[{name!r}]", tensor)) for name, one in (targets or {}).items()]
    done = call(device, device_memory, threads, random_seed, progress)
    return Tracks._found(_arcuate.along_geodesics(done, tensor._volume(), common, of_targets, words))
