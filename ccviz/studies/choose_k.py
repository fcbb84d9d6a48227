"""The number of clusters that a problem asks for: the least that keeps everything, or the best one.

The least number is found from 1 upwards: each number below it must be proved impossible. The number
that costs least matters where clusters have a least size, as in microaggregation (Domingo-Ferrer
and Mateo-Sanz 2002); it is found from above, and a number is left out once its bound is no less
than a clustering that is known.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ccviz.api import solve
from ccviz.errors import ProblemError, UnfillableError, quote
from ccviz.feasibility.check import check_feasibility
from ccviz.numbers import number, percent
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result
from ccviz.solvers import make_solver, solver_class
from ccviz.solvers.advice import advice, obstacle
from ccviz.studies.elbow_step import bound_at_once, in_one_cluster, with_starts

__all__ = ["FREE", "LEAST", "ChosenK", "choose_k"]

LEAST: Literal["least"] = "least"
FREE: Literal["free"] = "free"
CHOICE_S = 60.0  # Seconds to choose a number of clusters where no limit is given
_BLINK_S = 0.2  # least time for a solver, so that a clustering is found at the end too


@dataclass(frozen=True)
class ChosenK:
    """A number of clusters, and what is proved of it.

    Attributes
    ----------
    k : int
        For ``"least"`` the first number for which a clustering that keeps everything is known, for
        ``"free"`` that of the clustering that costs least.
    at_least : int
        For ``"least"``: every smaller number is proved impossible.
    objective, lower_bound : float
        Of the best clustering, and a bound on that of every number of clusters; NaN for
        ``"least"``.
    why : str
        Why one cluster less is impossible, or why other numbers do not cost less, where known.
    """

    choice: Literal["least", "free"]
    k: int
    at_least: int
    objective: float = math.nan
    lower_bound: float = math.nan
    why: str = ""

    @property
    def proved(self) -> bool:
        """Whether no other number is right."""
        if self.choice == LEAST:
            return self.at_least == self.k
        return self.lower_bound >= self.objective * (1.0 - 1e-4)

    @property
    def words(self) -> str:
        """The choice as a sentence."""
        if self.choice == FREE:
            gap = 1.0 - self.lower_bound / self.objective if self.objective > 0.0 else 0.0
            known = "proved" if self.proved else f"at most {percent(gap)} above any other number"
            costs = "cluster costs" if self.k == 1 else "clusters cost"
            return f"{self.k} {costs} least, {number(self.objective)} ({known})."
        if self.proved:
            return f"{self.k} is the least number of clusters, proved. {self.why}".rstrip()
        return f"{self.k} clusters suffice, and at least {self.at_least} are needed. {self.why}"


def choose_k(
    problem_of: Callable[[int], Problem],
    choice: str,
    *,
    time_limit: float = CHOICE_S,
    seed: int = 0,
) -> ChosenK:
    """Return the number of clusters that is asked for.

    Parameters
    ----------
    problem_of : callable
        Makes the problem with a number of clusters; raises `UnfillableError` for a number that
        sizes or rules exclude.
    choice : {"least", "free"}
        The least number for which everything can be kept, or the number that costs least.
    time_limit : float
        Seconds for all numbers together.

    Raises
    ------
    ProblemError
        If no number of clusters is possible, or none was found in the time, or the choice is none
        of the two, or centres are fixed; for ``"free"`` also if outliers are asked for, or if
        nothing keeps clusters from being single points.

    Examples
    --------
    >>> from ccviz import Problem
    >>> X = [[float(i)] for i in range(23)]
    >>> choose_k(lambda k: Problem(X, k, sizes="1-5"), "least").k
    5
    """
    if choice not in (LEAST, FREE):
        raise ProblemError(f"k = {quote(choice)} is neither a number nor 'least' nor 'free'.")
    search = _Search(time.monotonic() + time_limit, seed)
    return (search.least if choice == LEAST else search.free)(problem_of)


def _numbers(problem_of: Callable[[int], Problem]) -> Iterator[tuple[int, Problem | str]]:
    """Yield each number of clusters from 1, with its problem, or why sizes or rules exclude it."""
    k, most = 1, math.inf
    while k <= most:
        try:
            problem = problem_of(k)
        except UnfillableError as excluded:
            yield k, str(excluded)
        except ProblemError:
            if k == 1:
                raise
            return  # more clusters than points, where no number was possible before
        else:
            if problem.fixed:
                raise ProblemError("k is not chosen beside fixed centres.")
            most = problem.n_points - problem.outliers
            yield k, problem
        k += 1


@dataclass(frozen=True)
class _Search:
    """A search under a limit of time."""

    end: float
    seed: int

    def seconds(self, share: float = 1.0) -> float:
        """Return a share of the time that is left, at least a blink."""
        return max(_BLINK_S, share * (self.end - time.monotonic()))

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.end

    def least(self, problem_of: Callable[[int], Problem]) -> ChosenK:
        """Return the first number with a clustering; numbers before may remain undecided."""
        at_least, why = 1, ""
        for k, problem in _numbers(problem_of):
            can_be: bool | None = False
            reason = problem if isinstance(problem, str) else ""
            if isinstance(problem, Problem):
                can_be, reason = self._can_be_kept(problem)
            if can_be:
                return ChosenK(LEAST, k, at_least, why=why)
            if can_be is False and at_least == k:
                at_least, why = k + 1, f"With {k}: {reason}"
            if self.is_over:
                raise ProblemError(f"no number of clusters was found in the time; {why}")
        undecided = "was found" if at_least <= k else "can keep everything"
        raise ProblemError(f"no number of clusters {undecided}. {why}".rstrip())

    def _can_be_kept(self, problem: Problem) -> tuple[bool | None, str]:
        """Return whether a clustering keeps everything, None if that is not known, and why not."""
        found = check_feasibility(problem, time_limit=self.seconds(0.25), with_sums=True)
        if found.feasible is False:
            return False, found.reason
        if found.labels is not None and Partition(problem, found.labels).violations.none_hard:
            return True, ""
        if problem.k == 1:  # there is one clustering, and it does not keep everything
            return in_one_cluster(problem).violations.none_hard, "a rule is broken."
        result = self._solved(problem, 0.25)
        if result.partition is not None and result.partition.violations.none_hard:
            return True, ""
        return (False if result.status == "infeasible" else None), result.message

    def free(self, problem_of: Callable[[int], Problem]) -> ChosenK:
        """Return the number that costs least: a clustering of each, then bounds of those left."""
        problems = {k: each for k, each in _numbers(problem_of) if isinstance(each, Problem)}
        if any(problem.outliers for problem in problems.values()):
            raise ProblemError("the cost of several numbers is not compared beside outliers.")
        if not problems:
            raise ProblemError("no number of clusters is possible under these sizes and rules.")
        if max(problems) == problems[max(problems)].n_points > 1:
            raise ProblemError(
                "single points as clusters cost nothing: give a least size, such as size>=3."
            )
        bounds = {k: bound_at_once(problem) for k, problem in problems.items()}
        costs: dict[int, float] = {}
        for k in sorted(problems, reverse=True):
            if bounds[k] < min(costs.values(), default=math.inf) and not self.is_over:
                self._measure(problems[k], "blp-kmeans", 0.1 if costs else 0.3, bounds, costs)
        for k in sorted(bounds, key=bounds.__getitem__):  # the lowest bound is that of all
            if bounds[k] < min(costs.values(), default=math.inf) and not self.is_over:
                self._measure(problems[k], "", 0.5, bounds, costs)
        if not costs:
            late = " in the time" if self.is_over else ""
            raise ProblemError(f"no clustering was found that keeps everything{late}.")
        best = min(costs, key=costs.__getitem__)
        lowest = min(*bounds.values(), costs[best])
        return ChosenK(FREE, best, 1, costs[best], lowest)

    def _measure(
        self,
        problem: Problem,
        solver: str,
        share: float,
        bounds: dict[int, float],
        costs: dict[int, float],
    ) -> None:
        """Run a solver on a number of clusters; keep what its clustering costs, and its bound."""
        k = problem.k
        result = self._solved(problem, share, solver)
        bounds[k] = math.inf if result.status == "infeasible" else bounds[k]
        bounds[k] = max(bounds[k], result.lower_bound)
        if result.partition is not None and result.partition.violations.none_hard:
            costs[k] = min(costs.get(k, math.inf), result.objective)

    def _solved(self, problem: Problem, share: float, solver: str = "") -> Result:
        """Return the result of a solver, or of the one that is advised, in a share of the time."""
        seconds = self.seconds(share)
        advised = solver or advice(problem, seconds=seconds).solver
        if obstacle(solver_class(advised), problem):
            advised = advice(problem, but=advised, seconds=seconds).solver
        enough = with_starts(make_solver(advised), problem)
        return solve(problem, enough, seed=self.seed, time_limit=seconds, progress=False)
