"""`ccviz export` and `ccviz import`: a run as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ccviz.cli.common import out
from ccviz.cli.parameters import Argument
from ccviz.errors import ParameterError
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run

_PAGES = (".html", ".htm")
_TREES = (".dot", ".gv", ".tex")


def export(
    runs: Annotated[
        list[str],
        Argument(help="Id, name or end of an id, or 'last'; up to four for a page."),
    ],
    file: Annotated[
        str,
        Argument(
            help="File to write; .html makes it a page, .dot or .tex its search tree for Graphviz "
            "or LaTeX."
        ),
    ],
) -> None:
    """Write a run to one file: to be imported elsewhere, as a page that replays it, or its tree."""
    archive = Archive()
    ids = [archive.find(run) for run in runs]
    if Path(file).suffix.lower() in _PAGES:
        from ccviz.views.export.page import save_html
        from ccviz.views.export.stored import stored_play

        save_html(file, [stored_play(archive, run_id) for run_id in ids])
    elif len(ids) > 1:
        raise ParameterError(f"{file} takes one run; a .html file shows several side by side.")
    elif Path(file).suffix.lower() in _TREES:
        from ccviz.views.export.tree_text import save_tree

        save_tree(file, archive.load(ids[0]))
    else:
        export_run(archive, ids[0], file)


def import_(file: Annotated[str, Argument(help="File that 'ccviz export' wrote.")]) -> None:
    """Take a run from a file into the archive, and print its id."""
    out.print(import_run(Archive(), file), markup=False)
