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

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import (
    TERMINATION_SENTENCES,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    Noted,
)
from ccviz.problem.blocks import Blocks, contract, refine
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.sums import MinSum, SumLimit
from ccviz.solvers.base import Context
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.common.no_assignment import in_a_tree
from ccviz.solvers.search.branch_and_bound import Known
from ccviz.solvers.search.decisions import PairDecision, decided_pairs
from ccviz.solvers.search.tree import Report, Task

_STARTS = 5
"""Starts of BLP k-means for the first clustering."""

_STEP_S = 1.0
"""Seconds for one assignment, of the first clusterings and of a repair."""

_REPAIRED = 20_000
"""Blocks times clusters up to which a clustering of the root is repaired."""

_LEAVES_ONE = "The only clustering that is left breaks a size or a rule."


@dataclass(frozen=True, eq=False)
class LeavingOut:
    """A problem, and what of it the nodes of a search are told.

    Attributes
    ----------
    problem : Problem
    told : Problem
        The same without what the bounds leave out.
    """

    problem: Problem
    told: Problem

    @property
    def is_whole(self) -> bool:
        """Whether the bounds leave nothing out."""
        return self.told is self.problem

    @property
    def sentence(self) -> str:
        """What the bounds leave out, for people."""
        sums = len(self.told.rules) < len(self.problem.rules)
        sizes = self.problem.sizes is not None and self.told.sizes is None
        named = [words for is_out, words in ((sums, "limits on sums"), (sizes, "sizes")) if is_out]
        return (
            f"The bounds of single nodes leave {' and '.join(named)} out. They hold with them, "
            "since constraints only exclude clusterings."
        )

    def opened(self, context: Context) -> Generator[Event, None, Known | None]:
        """Say what is left out, and find a clustering that keeps everything.

        Parameters
        ----------
        context : Context

        Returns
        -------
        Known or None
            The cost of that clustering; None if the run is over, since there is none.
        """
        best = math.inf
        if self.is_whole or context.history:
            return Known()
        yield Noted(text=self.sentence)
        solver = BlpKMeans(n_init=_STARTS, step_limit=_STEP_S)
        for event in solver.steps(self.problem, context):
            if isinstance(event, InfeasibilityProved):
                yield from in_a_tree(self.problem, event)
                yield Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])
                return None
            # BLP k-means knows the sums, and no other rules.
            if isinstance(event, IncumbentFound) and self.kept(event.labels) is not None:
                cost = Partition(self.problem, event.labels).objective
                if cost < best:
                    best = cost
                    yield IncumbentFound(labels=event.labels, source=event.source, objective=cost)
        return Known(best)

    def counting(self, work: Callable[[Task], Report]) -> Callable[[Task], Report]:
        """Return the work on nodes in which only clusterings count that keep everything.

        Parameters
        ----------
        work : callable
            On a node of the problem as told.
        """
        return work if self.is_whole else partial(self.counted, work)

    def counted(self, work: Callable[[Task], Report], task: Task) -> Report:
        """Return a node's report in which only clusterings count that keep everything.

        Parameters
        ----------
        work : callable
            Works on a node of the problem as told.
        task : Task
        """
        report = work(task)
        labels = report.labels
        if report.verdict == "integral":
            report = self._reconsidered(report, task)
        if labels is None:
            return report
        kept = self.kept(labels)
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
        together, apart = (decided_pairs(task.decisions, side) for side in (True, False))
        blocks = contract(refine(self.told, together, apart))
        if blocks.s > blocks.k:
            branch = _undecided(blocks, report.labels)
            return replace(report, verdict="branch", branch=branch, state=None)
        if self.kept(blocks.block_of) is not None:
            return report
        return Report("infeasible", np.inf, events=report.events, detail=_LEAVES_ONE)

    def _mended(self, labels: IntArray, task: Task) -> IntArray | None:
        """Return a clustering near another one that keeps everything, or None."""
        is_small = contract(self.problem).s * self.problem.k <= _REPAIRED
        if task.decisions or not is_small:
            return None
        solver = BlpKMeans(step_limit=_STEP_S)
        context = Context(seed=task.seed, stop=task.stop, labels=labels)
        found = _last(solver.steps(self.problem, context))
        return None if found is None else self.kept(found)


def leaving_out(problem: Problem, keeps_largest_sums: bool = False) -> LeavingOut:
    """Return a problem with what the nodes of a search are told of it.

    Parameters
    ----------
    problem : Problem
    keeps_largest_sums : bool
        Whether the bounds count upper limits on sums.
    """
    out = MinSum if keeps_largest_sums else SumLimit
    rules = tuple(rule for rule in problem.rules if not isinstance(rule, out))
    sizes = None if problem.weights is not None else problem.sizes
    if len(rules) == len(problem.rules) and sizes is problem.sizes:
        return LeavingOut(problem, problem)
    return LeavingOut(problem, replace(problem, rules=rules, sizes=sizes, asked=None))


def _last(events: Iterator[Event]) -> IntArray | None:
    found = [event.labels for event in events if isinstance(event, IncumbentFound)]
    return found[-1] if found else None


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
    first, second = (int(blocks.members(int(block))[0]) for block in (a, b))
    return PairDecision(min(first, second), max(first, second), together=True)
