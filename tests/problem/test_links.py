"""Closure, chains and neighbours."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.errors import ProblemError
from ccviz.problem.links import adjacency, chain, closure, read_links

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


numbers = st.one_of(st.integers(-1, N), st.sampled_from([0.5, 2.0, np.nan, np.inf]))


@given(st.lists(st.one_of(st.tuples(numbers, numbers), st.tuples(numbers, numbers, numbers))))
def test_an_array_of_links_is_read_like_the_list_of_them(links):
    """Lists of several lengths are read one by one, and arrays at once: the sentences agree."""

    def answer(given_links):
        try:
            known, twice = read_links(given_links, N, "must-link")
        except ProblemError as refused:
            return str(refused)
        return known.pairs.tolist(), known.weights.tolist(), [each.words() for each in twice]

    def one_by_one():
        padded = [(i, j, *weight) for i, j, *weight in links]
        return answer([np.array(link, dtype=object) for link in padded])

    plain = answer(np.array(links)) if len({len(link) for link in links}) == 1 else answer(links)
    if isinstance(plain, str):
        assert plain.split(" is ")[0] == one_by_one().split(" is ")[0]
    else:
        assert plain == one_by_one()


def test_pairs_given_twice_get_one_sentence():
    once = np.stack([np.arange(21), np.full(21, 50)], axis=1)
    known, (twice,) = read_links(np.concatenate([once, once[:, ::-1]]), 51, "cannot-link")
    assert known.pairs.tolist() == once.tolist() == twice.links.pairs.tolist()
    kept = "and 20 more are given more than once; each is kept once."
    assert twice.words() == f"cannot-link 0-50 {kept}"
    assert twice.words([f"p{i}" for i in range(51)]) == f"cannot-link p0-p50 {kept}"


def test_the_first_wrong_row_of_an_array_is_named():
    rows = np.array([[0, 1], [2, 3], [4, 9], [5, 5]])
    with pytest.raises(ProblemError, match="must-link 4-9 names point 9"):
        read_links(rows, 8, "must-link")


@pytest.mark.parametrize("width", range(5))
def test_no_links_may_have_any_width(width):
    links, twice = read_links(np.zeros((0, width)), 2, "cannot-link")
    assert (len(links), twice) == (0, ())
