"""Where to start from: initial centres from the blocks, or a k-means without constraints.

A block of must-links is one weighted point here, so seeds never lie inside one block twice.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem

INITS = ("k-means++", "random")
"""Ways to draw initial centres."""


def plain_kmeans(points: FloatArray, k: int, seed: int, **options: Any) -> Any:
    """Return scikit-learn's k-means, fitted without constraints, for what only starts from it.

    Clusters are empty where fewer than k points differ; it need not warn of that here.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, random_state=seed, **options).fit(points)


def point_centers(problem: Problem, rng: np.random.Generator, init: str) -> FloatArray:
    """Draw k initial centres among single points, for what does not look at blocks.

    Parameters
    ----------
    problem : Problem
    rng : Generator
    init : str
        One of `INITS`.

    Returns
    -------
    centers : (k, d) float64
    """
    if init == "random":
        return problem.X[rng.choice(problem.n, problem.k, replace=False)]
    return _plus_plus(problem.X, np.ones(problem.n), problem.k, int(rng.integers(2**31)))


def seed_centers(blocks: Blocks, rng: np.random.Generator, init: str = "k-means++") -> FloatArray:
    """Draw k initial centres.

    Parameters
    ----------
    blocks : Blocks
    rng : Generator
    init : str
        ``"k-means++"`` (Arthur and Vassilvitskii 2007, the greedy variant, blocks
        weighted by their points) or ``"random"`` (k different blocks).

    Returns
    -------
    centers : (k, d) float64
    """
    if init == "random":
        return blocks.centroid[rng.choice(blocks.s, blocks.k, replace=False)]
    return _plus_plus(blocks.centroid, blocks.mass, blocks.k, int(rng.integers(2**31)))


def _plus_plus(points: FloatArray, weight: FloatArray, k: int, seed: int) -> FloatArray:
    """Draw k centres by greedy k-means++, each the best of a few tries.

    Number by number what scikit-learn's ``kmeans_plusplus`` draws, which a worker would wait for:
    to import that takes twice as long as all else that most runs need.
    """
    draw = np.random.RandomState(seed)
    tries = 2 + int(np.log(k))
    norms = _squared_norms(points)
    chosen = [int(draw.choice(len(points), p=weight / weight.sum()))]
    nearest = _squared_distances(points[chosen], points, norms)
    cost = nearest @ weight
    for _ in range(1, k):
        places = np.cumsum(weight * nearest)
        tried = np.searchsorted(places, draw.uniform(size=tries) * cost)
        tried = np.minimum(tried, len(points) - 1)  # rounding may lead beyond the last
        nearer = np.minimum(nearest, _squared_distances(points[tried], points, norms))
        costs = nearer @ weight
        best = int(np.argmin(costs))
        nearest, cost = nearer[best : best + 1], costs[best : best + 1]
        chosen.append(int(tried[best]))
    return np.ascontiguousarray(points[chosen])


def _squared_norms(points: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->i", points, points)


def _squared_distances(some: FloatArray, points: FloatArray, norms: FloatArray) -> FloatArray:
    product = some @ points.T
    return np.maximum(-2 * product + _squared_norms(some)[:, None] + norms, 0)
