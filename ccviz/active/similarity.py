"""How alike points are, seen in several ways; the answers decide which of them to believe.

Each view is a matrix with ones on its diagonal: Gaussians of three widths, two resolvents of the
graph of near neighbours (Zhu, Lafferty and Ghahramani 2003, with the local scaling of Zelnik-Manor
and Perona 2004), and how often k-means of several k puts two points into one cluster (Fred and
Jain 2005).
"""

from __future__ import annotations

import numpy as np
import scipy

from ccviz.arrays import FloatArray
from ccviz.solvers.common.seeding import plain_kmeans

WIDTHS = (0.05, 0.2, 0.6)
"""Widths of the Gaussians, as shares of the median squared distance."""

NEIGHBOURS = 10
RESTARTS = (0.02, 0.2)
"""Restart probabilities of a walk on the graph of neighbours: far views first."""

PARTS = (1, 1, 2, 2, 4, 4, 8)
"""Clusters of the k-means runs, as multiples of k."""


def views(X: FloatArray, k: int, seed: int) -> list[FloatArray]:
    """Return the similarities of all pairs of points in each view.

    Parameters
    ----------
    X : (n, d) float64
    k : int
        Number of clusters looked for.
    seed : int

    Returns
    -------
    list of (n, n) float64
    """
    squared = scipy.spatial.distance.cdist(X, X, "sqeuclidean")
    typical = float(np.median(squared[np.triu_indices(len(X), 1)])) or 1.0
    gaussians = [np.exp(-squared / (typical * width)) for width in WIDTHS]
    laplacian = _laplacian(squared)
    walks = [_resolvent(laplacian, restart) for restart in RESTARTS]
    return [*gaussians, *walks, _shared_clusters(X, k, seed)]


def _laplacian(squared: FloatArray) -> FloatArray:
    """Return the normalised Laplacian of the graph that joins points to their near neighbours."""
    n = len(squared)
    count = min(NEIGHBOURS, n - 1)
    near = np.argsort(squared, axis=1, kind="stable")[:, 1 : count + 1]
    reach = np.sqrt(squared[np.arange(n), near[:, min(6, count - 1)]]) + 1e-12
    row, column = np.repeat(np.arange(n), count), near.ravel()
    weight = np.zeros((n, n))
    weight[row, column] = np.exp(-squared[row, column] / (reach[row] * reach[column]))
    weight = np.maximum(weight, weight.T)
    root = np.sqrt(np.maximum(weight.sum(axis=1), 1e-300))
    return np.eye(n) - weight / np.outer(root, root)


def _resolvent(laplacian: FloatArray, restart: float) -> FloatArray:
    kernel = np.linalg.inv(laplacian + restart * np.eye(len(laplacian)))
    root = np.sqrt(np.diag(kernel))
    return kernel / np.outer(root, root)


def _shared_clusters(X: FloatArray, k: int, seed: int) -> FloatArray:
    shared = np.zeros((len(X), len(X)))
    for run, parts in enumerate(PARTS):
        clusters = max(1, min(k * parts, len(X) // 3))
        labels = plain_kmeans(X, clusters, seed + run, n_init=1).labels_
        shared += labels[:, None] == labels
    return shared / len(PARTS)
