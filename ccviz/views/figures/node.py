"""How the bound of one node rose."""

from __future__ import annotations

from ccviz.views.figures.series import Series, SeriesFigure
from ccviz.views.palette import Look


class NodeFigure(SeriesFigure):
    """Draws the bound history of `ccviz.views.frames.node.NodeFacts`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "node",
            "time_s",
            [Series("lower_bound", "lower bound", "lower")],
            x_label="seconds",
            y_label="lower bound",
            tooltips=[("at", "@time_s{0.000} s"), ("lower bound", "@lower_bound{0,0.0000}")],
        )
        for axis in (self.plot.xaxis[0], self.plot.yaxis[0]):
            axis.ticker.desired_num_ticks = 4  # it is small
        self.plot.scatter("time_s", "lower_bound", source=self.source, size=5, color="#8a97a6")
