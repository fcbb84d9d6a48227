"""The state of a node: what passes between its tasks and phases and, at last, to its children."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import ColumnsPriced
from ccviz.problem.blocks import Blocks, BoundedBlocks
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import Bounded
from ccviz.solvers.colgen.instance import Instance, principal_axes
from ccviz.solvers.colgen.master.covering import Stabiliser
from ccviz.solvers.colgen.master.facility_master import Neighbourhoods
from ccviz.solvers.colgen.params import NodeSettings, Params
from ccviz.solvers.colgen.partitioning.master import needs_partition
from ccviz.solvers.colgen.pricing.pricer import Pricer
from ccviz.solvers.colgen.strong_branching import Candidate
from ccviz.solvers.search.decisions import DiscDecision
from ccviz.solvers.search.tree import Multipliers, Task

FIRST_ACCURACY = 1e-2  # Relative accuracy of a node's first master
LAST_ACCURACY = 1e-9  # Relative accuracy of a node's last master


@dataclass(frozen=True, eq=False)
class Bound:
    """The best Lagrangian bound, without the blocks' scatter, and what proves it."""

    value: float = -np.inf
    duals: FloatArray | None = None
    min_reduced_cost: float = -np.inf  # No cluster has a smaller reduced cost under these duals

    @property
    def cardinality_dual(self) -> float:
        """The dual of the limit on clusters at which no cluster has a negative reduced cost."""
        return -self.min_reduced_cost


@dataclass(frozen=True, eq=False)
class NodeState:
    """What all phases of a node have in common."""

    blocks: BoundedBlocks
    columns: np.ndarray  # (m, s + t): Blocks, and the occupied discs that contain the centre
    costs: FloatArray
    stabiliser: Stabiliser
    # (s + t,): Cost of leaving a block, or an occupied disc, uncovered; raised when it turns out
    # too low.
    artificial_cost: FloatArray
    bound: Bound = field(default_factory=Bound)
    iteration: int = 0
    accuracy: float = FIRST_ACCURACY  # Relative, of the master's next solution
    # The last exact pricing ended within its visits, so the next iteration is priced exactly too.
    quick_pricing: bool = True
    # Discs that strong branching evaluated, at nodes above too.
    candidates: tuple[Candidate, ...] = ()
    labels: IntArray | None = None  # (s,): The clustering that a root begins with
    left: Multipliers | None = None  # What closed the node in an earlier run

    def of(self, rows: np.ndarray) -> NodeState:
        """Return the state with some of its columns."""
        return replace(self, columns=self.columns[rows], costs=self.costs[rows])

    def raised(self, duals: FloatArray, min_reduced_cost: float) -> NodeState:
        """Return the state with the Lagrangian bound at these duals, if it is better.

        It is lowered by a margin for its own rounding.
        """
        k, total = self.blocks.k, float(duals.sum())
        margin = 1e-13 * (total + k * abs(min_reduced_cost))
        value = total + k * min_reduced_cost - margin
        if value <= self.bound.value:
            return self
        stabiliser = self.stabiliser.recenter(duals)
        return replace(self, bound=Bound(value, duals, min_reduced_cost), stabiliser=stabiliser)


# --- What a phase of a node works with, apart from its own state ----------------------------------

ONE_CLUSTER = 1.0 + 1e-6
"""Factor on the cost of one cluster of all blocks: no clustering costs more, despite rounding."""


@dataclass(frozen=True, eq=False)
class NodeInput:
    """What a task is given."""

    problem: Bounded
    settings: NodeSettings
    params: Params
    task: Task

    @property
    def partitions(self) -> bool:
        """Whether clusters must partition the blocks."""
        return self.params.lists_clusters or needs_partition(self.problem)

    @property
    def in_discs(self) -> bool:
        """Whether a disc was decided on."""
        return any(isinstance(each, DiscDecision) for each in self.task.decisions)


@dataclass(frozen=True, eq=False)
class NodeContext(NodeInput):
    """What the iterations of a task work with."""

    blocks: BoundedBlocks
    pricer: Pricer
    tolerance: float  # Distance of bound and master's objective at which column generation ends
    limit: float  # The bound, without the blocks' scatter, that closes the node
    left: Multipliers | None = None  # What closed the node in an earlier run

    @property
    def instance(self) -> Instance:
        """The first alternative of the pricer; with discs it is the only one."""
        return self.pricer.alternatives[0]

    @property
    def neighbourhoods(self) -> Neighbourhoods:
        """Neighbourhoods among the node's clusters."""
        return Neighbourhoods(self.blocks.k, self.params.neighbourhood)

    @property
    def is_local(self) -> bool:
        """Whether the nodes below have local masters."""
        return self.neighbourhoods.are_local(self.blocks.s)

    @property
    def points(self) -> FloatArray:
        """(n, d) the points in the axes of pricing."""
        return turned(self.problem, self.blocks)

    @property
    def most_cost(self) -> float:
        """Cost of one cluster of all blocks: an upper bound on the cost of any clustering."""
        instance = self.instance
        return float(instance.mass @ (instance.points**2).sum(axis=1)) * ONE_CLUSTER

    def shown(
        self, state: NodeState, duals: FloatArray, objective: float, bound: float, **found: Any
    ) -> ColumnsPriced:
        """Return the event of an iteration, which counts the scatter inside the blocks."""
        scatter, s, center = self.blocks.scatter, self.blocks.s, state.stabiliser.center
        return ColumnsPriced(
            node=self.task.node,
            iteration=state.iteration,
            master_objective=objective + scatter,
            lower_bound=max(self.task.lower_bound, bound + scatter),
            duals=duals[:s],
            center=None if center is None else center[:s],
            **found,
        )


def turned(problem: Problem, blocks: Blocks) -> FloatArray:
    """Return the points (n, d) in the axes of pricing."""
    return principal_axes(blocks.centroid, blocks.mass).of(problem.X)
