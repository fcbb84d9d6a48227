"""A problem as the memetic solvers see it: blocks, conflicts and one feasible clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment.centers import block_costs, block_means, block_wcss
from ccviz.solvers.assignment.structure import Structure, structure_of
from ccviz.solvers.common.scaling import reduce_dimensions

# --- Compiled state of a clustering of blocks, and the cost of moving one block -------------------
#
# With M the mass of a cluster and x its mean, a block of mass m at p that enters it adds M m / (M +
# m) |p - x|^2 to the sum of squares, and one that leaves it takes M m / (M - m) |p - x|^2 away
# (Spath 1980). So any move is evaluated exactly, in O(d), without visiting another block.

REORDER = {"reassoc", "contract", "arcp"}
"""Lets sums be added in any order, so that the compiler can use vector instructions."""


class BlockData(NamedTuple):
    """The blocks and their conflicts, which do not change."""

    point: FloatArray  # (s, d): The blocks' centroids
    mass: FloatArray
    start: IntArray  # (s + 1,): Where each block's conflicts begin in ``neighbour``
    neighbour: IntArray
    linked: IntArray


class State(NamedTuple):
    """A clustering with no conflict broken and no cluster empty."""

    label: IntArray
    total: FloatArray  # (k, d): Sum of mass times point in each cluster
    weight: FloatArray  # (k,): Mass of each cluster
    size: IntArray  # (k,): Blocks in each cluster
    crowd: NDArray[np.int32]  # (s, k): Number of conflicts of each block in each cluster
    changed: IntArray  # (k,): Number of the last move that touched each cluster
    moves: IntArray  # (1,): Moves so far


@njit(cache=True)
def open_state(data: BlockData, label: IntArray, anchor: FloatArray, inertia: float) -> State:
    """Return the state of a clustering whose clusters hold an extra mass at given anchors.

    With no inertia this is the plain clustering. With a large one the means stay at the
    anchors, and the descent solves an assignment step instead.
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


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where centres can be drawn: at the blocks or at the points."""

    point: FloatArray
    mass: FloatArray
    block: IntArray  # (m,): The block that each belongs to


@dataclass(frozen=True, eq=False)
class Instance:
    """Picklable values that every local search needs."""

    # Points, masses and conflicts of the blocks, for the compiled code. The points are centred, and
    # rotated into fewer dimensions where there are more features than blocks, unless centres are
    # drawn at points.
    data: BlockData
    drawn: Drawn
    structure: Structure  # The same conflicts, for the assignment step
    k: int
    scatter: float  # Sum of squares inside the blocks
    # Sum of squares of the blocks around the mean of all: the scale of rounding errors.
    spread: float
    # (s,): Labels of the blocks that break no conflict and leave no cluster empty.
    feasible: IntArray

    @property
    def s(self) -> int:
        """Number of blocks."""
        return len(self.data.mass)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        freeze(self.data.point)
        freeze(self.data.mass)

    @classmethod
    def of(cls, blocks: Blocks, feasible: IntArray, points: Problem | None = None) -> Instance:
        """Return the instance of a contracted problem.

        `feasible` (n,): Any feasible labels of the points, as `ccviz.check_feasibility` gives them.
        `points`: The problem, for centres that are drawn at its points; else they are at blocks.
        """
        graph = blocks.conflict_graph
        if points is None:
            point = reduce_dimensions(blocks.centroid, blocks.mass)
            drawn = Drawn(point, blocks.mass, np.arange(blocks.s))
        else:
            middle = np.average(blocks.centroid, axis=0, weights=blocks.mass)
            point = np.ascontiguousarray(blocks.centroid - middle)
            mass = np.ones(points.n) if points.weights is None else points.weights
            drawn = Drawn(points.X - middle, mass, blocks.block_of)
        data = BlockData(
            point=freeze(point),
            mass=blocks.mass,
            start=graph.indptr.astype(np.int64),
            neighbour=graph.indices.astype(np.int64),
            linked=np.unique(blocks.conflicts),
        )
        return cls(
            data=data,
            drawn=drawn,
            structure=structure_of(blocks),
            k=blocks.k,
            scatter=blocks.scatter,
            spread=float(blocks.mass @ (point**2).sum(axis=1)),
            feasible=np.array(blocks.project(feasible), dtype=np.int64),
        )

    def means(self, labels: IntArray, otherwise: FloatArray) -> FloatArray:
        """Return (k, d) means of the clusters, those of ``otherwise`` for empty ones."""
        return block_means(self.data.point, self.data.mass, labels, otherwise)

    def costs(self, centers: FloatArray) -> FloatArray:
        """Return (s, k) squared distances of the blocks to the centres, times their mass."""
        return block_costs(self.data.point, self.data.mass, centers)

    def wcss(self, labels: IntArray, centers: FloatArray) -> float:
        """Return the within-cluster sum of squares of the points around given centres."""
        return self.scatter + block_wcss(self.data.point, self.data.mass, labels, centers)
