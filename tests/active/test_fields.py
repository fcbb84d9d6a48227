"""Our own strategy: it begins with k-means, learns what classes are, and doubts what is odd."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ccviz.active import fields, pieces
from ccviz.active.learner import Learner
from ccviz.data.datasets import load
from ccviz.data.scaling import scale
from ccviz.solvers.seeding import plain_kmeans

IRIS = load("iris")
X = scale(IRIS.X, "range")


def ask(learner, questions, wrong=()):
    for number in range(questions):
        pair = learner.question()
        if pair is None:
            return
        i, j = pair
        learner.answer(bool(IRIS.truth[i] == IRIS.truth[j]) != (number in wrong))


def test_before_any_answer_it_is_the_plain_clustering():
    labels = Learner(X, 3).labels
    assert adjusted_rand_score(plain_kmeans(X, 3, 0, n_init=5).labels_, labels) > 0.95


def test_iris_is_solved_in_fifty_questions():
    learner = Learner(X, 3)
    ask(learner, 50)
    assert adjusted_rand_score(IRIS.truth, learner.labels) > 0.95


def test_a_wrong_answer_is_asked_about_again():
    learner = Learner(X, 3, noise=0.1)
    ask(learner, 45, wrong={23})
    [broken] = learner.answers.broken
    assert learner.answers.log[23] == broken


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
