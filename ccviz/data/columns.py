"""Columns of a table, of numbers, dates or words, and rows of it that are no points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray
from ccviz.data.cells import (
    NumberStyle,
    days_of,
    is_date,
    is_missing_text,
    number_style,
    plain_numbers,
    read_days,
    read_numbers,
    unit_of,
    without_unit,
)
from ccviz.data.scaling import WORDS
from ccviz.data.table import FOUND, Cells, Skip, Table, own_names
from ccviz.errors import FileFormatError
from ccviz.numbers import count
from ccviz.problem.column_links import EARTH_KM, degrees_in
from ccviz.problem.points import LARGEST, is_missing

MOST_CATEGORIES = 100
"""Most features of a column that is one-hot encoded; rare words share the last one."""

OTHERS = "others"
"""Name of these words."""

_MOST_EXACT = 2**53 - 1  # largest exact integer in float64; larger ones are read as text keys

_MOST_OF_VARIANCE = 0.8  # share of the variance that a few outliers make if they rule a column
_FEWEST_ROWS = 20  # with fewer rows no outlier is looked for, nor an id by its numbers alone
_MANY_ROWS = 1000  # from this many rows on different whole numbers in any order are an id
_ID_NAME = re.compile(r"(^|[^a-z])(id|ids|key|nr|no|num|number|index|uuid|guid|code)([^a-z]|$)")
_YES_NO = (
    ("yes", "no"), ("ja", "nein"), ("oui", "non"), ("sí", "no"), ("si", "no"), ("sì", "no"),
    ("ja", "nee"), ("ja", "nej"), ("sim", "não"), ("tak", "nie"), ("true", "false"),
    ("wahr", "falsch"), ("vrai", "faux"), ("y", "n"), ("j", "n"), ("t", "f"),
)  # fmt: skip

Kind = Literal["number", "date", "text", "empty"]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table and its kind."""

    name: str
    kind: Kind  # A column is of numbers if most of its cells are
    cells: Cells  # (n,): As written in the file
    # (n,): The numbers, or for dates the days since the first; NaN where there is none.
    values: FloatArray
    missing: NDArray[np.bool_]  # (n,): Which cells are missing
    whole: bool = False  # Whether all numbers are written as whole numbers
    # The percent sign or currency of all numbers in the file; the cells are without it.
    unit: str = ""
    aside: str = ""  # Of a column that is not in the file: what it is, and why no feature by itself

    @cached_property
    def n_distinct(self) -> int:
        """How many different values there are, missing ones left out."""
        if self.kind == "number":
            return len(np.unique(self.values[~np.isnan(self.values)]))
        return len(set(self.texts()) - {""})

    @cached_property
    def yes(self) -> str:
        """The word for yes, as written, where the words are yes and no; otherwise empty."""
        words = {} if self.kind != "text" else {each.casefold(): each for each in self.texts()}
        words.pop("", None)
        return next((words[yes] for yes, no in _YES_NO if set(words) == {yes, no}), "")

    @cached_property
    def common(self) -> frozenset[str]:
        """The words that become a feature each: all, or the most frequent where they are many."""
        counts = Counter(self.texts())
        del counts[""]
        most = len(counts) if len(counts) <= MOST_CATEGORIES else MOST_CATEGORIES - 1
        return frozenset(sorted(counts, key=lambda word: (-counts[word], word))[:most])

    @property
    def has_categories(self) -> bool:
        """Whether it has words that are few, or that occur twice each on average."""
        few = self.n_distinct <= max(MOST_CATEGORIES, len(self.missing) // 2)
        return self.kind == "text" and few

    @cached_property
    def ruled_by(self) -> tuple[int, float]:
        """Number of rows that make most of the variance, and their share of it; 0 if many do."""
        values = self.values.astype(np.float64)
        values = values[np.abs(values) <= LARGEST]
        if len(values) < _FEWEST_ROWS or self.n_distinct <= 2:
            return 0, 0.0
        few, spread = max(1, len(values) // 100), np.square(values - values.mean())
        part = np.cumsum(np.sort(np.partition(spread, -few)[-few:])[::-1]) / spread.sum()
        at = int(np.searchsorted(part, _MOST_OF_VARIANCE))
        return (at + 1, float(part[at])) if at < few else (0, 0.0)

    @property
    def is_countable(self) -> bool:
        """Whether it holds numbers, or dates that are all read as days."""
        return self.kind == "number" or (self.kind == "date" and not self.bad.any())

    @property
    def is_unique(self) -> bool:
        """Whether every row has a value of its own."""
        return not self.missing.any() and self.n_distinct == len(self.missing)

    @property
    def spaced_name(self) -> str:
        """The name in small letters with its words apart: customerId is customer id."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name).lower()

    @property
    def is_like_an_id(self) -> bool:
        """Whether it has a whole number of its own in every row, as keys and counters have."""
        if not self.whole or not self.is_unique or len(self.values) < 2:
            return False
        n, values = len(self.values), self.values
        if _ID_NAME.search(self.spaced_name):
            return True
        dense = float(np.ptp(values)) <= 1.1 * n
        is_sorted = bool((np.diff(values) > 0).all())
        return n >= _FEWEST_ROWS and (n >= _MANY_ROWS or dense or is_sorted)

    @property
    def note(self) -> str:
        """What is unusual of it as a feature: constant, of words, an id, or ruled by outliers.

        A few rows rule a feature if at most one in a hundred makes most of its variance.
        """
        name, n = f"Column {self.name!r}", len(self.missing)
        if self.kind == "text" and self.n_distinct > MOST_CATEGORIES:
            return (
                f"{name} has {self.n_distinct:,} words: the {len(self.common)} most frequent are a "
                f"feature each, all others one, {OTHERS!r}."
            )
        if not self.is_countable:
            several = (
                f"{name} is {self.n_distinct} features, one a word, and counts as much as "
                f"{self.n_distinct} numbers where all are scaled alike; as one by {WORDS!r}."
            )
            return several if self.n_distinct > 1 and not self.yes else ""
        if self.n_distinct == 1:
            return f"{name} has the same value in every row and separates no points."
        if self.is_like_an_id:
            return (
                f"{name} is a feature but looks like an id: each row has a whole number of its own."
            )
        rows, share = self.ruled_by
        if rows:
            return (
                f"{name} is ruled by outliers: {rows:,} of {n:,} rows make {int(100 * share)} % of "
                "its variance. Check them, or leave the column out."
            )
        return ""

    @property
    def bad(self) -> NDArray[np.bool_]:
        """(n,) bool: cells that are not missing and no number whose squares can be added up."""
        return ~(np.abs(self.values.astype(np.float64)) <= LARGEST) & ~self.missing

    def texts(self) -> list[str]:
        """Return the cells as texts without blanks around, empty where missing."""
        return [
            "" if gone else str(cell).strip()
            for cell, gone in zip(self.cells, self.missing.tolist(), strict=True)
        ]

    def plain(self) -> Cells:
        """Return the cells for storage: int64 if all are whole numbers, float64, or texts."""
        if self.kind != "number" or self.bad.any():
            return self.texts()
        if self.whole and np.abs(self.values).max() > _MOST_EXACT:
            return self.texts()
        return self.values.astype(np.int64) if self.whole else self.values


def columns_in_km(columns: Sequence[Column]) -> list[Column]:
    """Return the ways to the east and north of the middle, where there are degrees.

    The projection is equirectangular, with degrees of longitude as long as in the middle latitude.
    """
    degrees = degrees_in([each.name if each.kind == "number" else "" for each in columns])
    if degrees is None or {"east_km", "north_km"} & {each.name for each in columns}:
        return []
    place = np.column_stack([columns[at].values for at in degrees])
    if not np.isfinite(place).all(axis=1).any() or (np.abs(place) > (180.0, 90.0)).any():
        return []
    middle = (np.nanmin(place, axis=0) + np.nanmax(place, axis=0)) / 2.0
    width = np.cos(np.radians([*place[:, 1], middle[1]]))
    off = float(np.nanmax(np.abs(width / max(width[-1], 1e-9) - 1.0)))
    ways = np.radians(place - middle) * (EARTH_KM * width[-1], EARTH_KM)
    gone = np.isnan(ways).any(axis=1)
    aside = f"degrees in km, up to {off:.1%} off across; can be a feature in their place"
    return [
        Column(name, "number", way, way, gone, aside=aside)
        for name, way in zip(("east_km", "north_km"), ways.T.copy(), strict=True)
    ]


def read_columns(table: Table, unknown: Sequence[str] = ()) -> tuple[list[Column], NumberStyle]:
    """Return the columns of a table with their kinds, and its number style.

    `unknown`: Words that mean a missing value.
    """
    settled = [
        column
        if isinstance(column, np.ndarray) and column.dtype.kind in "fiubM"
        # Dates and times of a workbook become texts that read as such.
        else [
            each if type(each) is str else "" if is_missing(each) else str(each) for each in column
        ]
        for column in table.columns
    ]
    if unknown:
        settled = [_blanked(each, unknown) for each in settled]
    units = [unit_of(each) if isinstance(each, list) else "" for each in settled]
    cells = [
        list(map(without_unit, each)) if unit else each
        for each, unit in zip(settled, units, strict=True)
    ]
    style = number_style((each for each in cells if isinstance(each, list)), table.delimiter)
    columns = [_column(name, each, style) for name, each in zip(table.names, cells, strict=True)]
    return [
        replace(each, unit=unit if each.kind == "number" else "")
        for each, unit in zip(columns, units, strict=True)
    ], style


def _blanked(cells: list[str] | np.ndarray, unknown: Sequence[str]) -> list[str] | np.ndarray:
    """Return cells without those that mean a missing value."""
    words = {each.strip().casefold() for each in unknown}
    if isinstance(cells, list):
        return ["" if each.strip().casefold() in words else each for each in cells]
    numbers = [float(each) for each in words if plain_numbers([each], NumberStyle()) is not None]
    if cells.dtype.kind not in "fiu" or not np.isin(cells, numbers).any():
        return cells
    return np.where(np.isin(cells, numbers), np.nan, cells)


def _column(name: str, cells: list[str] | np.ndarray, style: NumberStyle) -> Column:
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind == "M":
            return Column(name, "date", cells, days_of(cells), np.isnat(cells))
        values = cells if cells.dtype == np.float32 else cells.astype(np.float64, copy=False)
        kind: Kind = "empty" if np.isnan(values).all() else "number"
        return Column(name, kind, cells, values, np.isnan(values), cells.dtype.kind in "iu")
    none = np.full(len(cells), np.nan)
    plain = plain_numbers(cells, style)
    if plain is not None and not _CODE.search("\n".join(cells)):
        none_missing = np.zeros(len(cells), dtype=bool)
        return Column(name, "number", cells, plain, none_missing, all(map(_is_whole, cells)))
    missing = np.array([is_missing_text(cell) for cell in cells], dtype=bool)
    here = len(cells) - int(missing.sum())
    if not here:
        return Column(name, "empty", cells, none, missing)
    if any(map(_CODE.fullmatch, cells)):
        return Column(name, "text", cells, none, missing)
    # A column of numbers with gaps is then read in one call, not cell by cell.
    there = ["nan" if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]
    values = read_numbers(there if missing.any() else cells, style)
    if 2 * np.count_nonzero(~np.isnan(values)) >= here:
        whole = not missing.any() and all(map(_is_whole, cells))
        return Column(name, "number", cells, values, missing, whole)
    if all(is_date(cell) for cell in cells if not is_missing_text(cell)):
        return Column(name, "date", cells, read_days(cells), missing)
    return Column(name, "text", cells, none, missing)


def _is_whole(cell: str) -> bool:
    return cell.strip().removeprefix("-").isdecimal()


_CODE = re.compile(r"^\s*0\d+\s*$", re.MULTILINE)
"""A cell with digits behind a leading zero: a postcode or a key, not a quantity."""


# --- Rows that are no points: units below the names of the columns, totals at the end -------------


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
    if units:
        # Names that are equal in the file may differ by their units.
        bare = [_AGAIN.sub("", name) for name in table.names]
        pairs = zip(bare, table.names, units, strict=True)
        bases = ((base if base in table.names else name, unit) for base, name, unit in pairs)
        names = own_names([f"{name} ({unit})" if unit else name for name, unit in bases])
        table = replace(table, names=names)
    table = _left_out(table, head, tail or 0, *notices)
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
    "above (0 rows left out at the end, skip_last, keeps it).",
    "called": "is called a total but is read as a point: its numbers are not the sums of the rows "
    "above (1 row left out at the end, skip_last, drops it).",
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


def _total(columns: Sequence[Column]) -> str:
    """Return "sums" if the last row holds the totals of the others, empty if it seems a point.

    A row of totals is called so, or has no name where all others have one. Each of its numbers is
    the sum or the mean of the numbers above, and one is a sum. Where it is only called so, it is
    "above" if each of its numbers is larger than all above, as in a part of a table, or "called".
    """
    words = [each for each in columns if isinstance(each.cells, list)]
    is_called = False
    for each in words:
        *above, last = map(_text, each.cells)
        is_called |= bool(_TOTAL.fullmatch(last)) and last not in above
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
