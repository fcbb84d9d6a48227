"""Heuristic solvers with links as penalties or in order."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris, make_blobs

from ccviz import Problem, solve, start
from ccviz.data import load, random_pairs
from ccviz.events import Assigned, CentersMoved, IncumbentFound, Noted, Restarted
from ccviz.problem.blocks import contract
from ccviz.problem.links import closure
from ccviz.problem.partition import Partition
from ccviz.solvers import vqe
from ccviz.solvers.assignment import structure_of
from ccviz.solvers.assignment.milp import milp_assignment
from ccviz.solvers.base import Context
from ccviz.solvers.ccl import bent_distances, cut
from ccviz.solvers.common.hard_links import priced_graph, soften
from ccviz.solvers.pccc import Pccc
from ccviz.solvers.pck_means import PckMeans, assign_in_turn, first_centers, means_without_links
from ccviz.solvers.ppc import Mixture, e_step
from ccviz.solvers.spectral import Spectral, additively, affinities, by_degrees, nearest

# --- Pccc -----------------------------------------------------------------------------------------


def unsure_problem(seed, n=24, k=4, links=30, hard=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    pairs = np.sort(rng.permuted(np.tile(np.arange(n), (links, 1)), axis=1)[:, :2], axis=1)
    certain = np.arange(links) < hard
    weights = np.where(certain, np.inf, rng.uniform(0.05, 1.0, links))
    given = np.column_stack([pairs, weights])
    return Problem(X, k, must_link=given[1::2], cannot_link=given[::2])


def steps_of(problem, seed=0, **settings):
    return list(Pccc(**settings).steps(problem, Context(seed=seed)))


def first_descent(events):
    """Return the centres and the assignment of each step in which no cluster had to be filled."""
    found = []
    for before, event in pairwise(events):
        if isinstance(event, Restarted):
            break
        if isinstance(before, CentersMoved):
            centers = before.centers
        if isinstance(event, Assigned) and not isinstance(before, Noted):
            found.append((centers, event))
    return found


@pytest.mark.parametrize("nearest", [2, 4])
def test_every_assignment_is_an_optimum_of_the_papers_model(nearest):
    steps = 0
    for seed in range(4):
        problem = unsure_problem(seed)
        blocks = contract(problem)
        conflicts = np.bincount(blocks.conflicts.ravel(), minlength=1).max()
        q = min(problem.k, max(nearest, conflicts + 1))
        for centers, event in first_descent(steps_of(problem, seed, nearest=nearest)):
            distances = cdist(blocks.centroid, centers)
            allowed = distances <= np.sort(distances, axis=1)[:, q - 1 : q]
            price = distances[allowed].mean()
            cost = np.where(allowed, blocks.mass[:, None] * distances / price, np.inf)
            whole = milp_assignment(cost, structure_of(blocks)).objective
            assert event.objective == pytest.approx(price * whole, rel=1e-7)
            steps += 1
    assert steps > 6


def test_hard_links_are_kept_and_soft_ones_weighed():
    X = [[0.0], [0.1], [5.0], [5.1], [0.2], [4.9]]
    problem = Problem(
        X, 2, must_link=[(0, 4), (0, 2, 0.1)], cannot_link=[(2, 5), (0, 1, 0.1), (2, 4, 0.9)]
    )
    result = solve(problem, "pccc")
    assert result.partition.violations.none_hard
    assert result.labels[0] == result.labels[1] != result.labels[2]
    believed = Problem(X, 2, must_link=[(0, 4)], cannot_link=[(2, 5), (0, 1, 50.0)])
    assert solve(believed, "pccc").partition.penalty == 0


def test_moved_centres_never_end_worse():
    better = 0
    for seed in range(6):
        problem = unsure_problem(seed, n=60, k=6, links=60, hard=0)
        plain, moved = (
            [e.objective for e in steps_of(problem, seed, reposition=how)
             if isinstance(e, IncumbentFound)]
            for how in (False, True)
        )  # fmt: skip
        assert moved == sorted(moved, reverse=True)
        assert moved[-1] <= plain[-1] + 1e-9
        better += moved[-1] < plain[-1] - 1e-9
    assert better


def test_nearest_centres_are_no_proof():
    """One centre alone is near to all, and sizes leave no room there."""
    X = np.concatenate([np.zeros((7, 1)), [[10.0], [11.0]]]) + np.arange(9)[:, None] / 100
    problem = Problem(X, 3, sizes=[3, 3, 3])
    result = solve(problem, "pccc", nearest=1)
    assert result.status == "feasible"
    assert sorted(np.bincount(result.labels)) == [3, 3, 3]


def test_links_inside_a_block_cost_nothing_in_a_step():
    """The paper leaves them out: no clustering can keep them."""
    X = np.arange(6.0)[:, None]
    problem = Problem(X, 2, must_link=[(0, 1)], cannot_link=[(0, 1, 0.5)])
    events = steps_of(problem)
    last = [event for event in events if isinstance(event, IncumbentFound)][-1]
    assert Partition(problem, last.labels).penalty == 0.5
    assert last.objective == pytest.approx(4.0)


# --- Pck means ------------------------------------------------------------------------------------


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


# --- Ppc ------------------------------------------------------------------------------------------


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(c, 1.0, size=(40, 2)) for c in ((0, 0), (2.5, 0))])
    return X, np.repeat([0, 1], 40)


def test_densities_are_those_of_gaussians():
    X, truth = blobs()
    mixture = Mixture.of(X, np.eye(2)[truth])
    for j in range(2):
        rival = multivariate_normal(mixture.means[j], mixture.covariances[j])
        assert np.allclose(mixture.log_density(X)[:, j], rival.logpdf(X) + np.log(0.5))


def test_a_sure_link_decides_a_point_that_its_place_does_not():
    density = np.log(np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]]))
    bond = np.zeros((3, 3))
    bond[0, 1] = bond[1, 0] = 10.0
    share, _ = e_step(density, csr_array(bond), np.full((3, 2), 0.5))
    assert share.argmax(axis=1)[:2].tolist() == [0, 0]
    assert share[2].tolist() == pytest.approx([0.5, 0.5])
    share, _ = e_step(density, csr_array(-bond), np.full((3, 2), 0.5))
    assert share.argmax(axis=1)[:2].tolist() == [0, 1]


def test_the_free_energy_falls():
    X, truth = blobs()
    pairs = np.random.default_rng(2).choice(80, size=(30, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 2, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    events = [record.event for record in start(problem, "ppc", seed=0)]
    energy = [event.objective for event in events if isinstance(event, Assigned)]
    assert all(b <= a + 1e-6 * abs(a) for a, b in pairwise(energy))
    result = solve(problem, "ppc", seed=0)
    assert result.partition.violations.hard == 0
    loose = solve(problem, "ppc", seed=0, certainty=0.5)
    assert loose.partition.violations.hard > 0


@pytest.mark.parametrize("size", [0.0, 1.0, 1e65])
def test_points_that_coincide_far_off_are_clustered(size):
    problem = Problem(np.full((8, 2), size), 2, must_link=[(2, 3)])
    result = solve(problem, "ppc")
    assert result.termination == "converged"
    assert result.objective == 0.0


# --- Ccl ------------------------------------------------------------------------------------------


def test_distances_are_those_of_shortest_paths_through_must_links():
    rng = np.random.default_rng(0)
    X, must = rng.normal(size=(25, 2)), [(0, 1), (1, 2), (5, 9), (10, 20)]
    block_of = closure(25, np.array(must))
    bent = bent_distances(Problem(X, 3, must_link=must), block_of, Context())
    plain = cdist(X, X)
    for i, j in must:
        plain[i, j] = plain[j, i] = 1e-7  # zero would be no edge
    paths = shortest_path(plain, directed=False)
    assert np.allclose(bent[block_of][:, block_of], paths, atol=1e-6)


def test_cannot_linked_blocks_are_farther_apart_than_any_others():
    X = np.arange(6.0)[:, None]
    problem = Problem(X, 2, must_link=[(0, 1)], cannot_link=[(0, 2)])
    bent = bent_distances(problem, closure(6, problem.must_link.pairs), Context())
    assert bent[0, 1] == bent[1, 0] > np.sort(bent.ravel())[-3]
    result = solve(problem, "ccl")
    assert result.partition.violations.none_hard


def test_equal_heights_still_leave_k_clusters():
    distance = np.ones((6, 6)) - np.eye(6)
    assert [len(set(cut(distance, k))) for k in range(1, 7)] == [1, 2, 3, 4, 5, 6]


# --- Spectral -------------------------------------------------------------------------------------


def moons():
    turn = np.linspace(0, np.pi, 60)
    upper = np.column_stack([np.cos(turn), np.sin(turn)])
    lower = np.column_stack([1 - np.cos(turn), 0.4 - np.sin(turn)])
    return np.concatenate([upper, lower]), np.repeat([0, 1], 60)


def test_normalised_rows_add_up_to_one():
    problem = Problem(np.random.default_rng(0).normal(size=(30, 2)), 3)
    affinity = affinities(problem, 1.0)
    assert np.allclose(additively(affinity).sum(axis=1), 1.0)
    assert np.linalg.eigvalsh(by_degrees(affinity)).max() == pytest.approx(1.0)
    graph = nearest(affinity, 4)
    assert (graph == graph.T).all()
    assert ((graph > 0).sum(axis=1) >= 5).all()


@pytest.mark.parametrize("propagation", ["links", "exhaustive"])
def test_it_finds_clusters_that_no_centres_find(propagation):
    X, truth = moons()
    rng = np.random.default_rng(1)
    pairs = rng.choice(120, size=(40, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 2, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    settings = {"propagation": propagation, "width": 0.3, "neighbours": 8}
    assert solve(problem, "spectral", seed=0, **settings).partition.scores["ari"] > 0.95
    assert solve(problem, "k-means", seed=0).partition.scores["ari"] < 0.6


def test_exhaustive_links_reach_points_that_have_none():
    problem = Problem(moons()[0], 2, must_link=[(0, 4)])
    solver = Spectral(propagation="exhaustive", neighbours=8)
    before = nearest(affinities(problem, 0.3), 8)
    after = solver._spread(problem, before.copy())
    assert after[1, 3] > before[1, 3]


# --- Vqe ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["must_link", "cannot_link"])
def test_cvqe_gives_the_ends_of_a_broken_link_the_two_cheapest_clusters(seed, kind):
    rng = np.random.default_rng(seed)
    X, centers = rng.normal(size=(2, 2)), rng.normal(size=(3, 2))
    near, between = cdist(X, centers, "sqeuclidean"), cdist(centers, centers, "sqeuclidean")
    next_centre = (between + np.where(np.eye(3), np.inf, 0.0)).min(axis=1)

    def cost(i, j):
        broken = (i != j) if kind == "must_link" else (i == j)
        price = between[i, j] if i != j else next_centre[i]
        return (near[0, i] + near[1, j] + broken * price) / 2

    problem = Problem(np.concatenate([X, X + 9]), 3, **{kind: [(0, 1)]})
    rest = np.full((2, 3), 0.0)
    got = vqe.settle_pairwise(problem, centers, np.concatenate([near, rest]))
    assert got.objective == pytest.approx(min(cost(i, j) for i, j in product(range(3), repeat=2)))
    assert cost(*got.labels[:2]) == pytest.approx(got.objective)


def test_lcvqe_by_hand():
    # On a line: centres at 0 and 4; the must-linked points 1 and 3.5 lie nearest to one each.
    # Apart they cost (1 + .25) / 2 + (9 + 12.25) / 4, both at 0 (1 + 12.25) / 2, both at 4
    # (9 + .25) / 2 = 4.625, which is least.
    X = np.array([[1.0], [3.5]])
    near = cdist(X, [[0.0], [4.0]], "sqeuclidean")
    problem = Problem(np.array([[1.0], [3.5], [0.0]]), 2, must_link=[(0, 1)])
    centers = np.array([[0.0], [4.0]])
    got = vqe.settle_local(problem, centers, cdist(problem.X, centers, "sqeuclidean"))
    assert near.argmin(axis=1).tolist() == [0, 1]
    assert got.labels.tolist() == [1, 1, 0]
    assert got.objective == pytest.approx(4.625)
    # On their centres they stay, and each pulls the other's centre with half its weight.
    problem = Problem(np.array([[2.0], [8.0], [0.0]]), 2, must_link=[(0, 1)])
    centers = np.array([[2.0], [8.0]])
    got = vqe.settle_local(problem, centers, cdist(problem.X, centers, "sqeuclidean"))
    assert got.labels.tolist() == [0, 1, 0]
    assert got.weight.tolist() == [0.5, 0.5]
    assert got.pull.ravel().tolist() == [4.0, 1.0]
    # Of two cannot-linked points in one cluster the farther one moves on.
    problem = Problem(np.array([[0.0], [1.0], [9.0]]), 2, cannot_link=[(0, 1)])
    centers = np.array([[0.2], [8.0]])
    got = vqe.settle_local(problem, centers, cdist(problem.X, centers, "sqeuclidean"))
    assert got.labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize("name", ["cvqe", "lcvqe"])
def test_links_bring_the_answer_nearer_to_them_than_k_means(name):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 1.0, size=(40, 2)) for c in ((0, 0), (2.5, 0), (0, 2.5))])
    truth = np.repeat(np.arange(3), 40)
    pairs = rng.choice(120, size=(80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    with_links, without = solve(problem, name, seed=0), solve(problem, "k-means", seed=0)
    assert with_links.partition.violations.hard < without.partition.violations.hard
    assert with_links.partition.scores["ari"] > without.partition.scores["ari"]
