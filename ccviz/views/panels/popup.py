"""The buttons that appear at the pointer once two points, or a group, are picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import product
from typing import NamedTuple

from bokeh.models import XY, Button, Column, Div, Row
from bokeh.models import Panel as BokehPanel

from ccviz.views.draft import Kind
from ccviz.views.lab.picker import Screen
from ccviz.views.panels.commit import held

_FRAME = """
:host { background: var(--paper, #fff); border: 1px solid var(--line, #dfe5ec); border-radius: 8px;
  padding: 6px 8px; color: var(--ink, #1d2733);
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.18); }
"""
_BUTTON = """
.bk-btn { border-radius: 6px; border: 1px solid var(--line, #dfe5ec);
  background: var(--paper, #fff); color: var(--ink, #1d2733);
  font: 550 13px var(--font, sans-serif); padding: 4px 9px; }
.bk-btn:hover, .bk-btn:focus-visible { border-color: var(--accent, #0b62a4);
  color: var(--accent, #0b62a4); }
"""
_TITLE = (
    ":host { font: 12px var(--font, sans-serif); color: var(--faint, #5b6876); margin: 0 2px 4px; }"
)
# Not the property `visible`: Bokeh attaches an invisible panel to the plot only much later.
_SHOWN = {"z-index": "10", "visibility": "visible"}
_GAP_PX = 14
_ASIDE = {
    "left": f"{_GAP_PX}px", "top": f"{_GAP_PX}px", "center": "0",
    "right": f"-{_GAP_PX}px", "bottom": f"-{_GAP_PX}px",
}  # fmt: skip
"""How far it stands from its point: Bokeh counts margins from the upper left in any case."""

_SIZE_PX = (296, 108)
"""A little more than the frame takes."""

_RING_PX = 12
_CORNERS = (("top", "bottom"), ("left", "center", "right"))

_HIDDEN = {"z-index": "10", "visibility": "hidden"}


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
            _button("Must-link (M)", "link-must", lambda: on_link("must")),
            _button("Cannot-link (C)", "link-cannot", lambda: on_link("cannot")),
            _button("Hold (H)", "link-hold", on_hold),
            _button("Esc", "link-cancel", on_cancel),
        ]
        self.model = BokehPanel(
            elements=[
                Column(self._title, Row(*buttons[:2], spacing=4), Row(*buttons[2:], spacing=4))
            ],
            position=XY(x=0, y=0),
            anchor="top_left",
            stylesheets=[_FRAME],
            styles=_HIDDEN,
        )

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
        self._title.text = escape(words)
        vertical, horizontal = anchor(at, screen, beside)
        self.model.update(
            position=XY(x=at[0], y=at[1]),
            anchor=f"{vertical}_{horizontal}",
            styles=_SHOWN | {"margin": f"{_ASIDE[vertical]} 0 0 {_ASIDE[horizontal]}"},
        )

    def hide(self) -> None:
        """Disappear."""
        self.model.styles = _HIDDEN


def anchor(
    at: tuple[float, float], screen: Screen, beside: tuple[float, float] | None = None
) -> tuple[str, str]:
    """Return which corner of the frame is at a place: it opens to where there is more room.

    Parameters
    ----------
    at : (float, float)
    screen : Screen
    beside : (float, float), optional
        Another place, from which the frame turns away if it would cover it.

    Returns
    -------
    vertical : {"top", "bottom"}
    horizontal : {"left", "center", "right"}
    """
    vertical = "top" if at[1] > sum(screen.y_range) / 2 else "bottom"
    left, right = screen.x_range
    share = (at[0] - left) / (right - left)
    horizontal = "left" if share < 1 / 3 else "center" if share < 2 / 3 else "right"
    usual = (vertical, horizontal)
    if beside is None:
        return usual
    here, there = _pixels(at, screen), _pixels(beside, screen)
    boxes = {corner: _box(corner, here) for corner in (usual, *product(*_CORNERS))}
    free = (corner for corner, box in boxes.items()
            if box.within(screen) and not box.covers(there))  # fmt: skip
    return next(free, usual)


class _Box(NamedTuple):
    """A frame on the screen, in pixels to the right and down."""

    left: float
    top: float

    def within(self, screen: Screen) -> bool:
        width, height = _SIZE_PX
        return 0 <= self.left <= screen.width - width and 0 <= self.top <= screen.height - height

    def covers(self, place: tuple[float, float]) -> bool:
        """Whether a place is under the frame, or so close that its ring is."""
        width, height = _SIZE_PX
        return (
            -_RING_PX < place[0] - self.left < width + _RING_PX
            and -_RING_PX < place[1] - self.top < height + _RING_PX
        )


def _box(corner: tuple[str, str], at: tuple[float, float]) -> _Box:
    (width, height), (vertical, horizontal) = _SIZE_PX, corner
    aside = {"left": _GAP_PX, "center": -width / 2, "right": -width - _GAP_PX}
    down = {"top": _GAP_PX, "bottom": -height - _GAP_PX}
    return _Box(at[0] + aside[horizontal], at[1] + down[vertical])


def _pixels(place: tuple[float, float], screen: Screen) -> tuple[float, float]:
    x, y = screen.pixels_per_unit
    return (place[0] - screen.x_range[0]) * x, (screen.y_range[1] - place[1]) * y


def _words(points: Sequence[int], names: Sequence[str]) -> str:
    if len(points) > 2:
        return f"{len(points)} points"
    if names:
        return " and ".join(names[point] for point in points)
    return f"point{'s' * (len(points) - 1)} {' and '.join(map(str, points))}"


def _button(label: str, name: str, on_click: Callable[[], None]) -> Button:
    button = Button(label=label, name=name, stylesheets=[_BUTTON])
    button.on_click(held(on_click))
    return button
