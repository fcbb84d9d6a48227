"""How a heuristic's objective falls, iteration by iteration."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.events import Assigned, Event, GenerationEnded, Record, Restarted
from ccviz.views.frames.log import thinned

_MOST = 2000
_WORTH_SEEING = 0.9
_FEW = 30


@dataclass(frozen=True, eq=False)
class Descent:
    """Iterations, one a row; at most 2000, evenly spread.

    Attributes
    ----------
    at : (m,) float64
        Number of the iteration, or generation, counted over all starts.
    objective : (m,) float64
        What it came to; NaN where points had no cluster, and between two starts.
    best : (m,) float64
        The least of all so far.
    """

    at: FloatArray
    objective: FloatArray
    best: FloatArray

    @property
    def heights(self) -> tuple[float, float] | None:
        """The range to show: random starts may cost twenty times as much as the result."""
        known = self.objective[np.isfinite(self.objective)]
        if not len(known):
            return None
        share = _WORTH_SEEING if len(known) > _FEW else 1.0
        return float(known.min()), float(np.quantile(known, share))


class DescentLog:
    """The assignments and generations of a run."""

    events: ClassVar[frozenset[type[Event]]] = frozenset({Assigned, GenerationEnded, Restarted})

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._rows: list[tuple[float, float, float]] = []
        self._at = 0
        self._best = math.nan

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            match record.event:
                case Restarted() if self._at:
                    self._rows.append((self._at, math.nan, self._best))
                case Assigned(labels=labels, objective=objective):
                    self._add(objective if labels.min() >= 0 else math.nan)
                case GenerationEnded(objectives=objectives):
                    self._add(float(objectives.min()))

    def _add(self, objective: float) -> None:
        self._at += 1
        self._best = float(np.fmin(self._best, objective))
        self._rows.append((self._at, objective, self._best))

    def frame(self) -> Descent:
        """Return the iterations so far."""
        rows = [self._rows[at] for at in thinned(len(self._rows), _MOST)]
        return Descent(*np.array(rows, dtype=np.float64).reshape(-1, 3).T)
