"""Compiled simulated annealing over Kempe chains, for a good assignment where no proof is in reach.

To move a block from centre i to j, all blocks of i and j that conflicts tie to it swap the two
centres as well (a Kempe chain): conflicts stay kept, whatever the move. Now and then soft links
count as ties too, so that whole groups move that no single block would leave. Acceptance follows
Kirkpatrick, Gelatt and Vecchi (1983); Morgenstern and Shapiro (1986) used chains for colouring.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.graph import Graph

SOFT_EVERY = 16
"""Moves for each move in which soft links tie as conflicts do; long chains cost time."""


class Chain(NamedTuple):
    """A Kempe chain: its blocks in the first ``size[0]`` places, and the blocks in it."""

    block: IntArray
    inside: Any
    size: IntArray


@njit(cache=True)
def anneal(
    cost: FloatArray,
    graph: Graph,
    labels: IntArray,
    moves: int,
    hottest: float,
    coldest: float,
    rng: np.random.Generator,
) -> IntArray:
    """Improve a feasible assignment of linked blocks.

    Parameters
    ----------
    cost : (l, k) float64
    graph : Graph
    labels : (l,) int64
        Where to start; conflicts are kept.
    moves : int
        Moves to try.
    hottest, coldest : float
        Temperatures at the start and at the end, in units of the cost.
    rng : Generator

    Returns
    -------
    labels : (l,) int64
        The best met.
    """
    size, k = cost.shape
    labels, best_labels = labels.copy(), labels.copy()
    chain = Chain(np.empty(size, np.int64), np.zeros(size, np.bool_), np.zeros(1, np.int64))
    gained, best = 0.0, 0.0
    for move in range(moves):
        heat = hottest * (coldest / hottest) ** (move / moves)
        v, j = rng.integers(0, size), rng.integers(0, k)
        if labels[v] == j:
            continue
        _collect(v, j, move % SOFT_EVERY == 0, graph, labels, chain)
        rise = _rise(v, j, cost, graph, labels, chain)
        if rise <= 0 or rng.random() < np.exp(-rise / heat):
            _swap(labels[v], j, labels, chain)
            gained += rise
            if gained < best - 1e-12 * abs(best):
                best = gained
                best_labels[:] = labels
        for place in range(chain.size[0]):
            chain.inside[chain.block[place]] = False
    return best_labels


@njit(cache=True)
def _collect(v: int, j: int, soft: bool, graph: Graph, labels: IntArray, chain: Chain) -> None:
    """Collect the blocks that must swap centres with v: by conflicts, or by any links."""
    i = labels[v]
    chain.block[0], chain.inside[v] = v, True
    number, place = 1, 0
    while place < number:
        w = chain.block[place]
        place += 1
        for e in range(graph.start[w], graph.start[w + 1]):
            u, price = graph.neighbour[e], graph.price[e]
            tied = False
            if price == np.inf or (soft and price > 0):
                tied = labels[u] == i or labels[u] == j
            elif soft:
                tied = labels[u] == labels[w]
            if tied and not chain.inside[u]:
                chain.block[number], chain.inside[u] = u, True
                number += 1
    chain.size[0] = number


@njit(cache=True)
def _rise(v: int, j: int, cost: FloatArray, graph: Graph, labels: IntArray, chain: Chain) -> float:
    """Return what the swap adds to the objective."""
    i, rise = labels[v], 0.0
    for place in range(chain.size[0]):
        w = chain.block[place]
        old = labels[w]
        new = i + j - old
        rise += cost[w, new] - cost[w, old]
        for e in range(graph.start[w], graph.start[w + 1]):
            u, price = graph.neighbour[e], graph.price[e]
            if price != np.inf and not chain.inside[u]:
                if labels[u] == new:
                    rise += price
                elif labels[u] == old:
                    rise -= price
    return rise


@njit(cache=True)
def _swap(i: int, j: int, labels: IntArray, chain: Chain) -> None:
    for place in range(chain.size[0]):
        labels[chain.block[place]] = i + j - labels[chain.block[place]]
