"""Kinds of a table's columns: numbers, dates, words, or empty."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

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
from ccviz.data.table import Cells, Table
from ccviz.problem.column_links import EARTH_KM, degrees_in
from ccviz.problem.points import LARGEST, is_missing

MOST_CATEGORIES = 100
"""Most features of a column that is one-hot encoded; rare words share the last one."""

OTHERS = "others"
"""Name of these words."""

_MOST_EXACT = 2**53 - 1  # largest exact integer in float64; larger ones are read as text keys

_MOST_OF_VARIANCE = 0.8  # share of the variance that a few outliers make if they rule a column
_FEWEST_ROWS = 20  # with fewer rows no outlier is looked for
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
    settled = [_settle(column) for column in table.columns]
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


def _settle(cells: Cells) -> list[str] | np.ndarray:
    """Return an array of numbers or dates unchanged, anything else as a list of texts."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiubM":
        return cells
    # Dates and times of a workbook become texts that read as such.
    return [cell if type(cell) is str else "" if is_missing(cell) else str(cell) for cell in cells]


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
    if all(map(is_date, _there(cells))):
        return Column(name, "date", cells, read_days(cells), missing)
    return Column(name, "text", cells, none, missing)


def _there(cells: Sequence[str]) -> Iterator[str]:
    return (cell for cell in cells if not is_missing_text(cell))


def _is_whole(cell: str) -> bool:
    return cell.strip().removeprefix("-").isdecimal()


_CODE = re.compile(r"^\s*0\d+\s*$", re.MULTILINE)
"""A cell with digits behind a leading zero: a postcode or a key, not a quantity."""
