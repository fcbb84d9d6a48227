"""A table as it is read: its source, its header, its cells."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ccviz.arrays import IntArray
from ccviz.data.cells import PLAIN_CSV, CsvStyle, is_missing_text
from ccviz.errors import FileFormatError

__all__ = [
    "FIRST",
    "MISSING",
    "ROLES",
    "ROLE_WORDS",
    "SINGLE",
    "Decision",
    "Missing",
    "Origin",
    "Role",
]

# --- A table as read from a file: named columns of cells, before they get roles -------------------


Cells = Sequence[Any] | np.ndarray
"""The cells of a column: texts, or an array if the file has a type for them."""


@dataclass(frozen=True, eq=False)
class Table:
    """A file's content by columns."""

    names: tuple[str, ...]
    columns: Sequence[Cells]  # (n,): Texts, or arrays if the file has a type for them
    places: Sequence[int]  # (n,): Line number of each row in a text file, else its row number
    unit: str = "row"  # "line" or "row": the unit of ``places``
    delimiter: str = ""  # Separator of a text file; empty for blanks, and for other files
    k: int | None = None
    is_bare: bool = False  # Whether the format holds points only, so that every column is a feature
    notices: tuple[str, ...] = ()  # A sentence for each decision that the reader made by itself
    # Number of the line or row that names the columns, 0 if none does; None where the format says
    # it.
    header: int | None = None
    # Names of the worksheets of a workbook that are not empty; the table is one of them.
    worksheets: tuple[str, ...] = ()
    worksheet: str = ""
    # Numbers of rows that are left out below the names of the columns, and at the end.
    skipped: tuple[int, int] = (0, 0)
    borders: IntArray | None = None  # (m, 2): Rows of areas that share a border
    shapes: tuple[bytes, ...] = ()  # (n,): Of GeoJSON the geometry of each row, as it is written

    def place(self, row: int) -> str:
        """Return a row's line or row number as words for a sentence."""
        return f"{self.unit} {self.places[row]}"


Skip = tuple[int | None, int | None]
"""Numbers of rows to leave out below the names of the columns, and at the end; None: found."""

FOUND: Skip = (None, None)


def own_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return distinct names of columns; missing names become x and the column's number.

    `names`: As in the file; missing ones are empty or None.
    """
    taken: set[str] = set()
    again: dict[str, int] = {}
    found = []
    for j, given in enumerate(names):
        name = base = str(given).strip() if given is not None and str(given).strip() else f"x{j}"
        while name in taken:
            again[base] = again.get(base, 1) + 1
            name = f"{base} ({again[base]})"
        taken.add(name)
        found.append(name)
    return tuple(found)


# --- The row of a table that names its columns, below titles --------------------------------------


Header = int | None
"""Number of the line that names the columns, counted from 1; 0 for no such line. ``True`` is the
first line that is not blank, and None lets the reader find the line."""

FIRST = 50
"""Number of first rows from which the width of the table is measured."""

_MOST_ABOVE = 20
"""Largest number of title rows above a header."""


def find_table(
    rows: Sequence[tuple[int, Sequence[Any]]],
    header: Header,
    is_number: Callable[[Any], bool],
    unit: str,
) -> tuple[int, bool]:
    """Return at which row the table begins, and whether that row names the columns.

    `rows` (int, sequence of cells): Number in the file and cells of each row that is not blank; at
    least one. `header`: Number of the row that names the columns, 0 or False for none, True for the
    first row. By default the first row does if none of its cells is a number, titles above it left
    out.
    """
    if header is None:
        at = find_header([cells for _, cells in rows[:FIRST]], is_number)
        at += _is_set_apart(rows[at : at + 3], is_number)
        return at, not any(map(is_number, rows[at][1]))
    if header is True or not header:
        return 0, bool(header)
    places = [place for place, _ in rows]
    if header not in places:
        raise FileFormatError(f"{unit} {header} is blank or does not exist and names no columns.")
    return places.index(header), True


def find_header(rows: Sequence[Sequence[Any]], is_number: Callable[[Any], bool]) -> int:
    """Return the first row below the titles, where that row names columns; otherwise 0.

    A title is a row whose first cell is filled and that is shorter than the fullest row, or has at
    most half as many filled cells; or a row of a few names, each for several of the names below. A
    row names columns if none of its cells is a number.

    `rows`: The `FIRST` ones, without blank rows.
    """
    width = max((_filled(cells) for cells in rows[:FIRST]), default=0)
    for at, cells in enumerate(rows[:_MOST_ABOVE]):
        if not _is_title(cells, width) and not _is_of_groups(rows[at:], width, is_number):
            return 0 if any(map(is_number, cells)) else at
    return 0


def _is_set_apart(
    rows: Sequence[tuple[int, Sequence[Any]]], is_number: Callable[[Any], bool]
) -> bool:
    """Whether the first row is a title as wide as the table: names follow below a blank row."""
    if len(rows) < 3 or any(is_number(cell) for _, cells in rows[:2] for cell in cells):
        return False
    (title, _), (names, cells), (_, values) = rows
    are_names = all("\n" not in str(cell) and not is_missing_text(str(cell)) for cell in cells)
    return names > title + 1 and are_names and any(map(is_number, values))


def skipped(header: int, place: int, unit: str) -> tuple[str, ...]:
    """Return the sentence on skipped titles; nothing where the header is the first row.

    `header`: Zero-based number of the header among the rows that are not blank.
    """
    if not header:
        return ()
    return (f"The columns are named in {unit} {place}; the {unit}s above it are skipped.",)


def _filled(cells: Sequence[Any]) -> int:
    return sum(not _is_blank(cell) for cell in cells)


def _is_title(cells: Sequence[Any], width: int) -> bool:
    is_short = len(cells) < width or 2 * _filled(cells) <= width
    return is_short and not _is_blank(cells[0])


def _is_of_groups(
    rows: Sequence[Sequence[Any]], width: int, is_number: Callable[[Any], bool]
) -> bool:
    """Whether the first row names groups of columns, the second columns, and numbers follow."""
    if len(rows) < 3 or width < 4 or any(is_number(cell) for row in rows[:2] for cell in row):
        return False
    groups, names = map(_filled, rows[:2])
    has_numbers = any(is_number(cell) for row in rows[2:] for cell in row)
    return _is_blank(rows[0][0]) and 2 * groups <= width < 2 * names and has_numbers


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


# --- Roles of a table's columns, and the whole table that points come from ------------------------


Role = Literal["feature", "class", "name", "weight", "ignore"]
"""Role of a column: points are clustered by features, named and weighted by others."""

ROLES: tuple[Role, ...] = get_args(Role)

ROLE_WORDS: dict[Role, str] = {
    "feature": "feature",
    "class": "known class",
    "name": "name",
    "weight": "weight",
    "ignore": "leave out",
}
"""Labels of the roles."""

SINGLE: frozenset[str] = frozenset({"class", "name", "weight"})
"""Roles that one column has at most."""

Missing = Literal["drop", "median"]
"""Treatment of missing values: leave out their rows, or fill in the column's median."""

MISSING: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True)
class Decision:
    """The role of one column, and the reason.

    Attributes
    ----------
    why : str
        The reason in words; empty if the caller chose the role.
    """

    column: str
    role: Role
    why: str = ""


@dataclass(frozen=True, eq=False)
class Origin:
    """The table that points come from.

    Attributes
    ----------
    columns : tuple of (n,) sequences
        Every column of the table, for the rows that are points: numbers, or texts.
    decisions : tuple of Decision
        One for each of these columns, in the order of the file.
    rows : (n,) int64
        The row of the table that each point is, counted from 0.
    missing : {"drop", "median"} or None
        Treatment of missing values; None if there were none.
    file : str
        Name of the source file.
    style : CsvStyle
        Separator and decimal sign of that file, by default those of CSV.
    unknown : tuple of str
        Words that mean a missing value in it.
    skip : pair of int or None
        Numbers of its rows to leave out below the names of the columns, and at its end.
    borders : (m, 2) int64 or None
        Rows of the table that are areas with a common border; None where they are no areas.
    shapes : tuple of bytes
        Of a GeoJSON file the geometry of each row of the table, as it is written there.
    """

    columns: tuple[Cells, ...]
    decisions: tuple[Decision, ...]
    rows: IntArray
    missing: Missing | None = None
    file: str = ""
    style: CsvStyle = PLAIN_CSV
    unknown: tuple[str, ...] = ()
    skip: Skip = FOUND
    borders: IntArray | None = None
    shapes: tuple[bytes, ...] = field(default=(), repr=False)

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each column, as an argument for `ccviz.data.read_table`."""
        return {each.column: each.role for each in self.decisions}


# --- Reading bytes from files and uploads, with limits on their size ------------------------------


MOST_POINTS = 1_000_000
MOST_VALUES = 40_000_000
MOST_TEXT_VALUES = 10_000_000  # most values of a text file: each is a Python object while read
MOST_COLUMNS = 50_000
MOST_BYTES = 1 << 29

Source = str | Path | bytes


def read_bytes(source: Source, name: str) -> bytes:
    """Return the content of a file, or the given bytes, within the limit on size.

    Raises `FileFormatError` if it cannot be read or is too large.
    """
    if isinstance(source, bytes):
        if len(source) > MOST_BYTES:
            raise FileFormatError(f"{name}: {_too_many_bytes(len(source))}")
        return source
    try:
        size = Path(source).stat().st_size
        if size > MOST_BYTES:
            raise FileFormatError(f"{name}: {_too_many_bytes(size)}")
        return Path(source).read_bytes()
    except OSError as broken:
        reason = os.strerror(broken.errno).lower() if broken.errno else str(broken)
        raise FileFormatError(f"{name} cannot be read: {reason}.") from None
    except ValueError as broken:
        raise FileFormatError(f"{name!r} cannot be read: {broken}.") from None


def _too_many_bytes(size: int) -> str:
    return f"the file has {size >> 20} MiB, but at most {MOST_BYTES >> 20} MiB are read."


def check_size(n: int, d: int) -> None:
    """Raise `FileFormatError` if a table of n rows and d columns is too large."""
    if n > MOST_POINTS:
        raise FileFormatError(
            f"there are {n:,} rows, but at most {MOST_POINTS:,} points can be clustered."
        )
    if d > MOST_COLUMNS:
        raise FileFormatError(
            f"there are {d:,} columns, but at most {MOST_COLUMNS:,} are supported."
        )
    if n * d > MOST_VALUES:
        raise FileFormatError(
            f"{n:,} rows of {d:,} columns are more than the {MOST_VALUES:,} values that are read."
        )


def decode_text(data: bytes, where: str = "") -> str:
    """Return text from its bytes, see `decoded`."""
    return decoded(data, where)[0]


def decoded(data: bytes, where: str = "") -> tuple[str, bool]:
    """Return text from its bytes, and whether they are Unicode: UTF-8, or UTF-16 with its mark.

    Otherwise they are read as Windows-1252 (Latin-1). Raises `FileFormatError` if it is not text;
    the sentence begins with `where` and names the line.
    """
    unicode = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = ""
    for encoding in (unicode, "cp1252", "latin-1"):  # the last one can decode everything
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            break
    before, zero, _ = text.partition("\0")
    if zero:
        raise FileFormatError(f"{where}line {before.count(chr(10)) + 1} is not text.")
    return text, encoding == unicode
