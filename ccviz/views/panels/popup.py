"""The buttons that appear at the pointer once two points, or a group, are picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from bokeh.models import XY, Button, Column, Div, Row, UIElement
from bokeh.models import Panel as BokehPanel
from markupsafe import Markup, escape

from ccviz.active.oracles.question import Difference
from ccviz.arrays import FloatArray
from ccviz.numbers import number
from ccviz.views.frames.scatter import Question
from ccviz.views.lab.state import Screen
from ccviz.views.link_table import Kind
from ccviz.views.panels.base import css, in_one_message

# --- What floats over the plot beside a point: its frame, its buttons, and where it has room ------


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

    `beside` (float, float): Another place, from which the frame turns away if it would cover it.
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

    `at`, `beside` (float, float): Two places, of which both stay in sight where that can be.
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
    """Return a button of such a frame."""
    button = Button(label=label, name=name, stylesheets=[_BUTTON])
    button.on_click(in_one_message(on_click))
    return button


def frame(*rows: UIElement) -> BokehPanel:
    """Return a frame for the plot, which is hidden at first.

    `rows`: Contents from top to bottom.
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

    `to` (float, float): On the axes.
    """
    frame.position.update(x=to[0], y=to[1])


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


class _Popup:
    """A frame in the plot, which can be hidden."""

    model: BokehPanel

    def hide(self) -> None:
        """Disappear."""
        self.model.styles = HIDDEN


class LinkPopup(_Popup):
    """A small frame in the plot with a button for each kind of link.

    `on_link`: Called with ``"must"`` or ``"cannot"``. `on_hold`: Puts the group aside.
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

        `points`, `held`: What is picked, and what was put aside before. `at` (float, float): The
        place, on the axes. `beside` (float, float): Another place, which stays in sight.
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


def _words(points: Sequence[int], names: Sequence[str]) -> str:
    if len(points) > 2:
        return f"{len(points)} points"
    if names:
        return " and ".join(names[point] for point in points)
    return f"point{'s' * (len(points) - 1)} {' and '.join(map(str, points))}"


# --- The question in the plot: two points, their pictures and differences, and the answers --------


_TEXT = css("question_popup.css")
_WIDTH_PX = 358
_ROW_PX = 20
_ROWS_FROM_PX = 138
_PICTURES_PX = 232

_ROW = Markup(
    "<tr><th>{feature}</th><td>{one}</td><td>{two}</td><td>"
    '<svg class="track" viewBox="0 0 60 12" width="60" height="12" aria-hidden="true">'
    '<line x1="6" x2="54" y1="6" y2="6"/><circle cx="{at}" cy="6" r="4"/>'
    '<circle class="two" cx="{there}" cy="6" r="4"/></svg></td></tr>'
)
_TABLE = Markup(
    "<table><thead><tr><th>differ most in</th><th>{}</th><th>{}</th><td></td></tr></thead>"
    "<tbody>{}</tbody></table>"
)
_PICTURE = Markup(
    '<figure><svg viewBox="0 0 {columns} {rows}" role="img" aria-label="{name}" '
    'shape-rendering="crispEdges">{pixels}</svg>{name}</figure>'
)
_INK = Markup('<rect x="{}" y="{}" width="1" height="1" fill="currentColor" opacity="{:.2f}"/>')


class QuestionPopup(_Popup):
    """A frame in the plot that asks about two points.

    `on_link`: Called with ``"must"`` or ``"cannot"``.
    """

    def __init__(
        self,
        on_link: Callable[[Kind], None],
        on_unsure: Callable[[], None],
        on_undo: Callable[[], None],
        on_enough: Callable[[], None],
    ) -> None:
        self._text = Div(text="", stylesheets=[_TEXT])
        answers = [
            button("Together (M)", "ask-must", lambda: on_link("must")),
            button("Apart (C)", "ask-cannot", lambda: on_link("cannot")),
            button("Unsure (U)", "ask-unsure", on_unsure),
        ]
        ways = [
            button("Undo (Z)", "ask-undo", on_undo),
            button("Enough (Esc)", "ask-enough", on_enough),
        ]
        self.model = frame(self._text, Row(*answers, spacing=4), Row(*ways, spacing=4))

    def show(
        self,
        question: Question,
        at: tuple[float, float],
        beside: tuple[float, float],
        screen: Screen,
    ) -> None:
        """Appear beside the point in question.

        `at`, `beside` (float, float): Its two points, on the axes.
        """
        self._text.text = str(_question_words(question))
        rows = len(question.differences)
        height = _PICTURES_PX if question.pictures else _ROWS_FROM_PX + _ROW_PX * rows
        height += _ROW_PX * bool(question.cost)
        move(self.model, spot(at, screen, beside, (_WIDTH_PX, height)))
        self.model.styles = SHOWN


def _question_words(question: Question) -> Markup:
    title = Markup("<p>Do {} and {} belong together?</p>").format(*question.names)
    if question.cost:
        title += Markup('<p class="cost">{}</p>').format(question.cost)
    if question.pictures:
        both = zip(question.pictures, question.names, strict=True)
        shown = Markup().join(_picture(pixels, name) for pixels, name in both)
        return title + Markup('<div class="pictures">{}</div>').format(shown)
    if not question.differences:
        return title + Markup("<div>They do not differ in any feature.</div>")
    rows = Markup().join(map(_row, question.differences))
    return title + _TABLE.format(*question.pair, rows)


def _row(each: Difference) -> Markup:
    at, there = (6 + 48 * place for place in each.places)
    return _ROW.format(
        feature=each.feature, one=number(each.one), two=number(each.two), at=at, there=there
    )


def _picture(pixels: FloatArray, name: str) -> Markup:
    rows, columns = pixels.shape
    ink = zip(*np.nonzero(pixels > 0.01), strict=True)
    return _PICTURE.format(
        rows=rows,
        columns=columns,
        name=name,
        pixels=Markup().join(_INK.format(x, y, pixels[y, x]) for y, x in ink),
    )
