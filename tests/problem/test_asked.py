"""Rules that remember how they were asked, and whether a clustering keeps them."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ccviz import Partition, Problem
from ccviz.errors import ProblemError
from ccviz.problem.asked import Asked, AskedRule, joined, read_asked
from ccviz.problem.reduction import with_rules

X = np.random.default_rng(2).uniform(size=(9, 2)) * 4
LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
KNOWN = (0, 0, 1, 1, 1, 1, 2, 0, 0)
GAPS, SAME = cdist(X, X), LABELS[:, None] == LABELS
FOUND = {
    "diameter<={}": GAPS[SAME].max(),
    "separation>={}": GAPS[~SAME].min(),
    "size<={}": 3,
    "size>={}": 3,
    "overlap(mine)<={}": 3,
    "difference(mine)>={}": 1,  # its third cluster is one point, which has to be somewhere
}


def asked(text):
    return AskedRule.read(text, lambda name: {"mine": KNOWN}[name])


def partition(*texts, keeps_rules=False, **given):
    rules = [asked(text) for text in texts]
    return Partition(with_rules(Problem(X, 3, **given), rules, keeps_rules), LABELS)


@pytest.mark.parametrize("text", FOUND)
@pytest.mark.parametrize("step", [-1, 0, 1])
def test_what_is_found_is_measured_and_judged(text, step):
    limit = max(0, round(float(FOUND[text]), 3) + step)
    rule = asked(text.format(f"{limit:g}"))
    none = Problem(X, 3).must_link
    problem = Problem(X, 3, asked=Asked((rule,), none, none, None))
    (kept,) = Partition(problem, LABELS).kept_rules
    assert kept.found == pytest.approx(float(FOUND[text]))
    assert kept.holds is bool(kept.found <= limit if "<=" in text else kept.found >= limit)


def test_links_that_stand_for_rules_are_told_as_rules():
    free = partition("diameter<=100", must_link=[(0, 3)], cannot_link=[(0, 6)]).violations
    assert (free.must_link, free.cannot_link, free.rules, free.hard) == (1, 0, 0, 1)
    tight = partition("diameter<=0.5", "separation>=0.0", cannot_link=[(0, 6)]).violations
    assert (tight.must_link, tight.cannot_link, tight.rules) == (0, 0, 1)
    assert tight.hard > 1
    assert not tight.none_hard
    sized = partition("size<=4", "size>=2", sizes=([1] * 3, [9] * 3)).violations
    assert sized.none_hard


def test_the_problem_remembers_what_was_given():
    problem = with_rules(
        Problem(X, 3, must_link=[(0, 1, 2.0)], cannot_link=[(0, 6)]), [asked("diameter<=3")], False
    )
    assert len(problem.cannot_link) > 1
    assert problem.given.cannot_link.pairs.tolist() == [[0, 6]]
    assert problem.given.must_link.weights.tolist() == [2.0]
    assert [rule.text for rule in problem.given.rules] == ["diameter<=3"]
    same = with_rules(
        Problem(X, 3, must_link=[(0, 1, 2.0)], cannot_link=[(0, 6)]), [asked("diameter<=3")], True
    )
    assert problem.asks_the_same(same)
    assert not problem.asks_the_same(with_rules(Problem(X, 3), [asked("diameter<=3")], True))
    assert not problem.asks_the_same(Problem(X, 3, [(0, 1, 2.0)], [(0, 6)]))
    assert problem.must_keep
    assert not Problem(X, 3, must_link=[(0, 1, 2.0)]).must_keep
    assert "diameter&lt;=3" in problem._repr_html_()


def test_without_rules_in_words_a_problem_is_as_it_was_given():
    problem = Problem(X, 3, must_link=[(0, 1, 2.0)], cannot_link=[(0, 6)], sizes=([1] * 3, [9] * 3))
    given = problem.given
    assert given.rules == ()
    assert given.must_link is problem.must_link
    assert given.cannot_link is problem.cannot_link
    assert given.sizes is problem.sizes


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: AskedRule("size<=3", KNOWN), "do not fit together"),
        (lambda: AskedRule("overlap(mine)<=3"), "do not fit together"),
        (lambda: AskedRule("overlap(mine)<=3", (-1, 0)), "negative labels"),
        (lambda: AskedRule.read("overlap(mine)<=3"), "none is known here"),
        (
            lambda: with_rules(Problem(X, 3), [AskedRule("overlap(mine)<=3", (0, 1))], True),
            "names a clustering of 2 points, but there are 9",
        ),
    ],
)
def test_a_rule_and_its_clustering_belong_together(make, sentence):
    with pytest.raises(ProblemError, match=sentence):
        make()


def test_of_rules_joined_by_or_each_cluster_keeps_one():
    rule = read_asked("overlap(mine)<=2 or diameter<=100", {"mine": KNOWN}.__getitem__)
    assert rule.text == "overlap(mine)<=2 or diameter<=100"
    names = {"mine": KNOWN}.__getitem__
    for text, broken in (
        ("overlap(mine)<=2 or diameter<=100", 0),
        ("overlap(mine)<=2 or size<=2", 1),  # the second cluster is within one of theirs
        ("overlap(mine)<=1 or size<=2", 3),
    ):
        problem = with_rules(Problem(X, 3), [read_asked(text, names)], keeps_rules=True)
        partition = Partition(problem, LABELS)
        (kept,) = partition.kept_rules
        assert (kept.found, kept.holds) == (broken, broken == 0)
        assert partition.violations.rules == broken


def test_a_rule_is_joined_to_others_once():
    assert read_asked("size<=3 or size<=3") == AskedRule("size<=3")
    with pytest.raises(ProblemError, match="cannot be joined by 'or'"):
        joined([AskedRule("size<=3"), AskedRule("size>=2")])
