"""Margins and prices in the archive, with the runs that they are of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ccviz.runs.archive import Archive
from ccviz.runs.database import Study, is_read_only
from ccviz.runs.run import Run
from ccviz.solvers import Solver
from ccviz.studies.how_sure import margin_steps
from ccviz.studies.link_prices import price_steps
from ccviz.studies.margin_table import Margins, decode_margins, encode_margins
from ccviz.studies.price_table import Prices, decode_prices, encode_prices

# --- A study of a run that is kept with the run in the archive, and goes on where it ended --------


Known = TypeVar("Known")


class Steps(Protocol[Known]):
    """Steps of a study: each yields what is known of a run, from what was known before."""

    def __call__(self, run: Run, *, known: Known | None) -> Iterator[Known]:
        """Yield what is known, first without another step."""


@dataclass(frozen=True)
class KeptStudy(Generic[Known]):
    """A kind of study."""

    name: Study
    # encode, decode: What is known as bytes, and back with the run that it is about.
    encode: Callable[[Known], bytes]
    decode: Callable[[bytes, Run], Known]

    def stored(self, archive: Archive, run_id: str, run: Run) -> Known | None:
        """Return what is stored of a run; None if nothing is.

        Raises `ArchiveError` if there is no such run, or what is stored cannot be read.
        """
        data = archive.study(run_id, self.name)
        return None if data is None else self.decode(data, run)

    def go_on(self, archive: Archive, run_id: str, steps: Steps[Known]) -> Iterator[Known]:
        """Yield what is known of a stored run, and keep it with the run after each step."""
        run = archive.load(run_id)
        is_fixed = is_read_only(archive.path)
        before = self.stored(archive, run_id, run)
        for known in steps(run, known=before):
            if known is not before and not is_fixed:
                archive.keep_study(run_id, self.name, self.encode(known))
            yield known


def last_within(budget_s: float, steps: Iterable[Known]) -> Known:
    """Return what is known after the last step that begins within a time.

    `steps`: At least one, which is taken in any case.
    """
    end = time.monotonic() + budget_s
    for known in steps:
        last = known
        if time.monotonic() > end:
            break
    return last


# --- Margins of points that are kept with their run in the archive --------------------------------


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

    `prove`, `solver`, `time_limit`: As for `ccviz.studies.how_sure.margin_steps`, and so are the
    errors.
    """
    steps = partial(margin_steps, prove=prove, solver=solver, time_limit=time_limit)
    yield from _MARGINS.go_on(archive, run_id, steps)


def margins_in_process(path: Path, run_id: str, solver: Solver, budget_s: float = inf) -> int:
    """Limit the margins of a stored run, and return how many blocks wait for a bound.

    `budget_s`: Seconds after which no other bound begins.
    """
    with Archive(path) as archive:
        return len(last_within(budget_s, margins_of_stored(archive, run_id, solver=solver)).todo)


# --- Prices of links that are kept with their run in the archive ----------------------------------


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

    `prove`, `solver`, `time_limit`: As for `ccviz.studies.link_prices.price_steps`, and so are the
    errors.
    """
    steps = partial(price_steps, prove=prove, solver=solver, time_limit=time_limit)
    yield from _PRICES.go_on(archive, run_id, steps)


def price_in_process(
    path: Path, run_id: str, solver: Solver, time_limit: float, budget_s: float = inf
) -> int:
    """Price the links of a stored run, and return how many of them wait for a proof.

    `budget_s`: Seconds after which no other proof begins.
    """
    with Archive(path) as archive:
        steps = price_stored(archive, run_id, solver=solver, time_limit=time_limit)
        return sum(map(len, last_within(budget_s, steps).todo))
