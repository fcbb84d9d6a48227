"""Questions over sets: which of some points do not belong with the others.

One answer about m points gives m - 1 links. The set is around the next pair that the strategy asks
about: points of one cluster now, far from each other and from what is known there, as they are
the ones that may not belong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ccviz.active.learner import Learner
from ccviz.active.strategy import Pair
from ccviz.arrays import FloatArray
from ccviz.errors import CcvizError

LARGEST = 12
"""Points of a set at most: more are no question for a person."""


def next_set(learner: Learner, X: FloatArray, size: int) -> tuple[int, ...] | None:
    """Return the points of the next question over a set, None if no question is useful.

    Parameters
    ----------
    learner : Learner
    X : (n, d) float
        The learner's points.
    size : int
        Points of the set, from 2 to 12; fewer where the cluster has no more.

    Raises
    ------
    CcvizError
        If the size is no such number.
    """
    if not 2 <= size <= LARGEST:
        raise CcvizError(f"a question over {size} points: it may have from 2 to {LARGEST}.")
    pair = learner.question()
    if pair is None:
        return None
    point, other = pair
    labels, given = learner.labels, learner.answers
    inside = labels == labels[other]
    known = {each for answer in given.log for each in (answer.i, answer.j)} | {point, other}
    chosen = [other, point]
    # The squared distance to what is known of the cluster, as k-means++ draws by.
    near = np.flatnonzero(inside & np.isin(np.arange(len(X)), list(known)))
    away = _squares(X, [*near, other])
    away[~inside] = 0.0
    away[list(known)] = 0.0
    rng = np.random.default_rng(learner.asked)
    while len(chosen) < size and away.sum() > 0.0:
        chosen.append(int(rng.choice(len(X), p=away / away.sum())))
        away = np.minimum(away, _squares(X, chosen[-1:]))
    return tuple(chosen)


def _squares(X: FloatArray, places: Sequence[int]) -> FloatArray:
    """Return (n,) squared distances of the points to the nearest of some of them."""
    away = np.full(len(X), np.inf)
    for place in places:
        away = np.minimum(away, ((X - X[place]) ** 2).sum(axis=1))
    return away


def links_of(points: Sequence[int], odd: Sequence[int]) -> list[tuple[Pair, bool]]:
    """Return the pairs that an answer is about, and whether each is together.

    Parameters
    ----------
    points : sequence of int
        The set.
    odd : sequence of int
        Those of its points that do not belong with the others.

    Raises
    ------
    CcvizError
        If one is not of the set, or no point is left.
    """
    strange = [point for point in odd if point not in points]
    if strange:
        raise CcvizError(f"point {strange[0]} is not one of those asked about.")
    rest = [point for point in points if point not in odd]
    if not rest:
        raise CcvizError("no point is left that the others could belong with.")
    together = [((rest[0], point), True) for point in rest[1:]]
    return together + [((rest[0], point), False) for point in points if point in odd]


def tell_set(learner: Learner, points: Sequence[int], odd: Sequence[int]) -> None:
    """Tell the learner which points of a set do not belong.

    Parameters
    ----------
    learner : Learner
    points, odd : sequence of int
        As of `links_of`.
    """
    for (i, j), together in links_of(points, odd):
        learner.tell(i, j, together)
    learner.pass_over()
