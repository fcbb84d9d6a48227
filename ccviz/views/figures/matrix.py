"""The relaxation's matrix: grey where it hesitates, black blocks where it is a clustering."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, LinearColorMapper, Range1d, Title

from ccviz.numbers import percent
from ccviz.views.figures.base import dress, plain_figure, refill
from ccviz.views.frames.matrix import Matrix
from ccviz.views.palette import Look


class MatrixFigure:
    """Draws `Matrix` frames.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "matrix",
            x_range=Range1d(0, 1),
            y_range=Range1d(1, 0),
            match_aspect=True,
            x_axis_label="blocks, ordered by the incumbent",
        )
        self._image = ColumnDataSource({"image": [], "size": []})
        self._edges = ColumnDataSource({"at": np.empty(0), "end": np.empty(0)})
        self._mapper = LinearColorMapper(low=0, high=255)
        cells = self.plot.image(
            "image", x=0, y=0, dw="size", dh="size", source=self._image, color_mapper=self._mapper
        )
        ends = {"line_width": 1, "line_alpha": 0.8, "source": self._edges}
        self._borders = [
            self.plot.segment("at", 0, "at", "end", **ends),
            self.plot.segment(0, "at", "end", "at", **ends),
        ]
        self._title = Title(text="", align="left", text_font_size="12px")
        self.plot.add_layout(self._title, "above")
        self.plot.grid.visible = False
        self.plot.yaxis.visible = False
        self.plot.add_tools(HoverTool(renderers=[cells], tooltips=[("likeness", "@image / 255")]))
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._mapper.palette = shades(look.paper, look.ink)
        self._title.text_color = look.faint
        for border in self._borders:
            border.glyph.line_color = look.mark

    def show(self, frame: Matrix | None) -> None:
        """Draw a frame, or nothing."""
        if frame is None:
            refill(self._image, image=[], size=[])
            refill(self._edges, at=np.empty(0), end=np.empty(0))
            self._title.text = "no matrix: solvers show it with the setting “show relaxation”"
            return
        s = len(frame.order)
        if self.plot.x_range.reset_end != s:
            for axis, (start, end) in ((self.plot.x_range, (0, s)), (self.plot.y_range, (s, 0))):
                axis.update(start=start, end=end, reset_start=start, reset_end=end)
        # The vertical axis points down, so the first row is on top.
        refill(self._image, image=[frame.image], size=[s])
        refill(self._edges, at=frame.edges, end=np.full(len(frame.edges), float(s)))
        self._title.text = f"node {frame.node}: {percent(frame.settled)} settled, {s} blocks"


def shades(light: str, dark: str) -> list[str]:
    """Return 256 colours from one to the other."""
    ends = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in (light, dark)])
    share = np.linspace(0, 1, 256)[:, None]
    mixed = np.round((1 - share) * ends[0] + share * ends[1]).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in mixed.tolist()]
