"""Names for the arrays that are passed around, and the one way to make one read-only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
ShortArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Set an array read-only and return it.

    Parameters
    ----------
    array : array of any shape

    Returns
    -------
    the same array
    """
    array.setflags(write=False)
    return array
