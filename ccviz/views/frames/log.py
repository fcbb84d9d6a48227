"""What folds records into something to draw; each view of a solver has one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Protocol

import numpy as np

from ccviz.events import Event, Record


class Log(Protocol):
    """Takes a run's records in order, at a cost that does not grow with the run.

    Attributes
    ----------
    events : frozenset of event types
        Those it reads; others may be left out.
    """

    events: ClassVar[frozenset[type[Event]]]

    def clear(self) -> None:
        """Forget every record."""

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""


def column(rows: Iterable[Any], name: str, kind: Any = np.float64) -> np.ndarray:
    """Return an attribute of each row as an array."""
    return np.array([getattr(row, name) for row in rows], dtype=kind)


def thinned(length: int, most: int) -> np.ndarray:
    """Return the indices of a limited number of rows, evenly spread, including the last."""
    if length <= most:
        return np.arange(length)
    return np.unique(np.linspace(0, length - 1, most).astype(np.int64))
