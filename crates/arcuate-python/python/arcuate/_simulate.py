"""A simulated brain with known connections."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from . import _arcuate
from ._commands import asked
from ._errors import InputError
from ._fitting import Maps
from ._images import Gradients, Image
from ._tractogram import Tractogram


class Brain(Maps):
    """A simulated measurement of a small brain, and its ground truth.

    ``dwi`` is the diffusion series with the gradient table ``gradients``. ``mask``, ``white_matter`` and ``labels`` (with
    ``label_names``) are images. The ground truth has the streamlines ``truth``, with one group per entry of ``bundles``. It also
    has ``peaks`` (scanner axes, with the fraction as length), ``tissue_fractions`` (CSF, grey and white matter) and
    ``bundle_fractions``.
    """

    def __init__(self, found: Dict[str, Any], gradients: Gradients):
        self.gradients = gradients
        self.truth = Tractogram._of(found.pop("truth"))
        self.label_names: Dict[int, str] = found.pop("label_names")
        self.bundles: List[str] = found.pop("bundles")
        super().__init__({name: Image._of(one) for name, one in found.items()})


def simulate(told: _arcuate.Call, options: Mapping[str, Any], gradients: Optional[Gradients]) -> Brain:
    """Implements :func:`arcuate.simulate` with its options in a mapping."""
    if gradients is not None and not isinstance(gradients, Gradients):
        raise InputError(f"gradients: {type(gradients).__name__} is no table; give arcuate.Gradients")
    words = asked("simulate", options, {"gradients": gradients}, places=0)
    found = _arcuate.simulate_brain(told, None if gradients is None else gradients._native, words)
    return Brain(found, Gradients._of(found.pop("gradients")))
