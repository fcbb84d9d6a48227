"""In which order blocks enter: heavy ones are placed first, near neighbours far from each other."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray


def entry_order(point: FloatArray, mass: FloatArray) -> IntArray:
    """Return the blocks as the search places them; the last ones are the first problem.

    What is placed early should already cost much, and what is left should cost much by itself: the
    sum of both is the bound. So both have a part of every neighbourhood (after M. J. Brusco, 2006,
    who separates nearest neighbours).

    Parameters
    ----------
    point : (s, d) float64
    mass : (s,) float64
    """
    light = np.flatnonzero(mass == 1)
    heavy = np.flatnonzero(mass > 1)
    heavy = heavy[np.argsort(-mass[heavy], kind="stable")]
    return np.concatenate([heavy, _separated(point, light)])


def _separated(point: FloatArray, chosen: IntArray) -> IntArray:
    """Part near neighbours between two halves, and again within each half."""
    if len(chosen) < 3:
        return chosen
    first, second = _pairs(point, chosen)
    return np.concatenate([_separated(point, first), _separated(point, second)])


def _pairs(point: FloatArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Pair points up, nearest pairs first; the one left over goes to the first half."""
    square = cdist(point[chosen], point[chosen], "sqeuclidean")
    rows, columns = np.triu_indices(len(chosen), 1)
    free = np.ones(len(chosen), dtype=bool)
    first, second = [], []
    for pair in np.argsort(square[rows, columns], kind="stable"):
        i, j = rows[pair], columns[pair]
        if free[i] and free[j]:
            free[i] = free[j] = False
            first.append(chosen[i])
            second.append(chosen[j])
    first += list(chosen[free])
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
