"""Votes about pairs become groups, whatever they say."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ccviz.active.answers import group


def test_what_is_linked_is_together_and_what_is_apart_of_it_too():
    groups = group({(0, 1): 1.0, (1, 2): 1.0, (3, 4): 1.0, (2, 3): -1.0})
    assert groups.known(0, 2) is True
    assert groups.known(0, 4) is False
    assert groups.known(0, 9) is None


def test_two_groups_of_which_nothing_is_known_stay_two():
    assert group({(0, 1): 1.0, (2, 3): 1.0}).known(0, 2) is None


def test_the_weaker_vote_gives_way():
    groups = group({(0, 1): 1.0, (1, 2): 1.0, (0, 2): -3.0})
    assert groups.known(0, 2) is False


def test_a_point_moves_to_where_more_of_its_votes_are_kept():
    votes = {(0, 1): 1.0, (2, 3): 1.0, (0, 2): -1.0, (0, 5): 1.0, (1, 5): -1.0, (3, 5): 1.0}
    groups = group(votes | {(2, 5): 1.0})
    assert groups.known(5, 2) is True
    assert groups.known(5, 0) is False


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]),
        st.sampled_from([-2.0, -1.0, 1.0, 2.0]),
    )
)
def test_any_votes_make_groups_that_agree_with_themselves(votes):
    groups = group(votes)
    assert {p for points in groups.members.values() for p in points} <= set(range(8))
    for number, others in groups.apart.items():
        assert number not in others
        assert all(number in groups.apart[other] for other in others)


def test_true_votes_are_all_kept():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 12)
    votes = {(i, j): 1.0 if truth[i] == truth[j] else -1.0 for i, j in combinations(range(12), 2)}
    groups = group(votes)
    assert all(groups.known(i, j) == (weight > 0) for (i, j), weight in votes.items())
