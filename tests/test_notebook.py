import sys

import pytest

import ccviz
from ccviz import CcvizError, Problem, explore, solve, start
from ccviz.notebook import Plots
from ccviz.runs.run import Run

X = [[0.0, 0.0], [0.1, 0.0], [1.0, 1.0], [1.1, 1.0]]


@pytest.fixture
def without_holoviews(monkeypatch):
    monkeypatch.setitem(sys.modules, "holoviews", None)
    # The package's own name for them is put back too: it would lead to what is imported here.
    monkeypatch.setattr(ccviz, "views", getattr(ccviz, "views", None), raising=False)
    for name in [name for name in sys.modules if name.startswith("ccviz.views")]:
        monkeypatch.delitem(sys.modules, name)


def test_runs_steppers_and_results_have_pictures():
    problem = Problem(X, 2)
    stepper = start(problem, "ipc-kmeans")
    result = stepper.result()
    assert all(isinstance(one.plot, Plots) for one in (stepper, result, stepper.run))


def test_a_result_knows_its_run():
    result = solve(Problem(X, 2), "ipc-kmeans", progress=False)
    assert result.run.incumbent is result.partition
    assert "run=" not in repr(result)


def test_without_the_packages_the_sentence_says_what_to_install(without_holoviews):
    with pytest.raises(CcvizError, match="holoviews, which is not installed"):
        Run(Problem(X, 2)).plot.scatter()


def test_explore_refuses_a_broken_problem():
    with pytest.raises(CcvizError, match="more than the 4 points"):
        explore(X, 9)
