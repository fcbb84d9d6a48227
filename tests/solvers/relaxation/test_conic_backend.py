import cvxpy
import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.admm import cold_start, exchange_cuts
from ccviz.solvers.relaxation.cuts import no_cuts
from ccviz.solvers.relaxation.engine import iterate, solve_by_cvxpy
from ccviz.solvers.relaxation.model import relax
from tests.solvers.relaxation.cvxpy_reference import solve_textbook


@pytest.mark.parametrize("solver", ["cvxpy", "scs"])
def test_conic_solvers_prove_the_same_bound(solver):
    rng = np.random.default_rng(4)
    problem = Problem(rng.normal(size=(12, 2)), 3, must_link=[(0, 1)], cannot_link=[(2, 3), (4, 5)])
    relaxation = relax(contract(problem))
    at = exchange_cuts(relaxation, iterate(relaxation, cold_start(relaxation), 50), 30, 1e-4)[0]
    solved = solve_by_cvxpy(relaxation, at, solver, 1e-7)
    value, Z = solve_textbook(relaxation, at.cuts)
    assert solved.lower_bound == pytest.approx(value, rel=1e-4)
    assert solved.lower_bound <= value * (1 + 1e-7)
    np.testing.assert_allclose(relaxation.to_z(solved.Y), Z, atol=1e-3)
    assert solved.weights.shape == at.weights.shape
    assert len(at.cuts)


def test_a_solver_that_fails_gives_nothing(monkeypatch):
    def fail(*_, **__):
        raise cvxpy.error.SolverError("no luck")

    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    relaxation = relax(contract(Problem(np.eye(4), 2)))
    assert solve_by_cvxpy(relaxation, cold_start(relaxation), "scs", 1e-4) is None


def test_the_relaxation_lies_below_the_optimum(small_problems):
    checked = 0
    for problem, optimum in small_problems[:12]:
        relaxation = relax(contract(problem))
        if np.isfinite(optimum) and problem.X.std() > 0.1:
            value, Z = solve_textbook(relaxation, no_cuts(problem.k))
            assert value <= optimum + 1e-5 * relaxation.constant
            np.testing.assert_allclose(Z @ relaxation.mass, 1.0, atol=1e-4)
            checked += 1
    assert checked > 3


def test_two_far_pairs_are_solved_by_the_relaxation_alone():
    from ccviz.problem.problem import Problem

    problem = Problem([[0.0], [1.0], [100.0], [101.0]], 2)
    value, Z = solve_textbook(relax(contract(problem)), no_cuts(2))
    assert value == pytest.approx(1.0, abs=1e-3)
    assert Z[0, 1] == pytest.approx(0.5, abs=1e-3)
