"""A question about a pair or a set of points: names, pictures and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ccviz.active.differences import Difference, differences
from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.views.frames.pictures import addresses, pictures

_SHOWN = 4
_SHOWN_OF_SET = 3


@dataclass(frozen=True, eq=False)
class Question:
    """What is shown of a pair.

    Attributes
    ----------
    pair : (int, int)
    names : (str, str)
        What the two points are called.
    differences : tuple of Difference
        The features in which they differ most; none where there are pictures.
    pictures : tuple of (rows, columns) float64
        How dark each pixel is, from 0 to 1, of both; none unless the features are pixels.
    cost : str
        What the less likely answer costs, as a sentence; empty where it is not known.
    """

    pair: tuple[int, int]
    names: tuple[str, str]
    differences: tuple[Difference, ...]
    pictures: tuple[FloatArray, ...]
    cost: str = ""


def question(data: Dataset, pair: tuple[int, int], cost: str = "") -> Question:
    """Return what to show of a pair of points.

    Parameters
    ----------
    data : Dataset
    pair : (int, int)
    cost : str
        See `ccviz.views.frames.sureness.answer_words`.

    Returns
    -------
    Question
    """
    i, j = pair
    names = point_name(data, i), point_name(data, j)
    both = pictures(data, [i, j])
    if both is None:
        return Question(pair, names, tuple(differences(data, i, j, _SHOWN)), (), cost)
    return Question(pair, names, (), tuple(both), cost)


@dataclass(frozen=True, eq=False)
class SetQuestion:
    """What is shown of a set of points.

    Attributes
    ----------
    points : tuple of int
    names : tuple of str
        What the points are called.
    features : tuple of str
        Those in which they differ most; none where there are pictures.
    values : (m, f) float64
        Of these features.
    pictures : tuple of str
        Addresses of images; none unless the features are pixels.
    """

    points: tuple[int, ...]
    names: tuple[str, ...]
    features: tuple[str, ...]
    values: FloatArray
    pictures: tuple[str, ...]


def set_question(data: Dataset, points: Sequence[int]) -> SetQuestion:
    """Return what to show of a set of points.

    Features are compared by the share of their range, as those of a pair are.

    Parameters
    ----------
    data : Dataset
    points : sequence of int

    Returns
    -------
    SetQuestion
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
    """Return what a point is called in a question.

    Parameters
    ----------
    data : Dataset
    point : int
    """
    return f"{data.names[point]} ({point})" if data.names else f"point {point}"
