"""A few iterations of k-means without weights, as `scipy.cluster.vq.kmeans2` makes them.

`scipy.cluster` loads all of `scipy.spatial` and `scipy.special`, which nothing else in `sdp` needs:
a new process needs 1.0 instead of 0.9 CPU seconds to import the solver, and many a proof takes less
than the difference. One k-means takes as long as SciPy's, and the tests compare both.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.partition import cluster_means

_ITERATIONS = 10


def drawn_centers(rows: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Draw k of the rows by k-means++; some are equal where fewer than k rows differ.

    Parameters
    ----------
    rows : (m, d) float64
    k : int
    rng : Generator

    Returns
    -------
    (k, d) float64
    """
    chosen = [int(rng.integers(len(rows)))]
    nearest = _squares(rows, rows[chosen[0]])
    for _ in range(k - 1):
        total = nearest.sum()
        share = rng.uniform()
        drawn = np.searchsorted(np.cumsum(nearest / total), share) if total > 0.0 else 0
        chosen.append(min(int(drawn), len(rows) - 1))
        nearest = np.minimum(nearest, _squares(rows, rows[chosen[-1]]))
    return rows[chosen]


def short_kmeans(rows: FloatArray, centers: FloatArray) -> tuple[FloatArray, IntArray] | None:
    """Return the centres after a few iterations, and the labels that they are the means of.

    Parameters
    ----------
    rows : (m, d) float64
    centers : (k, d) float64

    Returns
    -------
    centers : (k, d) float64
    labels : (m,) int64
    None instead of both if a cluster ran empty.
    """
    labels = np.zeros(len(rows), dtype=np.int64)
    for _ in range(_ITERATIONS):
        # Squared distances, less the square of each row.
        labels = ((centers**2).sum(axis=1) - 2.0 * (rows @ centers.T)).argmin(axis=1)
        if not np.bincount(labels, minlength=len(centers)).all():
            return None
        centers = cluster_means(rows, labels, len(centers))
    return centers, labels


def _squares(rows: FloatArray, center: FloatArray) -> FloatArray:
    squares: FloatArray = ((rows - center) ** 2).sum(axis=1)
    return squares
