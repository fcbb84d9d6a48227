"""Sums of squared distances between blocks, without a term that is negative.

A cluster's sum of squares is the sum of the squared distances of its pairs of points, each times
the weights of both, over its weight. Each difference of two doubles has a relative error of 2^-53,
wherever the points lie, and nothing is subtracted after it: so the cost of every clustering has a
small relative error, however far apart the clusters are.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


@njit(cache=True)
def fill_row(
    X: FloatArray,
    weights: FloatArray,
    start: IntArray,
    member: IntArray,
    a: int,
    between: FloatArray,
) -> float:
    """Fill in the sums of one block with all others, and return its own.

    Parameters
    ----------
    X : (n, d) float64
    weights : (n,) float64
        A pair of points counts by the product of theirs.
    start, member : (s + 1,) and (n,) int64
        The points of each block, as compressed rows.
    a : int
        The block.
    between : (s, s) float64
        Row and column ``a`` are changed, from the diagonal on.

    Returns
    -------
    float
        Over pairs of points of the block, each once.
    """
    within = 0.0
    for p in range(start[a], start[a + 1]):
        own = _to_points(X, weights, member[p], member, p + 1, start[a + 1])
        within += weights[member[p]] * own
    for b in range(a + 1, len(between)):
        total = 0.0
        for p in range(start[a], start[a + 1]):
            far = _to_points(X, weights, member[p], member, start[b], start[b + 1])
            total += weights[member[p]] * far
        between[a, b] = between[b, a] = total
    return within


@njit(cache=True)
def _to_points(
    X: FloatArray, weights: FloatArray, i: int, member: IntArray, first: int, last: int
) -> float:
    total = 0.0
    for q in range(first, last):
        square = 0.0
        for t in range(X.shape[1]):
            square += (X[i, t] - X[member[q], t]) ** 2
        total += weights[member[q]] * square
    return total


@njit(cache=True)
def cost_of(
    between: FloatArray, within: FloatArray, mass: FloatArray, labels: IntArray, begin: int, k: int
) -> float:
    """Return the sum of squares of the blocks from ``begin`` on.

    Parameters
    ----------
    between : (s, s) float64
    within, mass : (s,) float64
    labels : (s,) int64
        0 to k - 1 from ``begin`` on.
    begin, k : int

    Returns
    -------
    float
    """
    spread, size = np.zeros(k), np.zeros(k)
    for a in range(begin, len(mass)):
        reach = 0.0
        for b in range(begin, a):
            if labels[b] == labels[a]:
                reach += between[a, b]
        spread[labels[a]] += within[a] + reach
        size[labels[a]] += mass[a]
    cost = 0.0
    for j in range(k):
        if size[j] > 0.0:
            cost += spread[j] / size[j]
    return cost
