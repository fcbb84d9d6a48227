"""Both bounds over time or nodes, as steps that meet when the optimum is proved."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, PrintfTickFormatter

from ccviz.views.figures.base import add_corners, dress, legend_above, plain_figure, refill, tip
from ccviz.views.frames.bounds import Bounds
from ccviz.views.palette import Look

_AXIS = {"time": "seconds", "nodes": "nodes"}


class BoundsFigure:
    """Draws `Bounds`; a longer frame of the same run is streamed, any other replaces it.

    Parameters
    ----------
    look : Look
    name : str
    low : bool
        Whether it has little height: the seconds are written at the ticks.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look, name: str = "bounds", *, low: bool = False) -> None:
        self.plot, self._low = plain_figure(name), low
        if low:
            self.plot.update(min_height=100)
            self.plot.yaxis.ticker.desired_num_ticks = 4
            self.plot.xaxis.formatter = PrintfTickFormatter(format="%.6g s")
        self._source = ColumnDataSource({name: [] for name in ("at", "upper", "lower", "gap")})
        self._lines: dict[str, Any] = {}
        for name, words in (("upper", "upper bound"), ("lower", "lower bound")):
            self._lines[name] = self.plot.step(
                "at", name, source=self._source, mode="after", line_width=2.5, legend_label=words
            )
        legend_above(self.plot)
        self._edits = ColumnDataSource({"at": np.empty(0)})
        self._marks = self.plot.vspan("at", source=self._edits, line_width=1, name="edits")
        self._corners = ColumnDataSource({"x": np.empty(0), "y": np.empty(0)})
        self.plot.y_range.renderers = [add_corners(self.plot, self._corners)]
        self.plot.add_tools(
            HoverTool(
                renderers=list(self._lines.values()),
                mode="vline",
                tooltips=tip(
                    ("at", "@at{0.000}"),
                    ("upper", "@upper{0,0.000}"),
                    ("lower", "@lower{0,0.000}"),
                    ("gap", "@gap{0.00%}"),
                ),
            )
        )
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        for name, color in (("upper", look.upper), ("lower", look.lower)):
            self._lines[name].glyph.line_color = color
        self._marks.glyph.line_color = look.faint

    def show(self, frame: Bounds, against: str = "time") -> None:
        """Draw a frame."""
        self.plot.xaxis.axis_label = None if self._low else _AXIS[against]
        lower = self.plot.legend[0].items[1]
        lower.visible = bool(np.isfinite(frame.lower).any())  # heuristics have none
        heights = frame.heights or ()
        refill(self._corners, x=np.repeat(frame.at[-1:], len(heights)), y=np.array(heights))
        refill(self._edits, at=frame.edits)
        columns = {name: getattr(frame, name) for name in ("at", "upper", "lower", "gap")}
        old = {name: np.asarray(self._source.data[name], dtype=float) for name in columns}
        # The last moment shown was the cursor's, which has moved: it is redrawn.
        kept = len(old["at"]) - 1
        # Another run may have changed at the same moments: at its first nodes, say.
        grows = 0 < kept < len(frame.at) and all(
            np.array_equal(old[name][:kept], new[:kept], equal_nan=True)
            for name, new in columns.items()
        )
        if not grows:
            self._source.data = columns
            return
        self._source.patch({name: [(kept, float(new[kept]))] for name, new in columns.items()})
        if len(frame.at) > kept + 1:
            self._source.stream({name: new[kept + 1 :] for name, new in columns.items()})
