"""Proofs under what bounds leave out: sums, sizes beside weights, soft links of parts."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem
from ccviz.events import IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.verify import verify
from tests.made_up import events_of


@pytest.fixture
def kept():
    """A problem whose best clustering without the limits breaks one of them, and a proof."""
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    rules = (
        MinSum((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 2.0),
        MaxSum((3.0, 0.0, 2.0, 1.0, 1.0, 1.0), 4.0),
    )
    problem = Problem(X, 3, rules=rules)
    return problem, events_of(problem, "sdp")


def test_a_proof_is_of_its_limits(kept, second, both):
    problem, events = kept
    both.accept(problem, events)
    for rules in (
        (MinSum(problem.rules[0].values, 3.0), problem.rules[1]),
        (problem.rules[0], MaxSum(problem.rules[1].values, 2.5)),
    ):
        other = replace(problem, rules=rules)
        assert not verify(other, events).accepted
        assert "breaks a rule" in second(other, events)[1]


def test_the_best_clustering_without_limits_is_refused(kept, second):
    problem, events = kept
    labels = np.array([0, 0, 0, 1, 1, 2])
    better = IncumbentFound(
        labels=labels, source="forged", objective=Partition(problem, labels).wcss
    )
    forged = [events[0], better, *events[1:]]
    assert "breaks a rule" in verify(problem, forged).sentence
    assert "breaks a rule" in second(problem, forged)[1]


def test_both_accept_parts_beside_soft_links(both):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 0.2, size=(8, 2)) for c in (0.0, 3.0)])
    problem = Problem(X, 2, must_link=[(0, 1, 1.0), (0, 8, 0.5)], cannot_link=[(2, 3, 0.2)])
    events = events_of(problem, "divide", part_size=8)
    both.accept(problem, events, 0.9)


@pytest.mark.slow
def test_both_accept_parts_under_sums(both):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.2, size=(20, 2)) for c in (0.0, 3.0, 6.0)])
    problem = Problem(X, 3, rules=(MinSum((1.0,) * 60, 19.0), MaxSum((1.0,) * 60, 22.0)))
    events = events_of(problem, "divide", part_size=15)
    both.accept(problem, events, 0.1)
