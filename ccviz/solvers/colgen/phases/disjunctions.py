"""A node's work on disjunctions: open one, or split a term, until the bound closes the node."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ccviz.solvers.colgen.branching.discs import likely_discs
from ccviz.solvers.colgen.branching.disjunctions import Disjunctions, certificate
from ccviz.solvers.colgen.branching.regions import find_disjunctions
from ccviz.solvers.colgen.master.facility_master import FacilityDuals
from ccviz.solvers.colgen.phases.context import NodeContext
from ccviz.solvers.colgen.phases.facilities import StalledPhase
from ccviz.solvers.colgen.phases.reports import certificate_of, shown
from ccviz.solvers.colgen.phases.terms import TermContext, opened, refined, split
from ccviz.solvers.colgen.state import Bound, Round
from ccviz.solvers.search.tree import Report


@dataclass(frozen=True, eq=False)
class DisjunctionPhase:
    """A node whose bound is raised by disjunctions.

    Attributes
    ----------
    stalled : StalledPhase
        The phase that continues once they are given up.
    disjunctions : Disjunctions
        At least one.
    """

    stalled: StalledPhase
    disjunctions: Disjunctions

    @property
    def bound(self) -> float:
        """The node's bound with what the disjunctions add."""
        state, found = self.stalled.state, self.disjunctions
        lost = found.min_reduced_cost - state.bound.min_reduced_cost
        return state.bound.value + found.increase + state.blocks.k * lost


def after_cycle(context: NodeContext, stalled: StalledPhase) -> DisjunctionPhase | StalledPhase:
    """Return the phase after a cycle: with disjunctions around likely discs, if there are any."""
    state, solution, labels = stalled.state, stalled.solution, stalled.state.labels
    assert labels is not None
    points, own = context.points, context.problem.X.astype(float)
    likely = likely_discs(context.instance, state.columns, solution.weights, points)
    middles = own[[near for near, _ in likely]].reshape(-1, own.shape[1])
    bound, params = state.bound, context.params.disjunctions
    assert bound.duals is not None
    found = find_disjunctions(
        context.instance, state.blocks.centroid, FacilityDuals(bound.duals, bound.cardinality_dual),
        middles, labels, context.neighbourhoods, params,
    )  # fmt: skip
    if not found:
        return stalled
    return DisjunctionPhase(stalled, Disjunctions(found, bound.min_reduced_cost, params))


def advance_disjunctions(context: NodeContext, phase: DisjunctionPhase) -> Report:
    """Report on one step: a disjunction opened, its worst term refined, or that term split."""
    terms = TermContext.of(context, phase.stalled.state, len(phase.disjunctions.each))
    disjunctions, found = _stepped(terms, phase)
    state = phase.stalled.state
    state = replace(state, iteration=state.iteration + 1)
    stalled = replace(phase.stalled, state=state)
    if disjunctions is None:  # no split would gain
        after: DisjunctionPhase | StalledPhase = stalled
        bound, least = state.bound.value, state.bound.min_reduced_cost
        proof = certificate_of(state.bound, state.blocks.s)
    else:
        after = DisjunctionPhase(stalled, disjunctions)
        bound, least = after.bound, disjunctions.min_reduced_cost
        proof = _proof(state.bound, disjunctions)
    entry = Round(
        iteration=state.iteration,
        columns=found,
        pool=len(state.columns),
        best_reduced_cost=least - state.bound.min_reduced_cost,
        exact=True,
        master_objective=bound,  # no master of all blocks is solved
        bound=bound,
        duals=terms.duals,
        center=state.stabiliser.center,
    )
    return Report(
        "bound" if bound >= context.limit else "go on",
        max(context.task.lower_bound, bound + state.blocks.scatter),
        events=(shown(context, entry),),
        certificate=proof,
        state=after,
        iterations=state.iteration,
    )


def _stepped(terms: TermContext, phase: DisjunctionPhase) -> tuple[Disjunctions | None, int]:
    """Return the disjunctions after a step, None if they are given up, and the columns found."""
    disjunctions = phase.disjunctions
    z = disjunctions.next
    if z is None:
        return None, 0
    chosen = disjunctions.each[z]
    if not chosen.terms:
        stalled = phase.stalled
        new = opened(terms, chosen, stalled.state.columns, stalled.solution.weights)
        return disjunctions.put(z, new), 0
    if not chosen.is_ready:
        return disjunctions.put(z, refined(terms, chosen)), 0
    new, found = split(terms, chosen)
    return disjunctions.put(z, new), found


def _proof(bound: Bound, disjunctions: Disjunctions) -> dict[str, np.ndarray]:
    assert bound.duals is not None
    least = np.array([disjunctions.min_reduced_cost])
    return {"duals": bound.duals, "least": least, **certificate(disjunctions, bound.duals)}
