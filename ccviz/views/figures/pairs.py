"""The scatter matrix: one small plot for each pair of features, over one table of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from bokeh.events import Tap
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource

from ccviz.arrays import IntArray
from ccviz.views.figures.axis_names import AxisNames
from ccviz.views.figures.base import cluster_mapper, dress, plain_figure, refill
from ccviz.views.frames.pairs import Pairs
from ccviz.views.palette import Look

OnTap = Callable[[str, str], None]


class PairsFigure:
    """Draws `Pairs` frames; a click on a cell names its features.

    Attributes
    ----------
    grid : bokeh layout
    """

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
        self.dress(look)

    def _cell(self, across: int, up: int) -> Any:
        names, last = self._frame.features, len(self._frame.features) - 1
        plot = plain_figure(f"pairs-{across}-{up}", tools="save")
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
        plot.on_event(Tap, partial(self._tapped, names[across], names[up]))
        self.plots.append(plot)
        return plot

    def _tapped(self, across: str, up: str, _: Any) -> None:
        self._on_tap(across, up)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        for plot in self.plots:
            dress(plot, look)
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
