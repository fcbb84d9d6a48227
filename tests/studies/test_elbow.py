"""How many clusters: the figures of each k, and what is concluded from them."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.errors import UnsupportedError
from ccviz.runs.archive import Archive
from ccviz.runs.recorder import Recorder, open_run
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
    bound,
    cluster,
    compare,
    eigenvalue_bound,
    from_neighbors,
    from_runs,
    impossible,
    measure,
    with_starts,
)
from tests.enumeration import least_wcss
from tests.seeds import seeds

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


# --- What is measured of one number of clusters ---------------------------------------------------


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
    ten = 10 * found.objective
    worse = replace(found, objective=ten, wcss=ten, gap_statistic=found.gap_statistic - 1)
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


def cost_with(problem, labels):
    return replace(cluster(problem), status="feasible", labels=labels, lower_bound=-math.inf,
                   objective=1e9, wcss=1e9)  # fmt: skip


def test_a_poor_clustering_is_made_from_those_beside_it():
    problems = {k: Problem(X, k) for k in (1, 2, 3, 4)}
    right = [measure(each, bound_time=20, references=0) for each in problems.values()]
    for k, others in ((3, (1, 2)), (3, (4,)), (2, (1,))):
        poor = cost_with(problems[k], np.arange(9) % k)
        known = [right[other - 1] for other in others]
        steps = from_neighbors(problems, sorted([*known, poor], key=lambda step: step.k))
        (made,) = [step for step in steps if step.k == k]
        assert made.objective == pytest.approx(right[k - 1].objective)
        assert made.silhouette == pytest.approx(right[k - 1].silhouette)


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_no_number_of_clusters_costs_less_than_its_optimum_or_more_than_fewer(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(7, 2))
    about = (
        {"must_link": [(0, 1)], "cannot_link": [(1, 2), (3, 4)]},
        {"weights": rng.integers(1, 4, size=7)},
        {"must_link": [(0, 4, 0.3)], "cannot_link": [(0, 1, 0.5)]},
        {"outliers": 1},
    )[seed % 4]
    name = "bh-kmeans" if seed % 4 == 2 else "blp-kmeans"
    problems = {k: Problem(points, k, **about) for k in range(1, 6)}
    first = [cluster(each, name, seed=seed) for each in problems.values()]
    joined = from_neighbors(problems, first, name, seed=seed)
    for before, after in zip(first, joined, strict=True):
        assert after.objective <= before.objective
        if "outliers" not in about and seed % 4 != 2:
            assert after.objective >= least_wcss(problems[after.k]) * (1 - 1e-9)
    if seed % 4 != 2 and first[0].objective < math.inf:
        assert all(one.objective >= two.objective for one, two in pairwise(joined))


def test_no_clustering_costs_more_than_that_of_a_run_of_the_archive(tmp_path):
    linked, free = Problem(X, 3, cannot_link=[(0, 1)]), Problem(X, 3)
    with Archive(tmp_path / "runs.sqlite") as archive:
        for problem in (linked, Problem(X[:, ::-1], 3)):
            run_id = archive.create(problem, "sdp", {})
            stepper = open_run(archive, run_id)
            with Recorder(archive, run_id, stepper.run) as recorder:
                for record in stepper:
                    recorder.put(record)
        best = solve(linked, "sdp").objective
        poor = cost_with(linked, np.arange(9) % 3)
        assert from_runs(archive, linked, poor).objective == pytest.approx(best)
        assert from_runs(archive, linked, poor).status == "optimal"
        loose = from_runs(archive, free, poor)  # the clustering keeps what is asked; no bound
        assert (loose.objective, loose.lower_bound) == (pytest.approx(best), -math.inf)
        other = Problem(X, 3, cannot_link=[(0, 1), (0, 2), (1, 2)])
        kept = from_runs(archive, other, poor)
        assert (kept.objective, math.isfinite(kept.lower_bound)) == (1e9, True)
