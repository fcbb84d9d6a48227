"""Compiled searches for a colouring; imported only when a core is left to search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.compiled import njit

FOUND, NONE, UNDECIDED = 1, 0, -1

_WORK = 200_000_000  # most visits of a vertex in a search, about a second


def search_colouring(edges: IntArray, size: int, k: int) -> tuple[int, IntArray]:
    """Look for a colouring of a graph with k colours, for about a second at most.

    Branch and bound by saturation (Brelaz 1979), which may prove that there is none; then a tabu
    search (Hertz and de Werra 1987), which may find one where the first gave up.

    Returns
    -------
    answer : {FOUND, NONE, UNDECIDED}
    colour : (size,) int64
        Valid only if the answer is FOUND.
    """
    start, neighbour = _rows(edges, size)
    colour = np.full(size, -1, dtype=np.int64)
    nodes = max(2 * size, _WORK // size)
    answer = int(_branch(start, neighbour, k, colour, nodes))
    if answer == UNDECIDED and _tabu(start, neighbour, k, colour, nodes, np.random.default_rng(0)):
        answer = FOUND
    return answer, colour


def _rows(edges: IntArray, size: int) -> tuple[IntArray, IntArray]:
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    return np.searchsorted(both[:, 0], np.arange(size + 1)), np.ascontiguousarray(both[:, 1])


@njit(cache=True)
def _branch(start: Any, neighbour: Any, k: int, colour: Any, nodes: int) -> int:
    size = len(colour)
    blocked = np.zeros((size, k), np.int64)  # how many neighbours of a vertex have a colour
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


@njit(cache=True)
def _tabu(start: Any, neighbour: Any, k: int, colour: Any, steps: int, rng: Any) -> bool:
    size = len(colour)
    for vertex in range(size):
        colour[vertex] = rng.integers(0, k)
    clashes = np.zeros((size, k), np.int64)
    for vertex in range(size):
        for e in range(start[vertex], start[vertex + 1]):
            clashes[vertex, colour[neighbour[e]]] += 1
    free_at = np.zeros((size, k), np.int64)
    for step in range(steps):
        vertex, c, unhappy = _best_move(colour, clashes, free_at, step, rng)
        if unhappy == 0:
            return True
        old = colour[vertex]
        colour[vertex] = c
        for e in range(start[vertex], start[vertex + 1]):
            clashes[neighbour[e], old] -= 1
            clashes[neighbour[e], c] += 1
        free_at[vertex, old] = step + 1 + rng.integers(0, 10) + (3 * unhappy) // 5
    return False


@njit(cache=True)
def _best_move(
    colour: Any, clashes: Any, free_at: Any, step: int, rng: Any
) -> tuple[int, int, int]:
    """Return the move that removes most clashes, and how many vertices clash."""
    size, k = clashes.shape
    best, move_vertex, move_colour, ties, unhappy = np.int64(1 << 40), 0, 0, 0, 0
    for vertex in range(size):
        own = clashes[vertex, colour[vertex]]
        if own == 0:
            continue
        unhappy += 1
        for c in range(k):
            if c == colour[vertex] or free_at[vertex, c] > step:
                continue
            change = clashes[vertex, c] - own
            ties = 1 if change < best else ties + (change == best)
            if change < best or (change == best and rng.integers(0, ties) == 0):
                best, move_vertex, move_colour = change, vertex, c
    return move_vertex, move_colour, unhappy
