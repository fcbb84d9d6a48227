"""A lesson is written on the page: each step takes the problem and the settings as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import panel as pn
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import TABS, Course, name_of
from ccviz.views.lessons.tables import LessonTable, named_tables, with_table
from ccviz.views.lessons.written import (
    MOST_BYTES,
    SUFFIX,
    Script,
    ScriptStep,
    as_file,
    as_word,
    lesson_of,
    of_file,
    script,
    step_here,
)
from ccviz.views.panels.file_button import FileButton
from ccviz.views.panels.file_field import FileField
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.share import Texts
from ccviz.views.share.hidden import HIDEABLE

OWN = "Write or open a lesson…"
"""What the list of lessons calls the form."""

_ABOUT = Markup(
    '<h2>Your own lesson</h2><p class="about">Set the page up as a step needs it (data, links, '
    "solver, settings), write what to do, and add the step.</p>"
)
_OPENS = "Opens the page with the lesson."
_HIDE = Markup('<p class="about">Hidden by the address</p>')
_STEPS = Markup('<ol class="steps">{}</ol>')
_STEP = Markup("<li>{}{}</li>")
_WIDE: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}


class LessonEditor(pn.viewable.Viewer):
    """The form of a lesson.

    Parameters
    ----------
    session : Session
    course : Course
        Where a lesson is tried.
    page : callable
        Returns the address of the page without a query.
    """

    def __init__(self, session: Session, course: Course, page: Callable[[], str]) -> None:
        super().__init__()
        self._session, self._course, self._page = session, course, page
        self._steps: tuple[ScriptStep, ...] = ()
        self._tables: tuple[LessonTable, ...] = ()
        text, area, button = pn.widgets.TextInput, pn.widgets.TextAreaInput, pn.widgets.Button
        self._title = text(name="Title", max_length=120, **_WIDE)
        self._aim = text(name="Aim: what is understood in the end", **_WIDE)
        self._text = area(name="What to do, and why", rows=2, max_length=2000, **_WIDE)
        self._shows = area(name="What it shows, once it is done", rows=2, max_length=2000, **_WIDE)
        self._question = text(name="A question to the class (optional)", **_WIDE)
        self._tab = pn.widgets.Select(name="Where to look", options=["", *TABS], **_WIDE)
        self._runs = pn.widgets.Select(
            name="Done by a run", options={"yes": True, "no": False}, **_WIDE
        )
        self._hide = pn.widgets.CheckButtonGroup(
            name="Hide in the address", options=list(HIDEABLE), **_WIDE
        )
        self._listed = Html("", margin=(0, 4), sizing_mode="stretch_width", name="steps")
        self._address = Texts(sizing_mode="stretch_width", margin=(2, 4))
        actions = (
            ("Add this step", self._add), ("Take the last away", self._take_away),
            ("Try it", self._try), ("Make the address", self._make_address), ("Close", self.close),
        )  # fmt: skip
        buttons = [button(name=name, margin=(2, 4)) for name, _ in actions]
        for each, (_, action) in zip(buttons, actions, strict=True):
            each.on_click(lambda _, act=action: in_one_message(self._in_words)(act))
        save = FileButton(session, "Save to a file", self._download, margin=(2, 4))
        self._open = FileField(
            self._take_file, label="Drop a lesson, or choose one", most_bytes=MOST_BYTES,
            sizing_mode="stretch_width", margin=(2, 4),
        )  # fmt: skip
        self._buttons = pn.FlexBox(*buttons, save, margin=0)
        self._box = pn.Column(
            Html(_ABOUT, margin=(0, 4), sizing_mode="stretch_width"), visible=False,
            sizing_mode="stretch_width", css_classes=["section"],
            margin=(0, 0, 8, 0), max_height=240, scroll="y-auto",
        )  # fmt: skip
        self._show_steps()

    def __panel__(self) -> Any:
        return self._box

    def open(self) -> None:
        """Leave the lesson that is on, and show the form."""
        self._course.begin(None)
        if len(self._box) == 1:  # its fields go to the browser when it is first shown
            self._box.extend(self._fields())
        self._box.visible = True

    def _fields(self) -> list[Any]:
        row: Any = {"sizing_mode": "stretch_width", "margin": 0, "css_classes": ["wraps"]}
        return [
            self._buttons,
            pn.Row(self._title, self._aim, **row),
            pn.Row(self._text, self._shows, **row),
            pn.Row(self._tab, self._runs, self._question, **row),
            self._listed, self._address,
            Html(_HIDE, margin=(0, 4)), self._hide, self._open,
        ]  # fmt: skip

    def close(self) -> None:
        """Put the form away; what was written stays in it."""
        self._box.visible = False

    def _in_words(self, action: Callable[[], None]) -> None:
        with self._session.in_words():
            action()

    def _written(self) -> Script:
        return script(self._title.value, self._aim.value, self._steps, self._tables)

    def _add(self) -> None:
        tables, own = with_table(self._tables, self._session.draft.data)
        made = step_here(
            self._session, self._text.value, own, shows=self._shows.value, tab=self._tab.value,
            run=self._runs.value, question=self._question.value,
        )  # fmt: skip
        self._steps, self._tables = (*self._steps, made), tables
        for field in (self._text, self._shows, self._question):
            field.value = ""
        self._show_steps()

    def _take_away(self) -> None:
        self._steps = self._steps[:-1]
        self._tables = named_tables(self._tables, (each.query for each in self._steps))
        self._show_steps()

    def _try(self) -> None:
        lesson = lesson_of(self._written())
        self.close()
        self._course.begin(lesson)

    def _make_address(self) -> None:
        asked = {"lesson": as_word(self._written())}
        if self._hide.value:
            asked["hide"] = ",".join(self._hide.value)
        address = f"{self._page()}?{urlencode(asked, safe=',')}"
        block = {"title": "Address", "about": _OPENS, "text": address, "sound": True}
        self._address.blocks = [block]

    def _download(self) -> DownloadRequest:
        written = self._written()
        return DownloadRequest(
            f"{name_of(written.title) or 'lesson'}{SUFFIX}", "application/json", as_file,
            (written,), at_once=True,
        )  # fmt: skip

    def _take_file(self, _name: str, content: bytes) -> None:
        with self._session.in_words():
            written = of_file(content)
            self._steps, self._tables = written.steps, written.tables
            self._title.value, self._aim.value = written.title, written.aim
            self._show_steps()

    def _show_steps(self) -> None:
        items = (
            _STEP.format(each.text, f" ({each.tab})" if each.tab else "") for each in self._steps
        )
        self._address.blocks = []
        held = f", {count(len(self._tables), 'table')} in the file" if self._tables else ""
        steps = count(len(self._steps), "step") + held
        told = _STEPS.format(Markup().join(items)) if self._steps else Markup()
        self._listed.object = Markup('<p class="about">{}</p>').format(steps) + told
