"""The end of a node: close it or branch, or continue where columns are missing after all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.solvers.colgen.branching.discs import likely_discs
from ccviz.solvers.colgen.branching.pairs import branching_pair
from ccviz.solvers.colgen.branching.strong import (
    Basis,
    Candidate,
    best_candidate,
    evaluated,
    still_valid,
)
from ccviz.solvers.colgen.master.covering import MasterSolution, best_cover
from ccviz.solvers.colgen.master.facilities import make_facilities
from ccviz.solvers.colgen.phases.columns import ColumnGeneration, ColumnPhase
from ccviz.solvers.colgen.phases.context import NodeContext
from ccviz.solvers.colgen.phases.facilities import FacilityGeneration, StalledPhase
from ccviz.solvers.colgen.phases.reports import known_cost, rounded, with_columns
from ccviz.solvers.colgen.state import NodeState
from ccviz.solvers.search.decisions import DiscDecision, PairDecision
from ccviz.solvers.search.tree import Report

_INTEGRAL = "The relaxation's solution is a clustering."


def settle_columns(context: NodeContext, generation: ColumnGeneration, report: Report) -> Report:
    """Close or branch a node without missing columns."""
    report, state, pair = _at_vertex(context, generation, report)
    if pair is None:
        return replace(report, verdict="integral", detail=_INTEGRAL)
    return _branched(context, state, pair, report)


def settle_facilities(
    context: NodeContext, generation: FacilityGeneration, report: Report
) -> Report:
    """Branch a node without missing facilities: on a disc, else on a pair of blocks."""
    pricer = context.pricer
    if pricer.may_use_discs or pricer.has_discs:
        state, solution = generation.columns_now, generation.solution
        with_discs = _with_candidates(context, generation.stalled())
        best = best_candidate(with_discs.candidates, context.limit - state.bound.value)
        if best is not None:
            return _on_disc(report, with_discs, best)
        if pricer.has_discs:
            return _on_pair(context, with_discs, solution, report)
    columns = generation.over_columns()
    report, state, pair = _at_vertex(context, columns, report)
    if pair is None:  # the master is short of the limit: that clustering may not be the best
        return replace(report, state=ColumnPhase(state))
    return _branched(context, state, pair, report)


def settle_stalled(context: NodeContext, phase: StalledPhase, report: Report) -> Report:
    """Branch a node early, on a disc; continue if there is none."""
    state = _with_candidates(context, phase)
    best = best_candidate(state.candidates, context.limit - state.bound.value)
    if best is not None:
        return _on_disc(report, state, best)
    return replace(report, state=replace(phase, state=state).resumed())


def _at_vertex(
    context: NodeContext, generation: ColumnGeneration, report: Report
) -> tuple[Report, NodeState, tuple[int, int] | None]:
    """Round a basic solution; return the state with all columns, and the pair to branch on."""
    vertex = generation.vertex()
    state = generation.columns_now
    report = rounded(context, report, state.columns, vertex.weights)
    return report, state, branching_pair(state.blocks, state.columns, vertex.weights)


def _branched(
    context: NodeContext, state: NodeState, pair: tuple[int, int], report: Report
) -> Report:
    """Branch on a pair, after a search for the best clustering among the columns."""
    settings, task = context.settings, context.task
    few = _fixed(state, known_cost(context, report) - state.blocks.scatter)
    k = context.problem.k
    cover = best_cover(few.columns, few.costs, k, settings.cover_nodes, task.stop)
    if cover is not None:
        report = with_columns(context, report, few.columns, cover)
    return replace(report, verdict="branch", branch=PairDecision(*pair, together=True), state=state)


def _on_disc(report: Report, state: NodeState, best: Candidate) -> Report:
    return replace(
        report, verdict="branch", branch=DiscDecision(*best.disc, occupied=True), state=state
    )


def _on_pair(
    context: NodeContext, state: NodeState, solution: MasterSolution, report: Report
) -> Report:
    columns = state.columns[:, : context.blocks.s]
    pair = branching_pair(context.blocks, columns, solution.weights)
    if pair is None:
        return replace(report, verdict="integral", detail=_INTEGRAL)
    return replace(report, verdict="branch", branch=PairDecision(*pair, together=True), state=state)


def _with_candidates(context: NodeContext, phase: StalledPhase) -> NodeState:
    """Evaluate discs: all likely ones of the solution, or those around the last disc alone.

    Where a neighbourhood is no small part of all blocks, the likeliest disc is taken unevaluated.
    """
    state, solution, instance = phase.state, phase.solution, context.instance
    if not context.pricer.may_use_discs:
        return replace(state, candidates=())
    points = context.points
    if not context.is_local:
        likely = likely_discs(instance, state.columns, solution.weights, points)
        return replace(
            state, candidates=tuple(Candidate(disc, np.inf, np.inf) for disc in likely[:1])
        )
    duals, params = solution.duals, context.params.strong
    reduced = make_facilities(instance, state.columns, duals).reduced_costs(duals)
    basis = Basis(
        instance, state.columns, solution, reduced, state.artificial_cost, points,
        context.neighbourhoods, params,
    )  # fmt: skip
    old: tuple[Candidate, ...] = ()
    if phase.at is not None:
        reach = context.neighbourhoods.reach(instance, phase.at, params.reach)
        old = still_valid(state.candidates, points, phase.at, reach)
    new = evaluated(basis, context.limit - state.bound.value, phase.at, context.task.stop)
    return replace(state, candidates=(*old, *new))


def _fixed(state: NodeState, upper_bound: float) -> NodeState:
    """Drop columns that no better clustering holds: reduced-cost fixing.

    With a cluster of reduced cost v in it, a clustering costs at least the bound, less the minimal
    reduced cost, plus v. The master of a child gets these columns nevertheless: they keep its
    duals in place.
    """
    bound = state.bound
    if bound.duals is None:
        return state
    reduced = state.costs - state.columns @ bound.duals
    least = bound.value - bound.min_reduced_cost + reduced
    return state.of(least <= upper_bound * (1.0 + 1e-9))
