"""First centres under sizes: no start is trapped where groups are plain to see."""

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus as theirs
from sklearn.datasets import make_blobs

from ccviz import Problem, solve
from ccviz.problem.blocks import contract
from ccviz.solvers.common import seeding
from ccviz.solvers.common.seeding import kmeans_plusplus, seed_centers

X, CLASSES = make_blobs(400, centers=20, n_features=5, random_state=0)


@pytest.fixture(scope="module")
def sized():
    return Problem(X, 20, sizes=([15] * 20, [25] * 20))


@pytest.mark.parametrize("name", ["blp-kmeans", "bh-kmeans", "pccc"])
def test_no_seed_is_trapped(sized, name):
    means = np.array([X[c == CLASSES].mean(axis=0) for c in range(20)])
    best = ((X - means[CLASSES]) ** 2).sum()
    found = [solve(sized, name, seed=seed, progress=False).objective for seed in range(8)]
    assert max(found) <= best * 1.0001


def test_without_sizes_auto_is_k_means_plus_plus():
    blocks = contract(Problem(X, 20, must_link=[(0, 1)]))
    drawn = [seed_centers(blocks, np.random.default_rng(3), init) for init in ("auto", "k-means++")]
    assert (drawn[0] == drawn[1]).all()


def test_the_same_seed_draws_the_same(sized):
    blocks = contract(sized)
    one, other = (seed_centers(blocks, np.random.default_rng(5), "auto") for _ in range(2))
    assert (one == other).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_centres_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(20, 200)), int(rng.integers(1, 9))))
    k, mass = int(rng.integers(1, 15)), rng.integers(1, 5, len(X)).astype(float)
    weights = mass if seed % 2 else None
    expected, _ = theirs(X, k, sample_weight=weights, random_state=seed)
    assert np.array_equal(kmeans_plusplus(X, k, seed, weights), expected)


def test_strips_change_nothing(monkeypatch):
    X = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
    whole = kmeans_plusplus(X, 5, 1)
    monkeypatch.setattr(seeding, "_STRIP", 7)
    assert np.array_equal(kmeans_plusplus(X, 5, 1), whole)
    assert whole.dtype == np.float32


def test_equal_points_are_drawn_again():
    assert kmeans_plusplus(np.zeros((4, 2)), 3, 0).tolist() == [[0.0, 0.0]] * 3
