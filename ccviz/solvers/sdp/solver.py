"""Algorithm 2 of Piccialli, Russo Russo and Sudoso 2022: exact clustering by branch-and-cut.

With thousands of blocks a round takes minutes. Then the run begins with a presolve by
`ccviz.solvers.divide`, whose clustering and bound often reach the tolerance. With soft links there
is no presolve: its bound would leave them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ccviz.errors import UnsupportedError
from ccviz.events import Event
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.memory import free_memory
from ccviz.solvers.sdp.settings import NodeSettings
from ccviz.solvers.search.settings import TreeSettings

_MATRICES = 24
"""(s, s) matrices of doubles held at once while a node is solved."""

_SURELY_FITS = 1000
"""Blocks up to which the free memory is not asked for."""


@dataclass(frozen=True)
class Sdp(TreeSettings, NodeSettings, Solver):
    """Semidefinite branch-and-cut with certified bounds."""

    name: ClassVar[str] = "sdp"
    title: ClassVar[str] = "SDP branch-and-cut"
    paper: ClassVar[str] = "Piccialli, Russo Russo and Sudoso (2022)"
    supports: ClassVar[Supports] = Supports(
        soft=True,
        sizes=True,
        sums=True,
        weights=True,
        weighted_sizes=True,
        exact=True,
        bounds=True,
        resume=True,
        start=True,
    )
    group: ClassVar[str] = "Exact, with proof"

    divide_from: int = setting(
        2000,
        "Number of blocks from which a clustering and a bound by `divide` precede the tree.",
        low=4,
        advanced=True,
        label="Use divide first from (blocks)",
    )

    def check(self, problem: Problem, who_can: Callable[[Problem], str] | None = None) -> None:
        """Raise `UnsupportedError` if a library is missing, or a node's matrices would not fit."""
        super().check(problem, who_can)
        self.check_backend()
        if problem.n <= _SURELY_FITS or _bytes_for(problem.n) <= (free := free_memory()):
            return
        s = contract(problem).s
        if s > _SURELY_FITS and (needed := _bytes_for(s)) > free:
            raise UnsupportedError(
                f"{self.name} works with matrices of a row and a column per block: the {s:,} "
                f"blocks of this problem take {needed / 1e9:.1f} GB of memory, and "
                f"{free / 1e9:.1f} GB are free here. divide certifies a gap with far less."
            )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.search.tree`."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.common.scaling import rescale, work_rescaled
        from ccviz.solvers.sdp.node import advance
        from ccviz.solvers.search.branch_and_bound import branch_and_bound
        from ccviz.solvers.start.leaving_out import leaving_out
        from ccviz.solvers.start.memetic import first_labels

        search = leaving_out(problem)
        if not problem.is_soft and contract(problem).s >= self.divide_from:
            from ccviz.solvers.divide.presolve import presolved

            known = yield from presolved(problem, context, self.tolerance)
        else:
            known = yield from search.opened(context)
        if known is None:
            return
        scaled, exponent = rescale(search.told)
        yield from branch_and_bound(
            problem,
            context,
            search.counting(partial(work_rescaled, partial(advance, scaled, self), exponent)),
            tolerance=self.tolerance,
            order=self.order,
            first=partial(first_labels, problem, context, self.incumbent),
            known=known,
        )


def _bytes_for(blocks: int) -> int:
    return _MATRICES * 8 * blocks**2
