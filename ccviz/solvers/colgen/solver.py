"""Column generation with branch and price: Babaki, Guns and Nijssen 2014, made faster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ccviz.events import Event, Noted
from ccviz.problem.problem import Problem
from ccviz.problem.sums import sum_limits
from ccviz.solvers.base import Context, Solver, Supports
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.settings import NodeSettings
from ccviz.solvers.search.settings import TreeSettings


@dataclass(frozen=True)
class Colgen(TreeSettings, NodeSettings, Solver):
    """Branch and price over clusters, with any anti-monotone rules."""

    name: ClassVar[str] = "colgen"
    title: ClassVar[str] = "Column generation"
    paper: ClassVar[str] = "Babaki, Guns and Nijssen (2014)"
    supports: ClassVar[Supports] = Supports(
        soft=True,
        sizes=True,
        rules=True,
        sums=True,
        weights=True,
        weighted_sizes=True,
        outliers=True,
        fixed=True,
        exact=True,
        bounds=True,
        resume=True,
        start=True,
    )
    group: ClassVar[str] = "Exact, with proof"

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.search.tree`."""
        yield from self.steps_with(Params(), problem, context)

    def steps_with(self, params: Params, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search with other parameters of the method."""
        # Imported here: the process that only draws loads no compiled code.
        from ccviz.solvers.colgen.node import advance
        from ccviz.solvers.common.scaling import rescale, work_rescaled
        from ccviz.solvers.divide.presolve import presolved
        from ccviz.solvers.search.branch_and_bound import branch_and_bound
        from ccviz.solvers.start.leaving_out import leaving_out
        from ccviz.solvers.start.memetic import first_labels

        search = leaving_out(problem, keeps_largest_sums=True)
        if _has_only_sums(search.told):
            if not (search.is_whole or context.history):
                yield Noted(text=search.sentence)
            known = yield from presolved(problem, context, self.tolerance)
        else:
            known = yield from search.opened(context)
        if known is None:
            return
        scaled, exponent = rescale(search.told)
        work = partial(work_rescaled, partial(advance, scaled, self, params), exponent)
        yield from branch_and_bound(
            problem,
            context,
            search.counting(work),
            tolerance=self.tolerance,
            order=self.order,
            first=partial(first_labels, problem, context, self.incumbent),
            known=known,
        )


def _has_only_sums(told: Problem) -> bool:
    """Return whether pricing counts upper limits on sums, and no other rules or soft links.

    Such pricing may take longer than people wait, and until it ends the root has no bound; that of
    `divide`, which leaves the sums out, is there before.
    """
    return bool(told.rules) and len(sum_limits(told)) == len(told.rules) and not told.is_soft
