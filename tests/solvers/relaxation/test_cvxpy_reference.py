import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.solvers.relaxation.cuts import no_cuts
from ccviz.solvers.relaxation.model import relax
from tests.solvers.relaxation.cvxpy_reference import solve_textbook


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
