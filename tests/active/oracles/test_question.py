"""Questions and replies as data."""

import msgspec
import numpy as np
import pytest

from ccviz.active.oracles import KnownClasses, Reply, SetReply
from ccviz.active.oracles.question import question_about, read_reply, set_question_about
from ccviz.data.datasets import load
from ccviz.errors import CcvizError, ParameterError


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("yes\n", Reply(True)), (" N ", Reply(False)), ("Unsure.", Reply(None)), ("q", None),
        ('{"together": true, "confidence": 0.8}', Reply(True, 0.8)),
        ('{"together": null}', Reply(None)),
    ],
)  # fmt: skip
def test_replies_are_read(text, reply):
    assert read_reply(text, "it") == reply


@pytest.mark.parametrize(
    "text",
    ["", "perhaps", "{}", "[1]", '{"together": 1}', '{"together": true, "confidence": 0.5}',
     '{"together": true, "confidence": 2}', '{"together": true, "confidence": NaN}'],
)  # fmt: skip
def test_what_is_no_reply_is_named(text):
    with pytest.raises(CcvizError, match=r"^it replied"):
        read_reply(text, "it")


def test_a_question_has_what_is_known_of_both_points():
    iris = load("iris")
    asked = question_about(iris, 4, (7, 120))
    sent = msgspec.json.decode(msgspec.json.encode(asked))
    assert sent["number"] == 4
    assert [sent[side]["point"] for side in ("one", "two")] == [7, 120]
    assert sent["two"]["features"] == dict(zip(iris.features, iris.X[120].tolist(), strict=True))


def test_known_classes_are_wrong_as_often_as_asked():
    iris = load("iris")
    asked = question_about(iris, 1, (0, 1))
    assert KnownClasses(iris.truth)(asked) == Reply(True)
    answers = KnownClasses(iris.truth, wrong=0.2, seed=1)
    wrong = sum(not answers(asked).together for _ in range(1000))
    assert 150 < wrong < 250
    with pytest.raises(ParameterError, match=r"wrong = 0\.5"):
        KnownClasses(iris.truth, wrong=0.5)


def test_classes_that_are_not_known_answer_nothing():
    iris = load("iris")
    truth = iris.truth.astype(float)
    truth[[1, 60]] = np.nan
    assert KnownClasses(truth)(question_about(iris, 1, (0, 1))) == Reply(None)
    asked = set_question_about(iris, 1, (0, 1, 2, 60, 70))
    assert KnownClasses(truth).odd(asked) == SetReply((70,), (1, 60))
