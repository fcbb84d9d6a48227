import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.vq import ClusterError, kmeans2

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.relaxation.exchange import drawn_centers, exchange, short_kmeans
from ccviz.solvers.relaxation.model import relax


@given(st.integers(0, 10**6))
def test_exchanges_keep_the_links_and_never_make_it_worse(seed):
    rng = np.random.default_rng(seed)
    n, k = 20, int(rng.integers(2, 5))
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    drawn = rng.choice(n, size=(8, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    same = truth[drawn[:, 0]] == truth[drawn[:, 1]]
    problem = Problem(
        rng.normal(size=(n, 2)), k, must_link=drawn[same][:2], cannot_link=drawn[~same]
    )
    blocks = contract(problem)
    relaxation = relax(blocks)
    better = exchange(blocks, relaxation, blocks.project(truth))
    before, after = Partition(problem, truth), Partition(problem, blocks.lift(better))
    assert after.violations.none_hard
    assert after.wcss <= before.wcss * (1 + 1e-12)
    again = exchange(blocks, relaxation, better)
    np.testing.assert_array_equal(again, better)


def test_conflicting_blocks_change_places():
    problem = Problem([[0.0], [10.0], [0.1], [9.9]], 2, cannot_link=[(2, 3)])
    blocks = contract(problem)
    better = exchange(blocks, relax(blocks), np.array([0, 1, 1, 0]))
    np.testing.assert_array_equal(better[2:], better[:2])


@pytest.mark.parametrize("d", [2, 4, 12])
def test_it_is_the_k_means_of_scipy(d):
    rows = np.random.default_rng(d).normal(size=(90, d))
    for seed in range(20):
        drawn = drawn_centers(rows, 4, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        centers, labels = kmeans2(rows, 4, minit="++", missing="raise", rng=rng)
        own_centers, own_labels = short_kmeans(rows, drawn)
        np.testing.assert_array_equal(own_labels, labels)
        np.testing.assert_allclose(own_centers, centers, rtol=1e-12)


def test_a_cluster_that_runs_empty_is_reported():
    rows = np.array([[0.0], [1.0], [2.0]])
    centers = np.array([[1.0], [50.0]])
    with pytest.raises(ClusterError):
        kmeans2(rows, centers, minit="matrix", missing="raise")
    assert short_kmeans(rows, centers) is None


def test_equal_rows_are_drawn_too():
    drawn = drawn_centers(np.ones((5, 2)), 3, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, np.ones((3, 2)))
