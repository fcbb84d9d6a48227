"""Exact search under constraints that a solver's bounds leave out.

A lower bound without a constraint holds with it, since constraints only exclude clusterings. So the
nodes of a search know the problem without limits on sums that their bounds cannot count, and
without sizes beside weights. Only clusterings that keep everything count as found: a node is closed
by its bound, or once its links leave one clustering, which keeps the rest or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import (
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    NodeOpened,
    Noted,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import Bounded, Sums, bounded
from ccviz.problem.sums import ImpliedMin, sum_limits
from ccviz.solvers.base import Context
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.common.hard_links import in_a_tree
from ccviz.solvers.common.scaling import rescale, work_rescaled
from ccviz.solvers.common.seeding import last_incumbent
from ccviz.solvers.regions import Regions, region_start
from ccviz.solvers.s_mdeclust import first_labels
from ccviz.solvers.search.branch_and_bound import Known, TreeSettings, branch_and_bound
from ccviz.solvers.search.decisions import PairDecision, under_decisions
from ccviz.solvers.search.tree import Report, Task

_STARTS = 5  # Starts of BLP k-means for the first clustering
_STEP_S = 1.0  # Seconds for one assignment, of the first clusterings and of a repair
_REPAIRED = 20_000  # Blocks times clusters up to which a clustering of the root is repaired
# Starts for a connected clustering, and moves without a better one that end its tabu search: first
# of all, later at the root, and below it.
_FIRST, _ROOT, _BELOW = (20, 300), (2, 100), (2, 0)

_LEAVES_ONE = "The only clustering that is left breaks a size or a rule."


@dataclass(frozen=True, eq=False)
class LeavingOut:
    """A problem, and what of it the nodes of a search know."""

    problem: Problem
    known: Bounded  # The same without what the bounds leave out
    by_rows: bool = False  # Whether limits on sums are what each row of a relaxation keeps

    @property
    def is_whole(self) -> bool:
        """Whether every clustering of what the nodes know keeps everything."""
        implied = ImpliedMin  # it follows from what the nodes know
        rules = [rule for rule in self.problem.rules if not isinstance(rule, implied)]
        known = [rule for rule in self.known.rules if not isinstance(rule, implied)]
        same = len(rules) == len(known) and self.known.sizes is self.problem.sizes
        by_rows = (self.by_rows and sum_limits(self.known)) or self.problem.neighbors is not None
        return same and not by_rows

    @property
    def sentence(self) -> str:
        """What the bounds leave out, for people."""
        if self.problem.neighbors is not None:
            return (
                "The bounds of single nodes count that clusters are connected by inequalities of "
                "each row of the relaxation."
            )
        if self.by_rows:
            return (
                "The bounds of single nodes count limits on sums, and sizes beside weights, by "
                "what each row of the relaxation has to keep."
            )
        sums = len(self.known.rules) < len(self.problem.rules)
        sizes = self.problem.sizes is not None and self.known.sizes is None
        named = [words for is_out, words in ((sums, "limits on sums"), (sizes, "sizes")) if is_out]
        return (
            f"The bounds of single nodes leave {' and '.join(named)} out. They hold with them, "
            "since constraints only exclude clusterings."
        )

    def opened(
        self, context: Context, presolved: Generator[Event, None, Known | None] | None = None
    ) -> Generator[Event, None, Known | None]:
        """Say what is left out, and find a clustering that keeps everything.

        `presolved`: Divide and bound, which goes first if it is given. Returns: The bounds that
        the tree starts from; None if the run is over.
        """
        before = {type(record.event) for record in context.history}
        if not self.is_whole and Noted not in before:
            yield Noted(text=self.sentence)
        known: Known | None = Known()
        if presolved is not None:
            known = yield from presolved
        # A run that was stopped before its tree opens again: the search may prove that there is
        # no clustering, of which a tree without the limits needs long to be sure.
        if known is None or known.upper_bound < math.inf or self.is_whole or NodeOpened in before:
            return known
        best, tries = math.inf, _FIRST
        solver = BlpKMeans(n_init=_STARTS, step_limit=_STEP_S)
        for event in solver.steps(self.problem, context):
            if isinstance(event, InfeasibilityProved):
                yield from in_a_tree(self.problem, event)
                yield Finished.of("proved")
                return None
            # BLP k-means knows the sums, and neither other rules nor neighbours.
            if not isinstance(event, IncumbentFound):
                continue
            task = Task(0, seed=context.seed, stop=context.stop)
            kept = self._near(event.labels, task, tries)
            tries = _ROOT
            if kept is not None and (cost := Partition(self.problem, kept).objective) < best:
                best = cost
                yield IncumbentFound(labels=kept, source=event.source, objective=cost)
        # Moves may break limits on the way: where many points are apart only they find one.
        kept = self._by_regions(context) if best == math.inf or self._has_graph else None
        if kept is not None and (cost := Partition(self.problem, kept).objective) < best:
            best = cost
            yield IncumbentFound(labels=kept, source="regions", objective=cost)
        return replace(known, upper_bound=best)

    def _by_regions(self, context: Context) -> IntArray | None:
        """Return a clustering that keeps all, as the solver `regions` finds it; None if none is."""
        if Regions.supports.missing(self.problem):
            return None
        n_init, patience = _FIRST if self._has_graph else _ROOT
        solver = Regions(n_init=n_init, patience=patience)
        steps = solver.steps(self.problem, Context(seed=context.seed, stop=context.stop))
        labels = last_incumbent(steps, context.stop)
        return None if labels is None else self.kept(labels)

    @property
    def _has_graph(self) -> bool:
        return self.problem.neighbors is not None

    def _near(
        self, labels: IntArray, task: Task, tries: tuple[int, int] | None = None
    ) -> IntArray | None:
        """Return the better of a clustering and a connected one near it, if they keep all."""
        found = [self.kept(labels)]
        if self._has_graph:
            rng = np.random.default_rng(task.seed)
            n_init, patience = tries or (_BELOW if task.decisions else _ROOT)
            near = region_start(
                self.problem, rng, labels=labels, n_init=n_init, patience=patience, stop=task.stop
            )
            found.append(None if near is None else self.kept(near))
        kept = [each for each in found if each is not None]
        return min(kept, key=lambda each: Partition(self.problem, each).objective, default=None)

    def searched(
        self,
        advance: Callable[..., Report],
        given: tuple[Any, ...],
        tree: TreeSettings,
        tolerance: float,
        context: Context,
        known: Known,
    ) -> Iterator[Event]:
        """Search the tree; only clusterings count that keep everything.

        `advance`: Works on a node of the problem in the solver's unit, with what else is given.
        """
        scaled, exponent = rescale(self.known)
        work = partial(work_rescaled, partial(advance, scaled, *given), exponent)
        yield from branch_and_bound(
            self.problem,
            context,
            work if self.is_whole else partial(self.counted, work),
            tolerance=tolerance,
            order=tree.order,
            first=partial(first_labels, self.problem, context, tree.incumbent),
            known=known,
        )

    def counted(self, work: Callable[[Task], Report], task: Task) -> Report:
        """Return a node's report in which only clusterings count that keep everything."""
        report = work(task)
        labels = report.labels
        if report.verdict == "integral":
            report = self._reconsidered(report, task)
        if labels is None:
            return report
        kept = self._near(labels, task)
        if kept is not None:
            return replace(report, labels=kept)
        mended = self._mended(labels, task)
        return replace(report, labels=mended, source="repair" if mended is not None else "")

    def kept(self, labels: IntArray) -> IntArray | None:
        """Return a clustering numbered as the sizes ask for it, None if it breaks a constraint."""
        sizes = self.problem.sizes
        if sizes is not None:
            numbers = sizes.numbers_of(np.bincount(labels, minlength=self.problem.k))
            if numbers is None:
                return None
            labels = numbers[labels]
        return labels if Partition(self.problem, labels).violations.none_hard else None

    def _reconsidered(self, report: Report, task: Task) -> Report:
        """Return the report on a node whose relaxation has a clustering for its solution."""
        blocks = contract(under_decisions(self.known, task.decisions))
        if blocks.s > blocks.k:
            branch = _undecided(blocks, report.labels)
            return replace(report, verdict="branch", branch=branch, state=None)
        if self.kept(blocks.block_of) is not None:
            return report
        return Report("infeasible", np.inf, events=report.events, detail=_LEAVES_ONE)

    def _mended(self, labels: IntArray, task: Task) -> IntArray | None:
        """Return a clustering near another one that keeps everything, or None."""
        is_small = contract(self.problem).s * self.problem.k <= _REPAIRED
        if task.decisions or not is_small or self._has_graph:
            return None
        solver = BlpKMeans(step_limit=_STEP_S)
        context = Context(seed=task.seed, stop=task.stop, labels=labels)
        found = last_incumbent(solver.steps(self.problem, context))
        return None if found is None else self.kept(found)


def leaving_out(problem: Problem, sums: Sums = "none") -> LeavingOut:
    """Return a problem with what the nodes of a search know of it, see `bounded`."""
    return LeavingOut(problem, bounded(problem, sums), by_rows=sums == "all")


def _undecided(blocks: Blocks, labels: IntArray | None) -> PairDecision:
    """Return two blocks of one cluster, the farthest ones, to be put together or kept apart."""
    free = np.triu(np.ones((blocks.s, blocks.s), dtype=bool), 1)
    free[tuple(blocks.conflicts.T)] = False
    if labels is not None:
        block_labels = blocks.project(labels)
        same = free & (block_labels[:, None] == block_labels)
        free = same if same.any() else free
    square = (blocks.centroid**2).sum(axis=1)
    far = square[:, None] + square - 2.0 * blocks.centroid @ blocks.centroid.T
    a, b = np.unravel_index(int(np.where(free, far, -np.inf).argmax()), far.shape)
    return PairDecision(*blocks.points_of(int(a), int(b)), together=True)
