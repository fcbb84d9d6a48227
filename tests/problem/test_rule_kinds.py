"""The tables of the kinds of rules have the same kinds."""

from ccviz.problem import kept, rule_text, rule_words
from ccviz.solvers import matrix
from ccviz.views.frames import rules
from ccviz.views.lab import ruling


def test_each_kind_of_rule_is_in_every_table():
    kinds = rule_words._IS_WHOLE.keys()
    assert rule_text._MAKERS.keys() == kinds
    assert kept._MEASURES.keys() == kinds
    assert rules._WORDS.keys() == kinds
    assert {kind.before.format("") for kind in ruling.KINDS} == kinds
    assert {kind.name for kind in matrix.KINDS if kind.rules} == kinds
