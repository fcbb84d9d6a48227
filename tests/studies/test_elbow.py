"""How many clusters: the figures of each k, and what is concluded from them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import UnsupportedError
from ccviz.studies.elbow import (
    Elbow,
    Step,
    best_by_gap,
    best_by_silhouette,
    bound,
    bounded_by_more,
    cluster,
    find_elbow,
    impossible,
    measure,
)
from tests.enumeration import least_wcss

CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
X = np.repeat(CENTERS, 3, axis=0) + np.random.default_rng(0).normal(size=(9, 2))


def step(k, objective, lower_bound=None, silhouette=math.nan, gap=math.nan):
    bound = objective if lower_bound is None else lower_bound
    return Step(k, "feasible", objective, bound, silhouette, gap, 0.1)


def test_three_clouds_are_found_and_proved():
    steps = [measure(Problem(X, k), bound_time=60, references=3) for k in range(1, 5)]
    assert all(each.lower_bound <= each.objective for each in steps)
    assert find_elbow(steps) == Elbow(3, proved=True)
    assert best_by_silhouette(steps) == 3
    assert steps[2].gap_statistic > steps[1].gap_statistic
    assert math.isnan(steps[0].silhouette)


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


def test_one_cluster_is_exact_and_bounds_of_more_clusters_hold_for_fewer():
    one = measure(Problem(X, 1), bound_time=0, references=0)
    assert one.objective * (1 - 1e-12) < one.lower_bound <= one.objective
    steps = [step(1, 100, 99), step(2, 50, -math.inf), step(3, 10, 9), step(4, math.inf, -math.inf)]
    steps[3] = impossible(4)
    bounds = [each.lower_bound for each in bounded_by_more(Problem(X, 1), steps)]
    assert bounds == [99, 9, 9, -math.inf]
    soft = Problem(X, 1, must_link=[(0, 4, 2.0)])
    assert bounded_by_more(soft, steps) == tuple(steps)


def test_a_bound_that_meets_a_better_clustering_takes_it():
    found = cluster(Problem(X, 3), references=2)
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


@pytest.mark.parametrize(
    ("steps", "elbow"),
    [
        ([step(1, 100), step(2, 50), step(3, 10), step(4, 9)], Elbow(3, True)),
        ([step(1, 100), step(2, 50, 20), step(3, 10), step(4, 9)], Elbow(3, False)),
        ([step(1, 100), step(2, math.inf), step(3, 10), step(4, 9), step(5, 8)], Elbow(4, False)),
        ([step(1, 100), step(2, 50)], None),
    ],
)
def test_an_elbow_is_proved_if_no_optimum_within_the_bounds_moves_it(steps, elbow):
    assert find_elbow(steps) == elbow


def test_the_gap_statistic_settles_where_the_next_is_no_better():
    assert best_by_gap([step(1, 9, gap=0.0), step(2, 5, gap=0.5), step(3, 4, gap=0.55)]) == 2
    assert best_by_gap([step(1, 9)]) is None
    assert best_by_silhouette([step(1, 9)]) is None
