"""Margins of points that are kept with their run in the archive."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf
from pathlib import Path

from ccviz.runs.archive import Archive
from ccviz.runs.database import is_read_only
from ccviz.runs.run import Run
from ccviz.solvers import Solver
from ccviz.studies.how_sure import margin_steps
from ccviz.studies.margin_table import Margins, decode_margins, encode_margins


def stored_margins(archive: Archive, run_id: str, run: Run) -> Margins | None:
    """Return the stored margins of a run's points; None if there are none.

    Parameters
    ----------
    archive : Archive
    run_id : str
    run : Run
        Its state at its end.

    Raises
    ------
    ArchiveError
        If there is no such run, or its margins cannot be read.
    """
    data = archive.study(run_id, "margins")
    return None if data is None else decode_margins(data, run)


def margins_of_stored(
    archive: Archive,
    run_id: str,
    *,
    prove: bool = False,
    solver: str | Solver = "sdp",
    time_limit: float | None = None,
) -> Iterator[Margins]:
    """Yield what is known of a stored run's margins, and keep it with the run after each bound.

    Parameters
    ----------
    archive : Archive
    run_id : str
    prove, solver, time_limit
        As for `ccviz.studies.how_sure.margin_steps`, and so are the errors.

    Yields
    ------
    Margins
    """
    run = archive.load(run_id)
    is_fixed = is_read_only(archive.path)
    known = stored_margins(archive, run_id, run)
    steps = margin_steps(run, prove=prove, solver=solver, time_limit=time_limit, known=known)
    for margins in steps:
        if margins is not known and not is_fixed:
            archive.keep_study(run_id, "margins", encode_margins(margins))
        yield margins


def margins_in_process(path: Path, run_id: str, solver: Solver, budget_s: float = inf) -> int:
    """Limit the margins of a stored run, and return how many blocks wait for a bound.

    Parameters
    ----------
    path : path
        Of the archive.
    run_id : str
    solver : Solver
        That could prove them.
    budget_s : float
        Seconds after which no other bound begins.
    """
    end = time.monotonic() + budget_s
    waiting = 0
    with Archive(path) as archive:
        for margins in margins_of_stored(archive, run_id, solver=solver):
            waiting = len(margins.todo)
            if time.monotonic() > end:
                break
    return waiting
