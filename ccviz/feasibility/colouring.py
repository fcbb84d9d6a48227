"""Colouring a conflict graph with k colours: peeling to the k-core, and cliques above k.

A vertex of degree below k can always be coloured last, so only the k-core that is left when such
vertices are peeled off can fail, and each of its components by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import IntArray
from ccviz.problem.links import graph_of

_CLIQUE_STARTS, _NEIGHBOURS = 200, 1000


@dataclass(frozen=True, eq=False)
class Core:
    """A component of the k-core.

    Attributes
    ----------
    vertices : (v,) int64
        Their numbers in the whole graph.
    edges : (e, 2) int64
        Their conflicts, by places in ``vertices``.
    """

    vertices: IntArray
    edges: IntArray


def peel(edges: IntArray, k: int) -> tuple[IntArray, list[Core]]:
    """Peel off vertices of degree below k, again and again.

    Returns
    -------
    order : (p,) int64
        The vertices peeled; in reverse each finds a colour that its neighbours leave free.
    cores : list of Core
        The components of the k-core.
    """
    graph = _graph(edges)
    degree = np.diff(graph.indptr)
    inside, rings = degree > 0, []
    ring = np.flatnonzero(inside & (degree < k))
    while len(ring):
        inside[ring] = False
        rings.append(ring)
        met = graph[ring].indices
        np.subtract.at(degree, met, 1)
        met = np.unique(met[inside[met]])
        ring = met[degree[met] < k]
    order = np.concatenate([np.zeros(0, dtype=np.int64), *rings])
    return order, _components(np.flatnonzero(inside), edges)


def _graph(edges: IntArray) -> csr_array:
    return graph_of(edges, int(edges.max(initial=0)) + 1)


def _components(vertices: IntArray, edges: IntArray) -> list[Core]:
    if not len(vertices):
        return []
    place = np.full(int(edges.max()) + 1, -1, dtype=np.int64)
    place[vertices] = np.arange(len(vertices))
    ends = place[edges]
    ends = ends[(ends >= 0).all(axis=1)]
    count, component = connected_components(graph_of(ends, len(vertices)), directed=False)
    members = _groups(component, count)
    for group in members:
        place[vertices[group]] = np.arange(len(group))
    own = place[vertices[ends]]
    return [
        Core(vertices[group], own[part])
        for group, part in zip(members, _groups(component[ends[:, 0]], count), strict=True)
    ]


def _groups(number: IntArray, count: int) -> list[IntArray]:
    """Return the places of each number, in order."""
    order = np.argsort(number, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number, minlength=count))[:-1])


def colour_last(order: IntArray, edges: IntArray, colour: IntArray, k: int) -> None:
    """Colour the peeled vertices, in place, around those that have a colour; -1 means none."""
    graph = _graph(edges)
    start, neighbour = graph.indptr, graph.indices
    for vertex in order[::-1].tolist():
        taken = set(colour[neighbour[start[vertex] : start[vertex + 1]]].tolist())
        colour[vertex] = next(c for c in range(k) if c not in taken)


def clique_above(core: Core, k: int) -> list[int]:
    """Return places in the core that all exclude each other.

    Greedy from many starts; the search ends at the first clique of more than k.
    """
    graph = _graph(core.edges)
    degree = np.diff(graph.indptr)
    best: list[int] = []
    for start in np.argsort(-degree, kind="stable")[:_CLIQUE_STARTS]:
        others = graph[[start]].indices
        others = np.sort(others[np.argsort(-degree[others], kind="stable")[:_NEIGHBOURS]])
        found = _greedy_clique(graph[others][:, others].toarray() > 0)
        if len(found) + 1 > len(best):
            best = [int(start), *others[found].tolist()]
        if len(best) > k:
            break
    return best


def _greedy_clique(adjacent: NDArray[np.bool_]) -> list[int]:
    """Return a clique: again and again the vertex with most neighbours among those left."""
    # A set of vertices is an int, a bit each: intersecting and counting are single operations.
    rows = np.packbits(adjacent, axis=1, bitorder="little")
    near = [int.from_bytes(row.tobytes(), "little") for row in rows]
    clique: list[int] = []
    common = (1 << len(near)) - 1
    while common:
        vertex = max(_bits(common), key=lambda v: (near[v] & common).bit_count())
        clique.append(vertex)
        common &= near[vertex]
    return clique


def _bits(numbers: int) -> Iterable[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest
