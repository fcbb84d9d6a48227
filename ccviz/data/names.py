"""Columns and points by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError, ProblemError, quote
from ccviz.numbers import whole
from ccviz.problem.column_links import degrees_in

# --- Lookup of points by their names --------------------------------------------------------------


class NameBook:
    """Finds points by name, or by number from 0.

    Examples
    --------
    >>> book = NameBook(3, ["Anna", "Bert", "7"])
    >>> book.find("bert"), book.find("0"), book.find("7")
    (1, 0, 2)
    """

    def __init__(self, n: int, names: Sequence[str] = ()) -> None:
        self._n, self._names = n, names
        self._known: dict[str, int] = {}
        self._several: set[str] = set()
        for at, name in enumerate(names):
            key = _key(name)
            if self._known.setdefault(key, at) != at:
                self._several.add(key)

    def find(self, word: str) -> int:
        """Return the point that a word names: a whole name, in any case, or else a number."""
        key = _key(word)
        if key in self._several:
            raise CcvizError(f"several points are called {word.strip()!r}; use their numbers.")
        if key in self._known:
            return self._known[key]
        point = whole(key)
        if point is not None and point < self._n:
            return point
        called = "is no name and " if self._names else "is "
        raise CcvizError(f"{word.strip()!r} {called}no point: they are 0 to {self._n - 1}.")

    def read(self, text: str) -> list[int]:
        """Return the points that a text names, each once.

        `text`: Separated by commas, or also by blanks if points have no names. Raises `CcvizError`
        if a word does not name a point.
        """
        if _key(text) in self._known:
            return [self.find(text)]
        words = text.split(",") if self._names else text.replace(",", " ").split()
        return list(dict.fromkeys(self.find(word) for word in words if word.strip()))


def _key(name: str) -> str:
    return name.strip().casefold()


def suggest(names: Sequence[str], typed: str, most: int = 8) -> list[str]:
    """Return names that match typed text, each once; those that begin with it come first.

    `typed`: Upper and lower case are equal.
    """
    key = _key(typed)
    if not key:
        return []
    fitting = [name for name in dict.fromkeys(names) if key in name.casefold()]
    return sorted(fitting, key=lambda name: not name.casefold().startswith(key))[:most]


# --- The values of a data set's column by its name, whatever its role -----------------------------


def column_names(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the columns that hold numbers, those that are no features included."""
    return tuple(name for name, cells in _cells(dataset).items() if _is_numeric(cells))


def column_values(dataset: Dataset, name: str) -> Any:
    """Return a column as it is in the table, numbers or words, with nothing filled in.

    Raises `ProblemError` if there is no such column; the sentence lists those that there are.
    """
    columns = _cells(dataset)
    if name not in columns:
        numbers_first = sorted(columns, key=lambda each: not _is_numeric(columns[each]))
        known = ", ".join(numbers_first) or "none"
        raise ProblemError(f"there is no column {quote(name)}; there are {known}.")
    cells = columns[name]
    return np.asarray(cells, dtype=np.float64) if _is_numeric(cells) else list(map(str, cells))


def place_columns(dataset: Dataset) -> tuple[str, str] | None:
    """Return the columns of longitude and latitude, by their names and ranges; None if none are.

    Those of a GeoJSON file are its first ones, whatever their unit is.
    """
    names = column_names(dataset)
    if dataset.origin is not None and dataset.origin.file.lower().endswith("json"):
        return names[0], names[1]
    if (degrees := degrees_in(names)) is None:
        return None
    lon, lat = (names[at] for at in degrees)
    across, up = (np.abs(column_values(dataset, name)) for name in (lon, lat))
    return (lon, lat) if (across <= 180.0).all() and (up <= 90.0).all() else None


def words_to_name(dataset: Dataset) -> tuple[str, ...]:
    """Return what a rule on words may name: columns in which words repeat, and their few words.

    Columns of whole numbers that repeat come last, by themselves.
    """
    named: list[str] = []
    numbers: list[str] = []
    for name, cells in _cells(dataset).items():
        if _is_numeric(cells):
            known = cells[np.isfinite(cells)]
            if (known == np.rint(known)).all() and 0 < len(np.unique(known)) < len(known):
                numbers.append(name)
            continue
        words = {str(cell).strip() for cell in cells} - {""}
        if 0 < len(words) < len(cells):
            few = sorted(words) if len(words) <= _MOST_WORDS else ()
            named += [name, *(f"{name}={word}" for word in few)]
    return (*named, *numbers)


_MOST_WORDS = 30
"""Most words of a column that are offered one by one."""


def _is_numeric(cells: Any) -> bool:
    return isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf"


def _cells(dataset: Dataset) -> dict[str, Any]:
    """Return the cells of each column, as the table has them."""
    if dataset.origin is not None:
        names = (each.column for each in dataset.origin.decisions)
        return dict(zip(names, dataset.origin.columns, strict=True))
    columns: dict[str, Any] = dict(zip(dataset.features, dataset.X.T, strict=True))
    if dataset.truth is None:
        return columns
    called = dataset.classes or tuple(map(str, range(int(dataset.truth.max(initial=-1)) + 1)))
    return {**columns, "class": [called[at] if at >= 0 else "" for at in dataset.truth.tolist()]}
