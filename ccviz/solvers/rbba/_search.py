"""The compiled search of one problem: depth first, block by block, in slices.

Costs are sums of terms that are not negative (`ccviz.solvers.rbba._pairs`), and a block that is
taken back leaves what was there before it: so rounding moves each cost by a small share of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


class BlockData(NamedTuple):
    """Blocks in the order in which they are placed.

    Attributes
    ----------
    between : (s, s) float64
        Sums of the squared distances between the points of two blocks.
    within : (s,) float64
        The same over the pairs of points of one block.
    mass : (s,) float64
        Points in each block.
    start, neighbour : int64 arrays
        The conflicts as compressed sparse rows.
    soft_start, soft_neighbour : int64 arrays
        The soft links as compressed sparse rows.
    price : float64 array
        Price of two blocks in one cluster; a negative one is paid, with its sign changed, apart.
    lower, upper : (k,) float64
        Limits on the points of a cluster, in the order of ``upper``.
    left : (s + 1,) float64
        Points of the blocks from each one on.
    """

    between: FloatArray
    within: FloatArray
    mass: FloatArray
    start: IntArray
    neighbour: IntArray
    soft_start: IntArray
    soft_neighbour: IntArray
    price: FloatArray
    lower: FloatArray
    upper: FloatArray
    left: FloatArray


class State(NamedTuple):
    """A search that can be continued: the choices at each depth, and the clusters.

    Attributes
    ----------
    labels : (s,) int64
        -1 for a block that has no place yet.
    tried : (s + 1,) int64
        Number of a depth's places that were tried.
    places : (s + 1, k) int64
        Its clusters, cheapest first; -1 where there are no more.
    whole : (s + 1, k) float64
        Cost of all clusters with the block there.
    opened : (s + 1,) int64
        Clusters in use before the depth.
    spread, mass, cost : (k,) float64
        Sum of a cluster's squared distances over its pairs of points, its points, and its sum of
        squares: the first over the second.
    reach : (k, s) float64
        Sums of squared distances between a cluster and each block that is not placed yet.
    paid : (s + 1,) float64
        Weights of the soft links broken before the depth.
    old_spread : (s + 1,) float64
        That of the depth's cluster before its block came.
    old_reach : (s + 1, s) float64
    """

    labels: IntArray
    tried: IntArray
    places: IntArray
    whole: FloatArray
    opened: IntArray
    spread: FloatArray
    mass: FloatArray
    cost: FloatArray
    reach: FloatArray
    paid: FloatArray
    old_spread: FloatArray
    old_reach: FloatArray


def new_state(s: int, k: int) -> State:
    """Return the state of a search that has not begun."""
    return State(
        labels=np.full(s, -1),
        tried=np.full(s + 1, -1),
        places=np.full((s + 1, k), -1),
        whole=np.zeros((s + 1, k)),
        opened=np.zeros(s + 1, dtype=np.int64),
        spread=np.zeros(k),
        mass=np.zeros(k),
        cost=np.zeros(k),
        reach=np.zeros((k, s)),
        paid=np.zeros(s + 1),
        old_spread=np.zeros(s + 1),
        old_reach=np.zeros((s + 1, s)),
    )


@njit(cache=True)
def search(
    data: BlockData,
    state: State,
    at: int,
    first: int,
    rest: FloatArray,
    best: IntArray,
    least: float,
    margin: float,
    need: int,
    nodes: int,
) -> tuple[int, float]:
    """Continue the search over the blocks from ``first`` on.

    Parameters
    ----------
    at : int
        The depth reached: the number of the next block.
    first : int
    rest : (s + 1,) float64
        Lower bounds on the cost of the blocks from each one on by themselves.
    best : (s,) int64
        Changed to the best labels.
    least : float
        Their cost.
    margin : float
        Share of it by which another must be better.
    need : int
        Least number of clusters in use at the end; with 0 there is no least size either.
    nodes : int
        Places to try before the search returns.

    Returns
    -------
    at : int
        ``first - 1`` at the end.
    least : float
    """
    s, k = len(data.mass), len(state.mass)
    while at >= first and nodes > 0:
        if at == s:
            whole = state.cost.sum() + state.paid[s]
            if whole < least and (need == 0 or fits(state.mass, data.lower, data.upper)):
                least = whole
                best[first:] = state.labels[first:]
            at -= 1
            continue
        if state.tried[at] < 0:
            _weigh(data, state, at, need)
        elif state.labels[at] >= 0:
            _take_back(data, state, at)
        turn = state.tried[at]
        # Costlier places follow; so if this one costs too much, all do.
        if (
            turn == k
            or state.places[at, turn] < 0
            or state.whole[at, turn] + rest[at + 1] >= least * (1.0 - margin)
        ):
            state.tried[at] = -1
            at -= 1
            continue
        state.tried[at] = turn + 1
        _place(data, state, at, state.places[at, turn])
        nodes -= 1
        at += 1
    return at, least


@njit(cache=True)
def fits(mass: FloatArray, lower: FloatArray, upper: FloatArray) -> bool:
    """Return whether clusters can be numbered so that each is within its limits.

    Parameters
    ----------
    mass : (k,) float64
        Points of each cluster.
    lower, upper : (k,) float64
        In the order of ``upper``.
    """
    taken = np.zeros(len(mass), np.bool_)
    for size in np.sort(mass):  # larger ones follow: so the first limits that allow it are best
        j = 0
        while j < len(mass) and (taken[j] or lower[j] > size):
            j += 1
        if j == len(mass) or upper[j] < size:
            return False
        taken[j] = True
    return True


@njit(cache=True)
def _is_short(data: BlockData, state: State, at: int) -> bool:
    """Return whether too few points are left for the least size of every cluster."""
    least, short = data.lower.min(), 0.0
    for mass in state.mass:
        short += max(least - mass, 0.0)
    return short > data.left[at]


@njit(cache=True)
def _weigh(data: BlockData, state: State, at: int, need: int) -> None:
    """Order the clusters that may take a block by the whole cost; a new one is the last opened."""
    k, opened = len(state.mass), state.opened[at]
    barred = np.zeros(k, np.bool_)
    for e in range(data.start[at], data.start[at + 1]):
        if state.labels[data.neighbour[e]] >= 0:
            barred[state.labels[data.neighbour[e]]] = True
    state.tried[at] = 0
    state.places[at, :] = -1
    count = 0
    if need > 0 and _is_short(data, state, at):
        return
    for j in range(min(opened + 1, k)):
        if state.mass[j] + data.mass[at] > data.upper[k - 1]:
            continue
        if barred[j] or max(opened, j + 1) + len(data.mass) - at - 1 < need:
            continue
        whole = (state.spread[j] + data.within[at] + state.reach[j, at]) / (
            state.mass[j] + data.mass[at]
        )
        for other in range(opened):
            if other != j:
                whole += state.cost[other]
        whole += state.paid[at] + _broken(data, state, at, j)
        place = count
        while place > 0 and state.whole[at, place - 1] > whole:
            state.whole[at, place] = state.whole[at, place - 1]
            state.places[at, place] = state.places[at, place - 1]
            place -= 1
        state.whole[at, place], state.places[at, place] = whole, j
        count += 1


@njit(cache=True)
def _broken(data: BlockData, state: State, at: int, j: int) -> float:
    """Return the weights of the soft links to placed blocks that a block breaks in a cluster."""
    total = 0.0
    for e in range(data.soft_start[at], data.soft_start[at + 1]):
        there = state.labels[data.soft_neighbour[e]]
        if there == j:
            total += max(data.price[e], 0.0)
        elif there >= 0:
            total += max(-data.price[e], 0.0)
    return total


@njit(cache=True)
def paid_of(data: BlockData, labels: IntArray, begin: int) -> float:
    """Return the weights of the soft links between the blocks from ``begin`` on that are broken."""
    total = 0.0
    for a in range(begin, len(labels)):
        for e in range(data.soft_start[a], data.soft_start[a + 1]):
            b = data.soft_neighbour[e]
            if begin <= b < a:
                together = labels[a] == labels[b]
                total += max(data.price[e] if together else -data.price[e], 0.0)
    return total


@njit(cache=True)
def _place(data: BlockData, state: State, at: int, j: int) -> None:
    state.old_spread[at] = state.spread[j]
    state.spread[j] += data.within[at] + state.reach[j, at]
    for b in range(at + 1, len(data.mass)):
        state.old_reach[at, b] = state.reach[j, b]
        state.reach[j, b] += data.between[at, b]
    state.mass[j] += data.mass[at]
    state.cost[j] = state.spread[j] / state.mass[j]
    state.paid[at + 1] = state.paid[at] + _broken(data, state, at, j)
    state.labels[at] = j
    state.opened[at + 1] = max(state.opened[at], j + 1)


@njit(cache=True)
def _take_back(data: BlockData, state: State, at: int) -> None:
    j = state.labels[at]
    state.spread[j] = state.old_spread[at]
    for b in range(at + 1, len(data.mass)):
        state.reach[j, b] = state.old_reach[at, b]
    state.mass[j] -= data.mass[at]
    state.cost[j] = state.spread[j] / state.mass[j] if state.mass[j] > 0.0 else 0.0
    state.labels[at] = -1
