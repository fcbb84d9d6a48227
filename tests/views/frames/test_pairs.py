import numpy as np

from ccviz.data.datasets import Dataset, load
from ccviz.views.draft import draft_of
from ccviz.views.frames.pairs import pairs


def test_few_features_are_all_shown():
    frame = pairs(draft_of(load("iris")))
    assert frame.features == load("iris").features
    assert np.array_equal(frame.columns, load("iris").X)


def test_of_many_features_those_that_weigh_most_in_their_order():
    X = np.random.default_rng(0).normal(size=(50, 8)) * [1, 9, 2, 8, 3, 7, 4, 6]
    frame = pairs(draft_of(Dataset("wide", X, tuple("abcdefgh")), 2))
    assert frame.features == ("b", "d", "f", "g", "h")


def test_very_many_points_are_thinned_out():
    data = load("blobs", n=5000)
    frame = pairs(draft_of(data))
    assert len(frame.rows) == 2000
    assert np.array_equal(frame.columns, data.X[frame.rows])
