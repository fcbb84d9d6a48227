"""Margins and prices in the archive, with their runs: each goes on where it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Generic, TypeVar

from ccviz.runs.archive import Archive
from ccviz.runs.database import Study, is_read_only
from ccviz.runs.run import Run
from ccviz.solvers import Solver
from ccviz.studies.how_sure import margin_steps
from ccviz.studies.link_prices import price_steps
from ccviz.studies.margin_table import Margins, decode_margins, encode_margins
from ccviz.studies.price_table import Prices, decode_prices, encode_prices

Known = TypeVar("Known")


@dataclass(frozen=True)
class KeptStudy(Generic[Known]):
    """A kind of study of a run, which is kept with the run in the archive."""

    name: Study
    # Yields what is known of a run, first without another step, from what was known before.
    steps: Callable[..., Iterator[Known]]
    # encode, decode: What is known as bytes, and back with the run that it is about.
    encode: Callable[[Known], bytes]
    decode: Callable[[bytes, Run], Known]

    def stored(self, archive: Archive, run_id: str, run: Run) -> Known | None:
        """Return what is stored of a run; None if nothing is.

        Raises `ArchiveError` if there is no such run, or what is stored cannot be read.
        """
        data = archive.study(run_id, self.name)
        return None if data is None else self.decode(data, run)

    def go_on(self, archive: Archive, run_id: str, **how: Any) -> Iterator[Known]:
        """Yield what is known of a stored run, and keep it with the run after each step.

        `how`: Arguments of `ccviz.studies.how_sure.margin_steps` or
        `ccviz.studies.link_prices.price_steps`, whose errors are raised.
        """
        run = archive.load(run_id)
        is_fixed = is_read_only(archive.path)
        before = self.stored(archive, run_id, run)
        for known in self.steps(run, known=before, **how):
            if known is not before and not is_fixed:
                archive.keep_study(run_id, self.name, self.encode(known))
            yield known

    def within(self, budget_s: float, path: Path, run_id: str, **how: Any) -> Known:
        """Return what is known of a run after the last step that begins within a time."""
        end = time.monotonic() + budget_s
        with Archive(path) as archive:
            for known in self.go_on(archive, run_id, **how):
                last = known
                if time.monotonic() > end:
                    break
        return last


_MARGINS = KeptStudy("margins", margin_steps, encode_margins, decode_margins)
_PRICES = KeptStudy("prices", price_steps, encode_prices, decode_prices)
stored_margins, margins_of_stored = _MARGINS.stored, _MARGINS.go_on
stored_prices, price_stored = _PRICES.stored, _PRICES.go_on


def margins_in_process(path: Path, run_id: str, solver: Solver, budget_s: float = inf) -> int:
    """Limit the margins of a stored run, and return how many blocks wait for a bound.

    `budget_s`: Seconds after which no other bound begins.
    """
    known: Margins = _MARGINS.within(budget_s, path, run_id, solver=solver)
    return len(known.todo)


def price_in_process(
    path: Path, run_id: str, solver: Solver, time_limit: float, budget_s: float = inf
) -> int:
    """Price the links of a stored run, and return how many of them wait for a proof.

    `budget_s`: Seconds after which no other proof begins.
    """
    known: Prices = _PRICES.within(budget_s, path, run_id, solver=solver, time_limit=time_limit)
    return sum(map(len, known.todo))
