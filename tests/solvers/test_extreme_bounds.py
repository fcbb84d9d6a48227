"""Bounds and statuses against exact optima, of problems whose numbers lie far apart."""

import numpy as np
import pytest

from ccviz import Partition, Problem, solve
from ccviz.solvers import SOLVERS
from tests.exact import exact_cost, exact_optimum
from tests.extreme import BOUNDED, EXACT, extreme_problem, flaws

FAR = [
    Problem(np.array([[0.49], [0.39], [0.07], [1e16], [1e16], [2e16]]), 4),
    Problem(np.array([[0.0], [2.0], [3.0], [1e16], [1e16 + 2.0], [3e16]]), 3),
    Problem(1e9 * np.repeat(np.eye(3), 2, axis=0) + np.array([[0, 1, 2]] * 6) * np.c_[:6] / 7, 4),
]


def test_every_solver_with_bounds_is_looked_at():
    assert {each.name for each in SOLVERS if each.supports.bounds} == set(BOUNDED)
    assert {each.name for each in SOLVERS if each.supports.exact} == set(EXACT)


@pytest.mark.parametrize("solver", BOUNDED)
@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 30), marks=pytest.mark.slow)])
def test_no_bound_is_above_the_exact_optimum(solver, seeds):
    wrong = {seed: found for seed in seeds if (found := flaws(extreme_problem(seed), solver)[1])}
    assert not wrong


@pytest.mark.parametrize("solver", BOUNDED)
@pytest.mark.parametrize("problem", FAR, ids=["far", "farther", "tight"])
def test_groups_far_apart(problem, solver):
    assert not flaws(problem, solver)[1]


@pytest.mark.parametrize("problem", FAR, ids=["far", "farther", "tight"])
def test_exhaustion_proves_groups_far_apart(problem):
    result = solve(problem, "rbba")
    assert result.status == "optimal"
    assert result.objective == pytest.approx(float(exact_optimum(problem)), rel=1e-12)
    assert 0.0 < result.lower_bound < result.objective


def test_a_gap_that_rounding_leaves_is_named():
    result = solve(FAR[0], "colgen")
    assert (result.status, result.termination) == ("feasible", "stalled")
    assert "gap of 1" in result.message


@pytest.mark.parametrize("seed", range(40))
def test_the_recomputed_objective_is_exact_to_thirteen_digits(seed):
    problem = extreme_problem(seed)
    labels = np.random.default_rng(seed).integers(problem.k, size=problem.n)
    exact = float(exact_cost(problem.X, labels))
    assert Partition(problem, labels).wcss == pytest.approx(exact, rel=1e-13, abs=0.0)
