"""A lower bound from the eigenvalues of the points' scatter, in a fraction of a second.

k centres and the mean of all points lie in a plane of k - 1 dimensions through that mean, and no
plane is nearer to the points than that of the largest k - 1 eigenvalues of their scatter. So each
clustering costs at least the sum of the other eigenvalues (Zha et al.: Spectral relaxation for
k-means clustering, NIPS 2001; Ding and He: K-means clustering via principal component analysis,
ICML 2004). Constraints only add to the cost. Must-linked points count as their mean, and their
scatter about it is added.
"""

from __future__ import annotations

import math

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.search.margin import gamma, margin_of

_MOST = 1_000
"""Features, or blocks if these are fewer, up to which the eigenvalues are computed."""

_LEAST = 2.0**-900
"""Least bound that counts: below, products may have lost their digits."""


def eigenvalue_bound(problem: Problem) -> float:
    """Return a valid lower bound on the objective of each clustering.

    Parameters
    ----------
    problem : Problem
        A weight counts a point; soft links, sizes and rules are left out of the bound.

    Returns
    -------
    float
        ``-inf`` if the eigenvalues prove no more than 0, or are too many.
    """
    blocks = contract(problem.centred())
    points = np.sqrt(blocks.mass)[:, None] * _about_the_mean(blocks.centroid, blocks.mass)
    s, d = points.shape
    if min(s, d) > _MOST:
        return -math.inf
    scatter = points.T @ points if d <= s else points @ points.T
    total = float(np.trace(scatter))
    kept = np.linalg.eigvalsh(scatter)[: max(0, len(scatter) - (problem.k - 1))]
    # Errors of the products and of each eigenvalue, as shares of the trace.
    lost = gamma(max(s, d) + 10.0 * len(scatter) ** 2) * total
    tail = float(np.maximum(kept, 0.0).sum()) - lost
    bound = margin_of(problem).below(max(tail, 0.0) + blocks.scatter)
    return bound if bound > _LEAST else -math.inf


def _about_the_mean(points: FloatArray, mass: FloatArray) -> FloatArray:
    widened = points.astype(np.float64, copy=False)
    return widened - np.average(widened, axis=0, weights=mass)
