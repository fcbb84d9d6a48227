"""Progress of the questions: a line above the plot."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.views.lab.asking import PAIR, SEVERAL, Asking, AskState
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.question_set import QuestionSetPanel

_SHOWN = Markup(
    "<br>The colours are the clusters that your answers make likely, not those of the run. "
    "<b>Ask me</b> again, or Esc, gives those of the run back."
)


class AskButton(pn.viewable.Viewer):
    """*Ask me*, and the same again to stop."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._button = pn.widgets.Button(
            name="Ask me", icon=icons.LAMP, margin=(0, 0, 0, 3), css_classes=["bar"],
            description=Tooltip(content="Which points belong together? (A)", position="top"),
        )  # fmt: skip
        self._button.on_click(lambda _: in_one_message(session.ask)())
        session.asking.param.watch(self._follow, "active")

    def __panel__(self) -> Any:
        return self._button

    def _follow(self, event: Any) -> None:
        self._button.button_type = "primary" if event.new else "default"


class QuestionProgress(pn.viewable.Viewer):
    """Questions so far, pairs implied for free, the agreement; and when it is enough, why.

    Beside it stands the choice what a question is about, and below it the question over a set.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._asking = session.asking
        self._html = Html("", sizing_mode="stretch_width", margin=(2, 4, 4, 4))
        self._size = pn.widgets.RadioButtonGroup(
            name="Points of a question", options={"Pairs": PAIR, "Five points": SEVERAL},
            value=session.asking.size, margin=(0, 4, 4, 0), css_classes=["bar"],
        )  # fmt: skip
        self._size.param.watch(lambda event: in_one_message(session.ask_about)(event.new), "value")
        line = pn.Row(
            self._html, self._size, sizing_mode="stretch_width", margin=0, css_classes=["wraps"]
        )
        self._all = pn.Column(
            line, QuestionSetPanel(session), sizing_mode="stretch_width", margin=0, visible=False
        )
        session.asking.param.watch(self._follow, ["active", "asked"])
        session.asking.param.watch(self._on_size, "size")

    def __panel__(self) -> Any:
        return self._all

    def _follow(self, *_: Any) -> None:
        self._html.object = words(self._asking)
        self._all.visible = self._asking.active

    def _on_size(self, event: Any) -> None:
        if event.new in self._size.options.values():
            self._size.value = event.new


def words(asking: Asking) -> Markup:
    """Return the state of the questions in words.

    Parameters
    ----------
    asking : Asking
    """
    asked = asking.asked
    told = "Working out the next question…" if asked is None else _state(asked)
    # Five points take the room of this sentence.
    shown = "" if asking.several else _SHOWN
    return Markup('<div class="asking" role="status">{}{}</div>').format(told, shown)


def _state(asked: AskState) -> Markup:
    facts = [f"{count(asked.questions, 'question')} so far", f"{asked.implied:,} implied for free"]
    if asked.ari is not None:
        facts.append(f"ARI {asked.ari:.3f}")
    line = Markup("<b>{}</b>").format(" · ".join(facts))
    why = asked.enough
    return line if asked.points else line + Markup(" — {}").format(why[:1].upper() + why[1:])
