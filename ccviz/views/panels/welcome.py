"""The three choices of the opening page: try it, take a lesson, bring your own table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.data.datasets import load
from ccviz.data.examples import EXAMPLES
from ccviz.views.lab.example import WORDS
from ccviz.views.lab.loading import load_data
from ccviz.views.lab.session import Session
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_TRY = next(iter(EXAMPLES))
"""The example problem of *Try it*: assignments, tree and both bounds move at once."""

_STYLE = css("welcome.css")
_EDITED = "Your edits go on from the example. Or begin with one of these:"


class WelcomePanel(JSComponent):
    """A strip over the page, until other data or a lesson are taken.

    It stays over the first edits: the plot below must not move while the mouse aims at a point.

    Parameters
    ----------
    session : Session
    course : Course
    look_inside : callable
        Shows what goes on inside the solver.
    """

    words = param.String(default=WORDS)

    _esm = with_template("welcome.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(
        self, session: Session, course: Course, look_inside: Callable[[], None], **params: Any
    ) -> None:
        shown = session.archive.is_in_library(session.player.run_id)
        super().__init__(
            visible=shown, sizing_mode="stretch_width", css_classes=["section"],
            margin=(0, 0, 8, 0), **params,
        )  # fmt: skip
        self._session, self._course, self._look_inside = session, course, look_inside
        self._draft, self._shut = session.draft, not shown
        session.param.watch(self._follow, "draft")
        course.param.watch(self._follow, "lesson")

    def _follow(self, *_: Any) -> None:
        session = self._session
        is_example = session.draft.data is self._draft.data and self._course.lesson is None
        self._shut = self._shut or not is_example
        self.visible = not self._shut
        self.words = WORDS if session.draft is self._draft else _EDITED

    def _handle_msg(self, data: str) -> None:
        in_one_message(self._open)(data)

    def _open(self, choice: str) -> None:
        session = self._session
        if choice == "try":
            load_data(session, load(_TRY))
            told = session.notice
            session.start()
            if session.runner.busy:
                session.notice = told
                self._look_inside()
        elif choice == "lesson":
            self._course.begin(LESSONS[0])
