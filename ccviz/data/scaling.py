"""Scaling of features before they are clustered."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray

_STRIP = 1 << 16
"""Points that are scaled together."""

SCALINGS = {
    "none": "as they are",
    "standard": "mean 0, deviation 1",
    "range": "from 0 to 1",
}
"""Ways to scale features, with words for people."""


def scale(X: FloatArray, how: str) -> FloatArray:
    """Return the points with every feature scaled; a constant feature becomes 0.

    Parameters
    ----------
    X : (n, d) float
        Points of float32 stay so.
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
    for at in range(0, len(X), _STRIP):  # between the two there is no third table of many points
        scaled[at : at + _STRIP] = (X[at : at + _STRIP] - shift) / divisor
    return scaled


def scaling_of(X: FloatArray, scaled: FloatArray) -> str:
    """Return how points were scaled, a key of `SCALINGS`; empty if in no such way.

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
"""How many times the spread of one feature may be that of another before it drowns it."""


def apart(X: FloatArray) -> float:
    """Return how many times the largest spread of a feature is the smallest one.

    Parameters
    ----------
    X : (n, d) float
        NaN where a value is missing.

    Returns
    -------
    float
        1 where there are not two features that vary.
    """
    spreads = np.nanstd(X, axis=0)
    varied = spreads[spreads > 0]
    return float(varied.max() / varied.min()) if len(varied) else 1.0
