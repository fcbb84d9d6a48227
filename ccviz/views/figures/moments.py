"""The life of a node on the figure of the bounds: two bands, and how its own bound rose."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import BoxAnnotation, ColumnDataSource

from ccviz.views.figures.base import refill
from ccviz.views.frames.node import NodeFacts
from ccviz.views.palette import Look

BAND = "node-under-the-mouse"
"""Name of the band that the tree moves in the browser."""

_FIELDS = ("at", "bound")


class Moments:
    """Marks on a figure over time: the node under the mouse, and the node that was clicked.

    Parameters
    ----------
    plot : bokeh figure
        Over seconds, with a legend.
    """

    def __init__(self, plot: Any) -> None:
        self._under_mouse, self._chosen = BoxAnnotation(name=BAND), BoxAnnotation()
        for band in (self._under_mouse, self._chosen):
            # A line as well: a life of milliseconds has no area.
            band.update(visible=False, fill_alpha=0.14, line_alpha=0.8, line_width=1.5)
            plot.add_layout(band)
        self._source = ColumnDataSource({name: np.empty(0) for name in _FIELDS})
        self._line = plot.step(
            *_FIELDS, source=self._source, mode="after", line_width=2.5, line_dash=[4, 3],
            legend_label="chosen node",
        )  # fmt: skip
        self._item = plot.legend[0].items[-1]
        self._item.visible = False

    def show(self, facts: NodeFacts | None, now: float) -> None:
        """Mark the life of a node and draw its bound, or nothing.

        Parameters
        ----------
        facts : NodeFacts or None
        now : float
            The present moment, up to which an open node lives.
        """
        self._chosen.visible = self._item.visible = facts is not None
        if facts is None:
            refill(self._source, at=np.empty(0), bound=np.empty(0))
            return
        closed = now if facts.closed is None else facts.closed
        self._chosen.update(left=facts.opened or 0.0, right=closed)
        refill(self._source, at=facts.time_s, bound=facts.lower_bound)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        self._line.glyph.line_color = look.mark
        for band in (self._under_mouse, self._chosen):
            band.update(fill_color=look.mark, line_color=look.mark)
