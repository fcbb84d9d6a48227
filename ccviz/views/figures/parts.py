"""The mosaic of parts: the smaller a part's gap, the darker its tile."""

from __future__ import annotations

from bokeh.models import ColumnDataSource, HoverTool, LogColorMapper, Range1d, Title

from ccviz.views.figures.base import dress, plain_figure, refill
from ccviz.views.figures.matrix import shades
from ccviz.views.frames.parts import LEAST_GAP, Mosaic, told
from ccviz.views.palette import Look


class PartsFigure:
    """Draws `Mosaic` frames.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "parts", x_range=Range1d(0, 1), y_range=Range1d(1, 0), match_aspect=True
        )
        self._tiles = ColumnDataSource({"image": [], "width": [], "height": []})
        self._mapper = LogColorMapper(low=LEAST_GAP, high=0.1)
        drawn = self.plot.image(
            "image",
            x=0,
            y=0,
            dw="width",
            dh="height",
            source=self._tiles,
            color_mapper=self._mapper,
        )
        self._title = Title(text="", align="left", text_font_size="12px")
        self.plot.add_layout(self._title, "above")
        self.plot.grid.visible = False
        self.plot.axis.visible = False
        self.plot.add_tools(HoverTool(renderers=[drawn], tooltips=[("gap", "@image{0.0e+0}")]))
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._mapper.palette = shades(look.lower, look.grid)
        self._mapper.nan_color = look.paper
        self._title.text_color = look.faint

    def show(self, frame: Mosaic | None) -> None:
        """Draw a frame, or nothing."""
        if frame is None:
            refill(self._tiles, image=[], width=[], height=[])
            self._title.text = "the points are not cut into parts yet"
            return
        rows, columns = frame.gap.shape
        if (self.plot.y_range.reset_start, self.plot.x_range.reset_end) != (rows, columns):
            for axis, start, end in (
                (self.plot.x_range, 0, columns),
                (self.plot.y_range, rows, 0),
            ):
                axis.update(start=start, end=end, reset_start=start, reset_end=end)
        refill(self._tiles, image=[frame.gap], width=[columns], height=[rows])
        self._title.text = told(frame)
