"""Several runs over one another: both bounds, or their gaps, linear or logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Legend, LegendItem, NumeralTickFormatter

from ccviz.views.figures.base import add_corners, dress, plain_figure, refill, tip
from ccviz.views.frames.bounds import worth_seeing
from ccviz.views.frames.race import Lane, Quantity
from ccviz.views.palette import Look, cluster_colors

_AXIS = {"time": "seconds", "nodes": "nodes"}
_FIELDS = ("at", "upper", "lower", "gap")
_MOST = 8
"""Most runs drawn over one another; more cannot be distinguished."""

_GAP = "0.[0000000000]%"
"""Of the smallest gaps too, which differ on a logarithmic axis: each tick has its own words."""

_LEGEND_PX = 400
"""Room for a line of the legend on a small screen; a name takes 7 pixels a letter."""


class RaceFigure:
    """Draws the lanes of a race; solid lines are upper bounds or gaps, dashed ones lower bounds.

    Parameters
    ----------
    look : Look
    quantity : {"bounds", "gap"}
    log : bool
        Whether the vertical axis is logarithmic; Bokeh fixes that once and for all.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look, quantity: Quantity = "bounds", log: bool = False) -> None:
        words = "gap" if quantity == "gap" else "objective"
        self.plot = plain_figure(
            f"race-{quantity}{'-log' * log}",
            y_axis_label=words,
            y_axis_type="log" if log else "linear",
        )
        self._quantity = quantity
        self._lanes = [_empty(*_FIELDS) for _ in range(_MOST)]
        self._found = [_empty("found_at", "found") for _ in range(_MOST)]
        self._corners = _empty("x", "y")
        self._legend = Legend(orientation="horizontal", ncols=3, click_policy="hide")
        self._draw()
        self.plot.add_layout(self._legend, "above")
        self.dress(look)

    def _draw(self) -> None:
        solid = "gap" if self._quantity == "gap" else "upper"
        colors = cluster_colors(_MOST)
        self._glyphs = []
        for source, found, color in zip(self._lanes, self._found, colors, strict=True):
            style = {"source": source, "mode": "after", "line_width": 2, "line_color": color}
            glyphs = [self.plot.step("at", solid, **style)]
            if self._quantity == "bounds":
                glyphs.append(self.plot.step("at", "lower", line_dash="dashed", **style))
                glyphs.append(
                    self.plot.scatter("found_at", "found", source=found, size=6, color=color)
                )
            self._glyphs.append(glyphs)
        if self._quantity == "bounds":
            self.plot.y_range.renderers = [add_corners(self.plot, self._corners)]
        else:
            self.plot.yaxis.formatter = NumeralTickFormatter(format=_GAP)
        shape = "0.[0000]%" if solid == "gap" else "0,0.0000"
        tooltips = tip(("at", "@at{0,0.000}"), (solid, f"@{solid}{{{shape}}}"))
        self.plot.add_tools(
            HoverTool(renderers=[lane[0] for lane in self._glyphs], tooltips=tooltips)
        )

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)

    def show(self, lanes: Sequence[Lane], against: str = "time") -> None:
        """Draw the first eight lanes."""
        self.plot.xaxis.axis_label = _AXIS[against]
        shown = list(lanes[:_MOST])
        for place in range(_MOST):
            lane = shown[place] if place < len(shown) else None
            refill(self._lanes[place], **_columns(lane, _FIELDS))
            refill(self._found[place], **_columns(lane, ("found_at", "found")))
        refill(self._corners, **_corners(shown))
        self._name([(lane, glyphs) for lane, glyphs in zip(shown, self._glyphs, strict=False)
                    if self._is_drawn(lane)])  # fmt: skip

    def _is_drawn(self, lane: Lane) -> bool:
        """Whether anything of a run is seen: one without a lower bound has no gap."""
        return self._quantity == "bounds" or bool(np.isfinite(lane.gap).any())

    def _name(self, drawn: list[tuple[Lane, list[Any]]]) -> None:
        """Write what is drawn into the legend, in as many columns as long names leave room for."""
        names = [lane.name for lane, _ in drawn]
        if names == [item.label.value for item in self._legend.items]:
            return
        longest = max(map(len, names), default=0)
        self._legend.update(
            ncols=max(1, min(3, _LEGEND_PX // (7 * longest + 40))),
            items=[LegendItem(label=lane.name, renderers=glyphs) for lane, glyphs in drawn],
        )


def _corners(lanes: Sequence[Lane]) -> dict[str, np.ndarray]:
    seen = [(lane.at[-1], worth_seeing(lane.upper, lane.lower)) for lane in lanes if len(lane.at)]
    known = [(at, height) for at, heights in seen if heights is not None for height in heights]
    at, height = zip(*known, strict=True) if known else ((), ())
    return {"x": np.array(at, dtype=float), "y": np.array(height, dtype=float)}


def _empty(*names: str) -> ColumnDataSource:
    return ColumnDataSource({name: np.empty(0) for name in names})


def _columns(lane: Lane | None, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    return {name: np.empty(0) if lane is None else getattr(lane, name) for name in names}
