"""`ccviz verify`: check a run's proof."""

from __future__ import annotations

from typing import Annotated

import typer

from ccviz.cli.common import out
from ccviz.runs.archive import Archive

NOT_ACCEPTED = 1
ON_TRUST = 2


def verify(
    run: Annotated[str, typer.Argument(help="Id, name or end of the id of a run, or 'last'.")],
) -> None:
    """Check the proof of an exact run, with none of the solver's code.

    Exit code 0: proved within the gap that is printed. 1: the proof fails, and where. 2: what
    was checked is right, but some of it was too long to repeat and is taken on trust.
    """
    from ccviz.proof.verify import verify as check

    archive = Archive()
    run_id = archive.find(run)
    events = [record.event for record in archive.records(run_id)]
    verdict = check(archive.problem(run_id), events)
    out.print(verdict.sentence, markup=False)
    refused = ON_TRUST if verdict.trusted else NOT_ACCEPTED
    raise typer.Exit(0 if verdict.accepted else refused)
