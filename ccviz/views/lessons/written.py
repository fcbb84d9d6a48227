"""Lessons that people write on the page, as a word of an address or as a file.

A step holds texts and a problem in the words of an address (`ccviz.views.share.address`). Tables of
one's own are in the file. All texts are plain: nothing that a lesson brings is ever markup.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, parse_qsl

import msgspec
import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.numbers import number, seconds, whole
from ccviz.problem.problem import Problem
from ccviz.runs.file import plain
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Lesson, Memory, Step
from ccviz.views.lessons.steps import run_of, says, step
from ccviz.views.share.address import (
    MOST_CHARACTERS,
    apply_query,
    draft_of_query,
    is_word,
    query,
)

# --- Tables of one's own in a lesson: its file holds them, an address does not --------------------


MOST_VALUES = 200_000
"""Values of all tables of a lesson together: some 2 MB of its file."""

_PREFIX = "table-"
"""Begins what a step calls a table of its lesson: ``table-1`` is the first."""

_Name = Annotated[str, msgspec.Meta(max_length=200)]
_Class = Annotated[int, msgspec.Meta(ge=-1, le=MOST_VALUES)]


class LessonTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points as they are written in the file of a lesson."""

    name: _Name
    features: tuple[_Name, ...]
    rows: tuple[tuple[float, ...], ...]
    # The known class of each point, by its place in ``classes``; empty without classes.
    truth: tuple[_Class, ...] = ()
    classes: tuple[_Name, ...] = ()
    names: tuple[_Name, ...] = ()
    weights: tuple[float, ...] = ()


def table_of(data: Dataset) -> LessonTable:
    """Return points as a table of a lesson."""
    truth, weights = (
        () if each is None else tuple(each.tolist()) for each in (data.truth, data.weights)
    )
    rows = tuple(map(tuple, data.X.tolist()))
    return LessonTable(data.name, data.features, rows, truth, data.classes, data.names, weights)


def named_tables(
    tables: tuple[LessonTable, ...], queries: Iterable[str]
) -> tuple[LessonTable, ...]:
    """Return the tables up to the last one that a step names; its first step adds a table."""
    named = {parse_qs(each)["data"][0] for each in queries}
    places = [at + 1 for at in range(len(tables)) if f"{_PREFIX}{at + 1}" in named]
    return tables[: max(places, default=0)]


def check_size(tables: tuple[LessonTable, ...]) -> None:
    """Raise `CcvizError` if the tables are too large for a lesson."""
    _refuse_more_than(sum(len(table.rows) * len(table.features) for table in tables))


def _refuse_more_than(values: int) -> None:
    if values > MOST_VALUES:
        raise CcvizError(
            f"The tables of a lesson may have {MOST_VALUES:,} values, and these have {values:,}: "
            "take fewer rows or columns."
        )


def dataset_of(table: LessonTable) -> Dataset:
    """Return the points of a table.

    Raises `CcvizError` if its parts do not fit together, or a value is no finite number.
    """
    n, d = len(table.rows), len(table.features)
    parts = (table.truth, table.names, table.weights)
    if any(len(row) != d for row in table.rows) or any(len(part) not in (0, n) for part in parts):
        raise CcvizError("A table of the lesson has rows that do not fit its columns.")
    known = np.array(table.truth) if table.truth else None
    if table.classes and (known is None or known.max() >= len(table.classes)):
        raise CcvizError("A table of the lesson has a class without a name.")
    problem = Problem(
        np.array(table.rows, dtype=np.float64).reshape(n, d), 1, truth=known,
        weights=np.array(table.weights) if table.weights else None,
    )  # fmt: skip
    features, classes, names = (
        tuple(map(plain, words)) for words in (table.features, table.classes, table.names)
    )
    return Dataset(
        plain(table.name), problem.X, features, problem.truth, classes, names=names,
        weights=problem.weights,
    )  # fmt: skip


def with_table(
    tables: tuple[LessonTable, ...], data: Dataset
) -> tuple[tuple[LessonTable, ...], str]:
    """Return tables with one more, and what a step calls it; no name if every server knows it.

    Raises `CcvizError` if that is too much for a lesson.
    """
    if data.is_named:
        return tables, ""
    _refuse_more_than(data.X.size)
    new = table_of(data)
    if new not in tables:
        tables = (*tables, new)
        check_size(tables)
    return tables, f"{_PREFIX}{tables.index(new) + 1}"


def table_at(word: str, tables: tuple[Dataset, ...]) -> Dataset | None:
    """Return the table that a step names, None if its data have a name that every server knows."""
    if not word.startswith(_PREFIX):
        return None
    place = whole(word.removeprefix(_PREFIX))
    if place is None or not 1 <= place <= len(tables):
        raise CcvizError(f"The lesson has no {word[:40]!r}: the file that holds it is needed.")
    return tables[place - 1]


SUFFIX = ".ccvizlesson"

MOST_BYTES = 5_000_000
"""Size of the largest file of a lesson."""

_MOST_WORD_BYTES = 200_000
"""Size of the largest lesson of an address, unpacked."""

FROM_FILE = "from-file"
"""What an address says of a lesson that it does not hold."""

_Line = Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
_Text = Annotated[str, msgspec.Meta(max_length=2000)]


class ScriptStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A step as it is written."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]  # What to do, and why
    # The problem, the solver and the settings that the step asks for, as in an address.
    query: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_CHARACTERS)]
    run: bool = False
    shows: _Text = ""
    # Title of the tab where it is seen; empty for none.
    tab: Literal["", "Result", "Clusters", "Inside the solver", "Bounds", "Runs", "Share"] = ""
    question: _Text = ""  # What a class is asked
    # The right answer to it, then wrong ones to choose from; empty if the lesson does not say.
    answers: Annotated[tuple[_Line, ...], msgspec.Meta(max_length=8)] = ()


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson as it is written."""

    title: _Line
    aim: _Text = ""
    steps: Annotated[tuple[ScriptStep, ...], msgspec.Meta(max_length=30)] = ()
    # Data that no server knows by name.
    tables: Annotated[tuple[LessonTable, ...], msgspec.Meta(max_length=30)] = ()
    format: Literal[1] = 1


def step_here(session: Session, text: str, own: str = "", **more: Any) -> ScriptStep:
    """Return a step that asks for the problem and the settings of the page as they are.

    `own`: What the lesson calls the data, if they are a table of its own. Raises `CcvizError` if a
    text is missing or too long, or an address cannot hold the problem.
    """
    named = "" if session.chosen else f"&solver={session.solver.name}"  # the page's own choice, too
    asked = query(session, own) + named
    return _checked({"text": text.strip(), "query": asked, **more}, ScriptStep)


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
    if len(whole) > MOST_BYTES:
        raise CcvizError("The lesson is too long.")
    return whole if written.tables else msgspec.json.format(whole)  # a number a line is no help


def of_file(content: bytes) -> Script:
    """Return the lesson of a file."""
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
    """Return a lesson as a word for an address."""
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
    """Return the lesson of a word of an address."""
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


def lesson_of(written: Script) -> Lesson:
    """Return a lesson that can be taken."""
    tables = tuple(map(dataset_of, written.tables))
    steps = tuple(_step(each, tables) for each in written.steps)
    word = FROM_FILE
    with suppress(CcvizError):  # no address can hold it
        word = as_word(written)
    return Lesson(written.title, steps, written.aim, word=word)


def _step(written: ScriptStep, tables: tuple[Dataset, ...]) -> Step:
    values = _values(written)
    own = table_at(values["data"], tables)
    wanted: Problem | None = None  # made when it is first compared

    def missing(session: Session, _memory: Memory) -> str:
        nonlocal wanted
        if wanted is None:
            wanted = draft_of_query(session, values, own).problem
        same = session.draft.problem.asks_the_same(wanted)
        return "" if same else "The step asks for another problem: Show me brings it."

    def act(session: Session) -> None:
        apply_query(session, values, own=own)
        if written.run:
            session.start()

    def ended(session: Session, _memory: Memory) -> str:
        run = run_of(session)
        return f"Objective {number(run.objective)}, {seconds(run.time_s)}. {written.shows}".strip()

    # Where a run ends the step, its problem is there from the start; otherwise it is the task.
    begin = values if written.run else {name: values[name] for name in ("data", "solver")}

    def set_up(session: Session) -> None:
        apply_query(session, begin, own=own)

    finding = ended if written.run else says(written.shows or "Done.")
    made = step(
        written.text, act, finding, missing, ran=values["solver"] if written.run else "",
        tab=written.tab, question=written.question, answers=written.answers,
    )  # fmt: skip
    return replace(made, set_up=set_up)
