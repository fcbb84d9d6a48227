"""Column generation: each column represents one cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.master.covering import Master, MasterSolution
from ccviz.solvers.colgen.master.interior import Iterate
from ccviz.solvers.colgen.phases.context import NodeContext
from ccviz.solvers.colgen.phases.generation import End, Generation
from ccviz.solvers.colgen.pricing.pricer import OpenPricing, Priced
from ccviz.solvers.colgen.state import LAST_ACCURACY, NodeState, Round

_INFEASIBLE = 1e-5
"""Blocks left uncovered, in all, that call for higher artificial costs."""
_RAISED = 10.0
"""Factor of the artificial costs then."""
_IN_USE = 0.1
"""Weight of columns at whose means heuristic pricing begins too."""


@dataclass(frozen=True, eq=False)
class ColumnPhase:
    """Column generation over columns.

    Attributes
    ----------
    state : NodeState
    iterate : Iterate or None
        Where the next interior solution begins.
    solution : MasterSolution or None
        Of the master, where it is solved.
    search : OpenPricing or None
        An unfinished exact pricing.
    covers : bool
        Farkas pricing made the columns cover all blocks: the master has no artificial ones.
    """

    state: NodeState
    iterate: Iterate | None = None
    solution: MasterSolution | None = None
    search: OpenPricing | None = None
    covers: bool = False


class ColumnGeneration(Generation):
    """Column generation over columns; see `Generation` for the parameters."""

    master: Master
    first: Iterate | None = None
    covers: bool = False

    @classmethod
    def of(cls, context: NodeContext, phase: ColumnPhase) -> ColumnGeneration:
        """Continue a phase."""
        master = master_of(context, phase.state, phase.covers)
        master.middle = phase.iterate
        made = cls(context, phase.state, master, phase.solution, phase.search)
        made.first, made.covers = phase.iterate, phase.covers
        return made

    @classmethod
    def after(cls, context: NodeContext, state: NodeState, rounds: list[Round]) -> ColumnGeneration:
        """Begin after column generation over facilities."""
        return cls(context, state, master_of(context, state), rounds=rounds)

    def phase(self) -> ColumnPhase:
        """Return the phase that the next task continues."""
        middle = self.master.middle
        return ColumnPhase(self.columns_now, middle, self.known, self.search, self.covers)

    def vertex(self) -> MasterSolution:
        """Return a basic solution."""
        return self.master.solve_to_vertex()

    def _solve(self) -> MasterSolution:
        stabiliser = self.state.stabiliser
        if stabiliser.scheme == "perturbation" and stabiliser.center is not None:
            self.master.perturb(stabiliser.center, stabiliser.extent)
        return self.master.solve(self.state.accuracy)

    @property
    def _prices_exactly(self) -> bool:
        return self.state.quick_pricing

    def _proof_points(self, at: FloatArray, solution: MasterSolution) -> Iterator[FloatArray]:
        yield solution.duals

    def _prove(self, at: FloatArray, cardinality_dual: float) -> Priced:
        return self._proved(at, cardinality_dual, rounds=1)

    def _to_add(self, priced: Priced, solution: MasterSolution) -> IntArray:
        return self._negative(priced, solution)[: self._most_new]

    def _seeds(self, solution: MasterSolution) -> FloatArray:
        params, points = self.context.params.pricing, self.context.pricer.points
        work = int(params.seed_work / points.size)
        some = self._some_points(min(params.most_seeds, max(params.least_seeds, work)))
        used = self.master.columns[solution.weights > _IN_USE]
        return np.concatenate([some, self._centres_of(used)])

    def _conclude(self, solution: MasterSolution, found: bool) -> Generation:
        state, stabiliser = self.state, self.state.stabiliser
        gap = solution.objective - state.bound.value
        if found and gap > self.context.tolerance:
            self.state = replace(state, accuracy=self._next_accuracy(gap, solution.objective))
        elif state.accuracy > LAST_ACCURACY and stabiliser.interior:
            self.state = replace(state, accuracy=LAST_ACCURACY)
        elif stabiliser.extent > 0.0:
            self.state = replace(state, stabiliser=stabiliser.relax(solution.duals))
        elif solution.shortfall > _INFEASIBLE and state.bound.value <= self.context.most_cost:
            self._raise_artificial_cost()
        else:
            self.end = End.COMPLETE
        return self

    def _raise_artificial_cost(self) -> None:
        state = self.columns_now
        state = replace(state, artificial_cost=_RAISED * state.artificial_cost)
        self.state = state
        self.master = master_of(self.context, state)
        self.master.middle = self.first


def master_of(context: NodeContext, state: NodeState, covers: bool = False) -> Master:
    """Return the master over the columns of a state, without artificial ones if they cover."""
    order = np.argsort(context.pricer.points[:, 0], kind="stable")
    interior = state.stabiliser.interior
    s, k = state.blocks.s, state.blocks.k
    master = Master(s, k, state.artificial_cost, interior, order, covers)
    master.add(state.columns, state.costs)
    return master
