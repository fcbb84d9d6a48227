"""Which blocks go to the parts together: those whose cannot-links would otherwise be lost.

A cannot-link between two parts is dropped, which may cost some of the bound: most where both ends
would rather be in the same cluster. So links join their ends to bundles, those first, until a
bundle has as many blocks as allowed.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


def tied(conflicts: IntArray, nearest: IntArray) -> IntArray:
    """Return the conflicts, those first whose ends are nearest to the same centre.

    Parameters
    ----------
    conflicts : (c, 2) int64
    nearest : (s,) int64
        The nearest centre of each block.
    """
    loose = nearest[conflicts[:, 0]] != nearest[conflicts[:, 1]]
    return conflicts[np.argsort(loose, kind="stable")]


def bundled(conflicts: IntArray, free: np.ndarray, most: int) -> IntArray:
    """Return the bundle of each block, named by one of its blocks.

    Parameters
    ----------
    conflicts : (c, 2) int64
        The most important first.
    free : (s,) bool
        Blocks that may be bundled.
    most : int
        At most so many blocks in a bundle.
    """
    both = free[conflicts[:, 0]] & free[conflicts[:, 1]]
    root = np.arange(len(free))
    _join(conflicts[both], root, np.ones(len(free), np.int64), most)
    return root


@njit(cache=True)  # pragma: no cover - compiled
def _join(pairs: IntArray, root: IntArray, size: IntArray, most: int) -> None:
    for c in range(len(pairs)):
        a, b = _find(root, pairs[c, 0]), _find(root, pairs[c, 1])
        if a != b and size[a] + size[b] <= most:
            root[b] = a
            size[a] += size[b]
    for i in range(len(root)):
        root[i] = _find(root, i)


@njit(cache=True)  # pragma: no cover - compiled
def _find(root: IntArray, i: int) -> int:
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i


def nearest_centers(points: FloatArray, centers: FloatArray) -> IntArray:
    """Return the nearest (k, d) centre of each of the (s, d) points."""
    away = (centers**2).sum(axis=1) - 2.0 * (points @ centers.T)
    return away.argmin(axis=1).astype(np.int64)
