"""A table that waits to be loaded: a line for each of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ccviz.data.columns import Column
from ccviz.data.origin import ROLE_WORDS, Decision, Role
from ccviz.data.roles import MOST_CATEGORIES, NUMBERS
from ccviz.data.sheet import Sheet
from ccviz.numbers import count

FIRST_ROWS = 4
_MOST_LETTERS = 40


@dataclass(frozen=True)
class Line:
    """A column of the table.

    Attributes
    ----------
    name, role : str
    roles : tuple of (role, words)
        What it may be taken as.
    holds : str
        What its cells are, in words.
    why : str
        Reason of the role; empty if the person chose it.
    cells : tuple of str
        Of the first rows.
    """

    name: str
    role: Role
    roles: tuple[tuple[Role, str], ...]
    holds: str
    why: str
    cells: tuple[str, ...]


def lines(sheet: Sheet, decisions: Sequence[Decision]) -> tuple[Line, ...]:
    """Return a line for each column of a sheet.

    Parameters
    ----------
    sheet : Sheet
    decisions : sequence of Decision
        What its columns are taken as.

    Returns
    -------
    tuple of Line
    """
    return tuple(
        Line(
            column.name,
            decision.role,
            tuple((role, _words(role, column)) for role in ROLE_WORDS if _fits(role, column)),
            _holds(column),
            "" if decision.why == NUMBERS else decision.why,
            tuple(map(_short, islice(column.cells, FIRST_ROWS))),
        )
        for column, decision in zip(sheet.columns, decisions, strict=True)
    )


def _fits(role: Role, column: Column) -> bool:
    if role == "feature":
        few = column.kind == "text" and column.n_distinct <= MOST_CATEGORIES
        return few or column.is_countable
    if role == "weight":
        return column.kind == "number"
    return role == "ignore" or column.kind != "empty"


def _words(role: Role, column: Column) -> str:
    if role == "feature" and column.kind == "text":
        return f"{count(column.n_distinct, 'feature')} of 0 and 1"
    if role == "feature" and column.kind == "date":
        return "feature: days since the first"
    return ROLE_WORDS[role]


def _holds(column: Column) -> str:
    if column.kind == "empty":
        return "nothing"
    words = [_kind_words(column)]
    if gone := int(column.missing.sum()):
        words.append(f"{gone:,} missing")
    if column.kind == "number" and (bad := int(column.bad.sum())):
        first = str(column.cells[int(np.flatnonzero(column.bad)[0])]).strip()
        words.append(f"{bad:,} no number ({_short(first)})")
    return ", ".join(words)


def _kind_words(column: Column) -> str:
    if column.kind == "number":
        low, high = (float(end(column.values)) for end in (np.nanmin, np.nanmax))
        unit = {"": "numbers", "%": "percent"}.get(column.unit, column.unit)
        return f"{unit}, {low:.6g} to {high:.6g}"
    if column.kind == "date":
        return "dates"
    return "words, all different" if column.is_unique else count(column.n_distinct, "word")


def _short(cell: object) -> str:
    text = "" if cell is None else str(cell).strip()
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
