"""Peeling, cores and cliques."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ccviz.feasibility.check import clique_above, colour_last, peel
from ccviz.feasibility.repair import FOUND, NONE, search_colouring

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
