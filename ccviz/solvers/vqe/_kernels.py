"""Compiled passes over the links: the price of each broken one, and the end that moves."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


@njit(cache=True)
def settle_pairs(
    near: FloatArray,
    between: FloatArray,
    labels: IntArray,
    must: IntArray,
    cannot: IntArray,
    pulls: FloatArray,
) -> None:
    """Give the ends of each broken link the two clusters of least CVQE.

    Parameters
    ----------
    near : (n, k) float64
        Squared distances of points to centres.
    between : (k, k) float64
        Squared distances of centres, inf on the diagonal.
    labels : (n,) int64
        Changed in place.
    must, cannot : (m, 2) int64
    pulls : (k, k) float64
        Filled: number of links that stay broken and pull cluster j to centre h.
    """
    for e in range(len(must)):
        a, b = must[e]
        if labels[a] != labels[b]:
            i, j = _cheapest_pair(near[a], near[b], between, True)
            labels[a], labels[b] = i, j
            if i != j:
                pulls[i, j] += 1.0
    for e in range(len(cannot)):
        a, b = cannot[e]
        if labels[a] == labels[b]:
            i, j = _cheapest_pair(near[a], near[b], between, False)
            labels[a], labels[b] = i, j
            if i == j:
                pulls[i, np.argmin(between[i])] += 1.0


@njit(cache=True)
def _cheapest_pair(
    near_a: FloatArray, near_b: FloatArray, between: FloatArray, must: bool
) -> tuple[int, int]:
    k = len(near_a)
    best, first, second = np.inf, 0, 0
    for i in range(k):
        for j in range(k):
            cost = near_a[i] + near_b[j]
            if must and i != j:
                cost += between[i, j]
            elif not must and i == j:
                cost += np.min(between[i])
            if cost < best:
                best, first, second = cost, i, j
    return first, second


@njit(cache=True)
def settle_ends(
    X: FloatArray,
    near: FloatArray,
    labels: IntArray,
    must: IntArray,
    cannot: IntArray,
    pull: FloatArray,
    weight: FloatArray,
) -> float:
    """Keep each broken link at its price, or move one end: the cheaper in LCVQE; return the price.

    Parameters
    ----------
    X : (n, d) float64
    near : (n, k) float64
        Squared distances of points to centres.
    labels : (n,) int64
        Changed in place.
    must, cannot : (m, 2) int64
    pull : (k, d) float64
        Filled: weighted sum of the points that pull a centre for a broken link.
    weight : (k,) float64
        Filled: the sum of their weights.

    Returns
    -------
    float
        Half the weighted squared distances of the points that pull to their centres.
    """
    price = 0.0
    for e in range(len(must)):
        a, b = must[e]
        i, j = labels[a], labels[b]
        if i == j:
            continue
        # As printed, apart is never below the cheaper of the others: it wins only as their equal.
        apart = (near[a, i] + near[b, j]) / 2 + (near[a, j] + near[b, i]) / 4
        in_first = (near[a, i] + near[b, i]) / 2
        in_second = (near[a, j] + near[b, j]) / 2
        if apart <= in_first and apart <= in_second:
            pull[i] += X[b] / 2
            pull[j] += X[a] / 2
            weight[i] += 0.5
            weight[j] += 0.5
            price += (near[a, j] + near[b, i]) / 4
        elif in_first <= in_second:
            labels[b] = i
        else:
            labels[a] = j
    for e in range(len(cannot)):
        a, b = cannot[e]
        i = labels[a]
        if i != labels[b]:
            continue
        far = a if near[a, i] >= near[b, i] else b
        other = _nearest_but(near[far], i)
        # As printed: to keep a broken cannot-link costs as much as moving the farther end, and
        # that end's distance besides, so it is kept only where the end lies on its centre.
        if other < 0 or near[far, i] <= 0.0:
            if other >= 0:
                pull[other] += X[far]
                weight[other] += 1.0
                price += near[far, other] / 2
        else:
            labels[far] = other
    return price


@njit(cache=True)
def _nearest_but(near: FloatArray, barred: int) -> int:
    best = -1
    for j in range(len(near)):
        if j != barred and (best < 0 or near[j] < near[best]):
            best = j
    return best
