"""Fixtures of all tests: a small simulated brain in memory and in files, and the program."""

import os
import pathlib
import subprocess

import pytest

import arcuate as ar


@pytest.fixture(scope="session")
def program():
    """Function that runs the command line and returns what the program printed."""

    def run(*words):
        words = [os.environ["ARCUATE_PROGRAM"], *map(str, words), "--device", "cpu"]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def folder(tmp_path_factory, program) -> pathlib.Path:
    """Folder of a simulated brain with two shells and its tissues, written by the command."""
    folder = tmp_path_factory.mktemp("brain") / "brain"
    program("simulate", "--voxel-size", 6, "--shells", "0:4,1000:15,2500:28", "--tissues", "--out", folder)
    return folder


@pytest.fixture(scope="session")
def scan(folder) -> ar.Series:
    return ar.load_series(folder / "dwi.nii.gz")


@pytest.fixture(scope="session")
def mask(folder) -> ar.Image:
    return ar.load_image(folder / "mask.nii.gz")
