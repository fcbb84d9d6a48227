"""The parts of a divided problem as a mosaic: a tile a part, by its gap."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.bounds import relative_gap
from ccviz.events import Event, PartBounded, PartsCut, Record
from ccviz.numbers import count

LEAST_GAP = 1e-6
"""Smaller gaps look the same."""


@dataclass(frozen=True, eq=False)
class Mosaic:
    """The parts of the newest cut, row by row in a square.

    Attributes
    ----------
    gap : (r, c) float64
        Relative gap of each part, at least ``LEAST_GAP``; NaN where it has no bound yet, or where
        there is no part.
    parts, done : int
    cuts : int
        How often the points were cut.
    shared : int
        Points that every part has a share of.
    to_go_s : float
        Seconds until every part has a bound, at the pace so far; NaN while nothing is known.
    """

    gap: FloatArray
    parts: int
    done: int
    cuts: int
    shared: int
    to_go_s: float


class PartsLog:
    """The parts of a run."""

    events: ClassVar[frozenset[type[Event]]] = frozenset({PartsCut, PartBounded})

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._gap: FloatArray = np.empty(0)
        self._cuts = self._shared = 0
        self._since_s = self._now_s = 0.0

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            self._now_s = record.time_s
            match record.event:
                case PartsCut() as event:
                    self._gap = np.full(event.parts, np.nan)
                    self._cuts += 1
                    self._shared = int((event.part_of < 0).sum())
                    self._since_s = record.time_s
                case PartBounded() as event if event.part < len(self._gap):
                    gap = relative_gap(event.upper_bound, event.lower_bound)
                    merged = [part for part in event.merged if part < len(self._gap)]
                    self._gap[[event.part, *merged]] = max(gap, LEAST_GAP)

    def frame(self) -> Mosaic | None:
        """Return the mosaic, None if the points were not cut."""
        parts = len(self._gap)
        if parts == 0:
            return None
        done = int((~np.isnan(self._gap)).sum())
        columns = math.ceil(math.sqrt(parts))
        tiles = np.full(math.ceil(parts / columns) * columns, np.nan)
        tiles[:parts] = self._gap
        pace = (self._now_s - self._since_s) / done if done else math.nan
        return Mosaic(
            gap=tiles.reshape(-1, columns),
            parts=parts,
            done=done,
            cuts=self._cuts,
            shared=self._shared,
            to_go_s=pace * (parts - done),
        )


def told(frame: Mosaic) -> str:
    """Return in words how far the parts are."""
    words = f"{frame.done:,} of {count(frame.parts, 'part')} bounded"
    if frame.shared:
        words += f", {count(frame.shared, 'point')} in all of them"
    if frame.cuts > 1:
        words += f", cut {frame.cuts} times"
    if frame.to_go_s >= 1.0:
        words += f", about {frame.to_go_s:.0f} s to go"
    return words
