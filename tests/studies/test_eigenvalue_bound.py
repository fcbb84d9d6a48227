"""The lower bound from eigenvalues: below every optimum, exact where points lie in few planes."""

import math

import numpy as np
import pytest

from ccviz import Problem
from ccviz.studies.eigenvalue_bound import eigenvalue_bound
from tests.enumeration import least_wcss


@pytest.mark.parametrize("seed", range(8))
def test_no_clustering_costs_less(seed):
    rng = np.random.default_rng(seed)
    links = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(3, 4)]} if seed % 2 else {}
    weights = rng.integers(0, 4, size=7) + (np.arange(7) < 3) if seed % 3 else None
    for k in (1, 2, 3):
        problem = Problem(rng.normal(size=(7, 5)) + 100, k, weights=weights, **links)
        assert eigenvalue_bound(problem) <= least_wcss(problem)


def test_one_cluster_is_bounded_by_its_cost():
    X = np.random.default_rng(0).normal(size=(50, 4))
    assert eigenvalue_bound(Problem(X, 1)) == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())


def test_clusters_that_are_round_in_many_dimensions_are_bounded_well():
    rng = np.random.default_rng(0)
    centers = 20.0 * rng.normal(size=(3, 30))
    near = rng.normal(size=(300, 30))
    X = np.repeat(centers, 100, axis=0) + near
    assert eigenvalue_bound(Problem(X, 3)) > 0.9 * (near**2).sum()


@pytest.mark.parametrize("X", [np.eye(3)[:, :1], np.full((4, 2), 7.0)])
def test_where_nothing_is_proved_there_is_no_bound(X):
    assert eigenvalue_bound(Problem(X, 3)) == -math.inf
