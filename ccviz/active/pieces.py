"""Many points as few pieces, so that a question takes as long for 20,000 points as for 1,000."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray

MOST = 1000
"""Points up to which each is a piece by itself."""

_ROUNDS = 3  # iterations of k-means; the exact borders of small pieces matter little


@dataclass(frozen=True, eq=False)
class Pieces:
    """Small groups of near points.

    Attributes
    ----------
    of : (n,) int64
        The piece of each point.
    representative : (p,) int64
        The point nearest to each piece's mean.
    mass : (p,) float64
        How many points each has.
    """

    of: IntArray
    representative: IntArray
    mass: FloatArray


def cut(X: FloatArray, seed: int, most: int = MOST) -> Pieces:
    """Split the points into at most a given number of pieces.

    Parameters
    ----------
    X : (n, d) float64
    seed : int
    most : int

    Returns
    -------
    Pieces
    """
    n = len(X)
    if n <= most:
        return Pieces(np.arange(n), np.arange(n), np.ones(n))
    centers = X[np.random.default_rng(seed).choice(n, most, replace=False)]
    for _ in range(_ROUNDS):
        near = nearest_centers(X, centers)[0]
        used, of = np.unique(near, return_inverse=True)
        sums = np.zeros((len(used), X.shape[1]))
        np.add.at(sums, of, X)
        centers = sums / np.bincount(of)[:, None]
    near, squared = nearest_centers(X, centers)
    used, of = np.unique(near, return_inverse=True)
    order = np.lexsort((squared, of))
    first = np.searchsorted(of[order], np.arange(len(used)))
    return Pieces(of, order[first], np.bincount(of).astype(np.float64))


def nearest_centers(X: FloatArray, centers: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the nearest centre of each point and its squared distance, a thousand at a time.

    Parameters
    ----------
    X : (n, d) float64
    centers : (k, d) float64

    Returns
    -------
    (n,) int64, (n,) float64
    """
    near, squared = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    for start in range(0, len(X), 1000):
        some = slice(start, start + 1000)
        distance = scipy.spatial.distance.cdist(X[some], centers, "sqeuclidean")
        near[some] = distance.argmin(axis=1)
        squared[some] = distance.min(axis=1)
    return near, squared
