"""The learner: questions, answers, what it remembers."""

import msgspec
import numpy as np
import pytest

from ccviz.active.answers import Answer
from ccviz.active.learner import Learner
from ccviz.data.datasets import blobs
from ccviz.errors import CcvizError, ParameterError
from ccviz.events import QuestionAnswered, QuestionAsked
from ccviz.runs.codec import decode_event, encode_event

DATA = blobs(50, 3, 1.5, seed=1)


@pytest.fixture
def learner():
    return Learner(DATA.X, 3)


def test_a_question_stays_until_it_is_answered(learner):
    pair = learner.question()
    assert learner.question() == pair
    learner.answer(None)
    assert learner.question() != pair
    assert learner.asked == 1


def test_events_tell_it_all_and_can_be_stored(learner):
    pair = learner.question()
    learner.answer(False, confidence=0.9)
    asked, answered = (decode_event(encode_event(event)) for event in learner.events)
    assert isinstance(asked, QuestionAsked)
    assert isinstance(answered, QuestionAnswered)
    assert asked.pair == answered.pair == pair
    assert (asked.number, asked.strategy) == (1, "fields")
    assert (answered.together, answered.confidence, answered.implied) == (False, 0.9, 0)


def test_its_state_goes_through_json(learner):
    learner.tell(0, 1, True)
    learner.tell(2, 3, None, 0.8)
    state = msgspec.json.decode(msgspec.json.encode(learner.state))
    resumed = Learner.resumed(DATA.X, state)
    assert resumed.state == learner.state
    assert np.array_equal(resumed.labels, learner.labels)


def test_a_batch_asks_nothing_and_holds_different_pairs(learner):
    pairs = learner.batch(5)
    assert len(set(pairs)) == 5
    assert learner.events == []
    for i, j in pairs:
        learner.tell(i, j, bool(DATA.truth[i] == DATA.truth[j]))
    assert learner.question() not in pairs


def test_what_is_told_holds_in_the_clustering(learner):
    learner.tell(0, 1, True)
    learner.tell(0, 2, False)
    labels = learner.labels
    assert labels[0] == labels[1] != labels[2]


def test_it_ends_when_everything_is_known():
    learner = Learner([[0.0], [1.0], [2.0]], 2)
    learner.tell(0, 1, False)
    learner.tell(1, 2, True)
    assert learner.question() is None
    with pytest.raises(CcvizError, match="no question is open"):
        learner.answer(True)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"strategy": "guess"}, "there is no strategy 'guess'"),
        ({"noise": 0.5}, "noise = 0.5 is not a share below 0.5"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Learner(DATA.X, 3, **settings)


def test_answers_that_make_no_sense_are_refused(learner):
    with pytest.raises(CcvizError, match="0 and 50 are not two points of 0 to 49"):
        learner.tell(0, 50, True)
    with pytest.raises(ParameterError, match=r"confidence = 0\.5"):
        learner.tell(0, 1, True, 0.5)
    with pytest.raises(CcvizError, match="no learner's state"):
        Learner.resumed(DATA.X, {"k": "three"})


def test_it_says_why_it_is_enough_and_goes_on_when_told_more():
    learner = Learner([[0.0], [1.0], [2.0]], 2)
    assert learner.enough == ""
    learner.tell(0, 1, False)
    learner.tell(1, 2, True)
    assert learner.question() is None
    assert learner.enough.startswith("no further question is useful: what is known answers")
    learner.tell(0, 2, True, 0.6)
    assert learner.enough == ""


def test_starting_over_takes_other_answers_instead(learner):
    learner.question()
    learner.tell(0, 1, True)
    learner.start_over([Answer(2, 3, False, 0.8)])
    assert [each.pair for each in learner.answers.log] == [(2, 3)]
    assert learner.answers.known(0, 1) is None
    assert learner.events == []
    other = Learner(DATA.X, 3)
    other.tell(2, 3, False, 0.8)
    assert learner.question() == other.question()
    assert np.array_equal(learner.labels, other.labels)
