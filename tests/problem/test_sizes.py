import pytest

from ccviz.errors import ProblemError
from ccviz.problem.sizes import read_sizes, sizes_text


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
