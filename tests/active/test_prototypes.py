"""Small clusters, joined by answers about their central points."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ccviz.active.learner import Learner

RNG = np.random.default_rng(1)
PART = np.arange(600) % 40
TRUTH = PART // 2  # twenty classes, each in two places
X = RNG.normal(size=(40, 4))[PART] + RNG.normal(scale=0.2, size=(600, 4))


def same(i, j):
    return bool(TRUTH[i] == TRUTH[j])


def test_answers_help_where_there_are_many_classes_of_several_parts():
    learner = Learner(X, 20, "prototypes")
    before = adjusted_rand_score(TRUTH, learner.labels)
    for _ in range(150):
        learner.answer(same(*learner.question()))
    assert adjusted_rand_score(TRUTH, learner.labels) > before + 0.1


def test_it_asks_by_turns_within_a_cluster_and_between_two():
    learner = Learner(X, 20, "prototypes")
    for number in range(6):
        i, j = learner.question()
        labels = learner.labels
        assert (labels[i] == labels[j]) == (number % 2 == 0)
        learner.answer(same(i, j))


def test_every_answer_is_kept_also_about_points_that_are_not_central():
    learner = Learner(X, 20, "prototypes")
    for i, j in RNG.integers(0, 600, (40, 2)).tolist():
        if i != j:
            learner.tell(i, j, same(i, j))
    labels = learner.labels
    for answer in learner.answers.log:
        assert (labels[answer.i] == labels[answer.j]) == answer.together


def test_more_classes_than_k_are_all_shown():
    learner = Learner(X, 2, "prototypes")
    some = [0, 2, 4, 6]  # of four classes
    for a in range(4):
        for b in range(a):
            learner.tell(some[a], some[b], False)
    assert len(np.unique(learner.labels[some])) == 4
