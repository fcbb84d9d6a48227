"""A question about a pair of points: names, pictures and differences."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.active.differences import Difference, differences
from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.views.frames.pictures import pictures

_SHOWN = 4


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
    names = (f"point {i}", f"point {j}") if not data.names else (_name(data, i), _name(data, j))
    both = pictures(data, [i, j])
    if both is None:
        return Question(pair, names, tuple(differences(data, i, j, _SHOWN)), (), cost)
    return Question(pair, names, (), tuple(both), cost)


def _name(data: Dataset, point: int) -> str:
    return f"{data.names[point]} ({point})"
