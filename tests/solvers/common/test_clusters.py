import numpy as np

from ccviz.problem.partition import cluster_means
from ccviz.solvers.assignment.centers import block_means
from ccviz.solvers.common.seeding import (
    farthest_moves,
    fill_cheapest,
    fill_randomly,
)


def test_means_are_those_of_the_compiled_loop_to_the_last_digit():
    rng = np.random.default_rng(0)
    points, mass = rng.normal(size=(60, 3)), rng.integers(1, 9, 60).astype(float)
    labels = rng.permutation(np.arange(60) % 5)
    compiled = block_means(points, mass, labels, np.zeros((5, 3)))
    assert (cluster_means(points, labels, 5, mass) == compiled).all()


def test_an_empty_cluster_takes_the_farthest_point_that_is_not_alone():
    paid = np.array([9.0, 1.0, 25.0])
    assert farthest_moves(np.array([0, 0, 1]), paid, 3) == [(0, 2)]
    assert farthest_moves(np.array([0, 0, 0]), paid, 3) == [(2, 1), (0, 2)]


def test_the_cheapest_filling_leaves_no_cluster_empty():
    cost = np.array([[0.0, 5.0, 9.0], [0.0, 1.0, 9.0], [0.0, 7.0, 2.0]])
    labels = np.zeros(3, dtype=np.int64)
    assert fill_cheapest(labels, cost).tolist() == [0, 1, 2]
    assert labels.tolist() == [0, 0, 0]


def test_a_random_filling_takes_no_point_that_is_alone():
    labels = fill_randomly(np.array([0, 0, 0, 1]), 4, np.random.default_rng(0))
    assert sorted(set(labels.tolist())) == [0, 1, 2, 3]
    assert labels[3] == 1
