"""The buttons that appear at the pointer once two points, or a group, are picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bokeh.models import Div, Row
from markupsafe import escape

from ccviz.views.lab.picker import Screen
from ccviz.views.link_table import Kind
from ccviz.views.panels.floating import (
    GAP_PX,
    HIDDEN,
    SHOWN,
    anchor,
    button,
    frame,
    move,
    spot,
)

_TITLE = (
    ":host { font: 12px var(--font, sans-serif); color: var(--faint, #5b6876); margin: 0 2px 4px; }"
)
_ASIDE = {
    "left": f"{GAP_PX}px", "top": f"{GAP_PX}px", "center": "0",
    "right": f"-{GAP_PX}px", "bottom": f"-{GAP_PX}px",
}  # fmt: skip
"""Distance to its point, in pixels: Bokeh measures margins from the upper left in any case."""

_NARROW_PX = 340
"""Width of a plot in which no corner of the frame is sure to have room: that of a phone."""

_ON_A_PHONE = (288, 136)
"""Size of the frame there, in pixels, with buttons for fingers."""


class LinkPopup:
    """A small frame in the plot with a button for each kind of link.

    Parameters
    ----------
    on_link : callable
        Called with ``"must"`` or ``"cannot"``.
    on_hold : callable
        Puts the group aside.
    on_cancel : callable
    """

    def __init__(
        self,
        on_link: Callable[[Kind], None],
        on_hold: Callable[[], None],
        on_cancel: Callable[[], None],
    ) -> None:
        self._title = Div(text="", stylesheets=[_TITLE])
        buttons = [
            button("Must-link (M)", "link-must", lambda: on_link("must")),
            button("Cannot-link (C)", "link-cannot", lambda: on_link("cannot")),
            button("Hold (H)", "link-hold", on_hold),
            button("Esc", "link-cancel", on_cancel),
        ]
        self.model = frame(self._title, Row(*buttons[:2], spacing=4), Row(*buttons[2:], spacing=4))

    def show(
        self,
        points: Sequence[int],
        held: Sequence[int],
        at: tuple[float, float],
        screen: Screen,
        beside: tuple[float, float] | None = None,
        names: Sequence[str] = (),
    ) -> None:
        """Appear beside a place of the plot, where there is room.

        Parameters
        ----------
        points, held : sequence of int
            What is picked, and what was put aside before.
        at : (float, float)
            The place, on the axes.
        screen : Screen
        beside : (float, float), optional
            Another place, which stays in sight.
        names : sequence of str
            Of all points; empty where they have none.
        """
        words = _words(points, names) + (f" against {_words(held, names)}" if held else "")
        self._title.text = str(escape(words))
        if screen.width < _NARROW_PX:
            move(self.model, spot(at, screen, beside or at, _ON_A_PHONE))
            self.model.update(anchor="top_left", styles=SHOWN | {"margin": "0"})
            return
        vertical, horizontal = anchor(at, screen, beside)
        move(self.model, at)
        self.model.update(
            anchor=f"{vertical}_{horizontal}",
            styles=SHOWN | {"margin": f"{_ASIDE[vertical]} 0 0 {_ASIDE[horizontal]}"},
        )

    def hide(self) -> None:
        """Disappear."""
        self.model.styles = HIDDEN


def _words(points: Sequence[int], names: Sequence[str]) -> str:
    if len(points) > 2:
        return f"{len(points)} points"
    if names:
        return " and ".join(names[point] for point in points)
    return f"point{'s' * (len(points) - 1)} {' and '.join(map(str, points))}"
