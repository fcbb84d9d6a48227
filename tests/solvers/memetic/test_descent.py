from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import Problem, check_feasibility
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.solvers.memetic import _descent, local_search
from ccviz.solvers.memetic import instance as kernels
from ccviz.solvers.memetic.evolution import Population, spread_of
from ccviz.solvers.memetic.instance import Instance
from ccviz.solvers.memetic.local_search import Member, member_of

SEEDS = st.integers(0, 10_000)


def opened(instance, labels):
    anchor = np.zeros((instance.k, instance.data.point.shape[1]))
    return kernels.open_state(instance.data, labels, anchor, 0.0)


def descended(instance, labels, depth, seed=0):
    order = np.random.default_rng(seed).permutation(instance.s)
    anchor = np.zeros((instance.k, instance.data.point.shape[1]))
    return _descent.descend(instance.data, labels, anchor, 0.0, order, depth, 1e-9, 10**9)[0]


def keeps_all(problem, labels):
    return Partition(problem, contract(problem).lift(labels)).violations.none_hard


@given(seed=SEEDS)
def test_a_move_costs_what_it_is_said_to(seed, make_problem, instance_of):
    instance = instance_of(make_problem(seed))
    rng = np.random.default_rng(seed)
    state = opened(instance, instance.feasible)
    shared = np.flatnonzero(np.bincount(instance.feasible)[instance.feasible] > 1)
    b, c = int(rng.choice(shared)), int(rng.integers(instance.k))
    if c == state.label[b]:
        return
    data = instance.data
    said = kernels.entering(b, c, data.point, data.mass, state.total, state.weight)
    said -= kernels.leaving(b, data, state)
    before = member_of(instance, state.label.copy()).objective
    kernels.move(b, c, data, state)
    after = member_of(instance, state.label.copy()).objective
    assert said == pytest.approx(after - before, abs=1e-7)


@given(seed=SEEDS)
def test_moves_keep_the_books(seed, make_problem, instance_of):
    instance = instance_of(make_problem(seed))
    rng = np.random.default_rng(seed)
    state = opened(instance, instance.feasible)
    for _ in range(20):
        b, c = int(rng.integers(instance.s)), int(rng.integers(instance.k))
        kernels.move(b, c, instance.data, state)
    fresh = opened(instance, state.label)
    assert np.allclose(state.total, fresh.total)
    assert (state.weight == fresh.weight).all()
    assert (state.size == fresh.size).all()
    assert (state.crowd == fresh.crowd).all()


@given(
    seed=SEEDS, depth=st.sampled_from([_descent.RELOCATIONS, _descent.EJECTIONS, _descent.CHAINS])
)
def test_descent_improves_and_breaks_nothing(seed, depth, make_problem, instance_of):
    problem = make_problem(seed)
    instance = instance_of(problem)
    labels = descended(instance, instance.feasible, depth, seed)
    assert keeps_all(problem, labels)
    assert member_of(instance, labels).objective <= member_of(instance, instance.feasible).objective


def neighbours(instance, labels):
    """Yield every relocation, ejection-free swap and chain flip, by brute force."""
    conflicts = {(int(a), int(b)) for a, b in _pairs(instance)}
    conflicts |= {(b, a) for a, b in conflicts}
    for b in range(instance.s):
        for c in range(instance.k):
            if c == labels[b]:
                continue
            flipped = {b}
            while True:
                pair = (labels[b], c)
                more = {
                    u
                    for u in range(instance.s)
                    if labels[u] in pair
                    and u not in flipped
                    and any((u, v) in conflicts and labels[u] != labels[v] for v in flipped)
                }
                if not more:
                    break
                flipped |= more
            other = labels.copy()
            for v in flipped:
                other[v] = c if labels[v] == labels[b] else labels[b]
            if len(np.unique(other)) == instance.k:
                yield other


def _pairs(instance):
    start, neighbour = instance.data.start, instance.data.neighbour
    for b in range(instance.s):
        for u in neighbour[start[b] : start[b + 1]]:
            yield b, u


@pytest.mark.parametrize("seed", range(5))
def test_no_relocation_or_chain_is_left_that_improves(seed, make_problem, instance_of):
    instance = instance_of(make_problem(seed, n=25))
    labels = descended(instance, instance.feasible, _descent.CHAINS, seed)
    reached = member_of(instance, labels).objective
    for other in neighbours(instance, labels):
        assert member_of(instance, other).objective >= reached - 1e-6


def test_ejections_reach_what_relocations_cannot(make_problem, instance_of):
    reached = {
        depth: sum(
            member_of(instance, descended(instance, instance.feasible, depth)).objective
            for instance in (instance_of(make_problem(seed, links=80)) for seed in range(20))
        )
        for depth in (_descent.RELOCATIONS, _descent.EJECTIONS, _descent.CHAINS)
    }
    assert reached[_descent.EJECTIONS] < reached[_descent.RELOCATIONS]
    assert reached[_descent.CHAINS] < reached[_descent.RELOCATIONS]


# --- Assignment -----------------------------------------------------------------------------------


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


# --- Operators ------------------------------------------------------------------------------------


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
