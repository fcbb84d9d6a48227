"""One run of divide and bound, and a run before the tree of another solver."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from ccviz.arrays import IntArray
from ccviz.bounds import OPTIMAL_GAP, relative_gap
from ccviz.events import (
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    NodeOpened,
    Noted,
    PartBounded,
    PartsCut,
    Termination,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.divide import DivideSettings
from ccviz.solvers.divide.bounding import (
    Effort,
    PartBound,
    batched,
    bound_part,
    bound_several,
    restored,
    work_of,
)
from ccviz.solvers.divide.partition import Anticlustering, Part, dropped, take_parts
from ccviz.solvers.divide.refine import refine
from ccviz.solvers.divide.schedule import PartState, Step, branch_part, next_steps
from ccviz.solvers.search.branch_and_bound import Known
from ccviz.solvers.search.decisions import margin_of
from ccviz.solvers.search.tree import StoppedError
from ccviz.solvers.search.workforce import Workforce, in_order, open_workforce
from ccviz.solvers.start.staged import staged_clusterings

_ROUNDING = 1e-12  # Rounding of the sum over the parts, relative to the scatter of the data
_SHARE = 0.5
"""Share of the tolerance for the bounds of single parts; the rest is for the anticlustering."""
_CUT = 0.05
"""Share of the tolerance at which the anticlustering is good enough: its passes take seconds."""
AT_ONCE = 2e10
"""Usual limit of the work of a round of all parts, times clusters, up to which all parts grow."""
_ENDLESS = 1e9  # Patience with which all rounds of an effort are run

_WITHOUT = (
    "The lower bound leaves the {} out. It holds with them, since no clustering costs less under "
    "them, but the gap counts their cost."
)

Group = tuple[int, ...]


@dataclass(eq=False)
class Division:
    """The state of a run."""

    problem: Problem
    context: Context
    settings: DivideSettings
    branching: bool = True
    # Work of a round of all parts, times clusters, beyond which parts grow by merging only.
    at_once: float = AT_ONCE
    labels: IntArray = field(init=False)  # (s,): The best clustering of the blocks
    upper_bound: float = math.inf
    lower_bound: float = -math.inf
    found: Anticlustering | None = None  # The partition into parts, once there is one
    # By the parts of the anticlustering that they are made of: one, or several merged ones.
    parts: dict[Group, Part] = field(default_factory=dict)
    bounds: dict[Group, PartBound] = field(default_factory=dict)
    infeasible: bool = False

    def __post_init__(self) -> None:
        self._margin = margin_of(self.problem)
        self.problem = self.problem.centred()
        self.blocks: Blocks = contract(self.problem)
        self._rounding = _ROUNDING * float((self.problem.X**2).sum())
        self._in_vain: set[Group] = set()  # merged without gain
        self._allowed = _SHARE * self.settings.tolerance
        self._gained: dict[str, float] = {}  # by merging, by branching
        self._to_gain: dict[str, float] = {}

    def steps(self) -> Iterator[Event]:
        """Yield the events of the run; `ccviz.events.Finished` comes last unless stopped."""
        stop = self.context.stop
        self.restore()
        if self.context.labels is not None:  # of an earlier run, as the bound
            self._is_better(self.blocks.project(self.context.labels))
        self.lower_bound = max(self.lower_bound, self.context.floor)
        yield from self._find_clustering()
        if math.isfinite(self.upper_bound) and not self.infeasible:
            with open_workforce(self.context.workers) as workforce, suppress(StoppedError):
                yield from self._close_the_gap(workforce)
        if not stop():
            yield self._finished()

    @property
    def is_closed(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.lower_bound >= self.upper_bound * (1.0 - self.settings.tolerance)

    def _find_clustering(self) -> Iterator[Event]:
        is_edited = self.context.labels is not None
        if self.is_closed or (self.found is not None and not is_edited):
            return
        for answer in staged_clusterings(
            self.problem, self.blocks, self.context, self.settings.incumbent
        ):
            if isinstance(answer, InfeasibilityProved):
                self.infeasible = True
                yield answer
                return
            labels, source = answer
            if self._is_better(labels):
                lifted = self.blocks.lift(labels)
                yield IncumbentFound(labels=lifted, source=source, objective=self.upper_bound)

    def _is_better(self, labels: IntArray) -> bool:
        """Keep a clustering if it is better than the best."""
        found = Partition(self.problem, self.blocks.lift(labels))
        objective = found.objective
        better = objective < self.upper_bound and found.violations.none_hard
        if better:
            self.labels, self.upper_bound = labels, objective
        return better

    def _close_the_gap(self, workforce: Workforce) -> Iterator[Event]:
        """Bound every part by closed-form multipliers; then take the steps of the schedule."""
        if self.context.stop() or self.is_closed:
            return
        if self.found is None:
            yield from self._anticluster()
        elif self.context.labels is not None:
            yield from self._say_what_is_left_out()
        todo = [part for group, part in self.parts.items() if group not in self.bounds]
        first = Effort(self._allowed, rounds=0)
        yield from self._bound(workforce, todo, [first] * len(todo))
        while not self.context.stop() and not self.is_closed:
            steps = next_steps(
                [self._state_of(group) for group in self.parts],
                allowed=self._allowed,
                largest=self.settings.largest_part,
                in_vain=self._in_vain,
                gains={
                    what: self._gained[what] / most for what, most in self._to_gain.items() if most
                },
                branching=self.branching,
            )
            if not steps:
                return
            yield from self._follow(workforce, steps)

    def _state_of(self, group: Group) -> PartState:
        part = self.parts[group]
        return PartState(group, part.own, part.blocks.s - part.own, part.piece, self.bounds[group])

    def _anticluster(self) -> Iterator[Event]:
        self.found = self._refined()
        count = self.found.parts
        lost = dropped(self.blocks, self.found)
        self._adopt([(number,) for number in range(count)])
        part_of = self.blocks.lift(self.found.part_of)
        yield PartsCut(parts=count, part_of=part_of, dropped=lost)
        yield from self._say_what_is_left_out()
        if lost:
            yield Noted(
                text=f"{lost:,} of {len(self.blocks.conflicts):,} cannot-links between blocks go "
                "from one part to another, and do not count for the bound."
            )

    def _say_what_is_left_out(self) -> Iterator[Event]:
        left_out = ["soft links"] if self.problem.is_soft else []
        left_out += ["cluster sizes"] if self.problem.sizes is not None else []
        left_out += ["limits on sums"] if self.problem.rules else []
        if left_out:
            yield Noted(text=_WITHOUT.format(" and ".join(left_out)))

    def _refined(self) -> Anticlustering:
        """Return an anticlustering, of larger parts than asked for where those lose too much.

        They grow to half the largest size here: one round of larger parts takes long, and those
        that stay open are merged later.
        """
        size = self.settings.part_size
        while True:
            found, loss = refine(
                self.blocks,
                self.labels,
                max(1, self.blocks.s // size),
                int(self.settings.shared * size),
                self.context.seed,
                _CUT * self.settings.tolerance,
                self.context.stop,
            )
            larger = 2 * size
            enough = loss <= self._allowed or self.context.stop()
            work = self.blocks.s // larger * work_of(1, larger)
            too_much = work * self.blocks.k > self.at_once
            if enough or too_much or larger > min(self.settings.largest_part, self.blocks.s) // 2:
                return found
            size = larger

    def _adopt(self, groups: list[Group]) -> None:
        self.parts = {part.numbers: part for part in self._taken(groups)}

    def _taken(self, groups: list[Group]) -> list[Part]:
        assert self.found is not None
        return take_parts(self.blocks, self.found, self.labels, groups)

    def _follow(self, workforce: Workforce, steps: list[Step]) -> Iterator[Event]:
        """Merge some parts, continue others, branch others."""
        merge, go_on, branch = (
            [step for step in steps if step.what == what] for what in ("merge", "go on", "branch")
        )
        effort = Effort(self._allowed)
        if merge:
            merged = self._taken([step.group for step in merge])
            yield from self._bound(workforce, merged, [effort] * len(merged))
        # All rounds that the schedule planned.
        efforts = [replace(effort, rounds=each.rounds, patience=_ENDLESS) for each in go_on]
        yield from self._bound(workforce, [self.parts[each.group] for each in go_on], efforts)
        branched = [self.parts[step.group] for step in branch]
        yield from self._bound(workforce, branched, [effort] * len(branched), branch_part)

    def _bound(
        self,
        workforce: Workforce,
        parts: list[Part],
        efforts: list[Effort],
        how: Callable[..., PartBound] = bound_part,
    ) -> Iterator[Event]:
        parts = [] if self.is_closed else parts
        known = [self.bounds.get(part.numbers) for part in parts]
        tasks = list(zip(efforts, parts, known, strict=False))  # none if all is closed
        batches = [tasks[i : i + 1] for i in range(len(tasks))]
        if not workforce.is_local:
            batches = batched(tasks, 2 * workforce.size)
        work, stop = partial(bound_several, how), self.context.stop
        several = in_order(workforce, work, ((batch,) for batch in batches), stop)
        answers = chain.from_iterable(several)
        for part, bound in zip(parts, answers, strict=False):  # fewer answers if stopped
            self._count(part, bound, how is branch_part)
            yield from self._fold(part, bound)
            if self.is_closed:
                return

    def _within(self, group: Group) -> list[Group]:
        """Return the current parts that a group is made of."""
        return [group] if group in self.parts else [g for g in self.parts if set(g) <= set(group)]

    def _count(self, part: Part, bound: PartBound, is_branched: bool) -> None:
        """Record the gains of merging and branching, and the largest gains possible."""
        within = self._within(part.numbers)
        if len(within) == 1 and not is_branched:
            return
        what = "branch" if is_branched else "merge"
        known = [self._state_of(each) for each in within]
        gain = bound.lower_bound - math.fsum(each.bound.lower_bound for each in known)
        most = math.fsum(each.bound.slack if is_branched else each.loss for each in known)
        self._gained[what] = self._gained.get(what, 0.0) + max(0.0, gain)
        self._to_gain[what] = self._to_gain.get(what, 0.0) + most

    def _fold(self, part: Part, bound: PartBound) -> Iterator[Event]:
        """Take a bound if it is better than the known bounds of its parts."""
        group = part.numbers
        within = self._within(group)
        known = math.fsum(self.bounds[each].lower_bound for each in within if each in self.bounds)
        if group not in self.bounds and within != [group] and bound.lower_bound <= known:
            self._in_vain.add(group)
            return
        is_news = group not in self.bounds or bound.lower_bound > known
        for each in within:
            del self.parts[each]
            self.bounds.pop(each, None)
        self.parts[group], self.bounds[group] = part, bound
        if not is_news:
            return
        yield PartBounded(
            part=group[0],
            lower_bound=bound.lower_bound,
            upper_bound=bound.upper_bound,
            rounds=bound.rounds,
            certificate=bound.certificate,
            merged=group[1:],
            leaves=tuple(leaf.arrays() for leaf in bound.leaves),
        )
        yield from self._add_up()

    def _add_up(self) -> Iterator[Event]:
        total = self.blocks.scatter * (1.0 - 1e-9) - self._rounding
        total += math.fsum(bound.lower_bound for bound in self.bounds.values())
        total = self._margin.below(max(0.0, total))
        if total > self.lower_bound:
            self.lower_bound = total
            yield BoundImproved(lower_bound=total)

    def restore(self) -> None:
        """Restore the state from the records of an earlier run, see `Context.history`."""
        groups: list[Group] = []
        for event in (record.event for record in self.context.history):
            match event:
                case IncumbentFound():
                    self._is_better(self.blocks.project(event.labels))
                case BoundImproved():
                    self.lower_bound = max(self.lower_bound, event.lower_bound)
                case PartsCut():
                    self.found = Anticlustering(self.blocks.project(event.part_of), event.parts)
                    groups, self.bounds = [(number,) for number in range(event.parts)], {}
                case PartBounded():
                    group = event.group
                    groups = [each for each in groups if not set(each) & set(group)] + [group]
                    self.bounds = {g: b for g, b in self.bounds.items() if g in groups}
                    if event.certificate or event.leaves:
                        self.bounds[group] = restored(event)
        if groups:
            self._adopt(groups)

    def _finished(self) -> Finished:
        if self.infeasible:
            return Finished.of("proved")
        if self.is_closed:
            reason: Termination = "proved" if self.settings.tolerance <= OPTIMAL_GAP else "gap"
            return Finished.of(reason)
        if math.isinf(self.upper_bound):
            message = "No clustering was found; one may exist."
            return Finished(termination="stalled", message=message)
        gap = relative_gap(self.upper_bound, self.lower_bound)
        largest = f"{self.settings.largest_part:,} blocks"
        message = f"Parts of up to {largest} leave a gap of {gap:.2g}."
        return Finished(termination="stalled", message=message)


# --- Presolve: a clustering and a bound before a tree over all blocks -----------------------------
#
# A round on some thousand blocks takes minutes; in parts they have a clustering and a bound after
# seconds. Parts are merged, but not branched: the gap that is left is for the tree.

PRESOLVE = DivideSettings()
"""Settings of a presolve but for its tolerance, which is that of the tree."""


def presolved(
    problem: Problem, context: Context, tolerance: float
) -> Generator[Event, None, Known | None]:
    """Yield the events of divide and bound, the last of them only if no tree is needed.

    `context`: If its history has nodes of a tree, it has all events of the presolve as well.
    Returns: The bounds that the tree starts from; None if the run is over.
    """
    opened = [isinstance(record.event, NodeOpened) for record in context.history]
    before = context.history[: [*opened, True].index(True)]
    settings = replace(PRESOLVE, tolerance=tolerance)
    division = Division(problem, replace(context, history=before), settings, branching=False)
    if len(before) < len(context.history):
        division.restore()
        return None if context.stop() else Known(division.upper_bound, division.lower_bound)
    for event in division.steps():
        if isinstance(event, Finished) and division.is_closed:
            yield event
            return None
        # The tree proves infeasibility, with a certificate that can be checked.
        if not isinstance(event, Finished | InfeasibilityProved):
            yield event
    return None if context.stop() else Known(division.upper_bound, division.lower_bound)
