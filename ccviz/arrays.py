"""Names for the arrays that are passed around; making one read-only, passing over a large one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
ShortArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]

_CELLS = 1 << 19  # cells that are computed at a time


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array after it was set read-only.

    Parameters
    ----------
    array : array of any shape
    """
    array.setflags(write=False)
    return array


def row_strips(n: int, width: int) -> Iterator[slice]:
    """Yield a few rows of a large table at a time, so that no second large one is made.

    Parameters
    ----------
    n : int
        Rows of the table.
    width : int
        Cells that are computed for each.
    """
    step = max(1, _CELLS // max(1, width))
    for at in range(0, n, step):
        yield slice(at, at + step)
