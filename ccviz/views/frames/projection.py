"""The two axes that are drawn, from the features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from ccviz.arrays import FloatArray, row_strips
from ccviz.errors import CcvizError
from ccviz.views.frames.neighbour_map import MOST_POINTS

_COMPONENTS = 3
_MOST_VALUES = 4_000_000
"""Most values of a table that its principal directions come from; of more, rows evenly apart."""

MAPS = ("Map 1", "Map 2")
"""Axes of the map that keeps neighbours together, `ccviz.views.frames.neighbour_map`."""


def axis_names(features: Sequence[str]) -> list[str]:
    """Return what an axis may show: features, principal components, and of many features a map."""
    components = [f"PC {i + 1}" for i in range(min(_COMPONENTS, len(features)))]
    return [*features, *components, *(MAPS if len(features) > 2 else ())]


def offered_axes(features: Sequence[str], n: int) -> list[str]:
    """Return the axes that are offered for a number of points: the map of a few only."""
    return [name for name in axis_names(features) if n <= MOST_POINTS or name not in MAPS]


def check_axes(features: Sequence[str], n: int, *axes: str) -> None:
    """Raise `CcvizError` if an axis that is named (an empty text names none) is not there."""
    known = offered_axes(features, n)
    for name in filter(None, axes):
        if name not in known:
            raise CcvizError(f"There is no axis {name!r}; there are {', '.join(known)}.")


def usual_axes(features: Sequence[str]) -> tuple[str, str]:
    """Return the two axes that are drawn at first."""
    if len(features) > 2:
        return "PC 1", "PC 2"
    return features[0], axis_names(features)[min(1, len(features) - 1)]


class Projection:
    """The axes of a table of points; what several of them need is computed once.

    Parameters
    ----------
    X : (n, d) float
    features : sequence of str
    """

    def __init__(self, X: FloatArray, features: Sequence[str]) -> None:
        self._X, self._features = X, list(features)

    def axis(self, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return where the points are on an axis, and its affine map.

        A point or centre x is drawn at ``(x - origin) @ weights``, so centres need no second fit.

        Returns
        -------
        values : (n,) float64
        weights, origin : (d,) float64

        Raises
        ------
        CcvizError
            If there is no such axis.
        """
        X, features = self._X, self._features
        if name in features:
            weights, column = np.zeros(X.shape[1]), features.index(name)
            weights[column] = 1.0
            return X[:, column].astype(np.float64), weights, np.zeros(X.shape[1])
        if name not in axis_names(features):
            raise CcvizError(
                f"there is no axis {name!r}; there are {', '.join(axis_names(features))}."
            )
        weights, values = self._components[int(name.removeprefix("PC ")) - 1], np.empty(len(X))
        for some in row_strips(*X.shape):
            values[some] = (X[some] - self._middle) @ weights
        return values, weights, self._middle

    def title(self, name: str, drawn: FloatArray) -> str:
        """Return an axis's title: its name, and a principal component's share of the variance.

        Parameters
        ----------
        name : str
        drawn : (n,) float64
            Where the points are on it.
        """
        if name in self._features or not self._variance > 0:
            return name
        return f"{name} ({float(drawn.var()) / self._variance:.0%} of the variance)"

    @cached_property
    def _middle(self) -> FloatArray:
        return self._X.mean(axis=0, dtype=np.float64)

    @cached_property
    def _variance(self) -> float:
        total = 0.0
        for some in row_strips(*self._X.shape):
            near = self._X[some] - self._middle
            total += float(np.vdot(near, near))
        return total / len(self._X)

    @cached_property
    def _components(self) -> FloatArray:
        """Principal directions as rows, signed so that the largest entry is positive."""
        some = self._X[:: max(1, -(-self._X.size // _MOST_VALUES))]
        d = some.shape[1]
        spread = np.atleast_2d(np.cov(some, rowvar=False, bias=True))
        _, vectors = eigh(spread, subset_by_index=[max(0, d - _COMPONENTS), d - 1])
        rows = vectors.T[::-1]
        largest = np.abs(rows).argmax(axis=1)
        return np.asarray(rows * np.sign(rows[np.arange(len(rows)), largest])[:, None])
