"""`read_table`: from a file to points, names and known classes, by what each column is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.data.binary import read_arrow, read_excel, read_npy
from ccviz.data.cells import NumberStyle
from ccviz.data.columns import Column, read_columns
from ccviz.data.datasets import Dataset, encode_classes
from ccviz.data.origin import MISSING, Decision, Missing, Origin
from ccviz.data.roles import MOST_CATEGORIES, decide
from ccviz.data.sources import Source, read_bytes
from ccviz.data.table import Cells, Table
from ccviz.data.text import read_text
from ccviz.errors import FileFormatError

_NO_CLASS = "(none)"
_UNREADABLE = {
    ".xls": "an old Excel workbook; save it as .xlsx or as CSV",
    ".ods": "an OpenDocument sheet; save it as .xlsx or as CSV",
    ".json": "JSON; save it as CSV, Parquet or Arrow",
}


def read_table(
    source: Source,
    name: str = "",
    *,
    roles: Mapping[str, str] | None = None,
    columns: Sequence[str] | None = None,
    label: str | None = None,
    missing: str | None = None,
    header: bool | None = None,
) -> Dataset:
    """Read points from a table: CSV, TSV, Excel, Parquet, Arrow, .npy, or text ``n d [k]``.

    Separators, decimal commas, thousands and the encoding of text are found by themselves. Columns
    are named by their name or zero-based number. Without a word about it a column of numbers is a
    feature, unless it is an id; ids, dates and words are left out; what is unique in every row is
    never the class.

    Parameters
    ----------
    source : path or bytes
    name : str
        File name of the bytes; its ending says the format.
    roles : mapping of str to str, optional
        What columns are: "feature", "class", "name" or "ignore". A column of words as a feature
        becomes a column of 0 and 1 for each word.
    columns : sequence of str, optional
        The features; no other column is one.
    label : str, optional
        The column of the known classes; ``""`` for none.
    missing : {"drop", "median"}, optional
        What to do about missing values in features: leave their rows out, or fill in the column's
        median. Without it they are an error.
    header : bool, optional
        Whether the first line names the columns; by default it does if none of its cells is a
        number.

    Returns
    -------
    Dataset
        Its ``origin`` holds every column and what was decided, its ``notices`` say it.

    Raises
    ------
    FileFormatError
        If the file cannot be read, is too large, or leaves nothing to cluster; the sentence names
        file, line and reason.
    """
    name = name or (str(source) if not isinstance(source, bytes) else "the data")
    data = read_bytes(source, name)
    try:
        if missing is not None and missing not in MISSING:
            raise FileFormatError(f"missing = {missing!r} is not one of {', '.join(MISSING)}.")
        table = read_cells(data, name, header)
        found, style = read_columns(table)
        if table.is_bare:
            roles = {column.name: "feature" for column in found} | dict(roles or {})
        decisions = decide(found, roles, columns, label)
        return _Reading(table, found, style, decisions, missing).dataset(Path(name).stem)
    except FileFormatError as broken:
        raise FileFormatError(f"{name}: {broken}") from None


def read_cells(data: bytes, name: str, header: bool | None = None) -> Table:
    """Return the columns of a file, before anything is decided about them.

    Parameters
    ----------
    data : bytes
    name : str
        Its ending says the format.
    header : bool, optional
        Whether the first line names the columns.

    Returns
    -------
    Table

    Raises
    ------
    FileFormatError
        If it cannot be read.
    """
    suffix = Path(name).suffix.lower()
    if not data.strip():
        raise FileFormatError("the file is empty.")
    if suffix in _UNREADABLE:
        raise FileFormatError(f"this is {_UNREADABLE[suffix]}.")
    if suffix == ".npy":
        table = read_npy(data)
    elif suffix in {".parquet", ".pq", ".arrow", ".feather", ".ipc"}:
        table = read_arrow(data)
    elif suffix in {".xlsx", ".xlsm"}:
        table = read_excel(data, header)
    else:
        table = read_text(data, header)
    if not len(table.places):
        raise FileFormatError("there are no rows of numbers.")
    return table


@dataclass(frozen=True, eq=False)
class _Reading:
    """A table and all that was decided about it, on the way to a data set."""

    table: Table
    columns: Sequence[Column]
    style: NumberStyle
    decisions: tuple[Decision, ...]
    missing: str | None

    def dataset(self, name: str) -> Dataset:
        features = self._of("feature")
        if not features:
            raise FileFormatError(f"there is no column of numbers.{self._left_out()}")
        for column in features:
            self._check(column)
        rows, filled = self._complete(features)
        blocks = [_as_features(column, rows) for column in features]
        known = next(iter(self._of("class")), None)
        truth, classes = _classes(known, rows) if known else (None, ())
        named = next(iter(self._of("name")), None)
        every = len(rows) == len(self.table.places)
        return Dataset(
            name=name,
            X=np.column_stack([values for _, values in blocks]),
            features=tuple(feature for names, _ in blocks for feature in names),
            truth=truth,
            classes=classes,
            k=self.table.k if self.table.k is not None else (len(classes) or None),
            notices=(*self.table.notices, *self._told(), *filled, *_unknown_classes(known, rows)),
            names=tuple(_taken(named.texts(), rows)) if named else (),
            origin=Origin(
                tuple(
                    column.plain() if every else _taken(column.plain(), rows)
                    for column in self.columns
                ),
                self.decisions,
                freeze(rows),
                self._treatment(bool(filled)),
            ),
        )

    def _of(self, role: str) -> list[Column]:
        both = zip(self.columns, self.decisions, strict=True)
        return [column for column, decision in both if decision.role == role]

    def _treatment(self, used: bool) -> Missing | None:
        return next((each for each in MISSING if used and each == self.missing), None)

    def _check(self, column: Column) -> None:
        """Refuse a feature with a cell that is no finite number."""
        if column.kind == "text" and column.n_distinct > MOST_CATEGORIES:
            raise FileFormatError(
                f"column {column.name!r} has {column.n_distinct:,} different words; at most "
                f"{MOST_CATEGORIES} are made into features."
            )
        if column.kind in {"date", "empty"}:
            what = "holds dates" if column.kind == "date" else "is empty"
            raise FileFormatError(f"column {column.name!r} {what} and cannot be a feature.")
        if column.kind == "number" and column.bad.any():
            i = int(np.flatnonzero(column.bad)[0])
            cell = str(column.cells[i]).strip()
            where = f"{self.table.place(i)}, column {column.name!r}"
            raise FileFormatError(f"{where} is {cell!r}, not a finite number.")

    def _complete(self, features: Sequence[Column]) -> tuple[IntArray, tuple[str, ...]]:
        """Return the rows that become points, and a sentence on missing values where there are."""
        gone = np.column_stack([column.missing for column in features])
        broken = np.asarray(gone.any(axis=1))
        rows = np.arange(len(gone), dtype=np.int64)
        if not broken.any():
            return rows, ()
        many = int(gone.sum())
        values = f"{many:,} value{'s' if many > 1 else ''}"
        first = int(np.flatnonzero(broken)[0])
        where = f"{self.table.place(first)}, column {features[int(gone[first].argmax())].name!r}"
        if self.missing == "median":
            return rows, (f"{values} that were missing are the median of their column.",)
        if self.missing is None:
            raise FileFormatError(
                f"{where} is empty; {values} in {_count(broken)} are missing. Say what to do: drop "
                "these rows, or fill in the median (missing = drop or median)."
            )
        if broken.all():
            raise FileFormatError("every row has a missing value, so that none is left.")
        return rows[~broken], (f"{_count(broken)} with missing values are left out.",)

    def _told(self) -> list[str]:
        """Return what was decided without being asked for, a sentence each."""
        sentences = [
            f"Column {each.column!r} {_TOLD[each.role]} ({each.why})."
            for each in self.decisions
            if each.why and each.role != "feature" and each.why not in _UNTOLD
        ]
        if self.style.guessed:
            read = self.style.number(self.style.guessed)
            sentences.append(f"{self.style.guessed} is read as {read:g}.")
        elif self.style.comma:
            sentences.append("Decimals follow a comma in this file.")
        return sentences

    def _left_out(self) -> str:
        told = " ".join(self._told())
        return f" {told}" if told else ""


_TOLD = {
    "class": "is taken as the known classes",
    "name": "is taken as the points' names",
    "ignore": "is left out",
}
_UNTOLD = {"not among the columns asked for", "empty"}


def _count(rows: NDArray[np.bool_]) -> str:
    many = int(rows.sum())
    return f"{many:,} of {len(rows):,} rows"


def _taken(cells: Cells, rows: IntArray) -> Cells:
    return cells[rows] if isinstance(cells, np.ndarray) else [cells[i] for i in rows.tolist()]


def _as_features(column: Column, rows: IntArray) -> tuple[tuple[str, ...], FloatArray]:
    """Return a column's features and their values: itself, or one for each of its words."""
    if column.kind == "number":
        values = column.values
        if column.missing.any():
            values = np.where(column.missing, np.nanmedian(values), values)
        return (column.name,), values[rows, None]
    texts = np.array(column.texts())[rows]
    words = np.unique(texts)
    return tuple(f"{column.name} = {word}" for word in words.tolist()), _one_hot(texts, words)


def _one_hot(texts: np.ndarray, words: np.ndarray) -> FloatArray:
    return (texts[:, None] == words).astype(np.float64)


def _classes(column: Column, rows: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    cells = [_NO_CLASS if column.missing[i] else column.cells[i] for i in rows.tolist()]
    return encode_classes(cells)


def _unknown_classes(column: Column | None, rows: IntArray) -> tuple[str, ...]:
    many = int(column.missing[rows].sum()) if column else 0
    return (f"{many:,} rows have no class; theirs is {_NO_CLASS}.",) if many else ()
