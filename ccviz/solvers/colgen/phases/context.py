"""What a phase of a node works with, apart from its own state."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.master.neighbourhood import Neighbourhoods
from ccviz.solvers.colgen.model.instance import Instance, principal_axes
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.pricing.pricer import Pricer
from ccviz.solvers.colgen.settings import NodeSettings
from ccviz.solvers.search.decisions import DiscDecision
from ccviz.solvers.search.tree import Multipliers, Task

ONE_CLUSTER = 1.0 + 1e-6
"""Factor on the cost of one cluster of all blocks: no clustering costs more, despite rounding."""


@dataclass(frozen=True, eq=False)
class NodeInput:
    """What a task is given.

    Attributes
    ----------
    problem : Problem
        With the node's decisions on pairs.
    settings : NodeSettings
    params : Params
    task : Task
    """

    problem: Problem
    settings: NodeSettings
    params: Params
    task: Task

    @property
    def in_discs(self) -> bool:
        """Whether a disc was decided on."""
        return any(isinstance(each, DiscDecision) for each in self.task.decisions)


@dataclass(frozen=True, eq=False)
class NodeContext(NodeInput):
    """What the iterations of a task work with.

    Attributes
    ----------
    blocks : Blocks
    pricer : Pricer
    tolerance : float
        Distance of bound and master's objective at which column generation ends.
    limit : float
        The bound, without the blocks' scatter, that closes the node.
    left : Multipliers or None
        What closed the node in an earlier run.
    """

    blocks: Blocks
    pricer: Pricer
    tolerance: float
    limit: float
    left: Multipliers | None = None

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


def turned(problem: Problem, blocks: Blocks) -> FloatArray:
    """Return the points (n, d) in the axes of pricing."""
    return principal_axes(blocks.centroid, blocks.mass).of(problem.X)
