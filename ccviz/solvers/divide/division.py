"""One run of divide and bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from ccviz.arrays import IntArray
from ccviz.bounds import relative_gap
from ccviz.events import (
    TERMINATION_SENTENCES,
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    Noted,
    PartBounded,
    PartsCut,
    Termination,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.divide.bounding import Effort, PartBound, bound_part
from ccviz.solvers.divide.cutting import Cut, cut
from ccviz.solvers.divide.incumbent import clusterings
from ccviz.solvers.divide.parts import Part, dropped, take_parts
from ccviz.solvers.tree import OPTIMAL_GAP, StoppedError
from ccviz.solvers.workforce import Workforce, in_order, open_workforce

_ROUNDING = 1e-12  # relative to the data's scatter: what adding up the parts may lose
_SHARE = 0.5  # of the tolerance that a part's own bound may leave; the rest is for the cut
_PATIENCE = 8.0
_MORE_PATIENCE = 4.0  # times as much each time a part is gone on with
_MOST_PATIENCE = 200.0
_GROWTH = 2  # of the parts, when they are cut anew


@dataclass(eq=False)
class Division:
    """The state of a run; parameters as in `ccviz.solvers.divide.solver`.

    Attributes
    ----------
    labels : (s,) int64
        The best clustering of the blocks.
    upper_bound, lower_bound : float
    parts : list of Part
        Of the newest cut.
    bounds : dict of int to PartBound
        What is known of them.
    """

    problem: Problem
    context: Context
    tolerance: float
    incumbent: str
    part_size: int
    largest_part: int
    shared: float
    labels: IntArray = field(init=False)
    upper_bound: float = math.inf
    lower_bound: float = -math.inf
    parts: list[Part] = field(default_factory=list)
    bounds: dict[int, PartBound] = field(default_factory=dict)
    infeasible: bool = False

    def __post_init__(self) -> None:
        self.problem = self.problem.centred()
        self.blocks: Blocks = contract(self.problem)
        self._rounding = _ROUNDING * float((self.problem.X**2).sum())

    def steps(self) -> Iterator[Event]:
        """Yield the events of the run; `ccviz.events.Finished` comes last unless stopped."""
        stop = self.context.stop
        self._restore()
        yield from self._find_clustering()
        if math.isfinite(self.upper_bound) and not self.infeasible:
            with open_workforce(self.context.workers) as workforce, suppress(StoppedError):
                yield from self._close_the_gap(workforce)
        if not stop():
            yield self._finished()

    @property
    def _is_closed(self) -> bool:
        return self.lower_bound >= self.upper_bound * (1.0 - self.tolerance)

    def _find_clustering(self) -> Iterator[Event]:
        if self.parts:
            return
        for answer in clusterings(self.problem, self.blocks, self.context, self.incumbent):
            if isinstance(answer, InfeasibilityProved):
                self.infeasible = True
                yield answer
                return
            yield from self._take(*answer)

    def _take(self, labels: IntArray, source: str) -> Iterator[Event]:
        if self._is_better(labels):
            lifted = self.blocks.lift(labels)
            yield IncumbentFound(labels=lifted, source=source, objective=self.upper_bound)

    def _is_better(self, labels: IntArray) -> bool:
        """Keep a clustering if it is better than the best."""
        objective = Partition(self.problem, self.blocks.lift(labels)).wcss
        better = objective < self.upper_bound
        if better:
            self.labels, self.upper_bound = labels, objective
        return better

    def _close_the_gap(self, workforce: Workforce) -> Iterator[Event]:
        """Bound all parts, go on with those that stay open, cut anew into larger parts."""
        size = self.part_size
        while not self.context.stop() and not self._is_closed:
            if not self.parts:
                yield from self._cut(size)
            size = max(size, self.blocks.s // len(self.parts))
            patience = _PATIENCE
            todo = [part for part in self.parts if part.number not in self.bounds]
            todo = todo or self._open_parts()
            while todo and not self.context.stop() and not self._is_closed:
                yield from self._bound(workforce, todo, patience)
                patience *= _MORE_PATIENCE
                todo = self._open_parts() if patience <= _MOST_PATIENCE else []
            if size * _GROWTH > min(self.largest_part, self.blocks.s // 2):
                return
            size *= _GROWTH
            self.parts = []

    def _cut(self, size: int) -> Iterator[Event]:
        count = max(1, self.blocks.s // size)
        found = cut(self.blocks, self.labels, count, int(self.shared * size), self.context.seed)
        lost = dropped(self.blocks, found)
        self._adopt(found)
        yield PartsCut(parts=count, part_of=self.blocks.lift(found.part_of), dropped=lost)
        if lost:
            yield Noted(
                text=f"{lost:,} of {len(self.blocks.conflicts):,} cannot-links between blocks go "
                "from one part to another, and do not count for the bound."
            )

    def _adopt(self, found: Cut) -> None:
        self.parts, self.bounds = take_parts(self.blocks, found, self.labels), {}

    def _open_parts(self) -> list[Part]:
        """Return the parts that are worth going on with: those whose bounds leave much.

        None if all that they leave would not reach the tolerance: then the cut is at fault.
        """
        if self._is_closed or len(self.bounds) < len(self.parts):
            return []
        slack = {number: bound.slack for number, bound in self.bounds.items()}
        missing = self.upper_bound * (1.0 - self.tolerance) - self.lower_bound
        if math.fsum(slack.values()) < missing:
            return []
        allowed = _SHARE * self.tolerance
        return [
            part
            for part in self.parts
            if slack[part.number] > allowed * self.bounds[part.number].upper_bound
        ]

    def _bound(self, workforce: Workforce, parts: list[Part], patience: float) -> Iterator[Event]:
        effort = Effort(_SHARE * self.tolerance, patience=patience)
        work = partial(bound_part, effort)
        if workforce.is_here:
            work = partial(work, stop=self.context.stop)
        tasks = ((part, self.bounds.get(part.number)) for part in parts)
        answers = in_order(workforce, work, tasks, self.context.stop)
        for part, bound in zip(parts, answers, strict=False):  # fewer answers if stopped
            if bound is not self.bounds.get(part.number):
                yield from self._fold(part.number, bound)
            if self._is_closed:
                return

    def _fold(self, number: int, bound: PartBound) -> Iterator[Event]:
        self.bounds[number] = bound
        yield PartBounded(
            part=number,
            lower_bound=bound.lower_bound,
            upper_bound=bound.upper_bound,
            rounds=bound.rounds,
            certificate=bound.certificate,
        )
        total = self.blocks.scatter * (1.0 - 1e-9) - self._rounding
        total += math.fsum(bound.lower_bound for bound in self.bounds.values())
        total = max(0.0, total)
        if total > self.lower_bound:
            self.lower_bound = total
            yield BoundImproved(lower_bound=total)

    def _restore(self) -> None:
        """Take up what the records of an earlier run say."""
        for event in (record.event for record in self.context.history):
            match event:
                case IncumbentFound():
                    self._is_better(self.blocks.project(event.labels))
                case BoundImproved():
                    self.lower_bound = event.lower_bound
                case PartsCut():
                    self._adopt(Cut(self.blocks.project(event.part_of), event.parts))
                case PartBounded():
                    self.bounds[event.part] = PartBound(
                        event.lower_bound, event.upper_bound, event.certificate, 0.0, event.rounds
                    )

    def _finished(self) -> Finished:
        if self.infeasible:
            return Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])
        if self._is_closed:
            reason: Termination = "proved" if self.tolerance <= OPTIMAL_GAP else "gap"
            return Finished(termination=reason, message=TERMINATION_SENTENCES[reason])
        if math.isinf(self.upper_bound):
            return Finished(
                termination="stalled",
                message="No clustering was found; one may exist.",
            )
        gap = relative_gap(self.upper_bound, self.lower_bound)
        return Finished(
            termination="stalled",
            message=f"Parts of up to {self.largest_part:,} blocks leave a gap of {gap:.2g}.",
        )
