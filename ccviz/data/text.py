"""Tables in text files: CSV with any separator, and the format ``n d [k]`` of the literature."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from ccviz.data.cells import NumberStyle, is_missing_text
from ccviz.data.formulas import unguarded
from ccviz.data.table import (
    FOUND,
    MOST_POINTS,
    MOST_TEXT_VALUES,
    Header,
    Skip,
    Table,
    check_size,
    decode_text,
    find_table,
    is_unicode,
    own_names,
    skipped,
)
from ccviz.errors import FileFormatError
from ccviz.numbers import whole

_SEPARATORS = ";\t|,"  # in this order: decimals and words may contain commas, but not semicolons
_SAMPLE = 50
_MOST_NOTES = 3  # lines that may be below a short table
_MOST_TITLES = 10  # lines that may be above the header

Rows = list[tuple[int, list[str]]]


def read_text(data: bytes, header: Header = None, skip: Skip = FOUND) -> Table:
    """Read a table from the bytes of a text file.

    `header`: Number of the line that names the columns; see `ccviz.data.table.find_table`. `skip`:
    Rows that are left out later may have any number of cells; notes at the end are found. Raises
    `FileFormatError` if it is not a table; the sentence names the line.
    """
    count = data.count(b"\n")
    if count > MOST_POINTS + 2:
        check_size(count, 1)
    text = decode_text(data)
    notices: tuple[str, ...] = ()
    if not is_unicode(data):
        notices = ("The file is read as Windows-1252 (Latin-1).",)
    if not text.strip():
        raise FileFormatError("the file is empty.")
    delimiter = find_delimiter(text)
    rows = list(_limited(_split(text, delimiter)))
    if not rows:
        raise FileFormatError("all cells are empty.")
    if header is None and not delimiter and _is_promise(rows):
        return _keep_promise(rows)
    at, is_named = find_table(rows, header, _is_number, "line")
    place, first = rows[at]
    notices += skipped(at, place, "line")
    names = own_names(first if is_named else [""] * len(first))
    points, notes = _fitted(rows[at + is_named :], len(names), skip)
    table = _by_columns(names, points, delimiter, (*notices, *map(_NOTE.format, notes)))
    return replace(table, header=place if is_named else 0, skipped=(0, len(notes)))


_NOTE = "Line {} is a note below the table and is left out."


def _fitted(rows: Rows, width: int, skip: Skip) -> tuple[Rows, list[int]]:
    """Return rows without blank cells beyond the last column, and the lines of notes at the end.

    A note is a row that is too short and has no number. A row that is left out later gets the width
    of the table.
    """
    notes: list[int] = []
    while skip[1] is None and len(rows) > 1 and _is_note(rows[-1][1], width):
        notes.insert(0, rows[-1][0])
        rows = rows[:-1]
    head, tail = skip[0] or 0, len(rows) - (skip[1] or 0)
    for at, (line, cells) in enumerate(rows):
        if at < head or at >= tail:
            rows[at] = (line, [*cells, *[""] * width][:width])
        elif len(cells) > width and not any(map(str.strip, cells[width:])):
            rows[at] = (line, cells[:width])
    return rows, notes


def _is_note(cells: list[str], width: int) -> bool:
    return len(cells) < width and not any(map(_is_number, cells))


def _limited(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows; raise once they have more values than are read from text."""
    total = -1
    for line, cells in rows:
        if total < 0:
            check_size(1, len(cells))
            total = 0  # the first row may be names
        else:
            total += len(cells)
        if total > MOST_TEXT_VALUES:
            raise FileFormatError(
                f"there are more than the {MOST_TEXT_VALUES:,} values that are read from text; "
                "save the table as .npy or Parquet."
            )
        yield line, cells


def _is_number(cell: str) -> bool:
    # A column's name is not a number in any style.
    styles = (NumberStyle(), NumberStyle(comma=True))
    return not is_missing_text(cell) and any(
        number == number for number in (style.number(cell) for style in styles)
    )


def find_delimiter(text: str) -> str:
    """Return the separator of a text's cells, empty for blanks."""
    lines = list(islice((line for line in text.splitlines() if line.strip()), _SAMPLE))
    for below in (*_below_titles(lines), *_above_notes(lines)):
        for mark in _SEPARATORS:
            widths = _widths(below, mark)
            if len(widths) == 1 and widths.pop() > 1:
                return mark
    first = lines[0]
    return max(_SEPARATORS, key=first.count) if any(mark in first for mark in _SEPARATORS) else ""


def _below_titles(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines, and then those below each of the first lines that may be a title."""
    yield lines
    for at, line in enumerate(lines[:_MOST_TITLES], 1):
        if all(map(_is_number, line.split())) or len(lines) < at + 2:
            return
        yield lines[at:]


def _above_notes(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of a short table without each of the last that may be a note, with titles."""
    for below in _below_titles(lines if len(lines) < _SAMPLE else []):
        yield from (below[:-cut] for cut in range(1, min(_MOST_NOTES, len(below) - 2) + 1))


def _widths(lines: list[str], mark: str) -> set[int]:
    """Return the numbers of cells in the lines; empty if they cannot be split at the mark."""
    try:
        return {len(cells) for cells in csv.reader(lines, delimiter=mark)}
    except csv.Error:
        return set()


def _split(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank."""
    lines = text.splitlines()
    if not delimiter:
        yield from ((at, line.split()) for at, line in enumerate(lines, 1) if line.strip())
        return
    reader, has_guards = csv.reader(lines, delimiter=delimiter), "'" in text
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, list(map(unguarded, cells)) if has_guards else cells
    except csv.Error as broken:
        raise FileFormatError(f"line {reader.line_num}: {broken}.") from None


def _is_promise(rows: Rows) -> bool:
    """Whether the first line is a header ``n d`` or ``n d k`` and not a point."""
    first = rows[0][1]
    if len(first) not in {2, 3} or not _all_whole(first):
        return False
    n, d = whole(first[0].strip()), whole(first[1].strip())
    points = [cells for _, cells in rows[1:]]
    if n is None or d is None or not points or len(points[0]) != d:
        return False
    # A first line as wide as the others may be a point, if points are whole numbers.
    return len(first) != d or len(points) == n > 1 or not all(map(_all_whole, points))


def _all_whole(cells: list[str]) -> bool:
    return all(cell.strip().lstrip("-").isdecimal() for cell in cells)


def _keep_promise(rows: Rows) -> Table:
    (_, first), *points = rows
    if len(points) != int(first[0]):
        raise FileFormatError(
            f"line {rows[0][0]} says that there are {first[0]} points, but {len(points)} follow."
        )
    table = _by_columns(own_names([""] * int(first[1])), points, "")
    return replace(table, k=int(first[2]) if first[2:] else None, is_bare=True)


def _by_columns(
    names: tuple[str, ...], rows: Rows, delimiter: str, notices: tuple[str, ...] = ()
) -> Table:
    check_size(len(rows), len(names))
    for line, cells in rows:
        if len(cells) != len(names):
            raise FileFormatError(
                f"line {line} has {len(cells)} value{'s' if len(cells) != 1 else ''}, "
                f"but there are {len(names)} columns. If it is no point, leave out rows below "
                "the names (skip_rows) or at the end (skip_last)."
            )
    columns = [list(cells) for cells in zip(*(cells for _, cells in rows), strict=True)]
    return Table(names, columns, [line for line, _ in rows], "line", delimiter, notices=notices)
