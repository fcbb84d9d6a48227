"""Limits on the sum of a column in each cluster."""

from itertools import combinations

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import ProblemError, UnfillableError
from ccviz.events import Noted
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.asked import AskedRule, parse_rule
from ccviz.problem.partition import Partition
from ccviz.problem.reduction import with_rules
from ccviz.problem.rules import Both
from ccviz.problem.sums import IMPLIED, ImpliedMax, ImpliedMin, MaxSum, MinSum
from ccviz.runs.codec import decode_problem, encode_problem
from tests.enumeration import clusterings
from tests.seeds import seeds

PEOPLE = (3.0, 1.0, 4.0, 1.0, 5.0)


def rule(text, values=PEOPLE):
    return parse_rule(text, column={"people": values}.__getitem__)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum(people)>=3", MinSum(PEOPLE, 3.0)),
        (" Sum( people ) <= 8 ", MaxSum(PEOPLE, 8.0)),
        ("sum(people)<=50%", MaxSum(PEOPLE, 7.0)),
        ("sum(people)>=12.5 %", MinSum(PEOPLE, 2.0)),
    ],
)
def test_rules(text, expected):
    assert rule(text) == expected


@pytest.mark.parametrize(
    ("text", "values", "sentence"),
    [
        ("sum(people)=3", PEOPLE, "sum(COLUMN)>=S or <="),
        ("sum<=3", PEOPLE, "is not diameter<=D"),
        ("sum(people)<=-3", PEOPLE, "a number of at least 0"),
        ("size<=20%", PEOPLE, "a whole number of at least 0"),
        ("sum(people)<=3", (1.0, np.nan, 1.0), "is missing or infinite in row 1"),
        ("sum(people)<=3", (1.0, -1.0, -2.0), "is below 0 in rows 1"),
        ("sum(people)<=3", ("a", "b"), "the column 'people' of a rule holds no numbers"),
    ],
)
def test_what_is_no_limit_is_a_sentence(text, values, sentence):
    with pytest.raises(ProblemError) as caught:
        rule(text, values)
    assert sentence in str(caught.value)


def test_decimal_sums_keep_decimal_limits():
    values = (0.1, 0.2, 0.3, 0.7)
    for text in ("sum(people)<=0.3", "sum(people)>=0.3"):
        problem = Problem(np.arange(4.0)[:, None], 2, rules=(rule(text, values),))
        assert problem.rules[0].allows(problem, np.array([0, 1]))
    assert not rule("sum(people)<=0.3", values).allows(problem, np.array([2, 0]))


def test_sums_are_exact_in_any_order():
    values = np.random.default_rng(0).exponential(size=500) ** 3
    held = MinSum(tuple(values.tolist()), 1.0).values
    assert sum(held) == sum(held[::-1]) == float(np.array(held).sum())


def test_a_lower_limit_is_no_part_of_other_rules():
    problem = Problem(np.arange(5.0)[:, None], 2)
    with pytest.raises(ProblemError, match="cannot be a part of another rule"):
        Both((MinSum(PEOPLE, 1.0),)).alternatives(problem)


def test_a_column_of_other_points_is_refused():
    with pytest.raises(ProblemError, match="3 values, but there are 5 points"):
        with_rules(Problem(np.arange(5.0)[:, None], 2), [MinSum((1.0,) * 3, 1.0)], False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("sum(people)>=8", "2 clusters with a sum of at least 8 each need 16"),
        ("sum(people)<=6", "2 clusters with a sum of at most 6 each cannot hold 14"),
    ],
)
def test_a_total_that_cannot_do_is_a_sentence(text, sentence):
    with pytest.raises(UnfillableError, match=sentence):
        with_rules(Problem(np.arange(5.0)[:, None], 2), [rule(text)], False)


def test_blocks_that_are_too_heavy_are_a_sentence():
    problem = Problem(np.arange(5.0)[:, None], 3, must_link=[(2, 4)])
    with pytest.raises(UnfillableError, match="point 2, with the points must-linked to it, has 9"):
        with_rules(problem, [rule("sum(people)<=8")], False)


@pytest.mark.parametrize("seed", range(20))
def test_blocks_that_pass_the_limit_together_conflict(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, 6).astype(float)
    limit = float(values.max() + rng.integers(0, 4))
    problem = Problem(rng.normal(size=(6, 1)), 5)
    try:
        reduced = with_rules(problem, [MaxSum(tuple(values.tolist()), limit)], False)
    except UnfillableError:
        assert values.sum() > 5 * limit or (2 * values > limit).sum() > 5
        return
    found = set(map(tuple, np.sort(reduced.cannot_link.pairs).tolist()))
    assert found == {(i, j) for i, j in combinations(range(6), 2) if values[i] + values[j] > limit}


def test_an_answer_says_what_became_of_the_limit():
    asked = [AskedRule.read("sum(people)>=20%", column=lambda _: PEOPLE)]
    problem = with_rules(Problem(np.arange(5.0)[:, None], 2), asked, False)
    broken, kept = (Partition(problem, labels) for labels in ([0, 1, 0, 0, 0], [0, 0, 0, 1, 1]))
    assert (broken.kept_rules[0].found, broken.kept_rules[0].holds) == (1.0, False)
    assert (kept.kept_rules[0].found, kept.kept_rules[0].holds) == (6.0, True)
    assert (broken.violations.rules, kept.violations.rules) == (1, 0)


# --- Limits on sums that follow from others: which there are, and that they exclude nothing -------


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
