"""First centres where points may be left out: those that are farthest do not count.

K-means++ draws a point by its squared distance from the centres, and so the outliers first. Here
the farthest points, as many as may be left out, are never drawn (after Bhaskara, Vadgama and Xu:
Greedy sampling for approximate clustering in the presence of outliers, NeurIPS 2019).
"""

from __future__ import annotations

import numpy as np
import scipy

from ccviz.arrays import FloatArray
from ccviz.problem.partition import cluster_means


def trimmed_seeds(
    points: FloatArray, mass: FloatArray, k: int, outliers: int, rng: np.random.Generator
) -> FloatArray:
    """Draw k centres among points, the farthest ones apart.

    Parameters
    ----------
    points : (s, d) float64
    mass : (s,) float64
    k, outliers : int
        With their sum at most s.
    rng : Generator

    Returns
    -------
    (k, d) float64
    """
    first = int(rng.choice(len(points), p=mass / mass.sum()))
    chosen, paid = [first], mass * _squares(points, points[first])
    for _ in range(k - 1):
        weight = np.where(_largest(paid, outliers), 0.0, paid)
        if not weight.any():  # all that counts is at a centre
            weight = np.ones(len(points))
            weight[chosen] = 0.0
        chosen.append(int(rng.choice(len(points), p=weight / weight.sum())))
        paid = np.minimum(paid, mass * _squares(points, points[chosen[-1]]))
    return points[chosen].astype(np.float64)


def trimmed_centers(
    points: FloatArray,
    mass: FloatArray,
    k: int,
    outliers: int,
    rng: np.random.Generator,
    trials: int,
    iterations: int,
) -> FloatArray:
    """Return the centres of the best of some short k-means that leave the farthest points out.

    Parameters
    ----------
    points, mass, k, outliers, rng
        As for `trimmed_seeds`.
    trials, iterations : int

    Returns
    -------
    (k, d) float64
    """
    best, found = np.inf, np.zeros((0, 0))
    for _ in range(trials):
        centers = trimmed_seeds(points, mass, k, outliers, rng)
        for _ in range(iterations):
            square = mass[:, None] * scipy.spatial.distance.cdist(points, centers, "sqeuclidean")
            labels, paid = square.argmin(axis=1), square.min(axis=1)
            is_out = _largest(paid, outliers)
            kept = float(np.where(is_out, 0.0, paid).sum())
            if kept < best:
                best, found = kept, centers
            means = cluster_means(points, labels, k, np.where(is_out, 0.0, mass))
            moved = np.where(np.isnan(means), centers, means)
            if np.array_equal(moved, centers):
                break
            centers = moved
    return found


def _squares(points: FloatArray, center: FloatArray) -> FloatArray:
    squares: FloatArray = scipy.spatial.distance.cdist(points, center[None], "sqeuclidean")[:, 0]
    return squares


def _largest(paid: FloatArray, outliers: int) -> np.ndarray:
    """Return which of the costs are the largest, as many as outliers."""
    is_out = np.zeros(len(paid), dtype=bool)
    is_out[np.argpartition(paid, len(paid) - outliers)[len(paid) - outliers :]] = True
    return is_out
