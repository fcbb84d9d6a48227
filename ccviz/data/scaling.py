"""Scaling of features before they are clustered."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray

_STRIP = 1 << 16
"""Points scaled at a time."""
_DIGITS = 13
"""Digits of a scaled number that say what it was: the last two or three are rounding."""

SCALINGS = {
    "none": "as they are",
    "standard": "mean 0, deviation 1",
    "range": "from 0 to 1",
}
"""Ways to scale features, with their labels."""


def scale(X: FloatArray, how: str) -> FloatArray:
    """Return the points with every feature scaled; a constant feature becomes 0.

    Parameters
    ----------
    X : (n, d) float
        Points of float32 stay float32.
    how : str
        A key of `SCALINGS`.
    """
    return scale_as(X, X, how)


def scale_as(points: FloatArray, X: FloatArray, how: str) -> FloatArray:
    """Return points with every feature scaled as it is for others.

    Parameters
    ----------
    points : (m, d) float
    X : (n, d) float
        The others.
    how : str
        A key of `SCALINGS`.
    """
    if how == "none":
        return points
    shift, divisor = _units(X, how)
    scaled = np.empty_like(points, order="C")
    for at in range(0, len(points), _STRIP):  # in strips, without a third large table
        scaled[at : at + _STRIP] = (points[at : at + _STRIP] - shift) / divisor
    return scaled


def unscaled_as(scaled: FloatArray, X: FloatArray, how: str) -> FloatArray:
    """Return what `scale_as` made of points, to the digits that people write.

    Parameters
    ----------
    scaled : (m, d) float
    X : (n, d) float
        The points by which they were scaled.
    how : str
        A key of `SCALINGS`.
    """
    if how == "none":
        return scaled
    shift, divisor = _units(X, how)
    points = scaled * divisor + shift
    digits = np.array([float(f"{value:.{_DIGITS}g}") for value in points.ravel()])
    return digits.reshape(points.shape)


def _units(X: FloatArray, how: str) -> tuple[FloatArray, FloatArray]:
    """Return the zero and the unit of each feature once it is scaled."""
    if how == "standard":
        shift, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    else:
        shift, most = (end.astype(np.float64) for end in (X.min(axis=0), X.max(axis=0)))
        spread = most - shift
    return shift, np.where(spread > 0, spread, 1.0)


def scaling_of(X: FloatArray, scaled: FloatArray) -> str:
    """Return the scaling between two tables, a key of `SCALINGS`; empty if none fits.

    Parameters
    ----------
    X, scaled : (n, d) float64
        The points before and after.

    Returns
    -------
    str
    """
    if X.shape != scaled.shape:
        return ""
    return next((how for how in SCALINGS if np.allclose(scale(X, how), scaled)), "")


MOST_APART = 10.0
"""Largest ratio of two features' spreads; above it the larger one dominates the distances."""


def apart(X: FloatArray) -> float:
    """Return the ratio of the largest spread of a feature to the smallest.

    Parameters
    ----------
    X : (n, d) float
        NaN where a value is missing.

    Returns
    -------
    float
        1 if fewer than two features vary.
    """
    spreads = np.nanstd(X, axis=0)
    varied = spreads[spreads > 0]
    return float(varied.max() / varied.min()) if len(varied) else 1.0
