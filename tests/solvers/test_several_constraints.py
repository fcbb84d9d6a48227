"""Two or three kinds of constraint at once, and edits of them, against brute force."""

import pytest

from ccviz import start
from ccviz.runs.earlier import same_points
from ccviz.solvers import make_solver
from tests.constrained import faults_of, problems_of_several
from tests.seeds import seeds

EXACT = ["sdp", "colgen", "rbba"]


@pytest.mark.parametrize("seed", seeds(4, 300))
@pytest.mark.parametrize("name", EXACT)
def test_nothing_false_is_said_under_several_constraints(name, seed):
    solver = make_solver(name)
    problem, edited = problems_of_several(seed, solver)
    if problem is None:
        return
    result = start(problem, solver, seed=1).result()
    assert list(faults_of(result, "proof")) == []
    if edited is not None and solver.supports.start and same_points(problem, edited):
        goes_on = start(edited, solver, seed=1, start=result).result()
        assert list(faults_of(goes_on, "proof")) == []
