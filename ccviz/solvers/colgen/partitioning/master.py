"""The restricted master problem: set partitioning with a number of clusters for each size class.

Under sizes or soft links to split a cluster may cost something or be forbidden. So every block is
covered exactly once and every class has exactly its number of clusters; the duals of these rows may
have any sign. A block may be missed or covered twice at its artificial cost, which limits its dual
on both sides, and clusters of a class may be missing at a cost: the master is always feasible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.silent_highs import highspy, make_highs
from ccviz.solvers.base import never
from ccviz.solvers.colgen.master.covering import unit_of
from ccviz.solvers.colgen.partitioning.model import SizeClass


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of the restricted master.

    Attributes
    ----------
    objective : float
    duals : (s,) float64
        Of the blocks.
    class_duals : (q,) float64
        Of the classes: a cluster of a class is useful if its cost less its blocks' duals is below.
    weights : (m,) float64
        Of the columns, over all classes.
    artificial : float
        Weight of everything that is no column.
    """

    objective: float
    duals: FloatArray
    class_duals: FloatArray
    weights: FloatArray
    artificial: float


class Master:
    """The master over a growing set of columns.

    Parameters
    ----------
    mass : (s,) float64
    classes : tuple of SizeClass
    artificial_cost : (s,) float64
    """

    def __init__(
        self, mass: FloatArray, classes: tuple[SizeClass, ...], artificial_cost: FloatArray
    ) -> None:
        self.mass, self.classes = mass, classes
        self.columns = np.zeros((0, len(mass)), dtype=np.bool_)
        self.costs = np.zeros(0)
        self._variables: list[IntArray] = []  # the column of each variable
        self._growth = unit_of(artificial_cost)
        self._artificial = self._open(artificial_cost * self._growth)

    def _open(self, cost: FloatArray) -> int:
        """Open HiGHS with the rows and the artificial columns; return their number."""
        self._highs = make_highs(presolve="off")
        s, q = len(self.mass), len(self.classes)
        right = np.array([1.0] * s + [float(each.clusters) for each in self.classes])
        nothing, zero = np.zeros(0, dtype=np.int32), np.zeros(0)
        starts = np.zeros(s + q, dtype=np.int32)
        self._highs.addRows(s + q, right, right, 0, starts, nothing, zero)
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
        """Add (m, s) bool columns with their (m,) costs, each to all classes that it fits."""
        size, s, known = columns @ self.mass, len(self.mass), len(self.costs)
        for at, each in enumerate(self.classes):
            fit = np.flatnonzero((size >= each.lower) & (size <= each.upper))
            if len(fit) == 0:
                continue
            which, blocks = np.nonzero(columns[fit])
            rows = np.concatenate([blocks, np.full(len(fit), s + at)])
            order = np.argsort(np.concatenate([which, np.arange(len(fit))]), kind="stable")
            ends = np.cumsum(columns[fit].sum(axis=1) + 1)
            self._highs.addCols(
                len(fit), costs[fit] * self._growth, np.zeros(len(fit)),
                np.full(len(fit), highspy.kHighsInf), len(rows),
                np.append(0, ends[:-1]).astype(np.int32), rows[order].astype(np.int32),
                np.ones(len(rows)),
            )  # fmt: skip
            self._variables.append(known + fit)
        self.columns = np.concatenate([self.columns, columns])
        self.costs = np.concatenate([self.costs, costs])

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
    """Return the columns of the cheapest clustering among a master's, None if none was found.

    The limit is one of nodes, not of time, so that the same seed gives the same answer.
    """
    columns, costs, mass = master.columns, master.costs, master.mass
    s, size = len(mass), master.columns @ master.mass
    fits = [(size >= each.lower) & (size <= each.upper) for each in master.classes]
    which = np.concatenate([np.flatnonzero(each) for each in fits])
    owner = np.repeat(np.arange(len(fits)), [int(each.sum()) for each in fits])
    if len(which) == 0:
        return None
    matrix = np.zeros((len(which), s + len(fits)), dtype=bool)
    matrix[:, :s] = columns[which]
    matrix[np.arange(len(which)), s + owner] = True
    right = np.array([1.0] * s + [float(each.clusters) for each in master.classes])
    highs = make_highs(mip_max_nodes=node_limit, mip_rel_gap=1e-9, mip_abs_gap=0.0)
    starts, nothing = np.zeros(len(right), dtype=np.int32), np.zeros(0, dtype=np.int32)
    highs.addRows(len(right), right, right, 0, starts, nothing, np.zeros(0))
    at, rows = np.nonzero(matrix)
    begin = np.searchsorted(at, np.arange(len(which))).astype(np.int32)
    highs.addCols(
        len(which), costs[which], np.zeros(len(which)), np.ones(len(which)), len(rows), begin,
        rows.astype(np.int32), np.ones(len(rows)),
    )  # fmt: skip
    kinds = np.full(len(which), highspy.HighsVarType.kInteger)
    highs.changeColsIntegrality(len(which), np.arange(len(which), dtype=np.int32), kinds)
    if stop is not never:
        for asks in (highs.cbMipInterrupt, highs.cbSimplexInterrupt):
            asks.subscribe(lambda asked: asked.interrupt(stop()))
    highs.run()
    if highs.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    return which[np.array(highs.getSolution().col_value) > 0.5]
