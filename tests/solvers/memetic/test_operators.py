import numpy as np
import pytest

from ccviz import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.solvers.memetic import operators
from ccviz.solvers.memetic.instance import Instance


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


@pytest.mark.parametrize("reference", ["first", "third"])
def test_crossover_is_the_papers_line_up_to_the_order_of_the_centres(rng, reference):
    third = 10.0 * rng.normal(size=(5, 3))
    first, second = third + 1e-3 * rng.normal(size=(2, 5, 3))
    mixed = [rng.permutation(each) for each in (first, second, third)]
    child = operators.crossover(*mixed, 0.7, reference)
    expected = first + 0.7 * (second - third)
    assert np.allclose(operators.match_centers(child, expected), expected)


def test_centres_can_be_drawn_at_points(rng, make_problem):
    problem = make_problem(0)
    blocks = contract(problem)
    labels = check_feasibility(problem).labels
    instance = Instance.of(blocks, labels, problem)
    middle = instance.drawn.point[0] - problem.X[0]
    centers = operators.random_centers(instance, rng)
    assert blocks.s < problem.n == len(instance.drawn.point)
    assert (np.abs(problem.X + middle - centers[:, None]).max(axis=2).min(axis=1) < 1e-12).all()
    means = instance.means(blocks.project(labels), centers)
    shown = [(problem.X[labels == c] + middle).mean(axis=0) for c in range(problem.k)]
    assert np.allclose(means, shown)


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
