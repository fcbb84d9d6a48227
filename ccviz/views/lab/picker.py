"""Which point did a click mean? The nearest on the screen, not in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray

REACH_PX = 18.0
"""A click further than this from every point means none of them."""


@dataclass(frozen=True)
class Screen:
    """What a plot shows: the ranges of its axes and its size in pixels."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    width: float
    height: float

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        """Pixels along each axis that one unit of the data takes."""
        (left, right), (bottom, top) = self.x_range, self.y_range
        return self.width / abs(right - left), self.height / abs(top - bottom)


def nearest(
    x: FloatArray, y: FloatArray, at: tuple[float, float], screen: Screen, reach: float = REACH_PX
) -> int | None:
    """Return the point that looks nearest to a place, None if none is within reach.

    Parameters
    ----------
    x, y : (n,) float
        Where the points are drawn, in data units.
    at : pair of float
        The place, in data units.
    screen : Screen
    reach : float
        Pixels.
    """
    per_x, per_y = screen.pixels_per_unit
    distance = np.hypot((x - at[0]) * per_x, (y - at[1]) * per_y)
    best = int(distance.argmin())
    return best if distance[best] <= reach else None


def inside(x: FloatArray, y: FloatArray, around: Sequence[tuple[float, float]]) -> IntArray:
    """Return the points within a closed line, by the even-odd rule.

    Parameters
    ----------
    x, y : (n,) float
    around : sequence of pairs of float
        Its corners; the last is joined to the first.
    """
    odd = np.zeros(len(x), dtype=bool)
    for (x0, y0), (x1, y1) in zip(around, [*around[1:], around[0]], strict=True):
        if y0 != y1:
            crosses = (y0 > y) != (y1 > y)
            odd ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return np.flatnonzero(odd)
