import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus as theirs

from ccviz.solvers.common import plusplus
from ccviz.solvers.common.plusplus import kmeans_plusplus


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
    monkeypatch.setattr(plusplus, "_STRIP", 7)
    assert np.array_equal(kmeans_plusplus(X, 5, 1), whole)
    assert whole.dtype == np.float32


def test_equal_points_are_drawn_again():
    assert kmeans_plusplus(np.zeros((4, 2)), 3, 0).tolist() == [[0.0, 0.0]] * 3
