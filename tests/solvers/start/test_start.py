"""Crossing k-means clusterings finds the best one where single starts miss it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, never
from ccviz.solvers.colgen.params import StartParams
from ccviz.solvers.colgen.phases import start as initial
from ccviz.solvers.common.seeding import plain_kmeans
from ccviz.solvers.start import staged
from ccviz.solvers.start.annealing import annealed
from ccviz.solvers.start.staged import crossed_centers, staged_clusterings
from tests.enumeration import least_wcss


@pytest.fixture(scope="module")
def blobs() -> FloatArray:
    """Ten points each around the places of a six by six grid."""
    grid = np.argwhere(np.ones((6, 6))).astype(np.float64)
    return np.repeat(10.0 * grid, 10, axis=0) + np.random.default_rng(0).normal(size=(360, 2))


def _cost(points: FloatArray, centers: FloatArray) -> float:
    return float(cdist(points, centers, "sqeuclidean").min(axis=1).sum())


def _best_cost(points: FloatArray) -> float:
    return _cost(points, points.reshape(36, 10, 2).mean(axis=1))


def test_it_finds_better_centres_than_forty_starts() -> None:
    points = np.random.default_rng(0).uniform(size=(400, 2))
    forty = float(plain_kmeans(points, 20, 0, n_init=40).inertia_)
    assert _cost(points, crossed_centers(contract(Problem(points, 20)), 0, never)) < 0.999 * forty


def test_more_blocks_than_the_sample_are_seen_in_part(
    blobs: FloatArray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged, "_SAMPLE", 180)
    centers = crossed_centers(contract(Problem(blobs, 36)), 0, never)
    assert _cost(blobs, centers) <= 1.5 * _best_cost(blobs)


def test_must_linked_points_are_one_weighted_point() -> None:
    blocks = contract(Problem([[0.0], [2.0], [3.0], [9.0]], 2, must_link=[(0, 1)]))
    centers = np.sort(crossed_centers(blocks, 0, never), axis=0)
    assert np.allclose(centers, [[5.0 / 3.0], [9.0]])


@pytest.mark.parametrize("k", [1, 2])
def test_points_that_are_all_the_same_have_centres(k: int) -> None:
    assert crossed_centers(contract(Problem(np.ones((4, 2)), k)), 0, never).shape == (k, 2)


def test_a_stop_ends_it_after_the_first_start(blobs: FloatArray) -> None:
    assert crossed_centers(contract(Problem(blobs, 36)), 0, lambda: True).shape == (36, 2)


@pytest.mark.parametrize("linked", [False, True])
def test_the_clusterings_to_begin_with_end_in_it(blobs: FloatArray, linked: bool) -> None:
    links = {"must_link": [(0, 1)], "cannot_link": [(0, 20), (40, 70)]} if linked else {}
    problem = Problem(blobs, 36, **links)  # type: ignore[arg-type]
    blocks = contract(problem)
    *_, (labels, _) = staged_clusterings(problem, blocks, Context(seed=0), "blp-kmeans")
    assert Partition(problem, blocks.lift(labels)).objective <= _best_cost(blobs) * (1.0 + 1e-9)


# --- Annealing ------------------------------------------------------------------------------------

# Random swaps, annealed: never worse, the same every time, and better where k-means is stuck.


def cost(problem, blocks, labels):
    return Partition(problem, blocks.lift(labels)).wcss


def some_labels(s, k, seed):
    labels = np.arange(s) % k
    return np.random.default_rng(seed).permutation(labels)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_it_finds_the_best_clustering_of_a_few_blocks_with_masses(seed, d):
    rng = np.random.default_rng(seed)
    problem = Problem(rng.normal(size=(9, d)), 3, must_link=[(0, 1), (2, 3)])
    blocks = contract(problem)
    best = least_wcss(problem)
    found = annealed(blocks, some_labels(blocks.s, 3, seed), seed)
    assert cost(problem, blocks, found) == pytest.approx(best, rel=1e-9)


@pytest.mark.slow
def test_it_is_never_worse_leaves_no_cluster_empty_and_is_the_same_every_time():
    problem = Problem(np.random.default_rng(0).uniform(size=(200, 2)), 20)
    blocks, first = contract(problem), some_labels(200, 20, 0)
    kept = first.copy()
    found = annealed(blocks, first, 5)
    assert (first == kept).all()
    assert set(found.tolist()) == set(range(20))
    assert cost(problem, blocks, found) < 0.2 * cost(problem, blocks, first)
    assert (annealed(blocks, first, 5) == found).all()
    again = annealed(blocks, found, 6)
    assert cost(problem, blocks, again) <= cost(problem, blocks, found) * (1.0 + 1e-12)


def test_it_stops_between_turns_with_what_it_has():
    problem = Problem(np.random.default_rng(0).uniform(size=(200, 2)), 20)
    blocks, first, asked = contract(problem), some_labels(200, 20, 0), []

    def stop():
        asked.append(None)
        return len(asked) > 3

    found = annealed(blocks, first, 5, stop)
    assert len(asked) == 4
    assert cost(problem, blocks, found) < cost(problem, blocks, first)
    assert (annealed(blocks, first, 5, lambda: True) == first).all()


def test_points_that_all_coincide_cost_nothing_and_stay():
    blocks = contract(Problem(np.zeros((6, 2)), 2))
    labels = some_labels(6, 2, 0)
    assert (annealed(blocks, labels, 0) == labels).all()


@pytest.mark.parametrize(
    ("links", "many", "tried"), [((), 0, True), ((), 1e9, False), ([(0, 1)], 0, False)]
)
def test_the_first_clustering_is_annealed_where_clusters_are_many_and_nothing_conflicts(
    links, many, tried, monkeypatch
):
    problem = Problem(np.random.default_rng(1).uniform(size=(40, 2)), 6, cannot_link=links)
    calls = []
    params = StartParams(swap_clusters=many, least_swap_work=0)
    monkeypatch.setattr(initial, "annealed", lambda *args: calls.append(args) or annealed(*args))
    labels = initial.best_of_memetic(problem, contract(problem), 0, lambda: False, params)
    assert labels.shape == (40,)
    assert bool(calls) == tried
