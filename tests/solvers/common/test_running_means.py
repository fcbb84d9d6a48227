"""Running means: those of all points, whatever changed."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.partition import cluster_means
from ccviz.solvers.common.running_means import RunningMeans


@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_means_are_those_of_all_points(d, is_weighted):
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 2.0, size=200) if is_weighted else None
    problem = Problem(rng.normal(size=(200, d)) + 100.0, 5, weights=weights)
    means, labels = RunningMeans(problem), rng.integers(5, size=200)
    for changed in (200, 3, 0, 150, 1, *[2] * 20):
        labels = labels.copy()
        labels[rng.choice(200, changed, replace=False)] = rng.integers(5, size=changed)
        right = cluster_means(problem.X, labels, 5, problem.weights)
        assert means.of(labels) == pytest.approx(right, rel=1e-12)


def test_a_cluster_that_runs_empty_has_no_mean():
    means = RunningMeans(Problem(np.arange(40.0).reshape(-1, 1), 2))
    one = np.zeros(40, dtype=np.int64)
    one[0] = 1
    means.of(one)
    assert np.isnan(means.of(np.zeros(40, dtype=np.int64))[1]).all()
