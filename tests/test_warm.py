import pytest

from ccviz.errors import UnsupportedError
from ccviz.solvers import SOLVERS
from ccviz.warm import examples


def taken(solver):
    """Return the examples that a solver runs on."""
    for problem in examples():
        try:
            solver().check(problem)
        except UnsupportedError:
            continue
        yield problem


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_every_solver_is_warmed_by_all_that_it_supports(solver):
    problems = [*taken(solver)]
    assert any(not problem.is_soft for problem in problems)
    assert any(problem.is_soft for problem in problems) == solver.supports.soft
    assert any(problem.sizes is not None for problem in problems) == solver.supports.sizes
