"""What each kind of rule promises, whatever it limits."""

import numpy as np
import pytest

from ccviz import Partition
from ccviz.problem.asked import parse_rule, split_rule
from ccviz.problem.reduction import with_rules
from ccviz.problem.rules import RULE_KINDS, STORED
from ccviz.runs.codec import decode_problem, encode_problem
from ccviz.solvers.advice import KINDS, sample

SAMPLES = {kind.name: kind for kind in KINDS if kind.name in RULE_KINDS}


def test_what_a_kind_writes_is_a_rule_of_it():
    for name, kind in RULE_KINDS.items():
        called = "c" if kind.names else ""
        words = split_rule(kind.written("3", called))
        assert (words.kind, words.limit, words.name) == (name, 3.0, called)
        assert ("{limit}" in kind.words) == kind.needs_limit
        assert ("{name}" in kind.words) == bool(kind.names)


@pytest.mark.parametrize("keeps_rules", [True, False])
@pytest.mark.parametrize("name", RULE_KINDS)
def test_what_is_measured_is_what_solvers_keep(name, keeps_rules):
    problem = sample(SAMPLES[name], keeps_rules)
    every = np.indices((problem.k,) * problem.n).reshape(problem.n, -1).T
    both = set()
    for labels in every[(every == 0).any(axis=1) & (every == 1).any(axis=1)]:
        partition = Partition(problem, labels)
        (kept,) = partition.kept_rules
        assert kept.holds == partition.violations.none_hard, labels
        both.add(kept.holds)
    assert both == {True, False}


@pytest.mark.parametrize("name", RULE_KINDS)
def test_what_stays_a_rule_is_stored(name):
    problem = sample(SAMPLES[name], keeps_rules=True)
    assert decode_problem(encode_problem(problem)).rules == problem.rules
    assert {type(rule).__name__ for rule in problem.rules} <= STORED.keys()


@pytest.mark.parametrize(
    "name", [name for name, kind in RULE_KINDS.items() if kind.is_anti_monotone]
)
def test_parts_of_a_cluster_keep_an_anti_monotone_rule(name):
    problem, rng = sample(SAMPLES[name], keeps_rules=True), np.random.default_rng(0)
    rule = parse_rule(SAMPLES[name].rules[0], lambda _: [0, 0, 0, 1, 1, 1], lambda _: range(6))
    for _ in range(60):
        cluster = np.flatnonzero(rng.random(6) < 0.6)
        if rule.allows(problem, cluster):
            assert rule.allows(problem, cluster[rng.random(len(cluster)) < 0.6])
    assert with_rules(problem, [rule], keeps_rules=True).n == 6
