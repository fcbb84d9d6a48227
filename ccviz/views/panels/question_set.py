"""The question over a set, above the plot: its points as buttons, their features, the answers."""

from __future__ import annotations

from typing import Any

import param
from panel.custom import JSComponent

from ccviz.numbers import number
from ccviz.views.frames.question import SetQuestion, set_question
from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template


class QuestionSetPanel(JSComponent):
    """Which of these points do not belong with the others? Visible while sets are asked about.

    Parameters
    ----------
    session : Session
    """

    shown = param.Dict(default={"points": [], "features": []})
    odd = param.List(default=[])
    waits = param.Boolean(default=False, doc="For the next question, which is worked out.")

    _esm = with_template("question_set.js")
    _stylesheets = [css("question_set.css")]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, visible=False, **params)
        self._session = session
        asking = session.asking
        asking.param.watch(self._follow, ["active", "asked", "size"])
        asking.param.watch(self._mark, "odd")

    def _follow(self, *_: Any) -> None:
        """Show the question; while the next one is worked out, the last one stays in place."""
        asking = self._session.asking
        if asking.several:
            self.shown = content(set_question(self._session.draft.data, asking.points))
        waits = asking.active and asking.asked is None
        self.param.update(odd=[], waits=waits, visible=asking.several or (waits and self.visible))

    def _mark(self, *_: Any) -> None:
        asking = self._session.asking
        self.odd = [asking.points.index(point) for point in asking.odd]

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "mark":
            session.mark_odd(int(message["place"]))
        elif what == "answer":
            session.answer_set()
        elif what == "unsure":
            session.unsure()
        elif what == "undo":
            session.undo()
        else:
            session.asking.stop()


def content(question: SetQuestion) -> dict[str, Any]:
    """Return a set as the page shows it.

    Parameters
    ----------
    question : SetQuestion

    Returns
    -------
    dict
    """
    return {
        "features": list(question.features),
        "points": [
            {
                "name": name,
                "values": [number(value) for value in values.tolist()],
                "picture": picture,
            }
            for name, values, picture in zip(
                question.names,
                question.values,
                question.pictures or [""] * len(question.names),
                strict=True,
            )
        ],
    }
