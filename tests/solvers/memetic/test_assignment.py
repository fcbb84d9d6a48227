from itertools import product

import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.solvers.memetic import local_search


def random_centers(instance, seed):
    rng = np.random.default_rng(seed)
    return instance.data.point[rng.choice(instance.s, instance.k, replace=False)]


def cheapest(instance, problem, costs):
    """Return the least cost of any feasible assignment, by enumeration."""
    pairs = contract(problem).conflicts
    best = np.inf
    for labels in map(np.array, product(range(costs.shape[1]), repeat=instance.s)):
        if (
            len(set(labels)) == costs.shape[1]
            and (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
        ):
            best = min(best, costs[np.arange(instance.s), labels].sum())
    return best


@pytest.mark.parametrize("seed", range(6))
def test_exact_and_swift_steps_agree_with_enumeration(seed, make_problem, instance_of):
    problem = make_problem(seed, n=8, k=3, links=6)
    instance = instance_of(problem)
    centers = random_centers(instance, seed)
    costs = instance.costs(centers)
    least = cheapest(instance, problem, costs)
    places = np.arange(instance.s)
    exact = local_search.exact_step(instance, centers, None, 60.0)
    assert costs[places, exact].sum() == pytest.approx(least)
    swift = local_search.swift_step(instance, centers, instance.feasible, places)
    assert costs[places, swift].sum() == pytest.approx(least)


def test_a_hard_core_is_approached_without_breaking_a_link(make_problem, instance_of):
    problem = make_problem(3, n=60, k=6, links=300)
    instance = instance_of(problem)
    centers = random_centers(instance, 3)
    places = np.arange(instance.s)
    swift = local_search.swift_step(instance, centers, instance.feasible, places, nodes=0)
    assert Partition(problem, contract(problem).lift(swift)).violations.none_hard
    costs = instance.costs(centers)
    assert costs[places, swift].sum() < costs[places, instance.feasible].sum()
    exact = local_search.exact_step(instance, centers, instance.feasible, 60.0)
    assert costs[places, exact].sum() <= costs[places, swift].sum() + 1e-9


def test_greedy_step_is_algorithm_2(make_problem, instance_of):
    problem = make_problem(1, links=60)
    instance = instance_of(problem)
    centers = random_centers(instance, 1)
    costs, start, neighbour = instance.costs(centers), *instance.data[2:4]
    labels = local_search.greedy_step(instance, centers)
    for b in range(instance.s):
        before = {labels[u] for u in neighbour[start[b] : start[b + 1]] if u < b}
        allowed = [c for c in range(instance.k) if c not in before] or range(instance.k)
        assert labels[b] == min(allowed, key=lambda c: costs[b, c])


def test_a_removed_centre_gets_nothing(make_problem, instance_of):
    instance = instance_of(make_problem(2))
    centers = random_centers(instance, 2)
    whole = local_search.greedy_step(instance, centers)
    greedy = local_search.greedy_without(instance, centers, 1)
    assert (greedy != 1).all()
    assert (greedy[whole != 1] == whole[whole != 1]).all()
    exact = local_search.exact_without(instance, centers, 1, 60.0)
    assert exact is not None
    assert (exact != 1).all()


def test_too_few_centres_are_told_from_a_failure(instance_of):
    clique = [(i, j) for i in range(3) for j in range(i)]
    instance = instance_of(Problem(np.arange(8.0)[:, None], 3, cannot_link=clique))
    assert local_search.exact_without(instance, random_centers(instance, 0), 0, 60.0) is None
