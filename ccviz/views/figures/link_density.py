"""Thousands of links as a picture: each pixel is the darker the more lines cross it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.figures.density import DensityLayer
from ccviz.views.frames.links import MOST_LINES, Lines, opacity, rows_of
from ccviz.views.lab.picker import Screen

_SAMPLED = 20_000  # largest number of lines drawn; more lines are sampled
_STEPS = 600  # largest number of places along a line
_PLACES = 4_000_000  # largest number of places along all lines together
_SHARE = 0.45  # opacity as a share of that of a single line, so that points stay visible


class LinkDensity:
    """A picture of links below the points, redrawn for the range that the figure shows."""

    def __init__(self, plot: Any) -> None:
        self._layer = DensityLayer(plot, "link density")
        self._frames: tuple[Lines, Lines] | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether there are too many links to draw one by one."""
        return self._frames is not None

    def clear(self) -> None:
        """Show nothing."""
        self._frames = None
        self._layer.clear()

    def show(
        self, must: Lines, cannot: Lines, drawn: str, colors: list[str], screen: Screen
    ) -> None:
        """Draw all lines, unless they are drawn already.

        Parameters
        ----------
        must, cannot : Lines
        drawn : str
            A value of `ccviz.views.frames.links.LINKS_DRAWN`.
        colors : list of str
            ``#rrggbb`` of must-links and of cannot-links.
        screen : Screen
        """
        seen = max(opacity(each, drawn).max(initial=0.0) for each in (must, cannot))
        self._layer.fade(_SHARE * float(seen))
        if self._frames is None or not all(map(_same, self._frames, (must, cannot))):
            self._frames = must, cannot
            self.redraw(colors, screen)

    def redraw(self, colors: list[str], screen: Screen) -> None:
        """Draw the lines of the part in view."""
        if self._frames is not None:
            self._layer.show(*along(self._frames, screen), colors, screen)


def _same(one: Lines, other: Lines) -> bool:
    return all(
        np.array_equal(getattr(one, end), getattr(other, end)) for end in ("x0", "y0", "x1", "y1")
    )


def along(frames: tuple[Lines, ...], screen: Screen) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return places along the parts of lines that a screen shows, and which frame's they are.

    Parameters
    ----------
    frames : tuple of Lines
    screen : Screen

    Returns
    -------
    x, y : (m,) float64
    kind : (m,) int64
    """
    start, step, kind = _in_view(frames, screen)
    some = rows_of(len(kind), _SAMPLED)
    steps = min(_STEPS, _PLACES // max(1, len(some)))
    share = (np.arange(steps) + 0.5) / steps
    at = start[:, some, None] + share * step[:, some, None]
    return at[0].ravel(), at[1].ravel(), np.repeat(kind[some], steps)


def _in_view(frames: tuple[Lines, ...], screen: Screen) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return (2, m) starts and lengths of the lines in view, and the frame of each line.

    The part of a line between two sides of a screen is an interval of it (Liang and Barsky 1984).
    """
    start = np.stack([np.concatenate([getattr(f, end) for f in frames]) for end in ("x0", "y0")])
    stop = np.stack([np.concatenate([getattr(f, end) for f in frames]) for end in ("x1", "y1")])
    kind = np.repeat(np.arange(len(frames)), [len(f.x0) for f in frames])
    step = stop - start
    sides = np.array([screen.x_range, screen.y_range])
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = (sides[:, :, None] - start[:, None]) / step[:, None]
    still = (step == 0)[:, None]
    inside = ((start >= sides[:, :1]) & (start <= sides[:, 1:]))[:, None]
    meets = np.where(still, np.where(inside, [[[-np.inf], [np.inf]]], np.inf), meets)
    enters = np.maximum(meets.min(axis=1).max(axis=0), 0.0)
    leaves = np.minimum(meets.max(axis=1).min(axis=0), 1.0)
    seen = enters < leaves
    enters, leaves = enters[seen], leaves[seen]
    first, length = start[:, seen], step[:, seen]
    return first + enters * length, (leaves - enters) * length, kind[seen]


def is_many(must: Lines, cannot: Lines) -> bool:
    """Whether links are too many to be drawn one by one."""
    return len(must.x0) + len(cannot.x0) > MOST_LINES
