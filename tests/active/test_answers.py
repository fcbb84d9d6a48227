"""What follows from answers."""

import pytest

from ccviz.active.answers import Answer, Answers


def told(k, *triples):
    answers = Answers(k)
    for i, j, together, *confidence in triples:
        answers.add(Answer(i, j, together, *confidence))
    return answers


def test_pairs_that_nobody_asked_about_are_counted():
    answers = told(3, (0, 1, True), (1, 2, True), (0, 3, False))
    assert answers.known(2, 3) is False
    assert answers.implied == 3  # 0-2 together, 1-3 and 2-3 apart


def test_a_point_apart_from_all_classes_but_one_is_in_that_one():
    answers = told(2, (0, 1, False), (2, 0, False))
    assert answers.known(1, 2) is True
    assert answers.classes == [[0], [1, 2]]


def test_a_class_goes_on_when_an_older_group_joins_it():
    answers = told(2, (0, 9, True), (1, 3, False), (0, 2, False), (1, 2, False), (5, 0, False))
    assert [sorted(points) for points in answers.classes] == [[0, 1, 9], [2, 3, 5]]
    assert answers.unplaced == []


def test_a_group_that_may_belong_to_a_class_is_unplaced():
    answers = told(3, (0, 1, False), (2, 0, False))
    assert answers.classes == [[0], [1]]
    assert answers.unplaced == [[2]]


def test_who_does_not_know_implies_nothing():
    answers = told(2, (4, 0, None))
    assert answers.known(4, 0) is None
    assert answers.aside == {4}
    assert answers.links() == ([], [])


def test_the_surer_of_two_answers_is_kept():
    answers = told(2, (0, 1, True, 0.7), (0, 1, False, 0.9))
    assert answers.known(0, 1) is False
    assert [answer.together for answer in answers.broken] == [True]


def test_answers_that_cancel_each_other_are_as_none():
    answers = told(2, (0, 1, True), (0, 1, False))
    assert answers.known(0, 1) is None
    assert answers.links() == ([], [])


def test_links_weigh_as_much_as_they_are_sure():
    must_link, cannot_link = told(2, (0, 1, True), (2, 1, False, 0.6)).links()
    assert must_link == [(0, 1, 1.0)]
    assert cannot_link[0][:2] == (1, 2)
    assert 0 < cannot_link[0][2] < 0.1


def test_trust_grows_with_the_answers_that_agree():
    answers = told(2, (0, 1, True, 0.8), (2, 1, True, 0.8))
    assert answers.trust(0) == pytest.approx(0.8)
    assert answers.trust(1) == pytest.approx(0.96)
    assert answers.trust(7) == 0
