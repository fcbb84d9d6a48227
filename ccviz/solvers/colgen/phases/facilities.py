"""Column generation over facilities: the first phase where there are many blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.discs import in_discs
from ccviz.solvers.colgen.instance import part_of
from ccviz.solvers.colgen.master.covering import MasterSolution, column_costs
from ccviz.solvers.colgen.master.facility_master import (
    FacilityDuals,
    FacilityMaster,
    Region,
    ascend_near,
)
from ccviz.solvers.colgen.phases.generation import ColumnGeneration, End, Generation, master_of
from ccviz.solvers.colgen.pricing.pricer import (
    ADJUSTMENTS,
    OpenPricing,
    Priced,
    Pricer,
    adjusted,
    join,
)
from ccviz.solvers.colgen.state import LAST_ACCURACY, NodeContext, NodeState

_IN_USE = 0.01  # Weight of facilities at whose centres heuristic pricing begins too


@dataclass(frozen=True, eq=False)
class FacilityPhase:
    """Column generation over facilities at the centres of columns."""

    state: NodeState
    center: FacilityDuals | None = None  # Where the next solution begins
    solution: MasterSolution | None = None
    search: OpenPricing | None = None
    progress: tuple[float, ...] = ()  # The bound after each of the last iterations
    cycles: int = 1  # Cycles of local masters that may still come before the node is branched


@dataclass(frozen=True, eq=False)
class StalledPhase:
    """A node whose bound grows too slowly: it is branched though facilities are missing."""

    state: NodeState
    center: FacilityDuals | None
    solution: MasterSolution
    progress: tuple[float, ...]
    # (d,): The middle of the neighbourhood that the solution is restricted to, if it is.
    at: FloatArray | None = None

    def resumed(self) -> FacilityPhase:
        """Return the phase that continues where there is nothing to branch on."""
        if self.at is None:
            rest = self.center, self.solution, None, self.progress
            return FacilityPhase(self.state, *rest, cycles=0)
        return FacilityPhase(self.state, self.center, cycles=0)


class FacilityGeneration(Generation):
    """Column generation over facilities; see `Generation` for the parameters."""

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
        master = master_of(self.context, state)
        return ColumnGeneration(self.context, state, master, rounds=self.rounds)

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
                # With a cycle of local masters, if none was made.
                may_cycle = self.cycles > 0 and not context.pricer.has_discs and context.is_local
                self.end = End.SLOW if may_cycle else End.STALLED
            return self
        if solution.objective < context.limit - context.tolerance:
            self.end = End.SHORT
            return self
        if not context.pricer.has_discs:
            return self.over_columns()
        self._add_facilities()
        return self

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


# --- Column generation with local masters: master and pricing in one neighbourhood at a time ------
#
# An iteration is short, so everything that was found is added, and what was of no use is dropped at
# the end. Only then the bound is proved, which takes all blocks.


@dataclass(frozen=True, eq=False)
class LocalPhase:
    """A child's local master, around the disc that was decided on last."""

    state: NodeState
    center: FacilityDuals
    # (d,): The middles of this neighbourhood and those still to come.
    middles: tuple[FloatArray, ...]
    solution: MasterSolution | None = None
    progress: tuple[float, ...] = ()  # The bound after each iteration in this neighbourhood


class CyclePhase(LocalPhase):
    """A cycle of local masters over all blocks, at a node without discs."""


class LocalGeneration(FacilityGeneration):
    """Column generation in a neighbourhood; see `Generation` for the parameters."""

    middles: tuple[FloatArray, ...]
    kind: ClassVar[type[LocalPhase]]

    @classmethod
    def around(cls, context: NodeContext, phase: LocalPhase) -> Self:
        """Continue a phase."""
        master = facility_master(context, phase.state, phase.center)
        made = cls(context, phase.state, master, phase.solution)
        made.middles, made.progress = phase.middles, phase.progress
        return made

    def phase(self) -> LocalPhase:
        """Return the phase that the next task continues."""
        center = self.master.middle
        assert center is not None
        return self.kind(self.columns_now, center, self.middles, self.known, self.progress)

    @property
    def at(self) -> FloatArray:
        """The middle of the neighbourhood, (d,)."""
        return self.middles[0]

    def run(self, iterations: int) -> Generation:
        """Iterate until the neighbourhood is done, the bound suffices or iterations are spent."""
        if self.known is None:
            self.known = self._solve_near()
        for _ in range(iterations):
            if self.is_over:
                break
            if self._iterated_to_the_end():
                return self._leave()
            self.known = self._solve_near()
        return self

    def _iterated_to_the_end(self) -> bool:
        """Price around; prove the bound and return True if little is missing."""
        solution, params = self.solution, self.context.params.local
        priced, at = self._price_near(solution)
        bound = float(at.sum()) - self.state.blocks.k * solution.cardinality_dual
        self.progress = (*self.progress, bound)
        new = self._negative(priced, solution)
        near = solution.objective - bound <= params.gap * self.context.tolerance
        done = near or len(new) == 0 or len(self.progress) == params.rounds
        if done:
            priced = join([priced, self._prove(at, solution.cardinality_dual)])
            new = self._negative(priced, solution)
        self.log(solution, priced, len(new), at)
        self.master.add(priced.columns[new], priced.costs[new])
        return done

    def _price_near(self, solution: MasterSolution) -> tuple[Priced, FloatArray]:
        """Return clusters of negative reduced cost around, and (s + t,) duals without any.

        The duals elsewhere are unchanged, so other clusters have none either.
        """
        context, cardinality_dual = self.context, solution.cardinality_dual
        instance, part = context.instance, context.pricer
        s = len(instance.mass)
        rows = np.arange(s)
        if part.may_use_discs:
            around = context.params.local.around
            rows = np.flatnonzero(context.neighbourhoods.blocks(instance, self.at, around))
            part = Pricer((part_of(instance, rows),), part.method, part.turns)
        rows = np.append(rows, np.arange(s, len(solution.duals)))
        found = [*self._adjusting(part, solution.duals[rows], cardinality_dual, ADJUSTMENTS)]
        proof, duals = join([each for each, _ in found]), solution.duals.copy()
        columns = np.zeros((len(proof.costs), len(duals)), dtype=np.bool_)
        duals[rows], columns[:, rows] = found[-1][1], proof.columns
        return replace(proof, columns=columns), duals

    def _drop_useless(self, solution: MasterSolution) -> MasterSolution:
        """Drop facilities that save too little; return the solution over the others."""
        master, useful = self.master, self.context.params.local.useful
        more = len(master.costs) - len(solution.weights)
        weights = np.pad(solution.weights, (0, more))
        kept = master.reduced_costs(solution.duals) < -useful * solution.cardinality_dual
        master.keep(kept)
        return replace(solution, weights=weights[kept])

    def _solve_near(self) -> MasterSolution:
        """Solve the local master, where the last solution left all other duals."""
        master, context, params = self.master, self.context, self.context.params.local
        before, k = master.middle, self.state.blocks.k
        assert before is not None
        rough = len(self.progress) < params.rough_rounds
        error = params.rough_error if rough else params.error
        found = ascend_near(
            context.instance, master.columns, before, master.artificial_cost,
            Region(self.at, context.neighbourhoods), error * context.tolerance, context.task.stop,
        )  # fmt: skip
        duals, cardinality_dual = found.duals, before.cardinality_dual
        master.middle = FacilityDuals(duals, cardinality_dual)
        objective = float(duals.sum()) - k * cardinality_dual
        nothing = np.zeros(len(duals))
        return MasterSolution(objective, duals, cardinality_dual, found.weights, nothing)

    @abstractmethod
    def _leave(self) -> Generation:
        """Continue after this neighbourhood."""


class DiscGeneration(LocalGeneration):
    """Column generation around the disc that was decided on last."""

    kind = LocalPhase

    def stalled(self) -> StalledPhase:
        """Return the phase in which the node is branched early."""
        return replace(super().stalled(), at=self.at)

    def _leave(self) -> Generation:
        self.known = self._drop_useless(self.solution)
        self.begin_at_bound()
        self.end = End.STALLED
        return self


class CycleGeneration(LocalGeneration):
    """Column generation in one neighbourhood after the other."""

    kind = CyclePhase

    def _leave(self) -> Generation:
        """Continue in the next neighbourhood; after the last one solve the whole master."""
        self._drop_useless(self.solution)
        self.begin_at_bound()
        if len(self.middles) > 1:
            self.middles, self.progress = self.middles[1:], ()
            self.known = self._solve_near()
            return self
        self.known = self._solve()
        self.end = End.STALLED
        return self


def cycle_after(generation: FacilityGeneration) -> CyclePhase:
    """Return a cycle that begins at the duals of the best bound."""
    context = generation.context
    generation.begin_at_bound()
    assert generation.master.middle is not None
    middles = tuple(context.neighbourhoods.cover(context.instance))
    return CyclePhase(generation.columns_now, generation.master.middle, middles)
