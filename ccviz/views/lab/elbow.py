"""How many clusters? Clusterings for every number first, then statistics, then higher bounds.

After the clusterings each number takes what those beside it, and runs of the archive, have better.

One cluster needs no search, and its row is there at once. A process of each further group of
numbers shows its rows when it ends: the first has one number, and each further one twice as many.

A number may also be chosen, the least or the one that costs least: see `ccviz.studies.choose_k`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import param

from ccviz.errors import CcvizError, UnfillableError, UnsupportedError
from ccviz.problem.asked import AnyAsked
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.runs.archive import Archive
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver, make_solver
from ccviz.studies.choose_k import CHOICE_S, ChosenK, choose_k
from ccviz.studies.elbow import bounded_by_more
from ccviz.studies.elbow_step import (
    Candidate,
    Step,
    bounded,
    clustered,
    compared,
    from_neighbors,
    from_runs,
    impossible,
    with_starts,
)
from ccviz.views.draft import Draft
from ccviz.views.lab.notice import as_sentence, unable
from ccviz.views.lab.personal_archive import personal_archive
from ccviz.views.lab.queued_call import QueuedCall
from ccviz.views.lab.runner import RunQueue
from ccviz.views.person import Person

_QUICK = ("blp-kmeans", "bh-kmeans", "colgen")
"""The solvers that find clusterings; the first that supports the problem is taken."""

_MOST_TIME_S = 30.0  # time limit of one clustering
_SPARE_S = 120.0  # time for starting a process, compiling, and clustering uniform points
_REFERENCES = 3
_MOST_COMPARED = 20_000
"""Points beyond which nothing is compared with uniform ones."""

_MOST_AT_ONCE = 100_000
"""Points up to which the row of one cluster is computed while the browser waits."""

CLUSTERS, JOINS = "clustering", "splitting and merging clusters"  # what a process does
COMPARES, PROVES = "comparing with uniform points", "raising the bound"


@dataclass(frozen=True)
class Work:
    """What one process works out."""

    numbers: tuple[int, ...]
    what: str


class Elbow(QueuedCall):
    """The sweep of one session; it waits in the server's queue like a run."""

    steps = param.Parameter(default=())  # What is known so far, by k
    # What is being worked out; None while nothing is.
    at = param.ClassSelector(class_=Work, default=None, allow_None=True)
    # The number that was chosen last, or why there is none; None if that was not asked.
    chosen = param.ClassSelector(class_=(ChosenK, str), default=None, allow_None=True)

    def __init__(
        self, archive: Archive, queue: RunQueue, person: Person, pool: WorkerPool | None = None
    ) -> None:
        super().__init__(person.quota, pool, queue)
        self._archive, self._person = archive, person
        self.draft: Draft | None = None  # Of which the sweep is
        # Rules beside which a number is chosen; None for those of the draft.
        self.rules: tuple[AnyAsked, ...] | None = None
        self._numbers: dict[int, Candidate] = {}
        self._todo: list[Work] = []
        self._bound_s = 0.0
        self._seed = 0

    @property
    def must_keep(self) -> bool:
        """Whether the problem that is measured has hard constraints."""
        numbers = self._numbers.values()
        return any(each.problem is None or each.problem.must_keep for each in numbers)

    def start(self, draft: Draft, low: int, high: int, bound_s: float, seed: int = 0) -> None:
        """Measure a problem's points and links for each number of clusters; sizes are left aside.

        Raises `CcvizError` if a number is out of range, or centres are fixed.
        """
        if draft.fixed_centers:
            raise UnsupportedError("Numbers of clusters are not compared beside fixed centres.")
        numbers = [_candidate(draft, k, seed) for k in range(low, max(low, high) + 1)]
        self.stop()
        self.chosen, self.draft, self.rules = None, draft, None
        self._numbers = {each.k: each for each in numbers}
        self._bound_s, self._seed = bound_s, seed
        self._todo = _works(numbers, proves=bound_s > 0.0)
        self.steps = self._known()
        self._next()

    def choose(
        self, draft: Draft, choice: str, seed: int = 0, rules: tuple[AnyAsked, ...] | None = None
    ) -> None:
        """Find the least number of clusters, or the one that costs least; sizes are left aside.

        `rules`: In place of the draft's, which its own number of clusters may not keep.
        """
        self.stop()
        self.steps, self.chosen, self.draft, self._todo = (), None, draft, []
        self.rules, asked = rules, draft.rules if rules is None else rules
        free = draft.with_rules(()).with_k(1).given
        seconds = min(CHOICE_S, self._quota.run_s)
        self._begin_call(chosen, (free, asked, choice, seconds, seed), seconds + _SPARE_S)
        self.at = Work((), choice)

    def _take(self, answer: tuple[Step, ...] | ChosenK) -> None:
        if isinstance(answer, ChosenK):
            self.chosen = answer
            self.stop()
            return
        for step in answer:
            self._numbers[step.k] = replace(self._numbers[step.k], step=step)
        self.steps = self._known()
        self._next()

    def _fail(self, failed: CcvizError) -> None:
        chooses = self.at is not None and not self.at.numbers
        self.stop()
        if not chooses:
            raise failed
        self.chosen = as_sentence(str(failed))

    def _leave(self) -> None:
        """Keep the turn as long as there is more to do."""
        if not self._todo:
            super()._leave()

    def _known(self) -> tuple[Step, ...]:
        """Return the steps so far, each with the highest bound that holds for it."""
        numbers = list(self._numbers.values())
        steps = [each.step for each in numbers if each.step is not None]
        problem = next((each.problem for each in numbers if each.problem is not None), None)
        return tuple(steps) if problem is None else bounded_by_more(problem, steps)

    def _next(self) -> None:
        if not self._todo:
            self.stop()
            return
        at = self._todo.pop(0)
        numbers = [self._numbers[k] for k in at.numbers]
        about: dict[str, tuple[Callable[..., Any], float, tuple[Any, ...]]] = {
            CLUSTERS: (clustered, _MOST_TIME_S, (_MOST_TIME_S,)),
            JOINS: (joined, 3 * _MOST_TIME_S, (_MOST_TIME_S, self._archive.path, self._person)),
            COMPARES: (compared, _REFERENCES * _MOST_TIME_S, (_REFERENCES,)),
            PROVES: (bounded, self._bound_s, (self._bound_s,)),
        }
        work, seconds_each, settings = about[at.what]
        seconds = min(seconds_each * len(numbers) + _SPARE_S, self._quota.run_s)
        self._begin_call(work, (numbers, self._seed, *settings), seconds)
        self.at = at

    def stop(self) -> None:
        """End the sweep; its results stay."""
        self._todo = []
        super().stop()
        self.at = None


def _candidate(draft: Draft, k: int, seed: int) -> Candidate:
    """Return who clusters what for a number of clusters, and what is known of it at once."""
    free = draft.with_rules(()).with_k(k)
    try:
        ruled = free.with_rules(draft.rules)
    except UnfillableError:
        return Candidate(k, None, None, impossible(k))
    solver = finder(ruled)
    problem = ruled.problem_for(solver)
    solver = with_starts(solver, problem)
    candidate = Candidate(k, problem, solver, None)
    if problem.k > 1 or problem.n > _MOST_AT_ONCE:
        return candidate
    return replace(candidate, step=clustered([candidate], seed, _MOST_TIME_S)[0])


def _works(numbers: list[Candidate], proves: bool) -> list[Work]:
    """Return what is left to do for numbers that the rules allow, in order."""
    searched = [each.k for each in numbers if each.step is None]
    allowed = [(each.k, each.problem) for each in numbers if each.problem is not None]
    few = [k for k, problem in allowed if problem.n <= _MOST_COMPARED]
    works = [Work(group, CLUSTERS) for group in _doubling(searched)]
    works += [Work(tuple(k for k, _ in allowed), JOINS)] if searched else []
    works += [Work(group, COMPARES) for group in _doubling(few)]
    if proves:
        works += [Work((k,), PROVES) for k, problem in allowed if problem.k > 1]
    return works


def joined(
    candidates: list[Candidate], seed: int, seconds: float, path: Path, person: Person
) -> tuple[Step, ...]:
    """Return the steps with what a person's runs, and the numbers beside each, have better."""
    numbers = {each.k: each for each in candidates}
    problems = {k: each.problem for k, each in numbers.items() if each.problem is not None}
    with Archive(path) as archive:
        own = personal_archive(archive, person)
        steps = [from_runs(own, problems[k], each.step) for k, each in numbers.items() if each.step]
    solver = candidates[-1].solver or _QUICK[0]
    return from_neighbors(problems, steps, solver, seed=seed, time_limit=seconds)


def chosen(
    problem: Problem, rules: tuple[AnyAsked, ...], choice: str, seconds: float, seed: int
) -> ChosenK:
    """Return the number of clusters that is chosen for a problem under rules."""

    def with_k(k: int) -> Problem:
        return with_rules(replace(problem, k=k), rules, keeps_rules=False)

    return choose_k(with_k, choice, time_limit=seconds, seed=seed)


def finder(draft: Draft) -> Solver:
    """Return the solver that finds the clusterings of a sweep."""
    cannot = unable(draft)
    able = [name for name in _QUICK if name not in cannot]
    if not able:
        raise UnsupportedError("no quick solver keeps all of this together; take something away.")
    return make_solver(able[0])


def _doubling(numbers: list[int]) -> list[tuple[int, ...]]:
    """Return the numbers in order, in groups of 1, 2, 4 and so on."""
    groups: list[tuple[int, ...]] = []
    while numbers:
        size = 2 ** len(groups)
        groups.append(tuple(numbers[:size]))
        numbers = numbers[size:]
    return groups
