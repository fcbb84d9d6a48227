"""The state of a node: what passes between its tasks and phases and, at last, to its children."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.colgen.branching.strong import Candidate
from ccviz.solvers.colgen.master.stabilisation import Stabiliser
from ccviz.solvers.search.tree import Multipliers

FIRST_ACCURACY = 1e-2
"""Relative accuracy of a node's first master."""
LAST_ACCURACY = 1e-9
"""Relative accuracy of a node's last master."""


@dataclass(frozen=True, eq=False)
class Bound:
    """The best Lagrangian bound, without the blocks' scatter, and what proves it.

    Attributes
    ----------
    value : float
    duals : (s + t,) float64 or None
    min_reduced_cost : float
        No cluster has a smaller reduced cost under these duals.
    """

    value: float = -np.inf
    duals: FloatArray | None = None
    min_reduced_cost: float = -np.inf

    @property
    def cardinality_dual(self) -> float:
        """The dual of the limit on clusters at which no cluster has a negative reduced cost."""
        return -self.min_reduced_cost


@dataclass(frozen=True, eq=False)
class NodeState:
    """What all phases of a node have in common.

    Attributes
    ----------
    blocks : Blocks
    columns : (m, s + t) bool
        Blocks, and the occupied discs that contain the centre.
    costs : (m,) float64
    stabiliser : Stabiliser
    artificial_cost : (s + t,) float64
        Cost of leaving a block, or an occupied disc, uncovered; raised when it turns out too low.
    bound : Bound
    iteration : int
    accuracy : float
        Relative, of the master's next solution.
    quick_pricing : bool
        The last exact pricing ended within its visits, so the next iteration is priced exactly too.
    candidates : tuple of Candidate
        Discs that strong branching evaluated, at nodes above too.
    labels : (s,) int64 or None
        The clustering that a root begins with.
    left : Multipliers or None
        What closed the node in an earlier run.
    """

    blocks: Blocks
    columns: np.ndarray
    costs: FloatArray
    stabiliser: Stabiliser
    artificial_cost: FloatArray
    bound: Bound = field(default_factory=Bound)
    iteration: int = 0
    accuracy: float = FIRST_ACCURACY
    quick_pricing: bool = True
    candidates: tuple[Candidate, ...] = ()
    labels: IntArray | None = None
    left: Multipliers | None = None

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


@dataclass(frozen=True, eq=False)
class Round:
    """One iteration, to be shown."""

    iteration: int
    columns: int
    pool: int
    best_reduced_cost: float
    exact: bool
    master_objective: float
    bound: float
    duals: FloatArray
    center: FloatArray | None
