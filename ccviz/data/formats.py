"""Tables from the bytes of a file: text, NumPy, Parquet, Arrow, Excel and GeoJSON."""

from __future__ import annotations

import csv
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from ccviz.arrays import row_strips
from ccviz.data.cells import NumberStyle, is_missing_text, unguarded
from ccviz.data.geojson import read_geojson
from ccviz.data.table import (
    FOUND,
    MOST_BYTES,
    MOST_POINTS,
    MOST_TEXT_VALUES,
    Header,
    Skip,
    Table,
    check_size,
    decoded,
    find_table,
    own_names,
    skipped,
)
from ccviz.distribution import install_command
from ccviz.errors import FileFormatError
from ccviz.numbers import whole

_WORKBOOKS = {".xlsx", ".xlsm"}
_UNREADABLE = {
    ".xls": "an old Excel workbook; save it as .xlsx or as CSV",
    ".ods": "an OpenDocument sheet; save it as .xlsx or as CSV",
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "JSON; save it as CSV, Parquet or Arrow"),
}
_FOREIGN = {
    (b"pk\3\4",): "a zip file or a workbook; unpack it, or give the workbook the ending .xlsx",
    (b"\xd0\xcf\x11\xe0",): _UNREADABLE[".xls"],
    (b"@relation",): "an ARFF file; save it as CSV",
    (b"%pdf",): "a PDF; copy its table and paste it on the page, or save it as CSV",
    (b"\x89png", b"\xff\xd8\xff", b"gif8"): "a picture; tables are CSV, Excel or Parquet files",
    (b"<html", b"<!doctype", b"<table"): "a web page; copy its table and paste it on the page",
}
"""What a file is by its first bytes, in small letters."""


def read_cells(data: bytes, name: str, header: Header, worksheet: str | None, skip: Skip) -> Table:
    """Read a table from the bytes of a file; its suffix decides the format.

    The arguments are those of `ccviz.data.sheet.open_sheet`, and so are the errors.
    """
    suffix = Path(name).suffix.lower()
    if not data.strip():
        raise FileFormatError("the file is empty.")
    if suffix == ".geojson" or (suffix == ".json" and b'"FeatureCollection"' in data):
        suffix = ".geojson"
    if worksheet is not None and suffix not in _WORKBOOKS:
        raise FileFormatError(f"this is no workbook and has no worksheet {worksheet!r}.")
    kinds = [
        what for begin, what in _FOREIGN.items() if data.lstrip()[:9].lower().startswith(begin)
    ]
    is_book = suffix in _WORKBOOKS and data.startswith(b"PK")
    if suffix in _UNREADABLE or (kinds and not is_book):
        raise FileFormatError(f"this is {kinds[0] if kinds else _UNREADABLE[suffix]}.")
    if suffix == ".npy":
        table = read_npy(data)
    elif suffix == ".geojson":
        table = read_geojson(data)
    elif suffix in {".parquet", ".pq", ".arrow", ".feather", ".ipc"}:
        table = read_arrow(data)
    elif suffix in _WORKBOOKS:
        table = read_excel(data, header, worksheet)
    else:
        table = read_text(data, header, skip)
    if not len(table.places):
        raise FileFormatError("there are no rows of numbers.")
    return table


# --- Text: CSV with any separator, and the format ``n d [k]`` of the literature -------------------


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
    text, is_unicode = decoded(data)
    notices: tuple[str, ...] = ()
    if not is_unicode:
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
    while skip[1] is None and len(rows) > 1:
        line, cells = rows[-1]
        if len(cells) >= width or any(map(_is_number, cells)):
            break
        notes.insert(0, line)
        rows = rows[:-1]
    head, tail = skip[0] or 0, len(rows) - (skip[1] or 0)
    for at, (line, cells) in enumerate(rows):
        if at < head or at >= tail:
            rows[at] = (line, [*cells, *[""] * width][:width])
        elif len(cells) > width and not any(map(str.strip, cells[width:])):
            rows[at] = (line, cells[:width])
    return rows, notes


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


# --- NumPy, Parquet and Arrow ---------------------------------------------------------------------


_BROKEN_HEADER = (
    ValueError, TypeError, SyntaxError, TokenError, OverflowError, RecursionError, MemoryError,
    AttributeError,
)  # fmt: skip
"""Errors of NumPy's reader for a malformed header, which it evaluates as a Python literal."""

_BROKEN_BOOK = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, EOFError, OSError,
    KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError, RuntimeError,
    SyntaxError, AssertionError,
)  # fmt: skip
"""Errors that openpyxl and its XML parser raise for damaged or unusual workbooks."""

_NPY_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0}


def read_npy(data: bytes) -> Table:
    """Read an (n, d) array of numbers from the bytes of a .npy file."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        header = _NPY_HEADERS.get(version, np.lib.format.read_array_header_2_0)
        shape, _, dtype = header(file)
    except _BROKEN_HEADER as broken:
        raise FileFormatError(f"this is not an array in NumPy's format: {broken}.") from None
    whole = all(type(size) is int and size >= 0 for size in shape)  # True is none
    if dtype.kind not in "fiub" or len(shape) != 2 or not whole:
        raise FileFormatError(
            f"the array must be n points by d features of numbers, not {shape} of {dtype}."
        )
    check_size(*shape)
    try:
        X = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OverflowError, MemoryError):
        raise FileFormatError("the array breaks off in the middle.") from None
    return Table(own_names([""] * shape[1]), _columns(X), range(len(X)), is_bare=True)


def _columns(X: np.ndarray) -> list[np.ndarray]:
    """Return the columns of an array, each in one piece of memory: they are passed over often."""
    turned = np.empty(X.shape[::-1], dtype=X.dtype)
    for some in row_strips(*X.shape):
        turned[:, some] = X[some].T
    return list(turned)


def read_arrow(data: bytes) -> Table:
    """Read a table from the bytes of a Parquet file, or an Arrow (Feather) one.

    Raises `FileFormatError` if it is neither, is too large, or pyarrow is not installed.
    """
    # Imported here: pyarrow takes half a second, and few files are of this kind.
    try:
        import pyarrow as pa
        from pyarrow import ipc, parquet
    except ImportError:
        raise FileFormatError(_missing("Parquet and Arrow", "pyarrow")) from None
    try:
        if data.startswith(b"PAR1"):
            file = parquet.ParquetFile(io.BytesIO(data))
            check_size(file.metadata.num_rows, len(file.schema_arrow.names))
            table = file.read()
        else:
            # A stream has no magic bytes at its start.
            opened = ipc.open_file if data.startswith(b"ARROW1") else ipc.open_stream
            table = opened(io.BytesIO(data)).read_all()
            check_size(table.num_rows, table.num_columns)
        table.validate(full=True)  # offsets of a damaged table may point outside its buffers
        plain = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in table.columns
        ]
        columns = [column.to_numpy(zero_copy_only=False) for column in plain]
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as broken:
        if isinstance(broken, FileFormatError):
            raise
        reason = next(iter(str(broken).splitlines()), "it is damaged")
        raise FileFormatError(f"this is not a readable Parquet or Arrow file: {reason}") from None
    return Table(own_names(table.column_names), columns, range(table.num_rows))


def _missing(kind: str, library: str) -> str:
    return f"reading {kind} needs {library}: {install_command('tables')}, or save it as CSV."


def read_excel(data: bytes, header: Header = None, worksheet: str | None = None) -> Table:
    """Read a worksheet of an Excel workbook from its bytes.

    `header`: Number of the row that names the columns; see `ccviz.data.table.find_table`.
    `worksheet`: Its name; by default the first worksheet that is not empty. Raises
    `FileFormatError` if it is not such a workbook, is too large, has no such worksheet, or openpyxl
    is not installed.
    """
    worksheets, chosen, rows = _rows_of(data, worksheet)
    check_size(len(rows), max((len(cells) for _, cells in rows), default=0))
    at, is_named = find_table(rows, header, _holds_number, "row")
    (place, first), body = rows[at], rows[at + is_named :]
    width = max(_width(cells) for _, cells in rows[at:])
    others = [f"Worksheet {chosen!r} is read, one of {len(worksheets)} in the file."]
    others = others if len(worksheets) > 1 else []
    names = [*first, *[None] * width][:width] if is_named else [None] * width
    return Table(
        own_names(names),
        [[cells[j] if j < len(cells) else None for _, cells in body] for j in range(width)],
        [number for number, _ in body],
        notices=(*others, *skipped(at, place, "row")),
        header=place if is_named else 0,
        worksheets=worksheets,
        worksheet=chosen,
    )


def _holds_number(cell: Any) -> bool:
    return isinstance(cell, int | float)


Row = tuple[int, tuple[Any, ...]]


def _rows_of(data: bytes, worksheet: str | None) -> tuple[tuple[str, ...], str, list[Row]]:
    """Return the names of the worksheets with cells, the one that is read, and its rows."""
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        raise FileFormatError(_missing("Excel", "openpyxl")) from None
    try:
        _check_unpacked(data)
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        filled = {
            sheet.title: sheet
            for sheet in book.worksheets
            if any(map(_width, sheet.iter_rows(values_only=True)))
        }
        if not filled:
            raise FileFormatError("all worksheets of the workbook are empty.")
        chosen = _first_of_numbers(filled) if worksheet is None else worksheet
        if chosen not in filled:
            named = ", ".join(map(repr, filled))
            raise FileFormatError(f"there is no worksheet {chosen!r}; there are {named}.")
        return tuple(filled), chosen, _numbered(filled[chosen])
    except (InvalidFileException, *_BROKEN_BOOK) as broken:
        if isinstance(broken, FileFormatError):
            raise
        raise FileFormatError("this is not a readable Excel workbook (.xlsx).") from None


def _first_of_numbers(filled: dict[str, Any]) -> str:
    """Return the first worksheet with two numbers, by its name; the first one if there is none."""
    for title, sheet in filled.items():
        cells = (cell for row in sheet.iter_rows(values_only=True) for cell in row)
        if len(list(islice(filter(_holds_number, cells), 2))) == 2:
            return title
    return next(iter(filled))


def _numbered(sheet: Any) -> list[Row]:
    """Return the rows of a worksheet that are not blank, with their numbers."""
    numbered: list[Row] = []
    for at, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if _width(cells):
            numbered.append((at, cells))
            check_size(len(numbered) - 1, 1)
    return numbered


def _width(cells: tuple[Any, ...]) -> int:
    """Return how many cells there are up to the last that is not empty."""
    return max((j for j, cell in enumerate(cells, 1) if cell is not None), default=0)


def _check_unpacked(data: bytes) -> None:
    """Refuse a workbook that is too large when unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        size = sum(part.file_size for part in packed.infolist())
    if size > MOST_BYTES:
        raise FileFormatError(
            f"unpacked, the workbook has {size >> 20} MiB, but at most {MOST_BYTES >> 20} are read."
        )
