"""What all figures share: no toolbar logo, an empty frame, colours of the page's theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.core.property.descriptors import UnsetValueError
from bokeh.models import (
    BasicTickFormatter,
    ColumnDataSource,
    CustomAction,
    CustomJS,
    CustomJSTickFormatter,
    HoverTool,
    LinearColorMapper,
    LogColorMapper,
    NoOverlap,
    Range1d,
    Title,
)
from bokeh.plotting import figure

from ccviz.views.palette import DARK, LIGHT, Look, cluster_colors

_PICTURE = Path(__file__).with_name("picture.js").read_text("utf-8")
_ICON = (
    "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' "
    "fill='none' stroke='gray' stroke-width='2'><path d='M12 3v11m-4-4 4 4 4-4M4 20h16'/></svg>"
)


# Lines of bounds keep their colours, which are also those of clusters.
_IN_LIGHT = {
    getattr(DARK, each): getattr(LIGHT, each)
    for each in ("ink", "faint", "grid", "paper", "unassigned", "must_link", "cannot_link",
                 "broken", "mark")
}  # fmt: skip
"""The colours of a dark page, with those of a light one, in which pictures are on white."""


_MOST_COLORS = 256
_GROUPED = """
if (tick !== 0 && (Math.abs(tick) < 1e-4 || Math.abs(tick) >= 1e12)) return tick.toPrecision(3)
const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(tick) || 1
const digits = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step) - 1e-9)))
return tick.toLocaleString("en", {maximumFractionDigits: digits + 1}).replace("-", "−")
"""
"""Writes the ticks of an axis in digits, with thousands grouped."""

_TOOLBAR = """.bk-tool-overflow { color: var(--faint, gray); }
.bk-divider { background: var(--line, lightgray); }
:host(.bk-inner) { background: var(--paper, white); }"""


def plain_figure(name: str, tools: str = "pan,wheel_zoom,box_zoom,reset", **kwargs: Any) -> Any:
    """Return an empty figure that fills its place, and can be saved as a picture.

    Its tools are over the frame, and visible while the mouse is there: they take no room. Numbers
    at the axes that would overlap are left out. WebGL is off: its marker buffers go stale after a
    patch.
    """
    plot = figure(
        name=name,
        tools=tools,
        active_scroll="wheel_zoom" if "wheel_zoom" in tools else None,
        sizing_mode="stretch_both",
        min_height=120,
        output_backend="canvas",
        toolbar_location="above",
        toolbar_inner=True,
        html_attributes={"role": "figure", "aria-label": name.replace("-", " ")},
        **kwargs,
    )
    for axis in plot.axis:
        axis.major_label_policy = NoOverlap()
        if isinstance(axis.formatter, BasicTickFormatter):
            axis.formatter = CustomJSTickFormatter(code=_GROUPED)
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    plot.toolbar.stylesheets = [_TOOLBAR]
    # The browser draws the picture, so that it works without a server. Entries of a figure's tags
    # that are dicts of ``words`` and ``color`` are a legend over it.
    callback = CustomJS(args={"plot": plot, "light": _IN_LIGHT}, code=_PICTURE)
    plot.add_tools(CustomAction(description="Figure…", icon=_ICON, callback=callback))
    return plot


def tip(*rows: tuple[str, str]) -> str:
    """Return a tooltip in the page's colours; Bokeh's own has fixed ones.

    `rows` (name, value): The value in the words of Bokeh: ``@field``, which Bokeh escapes.
    """
    cells = "".join(
        f'<span style="color:var(--faint,gray);text-align:right">{name}</span><span>{value}</span>'
        for name, value in rows
    )
    grid = "display:grid;grid-template-columns:auto 1fr;gap:1px 8px;font-size:12px"
    return f'<div style="{grid}">{cells}</div>'


def frame_size(plot: Any, unmeasured: tuple[int, int] = (600, 450)) -> tuple[float, float]:
    """Return width and height of a plot's frame in pixels, once the browser has measured them."""
    try:
        return plot.inner_width or unmeasured[0], plot.inner_height or unmeasured[1]
    except UnsetValueError:
        return unmeasured


def cluster_mapper() -> LinearColorMapper:
    """Return what gives clusters their colours, and -1 the low one.

    It has the same colours for every k: a browser that is sent other ones together with new
    labels may draw the new labels in the old colours.
    """
    return LinearColorMapper(
        palette=cluster_colors(_MOST_COLORS), low=-0.5, high=_MOST_COLORS - 0.5
    )


def apply_theme(plot: Any, look: Look) -> None:
    """Give a figure the colours of the page's theme."""
    plot.update(
        background_fill_color=look.paper,
        border_fill_color=look.paper,
        border_line_color=None,
        outline_line_color=look.grid,
    )
    for axis in plot.axis:
        axis.update(
            axis_line_color=look.grid,
            major_tick_line_color=look.grid,
            minor_tick_line_color=None,
            major_label_text_color=look.faint,
            axis_label_text_color=look.faint,
            axis_label_text_font_style="normal",
            axis_label_text_font_size=f"{look.text}px",
            major_label_text_font_size=f"{look.text - 1}px",
        )
    plot.grid.grid_line_color = look.grid
    for legend in plot.legend:
        legend.update(
            background_fill_color=look.paper,
            background_fill_alpha=0.85,
            border_line_color=None,
            label_text_color=look.ink,
            label_text_font_size=f"{look.text}px",
        )


def add_corners(plot: Any, source: ColumnDataSource) -> Any:
    """Add invisible points, from columns x and y, and return what draws them.

    A range that follows them includes these corners, independent of the other glyphs.
    """
    return plot.scatter("x", "y", size=1, alpha=0.0, source=source)


def stand_on_zero(plot: Any, drawn: list[Any], top: float) -> None:
    """Let the vertical axis begin at 0 and go up to ``top`` at least, even where all is 0."""
    room = add_corners(plot, ColumnDataSource({"x": [0.0, 0.0], "y": [0.0, top]}))
    plot.x_range.renderers = drawn
    plot.y_range.update(start=0, tags=["fixed"], renderers=[*drawn, room])


def legend_above(plot: Any) -> None:
    """Put the legend over the frame, in one line, where it hides nothing."""
    plot.legend.update(orientation="horizontal", padding=0, margin=4)
    plot.add_layout(plot.legend[0], "above")


def refill(source: ColumnDataSource, **columns: Any) -> None:
    """Replace a source's columns, but only if they differ: an unchanged plot is not sent again."""
    if set(columns) == set(source.data) and all(
        _same(source.data[name], values) for name, values in columns.items()
    ):
        return
    source.data = columns


def _same(old: Any, new: Any) -> bool:
    if isinstance(new, np.ndarray) and new.dtype.kind == "f":
        return np.array_equal(np.asarray(old, dtype=float), new, equal_nan=True)
    return np.array_equal(old, new)


# --- Bringing a data source up to date with the smallest message ----------------------------------


_MOST_PATCHED = 0.3


def sync(source: ColumnDataSource, columns: Mapping[str, np.ndarray]) -> None:
    """Make a source hold these columns: patch changed rows, stream new ones.

    Where much of it changed, or rows are gone, everything is sent again. A source that holds the
    columns already sends nothing.

    `source`: With the same columns, empty at first.
    """
    old_length = len(next(iter(source.data.values())))
    new_length = len(next(iter(columns.values())))
    if new_length < old_length or old_length == 0:
        if old_length or new_length:
            source.data = dict(columns)
        return
    changed = {
        name: np.flatnonzero(_differs(np.asarray(source.data[name]), column[:old_length]))
        for name, column in columns.items()
    }
    if sum(map(len, changed.values())) > _MOST_PATCHED * old_length * len(columns):
        source.data = dict(columns)
        return
    patches = {
        name: list(zip(rows.tolist(), columns[name][rows].tolist(), strict=True))
        for name, rows in changed.items()
        if len(rows)
    }
    if patches:
        source.patch(patches)
    if new_length > old_length:
        source.stream({name: column[old_length:] for name, column in columns.items()})


def _differs(old: np.ndarray, new: np.ndarray) -> Any:
    if new.dtype.kind == "f":
        return (old != new) & ~(np.isnan(old.astype(float)) & np.isnan(new))
    return old != new


# --- Lines over a common axis: what several figures of a solver's progress share ------------------


@dataclass(frozen=True)
class Series:
    """A line: the frame's field, words for the legend, a colour's name in `Look`, its dash."""

    field: str
    words: str
    color: str
    dash: str = "solid"


class SeriesFigure:
    """Draws some fields of a frame over another.

    `log`: Whether the vertical axis is logarithmic. `tooltips`: What hovering shows, as Bokeh has
    it. `extra`: Fields that are drawn by a subclass, or shown by the tooltips only.
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
        self._lines = {
            each: self.plot.line(
                x, each.field, source=self.source, line_width=2, line_dash=each.dash,
                legend_label=each.words,
            )
            for each in series
        }  # fmt: skip
        if series:
            self.plot.legend.visible = len(series) > 1
            self.plot.legend.click_policy = "hide"
            legend_above(self.plot)
        if tooltips:
            lines = list(self._lines.values())
            self.plot.add_tools(
                HoverTool(renderers=lines[:1], mode="vline", tooltips=tip(*tooltips))
            )
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        for each, line in self._lines.items():
            line.glyph.line_color = getattr(look, each.color)

    def show(self, frame: Any) -> None:
        """Draw a frame; what has only grown is streamed."""
        sync(self.source, columns_of(frame, self._fields))


def columns_of(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return some fields of a frame as columns; nothing in them without a frame."""
    return {name: np.empty(0) if frame is None else getattr(frame, name) for name in names}


def empty(*names: str) -> ColumnDataSource:
    """Return a source with these columns, and nothing in them."""
    return ColumnDataSource(columns_of(None, names))


# --- An image of rows and columns -----------------------------------------------------------------


class ImageFigure:
    """Draws an image, the first row on top, each row and column one unit wide.

    `mapper`: Gives values their colours. `tooltips`: What hovering shows, as Bokeh has it; nothing
    by default.
    """

    def __init__(
        self,
        name: str,
        mapper: LinearColorMapper | LogColorMapper,
        tooltips: Sequence[tuple[str, str]] = (),
        **about: Any,
    ) -> None:
        self.plot = plain_figure(name, x_range=Range1d(0, 1), y_range=Range1d(1, 0), **about)
        self._tiles = ColumnDataSource({"image": [], "width": [], "height": []})
        self._mapper = mapper
        drawn = self.plot.image(
            "image", x=0, y=0, dw="width", dh="height", source=self._tiles, color_mapper=mapper
        )
        self.plot.grid.visible = False
        self._title = Title(text="", align="left", text_font_size="12px")
        if tooltips:
            self.plot.add_layout(self._title, "above")
            self.plot.add_tools(HoverTool(renderers=[drawn], tooltips=tooltips))

    def _put(self, image: np.ndarray | None, rows: int = 0, columns: int = 0) -> bool:
        """Draw an image, or nothing; return whether it has another size than before."""
        if image is None:
            refill(self._tiles, image=[], width=[], height=[])
            return False
        across, down = self.plot.x_range, self.plot.y_range
        resized = bool((across.reset_end, down.reset_start) != (columns, rows))
        if resized:
            for axis, start, end in ((across, 0, columns), (down, rows, 0)):
                axis.update(start=start, end=end, reset_start=start, reset_end=end)
        refill(self._tiles, image=[image], width=[columns], height=[rows])
        return resized
