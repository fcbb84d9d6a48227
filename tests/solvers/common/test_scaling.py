import numpy as np
import pytest

from ccviz.events import ColumnsPriced, NodeBounded
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxDiameter
from ccviz.proof.verify import verify
from ccviz.runs.stepper import start
from ccviz.solvers.common.scaling import rescale
from tests.enumeration import least_wcss
from tests.solvers.colgen.conftest import random_problem

SCALES = (1e-120, 1e-60, 1e-12, 1e-5, 1.0, 1e12, 1e60)


def run(problem, solver="colgen"):
    return [record.event for record in start(problem, solver)]


def scaled(problem, scale):
    limits = tuple(MaxDiameter(scale * rule.limit) for rule in problem.rules)
    return Problem(
        scale * problem.X, problem.k, problem.must_link, problem.cannot_link, rules=limits
    )


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("rules", [(), (MaxDiameter(2.2),)], ids=["links", "diameter"])
def test_a_proof_holds_in_every_unit(scale, rules):
    for seed in range(4):
        problem = scaled(random_problem(seed, rules), scale)
        best = least_wcss(problem)
        if np.isinf(best):
            continue
        events = run(problem)
        verdict = verify(problem, events)
        assert events[-1].termination == "proved"
        assert verdict.accepted, verdict.sentence
        assert verdict.upper_bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("scale", SCALES)
def test_a_semidefinite_proof_holds_in_every_unit(scale):
    problem = scaled(random_problem(3), scale)
    verdict = verify(problem, run(problem, "sdp"))
    assert verdict.accepted, verdict.sentence
    assert verdict.upper_bound == pytest.approx(least_wcss(problem), rel=1e-3)


def test_what_is_shown_is_in_the_unit_of_the_points():
    problem = scaled(random_problem(3), 1e-6)
    events = run(problem)
    whole = Partition(problem, np.zeros(problem.n)).wcss
    rounds = [event for event in events if isinstance(event, ColumnsPriced)]
    assert rounds
    for each in rounds:
        assert 0.0 < each.master_objective < 100.0 * whole
        assert each.lower_bound < whole
        assert abs(each.duals).max() < 100.0 * whole
    assert all(e.lower_bound < whole for e in events if isinstance(e, NodeBounded))


def test_the_unit_is_a_power_of_two():
    problem = Problem([[0.0, 1.0], [3e-7, 1.0], [5e-7, 1.0]], 2)
    ours, exponent = rescale(problem)
    assert np.abs(ours.X).max() == pytest.approx(24, rel=0.5)
    assert (np.ldexp(ours.X, -exponent) == problem.centred().X).all()


def test_points_that_coincide_keep_their_unit():
    assert rescale(Problem(np.ones((3, 2)), 2))[0].X.tolist() == np.zeros((3, 2)).tolist()


@pytest.mark.parametrize("radius", [1e-3, 1e-5, 1e-7])
def test_tight_clusters_far_from_each_other_are_proved(radius):
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = np.repeat(rng.normal(size=(3, 2)), 3, axis=0) + radius * rng.normal(size=(9, 2))
        problem = Problem(X, 3)
        verdict = verify(problem, run(problem))
        assert verdict.accepted, verdict.sentence
        assert 0.0 < verdict.upper_bound < 100.0 * radius**2


def test_more_features_than_points_need_no_square_of_the_features():
    X = np.random.default_rng(0).normal(size=(9, 20_000))
    problem = Problem(X, 3, must_link=[(0, 1), (2, 3), (4, 5)])
    verdict = verify(problem, run(problem))
    assert verdict.accepted, verdict.sentence


def test_wide_points_are_turned_into_as_many_dimensions_as_points():
    rng = np.random.default_rng(0)
    problem = Problem(rng.normal(size=(9, 50)) * 1e6 + 1e8, 2)
    within, exponent = rescale(problem)
    assert within.X.shape == (9, 9)
    for labels in rng.integers(2, size=(5, 9)):
        labels[:2] = 0, 1
        cost = Partition(within, labels).wcss
        assert cost == pytest.approx(Partition(problem, labels).wcss * 2.0 ** (2 * exponent))


def test_weights_of_soft_links_follow_the_points_and_stay_finite():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    for scale in (1e-120, 1.0, 1e60):
        links = {"must_link": [(0, 1, 2.0), (1, 2)], "cannot_link": [(0, 3, 0.5)]}
        ours, exponent = rescale(Problem(scale * X, 2, **links))
        soft = ours.must_link.soft.weights
        assert len(ours.must_link.hard) == 1
        assert np.isfinite(soft).all()
        if scale == 1.0:
            assert soft.tolist() == [2.0 * 4.0**exponent]
            assert ours.cannot_link.weights.tolist() == [0.5 * 4.0**exponent]


def test_costs_with_weights_are_of_one_unit():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    problem = Problem(X, 2, must_link=[(0, 3, 2.0)], cannot_link=[(0, 1, 0.5)])
    ours, exponent = rescale(problem)
    labels = [0, 0, 0, 1]
    given, scaled_cost = Partition(problem, labels).objective, Partition(ours, labels).objective
    assert scaled_cost == pytest.approx(given * 4.0**exponent)
