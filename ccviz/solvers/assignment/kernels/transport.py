"""Compiled transportation: sizes without links, every block one point.

A minimum-cost flow with few centres. Each point starts at its cheapest centre, given a price for
each centre; that is optimal but for the sizes. Then units go from clusters that hold too many to
clusters that hold too few, each along a shortest path (successive shortest paths, Ahuja, Magnanti
and Orlin 1993, section 9.7). The residual graph needs only k + 1 nodes: the clusters and a sink
that takes between ``lower`` and ``upper`` units from each. The arc from cluster i to j is the
cheapest move of a point, on top of a heap. Costs stay floating-point numbers throughout: nothing
is scaled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.kernels.assign import cheapest
from ccviz.solvers.assignment.kernels.heaps import NONE, Heaps, enter, leave, new_heaps


class Flow(NamedTuple):
    """The flow and its duals.

    Attributes
    ----------
    labels : (n,) int64
        Cluster of each point.
    taken : (k,) int64
        Units from each cluster to the sink.
    excess : (k + 1,) int64
        Units that each node has too many; the sink is last.
    potential : (k + 1,) float64
        Distance labels. No arc i -> j of the residual graph costs less than
        ``potential[j] - potential[i]``, which proves optimality.
    """

    labels: IntArray
    taken: IntArray
    excess: IntArray
    potential: FloatArray


class Paths(NamedTuple):
    """Work space of the shortest paths: distance, node before, and whether final."""

    distance: FloatArray
    before: IntArray
    final: IntArray


@njit(cache=True)
def transport(
    cost: FloatArray, prices: FloatArray, lower: IntArray, upper: IntArray
) -> tuple[bool, Flow]:
    """Assign points at least cost so that cluster j holds lower[j] to upper[j] of them.

    Parameters
    ----------
    cost : (n, k) float64
    prices : (k,) float64
        Potentials to start from: those of a similar problem save most of the work; zeros do.
    lower, upper : (k,) int64

    Returns
    -------
    feasible : bool
    flow : Flow
    """
    n, k = cost.shape
    heaps = new_heaps(n, k)
    flow = _first_flow(cost, prices, lower, upper)
    for p in range(n):
        enter(p, flow.labels[p], cost, heaps)
    paths = Paths(np.empty(k + 1), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64))
    for source in range(k + 1):
        while flow.excess[source] > 0:
            target = _shortest_path(source, lower, upper, flow, heaps, paths)
            if target == NONE:
                return False, flow
            _push(source, target, cost, flow, heaps, paths)
    return True, flow


@njit(cache=True)
def _first_flow(cost: FloatArray, prices: FloatArray, lower: IntArray, upper: IntArray) -> Flow:
    """Let the sink take what prices and sizes allow of each cluster; the rest is excess or lack."""
    n, k = cost.shape
    labels, load = cheapest(cost - prices), np.zeros(k, np.int64)
    for j in labels:
        load[j] += 1
    taken, potential = np.empty(k, np.int64), np.zeros(k + 1)
    potential[:k] = prices
    for j in range(k):
        if prices[j] == 0.0:
            taken[j] = min(max(load[j], lower[j]), upper[j])
        else:
            taken[j] = upper[j] if prices[j] < 0 else lower[j]
    excess = np.empty(k + 1, np.int64)
    excess[:k] = load - taken
    excess[k] = taken.sum() - n
    return Flow(labels, taken, excess, potential)


@njit(cache=True)
def _length(i: int, j: int, lower: IntArray, upper: IntArray, flow: Flow, heaps: Heaps) -> float:
    """Return the cost of one unit from node i to node j, inf if none can go."""
    sink = len(flow.taken)
    if j == sink:
        return 0.0 if flow.taken[i] < upper[i] else np.inf
    if i == sink:
        return 0.0 if flow.taken[j] > lower[j] else np.inf
    top = heaps.root[i, j]
    return heaps.key[top] if top != NONE else np.inf


@njit(cache=True)
def _shortest_path(
    source: int, lower: IntArray, upper: IntArray, flow: Flow, heaps: Heaps, paths: Paths
) -> int:
    """Find the nearest node that lacks units (Dijkstra on reduced costs); raise the potentials."""
    nodes = len(flow.excess)
    paths.distance[:], paths.before[:], paths.final[:] = np.inf, NONE, 0
    paths.distance[source] = 0.0
    target = NONE
    for _ in range(nodes):
        node = _nearest(paths)
        if node == NONE:
            break
        paths.final[node] = 1
        if flow.excess[node] < 0:
            target = node
            break
        for other in range(nodes):
            if other == node or paths.final[other]:
                continue
            length = _length(node, other, lower, upper, flow, heaps)
            # Rounding may leave a reduced cost a hair below zero.
            reduced = max(length + flow.potential[node] - flow.potential[other], 0.0)
            if paths.distance[node] + reduced < paths.distance[other]:
                paths.distance[other] = paths.distance[node] + reduced
                paths.before[other] = node
    if target != NONE:
        for node in range(nodes):
            flow.potential[node] += min(paths.distance[node], paths.distance[target])
    return target


@njit(cache=True)
def _nearest(paths: Paths) -> int:
    """Return the nearest node that is not final yet."""
    best, nearest = NONE, np.inf
    for node in range(len(paths.final)):
        if not paths.final[node] and paths.distance[node] < nearest:
            best, nearest = node, paths.distance[node]
    return best


@njit(cache=True)
def _push(
    source: int, target: int, cost: FloatArray, flow: Flow, heaps: Heaps, paths: Paths
) -> None:
    """Send one unit along the path that was found."""
    sink, k = len(flow.taken), cost.shape[1]
    flow.excess[source] -= 1
    flow.excess[target] += 1
    node = target
    while node != source:
        before = paths.before[node]
        if node == sink:
            flow.taken[before] += 1
        elif before == sink:
            flow.taken[node] -= 1
        else:
            point = heaps.root[before, node] // k
            leave(point, before, cost, heaps)
            enter(point, node, cost, heaps)
            flow.labels[point] = node
        node = before
