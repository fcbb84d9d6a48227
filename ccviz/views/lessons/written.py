"""Lessons that people write on the page, as a word of an address or as a file.

A step holds texts and a problem in the words of an address (`ccviz.views.share.address`). Tables of
one's own are in the file (`ccviz.views.lessons.tables`). All texts are plain: nothing that a lesson
brings is ever markup.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

import msgspec

from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.numbers import number, seconds
from ccviz.problem.problem import Problem
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Lesson, Memory, Step
from ccviz.views.lessons.steps import run_step, says, step
from ccviz.views.lessons.tables import LessonTable, check_size, dataset_of, table_at
from ccviz.views.share.address import (
    MOST_CHARACTERS,
    apply_query,
    draft_of_query,
    is_word,
    query,
)

SUFFIX = ".ccvizlesson"

MOST_BYTES = 5_000_000
"""Size of the largest file of a lesson."""

_MOST_WORD_BYTES = 200_000
"""Size of the largest lesson of an address, unpacked."""

FROM_FILE = "from-file"
"""What an address says of a lesson that it does not hold."""

_Line = Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
_Text = Annotated[str, msgspec.Meta(max_length=2000)]


class ScriptStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step as it is written.

    Attributes
    ----------
    text : str
        What to do, and why.
    query : str
        The problem, the solver and the settings that the step asks for, as in an address.
    run : bool
        Whether the step is done by a run.
    shows : str
        What it has shown.
    tab : str
        Title of the tab where it is seen; empty for none.
    question : str
        What a class is asked.
    """

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
    query: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_CHARACTERS)]
    run: bool = False
    shows: _Text = ""
    tab: Literal["", "Result", "Clusters", "Inside the solver", "Bounds", "Runs", "Share"] = ""
    question: _Text = ""


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson as it is written.

    Attributes
    ----------
    title, aim : str
    steps : tuple of ScriptStep
    tables : tuple of LessonTable
        Data that no server knows by name.
    format : int
        Of the file.
    """

    title: _Line
    aim: _Text = ""
    steps: Annotated[tuple[ScriptStep, ...], msgspec.Meta(max_length=30)] = ()
    tables: Annotated[tuple[LessonTable, ...], msgspec.Meta(max_length=30)] = ()
    format: Literal[1] = 1


def step_here(session: Session, text: str, own: str = "", **more: str | bool) -> ScriptStep:
    """Return a step that asks for the problem and the settings of the page as they are.

    Parameters
    ----------
    session : Session
    text : str
    own : str
        What the lesson calls the data, if they are a table of its own.
    **more
        Of `ScriptStep`.

    Raises
    ------
    CcvizError
        If a text is missing or too long, or an address cannot hold the problem.
    """
    return _checked({"text": text.strip(), "query": query(session, own), **more}, ScriptStep)


def script(
    title: str,
    aim: str,
    steps: tuple[ScriptStep, ...],
    tables: tuple[LessonTable, ...] = (),
) -> Script:
    """Return a lesson, or raise `CcvizError` if it has no title or step, or a text is too long."""
    if not steps:
        raise CcvizError("A lesson needs a step: set the page up, write what to do, and add it.")
    if not title.strip():
        raise CcvizError("A lesson needs a title.")
    texts = {"title": title.strip(), "aim": aim.strip(), "steps": msgspec.to_builtins(steps)}
    written: Script = _checked(texts, Script)
    return msgspec.structs.replace(written, tables=tables)


def _checked(values: dict[str, object], kind: type) -> Any:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as wrong:
        raise CcvizError(f"The lesson does not take this: {wrong}.") from None


def as_file(written: Script) -> bytes:
    """Return a lesson as a file."""
    whole = msgspec.json.encode(written)
    return whole if written.tables else msgspec.json.format(whole)  # a number a line is no help


def of_file(content: bytes) -> Script:
    """Return the lesson of a file.

    Parameters
    ----------
    content : bytes

    Raises
    ------
    CcvizError
        If it holds no sound lesson.
    """
    if len(content) > MOST_BYTES:
        raise CcvizError("The lesson is too long.")
    try:
        written = msgspec.json.decode(content, type=Script)
    except (msgspec.MsgspecError, ValueError, RecursionError) as wrong:
        raise CcvizError(f"This is no sound lesson: {wrong}.") from None
    if not written.steps:
        raise CcvizError("This lesson has no steps.")
    check_size(written.tables)
    tables = tuple(map(dataset_of, written.tables))
    for each in written.steps:
        table_at(_values(each)["data"], tables)
    return written


def as_word(written: Script) -> str:
    """Return a lesson as a word for an address.

    Raises
    ------
    CcvizError
        If it is too long for one.
    """
    if written.tables:
        raise CcvizError(
            "An address does not hold the table of the lesson: save the lesson to a file instead."
        )
    packed = zlib.compress(msgspec.json.encode(written), 9)
    word = urlsafe_b64encode(packed).decode().rstrip("=")
    if len(word) > MOST_CHARACTERS:
        raise CcvizError("The lesson is too long for an address; save it to a file instead.")
    return word


def of_word(word: str) -> Script:
    """Return the lesson of a word of an address.

    Raises
    ------
    CcvizError
        If it holds no sound lesson.
    """
    unpack = zlib.decompressobj()
    try:
        packed = urlsafe_b64decode(word[:MOST_CHARACTERS] + "=" * (-len(word) % 4))
        content = unpack.decompress(packed, _MOST_WORD_BYTES)
    except (binascii.Error, ValueError, zlib.error):
        raise CcvizError("The address holds no sound lesson; it may have been cut off.") from None
    if unpack.unconsumed_tail or not unpack.eof:
        raise CcvizError("The address holds no sound lesson; it may have been cut off.")
    return of_file(content)


def _values(written: ScriptStep) -> dict[str, str]:
    """Return what a step sets, or raise `CcvizError` if it is more than a problem and settings."""
    values = dict(parse_qsl(written.query, keep_blank_values=True))
    for name in values:
        if not is_word(name):
            raise CcvizError(f"A step of a lesson may not set {name[:40]!r}.")
    if "data" not in values or "solver" not in values:
        raise CcvizError("Each step of a lesson names its data and its solver.")
    return values


@dataclass
class _Wanted:
    """The problem that a step asks for, made when it is first compared."""

    values: dict[str, str]
    own: Dataset | None
    problem: Problem | None = field(default=None)

    def missing(self, session: Session, _memory: Memory) -> str:
        """Return what differs, as a sentence; empty if nothing does."""
        if self.problem is None:
            self.problem = draft_of_query(session, self.values, self.own).problem
        if session.draft.problem.asks_the_same(self.problem):
            return ""
        return "The step asks for another problem: Show me brings it."


def lesson_of(written: Script) -> Lesson:
    """Return a lesson that can be taken.

    Parameters
    ----------
    written : Script
    """
    tables = tuple(map(dataset_of, written.tables))
    steps = tuple(_step(each, tables) for each in written.steps)
    return Lesson(written.title, steps, written.aim, word=_word(written))


def _word(written: Script) -> str:
    """Return a lesson as a word for an address; `FROM_FILE` if none can hold it."""
    try:
        return as_word(written)
    except CcvizError:
        return FROM_FILE


def _step(written: ScriptStep, tables: tuple[Dataset, ...]) -> Step:
    values = _values(written)
    own = table_at(values["data"], tables)
    wanted = _Wanted(values, own)
    tab, question = written.tab, written.question

    def act(session: Session) -> None:
        apply_query(session, values, own=own)
        if written.run:
            session.start()

    if not written.run:
        return step(
            written.text,
            act,
            says(written.shows or "Done."),
            wanted.missing,
            tab=tab,
            question=question,
        )

    def finding(session: Session, _memory: Memory) -> str:
        run = session.run
        assert run is not None
        ended = f"Objective {number(run.objective)}, {seconds(run.time_s)}."
        return f"{ended} {written.shows}".strip()

    solver = values["solver"]
    return run_step(written.text, act, finding, solver, wanted.missing, tab=tab, question=question)
