"""Rules as people write them."""

import pytest

from ccviz.errors import ProblemError
from ccviz.problem.asked import parse_rule, split_either, split_rule
from ccviz.problem.rules import (
    Both,
    Either,
    MaxConflicts,
    MaxDiameter,
    MaxOverlap,
    MaxSize,
    MinSeparation,
    MinSize,
)

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
