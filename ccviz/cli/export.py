"""`ccviz export` and `ccviz import`: a run as one file."""

from __future__ import annotations

from typing import Annotated

import typer

from ccviz.cli.common import out
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run


def export(
    run: Annotated[str, typer.Argument(help="Id, name or end of the id of a run, or 'last'.")],
    file: Annotated[str, typer.Argument(help="File to write.")],
) -> None:
    """Write a run, its problem and all its events to one file."""
    archive = Archive()
    export_run(archive, archive.find(run), file)


def import_(file: Annotated[str, typer.Argument(help="File that 'ccviz export' wrote.")]) -> None:
    """Take a run from a file into the archive, and print its id."""
    out.print(import_run(Archive(), file), markup=False)
