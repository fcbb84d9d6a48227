"""Answers about feasibility against enumeration, and their witnesses."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from ccviz import Partition, Problem, ProblemError, check_feasibility, solve
from ccviz.feasibility import check
from ccviz.problem.asked import read_asked
from ccviz.problem.links import closure
from ccviz.problem.reduction import with_rules
from ccviz.problem.sums import MaxSum, MinSum
from tests.seeds import seeds


def draw(rng, with_sizes):
    """Draw a problem of at most 9 points, about half of them infeasible; None if contradictory."""
    n = int(rng.integers(2, 10))
    k = int(rng.integers(1, min(n, 4) + 1))
    pairs = np.array(list(combinations(range(n), 2)))
    rng.shuffle(pairs)
    must, cannot = int(rng.integers(0, 3)), int(rng.integers(0, len(pairs) + 1))
    sizes = None
    if with_sizes:
        lower = rng.multinomial(n - k, np.full(k, 1 / k)) + 1 - rng.integers(0, 2, k)
        sizes = (lower, lower + rng.integers(0, 3, k))
    try:
        return Problem(
            rng.random((n, 2)), k, pairs[:must], pairs[must : must + cannot], sizes=sizes
        )
    except ProblemError:
        return None


def with_sums(rng, problem):
    """Return a problem with one or two limits on the sum of a column besides."""
    values = tuple((rng.integers(0, 9, problem.n) / 4).tolist())
    mean = sum(values) / problem.k
    least = MinSum(values, float(mean * rng.uniform(0.3, 1.0)))
    most = MaxSum(values, float(mean * rng.uniform(1.0, 2.0)))
    return replace(problem, rules=[(least,), (most,), (least, most)][rng.integers(3)])


def is_feasible(problem):
    """Try every labelling of the blocks."""
    block_of = closure(problem.n, problem.must_link.hard.pairs)
    s, k = int(block_of.max()) + 1, problem.k
    labels = np.indices((k,) * s).reshape(s, -1)[block_of]  # (n, k^s)
    i, j = problem.cannot_link.hard.pairs.T
    count = np.array([(labels == cluster).sum(0) for cluster in range(k)])
    lower, upper = np.ones(k), np.full(k, problem.n)
    if problem.sizes is not None:
        lower, upper = problem.sizes.lower, problem.sizes.upper
    fits = ((count >= lower[:, None]) & (count <= upper[:, None])).all(0)
    for rule in problem.rules:
        sums = np.array([rule.weights(problem) @ (labels == cluster) for cluster in range(k)])
        within = sums <= rule.limit if isinstance(rule, MaxSum) else sums >= rule.limit
        fits &= within.all(0)
    return bool((fits & (labels[i] != labels[j]).all(0)).any())


@pytest.mark.parametrize("with_sizes", [False, True])
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_every_answer_of_a_seeded_sweep_is_right(seed, with_sizes):
    rng = np.random.default_rng([seed, with_sizes])
    problems = [problem for _ in range(150) if (problem := draw(rng, with_sizes)) is not None]
    answers = [check_feasibility(problem) for problem in problems]
    assert [answer.feasible for answer in answers] == [is_feasible(each) for each in problems]
    assert {answer.feasible for answer in answers} == {True, False}
    for problem, answer in zip(problems, answers, strict=True):
        assert check_feasibility(problem, with_labels=False).feasible == answer.feasible
        if answer.feasible:
            assert Partition(problem, answer.labels).violations.none_hard
        else:
            assert answer.labels is None


@pytest.mark.parametrize("with_sizes", [False, True])
def test_answers_with_limits_on_sums_are_right(with_sizes):
    rng = np.random.default_rng([5, with_sizes])
    drawn = [problem for _ in range(60) if (problem := draw(rng, with_sizes)) is not None]
    problems = [with_sums(rng, problem) for problem in drawn]
    answers = [check_feasibility(problem, with_sums=True) for problem in problems]
    assert [answer.feasible for answer in answers] == [is_feasible(each) for each in problems]
    assert {answer.feasible for answer in answers} == {True, False}
    for problem, answer in zip(problems, answers, strict=True):
        assert not answer.feasible or Partition(problem, answer.labels).violations.none_hard


def points(n):
    return np.arange(float(n))[:, None]


def test_odd_cycle_is_the_witness_for_two_clusters():
    cycle = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    tail = [(0, 5), (5, 6), (6, 7)]
    answer = check_feasibility(Problem(points(9), 2, cannot_link=tail + cycle))
    assert answer.feasible is False
    assert len(answer.points) == 5
    edges = {frozenset(link) for link in cycle}
    assert all(frozenset(step) in edges for step in pairwise((*answer.points, answer.points[0])))
    assert "odd cycle" in answer.reason


def test_odd_cycle_through_blocks():
    problem = Problem(points(6), 2, must_link=[(0, 3)], cannot_link=[(0, 1), (1, 2), (2, 3)])
    answer = check_feasibility(problem)
    assert answer.feasible is False
    assert len(answer.points) == 3


def test_clique_is_the_witness():
    clique = list(combinations([1, 3, 5, 7], 2))
    answer = check_feasibility(Problem(points(9), 3, cannot_link=[*clique, (0, 1), (2, 4)]))
    assert answer.feasible is False
    assert sorted(answer.points) == [1, 3, 5, 7]
    assert "4 points exclude each other" in answer.reason


def test_search_proves_what_no_clique_shows():
    """The wheel over a cycle of five: no four points exclude each other, yet three colours fail."""
    cycle = [(i, (i + 1) % 5) for i in range(5)]
    wheel = [*cycle, *((5, i) for i in range(5))]
    answer = check_feasibility(Problem(points(8), 3, cannot_link=wheel))
    assert answer.feasible is False
    assert set(answer.points) == set(range(6))
    assert check_feasibility(Problem(points(8), 4, cannot_link=wheel)).feasible


def test_links_and_sizes_that_fail_only_together():
    links = {"must_link": [(0, 1), (2, 3)], "cannot_link": [(0, 2)]}
    assert check_feasibility(Problem(points(5), 2, **links)).feasible
    assert check_feasibility(Problem(points(5), 2, **links, sizes=[2, 3])).feasible
    answer = check_feasibility(Problem(points(5), 2, **links, sizes=[1, 4]))
    assert answer.feasible is False
    assert "links and the sizes" in answer.reason


def test_bin_packing_that_greedy_misses():
    """Blocks 4, 4, 3, 3, 3, 3 fill two clusters of ten only as 4+3+3 twice."""
    blocks = [4, 4, 3, 3, 3, 3]
    start = np.cumsum([0, *blocks])
    links = [(a + i, a + i + 1) for a, b in pairwise(start) for i in range(b - a - 1)]
    answer = check_feasibility(Problem(points(20), 2, must_link=links, sizes=[10, 10]))
    assert answer.feasible
    assert np.bincount(answer.labels).tolist() == [10, 10]


def test_one_cluster_allows_no_cannot_link():
    answer = check_feasibility(Problem(points(3), 1, cannot_link=[(0, 2)]))
    assert answer.feasible is False
    assert set(answer.points) == {0, 2}


def test_many_points_and_links_are_answered():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 20, 20_000)
    pairs = rng.integers(0, 20_000, (10_000, 2))
    pairs = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
    problem = Problem(rng.random((20_000, 2)), 20, cannot_link=pairs)
    answer = check_feasibility(problem)
    assert answer.feasible
    assert Partition(problem, answer.labels).violations.none_hard


def test_planted_colouring_of_a_dense_core_is_found():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, 600)
    pairs = rng.integers(0, 600, (7000, 2))
    pairs = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
    answer = check_feasibility(Problem(rng.random((600, 2)), 5, cannot_link=pairs), time_limit=5)
    assert answer.feasible


def test_a_core_too_large_to_search_is_undecided(monkeypatch):
    ring = [tuple(sorted((i, (i + step) % 7))) for i in range(7) for step in (1, 2)]
    problem = Problem(np.arange(7.0)[:, None], 4, cannot_link=ring)
    assert check_feasibility(problem).feasible
    monkeypatch.setattr(check, "LARGEST_CORE", 6)
    answer = check_feasibility(problem)
    assert answer.feasible is None
    assert "7 blocks that depend on each other are too many" in answer.reason


@pytest.mark.parametrize(
    ("X", "k", "reason"),
    [
        ([0, 4, 8, 9], 2, "the cannot-links of the rule 'diameter<=3' form an odd cycle over 0, 1"),
        ([0, 4, 8, 12], 3, "4 points exclude each other by the rule 'diameter<=3' (0, 1, 2, 3)"),
    ],
)
def test_a_reason_names_the_rule_that_made_the_links(X, k, reason):
    problem = Problem(np.array(X, dtype=float)[:, None], k)
    ruled = with_rules(problem, [read_asked("diameter<=3")], keeps_rules=True)
    assert check_feasibility(ruled).reason.startswith(reason)
    assert reason in solve(ruled, "sdp", progress=False).message


def test_links_as_given_are_named_before_a_rule():
    links = [(0, 1), (1, 2), (0, 2)]
    problem = Problem(np.array([0.0, 4.0, 8.0, 9.0])[:, None], 2, cannot_link=links)
    ruled = with_rules(problem, [read_asked("diameter<=3")], keeps_rules=True)
    assert check_feasibility(ruled).reason.startswith("the cannot-links form an odd cycle")


def test_every_cluster_of_an_answer_has_weight():
    problem = Problem([[0.0], [0.0], [0.0]], 2, must_link=[(1, 2, 1.0)], weights=[1.0, 1.0, 0.0])
    labels = check_feasibility(problem).labels
    assert (np.bincount(labels, problem.weights, 2) > 0.0).all()
    apart = replace(problem, cannot_link=[(0, 2), (1, 2)], must_link=())
    assert check_feasibility(apart).feasible is not True


def test_a_point_without_weight_does_not_fill_a_cluster_under_limits_on_sums():
    rule = joined([AskedRule("share(V)<=50%", (1, 2, 0))])
    problem = Problem([[0.0], [0.0], [0.0]], 2, weights=[1.0, 1.0, 0.0])
    found = check_feasibility(with_rules(problem, [rule], True), with_sums=True)
    assert found.feasible is False
    assert "point that counts in each cluster" in found.reason
