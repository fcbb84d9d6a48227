"""A question about two points, and the reply to it."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError

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
    """The numbers of the points that do not belong, none if all do."""

    odd: tuple[int, ...]


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
    """Return the question about two points of a data set.

    Parameters
    ----------
    data : Dataset
    number : int
    pair : tuple of two int
    """
    one, two = (_point(data, p) for p in pair)
    return Question(number, one, two)


def set_question_about(data: Dataset, number: int, points: tuple[int, ...]) -> SetQuestion:
    """Return the question about some points of a data set.

    Parameters
    ----------
    data : Dataset
    number : int
    points : tuple of int
    """
    return SetQuestion(number, tuple(_point(data, p) for p in points))


def _point(data: Dataset, p: int) -> AskedPoint:
    name = data.names[p] if data.names else None
    return AskedPoint(p, name, dict(zip(data.features, map(float, data.X[p]), strict=True)))


def read_reply(text: str, whose: str) -> Reply | None:
    """Return the reply that a text is: a word of `WORDS`, or JSON with the fields of `Reply`.

    Parameters
    ----------
    text : str
    whose : str
        Who replied, for the error's sentence.

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
    except msgspec.DecodeError:
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
    question : SetQuestion
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
