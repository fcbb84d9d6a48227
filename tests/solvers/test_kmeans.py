"""Solvers of the k-means kind."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans as Rival
from sklearn.cluster import kmeans_plusplus as theirs
from sklearn.datasets import load_iris, make_blobs

from ccviz import Problem, solve, start
from ccviz.data.random_links import random_pairs
from ccviz.events import (
    Assigned,
    CentersMoved,
    DeadEnded,
    IncumbentFound,
    InfeasibilityProved,
    Restarted,
)
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition, cluster_means
from ccviz.solvers import kmeans
from ccviz.solvers.assignment import structure_of
from ccviz.solvers.assignment.milp import milp_assignment
from ccviz.solvers.base import Context
from ccviz.solvers.bh_kmeans import BhKMeans
from ccviz.solvers.common import seeding
from ccviz.solvers.common.seeding import kmeans_plusplus, seed_centers
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.kmeans import RunningMeans
from ccviz.solvers.pccc import Pccc
from ccviz.solvers.post_process import PostProcess, fuzzy_memberships
from ccviz.testing import INFEASIBLE, PROBLEMS
from tests.made_up import contradictory_problem, noisy_problem

# --- Kmeans ---------------------------------------------------------------------------------------


def test_it_is_as_good_as_its_rival_and_says_which_links_it_breaks():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, size=(30, 3)) for c in (0, 3, 6)])
    result = solve(Problem(X, 3, cannot_link=[(0, 1), (0, 89)]), "k-means", seed=0)
    assert result.objective == pytest.approx(Rival(3, n_init=10, random_state=0).fit(X).inertia_)
    assert result.status == "unknown"
    assert "1 hard links are broken" in result.run.notes[0]


def test_strips_change_nothing():
    problem = Problem(np.random.default_rng(0).normal(size=(50, 2)), 4)
    labels, paid = kmeans._nearest(problem.X, problem.X[:4])
    in_strips, same = kmeans._nearest(problem.X, problem.X[:4], strip=7)
    assert (in_strips == labels).all()
    assert (same == paid).all()


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


# --- Ipc kmeans -----------------------------------------------------------------------------------


def test_it_gives_a_clustering_with_a_gap(iris_like):
    result = solve(iris_like, "ipc-kmeans", seed=3)
    assert result.status == "feasible"
    assert result.termination == "converged"
    assert result.partition.violations.none_hard
    assert 0.0 <= result.gap < 0.01


@pytest.fixture
def iris_like():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 12)
    X = np.array([[0, 0], [5, 0], [7, 3]])[truth] + rng.normal(size=(36, 2))
    return Problem(X, 3, must_link=[(0, 1), (2, 30)], cannot_link=[(5, 6), (7, 8)])


def test_as_printed_it_has_one_answer_and_no_better_one(iris_like):
    printed = start(iris_like, "ipc-kmeans", algorithm="printed")
    found = [record.event for record in printed if isinstance(record.event, IncumbentFound)]
    assert [event.source for event in found] == ["ipc-kmeans"]
    result = printed.result()
    assert result.partition.violations.none_hard
    assert result.lower_bound <= result.objective
    assert solve(iris_like, "ipc-kmeans").objective <= result.objective * (1 + 1e-12)


# --- Cop kmeans -----------------------------------------------------------------------------------


def test_without_links_it_is_lloyds_algorithm():
    X = np.concatenate([np.zeros((5, 2)), np.full((5, 2), 3.0)]) + np.arange(10)[:, None] * 0.01
    result = solve(Problem(X, 2), CopKMeans(n_init=5), seed=0)
    assert sorted(result.partition.cluster_sizes.tolist()) == [5, 5]


def test_a_dead_end_is_an_event_and_no_proof():
    # An even cycle needs two colours, but point 2 comes to a free choice between 1 and 3.
    X = np.array([[0.0], [0.1], [5.0], [5.1], [0.2], [4.9]])
    links = [(0, 3), (1, 2), (4, 5), (0, 5), (1, 3), (2, 4)]
    problem = Problem(X, 3, cannot_link=[*links, (0, 1), (2, 3), (0, 2), (1, 5)])
    events = list(CopKMeans(n_init=30).steps(problem, Context(seed=1)))
    dead = [event for event in events if isinstance(event, DeadEnded)]
    assert dead
    for event, before in zip(events[1:], events, strict=False):
        if isinstance(event, DeadEnded):
            assert before.labels[event.point] == -1
    assert sum(isinstance(event, Restarted) for event in events) == 30


@pytest.mark.parametrize(("starts", "words"), [(5, "All 5 starts met"), (1, "The only start met")])
def test_none_found_says_how_often_it_was_tried(starts, words):
    result = solve(INFEASIBLE["clique"], CopKMeans(n_init=starts))
    assert f"{words} a dead end;" in result.message


def test_a_start_ends_when_no_point_moves():
    events = CopKMeans(n_init=1).steps(PROBLEMS["both"], Context(seed=0))
    assert [event.moved for event in events if isinstance(event, Assigned)][-1] == 0


# --- Bh kmeans ------------------------------------------------------------------------------------


def steps_of(problem, seed=0, **settings):
    return list(BhKMeans(**settings).steps(problem, Context(seed=seed)))


def by_the_whole_model(problem, centers, p):
    """Return the optimum of the paper's program P by HiGHS, without any reduction."""
    distances = cdist(problem.X, centers)
    price = p * distances.max()
    priced = Problem(
        problem.X,
        problem.k,
        must_link=np.column_stack([problem.must_link.pairs, price * problem.must_link.weights]),
        cannot_link=np.column_stack(
            [problem.cannot_link.pairs, price * problem.cannot_link.weights]
        ),
    )
    return milp_assignment(distances, structure_of(contract(priced)), nonempty=True).objective


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("p", [0.05, 0.3, 1.0])
def test_every_assignment_is_an_optimum_of_the_papers_program(seed, p):
    problem = noisy_problem(seed)
    events = steps_of(problem, seed, p=p)
    centers = [event.centers for event in events if isinstance(event, CentersMoved)]
    assigned = [event for event in events if isinstance(event, Assigned)]
    for before, event in zip(centers, assigned, strict=False):
        whole = by_the_whole_model(problem, before, p)
        assert event.objective == pytest.approx(whole, rel=1e-7)
        distances = cdist(problem.X, before)
        own = distances[np.arange(problem.n), event.labels].sum()
        own += p * distances.max() * Partition(problem, event.labels).penalty
        assert event.objective == pytest.approx(own, rel=1e-9)


def test_the_objective_falls_until_the_end():
    problem, longest = noisy_problem(1, n=60, links=20), 0
    for seed in range(4):
        events = steps_of(problem, seed, p=0.2)
        found = [event.objective for event in events if isinstance(event, IncumbentFound)]
        longest = max(longest, len(found))
        assert all(later < earlier for earlier, later in pairwise(found))
    assert longest > 1


def test_hard_links_are_kept_unless_asked_otherwise():
    X = [[0.0], [0.1], [5.0], [5.1], [0.2], [4.9]]
    problem = Problem(X, 2, must_link=[(0, 2)], cannot_link=[(0, 1), (2, 3)])
    assert solve(problem, "bh-kmeans", p=0.01).partition.violations.hard == 0
    softened = solve(problem, "bh-kmeans", p=0.01, links="soft")
    assert softened.partition.violations.hard > 0
    assert softened.status == "unknown"


def test_without_a_price_links_count_for_nothing():
    problem = noisy_problem(2)
    free = Problem(problem.X, problem.k)
    with_links, without = (solve(each, "bh-kmeans", p=0.0, seed=1) for each in (problem, free))
    assert (with_links.labels == without.labels).all()


@pytest.mark.parametrize(("weight", "together"), [(0.01, False), (3.0, True)])
def test_the_weight_of_a_link_decides(weight, together):
    X = [[0.0], [1.0], [10.0], [11.0]]
    problem = Problem(X, 2, must_link=[(1, 2, weight)])
    labels = solve(problem, "bh-kmeans", n_init=5).labels
    assert (labels[1] == labels[2]) == together


@pytest.mark.parametrize("solver", [BhKMeans(), Pccc()], ids=["bh-kmeans", "pccc"])
def test_a_long_first_step_shows_its_best_and_ends_with_the_run(solver):
    answered = []
    context = Context(stop=lambda: bool(answered))
    for event in solver.steps(contradictory_problem(), context, first_s=0.0):
        if isinstance(event, IncumbentFound):
            answered.append(event)
        assert not isinstance(event, Assigned)  # the step has not ended
    costs = [each.objective for each in answered]
    assert costs
    assert costs == sorted(costs, reverse=True)


def test_a_step_that_is_stopped_before_its_first_answer_is_no_proof():
    events = list(BhKMeans().steps(contradictory_problem(), Context(stop=lambda: True)))
    assert not any(isinstance(event, InfeasibilityProved) for event in events)


# --- First centres under sizes: no start is trapped where groups are plain to see -----------------


X, CLASSES = make_blobs(400, centers=20, n_features=5, random_state=0)


@pytest.fixture(scope="module")
def sized():
    return Problem(X, 20, sizes=([15] * 20, [25] * 20))


@pytest.mark.parametrize("name", ["blp-kmeans", "bh-kmeans", "pccc"])
def test_no_seed_is_trapped(sized, name):
    means = np.array([X[c == CLASSES].mean(axis=0) for c in range(20)])
    best = ((X - means[CLASSES]) ** 2).sum()
    found = [solve(sized, name, seed=seed, progress=False).objective for seed in range(8)]
    assert max(found) <= best * 1.0001


def test_without_sizes_auto_is_k_means_plus_plus():
    blocks = contract(Problem(X, 20, must_link=[(0, 1)]))
    drawn = [seed_centers(blocks, np.random.default_rng(3), init) for init in ("auto", "k-means++")]
    assert (drawn[0] == drawn[1]).all()


def test_the_same_seed_draws_the_same(sized):
    blocks = contract(sized)
    one, other = (seed_centers(blocks, np.random.default_rng(5), "auto") for _ in range(2))
    assert (one == other).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_centres_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(20, 200)), int(rng.integers(1, 9))))
    k, mass = int(rng.integers(1, 15)), rng.integers(1, 5, len(X)).astype(float)
    weights = mass if seed % 2 else None
    expected, _ = theirs(X, k, sample_weight=weights, random_state=seed)
    assert np.array_equal(kmeans_plusplus(X, k, seed, weights), expected)


def test_strips_change_no_centre_that_is_drawn(monkeypatch):
    X = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
    whole = kmeans_plusplus(X, 5, 1)
    monkeypatch.setattr(seeding, "_STRIP", 7)
    assert np.array_equal(kmeans_plusplus(X, 5, 1), whole)
    assert whole.dtype == np.float32


def test_equal_points_are_drawn_again():
    assert kmeans_plusplus(np.zeros((4, 2)), 3, 0).tolist() == [[0.0, 0.0]] * 3


# --- Post process ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    links = random_pairs(truth, 80, seed=2)
    return Problem(
        X, 3, must_link=links.must_link, cannot_link=links.cannot_link, sizes=[50] * 3, truth=truth
    )


@pytest.mark.parametrize("clustering", ["k-means", "mixture"])
def test_keeps_links_and_sizes(iris, clustering):
    result = solve(iris, PostProcess(clustering=clustering))
    assert result.status == "feasible"
    assert result.partition.violations.none_hard


def test_no_assignment_keeps_more_of_the_memberships():
    X, truth = load_iris(return_X_y=True)
    links = random_pairs(truth, 60, seed=3)
    problem = Problem(X, 3, must_link=links.must_link, cannot_link=links.cannot_link)
    solver = PostProcess()
    blocks = contract(problem)
    missed = np.zeros((blocks.s, 3))
    np.add.at(missed, blocks.block_of, 1.0 - solver._memberships(problem, Context(seed=0)))
    whole = milp_assignment(missed, structure_of(blocks), nonempty=True)
    events = [e for e in solver.steps(problem, Context(seed=0)) if isinstance(e, Assigned)]
    assert events[-1].objective == pytest.approx(whole.objective, rel=1e-7)


def test_memberships_add_up_and_a_point_on_a_centre_is_sure():
    degrees = fuzzy_memberships(np.array([[0.0, 4.0], [1.0, 3.0]]))
    np.testing.assert_allclose(degrees, [[1.0, 0.0], [0.75, 0.25]])


def test_without_constraints_nothing_moves():
    X, _ = load_iris(return_X_y=True)
    result = solve(Problem(X, 3), "post-process")
    assert result.message.endswith("0 points moved to keep the constraints.")


def test_an_assignment_that_is_stopped_is_told():
    seen = []
    context = Context(stop=lambda: bool(seen))
    for event in PostProcess().steps(contradictory_problem(), context):
        seen += [event]
    assert isinstance(seen[1], IncumbentFound)
