"""Proofs under what bounds leave out: sums, sizes beside weights, soft links of parts."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.verify import verify
from tests.constrained import problem_of


def events_of(problem, solver, **settings):
    return [record.event for record in start(problem, solver, **settings)]


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["sdp", "colgen"])
@pytest.mark.parametrize(
    "kind", ["sum()<=", "sum()>=", "weights and sizes", "count()<=", "share()>=", "mean()<="]
)
def test_both_checkers_accept_proofs(second, solver, kind):
    problems = (problem_of(kind, seed, keeps_rules=solver == "colgen") for seed in range(5))
    for problem in filter(None, problems):
        events = events_of(problem, solver)
        if any(isinstance(event, IncumbentFound) for event in events):
            verdict, (proved, sentence) = verify(problem, events), second(problem, events)
            assert verdict.accepted, verdict.sentence
            assert proved, sentence


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


def test_a_proof_is_of_its_limits(kept, second):
    problem, events = kept
    assert verify(problem, events).accepted
    assert second(problem, events)[0]
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


def test_both_accept_parts_beside_soft_links(second):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 0.2, size=(8, 2)) for c in (0.0, 3.0)])
    problem = Problem(X, 2, must_link=[(0, 1, 1.0), (0, 8, 0.5)], cannot_link=[(2, 3, 0.2)])
    events = events_of(problem, "divide", part_size=8)
    verdict, (proved, sentence) = verify(problem, events, 0.9), second(problem, events, 0.9)
    assert verdict.accepted, verdict.sentence
    assert proved, sentence


@pytest.mark.slow
def test_both_accept_parts_under_sums(second):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.2, size=(20, 2)) for c in (0.0, 3.0, 6.0)])
    problem = Problem(X, 3, rules=(MinSum((1.0,) * 60, 19.0), MaxSum((1.0,) * 60, 22.0)))
    events = events_of(problem, "divide", part_size=15)
    verdict, (proved, sentence) = verify(problem, events, 0.1), second(problem, events, 0.1)
    assert verdict.accepted, verdict.sentence
    assert proved, sentence
