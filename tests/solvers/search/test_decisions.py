"""Decisions are read from their events, and split by kind and side."""

import pickle

import numpy as np
import pytest

from ccviz.events import NodeBranched, NodeOpened
from ccviz.runs.codec import decode_event, encode_event
from ccviz.solvers.search.decisions import (
    DiscDecision,
    PairDecision,
    branched_fields,
    children_of,
    decided_discs,
    decided_pairs,
    decision_of,
    opened_fields,
)

DECISIONS = (
    PairDecision(0, 1, together=True),
    DiscDecision(0, 1, occupied=True),
    PairDecision(2, 3, together=False),
    DiscDecision(7, 6, occupied=False),
    PairDecision(4, 5, together=True),
)


@pytest.mark.parametrize("decision", [None, *DECISIONS])
def test_a_decision_is_read_from_the_event_that_opened_its_node(decision):
    event = NodeOpened(node=1, parent=0, depth=1, lower_bound=0.0, **opened_fields(decision))
    assert decision_of(event) == decision
    assert decision_of(decode_event(encode_event(event))) == decision


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_decisions_of_siblings_are_read_from_the_event_that_branched(decision):
    event = NodeBranched(node=0, lower_bound=0.0, **branched_fields(decision))
    first, second = children_of(event)
    assert {first, second} == {decision, decision.opposite}
    assert first.opposite == second
    assert children_of(decode_event(encode_event(event))) == (first, second)
    sides = [opened_fields(each)["together"] for each in (first, second)]
    assert sides == [True, False]


def test_a_pair_and_a_disc_of_the_same_points_differ():
    assert PairDecision(0, 1, True) != DiscDecision(0, 1, True)
    assert len({PairDecision(0, 1, True), DiscDecision(0, 1, True)}) == 2
    assert pickle.loads(pickle.dumps(DECISIONS)) == DECISIONS


def test_decisions_are_split_by_kind_and_side():
    assert decided_pairs(DECISIONS, together=True).tolist() == [[0, 1], [4, 5]]
    assert decided_pairs(DECISIONS, together=False).tolist() == [[2, 3]]
    assert decided_discs(DECISIONS, occupied=True).tolist() == [[0, 1]]
    assert decided_discs(DECISIONS, occupied=False).tolist() == [[7, 6]]
    for none in (decided_pairs([], True), decided_discs([], True)):
        assert none.shape == (0, 2)
        assert none.dtype == np.int64
