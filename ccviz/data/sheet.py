"""A table that was read: its columns, the choice of their roles, and the resulting points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze, row_strips
from ccviz.data.cells import CsvStyle, NumberStyle
from ccviz.data.columns import OTHERS, Column, columns_in_km, read_tidied
from ccviz.data.datasets import Dataset, encode_classes
from ccviz.data.formats import read_cells
from ccviz.data.roles import NUMBERS, decide, gives_k
from ccviz.data.scaling import OF_WORD
from ccviz.data.table import (
    FOUND,
    Cells,
    Decision,
    Header,
    Missing,
    Origin,
    Role,
    Skip,
    Source,
    Table,
    read_bytes,
)
from ccviz.errors import FileFormatError, quote

_NONE = "Where links alone decide, say that no column is a feature (columns = '')."
ALIKE = "no feature"
"""Name of the only feature, 0 for each point, where no column is one."""
MOST_BAD = 3
"""Most words that a sheet offers to read as missing values."""


def open_sheet(
    source: Source,
    name: str = "",
    header: Header = None,
    worksheet: str | None = None,
    unknown: Sequence[str] = (),
    skip: Skip = FOUND,
) -> Sheet:
    """Read a table without choosing the roles of its columns.

    `name`: File name of the bytes; its suffix decides the format. `header`: Number of the line or
    row that names the columns, or whether the first one does; see `ccviz.data.table.find_table`.
    `worksheet`: Name of the worksheet of a workbook; by default the first one that is not empty.
    `unknown`: Words that mean a missing value, beside those that always do. `skip`: Numbers of rows
    to leave out below the names of the columns and at the end; with None a row of units and a row
    of totals are found. Raises `FileFormatError` if the file cannot be read or is too large.
    """
    name = name or (str(source) if not isinstance(source, bytes) else "the data")
    data = read_bytes(source, name)
    with _named(name):
        table = read_cells(data, name, header, worksheet, skip)
        table, columns, style = read_tidied(table, unknown, skip)
        columns += columns_in_km(columns)
        return Sheet(name, replace(table, columns=()), tuple(columns), style, tuple(unknown), skip)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Prefix every error with the name of the file."""
    try:
        yield
    except FileFormatError as broken:
        raise FileFormatError(f"{name}: {broken}") from None


@dataclass(frozen=True)
class Gaps:
    """Missing values among the features."""

    values: int
    rows: int
    of: int


@dataclass(frozen=True, eq=False)
class Sheet:
    """The content of a file by columns."""

    file: str
    table: Table  # Row numbers and notices of the reader, without the cells
    columns: tuple[Column, ...]
    style: NumberStyle
    unknown: tuple[str, ...] = ()  # Words that mean a missing value
    skip: Skip = FOUND  # Rows left out below the names and at the end, as asked for

    def __post_init__(self) -> None:
        for each in self.columns:
            if {len(each.cells), len(each.values), len(each.missing)} != {self.n}:
                raise FileFormatError(f"the column {each.name!r} has another number of rows.")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.table.places)

    def decide(
        self,
        roles: Mapping[str, str] | None = None,
        only: Sequence[str] | None = None,
        label: str | None = None,
    ) -> tuple[Decision, ...]:
        """Return the role of each column: the requested one, else a guess from its cells.

        `roles`: Requested roles, by name or zero-based number of the column. Raises
        `FileFormatError` if a column or role does not exist, or two columns are requested as class,
        name or weight.
        """
        if self.table.is_bare:
            roles = {column.name: "feature" for column in self.columns} | dict(roles or {})
        with _named(self.file):
            return decide(self.columns, roles, only, label)

    def remarks(self, decisions: Sequence[Decision] = ()) -> tuple[str, ...]:
        """Return a sentence for each property of the file that the reader detected.

        With the roles of its columns there are sentences on unusual features, too.
        """
        sentences = list(self.table.notices)
        if self.style.guessed:
            read = self.style.number(self.style.guessed)
            sentences.append(f"{self.style.guessed} is read as {read:g}.")
        elif self.style.comma:
            sentences.append("Decimals follow a comma in this file.")
        features = self._of("feature", decisions) if decisions else []
        return (*sentences, *(column.note for column in features if column.note))

    def bad_words(self, decisions: Sequence[Decision]) -> tuple[str, ...]:
        """Return the words among the numbers of features, each once, at most `MOST_BAD` of them."""
        words = (
            str(column.cells[i]).strip()
            for column in self._of("feature", decisions)
            if column.kind == "number"
            for i in np.flatnonzero(column.bad).tolist()
        )
        return tuple(islice(dict.fromkeys(words), MOST_BAD))

    def gaps(self, decisions: Sequence[Decision]) -> Gaps:
        """Count the missing values among the features."""
        gone = [column.missing for column in self._of("feature", decisions)]
        rows = np.logical_or.reduce(gone) if gone else np.zeros(self.n, dtype=bool)
        return Gaps(sum(int(each.sum()) for each in gone), int(rows.sum()), self.n)

    def dataset(
        self,
        decisions: Sequence[Decision],
        missing: Missing | None = None,
        has_features: bool = True,
    ) -> Dataset:
        """Return the points by the roles of the columns.

        `missing`: Treatment of missing values in features; without it they are an error.
        `has_features`: Whether any column is a feature; without one all points are alike. Raises
        `FileFormatError` if no point or feature is left, or a feature has a cell that is not a
        number.
        """
        with _named(self.file):
            return self._dataset(decisions, missing, has_features)

    def _dataset(
        self, decisions: Sequence[Decision], missing: Missing | None, has_features: bool
    ) -> Dataset:
        features = self._of("feature", decisions)
        if has_features and not features:
            raise FileFormatError(
                " ".join(["there is no column of numbers.", *_reported(decisions), _NONE])
            )
        for column in features:
            self._check(column)
        if features:
            rows, filled = self._complete(features, missing)
            blocks = [_as_features(column, rows) for column in features]
        else:
            rows, filled = np.arange(len(self.columns[0].cells)), ()
            blocks = [((ALIKE,), np.zeros((len(rows), 1)))]
        X = freeze(_side_by_side([values for _, values in blocks]))
        names = [feature for known, _ in blocks for feature in known]
        ends = np.cumsum([len(known) for known, _ in blocks]).tolist()
        made = {column.name: end - 1 for column, end in zip(features, ends, strict=False)}
        known = next(iter(self._of("class", decisions)), None)
        truth, classes = _classes(known, rows) if known else (None, ())
        named = next(iter(self._of("name", decisions)), None)
        weighing = next(iter(self._of("weight", decisions)), None)
        remarks = self.remarks(decisions)
        notices = (*_reported(decisions), *remarks, *filled, *_unknown_classes(known, rows))
        both = zip(self.columns, decisions, strict=True)
        stays = [each for each in both if not each[0].aside or each[1].role == "feature"]
        return Dataset(
            name=Path(self.file).stem.encode("utf-8", "replace").decode(),  # may be other bytes
            X=X,
            features=tuple(names),
            truth=truth if classes else None,
            classes=classes,
            k=self._k(classes, decisions),
            notices=notices,
            names=tuple(_taken(named.texts(), rows)) if named else (),
            weights=self._weights(weighing, rows) if weighing else None,
            origin=Origin(
                columns=tuple(_kept(column, rows, X, made) for column, _ in stays),
                decisions=tuple(decision for _, decision in stays),
                rows=freeze(rows),
                missing=missing if filled else None,
                unknown=self.unknown,
                skip=self.skip,
                borders=self.table.borders,
                shapes=self.table.shapes,
                file=Path(self.file).name,
                style=CsvStyle.of(self.table.delimiter, self.style.comma),
            ),
        )

    def _k(self, classes: Sequence[str], decisions: Sequence[Decision]) -> int | None:
        if self.table.k is not None or not any(map(gives_k, decisions)):
            return self.table.k
        return len(classes) or None

    def _of(self, role: Role, decisions: Sequence[Decision]) -> list[Column]:
        both = zip(self.columns, decisions, strict=True)
        return [column for column, decision in both if decision.role == role]

    def _weights(self, column: Column, rows: IntArray) -> FloatArray:
        """Return the weights of some rows; refuse a cell that is none."""
        if column.kind != "number":
            raise FileFormatError(f"column {column.name!r} is no numbers and cannot be a weight.")
        wrong = column.missing | column.bad | (np.nan_to_num(column.values) < 0.0)
        if wrong[rows].any():
            i = int(rows[wrong[rows]][0])
            cell = "empty" if column.missing[i] else repr(str(column.cells[i]).strip())
            where = f"{self.table.place(i)}, column {column.name!r}"
            raise FileFormatError(f"{where} is {cell}; a weight is a number of at least 0.")
        return freeze(column.values[rows].astype(np.float64))

    def _check(self, column: Column) -> None:
        """Refuse a feature with a cell that is no number whose squares can be added up."""
        if column.kind == "text" and not column.has_categories:
            raise FileFormatError(
                f"column {column.name!r} has {column.n_distinct:,} different words in "
                f"{len(column.missing):,} rows, too many for features; leave it out."
            )
        if column.kind == "empty" or (column.kind == "date" and not column.is_countable):
            what = "is empty"
            if column.kind == "date":
                what = "holds times of day, or dates whose day and month are ambiguous,"
            raise FileFormatError(f"column {column.name!r} {what} and cannot be a feature.")
        if column.kind == "number" and column.bad.any():
            i = int(np.flatnonzero(column.bad)[0])
            cell = quote(str(column.cells[i]).strip())
            where = f"{self.table.place(i)}, column {column.name!r}"
            is_huge = np.isfinite(column.values[i])
            what = "too large to add up squares" if is_huge else "not a finite number"
            raise FileFormatError(
                f"{where} is {cell}, {what}. If it means that the value is missing, "
                f"say so (unknown = {cell})."
            )

    def _complete(
        self, features: Sequence[Column], missing: Missing | None
    ) -> tuple[IntArray, tuple[str, ...]]:
        """Return the rows that become points, and a sentence on missing values if there are any."""
        gone = np.column_stack([column.missing for column in features])
        broken = np.asarray(gone.any(axis=1))
        rows = np.arange(len(gone), dtype=np.int64)
        if not broken.any():
            return rows, ()
        many = int(gone.sum())
        values = f"{many:,} value{'s' if many > 1 else ''}"
        first = int(np.flatnonzero(broken)[0])
        where = f"{self.table.place(first)}, column {features[int(gone[first].argmax())].name!r}"
        if missing == "median":
            return rows, (f"{values} that were missing are the median of their column.",)
        if missing is None:
            raise FileFormatError(
                f"{where} is empty; {values} in {_count(broken)} are missing. Say what to do: drop "
                "these rows, or fill in the median (missing = drop or median)."
            )
        if broken.all():
            raise FileFormatError("every row has a missing value, so that none is left.")
        return rows[~broken], (f"{_count(broken)} with missing values are left out.",)


def _reported(decisions: Sequence[Decision]) -> list[str]:
    """Return a sentence for each role that was guessed."""
    return [
        f"Column {each.column!r} {_IN_WORDS[each.role]} ({each.why})."
        for each in decisions
        if each.why and each.why not in _OBVIOUS
    ]


_IN_WORDS = {
    "feature": "is a feature",
    "class": "is taken as the known classes",
    "name": "is taken as the points' names",
    "weight": "is taken as the points' weights",
    "ignore": "is left out",
}
_OBVIOUS = {NUMBERS, "not among the columns asked for", "empty"}


def _count(rows: NDArray[np.bool_]) -> str:
    many = int(rows.sum())
    return f"{many:,} of {len(rows):,} rows"


def _side_by_side(blocks: Sequence[FloatArray]) -> FloatArray:
    """Return the columns of all blocks as one table."""
    width = sum(each.shape[1] for each in blocks)
    X = np.empty((len(blocks[0]), width), dtype=np.result_type(*blocks))
    for some in row_strips(*X.shape):
        X[some] = np.column_stack([each[some] for each in blocks])
    return X


def _kept(column: Column, rows: IntArray, X: FloatArray, made: Mapping[str, int]) -> Cells:
    """Return a column's cells for some rows, as a view of the points if it became a feature.

    A view saves memory in a table of a million points.
    """
    cells = column.plain()
    is_array = isinstance(cells, np.ndarray) and cells.dtype == X.dtype
    if is_array and column.name in made and not column.missing[rows].any():
        return X[:, made[column.name]]
    return _taken(cells, rows) if len(rows) < len(column.missing) else cells


def _taken(cells: Cells, rows: IntArray) -> Cells:
    return cells[rows] if isinstance(cells, np.ndarray) else [cells[i] for i in rows.tolist()]


def _as_features(column: Column, rows: IntArray) -> tuple[tuple[str, ...], FloatArray]:
    """Return the features of a column and their values: the column, or one for each word."""
    if column.is_countable:
        values = column.values
        if column.missing.any():
            values = np.where(column.missing, np.nanmedian(values), values)
        return (column.name,), (values if len(rows) == len(values) else values[rows])[:, None]
    texts = np.array(column.texts())[rows]
    if column.yes:
        return _as_yes(column, texts)
    if len(column.common) < column.n_distinct:
        texts = np.where(np.isin(texts, list(column.common)), texts, OTHERS)
    words = np.unique(texts)
    names = tuple(f"{column.name}{OF_WORD}{word}" for word in words.tolist())
    return names, (texts[:, None] == words).astype(np.float64)


def _as_yes(column: Column, texts: np.ndarray) -> tuple[tuple[str, ...], FloatArray]:
    """Return 1 for yes, 0 for no, and the more frequent of them where the word is missing."""
    is_yes = np.char.lower(texts) == column.yes.lower()
    there = texts != ""
    is_yes[~there] = 2 * is_yes.sum() > there.sum()
    return (f"{column.name}{OF_WORD}{column.yes}",), is_yes[:, None].astype(np.float64)


def _classes(column: Column, rows: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    cells = [None if column.missing[i] else column.cells[i] for i in rows.tolist()]
    return encode_classes(cells)


def _unknown_classes(column: Column | None, rows: IntArray) -> tuple[str, ...]:
    """Return how many rows have no class, and that -1 is one where there are others."""
    if column is None:
        return ()
    said = []
    if many := int(column.missing[rows].sum()):
        said.append(f"{many:,} rows have no class; links and scores leave them out.")
    numbers = column.values[rows] if column.kind == "number" else np.zeros(0)
    minus = int((numbers == -1).sum())
    if minus and column.n_distinct > 2:  # -1 and 1 alone are two classes
        said.append(
            f"-1 is the class of {minus:,} rows; if it means that none is known, name it as a word "
            "for missing values."
        )
    return tuple(said)
