"""Forward models of :mod:`arcuate.commit`, by dmri-commit's names and units."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import number, vector
from ._commit_calls import Options, neutral
from ._errors import InputError


D_PERPS = (1.19e-3, 0.85e-3, 0.51e-3, 0.17e-3)
"""Diffusivities across peaks by default, in mm²/s."""


def _converted(values: Union[float, NDArray[np.float64]], times: float) -> List[float]:
    """Numbers in another unit, without the last digits of the product."""
    return [float(f"{times * value:.12g}") for value in np.atleast_1d(values)]


class Model:
    """A forward model by its parameters; ``set`` is its own."""

    id = ""
    name = ""
    oriented = True
    responses = 1
    """How many there are along a streamline."""

    def get_params(self) -> Dict[str, Any]:
        """The parameters by dmri-commit's names."""
        return {"id": self.id, "name": self.name, **{name: value for name, value in vars(self).items() if name != "responses"}}

    def set(self) -> None:
        """It has no parameters."""

    def options(self, peaks: bool) -> Options:
        """Those of the command; ``peaks`` says whether there are any."""
        raise NotImplementedError


def _balls(d_isos: ArrayLike) -> NDArray[np.float64]:
    values = vector(d_isos, "d_isos")
    if not values.size:
        raise InputError("d_isos: it is empty; give one diffusivity or more, in mm²/s")
    return values


class StickZeppelinBall(Model):
    """Sticks along streamlines, zeppelins along peaks, balls."""

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
        """Sets diffusivities, in mm²/s.

        Parameters
        ----------
        d_par, d_perp : float
            Along and across streamlines. (In dmri-commit 2.4.2 ``d_perp`` changes nothing.)
        d_perps_zep : sequence of float, optional
            Across peaks, a zeppelin each; 1.19, 0.85, 0.51 and 0.17·10⁻³ by default, none of an empty one.
        d_isos : sequence of float
            Of the balls.
        d_par_zep : float
            Along peaks.
        d_perps : sequence of float, optional
            ``d_perps_zep`` by its older name.
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
    """Cylinders along streamlines, zeppelins along peaks, balls; the scheme must have timings."""

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
        """Sets diffusivities, in mm²/s, and radii.

        Parameters
        ----------
        d_par : float
            Along streamlines and peaks.
        Rs : sequence of float, optional
            Radii in m; 10⁻⁸ and 20 from 0.5 to 8·10⁻⁶ by default.
        d_perps : sequence of float, optional
            Across peaks, a zeppelin each; 1.19, 0.85, 0.51 and 0.17·10⁻³ by default.
        d_isos : sequence of float
            Of the balls.
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
    """The same signal in all measurements, along streamlines and peaks and per voxel."""

    id = name = "VolumeFractions"
    oriented = False

    def options(self, peaks: bool) -> Options:
        return {"model": "volume-fractions"}


class ScalarMap(Model):
    """A map, to which a streamline contributes by its length in each voxel."""

    id = name = "ScalarMap"
    oriented = False

    def options(self, peaks: bool) -> Options:
        return {"model": "scalar-map"}


MODELS = {kind.id: kind for kind in (StickZeppelinBall, CylinderZeppelinBall, VolumeFractions, ScalarMap)}
