"""The two axes that are drawn, from the features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ccviz.arrays import FloatArray
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


def coordinates(X: FloatArray, features: Sequence[str], axis: str) -> tuple[FloatArray, FloatArray]:
    """Return an axis as an affine map: weights (d,) and the point (d,) that it maps to 0.

    A point or centre x is drawn at ``(x - origin) @ weights``, so centres need no second fit.

    Raises
    ------
    CcvizError
        If there is no such axis.
    """
    if axis in features:
        weights = np.zeros(X.shape[1])
        weights[list(features).index(axis)] = 1.0
        return weights, np.zeros(X.shape[1])
    if axis not in axis_names(features):
        raise CcvizError(f"there is no axis {axis!r}; there are {', '.join(axis_names(features))}.")
    return _components(X)[int(axis.removeprefix("PC ")) - 1], X.mean(axis=0, dtype=np.float64)


def axis_title(X: FloatArray, features: Sequence[str], axis: str, drawn: FloatArray) -> str:
    """Return an axis's title: its name, and a principal component's share of the variance.

    Parameters
    ----------
    X : (n, d) float
    features : sequence of str
    axis : str
    drawn : (n,) float64
        Where the points are on it.
    """
    total = float(X.var(axis=0, dtype=np.float64).sum())
    if axis in features or not total > 0:
        return axis
    return f"{axis} ({float(drawn.var()) / total:.0%} of the variance)"


def _components(X: FloatArray) -> FloatArray:
    """Return the principal directions as rows, signed so that the largest entry is positive."""
    some = X[:: max(1, -(-X.size // _MOST_VALUES))]
    _, vectors = np.linalg.eigh(np.atleast_2d(np.cov(some, rowvar=False, bias=True)))
    rows = vectors.T[::-1]
    largest = np.abs(rows).argmax(axis=1)
    return rows * np.sign(rows[np.arange(len(rows)), largest])[:, None]
