"""The decisions of a tree's node, laid over the scatter plot."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource

from ccviz.views.figures.base import refill
from ccviz.views.frames.links import Lines
from ccviz.views.palette import Look

_ENDS = ("x0", "y0", "x1", "y1")


class DecisionsOverlay:
    """Draws pairs put together (solid) and kept apart (dashed) on a figure of another class.

    Parameters
    ----------
    plot : bokeh figure
    look : Look
    """

    def __init__(self, plot: Any, look: Look) -> None:
        self._sources = [ColumnDataSource({end: [] for end in _ENDS}) for _ in range(2)]
        self._glyphs = [
            plot.segment(*_ENDS, source=source, line_width=3.5, line_dash=dash, line_alpha=0.9)
            for source, dash in zip(self._sources, ("solid", [8, 5]), strict=True)
        ]
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        for glyph in self._glyphs:
            glyph.glyph.line_color = look.mark

    def show(self, together: Lines | None, apart: Lines | None) -> None:
        """Draw the decisions of a node, or none."""
        for source, lines in zip(self._sources, (together, apart), strict=True):
            refill(source, **{end: [] if lines is None else getattr(lines, end) for end in _ENDS})
