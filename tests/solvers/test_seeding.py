"""Initial centres: by k-means++ they are those of scikit-learn, number by number."""

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus

from ccviz import Problem
from ccviz.data.datasets import load
from ccviz.problem.blocks import contract
from ccviz.solvers.seeding import point_centers, seed_centers


def drawn_next(rng):
    """Return the seed that such a generator gives next."""
    return int(rng.integers(2**31))


@pytest.mark.parametrize("name", ["iris", "wine", "moons", "digits"])
@pytest.mark.parametrize("k", [1, 3, 17])
def test_points_are_drawn_as_scikit_learn_draws_them(name, k):
    X = load(name).X
    for seed in range(20):
        ours = point_centers(Problem(X, k), np.random.default_rng(seed), "k-means++")
        theirs, _ = kmeans_plusplus(X, k, random_state=drawn_next(np.random.default_rng(seed)))
        assert np.array_equal(ours, theirs)


def test_blocks_count_as_many_times_as_they_have_points():
    problem = Problem(load("iris").X, 4, must_link=[(i, i + 1) for i in range(0, 60, 3)])
    blocks = contract(problem)
    for seed in range(20):
        ours = seed_centers(blocks, np.random.default_rng(seed))
        theirs, _ = kmeans_plusplus(
            blocks.centroid, blocks.k, sample_weight=blocks.mass,
            random_state=drawn_next(np.random.default_rng(seed)),
        )  # fmt: skip
        assert np.array_equal(ours, theirs)


def test_points_that_are_all_alike_are_no_trouble():
    centers = point_centers(Problem(np.ones((5, 2)), 3), np.random.default_rng(0), "k-means++")
    assert np.array_equal(centers, np.ones((3, 2)))


@pytest.mark.parametrize(
    "draw", [point_centers, lambda p, rng, init: seed_centers(contract(p), rng, init)]
)
def test_random_centres_are_different_points(draw):
    X = np.arange(12.0).reshape(6, 2)
    centers = draw(Problem(X, 6), np.random.default_rng(0), "random")
    assert sorted(centers.tolist()) == X.tolist()
