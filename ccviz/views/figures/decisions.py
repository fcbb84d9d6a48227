"""The decisions of a tree's node, laid over the scatter plot."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource

from ccviz.views.figures.base import refill
from ccviz.views.frames.links import Lines
from ccviz.views.frames.node import Circles
from ccviz.views.palette import Look

_ENDS = ("x0", "y0", "x1", "y1")
_ROUND = ("x", "y", "across")
_DASHES = ("solid", [8, 5])


class DecisionsOverlay:
    """Draws what a node's path decided on a figure of another class.

    Pairs put together and places with a centre are solid, pairs kept apart and places without one
    are dashed.

    Parameters
    ----------
    plot : bokeh figure
    look : Look
    """

    def __init__(self, plot: Any, look: Look) -> None:
        self._sources = [ColumnDataSource({end: [] for end in _ENDS}) for _ in range(2)]
        self._glyphs = [
            plot.segment(*_ENDS, source=source, line_width=3.5, line_dash=dash, line_alpha=0.9)
            for source, dash in zip(self._sources, _DASHES, strict=True)
        ]
        # Ellipses, for their sizes are in the units of the axes, which differ on the screen.
        self._round = [ColumnDataSource({name: [] for name in _ROUND}) for _ in range(2)]
        self._rings = [
            plot.ellipse(
                "x", "y", "across", "across", source=source, fill_color=None, line_width=2.5,
                line_dash=dash, line_alpha=0.9,
            )
            for source, dash in zip(self._round, _DASHES, strict=True)
        ]  # fmt: skip
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        for glyph in (*self._glyphs, *self._rings):
            glyph.glyph.line_color = look.mark

    def show(
        self,
        together: Lines | None,
        apart: Lines | None,
        taken: Circles | None = None,
        empty: Circles | None = None,
    ) -> None:
        """Draw the decisions of a node, or none."""
        for source, lines in zip(self._sources, (together, apart), strict=True):
            refill(source, **{end: [] if lines is None else getattr(lines, end) for end in _ENDS})
        for source, circles in zip(self._round, (taken, empty), strict=True):
            if circles is None:
                refill(source, **{name: [] for name in _ROUND})
            else:
                refill(source, x=circles.x, y=circles.y, across=2.0 * circles.radius)
