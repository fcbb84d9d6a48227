"""An oracle answers a learner's questions."""

from __future__ import annotations

from ccviz.active.learner import Learner, next_set, tell_set
from ccviz.active.oracles.question import (
    Oracle,
    SetOracle,
    question_about,
    set_question_about,
)
from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset

ALL_ASKED = "that were all the questions asked for."
HAD_ENOUGH = "whoever answered had enough."


def interview(learner: Learner, data: Dataset, oracle: Oracle, questions: int) -> str:
    """Ask until there are enough questions, none is useful, or the oracle ends.

    Parameters
    ----------
    learner : Learner
        Of the data's points; their features may be scaled.
    data : Dataset
        What the oracle sees of them.
    questions : int
        How many at most, with those that the learner has asked already.

    Returns
    -------
    str
        Why it ended, as a sentence.

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

    Returns
    -------
    str
        Why it ended, as a sentence.

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
