"""COBRAS: super-instances, split where answers differ and merged where they agree.

T. van Craenendonck, S. Dumancic, E. van Wolputte, H. Blockeel: COBRAS: Interactive clustering with
pairwise queries (IDA 2018), algorithms 1 to 3. A super-instance is a set of points that go
together with their representative, the point nearest to their mean; clusters are made of them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.common.seeding import plain_kmeans


@dataclass(eq=False)
class SuperInstance:
    """Points that share what is known about their representative.

    Attributes
    ----------
    points : (m,) int64
    mean : (d,) float64
    representative : int
    is_split : bool
        Whether splitting it has been tried and gave nothing.
    """

    points: IntArray
    mean: FloatArray
    representative: int
    is_split: bool = False


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
