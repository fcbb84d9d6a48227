"""Algorithm 2 of Piccialli, Russo Russo and Sudoso 2022: exact clustering by branch-and-cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting


@dataclass(frozen=True)
class Sdp(Solver):
    """Semidefinite branch-and-cut with certified bounds."""

    name: ClassVar[str] = "sdp"
    title: ClassVar[str] = "SDP branch-and-cut"
    paper: ClassVar[str] = "Piccialli, Russo Russo and Sudoso (2022)"
    supports: ClassVar[Supports] = Supports(exact=True, bounds=True, resume=True)
    group: ClassVar[str] = "Exact, with proof"
    most_blocks: ClassVar[float] = 4000

    tolerance: float = setting(1e-4, "Relative gap that counts as solved.", low=0.0)
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
    round_iterations: int = setting(
        30,
        "Iterations between two rounds of cuts.",
        low=1,
        advanced=True,
        label="Iterations a round",
    )
    cuts_per_block: float = setting(
        15.0, "Most cuts added a round, as a multiple of the blocks.", low=0.0, advanced=True
    )
    cut_tolerance: float = setting(
        1e-4, "Least violation of a cut, relative to Z's diagonal.", low=0.0, advanced=True
    )
    patience: float = setting(
        8.0, "Branch if so many times the last gain would not do.", low=0.0, advanced=True
    )
    max_rounds: int = setting(
        100, "Most rounds at a node.", low=1, advanced=True, label="Most rounds"
    )
    backend: str = setting(
        "splitting",
        "What solves the relaxations.",
        choices=("splitting", "scs"),
        advanced=True,
        label="Relaxation solver",
    )
    show_relaxation: bool = setting(
        False, "Report the relaxation's matrix after every round.", advanced=True
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.tree`."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.sdp.node import NodeSettings, advance
        from ccviz.solvers.tree import branch_and_bound
        from ccviz.solvers.unit import in_unit, work_in_unit

        scaled, exponent = in_unit(problem)
        settings = NodeSettings(
            tolerance=self.tolerance,
            round_iterations=self.round_iterations,
            cuts_per_block=self.cuts_per_block,
            cut_tolerance=self.cut_tolerance,
            patience=self.patience,
            max_rounds=self.max_rounds,
            backend=self.backend,
            show_relaxation=self.show_relaxation,
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
