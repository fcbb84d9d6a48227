import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.sdp.rounding import descend, first_clustering, initial_centers, ipc_kmeans


def three_groups():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 10)
    X = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])[truth] + rng.normal(size=(30, 2))
    return truth, X


def test_a_tight_relaxation_gives_its_clustering():
    truth, X = three_groups()
    problem = Problem(X, 3, must_link=[(0, 1)], cannot_link=[(0, 10)])
    blocks = contract(problem)
    relaxation = relax(blocks)
    together = blocks.project(truth)[:, None] == blocks.project(truth)[None, :]
    Y = together * np.sqrt(np.outer(blocks.mass, blocks.mass)) / 10.0
    centers = initial_centers(relaxation, Y, seed=0)[0]
    means = np.array([X[truth == j].mean(axis=0) for j in range(3)]) - X.mean(axis=0)
    for mean in means:
        assert np.abs(centers - mean).sum(axis=1).min() < 1e-8
    labels = ipc_kmeans(blocks, relaxation, Y, seed=0)
    assert Partition(problem, labels).wcss == pytest.approx(Partition(problem, truth).wcss)


def test_links_against_the_data_are_kept():
    _, X = three_groups()
    problem = Problem(X, 3, must_link=[(0, 15), (1, 25)], cannot_link=[(0, 1), (2, 3), (3, 4)])
    blocks = contract(problem)
    relaxation = relax(blocks)
    labels = ipc_kmeans(blocks, relaxation, np.outer(relaxation.u, relaxation.u), seed=1)
    assert Partition(problem, labels).violations.none_hard


def test_the_first_clustering_keeps_the_links_and_is_a_good_one():
    truth, X = three_groups()
    problem = Problem(X, 3, must_link=[(0, 1)], cannot_link=[(0, 10)])
    blocks = contract(problem)
    labels = first_clustering(blocks, relax(blocks), seed=0)
    found = Partition(problem, labels)
    assert found.violations.none_hard
    assert found.wcss <= Partition(problem, truth).wcss * (1 + 1e-9)


def test_equal_points_are_clustered_too():
    problem = Problem(np.zeros((5, 2)), 2, cannot_link=[(0, 1), (2, 3)])
    blocks = contract(problem)
    labels = first_clustering(blocks, relax(blocks), seed=0)
    assert Partition(problem, labels).violations.none_hard


def test_a_descent_that_is_told_to_stop_keeps_its_first_assignment():
    _, X = three_groups()
    problem = Problem(X, 3, cannot_link=[(0, 10)])
    blocks = contract(problem)
    looks = []
    labels = descend(blocks, relax(blocks), X[[0, 1, 2]], lambda: looks.append(1) is None)
    assert len(looks) == 1
    assert Partition(problem, blocks.lift(labels)).violations.none_hard
