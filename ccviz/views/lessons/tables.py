"""Tables of one's own in a lesson: its file holds them, an address does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import parse_qs

import msgspec
import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.numbers import whole
from ccviz.problem.problem import Problem
from ccviz.runs.file import plain

MOST_VALUES = 200_000
"""Values of all tables of a lesson together: some 2 MB of its file."""

_PREFIX = "table-"
"""Begins what a step calls a table of its lesson: ``table-1`` is the first."""

_Name = Annotated[str, msgspec.Meta(max_length=200)]
_Class = Annotated[int, msgspec.Meta(ge=0, le=MOST_VALUES)]


class LessonTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points as they are written in the file of a lesson.

    Attributes
    ----------
    name : str
    features : tuple of str
    rows : tuple of tuple of float
        A row for each point.
    truth : tuple of int
        The known class of each point, by its place in ``classes``; empty without classes.
    classes : tuple of str
    names : tuple of str
        Of the points; may be empty.
    weights : tuple of float
        Of the points; may be empty.
    """

    name: _Name
    features: tuple[_Name, ...]
    rows: tuple[tuple[float, ...], ...]
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
    """Return the tables up to the last one that a step names: a table is added by its first step.

    Parameters
    ----------
    tables : tuple of LessonTable
    queries : iterable of str
        Of the steps.
    """
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

    Raises
    ------
    CcvizError
        If its parts do not fit together, or a value is no finite number.
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

    Raises
    ------
    CcvizError
        If that is too much for a lesson.
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
    """Return the table that a step names, None if its data have a name that every server knows.

    Raises
    ------
    CcvizError
        If the lesson has no such table.
    """
    if not word.startswith(_PREFIX):
        return None
    place = whole(word.removeprefix(_PREFIX))
    if place is None or not 1 <= place <= len(tables):
        raise CcvizError(f"The lesson has no {word[:40]!r}: the file that holds it is needed.")
    return tables[place - 1]
