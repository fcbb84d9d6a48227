"""Local search by moves of a block and swaps of two that sizes and conflicts allow.

Exact assignments and means in turn stop at clusterings that a swap still improves. A step moves a
block from its cluster to another, alone or in exchange for a block of that one; both clusters keep
their limits and no two blocks in conflict meet. Soft links count beside the squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.structure import structure_of
from ccviz.solvers.relaxation.model import Relaxation


class _Given(NamedTuple):
    """Blocks, their links and the limits of the clusters.

    Attributes
    ----------
    sums : (s, d) float64
        Mass times centroid of each block.
    mass : (s,) float64
    start, other, price
        Linked blocks as compressed rows, and the price of sharing a cluster with each.
    lower, upper : (k,) float64
    """

    sums: FloatArray
    mass: FloatArray
    start: IntArray
    other: IntArray
    price: FloatArray
    lower: FloatArray
    upper: FloatArray


class _State(NamedTuple):
    """A clustering with the sums that a move needs.

    Attributes
    ----------
    labels : (s,) int64
    total : (k, d) float64
        Sum of the blocks of each cluster.
    size : (k,) float64
    against : (s, k) int64
        Number of conflicts of a block with a cluster.
    pay : (s, k) float64
        Prices of a block's soft links in a cluster.
    """

    labels: IntArray
    total: FloatArray
    size: FloatArray
    against: IntArray
    pay: FloatArray


def exchange_blocks(blocks: Blocks, relaxation: Relaxation, labels: IntArray) -> IntArray:
    """Return (s,) labels after improving moves and swaps until none is left.

    Parameters
    ----------
    blocks : Blocks
    relaxation : Relaxation
    labels : (s,) int64
        A clustering that keeps links and sizes.
    """
    lower = np.full(blocks.k, blocks.mass.min())
    upper = np.full(blocks.k, blocks.mass.sum())
    if blocks.sizes is not None:
        lower = np.asarray(blocks.sizes.lower, float)
        upper = np.asarray(blocks.sizes.upper, float)
    sums = np.sqrt(relaxation.mass)[:, None] * relaxation.factor
    given = _Given(sums, relaxation.mass, *_neighbours(blocks), lower, upper)
    state = _State(
        labels=labels.astype(np.int64).copy(),
        total=np.zeros((blocks.k, sums.shape[1])),
        size=np.zeros(blocks.k),
        against=np.zeros((blocks.s, blocks.k), np.int64),
        pay=np.zeros((blocks.s, blocks.k)),
    )
    _exchange(given, state, 1e-12 * relaxation.constant)
    return state.labels


def _neighbours(blocks: Blocks) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the linked blocks as compressed rows, and the price of sharing a cluster with each."""
    structure = structure_of(blocks)
    pairs = structure.pairs.astype(np.int64)
    row, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    order = np.argsort(row, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(row, minlength=blocks.s)))
    price = np.concatenate([structure.price, structure.price])
    return start, other[order], price[order]


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _exchange(given: _Given, state: _State, least: float) -> None:
    """Move and swap blocks while a step gains more than ``least``."""
    _open(given, state)
    s = len(given.mass)
    idle, i = 0, 0
    while idle < s:
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
