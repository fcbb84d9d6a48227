"""Annealing by single moves: the sum it keeps is true and conflicts stay kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.feasibility.repair import find_labels
from ccviz.problem.links import Links
from ccviz.solvers.assignment import Structure, objective_of
from ccviz.solvers.assignment.bound import relabelled
from ccviz.solvers.assignment.kernels.moves import anneal_moves


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
