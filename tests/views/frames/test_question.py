import numpy as np

from ccviz.data.datasets import Dataset, load
from ccviz.views.frames.scatter import question, set_question


def test_features_stand_in_the_order_of_their_difference():
    data = Dataset(
        "two", np.array([[0.0, 1.0, 5.0], [10.0, 2.0, 5.0], [20.0, 2.0, 6.0]]), ("a", "b", "c")
    )
    shown = question(data, (0, 1))
    assert [each.feature for each in shown.differences] == ["b", "a"]  # c is the same
    assert shown.differences[0].places == (0.0, 1.0)
    assert (shown.names, shown.pictures) == (("point 0", "point 1"), ())


def test_names_are_told():
    data = Dataset("named", np.eye(2), ("a", "b"), names=("ox", "<b>"))
    assert question(data, (1, 0)).names == ("<b> (1)", "ox (0)")


def test_digits_are_pictures():
    data = load("digits")
    shown = question(data, (3, 7))
    assert shown.differences == ()
    assert [each.shape for each in shown.pictures] == [(8, 8), (8, 8)]
    assert np.allclose(shown.pictures[0] * data.X.max(), data.X[3].reshape(8, 8))


def test_a_set_has_the_features_in_which_its_points_differ():
    X = np.array([[0.0, 1.0, 5.0], [10.0, 2.0, 5.0], [20.0, 2.0, 6.0]])
    data = Dataset("three", X, ("a", "b", "c"), names=("ox", "<b>", "elk"))
    shown = set_question(data, (1, 0))
    assert shown.features == ("b", "a")
    assert shown.values.tolist() == [[2.0, 10.0], [1.0, 0.0]]
    assert shown.names == ("<b> (1)", "ox (0)")
    assert shown.pictures == ()


def test_a_set_of_digits_is_pictures():
    shown = set_question(load("digits"), (3, 7, 9))
    assert shown.features == ()
    assert len(set(shown.pictures)) == 3
