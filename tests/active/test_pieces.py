"""Many points become few pieces."""

import numpy as np

from ccviz.active.own_metric import cut


def test_few_points_are_a_piece_each():
    pieces = cut(np.zeros((5, 2)), seed=0)
    assert pieces.of.tolist() == pieces.representative.tolist() == [0, 1, 2, 3, 4]


def test_every_piece_has_its_points_and_stands_for_them():
    X = np.random.default_rng(0).normal(size=(300, 3))
    pieces = cut(X, seed=1, most=40)
    assert len(pieces.mass) <= 40
    assert pieces.mass.sum() == 300
    assert np.array_equal(pieces.of[pieces.representative], np.arange(len(pieces.mass)))
    assert ((X - X[pieces.representative][pieces.of]) ** 2).sum() < 0.5 * (
        (X - X.mean(0)) ** 2
    ).sum()


def test_points_that_coincide_share_a_piece():
    pieces = cut(np.repeat(np.arange(4.0)[:, None], 10, axis=0), seed=0, most=8)
    assert len(pieces.mass) <= 4
