import numpy as np
import pytest

from ccviz.errors import ProblemError
from ccviz.problem.sizes import Sizes, read_sizes, sizes_text


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("50, 50, 50", [50, 50, 50], [50, 50, 50]),
        ("40-60; 40–60 70", [40, 40, 70], [60, 60, 70]),
        ("40-60", [40, 40, 40], [60, 60, 60]),
        (" Equal ", [50, 50, 50], [51, 51, 51]),
        ("", [], []),
        (" , ", [], []),
    ],
)
def test_sizes_are_read_as_people_write_them(text, lower, upper):
    assert read_sizes(text, 152, 3) == (lower, upper)


@pytest.mark.parametrize(
    ("text", "words"),
    [("1,2", "there are 2 sizes in '1,2', but k is 3."), ("few", "'few' is not a size")],
)
def test_what_is_no_size_is_refused(text, words):
    with pytest.raises(ProblemError, match=words):
        read_sizes(text, 150, 3)


def test_sizes_are_written_as_they_are_read():
    lower, upper = [40, 50, 70], [60, 50, 70]
    assert read_sizes(sizes_text(lower, upper), 150, 3) == (lower, upper)


@pytest.mark.parametrize(
    ("points", "numbers"), [([2, 5, 1], [2, 0, 1]), ([1, 1, 5], [1, 2, 0]), ([5, 5, 1], None)]
)
def test_clusters_are_numbered_by_the_limits_that_they_keep(points, numbers):
    found = Sizes(np.array([4, 1, 1]), np.array([6, 1, 3])).numbers_of(np.array(points))
    assert (None if found is None else found.tolist()) == numbers
