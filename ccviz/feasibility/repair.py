"""Compiled search for labels that keep all conflicts, where proofs are out of reach.

The block with the fewest clusters left is next and takes its cheapest one (saturation, Brelaz 1979,
with costs). If none is left it clashes, and a tabu search (Hertz and de Werra 1987) moves clashing
blocks until no conflict is broken or its steps are used up. A colouring is the case without costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray, ShortArray
from ccviz.compiled import njit
from ccviz.feasibility.packing import never

# --- Links between blocks as a graph, for compiled code -------------------------------------------


class Graph(NamedTuple):
    """Linked blocks as compressed sparse rows, in the form that compiled code reads.

    Every link has a price for sharing a cluster: ``inf`` for a conflict, w > 0 for a soft
    cannot-link and -w < 0 for a soft must-link. (Being apart costs w, which is a constant w with
    a reward of w for sharing.)
    """

    start: IntArray
    neighbour: ShortArray
    price: FloatArray


_MOVES = 2_000
"""Moves of the tabu search between two looks at whether to stop."""


def find_labels(
    cost: FloatArray,
    graph: Graph,
    steps: int,
    rng: np.random.Generator,
    stop: Callable[[], bool] = never,
) -> tuple[bool, IntArray]:
    """Look for labels that keep the conflicts, cheap where that is easy.

    `cost` (l, k): ``inf`` forbids. `graph`: Soft links are ignored. `steps`: Moves of the tabu
    search, which ends before once ``stop`` says so. Returns `found`: False says nothing about
    feasibility.
    """
    labels = saturate(cost, graph)
    clashes = clashes_of(graph, labels, cost.shape[1])
    free_at = np.zeros(clashes.shape, np.int64)
    unhappy, place, number = unhappy_of(labels, clashes)
    for at in range(0, steps, _MOVES):
        until = min(at + _MOVES, steps)
        number = repair_some(
            cost, graph, at, until, rng, labels, clashes, free_at, unhappy, place, number
        )
        if number == 0 or stop():
            break
    return number == 0, labels


@njit(cache=True)
def repair_some(
    cost: FloatArray,
    graph: Graph,
    at: int,
    until: int,
    rng: np.random.Generator,
    labels: IntArray,
    clashes: Any,
    free_at: IntArray,
    unhappy: IntArray,
    place: IntArray,
    number: int,
) -> int:
    """Make some moves of the tabu search; return how many blocks clash still."""
    for step in range(at, until):
        if number == 0:
            break
        v, j = _best_move(cost, labels, clashes, free_at, unhappy, number, step, rng)
        if j < 0:
            continue
        old = labels[v]
        labels[v] = j
        free_at[v, old] = step + 1 + rng.integers(0, 10) + (3 * number) // 5
        number = _note(v, labels, clashes, unhappy, place, number)
        for e in range(graph.start[v], graph.start[v + 1]):
            if graph.price[e] == np.inf:
                u = graph.neighbour[e]
                clashes[u, old] -= 1
                clashes[u, j] += 1
                number = _note(u, labels, clashes, unhappy, place, number)
    return number


@njit(cache=True)
def saturate(cost: FloatArray, graph: Graph) -> IntArray:
    """Give each block its cheapest cluster that is left, those with the fewest left first."""
    size, k = cost.shape
    labels, left = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    taken = np.zeros((size, k), np.bool_)
    # Blocks with equally many clusters left are a doubly linked ring with its head at the end.
    after, before = np.arange(size + k + 1), np.arange(size + k + 1)
    for v in np.argsort(graph.start[1:] - graph.start[:-1], kind="mergesort"):
        for j in range(k):
            taken[v, j] = cost[v, j] == np.inf
            left[v] += not taken[v, j]
        _enter(v, size + left[v], after, before)
    for _ in range(size):
        head = size
        while after[head] == head:
            head += 1
        v = after[head]
        _leave(v, after, before)
        best = -1
        for j in range(k):
            allowed = not taken[v, j] or (left[v] == 0 and cost[v, j] < np.inf)
            if allowed and (best < 0 or cost[v, j] < cost[v, best]):
                best = j
        labels[v] = max(best, 0)
        for e in range(graph.start[v], graph.start[v + 1]):
            u = graph.neighbour[e]
            if graph.price[e] == np.inf and labels[u] < 0 and not taken[u, labels[v]]:
                taken[u, labels[v]] = True
                left[u] -= 1
                _leave(u, after, before)
                _enter(u, size + left[u], after, before)
    return labels


@njit(cache=True)
def _enter(v: int, head: int, after: IntArray, before: IntArray) -> None:
    after[v], before[v] = after[head], head
    before[after[head]] = v
    after[head] = v


@njit(cache=True)
def _leave(v: int, after: IntArray, before: IntArray) -> None:
    after[before[v]], before[after[v]] = after[v], before[v]


@njit(cache=True)
def clashes_of(graph: Graph, labels: IntArray, k: int) -> Any:
    """Return (l, k) the number of conflicts that each block would break in each cluster."""
    clashes = np.zeros((len(labels), k), np.int32)
    for v in range(len(labels)):
        for e in range(graph.start[v], graph.start[v + 1]):
            if graph.price[e] == np.inf:
                clashes[v, labels[graph.neighbour[e]]] += 1
    return clashes


@njit(cache=True)
def unhappy_of(labels: IntArray, clashes: Any) -> tuple[IntArray, IntArray, int]:
    """Return the blocks that clash, the position of each among them or -1, and their number."""
    unhappy, place, number = np.empty_like(labels), np.full(len(labels), -1, np.int64), 0
    for v in range(len(labels)):
        number = _note(v, labels, clashes, unhappy, place, number)
    return unhappy, place, number


@njit(cache=True)
def _note(
    v: int, labels: IntArray, clashes: Any, unhappy: IntArray, place: IntArray, number: int
) -> int:
    """Add a block to those that clash, or remove it; return their number."""
    clashing = clashes[v, labels[v]] > 0
    if clashing and place[v] < 0:
        unhappy[number], place[v] = v, number
        return number + 1
    if not clashing and place[v] >= 0:
        last = unhappy[number - 1]
        unhappy[place[v]], place[last] = last, place[v]
        place[v] = -1
        return number - 1
    return number


@njit(cache=True)
def _best_move(
    cost: FloatArray,
    labels: IntArray,
    clashes: Any,
    free_at: IntArray,
    unhappy: IntArray,
    number: int,
    step: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Return the block and the cluster whose move removes most clashes, -1 if all are tabu."""
    best, block, cluster, ties = 1 << 40, -1, -1, 0
    for position in range(number):
        v = unhappy[position]
        own = clashes[v, labels[v]]
        for j in range(clashes.shape[1]):
            if j == labels[v] or cost[v, j] == np.inf or free_at[v, j] > step:
                continue
            change = clashes[v, j] - own
            ties = 1 if change < best else ties + (change == best)
            if change < best or (change == best and rng.integers(0, ties) == 0):
                best, block, cluster = change, v, j
    return block, cluster


# --- Compiled searches for a colouring; imported only when a core is left to search ---------------


FOUND, NONE, UNDECIDED = 1, 0, -1

_WORK = 200_000_000
"""Most visits of a vertex in a search: about a second."""


def search_colouring(
    edges: IntArray, size: int, k: int, stop: Callable[[], bool] = never
) -> tuple[int, IntArray]:
    """Look for a colouring of a graph with k colours, for about a second at most.

    Branch and bound by saturation (Brelaz 1979), which may prove that there is none; then, if that
    is undecided, `find_labels`.

    Returns `colour` (size,): Valid only if the answer is FOUND.
    """
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    graph = Graph(
        start=np.searchsorted(both[:, 0], np.arange(size + 1)),
        neighbour=both[:, 1].astype(np.int32),
        price=np.full(len(both), np.inf),
    )
    colour = np.full(size, -1, dtype=np.int64)
    nodes = max(2 * size, _WORK // size)
    answer = int(_branch(graph.start, graph.neighbour, k, colour, nodes))
    if answer == UNDECIDED:
        rng = np.random.default_rng(0)
        found, colour = find_labels(np.zeros((size, k)), graph, nodes, rng, stop)
        answer = FOUND if found else UNDECIDED
    return answer, colour


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
        if following > 0:
            _count(start, neighbour, vertex, colour[vertex], -1, blocked, saturation)
            colour[vertex] = -1
        # Unused colours are interchangeable: only the first of them is tried.
        most = min(used[depth] + 1, k)
        while following < most and blocked[vertex, following] > 0:
            following += 1
        if following >= most:
            if depth == 0:
                return NONE
            depth -= 1
            continue
        _count(start, neighbour, vertex, following, 1, blocked, saturation)
        colour[vertex] = following
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
def _count(
    start: Any, neighbour: Any, vertex: int, c: int, more: int, blocked: Any, saturation: Any
) -> None:
    """Count that a vertex has a colour, at its neighbours; with -1 that it has it no longer."""
    for e in range(start[vertex], start[vertex + 1]):
        other = neighbour[e]
        before = blocked[other, c]
        blocked[other, c] = before + more
        if before == 0 or before + more == 0:
            saturation[other] += more
