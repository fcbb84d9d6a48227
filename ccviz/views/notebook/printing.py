"""Pictures for print: what is styled for the browser, as Matplotlib draws it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import holoviews as hv
import matplotlib as mpl
from holoviews.core.options import Store
from matplotlib import pyplot as plt

from ccviz.errors import CcvizError
from ccviz.system import write_file

FORMATS = ("pdf", "png", "svg")
_COLUMN_IN, _PAGE_IN = 3.4, 6.9
_HEIGHT = 0.75  # of its width, each picture
_GAPS = {"hspace": 0.3, "vspace": 0.3}
_DOT = 0.6  # a point of the browser's pictures, in those of a column's width
STYLE: Any = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7,
    "ytick.labelsize": 7, "legend.fontsize": 7, "axes.linewidth": 0.6, "xtick.major.width": 0.6,
    "ytick.major.width": 0.6, "axes.grid": False, "legend.frameon": False,
    "axes.formatter.useoffset": False,
    "pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "ccviz",
}  # fmt: skip
"""Small type, thin lines, and text that stays text in PDF and SVG."""

_MARKERS = {
    "circle": "o", "square": "s", "circle_dot": "o", "diamond": "D", "star": "*", "x": "X",
    "inverted_triangle": "v", "cross": "P",
}  # fmt: skip
_LINES = {"dashed": "--", "dotted": ":", "solid": "-"}
_AXES = (
    "xaxis", "yaxis", "invert_yaxis", "logy", "ylim", "xlim", "clim", "yformatter", "show_legend",
    "interpolation", "xlabel", "ylabel", "yticks",
)  # fmt: skip


def save(picture: Any, path: Path, width: float | None, dpi: int) -> None:
    """Write a picture; see `ccviz.views.notebook.plots.Figure.save`.

    Raises `CcvizError` if the format is not one of `FORMATS`, or the file cannot be written.
    """
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise CcvizError(f"{path.name!r}: pictures are saved as {', '.join(FORMATS)}.")
    rows, columns = picture.shape if isinstance(picture, hv.Layout) else (1, 1)
    wide = width or min(_COLUMN_IN * columns, _PAGE_IN)
    drawn = BytesIO()
    with _matplotlib(), mpl.rc_context(STYLE):
        figure = hv.renderer("matplotlib").get_plot(printed(picture)).state
        figure.set_size_inches(wide, _HEIGHT * wide / columns * rows)
        if columns * rows == 1:
            figure.tight_layout()
        date = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(kind)
        figure.savefig(drawn, format=kind, dpi=dpi, metadata=date, bbox_inches="tight")
        plt.close(figure)
    write_file(path, drawn.getvalue())


@contextmanager
def _matplotlib() -> Iterator[None]:
    """Let HoloViews draw by Matplotlib for a while."""
    before = Store.current_backend
    Store.set_current_backend("matplotlib")
    try:
        yield
    finally:
        Store.set_current_backend(before)


def printed(picture: Any) -> Any:
    """Return a picture with the options of Matplotlib, taken from those of Bokeh."""
    if isinstance(picture, hv.Layout):
        beside = hv.Layout([printed(each) for each in picture]).cols(picture.shape[1])
        return beside.opts(title="", sublabel_format="", backend="matplotlib", **_GAPS)
    if isinstance(picture, hv.Overlay):
        over = hv.Overlay([printed(each) for each in picture])
        return _with_options(over, _axes(picture) | {"legend_position": "best"})
    return _with_options(picture, _axes(picture) | _style(picture, _given(picture, "style")))


def _axes(part: Any) -> dict[str, Any]:
    given = _given(part, "plot")
    aspect = "equal" if isinstance(part, hv.Image) else "auto"
    return {name: given[name] for name in _AXES if name in given} | {"aspect": aspect}


def _with_options(part: Any, options: dict[str, Any]) -> Any:
    """Return a part with those options that Matplotlib has for it."""
    groups = Store.options(backend="matplotlib")[type(part).__name__].groups.values()
    allowed = {name for group in groups for name in group.allowed_keywords}
    kept = {name: value for name, value in options.items() if name in allowed}
    return part.opts(**kept, backend="matplotlib")


def _given(part: Any, kind: str) -> dict[str, Any]:
    return dict(Store.lookup_options("bokeh", part, kind).kwargs)


def _style(part: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the style of an element in Matplotlib's words."""
    style: dict[str, Any] = {
        name: given[name] for name in ("color", "alpha", "cmap") if name in given
    }
    if not isinstance(style.get("color", ""), str | hv.dim):
        del style["color"]  # a cycle of Bokeh's
    if isinstance(style.get("cmap"), dict):
        style["color"] = hv.dim(style["color"]).categorize(style.pop("cmap"))
    if isinstance(part, hv.Points):
        return style | _points(part, given)
    if isinstance(part, hv.Image):
        return style
    style["linewidth"] = _DOT * given.get("line_width", 1)
    style["linestyle"] = _LINES.get(given.get("line_dash", "solid"), "-")
    return style


def _points(part: Any, given: dict[str, Any]) -> dict[str, Any]:
    size = given.get("size", 4)
    if size in [str(each) for each in part.vdims]:
        size = hv.dim(size)
    return {
        "marker": _MARKERS.get(given.get("marker", "circle"), "o"),
        "s": (_DOT * size) ** 2,
        "linewidth": 0.3,
        "edgecolors": given.get("line_color", "white"),
    }
