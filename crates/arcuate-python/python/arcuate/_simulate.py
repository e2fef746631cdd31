"""A brain whose connections are known."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from . import _arcuate
from ._calls import Progress, call
from ._errors import InputError
from ._fitting import Maps
from ._images import Gradients, Image
from ._tractogram import Tractogram


class Brain(Maps):
    """A simulated measurement of a small brain, and the truth about it.

    ``dwi`` with its ``gradients``; ``mask``, ``white_matter``, ``labels`` with ``label_names``; the truth: streamlines ``truth`` with a
    group for each of ``bundles``, ``peaks`` (scanner axes, as long as fractions), ``tissue_fractions`` (fluid, grey and white matter),
    ``bundle_fractions``.
    """

    def __init__(self, found: Dict[str, Any], gradients: Gradients):
        self.gradients = gradients
        self.truth = Tractogram._of(found.pop("truth"))
        self.label_names: Dict[int, str] = found.pop("label_names")
        self.bundles: List[str] = found.pop("bundles")
        super().__init__({name: Image._of(one) for name, one in found.items()})


def simulate(
    gradients: Optional[Gradients] = None,
    *,
    voxel_size: float = 2.5,
    snr: float = 30.0,
    directions: int = 64,
    b_value: float = 2000.0,
    b0s: int = 6,
    streamlines_per_bundle: int = 200,
    tissues: bool = False,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
) -> Brain:
    """Simulates a small brain whose connections are known, as ``arcuate simulate``.

    Parameters
    ----------
    gradients : Gradients, optional
        How it is measured; else by so many ``directions`` of one ``b_value`` (s/mm²), and ``b0s`` with b = 0.
    voxel_size : float
        Edge of a voxel in mm.
    snr : float
        Signal of white matter at b = 0 over the standard deviation of the noise; 0 for none.
    streamlines_per_bundle : int
        Known streamlines of each of 15 bundles.
    tissues : bool
        Whether tissues are as real ones: fluid 3.5 times as bright as white matter, a bias field.

    Examples
    --------
    >>> import arcuate as ar
    >>> brain = ar.simulate(voxel_size=8, directions=6, b_value=1000)
    >>> len(brain.bundles), brain.gradients
    (15, <arcuate.Gradients of 12 measurements: 6 × b 0, 6 × b 1000>)
    """
    if gradients is None:
        gradients = Gradients._of(_arcuate.shell_of(directions, b_value, b0s))
    elif not isinstance(gradients, Gradients):
        raise InputError(f"gradients: {type(gradients).__name__} is no table; give arcuate.Gradients")
    done = call("cpu", threads=threads, random_seed=random_seed, progress=progress)
    found = _arcuate.simulate_brain(done, gradients._native, voxel_size, snr, streamlines_per_bundle, tissues)
    return Brain(found, gradients)
