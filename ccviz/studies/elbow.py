"""How many clusters? Objective, lower bound, silhouette and gap statistic for each k."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ccviz.api import solve
from ccviz.arrays import FloatArray
from ccviz.bounds import relative_gap
from ccviz.errors import UnsupportedError
from ccviz.numbers import number, percent
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result
from ccviz.solvers import Solver
from ccviz.studies.rows import standing

REFERENCE_SOLVER = "blp-kmeans"
BOUND_SOLVER = "sdp"


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
        Finds the clustering.
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
    result = solve(problem, solver, seed=seed, time_limit=time_limit, progress=False)
    found = result.partition if _is_answer(result) else None
    gap, error = math.nan, math.nan
    if found is not None and references:
        gap, error = _gap_statistic(problem, found.wcss, references, seed)
    bound = result.lower_bound
    if bound_time and result.status not in {"infeasible", "optimal"}:
        bound = max(bound, _lower_bound(problem, seed, bound_time))
    return Step(
        k=problem.k,
        status=result.status,
        objective=result.objective if found is not None else math.inf,
        lower_bound=bound,
        silhouette=_silhouette(result) if found is not None else math.nan,
        gap_statistic=gap,
        gap_error=error,
    )


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


COLUMNS = ("k", "objective", "lower bound", "gap", "silhouette", "gap statistic", "links")
"""What a table says of a step."""

_LINK_WORDS = {"optimal": "kept", "feasible": "kept", "infeasible": "cannot be kept"}


def in_words(step: Step) -> tuple[str, ...]:
    """Return a step as people read it.

    Parameters
    ----------
    step : Step

    Returns
    -------
    tuple of str
        One for each of `COLUMNS`.
    """
    return (
        str(step.k),
        number(step.objective),
        number(step.lower_bound),
        percent(relative_gap(step.objective, step.lower_bound)),
        number(step.silhouette, 3),
        number(step.gap_statistic, 3),
        _LINK_WORDS.get(step.status, "not found"),
    )


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
    bend = find_elbow(steps)
    if bend is not None:
        known = "proved by the bounds" if bend.proved else "not proved: the bounds leave room"
        yield f"The objective bends most, in proportion, at k = {bend.k} ({known})."
    for words, k in (
        ("The silhouette is greatest", best_by_silhouette(steps)),
        ("The gap statistic settles", best_by_gap(steps)),
    ):
        if k is not None:
            yield f"{words} at k = {k}."


def _is_answer(result: Result) -> bool:
    return result.partition is not None and result.partition.violations.none_hard


def _silhouette(result: Result) -> float:
    assert result.partition is not None
    if result.partition.problem.k == 1:
        return math.nan
    return float(standing(result.partition).silhouette.mean())


def _lower_bound(problem: Problem, seed: int, seconds: float) -> float:
    """Return a bound from the hard links alone: sizes, rules and prices only add to the optimum."""
    relaxed = Problem(
        problem.X,
        problem.k,
        problem.must_link.hard,
        problem.cannot_link.hard,
        weights=problem.weights,
    ).centred()
    try:
        found = solve(relaxed, BOUND_SOLVER, seed=seed, time_limit=seconds, progress=False)
    except UnsupportedError:
        return -math.inf
    return found.lower_bound if found.status != "infeasible" else -math.inf


def _gap_statistic(
    problem: Problem, wcss: float, references: int, seed: int
) -> tuple[float, float]:
    logs = np.log(np.maximum(_reference_costs(problem, references, seed), 1e-300))
    error = float(logs.std() * math.sqrt(1 + 1 / references))
    return float(logs.mean() - math.log(max(wcss, 1e-300))), error


def _reference_costs(problem: Problem, references: int, seed: int) -> FloatArray:
    """Return the objectives of uniform points in the box of the data, the same box for every k."""
    rng = np.random.default_rng(seed)
    low, high = problem.X.min(axis=0), problem.X.max(axis=0)
    costs = []
    for _ in range(references):
        points = rng.uniform(low, high, size=problem.X.shape)
        costs.append(
            solve(
                Problem(points, problem.k, weights=problem.weights),
                REFERENCE_SOLVER,
                seed=seed,
                progress=False,
            ).objective
        )
    return np.array(costs)
