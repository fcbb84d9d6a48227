"""Where to start from: initial centres from the blocks, or a k-means without constraints.

A block of must-links is one weighted point here, so seeds never lie inside one block twice.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.partition import cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.common.plusplus import kmeans_plusplus
from ccviz.solvers.common.trimmed import trimmed_centers, trimmed_seeds

_WIDENED = 1 << 25
"""Numbers of float32 up to which draws are those of the same numbers as float64."""
_PRODUCTS, _DRAWN = 2_000_000_000, 16
"""Work of k-means++, points times centres times features, from which a sample is drawn from, and
the sample's points for each centre at least."""

INITS = ("k-means++", "random")
"""Ways to draw initial centres."""

AUTO = "auto"
"""`trial_centers` where there are cluster sizes, else k-means++."""

AUTO_DOC = (
    "How initial centres are drawn; auto: by twenty short k-means without links where there are "
    "cluster sizes, else by k-means++."
)
_TRIALS, _TRIAL_ITERATIONS = 20, 20
_TRIAL_WORK = 2_000_000  # blocks times clusters up to which trials take less than a second or two


def plain_kmeans(
    points: FloatArray, k: int, seed: int, mass: FloatArray | None = None, **options: Any
) -> Any:
    """Return scikit-learn's k-means, fitted without constraints, for what only starts from it.

    Clusters are empty where fewer than k points differ; it need not warn of that here. The mass is
    the weight of each point, 1 by default. One thread: on busy processors more of them wait for
    each other, and such a k-means takes milliseconds.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, random_state=seed, **options).fit(points, sample_weight=mass)


def given_centers(problem: Problem, context: Context, restart: int) -> FloatArray | None:
    """Return the centres of the clustering that a run begins with, for its first start.

    Parameters
    ----------
    problem : Problem
    context : Context
    restart : int
        Number of the start, from 0.

    Returns
    -------
    (k, d) float64 or None
        None for the other starts, without such a clustering, and where it has an empty cluster.
    """
    if restart or context.labels is None:
        return None
    sizes = np.bincount(context.labels, problem.masses, minlength=problem.k)
    if not sizes.all():
        return None
    return cluster_means(problem.X, context.labels, problem.k, problem.weights)


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
        counted = np.flatnonzero(problem.masses)
        return problem.X[rng.choice(counted, problem.k, replace=False)].astype(np.float64)
    if out := problem.outliers:
        given = (_widened(problem.X), problem.masses, problem.n_clusters, out, rng)
        return _with_more(trimmed_seeds(*given), out)
    return _spread_centers(problem.X, problem.k, rng, problem.weights)


def _spread_centers(
    points: FloatArray, k: int, rng: np.random.Generator, mass: FloatArray | None
) -> FloatArray:
    """Draw centres by k-means++, among a sample where that would take longer than a descent."""
    seed, most = int(rng.integers(2**31)), max(_DRAWN * k, _PRODUCTS // (k * points.shape[1]))
    if len(points) > 2 * most:
        counted = np.arange(len(points)) if mass is None else np.flatnonzero(mass)
        rows = np.sort(rng.choice(counted, min(len(counted), most), replace=False))
        points, mass = points[rows], None if mass is None else mass[rows]
    centers = kmeans_plusplus(_widened(points), k, seed, mass)
    return np.ascontiguousarray(centers, dtype=np.float64)


def _with_more(centers: FloatArray, outliers: int) -> FloatArray:
    """Return centres with one for each point left out, which is of no use."""
    return np.concatenate([centers, np.repeat(centers[:1], outliers, axis=0)])


def _widened(points: FloatArray) -> FloatArray:
    """Return points as float64, so that draws fall the same; where they are many, as they are."""
    return points if points.size > _WIDENED else points.astype(np.float64, copy=False)


def seed_centers(blocks: Blocks, rng: np.random.Generator, init: str = "k-means++") -> FloatArray:
    """Draw k initial centres.

    Parameters
    ----------
    blocks : Blocks
    rng : Generator
    init : str
        ``"k-means++"`` (Arthur and Vassilvitskii 2007, scikit-learn's greedy variant, blocks
        weighted by their points), ``"random"`` (k different blocks) or ``"auto"``.

    Returns
    -------
    centers : (k, d) float64
        Those of points left out are of no use.
    """
    if blocks.outliers and init != "random":
        centroid, out = _widened(blocks.centroid), blocks.outliers
        given = (centroid, blocks.mass, blocks.k - out, out, rng)
        if init == AUTO and blocks.s * blocks.k <= _TRIAL_WORK:
            return _with_more(trimmed_centers(*given, _TRIALS, _TRIAL_ITERATIONS), out)
        return _with_more(trimmed_seeds(*given), out)
    if init == AUTO and blocks.sizes is not None and blocks.s * blocks.k <= _TRIAL_WORK:
        return trial_centers(blocks, rng)
    if init == "random":
        return blocks.centroid[rng.choice(blocks.s, blocks.k, replace=False)].astype(np.float64)
    return _spread_centers(blocks.centroid, blocks.k, rng, blocks.mass)


def trial_centers(blocks: Blocks, rng: np.random.Generator) -> FloatArray:
    """Return the centres of the best of twenty short k-means without links and sizes.

    Two first centres in one group of points and none in another are the trap of k-means. Under
    sizes a descent hardly ever leaves it, and a descent without them costs next to nothing.

    Parameters
    ----------
    blocks : Blocks
    rng : Generator

    Returns
    -------
    centers : (k, d) float64
    """
    model = plain_kmeans(
        _widened(blocks.centroid), blocks.k, int(rng.integers(2**31)), mass=blocks.mass,
        n_init=_TRIALS, max_iter=_TRIAL_ITERATIONS,
    )  # fmt: skip
    return np.ascontiguousarray(model.cluster_centers_, dtype=np.float64)
