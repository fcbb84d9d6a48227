"""The restricted master problem: set partitioning with a number of clusters for each size class.

Under sizes or soft links to split a cluster may cost something or be forbidden. So every block is
covered exactly once and every class has exactly its number of clusters; the duals of these rows may
have any sign. A block may be missed or covered twice at its artificial cost, which limits its dual
on both sides, and clusters of a class may be missing at a cost: the master is always feasible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.highs_output import highspy, make_highs
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import Load
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import Instance, make_instance
from ccviz.solvers.colgen.master.covering import add_columns, add_rows, best_choice, unit_of

# --- The blocks of a node with size classes and soft links, as plain arrays for compiled code -----
#
# A cluster costs its sum of squares, the weights of the soft cannot-links inside it, and half the
# weight of each soft must-link that leaves it: over the clusters of a partition these add up to the
# objective. Every cluster has a class, which limits its size; clusters with the same limits make
# one class.


class SizeClass(NamedTuple):
    """Clusters with the same limits on their points, and their number."""

    lower: float
    upper: float
    clusters: int


class Model(NamedTuple):
    """A node's blocks under one alternative of the rules."""

    instance: Instance
    # start, other, weight: Soft pairs as compressed sparse rows: by how much two blocks in one
    # cluster change its cost; positive for cannot-links, negative for must-links.
    start: IntArray
    other: IntArray
    weight: FloatArray
    # (s,): Half the weight of each block's soft must-links: its cost while all of them are broken.
    cut: FloatArray


def needs_partition(problem: Problem) -> bool:
    """Return whether splitting a cluster may cost something or be forbidden."""
    return problem.sizes is not None or problem.is_soft


def size_classes(blocks: Blocks) -> tuple[SizeClass, ...]:
    """Return the classes of a problem's clusters, by ascending limits; one without sizes."""
    if blocks.sizes is None:
        mass = blocks.mass
        return (SizeClass(float(mass.min()), float(mass.sum()), blocks.k),)
    limits = np.stack([blocks.sizes.lower, blocks.sizes.upper], axis=1)
    rows, counts = np.unique(limits, axis=0, return_counts=True)
    return tuple(
        SizeClass(float(low), float(high), int(count))
        for (low, high), count in zip(rows.tolist(), counts, strict=True)
    )


def make_model(blocks: Blocks, loads: tuple[Load, ...] = ()) -> Model:
    """Return the arrays of a node under one conjunction of loads."""
    s = blocks.s
    must, cannot = blocks.soft_must, blocks.soft_cannot
    ends = np.concatenate([cannot.pairs, must.pairs]).reshape(-1, 2)
    weight = np.concatenate([cannot.weights, -must.weights])
    rows = np.concatenate([ends[:, 0], ends[:, 1]])
    columns = np.concatenate([ends[:, 1], ends[:, 0]])
    graph = coo_array((np.concatenate([weight, weight]), (rows, columns)), (s, s)).tocsr()
    cut = 0.5 * np.bincount(must.pairs.ravel(), np.repeat(must.weights, 2), minlength=s)
    return Model(
        make_instance(blocks, loads),
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int64),
        graph.data.astype(np.float64),
        cut.astype(np.float64),
    )


def cluster_costs(model: Model, columns: np.ndarray) -> FloatArray:
    """Return the (m,) costs of (m, s) bool clusters, soft links included."""
    points, mass = model.instance.points, model.instance.mass
    s = len(model.cut)
    rows = np.repeat(np.arange(s), np.diff(model.start))
    # Each half of the matrix has half the weight.
    pairs = coo_array((0.5 * model.weight, (rows, model.other)), (s, s)).tocsr()
    costs = np.empty(len(columns))
    for t, column in enumerate(columns):
        inside, weight = points[column], mass[column]
        gaps = inside - weight @ inside / weight.sum()
        squares = weight @ (gaps * gaps).sum(axis=1)
        broken = model.cut[column].sum() + pairs[column][:, column].sum()
        costs[t] = squares + broken
    return costs


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of the restricted master."""

    objective: float
    duals: FloatArray  # (s,): Of the blocks
    # (q,): Of the classes: a cluster of a class is useful if its cost less its blocks' duals is
    # below.
    class_duals: FloatArray
    weights: FloatArray  # (m,): Of the columns, over all classes
    artificial: float  # Weight of everything that is no column


class Master:
    """The master over a growing set of columns."""

    def __init__(
        self, mass: FloatArray, classes: tuple[SizeClass, ...], artificial_cost: FloatArray
    ) -> None:
        self.mass, self.classes = mass, classes
        self.columns = np.zeros((0, len(mass)), dtype=np.bool_)
        self.costs = np.zeros(0)
        self._variables: list[IntArray] = []  # the column of each variable
        self._known: set[bytes] = set()
        self._growth = unit_of(artificial_cost)
        self._artificial = self._open(artificial_cost * self._growth)

    def _open(self, cost: FloatArray) -> int:
        """Open HiGHS with the rows and the artificial columns; return their number."""
        self._highs = make_highs(presolve="off")
        s, q = len(self.mass), len(self.classes)
        add_rows(self._highs, *_sides(s, self.classes))
        every = np.full(q, float(cost.sum()))
        self._add_single(np.arange(s), cost, 1.0)
        self._add_single(np.arange(s), cost, -1.0)
        self._add_single(np.arange(s, s + q), every, 1.0)
        return 2 * s + q

    def _add_single(self, rows: IntArray, cost: FloatArray, entry: float) -> None:
        """Add a column for each of these rows, with one entry."""
        count = len(rows)
        most = np.full(count, highspy.kHighsInf)
        starts = np.arange(count, dtype=np.int32)
        self._highs.addCols(
            count, cost, np.zeros(count), most, count, starts, rows.astype(np.int32),
            np.full(count, entry),
        )  # fmt: skip

    def add(self, columns: np.ndarray, costs: FloatArray) -> None:
        """Add (m, s) bool columns with their (m,) costs, each to all classes that it fits.

        Columns that are there already are left out: only rounding finds them again.
        """
        new = np.array([self._is_new(column) for column in columns], dtype=bool)
        columns, costs = columns[new], costs[new]
        size, s, known = columns @ self.mass, len(self.mass), len(self.costs)
        for at, each in enumerate(self.classes):
            fit = np.flatnonzero((size >= each.lower) & (size <= each.upper))
            if len(fit) == 0:
                continue
            entries = np.pad(columns[fit], ((0, 0), (0, len(self.classes))))
            entries[:, s + at] = True
            add_columns(self._highs, entries, costs[fit] * self._growth)
            self._variables.append(known + fit)
        self.columns = np.concatenate([self.columns, columns])
        self.costs = np.concatenate([self.costs, costs])

    def _is_new(self, column: np.ndarray) -> bool:
        """Note a column, and return whether it was not there."""
        count, packed = len(self._known), np.packbits(column).tobytes()
        self._known.add(packed)
        return len(self._known) > count

    def solve(self) -> Solution:
        """Solve by the simplex method from the last basis."""
        self._highs.run()
        found, s = self._highs.getSolution(), len(self.mass)
        value, row = np.array(found.col_value), np.array(found.row_dual) / self._growth
        which = np.concatenate([np.zeros(0, dtype=np.int64), *self._variables])
        weights = np.bincount(which, value[self._artificial :], len(self.costs))
        return Solution(
            objective=float(self._highs.getInfo().objective_function_value) / self._growth,
            duals=row[:s],
            class_duals=row[s:],
            weights=weights.astype(np.float64),
            artificial=float(value[: self._artificial].sum()),
        )


def best_partition(
    master: Master, node_limit: int, stop: Callable[[], bool] = never
) -> IntArray | None:
    """Return the columns of the cheapest clustering among a master's, None if none was found."""
    columns, costs, mass = master.columns, master.costs, master.mass
    s, size = len(mass), master.columns @ master.mass
    holds = [(size >= each.lower) & (size <= each.upper) for each in master.classes]
    which = np.concatenate([np.flatnonzero(each) for each in holds])
    owner = np.repeat(np.arange(len(holds)), [int(each.sum()) for each in holds])
    if len(which) == 0:
        return None
    entries = np.pad(columns[which], ((0, 0), (0, len(holds))))
    entries[np.arange(len(which)), s + owner] = True
    sides = _sides(s, master.classes)
    chosen = best_choice(entries, costs[which], sides, node_limit, stop)
    return None if chosen is None else which[chosen]


def _sides(s: int, classes: tuple[SizeClass, ...]) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the rows: each block once, and the clusters of each class."""
    right = np.array([1.0] * s + [float(each.clusters) for each in classes])
    return right, right
