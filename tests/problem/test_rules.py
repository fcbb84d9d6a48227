import numpy as np
import pytest
from scipy.spatial.distance import pdist

from ccviz.errors import ProblemError
from ccviz.problem.asked import AskedRule, parse_rule, split_either, split_rule
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import kept_rules, with_rules
from ccviz.problem.rules import (
    Both,
    Either,
    MaxConflicts,
    MaxDiameter,
    MaxOverlap,
    MaxSize,
    MinDifference,
    MinSeparation,
    MinSize,
    SoftCannotLink,
    conjunction,
    diameter,
    different_from,
    minimum_separation,
)

X = np.array([[0.0], [1.0], [2.0], [5.0], [6.0]])
PROBLEM = Problem(X, 2)


@pytest.mark.parametrize(
    ("rule", "allowed", "forbidden"),
    [
        (MaxSize(2), [0, 1], [0, 1, 2]),
        (MaxOverlap((0, 1, 2), 1), [0, 3, 4], [0, 1]),
        (MinDifference((0, 1), 1), [0, 1, 2], [0, 3, 4]),
        (SoftCannotLink(((0, 1), (3, 2)), 1), [0, 1, 2], [0, 1, 2, 3]),
        (MaxDiameter(2.0), [0, 1, 2], [2, 3]),
        (Both((MaxSize(2), MaxDiameter(2.0))), [0, 1], [0, 4]),
        (Either((MaxSize(1), MaxDiameter(2.0))), [0, 1, 2], [0, 4]),
    ],
)
def test_each_rule_allows_and_forbids(rule, allowed, forbidden):
    assert rule.allows(PROBLEM, np.array(allowed))
    assert not rule.allows(PROBLEM, np.array(forbidden))


def test_every_rule_is_anti_monotone_and_allows_what_its_loads_do():
    rng = np.random.default_rng(0)
    rules = [
        MaxSize(3),
        MaxOverlap((0, 1, 4), 1),
        MinDifference((0, 3), 1),
        SoftCannotLink(((0, 1), (1, 2), (2, 4)), 1),
        Either((MaxDiameter(2.0), MaxSize(2))),
        Both((MaxDiameter(4.0), Either((MaxSize(1), MaxOverlap((0, 2), 1))))),
    ]
    for rule in rules:
        for _ in range(30):
            cluster = np.flatnonzero(rng.random(5) < 0.6)
            ways = rule.alternatives(PROBLEM)
            kept = any(all(load.of(cluster) <= load.limit for load in loads) for loads in ways)
            assert rule.allows(PROBLEM, cluster) == kept
            if kept:
                part = cluster[rng.random(len(cluster)) < 0.6]
                assert rule.allows(PROBLEM, part)


@pytest.mark.parametrize("n", [0, 1, 2, 1500])  # 1,500 points take several strips
def test_a_diameter_is_the_largest_of_all_distances(n):
    points = np.random.default_rng(n).normal(size=(n, 3))
    assert diameter(points) == max(pdist(points), default=0.0)


def test_a_soft_cannot_link_given_twice_counts_once():
    rule = SoftCannotLink(((0, 1), (1, 0)), 1)
    assert rule.allows(PROBLEM, np.array([0, 1]))


def test_different_clusters_do_without_points_of_the_known_ones():
    rule = different_from([0, 0, 0, 1, 1], by=1)
    assert not rule.allows(PROBLEM, np.array([0, 1, 2]))
    assert rule.allows(PROBLEM, np.array([0, 1, 3]))


def test_a_known_cluster_of_one_point_leaves_that_point_free():
    rule = different_from([0, 0, 0, 0, 1], by=2)
    assert rule.allows(PROBLEM, np.array([0, 1, 4]))
    assert not rule.allows(PROBLEM, np.array([0, 1, 2, 4]))


def test_minimum_separation_links_what_is_too_near():
    assert minimum_separation(X, 2.0) == [(0, 1), (1, 2), (3, 4)]
    assert minimum_separation(X, 1.0) == []


def test_points_as_far_apart_as_the_limit_are_not_too_near():
    """The distance is 0.003, and computed as a little less."""
    apart = [[0.0, -0.001, 0.003], [0.001, 0.001, 0.001]]
    assert minimum_separation(apart, 0.003) == []
    problem = with_rules(Problem(apart, 2), [AskedRule("separation>=0.003")], True)
    [kept] = kept_rules(problem, np.array([0, 1]))
    assert kept.holds


def test_alternatives_multiply():
    either = Either((MaxSize(1), MaxSize(2)))
    assert len(conjunction(PROBLEM, [either, either, MaxSize(3)])) == 4


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ([MaxSize(-1)], "limit -1"),
        ([MaxOverlap((0, 9), 1)], "names point 9"),
        ([SoftCannotLink(((0, -1),), 1)], "names point -1"),
        ([Either((MaxSize(1), MaxSize(2)))] * 9, "256"),
    ],
)
def test_bad_rules_are_named(rules, sentence):
    with pytest.raises(ProblemError, match=sentence):
        conjunction(PROBLEM, rules)


# --- Rules as people write them -------------------------------------------------------------------


KNOWN = {"mine": [0, 0, 0, 1, 1]}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("diameter<=3", MaxDiameter(3.0)),
        (" Diameter <= 2.5e1 ", MaxDiameter(25.0)),
        ("separation>=0.5", MinSeparation(0.5)),
        ("size<=40", MaxSize(40)),
        ("size>=4", MinSize(4)),
        ("overlap(mine)<=1", Both((MaxOverlap((0, 1, 2), 1), MaxOverlap((3, 4), 1)))),
        ("difference(mine)>=1", Both((MaxOverlap((0, 1, 2), 2), MaxOverlap((3, 4), 1)))),
        (" size<=4 or diameter<=3 ", Either((MaxSize(4), MaxDiameter(3.0)))),
        (
            "size<=4 OR conflicts<=1 or diameter<=3",
            Either((MaxSize(4), MaxConflicts(1), MaxDiameter(3.0))),
        ),
    ],
)
def test_rules(text, rule):
    assert parse_rule(text, KNOWN.__getitem__) == rule


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("diameter>=3", "the rule 'diameter>=3' is not diameter<=D, separation>=D"),
        ("beauty<=3", "is not diameter<=D"),
        ("", "the rule '' is not"),
        ("size<=2.5", "has the limit 2.5; a whole number of at least 0"),
        ("diameter<=-1", "has the limit -1; a number of at least 0"),
        ("diameter<=inf", "has the limit inf"),
        ("overlap(mine)<=1", "names a clustering, but none is known here"),
        ("size<=4 or beauty<=3", "the rule 'beauty<=3' is not diameter<=D"),
        ("size<=4 or ", "has the limit 4 or; a whole number"),
        ("size<=4 or size>=2", "the rule 'size>=2' cannot be joined by 'or'"),
        ("separation>=1 or size<=4", "parts of a cluster that keeps it may break it"),
        ("sum(a)>=1 or size<=4", "the rule 'sum(a)>=1' cannot be joined by 'or'"),
    ],
)
def test_what_is_no_rule_is_a_sentence(text, sentence):
    with pytest.raises(ProblemError, match="the rule") as caught:
        parse_rule(text)
    assert sentence in str(caught.value)


def test_names_may_have_the_word_in_them():
    assert split_either("overlap(a or b)<=1 or overlap(c)<=2") == [
        "overlap(a or b)<=1", "overlap(c)<=2",
    ]  # fmt: skip
    assert split_either("overlap(a 1 or b)<=1") == ["overlap(a 1 or b)<=1"]


def test_a_text_of_many_blanks_is_refused_without_trying_all_its_cuts():
    with pytest.raises(ProblemError, match="the rule"):  # within the time limit of a test
        split_rule("size<=" + 5000 * " " + "=")
