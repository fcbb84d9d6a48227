"""A strategy of this project for many classes: ask which small clusters belong together.

A question about two single points says little where there are dozens of classes. So the points are
first cut into more clusters than there are classes, in the metric of a k-means of their own
(`ccviz.active.own_metric`), and the question is whether the central points of two of them belong
together. Ward's joins (1963) bring them to k clusters, and keep every answer. Asked are by turns
the two largest clusters that were joined without an answer, and the two nearest ones that were not
(splits and merges by turns, as in A3S: Deng et al., ICML 2024).
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

from ccviz.active.own_metric import own_metric
from ccviz.active.pieces import nearest_centers
from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.partition import cluster_means
from ccviz.solvers.common.seeding import plain_kmeans

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
        parts = self._told
        return self._joined(parts)[parts.of]

    def _next(self) -> Pair | None:
        """Return the next pair: by turns within a cluster and between two, while there are both."""
        parts = self._told
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
    def _told(self) -> _Parts:
        """The small clusters, and every other point with an answer as one by itself."""
        parts = self._cut
        told = {point for answer in self.answers.log for point in (answer.i, answer.j)}
        others = sorted(told - set(parts.central.tolist()))
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

    Parameters
    ----------
    points : (n, d) float64
    labels : (n,) int64
        0 to c - 1.
    apart : (c, c) bool
        Which two must not be joined.
    k : int
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
