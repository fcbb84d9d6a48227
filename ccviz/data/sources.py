"""Reading bytes from files and uploads, with limits on their size."""

from __future__ import annotations

import os
from pathlib import Path

from ccviz.errors import FileFormatError

MOST_POINTS = 1_000_000
MOST_VALUES = 40_000_000
MOST_TEXT_VALUES = 10_000_000  # most values of a text file: each is a Python object while read
MOST_COLUMNS = 50_000
MOST_BYTES = 1 << 29

Source = str | Path | bytes


def read_bytes(source: Source, name: str) -> bytes:
    """Return the content of a file, or the given bytes, within the limit on size.

    Parameters
    ----------
    source : path or bytes
    name : str
        Name of the file in errors.

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


def check_size(n: int, d: int) -> None:
    """Raise `FileFormatError` if a table of n rows and d columns is too large.

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
    if d > MOST_COLUMNS:
        raise FileFormatError(
            f"there are {d:,} columns, but at most {MOST_COLUMNS:,} are supported."
        )
    if n * d > MOST_VALUES:
        raise FileFormatError(
            f"{n:,} rows of {d:,} columns are more than the {MOST_VALUES:,} values that are read."
        )


def decode_text(data: bytes) -> str:
    """Return text from its bytes: UTF-8, UTF-16 with its mark, otherwise Windows-1252 (Latin-1).

    Parameters
    ----------
    data : bytes

    Returns
    -------
    str

    Raises
    ------
    FileFormatError
        If it is not text; the sentence names the line.
    """
    text = _decoded(data)
    before, zero, _ = text.partition("\0")
    if zero:
        raise FileFormatError(f"line {before.count(chr(10)) + 1} is not text.")
    return text


def is_unicode(data: bytes) -> bool:
    """Whether bytes are text in UTF-8 or UTF-16.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    bool
    """
    try:
        data.decode(_unicode(data))
    except UnicodeDecodeError:
        return False
    return True


def _unicode(data: bytes) -> str:
    return "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def _decoded(data: bytes) -> str:
    for encoding in (_unicode(data), "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
