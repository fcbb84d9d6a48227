"""The choice of lessons, and the lesson at hand over the problem and the plot."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

_NONE = "Lessons…"
_BUTTON: Any = {"width": 84, "margin": 2}
_BY_TITLE = {lesson.title: lesson for lesson in LESSONS}

_STEP = Markup(
    '<div class="lesson" role="status"><div><b>Step {at} of {many}</b><p>{text}</p>{finding}</div>'
    "{sketch}</div>"
)
_FINDING = Markup('<p class="finding">{}</p>')


class LessonChoice(pn.viewable.Viewer):
    """Which lesson."""

    def __init__(self, course: Course) -> None:
        super().__init__()
        self._course, self._following = course, Following()
        self._choice = pn.widgets.Select(
            name="Lesson", options=[_NONE, *_BY_TITLE], margin=(6, 8),
            styles={"flex": "0 1 290px", "min-width": "0"},
            css_classes=["lesson-choice", "unlabelled"],
        )  # fmt: skip
        self._choice.param.watch(
            self._following.unless(lambda event: course.begin(_BY_TITLE.get(event.new))), "value"
        )
        course.param.watch(self._follow, "lesson")

    def __panel__(self) -> Any:
        return self._choice

    def _follow(self, event: Any) -> None:
        with self._following:
            self._choice.value = event.new.title if event.new else _NONE


class LessonPanel(pn.viewable.Viewer):
    """A lesson's step: its text, its finding, and the button of the next step."""

    def __init__(self, course: Course) -> None:
        super().__init__()
        self._course = course
        self._text = Html("", sizing_mode="stretch_width", margin=(0, 4))
        self._show = pn.widgets.Button(name="Show me", **_BUTTON)
        self._next = pn.widgets.Button(name="Next", button_type="primary", **_BUTTON)
        self._leave = pn.widgets.Button(name="Leave", **_BUTTON)
        self._show.on_click(lambda _: in_one_message(course.show)())
        self._next.on_click(lambda _: in_one_message(course.go_on)())
        self._leave.on_click(lambda _: in_one_message(course.begin)(None))
        self._box = pn.Row(
            self._text, pn.Column(self._show, self._next, self._leave, margin=0),
            sizing_mode="stretch_width", css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip
        course.param.watch(self._refresh, ["lesson", "at", "finding", "sketch"])
        self._refresh()

    def __panel__(self) -> Any:
        return self._box

    def _refresh(self, *_: Any) -> None:
        course, step = self._course, self._course.step
        self._box.visible = step is not None
        if step is None:
            return
        many = len(course.lesson.steps)
        finding = _FINDING.format(course.finding) if course.finding else ""
        self._text.object = _STEP.format(
            at=course.at + 1, many=many, text=step.text, finding=finding, sketch=course.sketch
        )
        self._show.disabled = bool(course.finding)
        self._next.disabled = not course.finding
        self._next.name = "Finish" if course.is_last else "Next"
