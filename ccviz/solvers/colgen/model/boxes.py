"""Boxes of centres: distances of a block to a box, and how a box is halved."""

from __future__ import annotations

from ccviz.arrays import FloatArray
from ccviz.compiled import njit


@njit(cache=True, entry=False)
def distance_range(
    points: FloatArray, b: int, low: FloatArray, high: FloatArray
) -> tuple[float, float]:
    """Return the least and the greatest squared distance of block b to the box.

    Parameters
    ----------
    points : (s, d) float64
    b : int
    low, high : (d,) float64
    """
    least = 0.0
    most = 0.0
    for j in range(len(low)):
        under, over = low[j] - points[b, j], points[b, j] - high[j]
        near = max(0.0, under, over)
        far = max(-under, -over)
        least += near * near
        most += far * far
    return least, most


@njit(cache=True, entry=False)
def halve(low: FloatArray, high: FloatArray, top: int, axis: int, inside: FloatArray) -> None:
    """Halve the box in row ``top`` of a stack; its copy is in the row above.

    The half that a point belongs to is left in the row above, which is searched first.

    Parameters
    ----------
    low, high : (t, d) float64
        Changed in rows ``top`` and ``top + 1``.
    top, axis : int
    inside : (d,) float64
        The point.
    """
    middle = 0.5 * (low[top, axis] + high[top, axis])
    if inside[axis] <= middle:
        low[top, axis] = middle
        high[top + 1, axis] = middle
    else:
        high[top, axis] = middle
        low[top + 1, axis] = middle
