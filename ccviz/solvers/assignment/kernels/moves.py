"""Compiled simulated annealing by moves of single blocks, for graphs where chains grow long.

A block goes to a centre that no conflict bars. If one neighbour alone bars it, that neighbour
makes way to its own best centre, if there is one. The cost of each block at each centre is kept up
to date, so that a refused move takes little time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.repair import Graph
from ccviz.solvers.base import never


class Table(NamedTuple):
    """(l, k) cost with soft links, and number of conflicts, of each block at each centre."""

    pay: FloatArray
    barred: Any


@njit(cache=True)
def anneal_moves(
    cost: FloatArray,
    graph: Graph,
    labels: IntArray,
    sweeps: int,
    warmest: float,
    rng: np.random.Generator,
) -> tuple[float, IntArray]:
    """Improve a feasible assignment of linked blocks; the last sweep takes no rise.

    `cost` (l, k): ``inf`` forbids. `labels` (l,): Where to start; conflicts are kept. `sweeps`: In
    each, every block is offered k centres. `warmest`: Temperature of the first sweep, in units of
    the cost; it falls evenly to 0. Returns `gained`: Change of the objective; may be above 0.
    """
    size, k = cost.shape
    labels = labels.copy()
    table = _table(cost, graph, labels)
    gained = 0.0
    for sweep in range(sweeps):
        heat = warmest * (1.0 - (sweep + 1) / sweeps)
        for _ in range(size):
            v = rng.integers(0, size)
            for _ in range(k):
                j = rng.integers(0, k)
                rise = table.pay[v, j] - table.pay[v, labels[v]]
                # Metropolis: take a rise with probability exp(-rise / heat).
                most = 0.0 if heat == 0.0 else -heat * np.log(1.0 - rng.random())
                if table.barred[v, j] > 1 or j == labels[v] or not rise < most:
                    continue
                if table.barred[v, j] == 0:
                    _move(v, j, graph, labels, table)
                    gained += rise
                else:
                    gained += _make_way(v, j, rise, most, graph, labels, table)
    return gained, labels


@njit(cache=True)
def _table(cost: FloatArray, graph: Graph, labels: IntArray) -> Table:
    table = Table(cost.copy(), np.zeros(cost.shape, np.int32))
    for v in range(len(labels)):
        for e in range(graph.start[v], graph.start[v + 1]):
            j = labels[graph.neighbour[e]]
            if graph.price[e] == np.inf:
                table.barred[v, j] += 1
            else:
                table.pay[v, j] += graph.price[e]
    return table


@njit(cache=True)
def _move(v: int, j: int, graph: Graph, labels: IntArray, table: Table) -> None:
    i = labels[v]
    labels[v] = j
    for e in range(graph.start[v], graph.start[v + 1]):
        u, price = graph.neighbour[e], graph.price[e]
        if price == np.inf:
            table.barred[u, i] -= 1
            table.barred[u, j] += 1
        else:
            table.pay[u, i] -= price
            table.pay[u, j] += price


@njit(cache=True)
def _make_way(
    v: int, j: int, rise: float, most: float, graph: Graph, labels: IntArray, table: Table
) -> float:
    """Move v to j and the one neighbour that bars it elsewhere, below ``most``; return the rise."""
    u = -1
    for e in range(graph.start[v], graph.start[v + 1]):
        if graph.price[e] == np.inf and labels[graph.neighbour[e]] == j:
            u = graph.neighbour[e]
            break
    old, best = labels[v], -1
    for i in range(table.pay.shape[1]):
        bars = table.barred[u, i] - (i == old)  # v itself leaves its centre
        if i != j and bars == 0 and (best < 0 or table.pay[u, i] < table.pay[u, best]):
            best = i
    if best < 0 or not rise + table.pay[u, best] - table.pay[u, j] < most:
        return 0.0
    rise += table.pay[u, best] - table.pay[u, j]
    _move(u, best, graph, labels, table)
    _move(v, j, graph, labels, table)
    return rise


# --------------------------------------------------------------------------------------------------
# Compiled simulated annealing over Kempe chains, for a good assignment where no proof is in reach.
#
# To move a block from centre i to j, all blocks of i and j that conflicts tie to it swap the two
# centres as well (a Kempe chain): conflicts stay kept, whatever the move. Now and then soft links
# count as ties too, so that whole groups move that no single block would leave. Acceptance follows
# Kirkpatrick, Gelatt and Vecchi (1983); Morgenstern and Shapiro (1986) used chains for colouring.

SOFT_EVERY = 16
"""Moves for each move in which soft links tie as conflicts do; long chains cost time."""

_SLICE = 256 * SOFT_EVERY
"""Moves between two looks at whether to stop."""


class Chain(NamedTuple):
    """A Kempe chain: its blocks in the first ``size[0]`` places, and the blocks in it."""

    block: IntArray
    inside: Any
    size: IntArray


def anneal(
    cost: FloatArray,
    graph: Graph,
    labels: IntArray,
    moves: int,
    hottest: float,
    coldest: float,
    rng: np.random.Generator,
    stop: Callable[[], bool] = never,
) -> IntArray:
    """Improve a feasible assignment of linked blocks, until it is to stop.

    `labels` (l,): Where to start; conflicts are kept. `hottest`, `coldest`: Temperatures at the
    start and at the end, in units of the cost. Returns `labels` (l,): The best met.
    """
    size = len(cost)
    labels, best = labels.copy(), labels.copy()
    chain = Chain(np.empty(size, np.int64), np.zeros(size, np.bool_), np.zeros(1, np.int64))
    gained = np.zeros(2)
    for first in range(0, moves, _SLICE):
        if stop():
            break
        some = first, min(first + _SLICE, moves), moves
        anneal_some(cost, graph, labels, best, chain, gained, some, hottest, coldest, rng)
    return best


@njit(cache=True)
def anneal_some(
    cost: FloatArray,
    graph: Graph,
    labels: IntArray,
    best_labels: IntArray,
    chain: Chain,
    gained: FloatArray,
    some: tuple[int, int, int],
    hottest: float,
    coldest: float,
    rng: np.random.Generator,
) -> None:
    """Try some of the moves.

    `gained` (2,): What the labels and the best labels gain on those of the start. `some`: The first
    move, the one after the last, and how many there are in all.
    """
    size, k = cost.shape
    first, last, moves = some
    for move in range(first, last):
        heat = hottest * (coldest / hottest) ** (move / moves)
        v, j = rng.integers(0, size), rng.integers(0, k)
        if labels[v] == j:
            continue
        _collect(v, j, move % SOFT_EVERY == 0, graph, labels, chain)
        rise = _rise(v, j, cost, graph, labels, chain)
        if rise <= 0 or rng.random() < np.exp(-rise / heat):
            i = labels[v]
            for place in range(chain.size[0]):
                w = chain.block[place]
                labels[w] = i + j - labels[w]
            gained[0] += rise
            if gained[0] < gained[1] - 1e-12 * abs(gained[1]):
                gained[1] = gained[0]
                best_labels[:] = labels
        for place in range(chain.size[0]):
            chain.inside[chain.block[place]] = False


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
