"""Each command line of the tutorials has a Python version. ``cargo xtask tutorials --python`` runs these versions."""

import os
import pathlib
import re

import pytest

import arcuate as ar
from arcuate import commands

TUTORIALS = pathlib.Path(__file__).parents[3] / "docs/src/tutorials"
TAB = re.compile(r"\n<details><summary>In Python</summary>\n.*?</details>\n", re.DOTALL)
BLOCK = re.compile(r"^<!-- run -->\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE)


def lines_of(block):
    """Returns the lines of a shell block, with continued lines joined."""
    whole = "".join(line.removeprefix("    ") for line in block.splitlines(keepends=True))
    return [line for line in whole.replace("\\\n", " ").splitlines() if line.strip()]


def call_of(line):
    if line.startswith("cd "):
        return f'os.chdir("{line[3:].strip()}")'
    # Scripts of the page and simple programs run with `os.system`.
    if line.startswith(("python ", "head ", "mkdir ", "cp ")) and not any(mark in line for mark in "|<>$\"'"):
        return f'os.system("{line.strip()}")'
    return commands.python_of(line)


def with_tabs(page):
    """Returns the page with Python code after each block of `arcuate` commands that can be written as calls."""
    page = TAB.sub("", page)
    imported = set()

    def tab(found):
        try:
            calls = [call_of(line) for line in lines_of(found[1])]
        except ar.InputError:
            return found[0]
        if not any(call.startswith("ar.") for call in calls):
            return found[0]
        needed = ["import os"] if any(call.startswith("os.") for call in calls) else []
        needed.append("import arcuate as ar")
        new = [line for line in needed if line not in imported]
        imported.update(new)
        code = "\n".join([*new, *calls])
        code = "".join(f"    {line}\n" for line in code.split("\n"))
        return f"{found[0]}\n<details><summary>In Python</summary>\n\n<!-- python -->\n{code}\n</details>\n"

    return BLOCK.sub(tab, page)


@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.md")), ids=lambda path: path.stem)
def test_python_stands_beside_each_command_line(path):
    page = path.read_text(encoding="utf-8")
    due = with_tabs(page)
    if os.environ.get("ARCUATE_WRITE_PYTHON"):
        path.write_text(due, encoding="utf-8")
    else:
        assert page == due, f"run this test with ARCUATE_WRITE_PYTHON=1 to write what belongs into {path.name}"


def test_most_commands_of_the_tutorials_have_python():
    pages = [path.read_text(encoding="utf-8") for path in TUTORIALS.glob("*.md")]
    lines = [line for page in pages for block in BLOCK.findall(page) for line in lines_of(block) if line.startswith("arcuate ")]
    calls = sum(page.count("    ar.commands.") for page in pages)
    # The remaining lines contain redirections, shell variables, or programs of FSL.
    assert len(lines) > 50 and calls > 0.85 * len(lines), (calls, len(lines))


def test_what_is_no_command_line_is_refused():
    for line, problem in {
        "fsl_sub x": "is not a single command",
        "arcuate fit --list ball-1-stick > mine.toml": "is not a single command",
        "arcuate nonsense x": "no command",
        "arcuate mask dwi.nii.gz --nonsense 3": "no option of mask",
        "arcuate mask dwi.nii.gz other.nii.gz --out x": "one argument too many",
        "arcuate mask dwi.nii.gz --out": "has no value",
    }.items():
        with pytest.raises(ar.InputError, match=problem):
            commands.python_of(line)
    assert commands.python_of("arcuate info a.nii b.nii --json") == 'ar.commands.info(["a.nii", "b.nii"], json=True)'
    assert commands.python_of("arcuate fit --list --graph ./m.toml") == 'ar.commands.models("./m.toml", graph=True)'
    assert commands.python_of("arcuate bids status out --json") == 'ar.commands.bids_status("out", json=True)'
    assert commands.python_of("arcuate fit tensor d.nii --shells 0,1000 --out=o") == 'ar.commands.fit_tensor("d.nii", shells=[0, 1000], out="o")'
