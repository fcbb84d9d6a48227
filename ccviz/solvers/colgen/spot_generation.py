"""Column generation at one spot after the other: the master and the pricing near it alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.colgen.generation import Generation
from ccviz.solvers.colgen.master import MasterSolution
from ccviz.solvers.colgen.pricing import Priced, Pricer, join
from ccviz.solvers.colgen.spot import blocks_near, part_of, raised
from ccviz.solvers.colgen.star_master import Center, StarMaster

_ROUNDS = 8  # at a spot, at most,
_NEAR = 0.2  # until its bound is so near to its master, relative to the tolerance;
_ERROR = 0.1  # and the master is solved to so much of it,
_ROUGH, _FIRST_ERROR = 2, 0.5  # in the first rounds to that
_AROUND = 3.0  # times the blocks whose duals change are priced
_USEFUL = 0.985  # stars worth so much of the price are kept


class SpotGeneration(Generation):
    """Column generation at the pool's spot, then at the next one of the sweep.

    A round is cheap, so all that was found is added, and what was of no use is dropped at last.
    Only then the bound is proved, which takes all blocks.
    """

    def run(self, iterations: int, enough: float) -> MasterSolution:
        """Iterate until the spot is done with, the bound is enough, or iterations are spent."""
        spot = self.pool.spot
        assert spot is not None
        solution = self.pool.solution or self._solve_near(spot)
        for _ in range(iterations):
            if self.pool.bound >= enough or self.pool.converged:
                break
            priced, at = self._price_near(spot, solution)
            told = float(at.sum()) - self.pool.blocks.k * solution.price
            self.pool = replace(self.pool, past=(*self.pool.past, told))
            new = self._below_price(priced, solution)
            near = solution.objective - told <= _NEAR * self.tolerance
            done = near or len(new) == 0 or len(self.pool.past) == _ROUNDS
            if done:
                priced = join([priced, self._prove(at, solution.price)])
                new = self._below_price(priced, solution)
            self._log(solution, priced, len(new), at)
            self.master.add(priced.columns[new], priced.costs[new])
            if done:
                solution = self._leave(solution)
                break
            solution = self._solve_near(spot)
        self._keep(solution)
        return solution

    def _price_near(self, spot: FloatArray, solution: MasterSolution) -> tuple[Priced, FloatArray]:
        """Return what the blocks around make below the price, and duals (s + t,) where they do not.

        Other clusters do not either: their duals are as they were.
        """
        instance, price, k = self.pricer.alternatives[0], solution.price, self.pool.blocks.k
        rows, part = np.arange(len(instance.mass)), self.pricer
        if self.pricer.may_place:
            rows = np.flatnonzero(blocks_near(instance, spot, k, _AROUND))
            part = Pricer((part_of(instance, rows),), self.pricer.method)
        rows = np.append(rows, np.arange(len(instance.mass), len(solution.duals)))
        found = [*self._lowering(part, solution.duals[rows], price)]
        proof, duals = join([each for each, _ in found]), solution.duals.copy()
        columns = np.zeros((len(proof.costs), len(duals)), dtype=np.bool_)
        duals[rows], columns[:, rows] = found[-1][1], proof.columns
        return replace(proof, columns=columns), duals

    def _leave(self, solution: MasterSolution) -> MasterSolution:
        """Go on to the next spot; after the last one, or the only one, the node is branched."""
        pool, master = self.pool, self.master
        weights = np.pad(solution.weights, (0, len(master.costs) - len(solution.weights)))
        useful = master.values(solution.duals) < -_USEFUL * solution.price
        master.keep(useful)
        self._begin_at_bound()
        if pool.sweep:
            self.pool = replace(pool, spot=pool.sweep[0], sweep=pool.sweep[1:], past=())
            return self._solve_near(pool.sweep[0])
        self.pool = replace(pool, converged=True, hopeless=True, early=True)
        if pool.swept:  # all over: so is the solution to branch on
            self.pool = replace(self.pool, spot=None)
            return self._solve()
        return replace(solution, weights=weights[useful])

    def _solve_near(self, spot: FloatArray) -> MasterSolution:
        """Solve the master near a spot, where the last solution left all others."""
        master, k = self.master, self.pool.blocks.k
        assert isinstance(master, StarMaster)
        assert master.middle is not None
        duals, price = master.middle
        error = _ERROR if len(self.pool.past) >= _ROUGH else _FIRST_ERROR
        near = raised(
            self.pricer.alternatives[0],
            master.columns,
            duals,
            price,
            master.artificial_cost,
            spot,
            k,
            error * self.tolerance,
            stop=self.stop,
        )
        master.middle = Center(near.duals, price)
        objective = float(near.duals.sum()) - k * price
        return MasterSolution(objective, near.duals, price, near.weights, np.zeros(len(duals)))
