"""A pair of points that somebody is asked about: names, pictures, and where they differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isqrt

import numpy as np

from ccviz.active.differences import Difference, differences
from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset

_SHOWN = 4
_SIDE_AT_LEAST = 4
_PIXEL = re.compile(r"(?:pixel|px)[ _]?(\d+)(?:_(\d+))?", re.IGNORECASE)


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
    """

    pair: tuple[int, int]
    names: tuple[str, str]
    differences: tuple[Difference, ...]
    pictures: tuple[FloatArray, ...]


def question(data: Dataset, pair: tuple[int, int]) -> Question:
    """Return what to show of a pair of points.

    Parameters
    ----------
    data : Dataset
    pair : (int, int)

    Returns
    -------
    Question
    """
    i, j = pair
    names = (f"point {i}", str(j)) if not data.names else (_name(data, i), _name(data, j))
    shape = pixels(data.features)
    if shape is None:
        return Question(pair, names, tuple(differences(data, i, j, _SHOWN)), ())
    darkest = float(np.abs(data.X).max()) or 1.0
    both = tuple(np.clip(data.X[p] / darkest, 0.0, 1.0).reshape(shape) for p in pair)
    return Question(pair, names, (), both)


def _name(data: Dataset, point: int) -> str:
    return f"{data.names[point]} ({point})"


def pixels(features: tuple[str, ...]) -> tuple[int, int] | None:
    """Return rows and columns of the picture that features are the pixels of, None if of none.

    Such are called ``pixel_0_0``, row and column, or ``pixel0``, ``pixel1`` … of a square, row by
    row in both cases.

    Parameters
    ----------
    features : tuple of str
    """
    found = [_PIXEL.fullmatch(name) for name in features]
    if len(found) < _SIDE_AT_LEAST**2 or not all(found):
        return None
    at = [each.groups() for each in found if each is not None]
    if at[-1][1] is not None:
        shape = int(at[-1][0]) + 1, int(at[-1][1]) + 1
    else:
        shape = isqrt(len(features)), isqrt(len(features))
    return shape if shape[0] * shape[1] == len(features) else None
