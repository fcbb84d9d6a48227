"""The question in the plot: two points, their pictures and differences, and the answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bokeh.models import Div, Row
from markupsafe import Markup

from ccviz.active.differences import Difference
from ccviz.arrays import FloatArray
from ccviz.numbers import number
from ccviz.views.frames.question import Question
from ccviz.views.lab.picker import Screen
from ccviz.views.link_table import Kind
from ccviz.views.panels.floating import HIDDEN, SHOWN, button, frame, move, spot
from ccviz.views.panels.template import css

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


class QuestionPopup:
    """A frame in the plot that asks about two points.

    Parameters
    ----------
    on_link : callable
        Called with ``"must"`` or ``"cannot"``.
    on_unsure, on_undo, on_enough : callable
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

        Parameters
        ----------
        question : Question
        at, beside : (float, float)
            Its two points, on the axes.
        screen : Screen
        """
        self._text.text = str(_words(question))
        rows = len(question.differences)
        height = _PICTURES_PX if question.pictures else _ROWS_FROM_PX + _ROW_PX * rows
        height += _ROW_PX * bool(question.cost)
        move(self.model, spot(at, screen, beside, (_WIDTH_PX, height)))
        self.model.styles = SHOWN

    def hide(self) -> None:
        """Disappear."""
        self.model.styles = HIDDEN


def _words(question: Question) -> Markup:
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
