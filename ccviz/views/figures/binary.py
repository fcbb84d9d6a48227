"""The relaxed assignment turning binary: a column a cluster, a row a block."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper, Range1d

from ccviz.views.figures.base import dress, plain_figure, refill
from ccviz.views.figures.matrix import shades
from ccviz.views.frames.residuals import Relaxed
from ccviz.views.palette import Look


class BinaryFigure:
    """Draws `Relaxed` assignments.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "assignment",
            x_range=Range1d(0, 1),
            y_range=Range1d(1, 0),
            x_axis_label="cluster",
            y_axis_label="blocks, ordered by cluster",
        )
        self._source = ColumnDataSource({"image": [], "width": [], "height": []})
        self._mapper = LinearColorMapper(low=0, high=255)
        self.plot.image(
            "image",
            x=0,
            y=0,
            dw="width",
            dh="height",
            source=self._source,
            color_mapper=self._mapper,
        )
        self.plot.grid.visible = False
        self.plot.xaxis.ticker = np.empty(0).tolist()
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._mapper.palette = shades(look.paper, look.ink)

    def show(self, frame: Relaxed | None) -> None:
        """Draw a frame, or nothing."""
        if frame is None:
            refill(self._source, image=[], width=[], height=[])
            return
        k = frame.image.shape[1]
        if (self.plot.x_range.reset_end, self.plot.y_range.reset_start) != (k, frame.blocks):
            self.plot.x_range.update(start=0, end=k, reset_start=0, reset_end=k)
            self.plot.y_range.update(
                start=frame.blocks, end=0, reset_start=frame.blocks, reset_end=0
            )
            self.plot.xaxis.ticker = [j + 0.5 for j in range(k)]
            self.plot.xaxis.major_label_overrides = {j + 0.5: str(j) for j in range(k)}
        refill(self._source, image=[frame.image], width=[k], height=[frame.blocks])
