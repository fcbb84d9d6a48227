"""Column generation with local masters: master and pricing in one neighbourhood at a time.

An iteration is short, so everything that was found is added, and what was of no use is dropped at
the end. Only then the bound is proved, which takes all blocks.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.colgen.master.covering import MasterSolution
from ccviz.solvers.colgen.master.facility_master import FacilityDuals
from ccviz.solvers.colgen.master.neighbourhood import Region, ascend_near
from ccviz.solvers.colgen.model.instance import part_of
from ccviz.solvers.colgen.phases.context import NodeContext
from ccviz.solvers.colgen.phases.facilities import (
    FacilityGeneration,
    StalledPhase,
    facility_master,
)
from ccviz.solvers.colgen.phases.generation import End, Generation
from ccviz.solvers.colgen.pricing.dual_adjustment import ADJUSTMENTS
from ccviz.solvers.colgen.pricing.pricer import Priced, Pricer, join
from ccviz.solvers.colgen.state import NodeState


@dataclass(frozen=True, eq=False)
class LocalPhase:
    """A child's local master, around the disc that was decided on last.

    Attributes
    ----------
    state : NodeState
    center : FacilityDuals
        The duals so far.
    at : (d,) float64
        The middle of the neighbourhood.
    solution : MasterSolution or None
        Of the local master, where it is solved.
    progress : tuple of float
        The bound after each iteration in this neighbourhood.
    """

    state: NodeState
    center: FacilityDuals
    at: FloatArray
    solution: MasterSolution | None = None
    progress: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class CyclePhase:
    """A cycle of local masters over all blocks, at a node without discs.

    Attributes
    ----------
    state, center, solution, progress
        See `LocalPhase`.
    middles : tuple of (d,) float64
        The middles of this neighbourhood and those still to come.
    """

    state: NodeState
    center: FacilityDuals
    middles: tuple[FloatArray, ...]
    solution: MasterSolution | None = None
    progress: tuple[float, ...] = ()


class LocalGeneration(FacilityGeneration):
    """Column generation in a neighbourhood; see `Generation` for the parameters."""

    middles: tuple[FloatArray, ...]

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
            Region(self.at, context.neighbourhoods), error * context.tolerance, self.stop,
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

    @classmethod
    def around(cls, context: NodeContext, phase: LocalPhase) -> DiscGeneration:
        """Continue a phase."""
        master = facility_master(context, phase.state, phase.center)
        made = cls(context, phase.state, master, phase.solution)
        made.middles, made.progress = (phase.at,), phase.progress
        return made

    def phase(self) -> LocalPhase:
        """Return the phase that the next task continues."""
        assert self.master.middle is not None
        center = self.master.middle
        return LocalPhase(self.columns_now, center, self.at, self.known, self.progress)

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

    @classmethod
    def of_cycle(cls, context: NodeContext, phase: CyclePhase) -> CycleGeneration:
        """Continue a phase."""
        master = facility_master(context, phase.state, phase.center)
        made = cls(context, phase.state, master, phase.solution)
        made.middles, made.progress = phase.middles, phase.progress
        return made

    def phase(self) -> object:
        """Return the phase that the next task continues."""
        assert self.master.middle is not None
        center = self.master.middle
        return CyclePhase(self.columns_now, center, self.middles, self.known, self.progress)

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
