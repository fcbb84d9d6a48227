"""Lines over a common axis: what several figures of a solver's progress share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from ccviz.views.figures.base import dress, legend_above, plain_figure, tip
from ccviz.views.figures.sync import sync
from ccviz.views.palette import Look


@dataclass(frozen=True)
class Series:
    """A line: the frame's field, words for the legend, a colour's name in `Look`, its dash."""

    field: str
    words: str
    color: str
    dash: str = "solid"


class SeriesFigure:
    """Draws some fields of a frame over another.

    Parameters
    ----------
    look : Look
    name : str
    x : str
        The field along the axis.
    series : sequence of Series
    x_label, y_label : str
    log : bool
        Whether the vertical axis is logarithmic.
    tooltips : sequence of pairs
        What hovering shows, as Bokeh has it.
    extra : sequence of str
        Fields that are drawn by a subclass, or shown by the tooltips only.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(
        self,
        look: Look,
        name: str,
        x: str,
        series: Sequence[Series],
        *,
        x_label: str,
        y_label: str = "",
        log: bool = False,
        tooltips: Sequence[tuple[str, str]] = (),
        extra: Sequence[str] = (),
    ) -> None:
        self.plot = plain_figure(
            name, x_axis_label=x_label, y_axis_label=y_label, y_axis_type="log" if log else "linear"
        )
        self._fields = (x, *(each.field for each in series), *extra)
        self.source = ColumnDataSource({field: np.empty(0) for field in self._fields})
        self._lines = {each: self._draw(x, each) for each in series}
        if series:
            self.plot.legend.visible = len(series) > 1
            self.plot.legend.click_policy = "hide"
            legend_above(self.plot)
        if tooltips:
            lines = list(self._lines.values())
            self.plot.add_tools(
                HoverTool(renderers=lines[:1], mode="vline", tooltips=tip(*tooltips))
            )
        self.dress(look)

    def _draw(self, x: str, each: Series) -> Any:
        return self.plot.line(
            x,
            each.field,
            source=self.source,
            line_width=2,
            line_dash=each.dash,
            legend_label=each.words,
        )

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        for each, line in self._lines.items():
            line.glyph.line_color = getattr(look, each.color)

    def show(self, frame: Any) -> None:
        """Draw a frame; what has only grown is streamed."""
        sync(self.source, {field: getattr(frame, field) for field in self._fields})
