"""The phase that a node begins with: over the columns of clusterings found, or of its parent."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, BoundedBlocks, contract
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import conjunction
from ccviz.solvers.colgen.discs import in_discs
from ccviz.solvers.colgen.instance import Discs, make_instance
from ccviz.solvers.colgen.master.covering import Stabiliser, cluster_columns, column_costs
from ccviz.solvers.colgen.master.facility_master import LEAST_SAVING, FacilityDuals, Neighbourhoods
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.partitioning.phase import PartitionPhase, blocks_of, class_counts
from ccviz.solvers.colgen.partitioning.phase import first_phase as first_partition_phase
from ccviz.solvers.colgen.phases.facilities import FacilityPhase, LocalPhase
from ccviz.solvers.colgen.phases.generation import ColumnPhase
from ccviz.solvers.colgen.phases.start import StartPhase, counted_mass, neighbours
from ccviz.solvers.colgen.pricing.pricer import Pricer
from ccviz.solvers.colgen.state import NodeInput, NodeState, turned
from ccviz.solvers.search.decisions import DiscDecision, decided_discs
from ccviz.solvers.search.tree import Multipliers, Task

_NEGLIGIBLE = 1e-18  # Least usual cost of a point, as a share of its cost in one single cluster

Phase = ColumnPhase | FacilityPhase | LocalPhase


def first_phase(given: NodeInput, start: StartPhase) -> ColumnPhase | FacilityPhase:
    """Return the root's phase: over clusters of the clusterings found, and near ones."""
    blocks, found = contract(given.problem), start.found
    over_facilities = bool(found) and begins_over_facilities(given, blocks)
    only_found = given.settings.repair == "farkas"
    columns = [np.zeros((0, blocks.s), dtype=bool), *map(cluster_columns, found)]
    if not over_facilities or given.in_discs:
        columns += [] if only_found else [np.eye(blocks.s, dtype=bool)]
    added = np.zeros(blocks.s)
    best, labels = np.inf, None
    if found:
        labels = min(found, key=partial(_cost, blocks))
        best = _cost(blocks, labels)
        more, added = neighbours(blocks, labels)
        columns += [] if over_facilities or only_found else more
    unique = np.unique(np.concatenate(columns), axis=0)
    costs = column_costs(unique, blocks.centroid, blocks.mass)
    # A cluster that costs more than the best clustering is in no better one.
    unique, costs = unique[costs <= best], costs[costs <= best]
    usual = _usual_costs(given.problem, blocks, found)
    settings, params = given.settings, given.params.start
    stabiliser = Stabiliser(settings.stabilisation, settings.smoothing).start(usual)
    moved = params.artificial_move * added
    caps = np.clip(moved, params.artificial * usual, params.artificial_most * usual)
    state = NodeState(blocks, unique, costs, stabiliser, caps, labels=labels)
    state = permitted(given, keep_to_discs(given, state, float(caps.max())))
    return FacilityPhase(state) if over_facilities else ColumnPhase(state)


def child_phase(given: NodeInput, parent: NodeState) -> Phase:
    """Return a child's phase: over its parent's columns, at its duals."""
    blocks = contract(given.problem)
    state = keep_to_discs(given, inherited(blocks, parent), parent.bound.cardinality_dual)
    phase: Phase = ColumnPhase(state)
    if begins_over_facilities(given, blocks):
        phase = _local(given, over_facilities(state, parent, given.params))
    return replace(phase, state=permitted(given, phase.state))


def _local(given: NodeInput, phase: ColumnPhase | FacilityPhase) -> Phase:
    """Return the phase with a local master around the last disc, where the last decision is one."""
    blocks, last = phase.state.blocks, given.task.decisions[-1]
    near = Neighbourhoods(blocks.k, given.params.neighbourhood)
    if isinstance(phase, ColumnPhase) or not isinstance(last, DiscDecision):
        return phase
    if not near.are_local(blocks.s):
        return phase
    assert phase.center is not None
    at = turned(given.problem, blocks)[last.center]
    return LocalPhase(phase.state, phase.center, (at,))


def keep_to_discs(given: NodeInput, state: NodeState, cardinality_dual: float) -> NodeState:
    """Let the columns keep to the node's discs, those that its parent lacks too.

    An occupied disc's dual is below the cardinality dual; where it has to rise above, its cap will.
    """
    if not given.in_discs:
        return state
    instance = pricer_of(given.problem, state.blocks, given.task).alternatives[0]
    new = state.blocks.s + instance.occupied - state.columns.shape[1]
    wider = np.pad(state.columns, ((0, 0), (0, new)))
    columns, costs, fit = in_discs(instance, wider, mark=True)
    known = np.isfinite(cardinality_dual) and cardinality_dual > 0.0
    cap = cardinality_dual if known else float(state.artificial_cost.max())
    stabiliser = state.stabiliser
    if stabiliser.center is not None:
        stabiliser = replace(stabiliser, center=np.pad(stabiliser.center, (0, new)))
    return replace(
        state,
        columns=columns[fit],
        costs=costs[fit],
        stabiliser=stabiliser,
        artificial_cost=np.pad(state.artificial_cost, (0, new), constant_values=cap),
    )


def begins_over_facilities(given: NodeInput, blocks: Blocks) -> bool:
    """Whether column generation begins over facilities.

    So it does with discs, of which columns do not know, and where there are many borders between
    clusters in few dimensions and one set of rules.
    """
    if given.in_discs:
        return True
    params, problem = given.params.facilities, given.problem
    alone = len(conjunction(problem, problem.rules)) == 1
    few_axes = blocks.centroid.shape[1] <= params.most_dimensions
    least = params.pairs_if_few if blocks.k < params.few_clusters else params.pairs
    many = blocks.s**2 / blocks.k >= least
    settings = given.settings
    columns = settings.pricing == "printed" or settings.repair == "farkas"
    return many and few_axes and alone and not columns and settings.stabilisation == "interior"


def _usual_costs(problem: Problem, blocks: Blocks, found: tuple[IntArray, ...]) -> FloatArray:
    """Return (s,) shares of the cost of the best clustering found, or of one single cluster.

    Shares are by mass as far as it is counted, see `counted_mass`.
    """
    clusterings = [*found, np.zeros(blocks.s, dtype=np.int64)]
    costs = [_cost(blocks, labels) for labels in clusterings]
    mass = counted_mass(problem, blocks)
    cost = max(min(costs), _NEGLIGIBLE * (max(costs) + blocks.scatter)) or 1.0
    return cost / float(mass.sum()) * mass


def _cost(blocks: Blocks, labels: IntArray) -> float:
    return float(column_costs(cluster_columns(labels), blocks.centroid, blocks.mass).sum())


def inherited(blocks: BoundedBlocks, parent: NodeState) -> NodeState:
    """Return the parent's columns that keep the branch's decision, over the child's blocks."""
    discs = len(parent.artificial_cost) - parent.blocks.s
    width = blocks.s + discs
    child_of = parent.blocks.project(blocks.block_of)
    child_of = np.append(child_of, np.arange(blocks.s, width))
    first = np.unique(child_of, return_index=True)[1]
    columns = parent.columns[:, first]
    whole = (columns[:, child_of] == parent.columns).all(axis=1)
    i, j = blocks.conflicts.T
    whole &= ~(columns[:, i] & columns[:, j]).any(axis=1)
    stabiliser = parent.stabiliser.inherit(child_of, width)
    caps: FloatArray = np.bincount(child_of, parent.artificial_cost, width).astype(np.float64)
    state = NodeState(blocks, columns[whole], parent.costs[whole], stabiliser, caps)
    return replace(state, candidates=parent.candidates)


def over_facilities(
    state: NodeState, parent: NodeState, params: Params
) -> ColumnPhase | FacilityPhase:
    """Return a child's phase over facilities that begins at the duals of its parent's bound."""
    duals, cardinality_dual = state.stabiliser.center, parent.bound.cardinality_dual
    if duals is None or not np.isfinite(cardinality_dual):
        return ColumnPhase(state)
    kept = state.costs - state.columns @ duals <= -LEAST_SAVING * cardinality_dual
    accuracy = max(parent.accuracy, params.facilities.child_accuracy)
    state = replace(state.of(kept), accuracy=accuracy)
    return FacilityPhase(state, FacilityDuals(duals, cardinality_dual))


def pricer_of(
    problem: Problem, blocks: Blocks, task: Task, method: str = "both", params: Params | None = None
) -> Pricer:
    """Return the pricer of a node, in its discs."""
    alternatives = conjunction(problem, problem.rules)
    occupied, empty = (decided_discs(task.decisions, side) for side in (True, False))
    center, border = problem.X[np.concatenate([occupied, empty])].transpose(1, 0, 2)
    discs = Discs(center, border, len(occupied))
    instances = tuple(make_instance(blocks, loads, discs) for loads in alternatives)
    mass = blocks.mass  # whole numbers, as sizes in the paper's bound are?
    if method == "printed" and not ((mass == np.floor(mass)).all() and mass.min() >= 1.0):
        method = "blocks"
    scatter = scatter_of(problem, blocks) if method == "printed" else None
    return Pricer(instances, method, (params or Params()).turns, scatter)


def scatter_of(problem: Problem, blocks: Blocks) -> FloatArray:
    """Return the scatter (s,) of each block."""
    gaps = ((problem.X - blocks.centroid[blocks.block_of]).astype(np.float64) ** 2).sum(axis=1)
    weighted = gaps if problem.weights is None else gaps * problem.weights
    return np.bincount(blocks.block_of, weighted, blocks.s).astype(np.float64)


def permitted(given: NodeInput, state: NodeState) -> NodeState:
    """Drop first columns that break a rule."""
    pricer = pricer_of(given.problem, state.blocks, Task(0))
    columns = state.columns[:, : state.blocks.s]
    return state.of(np.array([pricer.permits(column) for column in columns], dtype=bool))


# --------------------------------------------------------------------------------------------------
# The first phase of a node that an earlier run had closed, for other blocks of the same points.
#
# Its duals become duals of points, and these are added up over the new blocks. A cluster of the old
# blocks costs what it did, with their scatter: so where links were added, the duals prove the bound
# that they proved before, and pricing confirms it at once; where links were taken away, pricing
# says what is left of it. Columns are found by descent at these duals, and around the best
# clustering.

_CAP = 1.2  # Largest dual of a block in the first master, as a multiple of the dual it had
_LEAST_CAP = 0.5  # The same as a multiple of the mean dual of its points, where that is larger


def restarted(given: NodeInput, left: Multipliers) -> ColumnPhase | FacilityPhase | PartitionPhase:
    """Return the first phase of a node, at the duals that had closed it."""
    if given.partitions:
        return _partition(given, left)
    blocks = contract(given.problem)
    duals = np.maximum(moved_duals(given.problem, blocks, left), 0.0)
    settings, params = given.settings, given.params
    columns, moved = _columns(blocks, _labels(given, blocks))
    costs = column_costs(columns, blocks.centroid, blocks.mass)
    stabiliser = Stabiliser(settings.stabilisation, settings.smoothing).start(duals)
    state = NodeState(
        blocks, columns, costs, stabiliser.recenter(duals), _caps(blocks, duals, moved)
    )
    cardinality_dual = -float(left.certificate["least"].max())
    state = permitted(given, keep_to_discs(given, state, cardinality_dual))
    discs = len(state.artificial_cost) - blocks.s
    known = left.certificate.get("taken", np.zeros(0))[:discs]  # a node above had the first ones
    duals = np.concatenate([duals, known, np.zeros(discs - len(known))])
    pricer = pricer_of(given.problem, blocks, given.task, settings.pricing, params)
    seeds = pricer.points[: params.pricing.most_seeds]
    near = pricer.heuristic(duals, seeds)
    state = replace(
        state,
        columns=np.concatenate([state.columns, near.columns]),
        costs=np.concatenate([state.costs, near.costs]),
        stabiliser=replace(state.stabiliser, center=duals),
    )
    least = float((near.costs - near.columns @ duals).min(initial=0.0))
    search = pricer.opened(duals, least, max(least, -cardinality_dual))
    state = replace(state, left=left)
    if begins_over_facilities(given, blocks):
        return FacilityPhase(state, FacilityDuals(duals, cardinality_dual), search=search)
    return ColumnPhase(state, search=search)


def _partition(given: NodeInput, left: Multipliers) -> PartitionPhase:
    """Return the first phase under sizes or soft links, with the bound of its duals."""
    blocks, pricer = blocks_of(given)
    labels = _labels(given, blocks)
    phase = first_partition_phase(given, () if labels is None else (labels,))
    duals, counts = moved_duals(given.problem, blocks, left), class_counts(pricer)
    least = left.certificate["least"].astype(np.float64)
    if len(least) != len(counts):  # other sizes
        least = np.full(len(counts), least.max())
    seeds = pricer.points[: given.params.pricing.most_seeds]
    near = pricer.heuristic(duals, least, seeds)
    exact = pricer.exact(duals, least, 0.0, given.task.stop)
    columns = np.unique(np.concatenate([phase.columns, near.columns, exact.columns]), axis=0)
    phase = replace(
        phase,
        columns=columns,
        costs=pricer.costs_of(columns),
        artificial_cost=np.maximum(phase.artificial_cost, _CAP * np.abs(duals)),
        left=left,
    )
    return phase.raised(duals, exact.least, counts)


def moved_duals(problem: Problem, blocks: Blocks, left: Multipliers) -> FloatArray:
    """Return the duals (s,) of blocks, of those over other blocks of the same points.

    A block's points share its dual and its scatter. So a cluster of whole blocks of both kinds has
    the same reduced cost over both.
    """
    masses, old = problem.masses, left.block_of
    weight = np.bincount(old, masses)[old]
    share = np.divide(masses, weight, out=np.zeros_like(weight), where=weight > 0.0)
    of_points = left.certificate["duals"][old] * share + _scatter(problem, old)
    new = blocks.block_of
    return np.bincount(new, of_points - _scatter(problem, new), blocks.s).astype(np.float64)


def _scatter(problem: Problem, block_of: IntArray) -> FloatArray:
    """Return (n,) what each point adds to the scatter of its block."""
    means = cluster_means(problem.X, block_of, int(block_of.max()) + 1, problem.masses)
    means = np.nan_to_num(means)  # those of blocks without weight count nothing
    return problem.masses * ((problem.X - means[block_of]) ** 2).sum(axis=1)


def _labels(given: NodeInput, blocks: Blocks) -> IntArray | None:
    """Return the (s,) labels of the best clustering known, None if the node excludes it."""
    known = given.task.labels
    if known is None or not Partition(given.problem, known).violations.none_hard:
        return None
    return blocks.project(known)


def _columns(blocks: Blocks, labels: IntArray | None) -> tuple[np.ndarray, FloatArray]:
    """Return (m, s) bool columns, single blocks and those of a clustering and near it.

    Also what each block (s,) adds to the next best cluster.
    """
    columns, moved = [np.eye(blocks.s, dtype=bool)], np.zeros(blocks.s)
    if labels is not None:
        near, moved = neighbours(blocks, labels)
        columns += [cluster_columns(labels), *near]
    return np.unique(np.concatenate(columns), axis=0), moved


def _caps(blocks: Blocks, duals: FloatArray, moved: FloatArray) -> FloatArray:
    """Return the cost (s,) of leaving a block uncovered; it limits the block's dual."""
    usual = blocks.mass * float(duals.sum()) / float(blocks.mass.sum())
    moved = np.minimum(_CAP * moved, 100.0 * usual)
    return np.maximum(np.maximum(_CAP * duals, _LEAST_CAP * usual), moved) + np.finfo(float).tiny
