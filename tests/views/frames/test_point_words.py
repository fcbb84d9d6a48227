import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.views.frames.point_words import links_of, marks
from ccviz.views.link_table import Link

X = np.array([[0.0, 5.0, 1.0], [2.0, 6.0, 1.0], [10.0, 5.0, 1.0], [12.0, 6.0, 1.0]])
DATA = Dataset("four", X, ("first", "second", "same"), names=("Anna", "Bert", "Carl", "Dora"))


def test_what_marks_a_point_out():
    assert marks(DATA, 2)[0] == "first 0 (-1.2σ), second 5 (-1.0σ)"


def test_the_links_of_a_point():
    links = [Link("must", 0, 1), Link("cannot", 2, 0, 3.0)]
    assert links_of(DATA, links) == [
        "must-link Bert, cannot-link Carl", "must-link Anna", "cannot-link Anna", "",
    ]  # fmt: skip
    nameless = Dataset("many", np.zeros((9, 1)), ("x",))
    many = links_of(nameless, [Link("cannot", 0, j) for j in range(1, 9)])
    assert many[0].endswith("cannot-link 6, 2 more")
    assert many[8] == "cannot-link 0"
