"""Packing blocks of points into clusters of given sizes."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.feasibility.check import clique_above, colour_last, peel
from ccviz.feasibility.packing import Packing, pack_by_highs, pack_quickly
from ccviz.feasibility.repair import FOUND, NONE, find_labels, search_colouring
from ccviz.solvers.assignment import Structure


def draw(rng):
    s, k = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    mass = rng.integers(1, 5, s)
    pairs = np.array([(a, b) for a in range(s) for b in range(a + 1, s)]).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.3].astype(np.int64)
    lower = rng.integers(0, 1 + mass.sum() // k, k)
    amounts, limits = [mass], [(lower, lower + rng.integers(0, 4, k))]
    if rng.random() < 0.5:  # and a column whose sum is limited
        amounts.append(rng.integers(0, 9, s) / 8)
        share = amounts[1].sum() / k
        limits.append((np.full(k, 0.5 * share), np.full(k, 1.5 * share)))
    lowest, highest = np.array(limits, dtype=float).transpose(1, 0, 2)
    return Packing(np.array(amounts, dtype=float), edges, lowest, highest)


def keeps(packing, labels):
    a, b = packing.edges.T
    loads = [
        [math.fsum(row[labels == cluster]) for cluster in range(packing.k)]
        for row in packing.amounts
    ]
    inside = (loads >= packing.lower) & (loads <= packing.upper)
    return bool(inside.all() and (labels[a] != labels[b]).all())


@pytest.mark.parametrize("seed", range(60))
def test_highs_answers_as_enumeration(seed):
    packing = draw(np.random.default_rng(seed))
    every = product(range(packing.k), repeat=packing.s)
    possible = any(keeps(packing, np.array(labels)) for labels in every)
    feasible, labels = pack_by_highs(packing, np.zeros(0, dtype=np.int64), 10.0)
    assert feasible is possible
    assert labels is None or keeps(packing, labels)


@pytest.mark.parametrize("seed", range(60))
def test_quick_answers_are_right(seed):
    packing = draw(np.random.default_rng(seed))
    labels = pack_quickly(packing)
    assert labels is None or keeps(packing, labels)


def test_a_clique_is_fixed_only_where_clusters_are_interchangeable():
    """The heavy block must go to the last cluster; fixing it in the first would be wrong."""
    edges = np.array([[0, 1]])
    exact = np.array([[1.0, 5.0]])
    packing = Packing(np.array([[5.0, 1.0]]), edges, exact, exact)
    feasible, labels = pack_by_highs(packing, np.array([0, 1]), 10.0)
    assert feasible
    assert labels.tolist() == [1, 0]


# --- Peeling, cores and cliques -------------------------------------------------------------------


N = 9
graphs = st.sets(st.sampled_from(list(combinations(range(N), 2)))).map(
    lambda edges: np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
)


@given(graphs, st.integers(1, 4))
def test_peeling_leaves_the_k_core(edges, k):
    order, cores = peel(edges, k)
    left = set(range(N))
    while True:
        degree = {v: sum(v in e and set(e) <= left for e in map(tuple, edges)) for v in left}
        low = {v for v in left if degree[v] < k}
        if not low:
            break
        left -= low
    assert {v for core in cores for v in core.vertices.tolist()} == left
    assert set(order) | left == set(edges.ravel().tolist())


@given(graphs, st.integers(1, 4))
def test_cores_hold_their_own_edges_and_are_connected_apart(edges, k):
    _, cores = peel(edges, k)
    inside = {tuple(edge) for core in cores for edge in core.vertices[core.edges].tolist()}
    left = {v for core in cores for v in core.vertices.tolist()}
    assert inside == {tuple(edge) for edge in edges.tolist() if set(edge) <= left}


@given(graphs, st.integers(1, 4))
def test_peeled_vertices_find_a_colour(edges, k):
    order, cores = peel(edges, k)
    if not cores:
        colour = np.full(N, -1)
        colour_last(order, edges, colour, k)
        assert (colour[edges[:, 0]] != colour[edges[:, 1]]).all()
        assert set(colour[edges.ravel()].tolist()) <= set(range(k))


@given(graphs, st.integers(1, 3))
def test_a_clique_is_one(edges, k):
    known = {frozenset(edge) for edge in edges.tolist()}
    for core in peel(edges, k)[1]:
        clique = core.vertices[clique_above(core, k)].tolist()
        assert len(set(clique)) == len(clique) >= 2
        assert all(frozenset(pair) in known for pair in combinations(clique, 2))


def test_search_decides_cycles():
    for size in range(3, 10):
        edges = np.array([[i, (i + 1) % size] for i in range(size)])
        answer, colour = search_colouring(edges, size, 2)
        assert answer == (NONE if size % 2 else FOUND)
        if answer == FOUND:
            assert (colour[edges[:, 0]] != colour[edges[:, 1]]).all()


# --- Repair ---------------------------------------------------------------------------------------

# The search for any assignment: what it finds keeps the conflicts, and planted ones are found.


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
