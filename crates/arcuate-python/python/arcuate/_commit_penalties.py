"""Penalties of :mod:`arcuate.commit`, with dmri-commit's arguments."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ._arrays import number, numbers
from ._commit_calls import Options, evaluate
from ._errors import InputError

PENALTIES = {"lasso": "lasso", "group_lasso": "group-sparse", "sparse_group_lasso": "sparse-group"}


class Penalty:
    """A penalty with dmri-commit's arguments.

    Its strengths are fractions of the smallest λ that keeps all amounts at their start value 0.
    """

    def __init__(self, regularisers: Sequence[Optional[str]], lambdas: Sequence[Any], params: Sequence[Optional[Mapping[str, Any]]]):
        for name, count in (("regularisers", len(regularisers)), ("lambdas", len(lambdas)), ("params", len(params))):
            if count != 3:
                raise InputError(f"{name}: it has {count} values; give one for each of streamlines, peaks and voxels")
        for compartment, regulariser, allowed in zip(("IC", "EC", "ISO"), regularisers, (PENALTIES, ("lasso",), ("lasso",))):
            if regulariser is not None and regulariser not in allowed:
                raise InputError(f"regularisers: {regulariser!r} is none for {compartment}; give None, {', '.join(map(repr, allowed))}")
        for of_others in params[1:]:
            if of_others:
                raise InputError(f"params: {', '.join(of_others)} of peaks and voxels cannot be set; leave it out")
        self.kind = regularisers[0]
        parts = [("IC", self.kind, lambdas[0]), ("EC", regularisers[1], lambdas[1]), ("ISO", regularisers[2], lambdas[2])]
        fractions = {name: self._fractions(name, kind, given) for name, kind, given in parts}
        self.streamlines, self.extra, self.isotropic = fractions["IC"], fractions["EC"], fractions["ISO"]
        self.groups = self._groups(dict(params[0] or {}))

    @staticmethod
    def _fractions(compartment: str, regulariser: Optional[str], given: Any) -> List[float]:
        if regulariser is None:
            return []
        count = 2 if regulariser == "sparse_group_lasso" else 1
        all_given = [given] if np.ndim(given) == 0 else list(given)
        values = [number(one, "lambdas") for one in all_given if one is not None]
        if len(values) != count or not all(value > 0 for value in values):
            wanted = "two fractions above 0, of streamlines and of groups" if count == 2 else "a fraction above 0"
            raise InputError(f"lambdas: {given!r} is no strength of a {regulariser} of {compartment}; give {wanted}")
        return values

    def _groups(self, params: Dict[str, Any]) -> Optional[NDArray[np.int64]]:
        """Returns the index of the group of each streamline."""
        groups = params.pop("group_idx", None)
        cardinality, adaptive = params.pop("group_weights_cardinality", True), params.pop("group_weights_adaptive", None)
        for name in [name for name, value in params.items() if value is not None]:
            raise InputError(f"params: {name} is not known here; leave it out")
        if self.kind not in ("group_lasso", "sparse_group_lasso"):
            if groups is not None:
                raise InputError("params: group_idx has no meaning without a penalty on groups; leave it out")
            return None
        if groups is None:
            raise InputError("params: group_idx is missing; give the numbers of the streamlines of each group")
        if not cardinality:
            raise InputError("params: group_weights_cardinality: a group counts by the root of its size; leave it at True")
        if adaptive is None or adaptive:
            raise InputError(
                "params: group_weights_adaptive: its λ is a fraction of another maximum here; set it to False, or use "
                "arcuate.commands.evaluate_commit with group_weights='adaptive'"
            )
        if np.ndim(groups[0] if isinstance(groups, (list, tuple)) and groups else groups) == 0:
            raise InputError("params: group_idx: it is no list of groups; give a list of streamline numbers for each group")
        members = [numbers(group, "params: group_idx", np.int64).ravel() for group in groups]
        if not members or not np.array_equal(np.sort(np.concatenate(members)), np.arange(sum(map(len, members)))):
            raise InputError("params: group_idx: each streamline must be in one group; groups that overlap cannot be")
        group_of = np.empty(sum(map(len, members)), dtype=np.int64)
        for place, group in enumerate(members):
            group_of[group] = place
        return group_of

    def options(self, tractogram: Optional[str], base: Options, extra: bool, work: str) -> Options:
        """Returns the options of the command.

        In the command, λ of streamlines and groups are fractions of a different maximum. This method therefore first computes the maximum
        of dmri-commit: the λ that gives all streamlines weight 0 if the other penalties also remove their compartments.
        """
        if self.extra and not extra:
            raise InputError("regularisers: there are no compartments along peaks; give None in the second place")
        if not self.streamlines:
            found: Options = {"lambda_extra": self.extra[0]} if self.extra else {}
            return {**found, **({"lambda_isotropic": self.isotropic[0]} if self.isotropic else {})}
        of_groups: Options = {}
        if self.groups is not None:
            of_groups["groups"] = os.path.join(work, "groups.txt")
            np.savetxt(of_groups["groups"], self.groups, fmt="%d")
        tops: List[float] = []
        figures: Dict[str, Any] = {}
        for kind, name in (("lasso", "λ of streamlines"), ("group_lasso", "λ of groups")):
            if self.kind in (kind, "sparse_group_lasso"):
                ends: Options = {"lambda_": 1, "lambda_isotropic": 1, "lambda_extra": 1 if extra else None, "iterations": 1}
                given = {**base, **(of_groups if kind == "group_lasso" else {}), "regularise": PENALTIES[kind], **ends}
                figures = evaluate(tractogram, os.path.join(work, "maxima"), given, 0).figures
                tops.append(figures[name]["value"])
        absolute = [fraction * top for fraction, top in zip(self.streamlines, tops)]
        found = {"regularise": PENALTIES[str(self.kind)], "absolute_lambda": True, "lambda_": absolute, **of_groups}
        if self.extra:
            found["lambda_extra"] = self.extra[0] * figures["λ of extra-axonal amounts"]["value"]
        if self.isotropic:
            found["lambda_isotropic"] = self.isotropic[0] * figures["λ of isotropic amounts"]["value"]
        return found
