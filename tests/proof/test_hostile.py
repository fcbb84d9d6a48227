"""Runs that want more than they prove: each ends in a sentence, soon, and in no traceback."""

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import ParameterError, ProblemError
from ccviz.events import Finished, IncumbentFound, NodeOpened, NodePruned, Started
from ccviz.problem.rules import MaxOverlap
from ccviz.proof.verify import verify


def run_of(solver, labels, bound, certificate, reason="bound", objective=None):
    """Return the events of a run with one node."""
    return [
        Started(solver=solver, settings={}, seed=0, n=4, d=1, k=2, n_blocks=4),
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        IncumbentFound(labels=labels, objective=objective),
        NodePruned(node=0, reason=reason, lower_bound=bound, certificate=certificate),
        Finished(termination="proved"),
    ]


FOUR = Problem([[0.0], [1.0], [10.0], [11.0]], 2)
LABELS = np.array([0, 0, 1, 1])


@pytest.mark.parametrize("scale", [1e-162, 1e-170, 1e-300])
def test_data_whose_squares_vanish_are_refused_in_a_sentence(scale):
    X = scale * np.random.default_rng(0).normal(size=(9, 2))
    with pytest.raises(ProblemError, match="too small to add up squares"):
        Problem(X, 3)


def test_a_feature_whose_squares_vanish_is_not_proved():
    """The two clusterings differ by 1e-340, which no double holds: nothing is claimed of it."""
    X = np.array([[0.0, 0.0], [0.0, 1e-170], [1.0, 0.0], [1.0, 3e-170]])
    problem = Problem(X, 2)
    events = [record.event for record in start(problem, "sdp")]
    assert not verify(problem, events).accepted


def test_points_that_coincide_are_proved_at_every_offset():
    for offset in (0.0, 0.1, 1e8):
        X = np.repeat(np.array([[0.0, 1.0], [3.0, 0.3], [7.0, 2.0]]) + offset, 3, axis=0)
        events = [record.event for record in start(Problem(X, 3), "sdp")]
        verdict = verify(Problem(X, 3), events)
        assert verdict.accepted
        assert (verdict.upper_bound, verdict.lower_bound, verdict.gap) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("solver", [pytest.param("sdp", marks=pytest.mark.slow), "colgen"])
def test_a_point_too_far_from_all_others_is_not_called_solved(solver):
    X = np.random.default_rng(0).normal(size=(6, 2))
    X[0] = 1e60
    run = start(Problem(X, 2), solver, node_limit=3)
    events = [record.event for record in run]
    assert run.result().status != "optimal" or verify(Problem(X, 2), events).accepted


TEN = {"nonnegativity": np.zeros(10)}
ONE_CUT = {**TEN, "kind": np.zeros(1, dtype=int), "weights": np.ones(1)}
CERTIFICATES = {
    "no duals": {"least": np.array([-1.0])},
    "no least value": {"duals": np.ones(4)},
    "duals of another number": {"duals": np.ones(5), "least": np.array([-1.0])},
    "duals that are none": {"duals": np.full(4, np.nan), "least": np.array([-1.0])},
    "duals without end": {"duals": np.full(4, 1e308), "least": np.array([-1e308])},
    "a least value above zero": {"duals": np.ones(4), "least": np.array([1.0])},
    "whole duals": {"duals": np.ones(4, dtype=int), "least": np.array([-1.0])},
    "an owner that is none": {"node": np.array([np.nan])},
    "an owner that is not there": {"node": np.array([7])},
    "two owners": {"node": np.array([0, 0])},
    "a unit out of range": {"unit": np.array([10**9]), "nonnegativity": np.zeros(10)},
    "multipliers of another number": {"nonnegativity": np.zeros(9)},
    "no cuts": TEN,
    "fractional cuts": {**ONE_CUT, "points": np.zeros((1, 3)), "kind": np.zeros(1)},
    "cuts over blocks that are not there": {**ONE_CUT, "points": np.array([[0, 99, -1]])},
    "multipliers without end": {
        "nonnegativity": np.full(10, 1e300), "points": np.zeros((0, 3), dtype=int),
        "kind": np.zeros(0, dtype=int), "weights": np.zeros(0), "unit": np.array([-4000]),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_malformed_certificate_is_no_proof(second, name):
    events = run_of("colgen", LABELS, 1.0, CERTIFICATES[name])
    assert verify(FOUR, events).sentence.startswith("no proof: ")
    assert not second(FOUR, events)[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": np.array([0, 0, 1])}, {"labels": np.array([0, 0, 1, 2])},
        {"labels": np.array([0, 0, 0, 0])}, {"labels": np.array([0.0, 0.0, 1.0, 1.0])},
        {"labels": np.array([[0, 0, 1, 1]])}, {"objective": np.nan}, {"objective": 0.5},
    ],
    ids=repr,
)  # fmt: skip
def test_a_malformed_clustering_is_no_proof(changed):
    events = [record.event for record in start(FOUR, "sdp")]
    assert verify(FOUR, events).accepted
    altered = [
        msgspec.structs.replace(event, **changed) if isinstance(event, IncumbentFound) else event
        for event in events
    ]
    assert verify(FOUR, altered).sentence.startswith("no proof: a clustering")


@pytest.mark.parametrize("bound", [np.nan, np.inf, -np.inf, 1e300, 1.5])
def test_a_bound_that_is_claimed_without_proof_is_none(second, bound):
    events = run_of("sdp", LABELS, bound, {})
    assert verify(FOUR, events).sentence.startswith("no proof: ")
    assert not second(FOUR, events)[0]


@pytest.mark.parametrize("pair", [(0, 9), (-1, 2), (1, 1), (0,), (0.0, 1.0)])
def test_a_branch_over_no_two_points_is_no_proof(pair):
    events = run_of("sdp", LABELS, 1.0, {})
    events.insert(2, NodeOpened(node=1, parent=0, depth=1, lower_bound=0.0, pair=pair))
    assert verify(FOUR, events).sentence.startswith("no proof: ")


def test_four_points_with_duals_made_to_be_searched_for_long_take_no_search():
    rng = np.random.default_rng(0)
    for _ in range(20):
        duals = 10.0 ** rng.uniform(-300, 2, 4)
        least = -float(duals.sum())
        bound = max(0.0, float(duals.sum()) + 2 * least)
        events = run_of("colgen", LABELS, bound, {"duals": duals, "least": np.array([least])})
        assert not verify(FOUR, events, work=0.0).accepted


def test_few_blocks_need_no_search():
    for seed in range(4):
        problem = Problem(np.random.default_rng(seed).normal(size=(9, 2)), 3)
        events = [record.event for record in start(problem, "colgen")]
        assert verify(problem, events, gap=1e-6, work=0.0).accepted


def test_a_rule_over_points_that_are_not_there_is_no_proof():
    events = [record.event for record in start(FOUR, "colgen")]
    wrong = Problem(FOUR.X, 2, rules=(MaxOverlap((0, 99), 1),))
    assert "a rule names point 99" in verify(wrong, events).sentence


def test_a_long_path_graph_is_coloured_without_recursion():
    n = 1200
    problem = Problem(
        np.arange(float(n))[:, None], 3, cannot_link=[(i, i + 1) for i in range(n - 1)]
    )
    events = run_of("sdp", np.arange(n) % 3, np.inf, {}, reason="infeasible")
    assert "a clustering exists" in verify(problem, events, work=1e3).sentence


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"node_limit": 1.5}, "not a whole number of at least 0"),
        ({"node_limit": True}, "not a whole number"),
        ({"time_limit": False}, "not a number"),
        ({"seed": True}, "not a whole number"),
    ],
)
def test_limits_and_seeds_are_numbers(limits, sentence):
    with pytest.raises(ParameterError, match=sentence):
        start(FOUR, "sdp", **limits)


def test_the_objective_keeps_its_digits_far_from_zero():
    X = np.array([[0.0, 0.0], [0.5, 0.25], [9.0, 9.25], [9.25, 9.5], [9.0, 9.0]])
    near, far = (start(Problem(X + offset, 2), "sdp").result() for offset in (0.0, 1e8))
    assert far.objective == pytest.approx(near.objective, rel=1e-14)
