"""All cells of the documentation's notebooks run, and the assertions in them hold."""

import base64
import io
import pathlib

import matplotlib.image
import nbclient
import nbformat
import pytest

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without what they print"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    drawn = sum("plt.subplots" in cell.source for cell in notebook.cells)
    assert len(pictures) == drawn > 0
    for picture in pictures:
        pixels = matplotlib.image.imread(io.BytesIO(base64.b64decode(picture)))
        assert len({tuple(pixel) for pixel in pixels[::7, ::7].reshape(-1, pixels.shape[2]).tolist()}) > 20, "it shows nothing"


def test_there_are_some():
    assert [path.stem for path in NOTEBOOKS] == ["own-model", "scan-to-connectome"]
