import numpy as np

from ccviz.active.oracles.question import differences
from ccviz.data.datasets import Dataset

X = np.array([[0.0, 10.0, 7.0, 3.0], [1.0, 20.0, 7.0, 3.0], [2.0, 20.0, 7.0, 4.0]])
DATA = Dataset("three", X, ("a", "b", "same", "d"))


def test_the_largest_share_of_a_range_comes_first_and_what_is_alike_not_at_all():
    found = differences(DATA, 0, 1, most=4)
    assert [each.feature for each in found] == ["b", "a"]
    assert (found[0].one, found[0].two, found[0].places) == (10.0, 20.0, (0.0, 1.0))
    assert found[1].places == (0.0, 0.5)


def test_only_so_many_are_told():
    assert [each.feature for each in differences(DATA, 0, 2, most=2)] == ["a", "b"]
