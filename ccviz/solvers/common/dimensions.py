"""Reduction of dimensions: points rotated into no more dimensions than there are points."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray


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
