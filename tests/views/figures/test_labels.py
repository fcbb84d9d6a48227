import numpy as np

from ccviz.views.figures.labels import with_room

X, Y = np.array([0.0, 30.0, 100.0, 100.0]), np.array([0.0, 0.0, 0.0, 40.0])
WIDE = np.full(4, 50.0)


def test_the_first_in_the_order_is_written_and_what_it_covers_is_not():
    assert with_room(X, Y, WIDE, 20.0, [0, 1, 2, 3]).tolist() == [True, False, True, True]
    assert with_room(X, Y, WIDE, 20.0, [1, 0, 2, 3]).tolist() == [False, True, True, True]


def test_labels_over_one_another_need_their_height():
    assert with_room(X, Y, WIDE, 41.0, [2, 3]).tolist() == [False, False, True, False]


def test_an_empty_label_takes_no_room():
    assert with_room(X, Y, np.array([0.0, 50.0, 0.0, 0.0]), 20.0, range(4)).tolist() == [
        False, True, False, False,
    ]  # fmt: skip
