"""The search tree: a glyph a node, the root on top, the incumbent as a line across."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from bokeh.events import DoubleTap, RangesUpdate, Tap
from bokeh.models import (
    BasicTicker,
    ColumnDataSource,
    CustomJS,
    HoverTool,
    Legend,
    LegendItem,
    Span,
    Title,
)

from ccviz.arrays import FloatArray, IntArray
from ccviz.numbers import count, number
from ccviz.views.figures.base import (
    add_corners,
    apply_theme,
    empty,
    frame_size,
    plain_figure,
    refill,
    sync,
    tip,
)
from ccviz.views.figures.curves import BAND
from ccviz.views.frames.node import MARKS
from ccviz.views.frames.tree import TreeFrame
from ccviz.views.lab.state import Screen, nearest
from ccviz.views.palette import Look

# --- Labels that have room: which of many may be written without one covering another -------------


_MOST = 150
"""Most labels that are tried; later ones are left out."""


def with_room(
    x: FloatArray,
    y: FloatArray,
    widths: FloatArray,
    height: float,
    order: Sequence[int] | IntArray,
) -> np.ndarray:
    """Return which labels are written, the first in the order before the others.

    `x`, `y` (m,): Centres of the labels in pixels. `widths` (m,): In pixels; 0 for no label.
    `order`: Rows, the most important first.
    """
    written = np.zeros(len(x), dtype=bool)
    kept: list[tuple[float, float, float]] = []
    for row in list(order)[:_MOST]:
        there = np.array(kept, dtype=np.float64).reshape(-1, 3)
        beside = np.abs(there[:, 0] - x[row]) >= (there[:, 2] + widths[row]) / 2
        if widths[row] > 0 and np.all(beside | (np.abs(there[:, 1] - y[row]) >= height)):
            written[row] = True
            kept.append((x[row], y[row], widths[row]))
    return written


_TOOLTIPS = tip(
    ("node", "@node, depth @depth"),
    ("state", "@words"),
    ("lower bound", "@lower_bound{0,0.000000}"),
    ("decision", "@decision"),
    ("why", "@detail"),
)
SKIP_IF_KNOWN = "return !Array.from(ring.data.node).includes(cb_data.value)"
"""No tooltip for the clicked node: its details are under the tree, and it would hide children."""

_LIGHT = """
const band = cb_obj.document.get_model_by_name(name)
const [row] = cb_data.index.indices
if (!band) return
const {opened, closed} = nodes.data
// An open node lives up to the last event of the tree.
const last = (times) => Array.from(times).reduce((most, time) => time > most ? time : most, 0)
const now = () => Math.max(last(opened), last(closed))
const lives = row !== undefined && !Number.isNaN(opened[row])
band.setv(lives ? {visible: true, left: opened[row],
  right: Number.isNaN(closed[row]) ? now() : closed[row]} : {visible: false}, {sync: false})
"""
"""Lights the life of the node under the mouse on the figure of the bounds, in the browser alone."""

_LOOKS = ("kind", "marker", "color", "size", "words", "stroke", "stroke_width")
_NARROW = 430
"""Width of the frame, in pixels, that has no room for four states beside one another."""

_LIVES = ("opened", "closed")
_OUTLINE = "#5b6673"
_LIT = "#f0a30a"
"""Outline of a node that an edit opened again."""
_MARGIN, _TOO_WIDE, _AS_GOOD = 0.15, 2.0, 2e-4
_BRANCH, _BRANCH_ROOM = ("x", "y", "text"), (0.55, 2.4)
"""Columns of the labels of branches; width of a character and height of a label, both as shares of
the size of the words."""

_NODE_PX, _LABEL_PX = 6, 9  # Radius of a node; how far a label is above the middle of its own
_DOT_PX = 14
"""Height of a node and the edge above it, in pixels."""

_UNMEASURED = (400, 250)
"""Width and height of the frame in pixels until the browser has measured them."""
_NOWHERE = {"x": np.array([0.0, 1.0]), "y": np.array([0.0, 1.0])}
"""A room to begin with: Bokeh complains about a figure that has no data to take its ranges from."""

_AXES = {"bound": "lower bound", "depth": "depth"}


class TreeFigure:
    """Draws `TreeFrame`s; zoom and selection stay.

    `on_pick`: Called with the number of a node that was clicked.
    """

    def __init__(self, look: Look, on_pick: Callable[[int], None] | None = None) -> None:
        self.plot = plain_figure("tree")
        self.plot.toolbar_inner = False  # beside the title: the root has its place below
        self._on_pick = on_pick
        self._selected: int | None = None
        self._frame: TreeFrame | None = None
        self._nodes = ColumnDataSource(_columns(None))
        self._ring = empty("x", "y", "node")
        self._room = ColumnDataSource(_NOWHERE)
        self._branches = ColumnDataSource({name: np.empty(0, dtype=object) for name in _BRANCH})
        self._draw()
        self._line = Span(dimension="width", line_dash="dashed", line_width=2, visible=False)
        self._line.level = "underlay"  # the words of branches are over it
        self.plot.add_layout(self._line)
        self.plot.y_range.flipped = True
        self._ticker = BasicTicker()
        self.plot.yaxis.ticker = self._ticker
        self.plot.on_event(RangesUpdate, lambda _: self._label_branches())
        for size in ("inner_width", "inner_height"):
            self.plot.on_change(size, lambda attr, old, new: self._fit())
        self.plot.xaxis.visible = False
        self.plot.xgrid.visible = False
        # Bokeh calls the second of two quick taps a double one, wherever it falls.
        for kind in (Tap, DoubleTap):
            self.plot.on_event(kind, self._tap)
        self.apply_theme(look)

    def _draw(self) -> None:
        self._edges = self.plot.segment("parent_x", "parent_y", "x", "y", source=self._nodes)
        self._dots = self.plot.scatter(
            "x", "y", marker="marker", size="size", fill_color="color", source=self._nodes
        )
        self._dots.glyph.update(line_color="stroke", line_width="stroke_width")
        self._halo = self.plot.scatter(
            "x", "y", size=22, fill_color=None, line_width=3, source=self._ring
        )
        self._labels = self.plot.text(
            *_BRANCH, source=self._branches, text_align="center", text_baseline="bottom",
            y_offset=-_LABEL_PX, text_font_size="11px", text_line_height=1.0,
            background_fill_alpha=0.8,
        )  # fmt: skip
        corners = add_corners(self.plot, self._room)
        # A range that moves has everything painted twice: across, only the corners move it.
        self.plot.x_range.renderers = [corners]
        self.plot.y_range.renderers = [self._dots, corners]
        untold = CustomJS(args={"ring": self._ring}, code=SKIP_IF_KNOWN)
        self.plot.add_tools(
            HoverTool(
                renderers=[self._dots], tooltips=_TOOLTIPS, limit=1, filters={"@node": untold},
                callback=CustomJS(args={"nodes": self._nodes, "name": BAND}, code=_LIGHT),
            )
        )  # fmt: skip
        self._title = Title(text="", align="left", text_font_size="12px", standoff=12)
        self.plot.add_layout(self._title, "above")
        self._items = {kind: self._legend_item(*look) for kind, look in MARKS.items()}
        self._legend = Legend(items=list(self._items.values()), orientation="horizontal", ncols=4)
        self._legend.update(padding=0, spacing=4, glyph_height=16, label_height=16)
        self.plot.add_layout(self._legend, "below")

    def _legend_item(self, marker: str, color: str, words: str) -> LegendItem:
        sample = self.plot.scatter([math.nan], [math.nan], marker=marker, size=9)
        sample.glyph.update(fill_color=color, line_color=color if marker == "x" else _OUTLINE)
        sample.glyph.line_width = 2.5 if marker == "x" else 0.8
        return LegendItem(label=words, renderers=[sample])

    def show(self, frame: TreeFrame, lives: Mapping[str, FloatArray] | None = None) -> None:
        """Draw a frame.

        `lives`: Of its nodes, to be lit on the figure of the bounds; see `NodeLog.lives`.
        """
        self._frame = frame
        columns = _columns(frame, lives)
        sync(self._nodes, columns)
        drawn = columns["kind"][np.isfinite(frame.y)]
        for kind, item in self._items.items():
            item.visible = kind in drawn
        self.plot.yaxis.axis_label = _AXES[frame.axis]
        self._ticker.min_interval = 1.0 if frame.axis == "depth" else 0.0
        has_line = frame.axis == "bound" and math.isfinite(frame.upper_bound) and len(frame.x) > 0
        self._line.visible = has_line
        if has_line:
            self._line.location = frame.upper_bound
        self._title.text = _title(frame, self._line.visible)
        self._make_room(frame)
        self._place_ring()
        self._fit()

    def select(self, node: int | None) -> None:
        """Mark a node, or none."""
        self._selected = node
        self._place_ring()
        self._label_branches()

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._edges.glyph.line_color = look.faint
        self._edges.glyph.line_alpha = 0.6
        self._halo.glyph.line_color = look.mark
        self._line.line_color = look.upper
        self._title.update(text_color=look.faint, text_font_size=f"{look.text}px")
        self._labels.glyph.update(
            text_color=look.ink,
            background_fill_color=look.paper,
            text_font_size=f"{look.text - 1}px",
        )
        self._text = look.text
        self._label_branches()

    def _make_room(self, frame: TreeFrame) -> None:
        if not len(frame.x):
            sync(self._room, _NOWHERE)
            return
        across = _room_for(frame.x, self._room.data["x"])
        # A bound that is as good as the incumbent's line shall lie on it.
        is_bounded = bool(np.isfinite(frame.y[0]))
        low = high = frame.y[0] if is_bounded else 0.0
        if self._line.visible:
            high = frame.upper_bound
            low = high - _AS_GOOD * abs(high) if is_bounded else low
        sync(self._room, {"x": np.array(across), "y": np.array([low, high])})

    def _place_ring(self) -> None:
        if self._frame is not None:
            at = np.flatnonzero(self._frame.node == self._selected)
            frame = self._frame
            sync(self._ring, {"x": frame.x[at], "y": frame.y[at], "node": frame.node[at]})

    def _fit(self) -> None:
        """Use the room that the browser gives."""
        self._legend.ncols = 4 if frame_size(self.plot, _UNMEASURED)[0] > _NARROW else 2
        self._label_branches()

    def _label_branches(self) -> None:
        """Write what was decided at each branch, where there is room for it."""
        frame = self._frame
        if frame is None or not len(frame.x):
            refill(self._branches, **{name: np.empty(0, dtype=object) for name in _BRANCH})
            return
        across, down = self._pixels_per_unit(frame)
        character, height = (side * self._text for side in _BRANCH_ROOM)
        x, y = frame.x * across, frame.y * down
        is_steep = y - frame.parent_y * down > height + _DOT_PX
        words = np.where(
            is_steep, frame.branch, [label.replace("\n", " ") for label in frame.branch]
        )
        widths = character * np.array([max(map(len, label.split("\n"))) for label in words])
        chosen = np.isin(frame.node, self._path(frame))
        order = np.lexsort((frame.depth, ~chosen))
        tried = order[:_MOST]
        lines = np.array([word.count("\n") + 1 for word in words])
        tops = y - _LABEL_PX - lines * height / 2.0  # a label is over its own node
        places = self._inside(x, across, widths)
        widths[tried[_covers(x, y, widths, tops, tried, places)]] = 0.0
        at = np.flatnonzero(with_room(places, y, widths, height, order))
        refill(self._branches, x=places[at] / across, y=frame.y[at], text=words[at])

    def _inside(self, x: FloatArray, across: float, widths: FloatArray) -> FloatArray:
        """Return where labels are across, in pixels: over their nodes, but not beyond the frame."""
        start, end = self.plot.x_range.start, self.plot.x_range.end
        if not _span(start, end):
            return x
        left, right = start * across, end * across
        moved = np.clip(x, left + widths / 2.0, right - widths / 2.0)
        return np.where((left <= x) & (x <= right), moved, x)

    def _pixels_per_unit(self, frame: TreeFrame) -> tuple[float, float]:
        """Return the scales of the axes, estimated until the browser has measured the figure."""
        x, y = self.plot.x_range, self.plot.y_range
        width, height = frame_size(self.plot, _UNMEASURED)
        left, right = self._room.data["x"]
        wide = _span(x.start, x.end) or right - left or 1.0
        return width / wide, height / (_span(y.start, y.end) or np.ptp(frame.y) or 1.0)

    def _path(self, frame: TreeFrame) -> list[int]:
        """Return the chosen node and those above it, whose branches are labelled first."""
        above = dict(zip(frame.node.tolist(), frame.parent.tolist(), strict=True))
        path, node = [], self._selected
        while node is not None and node in above:
            path.append(node)
            node = above[node]
        return path

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


def _covers(
    x: np.ndarray, y: np.ndarray, widths: np.ndarray, tops: np.ndarray, tried: np.ndarray,
    places: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return whether each of some labels would lie on a node, given all in pixels."""
    near = np.abs(x - places[tried, None]) < widths[tried, None] / 2.0 + _NODE_PX
    under = (y > tops[tried, None] - _NODE_PX) & (y < y[tried, None] - _LABEL_PX + _NODE_PX)
    covered: np.ndarray = (near & under).any(axis=1)
    return covered


def _room_for(x: np.ndarray, room: np.ndarray) -> tuple[float, float]:
    """Return a range about x: the one there is, if it is wide enough and not far too wide."""
    (low, high), (left, right) = (x.min(), x.max()), room
    if left <= low and high <= right and right - left <= _TOO_WIDE * (high - low):
        return left, right
    margin = _MARGIN * (high - low)
    return low - margin, high + margin


def _span(start: float | None, end: float | None) -> float:
    """Return the length of a range, 0 while it is unknown."""
    return abs(end - start) if start is not None and end is not None and end == end else 0.0


def _title(frame: TreeFrame, has_line: bool) -> str:
    """Return what the figure shows; beside the line itself, words would hide branches."""
    hidden = frame.total - len(frame.node)
    words = count(frame.total, "node") + f", {hidden:,} of them folded away" * bool(hidden)
    return words + f" · dashed: best found so far {number(frame.upper_bound)}" * has_line


def _columns(
    frame: TreeFrame | None, lives: Mapping[str, FloatArray] | None = None
) -> dict[str, np.ndarray]:
    names = ("x", "y", "parent_x", "parent_y", "node", "depth", "lower_bound", "decision", "detail")
    if frame is None:
        # Not of numbers: the browser refuses an empty array of numbers for colours.
        return {name: np.empty(0, dtype=object) for name in (*names, *_LIVES, *_LOOKS)}
    columns = {name: getattr(frame, name) for name in names} | node_looks(frame)
    columns |= lives or {name: np.full(len(frame.x), np.nan) for name in _LIVES}
    columns["detail"] = np.where(frame.detail == "", "it is not closed", frame.detail)
    return columns


def node_looks(frame: TreeFrame) -> dict[str, np.ndarray]:
    """Return what each node looks like: kind, marker, colour, size, words, outline."""
    folded = (frame.hidden > 0) & (frame.state != "incumbent")
    kinds = np.where(folded, "folded", frame.state)
    looks = [MARKS[kind] for kind in kinds]
    words = [
        f"{state}{', opened again after an edit' * again}"
        + (f"; {hidden} nodes below, {still_open} of them open" if hidden else "")
        for (_, _, state), hidden, still_open, again in zip(
            looks, frame.hidden, frame.hidden_open, frame.reopened.tolist(), strict=True
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
        "stroke": np.select(
            [kinds == "infeasible", frame.reopened], [MARKS["infeasible"][1], _LIT], _OUTLINE
        ).astype(object),
        "stroke_width": np.where((kinds == "infeasible") | frame.reopened, 2.5, 0.8),
        "words": np.array(words, dtype=object),
    }
