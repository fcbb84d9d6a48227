"""Compiled passes over linked points, of CVQE, LCVQE and DILS."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit

# --- CVQE and LCVQE: the price of each broken link, and the end that moves ------------------------


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

    `near` (n, k): Squared distances of points to centres. `between` (k, k): Squared distances of
    centres, inf on the diagonal. `labels` (n,): Changed in place. `pulls` (k, k): Filled: number of
    links that stay broken and pull cluster j to centre h.
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

    `near` (n, k): Squared distances of points to centres. `labels` (n,): Changed in place. `pull`
    (k, d): Filled: weighted sum of the points that pull a centre for a broken link. `weight` (k,):
    Filled: the sum of their weights. Returns: Half the weighted squared distances of the points
    that pull to their centres.
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


# --- The local search of DILS ---------------------------------------------------------------------
#
# The fitness of one move is computed from sums of distances, not from all pairs: ``reach[i, j]`` is
# the sum of the distances of point i to the points of cluster j, and a move that is made changes it
# by one distance a point.


@njit(cache=True)
def _distance(x: FloatArray, y: FloatArray) -> float:
    """Return the Euclidean distance of two points."""
    total = 0.0
    for t in range(len(x)):
        total += (x[t] - y[t]) ** 2
    return np.sqrt(total)


@njit(cache=True)
def _reach_of(X: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return (n, k) sums of distances, and (k,) those inside clusters, each pair once."""
    n = len(X)
    reach, inner = np.zeros((n, k)), np.zeros(k)
    for i in range(n):
        for u in range(i):
            d = _distance(X[i], X[u])
            reach[i, labels[u]] += d
            reach[u, labels[i]] += d
            if labels[i] == labels[u]:
                inner[labels[i]] += d
    return reach, inner


@njit(cache=True)
def _mean_distance(inner: FloatArray, size: IntArray) -> float:
    """Return the mean over the clusters of the mean distance of their pairs."""
    total = 0.0
    for j in range(len(size)):
        if size[j] > 1:
            total += inner[j] / (0.5 * size[j] * (size[j] - 1))
    return total / len(size)


@njit(cache=True)
def _broken_by(
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

    `labels` (n,): Changed in place. `links` (n + 1,): Compressed sparse rows: start, neighbour,
    price of sharing a cluster. `broken`: Weight of the links that the labels break. `order` (r, n):
    Orders of the points to go through in turn. `turns` (r, n): For each of them, where its turn
    through the other clusters starts.
    """
    start, neighbour, price = links
    size = np.bincount(labels, minlength=k)
    reach, inner = _reach_of(X, labels, k)
    fitness = _mean_distance(inner, size) * (1.0 + broken)
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
            apart = _broken_by(i, a, labels, start, neighbour, price)
            for turn in range(k - 1):
                b = (a + 1 + (turns[r, place] + turn) % (k - 1)) % k
                seen += 1
                cost = broken - apart + _broken_by(i, b, labels, start, neighbour, price)
                _shift(i, a, b, reach, inner, size)
                new = _mean_distance(inner, size) * (1.0 + cost)
                if new < fitness:
                    labels[i], fitness, broken = b, new, cost
                    _update_reach(i, a, b, X, reach)
                    break
                _shift(i, b, a, reach, inner, size)
    return fitness, broken


@njit(cache=True)
def _shift(i: int, a: int, b: int, reach: FloatArray, inner: FloatArray, size: IntArray) -> None:
    """Take point i from cluster a to b in the sums that one fitness needs."""
    inner[a] -= reach[i, a]
    inner[b] += reach[i, b]
    size[a] -= 1
    size[b] += 1


@njit(cache=True)
def _update_reach(i: int, a: int, b: int, X: FloatArray, reach: FloatArray) -> None:
    """Take point i from cluster a to b in the other points' sums."""
    for u in range(len(X)):
        d = _distance(X[u], X[i])
        reach[u, a] -= d
        reach[u, b] += d
