"""What is measured of one number of clusters."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import UnsupportedError
from ccviz.studies.elbow import bounded_by_more
from ccviz.studies.elbow_step import bound, cluster, compare, impossible, measure
from tests.enumeration import least_wcss

CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
X = np.repeat(CENTERS, 3, axis=0) + np.random.default_rng(0).normal(size=(9, 2))


def test_one_cluster_is_known_without_a_search():
    found = cluster(Problem(X, 1, must_link=[(0, 4)], weights=np.arange(1.0, 10.0)))
    mean = np.average(X, axis=0, weights=np.arange(1.0, 10.0))
    assert found.status == "optimal"
    assert found.objective == pytest.approx(np.arange(1.0, 10.0) @ ((X - mean) ** 2).sum(axis=1))
    assert found.objective * (1 - 1e-12) < found.lower_bound <= found.objective
    assert cluster(Problem(X, 1, cannot_link=[(0, 1)])).status == "infeasible"


def test_soft_links_count_in_the_objective_and_not_in_the_gap_statistic():
    links = {"cannot_link": [(0, 1, 50.0)]}
    soft = compare(Problem(X, 1, **links), cluster(Problem(X, 1, **links)), 2)
    plain = compare(Problem(X, 1), cluster(Problem(X, 1)), 2)
    assert soft.objective == pytest.approx(plain.objective + 50.0)
    assert soft.gap_statistic == plain.gap_statistic


def test_links_that_cannot_be_kept_are_said():
    clique = [(0, 1), (1, 2), (0, 2)]
    found = measure(Problem(X, 2, cannot_link=clique), bound_time=0)
    assert (found.status, found.objective) == ("infeasible", math.inf)
    assert measure(Problem(X, 3, cannot_link=clique), bound_time=0).status == "feasible"


def test_sizes_and_soft_links_still_have_a_bound():
    sizes = Problem(X, 3, sizes=[2, 3, 4])
    found = measure(sizes, bound_time=20, references=0)
    assert -math.inf < found.lower_bound <= found.objective
    assert math.isnan(found.gap_statistic)
    soft = measure(Problem(X, 3, must_link=[(0, 4, 2.0)]), "pck-means", bound_time=20, references=0)
    assert -math.inf < soft.lower_bound <= soft.objective


def test_outliers_are_left_out_for_each_k():
    far = np.append(X, [[90.0, 90.0]], axis=0)
    found = measure(Problem(far, 3, outliers=1), references=2)
    alone = measure(Problem(X, 3), references=0, bound_time=0)
    assert found.k == 3
    assert found.objective == pytest.approx(alone.objective)
    assert found.silhouette == pytest.approx(alone.silhouette)
    assert found.lower_bound <= found.objective


def test_fixed_centres_are_refused():
    with pytest.raises(UnsupportedError, match="beside fixed centres"):
        measure(Problem(X, 3, fixed_centers=[[0.0, 0.0]]))


def test_a_bound_that_meets_a_better_clustering_takes_it():
    found = compare(Problem(X, 3), cluster(Problem(X, 3)), 2)
    worse = replace(found, objective=10 * found.objective, gap_statistic=found.gap_statistic - 1)
    better = bound(Problem(X, 3), worse, 20.0)
    assert better.objective == pytest.approx(found.objective)
    assert better.gap_statistic == pytest.approx(found.gap_statistic - 1 + math.log(10))
    assert better.silhouette == pytest.approx(found.silhouette)
    clique = Problem(X, 2, cannot_link=[(0, 1), (1, 2), (0, 2)])
    found = bound(clique, replace(worse, k=2), 20.0)
    assert str(found) == str(impossible(2))  # NaN is equal to itself nowhere from Python 3.13 on


def test_bounds_hold_against_brute_force():
    rng = np.random.default_rng(1)
    for seed in range(6):
        points = rng.normal(size=(7, 2))
        links = {"must_link": [(0, 1)], "cannot_link": [(1, 2), (3, 4)]}
        problems = [Problem(points, k, **links) for k in range(2, 5)]
        steps = [measure(each, bound_time=20, references=0, seed=seed) for each in problems]
        for problem, found in zip(problems, bounded_by_more(problems[0], steps), strict=True):
            assert found.lower_bound <= least_wcss(problem) <= found.objective * (1 + 1e-9)
