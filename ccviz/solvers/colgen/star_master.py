"""The master over stars: the first phase of column generation where there are many blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.barrier import Ascent, DualProgram, ascend, parts
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.master import MasterSolution, unit_of
from ccviz.solvers.colgen.stars import Stars, band_order, make_stars

WORTH = 0.7  # a star whose best part saves less than this share of the price is left out
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
_STRICT = 1e-6
_EXACTER = 1e-3  # than asked, until stars that are not in use weigh next to nothing
_UNKNOWN = 0.5  # of what leaving a block out costs: its dual before anything is known


class Center(NamedTuple):
    """What the next solution begins with, in the unit of costs.

    Attributes
    ----------
    duals : (s + t,) float64
        Of the blocks and taken places.
    price : float
        Of the limit.
    """

    duals: FloatArray
    price: float


class StarMaster:
    """The master over stars, one at the centre of every column of a growing pool.

    A taken place is one more row, of which a star with its centre there is no choice but to be.

    Parameters
    ----------
    instance : Instance
    k : int
    artificial_cost : (s + t,) float64
        Cost of leaving a block, or a taken place, uncovered, and so an upper bound on its dual.
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
        s = len(instance.mass) + instance.taken
        self.instance, self.k = instance, k
        self.stop = stop
        self.columns = np.zeros((0, s), dtype=np.bool_)
        self.costs = np.zeros(0)
        self.middle: Center | None = None
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

    def values(self, duals: FloatArray) -> FloatArray:
        """Return the columns' costs less their duals."""
        return self.costs - self.columns @ duals

    def solve(self, accuracy: float) -> MasterSolution:
        """Solve by the barrier method to a relative accuracy."""
        s, order, growth = len(self._order), self._order, self._growth
        stars, used = self._stars()
        most = self.artificial_cost[order] * growth
        program = DualProgram(stars, np.zeros(len(used)), most, self.k)
        row, price = self._first()
        row, price = row[order] * growth, price * growth
        error = _EXACTER * accuracy * (1.0 + abs(float(row.sum()) - self.k * price))
        with threadpool_limits(1, "blas"):  # as in `interior`
            last = ascend(program, row, price, error, self.stop)
        self._last = program, last
        weights = np.zeros(len(self.costs))
        weights[used] = last.taken
        duals, uncovered = np.empty(s), np.empty(s)
        duals[order], uncovered[order] = last.row / growth, last.missing
        price = last.price / growth
        self.middle = Center(duals, price)
        objective = float(duals.sum() - self.k * price) + last.short / growth
        return MasterSolution(objective, duals, price, weights, uncovered)

    def parts(self, accuracy: float) -> np.ndarray:
        """Return (q, s + t) bool clusters that make up the last solution.

        It is solved again, to the accuracy, where it was another process that did.
        """
        if self._last is None:
            self.solve(accuracy)
        assert self._last is not None
        ordered = np.unique(parts(*self._last, _SHARES), axis=0)
        found = np.empty_like(ordered)
        found[:, self._order] = ordered
        return found[found.any(axis=1)]

    def _stars(self) -> tuple[Stars, IntArray]:
        """Return the stars, over ordered blocks, that are worth it at the last duals, and which."""
        middle, order = self.middle, self._order
        near = _UNKNOWN * self.artificial_cost if middle is None else middle.duals
        stars = make_stars(self.instance, self.columns, near)
        worth = np.ones(len(self.costs), dtype=np.bool_)
        if middle is not None:
            worth = -stars.values(middle.duals) >= WORTH * middle.price
        stars = stars.chosen(worth)
        return stars.ordered(order, len(order), self._growth), np.flatnonzero(worth)

    def _first(self) -> tuple[FloatArray, float]:
        """Return the duals and the price to begin with."""
        most = self.artificial_cost
        if self.middle is None:
            return _UNKNOWN * most, 0.0
        return np.clip(self.middle.duals, _STRICT * most, (1.0 - 1e-3) * most), self.middle.price
