"""Compiled local search over connected clusterings: moves and swaps at borders, and a tabu search.

The cost of a clustering is its sum of squares, what its soft links cost, and a price for what it
breaks of limits and hard cannot-links (`ccviz.solvers.regions._areas`).
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import squared_distance
from ccviz.solvers.regions._areas import (
    Areas,
    State,
    breaking,
    broken,
    can_enter,
    can_leave,
    change,
    clusters_near,
    cost_of,
    move,
    open_state,
)

_PARTNERS = 100  # Blocks of a cluster among which a partner is looked for
_TRIED = 4  # Partners of a swap that are tried, from the best on
_TURNS = 10  # Moves of the tabu search between two changes of the price
_FACTOR = 1.5  # of such a change


@njit(cache=True)
def measured(areas: Areas, label: IntArray) -> tuple[float, float]:
    """Return what (s,) labels cost, and how far they break what must hold."""
    state = open_state(areas, label)
    return cost_of(areas, state), broken(areas, state)


@njit(cache=True)
def relocated(
    areas: Areas, label: IntArray, order: IntArray, price: float, tolerance: float
) -> tuple[IntArray, int]:
    """Move each block of ``order`` to its best neighbouring cluster; return labels and moves."""
    state = open_state(areas, label)
    near, moved = np.empty(len(areas.low), np.int64), 0
    for b in order:
        best, least = -1, -tolerance
        for i in range(clusters_near(b, near, areas, state)):
            c = near[i]
            cost = change(b, c, areas, state) + price * breaking(b, c, areas, state)
            if cost < least and can_enter(b, c, areas, state):
                best, least = c, cost
        if best >= 0 and can_leave(b, areas, state):
            move(b, best, areas, state)
            moved += 1
    return state.label, moved


@njit(cache=True)
def swapped(
    areas: Areas, label: IntArray, order: IntArray, price: float, tolerance: float
) -> tuple[IntArray, int]:
    """Let each block of ``order`` change places with one of a neighbouring cluster if it is better.

    Returns labels and the number of swaps.
    """
    state = open_state(areas, label)
    near, touch = np.empty(len(areas.low), np.int64), np.empty(len(areas.low), np.int64)
    border, begin = _borders(near, areas, state)
    swaps = 0
    for b in order:
        number = clusters_near(b, near, areas, state)
        for i in range(number):
            c = near[i]
            others = border[begin[c] : begin[c + 1]]
            if len(others) > _PARTNERS:
                at = (b * _PARTNERS) % (len(others) - _PARTNERS + 1)
                others = others[at : at + _PARTNERS]
            if _try_swap(b, c, others, touch, areas, state, price, tolerance):
                swaps += 1
                break
    return state.label, swaps


@njit(cache=True)
def _borders(near: IntArray, areas: Areas, state: State) -> tuple[IntArray, IntArray]:
    """Return the blocks that touch other clusters, and (k + 1,) where those of each one begin."""
    label = state.label
    border, size = np.empty(len(label), np.int64), 0
    begin = np.zeros(len(areas.low) + 1, np.int64)
    for b in range(len(label)):
        if clusters_near(b, near, areas, state) > 0:
            border[size] = b
            begin[label[b] + 1] += 1
            size += 1
    border = border[:size]
    return border[np.argsort(label[border], kind="mergesort")], np.cumsum(begin)


@njit(cache=True)
def _try_swap(
    b: int,
    c: int,
    others: IntArray,
    touch: IntArray,
    areas: Areas,
    state: State,
    price: float,
    tolerance: float,
) -> bool:
    """Swap block b with the best one of some of cluster c; return whether that was better."""
    a = state.label[b]
    if not can_enter(b, c, areas, state) or not can_leave(b, areas, state):
        return False
    first = change(b, c, areas, state) + price * breaking(b, c, areas, state)
    move(b, c, areas, state)
    floor = -np.inf
    for _ in range(_TRIED):
        best, least = -1, -tolerance - first
        for u in others:
            if state.label[u] != c or u == b:
                continue
            cost = change(u, a, areas, state) + price * breaking(u, a, areas, state)
            if not floor < cost < least:
                continue
            for i in range(clusters_near(u, touch, areas, state)):
                if touch[i] == a:
                    best, least = u, cost
        if best < 0:
            break
        if can_enter(best, a, areas, state) and can_leave(best, areas, state):
            move(best, a, areas, state)
            return True
        floor = least
    move(b, a, areas, state)
    return False


@njit(cache=True)
def tabu(
    areas: Areas,
    label: IntArray,
    barred: IntArray,
    now: int,
    turns: int,
    price: float,
    tolerance: float,
    goal: float,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray, float, float]:
    """Make the best move that is not barred, again and again.

    `barred` (s,): The turn until which each block stays, overwritten. `turns`: Number of moves,
    from `now` on. `goal`: The cost that a new best clustering is below. Returns where it ends, the
    best clustering that breaks nothing, its cost (`goal` if none is better), and the price.
    """
    state = open_state(areas, label)
    best, near = state.label.copy(), np.empty(len(areas.low), np.int64)
    cost, wrong, bad = cost_of(areas, state), broken(areas, state), 0
    tenure = 1 + int(min(np.sqrt(len(label)), len(label) / 4.0))
    for t in range(now, now + turns):
        chosen, place = _best_move(
            t, barred, near, wrong, cost - goal + tolerance, price, areas, state
        )
        if chosen < 0:
            barred[:] = 0
            break
        cost += change(chosen, place, areas, state)
        wrong += breaking(chosen, place, areas, state)
        move(chosen, place, areas, state)
        barred[chosen] = t + 1 + tenure + rng.integers(0, tenure + 1)
        if wrong < _LEAST:
            wrong = broken(areas, state)  # exact again
        bad += wrong > 0.0
        if wrong == 0.0 and cost < goal - tolerance:
            best[:] = state.label
            goal = cost
        if t % _TURNS == _TURNS - 1:
            price *= _FACTOR if bad == _TURNS else 1.0 / _FACTOR if bad == 0 else 1.0
            bad = 0
    return state.label, best, goal, price


@njit(cache=True)
def _best_move(
    t: int,
    barred: IntArray,
    near: IntArray,
    wrong: float,
    above: float,
    price: float,
    areas: Areas,
    state: State,
) -> tuple[int, int]:
    """Return the block and the cluster of the best move that is not barred, -1 if there is none.

    One that leads to a new best clustering, `above` below this one, is never barred.
    """
    chosen, place, least = -1, -1, np.inf
    for b in range(len(barred)):
        leaves = -1
        for i in range(clusters_near(b, near, areas, state)):
            if leaves == 0:
                break
            c = near[i]
            rise, more = change(b, c, areas, state), breaking(b, c, areas, state)
            score = rise + price * more
            if score >= least or not can_enter(b, c, areas, state):
                continue
            if barred[b] > t and not (wrong + more < _LEAST and rise < -above):
                continue
            if leaves < 0:
                leaves = 1 if can_leave(b, areas, state) else 0
            if leaves == 1:
                chosen, place, least = b, c, score
    return chosen, place


_LEAST = 1e-9  # What is broken, below which rounding may be all of it


# --- Starts: regions that grow, and a spanning tree that is cut -----------------------------------


@njit(cache=True)
def grown(
    areas: Areas, label: IntArray, seeds: IntArray, fill: FloatArray, noise: FloatArray
) -> int:
    """Let clusters grow over the blocks of label -1, in place; return how many are left.

    `seeds` (m, 2): Block and cluster of each seed. `fill` (s,): What a block adds to the keys of
    all that its cluster takes after it, so that clusters fill evenly. `noise` (s,): Factors of the
    squared distances to the cluster's mean, of what has a label already too.
    """
    k = len(areas.low)
    last, weight, full = np.full(len(label), -1), np.zeros(k), np.zeros(k)
    center = np.zeros((k, areas.point.shape[1]))
    near = np.empty(len(label), np.int64)
    for b in range(len(label)):
        if label[b] >= 0:
            _draw_to(center, weight, b, label[b], areas)
    heap = [(-1.0, seeds[i, 0], seeds[i, 1]) for i in range(len(seeds))]
    for i in range(len(seeds)):
        _, b, c = heap[i]
        if weight[c] > 0.0:
            heap[i] = (noise[b] * squared_distance(areas.point[b], center[c]), b, c)
    heapq.heapify(heap)
    left = int((label < 0).sum())
    while len(heap) > 0:
        _, b, c = heapq.heappop(heap)
        if label[b] >= 0:
            continue
        is_first = weight[c] == 0.0
        label[b] = c
        left -= 1
        full[c] += fill[b]
        _draw_to(center, weight, b, c, areas)
        for i in range(_unlabelled(b, c, is_first, label, last, near, areas)):
            u = near[i]
            key = full[c] + noise[u] * squared_distance(areas.point[u], center[c])
            heapq.heappush(heap, (key, u, c))
    return left


@njit(cache=True)
def _draw_to(center: FloatArray, weight: FloatArray, b: int, c: int, areas: Areas) -> None:
    """Add block b to the mean of cluster c."""
    weight[c] += areas.mass[b]
    if areas.mass[b] > 0.0:
        for j in range(center.shape[1]):
            center[c, j] += areas.mass[b] / weight[c] * (areas.point[b, j] - center[c, j])


@njit(cache=True)
def _unlabelled(
    b: int, c: int, is_first: bool, label: IntArray, last: IntArray, near: IntArray, areas: Areas
) -> int:
    """Write the blocks that cluster c can take after block b into ``near``; return their number."""
    size = 0
    if areas.is_free and is_first:
        for u in range(len(label)):
            if label[u] < 0:
                near[size] = u
                size += 1
    for m in range(areas.first[b], areas.first[b + 1]):
        p = areas.member[m]
        for e in range(areas.indptr[p], areas.indptr[p + 1]):
            u = areas.block_of[areas.indices[e]]
            if label[u] < 0 and last[u] != c:
                last[u] = c
                near[size] = u
                size += 1
    return size


class Forest(NamedTuple):
    """A spanning forest as it is cut: its edges, and the trees as they were walked last."""

    begin: IntArray  # (s + 1,): Where the neighbours of each block begin in ``near``
    near: IntArray
    label: IntArray  # (s,): The tree of each block, -1 before it is walked
    order: IntArray  # (s,): The blocks of the last tree, from its root down
    parent: IntArray  # (s,): -1 for a root


class Below(NamedTuple):
    """What each block of a tree and those below it add up to."""

    total: FloatArray  # (s, d): Mass times point
    load: FloatArray
    weight: FloatArray
    heavy: IntArray  # Blocks with weight


@njit(cache=True)
def cut_tree(areas: Areas, begin: IntArray, near: IntArray, k: int) -> tuple[IntArray, int]:
    """Cut a spanning forest into k trees, each time at the edge that lowers the cost most.

    `begin` (s + 1,), `near`: The neighbours of each block in the forest. Lower limits are kept
    where they can be. Returns (s,) labels, and the number of trees, which is not k if there are
    more to begin with, or no more edges to cut.
    """
    s, d, rows = len(areas.mass), areas.point.shape[1], areas.load.shape[1]
    label, count = np.full(s, -1), 0
    forest = Forest(begin, near, label, np.empty(s, np.int64), np.empty(s, np.int64))
    below = Below(np.empty((s, d)), np.empty((s, rows)), np.empty(s), np.empty(s, np.int64))
    at, gain = np.full(k, -1), np.full(k, -np.inf)
    for b in range(s):
        if label[b] < 0:
            if count == k:
                return label, k + 1
            _walk(b, -1, -1, count, forest)
            count += 1
    first = np.empty(k, np.int64)
    for b in range(s - 1, -1, -1):
        first[label[b]] = b
    fresh = count
    changed = 0
    while True:
        for c in range(count):
            if c >= count - fresh or c == changed:
                size = _walk(first[c], -1, c, c, forest)
                at[c], gain[c] = _best_cut(size, forest, below, areas)
        if count == k:
            return label, count
        changed = int(gain[:count].argmax())
        if at[changed] < 0:
            return label, count
        node = first[count] = at[changed]
        _walk(node, forest.parent[node], changed, count, forest)
        count += 1
        fresh = 1


@njit(cache=True)
def _walk(root: int, above: int, old: int, new: int, forest: Forest) -> int:
    """Label the tree of a root, of the old label, and write its nodes from the root down.

    The root may be a node of a larger tree: what is beyond the node above it is left out.
    """
    begin, near, label, order, parent = forest
    order[0], parent[root], label[root], size, place = root, above, new, 1, 0
    while place < size:
        b = order[place]
        place += 1
        for e in range(begin[b], begin[b + 1]):
            u = near[e]
            if u != parent[b] and label[u] == old:
                order[size], parent[u], label[u] = u, b, new
                size += 1
    return size


@njit(cache=True)
def _best_cut(size: int, forest: Forest, below: Below, areas: Areas) -> tuple[int, float]:
    """Return the node above which the last tree is cut best, -1 if nowhere, and the gain."""
    order, parent = forest.order[:size], forest.parent
    total, load, weight, heavy = below
    for b in order:
        weight[b], heavy[b] = areas.mass[b], 1 if areas.mass[b] > 0.0 else 0
        total[b] = areas.mass[b] * areas.point[b]
        load[b] = areas.load[b]
    for i in range(len(order) - 1, 0, -1):
        b, up = order[i], parent[order[i]]
        weight[up] += weight[b]
        heavy[up] += heavy[b]
        total[up] += total[b]
        load[up] += load[b]
    root = order[0]
    best, most = -1, -np.inf
    for b in order[1:]:
        if heavy[b] == 0 or heavy[root] == heavy[b]:
            continue
        rest = weight[root] - weight[b]
        gain = 0.0
        for j in range(total.shape[1]):
            gap = total[b, j] / weight[b] - (total[root, j] - total[b, j]) / rest
            gain += weight[b] * rest / weight[root] * gap * gap
        for r in range(load.shape[1]):
            low = areas.low[0, r]
            if load[b, r] < low or load[root, r] - load[b, r] < low:
                gain -= _SHORT
        if gain > most:
            best, most = b, gain
    return best, most


_SHORT = 1e100  # Above every gain
