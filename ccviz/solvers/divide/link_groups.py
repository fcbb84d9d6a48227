"""Groups of linked blocks that go to one part together, so that their cannot-links are kept.

A cannot-link between two parts is dropped, which may weaken the bound: most where both ends are
nearest to the same centre. So links join their ends into groups, those links first, up to a largest
number of blocks.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import IntArray
from ccviz.compiled import njit


def most_likely_lost_first(conflicts: IntArray, nearest: IntArray) -> IntArray:
    """Return the conflicts in order: first those whose ends are nearest to the same centre.

    Parameters
    ----------
    conflicts : (c, 2) int64
    nearest : (s,) int64
        The nearest centre of each block.
    """
    loose = nearest[conflicts[:, 0]] != nearest[conflicts[:, 1]]
    return conflicts[np.argsort(loose, kind="stable")]


def link_groups(conflicts: IntArray, free: np.ndarray, most: int) -> IntArray:
    """Return the group of each block, named by one of its blocks.

    Parameters
    ----------
    conflicts : (c, 2) int64
        In the order in which they join blocks.
    free : (s,) bool
        Blocks that may be grouped.
    most : int
        Largest number of blocks in a group.
    """
    both = free[conflicts[:, 0]] & free[conflicts[:, 1]]
    root = np.arange(len(free))
    _join(conflicts[both], root, np.ones(len(free), np.int64), most)
    return root


@njit(cache=True, entry=True)  # pragma: no cover - compiled
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
