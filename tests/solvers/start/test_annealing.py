"""Random swaps, annealed: never worse, the same every time, and better where k-means is stuck."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.params import StartParams
from ccviz.solvers.colgen.phases import start as initial
from ccviz.solvers.start.annealing import annealed
from tests.enumeration import least_wcss


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
