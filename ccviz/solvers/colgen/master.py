"""The restricted master problem: set covering by at most k clusters, solved by HiGHS.

Covering does for partitioning and "at most k" for "exactly k": a part of a cluster keeps every
anti-monotone constraint and costs no more, so overlaps can be dropped and clusters split. The
duals are then not negative. Every row has an artificial column, so the master is never empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from scipy.sparse import csc_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen import interior as interior_point

_HELPERS = 3  # columns a row that are no clusters: artificial, and two for stabilisation
_USUAL = 10  # the largest artificial cost is about 2^10 to HiGHS, whose tolerances are absolute


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """A solution of the restricted master.

    Attributes
    ----------
    objective : float
        Sum of the duals less k times the price.
    duals : (s,) float64
        Of the covering rows, at least 0.
    price : float
        Dual of the limit on clusters, at least 0: what one more cluster would save.
    weights : (m,) float64
        Of the columns.
    shortfall : float
        Weight of the artificial columns.
    """

    objective: float
    duals: FloatArray
    price: float
    weights: FloatArray
    shortfall: float


class Master:
    """The master over a growing pool of columns.

    Parameters
    ----------
    s, k : int
    artificial_cost : (s,) float64
        Cost of leaving a block uncovered, and so an upper bound on its dual.
    interior : bool
        Solve by the interior-point method without crossover: its duals lie in the middle of the
        optimal face. Otherwise by the simplex method, warm from the last basis.
    """

    def __init__(self, s: int, k: int, artificial_cost: FloatArray, interior: bool) -> None:
        self.s, self.k = s, k
        self.interior = interior
        # Tight clusters far from each other cost next to nothing in the unit of the points.
        self._growth = float(np.ldexp(1.0, _USUAL - int(np.frexp(artificial_cost.max())[1])))
        self.columns = np.zeros((0, s), dtype=np.bool_)
        self.costs = np.zeros(0)
        self._highs = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            self._highs.setOptionValue(option, value)
        self._artificial_cost = artificial_cost * self._growth
        self._open(self._artificial_cost)

    def _open(self, artificial_cost: FloatArray) -> None:
        s, unbounded = self.s, highspy.kHighsInf
        nothing, zero = np.zeros(0, dtype=np.int32), np.zeros(0)
        lower = np.append(np.ones(s), -unbounded)
        upper = np.append(np.full(s, unbounded), float(self.k))
        self._highs.addRows(s + 1, lower, upper, 0, np.zeros(s + 1, dtype=np.int32), nothing, zero)
        rows = np.arange(s, dtype=np.int32)
        for cost, most, entry in (
            (artificial_cost, unbounded, 1.0),
            (np.zeros(s), 0.0, 1.0),
            (np.zeros(s), 0.0, -1.0),
        ):
            self._highs.addCols(
                s, cost, np.zeros(s), np.full(s, most), s, rows, rows,
                np.full(s, entry),
            )  # fmt: skip

    def add(self, columns: np.ndarray, costs: FloatArray) -> None:
        """Add (m, s) bool columns with their (m,) costs."""
        m = len(costs)
        if m == 0:
            return
        which, blocks = np.nonzero(columns)
        rows = np.concatenate([blocks, np.full(m, self.s)])
        order = np.argsort(np.concatenate([which, np.arange(m)]), kind="stable")
        ends = np.cumsum(columns.sum(axis=1) + 1)
        self._highs.addCols(
            m,
            np.ascontiguousarray(costs * self._growth, dtype=np.float64),
            np.zeros(m),
            np.full(m, highspy.kHighsInf),
            len(rows),
            np.append(0, ends[:-1]).astype(np.int32),
            rows[order].astype(np.int32),
            np.ones(len(rows)),
        )
        self.columns = np.concatenate([self.columns, columns])
        self.costs = np.concatenate([self.costs, costs])

    def keep(self, mask: np.ndarray) -> None:
        """Drop the columns outside the mask."""
        gone = np.flatnonzero(~mask) + _HELPERS * self.s
        if len(gone):
            self._highs.deleteCols(len(gone), gone.astype(np.int32))
            self.columns, self.costs = self.columns[mask], self.costs[mask]

    def perturb(self, center: FloatArray, extent: float) -> None:
        """Let every row be missed by up to ``extent`` at the price ``center`` (table 4)."""
        s, center = self.s, center * self._growth
        index = np.arange(s, 3 * s, dtype=np.int32)
        self._highs.changeColsCost(2 * s, index, np.concatenate([center, -center]))
        self._highs.changeColsBounds(2 * s, index, np.zeros(2 * s), np.full(2 * s, extent))

    def solve(self, accuracy: float = 1e-9) -> MasterSolution:
        """Solve: the interior-point method to a relative accuracy, the simplex method exactly."""
        if not self.interior:
            return self.solve_to_vertex()
        point = interior_point.solve(
            csc_array(self.columns.T, dtype=np.float64),
            self.costs * self._growth,
            self._artificial_cost,
            self.k,
            accuracy,
        )
        return self._solution(point.duals, point.weights, float(point.uncovered.sum()))

    def solve_to_vertex(self) -> MasterSolution:
        """Solve by the simplex method from the last basis: branching needs a basic solution."""
        self._highs.run()
        solution = self._highs.getSolution()
        value = np.array(solution.col_value)
        duals = np.array(solution.row_dual)
        return self._solution(duals, value[_HELPERS * self.s :], float(value[: self.s].sum()))

    def _solution(self, row: FloatArray, weights: FloatArray, shortfall: float) -> MasterSolution:
        row = row / self._growth
        duals, price = np.maximum(row[: self.s], 0.0), max(-float(row[self.s]), 0.0)
        return MasterSolution(
            objective=float(duals.sum() - self.k * price),
            duals=duals,
            price=price,
            weights=weights,
            shortfall=shortfall,
        )


def best_cover(columns: np.ndarray, costs: FloatArray, k: int, node_limit: int) -> IntArray | None:
    """Return the columns of the cheapest cover by at most k of them, None if none was found.

    A heuristic for the whole problem: the pool need not hold the best clusters. The limit is one
    of nodes, not of time, so that the same seed gives the same answer.
    """
    m, s = columns.shape
    highs = highspy.Highs()
    for option, value in (
        ("output_flag", False), ("threads", 1), ("mip_max_nodes", node_limit),
        ("mip_rel_gap", 1e-9), ("mip_abs_gap", 0.0),
    ):  # fmt: skip
        highs.setOptionValue(option, value)
    lower = np.append(np.ones(s), -highspy.kHighsInf)
    upper = np.append(np.full(s, highspy.kHighsInf), float(k))
    starts = np.zeros(s + 1, dtype=np.int32)
    highs.addRows(s + 1, lower, upper, 0, starts, np.zeros(0, dtype=np.int32), np.zeros(0))
    full = np.concatenate([columns, np.ones((m, 1), dtype=bool)], axis=1)
    which, rows = np.nonzero(full)
    begin = np.searchsorted(which, np.arange(m)).astype(np.int32)
    highs.addCols(
        m, costs, np.zeros(m), np.ones(m), len(rows), begin, rows.astype(np.int32),
        np.ones(len(rows)),
    )  # fmt: skip
    kinds = np.full(m, highspy.HighsVarType.kInteger)
    highs.changeColsIntegrality(m, np.arange(m, dtype=np.int32), kinds)
    highs.run()
    if highs.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    return np.flatnonzero(np.array(highs.getSolution().col_value) > 0.5)


def column_costs(columns: np.ndarray, points: FloatArray, mass: FloatArray) -> FloatArray:
    """Return (m,) sums of squared distances to the mean of each (m, s) bool column."""
    costs = np.empty(len(columns))
    for t, column in enumerate(columns):
        inside, weight = points[column], mass[column]
        gaps = inside - weight @ inside / weight.sum()
        costs[t] = weight @ (gaps * gaps).sum(axis=1)
    return costs


def cluster_columns(block_labels: IntArray) -> np.ndarray:
    """Return the clusters of a clustering of the blocks as (k, s) bool columns."""
    return np.unique(block_labels)[:, None] == np.asarray(block_labels)[None, :]
