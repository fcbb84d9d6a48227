"""A node's work on disjunctions: open one, or split a term, until the bound closes the node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.colgen.discs import in_discs
from ccviz.solvers.colgen.instance import Instance, part_of, with_disc
from ccviz.solvers.colgen.master.covering import MasterSolution
from ccviz.solvers.colgen.master.facilities import make_facilities
from ccviz.solvers.colgen.master.facility_master import (
    FacilityDuals,
    Neighbourhoods,
    Region,
    ascend_near,
)
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.phases.facilities import StalledPhase
from ccviz.solvers.colgen.phases.settle import certificate_of
from ccviz.solvers.colgen.pricing.pricer import (
    ADJUSTMENTS,
    Pricer,
    is_enough,
    join,
    price_and_adjust,
)
from ccviz.solvers.colgen.regions import (
    Disjunction,
    Disjunctions,
    Term,
    certificate,
    find_disjunctions,
)
from ccviz.solvers.colgen.state import NodeContext, NodeState
from ccviz.solvers.colgen.strong_branching import (
    Basis,
    Candidate,
    best_candidate,
    evaluated,
    likely_discs,
    still_valid,
)
from ccviz.solvers.search.decisions import DiscDecision
from ccviz.solvers.search.tree import Report

# --- The terms of a disjunction: column generation among its blocks alone -------------------------
#
# See `ccviz.solvers.colgen.regions`.


class TermContext(NamedTuple):
    """What all disjunctions of a node have in common."""

    pricer: Pricer
    duals: FloatArray  # (s,): Of the node's bound, with its cardinality dual
    cardinality_dual: float
    k: int
    points: FloatArray  # (n, d): In the axes of pricing
    own: FloatArray  # (n, d): and in their own
    tolerance: float
    missing: float  # The bound increase that one disjunction has to bring
    params: Params
    stop: Callable[[], bool]  # True once it should end with what it has

    @classmethod
    def of(cls, context: NodeContext, state: NodeState, disjunctions: int) -> TermContext:
        """Return what a number of disjunctions have in common."""
        assert state.bound.duals is not None
        return cls(
            context.pricer, state.bound.duals, state.bound.cardinality_dual, state.blocks.k,
            context.points, context.problem.X.astype(np.float64), context.tolerance,
            (context.limit - state.bound.value) / max(1, disjunctions), context.params,
            context.task.stop,
        )  # fmt: skip

    @property
    def instance(self) -> Instance:
        """All blocks of the node."""
        return self.pricer.alternatives[0]

    def neighbourhoods(self, instance: Instance) -> Neighbourhoods:
        """Return the neighbourhoods among a disjunction's blocks."""
        share = len(instance.mass) / len(self.duals)
        return Neighbourhoods(max(1, round(self.k * share)), self.params.neighbourhood)


class Generated(NamedTuple):
    """What column generation in a term ended with."""

    duals: FloatArray  # (z + t,): The best ones
    solution: MasterSolution
    columns: np.ndarray
    found: int
    min_reduced_cost: float  # No cluster has a smaller reduced cost under the best duals


def opened(
    context: TermContext, disjunction: Disjunction, columns: np.ndarray, weights: FloatArray
) -> Disjunction:
    """Return a disjunction with one term, without decisions.

    `columns` (m, s): Of the node, with the (m,) weights of its solution.
    """
    duals, cardinality_dual, rows = context.duals, context.cardinality_dual, disjunction.rows
    reduced = make_facilities(context.instance, columns, duals).reduced_costs(duals)
    kept = reduced < -context.params.terms.first * cardinality_dual
    inside = columns[:, rows]
    kept &= inside.sum(axis=1) == columns.sum(axis=1)
    solution = _solution(duals[rows], cardinality_dual, weights[kept])
    term = Term((), duals[rows], inside[kept], solution, (), 0.0, -cardinality_dual)
    candidates = _candidates(context, disjunction, term, None)
    return disjunction._replace(terms=(term._replace(candidates=candidates),))


def refined(context: TermContext, disjunction: Disjunction) -> Disjunction:
    """Return the disjunction with its worst term's duals raised farther, and discs evaluated.

    Terms that are not the worst need not be so good.
    """
    term = _widened(context, disjunction, disjunction.worst)
    candidates = (*term.candidates, *_candidates(context, disjunction, term, term.at))
    if not any(each.is_two_sided(context.missing) for each in candidates):
        candidates = _candidates(context, disjunction, term, None)
    return disjunction.put(term._replace(candidates=candidates, at=None))


def split(context: TermContext, disjunction: Disjunction) -> tuple[Disjunction, int]:
    """Split the worst term on its best disc, or keep it where no disc gains; count new columns."""
    worst = disjunction.worst
    best = best_candidate(worst.candidates, context.missing)
    if best is None:
        return disjunction.put(worst._replace(candidates=())), 0
    sides = [DiscDecision(*best.disc, occupied) for occupied in (True, False)]
    made = [_child(context, disjunction, worst, decision) for decision in sides]
    children, found = zip(*made, strict=True)
    return disjunction.put(*children), sum(found)


def _widened(context: TermContext, disjunction: Disjunction, term: Term) -> Term:
    """Return a term with duals raised in a wider region around its last disc."""
    assert term.at is not None
    instance = _instance(context, disjunction, term.decisions)
    region = Region(term.at, context.neighbourhoods(instance), context.params.terms.wide)
    caps = _caps(context, disjunction, instance)
    made = _generated(context, instance, term.columns, term.duals, caps, region)
    return term._replace(
        duals=made.duals,
        columns=made.columns,
        solution=made.solution,
        increase=term.increase + float((made.duals - term.duals).sum()),
        min_reduced_cost=min(term.min_reduced_cost, made.min_reduced_cost),
    )


def _child(
    context: TermContext, disjunction: Disjunction, parent: Term, decision: DiscDecision
) -> tuple[Term, int]:
    """Return a term with one decision more, and the number of columns found."""
    before = len(parent.duals) - len(disjunction.rows)
    decisions = (*parent.decisions, decision)
    instance = _instance(context, disjunction, decisions)
    new = instance.occupied - before
    columns, _, fits = in_discs(instance, np.pad(parent.columns, ((0, 0), (0, new))), mark=True)
    at = context.points[decision.center]
    region = Region(at, context.neighbourhoods(instance))
    duals, caps = np.pad(parent.duals, (0, new)), _caps(context, disjunction, instance)
    made = _generated(context, instance, columns[fits], duals, caps, region)
    increase = float(made.duals.sum() - context.duals[disjunction.rows].sum())
    reach = region.neighbourhoods.reach(instance, at, context.params.strong.reach)
    gains = increase - parent.increase > context.params.terms.nothing * context.tolerance
    term = Term(
        decisions=decisions,
        duals=made.duals,
        columns=made.columns,
        solution=made.solution,
        candidates=still_valid(parent.candidates, context.points, at, reach),
        increase=increase,
        min_reduced_cost=min(parent.min_reduced_cost, made.min_reduced_cost),
        at=at,
        stalled=0 if gains else parent.stalled + 1,
    )
    return term, made.found


def _generated(
    context: TermContext,
    instance: Instance,
    columns: np.ndarray,
    duals: FloatArray,
    caps: FloatArray,
    region: Region,
) -> Generated:
    """Raise the duals in a region and price, in turn, until little is missing."""
    params, tolerance = context.params.terms, context.tolerance
    pricer = Pricer((instance,), context.pricer.method, context.pricer.turns)
    cardinality_dual = context.cardinality_dual
    start, best, least, found = duals, duals, 0.0, 0  # the parent's duals are valid here too
    for turn in range(params.rounds):
        error = params.error if turn >= params.rough_rounds else params.rough_error
        near = ascend_near(
            instance, columns, FacilityDuals(duals, cardinality_dual), caps, region,
            error * tolerance, context.stop,
        )  # fmt: skip
        proofs = [*price_and_adjust(pricer, near.duals, cardinality_dual, ADJUSTMENTS)]
        priced, (last, at) = join([each for each, _ in proofs]), proofs[-1]
        if at.sum() > best.sum() and is_enough(last, cardinality_dual):
            best, least = at, last.min_reduced_cost
        more = params.column * tolerance / context.k
        new = priced.negative(near.duals, cardinality_dual, more)
        duals, weights = near.duals, np.pad(near.weights, (0, len(new)))
        columns, found = np.concatenate([columns, priced.columns[new]]), found + len(new)
        gain, missing = (float(near.duals.sum() - each.sum()) for each in (start, best))
        little = max(min(params.gap * tolerance, params.left * gain), params.nothing * tolerance)
        if len(new) == 0 or missing <= little or context.stop():
            break
    reduced = make_facilities(instance, columns, best).reduced_costs(best)
    useful = reduced < -params.useful * cardinality_dual
    solution = _solution(duals, cardinality_dual, weights[useful])
    return Generated(best, solution, columns[useful], found, least)


def _caps(context: TermContext, disjunction: Disjunction, instance: Instance) -> FloatArray:
    """Return (z + t,) upper limits of a term's duals."""
    return np.append(disjunction.caps, np.full(instance.occupied, context.cardinality_dual))


def _instance(
    context: TermContext, disjunction: Disjunction, decisions: tuple[DiscDecision, ...]
) -> Instance:
    """Return the disjunction's blocks with the discs of a term."""
    instance = part_of(context.instance, disjunction.rows)
    for disc in decisions:
        center, border = context.points[disc.center], context.points[disc.border]
        instance = with_disc(instance, center, border, disc.occupied)
    return instance


def _candidates(
    context: TermContext, disjunction: Disjunction, term: Term, at: FloatArray | None
) -> tuple[Candidate, ...]:
    """Evaluate discs of a term that are inside its disjunction: near a point, or all."""
    instance, solution = _instance(context, disjunction, term.decisions), term.solution
    facilities = make_facilities(instance, term.columns, solution.duals)
    own = context.own
    basis = Basis(
        instance, term.columns, solution, facilities.reduced_costs(solution.duals),
        _caps(context, disjunction, instance), context.points,
        context.neighbourhoods(instance), context.params.strong,
    )  # fmt: skip
    return evaluated(
        basis, context.missing, at, context.stop, lambda c, b: disjunction.holds(own[c], own[b])
    )


def _solution(duals: FloatArray, cardinality_dual: float, weights: FloatArray) -> MasterSolution:
    """Return a solution of which only the duals and the weights matter."""
    nothing = np.zeros(len(duals))
    return MasterSolution(float(duals.sum()), duals, cardinality_dual, weights, nothing)


@dataclass(frozen=True, eq=False)
class DisjunctionPhase:
    """A node whose bound is raised by disjunctions."""

    stalled: StalledPhase  # The phase that continues once they are given up
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
        assert terms.duals is state.bound.duals
        proof = {"duals": terms.duals, "least": np.array([least])}
        proof |= certificate(disjunctions, terms.duals)
    shown = context.shown(  # the bound as the objective: no master of all blocks is solved
        state, terms.duals, bound, bound, exact=True, columns=found, pool=len(state.columns),
        best_reduced_cost=least - state.bound.min_reduced_cost,
    )  # fmt: skip
    return Report(
        "bound" if bound >= context.limit else "go on",
        max(context.task.lower_bound, bound + state.blocks.scatter),
        events=(shown,),
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
