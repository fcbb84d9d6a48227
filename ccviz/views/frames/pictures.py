"""Points whose features are pixels, as pictures."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from math import isqrt

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset

_SIDE_AT_LEAST = 4
_PIXEL = re.compile(r"(?:pixel|px)[ _]?(\d+)(?:_(\d+))?", re.IGNORECASE)


def pixels(features: tuple[str, ...]) -> tuple[int, int] | None:
    """Return rows and columns of the picture that features are the pixels of, None if of none.

    Such are called ``pixel_0_0``, row and column, or ``pixel0``, ``pixel1`` … of a square, row by
    row in both cases.

    Parameters
    ----------
    features : tuple of str
    """
    found = [_PIXEL.fullmatch(name) for name in features]
    if len(found) < _SIDE_AT_LEAST**2 or not all(found):
        return None
    at = [each.groups() for each in found if each is not None]
    if at[-1][1] is not None:
        shape = int(at[-1][0]) + 1, int(at[-1][1]) + 1
    else:
        shape = isqrt(len(features)), isqrt(len(features))
    return shape if shape[0] * shape[1] == len(features) else None


def pictures(data: Dataset, points: Sequence[int] | slice = slice(None)) -> FloatArray | None:
    """Return how dark each pixel of some points is, from 0 to 1; None unless features are pixels.

    Parameters
    ----------
    data : Dataset
    points : sequence of int
        All if not given.

    Returns
    -------
    (m, rows, columns) float64 or None
    """
    shape = pixels(data.features)
    if shape is None:
        return None
    darkest = float(np.abs(data.X).max()) or 1.0
    return np.asarray(np.clip(data.X[points] / darkest, 0.0, 1.0)).reshape(-1, *shape)


def addresses(data: Dataset, points: Sequence[int] | slice = slice(None)) -> list[str]:
    """Return the picture of each point as the address of an image; empty if there are none.

    It contains no text from a file.

    Parameters
    ----------
    data : Dataset
    points : sequence of int
        All if not given.
    """
    drawn = pictures(data, points)
    if drawn is None:
        return []
    grey = np.rint(255.0 * (1.0 - drawn)).astype(np.uint8)
    return [f"data:image/png;base64,{b64encode(_png(each)).decode()}" for each in grey]


def _png(grey: np.ndarray) -> bytes:
    """Return an image of 8 bits a pixel as the PNG specification has it."""
    height, width = grey.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
