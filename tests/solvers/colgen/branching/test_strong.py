"""Strong-branching candidates: their scores, which is best, and which stay valid."""

import numpy as np
import pytest

from ccviz.solvers.colgen.master.facilities import make_facilities
from ccviz.solvers.colgen.params import StrongParams
from ccviz.solvers.colgen.strong_branching import (
    Basis,
    Candidate,
    _moves,
    best_candidate,
    evaluated,
    likely_discs,
    still_valid,
)
from tests.solvers.colgen.master.test_neighbourhood import SMALL, sixty  # noqa: F401
from tests.solvers.colgen.model.test_discs import centers_of, instance_of


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
