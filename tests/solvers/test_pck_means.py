import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from ccviz import Problem, solve
from ccviz.data import load, random_pairs
from ccviz.events import CentersMoved, IncumbentFound
from ccviz.solvers.base import Context
from ccviz.solvers.common.hard_links import priced_graph, soften
from ccviz.solvers.pck_means import PckMeans, assign_in_turn, first_centers, means_without_links


def test_a_point_takes_the_cluster_of_least_distance_and_price():
    problem = Problem([[0.0], [1.0], [4.0]], 2, must_link=[(1, 2, 1.0)])
    centers, labels = np.array([[0.0], [4.0]]), np.array([0, 0, 1])
    for price, expected in ((1.0, [0, 0, 1]), (6.0, [0, 1, 1])):
        graph = priced_graph(soften(problem), price)
        found = assign_in_turn(problem.X, centers, labels, graph, np.random.default_rng(1))
        assert (found[1] == found[2]) == (expected[1] == expected[2])


def test_starts_from_the_largest_neighbourhoods():
    X = np.arange(8.0)[:, None]
    problem = Problem(X, 3, must_link=[(0, 1), (1, 2), (4, 5)], cannot_link=[(7, 0), (7, 4)])
    centers = first_centers(problem, np.random.default_rng(0))
    assert centers.ravel().tolist() == [1.0, 4.5, 7.0]


def test_the_objective_falls_and_links_help():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.permuted(np.tile(np.arange(150), (300, 1)), axis=1)[:, :2], axis=1)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    events = PckMeans(w=2.0).steps(problem, Context(seed=0))
    found = [event.objective for event in events if isinstance(event, IncumbentFound)]
    assert found == sorted(found, reverse=True)
    free = solve(Problem(X, 3, truth=truth), PckMeans(), seed=0)
    linked = solve(problem, PckMeans(w=2.0), seed=0)
    assert linked.partition.scores["ari"] > free.partition.scores["ari"]


def test_the_price_and_the_first_start_come_from_clusters_without_links():
    # With a fifth of the points' variance as price, a seed ends up to 15 % above the best.
    X, truth = make_blobs(400, centers=8, n_features=2, cluster_std=1.0, random_state=0)
    links = random_pairs(truth, 100, seed=0)
    problem = Problem(X, 8, must_link=links.must_link, cannot_link=links.cannot_link)
    found = [solve(problem, "pck-means", seed=seed, progress=False) for seed in range(3)]
    assert max(result.partition.wcss for result in found) < 1.01 * 702.0
    free = solve(Problem(X, 8), "k-means", n_init=3, seed=1, progress=False)
    centers = means_without_links(problem, Context(seed=1))
    assert np.allclose(np.sort(centers, axis=0), np.sort(free.partition.centers, axis=0))
    moved = [
        event
        for event in PckMeans().steps(problem, Context(seed=1))
        if isinstance(event, CentersMoved) and event.iteration == 0
    ]
    assert np.array_equal(moved[0].centers, centers)
    assert not np.array_equal(moved[1].centers, centers)


def test_links_have_a_price_where_all_points_lie_on_the_means():
    X = np.repeat([0.0, 9.0], 4)[:, None]
    problem = Problem(X, 2, cannot_link=[(0, 1), (0, 2), (0, 3)])
    assert solve(problem, PckMeans(), seed=0).partition.violations.hard == 0


def test_says_that_hard_links_are_broken():
    problem = Problem([[0.0], [0.1], [9.0], [9.1]], 2, must_link=[(0, 3)])
    result = solve(problem, PckMeans(w=0.0), seed=1)
    assert result.partition.violations.hard == 1
    assert result.status == "unknown"


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_data_scale_makes_the_price_follow_the_data(scale):
    X, _ = load_iris(return_X_y=True)
    links = {"must_link": [(0, 60), (1, 70)], "cannot_link": [(100, 120)]}
    plain, scaled = (solve(Problem(data, 3, **links), "pck-means") for data in (X, X * scale))
    assert (plain.labels == scaled.labels).all()


def test_every_start_draws_its_own():
    iris = load("iris")
    links = random_pairs(iris.truth, 60, seed=0)
    problem = Problem(iris.X, 3, must_link=links.must_link, cannot_link=links.cannot_link)
    found = [solve(problem, PckMeans(), seed=seed, progress=False) for seed in range(20)]
    assert max(result.partition.wcss for result in found) < 90  # one start of seed 11 has 124.8


def test_hard_links_get_weight_one_and_soft_ones_keep_theirs():
    problem = Problem(np.eye(4), 2, must_link=[(0, 1), (1, 2, 0.5)], cannot_link=[(0, 3)])
    soft = soften(problem)
    assert soft.must_link.weights.tolist() == [1.0, 0.5]
    assert soft.cannot_link.weights.tolist() == [1.0]


def test_the_graph_charges_cannot_links_and_rewards_must_links():
    problem = Problem(np.eye(4), 2, must_link=[(0, 1, 2.0)], cannot_link=[(1, 3, 1.0)])
    start, neighbour, cost = priced_graph(problem, 3.0)
    assert start.tolist() == [0, 1, 3, 3, 4]
    assert neighbour.tolist() == [1, 0, 3, 1]
    assert cost.tolist() == [-6.0, -6.0, 3.0, 3.0]
