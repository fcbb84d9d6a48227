"""A splitting method at work: its residuals, and the relaxed assignment turning binary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.events import Event, Record, ResidualsUpdated
from ccviz.views.frames.log import column, thinned

_MOST = 800
_MOST_PIXELS = 400


@dataclass(frozen=True, eq=False)
class Residuals:
    """Iterations, one a row; at most 800, evenly spread.

    Attributes
    ----------
    iteration : (m,) float64
        Counted over all restarts and inner rounds of the run.
    primal, dual : (m,) float64
        Residuals; NaN where 0, which no logarithmic axis can show.
    rho, fractional : (m,) float64
        Penalty parameter; mean distance of the entries to 0 or 1.
    violations : (m,) int64
        Links that the rounding breaks.
    """

    iteration: FloatArray
    primal: FloatArray
    dual: FloatArray
    rho: FloatArray
    fractional: FloatArray
    violations: np.ndarray


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The newest relaxed assignment as a picture.

    Attributes
    ----------
    image : (r, k) uint8
        255 where a block surely belongs to a cluster. Blocks are ordered by their cluster,
        undecided ones last; averaged down where there are more than 400.
    blocks : int
    """

    image: np.ndarray
    blocks: int


class ResidualsLog:
    """The iterations of a run."""

    events: ClassVar[frozenset[type[Event]]] = frozenset({ResidualsUpdated})

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._rows: list[ResidualsUpdated] = []
        self._x: FloatArray | None = None

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            event = record.event
            if isinstance(event, ResidualsUpdated):
                self._rows.append(event)
                self._x = self._x if event.x is None else event.x

    def frame(self) -> Residuals:
        """Return the iterations."""
        kept = thinned(len(self._rows), _MOST)
        rows = [self._rows[at] for at in kept]
        return Residuals(
            iteration=kept.astype(np.float64),
            primal=_positive(column(rows, "primal_residual")),
            dual=_positive(column(rows, "dual_residual")),
            rho=_positive(column(rows, "rho")),
            fractional=column(rows, "fractional"),
            violations=column(rows, "violations", np.int64),
        )

    def relaxed(self) -> Relaxed | None:
        """Return the newest relaxed assignment, None if none was shown."""
        if self._x is None:
            return None
        x = np.clip(self._x, 0.0, 1.0)
        order = np.lexsort((-x.max(axis=1), x.argmax(axis=1)))
        return Relaxed(np.round(255 * _shrunk(x[order])).astype(np.uint8), len(x))


def _positive(values: FloatArray) -> FloatArray:
    return np.where(values > 0, values, np.nan)


def _shrunk(rows: FloatArray) -> FloatArray:
    if len(rows) <= _MOST_PIXELS:
        return rows
    cuts = np.linspace(0, len(rows), _MOST_PIXELS + 1).astype(np.int64)[:-1]
    return np.add.reduceat(rows, cuts, axis=0) / np.diff([*cuts, len(rows)])[:, None]
