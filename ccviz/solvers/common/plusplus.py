"""Initial centres by greedy k-means++ (Arthur and Vassilvitskii 2007), as scikit-learn draws them.

The draws and the arithmetic are those of `sklearn.cluster.kmeans_plusplus`, and so are the centres.
It is written here because scikit-learn takes a second to load, longer than many a run.
"""

from __future__ import annotations

import math

import numpy as np

from ccviz.arrays import FloatArray

_STRIP = 1 << 16
"""Points whose distances are computed at a time, as float64."""


def kmeans_plusplus(
    points: FloatArray, k: int, seed: int, mass: FloatArray | None = None
) -> FloatArray:
    """Draw k of the points, each far from those before it.

    Each centre after the first is the best of a few candidates, drawn in proportion to their
    squared distance to the nearest centre.

    Parameters
    ----------
    points : (s, d) float
    k : int
    seed : int
    mass : (s,) float, optional
        Weight of each point, 1 by default.

    Returns
    -------
    centers : (k, d) float
    """
    rng = np.random.RandomState(seed)
    mass = np.ones(len(points)) if mass is None else np.asarray(mass, dtype=np.float64)
    trials, squares = 2 + int(math.log(k)), _squares(points)
    chosen = [int(rng.choice(len(points), p=mass / mass.sum()))]
    nearest = _squared_distances(points, chosen, squares)[0]
    potential = nearest @ mass
    for _ in range(1, k):
        drawn = rng.uniform(size=trials) * potential
        candidates = np.searchsorted(np.cumsum(mass * nearest), drawn).clip(max=len(points) - 1)
        distances = np.minimum(nearest, _squared_distances(points, candidates, squares))
        potentials = distances @ mass.reshape(-1, 1)
        best = int(np.argmin(potentials))
        nearest, potential = distances[best], potentials[best]
        chosen.append(int(candidates[best]))
    return points[chosen]


def _squares(points: FloatArray) -> FloatArray:
    """Return (s,) the squared lengths of points."""
    strips = [points[at : at + _STRIP] for at in range(0, len(points), _STRIP)]
    wide = (strip.astype(np.float64, copy=False) for strip in strips)
    return np.concatenate([np.einsum("ij,ij->i", strip, strip) for strip in wide])


def _squared_distances(
    points: FloatArray, centers: np.ndarray | list[int], squares: FloatArray
) -> FloatArray:
    """Return (c, s) the squared distances of points to some of them."""
    some, own = points[centers].astype(np.float64, copy=False), squares[centers]
    distances = np.empty((len(some), len(points)))
    for at in range(0, len(points), _STRIP):
        strip = points[at : at + _STRIP].astype(np.float64, copy=False)
        np.matmul(some, strip.T, out=distances[:, at : at + _STRIP])
    distances *= -2.0
    distances += own[:, None]
    distances += squares[None, :]
    return np.maximum(distances, 0.0, out=distances)
