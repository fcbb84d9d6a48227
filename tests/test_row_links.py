"""Links that go with their rows."""

import numpy as np
import pytest

from ccviz.errors import ProblemError
from ccviz.row_links import RowLinks

LINKS = RowLinks(6, must_link=[(0, 5), (1, 2, 0.5)], cannot_link=[(3, 4)])


@pytest.mark.parametrize(
    ("rows", "must_link", "cannot_link"),
    [
        ([0, 1, 2, 3, 4, 5], [[0, 5], [1, 2]], [[3, 4]]),
        ([5, 4, 0], [[0, 2]], []),
        (slice(1, 5), [[0, 1]], [[2, 3]]),
        (np.array([True, False, False, True, True, True]), [[0, 3]], [[1, 2]]),
        (([4, 3], ...), [], [[0, 1]]),
        ([3, 3, 4], [], [[0, 2]]),
        ([], [], []),
    ],
)
def test_links_between_the_rows_taken_are_left(rows, must_link, cannot_link):
    taken = LINKS[rows]
    assert taken.must_link.pairs.tolist() == must_link
    assert taken.cannot_link.pairs.tolist() == cannot_link
    assert taken.shape == (len(taken),)


def test_weights_stay():
    assert LINKS[[2, 1]].must_link.weights.tolist() == [0.5]
    assert np.isinf(LINKS[[3, 4]].cannot_link.weights).all()


def test_rows_that_are_not_there_are_refused():
    with pytest.raises(ProblemError, match="names point 6"):
        RowLinks(6, must_link=[(0, 6)])
