"""Data sets that come with ccviz."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz.data import datasets
from ccviz.data.datasets import GENERATORS, NAMES, encode_classes, load, standardise
from ccviz.errors import CcvizError


@pytest.mark.parametrize("name", NAMES)
def test_every_name_loads_whole(name):
    data = load(name)
    assert data.name == name
    n, d = data.X.shape
    assert len(data.features) == d
    assert len(data.truth) == n
    assert sorted(set(data.truth.tolist())) == list(range(len(data.classes)))
    assert data.setup is not None or data.k == len(data.classes)
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_are_seeded_and_take_n_and_noise(name):
    first, again = load(name, n=60, seed=3), load(name, n=60, seed=3)
    assert first.X.shape == (60, 2)
    assert np.array_equal(first.X, again.X)
    assert not np.array_equal(first.X, load(name, n=60, seed=4).X)
    assert not np.array_equal(first.X, load(name, n=60, seed=3, noise=0.5).X)


@pytest.mark.parametrize("name", ["blobs", "spirals", "anisotropic"])
def test_generators_take_k(name):
    assert load(name, k=5).k == 5


def test_arms_of_the_spiral_are_apart():
    data = datasets.spirals(n=300, noise=0.0)
    distance = np.linalg.norm(data.X[:, None] - data.X, axis=2)
    np.fill_diagonal(distance, np.inf)
    nearest = data.truth[distance.argmin(1)]
    assert (nearest == data.truth).mean() > 0.95


def test_unknown_data_set_is_named():
    with pytest.raises(CcvizError, match="no data set 'nothing'; there are iris, wine"):
        load("nothing")


@pytest.mark.parametrize(("name", "known"), [("iris", "none"), ("moons", "n, noise, seed")])
def test_unknown_option_is_named(name, known):
    with pytest.raises(CcvizError, match=f"{name} has no option k; it has {known}"):
        load(name, k=3)


def test_standardise():
    X = standardise([[1, 5, 2], [3, 5, 4], [5, 5, 9]])
    assert X.mean(0) == pytest.approx(0)
    assert X.std(0) == pytest.approx([1, 0, 1])


def test_classes_are_numbered_in_order_of_their_names():
    numbers, names = encode_classes(["b ", "a", "b"])
    assert numbers.tolist() == [1, 0, 1]
    assert names == ("a", "b")


def test_a_file_that_is_called_iris_is_not_iris():
    iris = load("iris")
    assert iris.is_named
    assert load("moons", n=31).is_named
    assert not replace(iris, X=iris.X[:40]).is_named
    assert not replace(iris, X=iris.X + 1).is_named
    assert not replace(iris, name="mine").is_named
