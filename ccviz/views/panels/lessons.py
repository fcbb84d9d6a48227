"""The choice of lessons, and the lesson at hand over the problem and the plot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.lab.runner import Runner
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course, Step
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.panels.lesson_editor import OWN
from ccviz.views.panels.messages import in_one_message

_NONE = "Lessons…"
_BUTTON: Any = {"width": 84, "margin": 2}
_BY_TITLE = {lesson.title: lesson for lesson in LESSONS}

_HEADING = Markup('<h2>{}</h2><p class="about">{}</p>')
_STEP = Markup(
    '<div class="lesson" role="status"><div>'
    "<p><b>Step {at} of {many}.</b> {text}{look}</p>{finding}</div>{sketch}</div>"
)
_LOOK = Markup(' <span class="about">Where to look: {}</span>')
_FINDING = Markup('<p class="finding">{}</p>')


class LessonChoice(pn.viewable.Viewer):
    """Which lesson.

    Parameters
    ----------
    course : Course
    write : callable
        Opens the form in which a lesson is written.
    """

    def __init__(self, course: Course, write: Callable[[], None]) -> None:
        super().__init__()
        self._course, self._write, self._following = course, write, Following()
        self._choice = pn.widgets.Select(
            name="Lesson", options=[_NONE, *_BY_TITLE, OWN], margin=(6, 4),
            styles={"flex": "0 1 290px", "min-width": "0"},
            css_classes=["lesson-choice", "unlabelled"],
        )  # fmt: skip
        self._choice.param.watch(
            self._following.unless(lambda event: self._choose(event.new)), "value"
        )
        course.param.watch(self._follow, "lesson")
        self._follow()

    def __panel__(self) -> Any:
        return self._choice

    def _choose(self, title: str) -> None:
        if title == OWN:
            self._follow()
            self._write()
        else:
            self._course.begin(_BY_TITLE.get(title))

    def _follow(self, *_: Any) -> None:
        lesson = self._course.lesson
        own = [lesson.title] if lesson and lesson.title not in _BY_TITLE else []
        with self._following:
            self._choice.options = [_NONE, *own, *_BY_TITLE, OWN]
            self._choice.value = lesson.title if lesson else _NONE


class LessonPanel(pn.viewable.Viewer):
    """A lesson's step: its text, its finding, and the button of the next step.

    Parameters
    ----------
    course : Course
    runner : Runner
        Of the session.
    *below : viewable
        Shown under the step.
    """

    def __init__(self, course: Course, runner: Runner, *below: Any) -> None:
        super().__init__()
        self._course, self._runner = course, runner
        self._showing: Step | None = None
        self._heading = Html("", styles={"flex": "1 1 260px"}, margin=(0, 4))
        self._text = Html("", sizing_mode="stretch_width", margin=(0, 4))
        self._show = pn.widgets.Button(name="Show me", **_BUTTON)
        self._next = pn.widgets.Button(name="Next", button_type="primary", **_BUTTON)
        self._leave = pn.widgets.Button(name="Leave", **_BUTTON)
        self._show.on_click(lambda _: in_one_message(self._show_how)())
        self._next.on_click(lambda _: in_one_message(course.go_on)())
        self._leave.on_click(lambda _: in_one_message(course.begin)(None))
        head = pn.Row(
            self._heading, pn.Row(self._show, self._next, self._leave, margin=0),
            sizing_mode="stretch_width", margin=0, css_classes=["wraps"],
        )  # fmt: skip
        self._box = pn.Column(
            head, self._text, *below, sizing_mode="stretch_width", css_classes=["section"],
            margin=(0, 0, 8, 0),
        )  # fmt: skip
        course.param.watch(self._refresh, ["lesson", "at", "finding", "sketch"])
        runner.param.watch(self._show_me, "state")
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
        self._heading.object = _HEADING.format(course.lesson.title, course.lesson.aim)
        self._text.object = _STEP.format(
            at=course.at + 1, many=many, text=step.text, finding=finding, sketch=course.sketch,
            look=_LOOK.format(step.tab) if step.tab else "",
        )  # fmt: skip
        self._show_me()
        self._next.disabled = not course.finding
        self._next.name = "Finish" if course.is_last else "Next"

    def _show_how(self) -> None:
        self._showing = self._course.step
        self._course.show()

    def _show_me(self, *_: Any) -> None:
        """Allow *Show me* unless the step is done, or its run goes: it would begin again."""
        goes = self._runner.state in ("queued", "running") and self._showing is self._course.step
        self._show.disabled = bool(self._course.finding) or goes
