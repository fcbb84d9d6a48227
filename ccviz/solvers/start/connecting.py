"""Clusterings that are connected, from ones that need not be: growing, border moves and swaps.

Of each cluster its heaviest piece stays. The other blocks join the clusters that they border on,
the cheapest first. Then blocks at a border move to the next cluster, alone or in exchange for one
of that, while costs and broken limits fall and what they leave stays connected. Again and again a
few moves at random are made, and the search goes on from the better clustering, as in iterated
local search (Lourenço, Martin and Stützle 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.packing import never
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.problem.sums import row_limits
from ccviz.solvers.relaxation.exchange import linked_blocks
from ccviz.solvers.relaxation.model import relax_to_search
from ccviz.solvers.relaxation.separators import arcs_of

_KICKS = 3  # Moves at random between two searches


class _Given(NamedTuple):
    """Blocks, their links and neighbours, and the limits of the clusters."""

    sums: FloatArray  # (s, d): Mass times centroid of each block
    mass: FloatArray
    start: IntArray  # start, other: Neighbours as compressed rows
    other: IntArray
    # linked, partner, price: Linked blocks as compressed rows, and the price of sharing a cluster.
    linked: IntArray
    partner: IntArray
    price: FloatArray
    amount: FloatArray  # (q, s): What each limit counts of a block
    low: FloatArray  # low, high, (q, k): The least and the largest amount of a cluster
    high: FloatArray
    broken: float  # The price of a limit that is broken by 1, or of a broken cannot-link


class _State(NamedTuple):
    """A clustering with the sums that a move needs."""

    labels: IntArray  # (s,): -1 for blocks that are in no cluster yet
    total: FloatArray  # (k, d): Sum of the blocks of each cluster
    size: FloatArray  # (k,): Their mass
    held: FloatArray  # (q, k): What each limit counts of a cluster
    pay: FloatArray  # (s, k): Prices of a block's links in a cluster
    mark: IntArray  # mark, queue, (s,): Work space
    queue: IntArray


def connected_clustering(
    problem: Problem,
    labels: IntArray,
    seed: int,
    tries: int,
    stop: Callable[[], bool] = never,
) -> IntArray:
    """Return (n,) labels near others, connected and within all limits where that was found.

    `labels` (n,): A clustering that keeps must-links. `tries`: Searches after moves at random.
    """
    blocks = contract(problem)
    given = _given(problem, blocks)
    rng = np.random.default_rng(seed)
    best = blocks.project(labels)
    least = _improve(given, best, np.empty(0))
    for _ in range(tries):
        if stop():
            break
        found = best.copy()
        value = _improve(given, found, rng.uniform(size=2 * _KICKS))
        if value < least:
            best, least = found, value
    return blocks.lift(best) if (best >= 0).all() else labels


def _given(problem: Problem, blocks: Blocks) -> _Given:
    assert problem.neighbors is not None
    relaxation, k = relax_to_search(blocks), blocks.k
    sizes, arcs = problem.sizes, arcs_of(problem.neighbors, blocks.block_of, blocks.s)
    low = np.ones((1, k)) if sizes is None else sizes.lower[None]
    high = np.full((1, k), blocks.n) if sizes is None else sizes.upper[None]
    rows = [(a, own, np.abs(a).max() or 1.0) for a, own in row_limits(problem)]
    amount = [blocks.count, *(np.bincount(blocks.block_of, a / u, blocks.s) for a, _, u in rows)]
    least = np.array([[-own / u] * k for _, own, u in rows]).reshape(-1, k)
    linked, partner, price = linked_blocks(blocks)
    broken = 10.0 * (relaxation.constant or 1.0)
    return _Given(
        sums=np.sqrt(relaxation.mass)[:, None] * relaxation.factor,
        mass=relaxation.mass,
        start=arcs.start,
        other=arcs.other,
        linked=linked,
        partner=partner.astype(np.int64),
        price=np.where(np.isinf(price), broken, price),
        amount=np.array(amount, dtype=np.float64),
        low=np.concatenate([low, least - 1e-12 * np.abs(least)]),
        high=np.concatenate([high, np.full(least.shape, np.inf)]),
        broken=broken,
    )


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _improve(given: _Given, labels: IntArray, draws: FloatArray) -> float:
    """Connect the clusters of labels, move some blocks by the draws, search; return the value."""
    (s, d), (q, k) = given.sums.shape, given.low.shape
    state = _State(
        labels,
        np.zeros((k, d)),
        np.zeros(k),
        np.zeros((q, k)),
        np.zeros((s, k)),
        np.full(s, -1),
        np.empty(s, np.int64),
    )
    for b in range(s):
        c, labels[b] = labels[b], -1
        _put(given, state, b, c)
    _keep_heaviest(given, state)
    _grow(given, state)
    for t in range(len(draws) // 2):
        _kick(given, state, draws[2 * t], draws[2 * t + 1])
    _search(given, state)
    value = 0.0
    for c in range(k):
        value += _value(given, state, c, -1, -1)
    for b in range(s):
        value += 0.5 * state.pay[b, labels[b]] if labels[b] >= 0 else given.broken
    return value


@njit(cache=True)  # pragma: no cover - compiled
def _put(given: _Given, state: _State, b: int, to: int) -> None:
    """Move block b to a cluster, -1 for none."""
    for c, sign in ((state.labels[b], -1.0), (to, 1.0)):
        if c < 0:
            continue
        state.total[c] += sign * given.sums[b]
        state.size[c] += sign * given.mass[b]
        state.held[:, c] += sign * given.amount[:, b]
        for t in range(given.linked[b], given.linked[b + 1]):
            state.pay[given.partner[t], c] += sign * given.price[t]
    state.labels[b] = to


@njit(cache=True)  # pragma: no cover - compiled
def _value(given: _Given, state: _State, c: int, into: int, out: int) -> float:
    """Return what a cluster costs, with a block more and another one less; -1 for none."""
    mass = state.size[c]
    mass += given.mass[into] if into >= 0 else 0.0
    mass -= given.mass[out] if out >= 0 else 0.0
    square = 0.0
    for f in range(given.sums.shape[1]):
        x = state.total[c, f]
        x += given.sums[into, f] if into >= 0 else 0.0
        x -= given.sums[out, f] if out >= 0 else 0.0
        square += x * x
    value = -square / mass if mass > 0.5 * given.mass.min() else given.broken
    for r in range(len(given.low)):
        a = state.held[r, c]
        a += given.amount[r, into] if into >= 0 else 0.0
        a -= given.amount[r, out] if out >= 0 else 0.0
        off = max(0.0, given.low[r, c] - a, a - given.high[r, c])
        value += given.broken * off if off > 1e-9 else 0.0
    return value


@njit(cache=True)  # pragma: no cover - compiled
def _gain(given: _Given, state: _State, b: int, to: int, partner: int) -> float:
    """Return how much less all costs if b goes to another cluster, and a partner comes from it."""
    a, pay = state.labels[b], state.pay
    gain = _value(given, state, to, -1, -1) - _value(given, state, to, b, partner) - pay[b, to]
    if a >= 0:
        gain += _value(given, state, a, -1, -1) - _value(given, state, a, partner, b) + pay[b, a]
    if partner >= 0:
        gain += pay[partner, to] - pay[partner, a]
        for t in range(given.linked[b], given.linked[b + 1]):
            if given.partner[t] == partner:
                gain += 2.0 * given.price[t]
    return gain


@njit(cache=True)  # pragma: no cover - compiled
def _reach(given: _Given, state: _State, first: int, c: int, without: int, stamp: int) -> int:
    """Mark what of a cluster is joined to a block, without another one; return how many."""
    mark, queue = state.mark, state.queue
    queue[0], head, tail = first, 0, 1
    mark[first] = stamp
    while head < tail:
        v = queue[head]
        head += 1
        for t in range(given.start[v], given.start[v + 1]):
            w = given.other[t]
            if mark[w] != stamp and w != without and state.labels[w] == c:
                mark[w] = stamp
                queue[tail] = w
                tail += 1
    return tail


@njit(cache=True)  # pragma: no cover - compiled
def _stays_joined(given: _Given, state: _State, c: int, without: int, into: int) -> bool:
    """Whether a cluster is connected without a block, and with another one; -1 for none."""
    first, count = into, 1 if into >= 0 else 0
    for v in range(len(state.labels)):
        if state.labels[v] == c and v != without:
            count += 1
            first = v if first < 0 else first
    if count == 0:
        return False
    state.mark[:] = -1
    return _reach(given, state, first, c, without, 0) == count


@njit(cache=True)  # pragma: no cover - compiled
def _keep_heaviest(given: _Given, state: _State) -> None:
    """Take all but its heaviest piece out of each cluster."""
    s, k = len(state.labels), len(state.size)
    state.mark[:] = -1
    heaviest, best = np.zeros(k), np.full(k, -1)
    piece = np.full(s, -1)
    for v in range(s):
        c = state.labels[v]
        if c < 0 or piece[v] >= 0:
            continue
        count = _reach(given, state, v, c, -1, v)
        mass = 0.0
        for at in range(count):
            piece[state.queue[at]] = v
            mass += given.mass[state.queue[at]]
        if mass > heaviest[c]:
            heaviest[c], best[c] = mass, v
    for v in range(s):
        if state.labels[v] >= 0 and piece[v] != best[state.labels[v]]:
            _put(given, state, v, -1)


@njit(cache=True)  # pragma: no cover - compiled
def _grow(given: _Given, state: _State) -> None:  # noqa: C901 - one compiled loop nest
    """Put blocks that are in no cluster into those they border on, the cheapest first."""
    s, k = len(state.labels), len(state.size)
    for _ in range(s + k):
        best, chosen, to, last = -np.inf, -1, -1, -1
        for b in range(s):
            if state.labels[b] >= 0:
                continue
            last = b
            for t in range(given.start[b], given.start[b + 1]):
                c = state.labels[given.other[t]]
                if c >= 0:
                    gain = _gain(given, state, b, c, -1)
                    if gain > best:
                        best, chosen, to = gain, b, c
        if last < 0:
            return
        if chosen < 0:  # an island without a cluster: one goes there whose blocks others can take
            to = _spared(given, state)
            if to < 0:
                return
            for v in range(s):
                if state.labels[v] == to:
                    _put(given, state, v, -1)
            chosen = last
        _put(given, state, chosen, to)


@njit(cache=True)  # pragma: no cover - compiled
def _spared(given: _Given, state: _State) -> int:
    """Return an empty cluster, or the lightest that borders on another one; -1 if none does."""
    borders = state.size == 0.0
    for v in range(len(state.labels)):
        for t in range(given.start[v], given.start[v + 1]):
            met = state.labels[given.other[t]]
            if state.labels[v] >= 0 and met >= 0 and met != state.labels[v]:
                borders[met] = True
    best = -1
    for c in range(len(borders)):
        if borders[c] and (best < 0 or state.size[c] < state.size[best]):
            best = c
    return best


@njit(cache=True)  # pragma: no cover - compiled
def _kick(given: _Given, state: _State, which: float, where: float) -> None:
    """Move a block to a cluster that it borders on, chosen by two draws from 0 to 1."""
    s = len(state.labels)
    for step in range(s):
        b = (int(which * s) + step) % s
        count = given.start[b + 1] - given.start[b]
        for turn in range(count):
            at = (int(where * count) + turn) % count
            to, a = state.labels[given.other[given.start[b] + at]], state.labels[b]
            if a >= 0 and to >= 0 and to != a and _stays_joined(given, state, a, b, -1):
                _put(given, state, b, to)
                return


@njit(cache=True)  # pragma: no cover - compiled
def _search(given: _Given, state: _State) -> None:
    """Make the best move or swap of each block in turn, until none of any gains."""
    s, idle, b = len(state.labels), 0, 0
    while idle < s:
        idle += 1
        best, to, partner = 1e-12 * given.broken, -1, -1
        a = state.labels[b]
        for t in range(given.start[b], given.start[b + 1]):
            c = state.labels[given.other[t]]
            if a < 0 or c < 0 or c == a:
                continue
            gain = _gain(given, state, b, c, -1)
            if gain > best and _stays_joined(given, state, a, b, -1):
                best, to, partner = gain, c, -1
            for v in range(s):
                if state.labels[v] != c:
                    continue
                gain = _gain(given, state, b, c, v)
                if (
                    gain > best
                    and _stays_joined(given, state, a, b, v)
                    and _stays_joined(given, state, c, v, b)
                ):
                    best, to, partner = gain, c, v
        if to >= 0:
            _put(given, state, b, to)
            if partner >= 0:
                _put(given, state, partner, a)
            idle = 0
        b = (b + 1) % s
