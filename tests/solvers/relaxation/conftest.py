"""Small problems with their optima by brute force."""

import numpy as np
import pytest

from ccviz.errors import ContradictionError, ProblemError
from ccviz.problem.problem import Problem
from tests.enumeration import least_wcss


def draw_problem(seed, most=9):
    """Draw a small problem with links; None where the links contradict each other."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, most + 1))
    k = int(rng.integers(1, min(4, n) + 1))
    X = rng.normal(size=(n, int(rng.integers(1, 4)))) * 10.0 ** rng.integers(-3, 4)
    if rng.random() < 0.2:
        X = np.round(X)  # points that coincide

    def links(most):
        count = int(rng.integers(0, most + 1))
        pairs = {tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(count)}
        return sorted(pairs)

    try:
        return Problem(X, k, must_link=links(n // 3), cannot_link=links(n))
    except (ContradictionError, ProblemError):
        return None


@pytest.fixture(scope="session")
def draw():
    """Return the function that draws a small problem from a seed."""
    return draw_problem


@pytest.fixture(scope="session")
def optimum():
    """Return the function that finds the optimum by trying everything."""
    return least_wcss


@pytest.fixture(scope="session")
def small_problems():
    """Return a seeded sweep of (problem, optimum), up to 9 points."""
    drawn = [problem for seed in range(40) if (problem := draw_problem(seed, most=7)) is not None]
    drawn += [problem for seed in range(12) if (problem := draw_problem(seed, most=9)) is not None]
    return [(problem, least_wcss(problem)) for problem in drawn]
