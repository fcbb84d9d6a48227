"""Time series of a run, computed in advance: values with the moments of their change.

At a moment the player shows the newest value up to it, so stepping back costs nothing. Large series
are bounded: if one grows too long, every second entry is dropped and the newest is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST_BYTES = 3 << 20


class Timeline:
    """The values of one thing.

    Parameters
    ----------
    most_bytes : int
        How large all arrays together may be.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._at: list[int] = []
        self._values: list[Any] = []
        self._bytes = 0

    def put(self, at: int, value: Any) -> None:
        """Take a value that came at a moment, if it is another one than before."""
        if self._values and _same(self._values[-1], value):
            return
        if self._at and self._at[-1] == at:
            self._at.pop()
            self._bytes -= _size(self._values.pop())
        self._at.append(at)
        self._values.append(value)
        self._bytes += _size(value)
        while self._bytes > self._most_bytes and len(self._values) > 1:
            self._thin()

    def _thin(self) -> None:
        last = len(self._values) - 1
        kept = [*range(1, last, 2), last]
        self._at = [self._at[place] for place in kept]
        self._values = [self._values[place] for place in kept]
        self._bytes = sum(map(_size, self._values))

    def told(self) -> dict[str, Any]:
        """Return moments and values."""
        return {"at": np.array(self._at, dtype=np.int64), "values": self._values}


def _size(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return 0


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray) or isinstance(new, np.ndarray):
        return type(old) is type(new) and np.array_equal(old, new)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[name], new[name]) for name in old)
    return bool(old == new)


class Table:
    """Rows of numbers, each with the moment at which it came.

    Parameters
    ----------
    columns : tuple of str
    most : int
        How many rows there may be.
    """

    def __init__(self, columns: tuple[str, ...], most: int = 50_000) -> None:
        self._columns, self._most = columns, most
        self._rows: list[tuple[Any, ...]] = []

    def put(self, at: int, *values: Any) -> None:
        """Take a row."""
        self._rows.append((at, *values))
        if len(self._rows) > self._most:
            del self._rows[1:-1:2]

    def told(self) -> dict[str, Any]:
        """Return the columns as arrays, the moments as ``at``."""
        names = ("moment", *self._columns)
        columns = list(zip(*self._rows, strict=True)) or [()] * len(names)
        return {name: _array(values) for name, values in zip(names, columns, strict=True)}


def _array(values: tuple[Any, ...]) -> np.ndarray:
    array = np.array(values)
    return array if len(array) else np.zeros(0)
