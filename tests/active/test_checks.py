"""Answers with many consequences are asked for again, and no others."""

import numpy as np
import pytest

from ccviz.active.answers import Answer, Answers
from ccviz.active.belief import joined_once, most_linked, parted_once

CLUSTER = np.array([0, 0, 0, 0, 1, 1, 1, 1])
SHARE = np.array([[0.8, 0.2], [0.2, 0.8]])
CLASSES = [[0, 1, 2], [4, 5, 6]]


def told(*given, k=2):
    answers = Answers(k)
    for i, j, together in given:
        answers.add(Answer(i, j, together, 0.9))
    return answers


def test_the_hub_is_what_most_was_asked_about_and_the_first_of_equals():
    answers = told((1, 0, True), (2, 0, True))
    assert most_linked(answers, [1, 0, 2]) == 0
    assert most_linked(answers, [2, 1]) == 2


def test_two_clusters_are_not_joined_on_the_word_of_one_answer():
    answers = told((0, 4, True))
    assert joined_once(answers, CLUSTER, 0.1) == (0, 4)
    answers.add(Answer(4, 0, True, 0.9))
    assert joined_once(answers, CLUSTER, 0.1) is None


@pytest.mark.parametrize(
    "given",
    [
        [(0, 4, False)],  # what is to be expected
        [(0, 1, True)],  # of one cluster
        [(0, 4, False), (1, 5, True)],  # not the first points of their clusters
        [(0, 4, True), (0, 4, False)],  # no longer said to be together
        [(0, 4, True), (0, 4, None)],  # no one knows
    ],
)
def test_other_answers_join_no_clusters(given):
    assert joined_once(told(*given), CLUSTER, 0.1) is None


def test_the_hubs_of_two_large_classes_are_asked_about_until_they_are_known():
    star = [(1, 0, True), (2, 0, True), (5, 4, True), (6, 4, True)]
    answers = told(*star, (0, 4, False))
    assert parted_once(answers, CLASSES, SHARE, 0.1) == (0, 4)
    answers.add(Answer(0, 4, False, 0.9))
    assert parted_once(answers, CLASSES, SHARE, 0.1) is None


def test_small_classes_are_not_confirmed():
    answers = told((1, 0, True), (0, 4, False))
    assert parted_once(answers, [[0, 1], [4]], SHARE, 0.1) is None


def test_a_pair_that_stays_in_dispute_is_left_alone():
    answers = told(*[(0, 4, number % 2 == 0) for number in range(6)])
    assert parted_once(answers, CLASSES, SHARE, 0.1) is None
