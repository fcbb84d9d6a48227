"""In which order blocks enter: heavy ones are placed first, near neighbours far from each other."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray


def entry_order(square: FloatArray, mass: FloatArray, count: FloatArray) -> IntArray:
    """Return the blocks in the order of the search; the last ones are the first problem.

    The blocks placed early should cost much, and so should those left: the sum of both costs is
    the bound. So each half has a part of every neighbourhood (after M. J. Brusco, 2006, who
    separates nearest neighbours).

    Parameters
    ----------
    square : (s, s) float64
        Squared distances of blocks of one point; those of others are not read.
    mass, count : (s,) float64
        Weight and number of points of each block.
    """
    light = np.flatnonzero(count == 1)
    heavy = np.flatnonzero(count > 1)
    heavy = heavy[np.argsort(-mass[heavy], kind="stable")]
    return np.concatenate([heavy, _separated(square, light)])


def _separated(square: FloatArray, chosen: IntArray) -> IntArray:
    """Part near neighbours between two halves, and again within each half."""
    if len(chosen) < 3:
        return chosen
    first, second = _pairs(square, chosen)
    return np.concatenate([_separated(square, first), _separated(square, second)])


def _pairs(square: FloatArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Pair points up, nearest pairs first; the one left over goes to the first half."""
    square = square[np.ix_(chosen, chosen)]
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
