"""The end of a node: close it or branch, or continue where columns are missing after all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.bounds import OPTIMAL_GAP
from ccviz.events import ColumnsPriced
from ccviz.problem.blocks import BoundedBlocks
from ccviz.problem.partition import Partition
from ccviz.solvers.base import never
from ccviz.solvers.colgen.master.covering import MasterSolution, assemble, best_cover, choose
from ccviz.solvers.colgen.master.facilities import make_facilities
from ccviz.solvers.colgen.phases.facilities import FacilityGeneration, StalledPhase
from ccviz.solvers.colgen.phases.generation import ColumnGeneration, ColumnPhase
from ccviz.solvers.colgen.state import Bound, NodeContext, NodeInput, NodeState
from ccviz.solvers.colgen.strong_branching import (
    Basis,
    Candidate,
    best_candidate,
    branching_pair,
    evaluated,
    likely_discs,
    still_valid,
)
from ccviz.solvers.relaxation.admm import cold_start
from ccviz.solvers.relaxation.engine import AnyIterate, RoundParams, restart, run_rounds
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.search.decisions import DiscDecision, PairDecision
from ccviz.solvers.search.tree import Multipliers, Report, StoppedError

# --- A second certificate for a node that column generation closed, quick to check ----------------
#
# To check a node's duals all clusters have to be searched again, which takes longer than the
# solving did in many dimensions. So the semidefinite relaxation of Piccialli, Russo Russo and
# Sudoso (2022) is solved as well: its multipliers prove a bound by themselves. Where it is not
# tight, clusters have few points and the search is short. The node's own bound stays as it is.


def semidefinite(
    blocks: BoundedBlocks,
    target: float,
    rounds: int,
    stop: Callable[[], bool] = never,
    left: Multipliers | None = None,
) -> dict[str, np.ndarray]:
    """Return multipliers that prove a bound; none if it stays below the target, or if stopped.

    `target`: Sum of squares, including the scatter inside the blocks. `left`: Those of an earlier
    run, to begin with.
    """
    relaxation = relax(blocks)
    first: AnyIterate = cold_start(relaxation)
    if left is not None and relaxation.classes is None:
        first = restart(relaxation, blocks.block_of, left)
    try:
        at, _ = run_rounds(RoundParams(), relaxation, first, target, rounds, stop)
    except StoppedError:  # the node is closed without it
        return {}
    return at.best.arrays() if at.best and at.lower_bound >= target else {}


# --- The reports of a node: bound, events, certificate and clusterings ----------------------------


def infeasible(reason: str, witness: tuple[int, ...] = ()) -> Report:
    """Report that a node has no clustering."""
    return Report("infeasible", np.inf, detail=reason, witness=witness)


def reported(
    context: NodeContext, state: NodeState, rounds: list[ColumnsPriced], phase: object
) -> Report:
    """Report on the iterations of a task, after which a phase continues."""
    scatter = state.blocks.scatter
    return Report(
        "go on",
        max(context.task.lower_bound, state.bound.value + scatter, scatter),
        events=tuple(rounds),
        certificate=certificate_of(state.bound, state.blocks.s),
        state=phase,
        iterations=state.iteration,
    )


def certificate_of(bound: Bound, s: int) -> dict[str, np.ndarray]:
    """Return what proves a bound: the duals, and a reduced cost that no cluster falls below."""
    if bound.duals is None:
        return {}
    duals, discs = np.split(bound.duals, [s])
    occupied = {"taken": discs} if len(discs) else {}
    return {"duals": duals, "least": np.array([bound.min_reduced_cost]), **occupied}


def twice_proved(context: NodeContext, report: Report) -> Report:
    """Add a semidefinite certificate, quick to check, to a closed node, where there is one."""
    return twice_proved_over(context, context.blocks, report, context.left)


def twice_proved_over(
    given: NodeInput, blocks: BoundedBlocks, report: Report, left: Multipliers | None = None
) -> Report:
    """Add a semidefinite certificate over these blocks, as `twice_proved` does.

    It is searched from the multipliers that an earlier run left, if there are any.
    """
    s, k, params = blocks.s, blocks.k, given.params.certificate
    large = s <= params.many_blocks and s >= params.large_clusters * k
    if report.verdict == "branch" or not (s <= params.few_blocks or large):
        return report
    known = known_cost(given, report)
    if not np.isfinite(known) or given.params.lists_clusters:  # quick to check by the list
        return report
    target = known * (1.0 - params.share * OPTIMAL_GAP)
    found = semidefinite(blocks, target, params.rounds, given.task.stop, left)
    return replace(report, certificate={**report.certificate, **found})


def known_cost(given: NodeInput, report: Report) -> float:
    """Return the cost of the best known clustering, that of the report among them."""
    known = given.task.upper_bound
    if report.labels is None:
        return known
    return min(known, Partition(given.problem, report.labels).objective)


def rounded(
    context: NodeContext, report: Report, columns: np.ndarray, weights: FloatArray
) -> Report:
    """Add the clustering that (m, s + t) columns of these weights round to, if it is better."""
    columns = columns[:, : context.blocks.s]
    return with_columns(context, report, columns, choose(columns, weights, context.problem.k))


def with_columns(
    context: NodeContext, report: Report, columns: np.ndarray, chosen: IntArray
) -> Report:
    """Add the clustering that some columns make, if it is better than the report's."""
    if len(chosen) == 0:
        return report
    problem, alternatives = context.problem, context.pricer.alternatives
    # The alternative that a cluster keeps may differ: then columns are taken unchanged.
    alone = len(alternatives) == 1
    inside = columns[chosen, : context.blocks.s]
    labels = assemble(alternatives[0], inside, problem.k, improve=alone)
    if labels is None:
        return report
    partition = Partition(problem, context.blocks.lift(labels))
    known = np.inf if report.labels is None else Partition(problem, report.labels).wcss
    if partition.wcss >= known or not partition.violations.none_hard:
        return report
    return replace(report, labels=partition.labels, source="columns")


INTEGRAL = "The relaxation's solution is a clustering."


def settle_columns(context: NodeContext, generation: ColumnGeneration, report: Report) -> Report:
    """Close or branch a node without missing columns."""
    report, state, pair = _at_vertex(context, generation, report)
    if pair is None:
        return replace(report, verdict="integral", detail=INTEGRAL)
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
        return replace(report, verdict="integral", detail=INTEGRAL)
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
