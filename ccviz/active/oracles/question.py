"""A question about two points, the reply to it, and interviews of a learner by an oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ccviz.active.learner import Learner, next_set, tell_set
from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError, ParameterError
from ccviz.problem.points import unknown_classes

__all__ = [
    "WORDS",
    "AskedPoint",
    "KnownClasses",
    "Oracle",
    "Question",
    "Reply",
    "SetOracle",
    "SetQuestion",
    "SetReply",
    "question_about",
    "read_reply",
    "read_set_reply",
    "set_question_about",
]

_SHOWN = 60
"""Letters of a reply that an error quotes."""


class AskedPoint(msgspec.Struct, frozen=True):
    """A point of a question: its 0-based number, its name if it has one, and its features."""

    point: int
    name: str | None
    features: dict[str, float]


class Question(msgspec.Struct, frozen=True):
    """Whether two points belong together; questions are numbered from 1."""

    number: int
    one: AskedPoint
    two: AskedPoint


class Reply(msgspec.Struct, frozen=True):
    """Whether two points are together, None if that is unknown.

    ``confidence`` is the probability that the reply is right, over 0.5 and up to 1.
    """

    together: bool | None
    confidence: float = 1.0


Oracle = Callable[[Question], Reply | None]
"""Answers a question, or returns None when it answers no more."""


class SetQuestion(msgspec.Struct, frozen=True):
    """Which of some points do not belong with the others."""

    number: int
    points: tuple[AskedPoint, ...]


class SetReply(msgspec.Struct, frozen=True):
    """The numbers of the points that do not belong, none if all do, and of unknown ones."""

    odd: tuple[int, ...]
    unsure: tuple[int, ...] = ()


SetOracle = Callable[[SetQuestion], SetReply | None]
"""Answers a question over a set, or returns None when it answers no more."""


WORDS: dict[str, Reply | None] = {
    **dict.fromkeys(("y", "yes"), Reply(True)),
    **dict.fromkeys(("n", "no"), Reply(False)),
    **dict.fromkeys(("u", "unsure"), Reply(None)),
    **dict.fromkeys(("q", "quit"), None),
}
"""Replies in a word: yes, no, unsure, and quit."""


def question_about(data: Dataset, number: int, pair: tuple[int, int]) -> Question:
    """Return the question about two points of a data set."""
    one, two = (_point(data, p) for p in pair)
    return Question(number, one, two)


def set_question_about(data: Dataset, number: int, points: tuple[int, ...]) -> SetQuestion:
    """Return the question about some points of a data set."""
    return SetQuestion(number, tuple(_point(data, p) for p in points))


def _point(data: Dataset, p: int) -> AskedPoint:
    name = data.names[p] if data.names else None
    return AskedPoint(p, name, dict(zip(data.features, map(float, data.X[p]), strict=True)))


def read_reply(text: str, whose: str) -> Reply | None:
    """Return the reply that a text is: a word of `WORDS`, or JSON with the fields of `Reply`.

    Raises
    ------
    CcvizError
        If it is neither, or the confidence is not over 0.5 and up to 1.
    """
    word = text.strip().strip(".!\"'").lower()
    if word in WORDS:
        return WORDS[word]
    try:
        reply = msgspec.json.decode(text, type=Reply)
    except (msgspec.DecodeError, RecursionError, ValueError):
        shown = text.strip()[:_SHOWN]
        raise CcvizError(
            f"{whose} replied {shown!r}: that is not yes, no, unsure or quit, nor JSON like "
            '{"together": true, "confidence": 0.9}.'
        ) from None
    if not (math.isfinite(reply.confidence) and 0.5 < reply.confidence <= 1):
        raise CcvizError(
            f"{whose} replied with the confidence {reply.confidence}, which is not over 0.5 and "
            "up to 1."
        )
    return reply


def read_set_reply(text: str, question: SetQuestion, whose: str) -> SetReply | None:
    """Return the reply that a text is: numbers of points, ``none``, or ``quit``.

    Parameters
    ----------
    text : str
        Numbers may be apart by spaces or commas, or in a JSON list; an empty text is ``none``.
    whose : str
        Who replied, for the error's sentence.

    Raises
    ------
    CcvizError
        If it is neither, a number is not of the set, or no point is left.
    """
    words = text.strip().strip("[].!").replace(",", " ").lower().split()
    if words in (["q"], ["quit"]):
        return None
    asked = [str(each.point) for each in question.points]
    odd = [] if words == ["none"] else words
    if not set(odd) <= set(asked):
        raise CcvizError(
            f"{whose} replied {text.strip()[:_SHOWN]!r}: that is not quit, none, or some of "
            f"{', '.join(asked)}."
        )
    if len(set(odd)) == len(asked):
        raise CcvizError(f"{whose} replied that no point belongs with another: leave one out.")
    return SetReply(tuple(int(word) for word in dict.fromkeys(odd)))


# --- Known classes as an oracle -------------------------------------------------------------------


class KnownClasses:
    """Answers by a column of classes, perhaps with wrong answers among the right ones.

    Parameters
    ----------
    classes : (n,) array
        -1, None or NaN where a class is not known: answers about that point are *unsure*.
    wrong : float
        The probability that an answer is wrong, below 0.5.
    seed : int
        Of the wrong answers.

    Raises
    ------
    ParameterError
        If ``wrong`` is not from 0 to below 0.5.
    """

    def __init__(self, classes: ArrayLike, wrong: float = 0.0, seed: int = 0) -> None:
        if not 0 <= wrong < 0.5:
            raise ParameterError(f"wrong = {wrong} is not a share below 0.5.")
        self._classes, self._unknown = np.asarray(classes), unknown_classes(classes)
        self._wrong, self._rng = wrong, np.random.default_rng(seed)

    def __call__(self, question: Question, /) -> Reply:
        """Answer one question."""
        pair = [question.one.point, question.two.point]
        if self._unknown[pair].any():
            return Reply(None)
        same = self._classes[pair[0]] == self._classes[pair[1]]
        return Reply(bool(same) != bool(self._rng.random() < self._wrong))

    def odd(self, question: SetQuestion, /) -> SetReply:
        """Return the reply to a question over a set: the first of the largest classes belongs."""
        asked = [each.point for each in question.points]
        unsure = tuple(point for point in asked if self._unknown[point])
        points = [point for point in asked if point not in unsure]
        classes = self._classes[points].tolist()
        belongs = max(classes, key=classes.count, default=None)
        odd = [
            point
            for point, its in zip(points, classes, strict=True)
            if (its != belongs) != (self._rng.random() < self._wrong)
        ]
        return SetReply(tuple(odd if len(odd) < len(points) else odd[1:]), unsure)


# --- The features in which two points differ most, shown with a question --------------------------


@dataclass(frozen=True)
class Difference:
    """One feature of two points."""

    feature: str
    one: float
    two: float
    # Where these lie between the least and the largest value of all points, from 0 to 1.
    places: tuple[float, float]


def differences(data: Dataset, i: int, j: int, most: int) -> list[Difference]:
    """Return the features in which two points differ, the largest difference first.

    Features are compared by the share of their range.
    """
    low, spread = data.X.min(axis=0), np.ptp(data.X, axis=0)
    one, two = ((data.X[p] - low) / np.where(spread > 0, spread, 1.0) for p in (i, j))
    apart = np.abs(one - two)
    columns = np.argsort(-apart, kind="stable")[:most]
    return [
        Difference(
            data.features[c],
            float(data.X[i, c]),
            float(data.X[j, c]),
            (float(one[c]), float(two[c])),
        )
        for c in columns[apart[columns] > 0].tolist()
    ]


# --- Interviews -----------------------------------------------------------------------------------


ALL_ASKED = "that were all the questions asked for."
HAD_ENOUGH = "whoever answered had enough."


def interview(learner: Learner, data: Dataset, oracle: Oracle, questions: int) -> str:
    """Ask until there are enough questions, none is useful, or the oracle ends; return why.

    Parameters
    ----------
    learner : Learner
        Of the data's points; their features may be scaled.
    data : Dataset
        What the oracle sees of them.
    questions : int
        How many at most, with those that the learner has asked already.

    Examples
    --------
    >>> from ccviz.active import Learner
    >>> from ccviz.data.datasets import load
    >>> from ccviz.active.oracles import KnownClasses, interview
    >>> iris = load("iris")
    >>> learner = Learner(iris.X, k=3)
    >>> interview(learner, iris, KnownClasses(iris.truth), questions=20)
    'that were all the questions asked for.'
    """
    while learner.asked < questions:
        pair = learner.question()
        if pair is None:
            return learner.enough
        reply = oracle(question_about(data, learner.asked + 1, pair))
        if reply is None:
            return HAD_ENOUGH
        learner.answer(reply.together, reply.confidence)
    return ALL_ASKED


def interview_by_sets(
    learner: Learner, X: FloatArray, data: Dataset, oracle: SetOracle, questions: int, size: int
) -> str:
    """Ask which points of a set do not belong, one set after another, as `interview` asks pairs.

    Parameters
    ----------
    X : (n, d) float
        The learner's points.
    data : Dataset
        What the oracle sees of them.
    questions : int
        How many at most, with those that the learner has asked already.
    size : int
        Points of a set, from 2 to 12.

    Examples
    --------
    >>> from ccviz.active import Learner
    >>> from ccviz.data.datasets import load
    >>> from ccviz.active.oracles import KnownClasses, interview_by_sets
    >>> iris = load("iris")
    >>> learner, classes = Learner(iris.X, k=3), KnownClasses(iris.truth)
    >>> interview_by_sets(learner, iris.X, iris, classes.odd, questions=5, size=5)
    'that were all the questions asked for.'
    """
    while learner.asked < questions:
        points = next_set(learner, X, size)
        if points is None:
            return learner.enough
        reply = oracle(set_question_about(data, learner.asked + 1, points))
        if reply is None:
            return HAD_ENOUGH
        tell_set(learner, points, reply.odd, reply.unsure)
    return ALL_ASKED
