"""Clusters that a person names, merges, or gives a point to."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.problem.partition import Partition
from ccviz.views.cluster_names import names_by_cluster, with_name
from ccviz.views.draft import group_links
from ccviz.views.lab.cluster_colors import ClusterColors
from ccviz.views.lab.demands import Demands
from ccviz.views.lab.notice import Notice
from ccviz.views.link_table import Link

_CENTRAL_POINTS = 5
"""Most points of a cluster that are linked for it, the nearest to its mean. Of a cluster that is
linked by one point alone a run may move that point, and leave the others where they are."""


class Reshaping(Demands):
    """What a person does with the clusters of the answer on show, by their numbers on the page.

    To merge two clusters, or to give a point to another one, makes links between their most central
    points. It does not change the clustering: the next run answers.

    Attributes
    ----------
    cluster_colors : ClusterColors
    """

    cluster_colors: ClusterColors

    @property
    def answer(self) -> Partition | None:
        """The clustering on show; None where there is none."""
        raise NotImplementedError

    def cluster_names(self, labels: IntArray) -> dict[int, str]:
        """Return the names that were given to clusters, by their numbers in ``labels``."""
        return names_by_cluster(self.draft.cluster_names, labels)

    def name_cluster(self, cluster: int, text: str) -> None:
        """Give a cluster a name; an empty one takes it away."""
        with self.in_words():
            labels, draft = self._numbered(cluster), self.draft
            [point, *_] = self._central_points(labels, cluster)
            names = with_name(draft.cluster_names, labels, point, text)
            self._edit(draft.with_cluster_names(names), rerun=False)

    def merge_clusters(self, one: int, other: int) -> None:
        """Ask for one cluster in place of two: k falls by one, and their middles are linked."""
        with self.in_words():
            labels = self._numbered(one, other)
            if one == other:
                raise CcvizError("Choose two clusters to merge.")
            middles = [*self._central_points(labels, one), *self._central_points(labels, other)]
            links = group_links("must", middles)
            self._edit(self.draft.with_k(self.draft.k - 1).with_links(links))
            self._say(f"k is {self.draft.k} now, and {count(len(links), 'must-link')} join them.")

    def move_point(self, point: int, cluster: int) -> None:
        """Ask for a point in another cluster: linked with its middle, apart from its own."""
        with self.in_words():
            labels = self._numbered(cluster)
            own = int(labels[point])
            if own == cluster:
                raise CcvizError("The point is in this cluster already.")
            middle = self._central_points(labels, cluster)
            links = group_links("must", [point, *middle], self.weight)
            labels[point] = cluster
            apart = self._central_points(labels, own)[:1]
            links += [Link("cannot", point, each, self.weight) for each in apart]
            self._edit(self.draft.with_links(links))
            musts = count(len(links) - len(apart), "must-link")
            self._say(f"{musts} and {count(len(apart), 'cannot-link')} were made.")

    def _say(self, text: str) -> None:
        self.notice = Notice("info", f"{text} A run answers with them.", title="links were made")

    def _numbered(self, *clusters: int) -> IntArray:
        """Return the clusters on show by their numbers on the page, all of these among them."""
        answer = self.answer
        if answer is None or answer.problem.n_points != self.draft.n:
            raise CcvizError("There are no clusters yet: run a solver first.")
        labels = self.cluster_colors.of(answer)[: self.draft.n]
        missing = set(clusters) - set(labels.tolist())
        if missing:
            raise CcvizError(f"There is no point in cluster {min(missing)}.")
        return labels

    def _central_points(self, labels: IntArray, cluster: int) -> list[int]:
        """Return the points of a cluster that are nearest to its mean, the nearest first."""
        own = np.flatnonzero(labels == cluster)
        if not len(own):
            return []
        points = self.draft.X[own].astype(np.float64, copy=False)
        away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
        return list(own[np.argsort(away, kind="stable")[:_CENTRAL_POINTS]].tolist())
