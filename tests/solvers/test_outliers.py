"""Outliers, by the solvers that leave points out."""

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.errors import UnsupportedError
from ccviz.solvers import check, make_solver

FAR = np.array([[60.0, 0.0], [0.0, -70.0], [-80.0, 50.0]])


@pytest.fixture
def groups():
    rng = np.random.default_rng(4)
    points = np.concatenate([rng.normal(c, 0.3, size=(12, 2)) for c in (0.0, 4.0, 8.0)])
    return np.concatenate([FAR, points])


@pytest.mark.parametrize("solver", ["k-means", "blp-kmeans"])
def test_far_points_are_left_out(groups, solver):
    result = solve(Problem(groups, 3, outliers=3), solver, seed=1, n_init=10)
    assert np.flatnonzero(result.labels < 0).tolist() == [0, 1, 2]
    assert set(result.labels.tolist()) == {-1, 0, 1, 2}
    without = solve(Problem(groups[3:], 3), solver, seed=1, n_init=10)
    assert result.objective == pytest.approx(without.objective)


def test_blp_keeps_links_while_it_leaves_points_out(groups):
    links = {"must_link": [(0, 3), (4, 5)], "cannot_link": [(6, 7), (7, 8), (6, 8), (1, 9)]}
    result = solve(Problem(groups, 3, **links, outliers=2), "blp-kmeans", seed=1, n_init=5)
    assert result.partition.violations.none_hard
    assert result.labels[0] == result.labels[3] >= 0
    assert (result.labels < 0).sum() == 2


def test_other_solvers_refuse():
    problem = Problem(np.arange(6.0)[:, None], 2, outliers=1)
    with pytest.raises(UnsupportedError, match=r"cannot handle outliers; these can: blp-kmeans"):
        check(make_solver("bh-kmeans"), problem)
