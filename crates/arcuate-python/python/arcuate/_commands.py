"""Converts function calls to command lines, and command lines to function calls."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np

from . import _arcuate
from ._calls import call
from ._errors import InputError
from ._images import PathLike
from ._records import Results, load

__all__ = ["Done", "PathLike", "Several", "Word", "done", "python_of"]

T = TypeVar("T")
Several = Union[T, Sequence[T]]
Word = Union[str, int, float, "os.PathLike[str]"]

# Maximum length of a line of a generated call.
LONGEST_LINE = 110

# Keywords that control how a call is done.
OF_CALLS = ("device", "device_memory", "threads", "random_seed")


@dataclass(frozen=True)
class Done:
    """Result of a command: ``said`` is the text that its user would read, ``out`` the path of its result."""

    said: str
    out: Optional[str]

    @property
    def results(self) -> Results:
        """The results with their record. Most commands write a record."""
        if self.out is None:
            raise InputError("results: this command leaves none; see ‘said’")
        return load(self.out)

    def __repr__(self) -> str:
        # The text that a terminal would show.
        return self.said.rstrip("\n") or f"<arcuate.commands.Done: {self.out}>"


def _word(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _several(name: str, value: Any) -> List[str]:
    if isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__iter__"):
        value = [value]
    values = [_word(one) for one in value]
    if not values:
        raise InputError(f"{name}: it is empty; give one or more, or leave it out")
    return values


def words_of(command: str, places: Sequence[Any], told: Mapping[str, Any]) -> List[str]:
    """Returns a command line: ``places`` are the positional arguments, ``told`` the options by keyword."""
    words = ["arcuate", *command.split()]
    placed = [word for value in places if value is not None for word in _several(command, value)]
    # A positional argument that looks like an option must come after ``--`` at the end.
    is_like_option = any(word.startswith("-") and word != "-" for word in placed)
    if not is_like_option:
        words += placed
    for name, value in told.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)):
            words += [option] if value else []
        else:
            words += [f"{option}={one}" for one in _several(name, value)]
    return [*words, "--", *placed] if is_like_option else words


ARRAY = "array"


def asked(command: str, options: Mapping[str, Any], given: Mapping[str, Any], places: int = 1, out: str = ARRAY) -> List[str]:
    """Returns the command line with these options, for a function on arrays.

    The word ``array`` replaces the name of each file: for ``places`` positional arguments, and for each argument in ``given`` that is
    not None.
    """
    arrays = {name: ARRAY for name, array in given.items() if array is not None}
    return words_of(command, [ARRAY] * places, {"out": out, **arrays, **options})


def done(command: str, places: Tuple[Any, ...], told: Dict[str, Any], frames: int = 3) -> Done:
    """Runs a command with keywords; ``places`` are its positional arguments."""
    progress = told.pop("progress")
    of_call = {name: told[name] for name in OF_CALLS if told[name] is not None}
    words = words_of(command, places, told)
    # Warnings refer to the line that calls the public function.
    said = _arcuate.command(call(progress=progress, frames=frames, **of_call), words)
    out = told.get("out")
    return Done(said, None if out is None else os.fspath(out))


def _literal(text: str, kind: str) -> str:
    """Returns a word of a command line as a Python literal."""
    # The meaning of a word is unknown here: a label such as 01 is not a number.
    if ("float" in kind or "int" in kind) and re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", text):
        return text
    return json.dumps(text, ensure_ascii=False)


def python_of(line: str) -> str:
    """Returns the Python call that is equivalent to a command line.

    Parameters
    ----------
    line : str
        ``arcuate`` and its arguments, without shell syntax such as pipes, redirections and variables.

    Examples
    --------
    >>> import arcuate as ar
    >>> print(ar.commands.python_of("arcuate track samples fit --seed-mask seeds.nii.gz --per-seed 500 --products lengths --out tract"))
    ar.commands.track_samples("fit", seed_mask="seeds.nii.gz", per_seed=500, products="lengths", out="tract")
    """
    # Only this function needs these two modules.
    import inspect
    import shlex


    from . import commands

    words = shlex.split(line)
    if not words or words[0] != "arcuate" or any(mark in word for word in words for mark in "|<>;&$`*"):
        raise InputError(f"line: `{line}` is not a single command of arcuate; give only its words, without shell syntax")
    if words[1:2] == ["fit"] and "--list" in words:
        words = ["arcuate", "models", *(word for word in words[2:] if word != "--list")]
    rest = [word.replace("5tt", "five_tissues") if n == 0 else word for n, word in enumerate(words[1:])]
    function = None
    for many in (2, 1):
        function = getattr(commands, "_".join(rest[:many]).replace("-", "_"), None)
        if inspect.isfunction(function) and function.__module__ == commands.__name__ and len(rest) >= many:
            rest = rest[many:]
            break
    else:
        raise InputError(f"line: `{' '.join(words[:2])}` is no command of arcuate.commands")
    parameters = inspect.signature(function).parameters
    places = [one for one in parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    positional: List[str] = []
    named: Dict[str, List[str]] = {}
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and not word.startswith("--"):
            raise InputError(f"line: {word} is short for an option; give its name")
        if not word.startswith("--"):
            kind = places[min(len(positional), len(places) - 1)].annotation if places else ""
            if not places or (len(positional) >= len(places) and "Several" not in str(kind)):
                raise InputError(f"line: `{word}` is one argument too many")
            positional.append(_literal(word, str(kind)))
            continue
        option, has_value, value = word[2:].partition("=")
        name = option.replace("-", "_") + ("_" if option == "lambda" else "")
        if name not in parameters:
            raise InputError(f"line: --{option} is no option of {function.__name__}")
        kind = str(parameters[name].annotation)
        if kind == "bool":
            named[name] = ["True"]
            continue
        if not has_value:
            if not rest:
                raise InputError(f"line: --{option} has no value")
            value = rest.pop(0)
        values = value.split(",") if "Several" in kind else [value]
        # Some options take several values. Positional arguments come before them.
        while "Several" in kind and len(positional) >= len(places) and rest and not rest[0].startswith("-"):
            values.append(rest.pop(0))
        named.setdefault(name, []).extend(_literal(one, kind) for one in values)
    if len(positional) > len(places):
        positional = [f"[{', '.join(positional)}]"]
    arguments = positional + [f"{name}={values[0] if len(values) == 1 else '[' + ', '.join(values) + ']'}" for name, values in named.items()]
    call = f"ar.commands.{function.__name__}({', '.join(arguments)})"
    if len(call) <= LONGEST_LINE:
        return call
    lines = [""]
    for one in arguments:
        if lines[-1] and len(lines[-1]) + len(one) + 6 > LONGEST_LINE:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + one + ","
    return f"ar.commands.{function.__name__}(\n" + "".join(f"    {one}\n" for one in lines) + ")"
