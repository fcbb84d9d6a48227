"""Limits on sums that follow from others: which there are, and that they exclude nothing."""

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import Noted
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.asked import AskedRule
from ccviz.problem.partition import Partition
from ccviz.problem.reduction import with_rules
from ccviz.problem.sums import IMPLIED, ImpliedMax, ImpliedMin
from ccviz.runs.codec import decode_problem, encode_problem
from tests.enumeration import clusterings
from tests.seeds import seeds


def ruled(X, k, column, *rules, **more):
    asked = [AskedRule.read(rule, column=lambda _: np.array(column, float)) for rule in rules]
    return with_rules(Problem(X, k, **more), asked, True)


def implied(problem):
    return [(type(rule), rule.limit) for rule in problem.rules if isinstance(rule, IMPLIED)]


X = np.random.default_rng(0).normal(size=(12, 2))
DRIVERS = [1.0] * 4 + [0.0] * 8


def test_what_each_cluster_needs_of_all_is_in_no_other():
    problem = ruled(X, 4, DRIVERS, "sum(c)>=1", sizes=[3] * 4)
    assert implied(problem) == [(ImpliedMax, 1.0)]
    pairs = problem.cannot_link.pairs.tolist()
    assert pairs == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert implied(ruled(X, 3, DRIVERS, "sum(c)>=1", sizes=[4] * 3)) == [(ImpliedMax, 2.0)]


def test_what_the_others_cannot_hold_is_in_each_cluster():
    assert implied(ruled(X, 4, [10.0] * 12, "sum(c)<=35")) == [(ImpliedMin, 15.0)]
    both = ruled(X, 4, np.arange(12.0), "sum(c)<=20", "sum(c)>=2")
    assert implied(both) == [(ImpliedMin, 6.0)]


def test_limits_that_say_no_more_are_not_added():
    assert implied(ruled(X, 4, DRIVERS, "sum(c)>=1", "sum(c)<=1")) == []
    assert implied(ruled(X, 4, np.ones(12), "sum(c)>=1", sizes=[3] * 4)) == []
    many = np.random.default_rng(0).normal(size=(501, 1))
    assert implied(ruled(many, 4, np.arange(501) < 4, "sum(c)>=1")) == []
    again = ruled(X, 4, DRIVERS, "sum(c)>=1", sizes=[3] * 4)
    assert implied(with_rules(again, [], True)) == implied(again)


@pytest.mark.parametrize("seed", seeds(20, 200))
def test_they_exclude_no_clustering(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 8)), int(rng.integers(2, 4))
    column = rng.integers(0, 5, n) / rng.choice([1, 10])
    rules = [
        f"sum(c)>={rng.uniform(30, 100) / k:.3g}%",
        f"sum(c)<={rng.uniform(100, 150) / k:.3g}%",
    ]
    rules = [rules[:1], rules[1:], rules][rng.integers(3)]
    try:
        problem = ruled(X[:n], k, column, *rules)
    except ValueError:  # the total is too small, or a point too heavy
        return
    given = [rule for rule in problem.rules if not isinstance(rule, IMPLIED)]
    for labels in clusterings(n, k):
        clusters = [np.flatnonzero(labels == j) for j in range(k)]
        if all(rule.allows(problem, each) for rule in given for each in clusters):
            assert all(rule.allows(problem, each) for rule in problem.rules for each in clusters)
            assert Partition(problem, labels).violations.none_hard


def test_what_cannot_be_kept_is_explained_by_what_was_asked_for():
    tied = ruled(X[:4], 2, [1.0, 1.0, 0.0, 0.0], "sum(c)>=1", must_link=[(0, 1)])
    assert implied(tied) == []
    assert check_feasibility(tied, with_sums=True).feasible is False


def test_they_are_stored_with_a_problem():
    problem = ruled(X, 4, DRIVERS, "sum(c)>=1", sizes=[3] * 4)
    assert implied(decode_problem(encode_problem(problem))) == implied(problem)


def test_a_bound_without_implied_lower_limits_leaves_nothing_out():
    problem = ruled(X, 4, [10.0] * 12, "sum(c)<=35")
    events = [record.event for record in start(problem, "colgen", listed=0)]
    assert not any(isinstance(e, Noted) and "hold with them" in e.text for e in events)
