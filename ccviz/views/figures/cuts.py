"""Violated inequalities by round, stacked by kind, with the number of active cuts as a line."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from ccviz.views.figures.base import dress, legend_above, plain_figure, stand_on_zero
from ccviz.views.figures.sync import sync
from ccviz.views.frames.cuts import KINDS, Cuts
from ccviz.views.palette import CUTS, Look

_FIELDS = ("at", "node", "round", *KINDS, "dropped", "active", "lower_bound")


class CutsFigure:
    """Draws `Cuts`.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure("cuts", x_axis_label="round", y_axis_label="violated inequalities")
        self._source = ColumnDataSource({field: np.empty(0) for field in _FIELDS})
        bars = self.plot.vbar_stack(
            list(KINDS),
            x="at",
            width=0.85,
            source=self._source,
            color=list(CUTS),
            legend_label=list(KINDS),
            line_color=None,
        )
        self._active = self.plot.line(
            "at", "active", source=self._source, line_width=2, legend_label="active cuts"
        )
        legend_above(self.plot)
        stand_on_zero(self.plot, [*bars, self._active], top=1)
        self.plot.axis.ticker.min_interval = 1
        self.plot.add_tools(HoverTool(renderers=bars, tooltips=_TOOLTIPS))
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._active.glyph.line_color = look.ink

    def show(self, frame: Cuts) -> None:
        """Draw a frame."""
        sync(self._source, {field: getattr(frame, field) for field in _FIELDS})


_TOOLTIPS = [
    ("node, round", "@node, @round"),
    ("pair, triangle, clique", "@pair, @triangle, @clique"),
    ("dropped, active", "@dropped, @active"),
    ("lower bound", "@lower_bound{0,0.000}"),
]
