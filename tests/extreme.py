"""Small problems whose numbers lie far apart, and what is wrong with a solver's answer to one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccviz import Problem, start
from ccviz.bounds import OPTIMAL_GAP, ROUNDING
from ccviz.errors import ProblemError
from ccviz.events import BoundImproved
from tests.exact import exact_cost, exact_optimum

KINDS = ("groups", "ratios", "offset", "duplicates", "grid")
EXACT = ("rbba", "colgen", "sdp")
BOUNDED = (*EXACT, "divide", "ipc-kmeans")

_OBJECTIVE = Fraction(1, 10**13)  # relative error of a recomputed objective
_SETTINGS: dict[str, dict[str, Any]] = {
    "rbba": {"starts": 1},
    "colgen": {"starts": 1},
    "sdp": {"time_limit": 0.5},
    "divide": {"part_size": 2, "tolerance": 1e-4},
    "ipc-kmeans": {"time_limit": 0.5},
}  # k-means finds the optimum; a relaxation goes on for long where rounding leaves a gap


def points(rng: np.random.Generator, kind: str, n: int, d: int) -> np.ndarray:
    """Return points of ratios to 1e30: tight groups, single numbers, far off, equal, or whole."""
    X = rng.normal(size=(n, d))
    far = 10.0 ** rng.uniform(0, 30)
    if kind == "groups":
        centers = far * rng.integers(-2, 3, size=(3, 1)) * 10.0 ** rng.uniform(-15, 0, size=(3, 1))
        return X * 10.0 ** rng.uniform(-2, 1) + centers[rng.integers(3, size=n)]
    if kind == "ratios":
        return X * 10.0 ** rng.uniform(-15, 15, size=(n, 1))
    if kind == "offset":
        return X * 10.0 ** rng.uniform(-3, 3) + rng.choice([-far, far], size=d)
    if kind == "duplicates":
        return (X * 10.0 ** rng.uniform(-15, 15, size=(n, 1)))[rng.integers(n, size=n)]
    return rng.integers(-3, 4, size=(n, d)) * far


def extreme_problem(seed: int) -> Problem:
    """Return a problem of 3 to 7 points, half of them with hard links; k is often n - 1."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n, d = int(rng.integers(3, 8)), int(rng.choice([1, 2, 9]))
    X = points(rng, kind, n, d)
    k = n - 1 if rng.random() < 0.25 else int(rng.integers(1, n))
    links = rng.integers(n, size=(int(rng.choice([0, 0, 2, 4])), 2))
    links = links[links[:, 0] != links[:, 1]]
    is_must = rng.random(len(links)) < 0.4
    try:
        return Problem(X, k, must_link=links[is_must], cannot_link=links[~is_must])
    except ProblemError:  # links that contradict each other, or leave fewer blocks than k
        return Problem(X, k)


def flaws(problem: Problem, solver: str) -> tuple[str, list[str]]:
    """Return the status that a solver ends with, and what is wrong with its answer."""
    stepper = start(problem, solver, **_SETTINGS.get(solver, {}))
    bounds = [r.event.lower_bound for r in stepper if isinstance(r.event, BoundImproved)]
    result = stepper.result()
    optimum = exact_optimum(problem)
    if optimum is None:
        return result.status, ["feasible"] if result.partition else []
    wrong = ["infeasible"] if result.status == "infeasible" else []
    if any(Fraction(bound) > optimum for bound in bounds):
        wrong.append("bound")
    if result.partition is None:
        return result.status, wrong
    cost = exact_cost(problem.X, result.partition.labels)
    if abs(Fraction(result.objective) - cost) > _OBJECTIVE * cost:
        wrong.append("objective")
    allowed = Fraction(OPTIMAL_GAP + 2 * ROUNDING)
    if result.status == "optimal" and (cost - optimum > allowed * cost or result.gap > allowed):
        wrong.append("status")
    return result.status, wrong
