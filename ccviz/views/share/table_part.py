"""The table behind the points as a part of a project file: its columns and their roles."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from ccviz.data.csv_style import CsvStyle, Delimiter
from ccviz.data.datasets import Dataset
from ccviz.data.origin import Decision, Missing, Origin, Role
from ccviz.data.table import Cells
from ccviz.errors import CcvizError
from ccviz.runs.file import plain


class _Column(msgspec.Struct):
    """Cells of a column: texts, or numbers as bytes in little-endian order."""

    column: str
    role: Role
    why: str
    kind: Literal["text", "<i8", "<f8"]
    texts: list[str] = []
    numbers: bytes = b""


class _Part(msgspec.Struct):
    """Names of the points, and the table that they come from, if there is one."""

    names: list[str]
    file: str = ""
    missing: Missing | None = None
    rows: bytes = b""
    columns: list[_Column] | None = None
    delimiter: Delimiter = ","  # 0.1 does not say
    comma: bool = False


def encode_table(data: Dataset) -> bytes:
    """Return what a data set knows besides its points.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    bytes
    """
    names, origin = list(data.names), data.origin
    if origin is None:
        return msgspec.msgpack.encode(_Part(names))
    columns = [
        _column(decision, cells)
        for decision, cells in zip(origin.decisions, origin.columns, strict=True)
    ]
    rows = origin.rows.astype("<i8").tobytes()
    style = (origin.style.delimiter, origin.style.comma)
    return msgspec.msgpack.encode(_Part(names, origin.file, origin.missing, rows, columns, *style))


def _column(decision: Decision, cells: Cells) -> _Column:
    about = (decision.column, decision.role, decision.why)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "if":
        kind: Literal["<i8", "<f8"] = "<i8" if cells.dtype.kind == "i" else "<f8"
        return _Column(*about, kind, numbers=cells.astype(kind).tobytes())
    return _Column(*about, "text", texts=list(map(str, cells)))


def decode_table(content: bytes, n: int) -> tuple[tuple[str, ...], Origin | None]:
    """Return the names of n points and their table.

    Parameters
    ----------
    content : bytes
    n : int

    Returns
    -------
    names : tuple of str
    origin : Origin or None

    Raises
    ------
    CcvizError
        If it does not fit the points.
    """
    part = msgspec.msgpack.decode(content, type=_Part)
    names = tuple(map(plain, part.names))
    _expect(len(names) in {0, n})
    if part.columns is None:
        return names, None
    rows = _numbers(part.rows, "<i8", n).astype(np.int64)
    _expect(bool((np.diff(rows, prepend=-1) > 0).all()))
    _expect(len({each.column for each in part.columns}) == len(part.columns))
    origin = Origin(
        columns=tuple(_cells(each, n) for each in part.columns),
        decisions=tuple(
            Decision(plain(each.column), each.role, plain(each.why)) for each in part.columns
        ),
        rows=rows,
        missing=part.missing,
        file=plain(part.file),
        style=CsvStyle(part.delimiter, part.comma),
    )
    return names, origin


def _cells(column: _Column, n: int) -> Cells:
    if column.kind != "text":
        return _numbers(column.numbers, column.kind, n)
    _expect(len(column.texts) == n)
    return column.texts


def _numbers(content: bytes, kind: str, n: int) -> np.ndarray:
    _expect(len(content) == 8 * n)
    return np.frombuffer(content, dtype=kind)


def _expect(sound: bool) -> None:
    if not sound:
        raise CcvizError("its table does not fit its points.")
