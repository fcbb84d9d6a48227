from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.problem.blocks import contract
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver
from ccviz.solvers import rbba as rbba
from ccviz.solvers.base import Context
from ccviz.solvers.rbba import entry_order
from ccviz.solvers.rbba._search import cost_of, fits
from tests.exact import exact_cost


def made_up(seed, n=9, k=3, links=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = rng.integers(k, size=n)
    pairs = rng.choice(n, size=(links, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


@pytest.mark.parametrize("seed", range(2))
def test_it_agrees_with_the_relaxation_on_more_points(seed):
    problem = made_up(seed, n=40, links=40)
    ours, theirs = solve(problem, "rbba"), solve(problem, "sdp")
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-4)
    assert ours.lower_bound <= theirs.objective


def test_infeasible_links_are_proved_by_the_search_too(monkeypatch):
    unsure = type("Unsure", (), {"feasible": None, "labels": None})
    monkeypatch.setattr(rbba, "check_feasibility", lambda *_, **__: unsure)
    clique = [(i, j) for i in range(4) for j in range(i)]
    problem = Problem(np.random.default_rng(0).normal(size=(8, 2)), 3, cannot_link=clique)
    result = solve(problem, "rbba", starts=0)
    assert (result.status, result.termination) == ("infeasible", "proved")
    assert "exhaustive" in result.run.infeasible.reason


def test_a_stopped_search_has_an_answer_and_a_bound():
    problem = made_up(0, n=60, links=10)
    stepper = Stepper(
        problem,
        make_solver("rbba"),
        criteria=[lambda run, age: "interrupted" if run.seq > 20 else None],
    )
    result = stepper.result()
    assert result.status == "feasible"
    assert 0 < result.lower_bound < result.objective


@pytest.mark.parametrize("seed", range(5))
def test_the_search_knows_each_cost_to_its_relative_error(seed):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((7, 2)) < 0.5, 1.0, 1e-12) * rng.normal(size=(7, 2)) + (seed % 2)
    problem = Problem(X, 3, must_link=[(0, 3), (3, 5)])
    blocks = contract(problem)
    data, order = rbba.make_data(problem.X, problem.masses, blocks, 0, Context())
    for labels in rng.integers(3, size=(10, blocks.s)):
        cost = cost_of(data.between, data.within, data.mass, labels[order], 0, 3)
        exact = exact_cost(problem.X, blocks.lift(labels))
        assert abs(Fraction(cost) - exact) <= Fraction(rbba.error_of(problem)) * exact


def test_the_last_sentence_says_that_there_is_no_proof_to_check():
    result = solve(made_up(0), "rbba")
    assert result.status == "optimal"
    assert "exhaustive search" in result.message
    assert "no proof that another program could check" in result.message


def test_a_wide_tolerance_is_a_gap_and_no_optimum():
    result = solve(made_up(0), "rbba", tolerance=0.2)
    assert (result.status, result.termination) == ("feasible", "gap")


def test_more_digits_than_doubles_hold_are_no_proof():
    problem = Problem(np.array([[0.0], [1e-120], [3e-120], [1e60], [2e60]]), 4)
    result = solve(problem, "rbba")
    assert (result.status, result.termination) == ("feasible", "stalled")
    assert "rounding leaves a gap" in result.message


def test_heavy_blocks_come_first_and_near_points_are_parted():
    point = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    count = np.array([1.0, 1.0, 1.0, 1.0, 3.0])
    order = entry_order((point - point.T) ** 2, count, count).tolist()
    assert order[0] == 4
    halves = [set(order[1:3]), set(order[3:])]
    assert all(len(half & {0, 1}) == 1 for half in halves)


def test_many_features_are_no_more_dimensions_than_points():
    narrow = made_up(1, n=10)
    wide = np.random.default_rng(0).normal(size=(2, 300))
    problem = Problem(narrow.X @ wide, 3, narrow.must_link.pairs, narrow.cannot_link.pairs)
    assert solve(problem, "rbba").objective == pytest.approx(solve(problem, "sdp").objective)


@pytest.mark.parametrize("seed", range(20))
def test_sizes_fit_limits_in_some_order(seed):
    rng = np.random.default_rng(seed)
    size, lower = rng.integers(1, 7, (2, 4)).astype(float)
    upper = lower + rng.integers(0, 4, 4)
    some = any(
        ((lower <= size[list(order)]) & (size[list(order)] <= upper)).all()
        for order in permutations(range(4))
    )
    by_upper = np.argsort(upper, kind="stable")
    assert fits(size, lower[by_upper], upper[by_upper]) == some


def test_two_blocks_with_links_of_both_kinds_pay_the_lesser_weight():
    X = np.array([[0.0], [0.1], [5.0], [5.2]])
    problem = Problem(X, 2, must_link=[(0, 2, 0.3), (2, 3)], cannot_link=[(0, 2, 0.1), (2, 3, 0.4)])
    result = solve(problem, "rbba")
    assert result.status == "optimal"
    assert result.partition.penalty == pytest.approx(0.7)
