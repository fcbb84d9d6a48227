"""Compiled search for labels that keep all conflicts, where proofs are out of reach.

The block with the fewest clusters left is next and takes its cheapest one (saturation, Brelaz 1979,
with costs). If none is left it clashes, and a tabu search (Hertz and de Werra 1987) moves clashing
blocks until no conflict is broken or its steps are used up. A colouring is the case without costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.graph import Graph


@njit(cache=True)
def find_labels(
    cost: FloatArray, graph: Graph, steps: int, rng: np.random.Generator
) -> tuple[bool, IntArray]:
    """Look for labels that keep the conflicts, cheap where that is easy.

    Parameters
    ----------
    cost : (l, k) float64
        ``inf`` forbids.
    graph : Graph
        Soft links are ignored.
    steps : int
        Moves of the tabu search.
    rng : Generator

    Returns
    -------
    found : bool
        False says nothing about feasibility.
    labels : (l,) int64
    """
    labels = _saturate(cost, graph)
    clashes = _clashes(graph, labels, cost.shape[1])
    free_at = np.zeros(clashes.shape, np.int64)
    unhappy, place, number = _unhappy(labels, clashes)
    for step in range(steps):
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
    return number == 0, labels


@njit(cache=True)
def _saturate(cost: FloatArray, graph: Graph) -> IntArray:
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
def _clashes(graph: Graph, labels: IntArray, k: int) -> Any:
    """Return (l, k) the number of conflicts that each block would break in each cluster."""
    clashes = np.zeros((len(labels), k), np.int32)
    for v in range(len(labels)):
        for e in range(graph.start[v], graph.start[v + 1]):
            if graph.price[e] == np.inf:
                clashes[v, labels[graph.neighbour[e]]] += 1
    return clashes


@njit(cache=True)
def _unhappy(labels: IntArray, clashes: Any) -> tuple[IntArray, IntArray, int]:
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
