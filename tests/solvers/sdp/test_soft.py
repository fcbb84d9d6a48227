"""sdp under soft links: against brute force, its bounds, its certificates."""

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.events import NodePruned
from ccviz.proof.verify import verify
from tests.made_soft import least_objective


def agree(problems, backend="splitting"):
    """Compare runs with brute force, and check their proofs."""
    for problem in problems:
        optimum = least_objective(problem)
        run = start(problem, "sdp", tolerance=1e-7, backend=backend)
        events = [record.event for record in run]
        result = run.result()
        leaves = [event.lower_bound for event in events if isinstance(event, NodePruned)]
        if not np.isfinite(optimum):
            assert result.status == "infeasible"
        else:
            assert result.status == "optimal"
            assert result.objective == pytest.approx(optimum, rel=2e-7, abs=1e-15)
            assert result.lower_bound <= optimum * (1 + 1e-12)
            assert min(leaves) <= optimum * (1 + 1e-9)
        assert verify(problem, events).accepted


def test_links_on_one_pair_and_within_blocks_cost_what_they_must():
    X = np.array([[0.0], [0.2], [1.0], [1.3], [4.0], [4.1]])
    problem = Problem(
        X,
        3,
        must_link=[(0, 1), (0, 4, 0.3), (2, 4, 0.2)],
        cannot_link=[(0, 1, 0.7), (0, 4, 0.1), (2, 3, 0.5), (4, 5), (0, 4, 0.2)],
    )
    agree([problem])


def test_a_weight_beyond_all_costs_is_kept_as_a_hard_link_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    pairs = [(0, 1), (2, 3), (4, 5)]
    hard = solve(Problem(X, 3, must_link=pairs), "sdp")
    heavy = solve(Problem(X, 3, must_link=[(i, j, 1e9) for i, j in pairs]), "sdp")
    assert heavy.status == "optimal"
    assert heavy.objective == pytest.approx(hard.objective, rel=1e-6)


def test_three_points_that_heavy_links_keep_apart_break_one_of_two_clusters():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    heavy = [(0, 1, 1e6), (1, 2, 1e6), (0, 2, 1e6)]
    result = solve(Problem(X, 2, cannot_link=heavy), "sdp")
    assert result.status == "optimal"
    assert result.partition.penalty == 1e6
