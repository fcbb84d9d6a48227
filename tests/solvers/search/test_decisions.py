"""Decisions are read from their events, and split by kind and side."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.events import NodeBranched, NodeOpened
from ccviz.runs.codec import decode_event, encode_event
from ccviz.solvers.search.decisions import (
    DiscDecision,
    Margin,
    PairDecision,
    branched_fields,
    children_of,
    decided_discs,
    decided_pairs,
    decision_of,
    margin_of,
    opened_fields,
)
from tests.exact import exact_cost

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


# --- The margin for rounding, against exact fractions ---------------------------------------------


def test_no_margin_changes_nothing():
    assert [Margin().below(bound) for bound in (0.2, 0.0, -1.0)] == [0.2, 0.0, -1.0]


def test_what_is_not_a_positive_number_stays():
    margin = Margin(0.1, 0.1)
    assert margin.below(math.inf) == math.inf
    assert margin.below(-math.inf) == -math.inf
    assert margin.below(1e-4) == 0.0


@pytest.mark.parametrize("offset", [0.0, 1e8, 1e16])
@pytest.mark.parametrize("spread", [1.0, 1e9, 1e20])
def test_the_cost_of_the_centred_points_less_the_margin_is_no_more_than_the_cost(offset, spread):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(8, 2)) + offset
        X[4:] *= spread
        problem = Problem(X, 3, must_link=[(4, 5)])
        labels = np.append(rng.integers(3, size=4), [2, 2, 1, 0])
        exact = exact_cost(X, labels)
        margin = margin_of(problem)
        for cost in (Partition(problem, labels), Partition(problem.centred(), labels)):
            assert Fraction(margin.below(cost.wcss)) <= exact


def test_the_margin_is_a_few_units_where_clusters_are_as_wide_as_the_data():
    problem = Problem(np.random.default_rng(0).normal(size=(50, 2)), 3)
    assert Margin.below(margin_of(problem), 50.0) == pytest.approx(50.0, rel=1e-13)


def test_many_features_are_turned_and_so_have_more():
    wide = Problem(np.random.default_rng(0).normal(size=(5, 50)), 2)
    narrow = Problem(wide.X.T, 2)
    assert margin_of(wide).slip > 10.0 * margin_of(narrow).slip
