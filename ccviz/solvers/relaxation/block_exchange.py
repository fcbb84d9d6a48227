"""Local search by moves of a block and swaps of two that sizes and conflicts allow.

Exact assignments and means in turn stop at clusterings that a swap still improves. A step moves a
block from its cluster to another, alone or in exchange for a block of that one; both clusters keep
their limits and no two blocks in conflict meet. Soft links weigh against the squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.structure import structure_of
from ccviz.solvers.relaxation.model import Relaxation


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
        lower, upper = (
            np.asarray(each, float) for each in (blocks.sizes.lower, blocks.sizes.upper)
        )
    improved = labels.astype(np.int64).copy()
    _exchange(
        np.sqrt(relaxation.mass)[:, None] * relaxation.factor,
        relaxation.mass,
        *_neighbours(blocks),
        lower,
        upper,
        improved,
        1e-12 * relaxation.constant,
    )
    return improved


def _neighbours(blocks: Blocks) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the linked blocks as compressed rows, and the price of sharing a cluster with each."""
    structure = structure_of(blocks)
    pairs = structure.pairs.astype(np.int64)
    row, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    order = np.argsort(row, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(row, minlength=blocks.s)))
    price = np.concatenate([structure.price, structure.price])
    return start, other[order], price[order]


@njit(cache=True)  # pragma: no cover - compiled
def _exchange(
    sums: FloatArray,
    mass: FloatArray,
    start: IntArray,
    other: IntArray,
    price: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    labels: IntArray,
    least: float,
) -> None:
    s, d = sums.shape
    k = len(lower)
    total = np.zeros((k, d))
    size = np.zeros(k)
    against = np.zeros((s, k), np.int64)  # conflicts of a block with a cluster
    pay = np.zeros((s, k))  # prices of a block's soft links in a cluster
    for i in range(s):
        total[labels[i]] += sums[i]
        size[labels[i]] += mass[i]
        for t in range(start[i], start[i + 1]):
            if price[t] == np.inf:
                against[i, labels[other[t]]] += 1
            else:
                pay[i, labels[other[t]]] += price[t]
    idle, i = 0, 0
    while idle < s:
        idle += 1
        a = labels[i]
        best, to = _best_move(i, sums, mass, total, size, labels, against, pay, lower, upper, least)
        partner = _best_swap(
            i, sums, mass, total, size, labels, against, pay, start, other, price, lower, upper,
            best,
        )  # fmt: skip
        if partner >= 0:
            to = labels[partner]
        if to >= 0:
            _move(i, a, to, sums, mass, total, size, labels, against, pay, start, other, price)
            if partner >= 0:
                _move(
                    partner, to, a, sums, mass, total, size, labels, against, pay, start, other,
                    price,
                )  # fmt: skip
            idle = 0
        i = (i + 1) % s


@njit(cache=True)  # pragma: no cover - compiled
def _best_move(
    i: int,
    sums: Any,
    mass: Any,
    total: Any,
    size: Any,
    labels: Any,
    against: Any,
    pay: Any,
    lower: Any,
    upper: Any,
    least: float,
) -> tuple[float, int]:
    """Return the largest gain of a move of block i, and the cluster it goes to or -1."""
    a, best, to = labels[i], least, -1
    for b in range(len(size)):
        if b != a and against[i, b] == 0 and _fits(mass[i], a, b, size, lower, upper):
            gain = _gain(sums, total, size, i, -1, a, b, mass) + pay[i, a] - pay[i, b]
            if gain > best:
                best, to = gain, b
    return best, to


@njit(cache=True)  # pragma: no cover - compiled
def _best_swap(
    i: int,
    sums: Any,
    mass: Any,
    total: Any,
    size: Any,
    labels: Any,
    against: Any,
    pay: Any,
    start: Any,
    other: Any,
    price: Any,
    lower: Any,
    upper: Any,
    least: float,
) -> int:
    """Return the block whose swap with block i gains most, -1 if none gains more than ``least``."""
    a, best, partner = labels[i], least, -1
    for j in range(len(labels)):
        b = labels[j]
        if b == a or not _fits(mass[i] - mass[j], a, b, size, lower, upper):
            continue
        own = _price_of(i, j, start, other, price)
        met = 1 if own == np.inf else 0
        if against[i, b] > met or against[j, a] > met:
            continue
        gain = _gain(sums, total, size, i, j, a, b, mass)
        gain += pay[i, a] - pay[i, b] + pay[j, b] - pay[j, a]
        if met == 0:  # they stay apart
            gain += 2.0 * own
        if gain > best:
            best, partner = gain, j
    return partner


@njit(cache=True)  # pragma: no cover - compiled
def _fits(moved: float, a: int, b: int, size: Any, lower: Any, upper: Any) -> bool:
    """Whether clusters a and b keep their limits when some points go from a to b."""
    after_a, after_b = size[a] - moved, size[b] + moved
    return lower[a] <= after_a <= upper[a] and lower[b] <= after_b <= upper[b]


@njit(cache=True)  # pragma: no cover - compiled
def _price_of(i: int, j: int, start: Any, other: Any, price: Any) -> float:
    """Return the price of two blocks in one cluster: infinity in conflict, 0 without a link."""
    for t in range(start[i], start[i + 1]):
        if other[t] == j:
            return float(price[t])
    return 0.0


@njit(cache=True)  # pragma: no cover - compiled
def _gain(sums: Any, total: Any, size: Any, i: int, j: int, a: int, b: int, mass: Any) -> float:
    """Return how much the scatter between clusters grows if i goes to b, and j (if any) to a."""
    moved = mass[i] - (mass[j] if j >= 0 else 0.0)
    gain = 0.0
    for f in range(sums.shape[1]):
        shift = sums[i, f] - (sums[j, f] if j >= 0 else 0.0)
        after_a, after_b = total[a, f] - shift, total[b, f] + shift
        gain += after_a * after_a / (size[a] - moved) - total[a, f] * total[a, f] / size[a]
        gain += after_b * after_b / (size[b] + moved) - total[b, f] * total[b, f] / size[b]
    return gain


@njit(cache=True)  # pragma: no cover - compiled
def _move(
    i: int,
    a: int,
    b: int,
    sums: Any,
    mass: Any,
    total: Any,
    size: Any,
    labels: Any,
    against: Any,
    pay: Any,
    start: Any,
    other: Any,
    price: Any,
) -> None:
    total[a] -= sums[i]
    total[b] += sums[i]
    size[a] -= mass[i]
    size[b] += mass[i]
    labels[i] = b
    for t in range(start[i], start[i + 1]):
        if price[t] == np.inf:
            against[other[t], a] -= 1
            against[other[t], b] += 1
        else:
            pay[other[t], a] -= price[t]
            pay[other[t], b] += price[t]
