"""Questions over sets: their points, and the links that an answer makes."""

import numpy as np
import pytest

from ccviz.active import Learner
from ccviz.active.learner import links_of, next_set
from ccviz.active.oracles import KnownClasses, SetReply, interview_by_sets
from ccviz.active.oracles.question import read_set_reply, set_question_about
from ccviz.data.datasets import load
from ccviz.errors import CcvizError

IRIS = load("iris")


def test_a_set_is_of_different_points_around_the_pair_asked_about():
    learner = Learner(IRIS.X, k=3)
    points = next_set(learner, IRIS.X, 5)
    assert len(set(points)) == 5
    assert set(learner.question()) == set(points[:2])
    assert next_set(learner, IRIS.X, 5) == points  # until it is answered


def test_a_small_cluster_makes_a_small_set():
    X = np.array([[0.0], [0.1], [9.0], [9.1], [9.2]])
    assert len(next_set(Learner(X, k=2), X, 12)) <= 5


@pytest.mark.parametrize("size", [1, 13])
def test_a_set_has_from_2_to_12_points(size):
    with pytest.raises(CcvizError, match=f"a question over {size} points"):
        next_set(Learner(IRIS.X, k=3), IRIS.X, size)


def test_an_answer_makes_a_link_less_than_there_are_points():
    links = links_of((4, 7, 9, 2), odd=(7,))
    assert links == [((4, 9), True), ((4, 2), True), ((4, 7), False)]
    assert links_of((4, 7), odd=(4,)) == [((7, 4), False)]


@pytest.mark.parametrize(
    ("odd", "words"), [((5,), "point 5 is not one of"), ((4, 7), "no point is left")]
)
def test_an_answer_that_cannot_be_is_refused(odd, words):
    with pytest.raises(CcvizError, match=words):
        links_of((4, 7), odd)


def test_classes_answer_an_interview_and_no_answer_is_broken():
    learner, classes = Learner(IRIS.X, k=3), KnownClasses(IRIS.truth)
    interview_by_sets(learner, IRIS.X, IRIS, classes.odd, questions=8, size=5)
    given = learner.answers.log
    assert learner.asked == 8
    assert len(given) == 32
    assert all((IRIS.truth[a.i] == IRIS.truth[a.j]) == a.together for a in given)
    assert not learner.answers.broken


def test_the_largest_class_belongs():
    question = set_question_about(IRIS, 1, (0, 60, 61, 120))
    assert KnownClasses(IRIS.truth).odd(question) == SetReply((0, 120))


def test_an_open_question_of_two_odd_points_is_closed():
    learner = Learner(IRIS.X, k=3)
    answers = iter([lambda q: SetReply(tuple(each.point for each in q.points[:2])), lambda _: None])
    why = interview_by_sets(learner, IRIS.X, IRIS, lambda q: next(answers)(q), 9, 4)  # noqa: PLW0108 - one after the other
    assert why == "whoever answered had enough."
    assert [answer.together for answer in learner.answers.log] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("", SetReply(())), ("none.", SetReply(())), ("60, 0\n", SetReply((60, 0))),
        ("[61]", SetReply((61,))), ("quit", None),
    ],
)  # fmt: skip
def test_a_text_is_read(text, reply):
    assert read_set_reply(text, set_question_about(IRIS, 1, (0, 60, 61)), "it") == reply


@pytest.mark.parametrize("text", ["5", "0 60 61", "the first", "-1"])
def test_a_text_that_is_no_answer_is_named(text):
    with pytest.raises(CcvizError, match="it replied"):
        read_set_reply(text, set_question_about(IRIS, 1, (0, 60, 61)), "it")
