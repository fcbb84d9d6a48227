"""The master over facilities, for the first phase of column generation with many blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.one_thread import one_blas_thread
from ccviz.solvers.base import never
from ccviz.solvers.colgen.master.barrier import Ascent, DualProgram, ascend, parts
from ccviz.solvers.colgen.master.covering import MasterSolution, unit_of
from ccviz.solvers.colgen.master.facilities import Facilities, band_order, make_facilities
from ccviz.solvers.colgen.model.instance import Instance

LEAST_SAVING = 0.7
"""Facilities whose best part saves less than this share of the cardinality dual are left out."""
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Clusters of a solution: entries of which the facility holds more than these shares."""
_INSIDE = 1e-6
"""Least first dual, as a share of its cap."""
_EXACTER = 1e-3
"""Accuracy of the barrier method, as a share of the requested one, so that unused facilities have
next to no weight."""
_UNKNOWN = 0.5
"""First dual of a block before any is known, as a share of its artificial cost."""


class FacilityDuals(NamedTuple):
    """Duals over facilities: what the next solution begins with, in the unit of costs.

    Attributes
    ----------
    duals : (s + t,) float64
        Of the blocks and occupied discs.
    cardinality_dual : float
        Of the limit on clusters.
    """

    duals: FloatArray
    cardinality_dual: float


class FacilityMaster:
    """The master over facilities, one at the centre of every column of a growing pool.

    An occupied disc is one more row; facilities with their centre inside always cover it.

    Parameters
    ----------
    instance : Instance
    k : int
    artificial_cost : (s + t,) float64
        Cost of leaving a block, or an occupied disc, uncovered: an upper bound on its dual.
    stop : callable
        True once a solution should end with what it has.
    """

    def __init__(
        self,
        instance: Instance,
        k: int,
        artificial_cost: FloatArray,
        stop: Callable[[], bool] = never,
    ) -> None:
        s = len(instance.mass) + instance.occupied
        self.instance, self.k = instance, k
        self.stop = stop
        self.columns = np.zeros((0, s), dtype=np.bool_)
        self.costs = np.zeros(0)
        self.middle: FacilityDuals | None = None
        self._growth = unit_of(artificial_cost)
        self.artificial_cost = artificial_cost
        self._order = band_order(instance)
        self._last: tuple[DualProgram, Ascent] | None = None

    def add(self, columns: np.ndarray, costs: FloatArray) -> None:
        """Add (m, s) bool columns with their (m,) costs."""
        self.columns = np.concatenate([self.columns, columns])
        self.costs = np.concatenate([self.costs, costs])

    def keep(self, mask: np.ndarray) -> None:
        """Drop the columns outside the mask."""
        self.columns, self.costs = self.columns[mask], self.costs[mask]

    def reduced_costs(self, duals: FloatArray) -> FloatArray:
        """Return the columns' reduced costs, without the cardinality dual."""
        return self.costs - self.columns @ duals

    def solve(self, accuracy: float) -> MasterSolution:
        """Solve by the barrier method to a relative accuracy."""
        s, order, growth = len(self._order), self._order, self._growth
        facilities, used = self._facilities()
        most = self.artificial_cost[order] * growth
        program = DualProgram(facilities, np.zeros(len(used)), most, self.k)
        row, cardinality_dual = self._first()
        row, cardinality_dual = row[order] * growth, cardinality_dual * growth
        error = _EXACTER * accuracy * (1.0 + abs(float(row.sum()) - self.k * cardinality_dual))
        with one_blas_thread():
            last = ascend(program, row, cardinality_dual, error, self.stop)
        self._last = program, last
        weights = np.zeros(len(self.costs))
        weights[used] = last.taken
        duals, uncovered = np.empty(s), np.empty(s)
        duals[order], uncovered[order] = last.row / growth, last.missing
        cardinality_dual = last.cardinality_dual / growth
        self.middle = FacilityDuals(duals, cardinality_dual)
        objective = float(duals.sum() - self.k * cardinality_dual) + last.short / growth
        return MasterSolution(objective, duals, cardinality_dual, weights, uncovered)

    def parts(self, accuracy: float) -> np.ndarray:
        """Return (q, s + t) bool clusters that make up the last solution.

        It is solved again, to the accuracy, if another process solved it.
        """
        if self._last is None:
            self.solve(accuracy)
        assert self._last is not None
        ordered = np.unique(parts(*self._last, _SHARES), axis=0)
        found = np.empty_like(ordered)
        found[:, self._order] = ordered
        return found[found.any(axis=1)]

    def _facilities(self) -> tuple[Facilities, IntArray]:
        """Return the facilities that save enough at the last duals, over ordered blocks; which."""
        middle, order = self.middle, self._order
        near = _UNKNOWN * self.artificial_cost if middle is None else middle.duals
        facilities = make_facilities(self.instance, self.columns, near)
        used = np.ones(len(self.costs), dtype=np.bool_)
        if middle is not None:
            used = -facilities.reduced_costs(middle.duals) >= LEAST_SAVING * middle.cardinality_dual
        facilities = facilities.chosen(used)
        return facilities.ordered(order, len(order), self._growth), np.flatnonzero(used)

    def _first(self) -> tuple[FloatArray, float]:
        """Return the first duals and cardinality dual."""
        most = self.artificial_cost
        if self.middle is None:
            return _UNKNOWN * most, 0.0
        return np.clip(
            self.middle.duals, _INSIDE * most, (1.0 - 1e-3) * most
        ), self.middle.cardinality_dual
