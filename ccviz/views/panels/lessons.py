"""The choice of lessons, and the lesson at hand over the problem and the plot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

import panel as pn
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.runner import Runner
from ccviz.views.lab.session import Session
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import TABS, Course, Step, name_of
from ccviz.views.lessons.written import (
    FROM_FILE,
    MOST_BYTES,
    SUFFIX,
    LessonTable,
    Script,
    ScriptStep,
    as_file,
    as_word,
    lesson_of,
    named_tables,
    of_file,
    script,
    step_here,
    with_table,
)
from ccviz.views.panels.base import (
    WIDE,
    FileButton,
    FileField,
    Following,
    Html,
    Panel,
    about,
    in_one_message,
    watches,
)
from ccviz.views.panels.share import Texts, if_here, page_address
from ccviz.views.share.address import HIDEABLE
from ccviz.views.share.kept import Kind

# --------------------------------------------------------------------------------------------------
# A lesson is written on the page: each step takes the problem and the settings as they are.


OWN = "Write or open a lesson…"
"""What the list of lessons calls the form."""

_ABOUT = Markup(
    '<h2>Your own lesson</h2><p class="about">Set the page up as a step needs it (data, links, '
    "solver, settings), write what to do, and add the step.</p>"
)
_OPENS = "Opens the page with the lesson."
_KEEPS = f"{_OPENS} The server keeps it, as the tab Share says."
_HIDE = Markup('<p class="about">Students do not see what is pressed here:</p>')
_STEPS = Markup('<ol class="steps">{}</ol>')
_ASKS = Markup("<br><b>{}</b> {}")
_ANSWERS = Markup('<p class="about">{}</p>')
_IN_CLASS = (
    "With the teacher's token you see below each step who answered what, and the runs of the class."
)
_ALONE = (
    "This server keeps no answers: ccviz app --class --teacher-token WORD starts one that shows "
    "the teacher names, answers and runs below each step."
)
_STEP_EDITOR = Markup("<li>{}{}{}</li>")


class LessonEditor(Panel):
    """The form of a lesson.

    `page`: Returns the address of the page without a query. `keep`: Has the server keep a lesson
    with tables, see `AddressPanel.keep`; None if it keeps nothing.
    """

    def __init__(
        self, session: Session, course: Course, page: Callable[[], str],
        keep: Callable[[Kind, str, bytes], str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._session, self._course, self._page, self._keep = session, course, page, keep
        self._steps: tuple[ScriptStep, ...] = ()
        self._tables: tuple[LessonTable, ...] = ()
        text, area, button = pn.widgets.TextInput, pn.widgets.TextAreaInput, pn.widgets.Button
        self._title = text(name="Title", max_length=120, **WIDE)
        self._aim = text(name="Aim: what is understood in the end", **WIDE)
        self._text = area(name="What to do, and why", rows=2, max_length=2000, **WIDE)
        self._shows = area(name="What it shows, once it is done", rows=2, max_length=2000, **WIDE)
        self._question = text(name="A question to the class (optional)", **WIDE)
        self._answers = text(
            name="Its right answer | wrong ones to choose from (optional)",
            max_length=1000,
            placeholder="149, or: There is one | There is none",
            **WIDE,
        )
        self._tab = pn.widgets.Select(name="Where to look", options=["", *TABS], **WIDE)
        self._runs = pn.widgets.Select(
            name="Done by a run", options={"yes": True, "no": False}, **WIDE
        )
        self._hide = pn.widgets.CheckButtonGroup(
            name="Hide in the address", options=list(HIDEABLE), **WIDE
        )
        self._listed = Html("", margin=(0, 4), sizing_mode="stretch_width", name="steps")
        self._address = Texts(sizing_mode="stretch_width", margin=(2, 4))
        actions = (
            ("Add this step", self._add), ("Take step away:", self._take_away),
            ("Try it", self._try), ("Make the address", self._make_address), ("Close", self.close),
        )  # fmt: skip
        buttons = [button(name=name, margin=(2, 4)) for name, _ in actions]
        for each, (_, action) in zip(buttons, actions, strict=True):
            each.on_click(in_one_message(partial(self._do, action)))
        save = FileButton(session, "Save to a file", self._download, margin=(2, 4))
        self._open = FileField(
            self._take_file, label="Drop a lesson, or choose one", most_bytes=MOST_BYTES,
            sizing_mode="stretch_width", margin=(2, 4),
        )  # fmt: skip
        self._which = pn.widgets.Select(
            name="Step to take away",
            options=[],
            width=60,
            margin=(2, 4),
            css_classes=["unlabelled"],
        )
        self._buttons = pn.FlexBox(*buttons[:2], self._which, *buttons[2:], save, margin=0)
        self._box = pn.Column(
            Html(_ABOUT, margin=(0, 4), sizing_mode="stretch_width"), visible=False,
            sizing_mode="stretch_width", css_classes=["section"],
            # The layout around it takes no heed of a greatest height.
            margin=(0, 0, 8, 0), styles={"max-height": "min(280px, 34vh)", "overflow-y": "auto"},
        )  # fmt: skip
        self._show_steps()

    def open(self) -> None:
        """Leave the lesson that is on, and show the form."""
        self._course.begin(None)
        if len(self._box) == 1:  # its fields go to the browser when it is first shown
            row: Any = {"sizing_mode": "stretch_width", "margin": 0, "css_classes": ["wraps"]}
            person = self._session.person
            answers = _IN_CLASS if person.in_class or person.is_teacher else _ALONE
            self._box.extend([
                self._buttons, self._address,
                pn.Row(self._title, self._aim, **row),
                pn.Row(self._text, self._shows, **row),
                pn.Row(self._tab, self._runs, **row),
                pn.Row(self._question, self._answers, **row),
                Html(_ANSWERS.format(answers), margin=(0, 4), sizing_mode="stretch_width"),
                self._listed,
                Html(_HIDE, margin=(0, 4)), self._hide, self._open,
            ])  # fmt: skip
        self._box.visible = True

    def close(self) -> None:
        """Put the form away; what was written stays in it."""
        self._box.visible = False

    def _do(self, action: Callable[[], None], _: Any) -> None:
        with self._session.reporting_errors():
            action()

    def _written(self) -> Script:
        return script(self._title.value, self._aim.value, self._steps, self._tables)

    def _add(self) -> None:
        tables, own = with_table(self._tables, self._session.draft.data)
        made = step_here(
            self._session, self._text.value, own, shows=self._shows.value, tab=self._tab.value,
            run=self._runs.value, question=self._question.value,
            answers=tuple(filter(None, map(str.strip, self._answers.value.split("|")))),
        )  # fmt: skip
        self._steps, self._tables = (*self._steps, made), tables
        for field in (self._text, self._shows, self._question, self._answers):
            field.value = ""
        self._show_steps()

    def _take_away(self) -> None:
        gone = self._which.value
        self._steps = tuple(each for at, each in enumerate(self._steps, 1) if at != gone)
        self._tables = named_tables(self._tables, (each.query for each in self._steps))
        self._show_steps()

    def _try(self) -> None:
        lesson = lesson_of(self._written())
        self.close()
        self._course.begin(lesson)

    def _make_address(self) -> None:
        written, page = self._written(), self._page()
        if self._keep and written.tables:
            address, line = self._keep("lesson", written.title, as_file(written)), _KEEPS
        else:
            address = f"{page}?{urlencode({'lesson': as_word(written)})}"
            line = f"{_OPENS}{if_here(page)}"
        if self._hide.value:
            address += f"&hide={','.join(self._hide.value)}"
        block = {"title": "Address", "about": line, "text": address, "sound": True}
        self._address.blocks = [block]

    def _download(self) -> DownloadRequest:
        written = self._written()
        return DownloadRequest(
            f"{name_of(written.title) or 'lesson'}{SUFFIX}", "application/json", as_file,
            (written,), at_once=True,
        )  # fmt: skip

    def _take_file(self, _name: str, content: bytes) -> None:
        with self._session.reporting_errors():
            written = of_file(content)
            self._steps, self._tables = written.steps, written.tables
            self._title.value, self._aim.value = written.title, written.aim
            self._show_steps()

    def _show_steps(self) -> None:
        items = (
            _STEP_EDITOR.format(
                each.text, f" ({each.tab})" if each.tab else "",
                _ASKS.format(each.question, " | ".join(each.answers)) if each.question else "",
            )
            for each in self._steps
        )  # fmt: skip
        places = [*range(1, len(self._steps) + 1)]
        self._which.param.update(options=places, value=places[-1] if places else None)
        self._address.blocks = []
        held = f", {count(len(self._tables), 'table')} in the file" if self._tables else ""
        steps = count(len(self._steps), "step") + held
        listed = _STEPS.format(Markup().join(items)) if self._steps else Markup()
        self._listed.object = about(steps) + listed


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


class LessonChoice(Panel):
    """Which lesson.

    `write`: Opens the form in which a lesson is written.
    """

    def __init__(self, course: Course, write: Callable[[], None]) -> None:
        super().__init__()
        self._course, self._write, self._following = course, write, Following()
        self._box = pn.widgets.Select(
            name="Lesson", options=[_NONE, *_BY_TITLE, OWN], margin=(6, 4),
            styles={"flex": "0 1 290px", "min-width": "0"},
            css_classes=["lesson-choice", "unlabelled"],
        )  # fmt: skip
        self._following.hear(self._box, self._choose)
        self.follow(course=course)
        self._on_lesson()

    def _choose(self, title: str) -> None:
        if title == OWN:
            self._on_lesson()
            self._write()
        else:
            self._course.begin(_BY_TITLE.get(title))

    @watches("course.lesson")
    def _on_lesson(self, *_: Any) -> None:
        lesson = self._course.lesson
        own = [lesson.title] if lesson and lesson.title not in _BY_TITLE else []
        with self._following:
            self._box.options = [_NONE, *own, *_BY_TITLE, OWN]
            self._box.value = lesson.title if lesson else _NONE


class LessonPanel(Panel):
    """A lesson's step: its text, its finding, and the button of the next step."""

    def __init__(self, course: Course, runner: Runner, *below: Any) -> None:
        super().__init__()
        self._course, self._runner = course, runner
        self._showing: Step | None = None
        self._heading = Html("", styles={"flex": "1 1 260px"}, margin=(0, 4))
        self._text = Html("", sizing_mode="stretch_width", margin=(0, 4))
        self._show = pn.widgets.Button(name="Show me", **_BUTTON)
        self._next = pn.widgets.Button(name="Next", button_type="primary", **_BUTTON)
        self._leave = pn.widgets.Button(name="Leave", **_BUTTON)
        self._send = pn.widgets.Toggle(name="Address", **_BUTTON)
        self._address = Texts(sizing_mode="stretch_width", margin=(0, 4), visible=False)
        self._send.param.watch(lambda event: self._address.param.update(visible=event.new), "value")
        self._show.on_click(lambda _: in_one_message(self._show_how)())
        self._next.on_click(lambda _: in_one_message(course.go_on)())
        self._leave.on_click(lambda _: in_one_message(course.begin)(None))
        head = pn.Row(
            self._heading, pn.Row(self._show, self._next, self._send, self._leave, margin=0),
            sizing_mode="stretch_width", margin=0, css_classes=["wraps"],
        )  # fmt: skip
        self._box = pn.Column(
            head, self._address, self._text, *below, sizing_mode="stretch_width",
            css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip
        self.follow(course=course, runner=runner)
        self._refresh()
        self._say_address()

    @watches("course.lesson", "course.at", "course.finding", "course.sketch")
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

    @watches("course.lesson")
    def _say_address(self, *_: Any) -> None:
        """Offer the address of the lesson to a teacher, unless no address holds it."""
        lesson, page = self._course.lesson, page_address()
        self._send.value = False
        word = "" if lesson is None else lesson.word or lesson.name
        self._send.visible = word not in ("", FROM_FILE)
        if self._send.visible:
            text = f"{page}?{urlencode({'lesson': word})}"
            about = f"{_OPENS}{if_here(page)}"
            block = {"title": "For your class", "about": about, "text": text, "sound": True}
            self._address.blocks = [block]

    def _show_how(self) -> None:
        self._showing = self._course.step
        self._course.show()

    @watches("runner.state")
    def _show_me(self, *_: Any) -> None:
        """Allow *Show me* unless the step is done, or its run goes: it would begin again."""
        goes = self._runner.state in ("queued", "running") and self._showing is self._course.step
        self._show.disabled = bool(self._course.finding) or goes
