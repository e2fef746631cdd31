"""The reference pages of the package equal the pages generated from its docstrings."""

import collections
import inspect
import os
import pathlib
import re
import textwrap

import arcuate as ar

FOLDER = pathlib.Path(__file__).parents[3] / "docs/src/reference"

ABOUT = """# Python

<!-- Generated from the docstrings of the package. Do not edit. -->

This page is the reference of the Python package `arcuate` for its users: all public names with their parameters. The how-to
[Python](../how-to/python.md) has tasks with examples. [Commands in Python](python-commands.md) has the functions of `arcuate.commands`.

Points are RAS mm, b-values s/mm², diffusivities mm²/s, directions in scanner axes, unless stated otherwise. `image` is an
`arcuate.Image`, an image of nibabel, a path, an array, or an array with its affine.
"""

ABOUT_COMMANDS = """# Commands in Python

<!-- Generated from the docstrings of the package. Do not edit. -->

This page is the reference of `arcuate.commands` for users of Python who want files: each command of the command line is a function from
files to files. [Python](python.md) has the functions on arrays.
"""

COMMON = """## Common parameters

At least three functions have each of these parameters, with the same meaning. The functions list only the names."""

SECTIONS = ("Parameters", "Returns", "References", "Examples", "Notes", "Raises", "Attributes")


def linked(text):
    """Replaces Sphinx roles by code spans."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def entries(lines):
    """Yields the lines of a section of parameters: a list item for each parameter, and its indented text."""
    for line in lines:
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            yield f"- `{name}`" + (f" ({linked(kind)}):" if kind else ":")
        elif line.strip():
            yield "  " + linked(line.strip())


def parameters(documentation):
    """Yields the list items of the parameters in a docstring, with their texts."""
    lines = inspect.cleandoc(documentation or "").splitlines()
    if "Parameters" not in lines:
        return
    section = lines[lines.index("Parameters") + 2 :]
    ends = [n for n, line in enumerate(section) if set(line) == {"-"}]
    section = section[: ends[0] - 1] if ends else section
    yield from items(section)


def items(lines):
    """Yields the list item of each parameter, as one string with line breaks."""
    item = []
    for entry in entries(lines):
        if entry.startswith("- ") and item:
            yield "\n".join(item)
            item = []
        item.append(entry)
    if item:
        yield "\n".join(item)


def name_of(item):
    """Returns the name of the parameter of a list item."""
    return item.split("`")[1]


def common_parameters(documentations):
    """Returns the parameters that at least three functions document with the same text: name to list item."""
    counts = collections.Counter(item for one in documentations for item in set(parameters(one)))
    common = {}
    for item, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        if count >= 3:
            common.setdefault(name_of(item), item)
    return dict(sorted(common.items()))


def listed(lines, common):
    """Renders parameters. Parameters that several functions have become one line with links."""
    own = [item for item in items(lines) if common.get(name_of(item)) != item]
    shared = [f"`{name_of(item)}`" for item in items(lines) if common.get(name_of(item)) == item]
    if shared:
        own += ([""] if own else []) + textwrap.wrap(f"[Common parameters](#common-parameters): {', '.join(shared)}.", 140, break_long_words=False)
    return own


def rendered(documentation, common=None):
    """Renders a docstring in NumPy's style as Markdown."""
    lines = inspect.cleandoc(documentation or "").splitlines()
    out, name, section = [], None, []

    def close():
        if name == "Parameters":
            out.extend(["", f"**{name}**", "", *listed(section, common or {})])
        elif name in ("Returns", "Raises", "Attributes"):
            out.extend(["", f"**{name}**", "", *entries(section)])
        elif name == "Examples":
            out.extend(["", "**Examples**", "", "```pycon", *[line for line in section if line.strip() or line is not section[-1]], "```"])
        elif name:
            out.extend(["", f"**{name}**", "", *map(linked, section)])
        else:
            out.extend(map(linked, section))

    number = 0
    while number < len(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if lines[number] in SECTIONS and set(following) == {"-"}:
            close()
            name, section = lines[number], []
            number += 2
            continue
        section.append(lines[number])
        number += 1
    close()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in out)).strip()


def signature(name, function):
    """Renders a call with the names and defaults of its parameters."""
    shown = []
    for one in inspect.signature(function).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in shown and not any(part.startswith("*") for part in shown):
            shown.append("*")
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        shown.append(f"{star}{one.name}" + ("" if one.default is one.empty else f"={one.default!r}"))
    lines = [f"{name}("]
    for number, part in enumerate(shown):
        part += ")" if number == len(shown) - 1 else ", "
        if len(lines[-1]) + len(part) > 110:
            lines[-1] = lines[-1].rstrip()
            lines.append("    ")
        lines[-1] += part
    if not shown:
        lines[-1] += ")"
    return "\n".join(["```python", *lines, "```"])


def members(kind):
    """Yields the public methods and properties that a class defines itself, with their documentation."""
    for name, member in vars(kind).items():
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if not name.startswith("_") and (inspect.isfunction(function) or isinstance(member, property)):
            yield name, function


def described(name, thing, level="##", common=None):
    parts = [f"{level} {name}"]
    if inspect.isclass(thing):
        own = "__init__" in vars(thing) and thing.__doc__ and not issubclass(thing, Exception)
        parts += [signature(name, thing)] if own and not name.startswith(("Maps", "TensorMaps")) else []
        parts.append(rendered(thing.__doc__, common))
        for member, function in members(thing):
            parts.append(f"{level}# {name}.{member}")
            parts += [] if isinstance(function, property) else [signature(member, function)]
            parts.append(rendered(function.__doc__, common))
    elif callable(thing):
        parts += [signature(name, thing), rendered(thing.__doc__, common)]
    return "\n\n".join(part for part in parts if part)


def page():
    parts = [ABOUT.strip()]
    names = [name for name in ar.__all__ if not inspect.ismodule(getattr(ar, name))]
    functions = [name for name in names if inspect.isfunction(getattr(ar, name))]
    parts.append("## Functions\n\n" + ", ".join(f"[{name}](#{name})" for name in functions))
    common = common_parameters(getattr(ar, name).__doc__ for name in functions)
    parts += [described(name, getattr(ar, name), "###", common) for name in functions]
    parts.append(COMMON + "\n\n" + "\n".join(common.values()))
    parts.append("## Classes")
    parts += [described(name, getattr(ar, name), "###") for name in names if name not in functions]
    for module in (ar.operators, ar.commit):
        short = module.__name__.rpartition(".")[2]
        parts.append(f"## arcuate.{short}\n\n{rendered(module.__doc__)}")
        parts += [described(name, getattr(module, name), "###") for name in sorted(module.__all__)]
    return "\n\n".join(parts) + "\n"


def page_of_commands():
    functions = {
        name: function
        for name, function in vars(ar.commands).items()
        if inspect.isfunction(function) and function.__module__ == ar.commands.__name__ and function.__name__ == name
    }
    common = common_parameters(function.__doc__ for function in functions.values())
    parts = [ABOUT_COMMANDS.strip(), COMMON + "\n\n" + "\n".join(common.values())]
    parts += [described(name, function, common=common) for name, function in functions.items()]
    return "\n\n".join(parts) + "\n"


def test_the_reference_pages_are_current():
    for name, due in (("python.md", page()), ("python-commands.md", page_of_commands())):
        path = FOLDER / name
        if os.environ.get("ARCUATE_WRITE_PYTHON"):
            path.write_text(due, encoding="utf-8")
        written = path.read_text(encoding="utf-8") if path.exists() else ""
        assert written == due, f"{path} is not current; run this test with ARCUATE_WRITE_PYTHON=1 and commit the page"


def test_the_reference_pages_have_all_public_names():
    text = page()
    for name in ar.__all__:
        thing = getattr(ar, name)
        heading = f"## arcuate.{name}\n" if inspect.ismodule(thing) else f"### {name}\n"
        assert heading in text or name == "commands", name
        assert inspect.ismodule(thing) or rendered(thing.__doc__), f"{name} has no documentation"
    # Each keyword is documented with its type.
    for name in ("track_tensor", "fit", "evaluate_commit"):
        documentation = rendered(getattr(ar, name).__doc__)
        for parameter in inspect.signature(getattr(ar, name)).parameters:
            assert f"- `{parameter}` (" in documentation, f"{name}({parameter})"
