"""The reports of a node: bound, events, certificate and clusterings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.bounds import OPTIMAL_GAP
from ccviz.events import ColumnsPriced, Event
from ccviz.problem.blocks import Blocks
from ccviz.problem.partition import Partition
from ccviz.solvers.colgen.master.rounding import assemble, choose
from ccviz.solvers.colgen.phases.context import NodeContext, NodeInput
from ccviz.solvers.colgen.phases.semidefinite import semidefinite
from ccviz.solvers.colgen.state import Bound, NodeState, Round
from ccviz.solvers.search.tree import Multipliers, Report


def infeasible(reason: str, witness: tuple[int, ...] = ()) -> Report:
    """Report that a node has no clustering."""
    return Report("infeasible", np.inf, detail=reason, witness=witness)


def reported(context: NodeContext, state: NodeState, rounds: list[Round], phase: object) -> Report:
    """Report on the iterations of a task, after which a phase continues."""
    scatter = state.blocks.scatter
    return Report(
        "go on",
        max(context.task.lower_bound, state.bound.value + scatter, scatter),
        events=tuple(shown(context, each) for each in rounds),
        certificate=certificate_of(state.bound, state.blocks.s),
        state=phase,
        iterations=state.iteration,
    )


def shown(context: NodeContext, entry: Round) -> Event:
    """Return the event of an iteration."""
    scatter, s = context.blocks.scatter, context.blocks.s
    return ColumnsPriced(
        node=context.task.node,
        iteration=entry.iteration,
        columns=entry.columns,
        pool=entry.pool,
        best_reduced_cost=entry.best_reduced_cost,
        exact=entry.exact,
        master_objective=entry.master_objective + scatter,
        lower_bound=max(context.task.lower_bound, entry.bound + scatter),
        duals=entry.duals[:s],
        center=None if entry.center is None else entry.center[:s],
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
    given: NodeInput, blocks: Blocks, report: Report, left: Multipliers | None = None
) -> Report:
    """Add a semidefinite certificate over these blocks, as `twice_proved` does.

    It is searched from the multipliers that an earlier run left, if there are any.
    """
    s, k, params = blocks.s, blocks.k, given.params.certificate
    large = s <= params.many_blocks and s >= params.large_clusters * k
    if report.verdict == "branch" or not (s <= params.few_blocks or large):
        return report
    known = known_cost(given, report)
    if not np.isfinite(known):
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
