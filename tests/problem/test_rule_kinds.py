"""The tables of the kinds of rules have the same kinds."""

from ccviz.problem import kept, rule_text
from ccviz.problem.rule_words import RULE_KINDS, split_rule
from ccviz.solvers import matrix


def test_each_kind_of_rule_is_in_every_table():
    kinds = RULE_KINDS.keys()
    assert rule_text._MAKERS.keys() == kinds
    assert kept._MEASURES.keys() == kinds
    assert {kind.name for kind in matrix.KINDS if kind.rules} == kinds | {"A or B"}


def test_what_a_kind_writes_is_a_rule_of_it():
    for name, kind in RULE_KINDS.items():
        called = "c" if kind.names else ""
        words = split_rule(kind.written("3", called))
        assert (words.kind, words.limit, words.name) == (name, 3.0, called)
        assert "{limit}" in kind.words
        assert ("{name}" in kind.words) == bool(kind.names)
