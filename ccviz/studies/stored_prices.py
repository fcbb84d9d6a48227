"""Prices of links that are kept with their run in the archive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path

from ccviz.runs.archive import Archive
from ccviz.solvers import Solver
from ccviz.studies.kept_study import KeptStudy, last_within
from ccviz.studies.link_prices import price_steps
from ccviz.studies.price_table import Prices, decode_prices, encode_prices

_PRICES = KeptStudy("prices", encode_prices, decode_prices)

stored_prices = _PRICES.stored
"""Return the stored prices of a run's links, see `KeptStudy.stored`."""


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
    steps = partial(price_steps, prove=prove, solver=solver, time_limit=time_limit)
    yield from _PRICES.go_on(archive, run_id, steps)


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
    with Archive(path) as archive:
        steps = price_stored(archive, run_id, solver=solver, time_limit=time_limit)
        return sum(map(len, last_within(budget_s, steps).todo))
