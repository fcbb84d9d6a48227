"""The clusters that are assumed before any answer: k-means in the metric of its own clusters.

K-means makes the trace of the scatter within the clusters small, and so looks for round ones. Here
its determinant is to be small (Friedman and Rubin 1967, Journal of the American Statistical
Association 62): k-means, and a change of coordinates in which the scatter within its clusters is
round, take turns until no point changes its cluster. Stretched clusters are found so, whatever the
units of the features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np
import scipy
from scipy.sparse.csgraph import connected_components

from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.partition import cluster_means
from ccviz.solvers.common.seeding import plain_kmeans

# --------------------------------------------------------------------------------------------------
# Many points as few pieces, so that a question takes as long for 20,000 points as for 1,000.


MOST = 1000
"""Points up to which each is a piece by itself."""

_PIECE_ROUNDS = 3  # iterations of k-means; the exact borders of small pieces matter little


@dataclass(frozen=True, eq=False)
class Pieces:
    """Small groups of near points."""

    of: IntArray
    representative: IntArray  # (p,): The point nearest to each piece's mean
    mass: FloatArray  # (p,): How many points each has


def cut(X: FloatArray, seed: int, most: int = MOST) -> Pieces:
    """Split the points into at most a given number of pieces."""
    n = len(X)
    if n <= most:
        return Pieces(np.arange(n), np.arange(n), np.ones(n))
    centers = X[np.random.default_rng(seed).choice(n, most, replace=False)]
    for _ in range(_PIECE_ROUNDS):
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
    """Return the nearest centre of each point and its squared distance, a thousand at a time."""
    near, squared = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    for start in range(0, len(X), 1000):
        some = slice(start, start + 1000)
        distance = scipy.spatial.distance.cdist(X[some], centers, "sqeuclidean")
        near[some] = distance.argmin(axis=1)
        squared[some] = distance.min(axis=1)
    return near, squared


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
"""Leading directions of the points that represent more features."""


@dataclass(frozen=True, eq=False)
class OwnMetric:
    """A clustering, and the coordinates in which its clusters are round."""

    clusters: IntArray
    points: FloatArray  # (n, d): The points in these coordinates, of at most 50 features


def own_metric(X: FloatArray, k: int, seed: int) -> OwnMetric:
    """Return the clusters of least determinant that a few starts find."""
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


# --- A strategy of this project for many classes: ask which small clusters belong together --------
#
# A question about two single points says little where there are dozens of classes. So the points
# are first cut into more clusters than there are classes, in the metric of a k-means of their own
# (`own_metric`, above), and the question is whether the central points of two of them belong
# together. Ward's joins (1963) bring them to k clusters, and keep every answer. Asked are by turns
# the two largest clusters that were joined without an answer, and the two nearest ones that were
# not (splits and merges by turns, as in A3S: Deng et al., ICML 2024).


_PARTS = 2.5
"""Small clusters for each class looked for: with fewer, one holds points of several classes more
often; with more, each answer is about fewer points."""
_FEWEST = 20
"""Small clusters at least, where there are few classes."""
_POINTS = 2
"""Points for each small cluster at least, in the mean."""


@dataclass(frozen=True, eq=False)
class _Parts:
    """Small clusters: the number of each point's, and the most central point of each."""

    of: IntArray
    central: IntArray


class Prototypes(Strategy):
    """Small clusters joined by answers about their central points."""

    name: ClassVar[str] = "prototypes"
    title: ClassVar[str] = "Prototypes"
    paper: ClassVar[str] = "ccviz; after Deng et al. (2024)"

    def questions(self) -> Iterator[Pair]:
        """Yield the central points of two small clusters, until all answers follow."""
        while (pair := self._next()) is not None:
            yield pair

    def prepare(self) -> None:
        """Cut the points into small clusters: most of what the first question takes."""
        _ = self._cut

    def labels(self) -> IntArray:
        """Return (n,) int64 the clustering now: the small clusters, joined to k."""
        parts = self._answered
        return self._joined(parts)[parts.of]

    def _next(self) -> Pair | None:
        """Return the next pair: by turns within a cluster and between two, while there are both."""
        parts = self._answered
        group, points = self._joined(parts), parts.central
        size = np.bincount(parts.of, minlength=len(points)).astype(float)
        inside, between = size[:, None] * size, -self._apart(points)
        within = group[:, None] == group
        inside[~within], between[within] = -np.inf, -np.inf
        by_turns = [inside, between] if len(self.answers.log) % 2 == 0 else [between, inside]
        for worth in by_turns:
            order = np.argsort(-worth, axis=None, kind="stable")
            for a, b in zip(*np.unravel_index(order, worth.shape), strict=True):
                if not np.isfinite(worth[a, b]):
                    break
                for pair in self.ask(int(points[a]), int(points[b])):
                    return pair
        return None

    def _apart(self, points: IntArray) -> FloatArray:
        place = self._metric[points]
        return scipy.spatial.distance.cdist(place, place, "sqeuclidean")

    def _joined(self, parts: _Parts) -> IntArray:
        """Return (parts,) int64 the cluster of each part, by Ward's joins that keep the answers."""
        points = parts.central.tolist()
        together, parted = (np.zeros((len(points),) * 2, dtype=bool) for _ in range(2))
        for a, b in combinations(range(len(points)), 2):
            known = self.answers.known(points[a], points[b])
            together[a, b], parted[a, b] = known is True, known is False
        count, group = connected_components(together, directed=False)
        apart = np.zeros((count, count), dtype=bool)
        first, second = (group[places] for places in np.nonzero(parted))
        apart[first, second] = apart[second, first] = True
        joined = _ward(self._metric, group[parts.of], apart, self.k)
        return joined[group]

    @property
    def _answered(self) -> _Parts:
        """The small clusters, and every other point with an answer as one by itself."""
        parts = self._cut
        answered = {point for answer in self.answers.log for point in (answer.i, answer.j)}
        others = sorted(answered - set(parts.central.tolist()))
        of = parts.of.copy()
        of[others] = len(parts.central) + np.arange(len(others))
        return _Parts(of, np.append(parts.central, np.array(others, dtype=np.int64)))

    @cached_property
    def _metric(self) -> FloatArray:
        """(n, d) float64: the points where the scatter within k clusters is round."""
        return own_metric(self.X, self.k, self.seed).points

    @cached_property
    def _cut(self) -> _Parts:
        count = min(max(round(_PARTS * self.k), _FEWEST), max(self.n // _POINTS, 1))
        found = plain_kmeans(self._metric, count, self.seed, n_init=5)
        _, of = np.unique(found.labels_, return_inverse=True)
        centers = cluster_means(self._metric, of, int(of.max()) + 1)
        central = nearest_centers(centers, self._metric)[0]
        return _Parts(of.astype(np.int64), central)


def _ward(points: FloatArray, labels: IntArray, apart: np.ndarray, k: int) -> IntArray:
    """Return (c,) int64 where each of c clusters ends by joins of least cost, to k if allowed.

    `apart` (c, c): Which two must not be joined.
    """
    count = len(apart)
    mean, size = cluster_means(points, labels, count), np.bincount(labels, minlength=count)
    end, apart = np.arange(count), apart.copy()
    while len(left := np.unique(end)) > k:
        squared = scipy.spatial.distance.cdist(mean[left], mean[left], "sqeuclidean")
        weight = size[left, None] * size[left] / (size[left, None] + size[left])
        cost = np.where(apart[np.ix_(left, left)], np.inf, squared * weight)
        np.fill_diagonal(cost, np.inf)
        if not np.isfinite(cost.min()):
            break
        a, b = left[list(np.unravel_index(cost.argmin(), cost.shape))]
        mean[a] = (size[a] * mean[a] + size[b] * mean[b]) / (size[a] + size[b])
        size[a] += size[b]
        apart[a] |= apart[b]
        apart[:, a] |= apart[:, b]
        end[end == b] = a
    return np.unique(end, return_inverse=True)[1]
