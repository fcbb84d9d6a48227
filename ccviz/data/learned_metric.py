"""A weight for each feature, learned from links: MPCK-means with one diagonal metric.

M. Bilenko, S. Basu, R. J. Mooney: Integrating constraints and metric learning in semi-supervised
clustering (ICML 2004). Assigning points, moving centres and learning weights take turns; a broken
link costs as much as its points are apart under the weights so far (a must-link) or short of the
largest distance (a cannot-link). Three things differ from the paper: the first weights are those
of standardised features, so that units do not count; the largest distance is the diagonal of the
box around the points; and every link has the weight 1, for here they are kept by the solver later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ProblemError
from ccviz.problem.links import closure
from ccviz.problem.partition import cluster_means
from ccviz.problem.problem import Problem

_STARTS = 4
_MOST_ROUNDS = 30
_MOST_POINTS = 2_000
"""Points without links from which weights are learned: the others are left out at random."""
_FLOOR = 0.1
"""Part of the mean scatter of a feature that is added to each, so that no weight is boundless."""
_LARGEST = 1e280
"""Weights lie between this and its inverse, so that no square overflows."""


def learn_metric(
    X: ArrayLike, k: int, must_link: Any = (), cannot_link: Any = (), seed: int = 0
) -> FloatArray:
    """Return a weight for each feature, learned from links by MPCK-means.

    Multiplied by the square roots of the weights, the features have the learned metric as their
    Euclidean distance, so that every solver and proof applies to them. Links that are soft count as
    those that are hard.

    Parameters
    ----------
    X : (n, d) array of float
    k : int
        Number of clusters.
    must_link, cannot_link
        Pairs as in `ccviz.Problem`.
    seed : int
        The same seed gives the same weights.

    Returns
    -------
    (d,) float64
        Positive; 1 for a constant feature. The unit of a feature does not count: in another unit
        the weight is another one, and the weighted feature the same.

    Raises
    ------
    ProblemError
        If there is no link, or points or links are malformed.

    Examples
    --------
    >>> from ccviz.data import learn_metric
    >>> X = [[0.0, 5.0], [0.1, 1.0], [1.0, 4.0], [1.1, 0.0]]
    >>> weights = learn_metric(X, 2, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    >>> bool(weights[0] > weights[1])
    True
    """
    problem = Problem(np.asarray(X), k, must_link, cannot_link)
    if not len(problem.must_link) + len(problem.cannot_link):
        raise ProblemError("There are no links to learn weights of features from: make some first.")
    rng = np.random.default_rng(seed)
    given, spread = _given(problem, rng)
    found = min((_learn(given, problem.k, rng) for _ in range(_STARTS)), key=lambda each: each[0])
    varied = spread > 0
    divisor = np.where(varied, spread, 1.0)
    weights = np.clip(found[1] / divisor / divisor, 1 / _LARGEST, _LARGEST)
    return np.where(varied, weights, 1.0)


@dataclass(frozen=True)
class _Given:
    """What is learned from."""

    points: FloatArray  # (n, d): Standardised
    must: IntArray  # must, cannot, (m, 2): Pairs of rows
    cannot: IntArray
    squares: FloatArray  # (d,): Of the sides of the box around the points


def _given(problem: Problem, rng: np.random.Generator) -> tuple[_Given, FloatArray]:
    """Return points and links to learn from, and the deviation of each feature."""
    pairs = [problem.must_link.pairs, problem.cannot_link.pairs]
    linked = np.unique(np.concatenate(pairs))
    others = np.setdiff1d(np.arange(problem.n), linked)
    if len(others) > _MOST_POINTS:
        others = rng.choice(others, _MOST_POINTS, replace=False)
    rows = np.sort(np.concatenate([linked, others]))
    points = problem.X[rows].astype(np.float64)
    shift, spread = points.mean(axis=0), points.std(axis=0)
    points = (points - shift) / np.where(spread > 0, spread, 1.0)
    must, cannot = (np.searchsorted(rows, each) for each in pairs)
    return _Given(points, must, cannot, np.ptp(points, axis=0) ** 2), spread


def _learn(given: _Given, k: int, rng: np.random.Generator) -> tuple[float, FloatArray]:
    """Return the cost and the weights that one start ends with."""
    n, d = given.points.shape
    weights, centers = np.ones(d), _first_centers(given, k, rng)
    partners = _partners(given)
    labels = _costs(given.points, centers, weights).argmin(axis=1)
    cost = np.inf
    for _ in range(_MOST_ROUNDS):
        before = labels
        labels = _assigned(given, partners, labels, centers, weights, rng)
        means = cluster_means(given.points, labels, k)
        centers = np.where(np.isnan(means), centers, means)  # of a cluster without points
        scatter = _scatter(given, labels, centers)
        scatter += _FLOOR * (scatter.mean() or 1.0)
        weights = n / scatter
        cost = float(weights @ scatter - n * np.log(weights).sum())
        if np.array_equal(labels, before):
            break
    return cost, weights


def _first_centers(given: _Given, k: int, rng: np.random.Generator) -> FloatArray:
    """Return the means of must-linked groups, the large and distant ones first, then points."""
    n = len(given.points)
    group = closure(n, given.must)
    sizes = np.bincount(group)
    means = cluster_means(given.points, group, len(sizes))[sizes > 1]
    pool = means if len(means) >= k else given.points
    mass = sizes[sizes > 1].astype(float) if len(means) >= k else np.ones(n)
    centers = list(means) if len(means) < k else []
    while len(centers) < k:
        away = scipy.spatial.distance.cdist(pool, centers, "sqeuclidean") if centers else None
        near = np.ones(len(pool)) if away is None else away.min(axis=1)
        chance = near * mass
        even = not chance.sum() > 0
        at = rng.choice(len(pool), p=None if even else chance / chance.sum())
        centers.append(pool[at])
    return np.array(centers)


def _costs(points: FloatArray, centers: FloatArray, weights: FloatArray) -> FloatArray:
    """Return (n, k) squared distances to the centres, but for a term of each point."""
    scaled = centers * weights
    return np.asarray((scaled * centers).sum(axis=1) - 2 * points @ scaled.T)


_Partners = dict[int, tuple[list[int], list[int]]]
"""With which points each linked one must be, and with which it cannot be."""


def _partners(given: _Given) -> _Partners:
    partners: _Partners = {}
    for kind, pairs in enumerate((given.must, given.cannot)):
        for i, j in pairs.tolist():
            partners.setdefault(i, ([], []))[kind].append(j)
            partners.setdefault(j, ([], []))[kind].append(i)
    return partners


def _assigned(
    given: _Given,
    partners: _Partners,
    labels: IntArray,
    centers: FloatArray,
    weights: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    """Return the cheapest cluster of each point, the linked ones one after the other."""
    costs = _costs(given.points, centers, weights)
    found = costs.argmin(axis=1)
    order = np.array(list(partners))
    found[order] = labels[order]
    longest = float(weights @ given.squares)
    for i in rng.permutation(order).tolist():
        row = costs[i]
        for kind, others in enumerate(partners[i]):
            if not others:
                continue
            apart = (given.points[others] - given.points[i]) ** 2 @ weights
            # A must-link costs in every cluster but its partner's, which is the same as a
            # discount there.
            np.add.at(row, found[others], -apart if kind == 0 else longest - apart)
        found[i] = row.argmin()
    return found


def _scatter(given: _Given, labels: IntArray, centers: FloatArray) -> FloatArray:
    """Return (d,) what each feature adds to the cost at weight 1: around centres, by links."""
    points = given.points
    scatter = ((points - centers[labels]) ** 2).sum(axis=0)
    for pairs, is_broken in ((given.must, np.not_equal), (given.cannot, np.equal)):
        i, j = pairs[is_broken(labels[pairs[:, 0]], labels[pairs[:, 1]])].T
        apart = (points[i] - points[j]) ** 2
        scatter += (apart if is_broken is np.not_equal else given.squares - apart).sum(axis=0)
    return np.asarray(scatter)
