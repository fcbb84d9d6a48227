"""The other half of an iteration: centres from labels, and costs from centres."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.compiled import njit


@njit(cache=True, fastmath={"reassoc", "contract"})
def squared_distance(x: FloatArray, y: FloatArray) -> float:
    """Return the squared Euclidean distance of two points."""
    total = 0.0
    for t in range(len(x)):
        total += (x[t] - y[t]) ** 2
    return total


@njit(cache=True, fastmath={"reassoc", "contract"})
def squared_distances(x: FloatArray, turned: FloatArray, distance: FloatArray) -> None:
    """Fill the squared distances of a point to all centres, given as columns."""
    distance[:] = 0.0
    for t in range(len(x)):
        for j in range(len(distance)):
            distance[j] += (x[t] - turned[t, j]) ** 2


@njit(cache=True)
def half_gaps(centers: FloatArray) -> FloatArray:
    """Return half the distance of each centre to the next one."""
    half = np.full(len(centers), np.inf)
    for i in range(len(centers)):
        for j in range(len(centers)):
            if i != j:
                half[i] = min(half[i], np.sqrt(squared_distance(centers[i], centers[j])) / 2)
    return half


@njit(cache=True)
def block_costs(centroid: FloatArray, mass: FloatArray, centers: FloatArray) -> FloatArray:
    """Return the (s, k) cost that each block adds to the WCSS at each centre, without its scatter.

    Differences are squared, not expanded: data far from the origin lose no digits.
    """
    s, k = len(centroid), len(centers)
    cost = np.empty((s, k))
    for b in range(s):
        for j in range(k):
            cost[b, j] = mass[b] * squared_distance(centroid[b], centers[j])
    return cost


@njit(cache=True, nogil=True)
def some_costs(
    centroid: FloatArray, mass: FloatArray, some: IntArray, centers: FloatArray
) -> FloatArray:
    """Return the (m, k) `block_costs` of some blocks, by their numbers."""
    cost = np.empty((len(some), len(centers)))
    for p in range(len(some)):
        for j in range(len(centers)):
            cost[p, j] = mass[some[p]] * squared_distance(centroid[some[p]], centers[j])
    return cost


@njit(cache=True, nogil=True)
def some_wcss(
    centroid: FloatArray,
    mass: FloatArray,
    some: IntArray,
    labels: IntArray,
    centers: FloatArray,
) -> float:
    """Return the cost of (m,) labels of some blocks around given centres."""
    total = 0.0
    for p in range(len(some)):
        total += mass[some[p]] * squared_distance(centroid[some[p]], centers[labels[p]])
    return total


@njit(cache=True)
def block_means(
    centroid: FloatArray, mass: FloatArray, labels: IntArray, centers: FloatArray
) -> FloatArray:
    """Return (k, d) the mean of each cluster; an empty one keeps its centre."""
    total, weight = block_sums(centroid, mass, labels, len(centers))
    return means_of(total, weight, centers)


@njit(cache=True, nogil=True)
def block_sums(
    centroid: FloatArray, mass: FloatArray, labels: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Return (k, d) the sum of mass times centroid of each cluster, and (k,) its mass."""
    d = centroid.shape[1]
    total, weight = np.zeros((k, d)), np.zeros(k)
    for b in range(len(labels)):
        weight[labels[b]] += mass[b]
        row = total[labels[b]]  # by itself: the loop over it becomes vector instructions
        for t in range(d):
            row[t] += mass[b] * centroid[b, t]
    return total, weight


def row_sums(
    points: FloatArray, labels: IntArray, k: int, weights: FloatArray | None
) -> FloatArray:
    """Return (k, d) weighted sums of the clusters' points, as `cluster_sums` does."""
    mass = np.ones(len(points)) if weights is None else weights
    return np.asarray(block_sums(freeze(points), freeze(mass), labels, k)[0])


@njit(cache=True)
def means_of(total: FloatArray, weight: FloatArray, centers: FloatArray) -> FloatArray:
    """Return the means behind sums, in the sums' place; an empty cluster keeps its centre."""
    k, d = centers.shape
    for j in range(k):
        for t in range(d):
            total[j, t] = total[j, t] / weight[j] if weight[j] > 0 else centers[j, t]
    return total


@njit(cache=True, nogil=True)
def block_wcss(
    centroid: FloatArray, mass: FloatArray, labels: IntArray, centers: FloatArray
) -> float:
    """Return the WCSS of labels around given centres, without the blocks' scatter."""
    total = 0.0
    for b in range(len(labels)):
        total += mass[b] * squared_distance(centroid[b], centers[labels[b]])
    return total
