"""Column generation with branch and price: Babaki, Guns and Nijssen 2014, made faster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting


@dataclass(frozen=True)
class Colgen(Solver):
    """Branch and price over clusters, with any anti-monotone rules."""

    name: ClassVar[str] = "colgen"
    title: ClassVar[str] = "Column generation"
    paper: ClassVar[str] = "Babaki, Guns and Nijssen (2014)"
    supports: ClassVar[Supports] = Supports(rules=True, exact=True, bounds=True, resume=True)
    group: ClassVar[str] = "Exact, with proof"

    tolerance: float = setting(1e-6, "Relative gap that counts as solved.", low=0.0)
    order: str = setting(
        "best", "Which node comes next.", choices=("best", "depth", "breadth"), label="Next node"
    )
    incumbent: str = setting(
        "none",
        "A clustering to begin with.",
        choices=("none", "memetic"),
        advanced=True,
        label="First clustering",
    )
    stabilisation: str = setting(
        "interior",
        "At which duals to price.",
        choices=("interior", "smoothing", "perturbation", "none"),
    )
    smoothing: float = setting(
        0.5, "Share of the best duals so far in the duals priced at.", low=0.0, high=0.95,
        advanced=True,
    )  # fmt: skip
    pricing: str = setting(
        "both",
        "Exact pricing by splitting space, over blocks as in the paper, or both in turns.",
        choices=("both", "space", "blocks"),
        advanced=True,
        label="Exact pricing",
    )
    starts: int = setting(
        10,
        "Runs of k-means for the first columns.",
        low=0,
        advanced=True,
        label="First k-means runs",
    )
    round_iterations: int = setting(5, "Iterations between two looks at the tree.", low=1,
                                    advanced=True, label="Iterations a round")  # fmt: skip
    cover_nodes: int = setting(
        200,
        "Nodes of the search for the best clustering in the pool.",
        low=0,
        advanced=True,
        label="Nodes for the pool",
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.tree`."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.colgen.node import NodeSettings, advance
        from ccviz.solvers.tree import branch_and_bound
        from ccviz.solvers.unit import in_unit, work_in_unit

        scaled, exponent = in_unit(problem)
        settings = NodeSettings(
            tolerance=self.tolerance,
            starts=self.starts,
            round_iterations=self.round_iterations,
            stabilisation=self.stabilisation,
            smoothing=self.smoothing,
            pricing=self.pricing,
            cover_nodes=self.cover_nodes,
            seed=context.seed,
        )
        yield from branch_and_bound(
            problem,
            context,
            partial(work_in_unit, partial(advance, scaled, settings), exponent),
            tolerance=self.tolerance,
            order=self.order,
            incumbent=self.incumbent,
        )
