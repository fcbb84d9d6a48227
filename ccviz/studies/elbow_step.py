"""What is measured of one number of clusters: its cost, a lower bound, and two statistics.

The clustering comes first, with what is known at once; it is then compared with uniform points,
and its bound is raised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ccviz.api import solve
from ccviz.errors import UnsupportedError
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result
from ccviz.solvers import Solver
from ccviz.solvers.search.margin import margin_of
from ccviz.studies.eigenvalue_bound import eigenvalue_bound
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
    wcss : float
        Of the clustering: the objective without the weights of broken soft links.
    """

    k: int
    status: str
    objective: float
    lower_bound: float
    silhouette: float
    gap_statistic: float
    gap_error: float
    wcss: float = math.nan


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
        Seconds for raising the lower bound; 0 to leave it as it is known at once.
    time_limit : float, optional
        Seconds for the clustering.

    Returns
    -------
    Step
    """
    step = cluster(problem, solver, seed=seed, time_limit=time_limit)
    step = compare(problem, step, references, seed=seed)
    return bound(problem, step, bound_time, seed=seed) if bound_time else step


def cluster(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    seed: int = 0,
    time_limit: float | None = None,
) -> Step:
    """Return what one clustering says about its number of clusters.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver
        Not used for one cluster, of which there is one clustering.
    seed : int
    time_limit : float, optional
        Seconds for the clustering.

    Returns
    -------
    Step
        Without a gap statistic. Its lower bound is what the solver or the eigenvalues prove, and
        exact for one cluster.

    Raises
    ------
    UnsupportedError
        If centres are fixed, or the solver cannot have the problem.
    """
    if problem.fixed:
        raise UnsupportedError("Numbers of clusters are not compared beside fixed centres.")
    if problem.k == 1:
        return _one_cluster(problem)
    result = solve(problem, solver, seed=seed, time_limit=time_limit, progress=False)
    bound = max(result.lower_bound, eigenvalue_bound(problem))
    found = result.partition if _is_answer(result) else None
    if found is None:
        known = impossible(problem.n_clusters)
        unproved = result.status != "infeasible"
        return replace(known, status=result.status, lower_bound=bound) if unproved else known
    return _step_of(found, result.status, bound)


def _one_cluster(problem: Problem) -> Step:
    """Return what is known of one cluster: all of it, for there is no other clustering."""
    found = _together(problem)
    if not found.violations.none_hard:
        return impossible(1)
    return _step_of(found, "optimal", margin_of(problem).below(found.objective))


def _step_of(found: Partition, status: str, bound: float) -> Step:
    k, cost, silhouette = found.problem.n_clusters, found.objective, _silhouette(found)
    return Step(k, status, cost, bound, silhouette, math.nan, math.nan, found.wcss)


def _together(problem: Problem) -> Partition:
    return Partition(problem, np.zeros(problem.n, dtype=np.int64))


def compare(problem: Problem, step: Step, references: int, *, seed: int = 0) -> Step:
    """Return a step with its gap statistic, if it has a clustering.

    Parameters
    ----------
    problem : Problem
    step : Step
        What `cluster` says of it.
    references : int
        Sets of uniform points; 0 for none.
    seed : int

    Returns
    -------
    Step
    """
    if not (references and step.objective < math.inf):
        return step
    logs = np.array([_log(cost) for cost in _reference_costs(problem, references, seed)])
    error = float(logs.std() * math.sqrt(1 + 1 / references))
    gap = float(logs.mean()) - _log(step.wcss)
    return replace(step, gap_statistic=gap, gap_error=error)


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
        wcss=found.wcss,
        silhouette=_silhouette(found),
        gap_statistic=step.gap_statistic + moved,
    )


def _log(cost: float) -> float:
    """Return the logarithm of a cost that may be 0."""
    return math.log(max(cost, 1e-300))


def _reference_costs(problem: Problem, references: int, seed: int) -> list[float]:
    """Return the objectives of uniform points in the box of the data, the same box for every k."""
    rng = np.random.default_rng(seed)
    low, high = problem.X.min(axis=0), problem.X.max(axis=0)
    costs = []
    for _ in range(references):
        points = rng.uniform(low, high, size=problem.X.shape)
        reference = Problem(
            points, problem.n_clusters, weights=problem.weights, outliers=problem.outliers
        )
        costs.append(_least_found(reference, seed))
    return costs


def _least_found(problem: Problem, seed: int) -> float:
    if problem.k == 1:
        return _together(problem).wcss
    return solve(problem, REFERENCE_SOLVER, seed=seed, progress=False).objective
