"""First centres of many blocks: those of a sample."""

import numpy as np
import pytest

from ccviz import Problem, contract, solve
from ccviz.solvers.assignment.step import first_centers
from ccviz.solvers.common.seeding import seed_centers


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    truth = np.arange(3200) % 4
    X = 9.0 * np.eye(4)[truth] + rng.normal(size=(3200, 4))
    pairs = rng.permutation(3200)[:400].reshape(-1, 2)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, 4, pairs[same], pairs[~same], truth=truth)


def test_few_blocks_are_not_sampled(problem):
    blocks = contract(problem)
    first, second = (np.random.default_rng(1) for _ in range(2))
    centers = first_centers(blocks, first, "k-means++")
    assert (centers == seed_centers(blocks, second, "k-means++")).all()


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_a_sample_of_many_blocks_gives_the_first_centres(problem, init):
    rng = np.random.default_rng(1)
    begun = first_centers(contract(problem), rng, init, sampled_from=1000)
    assert begun.shape == (4, 4)
    # The descent over all blocks ends near them.
    result = solve(problem, "blp-kmeans", seed=1, init=init)
    assert result.partition.violations.none_hard
    ended = result.partition.centers
    nearest = ((begun[:, None] - ended) ** 2).sum(axis=2).min(axis=1)
    assert nearest.max() < 1.0


def test_no_sample_has_fewer_blocks_than_clusters():
    rng = np.random.default_rng(0)
    blocks = contract(Problem(rng.normal(size=(60, 2)), 40))
    assert first_centers(blocks, rng, "random", sampled_from=10).shape == (40, 2)
