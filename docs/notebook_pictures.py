"""Runs the shipped notebooks and stores small outputs in them, for who reads them on the web.

    python docs/notebook_pictures.py [NAME ...]

A name is the beginning of a file's, such as ``01``; without one all are run. Pictures of HoloViews
are stored as PNG by Matplotlib, the laboratory as its SVG, tables and texts as they are if they
are short. `stamp` of a notebook's code is in its metadata: outputs of other code are old.
"""

from __future__ import annotations

import hashlib
import os
import sys
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
KINDS = ("image/png", "image/svg+xml", "text/html", "text/plain")
"""What is stored of an output: the first of these that it has."""

_MOST = {"image/svg+xml": 40_000, "text/html": 8_000, "text/plain": 4_000}
_COLORS = 32
_DRAWN = """
from pathlib import Path
from tempfile import TemporaryDirectory
import holoviews
from ccviz.views.notebook import printing

def _png(picture):
    with TemporaryDirectory() as folder:
        file = Path(folder) / "picture.png"
        printing.save(picture, file, None, 110)
        return file.read_bytes()

_pngs = get_ipython().display_formatter.formatters["image/png"]
for _kind in (holoviews.Element, holoviews.Overlay, holoviews.Layout):
    _pngs.for_type(_kind, _png)
"""
"""The first cell of a run: lets HoloViews objects be drawn as files for print are."""


def main() -> None:
    """Run the notebooks that are named."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not sys.argv[1:] or path.name.startswith(tuple(sys.argv[1:])):
            store_outputs(path)
            sys.stdout.write(f"{path.name}: {path.stat().st_size / 1000:.0f} kB\n")


def store_outputs(path: Path) -> None:
    """Run a notebook and write it with its outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    metadata = dict(notebook.metadata)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(_DRAWN))
    with TemporaryDirectory() as home:
        own = {"CCVIZ_HOME": home, "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
        os.environ.update(own)  # the kernel's too
        NotebookClient(notebook, timeout=900, resources={"metadata": {"path": NOTEBOOKS}}).execute()
    del notebook.cells[0]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [kept for each in cell.outputs if (kept := small(each)) is not None]
            cell.execution_count = None
            cell.metadata.pop("execution", None)
    notebook.metadata = nbformat.from_dict(metadata | {"ccviz": {"outputs_of": stamp(notebook)}})
    nbformat.write(notebook, path)


def stamp(notebook: dict[str, Any]) -> str:
    """Return the digest of a notebook's code."""
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return hashlib.sha256("\0".join(code).encode()).hexdigest()[:16]


def small(output: Any) -> Any:
    """Return what is stored of an output, None if nothing is."""
    if output.output_type == "stream":
        short = output.name == "stdout" and len(output.text) < _MOST["text/plain"]
        return output if short else None
    if output.output_type == "error" or _is_progress(output.data):
        return None
    for kind in KINDS:
        if kind in output.data and (value := _small(kind, output.data[kind])):
            output.data = {kind: value}
            output.metadata = {}
            if "execution_count" in output:
                output.execution_count = None
            return output
    return None


def _is_progress(data: dict[str, str]) -> bool:
    """Return whether an output is a widget without a picture: a progress bar."""
    return "application/vnd.jupyter.widget-view+json" in data and "image/svg+xml" not in data


def _small(kind: str, value: str) -> str:
    """Return a value that is small enough to be stored, nothing if it is not."""
    if kind == "image/png":
        return _few_colors(value)
    is_drawn = value.startswith(":") or "<script" in value  # a name of HoloViews', or Bokeh's
    return "" if is_drawn or len(value) > _MOST[kind] else value


def _few_colors(png: str) -> str:
    from PIL import Image

    image = Image.open(BytesIO(b64decode(png))).convert("RGB")
    drawn = BytesIO()
    image.quantize(_COLORS, dither=Image.Dither.NONE).save(drawn, format="PNG", optimize=True)
    return b64encode(drawn.getvalue()).decode("ascii")


if __name__ == "__main__":
    main()
