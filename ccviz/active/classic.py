"""Strategies of the literature: random pairs, Min-Max, NPU, COBRAS."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.common.seeding import plain_kmeans

# --- Pairs drawn by chance: what every other strategy has to beat ---------------------------------


class RandomPairs(Strategy):
    """Random pairs, clustered by PCK-means."""

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random pairs"
    paper: ClassVar[str] = "Wagstaff, Cardie, Rogers and Schrödl (2001)"

    def questions(self) -> Iterator[Pair]:
        """Yield random pairs, those left out that earlier answers imply."""
        for _ in range(self.n**2):  # almost surely every pair that is still open
            i, j = self.rng.choice(self.n, 2, replace=False).tolist()
            yield from self.ask(i, j)


# --------------------------------------------------------------------------------------------------
# MinMax: far points until every cluster has one, then the least familiar point again and again.
#
# P. K. Mallapragada, R. Jin, A. K. Jain: Active query selection for semi-supervised clustering
# (ICPR 2008). The first phase is *Explore* of Basu, Banerjee and Mooney (SDM 2004).


class MinMax(Strategy):
    """Farthest-first exploration and consolidation, clustered by PCK-means."""

    name: ClassVar[str] = "min-max"
    title: ClassVar[str] = "MinMax"
    paper: ClassVar[str] = "Mallapragada, Jin and Jain (2008)"

    def questions(self) -> Iterator[Pair]:
        """Yield the questions about one far point after another.

        Both phases take the point whose nearest asked point is farthest: the similarity of the
        paper's second phase falls with the distance.
        """
        first = int(self.rng.integers(self.n))
        asked = [first]
        away = self._distances(first)
        while len(asked) < self.n:
            point = int(away.argmax())
            groups = sorted(self.answers.classes or [[first]], key=lambda g: self._apart(point, g))
            yield from self.place(point, groups)
            asked.append(point)
            away = np.minimum(away, self._distances(point))
            away[asked] = -1.0  # also where points coincide

    def _distances(self, point: int) -> np.ndarray:
        return ((self.X - self.X[point]) ** 2).sum(axis=1)

    def _apart(self, point: int, points: list[int]) -> float:
        return float(((self.X[points] - self.X[point]) ** 2).sum(axis=1).min())


# --------------------------------------------------------------------------------------------------
# NPU: the point with the most uncertain neighbourhood for the expected number of questions.
#
# S. Xiong, J. Azimi, X. Z. Fern: Active learning of constraints for semi-supervised clustering
# (IEEE TKDE 26, 2014), algorithms 1 and 2. Two points are the more alike the more trees of a random
# forest, grown on the clustering so far, put them into one leaf.


_TREES = 50


class Npu(Strategy):
    """Normalised point-based uncertainty, clustered by PCK-means."""

    name: ClassVar[str] = "npu"
    title: ClassVar[str] = "NPU"
    paper: ClassVar[str] = "Xiong, Azimi and Fern (2014)"

    def questions(self) -> Iterator[Pair]:
        """Yield the questions that place one uncertain point after another."""
        first = int(self.rng.integers(self.n))
        asked = {first}
        while len(asked) < self.n:
            groups = self.answers.classes or [[first]]
            share = self._shares(groups)
            settled = [point for points in groups for point in points]
            entropy = -(share * np.log2(np.maximum(share, 1e-300))).sum(axis=1)
            # The groups are asked about in turn, the likeliest first.
            questions = -np.sort(-share, axis=1) @ np.arange(1, share.shape[1] + 1)
            worth = entropy / questions
            worth[[*settled, *asked]] = -1.0
            point = int(worth.argmax())
            if worth[point] < 0:
                return
            order = np.argsort(-share[point], kind="stable")
            yield from self.place(point, [groups[g] for g in order])
            asked.add(point)

    def _shares(self, groups: list[list[int]]) -> FloatArray:
        """Return (n, groups) the probability of each point to belong to each group."""
        from sklearn.ensemble import RandomForestClassifier

        seed = int(self.rng.integers(2**31))
        forest = RandomForestClassifier(_TREES, random_state=seed).fit(self.X, self.labels())
        leaf = forest.apply(self.X)
        alike = np.column_stack(
            [np.mean([(leaf == leaf[p]).mean(axis=1) for p in points], axis=0) for points in groups]
        )
        alike[alike.sum(axis=1) == 0] = 1.0  # like none, so any
        return alike / alike.sum(axis=1, keepdims=True)


# --- COBRAS: super-instances, split where answers differ and merged where they agree --------------
#
# T. van Craenendonck, S. Dumancic, E. van Wolputte, H. Blockeel: COBRAS: Interactive clustering
# with pairwise queries (IDA 2018), algorithms 1 to 3. A super-instance is a set of points that go
# together with their representative, the point nearest to their mean; clusters are made of them.


@dataclass(eq=False)
class SuperInstance:
    """Points that share what is known about their representative."""

    points: IntArray
    mean: FloatArray
    representative: int
    is_split: bool = False  # Whether splitting it has been tried and gave nothing


Cluster = list[SuperInstance]


class Cobras(Strategy):
    """Constraint-based repeated aggregation and splitting."""

    name: ClassVar[str] = "cobras"
    title: ClassVar[str] = "COBRAS"
    paper: ClassVar[str] = "van Craenendonck et al. (2018)"

    _labels: IntArray | None = None

    def questions(self) -> Iterator[Pair]:
        """Yield the questions of splitting the largest super-instance and merging what is alike."""
        clusters: list[Cluster] = [[self._instance(np.arange(self.n))]]
        while True:
            largest = self._largest(clusters)
            if largest is None:
                return
            cluster, instance = largest
            level = yield from self._split_level(instance)
            parts = self._split(instance, level)
            if len(parts) < 2:
                instance.is_split = True
                continue
            cluster.remove(instance)
            clusters = [each for each in clusters if each] + [[part] for part in parts]
            yield from self._merge(clusters)
            self._labels = self._labelled(clusters)

    def labels(self) -> IntArray:
        """Return (n,) int64 the clustering after the last merging; one cluster before the first."""
        return np.zeros(self.n, dtype=np.int64) if self._labels is None else self._labels

    def _split_level(self, instance: SuperInstance) -> Generator[Pair, None, int]:
        """Return into how many parts to split: halve on one side until the halves belong together.

        The algorithm 2 of the paper; an unknown pair counts as together.
        """
        level, size = 0, len(instance.points)
        while len(parts := self._split(instance, 2)) == 2:
            one, two = (part.representative for part in parts)
            yield from self.ask(one, two)
            if self.answers.known(one, two) is not False:
                break
            level += 1
            larger = [part for part in parts if len(part.points) > 1]
            if not larger:
                break
            instance = min(larger, key=lambda part: len(part.points))
        return min(size, 2 ** max(level, 1))

    def _merge(self, clusters: list[Cluster]) -> Iterator[Pair]:
        """Join the nearest clusters that belong together, until none are left to ask about."""
        merged = True
        while merged:
            merged = False
            for one, two in sorted(combinations(clusters, 2), key=lambda pair: _distance(*pair)):
                a, b = one[0].representative, two[0].representative
                yield from self.ask(a, b)
                if self.answers.known(a, b):
                    one += two
                    clusters.remove(two)
                    merged = True
                    break

    def _split(self, instance: SuperInstance, parts: int) -> list[SuperInstance]:
        points = instance.points
        if len(points) < 2:
            return [instance]
        labels = plain_kmeans(self.X[points], parts, self.seed, n_init=1).labels_
        return [self._instance(points[labels == j]) for j in np.unique(labels)]

    def _instance(self, points: IntArray) -> SuperInstance:
        mean = self.X[points].mean(axis=0)
        central = points[((self.X[points] - mean) ** 2).sum(axis=1).argmin()]
        return SuperInstance(points, mean, int(central))

    def _largest(self, clusters: list[Cluster]) -> tuple[Cluster, SuperInstance] | None:
        """Return the super-instance with the most points and its cluster, None if all are whole."""
        open_ones = [
            (cluster, instance)
            for cluster in clusters
            for instance in cluster
            if len(instance.points) > 1 and not instance.is_split
        ]
        return max(open_ones, key=lambda pair: len(pair[1].points), default=None)

    def _labelled(self, clusters: list[Cluster]) -> IntArray:
        labels = np.zeros(self.n, dtype=np.int64)
        for number, cluster in enumerate(clusters):
            for instance in cluster:
                labels[instance.points] = number
        return labels


def _distance(one: Cluster, two: Cluster) -> float:
    """Return the distance between the nearest means of two clusters."""
    return min(float(((a.mean - b.mean) ** 2).sum()) for a in one for b in two)
