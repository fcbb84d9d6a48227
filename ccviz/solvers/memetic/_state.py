"""Compiled state of a clustering of blocks, and the cost of moving one block.

With M the mass of a cluster and x its mean, a block of mass m at p that enters it adds
M m / (M + m) |p - x|^2 to the sum of squares, and one that leaves it takes M m / (M - m) |p - x|^2
away (Spath 1980). So any move is evaluated exactly, in O(d), without visiting another block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit

REORDER = {"reassoc", "contract", "arcp"}
"""Lets sums be added in any order, so that the compiler can use vector instructions."""


class BlockData(NamedTuple):
    """The blocks and their conflicts, which do not change.

    Attributes
    ----------
    point : (s, d) float64
        The blocks' centroids.
    mass : (s,) float64
        Points in each block.
    start : (s + 1,) int64
        Where each block's conflicts begin in ``neighbour``.
    neighbour : (2c,) int64
    linked : (l,) int64
        The blocks with a conflict.
    """

    point: FloatArray
    mass: FloatArray
    start: IntArray
    neighbour: IntArray
    linked: IntArray


class State(NamedTuple):
    """A clustering with no conflict broken and no cluster empty.

    Attributes
    ----------
    label : (s,) int64
    total : (k, d) float64
        Sum of mass times point in each cluster.
    weight : (k,) float64
        Mass of each cluster.
    size : (k,) int64
        Blocks in each cluster.
    crowd : (s, k) int32
        Number of conflicts of each block in each cluster.
    changed : (k,) int64
        Number of the last move that touched each cluster.
    moves : (1,) int64
        Moves so far.
    """

    label: IntArray
    total: FloatArray
    weight: FloatArray
    size: IntArray
    crowd: NDArray[np.int32]
    changed: IntArray
    moves: IntArray


@njit(cache=True)
def open_state(data: BlockData, label: IntArray, anchor: FloatArray, inertia: float) -> State:
    """Return the state of a clustering whose clusters hold an extra mass at given anchors.

    With no inertia this is the plain clustering. With a large one the means stay at the
    anchors, and the descent solves an assignment step instead.

    Parameters
    ----------
    data : BlockData
    label : (s,) int64
    anchor : (k, d) float64
    inertia : float
        The extra mass of each cluster.
    """
    s, k = len(label), len(anchor)
    state = State(
        label.copy(),
        inertia * anchor,
        np.full(k, inertia),
        np.zeros(k, np.int64),
        np.zeros((s, k), np.int32),
        np.zeros(k, np.int64),
        np.zeros(1, np.int64),
    )
    for b in range(s):
        c = label[b]
        state.total[c] += data.mass[b] * data.point[b]
        state.weight[c] += data.mass[b]
        state.size[c] += 1
        for e in range(data.start[b], data.start[b + 1]):
            state.crowd[data.neighbour[e], c] += 1
    return state


@njit(cache=True, forceinline=True, fastmath=REORDER)
def entering(
    b: int, c: int, point: FloatArray, mass: FloatArray, total: FloatArray, weight: FloatArray
) -> float:
    """Return the increase of the sum of squares when block b enters cluster c.

    The arrays are members of `BlockData` and `State`: to fetch them for each call would cost more
    than the sum.
    """
    held = weight[c]
    if held == 0.0:
        return 0.0
    squared = 0.0
    for j in range(point.shape[1]):
        difference = point[b, j] - total[c, j] / held
        squared += difference * difference
    return held * mass[b] / (held + mass[b]) * squared


@njit(cache=True, forceinline=True)
def leaving(b: int, data: BlockData, state: State) -> float:
    """Return the decrease of the sum of squares when block b leaves its cluster."""
    a, mass = state.label[b], data.mass[b]
    held = state.weight[a]
    if held <= mass:
        return 0.0
    share = entering(b, a, data.point, data.mass, state.total, state.weight)
    return share * (held + mass) / (held - mass)


@njit(cache=True, forceinline=True)
def move(b: int, c: int, data: BlockData, state: State) -> None:
    """Move block b to cluster c, whatever it breaks."""
    point, total, weight, crowd = data.point, state.total, state.weight, state.crowd
    start, neighbour = data.start, data.neighbour
    a, mass = state.label[b], data.mass[b]
    for j in range(point.shape[1]):
        share = mass * point[b, j]
        total[a, j] -= share
        total[c, j] += share
    weight[a] -= mass
    weight[c] += mass
    state.size[a] -= 1
    state.size[c] += 1
    state.label[b] = c
    for e in range(start[b], start[b + 1]):
        crowd[neighbour[e], a] -= 1
        crowd[neighbour[e], c] += 1
    state.moves[0] += 1
    state.changed[a] = state.changed[c] = state.moves[0]


@njit(cache=True, forceinline=True)
def cheapest_free(b: int, barred: int, data: BlockData, state: State) -> tuple[int, float]:
    """Return the cluster that block b enters at least cost without a conflict, -1 if none."""
    point, mass, crowd = data.point, data.mass, state.crowd
    total, weight = state.total, state.weight
    best, least = -1, np.inf
    for c in range(len(weight)):
        if c == barred or crowd[b, c] > 0:
            continue
        cost = entering(b, c, point, mass, total, weight)
        if cost < least:
            best, least = c, cost
    return best, least
