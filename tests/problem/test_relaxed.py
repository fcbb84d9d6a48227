import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import ProblemError
from ccviz.problem.relaxed import Lacking, is_within, lacking_of, relaxed, shared

NONE = np.empty((0, 2), dtype=np.int64)
PROBLEM = Problem(
    np.arange(6.0)[:, None], 2, [(0, 1), (2, 3, 5.0)], [(0, 4)], sizes=([2, 2], [4, 4])
)


def test_links_and_sizes_are_left_out():
    lacking = Lacking(np.array([[2, 3]]), np.array([[0, 4]]), np.empty((0, 2), dtype=np.int64))
    left = relaxed(PROBLEM, lacking)
    assert left.must_link.pairs.tolist() == [[0, 1]]
    assert len(left.cannot_link) == 0
    assert left.sizes is None
    assert lacking_of(lacking.arrays()).must.tolist() == [[2, 3]]
    assert Lacking(NONE, NONE).arrays() == {}


@pytest.mark.parametrize(
    "lacking",
    [
        Lacking(np.array([[0, 5]]), NONE),
        Lacking(NONE, np.array([[0, 1]])),
        Lacking(NONE, NONE, np.array([[3, 2], [4, 4]])),
        Lacking(NONE, NONE, np.array([[2, 2], [4, 3]])),
        Lacking(NONE, NONE, np.array([[2], [4]])),
    ],
)
def test_what_is_not_there_cannot_be_left_out(lacking):
    with pytest.raises(ProblemError):
        relaxed(PROBLEM, lacking)


def test_sizes_are_within_others_and_links_among_others():
    assert is_within(PROBLEM.sizes, None)
    assert not is_within(None, PROBLEM.sizes)
    other = Problem(PROBLEM.X, 2, [(0, 1), (2, 3, 4.0)])
    assert shared(PROBLEM.must_link, other.must_link, 6).tolist() == [True, False]
    assert shared(PROBLEM.cannot_link, other.cannot_link, 6).tolist() == [False]
