"""Which answers to ask for again, where some may be wrong: those on which many others rest.

Every point is compared with the hub of a class, so a wrong answer about one point misleads no
other one. A wrong answer about two hubs misleads all that were compared with them: two clusters
become one class, or one class becomes two. So the gain of asking for an answer again is its cost
if it were wrong, and wrong answers about hubs cost most.
"""

from __future__ import annotations

import math

import numpy as np

from ccviz.active.answers import Answers
from ccviz.active.strategy import Pair
from ccviz.arrays import FloatArray, IntArray

_LARGE = 3  # fewest points of a class whose hub is confirmed, since all of them depend on it
_MOST = 5  # largest number of answers about one pair
_TWICE = 1.5  # weight of answers that decides a pair: more than one answer, at most two


def hub(answers: Answers, points: list[int]) -> int:
    """Return the point about which most was asked, the first of them.

    Parameters
    ----------
    answers : Answers
    points : list of int
    """
    return max(points, key=lambda point: len(answers.about(point)))


def joined_once(answers: Answers, cluster: IntArray, noise: float) -> Pair | None:
    """Return a pair by which two clusters became one class, on the word of a single answer.

    Two of the clusters assumed at first are mostly two classes, so of the answers about the first
    points of two of them, *together* is the likelier one to be wrong.

    Parameters
    ----------
    answers : Answers
    cluster : (n,) int64
    noise : float
        The share of answers that are expected to be wrong.
    """
    first: dict[int, int] = {}
    for answer in answers.log:
        for point in (answer.i, answer.j):
            first.setdefault(int(cluster[point]), point)
    heads = set(first.values())
    for answer in answers.log:
        vote = answers.vote(answer.i, answer.j)
        single = 0 < vote < _decided(noise) and not answers.aside.intersection(answer.pair)
        if single and heads.issuperset(answer.pair):
            return answer.i, answer.j
    return None


def parted_once(
    answers: Answers, classes: list[list[int]], share: FloatArray, noise: float
) -> Pair | None:
    """Return the hubs of two large classes that are not known well enough to be two.

    Each hub is confirmed against that class to which it would belong if not to its own.

    Parameters
    ----------
    answers : Answers
    classes : list of list of int
    share : (classes, c) float64
        How likely the hub of each class is to belong to each.
    noise : float
    """
    large = [c for c, members in enumerate(classes) if len(members) >= _LARGE]
    hubs = {c: hub(answers, classes[c]) for c in large}
    for c in large:
        others = [int(o) for o in np.argsort(-share[c], kind="stable") if o in hubs and o != c]
        for other in others[:1]:
            i, j = hubs[c], hubs[other]
            asked = sum(set(answer.pair) == {i, j} for answer in answers.about(i))
            unsure = abs(answers.vote(i, j)) < _decided(noise)
            if unsure and asked < _MOST and not answers.aside & {i, j}:
                return i, j
    return None


def _decided(noise: float) -> float:
    return _TWICE * math.log((1 - noise) / noise)
