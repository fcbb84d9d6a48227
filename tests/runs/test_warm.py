import pytest

from ccviz.errors import UnsupportedError
from ccviz.runs.stepper import start
from ccviz.runs.warm import examples, load
from ccviz.solvers import SOLVERS, make_solver


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


def test_loading_is_off_the_clock_of_the_run(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr("ccviz.runs.warm._run", lambda *_: now.__setitem__(0, 5.0))
    stepper = start(examples()[0], make_solver("cop-kmeans"))
    load(stepper)
    now[0] = 5.25
    assert next(stepper).time_s == 0.25


def test_loading_runs_the_solver_itself(monkeypatch):
    seen = []

    def watched(problem, solver, **limits):
        seen.append(solver.name)
        return start(problem, solver, **limits)

    stepper = start(examples()[0], make_solver("cop-kmeans", n_init=3))
    monkeypatch.setattr("ccviz.runs.warm.start", watched)
    load(stepper)
    assert set(seen) == {"cop-kmeans"}
