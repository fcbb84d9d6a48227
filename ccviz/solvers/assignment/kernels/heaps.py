"""Compiled pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986) for the transportation.

Heap (i, j) orders the points of cluster i by the cost of moving them to cluster j. The entry of
point p for target j is number p k + j, so that entries live in flat arrays, none is ever
allocated, and a point that leaves a cluster is taken out of all its heaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit

NONE = -1


class Heaps(NamedTuple):
    """All heaps.

    Attributes
    ----------
    root : (k, k) int64
        The cheapest entry of each heap.
    key : (n k,) float64
    child, after, before : (n k,) int64
        First child, next sibling, and previous sibling (the parent, for a first child).
    """

    root: IntArray
    key: FloatArray
    child: IntArray
    after: IntArray
    before: IntArray


@njit(cache=True)
def new_heaps(n: int, k: int) -> Heaps:
    """Return empty heaps."""
    return Heaps(
        np.full((k, k), NONE),
        np.empty(n * k),
        np.empty(n * k, np.int32),
        np.empty(n * k, np.int32),
        np.empty(n * k, np.int32),
    )


@njit(cache=True)
def enter(point: int, cluster: int, cost: FloatArray, heaps: Heaps) -> None:
    """Put a point into the heaps of its cluster."""
    k = cost.shape[1]
    for j in range(k):
        if j == cluster or cost[point, j] == np.inf:
            continue
        entry = point * k + j
        heaps.key[entry] = cost[point, j] - cost[point, cluster]
        heaps.child[entry] = heaps.after[entry] = heaps.before[entry] = NONE
        heaps.root[cluster, j] = _meld(heaps.root[cluster, j], entry, heaps)


@njit(cache=True)
def leave(point: int, cluster: int, cost: FloatArray, heaps: Heaps) -> None:
    """Take a point out of the heaps of its cluster."""
    k = cost.shape[1]
    for j in range(k):
        if j == cluster or cost[point, j] == np.inf:
            continue
        entry = point * k + j
        below = _meld_siblings(heaps.child[entry], heaps)
        if heaps.root[cluster, j] == entry:
            heaps.root[cluster, j] = below
        else:
            _cut(entry, heaps)
            heaps.root[cluster, j] = _meld(heaps.root[cluster, j], below, heaps)


@njit(cache=True)
def _meld(a: int, b: int, heaps: Heaps) -> int:
    """Join two heaps by their roots; return the root of both."""
    if a == NONE:
        return b
    if b == NONE:
        return a
    if heaps.key[b] < heaps.key[a]:
        a, b = b, a
    first = heaps.child[a]
    heaps.after[b], heaps.before[b] = first, a
    if first != NONE:
        heaps.before[first] = b
    heaps.child[a] = b
    return a


@njit(cache=True)
def _cut(entry: int, heaps: Heaps) -> None:
    """Take an entry that is no root out of its list of siblings."""
    before, after = heaps.before[entry], heaps.after[entry]
    if heaps.child[before] == entry:
        heaps.child[before] = after
    else:
        heaps.after[before] = after
    if after != NONE:
        heaps.before[after] = before


@njit(cache=True)
def _meld_siblings(first: int, heaps: Heaps) -> int:
    """Join a list of siblings, in pairs forward and then all backward; return the root."""
    pairs, entry = NONE, first
    while entry != NONE:
        second = heaps.after[entry]
        rest = heaps.after[second] if second != NONE else NONE
        heaps.after[entry] = heaps.before[entry] = NONE
        if second != NONE:
            heaps.after[second] = heaps.before[second] = NONE
        root = _meld(entry, second, heaps)
        heaps.after[root] = pairs
        pairs, entry = root, rest
    joined = NONE
    while pairs != NONE:
        rest = heaps.after[pairs]
        heaps.after[pairs] = NONE
        joined = _meld(joined, pairs, heaps)
        pairs = rest
    return joined
