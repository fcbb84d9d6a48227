"""The question of a lesson's step: a student answers it, the teacher reads the answers."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session
from ccviz.views.lessons.answers import MOST_LETTERS, MOST_NAME, Answer, Answers
from ccviz.views.lessons.course import Course
from ccviz.views.panels.file_button import FileButton
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

_QUESTION = Markup('<p class="question"><b>Question.</b> {}</p>')
_ANSWERS = Markup(
    '<p class="about">{}</p><ul class="answers" tabindex="0" aria-label="Answers">{}</ul>'
)
_ANSWER = Markup("<li><b>{}</b> {}</li>")
_NAMELESS = "(no name)"


class ClassAnswers(pn.viewable.Viewer):
    """The question, and in a class a field for the answer, or all answers.

    Parameters
    ----------
    session : Session
    course : Course
    answers : Answers
    """

    def __init__(self, session: Session, course: Course, answers: Answers) -> None:
        super().__init__()
        self._session, self._course, self._answers = session, course, answers
        person = session.person
        self._question = Html("", sizing_mode="stretch_width", margin=(0, 4))
        self._name = pn.widgets.TextInput(
            name="Your name", max_length=MOST_NAME, width=150, margin=(2, 4)
        )
        self._text = pn.widgets.TextAreaInput(
            name="Your answer", max_length=MOST_LETTERS, rows=2, sizing_mode="stretch_width",
            min_width=220, margin=(2, 4),
        )  # fmt: skip
        self._send = pn.widgets.Button(name="Send", width=84, margin=(18, 4, 2, 4))
        self._send.on_click(lambda _: in_one_message(self._give)())
        self._given = Html("", sizing_mode="stretch_width", margin=(0, 4), name="answers")
        self._look = pn.widgets.Button(name="Read again", margin=(2, 4))
        self._look.on_click(lambda _: in_one_message(self._refresh)())
        answer = pn.Row(
            self._name, self._text, self._send, sizing_mode="stretch_width", margin=0,
            css_classes=["wraps"],
        )  # fmt: skip
        save = FileButton(session, "Answers as CSV", self._download, margin=(2, 4))
        read = pn.Column(
            self._given, pn.Row(self._look, save, margin=0), sizing_mode="stretch_width", margin=0
        )
        below = [read] if person.is_teacher else [answer] if person.in_class else []
        self._box = pn.Column(
            self._question, *below, sizing_mode="stretch_width", margin=0, visible=False
        )
        course.param.watch(self._refresh, ["lesson", "at"])
        self._refresh()

    def __panel__(self) -> Any:
        return self._box

    def _refresh(self, *_: Any) -> None:
        course = self._course
        self._box.visible = bool(course.question)
        if not course.question:
            return
        self._question.object = _QUESTION.format(course.question)
        self._text.value = ""
        if self._session.person.is_teacher:
            with self._session.in_words():
                found = self._answers.to(course.lesson.title, course.at + 1)
                self._given.object = _list(found)

    def _give(self) -> None:
        session, course = self._session, self._course
        with session.in_words():
            self._answers.give(
                session.person, course.lesson.title, course.at + 1, self._name.value,
                self._text.value_input or self._text.value,
            )  # fmt: skip
            session.notice = Notice(
                "info", "The teacher has your answer; sending again changes it."
            )

    def _download(self) -> DownloadRequest:
        lesson = self._course.lesson
        return DownloadRequest(
            f"answers-{lesson.name or 'lesson'}.csv", "text/csv", self._answers.as_csv,
            (lesson.title,), at_once=True,
        )  # fmt: skip


def _list(found: list[Answer]) -> Markup:
    items = Markup().join(_ANSWER.format(each.name or _NAMELESS, each.text) for each in found)
    return _ANSWERS.format(count(len(found), "answer"), items)
