"""Compiled descent over feasible clusterings: relocations, ejections and chains.

Three neighbourhoods, each evaluated exactly (see `ccviz.solvers.memetic.instance`):

- *relocation*: one block goes to a cluster without its conflicts (Hartigan and Wong 1979);
- *ejection*: one block goes to a cluster with conflicts, and each of these goes to its best other
  cluster;
- *chain*: in the conflict graph of two clusters, one component changes sides as a whole (a Kempe
  chain), which is feasible whatever its size.

The clustering stays feasible after every move, and no cluster is emptied.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.memetic.instance import (
    BlockData,
    State,
    cheapest_free,
    entering,
    leaving,
    move,
    open_state,
)

BoolArray = NDArray[np.bool_]

RELOCATIONS, EJECTIONS, CHAINS = 1, 2, 3


@njit(cache=True)
def descend(
    data: BlockData,
    label: IntArray,
    anchor: FloatArray,
    inertia: float,
    order: IntArray,
    depth: int,
    tolerance: float,
    most_sweeps: int,
) -> tuple[IntArray, int]:
    """Improve a feasible clustering until none of its neighbours is better.

    `label` (s,): A clustering that breaks no conflict and leaves no cluster empty. `inertia`: See
    `open_state`. `order` (s,): Order in which blocks are tried. `depth`: RELOCATIONS alone,
    EJECTIONS as well, or CHAINS on top. `tolerance`: Smallest gain that counts. `most_sweeps`: When
    to end before that. Returns `sweeps`: Passes over the blocks, by any of the three.
    """
    state = open_state(data, label, anchor, inertia)
    checked = np.full(len(order), -1, np.int64)
    linked = _linked_in(order, data)
    sweeps = 0
    improved = len(anchor) > 1
    while improved and sweeps < most_sweeps:
        improved = False
        while sweeps < most_sweeps and _relocate(order, checked, data, state, tolerance):
            sweeps += 1
        sweeps += 1
        if depth >= EJECTIONS:
            improved |= _eject(linked, data, state, tolerance)
            sweeps += 1
        if depth >= CHAINS:
            improved |= _flip_chains(linked, data, state, tolerance)
            sweeps += 1
    return state.label, sweeps


@njit(cache=True)
def _linked_in(order: IntArray, data: BlockData) -> IntArray:
    """Return the linked blocks in the given order."""
    linked, size = np.empty(len(data.linked), np.int64), 0
    for b in order:
        if data.start[b + 1] > data.start[b]:
            linked[size] = b
            size += 1
    return linked


@njit(cache=True)
def _relocate(
    order: IntArray, checked: IntArray, data: BlockData, state: State, tolerance: float
) -> bool:
    """Move each block to its best free cluster; return whether any moved.

    ``checked`` is the number of moves at a block's last check: clusters that have not changed since
    are skipped, unless its own has.
    """
    improved = False
    for b in order:
        a = state.label[b]
        since = -1 if state.changed[a] > checked[b] else checked[b]
        checked[b] = state.moves[0]
        if state.size[a] > 1 and since < state.moves[0]:
            c = _best_relocation(b, since, data, state, tolerance)
            if c >= 0:
                move(b, c, data, state)
                improved = True
    return improved


@njit(cache=True, forceinline=True)
def _best_relocation(b: int, since: int, data: BlockData, state: State, tolerance: float) -> int:
    """Return the best better cluster among those that changed after ``since``, or -1."""
    point, mass, changed, crowd = data.point, data.mass, state.changed, state.crowd
    total, weight, a = state.total, state.weight, state.label[b]
    best, least = -1, leaving(b, data, state) - tolerance
    for c in range(len(weight)):
        if changed[c] > since and c != a and crowd[b, c] == 0:
            cost = entering(b, c, point, mass, total, weight)
            if cost < least:
                best, least = c, cost
    return best


@njit(cache=True)
def _eject(linked: IntArray, data: BlockData, state: State, tolerance: float) -> bool:
    """Let each linked block push its conflicts out of another cluster; return whether any did."""
    improved = False
    evicted = np.empty(len(linked), np.int64)
    for b in linked:
        for c in range(len(state.weight)):
            if c != state.label[b] and state.crowd[b, c] > 0:
                improved |= _try_ejection(b, c, evicted, data, state, tolerance)
    return improved


@njit(cache=True)
def _try_ejection(
    b: int, c: int, evicted: IntArray, data: BlockData, state: State, tolerance: float
) -> bool:
    """Put block b into cluster c and its conflicts elsewhere if that is better."""
    a, number = state.label[b], _conflicts_in(b, c, evicted, data, state)
    gain = leaving(b, data, state)
    gain -= entering(b, c, data.point, data.mass, state.total, state.weight)
    move(b, c, data, state)
    placed = 0
    while placed < number:
        u = evicted[placed]
        goal, cost = cheapest_free(u, c, data, state)
        if goal < 0:
            break
        gain += leaving(u, data, state) - cost
        move(u, goal, data, state)
        placed += 1
    if placed == number and gain > tolerance and state.size[a] > 0:
        return True
    for place in range(placed):
        move(evicted[place], c, data, state)
    move(b, a, data, state)
    return False


@njit(cache=True)
def _conflicts_in(b: int, c: int, members: IntArray, data: BlockData, state: State) -> int:
    """Write the conflicts of block b in cluster c into ``members``; return their number."""
    number = 0
    for e in range(data.start[b], data.start[b + 1]):
        u = data.neighbour[e]
        if state.label[u] == c:
            members[number] = u
            number += 1
    return number


@njit(cache=True)
def _flip_chains(linked: IntArray, data: BlockData, state: State, tolerance: float) -> bool:
    """Flip every chain that is better on the other side; return whether any was."""
    improved = False
    k = len(state.weight)
    chain, in_chain = np.empty(len(linked), np.int64), np.zeros(len(data.mass), np.bool_)
    seen = np.zeros((len(data.mass), k), np.bool_)
    flow = np.empty(data.point.shape[1])
    for b in linked:
        for c in range(k):
            a = state.label[b]
            if c == a or seen[b, c] or state.crowd[b, c] == 0:
                continue
            size = _collect_chain(b, c, chain, in_chain, seen, data, state)
            if _flip_gain(chain[:size], a, c, flow, data, state) > tolerance:
                for v in chain[:size]:
                    move(v, c if state.label[v] == a else a, data, state)
                improved = True
    return improved


@njit(cache=True)
def _collect_chain(
    b: int,
    c: int,
    chain: IntArray,
    in_chain: BoolArray,
    seen: BoolArray,
    data: BlockData,
    state: State,
) -> int:
    """Write the component of block b between its cluster and c into ``chain``; return its size."""
    a = state.label[b]
    chain[0], in_chain[b] = b, True
    size, position = 1, 0
    while position < size:
        v = chain[position]
        position += 1
        other = c if state.label[v] == a else a
        seen[v, other] = True
        for e in range(data.start[v], data.start[v + 1]):
            u = data.neighbour[e]
            if state.label[u] == other and not in_chain[u]:
                chain[size], in_chain[u] = u, True
                size += 1
    for v in chain[:size]:
        in_chain[v] = False
    return size


@njit(cache=True)
def _flip_gain(
    chain: IntArray, a: int, c: int, flow: FloatArray, data: BlockData, state: State
) -> float:
    """Return the decrease of the sum of squares when the chain changes sides, -1 if one empties.

    A cluster's part of it is a constant less |total|^2 / weight.
    """
    flow[:] = 0.0
    mass, number = 0.0, 0
    for v in chain:
        sign = 1 if state.label[v] == a else -1
        number += sign
        mass += sign * data.mass[v]
        for j in range(len(flow)):
            flow[j] += sign * data.mass[v] * data.point[v, j]
    if state.size[a] <= number or state.size[c] <= -number:
        return -1.0
    gain = 0.0
    for j in range(len(flow)):
        source, target = state.total[a, j], state.total[c, j]
        gain += (source - flow[j]) ** 2 / (state.weight[a] - mass) - source**2 / state.weight[a]
        gain += (target + flow[j]) ** 2 / (state.weight[c] + mass) - target**2 / state.weight[c]
    return gain
