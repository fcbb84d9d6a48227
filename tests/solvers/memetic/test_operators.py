import numpy as np
import pytest

from ccviz import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.solvers.memetic import local_search
from ccviz.solvers.memetic.evolution import Population, spread_of
from ccviz.solvers.memetic.instance import Instance
from ccviz.solvers.memetic.local_search import Member


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_centres_are_matched_whatever_their_order(rng):
    centers = rng.normal(size=(6, 2))
    shuffled = rng.permutation(centers) + 1e-6
    assert np.allclose(local_search.match_centers(shuffled, centers), centers, atol=1e-5)


def test_crossover_of_equal_differences_is_the_first_parent(rng):
    first, second = rng.normal(size=(2, 5, 3))
    child = local_search.crossover(first, second, rng.permutation(second), 0.7)
    assert np.allclose(child, first)


@pytest.mark.parametrize("reference", ["first", "third"])
def test_crossover_is_the_papers_line_up_to_the_order_of_the_centres(rng, reference):
    third = 10.0 * rng.normal(size=(5, 3))
    first, second = third + 1e-3 * rng.normal(size=(2, 5, 3))
    mixed = [rng.permutation(each) for each in (first, second, third)]
    child = local_search.crossover(*mixed, 0.7, reference)
    expected = first + 0.7 * (second - third)
    assert np.allclose(local_search.match_centers(child, expected), expected)


def test_centres_can_be_drawn_at_points(rng, make_problem):
    problem = make_problem(0)
    blocks = contract(problem)
    labels = check_feasibility(problem).labels
    instance = Instance.of(blocks, labels, problem)
    middle = instance.drawn.point[0] - problem.X[0]
    centers = local_search.random_centers(instance, rng)
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
            local_search.relocate_center(instance, centers, 1, labels, alpha, rng)[1]
            for _ in range(300)
        ]
        return np.linalg.norm(np.array(picks) - centers[0], axis=1).mean()

    assert mean_distance(1.0, labels) > mean_distance(0.0, labels)
    assert mean_distance(1.0, None) < far.max()


def test_only_the_removed_centre_moves(rng, instance_of, make_problem):
    instance = instance_of(make_problem(0))
    centers = local_search.random_centers(instance, rng)
    mutant = local_search.relocate_center(instance, centers, 2, None, 0.5, rng)
    assert (np.flatnonzero((mutant != centers).any(axis=1)) == [2]).all()


def member(objective):
    return Member(np.zeros(3, dtype=np.int64), np.zeros((1, 2)), objective, 1)


def population(*objectives):
    return Population([member(objective) for objective in objectives])


def test_spread_is_the_sum_over_all_pairs():
    values = np.array([3.0, 1.0, 2.0, 2.5])
    pairs = sum(abs(a - b) for i, a in enumerate(values) for b in values[:i])
    assert spread_of(values) == pytest.approx(pairs)


def test_collapse_does_not_depend_on_the_unit():
    for unit in (1e-12, 1.0, 1e9):
        assert population(5 * unit, 5 * unit, 5 * unit * (1 + 1e-15)).has_collapsed(1e-4)
        assert not population(5 * unit, 5.1 * unit, 5 * unit).has_collapsed(1e-4)


def test_an_offspring_takes_the_place_it_was_bred_for_only_if_better():
    people = population(1.0, 2.0, 3.0)
    replaced = people.replace([member(1.5), member(1.5), member(3.0 - 1e-13)], range(3))
    assert replaced.tolist() == [-1, 1, -1]
    assert people.objectives.tolist() == [1.0, 1.5, 3.0]


def test_parents_are_three_others():
    people = population(*map(float, range(5)))
    rng = np.random.default_rng(0)
    for _ in range(50):
        chosen = {parent.objective for parent in people.parents(2, rng)}
        assert len(chosen) == 3
        assert 2.0 not in chosen
