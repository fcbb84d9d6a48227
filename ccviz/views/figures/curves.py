"""Curves over time and over shares: bounds, moments of a node, races, sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.models import (
    BoxAnnotation,
    ColumnDataSource,
    HoverTool,
    Legend,
    LegendItem,
    NumeralTickFormatter,
    PrintfTickFormatter,
)
from bokeh.plotting import figure
from bokeh.resources import INLINE

from ccviz.studies.sweep import Curve, common_range
from ccviz.views.figures.base import (
    add_corners,
    apply_theme,
    columns_of,
    empty,
    legend_above,
    plain_figure,
    refill,
    tip,
)
from ccviz.views.frames.bounds import Bounds, Lane, Quantity, y_range
from ccviz.views.frames.node import NodeFacts
from ccviz.views.palette import LIGHT, Look, cluster_colors

# --- Both bounds over time or nodes, as steps that meet when the optimum is proved ----------------


_AXIS = {"time": "seconds", "nodes": "nodes"}


class BoundsFigure:
    """Draws `Bounds`; a longer frame of the same run is streamed, any other replaces it.

    `low`: Whether it has little height: the seconds are written at the ticks.
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
        self._edits = empty("at")
        self._marks = self.plot.vspan("at", source=self._edits, line_width=1, name="edits")
        self._corners = empty("x", "y")
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
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
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
        columns = columns_of(frame, ("at", "upper", "lower", "gap"))
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


# --- The life of a node on the figure of the bounds: two bands, and how its own bound rose --------


BAND = "node-under-the-mouse"
"""Name of the band that the tree moves in the browser."""

_MOMENT_FIELDS = ("at", "bound")


class Moments:
    """Marks on a figure over time: the node under the mouse, and the node that was clicked."""

    def __init__(self, plot: Any) -> None:
        self._under_mouse, self._chosen = BoxAnnotation(name=BAND), BoxAnnotation()
        for band in (self._under_mouse, self._chosen):
            # A line as well: a life of milliseconds has no area.
            band.update(visible=False, fill_alpha=0.14, line_alpha=0.8, line_width=1.5)
            plot.add_layout(band)
        self._source = empty(*_MOMENT_FIELDS)
        self._line = plot.step(
            *_MOMENT_FIELDS, source=self._source, mode="after", line_width=2.5, line_dash=[4, 3],
            legend_label="chosen node",
        )  # fmt: skip
        self._item = plot.legend[0].items[-1]
        self._item.visible = False

    def show(self, facts: NodeFacts | None, now: float) -> None:
        """Mark the life of a node and draw its bound, or nothing.

        `now`: The present moment, up to which an open node lives.
        """
        self._chosen.visible = self._item.visible = facts is not None
        if facts is None:
            refill(self._source, at=np.empty(0), bound=np.empty(0))
            return
        closed = now if facts.closed is None else facts.closed
        self._chosen.update(left=facts.opened or 0.0, right=closed)
        refill(self._source, at=facts.time_s, bound=facts.lower_bound)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        self._line.glyph.line_color = look.mark
        for band in (self._under_mouse, self._chosen):
            band.update(fill_color=look.mark, line_color=look.mark)


# --- Several runs over one another: both bounds, or their gaps, linear or logarithmic -------------


_RACE_FIELDS = ("at", "upper", "lower", "gap")
_MOST = 8
"""Most runs drawn over one another; more cannot be distinguished."""

_GAP = "0.[0000000000]%"
"""Of the smallest gaps too, which differ on a logarithmic axis: each tick has its own words."""

_LEGEND_PX = 400
"""Room for a line of the legend on a small screen; a name takes 7 pixels a letter."""


class RaceFigure:
    """Draws the lanes of a race; solid lines are upper bounds or gaps, dashed ones lower bounds.

    `log`: Whether the vertical axis is logarithmic; Bokeh fixes that once and for all.
    """

    def __init__(self, look: Look, quantity: Quantity = "bounds", log: bool = False) -> None:
        words = "gap" if quantity == "gap" else "objective"
        self.plot = plain_figure(
            f"race-{quantity}{'-log' * log}",
            y_axis_label=words,
            y_axis_type="log" if log else "linear",
        )
        self._quantity = quantity
        self._lanes = [empty(*_RACE_FIELDS) for _ in range(_MOST)]
        self._found = [empty("found_at", "found") for _ in range(_MOST)]
        self._corners = empty("x", "y")
        self._legend = Legend(orientation="horizontal", ncols=3, click_policy="hide")
        self._draw()
        self.plot.add_layout(self._legend, "above")
        self.apply_theme(look)

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

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)

    def show(self, lanes: Sequence[Lane], against: str = "time") -> None:
        """Draw the first eight lanes."""
        self.plot.xaxis.axis_label = _AXIS[against]
        shown = list(lanes[:_MOST])
        for place in range(_MOST):
            lane = shown[place] if place < len(shown) else None
            refill(self._lanes[place], **columns_of(lane, _RACE_FIELDS))
            refill(self._found[place], **columns_of(lane, ("found_at", "found")))
        refill(self._corners, **_corners(shown))
        is_whole = self._quantity == "bounds"  # a run without a lower bound has no gap
        self._name([(lane, glyphs) for lane, glyphs in zip(shown, self._glyphs, strict=False)
                    if is_whole or np.isfinite(lane.gap).any()])  # fmt: skip

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
    seen = [(lane.at[-1], y_range(lane.upper, lane.lower)) for lane in lanes if len(lane.at)]
    known = [(at, height) for at, heights in seen if heights is not None for height in heights]
    at, height = zip(*known, strict=True) if known else ((), ())
    return {"x": np.array(at, dtype=float), "y": np.array(height, dtype=float)}


# --- The plots of a penalty sweep: agreement or time against p, one a noise rate ------------------


def sweep_plots(found: Sequence[Curve]) -> Any:
    """Return a grid of plots of the mean ARI, three a row.

    The range of good penalties is shaded, darker where it is good at every noise rate.
    """
    shared = common_range(found)
    plots = [_plot(curve, shared) for curve in found]
    for plot in plots[1:]:
        plot.x_range = plots[0].x_range
    return gridplot(plots, ncols=3, width=300, height=230, toolbar_location=None)


def _plot(curve: Curve, shared: tuple[float, float] | None) -> Any:
    plot = figure(
        title=f"noise q = {curve.noise:g}", x_axis_label="penalty p", y_axis_label="mean ARI"
    )
    for span, alpha in ((curve.good_range, 0.15), (shared, 0.35)):
        if span is not None:
            shade = BoxAnnotation(
                left=span[0], right=span[1], fill_color=LIGHT.mark, fill_alpha=alpha
            )
            plot.add_layout(shade)
    plot.line(curve.p, curve.ari, line_color=LIGHT.ink)
    plot.scatter(curve.p, curve.ari, size=3, color=LIGHT.ink)
    return plot


def save_sweep(found: Sequence[Curve], path: str | Path) -> None:
    """Write the plots as one HTML file that needs nothing else."""
    page = file_html(sweep_plots(found), INLINE, "Penalty sweep")
    Path(path).write_text(page, encoding="utf-8")
