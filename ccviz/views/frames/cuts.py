"""Violated inequalities by round: what separation found, and how many cuts are active."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.events import CutsAdded, Event, Record
from ccviz.views.frames.log import column

KINDS = ("pair", "triangle", "clique")
_MOST = 400


@dataclass(frozen=True, eq=False)
class Cuts:
    """Rounds of separation, one a row.

    Attributes
    ----------
    at : (m,) float64
        Place along the axis: 1, 2, ...
    node, round : (m,) int64
    pair, triangle, clique : (m,) int64
        Violated inequalities of each kind.
    dropped, active : (m,) int64
    lower_bound : (m,) float64
    """

    at: np.ndarray
    node: np.ndarray
    round: np.ndarray
    pair: np.ndarray
    triangle: np.ndarray
    clique: np.ndarray
    dropped: np.ndarray
    active: np.ndarray
    lower_bound: np.ndarray

    @property
    def totals(self) -> dict[str, int]:
        """Cuts of each kind in all rounds together."""
        return {kind: int(getattr(self, kind).sum()) for kind in KINDS}


class CutsLog:
    """The rounds of a run, by node."""

    events: ClassVar[frozenset[type[Event]]] = frozenset({CutsAdded})

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._all: list[CutsAdded] = []
        self._of: dict[int, list[CutsAdded]] = {}

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            if isinstance(record.event, CutsAdded):
                self._all.append(record.event)
                self._of.setdefault(record.event.node, []).append(record.event)

    def frame(self, node: int | None = None) -> Cuts:
        """Return the rounds of a node, or the newest rounds of all nodes."""
        rounds = self._all if node is None else self._of.get(node, [])
        shown = rounds[-_MOST:]
        first = len(rounds) - len(shown) + 1
        counts = {
            name: column(shown, name, np.int64)
            for name in ("node", "round", *KINDS, "dropped", "active")
        }
        return Cuts(
            at=np.arange(first, first + len(shown), dtype=np.float64),
            lower_bound=column(shown, "lower_bound"),
            **counts,
        )
