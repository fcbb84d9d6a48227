"""Where to start from, and how to fill clusters that ran empty.

Initial centres are from the blocks, or of a k-means without constraints.

A block of must-links is one weighted point here, so seeds never lie inside one block twice.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Event, IncumbentFound
from ccviz.problem.blocks import Blocks
from ccviz.problem.partition import cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, never

# --------------------------------------------------------------------------------------------------
# Initial centres by greedy k-means++ (Arthur and Vassilvitskii 2007), as scikit-learn draws them.
#
# The draws and the arithmetic are those of `sklearn.cluster.kmeans_plusplus`, and so are the
# centres. It is written here because scikit-learn takes a second to load, longer than many a run.

_STRIP = 1 << 16  # Points whose distances are computed at a time, as float64


def kmeans_plusplus(
    points: FloatArray, k: int, seed: int, mass: FloatArray | None = None
) -> FloatArray:
    """Draw k of the points, each far from those before it.

    Each centre after the first is the best of a few candidates, drawn in proportion to their
    squared distance to the nearest centre.

    `mass` (s,): Weight of each point, 1 by default.
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


# --- First centres where points may be left out: those that are farthest do not count -------------
#
# K-means++ draws a point by its squared distance from the centres, and so the outliers first. Here
# the farthest points, as many as may be left out, are never drawn (after Bhaskara, Vadgama and Xu:
# Greedy sampling for approximate clustering in the presence of outliers, NeurIPS 2019).


def trimmed_seeds(
    points: FloatArray, mass: FloatArray, k: int, outliers: int, rng: np.random.Generator
) -> FloatArray:
    """Draw k centres among points, the farthest ones apart."""
    first = int(rng.choice(len(points), p=mass / mass.sum()))
    chosen, paid = [first], mass * _squares_to(points, points[first])
    for _ in range(k - 1):
        weight = np.where(_largest(paid, outliers), 0.0, paid)
        if not weight.any():  # all that counts is at a centre
            weight = np.ones(len(points))
            weight[chosen] = 0.0
        chosen.append(int(rng.choice(len(points), p=weight / weight.sum())))
        paid = np.minimum(paid, mass * _squares_to(points, points[chosen[-1]]))
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
    """Return the centres of the best of some short k-means that leave the farthest points out."""
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


def _squares_to(points: FloatArray, center: FloatArray) -> FloatArray:
    squares: FloatArray = scipy.spatial.distance.cdist(points, center[None], "sqeuclidean")[:, 0]
    return squares


def _largest(paid: FloatArray, outliers: int) -> np.ndarray:
    """Return which of the costs are the largest, as many as outliers."""
    is_out = np.zeros(len(paid), dtype=bool)
    is_out[np.argpartition(paid, len(paid) - outliers)[len(paid) - outliers :]] = True
    return is_out


_WIDENED = 1 << 25  # Numbers of float32 up to which draws are those of the same numbers as float64
_PRODUCTS, _DRAWN = 2_000_000_000, 16
"""Work of k-means++, points times centres times features, from which a sample is drawn from, and
the sample's points for each centre at least."""

INITS = ("k-means++", "random")  # Ways to draw initial centres
AUTO = "auto"  # `trial_centers` where there are cluster sizes, else k-means++

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


def last_incumbent(events: Iterable[Event], stop: Callable[[], bool] = never) -> IntArray | None:
    """Return the labels of the last clustering that a run finds before it is stopped, if any."""
    labels = None
    for event in events:
        if isinstance(event, IncumbentFound):
            labels = event.labels
        if stop():
            break
    return labels


def start_centers(
    problem: Problem, context: Context, restart: int, draw: Callable[[], FloatArray]
) -> FloatArray:
    """Return the first centres of a start: drawn, but for the first of a run that has a clustering.

    Then they are the means of its clusters, if none of them is empty.
    """
    if restart or context.labels is None:
        return draw()
    if not np.bincount(context.labels, problem.masses, minlength=problem.k).all():
        return draw()
    return cluster_means(problem.X, context.labels, problem.k, problem.weights)


def point_centers(problem: Problem, rng: np.random.Generator, init: str) -> FloatArray:
    """Draw k initial centres among single points, for what does not look at blocks."""
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

    `init`: ``"k-means++"`` (Arthur and Vassilvitskii 2007, scikit-learn's greedy variant, blocks
    weighted by their points), ``"random"`` (k different blocks) or ``"auto"``. Returns `centers`
    (k, d): Those of points left out are of no use.
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
    """
    model = plain_kmeans(
        _widened(blocks.centroid), blocks.k, int(rng.integers(2**31)), mass=blocks.mass,
        n_init=_TRIALS, max_iter=_TRIAL_ITERATIONS,
    )  # fmt: skip
    return np.ascontiguousarray(model.cluster_centers_, dtype=np.float64)


# --- Clusters that ran empty, and nearest centres -------------------------------------------------


def farthest_moves(labels: IntArray, paid: FloatArray, k: int) -> list[tuple[int, int]]:
    """Return a point for each empty cluster: the farthest from its centre that is not alone.

    `paid` (n,): Squared distance of each point to its centre.
    """
    size, moves = np.bincount(labels, minlength=k), []
    taken = np.zeros(len(labels), dtype=bool)
    for empty in np.flatnonzero(size == 0).tolist():
        spare = np.flatnonzero((size[labels] > 1) & ~taken)
        point = int(spare[paid[spare].argmax()])
        size[labels[point]] -= 1
        taken[point] = True
        moves.append((point, empty))
    return moves


def fill_cheapest(labels: IntArray, cost: FloatArray) -> IntArray:
    """Move a block into each empty cluster at the least rise of the cost.

    No conflict is broken, since the cluster has no other block.
    """
    labels, k = labels.copy(), cost.shape[1]
    for empty in np.setdiff1d(np.arange(k), labels):
        spare = np.flatnonzero(np.bincount(labels, minlength=k)[labels] > 1)
        if len(spare):
            rise = cost[spare, empty] - cost[spare, labels[spare]]
            labels[spare[rise.argmin()]] = empty
    return labels


def fill_randomly(labels: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """Move a random point, of a cluster with others, into each empty cluster.

    `labels` (n,): Changed in place.
    """
    for empty in np.setdiff1d(np.arange(k), labels):
        count = np.bincount(labels, minlength=k)
        labels[rng.choice(np.flatnonzero(count[labels] > 1))] = empty
    return labels


def nearest_centers(points: FloatArray, centers: FloatArray) -> IntArray:
    """Return the nearest (k, d) centre of each of the (s, d) points."""
    away = (centers**2).sum(axis=1) - 2.0 * (points @ centers.T)
    return away.argmin(axis=1).astype(np.int64)
