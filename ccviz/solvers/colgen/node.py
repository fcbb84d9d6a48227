"""One node of the branch-and-price tree: open it, generate columns, close it or branch.

`advance` is a pure function of picklable values. A task is a few iterations, so that a search can
show, stop and prune between them. Its report holds the next phase:

- `StartPhase`, a root's first clusterings;
- `FacilityPhase` or `ColumnPhase`, column generation over one master for all blocks;
- `CyclePhase` and `LocalPhase`, column generation with local masters;
- `DisjunctionPhase`, the bound raised by disjunctions of discs;
- `StalledPhase`, a node that is branched before its bound is complete;
- `PartitionPhase`, the only one under sizes and soft links (`partitioning`).

What a branched node leaves to its children is a `NodeState`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import ContradictionError, ProblemError
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import Bounded
from ccviz.solvers.colgen.params import NodeSettings, Params
from ccviz.solvers.colgen.partitioning.phase import PartitionPhase, advance_partition
from ccviz.solvers.colgen.partitioning.phase import child_phase as child_partition_phase
from ccviz.solvers.colgen.partitioning.phase import first_phase as first_partition_phase
from ccviz.solvers.colgen.phases.disjunctions import (
    DisjunctionPhase,
    advance_disjunctions,
    after_cycle,
)
from ccviz.solvers.colgen.phases.facilities import (
    CycleGeneration,
    CyclePhase,
    DiscGeneration,
    FacilityGeneration,
    FacilityPhase,
    LocalGeneration,
    LocalPhase,
    StalledPhase,
    cycle_after,
)
from ccviz.solvers.colgen.phases.generation import (
    ColumnGeneration,
    ColumnPhase,
    End,
    Generation,
    made_feasible,
)
from ccviz.solvers.colgen.phases.opening import child_phase, first_phase, pricer_of, restarted
from ccviz.solvers.colgen.phases.settle import (
    infeasible,
    reported,
    rounded,
    settle_columns,
    settle_facilities,
    settle_stalled,
    twice_proved,
)
from ccviz.solvers.colgen.phases.start import StartPhase, advance_start
from ccviz.solvers.colgen.state import NodeContext, NodeInput, NodeState
from ccviz.solvers.search.decisions import under_decisions
from ccviz.solvers.search.tree import Multipliers, Report, Task, cutoff

IteratingPhase = ColumnPhase | FacilityPhase | CyclePhase | LocalPhase
Phase = IteratingPhase | StalledPhase | DisjunctionPhase

_TOO_MUCH = "The bound passes what a single cluster of all points costs."


def advance(problem: Bounded, settings: NodeSettings, params: Params, task: Task) -> Report:
    """Work on a node for about a second."""
    try:
        problem = under_decisions(problem, task.decisions)
    except ContradictionError as contradiction:
        return infeasible(str(contradiction), contradiction.chain)
    except ProblemError as too_few:  # blocks for k clusters
        return infeasible(str(too_few))
    given = NodeInput(problem, settings, params, task)
    phase = _opened(given) if task.opening else task.state
    if isinstance(phase, Report):
        return phase
    if isinstance(phase, StartPhase):
        # One gives an upper bound; the list has better clusterings than more of them.
        starts = min(settings.starts, 1) if params.lists_clusters else settings.starts
        if phase.tries < starts and contract(problem).s > problem.k:
            return advance_start(given, phase)
        if given.partitions:
            phase = first_partition_phase(given, phase.found)
        else:
            phase = first_phase(given, phase)
    if isinstance(phase, PartitionPhase):
        return advance_partition(given, phase)
    return _advanced(given, phase)


def _opened(given: NodeInput) -> Phase | StartPhase | PartitionPhase | Report:
    """Return the node's first phase, or a report that it is infeasible."""
    problem = given.problem
    known: IntArray | None = None
    if not (_uses_farkas(given) or given.params.lists_clusters):
        feasible = check_feasibility(problem, given.params.start.feasibility_s)
        if feasible.feasible is False:
            return infeasible(feasible.reason, feasible.points)
        known = feasible.labels
    match given.task.state:
        case NodeState() as parent:
            return child_phase(given, parent)
        case PartitionPhase() as parent:
            return child_partition_phase(given, parent)
        case Multipliers() as left if {"duals", "least"} <= set(left.certificate):
            return restarted(given, left)
    return StartPhase(() if known is None else (contract(problem).project(known),))


def _uses_farkas(given: NodeInput) -> bool:
    """Whether Farkas pricing says if the node is feasible, not a check before."""
    return given.settings.repair == "farkas" and not given.partitions


def _advanced(given: NodeInput, phase: Phase) -> Report:
    state = phase.stalled.state if isinstance(phase, DisjunctionPhase) else phase.state
    if state.blocks.s == state.blocks.k:
        return _only_clustering(given.problem, state)
    context = _context(given, state)
    match phase:
        case DisjunctionPhase():
            return advance_disjunctions(context, phase)
        case StalledPhase():
            report = reported(context, state, [], phase)
            return _closed(context, state, report) or twice_proved(
                context, settle_stalled(context, phase, report)
            )
        case ColumnPhase(solution=None) if _uses_farkas(given):
            phase = made_feasible(context, phase)
            report = reported(context, phase.state, [], phase)
            return _closed(context, phase.state, report) or _iterated(context, phase)
        case _:
            return _iterated(context, phase)


def _context(given: NodeInput, state: NodeState) -> NodeContext:
    settings, task = given.settings, given.task
    return NodeContext(
        problem=given.problem,
        settings=settings,
        params=given.params,
        task=task,
        blocks=state.blocks,
        pricer=pricer_of(given.problem, state.blocks, task, settings.pricing, given.params),
        tolerance=_tolerance(given, state),
        limit=cutoff(task.upper_bound, settings.tolerance) - state.blocks.scatter,
        left=state.left,
    )


def _tolerance(given: NodeInput, state: NodeState) -> float:
    """Return the distance of bound and master at which column generation ends."""
    known = given.task.upper_bound
    if not np.isfinite(known):
        usual = float(state.artificial_cost.sum()) / given.params.start.artificial
        known = max(state.blocks.scatter + state.bound.value, usual)
    return 0.25 * max(given.settings.tolerance, 1e-9) * known


def _only_clustering(problem: Problem, state: NodeState) -> Report:
    """Report on a node with as many blocks as clusters."""
    labels = state.blocks.block_of
    if not Partition(problem, labels).violations.none_hard:
        return infeasible("The only clustering that is left breaks a rule.")
    return Report("integral", state.blocks.scatter, labels=labels, source="the only clustering")


def _iterated(context: NodeContext, phase: IteratingPhase) -> Report:
    """Report on some iterations of column generation."""
    work = int(context.params.task_work / context.blocks.s**3)
    generation = _generation(context, phase)
    generation = generation.run(min(context.settings.round_iterations, 1 + work))
    state = generation.columns_now
    report = reported(context, state, generation.rounds, generation.phase())
    closed = _closed(context, state, report)
    if closed is not None:
        return closed
    if generation.end is End.SLOW:
        assert isinstance(generation, FacilityGeneration)
        return replace(report, state=cycle_after(generation))
    if generation.end is not None:
        return twice_proved(context, _settled(context, generation, report))
    if isinstance(generation, LocalGeneration):  # its solution covers a part of the blocks
        return report
    return rounded(context, report, state.columns, generation.solution.weights)


def _generation(context: NodeContext, phase: IteratingPhase) -> Generation:
    match phase:
        case ColumnPhase():
            return ColumnGeneration.of(context, phase)
        case FacilityPhase():
            return FacilityGeneration.of(context, phase)
        case CyclePhase():
            return CycleGeneration.around(context, phase)
        case LocalPhase():
            return DiscGeneration.around(context, phase)


def _closed(context: NodeContext, state: NodeState, report: Report) -> Report | None:
    """Return the report of a node that its bound closes, None if it does not."""
    if state.bound.value > context.most_cost:
        return replace(report, verdict="infeasible", lower_bound=np.inf, detail=_TOO_MUCH)
    if state.bound.value >= context.limit:
        return twice_proved(context, replace(report, verdict="bound"))
    return None


def _settled(context: NodeContext, generation: Generation, report: Report) -> Report:
    """Close or branch the node, or continue, once column generation ended."""
    match generation:
        case ColumnGeneration():
            return settle_columns(context, generation, report)
        case CycleGeneration() if generation.state.labels is not None:
            return replace(report, state=after_cycle(context, generation.stalled()))
        case FacilityGeneration(end=End.STALLED):
            return settle_stalled(context, generation.stalled(), report)
        case FacilityGeneration():
            return settle_facilities(context, generation, report)
    raise TypeError(generation)
