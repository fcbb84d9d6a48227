"""The features in which two points differ most, shown with a question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.data.datasets import Dataset


@dataclass(frozen=True)
class Difference:
    """One feature of two points.

    Attributes
    ----------
    feature : str
    one, two : float
        Its values.
    places : tuple of float
        Where these lie between the least and the largest value of all points, from 0 to 1.
    """

    feature: str
    one: float
    two: float
    places: tuple[float, float]


def differences(data: Dataset, i: int, j: int, most: int) -> list[Difference]:
    """Return the features in which two points differ, the largest difference first.

    Features are compared by the share of their range.

    Parameters
    ----------
    data : Dataset
    i, j : int
    most : int
        How many features at most.

    Returns
    -------
    list of Difference
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
