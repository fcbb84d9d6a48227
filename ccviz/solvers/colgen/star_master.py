"""The master over stars: the first phase of column generation where there are many blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.interior import Iterate, iterate, start
from ccviz.solvers.colgen.master import MasterSolution, unit_of
from ccviz.solvers.colgen.stars import (
    StarProgram,
    Stars,
    band_order,
    central,
    make_program,
    make_stars,
    parts,
)

WORTH = 0.7  # a star whose best part saves less than this share of the price is left out
INSIDE = 0.2  # relative gap from which on a point is too near the boundary to begin with
START = 0.15  # sum of the products to begin with, relative to that of the duals
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
_STRICT = 1e-6


class Center(NamedTuple):
    """What the last solution tells the next one, in the unit of costs.

    Attributes
    ----------
    duals : (s,) float64
        Of the blocks, where the solution was still well inside.
    price : float
        Of the limit, there.
    last_duals : (s,) float64
        Where it ended.
    last_price : float
    """

    duals: FloatArray
    price: float
    last_duals: FloatArray
    last_price: float

    @staticmethod
    def at(duals: FloatArray, price: float) -> Center:
        """Return one to begin with at duals that come from elsewhere."""
        return Center(duals, price, duals, price)


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
        self._last: tuple[StarProgram, FloatArray] | None = None

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
        """Solve by the interior-point method to a relative accuracy."""
        s, order, growth = len(self._order), self._order, self._growth
        stars, used = self._stars()
        artificial = self.artificial_cost[order] * growth
        program = make_program(stars, artificial, self.k)
        with threadpool_limits(1, "blas"):  # as in `interior`
            last, middle = iterate(program, self._first(program), accuracy, INSIDE, self.stop)
        self._last = program, last.z
        _, _, y, missing, *_ = program.split(last.z)
        weights = np.zeros(len(self.costs))
        weights[used] = y
        duals = np.maximum(self._unordered(last.duals), 0.0)
        price = max(-float(last.duals[s]) / growth, 0.0)
        inside = self._unordered(middle.duals)
        self.middle = Center(inside, -middle.duals[s] / growth, duals, price)
        objective = float(duals.sum() - self.k * price)
        uncovered = np.empty(s)
        uncovered[order] = missing
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

    def _unordered(self, row: FloatArray) -> FloatArray:
        duals = np.empty(len(self._order))
        duals[self._order] = row[: len(duals)] / self._growth
        return duals

    def _stars(self) -> tuple[Stars, IntArray]:
        """Return the stars, over ordered blocks, that are worth it at the last duals, and which."""
        middle, order = self.middle, self._order
        near = 0.5 * self.artificial_cost if middle is None else middle.last_duals
        stars = make_stars(self.instance, self.columns, near)
        worth = np.ones(len(self.costs), dtype=np.bool_)
        if middle is not None:
            worth = -stars.values(middle.last_duals) >= WORTH * middle.last_price
        stars = stars.chosen(worth)
        return stars.ordered(order, len(order), self._growth), np.flatnonzero(worth)

    def _first(self, program: StarProgram) -> Iterate:
        """Return where to begin."""
        middle, growth = self.middle, self._growth
        if middle is None:
            return start(program)
        most = self.artificial_cost
        row = np.clip(middle.duals, _STRICT * most, (1.0 - 1e-3) * most)[self._order]
        mean = START * float(row.sum()) / len(program.cost)
        return central(program, row * growth, middle.price * growth, mean * growth)
