"""Colouring a conflict graph with k colours: what can be left out, what proves that it fails.

A vertex of degree below k can always be coloured last, so only the k-core that is left when such
vertices are peeled off can fail, and each of its components by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import IntArray
from ccviz.problem.blocks import graph_of
from ccviz.problem.links import adjacency

_CLIQUE_STARTS = 200


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


def peel(edges: IntArray, k: int) -> tuple[list[int], list[Core]]:
    """Peel off vertices of degree below k, again and again.

    Returns
    -------
    order : list of int
        The vertices peeled; in reverse each finds a colour that its neighbours leave free.
    cores : list of Core
        What is left.
    """
    neighbours = adjacency(edges.tolist())
    degree = {vertex: len(others) for vertex, others in neighbours.items()}
    order = [vertex for vertex, others in degree.items() if others < k]
    gone = set(order)
    for vertex in order:  # grows as it goes
        for other in neighbours[vertex]:
            degree[other] -= 1
            if degree[other] < k and other not in gone:
                gone.add(other)
                order.append(other)
    left = np.array(sorted(set(neighbours) - gone), dtype=np.int64)
    return order, _components(left, edges)


def _components(vertices: IntArray, edges: IntArray) -> list[Core]:
    if not len(vertices):
        return []
    inside = edges[np.isin(edges, vertices).all(axis=1)]
    places = np.searchsorted(vertices, inside)
    count, component = connected_components(graph_of(places, len(vertices)), directed=False)
    cores = []
    for number in range(count):
        members = np.flatnonzero(component == number)
        own = places[component[places[:, 0]] == number]
        cores.append(Core(vertices[members], np.searchsorted(members, own)))
    return cores


def colour_last(order: list[int], edges: IntArray, colour: IntArray, k: int) -> None:
    """Colour the peeled vertices, in place, around those that have a colour; -1 stands for none."""
    neighbours = adjacency(edges.tolist())
    for vertex in reversed(order):
        taken = {int(colour[other]) for other in neighbours[vertex]}
        colour[vertex] = next(c for c in range(k) if c not in taken)


def clique_above(core: Core, k: int) -> list[int]:
    """Return places in the core that all exclude each other.

    Greedy from many starts; the search ends at the first clique of more than k.
    """
    # A set of vertices is an int, a bit each: intersecting and counting are single operations.
    near = [0] * len(core.vertices)
    for i, j in core.edges.tolist():
        near[i] |= 1 << j
        near[j] |= 1 << i
    best: list[int] = []
    for start in sorted(range(len(near)), key=lambda v: -near[v].bit_count())[:_CLIQUE_STARTS]:
        clique, common = [start], near[start]
        while common:
            vertex = max(_bits(common), key=lambda v: (near[v] & common).bit_count())
            clique.append(vertex)
            common &= near[vertex]
        best = max(best, clique, key=len)
        if len(best) > k:
            break
    return best


def _bits(numbers: int) -> Iterable[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest
