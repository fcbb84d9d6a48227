"""Compiled nearest centres of blocks without links, with bounds that spare most distances.

Hamerly (2010): a block whose own centre is nearer than any other can have come since the last
pass, or nearer than half the way to the next centre, keeps it without looking at the others.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import half_gaps, squared_distance, squared_distances


@njit(cache=True, nogil=True)
def assign_nearest(
    centroid: FloatArray,
    mass: FloatArray,
    free: IntArray,
    centers: FloatArray,
    drift: FloatArray,
    labels: IntArray,
    lower: FloatArray,
) -> float:
    """Give each free block its nearest centre, in place; return their cost.

    Parameters
    ----------
    centroid : (s, d) float64
    mass : (s,) float64
    free : (f,) int64
        The blocks to look at.
    centers : (k, d) float64
    drift : (k,) float64
        Distance that each centre moved since the last pass.
    labels : (s,) int64
        Those of the last pass, -1 where there are none.
    lower : (f,) float64
        Lower bound on the distance to the second nearest centre, kept from pass to pass.
    """
    k = len(centers)
    turned = np.ascontiguousarray(centers.T)
    half = half_gaps(centers)
    furthest = np.argmax(drift)
    most, second = drift[furthest], 0.0
    for j in range(k):
        if j != furthest:
            second = max(second, drift[j])
    distance, cost = np.empty(k), 0.0
    for p in range(len(free)):
        b = free[p]
        own = labels[b]
        if own >= 0:
            paid = squared_distance(centroid[b], centers[own])
            lower[p] -= second if own == furthest else most
            if np.sqrt(paid) <= max(lower[p], half[own]):
                cost += mass[b] * paid
                continue
        squared_distances(centroid[b], turned, distance)
        best, other = (0, np.inf) if own < 0 else (own, np.inf)
        for j in range(k):
            if distance[j] < distance[best]:
                best = j
        for j in range(k):
            if j != best and distance[j] < other:
                other = distance[j]
        labels[b], lower[p] = best, np.sqrt(other)
        cost += mass[b] * distance[best]
    return cost
