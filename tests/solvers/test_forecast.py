"""Forecasts of the time to a proof: constants that follow from the tables, and honest words."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxDiameter
from ccviz.solvers.advice import advice
from ccviz.solvers.forecast import FORMULAS, Forecast, forecast

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
X = np.random.default_rng(0).normal(size=(12_000, 4))


@pytest.fixture(scope="module")
def fitting():
    """Return the benchmark that fits the constants."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("fitting", BENCHMARKS / "forecast.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["fitting"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


@pytest.mark.parametrize("solver", FORMULAS)
def test_the_constants_follow_from_the_tables(fitting, solver):
    own = [row for row in fitting.rows() if row.solver == solver]
    now, stored = fitting.fit(own), FORMULAS[solver]
    assert now.runs >= stored.runs  # tables grow: fit again when they say something else
    assert now.kinds == stored.kinds
    for row in own:
        again = now.seconds(row.blocks, row.clusters, row.kind)
        assert again == pytest.approx(stored.seconds(row.blocks, row.clusters, row.kind), rel=0.3)


def test_ranges_hold_most_runs_of_data_sets_not_seen(fitting):
    rows = {row["solver"]: row for row in fitting.results("forecast")}
    assert rows.keys() == FORMULAS.keys()
    for solver, row in rows.items():
        assert int(row["runs"]) == FORMULAS[solver].runs
        assert float(row["in_range_percent"]) >= 75


def test_more_blocks_and_harder_constraints_take_longer():
    plain = forecast(Problem(X[:200], 3), "sdp")
    assert plain.low < plain.middle < plain.high
    assert not plain.beyond
    linked = Problem(X[:200], 3, must_link=[(0, i) for i in range(1, 100)])
    assert forecast(linked, "sdp").middle < plain.middle
    for harder in ({"sizes": [66, 67, 67]}, {"must_link": [(0, 1, 2.0)]}):
        assert forecast(Problem(X[:200], 3, **harder), "sdp").middle > plain.middle


@pytest.mark.parametrize(
    ("problem", "beyond"),
    [
        (Problem(X, 3), "12,000 blocks"),
        (Problem(X[:400], 60), "k = 60"),
        (Problem(X[:100, :1], 3), "1 feature"),
        (Problem(X[:4000], 20), "a proof of that length"),
        (Problem(X[:100], 3, weights=np.full(100, 2.0)), "points with weights"),
    ],
)
def test_what_was_not_measured_is_called_a_guess(problem, beyond):
    found = forecast(problem, "sdp")
    assert found.beyond == beyond
    assert "a guess" in found.words


def test_a_rule_is_beyond_and_a_heuristic_has_no_forecast():
    ruled = Problem(X[:100], 3, rules=[MaxDiameter(3.0)])
    assert forecast(ruled, "colgen").beyond == "a rule"
    assert forecast(ruled, "sdp") is None
    assert forecast(Problem(X[:100], 3), "blp-kmeans") is None


@pytest.mark.parametrize(
    ("seconds", "span"),
    [
        (0.01, "less than 0.1 s"),
        (0.24, "about 0.2 s (0.1 to 0.7 s)"),
        (2.0, "about 2 s (0.7 to 6 s)"),
        (14.2, "about 14 s (5 to 40 s)"),
        (100.0, "about 100 s (30 s to 5 min)"),
        (5e4, "about 14 h (5 to 40 h)"),
        (1e8, "longer than anything measured"),
    ],
)
def test_a_span_is_a_round_number_with_a_unit(seconds, span):
    assert Forecast("sdp", seconds / 3, seconds, 3 * seconds).span == span


def test_the_advice_has_the_time_and_says_where_a_limit_is_short():
    asked = Problem(X[:400], 5)
    found = forecast(asked, "sdp")
    assert found.words in advice(asked).why
    assert "may end it before" in advice(asked, seconds=found.middle).why
    assert "may end it before" not in advice(asked, seconds=2 * found.high).why
