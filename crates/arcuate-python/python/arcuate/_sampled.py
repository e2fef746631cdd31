"""Following samples of fibre orientations: streamlines, and maps of where they pass."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._calls import Progress, call
from ._commands import words_of
from ._images import Gradients, Image, ImageLike, PathLike, Regions, image, optional_volume, series, volume
from ._tracking import Tracks, common_of, documented


@dataclass(frozen=True)
class Orientations:
    """Fibre orientations that streamlines can follow: samples of posteriors, peaks, or refits."""

    _native: _arcuate.Orientations

    @property
    def fibres(self) -> int:
        """Fibres of a voxel at most."""
        return self._native.fibres

    @property
    def samples(self) -> int:
        """Samples of each."""
        return self._native.samples

    def peaks(self) -> Image:
        """Mean directions of the fibres, x, y, z each in scanner axes, as long as their mean fractions."""
        return Image._of(self._native.peaks(call("cpu")))

    def __reduce__(self) -> Tuple[Any, ...]:
        mask, samples, fibres = self._native.parts()
        return _restored_orientations, (Image._of(mask), samples, fibres)

    def __repr__(self) -> str:
        return f"<arcuate.Orientations of up to {self.fibres} fibres, {self.samples} samples each>"


def _restored_orientations(mask: Image, samples: int, fibres: List[NDArray[np.uint64]]) -> Orientations:
    """The orientations that were pickled or copied."""
    return Orientations(_arcuate.Orientations.of_parts(mask._volume(), samples, fibres))


def load_samples(folder: PathLike, *, fibres: Sequence[str] = (), mask: Optional[PathLike] = None) -> Orientations:
    """Reads samples of fibre orientations: of bedpostX, or of ``arcuate fit --method mcmc``.

    Parameters
    ----------
    folder : path
        The folder.
    fibres : sequence of str
        Of a fit, the orientation and the fraction of each fibre as ``"n1=f1"``; found by default.
    mask : path, optional
        The voxels, in the place of bedpostX's own mask.
    """
    path = None if mask is None else os.fspath(mask)
    return Orientations(_arcuate.load_samples(call("cpu"), os.fspath(folder), list(fibres), path))


def peaks_as_orientations(peaks: ImageLike, mask: Optional[ImageLike] = None) -> Orientations:
    """Peaks, x, y, z of each along the last axis (scanner axes, as long as their fractions), to be followed."""
    like = image(peaks, "peaks")
    return Orientations(_arcuate.peaks_as_orientations(call("cpu"), like._volume(), optional_volume(mask, "mask", like)))


def refits_as_orientations(
    dwi: ImageLike,
    gradients: Gradients,
    mask: ImageLike,
    *,
    replicates: int = 50,
    resampling: str = "residuals",
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Orientations:
    """Principal directions of tensors as if the scan had been repeated, to be followed, as ``arcuate track bootstrap`` follows them.

    In every voxel the tensor is fitted, then fitted again to what it predicts with the residuals of that fit in another order or with
    other signs. FA is the fraction.

    Parameters
    ----------
    dwi : image
        (x, y, z, measurements).
    gradients : Gradients
        How these are weighted.
    mask : image
        The voxels that count.
    replicates : int
        Refits of each voxel.
    resampling : {"residuals", "signs"}
        What a measurement gets as its residual: that of another one, or its own with either sign (the wild bootstrap).

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=6, directions=15, b_value=1000)
    >>> refits = ar.refits_as_orientations(brain.dwi, brain.gradients, brain.mask, replicates=5)
    >>> len(ar.track_samples(refits, select=50, device="cpu"))
    50

    References
    ----------
    Jones DK (2008), doi:10.1109/TMI.2008.922191; Chung S, Lu Y, Henry RG (2006), doi:10.1016/j.neuroimage.2006.07.001.
    """
    dwi, table = series(dwi, gradients)
    told = call("cpu", threads=threads, random_seed=random_seed, progress=progress)
    inside = volume(mask, "mask", dwi)
    return Orientations(_arcuate.refits_as_orientations(told, dwi._volume(), table, inside, replicates, resampling))


# Options of `track samples` that are no arrays and that regions have no part in.
OF_STREAMLINES = (
    "seeds per_seed select seed_cutoff seed_anywhere seed_radius integrator step angle cutoff initial_fibre fraction_stops "
    "loop_check nearest max_steps min_half_length min_length max_length at_max_length preset"
).split()


def _words(out: str, told: Mapping[str, Any], names: Sequence[str]) -> List[str]:
    options = {name: told[name] for name in names}
    # Which of them are arrays is said, for what goes together.
    options.update({name: "array" for name in ("seed_mask", "seed_points") if told[name] is not None})
    return words_of("track samples", ["array"], {"out": out, **options})


def _orientations(samples: "Union[Orientations, PathLike]") -> Orientations:
    return samples if isinstance(samples, Orientations) else load_samples(samples)


@documented
def track_samples(
    samples: Union[Orientations, PathLike],
    *,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    seed_interface: bool = False,
    seed_cutoff: Optional[float] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    per_seed: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    integrator: Optional[str] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    initial_fibre: Union[str, int, None] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: str = "stop",
    preset: Optional[str] = None,
    waypoints: Regions = (),
    waypoint_condition: str = "all",
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    judged_by: str = "half",
    five_tissues: Optional[ImageLike] = None,
    cropping: bool = True,
    back_tracking: bool = False,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Tracks:
    """Follows samples of fibre orientations, as ``arcuate track samples``.

    Parameters
    ----------
    samples : Orientations or path
        Those of :func:`load_samples`, or their folder; also of :func:`peaks_as_orientations` and :func:`refits_as_orientations`.
    {COMMON}
    seed_cutoff : float, optional
        Fraction of its fibres that a seed needs if no seeds are chosen; 0.2 by default.
    per_seed : int, optional
        Streamlines of each voxel or point of the seeds. Without ``per_seed``, ``seeds`` and ``select``, each point begins one
        streamline, and other seeds are drawn until 50,000 streamlines are accepted.
    seed_anywhere, seed_radius : bool, float, optional
        Whether these begin anywhere in the voxel, or in a ball of so many mm about its centre or the point.
{PROPAGATION}
    Returns
    -------
    Tracks
    """
    orientations = _orientations(samples)
    common = common_of(locals(), orientations.peaks())
    words = _words("array.trx", locals(), OF_STREAMLINES)
    done = call(device, device_memory, threads, random_seed, progress)
    return Tracks._found(_arcuate.through_samples(done, orientations._native, common, words))


@dataclass
class Visits:
    """Where streamlines pass: ``visits`` counts those through each voxel, ``normalised`` has them in parts of all.

    ``lengths``, where asked for, has the mean length of the way from the seeds in mm, and ``by_length`` visits times that.
    ``target_counts`` has for each target how many streamlines of each seed pass it: an image, or of seeds that are points an array.
    """

    visits: Image
    normalised: Image
    lengths: Optional[Image]
    by_length: Optional[Image]
    target_counts: "List[Union[Image, NDArray[np.uint32]]]"
    summary: Dict[str, Any]

    def _repr_html_(self) -> str:
        from ._pictures import table

        return table(repr(self), {"normalised": self.normalised})

    def __repr__(self) -> str:
        return f"<arcuate.Visits of {self.summary['streamlines']:,} streamlines from {self.summary['seeds']:,} seeds>"


@documented
def map_visits(
    samples: Union[Orientations, PathLike],
    *,
    seed_mask: Optional[ImageLike] = None,
    seed_points: Optional[ArrayLike] = None,
    seed_interface: bool = False,
    seed_cutoff: Optional[float] = None,
    seed_anywhere: bool = False,
    seed_radius: Optional[float] = None,
    per_seed: Optional[int] = None,
    seeds: Optional[int] = None,
    select: Optional[int] = None,
    integrator: Optional[str] = None,
    step: Optional[float] = None,
    angle: Optional[float] = None,
    cutoff: Optional[float] = None,
    initial_fibre: Union[str, int, None] = None,
    fraction_stops: bool = False,
    loop_check: bool = False,
    nearest: bool = False,
    max_steps: Optional[int] = None,
    min_half_length: Optional[float] = None,
    min_length: Optional[float] = None,
    max_length: Optional[float] = None,
    at_max_length: str = "stop",
    preset: Optional[str] = None,
    waypoints: Regions = (),
    waypoint_condition: str = "all",
    waypoints_in_order: bool = False,
    waypoints_one_way: bool = False,
    avoid: Regions = (),
    stop: Regions = (),
    stop_on_exit: Regions = (),
    targets: Regions = (),
    judged_by: str = "half",
    five_tissues: Optional[ImageLike] = None,
    cropping: bool = True,
    back_tracking: bool = False,
    lengths: bool = False,
    threshold: Optional[float] = None,
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Visits:
    """Maps where streamlines through samples pass, as ``arcuate track samples --products visits``. No streamline is kept.

    The same seeds and options give the same streamlines as :func:`track_samples`.

    Parameters
    ----------
    samples : Orientations or path
        Those of :func:`load_samples`, or their folder; also of :func:`peaks_as_orientations` and :func:`refits_as_orientations`.
    {COMMON}
    seed_cutoff : float, optional
        Fraction of its fibres that a seed needs if no seeds are chosen; 0.2 by default.
    per_seed : int, optional
        Streamlines of each voxel or point of the seeds. Without ``per_seed``, ``seeds`` and ``select``, each point begins one
        streamline, and other seeds are drawn until 50,000 streamlines are accepted.
    seed_anywhere, seed_radius : bool, float, optional
        Whether these begin anywhere in the voxel, or in a ball of so many mm about its centre or the point.
{PROPAGATION}
    lengths : bool
        Whether to map the mean length of the way from the seeds, too.
    threshold : float, optional
        Normalised visits below this are 0; 0.005 by default.

    Returns
    -------
    Visits
        On the grid of ``seed_mask``, or else of the samples.

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=6, directions=15, b_value=1000)
    >>> peaks = ar.peaks_as_orientations(brain.peaks, brain.mask)
    >>> visits = ar.map_visits(peaks, seed_points=[[20, 0, 20]], seed_radius=6, per_seed=1000, preset="probtrackx", device="cpu")
    >>> bool(visits.visits.data.max() > 300)
    True
    """
    orientations = _orientations(samples)
    common = common_of(locals(), orientations.peaks())
    # Those of another product are not written.
    products = ["visits", "lengths"] if lengths else ["visits"]
    words = _words("array", {**locals(), "products": products}, [*OF_STREAMLINES, "products", "threshold"])
    done = call(device, device_memory, threads, random_seed, progress)
    found = _arcuate.map_visits(done, orientations._native, common, words)
    maps = {name: Image._of(found[name]) if name in found else None for name in ("visits", "normalised", "lengths", "by_length")}
    counts: "List[Union[Image, NDArray[np.uint32]]]" = [Image._of(one) for one in found["target_counts"]]
    counts += [np.array(one, dtype=np.uint32) for one in found["target_counts_of_points"]]
    return Visits(**maps, target_counts=counts, summary=found["summary"])  # type: ignore[arg-type]
