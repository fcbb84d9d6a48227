"""Exact clustering by column generation: master, pricing, stabilisation, branching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import bounded
from ccviz.problem.sums import sum_limits
from ccviz.solvers.base import Context, Solver, Supports
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.colgen.params import NodeSettings, Params
from ccviz.solvers.search.branch_and_bound import Known, TreeSettings

_LOPSIDED = 1e3  # Ratio of weights above which clusters are priced, not listed


@dataclass(frozen=True)
class Colgen(TreeSettings, NodeSettings, Solver):
    """Branch and price over clusters, with any anti-monotone rules."""

    name: ClassVar[str] = "colgen"
    title: ClassVar[str] = "Column generation"
    paper: ClassVar[str] = "Babaki, Guns and Nijssen (2014)"
    supports: ClassVar[Supports] = Supports(
        soft=True, sizes=True, rules=True, sums=True, weights=True, weighted_sizes=True,
        outliers=True, fixed=True, exact=True, bounds=True, resume=True, start=True,
    )  # fmt: skip
    group: ClassVar[str] = "Exact, with proof"

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search, see `ccviz.solvers.search.tree`."""
        yield from self.steps_with(Params(), problem, context)

    def steps_with(self, params: Params, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of the search with other parameters of the method."""
        # Imported here: the process that only draws loads no compiled code.
        from ccviz.solvers.assignment.given_centers import about_centers, is_transport

        if is_transport(problem):
            yield from about_centers(problem, context, self.tolerance, self.order, BlpKMeans())
            return
        from ccviz.solvers.colgen.node import advance
        from ccviz.solvers.divide.division import presolved
        from ccviz.solvers.start.leaving_out import LeavingOut, leaving_out

        search = leaving_out(problem, "largest")
        if self._lists_clusters(problem):
            search = LeavingOut(problem, bounded(problem, "all"))
            params = replace(params, lists_clusters=True)
            known: Known | None = Known()
        else:
            # Pricing may take longer than people wait where it counts upper limits on sums, and
            # until it ends the root has no bound; that of `divide` is there before.
            is_slow = _has_only_sums(search.known)
            presolve = presolved(problem, context, self.tolerance) if is_slow else None
            known = yield from search.opened(context, presolve)
        if known is not None:
            given = self, params
            yield from search.searched(advance, given, self, self.tolerance, context, known)

    def _lists_clusters(self, problem: Problem) -> bool:
        """Return whether clusters are constrained, and few enough to look at each."""
        from ccviz.solvers.colgen.partitioning.every_cluster import has_few_clusters

        is_constrained = bool(problem.rules) or problem.sizes is not None or problem.is_soft
        if not (is_constrained and self.listed) or problem.fixed or _is_lopsided(problem):
            return False
        return has_few_clusters(bounded(problem, "all"), self.listed)


def _is_lopsided(problem: Problem) -> bool:
    """Whether the bound of a list of clusters would lose digits, by weights far apart."""
    masses = problem.masses[problem.masses > 0.0]
    return bool(masses.max() > _LOPSIDED * masses.min())


def _has_only_sums(known: Problem) -> bool:
    """Return whether pricing counts upper limits on sums, and no other rules or soft links."""
    return bool(known.rules) and len(sum_limits(known)) == len(known.rules) and not known.is_soft
