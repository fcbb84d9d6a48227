import numpy as np
import pytest

from ccviz.solvers.memetic import operators


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_centres_are_matched_whatever_their_order(rng):
    centers = rng.normal(size=(6, 2))
    shuffled = rng.permutation(centers) + 1e-6
    assert np.allclose(operators.match_centers(shuffled, centers), centers, atol=1e-5)


def test_crossover_of_equal_differences_is_the_first_parent(rng):
    first, second = rng.normal(size=(2, 5, 3))
    child = operators.crossover(first, second, rng.permutation(second), 0.7)
    assert np.allclose(child, first)


def test_mutation_prefers_distant_blocks(rng, instance_of, make_problem):
    instance = instance_of(make_problem(0))
    centers = instance.data.point[[0] * instance.k]
    labels = np.zeros(instance.s, dtype=np.int64)
    far = np.linalg.norm(instance.data.point - centers[0], axis=1)

    def mean_distance(alpha, labels):
        picks = [
            operators.relocate_center(instance, centers, 1, labels, alpha, rng)[1]
            for _ in range(300)
        ]
        return np.linalg.norm(np.array(picks) - centers[0], axis=1).mean()

    assert mean_distance(1.0, labels) > mean_distance(0.0, labels)
    assert mean_distance(1.0, None) < far.max()


def test_only_the_removed_centre_moves(rng, instance_of, make_problem):
    instance = instance_of(make_problem(0))
    centers = operators.random_centers(instance, rng)
    mutant = operators.relocate_center(instance, centers, 2, None, 0.5, rng)
    assert (np.flatnonzero((mutant != centers).any(axis=1)) == [2]).all()
