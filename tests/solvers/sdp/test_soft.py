"""sdp under soft links that lie on one pair, within blocks, or weigh more than all costs."""

import numpy as np
import pytest

from ccviz import Problem, solve, start
from tests.constrained import faults_of


def test_links_on_one_pair_and_within_blocks_cost_what_they_must():
    X = np.array([[0.0], [0.2], [1.0], [1.3], [4.0], [4.1]])
    problem = Problem(
        X,
        3,
        must_link=[(0, 1), (0, 4, 0.3), (2, 4, 0.2)],
        cannot_link=[(0, 1, 0.7), (0, 4, 0.1), (2, 3, 0.5), (4, 5), (0, 4, 0.2)],
    )
    assert list(faults_of(start(problem, "sdp", tolerance=1e-7).result(), "proof")) == []


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
