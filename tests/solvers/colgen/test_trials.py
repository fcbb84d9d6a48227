"""Trials of places: what they say, which is best, and which still hold."""

import numpy as np
import pytest

from ccviz.solvers.colgen.stars import make_stars
from ccviz.solvers.colgen.trials import Basis, Trial, best_trial, elsewhere, tried
from tests.solvers.colgen.conftest import few_blocks_near
from tests.solvers.colgen.test_spot import K, sixty  # noqa: F401


@pytest.fixture
def basis(sixty, monkeypatch):  # noqa: F811
    few_blocks_near(monkeypatch, 20)
    instance, columns, _, best = sixty
    values = make_stars(instance, columns, best.duals).values(best.duals)
    return Basis(instance, columns, best, values, np.full(60, 1.0), instance.points, K)


def test_both_sides_count_and_neither_beyond_what_is_missing():
    even, uneven = Trial((0, 1), 2.0, 2.0), Trial((0, 2), 9.0, 1.0)
    assert best_trial([uneven, even], missing=3.0) == even
    assert best_trial([even, uneven], missing=30.0) == uneven
    assert best_trial([Trial((0, 1), 0.0, 0.0)], missing=1.0) is None
    assert best_trial([], missing=1.0) is None


@pytest.mark.parametrize(
    ("sides", "growth"), [((2.0, 2.0), np.log(2.0) / 2.0), ((1.0, 2.0), np.log((1 + 5**0.5) / 2))]
)
def test_leaves_multiply_as_their_sides_say(sides, growth):
    assert Trial((0, 1), *sides).growth == pytest.approx(growth)
    assert Trial((0, 1), *sides[::-1]).growth == pytest.approx(growth)


def test_a_side_that_gains_nothing_is_worse_than_a_little_and_two_are_hopeless():
    grown = [Trial((0, 1), 2.0, least).growth for least in (2.0, 0.5, 0.0, -1.0)]
    assert grown == sorted(grown)
    assert grown[2] == grown[3] < np.inf
    assert Trial((0, 1), 0.0, -1.0).growth == np.inf
    assert Trial((0, 1), np.inf, np.inf).growth == 0.0


def test_likely_places_are_tried_and_gain_something(basis):
    missing = 0.01 * basis.solution.objective
    trials = tried(basis, missing)
    assert trials
    assert len({trial.place for trial in trials}) == len(trials)
    assert best_trial(trials, missing) is not None
    for trial in trials:  # an empty place moves centres; if it is taken, all stars were there
        assert trial.taken >= -0.05 * missing  # as exact as it is solved


def test_near_a_spot_only_places_there_are_tried_and_old_trials_hold_elsewhere(basis):
    missing = 0.01 * basis.solution.objective
    everywhere = tried(basis, missing)
    at = basis.points[everywhere[0].place[0]]
    here = tried(basis, missing, at)
    kept = elsewhere(everywhere, basis.instance, basis.points, at, K)
    assert here
    assert everywhere[0] not in kept
    gaps = lambda trials: [((basis.points[t.place[0]] - at) ** 2).sum() for t in trials]  # noqa: E731
    assert max(gaps(here)) < min(gaps(kept), default=np.inf)


def test_a_run_that_is_stopped_tries_nothing(basis):
    assert tried(basis, 1.0, stop=lambda: True) == ()
