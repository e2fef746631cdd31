#!/usr/bin/env python3
"""Selects the Python package for comparisons that import it, for example together with dmri-commit's.

Without `--library` and `--beside`, it is the installed package (`pip install .`). `--library target/wheel/lib_arcuate.so` uses
the sources with this library. `--beside target/release/arcuate` first builds the library, into `target/wheel`.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def add_options(parser):
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--beside", type=pathlib.Path)


def find_package(options):
    """Makes `import arcuate` find it."""
    library = options.library
    if options.beside:
        subprocess.run(["cargo", "build", "--quiet", "--profile", "wheel", "--package", "arcuate-python"], check=True, cwd=ROOT)
        library = options.beside.resolve().parents[1] / "wheel/lib_arcuate.so"
    if library:
        package = pathlib.Path(tempfile.mkdtemp()) / "arcuate"
        package.mkdir()
        for file in (ROOT / "crates/arcuate-python/python/arcuate").iterdir():
            if file.is_file():
                shutil.copy(file, package)
        shutil.copy(library, package / "_arcuate.abi3.so")
        sys.path.insert(0, str(package.parent))
