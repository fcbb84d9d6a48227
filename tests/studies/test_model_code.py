"""The code of each model runs, and its value is what the theory says."""

import cvxpy
import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.errors import CcvizError
from ccviz.studies.model_code import model_code

X = np.random.default_rng(2).normal(size=(12, 2)) + 5.0
LINKS = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 3), (4, 5)]}
SOFT = {"must_link": [(0, 1, 0.3), (2, 3, 9.0)], "cannot_link": [(4, 5, 0.2), (0, 6, 9.0)]}


def solved(problem, model):
    """Return the model's value, and the optimum."""
    result = solve(problem, "sdp", progress=False, tolerance=1e-7)
    scope = {"problem": problem, "result": result}
    exec(compile(result.model(model), model, "exec"), scope)
    assert isinstance(scope["model"], cvxpy.Problem)
    return scope["model"].value, result.objective


@pytest.mark.parametrize(
    "problem",
    [
        Problem(X, 3, **LINKS),
        Problem(X, 3, **LINKS, sizes=[4, 4, 4]),
        Problem(X, 3, **SOFT),
        Problem(X, 2, weights=np.arange(1.0, 13.0), sizes=([3, 3], [9, 9])),
    ],
)
def test_the_relaxation_is_a_lower_bound(problem):
    value, optimum = solved(problem, "relaxation")
    assert 0.5 * optimum < value <= optimum * (1 + 1e-6)


@pytest.mark.parametrize(
    "problem",
    [Problem(X, 3, **LINKS), Problem(X, 3, **LINKS, sizes=[4, 4, 4]), Problem(X, 3, **SOFT)],
)
def test_the_assignment_to_the_means_of_the_optimum_is_the_optimum(problem):
    value, optimum = solved(problem, "assignment")
    assert value == pytest.approx(optimum, rel=1e-6)


def test_the_master_begins_with_the_clusters_of_the_result(capsys):
    value, optimum = solved(Problem(X, 3, **LINKS), "master")
    assert value == pytest.approx(optimum, rel=1e-6)
    assert "value:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("problem", "model", "sentence"),
    [
        (Problem(X, 3), "dual", "no model 'dual'; there are relaxation, assignment, master"),
        (Problem(X, 3, **SOFT), "master", "no soft links"),
        (
            Problem(X, 3, outliers=1),
            "assignment",
            "no rules, outliers, fixed centres or neighbours",
        ),
    ],
)
def test_what_a_model_has_not_is_a_sentence(problem, model, sentence):
    with pytest.raises(CcvizError, match=sentence):
        model_code(problem, model)
