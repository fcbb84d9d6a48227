"""Column generation with branch and price: Babaki, Guns and Nijssen 2014, made faster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.colgen.settings import NodeSettings


@dataclass(frozen=True)
class Colgen(NodeSettings, Solver):
    """Branch and price over clusters, with any anti-monotone rules."""

    name: ClassVar[str] = "colgen"
    title: ClassVar[str] = "Column generation"
    paper: ClassVar[str] = "Babaki, Guns and Nijssen (2014)"
    supports: ClassVar[Supports] = Supports(rules=True, exact=True, bounds=True, resume=True)
    group: ClassVar[str] = "Exact, with proof"

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
        from ccviz.solvers.branch_and_bound import branch_and_bound
        from ccviz.solvers.colgen.node import advance
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
