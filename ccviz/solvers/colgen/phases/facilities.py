"""Column generation over facilities: the first phase where there are many blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.master.covering import MasterSolution, column_costs
from ccviz.solvers.colgen.master.facility_master import FacilityDuals, FacilityMaster
from ccviz.solvers.colgen.model.discs import in_discs
from ccviz.solvers.colgen.phases.columns import ColumnGeneration
from ccviz.solvers.colgen.phases.context import NodeContext
from ccviz.solvers.colgen.phases.generation import End, Generation
from ccviz.solvers.colgen.pricing.dual_adjustment import ADJUSTMENTS, adjusted
from ccviz.solvers.colgen.pricing.pricer import OpenPricing, Priced
from ccviz.solvers.colgen.state import LAST_ACCURACY, NodeState

_IN_USE = 0.01
"""Weight of facilities at whose centres heuristic pricing begins too."""


@dataclass(frozen=True, eq=False)
class FacilityPhase:
    """Column generation over facilities at the centres of columns.

    Attributes
    ----------
    state : NodeState
    center : FacilityDuals or None
        Where the next solution begins.
    solution : MasterSolution or None
        Of the master, where it is solved.
    search : OpenPricing or None
        An unfinished exact pricing.
    progress : tuple of float
        The bound after each of the last iterations.
    cycles : int
        Cycles of local masters that may still come before the node is branched.
    """

    state: NodeState
    center: FacilityDuals | None = None
    solution: MasterSolution | None = None
    search: OpenPricing | None = None
    progress: tuple[float, ...] = ()
    cycles: int = 1


@dataclass(frozen=True, eq=False)
class StalledPhase:
    """A node whose bound grows too slowly: it is branched though facilities are missing.

    Attributes
    ----------
    state, center, solution, progress
        See `FacilityPhase`.
    at : (d,) float64 or None
        The middle of the neighbourhood that the solution is restricted to, if it is.
    """

    state: NodeState
    center: FacilityDuals | None
    solution: MasterSolution
    progress: tuple[float, ...]
    at: FloatArray | None = None

    def resumed(self) -> FacilityPhase:
        """Return the phase that continues where there is nothing to branch on."""
        if self.at is None:
            rest = self.center, self.solution, None, self.progress
            return FacilityPhase(self.state, *rest, cycles=0)
        return FacilityPhase(self.state, self.center, cycles=0)


class FacilityGeneration(Generation):
    """Column generation over facilities; see `Generation` for the parameters.

    Attributes
    ----------
    progress, cycles
        See `FacilityPhase`.
    """

    master: FacilityMaster
    progress: tuple[float, ...] = ()
    cycles = 1

    @classmethod
    def of(cls, context: NodeContext, phase: FacilityPhase) -> FacilityGeneration:
        """Continue a phase."""
        master = facility_master(context, phase.state, phase.center)
        made = cls(context, phase.state, master, phase.solution, phase.search)
        made.progress, made.cycles = phase.progress, phase.cycles
        return made

    def phase(self) -> object:
        """Return the phase that the next task continues."""
        state, center = self.columns_now, self.master.middle
        return FacilityPhase(state, center, self.known, self.search, self.progress, self.cycles)

    def stalled(self) -> StalledPhase:
        """Return the phase in which the node is branched early."""
        return StalledPhase(self.columns_now, self.master.middle, self.solution, self.progress)

    def over_columns(self) -> ColumnGeneration:
        """Return column generation over all columns and those that the solution is made of."""
        blocks = self.state.blocks
        made = self.master.parts(self.state.accuracy)
        costs = column_costs(made, blocks.centroid, blocks.mass)
        columns = np.concatenate([np.eye(blocks.s, dtype=bool), self.master.columns, made])
        costs = np.concatenate([np.zeros(blocks.s), self.master.costs, costs])
        columns, first = np.unique(columns, axis=0, return_index=True)
        state = replace(self.state, columns=columns, costs=costs[first])
        return ColumnGeneration.after(self.context, state, self.rounds)

    def _solve(self) -> MasterSolution:
        return self.master.solve(self.state.accuracy)

    @property
    def _prices_exactly(self) -> bool:
        return True

    def _proof_points(self, at: FloatArray, solution: MasterSolution) -> Iterator[FloatArray]:
        """Yield the priced duals, the master's, and what lies between it and the best so far.

        The last depends on the bounds that were proved before it.
        """
        yield at
        yield solution.duals
        yield self.state.stabiliser.point(solution.duals)

    def _prove(self, at: FloatArray, cardinality_dual: float) -> Priced:
        """Price exactly and adjust the duals until no cluster has a negative reduced cost.

        The bound there falls short of the master's objective by each excess once, not k times the
        largest.
        """
        return self._proved(at, cardinality_dual, ADJUSTMENTS)

    def _to_add(self, priced: Priced, solution: MasterSolution) -> IntArray:
        """Return columns of negative reduced cost that no better one represents already."""
        order = self._negative(priced, solution)
        _, needed = adjusted(
            self.context.instance, priced.columns, order, solution.duals,
            solution.cardinality_dual, self._column_tolerance,
        )  # fmt: skip
        return order[needed[order]][: self._most_new]

    def _seeds(self, solution: MasterSolution) -> FloatArray:
        # An iteration costs more than one over columns, and every local optimum is a facility.
        some = self._some_points(self.context.params.facilities.seeds)
        used = self.master.columns[solution.weights > _IN_USE]
        return np.concatenate([some, self._centres_of(used)])

    @property
    def _visits(self) -> int:
        pricing, features = self.context.params.pricing, self.context.pricer.points.shape[1]
        usual = pricing.visits * self.context.params.facilities.visit_factor
        return int(usual * min(1.0, pricing.features / features))

    def _conclude(self, solution: MasterSolution, found: bool) -> Generation:
        state, context = self.state, self.context
        gap = solution.objective - state.bound.value
        rounds = context.params.facilities.slow_rounds
        self.progress = (*self.progress, state.bound.value)[-rounds - 1 :]
        rough = self._is_rough(gap, solution.objective)
        if rough or (found and gap > context.tolerance):
            self.state = replace(state, accuracy=self._next_accuracy(gap, solution.objective))
            self._raise_caps(solution)
            early = context.pricer.may_use_discs and not rough
            if early and self._is_slow(gap, solution.objective):
                self.end = self._early_end()
            return self
        if solution.objective < context.limit - context.tolerance:
            self.end = End.SHORT
            return self
        if not context.pricer.has_discs:
            return self.over_columns()
        self._add_facilities()
        return self

    def _early_end(self) -> End:
        """Return how it ends early: with a cycle of local masters, if none was made."""
        context = self.context
        may_cycle = self.cycles > 0 and not context.pricer.has_discs and context.is_local
        return End.SLOW if may_cycle else End.STALLED

    def _is_rough(self, gap: float, objective: float) -> bool:
        """Whether the master is too inaccurate for its objective to be compared with the bound."""
        accuracy = self.state.accuracy
        rough = accuracy * abs(objective) > max(gap, self.context.tolerance)
        return accuracy > LAST_ACCURACY and rough

    def _is_slow(self, gap: float, objective: float) -> bool:
        """Whether to branch rather than continue.

        More facilities can only lower the master's objective. If that does not close the node, no
        bound will; but the nearer the bound comes, the better for the children, who begin with
        these facilities.
        """
        params, missing = self.context.params.facilities, self.context.limit - objective
        if self.context.is_local:
            return self.gains_less(params.slow_share_local)
        return gap < missing or self.gains_less(params.slow_share)

    def gains_less(self, share: float) -> bool:
        """Whether the last iterations gained less than a share of what was missing."""
        past, limit = self.progress, self.context.limit
        slow = len(past) > self.context.params.facilities.slow_rounds
        return slow and past[-1] - past[0] < share * (limit - past[0])

    def _raise_caps(self, solution: MasterSolution) -> None:
        """Let the duals rise where a block is left out rather than covered."""
        params, caps = self.context.params.facilities, self.state.artificial_cost
        caps = np.where(solution.uncovered > params.left_out, params.raised_cap * caps, caps)
        self.state = replace(self.state, artificial_cost=caps)
        self.master.artificial_cost = caps

    def _add_facilities(self) -> None:
        """Add facilities at the centres of what the solution is made of; it ends without new ones.

        Where there are discs, no column says more.
        """
        made = self.master.parts(self.state.accuracy)
        columns, costs, fits = in_discs(self.context.instance, made, mark=False)
        known = {column.tobytes() for column in np.packbits(self.master.columns, axis=1)}
        packed = np.packbits(columns, axis=1)
        fits &= np.array([column.tobytes() not in known for column in packed], dtype=np.bool_)
        self.master.add(columns[fits], costs[fits])
        if not fits.any() and self.state.accuracy <= LAST_ACCURACY:
            self.end = End.COMPLETE
        self.state = replace(self.state, accuracy=LAST_ACCURACY)

    def begin_at_bound(self) -> None:
        """Let the master's next solution begin at the duals of the best bound."""
        duals, cardinality_dual = self.state.stabiliser.center, self.state.bound.cardinality_dual
        if duals is not None and np.isfinite(cardinality_dual):
            self.master.middle = FacilityDuals(duals, cardinality_dual)


def facility_master(
    context: NodeContext, state: NodeState, center: FacilityDuals | None
) -> FacilityMaster:
    """Return the master over facilities at the centres of a state's columns."""
    stop = context.task.stop
    master = FacilityMaster(context.instance, state.blocks.k, state.artificial_cost, stop)
    master.add(state.columns, state.costs)
    master.middle = center
    return master
