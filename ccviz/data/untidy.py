"""Rows of a table that are no points: units below the names of the columns, totals at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ccviz.data.cells import NumberStyle, is_missing_text, without_unit
from ccviz.data.columns import MOST_CATEGORIES, OTHERS, Column, read_columns
from ccviz.data.roles import looks_like_an_id
from ccviz.data.scaling import WORDS
from ccviz.data.table import FOUND, Cells, Decision, Skip, Table, own_names
from ccviz.errors import FileFormatError
from ccviz.numbers import count

_SAMPLE = 50  # rows below a row of units that are looked at
_MOST_LETTERS = 20  # of a unit
_SUM, _MEAN = 1e-6, 1e-3  # relative errors of a sum and a mean that were rounded
_UNIT = re.compile(
    r"units?|einheit(en)?|unité|unidad|[\[(].*[\])]|[tdjmya.\-/]{6,10}", re.IGNORECASE
)
_TOTAL = re.compile(
    r"((overall|grand|sub) ?)?(totals?|sums?|summen?|gesamt(summe)?|insgesamt|sommes?|suma|"
    r"totales?|totaal|totaux|total g[eé]n[eé]ral)[: ]*|Σ",
    re.IGNORECASE,
)
_AGAIN = re.compile(r" \(\d+\)$")
_STYLES = (NumberStyle(), NumberStyle(comma=True))


def read_tidied(
    table: Table, unknown: Sequence[str] = (), skip: Skip = FOUND
) -> tuple[Table, list[Column], NumberStyle]:
    """Return a table without the rows that are no points, its columns, and its number style.

    A row of units goes into the names, and a last row of totals is left out; the table says so.

    `unknown`: Words that mean a missing value. `skip`: Rows to leave out; with None a row of units
    and a row of totals are found. Raises `FileFormatError` if no row would be left.
    """
    # Every row of GeoJSON is an area, with a shape and borders of its own.
    n, (head, tail) = len(table.places), (0, 0) if table.shapes else skip
    if (head or 0) + (tail or 0) >= n:
        raise FileFormatError(f"there are {count(n, 'row')}, so that none is left to cluster.")
    known = {each.strip().casefold() for each in unknown}
    rows = range(1 if head is None and n > 2 else head or 0)
    units = next(filter(None, (_units(table.columns, at, len(rows), known) for at in rows)), [])
    notices = []
    if head is None and units:
        notices = [
            f"{table.unit.capitalize()} {table.places[0]} holds units; they are in the names."
        ]
    head = bool(units) if head is None else head
    names = _with_units(table.names, units) if units else table.names
    table = _left_out(replace(table, names=names), head, tail or 0, *notices)
    columns, style = read_columns(table, unknown)
    found = _total(columns) if tail is None else ""
    if found:
        last = f"{table.unit.capitalize()} {table.places[-1]}"
        table = _left_out(table, 0, found != "called", f"{last} {_TOTALS[found]}")
        columns, style = read_columns(table, unknown)
    return table, columns, style


_TOTALS = {
    "sums": "is the total of the rows above and is left out.",
    "above": "is called a total and is left out, though its numbers are not the sums of the rows "
    "above (skip_last = 0 keeps it).",
    "called": "is called a total but is read as a point: its numbers are not the sums of the rows "
    "above (skip_last = 1 leaves it out).",
}
"""What is said of a last row by what `_total` finds."""


def _left_out(table: Table, head: int, tail: int, *notices: str) -> Table:
    """Return a table without some of its first and last rows."""
    if not head and not tail:
        return replace(table, notices=(*table.notices, *notices))
    kept = slice(head, len(table.places) - tail)
    return replace(
        table,
        columns=[column[kept] for column in table.columns],
        places=table.places[kept],
        notices=(*table.notices, *notices),
        skipped=(table.skipped[0] + head, table.skipped[1] + tail),
    )


def _units(columns: Sequence[Cells], at: int, below: int, known: set[str]) -> list[str]:
    """Return the units in a row, empty for a column without one; none if it is no row of units.

    Such a row has words where the rows below have numbers, and nothing else of its own.

    `at`: Number of the row. `below`: Number of the first row that may be a point. `known`: Words
    that mean a missing value.
    """
    found = []
    for column in columns:
        unit, *under = map(_text, [column[at], *column[below or 1 : (below or 1) + _SAMPLE]])
        there = [each for each in under if not is_missing_text(each)]
        if is_missing_text(unit) or unit.casefold() in known:
            found.append("")
        elif there and 2 * sum(map(_is_number, there)) >= len(there):
            if _is_number(unit) or unit in there or len(unit) > _MOST_LETTERS:
                return []
            found.append(unit.strip("()[] "))
        elif _UNIT.fullmatch(unit) or ("/" in unit and set(unit.split("/")) == set(there)):
            found.append("")
        else:
            return []
    return found if any(found) else []


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _is_number(cell: str) -> bool:
    return any(np.isfinite(style.number(without_unit(cell))) for style in _STYLES)


def _with_units(names: Sequence[str], units: Sequence[str]) -> tuple[str, ...]:
    """Return distinct names with units; names that are equal in the file may differ by these."""
    bases = [_AGAIN.sub("", each) if _AGAIN.sub("", each) in names else each for each in names]
    both = zip(bases, units, strict=True)
    return own_names([f"{name} ({unit})" if unit else name for name, unit in both])


def _total(columns: Sequence[Column]) -> str:
    """Return "sums" if the last row holds the totals of the others, empty if it seems a point.

    A row of totals is called so, or has no name where all others have one. Each of its numbers is
    the sum or the mean of the numbers above, and one is a sum. Where it is only called so, it is
    "above" if each of its numbers is larger than all above, as in a part of a table, or "called".
    """
    words = [each for each in columns if isinstance(each.cells, list)]
    is_called = any(map(_is_called_total, words))
    texts = [each.missing for each in words if each.kind == "text"]
    is_unnamed = any(gone[-1] and not gone[:-1].any() for gone in texts)
    if len(columns[0].missing) < 3 or not (is_called or is_unnamed):
        return ""
    numbers = [each.values for each in columns if each.kind == "number"]
    filled = [each for each in numbers if np.isfinite(each[-1])]
    kinds = [_sum_or_mean(each[:-1], float(each[-1])) for each in filled]
    if "sum" in kinds and "" not in kinds:
        return "sums"
    is_above = bool(filled) and all(each[-1] > np.nanmax(each[:-1], initial=0) for each in filled)
    return ("above" if is_above else "called") if is_called else ""


def _is_called_total(column: Column) -> bool:
    texts = [_text(column.cells[-1])]
    return bool(_TOTAL.fullmatch(texts[0])) and texts[0] not in map(_text, column.cells[:-1])


def _sum_or_mean(above: np.ndarray, last: float) -> str:
    """Return "sum" or "mean" for a number that is it, or empty."""
    there = above[np.isfinite(above)]
    with np.errstate(over="ignore"):
        scale = float(np.abs(there).sum())
    if not np.isfinite(scale):  # any number would be near to it
        return ""
    if scale > 0 and abs(float(there.sum()) - last) <= _SUM * scale:
        return "sum"
    is_mean = len(there) > 0 and abs(float(there.mean()) - last) <= _MEAN * scale / len(there)
    return "mean" if is_mean else ""


# --- What is unusual in the columns that become features ------------------------------------------


def notes_on(columns: Sequence[Column], decisions: Sequence[Decision]) -> tuple[str, ...]:
    """Return a sentence for each feature that is constant, of words, an id, or ruled by outliers.

    A few rows rule a feature if at most one in a hundred makes most of its variance.
    """
    both = zip(columns, decisions, strict=True)
    features = [column for column, decision in both if decision.role == "feature"]
    return tuple(filter(None, map(_note_on, features)))


def _note_on(column: Column) -> str:
    name, n = f"Column {column.name!r}", len(column.missing)
    if column.kind == "text" and column.n_distinct > MOST_CATEGORIES:
        return (
            f"{name} has {column.n_distinct:,} words: the {len(column.common)} most frequent are a "
            f"feature each, all others one, {OTHERS!r}."
        )
    if not column.is_countable:
        several = (
            f"{name} is {column.n_distinct} features, one a word, and counts as much as "
            f"{column.n_distinct} numbers where all are scaled alike; as one by {WORDS!r}."
        )
        return several if column.n_distinct > 1 and not column.yes else ""
    if column.n_distinct == 1:
        return f"{name} has the same value in every row and separates no points."
    if looks_like_an_id(column):
        return f"{name} is a feature but looks like an id: each row has a whole number of its own."
    rows, share = column.ruled_by
    if rows:
        return (
            f"{name} is ruled by outliers: {rows:,} of {n:,} rows make {int(100 * share)} % of its "
            "variance. Check them, or leave the column out."
        )
    return ""
