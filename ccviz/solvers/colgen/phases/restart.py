"""The first phase of a node that an earlier run had closed, for other blocks of the same points.

Its duals become duals of points, and these are added up over the new blocks. A cluster of the old
blocks costs what it did, with their scatter: so where links were added, the duals prove the bound
that they proved before, and pricing confirms it at once; where links were taken away, pricing says
what is left of it. Columns are found by descent at these duals, and around the best clustering.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.master.covering import cluster_columns, column_costs
from ccviz.solvers.colgen.master.facility_master import FacilityDuals
from ccviz.solvers.colgen.master.stabilisation import Stabiliser
from ccviz.solvers.colgen.partitioning.model import needs_partition
from ccviz.solvers.colgen.partitioning.phase import PartitionPhase, blocks_of, class_counts
from ccviz.solvers.colgen.partitioning.phase import first_phase as first_partition_phase
from ccviz.solvers.colgen.phases.columns import ColumnPhase
from ccviz.solvers.colgen.phases.context import NodeInput
from ccviz.solvers.colgen.phases.facilities import FacilityPhase
from ccviz.solvers.colgen.phases.opening import (
    begins_over_facilities,
    keep_to_discs,
    permitted,
    pricer_of,
)
from ccviz.solvers.colgen.phases.start import neighbours
from ccviz.solvers.colgen.state import NodeState
from ccviz.solvers.search.tree import Multipliers

_CAP = 1.2
"""Largest dual of a block in the first master, as a multiple of the dual it had."""
_LEAST_CAP = 0.5
"""The same as a multiple of the mean dual of its points, where that is larger."""


def restarted(given: NodeInput, left: Multipliers) -> ColumnPhase | FacilityPhase | PartitionPhase:
    """Return the first phase of a node, at the duals that had closed it.

    Parameters
    ----------
    given : NodeInput
    left : Multipliers
        With duals.
    """
    if needs_partition(given.problem):
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
    duals = np.append(duals, _prizes(left, len(state.artificial_cost) - blocks.s))
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

    Parameters
    ----------
    problem : Problem
    blocks : Blocks
    left : Multipliers
        With duals over its own blocks.
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


def _prizes(left: Multipliers, discs: int) -> FloatArray:
    """Return the duals of a node's occupied discs; a node above had the first of them."""
    known = left.certificate.get("taken", np.zeros(0))[:discs]
    return np.pad(known, (0, discs - len(known)))
