"""The prices of blocks: what the master would pay to have each one covered."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from ccviz.views.figures.base import dress, plain_figure
from ccviz.views.figures.sync import sync
from ccviz.views.frames.columns import Duals
from ccviz.views.palette import Look


class DualsFigure:
    """Draws `Duals` as bars, the dearest first.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure("duals", x_axis_label="blocks by price", y_axis_label="dual")
        self._source = ColumnDataSource({name: np.empty(0) for name in ("at", "block", "price")})
        self._bars = self.plot.vbar(
            x="at", top="price", width=0.9, line_color=None, source=self._source
        )
        tooltips = [("block", "@block"), ("dual", "@price{0,0.0000}")]
        self.plot.add_tools(HoverTool(renderers=[self._bars], tooltips=tooltips))
        self.plot.xgrid.visible = False
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._bars.glyph.fill_color = look.upper

    def show(self, frame: Duals) -> None:
        """Draw a frame."""
        at = np.arange(len(frame.block), dtype=np.float64)
        sync(self._source, {"at": at, "block": frame.block, "price": frame.price})
