"""The scatter plot: points in their clusters' colours, links, centres, and picked points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from bokeh.events import MouseMove, RangesUpdate
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    HoverTool,
    Label,
    PanTool,
    PlainText,
    Range1d,
)
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.figures.base import apply_theme, cluster_mapper, frame_size, plain_figure, refill
from ccviz.views.figures.overlays import DENSE_FROM, DensityLayer, LinkDensity, in_view
from ccviz.views.frames.links import (
    MOST_LINES,
    Lines,
    ends_of,
    opacity,
    rows_of,
    some_of,
    widths,
)
from ccviz.views.frames.scatter import Coloring, Plane
from ccviz.views.lab.state import Screen
from ccviz.views.palette import Look, cluster_colors

# --- The names at the axes of a plot: as they are given, and no longer than the axes --------------


_LETTER = 0.58
"""Mean width of a letter as a share of the size of the words."""

_FEWEST = 4
"""Letters that stay of a name on the shortest axis."""


class AxisNames:
    """The names of a plot, which end in … while they are longer than their axes."""

    def __init__(self, plot: Any) -> None:
        self._plot, self._names = plot, ("", "")
        for size in ("inner_width", "inner_height"):
            plot.on_change(size, lambda attr, old, new: self._write())

    def show(self, across: str, up: str) -> None:
        """Write other names."""
        self._names = (across, up)
        self._write()

    def _write(self) -> None:
        axes = (self._plot.xaxis[0], self._plot.yaxis[0])
        for axis, name, room in zip(axes, self._names, frame_size(self._plot), strict=True):
            letter = _LETTER * float(axis.axis_label_text_font_size.removesuffix("px"))
            text = shortened(name, max(_FEWEST, int(room / letter)))
            if axis.axis_label is None or axis.axis_label.text != text:
                axis.axis_label = PlainText(text=text)  # a plain string in dollars would be TeX


def shortened(name: str, most: int) -> str:
    """Return a name with at most that many letters."""
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"


_EMPTY = "No point is in view. Reset, one of the tools above, shows all."
_DEEPEST_ZOOM = 1e5  # the whole of an axis over the least part that is shown
_MANY = 3000
_FEW_CENTERS = 30  # with crosses of full size
_TOOLTIP = """@name point <b>@row</b> @class <b>@label{custom}</b>
<div style="max-width: 340px; opacity: 0.8">@marks</div><div>@links</div>
<div style="max-width: 340px">@why</div>"""
_PICTURE = """<img src="@picture" width="72" alt="" style="image-rendering: pixelated;
  display: block; margin: 2px 0; border: 1px solid lightgray">"""
_CLUSTER_CODE = "return value < 0 ? '' : `cluster ${value}`"
_ENDS = ("x0", "y0", "x1", "y1")
_GLOW = 0.45
_NEAR_CODE = """
if (!plot.tags.includes("near")) return
const across = plot.inner_width / Math.abs(plot.x_range.end - plot.x_range.start)
const up = plot.inner_height / Math.abs(plot.y_range.end - plot.y_range.start)
const far = (x, y) => Math.hypot((x - cb_obj.x) * across, (y - cb_obj.y) * up)
for (const {source, full} of lines) {
  const {x0, y0, x1, y1, alpha} = source.data
  let changed = false
  for (let i = 0; i < alpha.length; i++) {
    const seen = Math.min(far(x0[i], y0[i]), far(x1[i], y1[i])) < reach ? full : 0
    changed ||= alpha[i] !== seen
    alpha[i] = seen
  }
  if (changed) source.change.emit()
}
"""
SKIP_IF_KNOWN = "return ring.data.x.length < 2"
"""No tooltip while the buttons for what is picked are shown: it would hide them."""

_FORGET = """
const view = Bokeh.index.find_one(plot)
if (ring.data.x.length > 1) view?.tool_views.get(tool)?._move_exit()
"""
"""The tooltip of the point that was clicked last goes when these buttons come."""

_NEAR_PX = 40
"""Links with an end so near to the pointer are drawn, where only these are."""

_POINT_COLUMNS = ("x", "y", "label", "row", "class", "name", "marks", "links", "why", "picture")


class ScatterFigure:
    """Draws planes, colourings, lines and paths; each can change without the others."""

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "scatter",
            tools="pan,wheel_zoom,box_zoom,lasso_select,box_select,reset",
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
        )
        self.plot.toolbar_inner = False  # the lasso has no use where no points are visible
        self._density = DensityLayer(self.plot)
        self._crowd = LinkDensity(self.plot)
        self._look = look
        self._plane: Plane | None = None
        self._whole: tuple[float, ...] = ()  # Ends of both axes where all is in view
        self._labels = np.zeros(0, dtype=np.int32)
        self.points = _empty(*_POINT_COLUMNS)  # whose selection can be watched
        self._areas = _empty("xs", "ys", "label")
        self._centers = _empty("x", "y", "label")
        self._lines = {
            kind: _empty(*_ENDS, "width", "alpha", "name") for kind in ("must", "cannot")
        }
        self._near, self._broken = _empty(*_ENDS), _empty(*_ENDS, "alpha")
        self._path, self._picked, self._held = (_empty("x", "y") for _ in range(3))
        self._asked = _empty("x", "y", "number")
        self._odd, self._wet = _empty("x", "y"), _empty("x", "y")
        self._mapper = cluster_mapper()
        self._draw()
        self._axis_names = AxisNames(self.plot)
        self.plot.on_event(RangesUpdate, lambda _: self._on_view())
        for size in ("inner_width", "inner_height"):
            self.plot.on_change(size, lambda attr, old, new: self._on_size())
        self.apply_theme(look)

    def _draw(self) -> None:
        """Add what is drawn, the lowest first."""
        self._area_glyph = self.plot.multi_polygons(
            "xs", "ys", source=self._areas, name="areas", fill_alpha=0.45, line_width=1,
            fill_color={"field": "label", "transform": self._mapper},
        )  # fmt: skip
        self._draw_links()
        self._draw_points()
        self._center_halo, self._center_glyph = (
            self.plot.scatter("x", "y", source=self._centers, marker="cross", **looks)
            for looks in ({"level": "glyph"},
                          {"line_color": {"field": "label", "transform": self._mapper}})
        )  # fmt: skip
        self._size_centers(0)
        self._draw_rings()
        self._empty = Label(
            x=14, y=12, x_units="screen", y_units="screen", text=_EMPTY, visible=False
        )
        self.plot.add_layout(self._empty)

    def _draw_links(self) -> None:
        plot, ends = self.plot, {each: each for each in ("x0", "y0", "x1", "y1")}
        self._near_glyph = plot.segment(**ends, source=self._near, name="neighbors", line_alpha=0.5)
        self._broken_glyph = plot.segment(
            **ends, source=self._broken, name="broken", line_width=7, line_alpha="alpha"
        )
        self._line_glyphs = {
            kind: plot.segment(
                **ends, source=self._lines[kind], name=kind, line_width="width",
                line_alpha="alpha", line_dash=dash,
            )
            for kind, dash in (("must", "solid"), ("cannot", "6 4"))
        }  # fmt: skip
        lines = [{"source": source, "full": 1.0} for source in self._lines.values()]
        near = CustomJS(
            args={"plot": plot, "lines": [*lines, {"source": self._broken, "full": _GLOW}],
                  "reach": _NEAR_PX},
            code=_NEAR_CODE,
        )  # fmt: skip
        plot.js_on_event(MouseMove, near)

    def _draw_points(self) -> None:
        color = {"field": "label", "transform": self._mapper}
        self._point_glyph = self.plot.scatter(
            "x", "y", source=self.points, size=9, fill_color=color, line_width=0.8
        )
        # What is not selected by the lasso stays as it is: colours mean clusters here.
        self._point_glyph.nonselection_glyph = None
        self._hover = HoverTool(
            renderers=[self._point_glyph],
            tooltips=_TOOLTIP,
            formatters={"@label": CustomJSHover(code=_CLUSTER_CODE)},
            point_policy="snap_to_data",
            limit=3,  # of points on top of one another
            filters={"@row": CustomJS(args={"ring": self._picked}, code=SKIP_IF_KNOWN)},
        )
        self.plot.add_tools(self._hover)
        around = {"ring": self._picked, "plot": self.plot, "tool": self._hover}
        self._picked.js_on_change("data", CustomJS(args=around, code=_FORGET))

    def _size_centers(self, k: int) -> None:
        """Draw crosses that together cover no more of the points than those of a few clusters."""
        share = min(1.0, math.sqrt(_FEW_CENTERS / max(k, 1)))
        self._center_halo.glyph.update(size=20 * share + 2, line_width=8 * share)
        self._center_glyph.glyph.update(size=20 * share, line_width=5 * share)

    def _draw_rings(self) -> None:
        """Add the path of a conflict and the marks of single points."""
        plot = self.plot
        self._path_line = plot.line(
            "x", "y", source=self._path, name="path", line_width=4, line_alpha=0.8
        )
        self._path_ring = plot.scatter(
            "x", "y", source=self._path, size=20, fill_color=None, line_width=3
        )
        self._pick_ring = plot.scatter(
            "x", "y", source=self._picked, name="picked", size=18, fill_color=None, line_width=3
        )
        self._held_ring = plot.scatter(
            "x", "y", source=self._held, name="held", size=18, fill_color=None, line_width=3,
            line_dash=[3, 2],
        )  # fmt: skip
        self._numbers = plot.text(
            "x", "y", text="number", source=self._asked, name="asked", x_offset=8, y_offset=-8,
            text_font_style="bold",
        )  # fmt: skip
        self._odd_mark = plot.scatter(
            "x", "y", source=self._odd, name="odd", size=18, marker="x", line_width=4
        )
        self._wet_glyph = plot.scatter(
            "x", "y", source=self._wet, name="wet", size=9, line_color=None
        )

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        self._look = look
        apply_theme(self.plot, look)
        self._mapper.low_color = look.unassigned
        self._point_glyph.glyph.line_color = look.paper
        self._area_glyph.glyph.line_color = look.faint
        self._center_halo.glyph.line_color = look.ink
        self._line_glyphs["must"].glyph.line_color = look.must_link
        self._line_glyphs["cannot"].glyph.line_color = look.cannot_link
        self._near_glyph.glyph.line_color = look.faint
        self._broken_glyph.glyph.line_color = look.broken
        for glyph in (self._path_line, self._path_ring):
            glyph.glyph.line_color = look.broken
        self._pick_ring.glyph.line_color = look.mark
        self._held_ring.glyph.line_color = look.upper
        self._odd_mark.glyph.line_color = look.cannot_link
        self._numbers.glyph.update(text_color=look.ink, text_font_size=f"{look.text + 2}px")
        self._empty.update(text_color=look.faint, text_font_size=f"{look.text}px")
        self._on_view()

    def _on_view(self) -> None:
        """Make the pictures of the part in view."""
        self._redraw()
        self._crowd.redraw(self._link_colors, self.screen)
        self._say_if_empty()

    def _say_if_empty(self) -> None:
        """Say how points come back, where a person has moved all of them out of view."""
        plane = self._plane
        if plane is not None and len(plane.x):
            self._empty.visible = not in_view(plane.x, plane.y, self.screen).any()

    @property
    def _link_colors(self) -> list[str]:
        return [self._look.must_link, self._look.cannot_link]

    @property
    def screen(self) -> Screen:
        """What the browser shows now; a guess before it has drawn the plot."""
        x, y = self.plot.x_range, self.plot.y_range
        return Screen((x.start, x.end), (y.start, y.end), *frame_size(self.plot))

    @property
    def is_dense(self) -> bool:
        """Whether there are too many points to draw one by one."""
        return self._plane is not None and len(self._plane.x) > DENSE_FROM

    def show_plane(self, plane: Plane, keep_view: bool = False) -> None:
        """Put the points in their places, without clusters, and the whole of them in view."""
        self._plane, n = plane, len(plane.x)
        self._labels = np.full(n, -1, dtype=np.int32)
        self._send(plane, np.arange(0 if self.is_dense else n))
        across, up = plane.areas
        if across or len(self._areas.data["xs"]):
            self._areas.data = {"xs": across, "ys": up, "label": self._labels[: len(across)]}
        few = n <= _MANY
        self._point_glyph.glyph.update(size=9 if few else 5, line_width=0.8 if few else 0)
        for tool in self.plot.select(BoxZoomTool):
            tool.match_aspect = plane.aspect > 0.0
        if not keep_view:
            self._show_whole(plane)
        self._axis_names.show(plane.x_title, plane.y_title)
        words = f"{n:,} points, {plane.x_name} across, {plane.y_name} up"
        self.plot.html_attributes = {"role": "figure", "aria-label": words}
        self._density.clear()
        self._say_if_empty()

    def _show_whole(self, plane: Plane) -> None:
        """Put all points in view, on a map at equal scale."""
        across, up = plane.x_range, plane.y_range
        if plane.aspect:
            width, height = frame_size(self.plot)
            scale = max(np.ptp(across) * plane.aspect / width, np.ptp(up) / height)
            across = _about(across, scale * width / plane.aspect)
            up = _about(up, scale * height)
        self._whole = (*across, *up)
        _show_all(self.plot.x_range, across)
        _show_all(self.plot.y_range, up)

    def _on_size(self) -> None:
        """Draw a map at equal scale in another size, if all of it is in view."""
        x, y = self.plot.x_range, self.plot.y_range
        if self._plane and self._plane.aspect and self._whole == (x.start, x.end, y.start, y.end):
            self._show_whole(self._plane)

    def _send(self, plane: Plane, rows: IntArray) -> None:
        """Give the browser some of the points."""

        def nothing() -> list[str]:
            return [""] * len(rows)  # for each column its own: one of them is patched

        self.points.selected.indices = []
        self.points.data = {
            "x": plane.x[rows],
            "y": plane.y[rows],
            "label": self._labels[rows],
            "row": rows,
            "class": [plane.classes[row] for row in rows],
            "name": [f"{plane.names[row]}," for row in rows] if plane.names else nothing(),
            "marks": [plane.marks[row] for row in rows] if plane.marks else nothing(),
            "links": nothing(),
            "why": nothing(),
            "picture": [plane.pictures[row] for row in rows] if plane.pictures else nothing(),
        }

    @property
    def rows(self) -> IntArray:
        """(m,) the points that the browser has; of very many, those in view if they are few."""
        return np.asarray(self.points.data["row"], dtype=np.int64)

    def say(self, column: Literal["links", "why"], words: Sequence[str]) -> None:
        """Let tooltips say something of each point; nothing where there are too many points."""
        if len(words) == len(self.points.data[column]):
            self._patch(column, np.array(words, dtype=object))

    def _patch(self, column: str, values: NDArray[Any]) -> None:
        """Send the rows of a column that differ, or the whole column if most of them do.

        An edit changes the words of two points, and the browser takes up as many rows as come.
        """
        before = np.asarray(self.points.data[column], dtype=values.dtype)
        rows = np.flatnonzero(before != values)
        if len(rows) > len(values) // 4:
            whole = values.tolist() if values.dtype == object else values
            self.points.patch({column: [(slice(len(values)), whole)]})
        elif len(rows):
            changes = zip(rows.tolist(), values[rows].tolist(), strict=True)
            self.points.patch({column: list(changes)})

    def show_clusters(self, frame: Coloring, by_class: bool = False) -> None:
        """Colour the points that changed, and move the centres."""
        said = _TOOLTIP.replace("<b>@label{custom}</b>", "") if by_class else _TOOLTIP
        if self._plane is not None and self._plane.pictures:
            said = said.replace("<div>@links", f"{_PICTURE}<div>@links")
        self._hover.tooltips = said  # Bokeh escapes the values
        labels = frame.labels.astype(np.int32)
        changed = not np.array_equal(labels, self._labels)
        self._labels = labels
        if self.is_dense:
            if changed or not (self._density.is_drawn or len(self.rows)):
                self._redraw()
        elif changed:
            self._patch("label", labels)
        if len(frame.centers) != len(self._centers.data["x"]):
            self._size_centers(len(frame.centers))
        if changed and len(self._areas.data["xs"]):
            self._areas.patch({"label": [(slice(len(labels)), labels)]})
        refill(
            self._centers,
            x=frame.centers[:, 0],
            y=frame.centers[:, 1],
            label=frame.center_labels,
        )

    def _redraw(self) -> None:
        """Make the picture of very many points in view, or show the points themselves."""
        if self._plane is None or not self.is_dense:
            return
        plane, screen = self._plane, self.screen
        seen = in_view(plane.x, plane.y, screen)
        few = np.count_nonzero(seen) <= DENSE_FROM
        if few or len(self.rows):
            self._send(plane, np.flatnonzero(seen) if few else np.arange(0))
        if few:
            self._density.clear()
            return
        colors = [self._mapper.low_color, *cluster_colors(int(self._labels.max()) + 1)]
        self._density.show(plane.x, plane.y, self.labels + 1, colors, screen)

    @property
    def labels(self) -> IntArray:
        """(n,) colours shown now, -1 for none."""
        return self._labels.astype(np.int64)

    def show_key(self, rows: Sequence[dict[str, str]]) -> None:
        """Take the words and colours that the legend of a picture has."""
        kept = [each for each in self.plot.tags if isinstance(each, str)]
        if self.plot.tags != [*kept, *rows]:
            self.plot.tags = [*kept, *rows]

    def show_links(self, must: Lines, cannot: Lines, drawn: str = "all") -> None:
        """Draw links; broken ones get a glow. Thousands are a picture, and some of the broken ones.

        `drawn`: How, a value of `ccviz.views.frames.links.LINKS_DRAWN`.
        """
        self.plot.tags = [drawn, *(each for each in self.plot.tags if not isinstance(each, str))]
        if len(must.x0) + len(cannot.x0) > MOST_LINES:
            if drawn in ("all", "faded", "price"):
                self._crowd.show(must, cannot, drawn, self._link_colors, self.screen)
            else:
                self._crowd.clear()
            must, cannot = (
                some_of(each, np.ones(len(each.x0), bool) if drawn == "near" else each.broken)
                for each in (must, cannot)
            )
        else:
            self._crowd.clear()
        for kind, frame in (("must", must), ("cannot", cannot)):
            refill(
                self._lines[kind],
                x0=frame.x0, y0=frame.y0, x1=frame.x1, y1=frame.y1,
                width=widths(frame, drawn),
                alpha=opacity(frame, drawn),
                name=list(frame.names),
            )  # fmt: skip
        columns = {
            end: np.concatenate([getattr(f, end)[f.broken] for f in (must, cannot)])
            for end in _ENDS
        }
        seen = 0.0 if drawn == "near" else _GLOW
        refill(self._broken, **columns, alpha=np.full(len(columns["x0"]), seen))

    def show_neighbors(self, plane: Plane, pairs: IntArray) -> None:
        """Draw thin lines between neighbours; of very many some are drawn."""
        ends = ends_of(pairs[rows_of(len(pairs), MOST_LINES)], plane)
        refill(self._near, **dict(zip(_ENDS, ends, strict=True)))

    def show_path(self, plane: Plane, points: Sequence[int]) -> None:
        """Light up a chain of points, joined in their order."""
        refill(self._path, **_places(plane, points))

    def show_picked(self, plane: Plane, points: Sequence[int]) -> None:
        """Put a ring around points that wait for their link."""
        refill(self._picked, **_places(plane, points))

    def show_held(self, plane: Plane, points: Sequence[int]) -> None:
        """Put a dashed ring around the group that was put aside."""
        refill(self._held, **_places(plane, points))

    def show_set(self, plane: Plane, points: Sequence[int], odd: Sequence[int]) -> None:
        """Number the points of a question over a set, and cross out those that do not belong."""
        numbers = [str(place + 1) for place in range(len(points))]
        refill(self._asked, **_places(plane, points), number=numbers)
        refill(self._odd, **_places(plane, odd))

    def paint(self, active: bool) -> None:
        """Leave the mouse to the brush, or give it back to the tools that drag."""
        # The tools themselves must stay: Bokeh does not forget a tool that was taken away.
        self.plot.toolbar.active_drag = None if active else self.plot.select_one(PanTool)

    def show_blank(self) -> None:
        """Show an empty sheet: no points, links or centres."""
        self._crowd.clear()
        for source in (self._centers, *self._lines.values(), self._broken, self._path):
            source.data = {name: [] for name in source.data}

    def show_wet(self, points: FloatArray, color: str, size: float) -> None:
        """Show the stroke under way."""
        self._wet_glyph.glyph.update(fill_color=color, fill_alpha=0.6, size=size)
        refill(self._wet, x=points[:, 0], y=points[:, 1])


def _places(plane: Plane, points: Sequence[int]) -> dict[str, FloatArray]:
    index = list(points)
    return {"x": plane.x[index], "y": plane.y[index]}


def _empty(*names: str) -> ColumnDataSource:
    return ColumnDataSource({name: [] for name in names})


def _about(ends: tuple[float, float], span: float) -> tuple[float, float]:
    """Return the ends of a part of an axis with the same middle."""
    middle = (ends[0] + ends[1]) / 2.0
    return middle - span / 2.0, middle + span / 2.0


def _show_all(axis: Range1d, whole: tuple[float, float]) -> None:
    """Show the whole of an axis; the wheel leads neither far past it nor into nothing.

    The bounds come first: the browser takes one change after another, and holds start and end
    within the bounds that it has.
    """
    (low, high), span = whole, whole[1] - whole[0]
    axis.update(
        bounds=(low - span, high + span), min_interval=span / _DEEPEST_ZOOM, start=low, end=high
    )
