"""Compiled searches for a colouring; imported only when a core is left to search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.compiled import njit
from ccviz.feasibility.graph import Graph
from ccviz.feasibility.repair import find_labels

FOUND, NONE, UNDECIDED = 1, 0, -1

_WORK = 200_000_000
"""Most visits of a vertex in a search: about a second."""


def search_colouring(edges: IntArray, size: int, k: int) -> tuple[int, IntArray]:
    """Look for a colouring of a graph with k colours, for about a second at most.

    Branch and bound by saturation (Brelaz 1979), which may prove that there is none; then, if that
    is undecided, `find_labels`.

    Returns
    -------
    answer : {FOUND, NONE, UNDECIDED}
    colour : (size,) int64
        Valid only if the answer is FOUND.
    """
    graph = _rows(edges, size)
    colour = np.full(size, -1, dtype=np.int64)
    nodes = max(2 * size, _WORK // size)
    answer = int(_branch(graph.start, graph.neighbour, k, colour, nodes))
    if answer == UNDECIDED:
        found, colour = find_labels(np.zeros((size, k)), graph, nodes, np.random.default_rng(0))
        answer = FOUND if found else UNDECIDED
    return answer, colour


def _rows(edges: IntArray, size: int) -> Graph:
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    return Graph(
        start=np.searchsorted(both[:, 0], np.arange(size + 1)),
        neighbour=both[:, 1].astype(np.int32),
        price=np.full(len(both), np.inf),
    )


@njit(cache=True, entry=True)
def _branch(start: Any, neighbour: Any, k: int, colour: Any, nodes: int) -> int:
    size = len(colour)
    blocked = np.zeros((size, k), np.int64)  # neighbours of a vertex that have a colour
    saturation = np.zeros(size, np.int64)
    path = np.empty(size, np.int64)
    used = np.zeros(size + 1, np.int64)  # colours in use before each depth
    depth = 0
    path[0] = _most_saturated(start, colour, saturation)
    while nodes > 0:
        nodes -= 1
        vertex = path[depth]
        following = colour[vertex] + 1
        _take_back(start, neighbour, vertex, colour, blocked, saturation)
        # Unused colours are interchangeable: only the first of them is tried.
        most = min(used[depth] + 1, k)
        while following < most and blocked[vertex, following] > 0:
            following += 1
        if following >= most:
            if depth == 0:
                return NONE
            depth -= 1
            continue
        _give(start, neighbour, vertex, following, colour, blocked, saturation)
        used[depth + 1] = max(used[depth], following + 1)
        depth += 1
        if depth == size:
            return FOUND
        path[depth] = _most_saturated(start, colour, saturation)
    return UNDECIDED


@njit(cache=True)
def _most_saturated(start: Any, colour: Any, saturation: Any) -> int:
    best = -1
    for vertex in range(len(colour)):
        if colour[vertex] >= 0:
            continue
        if best < 0 or saturation[vertex] > saturation[best]:
            best = vertex
        elif saturation[vertex] == saturation[best]:
            degree = start[vertex + 1] - start[vertex]
            if degree > start[best + 1] - start[best]:
                best = vertex
    return best


@njit(cache=True)
def _give(
    start: Any, neighbour: Any, vertex: int, c: int, colour: Any, blocked: Any, saturation: Any
) -> None:
    colour[vertex] = c
    for e in range(start[vertex], start[vertex + 1]):
        other = neighbour[e]
        if blocked[other, c] == 0:
            saturation[other] += 1
        blocked[other, c] += 1


@njit(cache=True)
def _take_back(
    start: Any, neighbour: Any, vertex: int, colour: Any, blocked: Any, saturation: Any
) -> None:
    c = colour[vertex]
    if c < 0:
        return
    colour[vertex] = -1
    for e in range(start[vertex], start[vertex + 1]):
        other = neighbour[e]
        blocked[other, c] -= 1
        if blocked[other, c] == 0:
            saturation[other] -= 1
