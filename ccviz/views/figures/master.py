"""The master of a column generation and the bound that pricing proves, round by round."""

from __future__ import annotations

from ccviz.views.figures.series import Series, SeriesFigure
from ccviz.views.palette import Look


class MasterFigure(SeriesFigure):
    """Draws `ccviz.views.frames.columns.Columns`: how master and bound close in on each other."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "master",
            "at",
            [
                Series("master", "master objective", "upper"),
                Series("lower_bound", "lower bound", "lower"),
            ],
            x_label="pricing round",
            tooltips=[
                ("round", "@at, node @node"),
                ("master", "@master{0,0.000}"),
                ("lower bound", "@lower_bound{0,0.000}"),
                ("columns", "@columns added, @pool in all"),
            ],
            extra=("node", "columns", "pool"),
        )
        self.plot.xaxis.ticker.min_interval = 1
