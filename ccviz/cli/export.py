"""`ccviz export` and `ccviz import`: a run as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ccviz.cli.common import out
from ccviz.errors import ParameterError
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run

_PAGES = (".html", ".htm")


def export(
    runs: Annotated[
        list[str],
        typer.Argument(help="Id, name or end of an id, or 'last'; up to four for a page."),
    ],
    file: Annotated[str, typer.Argument(help="File to write; .html makes it a page.")],
) -> None:
    """Write a run to one file: to be imported elsewhere, or as a page that replays it."""
    archive = Archive()
    ids = [archive.find(run) for run in runs]
    if Path(file).suffix.lower() in _PAGES:
        from ccviz.views.export.page import save_html
        from ccviz.views.export.stored import stored_play

        save_html(file, [stored_play(archive, run_id) for run_id in ids])
    elif len(ids) > 1:
        raise ParameterError(f"{file} takes one run; several stand side by side in a .html file.")
    else:
        export_run(archive, ids[0], file)


def import_(file: Annotated[str, typer.Argument(help="File that 'ccviz export' wrote.")]) -> None:
    """Take a run from a file into the archive, and print its id."""
    out.print(import_run(Archive(), file), markup=False)
