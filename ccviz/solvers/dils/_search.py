"""The compiled local search of DILS.

The fitness of one move is computed from sums of distances, not from all pairs: ``reach[i, j]``
is the sum of the distances of point i to the points of cluster j, and a move that is made changes
it by one distance a point.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


@njit(cache=True)
def distance(x: FloatArray, y: FloatArray) -> float:
    """Return the Euclidean distance of two points."""
    total = 0.0
    for t in range(len(x)):
        total += (x[t] - y[t]) ** 2
    return np.sqrt(total)


@njit(cache=True)
def reach_of(X: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return (n, k) sums of distances, and (k,) those inside clusters, each pair once."""
    n = len(X)
    reach, inner = np.zeros((n, k)), np.zeros(k)
    for i in range(n):
        for u in range(i):
            d = distance(X[i], X[u])
            reach[i, labels[u]] += d
            reach[u, labels[i]] += d
            if labels[i] == labels[u]:
                inner[labels[i]] += d
    return reach, inner


@njit(cache=True)
def mean_distance(inner: FloatArray, size: IntArray) -> float:
    """Return the mean over the clusters of the mean distance of their pairs."""
    total = 0.0
    for j in range(len(size)):
        if size[j] > 1:
            total += inner[j] / (0.5 * size[j] * (size[j] - 1))
    return total / len(size)


@njit(cache=True)
def broken_by(
    i: int, j: int, labels: IntArray, start: IntArray, neighbour: IntArray, price: FloatArray
) -> float:
    """Return the price of cluster j for point i: weights of cannot-links less must-links."""
    total = 0.0
    for e in range(start[i], start[i + 1]):
        if labels[neighbour[e]] == j:
            total += price[e]
    return total


@njit(cache=True)
def local_search(
    X: FloatArray,
    labels: IntArray,
    k: int,
    links: tuple[IntArray, IntArray, FloatArray],
    broken: float,
    order: IntArray,
    turns: IntArray,
    most: int,
) -> tuple[float, float]:
    """Move single points while it improves the fitness D (1 + broken weight).

    Parameters
    ----------
    X : (n, d) float64
    labels : (n,) int64
        Changed in place.
    k : int
    links : tuple of (n + 1,), (2m,) and (2m,) arrays
        Compressed sparse rows: start, neighbour, price of sharing a cluster.
    broken : float
        Weight of the links that the labels break.
    order : (r, n) int64
        Orders of the points to go through in turn.
    turns : (r, n) int64
        For each of them, where its turn through the other clusters starts.
    most : int
        Moves to look at.

    Returns
    -------
    fitness, broken : float
    """
    start, neighbour, price = links
    size = np.bincount(labels, minlength=k)
    reach, inner = reach_of(X, labels, k)
    fitness = mean_distance(inner, size) * (1.0 + broken)
    seen = 0
    for r in range(len(order)):
        for place in range(len(X)):
            if seen >= most:
                return fitness, broken
            i = order[r, place]
            a = labels[i]
            if size[a] == 1:
                seen += 1  # no move leaves a cluster empty
                continue
            apart = broken_by(i, a, labels, start, neighbour, price)
            for turn in range(k - 1):
                b = (a + 1 + (turns[r, place] + turn) % (k - 1)) % k
                seen += 1
                cost = broken - apart + broken_by(i, b, labels, start, neighbour, price)
                shift(i, a, b, reach, inner, size)
                new = mean_distance(inner, size) * (1.0 + cost)
                if new < fitness:
                    labels[i], fitness, broken = b, new, cost
                    update_reach(i, a, b, X, reach)
                    break
                shift(i, b, a, reach, inner, size)
    return fitness, broken


@njit(cache=True)
def shift(i: int, a: int, b: int, reach: FloatArray, inner: FloatArray, size: IntArray) -> None:
    """Take point i from cluster a to b in the sums that one fitness needs."""
    inner[a] -= reach[i, a]
    inner[b] += reach[i, b]
    size[a] -= 1
    size[b] += 1


@njit(cache=True)
def update_reach(i: int, a: int, b: int, X: FloatArray, reach: FloatArray) -> None:
    """Take point i from cluster a to b in the other points' sums."""
    for u in range(len(X)):
        d = distance(X[u], X[i])
        reach[u, a] -= d
        reach[u, b] += d
