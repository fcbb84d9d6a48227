"""Local search by Kempe exchanges, beyond the optima of exact assignments and means.

Moving a block may force the blocks it conflicts with to move back, and so on: the chain is its
connected component among the two clusters' conflicts (Kempe 1879). Exchanging a chain keeps every
cannot-link; a chain of one block is a move of Hartigan and Wong (1979).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.solvers.relaxation.model import Relaxation


def exchange(blocks: Blocks, relaxation: Relaxation, labels: IntArray) -> IntArray:
    """Return (s,) labels after improving exchanges until none is left."""
    graph = blocks.conflict_graph
    sums = np.sqrt(relaxation.mass)[:, None] * relaxation.factor
    improved = labels.astype(np.int64).copy()
    least = 1e-12 * relaxation.constant
    start, other = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    _exchange(sums, relaxation.mass, start, other, improved, relaxation.k, least)
    return improved


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _exchange(
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
