"""Labels that have room: which of many may be written without one covering another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ccviz.arrays import FloatArray, IntArray

_MOST = 150
"""Most labels that are tried; later ones are left out."""


def with_room(
    x: FloatArray,
    y: FloatArray,
    widths: FloatArray,
    height: float,
    order: Sequence[int] | IntArray,
) -> np.ndarray:
    """Return which labels are written, the first in the order before the others.

    Parameters
    ----------
    x, y : (m,) float64
        Centres of the labels in pixels.
    widths : (m,) float64
        In pixels; 0 for no label.
    height : float
        Height of a label in pixels.
    order : sequence of int
        Rows, the most important first.

    Returns
    -------
    (m,) bool
    """
    written = np.zeros(len(x), dtype=bool)
    kept: list[tuple[float, float, float]] = []
    for row in list(order)[:_MOST]:
        there = np.array(kept, dtype=np.float64).reshape(-1, 3)
        beside = np.abs(there[:, 0] - x[row]) >= (there[:, 2] + widths[row]) / 2
        if widths[row] > 0 and np.all(beside | (np.abs(there[:, 1] - y[row]) >= height)):
            written[row] = True
            kept.append((x[row], y[row], widths[row]))
    return written
