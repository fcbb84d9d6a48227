"""Margins of points that are kept with their run in the archive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path

from ccviz.runs.archive import Archive
from ccviz.solvers import Solver
from ccviz.studies.how_sure import margin_steps
from ccviz.studies.kept_study import KeptStudy, last_within
from ccviz.studies.margin_table import Margins, decode_margins, encode_margins

_MARGINS = KeptStudy("margins", encode_margins, decode_margins)

stored_margins = _MARGINS.stored
"""Return the stored margins of a run's points, see `KeptStudy.stored`."""


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
    steps = partial(margin_steps, prove=prove, solver=solver, time_limit=time_limit)
    yield from _MARGINS.go_on(archive, run_id, steps)


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
    with Archive(path) as archive:
        return len(last_within(budget_s, margins_of_stored(archive, run_id, solver=solver)).todo)
