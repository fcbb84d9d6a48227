"""Many dimensions: when points have them, and points rotated into no more than there are points."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray

_WIDE = 32
"""Features from which a product of matrices finds nearest centres sooner than one by one."""
_MANY = 50_000_000
"""Products in a pass over all centres from which it is worth to load compiled loops, a second."""


def is_wide(points: int, centers: int, features: int) -> bool:
    """Return whether nearest centres are found by `ccviz.solvers.assignment.wide`.

    Parameters
    ----------
    points, centers, features : int
        Their numbers.
    """
    return features >= _WIDE and points * centers * features >= _MANY


def reduce_dimensions(point: FloatArray, mass: FloatArray) -> FloatArray:
    """Centre points, and rotate them where that saves dimensions: distances stay the same.

    Parameters
    ----------
    point : (s, d) float64
    mass : (s,) float64

    Returns
    -------
    (s, t) float64
        With t the lesser of s and d.
    """
    centred = point - np.average(point, axis=0, weights=mass)
    if centred.shape[1] < len(centred):
        return np.ascontiguousarray(centred)
    return rotate(centred)


def rotate(point: FloatArray) -> FloatArray:
    """Rotate s points of more than s features into s dimensions: distances stay the same.

    Parameters
    ----------
    point : (s, d) float64
        With s <= d.

    Returns
    -------
    (s, s) float64
    """
    triangle = np.asarray(np.linalg.qr(point.T, mode="r"))
    return np.ascontiguousarray(triangle.T)
