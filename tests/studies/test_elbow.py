"""How many clusters: the figures of each k, and what is concluded from them."""

import math

import numpy as np
import pytest

from ccviz import Problem
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.studies.elbow import (
    Elbow,
    best_by_gap,
    best_by_silhouette,
    bounded_by_more,
    find_elbow,
    findings,
)
from ccviz.studies.elbow_step import (
    Step,
    cluster,
    eigenvalue_bound,
    impossible,
    measure,
    with_starts,
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


def test_one_cluster_is_exact_and_bounds_of_more_clusters_hold_for_fewer():
    one = measure(Problem(X, 1), bound_time=0, references=0)
    assert one.objective * (1 - 1e-12) < one.lower_bound <= one.objective
    steps = [step(1, 100, 99), step(2, 50, -math.inf), step(3, 10, 9), step(4, math.inf, -math.inf)]
    steps[3] = impossible(4)
    bounds = [each.lower_bound for each in bounded_by_more(Problem(X, 1), steps)]
    assert bounds == [99, 9, 9, -math.inf]
    soft = Problem(X, 1, must_link=[(0, 4, 2.0)])
    assert bounded_by_more(soft, steps) == tuple(steps)


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


def test_no_elbow_is_named_where_a_bound_shows_that_a_cost_may_be_far_too_high():
    steps = [step(1, 100), step(2, 50, 20), step(3, 10), step(4, 9)]
    assert find_elbow(steps).k == 3
    (words,) = [each for each in findings(steps) if each.startswith("Elbow")]
    assert words == "Elbow: not sure. 2 clusters may cost up to 60.00 % less than was found."
    near = [step(1, 100), step(2, 50, 46), step(3, 10, 9.5), step(4, 9, 8.5)]
    assert next(findings(near)).startswith("Elbow: k = 3.")


def test_each_number_of_clusters_has_enough_starts():
    problem = Problem(np.repeat(np.arange(40.0), 2)[:, None], 8)
    one = [cluster(problem, BlpKMeans(), seed=seed).objective for seed in range(8)]
    enough = [cluster(problem, "blp-kmeans", seed=seed).objective for seed in range(8)]
    assert max(enough) < max(one)
    large = Problem(np.zeros((1_000_000, 30)), 5)
    assert with_starts(BlpKMeans(), large).n_init == 1
    assert with_starts(BlpKMeans(n_init=20), problem).n_init == 20


def test_the_gap_statistic_settles_where_the_next_is_no_better():
    assert best_by_gap([step(1, 9, gap=0.0), step(2, 5, gap=0.5), step(3, 4, gap=0.55)]) == 2
    assert best_by_gap([step(1, 9)]) is None
    assert best_by_silhouette([step(1, 9)]) is None


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
