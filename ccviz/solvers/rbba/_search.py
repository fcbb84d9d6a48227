"""The compiled search of one problem: depth first, block by block, in slices.

Costs are sums of terms that are not negative, and a block that is taken back leaves what was there
before it: so rounding moves each cost by a small share of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit


class BlockData(NamedTuple):
    """Blocks in the order in which they are placed."""

    between: FloatArray  # (s, s): Sums of the squared distances between the points of two blocks
    within: FloatArray  # (s,): The same over the pairs of points of one block
    mass: FloatArray
    start: IntArray  # start, neighbour: The conflicts as compressed sparse rows
    neighbour: IntArray
    soft_start: IntArray  # soft_start, soft_neighbour: The soft links as compressed sparse rows
    soft_neighbour: IntArray
    # Price of two blocks in one cluster; a negative one is paid, with its sign changed, apart.
    price: FloatArray
    # lower, upper, (k,): Limits on the points of a cluster, in the order of ``upper``.
    lower: FloatArray
    upper: FloatArray
    left: FloatArray


class State(NamedTuple):
    """A search that can be continued: the choices at each depth, and the clusters."""

    labels: IntArray  # (s,): -1 for a block that has no place yet
    tried: IntArray  # (s + 1,): Number of a depth's places that were tried
    places: IntArray  # (s + 1, k): Its clusters, cheapest first; -1 where there are no more
    whole: FloatArray  # (s + 1, k): Cost of all clusters with the block there
    opened: IntArray  # (s + 1,): Clusters in use before the depth
    # spread, mass, cost, (k,): Sum of a cluster's squared distances over its pairs of points, its
    # points, and its sum of squares: the first over the second.
    spread: FloatArray
    mass: FloatArray
    cost: FloatArray
    # (k, s): Sums of squared distances between a cluster and each block that is not placed yet.
    reach: FloatArray
    paid: FloatArray  # (s + 1,): Weights of the soft links broken before the depth
    old_spread: FloatArray  # (s + 1,): That of the depth's cluster before its block came
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

    `at`: The depth reached: the number of the next block. `rest` (s + 1,): Lower bounds on the cost
    of the blocks from each one on by themselves. `best` (s,): Changed to the best labels. `margin`:
    Share of it by which another must be better. `need`: Least number of clusters in use at the end;
    with 0 there is no least size either. `nodes`: Places to try before the search returns.
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

    `lower`, `upper` (k,): In the order of ``upper``.
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


# --- Sums of squared distances between blocks, without a term that is negative --------------------
#
# A cluster's sum of squares is the sum of the squared distances of its pairs of points, each times
# the weights of both, over its weight. Each difference of two doubles has a relative error of
# 2^-53, wherever the points lie, and nothing is subtracted after it: so the cost of every
# clustering has a small relative error, however far apart the clusters are.


@njit(cache=True)
def fill_row(
    X: FloatArray,
    weights: FloatArray,
    start: IntArray,
    member: IntArray,
    a: int,
    between: FloatArray,
) -> float:
    """Fill in the sums of one block with all others, and return its own.

    `weights` (n,): A pair of points counts by the product of theirs. `start`, `member` (s + 1,):
    The points of each block, as compressed rows. `between` (s, s): Row and column ``a`` are
    changed, from the diagonal on. Returns: Over pairs of points of the block, each once.
    """
    within = 0.0
    for p in range(start[a], start[a + 1]):
        own = _to_points(X, weights, member[p], member, p + 1, start[a + 1])
        within += weights[member[p]] * own
    for b in range(a + 1, len(between)):
        total = 0.0
        for p in range(start[a], start[a + 1]):
            far = _to_points(X, weights, member[p], member, start[b], start[b + 1])
            total += weights[member[p]] * far
        between[a, b] = between[b, a] = total
    return within


@njit(cache=True)
def _to_points(
    X: FloatArray, weights: FloatArray, i: int, member: IntArray, first: int, last: int
) -> float:
    total = 0.0
    for q in range(first, last):
        square = 0.0
        for t in range(X.shape[1]):
            square += (X[i, t] - X[member[q], t]) ** 2
        total += weights[member[q]] * square
    return total


@njit(cache=True)
def cost_of(
    between: FloatArray, within: FloatArray, mass: FloatArray, labels: IntArray, begin: int, k: int
) -> float:
    """Return the sum of squares of the blocks from ``begin`` on."""
    spread, size = np.zeros(k), np.zeros(k)
    for a in range(begin, len(mass)):
        reach = 0.0
        for b in range(begin, a):
            if labels[b] == labels[a]:
                reach += between[a, b]
        spread[labels[a]] += within[a] + reach
        size[labels[a]] += mass[a]
    cost = 0.0
    for j in range(k):
        if size[j] > 0.0:
            cost += spread[j] / size[j]
    return cost
