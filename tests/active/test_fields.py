"""Our own strategy: it begins with k-means, learns what classes are, and doubts what is odd."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ccviz.active import fields
from ccviz.active import own_metric as pieces
from ccviz.active.learner import Learner
from ccviz.active.own_metric import own_metric
from ccviz.data.datasets import load
from ccviz.data.scaling import scale

IRIS = load("iris")
X = scale(IRIS.X, "range")


def ask(learner, questions, wrong=()):
    for number in range(questions):
        pair = learner.question()
        if pair is None:
            return
        i, j = pair
        learner.answer(bool(IRIS.truth[i] == IRIS.truth[j]) != (number in wrong))


def test_before_any_answer_it_is_k_means_in_its_own_metric():
    assert np.array_equal(Learner(X, 3).labels, own_metric(X, 3, 0).clusters)


def test_iris_is_solved_in_fifty_questions():
    learner = Learner(X, 3)
    ask(learner, 50)
    assert adjusted_rand_score(IRIS.truth, learner.labels) > 0.95


def test_a_wrong_answer_is_asked_about_again():
    learner = Learner(X, 3, noise=0.1)
    ask(learner, 45, wrong={29})
    [broken] = learner.answers.broken
    assert learner.answers.log[29] == broken


def test_many_points_are_asked_about_by_pieces(monkeypatch):
    monkeypatch.setattr(fields, "cut", lambda X, seed: pieces.cut(X, seed, 60))
    learner = Learner(X, 3)
    ask(learner, 20)
    assert adjusted_rand_score(IRIS.truth, learner.labels) > 0.8
    learner.tell(100, 101, True)  # neither need stand for its piece
    assert learner.labels[100] == learner.labels[101]


def test_more_classes_than_k_are_all_shown():
    learner = Learner(X, 2)
    for i, j in ((0, 60), (0, 120), (60, 120)):
        learner.tell(i, j, False)
    assert len(np.unique(learner.labels[[0, 60, 120]])) == 3


def test_the_first_question_waits_for_no_view(monkeypatch):
    def refused(*_):
        raise AssertionError("the views are not needed yet")

    monkeypatch.setattr(fields, "views", refused)
    learner = Learner(X, 3)
    i, j = learner.question()
    labels = learner.labels
    assert labels[i] != labels[j]  # central points of two clusters
    with pytest.raises(AssertionError, match="not needed yet"):
        learner.prepare()


def test_it_is_enough_only_when_no_cluster_is_in_doubt():
    learner = Learner(X, 3)
    ask(learner, 100)
    assert 30 < learner.asked < 100
    assert "of no point is the cluster in doubt by more than" in learner.enough
    assert adjusted_rand_score(IRIS.truth, learner.labels) > 0.97  # one flower, near both classes


def test_one_class_is_not_enough_where_two_are_looked_for():
    learner = Learner([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]], 2)
    learner.question()
    learner.answer(True)  # both k-means clusters are one class
    assert learner.question() is not None


def test_one_odd_answer_does_not_overturn_the_clusters():
    noisy, certain = Learner(X, 3, noise=0.1), Learner(X, 3)
    plain = noisy.labels
    for learner in (noisy, certain):
        i, j = learner.question()
        learner.answer(plain[i] != plain[j])
    assert np.array_equal(noisy.labels, plain)
    assert not np.array_equal(certain.labels, plain)
