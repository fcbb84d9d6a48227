"""The clustering nearest to an old one: true statements, against brute force."""

from itertools import product

import numpy as np
import pytest

from ccviz import CcvizError, Partition, Problem, solve
from ccviz.problem.blocks import contract
from ccviz.studies.least_change import least_change, renamed
from tests.enumeration import least_objective
from tests.made_soft import draw_soft
from tests.seeds import seeds
from tests.studies.test_link_prices import feasible_problem


def fewest_moves(problem, best, old, allowed):
    """Return the least number of points that move, over all clusterings and cluster numbers."""
    fewest = problem.n
    for labels in product(range(problem.k), repeat=problem.n):
        moved = int((np.array(labels) != old).sum())
        if moved >= fewest or len(set(labels)) < problem.k:
            continue
        partition = Partition(problem, np.array(labels))
        if partition.violations.none_hard and partition.objective <= allowed:
            fewest = moved
    return fewest


def assert_true(problem, found):
    partition = found.partition
    assert partition.violations.none_hard
    assert partition.objective <= found.allowed
    assert sorted(found.reasons) == found.moved.tolist()
    block_of = contract(problem).block_of
    for point, reason in found.reasons.items():
        members = block_of == block_of[point]
        back = partition.labels.copy()
        back[members] = found.old[point]
        alone = Partition(problem, back)
        kept = alone.violations.none_hard and alone.cluster_sizes.all()
        torn = (found.old[members] != found.old[point]).any()
        assert (reason == "cost") == (kept and not torn)
        assert reason == "link" or alone.objective > found.allowed
        assert found.words(point).startswith(("Moved: ", "Moved "))


def moves_above_the_fewest(seed, slack):
    """Return them for a random problem, after all else that is said of it was found true."""
    problem = feasible_problem(seed)
    old = np.random.default_rng(seed).integers(0, problem.k, problem.n)
    best = solve(problem, "sdp", progress=False)
    found = best.least_change(old, slack)
    assert found.allowed <= (1.0 + slack + 1e-3) * least_objective(problem)
    assert_true(problem, found)
    return len(found.moved) - fewest_moves(problem, best.labels, old, found.allowed)


@pytest.mark.parametrize("slack", [0.0, 0.05, 0.5])
def test_what_is_said_of_small_problems_is_true(slack):
    extra = [moves_above_the_fewest(seed, slack) for seed in range(4)]
    assert min(extra) >= 0
    assert np.mean(extra) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("slack", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("seed", seeds(4, 16))
def test_each_change_is_near_the_fewest_moves(seed, slack):
    assert moves_above_the_fewest(seed, slack) in (0, 1)


@pytest.mark.parametrize("seed", seeds(3, 16))
def test_sizes_and_soft_links(seed):
    problem = draw_soft(seed)
    if problem is None or least_objective(problem) == np.inf:
        return
    best = solve(problem, "sdp", progress=False)
    old = np.random.default_rng(seed).integers(0, problem.k, problem.n)
    assert_true(problem, best.least_change(old, 0.2))


def test_an_answer_that_may_stay_stays():
    points = np.array([[0.0], [1.0], [2.0], [5.4], [9.0], [10.0], [11.0]])
    problem = Problem(points, 2)
    result = solve(problem, "sdp")
    assert len(result.least_change(1 - result.labels).moved) == 0
    other = result.labels.copy()
    other[3] = other[6]
    assert result.least_change(other, 0.0).moved.tolist() == [3]
    found = result.least_change(other, 0.5)
    assert len(found.moved) == 0
    assert found.partition.objective > result.objective


def cheapest_of_few_moves(problem, old, most):
    """Return the least cost of a clustering that moves at most some old points."""
    least = np.inf
    for labels in product(range(problem.k), repeat=problem.n):
        moved = ((np.array(labels) != old) & (old >= 0)).sum()
        if moved <= most and len(set(labels)) == problem.k:
            partition = Partition(problem, np.array(labels))
            least = min(least, partition.objective if partition.violations.none_hard else np.inf)
    return least


def test_few_old_points_move_and_new_ones_are_placed():
    exact = possible = 0
    for seed in range(4):
        problem, most = feasible_problem(seed), seed % 3
        rng = np.random.default_rng(seed)
        result = solve(problem, "sdp", progress=False)
        old = np.where(rng.random(problem.n) < 0.3, rng.integers(0, problem.k), result.labels)
        old[rng.integers(0, problem.n, 2)] = -1
        least = cheapest_of_few_moves(problem, old, most)
        possible += np.isfinite(least)
        if least == np.inf:
            with pytest.raises(CcvizError, match="No clustering was found that moves at most"):
                result.least_change(old, most=most)
            continue
        found = result.least_change(old, most=most)
        assert found.partition.violations.none_hard
        assert len(found.moved) <= most
        assert (found.old[found.moved] >= 0).all()
        assert found.partition.objective >= least - 1e-9 * max(1.0, least)
        assert found.allowed == found.partition.objective
        exact += found.partition.objective <= least * (1.0 + 1e-9)
    assert 2 * exact >= possible > 1


def test_a_move_names_what_keeps_the_point_out():
    X = np.array([[0.0], [1.0], [2.0], [5.4], [9.0], [10.0], [11.0]])
    apart = solve(Problem(X, 2, cannot_link=[(3, 2)]), "sdp").least_change([0, 0, 0, 0, 1, 1, 1])
    assert apart.words(3).startswith(
        "Moved 0 → 1. The cannot-link with 2 keeps it out of cluster 0 ("
    )
    costly = solve(Problem(X, 2), "sdp").least_change([0, 0, 0, 1, 1, 1, 0])
    assert costly.words(6).startswith("Moved 0 → 1. Back in cluster 0 it would cost ")
    tied = solve(Problem(X, 2, must_link=[(5, 6)]), "sdp").least_change([0, 0, 0, 1, 1, 1, 0])
    assert tied.words(6) == "Moved 0 → 1. Must-links tie it to 5, which was elsewhere."


def test_what_cannot_be_is_refused():
    problem = Problem(np.eye(4), 2, must_link=[(0, 1)])
    with pytest.raises(CcvizError, match="for each of the 4 points"):
        least_change(problem, [0, 0, 1, 1], [0, 1, 2, 0])
    with pytest.raises(CcvizError, match="breaks a constraint"):
        least_change(problem, [0, 1, 1, 1], [0, 1, 1, 0])


def test_numbers_change_under_sizes_that_are_all_alike():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    old, best = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    assert renamed(Problem(X, 2, sizes=[2, 2]), best, old).tolist() == old.tolist()
    assert renamed(Problem(X, 2, sizes=([1, 2], [2, 3])), best, old).tolist() == best.tolist()
    assert renamed(Problem(X, 2), best, np.array([-1, 0, 1, -1])).tolist() == old.tolist()
