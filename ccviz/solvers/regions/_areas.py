"""Compiled state of connected clusters: what a move costs, breaks, and whether it parts a cluster.

A block is moved as a whole, while paths go from point to point: the points of a block need not be
neighbours, and then other points of its cluster join them. Sizes, limits on sums and cannot-links
may be broken on the way, at a price; connectedness never is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.memetic.instance import entering


class Areas(NamedTuple):
    """The blocks, their neighbours and their limits, which do not change."""

    point: FloatArray  # (s, d): The blocks' centroids, around their mean
    mass: FloatArray
    block_of: IntArray  # (n,)
    first: IntArray  # (s + 1,): Where each block's points begin in ``member``
    member: IntArray
    indptr: IntArray  # (n + 1,): Where each point's neighbours begin in ``indices``
    indices: IntArray
    part: IntArray  # (n,): The piece of its block that a point is in, from 0
    parts: IntArray  # (s,): The number of pieces of each block
    start: IntArray  # (s + 1,): Where each block's conflicts begin in ``conflict``
    conflict: IntArray
    linked: IntArray  # (s + 1,): Where each block's soft links begin in ``partner``
    partner: IntArray
    price: FloatArray  # What sharing a cluster with each partner costs; a reward is below zero
    load: FloatArray  # (s, r): What each block adds to each limited sum
    low: FloatArray  # (k, r): The limits of each cluster
    high: FloatArray
    scale: FloatArray  # (r,): The unit in which a sum is too large or too small
    is_free: bool  # Whether there is no graph: every cluster is connected


class State(NamedTuple):
    """A clustering, and room to search in."""

    label: IntArray  # (s,)
    total: FloatArray  # (k, d): Sum of mass times point in each cluster
    weight: FloatArray  # (k,)
    heavy: IntArray  # (k,): Blocks with weight in each cluster
    held: FloatArray  # (k, r)
    seen: IntArray  # (n,): The last search that met each point
    root: IntArray  # (n,): The source from which it did
    queue: IntArray  # (n,)
    parent: IntArray  # (n,): Sources that have met, as a forest
    waiting: IntArray  # (n,): Points in the queue from each source
    met: IntArray  # (k,): The last block that has each cluster for a neighbour
    turn: IntArray  # (2,): Searches, and scans of neighbours, so far


@njit(cache=True)
def open_state(areas: Areas, label: IntArray) -> State:
    """Return the state of a clustering without an empty cluster."""
    n, k = len(areas.block_of), len(areas.low)
    state = State(
        label.copy(),
        np.zeros((k, areas.point.shape[1])),
        np.zeros(k),
        np.zeros(k, np.int64),
        np.zeros(areas.low.shape),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(k, np.int64),
        np.zeros(2, np.int64),
    )
    for b in range(len(label)):
        _add(b, label[b], 1.0, areas, state)
    return state


@njit(cache=True)
def _add(b: int, c: int, sign: float, areas: Areas, state: State) -> None:
    mass = sign * areas.mass[b]
    for j in range(areas.point.shape[1]):
        state.total[c, j] += mass * areas.point[b, j]
    state.weight[c] += mass
    if mass != 0.0:
        state.heavy[c] += 1 if sign > 0.0 else -1
    for r in range(areas.load.shape[1]):
        state.held[c, r] += sign * areas.load[b, r]


@njit(cache=True)
def move(b: int, c: int, areas: Areas, state: State) -> None:
    """Move block b to cluster c, whatever it breaks."""
    _add(b, state.label[b], -1.0, areas, state)
    _add(b, c, 1.0, areas, state)
    state.label[b] = c


@njit(cache=True)
def cost_of(areas: Areas, state: State) -> float:
    """Return the sum of squares of the blocks around their clusters' means, and what links cost."""
    cost = 0.0
    for b in range(len(state.label)):
        c = state.label[b]
        for j in range(areas.point.shape[1]):
            gap = areas.point[b, j] - state.total[c, j] / state.weight[c]
            cost += areas.mass[b] * gap * gap
        cost += 0.5 * paid(b, c, areas, state)
    return cost


@njit(cache=True)
def paid(b: int, c: int, areas: Areas, state: State) -> float:
    """Return what the soft links of block b cost in cluster c."""
    cost = 0.0
    for e in range(areas.linked[b], areas.linked[b + 1]):
        if state.label[areas.partner[e]] == c:
            cost += areas.price[e]
    return cost


@njit(cache=True)
def leaving(b: int, areas: Areas, state: State) -> float:
    """Return the decrease of the sum of squares when block b leaves its cluster."""
    a, mass = state.label[b], areas.mass[b]
    held = state.weight[a]
    if held <= mass:
        return 0.0
    share = entering(b, a, areas.point, areas.mass, state.total, state.weight)
    return share * (held + mass) / (held - mass)


@njit(cache=True)
def change(b: int, c: int, areas: Areas, state: State) -> float:
    """Return by how much the cost rises when block b moves to cluster c."""
    enters = entering(b, c, areas.point, areas.mass, state.total, state.weight)
    rise = enters - leaving(b, areas, state)
    if areas.linked[b] == areas.linked[b + 1]:
        return rise
    return rise + paid(b, c, areas, state) - paid(b, state.label[b], areas, state)


@njit(cache=True)
def excess(c: int, r: int, load: float, areas: Areas) -> float:
    """Return what a load of cluster c costs: 0 exactly if it is within the limits.

    The square lets what is missing be shared out, from cluster to cluster.
    """
    over = max(areas.low[c, r] - load, load - areas.high[c, r], 0.0) / areas.scale[r]
    return over + over * over


@njit(cache=True)
def broken(areas: Areas, state: State) -> float:
    """Return how far limits and cannot-links are broken; 0 exactly if all are kept."""
    total = 0.0
    for c in range(len(areas.low)):
        for r in range(areas.load.shape[1]):
            total += excess(c, r, state.held[c, r], areas)
    for b in range(len(state.label)):
        for e in range(areas.start[b], areas.start[b + 1]):
            if areas.conflict[e] > b and state.label[areas.conflict[e]] == state.label[b]:
                total += 1.0
    return total


@njit(cache=True)
def breaking(b: int, c: int, areas: Areas, state: State) -> float:
    """Return by how much `broken` rises when block b moves to cluster c."""
    a, rise = state.label[b], 0.0
    for r in range(areas.load.shape[1]):
        load, source, target = areas.load[b, r], state.held[a, r], state.held[c, r]
        rise += excess(a, r, source - load, areas) - excess(a, r, source, areas)
        rise += excess(c, r, target + load, areas) - excess(c, r, target, areas)
    for e in range(areas.start[b], areas.start[b + 1]):
        other = state.label[areas.conflict[e]]
        rise += (1.0 if other == c else 0.0) - (1.0 if other == a else 0.0)
    return rise


# --- Connectedness --------------------------------------------------------------------------------


@njit(cache=True)
def clusters_near(b: int, near: IntArray, areas: Areas, state: State) -> int:
    """Write the other clusters that block b touches into ``near`` (k,); return their number."""
    a, size = state.label[b], 0
    if areas.is_free:
        for c in range(len(near)):
            if c != a:
                near[size] = c
                size += 1
        return size
    state.turn[1] += 1
    for m in range(areas.first[b], areas.first[b + 1]):
        p = areas.member[m]
        for e in range(areas.indptr[p], areas.indptr[p + 1]):
            c = state.label[areas.block_of[areas.indices[e]]]
            if c != a and state.met[c] != state.turn[1]:
                state.met[c] = state.turn[1]
                near[size] = c
                size += 1
    return size


@njit(cache=True)
def can_enter(b: int, c: int, areas: Areas, state: State) -> bool:
    """Return whether cluster c stays connected with block b: each of its pieces touches c."""
    if areas.is_free:
        return True
    for piece in range(areas.parts[b]):
        touches = False
        for m in range(areas.first[b], areas.first[b + 1]):
            p = areas.member[m]
            if touches or areas.part[p] != piece:
                continue
            for e in range(areas.indptr[p], areas.indptr[p + 1]):
                if state.label[areas.block_of[areas.indices[e]]] == c:
                    touches = True
                    break
        if not touches:
            return False
    return True


@njit(cache=True)
def can_leave(b: int, areas: Areas, state: State) -> bool:
    """Return whether the cluster of block b keeps weight and stays connected without it.

    From all its neighbours there a search goes on at once, until they have met, or one of them has
    no way on: it ends after about twice the smaller part.
    """
    a = state.label[b]
    if state.heavy[a] <= (1 if areas.mass[b] > 0.0 else 0):
        return False
    if areas.is_free:
        return True
    state.turn[0] += 1
    return _is_joined(b, _sources(b, a, areas, state), a, areas, state)


@njit(cache=True)
def _sources(b: int, a: int, areas: Areas, state: State) -> int:
    """Put the neighbours of block b in its cluster a into the queue; return their number."""
    seen, root, queue, parent = state.seen, state.root, state.queue, state.parent
    now, end = state.turn[0], 0
    for m in range(areas.first[b], areas.first[b + 1]):
        p = areas.member[m]
        for e in range(areas.indptr[p], areas.indptr[p + 1]):
            q = areas.indices[e]
            u = areas.block_of[q]
            if u != b and state.label[u] == a and seen[q] != now:
                seen[q], root[q], queue[end], parent[q] = now, q, q, q
                state.waiting[q] = 1
                end += 1
    return end


@njit(cache=True)
def _is_joined(b: int, end: int, a: int, areas: Areas, state: State) -> bool:
    """Return whether the sources in the queue meet within cluster a without block b."""
    seen, root, queue, parent = state.seen, state.root, state.queue, state.parent
    now, groups, at = state.turn[0], end, 0
    while groups > 1:
        p = queue[at]
        at += 1
        g = _root(root[p], parent)
        for e in range(areas.indptr[p], areas.indptr[p + 1]):
            q = areas.indices[e]
            u = areas.block_of[q]
            if u == b or state.label[u] != a:
                continue
            if seen[q] != now:
                seen[q], root[q], queue[end] = now, g, q
                state.waiting[g] += 1
                end += 1
                continue
            h = _root(root[q], parent)
            if h != g:
                parent[h] = g
                state.waiting[g] += state.waiting[h]
                groups -= 1
        state.waiting[g] -= 1
        if groups > 1 and state.waiting[g] == 0:
            return False
    return True


@njit(cache=True)
def _root(p: int, parent: IntArray) -> int:
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p
