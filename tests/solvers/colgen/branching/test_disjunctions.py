"""Disjunctions: what they gain, and which comes next."""

import numpy as np
import pytest

from ccviz.solvers.colgen.params import DisjunctionParams
from ccviz.solvers.colgen.regions import Disjunction, Disjunctions, Term
from ccviz.solvers.colgen.strong_branching import Candidate


def term_of(increase, *sides):
    candidates = tuple(Candidate((0, 1), *each) for each in sides)
    empty = np.zeros(0)
    return Term((), empty, np.zeros((0, 0), dtype=bool), None, candidates, increase, -increase)


def disjunction_of(*cases):
    return Disjunction(np.zeros(2), np.ones(2), np.zeros(0, dtype=np.int64), np.zeros(0), cases)


def test_a_disjunction_gains_its_least_increase_and_one_that_gains_nothing_is_left_out():
    assert disjunction_of().increase == 0.0
    assert disjunction_of(term_of(3.0), term_of(2.0)).increase == 2.0
    disjunctions = Disjunctions(
        (disjunction_of(term_of(3.0)), disjunction_of(term_of(2.0))), -1.0, DisjunctionParams()
    )
    assert (disjunctions.increase, disjunctions.min_reduced_cost) == (5.0, -3.0)
    disjunctions = disjunctions.put(0, disjunction_of(term_of(1.0), term_of(9.0)))
    assert (disjunctions.increase, disjunctions.min_reduced_cost) == (3.0, -9.0)
    disjunctions = disjunctions.put(0, disjunction_of(term_of(0.0), term_of(9.0)))
    assert (disjunctions.increase, disjunctions.min_reduced_cost) == (2.0, -2.0)
    assert len(disjunctions.gaining) == 1


def test_the_disjunction_that_gains_most_for_each_term_is_next_and_an_unopened_one_first():
    one = disjunction_of(term_of(0.0, (4.0, 4.0), (9.0, 1.0)))
    assert one.rate(2.0) == pytest.approx(4.0 / np.log(2.0) / np.expm1(1.0), rel=1e-6)
    many = disjunction_of(*[term_of(0.0, (4.0, 4.0))] * 3)
    assert many.rate(2.0) < one.rate(2.0)
    higher = disjunction_of(term_of(0.0, (4.0, 4.0)), *[term_of(6.0)] * 2)
    assert many.rate(2.0) < higher.rate(2.0)
    proven, idle = (
        disjunction_of(*[term_of(increase, (4.0, 4.0))] * 3) for increase in (20.0, 1.0)
    )
    assert idle.rate(2.0) < proven.rate(2.0)
    stalled = disjunction_of(term_of(0.0, (4.0, 4.0))._replace(stalled=2))
    assert stalled.rate(2.0) == pytest.approx(one.rate(2.0) / 3.0, rel=1e-6)
    assert Disjunctions((many, one), -1.0, DisjunctionParams()).next == 1
    assert Disjunctions((one, many, disjunction_of()), -1.0, DisjunctionParams()).next == 2


def test_a_disjunction_whose_worst_term_has_no_disc_to_split_on_gains_nothing():
    assert disjunction_of(term_of(0.0), term_of(1.0, (8.0, 8.0))).rate(2.0) == 0.0


def test_disjunctions_without_a_disc_that_is_any_good_or_with_too_many_terms_are_given_up():
    assert Disjunctions((disjunction_of(term_of(1.0)),), -1.0, DisjunctionParams()).next is None
    assert (
        Disjunctions((disjunction_of(term_of(1.0, (0.0, -1.0))),), -1.0, DisjunctionParams()).next
        is None
    )
    many = [term_of(1.0, (2.0, 1.0))] * DisjunctionParams().most_terms
    assert Disjunctions((disjunction_of(*many[:-1]),), -1.0, DisjunctionParams()).next == 0
    assert Disjunctions((disjunction_of(*many),), -1.0, DisjunctionParams()).next is None
