"""Pricing: how much the best missing column would save, and who found it."""

from __future__ import annotations

import numpy as np
from bokeh.models import CDSView, ColumnDataSource, HoverTool, IndexFilter

from ccviz.views.figures.base import dress, legend_above, plain_figure
from ccviz.views.figures.sync import sync
from ccviz.views.frames.columns import Columns
from ccviz.views.palette import Look

_FIELDS = ("at", "node", "columns", "pool", "reduced_cost", "exact")


class PricingFigure:
    """Draws the reduced costs of `Columns`; squares are exact rounds, which can end the pricing.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "pricing",
            x_axis_label="pricing round",
            y_axis_label="−reduced cost",
            y_axis_type="log",
        )
        self._source = ColumnDataSource({field: np.empty(0) for field in _FIELDS})
        self._line = self.plot.line(
            "at", "reduced_cost", source=self._source, line_width=1, line_alpha=0.5
        )
        self._views = {exact: IndexFilter([]) for exact in (False, True)}
        self._dots = {
            exact: self.plot.scatter(
                "at",
                "reduced_cost",
                source=self._source,
                view=CDSView(filter=self._views[exact]),
                marker="square" if exact else "circle",
                size=8 if exact else 5,
                legend_label="exact" if exact else "heuristic",
            )
            for exact in (False, True)
        }
        legend_above(self.plot)
        self.plot.add_tools(
            HoverTool(renderers=list(self._dots.values()), tooltips=_TOOLTIPS, limit=1)
        )
        self.plot.xaxis.ticker.min_interval = 1
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._line.glyph.line_color = look.faint
        for exact, color in ((False, look.upper), (True, look.lower)):
            self._dots[exact].glyph.update(fill_color=color, line_color=color)

    def show(self, frame: Columns) -> None:
        """Draw a frame."""
        sync(self._source, {field: getattr(frame, field) for field in _FIELDS})
        for exact, chosen in self._views.items():
            chosen.indices = np.flatnonzero(frame.exact == exact).tolist()


_TOOLTIPS = [
    ("round", "@at, node @node"),
    ("reduced cost", "−@reduced_cost{0.000000}"),
    ("columns", "@columns added, @pool in all"),
]
