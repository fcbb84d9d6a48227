"""A population: every member's objective by generation, and a line from loser to winner."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from ccviz.views.figures.base import add_corners, dress, legend_above, plain_figure
from ccviz.views.figures.sync import sync
from ccviz.views.frames.population import Population
from ccviz.views.palette import Look

_SHORT = ("generation", "best", "mean")
_MEMBERS = ("member_generation", "objective", "member", "fresh")
_AS_GOOD = 1e-4
"""Relative difference to the best objective below which others look equal on the axis."""
_LINES = ("from_generation", "from_objective", "to_generation", "to_objective")


class PopulationFigure:
    """Draws `Population` frames.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "population", x_axis_label="generation", y_axis_label="what the search lowers"
        )
        self._short = _empty(_SHORT)
        self._members = _empty((*_MEMBERS, "size"))
        self._lines = _empty(_LINES)
        self._replaced = self.plot.segment(
            *_LINES, source=self._lines, line_alpha=0.6, legend_label="replaced"
        )
        self._dots = self.plot.scatter(
            "member_generation",
            "objective",
            size="size",
            fill_alpha=0.6,
            line_color=None,
            source=self._members,
            legend_label="member",
        )
        self._curves = {
            name: self.plot.line(
                "generation", name, source=self._short, line_width=2.5, legend_label=name
            )
            for name in ("best", "mean")
        }
        self._curves["mean"].glyph.line_dash = "dashed"
        self._room = ColumnDataSource({"x": np.empty(0), "y": np.empty(0)})
        add_corners(self.plot, self._room)
        legend_above(self.plot)
        tooltips = [
            ("generation", "@member_generation, member @member"),
            ("objective", "@objective{0,0.0000}"),
            ("new", "@fresh"),
        ]
        self.plot.add_tools(HoverTool(renderers=[self._dots], tooltips=tooltips, limit=1))
        self.plot.xaxis.ticker.min_interval = 1
        self.dress(look)

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._dots.glyph.fill_color = look.faint
        self._replaced.glyph.line_color = look.mark
        self._curves["best"].glyph.line_color = look.upper
        self._curves["mean"].glyph.line_color = look.lower

    def show(self, frame: Population) -> None:
        """Draw a frame."""
        sync(self._short, _columns(frame, _SHORT))
        sync(self._lines, _columns(frame, _LINES))
        size = np.where(frame.fresh, 7.0, 4.0)
        sync(self._room, _room(frame))
        sync(self._members, _columns(frame, _MEMBERS) | {"size": size})


def _room(frame: Population) -> dict[str, np.ndarray]:
    """Return corners about the best member: where all are as good, rounding fills no axis."""
    best = frame.best[-1:]
    margin = _AS_GOOD * np.abs(best)
    return {
        "x": np.repeat(frame.generation[-1:], 2),
        "y": np.concatenate([best - margin, best + margin]),
    }


def _empty(names: tuple[str, ...]) -> ColumnDataSource:
    return ColumnDataSource({name: np.empty(0) for name in names})


def _columns(frame: Any, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    return {name: getattr(frame, name) for name in names}
