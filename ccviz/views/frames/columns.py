"""Column generation round by round: the master, its bound, the columns, the prices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import ColumnsPriced, Event, Record
from ccviz.views.frames.log import column

_MOST = 600


@dataclass(frozen=True, eq=False)
class Columns:
    """Rounds of pricing, one a row; the newest 600.

    Attributes
    ----------
    at : (m,) float64
        Place along the axis: 1, 2, ...
    node, columns, pool : (m,) int64
        Columns added, columns in all.
    reduced_cost : (m,) float64
        The best one, as an amount above 0; NaN where no column was missing.
    exact : (m,) bool
    master, lower_bound : (m,) float64
    """

    at: FloatArray
    node: IntArray
    columns: IntArray
    pool: IntArray
    reduced_cost: FloatArray
    exact: np.ndarray
    master: FloatArray
    lower_bound: FloatArray


@dataclass(frozen=True, eq=False)
class Duals:
    """The prices of blocks, the dearest first.

    Attributes
    ----------
    block : (s,) int64
    price : (s,) float64
    """

    block: IntArray
    price: FloatArray


class ColumnsLog:
    """The pricing rounds of a run."""

    events: ClassVar[frozenset[type[Event]]] = frozenset({ColumnsPriced})

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._rounds: list[ColumnsPriced] = []

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            if isinstance(record.event, ColumnsPriced):
                self._rounds.append(record.event)

    def frame(self) -> Columns:
        """Return the rounds."""
        shown = self._rounds[-_MOST:]
        first = len(self._rounds) - len(shown) + 1
        reduced = column(shown, "best_reduced_cost")
        bound = column(shown, "lower_bound")
        return Columns(
            at=np.arange(first, first + len(shown), dtype=np.float64),
            node=column(shown, "node", np.int64),
            columns=column(shown, "columns", np.int64),
            pool=column(shown, "pool", np.int64),
            reduced_cost=np.where(reduced < 0, -reduced, np.nan),
            exact=column(shown, "exact", np.bool_),
            master=_known(column(shown, "master_objective")),
            lower_bound=_known(bound),
        )

    def duals(self) -> Duals:
        """Return the newest prices."""
        if not self._rounds:
            return Duals(np.zeros(0, dtype=np.int64), np.zeros(0))
        duals = self._rounds[-1].duals
        block = np.argsort(-duals, kind="stable")
        return Duals(block, duals[block])


def _known(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, np.nan)
