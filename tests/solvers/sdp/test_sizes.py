"""sdp under cluster sizes: against brute force, its bounds, its certificates, its sentences."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.events import NodePruned
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.solvers.relaxation.engine import cold_start, iterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.sdp import node
from ccviz.solvers.sdp.rounding import ipc_kmeans
from ccviz.solvers.sdp.settings import NodeSettings


def test_iris_in_three_clusters_of_fifty_is_proved_at_the_published_optimum():
    from ccviz.data import load

    problem = Problem(load("iris").X, 3, sizes=[50, 50, 50])
    result = solve(problem, "sdp")
    assert result.status == "optimal"
    assert result.objective == pytest.approx(81.2778, abs=5e-5)


def test_different_sizes_are_proved_with_a_matrix_for_each():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], [8, 12, 20])
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[truth] + rng.normal(size=(40, 2))
    problem = Problem(X, 3, sizes=[20, 12, 8])
    run = start(problem, "sdp")
    events = [record.event for record in run]
    leaves = [event for event in events if isinstance(event, NodePruned)]
    assert any("lifted" in event.certificate for event in leaves)
    assert run.result().status == "optimal"
    assert run.result().partition.cluster_sizes.tolist() == [20, 12, 8]
    assert verify(problem, events).accepted


def test_below_the_root_few_descents_look_for_a_clustering(monkeypatch):
    spent = []

    def counted(blocks, relaxation, Y, seed, trials, stop, more_starts):
        spent.append(trials)
        return ipc_kmeans(blocks, relaxation, Y, seed, trials, stop, more_starts)

    monkeypatch.setattr(node, "ipc_kmeans", counted)
    X = np.random.default_rng(4).normal(size=(9, 2))
    soft = [(0, 1, 0.5), (2, 3, 0.5)]
    for problem, at_once in (
        (Problem(X, 3, sizes=[3, 3, 3]), 2),
        (Problem(X, 3, must_link=soft), 2),
        (Problem(X, 3), 20),
    ):
        spent.clear()
        solve(problem, "sdp", cuts="none", max_rounds=1)
        at_end = [trials for trials in spent if trials]
        assert at_end[0] == 20  # the root
        assert {*at_end[1:]} == {at_once}


def test_a_node_with_a_matrix_for_each_size_goes_on_for_longer():
    X = np.random.default_rng(0).normal(size=(12, 2))
    bounds = tuple(np.linspace(0.0, 1.0, 9))  # a window of three rounds gains 0.375
    for sizes, limit in (([4, 4, 4], 1.0 + 8 * 0.375), ([2, 4, 6], 1.0 + 24 * 0.375)):
        blocks = contract(Problem(X, 3, sizes=sizes))
        relaxation = relax(blocks)
        state = node.NodeState(blocks, relaxation, certified(relaxation), bounds)
        assert not node.must_branch(state, limit - 0.01, NodeSettings())
        assert node.must_branch(state, limit + 0.01, NodeSettings())


def certified(relaxation):
    """Return an iterate that has proved the last of the bounds above."""
    at = iterate(relaxation, cold_start(relaxation), 1)
    return replace(at, best=replace(at.best, lower_bound=1.0))


def test_the_last_clustering_is_numbered_by_its_sizes():
    """Two equal points are the cluster of two, which is not the first of the clusters."""
    X = [[0, 0, 2], [0, 0, 2], [0, 0, 0], [0, 1, 0], [1, 0, 0], [0, -3, 0], [1, 1, 0]]
    problem = Problem(X, 6, sizes=([1, 1, 2, 1, 1, 1], [2, 2, 2, 2, 3, 2]))
    result = solve(problem, "sdp", progress=False)
    assert (result.status, result.objective) == ("optimal", 0.0)
    assert result.partition.violations.none_hard
