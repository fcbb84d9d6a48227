"""Ways to fill clusters that ran empty, and nearest centres.

The compiled loops over blocks have theirs in `ccviz.solvers.assignment.centers`.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray


def farthest_moves(labels: IntArray, paid: FloatArray, k: int) -> list[tuple[int, int]]:
    """Return a point for each empty cluster: the farthest from its centre that is not alone.

    `paid` (n,): Squared distance of each point to its centre.
    """
    size, moves = np.bincount(labels, minlength=k), []
    taken = np.zeros(len(labels), dtype=bool)
    for empty in np.flatnonzero(size == 0).tolist():
        spare = np.flatnonzero((size[labels] > 1) & ~taken)
        point = int(spare[paid[spare].argmax()])
        size[labels[point]] -= 1
        taken[point] = True
        moves.append((point, empty))
    return moves


def fill_cheapest(labels: IntArray, cost: FloatArray) -> IntArray:
    """Move a block into each empty cluster at the least rise of the cost.

    No conflict is broken, since the cluster has no other block.
    """
    labels, k = labels.copy(), cost.shape[1]
    for empty in np.setdiff1d(np.arange(k), labels):
        spare = np.flatnonzero(np.bincount(labels, minlength=k)[labels] > 1)
        if len(spare):
            rise = cost[spare, empty] - cost[spare, labels[spare]]
            labels[spare[rise.argmin()]] = empty
    return labels


def fill_randomly(labels: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """Move a random point, of a cluster with others, into each empty cluster.

    `labels` (n,): Changed in place.
    """
    for empty in np.setdiff1d(np.arange(k), labels):
        count = np.bincount(labels, minlength=k)
        labels[rng.choice(np.flatnonzero(count[labels] > 1))] = empty
    return labels


def nearest_centers(points: FloatArray, centers: FloatArray) -> IntArray:
    """Return the nearest (k, d) centre of each of the (s, d) points."""
    away = (centers**2).sum(axis=1) - 2.0 * (points @ centers.T)
    return away.argmin(axis=1).astype(np.int64)
