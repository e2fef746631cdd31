"""Arcuate: from a diffusion MRI scan to evaluated connections, on NumPy arrays.

Points are RAS mm, b-values s/mm², diffusivities mm²/s, directions in scanner axes, unless stated otherwise. Functions have the
names, options and defaults of the commands of ``arcuate``. Their results are bit-identical to those of the commands.

>>> import arcuate as ar
>>> brain = ar.simulate(voxel_size=5, directions=20, b_value=1000)
>>> maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
>>> tracks = ar.track_tensor(maps.tensor, mask=brain.mask, select=200)
>>> life = ar.evaluate_life(tracks, brain.dwi, brain.gradients, brain.mask, device="cpu")
>>> life.weights.shape
(200,)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional

from . import _arcuate
from ._connect import Connectome
from ._errors import ArcuateError, ArcuateWarning, DeviceError, InputError, WriteError
from ._evaluation import Commit, Evaluation, Life
from ._fitting import Fit, Maps, Samples, TensorMaps, find_mask, model_text, models, tensor_maps
from ._fod import Distributions, Responses, find_peaks
from ._functions import (
    connectome,
    density,
    estimate_responses,
    evaluate_commit,
    evaluate_life,
    fit,
    fit_csd,
    fit_tensor,
    map_visits,
    reconstruct,
    refits_as_orientations,
    run,
    sample,
    sample_along,
    simulate,
    track_fod,
    track_geodesic,
    track_samples,
    track_tensor,
)
from ._images import Gradients, Image, Series, load_image, load_series, load_tensor
from ._recon import Reconstruction
from ._records import Page, Results, load, report
from ._sampled import (
    Orientations,
    Visits,
    load_samples,
    peaks_as_orientations,
)
from ._simulate import Brain
from ._tissues import five_tissues, tissue_interface
from ._tracking import Tracks
from ._tractogram import Tractogram, load_tractogram

if TYPE_CHECKING:
    from . import commands, commit, operators

__version__: str = _arcuate.VERSION


class Device(NamedTuple):
    """A computing device: the CPU or a GPU, with the name that the parameter ``device`` accepts."""

    id: str
    description: str
    unusable: Optional[str]


def devices() -> List[Device]:
    """Returns the computing devices of this machine. If a device cannot be used, its attribute ``unusable`` states the reason."""
    return [Device(*device) for device in _arcuate.devices()]


def __getattr__(name: str) -> Any:
    # Importing SciPy takes longer than the rest of the package, so these modules are imported when they are first used.
    if name in ("commands", "commit", "operators"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "ArcuateError",
    "ArcuateWarning",
    "Brain",
    "Commit",
    "Connectome",
    "Device",
    "DeviceError",
    "Distributions",
    "Evaluation",
    "Fit",
    "Gradients",
    "Image",
    "InputError",
    "Life",
    "Maps",
    "Orientations",
    "Page",
    "Reconstruction",
    "Responses",
    "Results",
    "Samples",
    "Series",
    "TensorMaps",
    "Tracks",
    "Tractogram",
    "Visits",
    "WriteError",
    "commands",
    "commit",
    "connectome",
    "density",
    "devices",
    "estimate_responses",
    "evaluate_commit",
    "evaluate_life",
    "find_mask",
    "find_peaks",
    "fit",
    "fit_csd",
    "fit_tensor",
    "five_tissues",
    "load",
    "load_image",
    "load_samples",
    "load_series",
    "load_tensor",
    "load_tractogram",
    "map_visits",
    "model_text",
    "models",
    "operators",
    "peaks_as_orientations",
    "reconstruct",
    "refits_as_orientations",
    "report",
    "run",
    "sample",
    "sample_along",
    "simulate",
    "tensor_maps",
    "tissue_interface",
    "track_fod",
    "track_geodesic",
    "track_samples",
    "track_tensor",
]
