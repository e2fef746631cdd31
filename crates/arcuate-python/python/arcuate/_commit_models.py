"""Forward models of :mod:`arcuate.commit`, with dmri-commit's names and units."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import number, vector
from ._commit_calls import Options, neutral
from ._errors import InputError


D_PERPS = (1.19e-3, 0.85e-3, 0.51e-3, 0.17e-3)
"""Default radial diffusivities of zeppelins along peaks, in mm²/s."""


def _converted(values: Union[float, NDArray[np.float64]], times: float) -> List[float]:
    """Converts numbers to another unit. Rounding removes the inexact last digits of the product."""
    return [float(f"{times * value:.12g}") for value in np.atleast_1d(values)]


class Model:
    """A forward model with its parameters. Each model has its own ``set``."""

    id = ""
    name = ""
    oriented = True
    responses = 1
    """Number of responses along a streamline."""

    def get_params(self) -> Dict[str, Any]:
        """Returns the parameters with dmri-commit's names."""
        return {"id": self.id, "name": self.name, **{name: value for name, value in vars(self).items() if name != "responses"}}

    def set(self) -> None:
        """Does nothing, because this model has no parameters."""

    def options(self, peaks: bool) -> Options:
        """Returns the options of the command; ``peaks`` is True if there are peaks."""
        raise NotImplementedError


def _balls(d_isos: ArrayLike) -> NDArray[np.float64]:
    values = vector(d_isos, "d_isos")
    if not values.size:
        raise InputError("d_isos: it is empty; give one diffusivity or more, in mm²/s")
    return values


class StickZeppelinBall(Model):
    """Signal model with sticks along streamlines, zeppelins along peaks, and isotropic balls."""

    id = "StickZeppelinBall"
    name = "Stick-Zeppelin-Ball"

    def __init__(self) -> None:
        self.set()

    def set(
        self,
        d_par: float = 1.7e-3,
        d_perps_zep: Optional[ArrayLike] = None,
        d_isos: ArrayLike = 3e-3,
        d_par_zep: float = 1.7e-3,
        d_perp: float = 0.0,
        *,
        d_perps: Optional[ArrayLike] = None,
    ) -> None:
        """Sets the diffusivities of the model, in mm²/s.

        Parameters
        ----------
        d_par, d_perp : float
            Axial and radial diffusivity of the compartments of streamlines. (In dmri-commit 2.4.2, ``d_perp`` has no effect.)
        d_perps_zep : sequence of float, optional
            Radial diffusivities of the zeppelins along peaks; each gives one zeppelin. Default: 1.19, 0.85, 0.51 and 0.17·10⁻³. An
            empty sequence gives no zeppelins.
        d_isos : sequence of float
            Diffusivities of the balls (isotropic compartments).
        d_par_zep : float
            Axial diffusivity of the zeppelins along peaks.
        d_perps : sequence of float, optional
            Older name of ``d_perps_zep``.
        """
        if d_perps is not None and d_perps_zep is not None:
            raise InputError("d_perps: it is d_perps_zep by its older name; give one of them")
        given = d_perps if d_perps_zep is None else d_perps_zep
        self.d_par, self.d_perp = number(d_par, "d_par"), number(d_perp, "d_perp")
        self.d_par_zep = number(d_par_zep, "d_par_zep")
        name = "d_perps_zep" if d_perps is None else "d_perps"
        self.d_perps_zep = vector(D_PERPS if given is None else given, name)
        self.d_isos = _balls(d_isos)

    def options(self, peaks: bool) -> Options:
        shared = {"axial_diffusivity": _converted(self.d_par, 1e3)[0], "isotropic_diffusivities": _converted(self.d_isos, 1e3)}
        if not self.d_perps_zep.size:
            neutral("d_perp", self.d_perp, 0.0, "without zeppelins streamlines are sticks")
            return {"model": "ball-and-stick", **shared}
        zeppelins = {
            "zeppelin_axial_diffusivity": _converted(self.d_par_zep, 1e3)[0],
            "radial_diffusivities": _converted(self.d_perps_zep, 1e3),
        }
        across = {"radial_diffusivity": _converted(self.d_perp, 1e3)[0]}
        return {"model": "stick-zeppelin-ball", **shared, **across, **(zeppelins if peaks else {})}


class CylinderZeppelinBall(Model):
    """Signal model with cylinders along streamlines, zeppelins along peaks, and isotropic balls. The scheme file must have timings."""

    id = "CylinderZeppelinBall"
    name = "Cylinder-Zeppelin-Ball"

    def __init__(self) -> None:
        self.set()

    def set(
        self,
        d_par: float = 0.6e-3,
        Rs: Optional[ArrayLike] = None,
        d_perps: Optional[ArrayLike] = None,
        d_isos: ArrayLike = 2e-3,
    ) -> None:
        """Sets the diffusivities of the model, in mm²/s, and the radii of the cylinders, in m.

        Parameters
        ----------
        d_par : float
            Axial diffusivity of the compartments of streamlines and of peaks.
        Rs : sequence of float, optional
            Radii of the cylinders in m. Default: 10⁻⁸, and 20 radii from 0.5·10⁻⁶ to 8·10⁻⁶.
        d_perps : sequence of float, optional
            Radial diffusivities of the zeppelins along peaks; each gives one zeppelin. Default: 1.19, 0.85, 0.51 and 0.17·10⁻³.
        d_isos : sequence of float
            Diffusivities of the balls (isotropic compartments).
        """
        self.d_par = number(d_par, "d_par")
        self.Rs = vector(np.append(0.01e-6, np.linspace(0.5e-6, 8e-6, 20)) if Rs is None else Rs, "Rs")
        self.d_perps = vector(D_PERPS if d_perps is None else d_perps, "d_perps")
        self.d_isos = _balls(d_isos)
        for name, values in (("Rs", self.Rs), ("d_perps", self.d_perps)):
            if not values.size:
                raise InputError(f"{name}: it is empty; give one or more")
        self.responses = len(self.Rs)

    def options(self, peaks: bool) -> Options:
        return {
            "model": "cylinder-zeppelin-ball",
            "axial_diffusivity": _converted(self.d_par, 1e3)[0],
            "radii": _converted(self.Rs, 1e6),
            "isotropic_diffusivities": _converted(self.d_isos, 1e3),
            **({"radial_diffusivities": _converted(self.d_perps, 1e3)} if peaks else {}),
        }


class VolumeFractions(Model):
    """Signal model in which the signal of each streamline, peak and voxel is equal in all measurements."""

    id = name = "VolumeFractions"
    oriented = False

    def options(self, peaks: bool) -> Options:
        return {"model": "volume-fractions"}


class ScalarMap(Model):
    """Model of a scalar map: a streamline contributes to a voxel in proportion to its length in the voxel."""

    id = name = "ScalarMap"
    oriented = False

    def options(self, peaks: bool) -> Options:
        return {"model": "scalar-map"}


MODELS = {kind.id: kind for kind in (StickZeppelinBall, CylinderZeppelinBall, VolumeFractions, ScalarMap)}
