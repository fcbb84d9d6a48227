"""The phase of a node under sizes or soft links: its columns, its duals and its bound.

Clusters partition the blocks, so duals have any sign, and every class of sizes has a dual of its
own. With duals d and the least reduced cost v_q of each class q of c_q clusters, the Lagrangian
bound is sum d + sum c_q v_q.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.solvers.colgen.partitioning.pricer import Pricer, pricer_of
from ccviz.solvers.colgen.partitioning.start import first_columns, improved
from ccviz.solvers.colgen.phases.context import NodeInput
from ccviz.solvers.colgen.phases.start import counted_mass
from ccviz.solvers.search.tree import Multipliers


@dataclass(frozen=True, eq=False)
class ClassBound:
    """The best Lagrangian bound and its proof.

    Attributes
    ----------
    value : float
        Without the constant cost of the blocks.
    duals : (s,) float64 or None
    least : (q,) float64 or None
        For each class a reduced cost that no cluster falls below.
    """

    value: float = -np.inf
    duals: FloatArray | None = None
    least: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class PartitionPhase:
    """A node's column generation, and what a branched node leaves to its children.

    Attributes
    ----------
    blocks : Blocks
    columns : (m, s) bool
    costs : (m,) float64
    artificial_cost : (s,) float64
        Cost of a block that is not covered once: a limit on its dual, raised where it is too low.
    bound : ClassBound
    center : tuple of (s,) and (q,) float64, or None
        Duals of the blocks and least reduced costs that smoothing keeps near.
    iteration : int
    left : Multipliers or None
        What closed the node in an earlier run.
    found : float
        Cost of the best clustering that was found here. It may keep less than the problem asks for.
    """

    blocks: Blocks
    columns: np.ndarray
    costs: FloatArray
    artificial_cost: FloatArray
    bound: ClassBound = field(default_factory=ClassBound)
    center: tuple[FloatArray, FloatArray] | None = None
    iteration: int = 0
    left: Multipliers | None = None
    found: float = np.inf

    @property
    def constant(self) -> float:
        """Cost of the blocks by themselves: their scatter and the links broken inside them."""
        return self.blocks.scatter + self.blocks.penalty

    def raised(self, duals: FloatArray, least: FloatArray, counts: FloatArray) -> PartitionPhase:
        """Return the phase with the Lagrangian bound at these duals, if it is better."""
        value = float(duals.sum() + counts @ least)
        value -= 1e-13 * float(np.abs(duals).sum() + counts @ np.abs(least))
        if value <= self.bound.value:
            return self
        return replace(self, bound=ClassBound(value, duals, least), center=(duals, least))


def first_phase(given: NodeInput, found: tuple[IntArray, ...]) -> PartitionPhase:
    """Return a root's phase, over the clusters of clusterings found."""
    blocks, pricer = blocks_of(given)
    better = [improved(blocks, labels) for labels in found]
    better.sort(key=lambda labels: Partition(given.problem, blocks.lift(labels)).objective)
    columns, costs = first_columns(blocks, pricer, tuple(better))
    mass = counted_mass(given.problem, blocks)
    spread = mass * ((blocks.centroid - mean_of(blocks)) ** 2).sum(axis=1)
    least = float(spread.sum()) / float(mass.sum())
    caps = np.maximum(spread, least * mass) + pricer.models[0].cut
    caps += np.finfo(float).tiny
    return PartitionPhase(blocks, columns, costs, caps)


def child_phase(given: NodeInput, parent: PartitionPhase) -> PartitionPhase:
    """Return a child's phase: over its parent's columns that keep the decision."""
    blocks, pricer = blocks_of(given)
    child_of = np.empty(parent.blocks.s, dtype=np.int64)
    child_of[parent.blocks.block_of] = blocks.block_of
    first = np.unique(child_of, return_index=True)[1]
    columns = parent.columns[:, first]
    whole = (columns[:, child_of] == parent.columns).all(axis=1)
    columns = np.unique(columns[whole], axis=0)
    kept = columns[np.array([pricer.permits(column) for column in columns], dtype=bool)]
    caps = np.bincount(child_of, parent.artificial_cost, blocks.s).astype(np.float64)
    center = parent.center
    if center is not None:
        # Parent's duals add up over merged blocks; its classes stay.
        center = (np.bincount(child_of, center[0], blocks.s).astype(np.float64), center[1])
    return PartitionPhase(blocks, kept, pricer.costs_of(kept), caps, center=center)


def blocks_of(given: NodeInput) -> tuple[Blocks, Pricer]:
    """Return the blocks of a node and what prices them."""
    blocks = contract(given.problem)
    settings, params = given.settings, given.params
    return blocks, pricer_of(given.problem, blocks, settings.pricing, params.turns)


def class_counts(pricer: Pricer) -> FloatArray:
    """Return the number of clusters (q,) of each class of sizes."""
    return np.array([float(each.clusters) for each in pricer.classes])


def mean_of(blocks: Blocks) -> FloatArray:
    """Return the mean of all points (d,)."""
    mean: FloatArray = blocks.mass @ blocks.centroid / blocks.mass.sum()
    return mean
