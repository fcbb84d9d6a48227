"""What a few known points say about the others."""

import numpy as np
import pytest

from ccviz.active.belief import Evidence, believe

X = np.array([0.0, 0.1, 0.2, 1.0, 1.1, 1.2])
NEAR = np.exp(-((X[:, None] - X) ** 2) / 0.1)
ODD = np.exp(-((X[:, None] * 7 % 1 - X * 7 % 1) ** 2) / 0.01)
PRIOR = np.full((6, 2), 0.5)
MASS = np.ones(6)


def evidence(rows, classes, answered=None):
    rows, classes = np.array(rows), np.array(classes)
    return Evidence(
        rows, classes, np.full(len(rows), 0.05), len(rows) if answered is None else answered
    )


def test_classes_spread_to_what_is_alike():
    belief = believe([NEAR], evidence([0, 5], [0, 1]), PRIOR, MASS)
    assert belief.share.argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]
    assert belief.share.sum(axis=1) == pytest.approx(1)
    assert belief.entropy[1] < belief.entropy[2]


def test_the_view_that_predicts_the_answers_counts():
    belief = believe([ODD, NEAR], evidence([0, 2, 3, 5], [0, 0, 1, 1]), PRIOR, MASS)
    assert belief.weights[1] > 0.6


def test_what_is_left_out_is_what_it_would_be_without():
    whole = believe([NEAR], evidence([0, 2, 5], [0, 0, 1]), PRIOR, MASS)
    without = believe([NEAR], evidence([0, 5], [0, 1]), PRIOR, MASS)
    assert whole.left_out[1] == pytest.approx(without.plain[2])


def test_what_is_only_assumed_judges_no_view():
    belief = believe([ODD, NEAR], evidence([0, 5], [0, 1], answered=0), PRIOR, MASS)
    assert belief.weights == pytest.approx(0.5)
    assert belief.left_out.shape == (0, 2)


def test_the_doubt_is_what_is_left_and_more_where_the_answers_were_foretold_badly():
    right = believe([NEAR], evidence([0, 1, 4, 5], [0, 0, 1, 1]), PRIOR, MASS)
    assert right.doubt == pytest.approx(1 - right.plain.max(axis=1))
    wrong = believe([NEAR], evidence([0, 1, 4, 5], [0, 1, 0, 1]), PRIOR, MASS)
    assert (wrong.doubt >= 1 - wrong.plain.max(axis=1) - 1e-12).all()
    assert wrong.doubt[0] > 1 - wrong.plain[0].max() + 0.01


def test_a_class_is_not_shown_larger_than_the_answers_make_likely():
    few, prior = evidence([0, 5], [0, 1]), np.array([[0.7, 0.3]] * 6)
    belief = believe([np.eye(6)], few, prior, MASS)  # nothing spreads: the prior decides
    size = belief.shown.mean(axis=0)
    assert size == pytest.approx([0.5, 0.5], abs=0.01)  # an answer each
    assert size[0] + 0.1 < belief.share[:, 0].mean() < 0.8  # half the way
    heavy = np.array([9.0, 9, 9, 1, 1, 1])
    shown = believe([np.eye(6)], few, prior, heavy).shown
    assert heavy @ shown == pytest.approx([15, 15], abs=0.5)


def test_the_balance_fades_with_the_answers():
    rows = [0, 1, 2, 3, 4, 5] * 20
    many = believe([NEAR], evidence(rows, [0] * 119 + [1]), PRIOR, MASS)
    assert np.abs(many.shown - many.share).max() < 0.2
