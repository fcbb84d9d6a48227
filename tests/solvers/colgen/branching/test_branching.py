"""Disjunctions: what they gain, and which comes next."""

from functools import partial

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.facilities import make_facilities
from ccviz.solvers.colgen.master.facility_master import FacilityDuals, Neighbourhoods
from ccviz.solvers.colgen.params import DisjunctionParams, StrongParams
from ccviz.solvers.colgen.regions import (
    Disjunction,
    Disjunctions,
    Term,
    _grow,
    _heaviest,
    find_disjunctions,
)
from ccviz.solvers.colgen.strong_branching import (
    Basis,
    Candidate,
    _moves,
    best_candidate,
    evaluated,
    likely_discs,
    still_valid,
)
from tests.solvers.colgen.conftest import neighbourhoods_of
from tests.solvers.colgen.master.test_master import SMALL, sixty  # noqa: F401
from tests.solvers.colgen.model.test_discs import centers_of, instance_of


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


# --- The boxes of disjunctions: the heaviest that do not meet, enlarged ---------------------------


find = partial(
    find_disjunctions,
    neighbourhoods=Neighbourhoods(16, neighbourhoods_of(40)),
    params=DisjunctionParams(),
)


@pytest.mark.parametrize("seed", range(5))
def test_the_heaviest_of_those_that_do_not_meet_are_chosen(seed):
    rng = np.random.default_rng(seed)
    weight, meets = rng.uniform(size=9), rng.uniform(size=(9, 9)) < 0.3
    meets = meets | meets.T | np.eye(9, dtype=bool)
    every = np.arange(1 << 9)[:, None] >> np.arange(9) & 1
    clashes = np.einsum("ai,ij,aj->a", every, np.triu(meets, 1), every)
    best = (every @ weight)[clashes == 0].max()
    chosen = _heaviest(weight, meets, 10_000)
    assert weight[chosen].sum() == pytest.approx(best)
    assert not np.triu(meets, 1)[np.ix_(chosen, chosen)].any()


def test_disjunctions_do_not_meet_and_raise_only_blocks_that_gain_nothing_outside():
    X = np.random.default_rng(1).uniform(size=(240, 2)) * [12, 1]
    blocks = contract(Problem(X, 16))
    duals = np.random.default_rng(1).uniform(0.02, 0.1, size=240)
    labels = np.argsort(np.argsort(X[:, 0])) // 10
    instance = make_instance(blocks)
    found = find(instance, blocks.centroid, FacilityDuals(duals, 0.1), X, labels)
    assert len(found) >= 2
    for each in found:
        for other in found:
            apart = (each.low > other.high) | (each.high < other.low)
            assert each is other or apart.any()
        ascend_near = each.rows[each.caps > duals[each.rows]]
        assert len(ascend_near) > 0
        reach = np.sqrt(each.caps[each.caps > duals[each.rows]])[:, None]
        assert (X[ascend_near] - reach >= each.low - 1e-9).all()
        assert (X[ascend_near] + reach <= each.high + 1e-9).all()
        assert (np.ptp(instance.points[each.rows], axis=0) == np.ptp(instance.points, axis=0)).all()
        outside = np.setdiff1d(np.arange(240), each.rows)
        gaps = np.maximum(np.maximum(each.low - X[outside], X[outside] - each.high), 0.0)
        assert ((gaps**2).sum(axis=1) >= duals[outside]).all()
    assert find(instance, blocks.centroid, FacilityDuals(duals, 0.1), X[:0], labels) == ()


def test_boxes_grow_where_there_is_room_and_meet_no_other():
    low, high = np.array([[0.0, 0.0], [1.1, 0.0]]), np.array([[1.0, 1.0], [2.1, 1.0]])
    alone, grown = (low[:1].copy(), high[:1].copy()), (low.copy(), high.copy())
    _grow(*alone, 0.05, 5)
    assert alone[0][0] == pytest.approx([-0.25, -0.25])
    assert alone[1][0] == pytest.approx([1.25, 1.25])
    _grow(*grown, 0.05, 5)
    assert (grown[0] <= low).all()
    assert (grown[1] >= high).all()
    assert grown[1][0, 0] < grown[0][1, 0]
    assert grown[0][0] == pytest.approx(alone[0][0])


# --- Strong-branching candidates: their scores, which is best, and which stay valid ---------------


@pytest.fixture
def basis(sixty):  # noqa: F811
    instance, columns, _, best = sixty
    values = make_facilities(instance, columns, best.duals).reduced_costs(best.duals)
    return Basis(
        instance, columns, best, values, np.full(60, 1.0), instance.points, SMALL, StrongParams()
    )


def test_both_sides_count_and_neither_beyond_what_is_missing():
    even, uneven = Candidate((0, 1), 2.0, 2.0), Candidate((0, 2), 9.0, 1.0)
    assert best_candidate([uneven, even], missing=3.0) == even
    assert best_candidate([even, uneven], missing=30.0) == uneven
    assert best_candidate([Candidate((0, 1), 0.0, 0.0)], missing=1.0) is None
    assert best_candidate([], missing=1.0) is None


@pytest.mark.parametrize(
    ("sides", "growth"), [((2.0, 2.0), np.log(2.0) / 2.0), ((1.0, 2.0), np.log((1 + 5**0.5) / 2))]
)
def test_leaves_multiply_as_their_sides_say(sides, growth):
    assert Candidate((0, 1), *sides).growth_rate == pytest.approx(growth)
    assert Candidate((0, 1), *sides[::-1]).growth_rate == pytest.approx(growth)


def test_a_side_that_gains_nothing_is_worse_than_a_little_and_two_are_hopeless():
    grown = [Candidate((0, 1), 2.0, least).growth_rate for least in (2.0, 0.5, 0.0, -1.0)]
    assert grown == sorted(grown)
    assert grown[2] == grown[3] < np.inf
    assert Candidate((0, 1), 0.0, -1.0).growth_rate == np.inf
    assert Candidate((0, 1), np.inf, np.inf).growth_rate == 0.0


@pytest.mark.slow
def test_likely_discs_are_evaluated_and_gain_something(basis):
    missing = 0.01 * basis.solution.objective
    trials = evaluated(basis, missing)
    assert trials
    assert len({trial.disc for trial in trials}) == len(trials)
    assert best_candidate(trials, missing) is not None
    for trial in trials:  # an empty disc moves centres; occupied, it changes nothing
        assert trial.occupied >= -0.05 * missing  # as exact as it is solved


def test_near_a_point_only_discs_there_are_evaluated_and_old_ones_stay_valid_elsewhere(basis):
    missing = 0.01 * basis.solution.objective
    everywhere = evaluated(basis, missing)
    at = basis.points[everywhere[0].disc[0]]
    here = evaluated(basis, missing, at)
    reach = SMALL.reach(basis.instance, at, basis.params.reach)
    kept = still_valid(everywhere, basis.points, at, reach)
    assert here
    assert everywhere[0] not in kept
    gaps = lambda trials: [((basis.points[t.disc[0]] - at) ** 2).sum() for t in trials]  # noqa: E731
    assert max(gaps(here)) < min(gaps(kept), default=np.inf)


def test_a_run_that_is_stopped_evaluates_nothing(basis):
    assert evaluated(basis, 1.0, stop=lambda: True) == ()


def test_a_likely_disc_holds_half_a_centre():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [6.0, 0.0], [7.0, 0.0], [3.5, 1.0], [3.5, 4.0]])
    instance = instance_of(X)
    columns = np.array(
        [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0]], dtype=bool
    )
    weights = np.array([0.5, 1.0, 1.0, 0.5])
    turned = instance.points  # every block is one point
    near, far = likely_discs(instance, columns, weights, turned)[0]
    radius = np.sqrt(((turned[near] - turned[far]) ** 2).sum())
    centers, _ = centers_of(instance, columns)
    gaps = np.sqrt(((centers - turned[near]) ** 2).sum(axis=1))
    assert weights[gaps <= radius].sum() == pytest.approx(0.5)
    assert likely_discs(instance, columns[:3], np.ones(3), turned) == []


def test_what_it_costs_to_move_centres_to_a_border():
    gaps, weights = np.array([3.0, 1.0, 5.0]), np.array([0.75, 0.5, 1.0])
    mass = np.array([2.0, 4.0, 10.0])
    moves = _moves(np.array([0.5, 2.0, 4.0, 6.0]), gaps, weights, mass)
    # The border at 2: out goes half of 4, in comes half of 2, and no more: that is one in all.
    assert moves.tolist() == pytest.approx([0.0, 1.0, 0.0, 0.0])
