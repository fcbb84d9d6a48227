"""Data from files: CSV, the text format ``n d [k]``, NumPy and Parquet.

Every reader takes a path, or the bytes of an upload with the name it had. A file that cannot be
used ends in one sentence that names the line and the reason.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.data.tables import Table, to_dataset
from ccviz.errors import FileFormatError
from ccviz.problem.points import is_number

MOST_POINTS = 200_000
MOST_VALUES = 20_000_000
MOST_BYTES = 1 << 29

Source = str | Path | bytes


def read_data(
    source: Source, name: str = "", label: str | None = None, header: bool | None = None
) -> Dataset:
    """Read points from a file.

    Parameters
    ----------
    source : path or bytes
    name : str
        File name of the bytes; its ending says the format (.npy, .parquet, else text).
    label : str, optional
        Column of the known classes, by name or zero-based number; ``""`` for none. By default a
        last column called class, label, target or truth, or else the only column of words.
    header : bool, optional
        Whether the first line of a CSV file names the columns; by default it does if none of its
        cells is a number.

    Returns
    -------
    Dataset

    Raises
    ------
    FileFormatError
        If the file cannot be read, is too large, or is no table of numbers; the sentence names
        file, line and reason.
    """
    name = name or (str(source) if not isinstance(source, bytes) else "the data")
    data = read_bytes(source, name)
    try:
        return to_dataset(_table(data, name, header), Path(name).stem, label)
    except FileFormatError as broken:
        raise FileFormatError(f"{name}: {broken}") from None


def read_bytes(source: Source, name: str) -> bytes:
    """Return the content of a file, or the bytes themselves, if they are not too many.

    Parameters
    ----------
    source : path or bytes
    name : str
        For the sentence of an error.

    Returns
    -------
    bytes

    Raises
    ------
    FileFormatError
        If it cannot be read or is too large.
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


def _table(data: bytes, name: str, header: bool | None) -> Table:
    suffix = Path(name).suffix.lower()
    if not data.strip():
        raise FileFormatError("the file is empty.")
    if suffix == ".npy":
        return _read_npy(data)
    if suffix in {".parquet", ".pq"}:
        return _read_parquet(data)
    return _read_text(data, header)


def check_size(n: int, d: int) -> None:
    """Raise `FileFormatError` if a table of n rows and d columns is too large to work with.

    Parameters
    ----------
    n, d : int
        Rows and columns.

    Raises
    ------
    FileFormatError
        If it is.
    """
    if n > MOST_POINTS:
        raise FileFormatError(
            f"there are {n:,} rows, but at most {MOST_POINTS:,} points can be clustered."
        )
    if n * d > MOST_VALUES:
        raise FileFormatError(
            f"{n:,} rows of {d:,} columns are more than the {MOST_VALUES:,} values that are read."
        )


# --- Text -----------------------------------------------------------------------------------


def decode_text(data: bytes) -> str:
    """Return text from its bytes (UTF-8), or raise `FileFormatError` naming the line.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    str

    Raises
    ------
    FileFormatError
        If it is not UTF-8.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        line = data.count(b"\n", 0, broken.start) + 1
        raise FileFormatError(f"line {line} is not text in UTF-8.") from None
    before, zero, _ = text.partition("\0")
    if zero:
        raise FileFormatError(f"line {before.count(chr(10)) + 1} is not text.")
    return text


def _read_text(data: bytes, header: bool | None) -> Table:
    count = data.count(b"\n")
    if count > MOST_POINTS + 2:
        check_size(count, 1)
    text = decode_text(data)
    delimiter = _delimiter(text)
    rows = list(_split(text, delimiter))
    _, first = rows[0]
    if header is None and not delimiter and _is_promise(rows):
        return _keep_promise(rows)
    if header or (header is None and not any(is_number(cell) for cell in first)):
        return _by_columns([cell.strip() for cell in first], rows[1:])
    return _by_columns([f"x{j}" for j in range(len(first))], rows)


def _delimiter(text: str) -> str:
    """Return what stands between the cells of the first line, empty for blanks."""
    first = next(line for line in text.splitlines() if line.strip())
    return max([*",;\t"], key=first.count) if any(mark in first for mark in ",;\t") else ""


def _split(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each line that is not blank, as its number and its cells."""
    lines = text.splitlines()
    if not delimiter:
        yield from ((at, line.split()) for at, line in enumerate(lines, 1) if line.strip())
        return
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as broken:
        raise FileFormatError(f"line {reader.line_num}: {broken}.") from None


def _is_promise(rows: list[tuple[int, list[str]]]) -> bool:
    """Whether the first line is ``n d`` or ``n d k`` and not a point."""
    first = rows[0][1]
    if len(first) not in {2, 3} or not _all_whole(first):
        return False
    n, d = int(first[0]), int(first[1])
    points = [cells for _, cells in rows[1:]]
    if not points or len(points[0]) != d:
        return False
    # A first line as wide as the others may be a point itself, where points are whole numbers.
    return len(first) != d or len(points) == n > 1 or not all(map(_all_whole, points))


def _all_whole(cells: list[str]) -> bool:
    return all(cell.strip().lstrip("-").isdecimal() for cell in cells)


def _keep_promise(rows: list[tuple[int, list[str]]]) -> Table:
    (_, first), *points = rows
    if len(points) != int(first[0]):
        raise FileFormatError(
            f"line {rows[0][0]} says that there are {first[0]} points, but {len(points)} follow."
        )
    table = _by_columns([f"x{j}" for j in range(int(first[1]))], points)
    return Table(table.names, table.columns, table.places, int(first[2]) if first[2:] else None)


def _by_columns(names: list[str], rows: list[tuple[int, list[str]]]) -> Table:
    check_size(len(rows), len(names))
    for line, cells in rows:
        if len(cells) != len(names):
            raise FileFormatError(
                f"line {line} has {len(cells)} value{'s' if len(cells) != 1 else ''}, "
                f"but there are {len(names)} columns."
            )
    columns = list(zip(*(cells for _, cells in rows), strict=True))
    return Table(names, columns, [f"line {line}" for line, _ in rows])


# --- Binary ---------------------------------------------------------------------------------


_NPY_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0}


def _read_npy(data: bytes) -> Table:
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        header = _NPY_HEADERS.get(version, np.lib.format.read_array_header_2_0)
        shape, _, dtype = header(file)
    except ValueError as broken:
        raise FileFormatError(f"this is no array in NumPy's format: {broken}.") from None
    if dtype.kind not in "fiub" or len(shape) != 2:
        raise FileFormatError(
            f"the array must be n points by d features of numbers, not {shape} of {dtype}."
        )
    check_size(*shape)
    try:
        X = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError):
        raise FileFormatError("the array breaks off in the middle.") from None
    names = [f"x{j}" for j in range(shape[1])]
    return Table(names, list(X.T), [f"row {i}" for i in range(len(X))])


def _read_parquet(data: bytes) -> Table:
    # Imported here: pyarrow takes half a second, and few files are Parquet.
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        check_size(file.metadata.num_rows, len(file.schema_arrow.names))
        table = file.read()
    except (pa.ArrowException, OSError) as broken:
        reason = str(broken).splitlines()[0]
        raise FileFormatError(f"this is no Parquet file that can be read: {reason}") from None
    columns = [column.to_numpy(zero_copy_only=False) for column in table.columns]
    places = [f"row {i}" for i in range(table.num_rows)]
    return Table(list(table.column_names), columns, places)
