import numpy as np
import pytest
from sklearn.datasets import load_iris

from ccviz import Problem, solve
from ccviz.events import Assigned, DeadEnded, Restarted
from ccviz.solvers.base import Context
from ccviz.solvers.cop_kmeans import CopKMeans


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(4)
    pairs = rng.choice(150, (60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same])


def test_without_links_it_is_lloyds_algorithm():
    X = np.concatenate([np.zeros((5, 2)), np.full((5, 2), 3.0)]) + np.arange(10)[:, None] * 0.01
    result = solve(Problem(X, 2), CopKMeans(n_init=5), seed=0)
    assert sorted(result.partition.cluster_sizes.tolist()) == [5, 5]


def test_a_dead_end_is_an_event_and_no_proof():
    # An even cycle needs two colours, but point 2 comes to a free choice between 1 and 3.
    X = np.array([[0.0], [0.1], [5.0], [5.1], [0.2], [4.9]])
    links = [(0, 3), (1, 2), (4, 5), (0, 5), (1, 3), (2, 4)]
    problem = Problem(X, 3, cannot_link=[*links, (0, 1), (2, 3), (0, 2), (1, 5)])
    events = list(CopKMeans(n_init=30).steps(problem, Context(seed=1)))
    dead = [event for event in events if isinstance(event, DeadEnded)]
    assert dead
    for event, before in zip(events[1:], events, strict=False):
        if isinstance(event, DeadEnded):
            assert before.labels[event.point] == -1
    assert sum(isinstance(event, Restarted) for event in events) == 30


def test_none_found_is_not_called_infeasible():
    clique = [(i, j) for i in range(4) for j in range(i)]
    problem = Problem(np.arange(6.0)[:, None], 3, cannot_link=clique)
    result = solve(problem, CopKMeans(n_init=5))
    assert (result.status, result.termination) == ("unknown", "stalled")
    assert "All 5 starts met a dead end;" in result.message
    assert "The only start met a dead end;" in solve(problem, CopKMeans(n_init=1)).message


def test_greedy_objective_is_the_cost_at_the_centres(iris):
    events = list(CopKMeans(n_init=1).steps(iris, Context(seed=0)))
    assigned = [event for event in events if isinstance(event, Assigned)]
    assert assigned[-1].moved == 0
