"""Progress of the questions: a line above the plot."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.views.lab.asking import Asking, AskState
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

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
    """Questions so far, pairs implied for free, the agreement; and when it is enough, why."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._asking = session.asking
        self._html = Html("", sizing_mode="stretch_width", margin=(2, 4, 4, 4), visible=False)
        session.asking.param.watch(self._follow, ["active", "asked"])

    def __panel__(self) -> Any:
        return self._html

    def _follow(self, *_: Any) -> None:
        self._html.object = words(self._asking)
        self._html.visible = self._asking.active


def words(asking: Asking) -> Markup:
    """Return the state of the questions in words.

    Parameters
    ----------
    asking : Asking
    """
    asked = asking.asked
    told = "Working out the next question…" if asked is None else _state(asked)
    return Markup('<div class="asking" role="status">{}{}</div>').format(told, _SHOWN)


def _state(asked: AskState) -> Markup:
    facts = [f"{count(asked.questions, 'question')} so far", f"{asked.implied:,} implied for free"]
    if asked.ari is not None:
        facts.append(f"ARI {asked.ari:.3f}")
    line = Markup("<b>{}</b>").format(" · ".join(facts))
    why = asked.enough
    return line if asked.pair else line + Markup(" — {}").format(why[:1].upper() + why[1:])
