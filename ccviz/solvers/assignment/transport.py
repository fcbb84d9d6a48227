"""Transportation: sizes without links, every block one point.

A minimum-cost flow with few centres. Each point starts at its cheapest centre, given a price for
each centre; that is optimal but for the sizes. Then units go from clusters that hold too many to
clusters that hold too few, each along a shortest path (successive shortest paths, Ahuja, Magnanti
and Orlin 1993, section 9.7). The residual graph needs only k + 1 nodes: the clusters and a sink
that takes between ``lower`` and ``upper`` units from each. The arc from cluster i to j is the
cheapest move of a point, on top of a heap. Costs stay floating-point numbers throughout: nothing
is scaled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import Assignment
from ccviz.solvers.assignment.kernels.search import cheapest
from ccviz.solvers.assignment.structure import Structure

# --------------------------------------------------------------------------------------------------
# Compiled pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986) for the transportation.
#
# Heap (i, j) orders the points of cluster i by the cost of moving them to cluster j. The entry of
# point p for target j is number p k + j, so that entries live in flat arrays, none is ever
# allocated, and a point that leaves a cluster is taken out of all its heaps.

NONE = -1


class Heaps(NamedTuple):
    """All heaps."""

    root: IntArray  # (k, k): The cheapest entry of each heap
    key: FloatArray
    # child, after, before, (n k,): First child, next sibling, and previous sibling (the parent, for
    # a first child).
    child: IntArray
    after: IntArray
    before: IntArray


@njit(cache=True)
def new_heaps(n: int, k: int) -> Heaps:
    """Return empty heaps."""
    return Heaps(
        np.full((k, k), NONE),
        np.empty(n * k),
        np.empty(n * k, np.int32),
        np.empty(n * k, np.int32),
        np.empty(n * k, np.int32),
    )


@njit(cache=True)
def enter(point: int, cluster: int, cost: FloatArray, heaps: Heaps) -> None:
    """Put a point into the heaps of its cluster."""
    k = cost.shape[1]
    for j in range(k):
        if j == cluster or cost[point, j] == np.inf:
            continue
        entry = point * k + j
        heaps.key[entry] = cost[point, j] - cost[point, cluster]
        heaps.child[entry] = heaps.after[entry] = heaps.before[entry] = NONE
        heaps.root[cluster, j] = _meld(heaps.root[cluster, j], entry, heaps)


@njit(cache=True)
def leave(point: int, cluster: int, cost: FloatArray, heaps: Heaps) -> None:
    """Take a point out of the heaps of its cluster."""
    k = cost.shape[1]
    for j in range(k):
        if j == cluster or cost[point, j] == np.inf:
            continue
        entry = point * k + j
        below = _meld_siblings(heaps.child[entry], heaps)
        if heaps.root[cluster, j] == entry:
            heaps.root[cluster, j] = below
        else:
            _cut(entry, heaps)
            heaps.root[cluster, j] = _meld(heaps.root[cluster, j], below, heaps)


@njit(cache=True)
def _meld(a: int, b: int, heaps: Heaps) -> int:
    """Join two heaps by their roots; return the root of both."""
    if a == NONE:
        return b
    if b == NONE:
        return a
    if heaps.key[b] < heaps.key[a]:
        a, b = b, a
    first = heaps.child[a]
    heaps.after[b], heaps.before[b] = first, a
    if first != NONE:
        heaps.before[first] = b
    heaps.child[a] = b
    return a


@njit(cache=True)
def _cut(entry: int, heaps: Heaps) -> None:
    """Take an entry that is no root out of its list of siblings."""
    before, after = heaps.before[entry], heaps.after[entry]
    if heaps.child[before] == entry:
        heaps.child[before] = after
    else:
        heaps.after[before] = after
    if after != NONE:
        heaps.before[after] = before


@njit(cache=True)
def _meld_siblings(first: int, heaps: Heaps) -> int:
    """Join a list of siblings, in pairs forward and then all backward; return the root."""
    pairs, entry = NONE, first
    while entry != NONE:
        second = heaps.after[entry]
        rest = heaps.after[second] if second != NONE else NONE
        heaps.after[entry] = heaps.before[entry] = NONE
        if second != NONE:
            heaps.after[second] = heaps.before[second] = NONE
        root = _meld(entry, second, heaps)
        heaps.after[root] = pairs
        pairs, entry = root, rest
    joined = NONE
    while pairs != NONE:
        rest = heaps.after[pairs]
        heaps.after[pairs] = NONE
        joined = _meld(joined, pairs, heaps)
        pairs = rest
    return joined


class Flow(NamedTuple):
    """The flow and its duals."""

    labels: IntArray
    taken: IntArray  # (k,): Units from each cluster to the sink
    excess: IntArray  # (k + 1,): Units that each node has too many; the sink is last
    # (k + 1,): Distance labels. No arc i -> j of the residual graph costs less than ``potential[j]
    # - potential[i]``, which proves optimality.
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

    `prices` (k,): Potentials to start from: those of a similar problem save most of the work; zeros
    do.
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


# --- Sizes without links: a transportation problem over the points whose cluster is in doubt ------
#
# Given a price for each cluster, every point has a cheapest one, and a gap to the second. Nearly
# right prices move few points, those of small gaps: only they are given to `transport`, with the
# room that the others leave. The assignment is optimal for all points if each point that was left
# out is still at its cheapest cluster, which holds if the prices changed by less than its gap. If
# not, more points are added.

SAMPLED_FROM, SAMPLE_STEP = 1000, 8
"""Number of points from which the first prices are those of a sample, and its step: every eighth
point."""

LEFT_OUT_FROM = 20_000  # Usual number of points from which some are left out
DOUBTED = 8  # One of this number of points is kept at first, those of the smallest gaps
DOUBTED_MORE = 32
"""One of this number is added, besides points in a wrong cluster, each time that is too few."""

BATCH = 1 << 16  # Points whose costs are computed together

Costs = Callable[[slice | IntArray], FloatArray]
"""Returns the (m, k) costs of some points, by their numbers or a slice of them."""


def solve_sizes(
    costs: Costs,
    n: int,
    lower: IntArray,
    upper: IntArray,
    prices: FloatArray | None,
    left_out_from: int = LEFT_OUT_FROM,
) -> tuple[bool, IntArray, FloatArray]:
    """Assign n points at least cost so that cluster j gets lower[j] to upper[j] of them.

    `costs`: See `Costs`; there never is a table of all points unless they are few. `prices` (k,):
    Those of a similar problem save most of the work. `left_out_from`: Number of points from which
    some are left out. It changes the time only. Returns `prices` (k,): Every point is where its
    cost less the price is least.
    """
    start = prices
    if start is None:
        start = _sample_prices(costs, n, lower, upper, left_out_from)
    if n < left_out_from:
        return _transported(costs(slice(0, n)), start, lower, upper)
    labels, gap = _priced(costs, n, start)
    doubted = _least(gap, n // DOUBTED)
    while True:
        settled = np.bincount(labels[~doubted], minlength=len(lower))
        if (settled > upper).any():
            doubted |= (settled > upper)[labels]
            continue
        some = np.flatnonzero(doubted)
        feasible, found, paid = _transported(costs(some), start, lower - settled, upper - settled)
        if not feasible and not doubted.all():
            doubted[:] = True
            continue
        labels[some] = found
        risen = paid - start
        if not feasible or (doubted | (gap >= risen.max() - risen[labels])).all():
            return feasible, labels, paid
        cheapest, gap = _priced(costs, n, paid)
        wrong = ~doubted & (cheapest != labels)
        if not wrong.any():
            return True, labels, paid
        doubted |= wrong | _least(gap, n // DOUBTED_MORE)
        labels, start = cheapest, paid


def _least(gap: FloatArray, number: int) -> NDArray[np.bool_]:
    """Return the points of the smallest gaps."""
    return gap <= np.partition(gap, number)[number]


def _transported(
    cost: FloatArray, prices: FloatArray, lower: IntArray, upper: IntArray
) -> tuple[bool, IntArray, FloatArray]:
    feasible, flow = transport(cost, prices, lower, upper)
    return feasible, flow.labels, flow.potential[:-1] - flow.potential[-1]


def _sample_prices(
    costs: Costs, n: int, lower: IntArray, upper: IntArray, left_out_from: int
) -> FloatArray:
    """Return the prices of a sample of the points, which are nearly right for all of them."""
    if n < SAMPLED_FROM:
        return np.zeros(len(lower))
    number = np.arange(0, n, SAMPLE_STEP)
    share = len(number) / n
    least = np.floor(lower * share).astype(np.int64)
    most = np.ceil(upper * share).astype(np.int64)
    feasible, _, prices = solve_sizes(
        lambda rows: costs(number[rows]), len(number), least, most, None, left_out_from
    )
    return prices if feasible else np.zeros(len(lower))


def _priced(costs: Costs, n: int, prices: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each point's cheapest cluster under the prices, and the gap to the second."""
    labels, gap = np.empty(n, dtype=np.int64), np.empty(n)
    for at in range(0, n, BATCH):
        some = slice(at, min(n, at + BATCH))
        _best_two(costs(some), prices, labels[some], gap[some])
    return labels, gap


@njit(cache=True, entry=True)
def _best_two(cost: FloatArray, prices: FloatArray, labels: IntArray, gap: FloatArray) -> None:
    for p in range(len(cost)):
        best, least, second = 0, np.inf, np.inf
        for j in range(len(prices)):
            paid = cost[p, j] - prices[j]
            if paid < least:
                best, least, second = j, paid, least
            elif paid < second:
                second = paid
        labels[p] = best
        gap[p] = second - least if least < np.inf else 0.0


def is_transport(structure: Structure) -> bool:
    """Whether there are sizes and no links, and every block is one point."""
    return (
        structure.is_sized
        and not structure.sums
        and len(structure.pairs) == 0
        and bool((structure.mass == 1).all())
    )


def solve_transport(
    costs: Costs, structure: Structure, nonempty: bool, prices: FloatArray | None
) -> Assignment:
    """Solve a step of sizes without links, from costs that are asked for as they are needed.

    Returns: Its objective is left to the caller: 0 if labels were found.
    """
    assert structure.lower is not None
    assert structure.upper is not None
    least = np.maximum(structure.lower, 1.0 if nonempty else 0.0).astype(np.int64)
    most = np.minimum(structure.upper, structure.s).astype(np.int64)
    feasible, labels, paid = solve_sizes(costs, structure.s, least, most, prices)
    if not feasible:
        return Assignment.impossible(structure.s)
    return Assignment(labels, 0.0, proved=True, infeasible=False, prices=paid)
