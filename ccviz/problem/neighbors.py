"""Which points are neighbours, in a problem whose clusters must each be connected.

A cluster is connected if any two of its points are joined by a path of neighbours within it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import IntArray, freeze
from ccviz.errors import ProblemError
from ccviz.problem.links import graph_of, read_links


@dataclass(frozen=True, eq=False)
class Neighbors:
    """A graph of the points.

    Parameters
    ----------
    pairs : (e, 2) int64
        Neighbours, in any order; kept with the smaller point first, sorted, each pair once.
    n : int
        Number of points.

    Raises
    ------
    ProblemError
        If a pair is malformed, joins a point to itself, or names a point that does not exist.
    """

    pairs: IntArray
    n: int

    def __post_init__(self) -> None:
        pairs = read_links(self.pairs, self.n, "pair of neighbours")[0].pairs
        object.__setattr__(self, "pairs", freeze(pairs))

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def _graph(self) -> csr_array:
        return graph_of(self.pairs, self.n)

    @cached_property
    def indptr(self) -> IntArray:
        """(n + 1,) int64: where the neighbours of each point begin in `indices`."""
        return freeze(self._graph.indptr.astype(np.int64))

    @cached_property
    def indices(self) -> IntArray:
        """(2 e,) int64: the neighbours of each point."""
        return freeze(self._graph.indices.astype(np.int64))

    def islands(self) -> IntArray:
        """Return (n,) int64 the component of each point in the whole graph."""
        return self.components(np.zeros(self.n, dtype=np.int64))

    def pieces(self, labels: IntArray) -> IntArray:
        """Return the number of each point's piece, a component within its cluster.

        Parameters
        ----------
        labels : (n,) int64

        Returns
        -------
        (n,) int64
            From 0 in each cluster: its largest piece, the one of the first point of several.
        """
        component = self.components(np.asarray(labels))
        _, first, size = np.unique(component, return_index=True, return_counts=True)
        cluster = np.asarray(labels)[first]
        order = np.lexsort((first, -size, cluster))
        ordered = cluster[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order)) - np.repeat(
            starts, np.diff(np.append(starts, len(order)))
        )
        return number[component]

    def broken(self, labels: IntArray) -> list[tuple[int, IntArray]]:
        """Return the cluster and the points of each piece that is apart from its cluster's largest.

        Parameters
        ----------
        labels : (n,) int64

        Returns
        -------
        list of (int, (m,) int64)
            Empty if every cluster is connected.
        """
        labels = np.asarray(labels)
        piece = self.pieces(labels)
        apart = np.flatnonzero(piece)
        keys = np.stack([labels[apart], piece[apart]], axis=1)
        _, which = np.unique(keys, axis=0, return_inverse=True)
        which = which.ravel()
        return [
            (int(labels[points[0]]), points)
            for points in (apart[which == each] for each in range(int(which.max(initial=-1)) + 1))
        ]

    def are_connected(self, labels: IntArray) -> bool:
        """Return whether every cluster of (n,) labels is connected."""
        component = self.components(np.asarray(labels))
        return int(component.max()) + 1 == len(np.unique(labels))

    def components(self, labels: IntArray) -> IntArray:
        """Return (n,) int64 the component of each point among those of its label."""
        inside = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        graph = graph_of(self.pairs[inside], self.n)
        return connected_components(graph, directed=False)[1].astype(np.int64)


def read_neighbors(given: Any, n: int) -> Neighbors | None:
    """Return neighbours as a problem keeps them.

    Parameters
    ----------
    given : Neighbors, (e, 2) pairs, sparse (n, n) matrix, or None
        Of a matrix every entry off the diagonal makes two points neighbours; so do weights of
        libpysal, which have such a matrix.
    n : int
        Number of points.

    Raises
    ------
    ProblemError
        If a pair is none, or they are of another number of points.
    """
    if given is None:
        return None
    if not isinstance(given, Neighbors):
        matrix = getattr(given, "sparse", given)
        if not issparse(matrix):
            return Neighbors(given, n)
        pairs = np.stack(matrix.nonzero(), axis=1).astype(np.int64)
        given = Neighbors(pairs[pairs[:, 0] != pairs[:, 1]], max(matrix.shape))
    if given.n != n:
        raise ProblemError(f"the neighbours are of {given.n:,} points, but there are {n:,} points.")
    return given
