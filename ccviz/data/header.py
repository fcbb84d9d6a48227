"""The row of a table that names its columns, below titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccviz.data.cells import is_missing_text
from ccviz.errors import FileFormatError

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

    Parameters
    ----------
    rows : sequence of (int, sequence of cells)
        Number in the file and cells of each row that is not blank; at least one.
    header : int or bool, optional
        Number of the row that names the columns, 0 or False for none, True for the first row. By
        default the first row does if none of its cells is a number, titles above it left out.
    is_number : callable
        Whether a cell is a number.
    unit : str
        "line" or "row".

    Returns
    -------
    at : int
    is_named : bool

    Raises
    ------
    FileFormatError
        If there is no such row.
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
    most half as many filled cells. A row names columns if none of its cells is a number.

    Parameters
    ----------
    rows : sequence of sequences of cells
        The `FIRST` ones, without blank rows.
    is_number : callable
        Whether a cell is a number.

    Returns
    -------
    int
    """
    width = max((_filled(cells) for cells in rows[:FIRST]), default=0)
    for at, cells in enumerate(rows[:_MOST_ABOVE]):
        if not _is_title(cells, width):
            return 0 if any(map(is_number, cells)) else at
    return 0


def _is_set_apart(
    rows: Sequence[tuple[int, Sequence[Any]]], is_number: Callable[[Any], bool]
) -> bool:
    """Whether the first row is a title as wide as the table: names follow below a blank row."""
    if len(rows) < 3 or any(is_number(cell) for _, cells in rows[:2] for cell in cells):
        return False
    (title, _), (names, cells), (_, values) = rows
    are_names = all(not _is_blank(cell) and _is_name(str(cell)) for cell in cells)
    return names > title + 1 and are_names and any(map(is_number, values))


def _is_name(text: str) -> bool:
    return "\n" not in text and not is_missing_text(text)


def skipped(header: int, place: int, unit: str) -> tuple[str, ...]:
    """Return the sentence on skipped titles; nothing where the header is the first row.

    Parameters
    ----------
    header : int
        Zero-based number of the header among the rows that are not blank.
    place : int
        Number of its line or row in the file.
    unit : str
        "line" or "row".

    Returns
    -------
    tuple of str
    """
    if not header:
        return ()
    return (f"The columns are named in {unit} {place}; the {unit}s above it are skipped.",)


def _filled(cells: Sequence[Any]) -> int:
    return sum(not _is_blank(cell) for cell in cells)


def _is_title(cells: Sequence[Any], width: int) -> bool:
    is_short = len(cells) < width or 2 * _filled(cells) <= width
    return is_short and not _is_blank(cells[0])


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
