"""What a node of column generation knows, and what it shows of each iteration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.colgen.interior import Iterate
from ccviz.solvers.colgen.master import MasterSolution
from ccviz.solvers.colgen.pricing import Search
from ccviz.solvers.colgen.stabilisation import Stabiliser
from ccviz.solvers.colgen.star_master import Center
from ccviz.solvers.colgen.trials import Trial
from ccviz.solvers.colgen.zones import Zones

FIRST_ACCURACY = 1e-2  # of the master, relative


@dataclass(frozen=True, eq=False)
class Pool:
    """What a node knows; it travels between tasks and to the node's children.

    Attributes
    ----------
    blocks : Blocks
    columns : (m, s + t) bool
        Blocks, and the taken places that the centre is in.
    costs : (m,) float64
    stabiliser : Stabiliser
    artificial_cost : (s + t,) float64
        Cost of leaving a block, or a taken place, uncovered; raised when that turns out too cheap.
    bound : float
        Best Lagrangian bound, without the blocks' scatter.
    duals : (s,) float64 or None
        The duals that prove it, and `least` the least value of a cluster under them.
    least : float
    iteration : int
    accuracy : float
        Relative, of the master's next solution.
    converged : bool
        No column is missing, or it is `hopeless`.
    hopeless : bool
        The bound will not close the node, or not soon: so says the master over stars.
    early : bool
        It was left off before that, with columns missing: then a node that cannot be branched is
        not done.
    solution : MasterSolution or None
        Of the master over these columns, where it is solved.
    middle : Iterate, Center or None
        Where the next solution begins.
    starred : bool
        Columns stand for stars, until none is missing.
    search : Search or None
        An exact pricing that found nothing yet and is to be gone on with.
    quick : bool
        The last exact pricing ended within its slice, so the next one is worth it too.
    past : tuple of float
        The bound after the last rounds.
    spot : (d,) float64 or None
        Where the master is solved by itself: around the place that was decided on last, or in a
        sweep.
    sweep : tuple of (d,) float64
        Spots that are still to come.
    swept : bool
        There was a sweep, at the root.
    trials : tuple of Trial
        Places that were tried, at nodes above too.
    labels : (s,) int64 or None
        The clustering that a root begins with.
    zones : Zones or None
        Where the bound is raised in zones; without any once that is given up.
    """

    blocks: Blocks
    columns: np.ndarray
    costs: FloatArray
    stabiliser: Stabiliser
    artificial_cost: FloatArray
    bound: float = -np.inf
    duals: FloatArray | None = None
    least: float = -np.inf
    iteration: int = 0
    accuracy: float = FIRST_ACCURACY
    converged: bool = False
    hopeless: bool = False
    early: bool = False
    solution: MasterSolution | None = None
    middle: Iterate | Center | None = None
    starred: bool = False
    search: Search | None = None
    quick: bool = True
    past: tuple[float, ...] = ()
    spot: FloatArray | None = None
    sweep: tuple[FloatArray, ...] = ()
    swept: bool = False
    trials: tuple[Trial, ...] = ()
    labels: IntArray | None = None
    zones: Zones | None = None

    @property
    def told(self) -> float:
        """The bound, with what zones add to it."""
        if self.zones is None:
            return self.bound
        return self.bound + self.zones.gain + self.blocks.k * (self.zones.least - self.least)


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
