"""Closure, chains and neighbours."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ccviz.problem.links import adjacency, chain, closure

N = 8
pairs = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] != p[1]),
    max_size=12,
)


def as_array(links):
    return np.array(links, dtype=np.int64).reshape(-1, 2)


def reachable(links):
    """Return (N, N) bool by repeated squaring: another way to the closure."""
    reach = np.eye(N, dtype=bool)
    for i, j in links:
        reach[i, j] = reach[j, i] = True
    for _ in range(N):
        reach = reach @ reach
    return reach


@given(pairs)
def test_closure_joins_what_is_reachable_and_nothing_else(links):
    block_of = closure(N, as_array(links))
    assert ((block_of[:, None] == block_of[None, :]) == reachable(links)).all()


@given(pairs)
def test_closure_numbers_blocks_by_their_first_point(links):
    block_of = closure(N, as_array(links))
    first = np.unique(block_of, return_index=True)[1]
    assert (np.diff(first) > 0).all()


@given(pairs, st.integers(0, N - 1), st.integers(0, N - 1))
def test_chain_walks_along_links_or_is_empty(links, start, goal):
    walk = chain(as_array(links), start, goal)
    given_links = {frozenset(link) for link in links}
    if reachable(links)[start, goal]:
        assert (walk[0], walk[-1]) == (start, goal)
        assert all(frozenset(step) in given_links for step in pairwise(walk))
        assert len(set(walk)) == len(walk)
    else:
        assert walk == ()


def test_chain_is_a_shortest_one():
    assert chain(as_array([(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)]), 0, 3) == (0, 4, 3)


def test_adjacency_names_only_points_with_links():
    assert adjacency([(0, 3), (3, 5)]) == {0: [3], 3: [0, 5], 5: [3]}
