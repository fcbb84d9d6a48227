"""Answers of a class to the questions of lessons, kept beside the archive for the teacher."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ccviz.data.csv_style import PLAIN_CSV
from ccviz.errors import CcvizError
from ccviz.views.person import Person

MOST_LETTERS = 1000
"""Letters of the longest answer."""

MOST_NAME = 60
"""Letters of the longest name."""

_MOST_A_BROWSER = 200
"""Most answers that are kept of one browser."""

_MOST_SHOWN = 500
"""Most answers to one question that the teacher is shown."""

_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    browser TEXT, lesson TEXT, step INTEGER, name TEXT, text TEXT, given TEXT,
    PRIMARY KEY (browser, lesson, step))"""


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes
    ----------
    name : str
        As the person gave it; empty if they gave none.
    text : str
    lesson : str
        Title of the lesson.
    step : int
        Counted from 1.
    given : str
        When, in UTC.
    """

    name: str
    text: str
    lesson: str
    step: int
    given: str


class Answers:
    """The answers of a server.

    Parameters
    ----------
    path : path
        Of their SQLite file, which is made on first use.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def give(self, person: Person, lesson: str, step: int, name: str, text: str) -> None:
        """Keep an answer, in place of the person's earlier one to the same question.

        Parameters
        ----------
        person : Person
        lesson : str
            Title of the lesson.
        step : int
            Counted from 1.
        name : str
            How the person calls themselves; may be empty.
        text : str

        Raises
        ------
        CcvizError
            If it is empty or too long, or the person has given too many.
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
            file.execute(
                "REPLACE INTO answers VALUES (?, ?, ?, ?, ?, datetime('now'))", (*key, name, text)
            )

    def to(self, lesson: str, step: int) -> list[Answer]:
        """Return the answers to a question, the newest first.

        Parameters
        ----------
        lesson : str
        step : int
        """
        return self._read(
            "WHERE lesson = ? AND step = ? ORDER BY given DESC, rowid DESC LIMIT ?",
            (lesson, step, _MOST_SHOWN),
        )

    def as_csv(self, lesson: str) -> str:
        """Return all answers of a lesson as CSV, whose cells no spreadsheet evaluates.

        Parameters
        ----------
        lesson : str
        """
        found = self._read("WHERE lesson = ? ORDER BY step, given", (lesson,))
        rows = ((each.step, each.name, each.text, each.given) for each in found)
        return PLAIN_CSV.table([("step", "name", "answer", "given (UTC)"), *rows])

    def _read(self, which: str, values: tuple[str | int, ...]) -> list[Answer]:
        asked = f"SELECT name, text, lesson, step, given FROM answers {which}"
        with self._open() as file:
            return [Answer(*row) for row in file.execute(asked, values)]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=5.0)) as file, file:
                file.execute(_TABLE)
                yield file
        except (sqlite3.Error, OSError) as broken:
            raise CcvizError(f"The answers cannot be kept: {broken}.") from None
