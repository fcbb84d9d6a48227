"""Multipliers in single precision, where that holds them."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray

_SINGLE = (1e-30, 1e38)
"""Range of the largest multiplier for which single precision keeps all its digits."""


def compact(values: FloatArray) -> np.ndarray:
    """Return multipliers in single precision, which halves a stored tree, if it can hold them."""
    largest = float(np.abs(values).max(initial=0.0))
    fits = largest == 0.0 or _SINGLE[0] < largest < _SINGLE[1]
    return values.astype(np.float32) if fits else values
