"""Prices of links that are kept with their run in the archive."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf
from pathlib import Path

from ccviz.runs.archive import Archive
from ccviz.runs.database import is_read_only
from ccviz.runs.run import Run
from ccviz.solvers import Solver
from ccviz.studies.link_prices import price_steps
from ccviz.studies.price_table import Prices, decode_prices, encode_prices


def stored_prices(archive: Archive, run_id: str, run: Run) -> Prices | None:
    """Return the stored prices of a run's links; None if there are none.

    Parameters
    ----------
    archive : Archive
    run_id : str
    run : Run
        Its state at its end.

    Raises
    ------
    ArchiveError
        If there is no such run, or its prices cannot be read.
    """
    data = archive.study(run_id, "prices")
    return None if data is None else decode_prices(data, run)


def price_stored(
    archive: Archive,
    run_id: str,
    *,
    prove: bool = True,
    solver: str | Solver = "sdp",
    time_limit: float | None = None,
) -> Iterator[Prices]:
    """Yield the prices of a stored run's links, and store them after each proof.

    Proofs go on where they ended when the prices were stored.

    Parameters
    ----------
    archive : Archive
    run_id : str
    prove, solver, time_limit
        As for `ccviz.studies.link_prices.price_steps`, and so are the errors.

    Yields
    ------
    Prices
    """
    run = archive.load(run_id)
    is_fixed = is_read_only(archive.path)
    known = stored_prices(archive, run_id, run)
    steps = price_steps(run, prove=prove, solver=solver, time_limit=time_limit, known=known)
    for prices in steps:
        if prices is not known and not is_fixed:
            archive.keep_study(run_id, "prices", encode_prices(prices))
        yield prices


def price_in_process(
    path: Path, run_id: str, solver: Solver, time_limit: float, budget_s: float = inf
) -> int:
    """Price the links of a stored run, and return how many of them wait for a proof.

    Parameters
    ----------
    path : path
        Of the archive.
    run_id : str
    solver : Solver
    time_limit : float
        Seconds for each proof.
    budget_s : float
        Seconds after which no other proof begins.
    """
    end = time.monotonic() + budget_s
    waiting = 0
    with Archive(path) as archive:
        for prices in price_stored(archive, run_id, solver=solver, time_limit=time_limit):
            waiting = sum(map(len, prices.todo))
            if time.monotonic() > end:
                break
    return waiting
