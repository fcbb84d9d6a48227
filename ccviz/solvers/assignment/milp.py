"""The assignment step as one mixed-integer linear model for HiGHS.

Given whole it is the reference that the tests hold everything against, and the rival in the
benchmarks. Given only the candidates that can still matter it solves the hard cores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.highs_output import highspy, make_highs
from ccviz.solvers.assignment.bound import clique_rows
from ccviz.solvers.assignment.centers import Assignment, Deadline, objective_of
from ccviz.solvers.assignment.structure import Structure, SumRow
from ccviz.solvers.base import never

MOST_ENTRIES = 5_000_000
"""Most entries of the rows of conflicts: HiGHS would load a larger model for minutes."""

COST_RANGE = 1e4
"""The largest cost in a model: HiGHS's tolerances are absolute, data come in any unit."""


def milp_assignment(
    cost: FloatArray,
    structure: Structure,
    *,
    nonempty: bool = False,
    allowed: NDArray[np.bool_] | None = None,
    warm_start: IntArray | None = None,
    time_limit: float | None = None,
    stop: Callable[[], bool] = never,
    cliques: bool = False,
    slack: float = 0.0,
) -> Assignment:
    """Solve an assignment step by HiGHS, without reductions of ours.

    `cost` (s, k): Cost of each block at each centre; ``inf`` forbids. `nonempty`: Whether every
    cluster must get a block. `allowed` (s, k): The pairs that get a variable; all finite ones by
    default. The caller answers for it that an optimal assignment is among them. `warm_start` (s,):
    A feasible assignment to start from. `stop`: Cheap; HiGHS ends once it is true. `cliques`:
    Whether conflicts become rows of whole cliques, which bound better, or rows of pairs. `slack`:
    By what share of a column's largest value limits on its sums are widened: HiGHS's own tolerance
    is no proof that they cannot be kept, or that they are. Returns: The best found; ``proved`` only
    if HiGHS finished.
    """
    deadline, finite = Deadline(time_limit, stop), np.isfinite(cost)
    model = _Model(cost, finite if allowed is None else finite & allowed)
    if not model.inside.any(axis=1).all():
        return Assignment.impossible(structure.s)
    pairs = structure.pairs[np.isinf(structure.price)].astype(np.int64)
    by_pairs = 2 * np.arange(len(pairs) + 1), pairs.ravel()
    start, member = clique_rows(structure, deadline) if cliques else by_pairs
    if deadline.passed() or len(member) * structure.k > MOST_ENTRIES:
        return Assignment.unknown(structure.s)
    model.add_conflicts(start, member)
    model.add_soft_links(structure)
    model.add_sizes(structure, nonempty)
    for row in structure.sums:
        model.add_sum(row, slack)
    labels, status = model.solve(warm_start, deadline.left, stop)
    proved = status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)
    if labels is None:
        return Assignment(np.full(structure.s, -1), np.inf, proved, infeasible=proved)
    return Assignment(labels, objective_of(labels, cost, structure), proved, infeasible=False)


@dataclass
class _Model:
    """A model under construction: one column an allowed pair (block, centre), then penalties."""

    cost: FloatArray
    inside: NDArray[np.bool_]
    column: IntArray = field(init=False)
    columns: int = field(init=False)
    penalties: list[FloatArray] = field(init=False, default_factory=list)
    rows: list[sp.coo_array] = field(init=False, default_factory=list)
    lower: list[FloatArray] = field(init=False, default_factory=list)
    upper: list[FloatArray] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.columns = int(self.inside.sum())
        self.column = np.full(self.inside.shape, -1, dtype=np.int64)
        self.column[self.inside] = np.arange(self.columns)
        block, one = np.nonzero(self.inside)[0], np.ones(len(self.inside))  # a centre for each
        self._add(block, np.arange(len(block)), np.ones(len(block)), one, one)

    def add_conflicts(self, start: IntArray, member: IntArray) -> None:
        """Sum of x_bj over a group <= 1, for each group of blocks and each centre."""
        group = np.repeat(np.arange(len(start) - 1), np.diff(start))
        place, centre = np.nonzero(self.inside[member])
        key = group[place] * self.inside.shape[1] + centre
        _, row, size = np.unique(key, return_inverse=True, return_counts=True)
        needed = size[row] > 1
        rows, row = np.unique(row[needed], return_inverse=True)
        columns = self.column[member[place], centre][needed]
        free = np.full(len(rows), -np.inf)
        self._add(row, columns, np.ones(len(row)), free, np.ones(len(rows)))

    def add_soft_links(self, structure: Structure) -> None:
        """Charge soft links that are broken."""
        hard, cannot = np.isinf(structure.price), structure.price > 0
        pairs = structure.pairs.astype(np.int64)
        apart, together = cannot & ~hard, ~cannot
        self._add_charge(pairs[apart], structure.price[apart], sign=1.0)
        self._add_charge(pairs[together], -structure.price[together], sign=-1.0)

    def add_sizes(self, structure: Structure, nonempty: bool) -> None:
        """Keep the points of each cluster within the sizes, and no cluster empty if asked."""
        block, centre = np.nonzero(self.inside)
        columns, k = np.arange(len(block)), self.inside.shape[1]
        if structure.lower is not None and structure.upper is not None:
            mass = structure.mass[block]
            self._add(centre, columns, mass, structure.lower, structure.upper)
        if nonempty:
            ones = np.ones(len(block))
            self._add(centre, columns, ones, np.ones(k), np.full(k, np.inf))

    def add_sum(self, row: SumRow, slack: float) -> None:
        """Keep the sum of a column in each cluster within its limits, in units of its largest."""
        block, centre = np.nonzero(self.inside)
        unit, k = np.abs(row.values).max() or 1.0, self.inside.shape[1]
        values = row.values[block] / unit
        lower, upper = row.lower / unit - slack, row.upper / unit + slack
        self._add(centre, np.arange(len(block)), values, np.full(k, lower), np.full(k, upper))

    def _add_charge(self, pairs: IntArray, weights: FloatArray, sign: float) -> None:
        """Charge y_ej: y_ej >= x_aj + x_bj - 1 (sign 1) or y_ej >= x_aj - x_bj (sign -1)."""
        first, second = self.inside[pairs[:, 0]], self.inside[pairs[:, 1]]
        pair, centre = np.nonzero(first & second if sign > 0 else first)
        row = np.arange(len(pair))
        new = self.columns + row
        self.columns += len(row)
        self.penalties.append(weights[pair])
        a, b = self.column[pairs[pair, 0], centre], self.column[pairs[pair, 1], centre]
        entries = [(row, new, -1.0), (row, a, 1.0), (row[b >= 0], b[b >= 0], sign)]
        rows, columns, values = zip(
            *((r, c, np.full(len(r), x)) for r, c, x in entries), strict=True
        )
        self._add(
            np.concatenate(rows),
            np.concatenate(columns),
            np.concatenate(values),
            np.full(len(row), -np.inf),
            np.full(len(row), 1.0 if sign > 0 else 0.0),
        )

    def _add(
        self,
        row: IntArray,
        column: IntArray,
        value: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> None:
        shape = (len(lower), self.columns)
        self.rows.append(sp.coo_array((value, (row, column)), shape=shape))
        self.lower.append(lower)
        self.upper.append(upper)

    def solve(
        self, warm_start: IntArray | None, time_limit: float | None, stop: Callable[[], bool]
    ) -> tuple[IntArray | None, highspy.HighsModelStatus]:
        """Return the labels found, if any, and how HiGHS ended."""
        limit = {} if time_limit is None else {"time_limit": max(float(time_limit), 0.0)}
        highs = make_highs(mip_rel_gap=0.0, mip_abs_gap=0.0, **limit)
        highs.passModel(self._program())
        if warm_start is not None and self.inside[np.arange(len(warm_start)), warm_start].all():
            block, centre = np.nonzero(self.inside)
            values = (warm_start[block] == centre).astype(np.float64)
            highs.setSolution(len(values), np.arange(len(values), dtype=np.int32), values)
        if stop is not never:
            highs.cbMipInterrupt.subscribe(lambda asked: asked.interrupt(stop()))
        highs.run()
        found = highs.getInfo().primal_solution_status
        if found != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None, highs.getModelStatus()
        chosen = np.full(self.inside.shape, -1.0)
        chosen[self.inside] = highs.getSolution().col_value[: int(self.inside.sum())]
        return chosen.argmax(axis=1), highs.getModelStatus()

    def _program(self) -> highspy.HighsLp:
        """Return the model for HiGHS, costs shifted and scaled to a range it can distinguish."""
        cheapest = np.where(self.inside, self.cost, np.inf).min(axis=1, keepdims=True)
        costs = np.concatenate([(self.cost - cheapest)[self.inside], *self.penalties])
        matrix = sp.vstack(
            [sp.coo_array((r.data, r.coords), shape=(r.shape[0], self.columns)) for r in self.rows]
        ).tocsr()
        assigned = int(self.inside.sum())
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = self.columns, matrix.shape[0]
        lp.col_cost_ = costs * (COST_RANGE / (costs.max() or 1.0))
        lp.col_lower_ = np.zeros(self.columns)
        lp.col_upper_ = np.ones(self.columns)
        lp.row_lower_, lp.row_upper_ = np.concatenate(self.lower), np.concatenate(self.upper)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
        lp.a_matrix_.value_ = matrix.data
        continuous = self.columns - assigned
        integer, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        lp.integrality_ = [integer] * assigned + [real] * continuous
        return lp
