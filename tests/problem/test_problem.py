"""What a problem accepts, and the sentence with which it refuses."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import ContradictionError, Problem, ProblemError, Sizes

X = np.arange(12.0).reshape(6, 2)


def test_keeps_its_own_read_only_copy():
    points = X.copy()
    problem = Problem(points, 2)
    points[0] = 99
    assert problem.X[0, 0] == 0
    assert not problem.X.flags.writeable


def test_integer_data_become_float():
    assert Problem([[1], [2], [4]], 2).X.dtype == np.float64


REFUSED = {
    "X": [
        ([["a"], ["b"]], "not a table of numbers"),
        ([1.0, 2.0], "n points by d features"),
        (np.zeros((0, 2)), "n points by d features"),
        ([[0.0], [np.nan], [np.inf]], r"missing or infinite in rows 1, 2\."),
        ([[1.0], [-1e80]], r"over 1e\+70 in row 1: too large"),
        ([[np.nan]] * 7, r"rows 0, 1, 2, 3, 4 and 2 more\."),
    ],
    "k": [
        (0, "k = 0 is not a whole number"),
        (-3, "k = -3"),
        (1.5, r"k = 1\.5"),
        ("two", "k is 'two'"),
        (None, "k is None"),
        (float("nan"), "k is nan"),
        ("3", "k = '3'"),
        (7, "k = 7 clusters are more than the 6 points"),
    ],
    "must_link": [
        ([(0, 6)], "must-link 0-6 names point 6, but the points are 0 to 5"),
        ([(-1, 2)], "names point -1"),
        ([(3, 3)], "joins a point to itself"),
        ([(0, 1.5)], "not two point indices"),
        ([(0,)], "not two point indices"),
        ([(0, 1, 2, 3)], "not two point indices"),
        ([("a", "b")], "not two point indices"),
        ([7], "not two point indices"),
        ([(0, 1, 0)], "weights are positive"),
        ([(0, 1, -2)], "weights are positive"),
        ([(0, 1, float("nan"))], "weights are positive"),
    ],
    "cannot_link": [(7, "the cannot-links are 7, not a list of pairs")],
    "sizes": [
        ([3, 4], "add up to 7 at least and 7 at most, but there are 6 points"),
        ([6], "must be 2 numbers"),
        ([2.5, 3.5], "not whole numbers"),
        (["a", "b"], "not whole numbers"),
        (([3, 1], [2, 5]), "cluster 0 should hold at least 3 but at most 2"),
        (([1, 1], [2, 3]), "3 at most|5 at most"),
        ([np.nan, 6], "not whole numbers"),
    ],
    "truth": [
        ([0, 1], "6 points but truth labels of shape"),
        (np.array([0, "a", 1, 1, 0, 1], dtype=object), "mixes labels of several types"),
    ],
    "rules": [(rules, "not a list of rules") for rules in (5, None, "diameter<=3")],
}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [(name, *each) for name, cases in REFUSED.items() for each in cases],
)
def test_refuses(name, value, sentence):
    with pytest.raises(ProblemError, match=sentence):
        Problem(**{"X": X, "k": 2, name: value})


def test_refuses_more_clusters_than_blocks():
    with pytest.raises(ProblemError, match="leave only 4 blocks"):
        Problem(X, 5, must_link=[(0, 1), (2, 3)])


def test_a_pair_given_twice_is_kept_once_with_a_notice():
    problem = Problem(X, 2, cannot_link=[(4, 1), (1, 4), (0, 2)])
    assert problem.cannot_link.pairs.tolist() == [[0, 2], [1, 4]]
    assert problem.notices == ("cannot-link 1-4 is given more than once; it is kept once.",)


def test_hard_wins_over_soft_and_large_over_small():
    problem = Problem(X, 2, must_link=[(0, 1, 2.0), (1, 0, 3.0), (2, 3, 1.0), (2, 3)])
    assert problem.must_link.weights.tolist() == [3.0, np.inf]


def test_both_kinds_on_one_pair_contradict():
    with pytest.raises(ContradictionError, match="cannot-link 0-3 contradicts the must-link 0-3"):
        Problem(X, 2, must_link=[(0, 3)], cannot_link=[(3, 0)])


def test_contradiction_carries_its_chain():
    with pytest.raises(ContradictionError) as caught:
        Problem(X, 2, must_link=[(0, 1), (1, 2), (2, 3), (0, 4)], cannot_link=[(3, 0)])
    assert caught.value.pair == (0, 3)
    assert caught.value.chain == (0, 1, 2, 3)


def test_soft_links_do_not_contradict():
    problem = Problem(X, 2, must_link=[(0, 1, 5.0)], cannot_link=[(0, 1, 2.0), (2, 3)])
    assert problem.is_soft
    assert problem.cannot_link.soft.pairs.tolist() == [[0, 1]]
    assert problem.cannot_link.hard.pairs.tolist() == [[2, 3]]


def test_a_problem_takes_the_links_of_another():
    first = Problem(X, 2, must_link=[(0, 1, 2.0)], cannot_link=[(2, 3)])
    second = Problem(X, 3, must_link=first.must_link, cannot_link=first.cannot_link)
    assert second.must_link.weights.tolist() == [2.0]
    assert second.cannot_link.is_hard.all()


def test_sizes_exact_and_as_ranges():
    assert Problem(X, 2, sizes=[2, 4]).sizes.is_exact
    ranged = Problem(X, 2, sizes=([0, 2], [3, 6])).sizes
    assert ranged.lower.tolist() == [1, 2]
    assert ranged.upper.tolist() == [3, 6]
    assert not Problem(X, 2, sizes=Sizes(ranged.lower, ranged.upper)).sizes.is_exact


def test_links_may_be_a_data_frame_or_none():
    frame = pd.DataFrame({"first": [0, 4], "second": [1, 2], "weight": [np.inf, 0.5]})
    problem = Problem(X, 2, must_link=frame, cannot_link=None)
    assert problem.must_link.pairs.tolist() == [[0, 1], [2, 4]]
    assert problem.must_link.weights.tolist() == [np.inf, 0.5]
    assert len(problem.cannot_link) == 0


def test_it_says_what_it_is_in_a_line():
    assert repr(Problem(X, 2, must_link=[(0, 1)])) == (
        "Problem(6 points by 2 features, k=2, 1 must-links, 0 cannot-links)"
    )


def test_truth_is_numbered_and_checked():
    assert Problem(X, 2, truth=list("bbaacc")).truth.tolist() == [1, 1, 0, 0, 2, 2]
    for unknown in ([0, 2, None, 2, 0, -1], [0.0, 2.0, np.nan, 2.0, 0.0, -1.0]):
        assert Problem(X, 2, truth=unknown).truth.tolist() == [0, 1, -1, 1, 0, -1]
    assert Problem(X, 2, truth=[None] * 6).truth is None


@given(st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), max_size=4))
def test_links_are_taken_exactly_if_each_names_two_points(links):
    if all(0 <= i < 6 and 0 <= j < 6 and i != j for i, j in links):
        pairs = Problem(X, 1, must_link=links).must_link.pairs
        assert [*map(tuple, pairs)] == sorted({(min(link), max(link)) for link in links})
    else:
        with pytest.raises(ProblemError, match=r"\.$"):
            Problem(X, 1, must_link=links)


@pytest.mark.parametrize(
    "other",
    [
        {"k": 3}, {"X": [[0.0], [1.0], [2.0], [4.0]]}, {"must_link": [(0, 1, 2.0)]},
        {"cannot_link": [(0, 3)]}, {"sizes": [2, 2]}, {"sizes": ([1, 1], [3, 3])},
    ],
)  # fmt: skip
def test_problems_that_ask_the_same(other):
    given = {"X": [[0.0], [1.0], [2.0], [3.0]], "k": 2, "must_link": [(1, 0)]}
    problem = Problem(**given)
    assert problem.asks_the_same(Problem(**given | {"must_link": [(0, 1)]}))
    assert problem.asks_the_same(Problem(**given, truth=[0, 0, 1, 1]))
    assert not problem.asks_the_same(Problem(**given | other))
