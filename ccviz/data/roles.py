"""Roles of a table's columns: features, known classes, names and weights of the points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ccviz.data.cells import mixed_units
from ccviz.data.columns import Column
from ccviz.data.table import ROLES, SINGLE, Decision, Role
from ccviz.errors import FileFormatError
from ccviz.numbers import whole

_MOST_CLASSES = 20  # most different words of a column that may be the class whatever its name
_CLASS_NAMES = {"class", "label", "labels", "target", "truth"}
_NAMED = "by its name"
_ID = "a different whole number in every row"
NUMBERS = "numbers"
_LAST = "the last column, and the only one of a few words"
_NOTE_NAME = re.compile(r"(^|[^a-z])(notes?|comments?|remarks?|memo|description)([^a-z]|$)")


def decide(
    columns: Sequence[Column],
    roles: Mapping[str, str] | None = None,
    only: Sequence[str] | None = None,
    label: str | None = None,
) -> tuple[Decision, ...]:
    """Return the role of each column: the requested one, else a guess from its cells.

    `roles`: Requested roles, by name or zero-based number of the column. Raises `FileFormatError`
    if a column or role does not exist, or two columns are requested as class, name or weight.
    """
    asked = _asked(columns, roles or {}, only or (), label)
    guessed = [
        Decision(column.name, asked[j]) if j in asked else _guess(columns, j)
        for j, column in enumerate(columns)
    ]
    if only is None and not any(each.role == "feature" for each in guessed):
        # A column of whole numbers is a feature after all if there is no other feature.
        guessed = [replace(each, role="feature") if each.why == _ID else each for each in guessed]
    for j, each in enumerate(guessed if only is not None else ()):
        if (each.role == "feature" or columns[j].aside) and j not in asked:
            guessed[j] = replace(each, role="ignore", why="not among the columns asked for")
    asked_roles = set(asked.values())
    if label is not None or "class" in asked_roles or len(_class_offers(guessed)) != 1:
        guessed = _without(guessed, "class", asked, "words")
    if "name" in asked_roles:
        guessed = _without(guessed, "name", asked, "a different value in every row")
    return _one_of_each(guessed)


def column_number(columns: Sequence[Column], name: str) -> int:
    """Return the number of a column, given by name or zero-based number.

    Raises `FileFormatError` if there is no such column; the sentence lists the existing ones.
    """
    names = [column.name for column in columns]
    if name in names:
        return names.index(name)
    number, own = whole(name.removeprefix("-")), sum(not column.aside for column in columns)
    if number is not None:
        number = -number if name.startswith("-") else number
        if -own <= number < own:
            return number % own
    raise FileFormatError(f"there is no column {name!r}; there are {', '.join(names)}.")


def _asked(
    columns: Sequence[Column], roles: Mapping[str, str], only: Sequence[str], label: str | None
) -> dict[int, Role]:
    asked: dict[int, Role] = {}
    wanted = [(name, "feature") for name in only] + list(roles.items())
    for name, role in [*wanted, *([(label, "class")] if label else [])]:
        known = next((each for each in ROLES if each == role), None)
        if known is None:
            raise FileFormatError(f"{role!r} is not a role; the roles are {', '.join(ROLES)}.")
        asked[column_number(columns, name)] = known
    for single in sorted(SINGLE):
        if sum(role == single for role in asked.values()) > 1:
            raise FileFormatError(f"only one column can be the {single}.")
    return asked


def _guess(columns: Sequence[Column], j: int) -> Decision:
    """Guess the role of a column from its name, its cells and its place in the table."""
    column, n = columns[j], len(columns[j].missing)
    name = column.name
    if column.aside:
        return Decision(name, "ignore", column.aside)
    columns = [each for each in columns if not each.aside]  # which are the last ones
    if column.kind == "empty":
        return Decision(name, "ignore", "empty")
    if column.kind == "date":
        if not column.is_countable:
            return Decision(name, "ignore", "dates")
        return Decision(name, "ignore", "dates; as a feature, days since the first")
    if name.strip().lower() in _CLASS_NAMES and len(columns) > 1:
        return _guess_class(column)
    if column.kind == "text":
        is_last = j == len(columns) - 1
        return _guess_words(column, is_last and not any(map(_has_few_words, columns[:j])))
    if column.is_like_an_id:
        return Decision(name, "name", _ID)
    if 2 * int(column.missing.sum()) > n:
        return Decision(name, "ignore", "missing in more than half of the rows")
    unit = "percent" if column.unit == "%" else column.unit
    return Decision(name, "feature", f"{unit}, read as numbers" if unit else NUMBERS)


def _guess_class(column: Column) -> Decision:
    if column.is_unique:
        return Decision(column.name, "ignore", "named like a class, but all values differ")
    few = 2 * column.n_distinct <= max(len(column.missing), 4)
    if few and (column.kind == "text" or bool((column.values == np.floor(column.values)).all())):
        return Decision(column.name, "class", _NAMED)
    return Decision(column.name, "ignore", "named like a class, but too many different values")


def _guess_words(column: Column, may_be_class: bool) -> Decision:
    if units := mixed_units(column.cells):
        return Decision(column.name, "ignore", f"numbers in {units}; write them in one unit")
    if column.is_unique:
        return Decision(column.name, "name", "a different word in every row")
    if column.n_distinct == 1:
        return Decision(column.name, "ignore", "the same word in every row")
    if _NOTE_NAME.search(column.spaced_name):
        return Decision(column.name, "ignore", "notes, by its name")
    if _has_few_words(column):
        # A column of cities is not the class: a class has its name, or is the last column.
        if may_be_class and 2 * int(column.missing.sum()) <= len(column.missing):
            return Decision(column.name, "class", _LAST)
        return Decision(column.name, "ignore", "a few words; can be chosen as the class")
    return Decision(column.name, "ignore", "words")


def _has_few_words(column: Column) -> bool:
    few = 1 < column.n_distinct <= min(_MOST_CLASSES, max(len(column.missing), 4) // 2)
    return column.kind == "text" and few and not column.is_unique


def gives_k(decision: Decision) -> bool:
    """Return whether the classes also say how many clusters there are.

    They do if the column was asked for or is called a class; a guess from its place does not.
    """
    return decision.role == "class" and decision.why in {"", _NAMED}


def _class_offers(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the columns that may be the class, those named like one before all others."""
    offers = [each for each in decisions if each.role == "class"]
    return [each for each in offers if each.why == _NAMED] or offers


def _without(
    decisions: Sequence[Decision], role: Role, asked: Mapping[int, Role], why: str
) -> list[Decision]:
    """Return the decisions with one guessed role set to "ignore"."""
    return [
        replace(each, role="ignore", why=why) if each.role == role and j not in asked else each
        for j, each in enumerate(decisions)
    ]


def _one_of_each(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Keep one column as the name, words before numbers, and one as the class."""
    names = [each for each in decisions if each.role == "name"]
    words = [each for each in names if each.why != _ID]
    kept = [*(words or names)[:1], *_class_offers(decisions)[:1]]
    return tuple(
        replace(each, role="ignore")
        if each.role in {"name", "class"} and each not in kept
        else each
        for each in decisions
    )
