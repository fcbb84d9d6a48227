import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.admm import cold_start, exchange_cuts
from ccviz.solvers.relaxation.engine import iterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.relaxation.scs_backend import solve_by_scs
from tests.solvers.relaxation.cvxpy_reference import solve_textbook


def test_scs_proves_the_same_bound():
    rng = np.random.default_rng(4)
    problem = Problem(rng.normal(size=(12, 2)), 3, must_link=[(0, 1)], cannot_link=[(2, 3), (4, 5)])
    relaxation = relax(contract(problem))
    at = exchange_cuts(relaxation, iterate(relaxation, cold_start(relaxation), 50), 30, 1e-4)[0]
    solved = solve_by_scs(relaxation, at, 1e-7)
    value, Z = solve_textbook(relaxation, at.cuts)
    assert solved.lower_bound == pytest.approx(value, rel=1e-5)
    assert solved.lower_bound <= value * (1 + 1e-7)
    np.testing.assert_allclose(relaxation.to_z(solved.Y), Z, atol=1e-3)
