"""Weights of features that are learned from links."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ccviz import Problem, solve
from ccviz.data import learn_metric, load, random_pairs, scale, weighted
from ccviz.data.scaling import (
    WORDS,
    check_scaling,
    feature_weights,
    is_weighted,
    scale_as,
    scaling_of,
    settled,
    unscaled_as,
)
from ccviz.errors import CcvizError, ParameterError, ProblemError


def noisy(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return two features with three classes and four of noise that is larger, and the classes."""
    rng = np.random.default_rng(seed)
    classes = np.repeat(np.arange(3), 40)
    means = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[classes]
    return np.hstack([means + rng.normal(size=(120, 2)), 50 * rng.normal(size=(120, 4))]), classes


def test_noise_counts_little():
    X, classes = noisy()
    links = random_pairs(classes, 40, seed=0)
    weights = learn_metric(X, 3, links.must_link, links.cannot_link)
    counts = weights * X.var(axis=0)
    assert (weights > 0).all()
    assert counts[:2].min() > 1.5 * counts[2:].max()


def test_a_column_of_words_counts_as_one_number():
    """The variance of its 0/1 columns together is that of a number, however many words it has."""
    rng = np.random.default_rng(0)
    size, colour = np.eye(3)[rng.integers(0, 3, 60)], np.eye(2)[rng.integers(0, 2, 60)]
    age = rng.normal(40.0, 12.0, (60, 1))
    X = np.hstack([size, age, colour, np.ones((60, 1))])
    names = ["size = L", "size = M", "size = S", "age", "colour = blue", "colour = red", "x = 1"]
    variance = scale(X, settled(WORDS, X, names)).var(axis=0)
    assert variance[:3].sum() == pytest.approx(1.0, rel=1e-3)
    assert variance[3] == pytest.approx(1.0, rel=1e-3)
    assert variance[4:6].sum() == pytest.approx(1.0, rel=1e-3)
    assert variance[6] == 0.0


def test_wine_as_it_is_becomes_like_its_classes():
    wine = load("wine")
    links = random_pairs(wine.truth, 25, seed=1)

    def agreement(X: np.ndarray) -> float:
        problem = Problem(X, 3, links.must_link, links.cannot_link)
        found = solve(problem, "blp-kmeans", seed=0, progress=False).labels
        return float(adjusted_rand_score(wine.truth, found))

    weights = learn_metric(wine.X, 3, links.must_link, links.cannot_link)
    assert agreement(scale(wine.X, weighted(weights))) > agreement(wine.X) + 0.3


def test_the_unit_of_a_feature_and_a_shift_do_not_count():
    X, classes = noisy()
    links = random_pairs(classes, 20, seed=0)
    units = np.array([1e-6, 1.0, 1e5, 1.0, 3.0, 1e9])
    first = learn_metric(X, 3, links.must_link, links.cannot_link)
    second = learn_metric(X * units + units, 3, links.must_link, links.cannot_link)
    assert second * units**2 == pytest.approx(first, rel=1e-5)
    assert np.array_equal(first, learn_metric(X, 3, links.must_link, links.cannot_link))


def test_links_decide_between_two_ways_to_split():
    rng = np.random.default_rng(0)
    corner = np.array([[0, 0], [0, 8], [8, 0], [8, 8]])[np.arange(80) % 4]
    X = corner + rng.normal(size=(80, 2))
    for feature in (0, 1):
        links = random_pairs(corner[:, feature] // 8, 15, seed=0)
        weights = learn_metric(X, 2, links.must_link, links.cannot_link)
        assert weights[feature] > 2 * weights[1 - feature]


def test_odd_points():
    with pytest.raises(ProblemError, match="no links"):
        learn_metric([[1.0, 2.0]], 1)
    with pytest.raises(CcvizError, match="row 1"):
        learn_metric([[1.0], [np.nan]], 1, must_link=[(0, 1)])
    constant = np.column_stack([np.full(6, 3.0), np.arange(6.0), np.zeros(6)])
    weights = learn_metric(constant, 2, cannot_link=[(0, 5)])
    assert weights[[0, 2]].tolist() == [1, 1]
    assert np.isfinite(weights).all()
    equal = learn_metric(np.ones((4, 2)), 2, must_link=[(0, 1)])
    assert equal.tolist() == [1, 1]
    tiny = learn_metric(np.arange(6.0)[:, None] * 1e-60, 2, must_link=[(0, 1)])
    assert 0 < tiny[0] < np.inf
    soft = learn_metric(np.arange(6.0)[:, None], 2, [(0, 1, 2.0)], [(0, 1, 3.0)])  # contradictory
    assert 0 < soft[0] < np.inf


def test_of_many_points_a_part_is_enough():
    rng = np.random.default_rng(0)
    classes = np.arange(6000) % 3
    X = np.column_stack([6 * classes + rng.normal(size=6000), rng.normal(size=6000)])
    links = random_pairs(classes, 30, seed=0)
    weights = learn_metric(X.astype(np.float32), 3, links.must_link, links.cannot_link)
    counts = weights * X.var(axis=0)
    assert counts[0] > 5 * counts[1]


def test_weights_are_a_scaling_in_words():
    X = noisy()[0]
    how = weighted(np.array([0.25, 4, 1e-7, 1, 123456.0, 1]))
    assert how == "weights:0.25,4,1e-07,1,1.235e+05,1"
    assert is_weighted(how)
    scaled = scale(X, how)
    assert scaled == pytest.approx(X * np.sqrt(feature_weights(how)))
    assert scale(X.astype(np.float32), how).dtype == np.float32
    assert np.array_equal(scale_as(X[:3], X, how), scaled[:3])
    assert unscaled_as(scaled, X, how) == pytest.approx(X)
    assert scaling_of(X, scaled) == how
    check_scaling(how, 6)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("weights:1,2", "2 weights for 3 features"),
        ("weights:1,-2,3", "positive weight"),
        ("weights:1,nan,3", "positive weight"),
        ("weights:1,inf,3", "positive weight"),
        ("weights:", "positive weight"),
        ("weights:<b>,1,1", "positive weight"),
        ("log", "no scaling 'log'; there are none, standard, range, words, learned"),
    ],
)
def test_a_wrong_scaling_gets_a_sentence(how, words):
    with pytest.raises(ParameterError, match=words):
        check_scaling(how, 3)
