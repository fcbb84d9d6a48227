"""A question about a pair or a set of points: names, pictures and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ccviz.active.oracles.question import Difference, differences
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.events import RelaxationSolved
from ccviz.problem.partition import cluster_means
from ccviz.problem.problem import Problem
from ccviz.views.frames.projection import addresses, pictures

_SHOWN = 4
_SHOWN_OF_SET = 3


@dataclass(frozen=True, eq=False)
class Question:
    """What is shown of a pair."""

    pair: tuple[int, int]
    names: tuple[str, str]  # (str, str): What the two points are called
    # The features in which they differ most; none where there are pictures.
    differences: tuple[Difference, ...]
    # (rows, columns): How dark each pixel is, from 0 to 1, of both; none unless the features are
    # pixels.
    pictures: tuple[FloatArray, ...]
    cost: str = ""  # What the less likely answer costs, as a sentence; empty where it is not known


def question(data: Dataset, pair: tuple[int, int], cost: str = "") -> Question:
    """Return what to show of a pair of points.

    `cost`: See `ccviz.views.frames.links.answer_words`.
    """
    i, j = pair
    names = point_name(data, i), point_name(data, j)
    both = pictures(data, [i, j])
    if both is None:
        return Question(pair, names, tuple(differences(data, i, j, _SHOWN)), (), cost)
    return Question(pair, names, (), tuple(both), cost)


@dataclass(frozen=True, eq=False)
class SetQuestion:
    """What is shown of a set of points."""

    points: tuple[int, ...]
    names: tuple[str, ...]
    features: tuple[str, ...]  # Those in which they differ most; none where there are pictures
    values: FloatArray  # (m, f): Of these features
    pictures: tuple[str, ...]  # Addresses of images; none unless the features are pixels


def set_question(data: Dataset, points: Sequence[int]) -> SetQuestion:
    """Return what to show of a set of points.

    Features are compared by the share of their range, as those of a pair are.
    """
    rows, spread = data.X[list(points)], np.ptp(data.X, axis=0)
    seen = tuple(addresses(data, list(points)))
    apart = np.ptp(rows, axis=0) / np.where(spread > 0, spread, 1.0)
    columns = np.argsort(-apart, kind="stable")[: 0 if seen else _SHOWN_OF_SET]
    columns = columns[apart[columns] > 0]
    names = tuple(point_name(data, point) for point in points)
    features = tuple(data.features[column] for column in columns)
    return SetQuestion(tuple(points), names, features, rows[:, columns], seen)


def point_name(data: Dataset, point: int) -> str:
    """Return what a point is called in a question."""
    return f"{data.names[point]} ({point})" if data.names else f"point {point}"


# --- The clustering that a relaxation leans to: cluster colours at a node that has none yet -------


_STEPS = 10


def guess(problem: Problem, event: RelaxationSolved) -> IntArray:
    """Return (n,) labels read off the matrix; links may be broken, it is not an answer.

    Row i of Z holds the weights of point i's own cluster, so the rows of Z X are the centres that
    the points would like to have (Peng and Wei 2007, section 4.2). These are put into k groups,
    from seeds that lie far apart.
    """
    total = np.zeros((len(event.Z), problem.X.shape[1]))
    np.add.at(total, event.block_of, problem.X)
    wished = (event.Z @ total)[event.block_of]
    labels = _nearest(wished, wished[_far_apart(wished, problem.k)])
    for _ in range(_STEPS):
        centers = cluster_means(wished, labels, problem.k)
        moved = _nearest(wished, np.where(np.isnan(centers), np.inf, centers))
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def _far_apart(points: FloatArray, k: int) -> list[int]:
    chosen = [int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmax())]
    distance = np.full(len(points), np.inf)
    while len(chosen) < k:
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return chosen


def _nearest(points: FloatArray, centers: FloatArray) -> IntArray:
    distance = ((points[:, None, :] - centers) ** 2).sum(axis=2)
    return np.where(np.isnan(distance), np.inf, distance).argmin(axis=1)
