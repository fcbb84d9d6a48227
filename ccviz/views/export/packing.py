"""Data of an exported page: JSON followed by its arrays as plain bytes, deflated, in base64.

No character of base64 has a meaning in HTML, so no content of a data file can end the element
that holds it. ``unpack`` in ``fold.js`` is the inverse.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

_INTS = (np.int8, np.int16, np.int32)
_ALIGNED = 8
_HEAD_BYTES = 8


class Packer:
    """Arrays one after another, referenced by their offsets."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def plain(self, value: Any) -> Any:
        """Return a value as JSON takes it: an array is its type, its shape and its place."""
        if isinstance(value, dict):
            return {name: self.plain(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(each) for each in value]
        if isinstance(value, np.ndarray):
            return self._place(value)
        if isinstance(value, np.generic):
            return value.item()
        return value

    def _place(self, array: np.ndarray) -> dict[str, Any]:
        stored = np.ascontiguousarray(_small(array))
        data = stored.astype(stored.dtype.newbyteorder("<")).tobytes()
        at = self._size
        data += bytes(-len(data) % _ALIGNED)
        self._parts.append(data)
        self._size += len(data)
        kind = stored.dtype.kind + str(stored.dtype.itemsize)
        return {"array": kind, "at": at, "shape": list(stored.shape)}

    @property
    def data(self) -> bytes:
        """All arrays."""
        return b"".join(self._parts)


def _small(array: np.ndarray) -> np.ndarray:
    """Return the array in the smallest type that holds its numbers as they are."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "i" and array.size:
        low, high = int(array.min()), int(array.max())
        for small in _INTS:
            if np.iinfo(small).min <= low and high <= np.iinfo(small).max:
                return array.astype(small)
        return array.astype(np.float64)  # JavaScript has no other number
    return array.astype(np.int8) if array.dtype.kind == "i" else array


def pack(value: Any) -> str:
    """Return a value of dicts, lists, texts, numbers and arrays as one word.

    Parameters
    ----------
    value : Any

    Returns
    -------
    str
        The base64 of a deflated stream: the length of the JSON, the JSON, the arrays.
    """
    packer = Packer()
    text = json.dumps(packer.plain(value), allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNED)
    whole = len(text).to_bytes(_HEAD_BYTES, "little") + text + packer.data
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")
