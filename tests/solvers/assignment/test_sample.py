"""First centres of many blocks: those of a sample."""

import numpy as np
import pytest

from ccviz import Problem, contract, solve
from ccviz.solvers.assignment import sample
from ccviz.solvers.common.seeding import seed_centers


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    truth = np.arange(3200) % 4
    X = 9.0 * np.eye(4)[truth] + rng.normal(size=(3200, 4))
    pairs = rng.permutation(3200)[:400].reshape(-1, 2)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, 4, pairs[same], pairs[~same], truth=truth)


def test_few_blocks_are_all_looked_at(problem):
    blocks = contract(problem)
    first, second = (np.random.default_rng(1) for _ in range(2))
    centers = sample.first_centers(blocks, first, "k-means++")
    assert (centers == seed_centers(blocks, second, "k-means++")).all()


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_of_many_a_sample_says_where_to_begin(monkeypatch, problem, init):
    monkeypatch.setattr(sample, "SAMPLED_FROM", 1000)
    centers = sample.first_centers(contract(problem), np.random.default_rng(1), init)
    assert centers.shape == (4, 4)
    result = solve(problem, "blp-kmeans", seed=1, init=init)
    assert result.partition.violations.none_hard
    begun = next(r.event.centers for r in result.records() if hasattr(r.event, "centers"))
    # Where the descent over the sample ends, the one over all has little left to do.
    ended = result.partition.centers
    nearest = ((begun[:, None] - ended) ** 2).sum(axis=2).min(axis=1)
    assert nearest.max() < 1.0


def test_more_clusters_than_a_sample_has_blocks(monkeypatch):
    monkeypatch.setattr(sample, "SAMPLED_FROM", 10)
    X = np.random.default_rng(0).normal(size=(60, 2))
    assert solve(Problem(X, 40), "blp-kmeans", seed=0).status == "feasible"
