import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.events import IncumbentFound


def test_it_gives_a_clustering_with_a_gap(iris_like):
    result = solve(iris_like, "ipc-kmeans", seed=3)
    assert result.status == "feasible"
    assert result.termination == "converged"
    assert result.partition.violations.none_hard
    assert 0.0 <= result.gap < 0.01


@pytest.fixture
def iris_like():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 12)
    X = np.array([[0, 0], [5, 0], [7, 3]])[truth] + rng.normal(size=(36, 2))
    return Problem(X, 3, must_link=[(0, 1), (2, 30)], cannot_link=[(5, 6), (7, 8)])


def test_as_printed_it_has_one_answer_and_no_better_one(iris_like):
    printed = start(iris_like, "ipc-kmeans", algorithm="printed")
    found = [record.event for record in printed if isinstance(record.event, IncumbentFound)]
    assert [event.source for event in found] == ["ipc-kmeans"]
    result = printed.result()
    assert result.partition.violations.none_hard
    assert result.lower_bound <= result.objective
    assert solve(iris_like, "ipc-kmeans").objective <= result.objective * (1 + 1e-12)
