"""Scaling of features before they are clustered."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray

_STRIP = 1 << 16
"""Points scaled at a time."""

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
    if how == "none":
        return X
    least, most = (end.astype(np.float64) for end in (X.min(axis=0), X.max(axis=0)))
    shift, spread = {
        "standard": (X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)),
        "range": (least, most - least),
    }[how]
    scaled, divisor = np.empty_like(X, order="C"), np.where(spread > 0, spread, 1.0)
    for at in range(0, len(X), _STRIP):  # in strips, without a third large table
        scaled[at : at + _STRIP] = (X[at : at + _STRIP] - shift) / divisor
    return scaled


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
