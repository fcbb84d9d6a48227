"""Compiled simulated annealing by moves of single blocks, for graphs where chains grow long.

A block goes to a centre that no conflict bars. If one neighbour alone bars it, that neighbour
makes way to its own best centre, if there is one. The cost of each block at each centre is kept up
to date, so that a refused move takes little time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.graph import Graph


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

    Parameters
    ----------
    cost : (l, k) float64
        ``inf`` forbids.
    graph : Graph
    labels : (l,) int64
        Where to start; conflicts are kept.
    sweeps : int
        In each, every block is offered k centres.
    warmest : float
        Temperature of the first sweep, in units of the cost; it falls evenly to 0.
    rng : Generator

    Returns
    -------
    gained : float
        Change of the objective; may be above 0.
    labels : (l,) int64
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
