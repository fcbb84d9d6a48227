"""Improvements of a clustering: exchanges of blocks, Kempe chains, a short k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.feasibility.packing import never
from ccviz.problem.blocks import Blocks
from ccviz.problem.partition import cluster_means
from ccviz.solvers.assignment.structure import linked_blocks
from ccviz.solvers.relaxation.model import Relaxation


def exchanged(
    blocks: Blocks, relaxation: Relaxation, labels: IntArray, stop: Callable[[], bool] = never
) -> IntArray:
    """Return (s,) labels after improving exchanges that keep links and sizes."""
    if needs_swaps(blocks):
        return exchange_blocks(blocks, relaxation, labels, stop)
    return exchange(blocks, relaxation, labels)


def needs_swaps(blocks: Blocks) -> bool:
    """Return whether sizes or soft links have to be kept in mind, which chains do not."""
    return blocks.sizes is not None or bool(len(blocks.soft_must) or len(blocks.soft_cannot))


# --- Local search by moves of a block and swaps of two that sizes and conflicts allow -------------
#
# Exact assignments and means in turn stop at clusterings that a swap still improves. A step moves a
# block from its cluster to another, alone or in exchange for a block of that one; both clusters
# keep their limits and no two blocks in conflict meet. Soft links count beside the squares.


class _Given(NamedTuple):
    """Blocks, their links and the limits of the clusters."""

    sums: FloatArray  # (s, d): Mass times centroid of each block
    mass: FloatArray
    # start, other, price: Linked blocks as compressed rows, and the price of sharing a cluster with
    # each.
    start: IntArray
    other: IntArray
    price: FloatArray
    lower: FloatArray
    upper: FloatArray


class _State(NamedTuple):
    """A clustering with the sums that a move needs."""

    labels: IntArray
    total: FloatArray  # (k, d): Sum of the blocks of each cluster
    size: FloatArray
    against: IntArray  # (s, k): Number of conflicts of a block with a cluster
    pay: FloatArray  # (s, k): Prices of a block's soft links in a cluster


_PAIRS = 2_000_000
"""Pairs of blocks that are tried between two looks at whether to stop."""


def exchange_blocks(
    blocks: Blocks, relaxation: Relaxation, labels: IntArray, stop: Callable[[], bool] = never
) -> IntArray:
    """Return (s,) labels after improving moves and swaps until none is left, or it should stop.

    `labels` (s,): A clustering that keeps links and sizes.
    """
    lower = np.full(blocks.k, blocks.mass.min())
    upper = np.full(blocks.k, blocks.mass.sum())
    if blocks.sizes is not None:
        lower = np.asarray(blocks.sizes.lower, float)
        upper = np.asarray(blocks.sizes.upper, float)
    sums = np.sqrt(relaxation.mass)[:, None] * relaxation.factor
    given = _Given(sums, relaxation.mass, *linked_blocks(blocks), lower, upper)
    state = _State(
        labels=labels.astype(np.int64).copy(),
        total=np.zeros((blocks.k, sums.shape[1])),
        size=np.zeros(blocks.k),
        against=np.zeros((blocks.s, blocks.k), np.int64),
        pay=np.zeros((blocks.s, blocks.k)),
    )
    least, visits = 1e-12 * relaxation.constant, 1 + _PAIRS // blocks.s
    at, idle = -1, 0
    while idle < blocks.s and not (at >= 0 and stop()):
        at, idle = _exchange(given, state, least, at, idle, visits)
    return state.labels


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _exchange(
    given: _Given, state: _State, least: float, i: int, idle: int, visits: int
) -> tuple[int, int]:
    """Visit some blocks, and move or swap those by which a step gains more than ``least``.

    `i`: The first one, -1 to begin. Returns the next one, and how many had no step since the last.
    """
    if i < 0:
        _open(given, state)
        i = 0
    s = len(given.mass)
    for _ in range(visits):
        if idle == s:
            break
        idle += 1
        a = state.labels[i]
        best, to = _best_move(given, state, i, least)
        partner = _best_swap(given, state, i, best)
        if partner >= 0:
            to = state.labels[partner]
        if to >= 0:
            _move(given, state, i, to)
            if partner >= 0:
                _move(given, state, partner, a)
            idle = 0
        i = (i + 1) % s
    return i, idle


@njit(cache=True)  # pragma: no cover - compiled
def _open(given: _Given, state: _State) -> None:
    """Fill in the sums of the labels."""
    for i in range(len(given.mass)):
        cluster = state.labels[i]
        state.total[cluster] += given.sums[i]
        state.size[cluster] += given.mass[i]
        for t in range(given.start[i], given.start[i + 1]):
            met = state.labels[given.other[t]]
            if given.price[t] == np.inf:
                state.against[i, met] += 1
            else:
                state.pay[i, met] += given.price[t]


@njit(cache=True)  # pragma: no cover - compiled
def _best_move(given: _Given, state: _State, i: int, least: float) -> tuple[float, int]:
    """Return the largest gain of a move of block i, and the cluster it goes to or -1."""
    a, best, to = state.labels[i], least, -1
    for b in range(len(state.size)):
        if b != a and state.against[i, b] == 0 and _fits(given, state, given.mass[i], a, b):
            gain = _gain(given, state, i, -1, a, b) + state.pay[i, a] - state.pay[i, b]
            if gain > best:
                best, to = gain, b
    return best, to


@njit(cache=True)  # pragma: no cover - compiled
def _best_swap(given: _Given, state: _State, i: int, least: float) -> int:
    """Return the block whose swap with block i gains most, -1 if none gains more than ``least``."""
    a, best, partner = state.labels[i], least, -1
    against, pay = state.against, state.pay
    for j in range(len(given.mass)):
        b = state.labels[j]
        if b == a or not _fits(given, state, given.mass[i] - given.mass[j], a, b):
            continue
        own = _price_of(given, i, j)
        met = 1 if own == np.inf else 0
        if against[i, b] > met or against[j, a] > met:
            continue
        gain = _gain(given, state, i, j, a, b)
        gain += pay[i, a] - pay[i, b] + pay[j, b] - pay[j, a]
        if met == 0:  # they stay apart
            gain += 2.0 * own
        if gain > best:
            best, partner = gain, j
    return partner


@njit(cache=True)  # pragma: no cover - compiled
def _fits(given: _Given, state: _State, moved: float, a: int, b: int) -> bool:
    """Whether clusters a and b keep their limits when some points go from a to b."""
    after_a, after_b = state.size[a] - moved, state.size[b] + moved
    fits_a = given.lower[a] <= after_a <= given.upper[a]
    return bool(fits_a and given.lower[b] <= after_b <= given.upper[b])


@njit(cache=True)  # pragma: no cover - compiled
def _price_of(given: _Given, i: int, j: int) -> float:
    """Return the price of two blocks in one cluster: infinity in conflict, 0 without a link."""
    for t in range(given.start[i], given.start[i + 1]):
        if given.other[t] == j:
            return float(given.price[t])
    return 0.0


@njit(cache=True)  # pragma: no cover - compiled
def _gain(given: _Given, state: _State, i: int, j: int, a: int, b: int) -> float:
    """Return the increase of the scatter between clusters if i goes to b, and j (if any) to a."""
    sums, mass, total, size = given.sums, given.mass, state.total, state.size
    moved = mass[i] - (mass[j] if j >= 0 else 0.0)
    gain = 0.0
    for f in range(sums.shape[1]):
        shift = sums[i, f] - (sums[j, f] if j >= 0 else 0.0)
        after_a, after_b = total[a, f] - shift, total[b, f] + shift
        gain += after_a * after_a / (size[a] - moved) - total[a, f] * total[a, f] / size[a]
        gain += after_b * after_b / (size[b] + moved) - total[b, f] * total[b, f] / size[b]
    return gain


@njit(cache=True)  # pragma: no cover - compiled
def _move(given: _Given, state: _State, i: int, b: int) -> None:
    """Move block i to cluster b."""
    a = state.labels[i]
    state.total[a] -= given.sums[i]
    state.total[b] += given.sums[i]
    state.size[a] -= given.mass[i]
    state.size[b] += given.mass[i]
    state.labels[i] = b
    for t in range(given.start[i], given.start[i + 1]):
        other, price = given.other[t], given.price[t]
        if price == np.inf:
            state.against[other, a] -= 1
            state.against[other, b] += 1
        else:
            state.pay[other, a] -= price
            state.pay[other, b] += price


# --- Local search by Kempe exchanges, beyond the optima of exact assignments and means ------------
#
# Moving a block may force the blocks it conflicts with to move back, and so on: the chain is its
# connected component among the two clusters' conflicts (Kempe 1879). Exchanging a chain keeps every
# cannot-link; a chain of one block is a move of Hartigan and Wong (1979).


def exchange(blocks: Blocks, relaxation: Relaxation, labels: IntArray) -> IntArray:
    """Return (s,) labels after improving exchanges until none is left."""
    graph = blocks.conflict_graph
    sums = np.sqrt(relaxation.mass)[:, None] * relaxation.factor
    improved = labels.astype(np.int64).copy()
    least = 1e-12 * relaxation.constant
    start, other = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    _exchange_chain(sums, relaxation.mass, start, other, improved, relaxation.k, least)
    return improved


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _exchange_chain(
    sums: FloatArray,
    mass: FloatArray,
    start: IntArray,
    other: IntArray,
    labels: IntArray,
    k: int,
    least: float,
) -> None:
    s, d = sums.shape
    total = np.zeros((k, d))
    size = np.zeros(k)
    for i in range(s):
        total[labels[i]] += sums[i]
        size[labels[i]] += mass[i]
    chain = np.empty(s, np.int64)
    reached = np.zeros(s, np.bool_)
    shift = np.empty(d)
    idle = 0
    i = 0
    while idle < s:
        idle += 1
        for b in range(k):
            a = labels[i]
            if b == a:
                continue
            length = _chain(i, a, b, labels, start, other, chain, reached)
            moved = _shift(chain[:length], a, labels, sums, mass, shift)
            for c in chain[:length]:
                reached[c] = False
            if size[a] - moved < 0.5 or size[b] + moved < 0.5:
                continue
            gain = 0.0
            for f in range(d):
                before_a, before_b = total[a, f], total[b, f]
                after_a, after_b = before_a - shift[f], before_b + shift[f]
                gain += after_a * after_a / (size[a] - moved) + after_b * after_b / (
                    size[b] + moved
                )
                gain -= before_a * before_a / size[a] + before_b * before_b / size[b]
            if gain > least:
                for c in chain[:length]:
                    labels[c] = b if labels[c] == a else a
                total[a] -= shift
                total[b] += shift
                size[a] -= moved
                size[b] += moved
                idle = 0
        i = (i + 1) % s


@njit(cache=True)  # pragma: no cover - compiled
def _chain(
    i: int,
    a: int,
    b: int,
    labels: IntArray,
    start: IntArray,
    other: IntArray,
    chain: IntArray,
    reached: Any,
) -> int:
    """Collect the conflict component of block i within clusters a and b."""
    chain[0] = i
    reached[i] = True
    length, at = 1, 0
    while at < length:
        block = chain[at]
        at += 1
        for t in range(start[block], start[block + 1]):
            next_block = other[t]
            if not reached[next_block] and (labels[next_block] == a or labels[next_block] == b):
                reached[next_block] = True
                chain[length] = next_block
                length += 1
    return length


@njit(cache=True)  # pragma: no cover - compiled
def _shift(
    chain: IntArray, a: int, labels: IntArray, sums: FloatArray, mass: FloatArray, shift: FloatArray
) -> float:
    """Set ``shift`` to the sum of the points that leave cluster a; return their mass."""
    shift[:] = 0.0
    moved = 0.0
    for c in chain:
        if labels[c] == a:
            shift += sums[c]
            moved += mass[c]
        else:
            shift -= sums[c]
            moved -= mass[c]
    return moved


# --- A few iterations of k-means without weights, as `scipy.cluster.vq.kmeans2` makes them --------
#
# `scipy.cluster` loads all of `scipy.spatial` and `scipy.special`, which nothing else in `sdp`
# needs: a new process needs 1.0 instead of 0.9 CPU seconds to import the solver, and many a proof
# takes less than the difference. One k-means takes as long as SciPy's, and the tests compare both.

_ITERATIONS = 10


def drawn_centers(rows: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Draw k of the rows by k-means++; some are equal where fewer than k rows differ."""
    chosen = [int(rng.integers(len(rows)))]
    nearest = _squares(rows, rows[chosen[0]])
    for _ in range(k - 1):
        total = nearest.sum()
        share = rng.uniform()
        drawn = np.searchsorted(np.cumsum(nearest / total), share) if total > 0.0 else 0
        chosen.append(min(int(drawn), len(rows) - 1))
        nearest = np.minimum(nearest, _squares(rows, rows[chosen[-1]]))
    return rows[chosen]


def short_kmeans(rows: FloatArray, centers: FloatArray) -> tuple[FloatArray, IntArray] | None:
    """Return the centres after a few iterations, and the labels that they are the means of."""
    labels = np.zeros(len(rows), dtype=np.int64)
    for _ in range(_ITERATIONS):
        # Squared distances, less the square of each row.
        labels = ((centers**2).sum(axis=1) - 2.0 * (rows @ centers.T)).argmin(axis=1)
        if not np.bincount(labels, minlength=len(centers)).all():
            return None
        centers = cluster_means(rows, labels, len(centers))
    return centers, labels


def _squares(rows: FloatArray, center: FloatArray) -> FloatArray:
    squares: FloatArray = ((rows - center) ** 2).sum(axis=1)
    return squares
