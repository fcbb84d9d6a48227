"""The lesson at hand, on top of the left rail."""

from __future__ import annotations

from html import escape
from typing import Any

import panel as pn

from ccviz.views.lessons import LESSONS, Course
from ccviz.views.panels.commit import held
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.session import Session

_NONE = "Lessons…"
_BY_TITLE = {lesson.title: lesson for lesson in LESSONS}


class LessonPanel(pn.viewable.Viewer):
    """A choice of lessons; and, in one, its step, what it shows, and how to go on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._course = Course(session)
        self._following = Following()
        self._choice = pn.widgets.Select(
            name="", options=[_NONE, *_BY_TITLE], sizing_mode="stretch_width", margin=(0, 4),
            css_classes=["lesson-choice"],
        )  # fmt: skip
        self._choice.param.watch(
            self._following.unless(lambda event: self._course.begin(_BY_TITLE.get(event.new))),
            "value",
        )
        self._text = Html("", sizing_mode="stretch_width", margin=(4, 4, 0, 4))
        self._show = pn.widgets.Button(name="Show me", margin=(4, 4))
        self._next = pn.widgets.Button(name="Next", button_type="primary", margin=(4, 4))
        self._show.on_click(lambda _: held(self._course.show)())
        self._next.on_click(lambda _: held(self._course.go_on)())
        self._row = pn.Row(self._show, self._next, margin=0)
        self._course.param.watch(self._refresh, ["lesson", "at", "finding"])
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Column(
            self._choice, self._text, self._row, sizing_mode="stretch_width",
            css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip

    def _refresh(self, *_: Any) -> None:
        course, step = self._course, self._course.step
        self._text.visible = self._row.visible = step is not None
        with self._following:
            self._choice.value = course.lesson.title if course.lesson else _NONE
        if step is None:
            return
        many = len(course.lesson.steps)
        finding = f'<p class="finding">{escape(course.finding)}</p>' if course.finding else ""
        self._text.object = (
            f'<div class="lesson" role="status"><b>Step {course.at + 1} of {many}</b>'
            f"<p>{escape(step.text)}</p>{finding}</div>"
        )
        self._show.disabled = bool(course.finding)
        self._next.disabled = not course.finding
        self._next.name = "Finish" if course.is_last else "Next"
