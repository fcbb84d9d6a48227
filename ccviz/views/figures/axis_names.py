"""The names at the axes of a plot: as they are given, and no longer than the axes."""

from __future__ import annotations

from typing import Any

from bokeh.models import PlainText

from ccviz.views.figures.base import frame_size

_LETTER = 0.58
"""Mean width of a letter as a share of the size of the words."""

_FEWEST = 4
"""Letters that stay of a name on the shortest axis."""


class AxisNames:
    """The names of a plot, which end in … while they are longer than their axes.

    Parameters
    ----------
    plot : bokeh figure
    """

    def __init__(self, plot: Any) -> None:
        self._plot, self._names = plot, ("", "")
        for size in ("inner_width", "inner_height"):
            plot.on_change(size, lambda attr, old, new: self._write())

    def show(self, across: str, up: str) -> None:
        """Write other names.

        Parameters
        ----------
        across, up : str
        """
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
    """Return a name with at most that many letters.

    Parameters
    ----------
    name : str
    most : int
    """
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"
