"""The objective over the iterations of a heuristic, which has no bound to show."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from ccviz.views.figures.base import add_corners, refill
from ccviz.views.figures.series import Series, SeriesFigure
from ccviz.views.palette import Look


class DescentFigure(SeriesFigure):
    """Draws `ccviz.views.frames.descent.Descent`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "objective",
            "at",
            [
                Series("best", "least so far", "lower", "dashed"),
                Series("objective", "this iteration", "upper"),
            ],
            x_label="iteration",
            tooltips=[
                ("iteration", "@at{0}"),
                ("objective", "@objective{0,0.000}"),
                ("least so far", "@best{0,0.000}"),
            ],
        )
        self._corners = ColumnDataSource({"x": np.empty(0), "y": np.empty(0)})
        self.plot.y_range.renderers = [add_corners(self.plot, self._corners)]

    def show(self, frame: Any) -> None:
        """Draw a frame; the vertical axis covers the heights of the frame."""
        if frame.heights is not None:
            refill(self._corners, x=np.repeat(frame.at[-1], 2), y=np.array(frame.heights))
        super().show(frame)
