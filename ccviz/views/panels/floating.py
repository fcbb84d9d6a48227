"""What floats over the plot beside a point: its frame, its buttons, and where it has room."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from bokeh.models import XY, Button, Column, UIElement
from bokeh.models import Panel as BokehPanel

from ccviz.views.lab.picker import Screen
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css

Size = tuple[int, int]
"""Width and height in pixels."""

FRAME = css("floating.css")
_BUTTON = css("floating_button.css")
# Not the property `visible`: Bokeh attaches an invisible panel to the plot only much later.
SHOWN = {"z-index": "10", "visibility": "visible"}
HIDDEN = {"z-index": "10", "visibility": "hidden"}
GAP_PX = 14
"""Distance to its point, in pixels."""

_RING_PX = 12
_EDGE_PX = 2.0
_CORNERS = (("top", "bottom"), ("left", "center", "right"))


def anchor(
    at: tuple[float, float],
    screen: Screen,
    beside: tuple[float, float] | None = None,
    size: Size = (296, 108),
) -> tuple[str, str]:
    """Return which corner of the frame is at a place: it opens to where there is more room.

    Parameters
    ----------
    at : (float, float)
    screen : Screen
    beside : (float, float), optional
        Another place, from which the frame turns away if it would cover it.
    size : Size
        A little more than the frame takes.

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
    boxes = {corner: _box(corner, here, size) for corner in (usual, *product(*_CORNERS))}
    free = (corner for corner, box in boxes.items()
            if box.within(screen) and not box.covers(there))  # fmt: skip
    return next(free, usual)


class _Box(NamedTuple):
    """A frame on the screen, in pixels to the right and down."""

    left: float
    top: float
    size: Size

    def within(self, screen: Screen) -> bool:
        width, height = self.size
        return 0 <= self.left <= screen.width - width and 0 <= self.top <= screen.height - height

    def covers(self, place: tuple[float, float]) -> bool:
        """Whether a place is under the frame, or so close that its ring is."""
        width, height = self.size
        return (
            -_RING_PX < place[0] - self.left < width + _RING_PX
            and -_RING_PX < place[1] - self.top < height + _RING_PX
        )

    def pushed_into(self, screen: Screen) -> _Box:
        """Return the frame within the plot, as near as can be.

        Bokeh takes away what is placed on the very edge: rounding may put it outside.
        """
        width, height = self.size
        left = max(_EDGE_PX, min(self.left, screen.width - width))
        return self._replace(left=left, top=max(_EDGE_PX, min(self.top, screen.height - height)))


def _box(corner: tuple[str, str], at: tuple[float, float], size: Size) -> _Box:
    (width, height), (vertical, horizontal) = size, corner
    aside = {"left": GAP_PX, "center": -width / 2, "right": -width - GAP_PX}
    down = {"top": GAP_PX, "bottom": -height - GAP_PX}
    return _Box(at[0] + aside[horizontal], at[1] + down[vertical], size)


def _pixels(place: tuple[float, float], screen: Screen) -> tuple[float, float]:
    x, y = screen.pixels_per_unit
    return (place[0] - screen.x_range[0]) * x, (screen.y_range[1] - place[1]) * y


def spot(
    at: tuple[float, float], screen: Screen, beside: tuple[float, float], size: Size
) -> tuple[float, float]:
    """Return where the upper left corner of a frame goes, on the axes: always within the plot.

    Parameters
    ----------
    at, beside : (float, float)
        Two places, of which both stay in sight where that can be.
    screen : Screen
    size : Size
    """
    here, there = _pixels(at, screen), _pixels(beside, screen)
    boxes = [_box(corner, here, size) for corner in (anchor(at, screen, beside, size),
                                                     *product(*_CORNERS))]  # fmt: skip
    boxes += [_box(corner, there, size) for corner in product(*_CORNERS)]
    boxes += [_Box(left, top, size) for left, top in product((0.0, screen.width),
                                                             (0.0, screen.height))]  # fmt: skip
    inside = [box.pushed_into(screen) for box in boxes]
    free = (box for box in inside if not (box.covers(here) or box.covers(there)))
    box = next(free, inside[0])
    x, y = screen.pixels_per_unit
    return screen.x_range[0] + box.left / x, screen.y_range[1] - box.top / y


def button(label: str, name: str, on_click: Callable[[], None]) -> Button:
    """Return a button of such a frame.

    Parameters
    ----------
    label, name : str
    on_click : callable
    """
    button = Button(label=label, name=name, stylesheets=[_BUTTON])
    button.on_click(in_one_message(on_click))
    return button


def frame(*rows: UIElement) -> BokehPanel:
    """Return a frame for the plot, which is hidden at first.

    Parameters
    ----------
    *rows : UIElement
        Contents from top to bottom.

    Returns
    -------
    bokeh.models.Panel
    """
    return BokehPanel(
        elements=[Column(*rows)],
        position=XY(x=0, y=0),
        anchor="top_left",
        stylesheets=[FRAME],
        styles=HIDDEN,
    )


def move(frame: BokehPanel, to: tuple[float, float]) -> None:
    """Put a frame at a place of the plot.

    Its position is changed and not replaced: for a new one Bokeh would walk through the page.

    Parameters
    ----------
    frame : bokeh.models.Panel
    to : (float, float)
        On the axes.
    """
    frame.position.update(x=to[0], y=to[1])
