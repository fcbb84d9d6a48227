"""Every notebook runs from its start to its end, holds small outputs, and teaches by exercises."""

import json
import os
import sys
from pathlib import Path

import pytest

# What reads and runs notebooks is imported by the tests that need it: it takes a second, and every
# process of the tests collects all of them.
NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """Start one kernel for all: its imports take longer than the cells of most notebooks."""
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name="python3")
    # On processors that other tests use, the threads of linear algebra wait for each other.
    own = {"CCVIZ_HOME": str(tmp_path_factory.mktemp("home")), "OMP_NUM_THREADS": "1"}
    manager.start_kernel(cwd=str(NOTEBOOKS[0].parent), env=os.environ | own)
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
@each
def test_it_runs(path, kernel):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    NotebookClient(notebook, km=kernel, timeout=300).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert any(cell.outputs for cell in cells)


@pytest.fixture(scope="module")
def stored():
    """Return the module that stores outputs."""
    sys.path.insert(0, str(NOTEBOOKS[0].parents[1] / "docs"))
    import notebook_pictures

    yield notebook_pictures
    sys.path.pop(0)


@each
def test_its_outputs_are_small_and_those_of_its_code(path, stored):
    assert path.stat().st_size < 200_000
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    kinds = {kind for output in outputs for kind in output.get("data", ())}
    assert outputs
    assert notebook["metadata"]["ccviz"]["outputs_of"] == stored.stamp(notebook), "make outputs"
    assert kinds <= set(stored.KINDS)
    assert not any(cell["execution_count"] for cell in code)


@each
def test_it_is_a_lesson(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    assert text.startswith("# ")
    assert "## Exercises" in text
    assert "<details><summary>Answers</summary>" in text


def test_there_are_fifteen():
    assert len(NOTEBOOKS) == 15
