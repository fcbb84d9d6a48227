"""The question of a lesson's step: students answer it, and the teacher sees the class."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.data.cells import PLAIN_CSV
from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.runs.info import RunInfo
from ccviz.views.frames.tables import run_names, run_row
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Course, is_right
from ccviz.views.lessons.written import FROM_FILE
from ccviz.views.panels.base import FileButton, Html, Panel, button, watches
from ccviz.views.panels.share import Texts, page_address
from ccviz.views.person import Person

# --- Answers of a class to the questions of lessons, kept beside the archive for the teacher ------


MOST_LETTERS = 1000
"""Letters of the longest answer."""

MOST_NAME = 60
"""Letters of the longest name."""

_MOST_A_BROWSER = 200
"""Most answers that are kept of one browser."""

_MOST_SHOWN = 500
"""Most answers to one question that the teacher is shown."""

_LONGEST = "-365 days"
"""Age at which an answer is deleted, as SQLite writes it: that of the browser's cookie."""

_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    browser TEXT, lesson TEXT, step INTEGER, name TEXT, text TEXT, given TEXT,
    PRIMARY KEY (browser, lesson, step))"""


@dataclass(frozen=True)
class Answer:
    """One answer."""

    browser: str
    name: str  # As the person gave it; empty if they gave none
    text: str
    lesson: str
    step: int
    given: str


class Answers:
    """The answers of a server.

    `path`: Of their SQLite file, which is made on first use.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def give(self, person: Person, lesson: str, step: int, name: str, text: str) -> None:
        """Keep an answer, in place of the person's earlier one to the same question.

        `name`: How the person calls themselves; may be empty. Raises `CcvizError` if it is empty or
        too long, or the person has given too many.
        """
        name, text = name.strip(), text.strip()
        if not text:
            raise CcvizError("The answer is empty.")
        if len(text) > MOST_LETTERS or len(name) > MOST_NAME:
            raise CcvizError(f"An answer has at most {MOST_LETTERS:,} letters, a name {MOST_NAME}.")
        key = (person.browser, lesson, step)
        with self._open() as file:
            (others,) = file.execute(
                "SELECT COUNT(*) FROM answers WHERE browser = ? AND NOT (lesson = ? AND step = ?)",
                key,
            ).fetchone()
            if others >= _MOST_A_BROWSER:
                raise CcvizError(f"At most {_MOST_A_BROWSER} answers of one browser are kept.")
            file.execute("DELETE FROM answers WHERE given < datetime('now', ?)", (_LONGEST,))
            file.execute(
                "REPLACE INTO answers VALUES (?, ?, ?, ?, ?, datetime('now'))", (*key, name, text)
            )

    def to(self, lesson: str, step: int) -> list[Answer]:
        """Return the answers to a question, the newest first."""
        return self._read(
            "WHERE lesson = ? AND step = ? ORDER BY given DESC, rowid DESC LIMIT ?",
            (lesson, step, _MOST_SHOWN),
        )

    def names(self) -> dict[str, str]:
        """Return the last name that each browser gave."""
        found = self._read("WHERE name != '' ORDER BY given, rowid", ())
        return {each.browser: each.name for each in found}

    def forget(self, lesson: str) -> None:
        """Delete all answers to a lesson for good."""
        with self._open() as file:
            file.execute("DELETE FROM answers WHERE lesson = ?", (lesson,))

    def as_csv(self, lesson: str) -> str:
        """Return all answers of a lesson as CSV, whose cells no spreadsheet evaluates."""
        found = self._read("WHERE lesson = ? ORDER BY step, given", (lesson,))
        rows = ((each.step, each.name, each.text, each.given) for each in found)
        return PLAIN_CSV.table([("step", "name", "answer", "given (UTC)"), *rows])

    def _read(self, which: str, values: tuple[str | int, ...]) -> list[Answer]:
        asked = f"SELECT browser, name, text, lesson, step, given FROM answers {which}"
        with self._open() as file:
            return [Answer(*row) for row in file.execute(asked, values)]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._path.exists():
                self._path.touch(mode=0o600)  # no other account of the machine reads it
            with closing(sqlite3.connect(self._path, timeout=5.0)) as file, file:
                file.execute(_TABLE)
                yield file
        except (sqlite3.Error, OSError) as broken:
            raise CcvizError(f"The answers cannot be kept: {broken}.") from None


# --- What the teacher sees of a class: who answered what, and the runs of the last day ------------


_RECENT_S = 86_400.0
_NAMELESS = "(no name)"
_CLASS = Markup(
    '<p class="about">{}</p><div class="answers" tabindex="0" role="region" aria-label="The class">'
    "<table><tr><th>Name</th><th>Answer</th><th>Right?</th><th>Runs</th><th>Newest run</th>"
    "<th>Objective</th><th>Status</th></tr>{}</table></div>"
)
_CELL, _ROW = Markup("<td>{}</td>"), Markup("<tr>{}</tr>")


def _table(given: list[Answer], names: dict[str, str], runs: list[RunInfo], right: str) -> Markup:
    """Return a class as a table: first who answered, the last answer first, then who has runs.

    `names`: Of browsers. `right`: The right answer; empty if the lesson does not say.
    """
    answers = {each.browser: each.text for each in given}
    own: dict[str, list[RunInfo]] = {}
    for info in runs:
        own.setdefault(info.owner, []).append(info)
    rows = []
    for each in list(dict.fromkeys((*answers, *own)))[:_MOST_SHOWN]:
        answer, infos = answers.get(each, ""), own.get(each, [])
        marked = ("right" if is_right(answer, right) else "not yet") if answer and right else ""
        cells = [names.get(each, _NAMELESS), answer or "–", marked, f"{len(infos):,}", *"–––"]
        for newest in infos[:1]:
            cells[4:] = run_row(newest, name=run_names([newest])[newest.id]).cells[:3]
        rows.append(_ROW.format(Markup().join(map(_CELL.format, cells))))
    words = f"{count(len(answers), 'answer')}, {count(len(rows), 'student')}; runs of the last day."
    return _CLASS.format(words, Markup().join(rows))


_NO_ADDRESS = "This lesson came from a file: Make the address, in its form, gives it an address."
_FOR_CLASS = {"title": "For the class", "about": "Opens the page with this lesson."}


class ClassPanel(Panel):
    """The class at the lesson that is on, and the lesson's address; for the teacher alone."""

    def __init__(self, session: Session, course: Course, answers: Answers) -> None:
        super().__init__()
        self._session, self._course, self._answers = session, course, answers
        self._table = Html("", sizing_mode="stretch_width", margin=(0, 4), name="answers")
        self._address = Texts(sizing_mode="stretch_width", margin=(0, 4))
        look = button("Read again", self._refresh, margin=(2, 4))
        save = FileButton(session, "Answers as CSV", self._download, margin=(2, 4))
        self._drop = button("Delete answers", self._delete, margin=(2, 4))
        self._box = pn.Column(
            self._table, pn.FlexBox(look, save, self._drop, margin=0), self._address,
            sizing_mode="stretch_width", margin=0,
        )  # fmt: skip
        self.follow(session, course=course)
        self._refresh()

    @watches("course.lesson", "course.at")
    def _refresh(self, *_: Any) -> None:
        session, course, lesson = self._session, self._course, self._course.lesson
        self._box.visible, self._drop.name = lesson is not None, "Delete answers"
        if lesson is None:
            return
        sound, address = lesson.word != FROM_FILE, f"?lesson={lesson.word or lesson.name}"
        text = page_address() + address if sound else _NO_ADDRESS
        self._address.blocks = [{**_FOR_CLASS, "text": text, "sound": sound}]
        with session.reporting_errors():
            given = self._answers.to(lesson.title, course.at + 1) if course.question else []
            since, mine = time.time() - _RECENT_S, ("", session.person.browser)
            runs = [info for info in session.archive.runs() if info.created > since]
            runs = [info for info in runs if info.owner not in mine]
            right = "".join(course.answers[:1])
            self._table.object = _table(given, self._answers.names(), runs, right)

    def _delete(self) -> None:
        """Ask on the first press, and delete on the second."""
        sure = f"Delete all answers to {self._course.lesson.title}?"
        if self._drop.name != sure:
            self._drop.name = sure
            return
        with self._session.reporting_errors():
            self._answers.forget(self._course.lesson.title)
        self._refresh()

    def _download(self) -> DownloadRequest:
        lesson = self._course.lesson
        return DownloadRequest(
            f"answers-{lesson.name or 'lesson'}.csv", "text/csv", self._answers.as_csv,
            (lesson.title,), at_once=True,
        )  # fmt: skip


# --- The question of a lesson's step, and the field for an answer ---------------------------------


_QUESTION = Markup('<p class="question"><b>Question.</b> {}</p>')
_SOLUTION = Markup('<details class="question"><summary>Answer</summary>{}</details>')
_RIGHT = Markup('<p class="right" role="status">Right.</p>')
_NOT_YET = Markup('<p class="question" role="status"><b>Not yet.</b></p>')


class QuestionPanel(Panel):
    """The question, and a field for the answer: to the teacher of a class, or to oneself."""

    def __init__(self, session: Session, course: Course, answers: Answers) -> None:
        super().__init__()
        self._session, self._course, self._answers = session, course, answers
        in_class = session.person.in_class
        self._question, self._verdict = (
            Html("", sizing_mode="stretch_width", margin=(0, 4), name=name)
            for name in ("question", "verdict")
        )
        self._name = pn.widgets.TextInput(
            name="Your name", max_length=MOST_NAME, width=150, margin=(2, 4), visible=in_class
        )
        # A row's least width would be that of all its parts, although they wrap.
        room: Any = {"styles": {"flex": "1 1 220px"}, "min_width": 200, "margin": (2, 4)}
        self._text = pn.widgets.TextAreaInput(
            name="Your answer", max_length=MOST_LETTERS, rows=2, **room
        )
        self._choice = pn.widgets.Select(name="Choose an answer", **room)
        send = button("Send" if in_class else "Check", self._give, width=84, margin=(2, 4))
        self._row = pn.FlexBox(
            self._name, self._text, self._choice, send, align_items="end", margin=0
        )
        self._box = pn.Column(
            self._question, self._row, self._verdict, sizing_mode="stretch_width", margin=0
        )
        self.follow(session, course=course)
        self._refresh()

    @watches("course.lesson", "course.at")
    def _refresh(self, *_: Any) -> None:
        course, person = self._course, self._session.person
        self._box.visible = bool(course.question)
        self._verdict.object = ""
        if not course.question:
            return
        asked, answers = _QUESTION.format(course.question), course.answers
        if not (person.in_class or course.step is None or course.step.question):  # an exercise
            asked += _SOLUTION.format(course.lesson.exercises[0][1])
        self._question.object = asked
        # The teacher has the answers of others; without a teacher only a known one is of use.
        self._row.visible = not person.is_teacher and (person.in_class or bool(answers))
        self._text.visible, self._choice.visible = len(answers) < 2, len(answers) > 1
        self._text.param.update(value="", value_input="")
        self._choice.options = ["", *sorted(answers, key=str.casefold)] if len(answers) > 1 else []
        self._choice.value = "" if len(answers) > 1 else None

    def _give(self) -> None:
        session, course, answers = self._session, self._course, self._course.answers
        given = (self._text.value_input or self._text.value).strip()
        if len(answers) > 1:
            given = self._choice.value
        with session.reporting_errors():
            if session.person.in_class:
                self._answers.give(
                    session.person, course.lesson.title, course.at + 1, self._name.value, given
                )
                words = "The teacher has your answer; sending again changes it."
                session.notice = Notice("info", words)
            if answers and given:
                self._verdict.object = _RIGHT if is_right(given, answers[0]) else _NOT_YET
