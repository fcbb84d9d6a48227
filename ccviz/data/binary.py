"""Tables in binary files: NumPy, Parquet, Arrow and Excel."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from itertools import islice
from tokenize import TokenError
from typing import Any

import numpy as np

from ccviz.arrays import row_strips
from ccviz.data.table import MOST_BYTES, Header, Table, check_size, find_table, own_names, skipped
from ccviz.distribution import install_command
from ccviz.errors import FileFormatError

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
            table = _open_arrow(data, ipc).read_all()
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


def _open_arrow(data: bytes, ipc: Any) -> Any:
    """Open an Arrow file, or an Arrow stream, which has no magic bytes at its start."""
    opened = ipc.open_file if data.startswith(b"ARROW1") else ipc.open_stream
    return opened(io.BytesIO(data))


def read_excel(data: bytes, header: Header = None, worksheet: str | None = None) -> Table:
    """Read a worksheet of an Excel workbook from its bytes.

    `header`: Number of the row that names the columns; see `ccviz.data.table.find_table`.
    `worksheet`: Its name; by default the first worksheet that is not empty. Raises
    `FileFormatError` if it is not such a workbook, is too large, has no such worksheet, or openpyxl
    is not installed.
    """
    worksheets, chosen, rows = _rows_of(data, worksheet)
    check_size(len(rows), max((len(cells) for _, cells in rows), default=0))
    at, is_named = find_table(rows, header, _is_number, "row")
    (place, first), body = rows[at], rows[at + is_named :]
    width = max(_width(cells) for _, cells in rows[at:])
    names = [*first, *[None] * width][:width] if is_named else [None] * width
    return Table(
        own_names(names),
        [[cells[j] if j < len(cells) else None for _, cells in body] for j in range(width)],
        [number for number, _ in body],
        notices=(*_left_out(worksheets, chosen), *skipped(at, place, "row")),
        header=place if is_named else 0,
        worksheets=worksheets,
        worksheet=chosen,
    )


def _left_out(worksheets: Sequence[str], chosen: str) -> tuple[str, ...]:
    """Return the sentence on the worksheets that are not read; nothing where there are none."""
    if len(worksheets) == 1:
        return ()
    return (f"Worksheet {chosen!r} is read, one of {len(worksheets)} in the file.",)


def _is_number(cell: Any) -> bool:
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
        filled = {sheet.title: sheet for sheet in book.worksheets if _has_cells(sheet)}
        if not filled:
            raise FileFormatError("all worksheets of the workbook are empty.")
        chosen = _first_of_numbers(filled) if worksheet is None else worksheet
        if chosen not in filled:
            raise FileFormatError(f"there is no worksheet {chosen!r}; there are {_all(filled)}.")
        return tuple(filled), chosen, _numbered(filled[chosen])
    except (InvalidFileException, *_BROKEN_BOOK) as broken:
        if isinstance(broken, FileFormatError):
            raise
        raise FileFormatError("this is not a readable Excel workbook (.xlsx).") from None


def _all(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _first_of_numbers(filled: dict[str, Any]) -> str:
    """Return the first worksheet with two numbers, by its name; the first one if there is none."""
    for title, sheet in filled.items():
        cells = (cell for row in sheet.iter_rows(values_only=True) for cell in row)
        if len(list(islice(filter(_is_number, cells), 2))) == 2:
            return title
    return next(iter(filled))


def _has_cells(sheet: Any) -> bool:
    return any(map(_width, sheet.iter_rows(values_only=True)))


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
