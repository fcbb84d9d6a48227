"""The relaxation's matrix: grey where it hesitates, black blocks where it is a clustering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from bokeh.events import Tap
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, LinearColorMapper

from ccviz.arrays import IntArray
from ccviz.numbers import percent
from ccviz.views.figures.base import (
    ImageFigure,
    apply_theme,
    cluster_mapper,
    empty,
    plain_figure,
    refill,
)
from ccviz.views.figures.scatter import AxisNames
from ccviz.views.frames.exact import Matrix
from ccviz.views.frames.scatter import Pairs
from ccviz.views.palette import Look


class MatrixFigure(ImageFigure):
    """Draws `Matrix` frames."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            "matrix",
            LinearColorMapper(low=0, high=255),
            [("likeness", "@image / 255")],
            match_aspect=True,
            x_axis_label="blocks, ordered by the incumbent",
        )
        self._edges = empty("at", "end")
        ends = {"line_width": 1, "line_alpha": 0.8, "source": self._edges}
        self._borders = [
            self.plot.segment("at", 0, "at", "end", **ends),
            self.plot.segment(0, "at", "end", "at", **ends),
        ]
        self.plot.yaxis.visible = False
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._mapper.palette = shades(look.paper, look.ink)
        self._title.text_color = look.faint
        for border in self._borders:
            border.glyph.line_color = look.mark

    def show(self, frame: Matrix | None) -> None:
        """Draw a frame, or nothing."""
        if frame is None:
            self._put(None)
            refill(self._edges, at=np.empty(0), end=np.empty(0))
            self._title.text = "no matrix: solvers show it with the setting “show relaxation”"
            return
        s = len(frame.order)
        self._put(frame.image, s, s)
        refill(self._edges, at=frame.edges, end=np.full(len(frame.edges), float(s)))
        self._title.text = f"node {frame.node}: {percent(frame.settled)} settled, {s} blocks"


def shades(light: str, dark: str) -> list[str]:
    """Return 256 colours from one to the other."""
    ends = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in (light, dark)])
    share = np.linspace(0, 1, 256)[:, None]
    mixed = np.round((1 - share) * ends[0] + share * ends[1]).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in mixed.tolist()]


# --- The scatter matrix: one small plot for each pair of features, over one table of points -------


OnTap = Callable[[str, str], None]


class PairsFigure:
    """Draws `Pairs` frames; a click on a cell names its features."""

    def __init__(self, look: Look, frame: Pairs, on_tap: OnTap) -> None:
        self._frame, self._on_tap = frame, on_tap
        columns = {f"c{at}": frame.columns[:, at] for at in range(len(frame.features))}
        self._source = ColumnDataSource(columns | {"label": np.full(len(frame.rows), -1)})
        self._picked = ColumnDataSource({name: [] for name in columns})
        self._mapper = cluster_mapper()
        self._glyphs: list[Any] = []
        self._rings: list[Any] = []
        self.plots: list[Any] = []
        many = len(frame.features)
        cells = [
            [self._cell(across, up) if across < up else None for across in range(many - 1)]
            for up in range(1, many)
        ]
        # Merged tools are one bar for all cells, and none has a picture of its own.
        self.grid = gridplot(
            cells, sizing_mode="stretch_both", merge_tools=False, toolbar_location=None
        )
        self.apply_theme(look)

    def _cell(self, across: int, up: int) -> Any:
        names, last = self._frame.features, len(self._frame.features) - 1
        plot = plain_figure(f"pairs-{across}-{up}", tools="")
        plot.update(min_height=60, min_border=4)
        plot.axis.ticker.desired_num_ticks = 3
        plot.xaxis.visible, plot.yaxis.visible = up == last, across == 0
        AxisNames(plot).show(names[across], names[up])
        ends = {"x": f"c{across}", "y": f"c{up}"}
        color: Any = {"field": "label", "transform": self._mapper}
        self._glyphs.append(
            plot.scatter(**ends, source=self._source, size=4, fill_color=color, line_color=None)
        )
        self._rings.append(
            plot.scatter(**ends, source=self._picked, size=12, fill_color=None, line_width=2.5)
        )
        plot.on_event(Tap, lambda _: self._on_tap(names[across], names[up]))
        self.plots.append(plot)
        return plot

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        for plot in self.plots:
            apply_theme(plot, look)
        self._mapper.low_color = look.unassigned
        for ring in self._rings:
            ring.glyph.line_color = look.mark

    def show_labels(self, labels: IntArray) -> None:
        """Colour the points; labels of all points, -1 for none."""
        shown = labels[self._frame.rows].astype(np.int32)
        if not np.array_equal(shown, self._source.data["label"]):
            self._source.patch({"label": [(slice(len(shown)), shown)]})

    def show_picked(self, X: np.ndarray, features: Sequence[str], points: Sequence[int]) -> None:
        """Put a ring around picked points in every cell."""
        at = [list(features).index(name) for name in self._frame.features]
        chosen = X[np.ix_(list(points), at)]
        refill(self._picked, **{f"c{place}": chosen[:, place] for place in range(len(at))})
