"""The search tree: a glyph a node, the root on top, the incumbent as a line across."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from bokeh.events import DoubleTap, Tap
from bokeh.models import (
    ColumnDataSource,
    CustomJS,
    HoverTool,
    Label,
    Legend,
    LegendItem,
    Span,
    Title,
)

from ccviz.numbers import count, number
from ccviz.views.figures.base import add_corners, dress, plain_figure
from ccviz.views.figures.sync import sync
from ccviz.views.frames.marks import MARKS
from ccviz.views.frames.tree import TreeFrame
from ccviz.views.lab.picker import Screen, nearest
from ccviz.views.palette import Look

_TOOLTIPS = [
    ("node", "@node, depth @depth"),
    ("state", "@words"),
    ("lower bound", "@lower_bound{0.000000}"),
    ("decision", "@decision"),
    ("why", "@detail"),
]
_UNTOLD = "return !Array.from(ring.data.node).includes(cb_data.value)"
"""No tooltip for the clicked node: its details are under the tree, and it would hide children."""

_LOOKS = ("kind", "marker", "color", "size", "words", "stroke", "stroke_width")
_OUTLINE = "#5b6673"
_MARGIN, _TOO_WIDE, _AS_GOOD = 0.15, 2.0, 2e-4
_NOWHERE = {"x": np.array([0.0, 1.0]), "y": np.array([0.0, 1.0])}
"""A room to begin with: Bokeh complains about a figure that has no data to take its ranges from."""

_AXES = {"bound": "lower bound", "depth": "depth"}


class TreeFigure:
    """Draws `TreeFrame`s; zoom and selection stay.

    Parameters
    ----------
    look : Look
    on_pick : callable, optional
        Called with the number of a node that was clicked.

    Attributes
    ----------
    plot : bokeh figure
    """

    def __init__(self, look: Look, on_pick: Callable[[int], None] | None = None) -> None:
        self.plot = plain_figure("tree")
        self._on_pick = on_pick
        self._selected: int | None = None
        self._frame: TreeFrame | None = None
        self._nodes = ColumnDataSource(_columns(None))
        self._ring = ColumnDataSource({"x": np.empty(0), "y": np.empty(0), "node": np.empty(0)})
        self._room = ColumnDataSource(_NOWHERE)
        self._draw()
        self._draw_line()
        self.plot.y_range.flipped = True
        self.plot.yaxis.formatter.use_scientific = False
        self.plot.xaxis.visible = False
        self.plot.xgrid.visible = False
        # Bokeh calls the second of two quick taps a double one, wherever it falls.
        for kind in (Tap, DoubleTap):
            self.plot.on_event(kind, self._tap)
        self.dress(look)

    def _draw(self) -> None:
        self._edges = self.plot.segment("parent_x", "parent_y", "x", "y", source=self._nodes)
        self._dots = self.plot.scatter(
            "x", "y", marker="marker", size="size", fill_color="color", source=self._nodes
        )
        self._dots.glyph.update(line_color="stroke", line_width="stroke_width")
        self._halo = self.plot.scatter(
            "x", "y", size=22, fill_color=None, line_width=3, source=self._ring
        )
        corners = add_corners(self.plot, self._room)
        # A range that moves has everything painted twice: across, only the corners move it.
        self.plot.x_range.renderers = [corners]
        self.plot.y_range.renderers = [self._dots, corners]
        untold = CustomJS(args={"ring": self._ring}, code=_UNTOLD)
        self.plot.add_tools(
            HoverTool(
                renderers=[self._dots], tooltips=_TOOLTIPS, limit=1, filters={"@node": untold}
            )
        )
        self._title = Title(text="", align="left", text_font_size="12px")
        self.plot.add_layout(self._title, "above")
        items = [self._legend_item(*look) for look in MARKS.values()]
        self._legend = Legend(items=items, orientation="horizontal", ncols=3)
        self._legend.update(padding=2, spacing=6)
        self.plot.add_layout(self._legend, "below")

    def _legend_item(self, marker: str, color: str, words: str) -> LegendItem:
        sample = self.plot.scatter([math.nan], [math.nan], marker=marker, size=9)
        sample.glyph.update(fill_color=color, line_color=color if marker == "x" else _OUTLINE)
        sample.glyph.line_width = 2.5 if marker == "x" else 0.8
        return LegendItem(label=words, renderers=[sample])

    def _draw_line(self) -> None:
        self._line = Span(dimension="width", line_dash="dashed", line_width=2, visible=False)
        self._label = Label(x=6, y=0, x_units="screen", y_offset=3, visible=False)
        self._label.update(text_font_size="9pt", text_baseline="bottom")
        self.plot.add_layout(self._line)
        self.plot.add_layout(self._label)

    def show(self, frame: TreeFrame) -> None:
        """Draw a frame."""
        self._frame = frame
        sync(self._nodes, _columns(frame))
        self.plot.yaxis.axis_label = _AXES[frame.axis]
        self._title.text = _title(frame)
        self._place_line(frame)
        self._make_room(frame)
        self._place_ring()

    def select(self, node: int | None) -> None:
        """Mark a node, or none."""
        self._selected = node
        self._place_ring()

    def dress(self, look: Look) -> None:
        """Take the colours of a theme."""
        dress(self.plot, look)
        self._edges.glyph.line_color = look.faint
        self._edges.glyph.line_alpha = 0.6
        self._halo.glyph.line_color = look.mark
        self._line.line_color = self._label.text_color = look.upper
        self._title.text_color = look.faint

    def _place_line(self, frame: TreeFrame) -> None:
        shown = frame.axis == "bound" and math.isfinite(frame.upper_bound) and len(frame.x) > 0
        self._line.visible = self._label.visible = shown
        if shown:
            self._line.location = self._label.y = frame.upper_bound
            self._label.text = f"incumbent {number(frame.upper_bound)}"

    def _make_room(self, frame: TreeFrame) -> None:
        if not len(frame.x):
            sync(self._room, _NOWHERE)
            return
        across = _room_for(frame.x, self._room.data["x"])
        # A bound that is as good as the incumbent's line shall lie on it.
        low, high = frame.y[0], frame.y[0]
        if self._line.visible:
            high = frame.upper_bound
            low = high - _AS_GOOD * abs(high)
        sync(self._room, {"x": np.array(across), "y": np.array([low, high])})

    def _place_ring(self) -> None:
        if self._frame is not None:
            at = np.flatnonzero(self._frame.node == self._selected)
            frame = self._frame
            sync(self._ring, {"x": frame.x[at], "y": frame.y[at], "node": frame.node[at]})

    @property
    def _screen(self) -> Screen:
        x, y, plot = self.plot.x_range, self.plot.y_range, self.plot
        return Screen((x.start, x.end), (y.start, y.end), plot.inner_width, plot.inner_height)

    def _tap(self, event: Tap | DoubleTap) -> None:
        if self._frame is None or self._on_pick is None or not len(self._frame.node):
            return
        at = nearest(self._frame.x, self._frame.y, (event.x, event.y), self._screen)
        if at is not None:
            self._on_pick(int(self._frame.node[at]))


def _room_for(x: np.ndarray, room: np.ndarray) -> tuple[float, float]:
    """Return a range about x: the one there is, if it is wide enough and not far too wide."""
    (low, high), (left, right) = (x.min(), x.max()), room
    if left <= low and high <= right and right - left <= _TOO_WIDE * (high - low):
        return left, right
    margin = _MARGIN * (high - low)
    return low - margin, high + margin


def _title(frame: TreeFrame) -> str:
    hidden = frame.total - len(frame.node)
    words = count(frame.total, "node")
    return f"{words}, {hidden:,} of them folded away" if hidden else words


def _columns(frame: TreeFrame | None) -> dict[str, np.ndarray]:
    names = ("x", "y", "parent_x", "parent_y", "node", "depth", "lower_bound", "decision", "detail")
    if frame is None:
        # Not of numbers: the browser refuses an empty array of numbers for colours.
        return {name: np.empty(0, dtype=object) for name in (*names, *_LOOKS)}
    columns = {name: getattr(frame, name) for name in names} | node_looks(frame)
    columns["detail"] = np.where(frame.detail == "", "it is not closed", frame.detail)
    return columns


def node_looks(frame: TreeFrame) -> dict[str, np.ndarray]:
    """Return what each node looks like: kind, marker, colour, size, words, outline."""
    folded = (frame.hidden > 0) & (frame.state != "incumbent")
    kinds = np.where(folded, "folded", frame.state)
    looks = [MARKS[kind] for kind in kinds]
    words = [
        f"{state}; {hidden} nodes below, {still_open} of them open" if hidden else state
        for (_, _, state), hidden, still_open in zip(
            looks, frame.hidden, frame.hidden_open, strict=True
        )
    ]
    return {
        "kind": kinds.astype(object),
        "marker": np.array([marker for marker, _, _ in looks], dtype=object),
        "color": np.array([color for _, color, _ in looks], dtype=object),
        "size": np.select(
            [kinds == "incumbent", folded, kinds == "branched"],
            [16.0, 8.0 + 2.0 * np.log10(1.0 + frame.hidden), 6.0],
            9.0,
        ),
        # A cross has no area: its lines carry the colour.
        "stroke": np.where(kinds == "infeasible", MARKS["infeasible"][1], _OUTLINE).astype(object),
        "stroke_width": np.where(kinds == "infeasible", 2.5, 0.8),
        "words": np.array(words, dtype=object),
    }
