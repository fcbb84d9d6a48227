"""The clusters that are assumed before any answer: k-means in the metric of its own clusters.

K-means makes the trace of the scatter within the clusters small, and so looks for round ones. Here
its determinant is to be small (Friedman and Rubin 1967, Journal of the American Statistical
Association 62): k-means, and a change of coordinates in which the scatter within its clusters is
round, take turns until no point changes its cluster. Stretched clusters are found so, whatever the
units of the features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.active.pieces import nearest_centers
from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.partition import cluster_means
from ccviz.solvers.common.seeding import plain_kmeans

_STARTS = 5
"""Starts from different k-means, every second one where the scatter of all points is round."""
_CLEARLY = 0.5
"""Logarithm of the factor by which the determinant of a start in other coordinates than the given
ones must be smaller to be preferred: near ties say nothing, and the given ones mostly mean
something."""
_ROUNDS = 30
"""Changes of coordinates in a start at most; most starts take fewer than ten."""
_ROUNDNESS = 0.03
"""Variance added to the scatter in every direction, as a share of the points' mean variance: a
direction in which the clusters have no width does not outweigh all others."""
_SAMPLE, _PER_CLUSTER = 2000, 20
"""Points by which coordinates and centres are found: up to the first number, more where there are
fewer than the second for each cluster."""
_FEATURES = 50
"""Leading directions of the points that stand for more features."""


@dataclass(frozen=True, eq=False)
class OwnMetric:
    """A clustering, and the coordinates in which its clusters are round.

    Attributes
    ----------
    clusters : (n,) int64
    points : (n, d) float64
        The points in these coordinates, of at most 50 features.
    """

    clusters: IntArray
    points: FloatArray


def own_metric(X: FloatArray, k: int, seed: int) -> OwnMetric:
    """Return the clusters of least determinant that a few starts find.

    Parameters
    ----------
    X : (n, d) float64
    k : int
    seed : int

    Returns
    -------
    OwnMetric
    """
    rng = np.random.default_rng(seed)
    most = max(_SAMPLE, _PER_CLUSTER * k)
    some = np.arange(len(X)) if len(X) <= most else rng.choice(len(X), most, replace=False)
    points = _standard(X, some, seed)
    whole = _round(np.atleast_2d(np.cov(points[some], rowvar=False, bias=True)))
    found = []
    for start in range(_STARTS):
        begin, handicap = (whole, _CLEARLY) if start % 2 else (np.eye(len(whole)), 0.0)
        clusters = _settled(points[some], begin, k, seed * _STARTS + start)
        found.append((clusters.determinant + handicap, clusters))
    best = min(found, key=lambda each: each[0])[1]
    rounded = points @ best.shape
    return OwnMetric(nearest_centers(rounded, best.centers @ best.shape)[0], rounded)


def _standard(X: FloatArray, some: IntArray, seed: int) -> FloatArray:
    """Return the points about their mean with a mean variance of one, in few directions."""
    from sklearn.decomposition import PCA

    points = X - X[some].mean(axis=0)
    if points.shape[1] > _FEATURES:
        few = min(_FEATURES, len(some))
        leading = PCA(few, svd_solver="randomized", random_state=seed).fit(points[some])
        points = leading.transform(points)
    return points / (np.sqrt((points[some] ** 2).mean()) or 1.0)


@dataclass(frozen=True, eq=False)
class _Settled:
    """Where a start ends: the determinant's logarithm, coordinates that make it round, centres."""

    determinant: float
    shape: FloatArray
    centers: FloatArray


def _settled(points: FloatArray, shape: FloatArray, k: int, seed: int) -> _Settled:
    """Let k-means and coordinates take turns, beginning with k-means in the given coordinates."""
    clusters = plain_kmeans(points @ shape, k, seed, n_init=_STARTS).labels_
    for _ in range(_ROUNDS):
        centers = np.nan_to_num(cluster_means(points, clusters, k))  # where points coincide: none
        apart = points - centers[clusters]
        shape = _round(apart.T @ apart / len(points))
        moved = plain_kmeans(points @ shape, k, seed, n_init=1, init=centers @ shape).labels_
        if np.array_equal(moved, clusters):
            break
        clusters = moved
    return _Settled(-2.0 * float(np.linalg.slogdet(shape)[1]), shape, centers)


def _round(covariance: FloatArray) -> FloatArray:
    """Return (d, d) the coordinates in which points of a covariance are round."""
    wider = covariance + _ROUNDNESS * np.eye(len(covariance))
    return np.linalg.cholesky(np.linalg.inv(wider))
