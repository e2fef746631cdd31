"""Following streamlines through tensors and distributions, and what other sources have in common with these."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Optional, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _arcuate
from ._arrays import numbers
from ._calls import Progress, call
from ._errors import InputError
from ._images import Image, ImageLike, Regions, image, optional_volume, tensor_image, volume
from ._tractogram import Tractogram


class Tracks(Tractogram):
    """Streamlines that were followed; ``summary`` says what became of the seeds."""

    __slots__ = ("summary",)
    summary: Dict[str, Any]

    @classmethod
    def _found(cls, found: Any) -> "Tracks":
        tracks = cls._of(found[0])
        tracks.summary = found[1]  # type: ignore[attr-defined]
        return tracks  # type: ignore[return-value]


COMMON = """mask : image, optional
        Streamlines end outside of it.
    seed_mask, seed_weights, seed_points, seed_interface : optional
        Where they begin: in the voxels of a mask, in proportion to an image, at points (n, 3) in RAS mm, or (True) where grey and white
        matter meet; by default wherever what they follow allows it.
    seeds, seed_grid, select : int, optional
        So many random seeds; a lattice of so many along each edge of a voxel; stop at so many streamlines (50,000 where nothing else
        says how far to go).
    waypoints, avoid, stop, stop_on_exit, targets : sequences of images
        Regions that streamlines must pass, must not enter, end in, end on leaving, and that are only noted.
    waypoint_condition : {"all", "any"}
    waypoints_in_order, waypoints_one_way : bool
        Whether they are passed in order, and by one half alone.
    judged_by : {"whole", "half"}
        What is rejected: streamlines, or halves of them from their seed on.
    five_tissues : image, optional
        Five-tissue-type image that streamlines heed.
    cropping, back_tracking : bool
        Whether ends are moved to where grey and white matter meet, and whether wrong ends are followed again from before.
    device, device_memory, threads, random_seed, progress
        As of :func:`fit`; the same seed gives the same streamlines at any number of threads and on any device."""


PROPAGATION = """    integrator : {"euler", "modified-euler"}, optional
    step : float, optional
        In mm; half a voxel by default.
    angle : float, optional
        Largest turn between two steps in degrees; 45 by default.
    cutoff : float, optional
        Fraction above which a fibre counts; 0.05 by default.
    initial_fibre : str, optional
        The fibre that streamlines begin along: its number from 1 on, ``"random"``, ``"in-proportion"`` or ``"random-of-all"``; 1 by default.
    fraction_stops, loop_check, nearest : bool
        As FSL's ``--usef``, ``--loopcheck``; orientations of the nearest voxel.
    max_steps : int, optional
        Most steps of a streamline.
    min_half_length, min_length, max_length : float, optional
        In mm; 0, 20 (or ten voxels, whichever is less) and 250 by default.
    at_max_length : {"stop", "discard"}
        Whether a streamline that reaches ``max_length`` stops and is kept, or is rejected.
    preset : {"probtrackx"}, optional
        The numbers of FSL's probtrackx2 in place of the defaults: steps of 0.5 mm, turns up to 78.463 degrees, fractions above 0.01, no
        minimum length, 5,000 streamlines of each seed."""


Function = TypeVar("Function", bound=Callable[..., Any])


def documented(function: Function) -> Function:
    """The function with what several have in common in its documentation."""
    function.__doc__ = (function.__doc__ or "").replace("{COMMON}", COMMON).replace("{PROPAGATION}", PROPAGATION)
    return function


def common_of(told: Dict[str, Any], like: Image, with_targets: bool = True) -> Dict[str, Any]:
    """The keywords that all sources have, of those that a function was told, for the library."""

    def images(name: str) -> Any:
        given = told[name]
        is_pair = isinstance(given, tuple) and len(given) == 2 and np.shape(given[1]) == (4, 4)
        if is_pair or isinstance(given, (str, os.PathLike, Image, np.ndarray)) or hasattr(given, "dataobj"):
            given = [given]
        return [volume(one, name, like) for one in given]

    points = told["seed_points"]
    if points is not None:
        points = numbers(points, "seed_points", np.float64)
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
            raise InputError(f"seed_points: their shape is {points.shape}; give (n, 3), RAS mm")
        points = points.tolist()
    return {
        "mask": optional_volume(told.get("mask"), "mask", like),
        "seed_mask": optional_volume(told["seed_mask"], "seed_mask", like),
        "seed_weights": optional_volume(told.get("seed_weights"), "seed_weights", like),
        "seed_points": points,
        "seed_interface": told.get("seed_interface", False),
        "seeds": told.get("seeds"),
        "seed_grid": told.get("seed_grid"),
        "select": told.get("select"),
        "waypoints": images("waypoints"),
        "waypoint_condition": told["waypoint_condition"],
        "waypoints_in_order": told["waypoints_in_order"],
        "waypoints_one_way": told["waypoints_one_way"],
        "avoid": images("avoid"),
        "stop": images("stop"),
        "stop_on_exit": images("stop_on_exit"),
        "targets": images("targets") if with_targets else [],
        "judged_by": told["judged_by"],
        "five_tissues": optional_volume(told.get("five_tissues"), "five_tissues"),
        "cropping": told.get("cropping", True),
        "back_tracking": told.get("back_tracking", False),
    }


@documented
def track_tensor(
    tensor: ImageLike,
    *,
    mask: Optional[ImageLike] = None,
    seed_mask: Optional[ImageLike] = None,
    seed_weights: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    seed_interface: bool = False,
    seeds: Optional[int] = None,
    seed_grid: Optional[int] = None,
    select: Optional[int] = None,
    method: str = "tensor",
    integrator: Optional[str] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    curvature_radius: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: str = "stop",
    one_way: bool = False,
    deflection_f: float = 0.0,
    deflection_g: float = 1.0,
    waypoints: Regions = (),
    waypoint_condition: str = "all",
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    judged_by: str = "whole",
    five_tissues: Optional[ImageLike] = None,
    cropping: bool = True,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Tracks:
    """Follows diffusion tensors, as ``arcuate track tensor``.

    Parameters
    ----------
    tensor : image
        (x, y, z, 6), as ``fit_tensor(...).tensor``.
    {COMMON}
    method : {"tensor", "fact", "deflection"}
        By the interpolated tensor's principal direction, from face to face of voxels, or by tensor deflection.
    integrator : {"runge-kutta", "euler"}, optional
    step : float, optional
        In mm; half a voxel by default (a tenth with Euler's).
    angle, curvature_radius : float, optional
        The sharpest turn of a step: in degrees (45), or as a radius in mm.
    cutoff, seed_cutoff : float, optional
        Least fractional anisotropy, and that of a seed; 0.2 by default.
    min_length, max_length : float, optional
        In mm; 20 and 250 by default.
    at_max_length : {"stop", "discard"}
        Whether a streamline that reaches ``max_length`` stops and is kept, or is rejected.
    one_way : bool
        Whether to follow one direction from the seed alone.
    deflection_f, deflection_g : float
        Weights of the principal direction and of the deflected one.

    Returns
    -------
    Tracks

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=5, directions=12, b_value=1000)
    >>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
    >>> tracks = ar.track_tensor(maps.tensor, seed_mask=brain.white_matter, select=100)
    >>> len(tracks)
    100
    """
    tensor = tensor_image(tensor)
    common = common_of(locals(), tensor)
    keywords = {
        name: value
        for name, value in locals().items()
        if name
        in (
            "method integrator step angle curvature_radius cutoff seed_cutoff min_length max_length at_max_length one_way deflection_f "
            "deflection_g"
        ).split()
    }
    told = call("cpu", threads=threads, random_seed=random_seed, progress=progress)
    return Tracks._found(_arcuate.through_tensors(told, tensor._volume(), common, keywords))


@documented
def track_fod(
    fod: ImageLike,
    *,
    mask: Optional[ImageLike] = None,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    seed_interface: bool = False,
    seeds: Optional[int] = None,
    seed_grid: Optional[int] = None,
    select: Optional[int] = None,
    method: str = "arcs",
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    seed_cutoff: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: str = "stop",
    waypoints: Regions = (),
    waypoint_condition: str = "all",
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    judged_by: str = "whole",
    five_tissues: Optional[ImageLike] = None,
    cropping: bool = True,
    back_tracking: bool = False,
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
        (x, y, z, coefficients), MRtrix's spherical harmonics, as ``fit_csd(...).fod``.
    {COMMON}
    method : {"arcs", "steps", "peaks"}
        Arcs drawn by the amplitudes along them (as iFOD2), steps drawn by theirs (as iFOD1), or along peaks.
    step : float, optional
        In mm; half a voxel of arcs, a tenth else.
    angle : float, optional
        The sharpest turn of a step in degrees; 45 of arcs, 15 of steps, 60 of peaks.
    cutoff, seed_cutoff : float, optional
        Least amplitude that is followed, and that of a seed; 0.1 by default.
    min_length, max_length : float, optional
        In mm; 20 and 250 by default.
    at_max_length : {"stop", "discard"}
        Whether a streamline that reaches ``max_length`` stops and is kept, or is rejected.

    Returns
    -------
    Tracks
    """
    fod = image(fod, "fod")
    common = common_of(locals(), fod)
    names = "method step angle cutoff seed_cutoff min_length max_length at_max_length".split()
    told = locals()
    keywords = {name: told[name] for name in names}
    done = call(device, device_memory, threads, random_seed, progress)
    return Tracks._found(_arcuate.through_fods(done, fod._volume(), common, keywords))
