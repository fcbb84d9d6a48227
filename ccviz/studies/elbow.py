"""How many clusters? Objective, lower bound, silhouette and gap statistic for each k."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ccviz.api import solve
from ccviz.arrays import FloatArray
from ccviz.bounds import relative_gap
from ccviz.errors import UnsupportedError
from ccviz.numbers import number, percent
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result
from ccviz.solvers import Solver
from ccviz.solvers.search.margin import margin_of
from ccviz.studies.rows import standing

REFERENCE_SOLVER = "blp-kmeans"
BOUND_SOLVER = "divide"
"""Proves the lower bounds: it splits many points into parts, and gives few points to `sdp`."""


@dataclass(frozen=True)
class Step:
    """What is known about one number of clusters.

    Attributes
    ----------
    k : int
    status : str
        Of the run: "infeasible" if it is proved that the links cannot be kept with k clusters.
    objective : float
        Of the best clustering found; ``inf`` without one.
    lower_bound : float
        Proved: no clustering that keeps the constraints costs less; ``-inf`` without one.
    silhouette : float
        Mean over the points; NaN for one cluster.
    gap_statistic, gap_error : float
        Of Tibshirani, Walther and Hastie (2001), and its standard error; NaN without a clustering.
        The reference points are unconstrained.
    """

    k: int
    status: str
    objective: float
    lower_bound: float
    silhouette: float
    gap_statistic: float
    gap_error: float


def impossible(k: int) -> Step:
    """Return the step of a number of clusters with which the rules on sizes cannot be kept.

    Parameters
    ----------
    k : int

    Returns
    -------
    Step
    """
    return Step(k, "infeasible", math.inf, -math.inf, math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Elbow:
    """Where the objective bends most in proportion, and whether that is proved.

    Attributes
    ----------
    k : int
    proved : bool
        Whether the bend at k is the sharpest whatever the optima between the bounds may be.
    """

    k: int
    proved: bool


def measure(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    seed: int = 0,
    references: int = 5,
    bound_time: float = 10.0,
    time_limit: float | None = None,
) -> Step:
    """Return what is known about a problem's number of clusters.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver
        Finds the clustering; up to the same number of outliers is left out for each k.
    seed : int
    references : int
        Sets of uniform points for the gap statistic; 0 for none.
    bound_time : float
        Seconds for the lower bound; 0 for none.
    time_limit : float, optional
        Seconds for the clustering.

    Returns
    -------
    Step
    """
    step = cluster(problem, solver, seed=seed, references=references, time_limit=time_limit)
    return bound(problem, step, bound_time, seed=seed) if bound_time else step


def cluster(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    seed: int = 0,
    references: int = 5,
    time_limit: float | None = None,
) -> Step:
    """Return what one clustering says about its number of clusters.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver
    seed : int
    references : int
        Sets of uniform points for the gap statistic; 0 for none.
    time_limit : float, optional
        Seconds for the clustering.

    Returns
    -------
    Step
        Its lower bound is what the solver proves, and exact for one cluster.

    Raises
    ------
    UnsupportedError
        If centres are fixed, or the solver cannot have the problem.
    """
    if problem.fixed:
        raise UnsupportedError("Numbers of clusters are not compared beside fixed centres.")
    result = solve(problem, solver, seed=seed, time_limit=time_limit, progress=False)
    found = result.partition if _is_answer(result) else None
    if found is None:
        unknown = impossible(problem.n_clusters)
        return replace(unknown, status=result.status, lower_bound=result.lower_bound)
    gap, error = math.nan, math.nan
    if references:
        gap, error = _gap_statistic(problem, found.wcss, references, seed)
    bound = result.lower_bound
    if problem.k == 1:  # there is no other clustering
        bound = max(bound, margin_of(problem).below(result.objective))
    return Step(
        problem.n_clusters, result.status, result.objective, bound, _silhouette(found), gap, error
    )


def bound(problem: Problem, step: Step, seconds: float, *, seed: int = 0) -> Step:
    """Return a step with a proved lower bound, and with the better clustering if one is met.

    Parameters
    ----------
    problem : Problem
    step : Step
        What `cluster` says of it.
    seconds : float
        Time limit.
    seed : int

    Returns
    -------
    Step
    """
    if problem.k == 1 or step.status in {"infeasible", "optimal"}:
        return step
    relaxed = _without_the_rest(problem)
    try:
        result = solve(relaxed, BOUND_SOLVER, seed=seed, time_limit=seconds, progress=False)
    except UnsupportedError:
        return step
    if result.status == "infeasible":
        return impossible(problem.n_clusters)
    if has_hard_links_only(problem) and _is_answer(result) and result.objective < step.objective:
        assert result.partition is not None
        step = _with_clustering(step, result.partition)
    return replace(step, lower_bound=max(step.lower_bound, result.lower_bound))


def bounded_by_more(problem: Problem, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps with the lower bounds of larger k, where these are higher.

    Under hard links alone a cluster can be split at no cost. So the optimum does not rise with k,
    and a bound proved for more clusters holds for fewer. With sizes, rules or soft links that need
    not be so, and the steps stay as they are.

    Parameters
    ----------
    problem : Problem
        That of any of the steps.
    steps : sequence of Step
        By k.

    Returns
    -------
    tuple of Step
    """
    if not has_hard_links_only(problem):
        return tuple(steps)
    highest, bounded = -math.inf, []
    for step in reversed(steps):
        highest = max(highest, step.lower_bound)
        feasible = step.status != "infeasible"
        bounded.append(replace(step, lower_bound=highest) if feasible else step)
    return tuple(reversed(bounded))


def find_elbow(steps: Sequence[Step]) -> Elbow | None:
    """Return where a step to k gains most against the next: f(k-1) / f(k) over f(k) / f(k+1).

    Ratios, for the first steps gain most in any data if differences are compared.

    Parameters
    ----------
    steps : sequence of Step
        By consecutive k.

    Returns
    -------
    Elbow or None
        None where no three consecutive k have a clustering.
    """
    bends = [_bend(*three) for three in zip(steps, steps[1:], steps[2:], strict=False)]
    known = [each for each in bends if each is not None]
    if not known:
        return None
    k, _, low, _ = max(known, key=lambda bend: bend[1])
    others = [high for other, _, _, high in known if other != k]
    return Elbow(k, len(known) == len(bends) and all(low >= high for high in others))


def _bend(before: Step, here: Step, after: Step) -> tuple[int, float, float, float] | None:
    """Return k, its ratio of ratios, and the range in which that of the optima lies."""
    if not (before.objective < math.inf and 0 < here.objective < math.inf > after.objective):
        return None
    least, low_before, low_after = (max(step.lower_bound, 0.0) for step in (here, before, after))
    found = before.objective * after.objective / here.objective**2
    low = low_before * low_after / here.objective**2
    high = before.objective * after.objective / least**2 if least > 0 else math.inf
    return here.k, found, low, high


def best_by_gap(steps: Sequence[Step]) -> int | None:
    """Return the least k whose gap statistic the next one does not surpass by its error.

    Parameters
    ----------
    steps : sequence of Step
        By consecutive k.

    Returns
    -------
    int or None
    """
    for here, after in pairwise(steps):
        if here.gap_statistic >= after.gap_statistic - after.gap_error:
            return here.k
    return None


def best_by_silhouette(steps: Sequence[Step]) -> int | None:
    """Return the k with the greatest mean silhouette.

    Parameters
    ----------
    steps : sequence of Step

    Returns
    -------
    int or None
    """
    known = [step for step in steps if not math.isnan(step.silhouette)]
    return max(known, key=lambda step: step.silhouette).k if known else None


_FIGURES = ("k", "objective", "lower bound", "gap", "silhouette", "gap statistic")
_LINK_WORDS = {"optimal": "kept", "feasible": "kept", "infeasible": "cannot be kept"}


def columns(must_keep: bool) -> tuple[str, ...]:
    """Return the columns of a table of steps.

    Parameters
    ----------
    must_keep : bool
        Whether the problem has hard constraints.

    Returns
    -------
    tuple of str
    """
    return (*_FIGURES, "constraints") if must_keep else _FIGURES


def in_words(step: Step, must_keep: bool) -> tuple[str, ...]:
    """Return a step as people read it.

    Parameters
    ----------
    step : Step
    must_keep : bool
        Whether the problem has hard constraints.

    Returns
    -------
    tuple of str
        One for each of `columns`.
    """
    figures = (
        str(step.k),
        number(step.objective),
        number(step.lower_bound),
        percent(relative_gap(step.objective, step.lower_bound)),
        number(step.silhouette, 3),
        number(step.gap_statistic, 3),
    )
    return (*figures, _LINK_WORDS.get(step.status, "not found")) if must_keep else figures


def findings(steps: Sequence[Step]) -> Iterator[str]:
    """Yield a sentence for each way to choose k that has an answer.

    Parameters
    ----------
    steps : sequence of Step
        By consecutive k.

    Yields
    ------
    str
    """
    elbow = find_elbow(steps)
    if elbow is not None:
        known = "The bounds prove it." if elbow.proved else "The bounds do not prove it."
        yield f"Elbow: k = {elbow.k}. More clusters lower the objective little. {known}"
    silhouette = best_by_silhouette(steps)
    if silhouette is not None:
        yield f"Silhouette: k = {silhouette}. There the clusters are most clearly apart."
    gap = best_by_gap(steps)
    if gap is not None:
        yield f"Gap statistic: k = {gap}. With more, uniform points would gain as much."


def _is_answer(result: Result) -> bool:
    return result.partition is not None and result.partition.violations.none_hard


def _silhouette(found: Partition) -> float:
    if found.problem.n_clusters == 1:
        return math.nan
    return float(standing(found).silhouette[found.shown >= 0].mean())


def _without_the_rest(problem: Problem) -> Problem:
    """Return a problem that costs no more: sizes, rules and soft links only add to the optimum."""
    hard = problem.must_link.hard, problem.cannot_link.hard
    return Problem(problem.X, problem.k, *hard, weights=problem.weights)


def has_hard_links_only(problem: Problem) -> bool:
    """Return whether a problem has neither sizes nor rules nor soft links.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    bool
    """
    soft = len(problem.must_link.soft) + len(problem.cannot_link.soft)
    return not (soft or problem.sizes is not None or problem.rules)


def _with_clustering(step: Step, found: Partition) -> Step:
    """Return a step with another clustering; its gap statistic moves by the logarithms."""
    moved = _log(step.objective) - _log(found.wcss) if step.objective < math.inf else math.nan
    return replace(
        step,
        status="feasible",
        objective=found.wcss,
        silhouette=_silhouette(found),
        gap_statistic=step.gap_statistic + moved,
    )


def _log(cost: float) -> float:
    """Return the logarithm of a cost that may be 0."""
    return math.log(max(cost, 1e-300))


def _gap_statistic(
    problem: Problem, wcss: float, references: int, seed: int
) -> tuple[float, float]:
    logs = np.log(np.maximum(_reference_costs(problem, references, seed), 1e-300))
    error = float(logs.std() * math.sqrt(1 + 1 / references))
    return float(logs.mean() - _log(wcss)), error


def _reference_costs(problem: Problem, references: int, seed: int) -> FloatArray:
    """Return the objectives of uniform points in the box of the data, the same box for every k."""
    rng = np.random.default_rng(seed)
    low, high = problem.X.min(axis=0), problem.X.max(axis=0)
    costs = []
    for _ in range(references):
        points = rng.uniform(low, high, size=problem.X.shape)
        reference = Problem(
            points, problem.n_clusters, weights=problem.weights, outliers=problem.outliers
        )
        costs.append(solve(reference, REFERENCE_SOLVER, seed=seed, progress=False).objective)
    return np.array(costs)
