"""Divide and bound, after the anticlustering of Croella, Piccialli, Russo Russo and Sudoso 2025.

Find a clustering. Partition the blocks into parts in which every cluster has its own centroid
(`divide.partition`, `divide.refine`). Bound each part by semidefinite programming
(`divide.bounding`), at first by the closed-form multipliers of the clustering; the sum of the
parts' bounds is a bound of the whole. Then continue the parts that stay open, merge them or branch
them, in the order of gain per work (`divide.schedule`). No step makes the bound worse.

Clusterings count soft links, sizes and limits on sums, and the bound leaves them out: a part does
not know those of the whole. The bound holds all the same, since no clustering costs less under
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ccviz.events import Event, InfeasibilityProved
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports
from ccviz.solvers.common.hard_links import in_a_tree
from ccviz.solvers.divide import DivideSettings
from ccviz.solvers.sdp import Sdp


@dataclass(frozen=True)
class Divide(DivideSettings, Solver):
    """A certified gap for more points than any exact solver can take."""

    name: ClassVar[str] = "divide"
    title: ClassVar[str] = "Divide and bound"
    paper: ClassVar[str] = "Croella, Piccialli, Russo Russo and Sudoso (2025)"
    supports: ClassVar[Supports] = Supports(
        soft=True, sizes=True, sums=True, weights=True, weighted_sizes=True, bounds=True,
        resume=True,
    )  # fmt: skip
    group: ClassVar[str] = "Exact, with proof"

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        if contract(problem).s < 2 * self.part_size:
            yield from Sdp(tolerance=self.tolerance).steps(problem, context)
            return
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.divide.division import Division

        for event in Division(problem, context, self).steps():
            if isinstance(event, InfeasibilityProved):
                yield from in_a_tree(problem, event)
            else:
                yield event
