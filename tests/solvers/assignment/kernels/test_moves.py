"""Annealing by single moves: the sum it keeps is true and conflicts stay kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.feasibility.repair import find_labels
from ccviz.problem.links import Links
from ccviz.solvers.assignment import Structure, objective_of
from ccviz.solvers.assignment.bound import relabelled
from ccviz.solvers.assignment.kernels.moves import anneal, anneal_moves
from ccviz.solvers.assignment.milp import milp_assignment


@given(st.integers(0, 10**6))
def test_the_gain_is_true_and_conflicts_are_kept(seed):
    rng = np.random.default_rng(seed)
    pairs = np.unique(np.sort(rng.integers(0, 20, (30, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    hard, soft = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    half = len(soft) // 2
    structure = Structure.from_edges(
        20,
        4,
        hard,
        soft_must=Links(soft[:half], rng.random(half)),
        soft_cannot=Links(soft[half:], rng.random(len(soft) - half)),
    )
    cost = rng.random((20, 4))
    paid, labels = cost[structure.linked], cost.argmin(axis=1)
    found, labels[structure.linked] = find_labels(paid, structure.graph, 100, rng)
    assert found
    gained, better = anneal_moves(paid, structure.graph, labels[structure.linked], 10, 0.3, rng)
    after = labels.copy()
    after[structure.linked] = better
    difference = objective_of(after, cost, structure) - objective_of(labels, cost, structure)
    assert gained == pytest.approx(difference, abs=1e-9)


def test_clusters_go_to_the_centres_where_they_cost_least():
    cost = np.array([[5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [0.0, 5.0, 5.0]])
    assert relabelled(cost, np.array([0, 0, 2])).tolist() == [1, 1, 0]


def random_structure(rng, s, k):
    pairs = np.array([(i, j) for i in range(s) for j in range(i + 1, s)])
    kind = rng.integers(0, 8, len(pairs))
    weight = rng.uniform(0.2, 2, len(pairs))
    return Structure.from_edges(
        s,
        k,
        pairs[kind == 0],
        soft_must=Links(pairs[kind == 1], weight[kind == 1]),
        soft_cannot=Links(pairs[kind == 2], weight[kind == 2]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_keeps_conflicts_never_gets_worse_and_finds_small_optima(seed):
    rng = np.random.default_rng(seed)
    structure, cost = random_structure(rng, 10, 4), rng.uniform(0, 3, (10, 4))
    feasible = milp_assignment(rng.uniform(0, 1, (10, 4)), structure).labels
    linked, labels = structure.linked, cost.argmin(axis=1)
    labels[linked] = anneal(cost[linked], structure.graph, feasible[linked], 20_000, 3.0, 0.01, rng)
    found = objective_of(labels, cost, structure)
    assert found <= objective_of(feasible, cost, structure)
    assert found == pytest.approx(milp_assignment(cost, structure).objective, rel=1e-6)


def test_annealing_ends_when_it_is_to_stop():
    rng = np.random.default_rng(0)
    structure, cost = random_structure(rng, 10, 4), rng.uniform(0, 3, (10, 4))
    linked = structure.linked
    start = milp_assignment(rng.uniform(0, 1, (10, 4)), structure).labels[linked]
    looks = iter([False, True])
    about = cost[linked], structure.graph, start, 1_000_000, 3.0, 0.01, rng
    after = anneal(*about, lambda: next(looks))  # a third look would raise
    assert not np.array_equal(after, start)
    assert np.array_equal(anneal(*about, lambda: True), start)
