import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.events import Assigned, DeadEnded, Restarted
from ccviz.solvers.base import Context
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.testing import INFEASIBLE, PROBLEMS


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


@pytest.mark.parametrize(("starts", "words"), [(5, "All 5 starts met"), (1, "The only start met")])
def test_none_found_says_how_often_it_was_tried(starts, words):
    result = solve(INFEASIBLE["clique"], CopKMeans(n_init=starts))
    assert f"{words} a dead end;" in result.message


def test_a_start_ends_when_no_point_moves():
    events = CopKMeans(n_init=1).steps(PROBLEMS["both"], Context(seed=0))
    assert [event.moved for event in events if isinstance(event, Assigned)][-1] == 0
