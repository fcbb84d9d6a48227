"""The search for any assignment: what it finds keeps the conflicts, and planted ones are found."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ccviz.feasibility.repair import find_labels
from ccviz.solvers.assignment import Structure


def planted(rng, size, k, edges):
    """Return the structure of a random graph with a colouring by k colours."""
    colour = rng.integers(0, k, size)
    pairs = np.unique(np.sort(rng.integers(0, size, (edges, 2)), axis=1), axis=0)
    return Structure.from_edges(size, k, pairs[colour[pairs[:, 0]] != colour[pairs[:, 1]]])


def clashes(structure, labels):
    first, second = labels[np.searchsorted(structure.linked, structure.pairs.T)]
    return (first == second).sum()


@given(st.integers(0, 10**6))
def test_what_is_found_keeps_conflicts_and_forbidden_centres(seed):
    rng = np.random.default_rng(seed)
    structure = planted(rng, 12, 3, 25)
    cost = rng.random((len(structure.linked), 3))
    cost[rng.random(cost.shape) < 0.1] = np.inf
    found, labels = find_labels(cost, structure.graph, 200, rng)
    if found:
        assert clashes(structure, labels) == 0
        assert np.isfinite(cost[np.isfinite(cost).any(axis=1)].min(axis=1)).all()


def test_a_planted_colouring_near_the_chromatic_number_is_found():
    structure = planted(np.random.default_rng(0), 300, 5, 1500)
    cost = np.random.default_rng(1).random((len(structure.linked), 5))
    found, labels = find_labels(cost, structure.graph, 100_000, np.random.default_rng(2))
    assert found
    assert clashes(structure, labels) == 0


def test_a_clique_above_k_is_never_found():
    pairs = np.array([(i, j) for i in range(5) for j in range(i)])[:, ::-1]
    structure = Structure.from_edges(5, 4, pairs)
    found, _ = find_labels(np.zeros((5, 4)), structure.graph, 500, np.random.default_rng(0))
    assert not found
