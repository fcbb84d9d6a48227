"""Algorithm 2 of Piccialli, Russo Russo and Sudoso 2022: exact clustering by branch-and-cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.sdp.settings import NodeSettings


@dataclass(frozen=True)
class Sdp(NodeSettings, Solver):
    """Semidefinite branch-and-cut with certified bounds."""

    name: ClassVar[str] = "sdp"
    title: ClassVar[str] = "SDP branch-and-cut"
    paper: ClassVar[str] = "Piccialli, Russo Russo and Sudoso (2022)"
    supports: ClassVar[Supports] = Supports(exact=True, bounds=True, resume=True)
    group: ClassVar[str] = "Exact, with proof"
    most_blocks: ClassVar[float] = 4000

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

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.tree`."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.sdp.node import advance
        from ccviz.solvers.tree import branch_and_bound
        from ccviz.solvers.unit import in_unit, work_in_unit

        scaled, exponent = in_unit(problem)
        yield from branch_and_bound(
            problem,
            context,
            partial(work_in_unit, partial(advance, scaled, self), exponent),
            tolerance=self.tolerance,
            order=self.order,
            incumbent=self.incumbent,
        )
