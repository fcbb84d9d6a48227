"""Discs for branching: some cluster has its mean in a disc, or none has.

Where a relaxation mixes two arrangements of clusters, each by half, joining or separating two
blocks changes little: other blocks take their part. Whether some cluster has its mean in a disc
decides between the arrangements. A disc is named by two points, its centre and one on its border,
so that it is the same in any axes and unit.

A column is then a cluster with a centre that need not be its mean. In a node where a disc is empty,
no centre is inside; in one where it is occupied, the disc is covered like a block, by columns with
their centre inside: it has a dual, no mass and no cost. Every clustering of the node consists of
such columns, its clusters with their means, so the Lagrangian bound holds unchanged. A cluster
whose mean is on the wrong side of a border has its centre on the border; that costs more, and so
the bound rises.

The entries of a column are its blocks and, after them, the occupied discs that contain its centre.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.instance import ON_BORDER, Instance, squared_distance

PLANE = 2  # Dimensions in which there are discs


@njit(cache=True)
def center_of(instance: Instance, column: np.ndarray, center: FloatArray) -> bool:
    """Set a column's centre, as near to its mean as discs allow; False if they allow none.

    `center` (d,): Overwritten.
    """
    s = len(instance.mass)
    center[:] = 0.0
    mass = 0.0
    for b in range(s):
        if column[b]:
            mass += instance.mass[b]
            center += instance.mass[b] * instance.points[b]
    center /= mass
    return move_into_discs(instance, column, center)


@njit(cache=True, entry=False)
def move_into_discs(instance: Instance, column: np.ndarray, center: FloatArray) -> bool:
    """Move a mean (d,) to the nearest allowed centre; False if there is none.

    That is the nearest point of one border, or a point where two borders meet. There are discs in
    the plane only.

    `column` (s + t,): Of which only the last t count. `center` (d,): Overwritten.
    """
    r = len(instance.discs.reach)
    if r == 0 or _is_allowed(instance, column, center):
        return True
    mean, at = center.copy(), np.empty(2)
    nearest = np.inf
    for p in range(r):
        for q in range(-1, p):
            for side in (-1.0, 1.0):
                if q < 0:
                    on_border = _border(instance, p, mean, at)
                else:
                    on_border = _meet(instance, p, q, side, at)
                gap = (at[0] - mean[0]) ** 2 + (at[1] - mean[1]) ** 2
                if on_border and gap < nearest and _is_allowed(instance, column, at):
                    nearest = gap
                    center[0], center[1] = at[0], at[1]
    return nearest < np.inf


@njit(cache=True)
def _is_allowed(instance: Instance, column: np.ndarray, center: FloatArray) -> bool:
    """Whether a centre (d,) is in all discs that the column is marked for, and in no empty one."""
    s = len(instance.mass)
    for p in range(len(instance.discs.reach)):
        gap, reach = squared_distance(instance.discs.center, p, center), instance.discs.reach[p]
        if p >= instance.discs.occupied:
            if gap < reach * (1.0 - ON_BORDER):
                return False
        elif column[s + p] and gap > reach * (1.0 + ON_BORDER):
            return False
    return True


@njit(cache=True)
def _border(instance: Instance, p: int, mean: FloatArray, at: FloatArray) -> bool:
    """Set the point (2,) of a disc's border that is nearest to a mean."""
    radius = np.sqrt(instance.discs.reach[p])
    gap = np.sqrt(squared_distance(instance.discs.center, p, mean))
    if gap == 0.0:  # all are equally near
        at[0], at[1] = instance.discs.center[p, 0] + radius, instance.discs.center[p, 1]
        return True
    for j in range(2):
        at[j] = instance.discs.center[p, j] + radius / gap * (mean[j] - instance.discs.center[p, j])
    return True


@njit(cache=True)
def _meet(instance: Instance, p: int, q: int, side: float, at: FloatArray) -> bool:
    """Set the point (2,) where two borders meet, on one side; False if they do not."""
    first, second = instance.discs.center[p], instance.discs.center[q]
    apart = np.sqrt(squared_distance(instance.discs.center, p, second))
    if apart == 0.0:
        return False
    along = 0.5 * (apart + (instance.discs.reach[p] - instance.discs.reach[q]) / apart)
    square = instance.discs.reach[p] - along * along
    if square < 0.0:
        return False
    off = side * np.sqrt(square)
    x, y = (second[0] - first[0]) / apart, (second[1] - first[1]) / apart
    at[0] = first[0] + along * x - off * y
    at[1] = first[1] + along * y + off * x
    return True


@njit(cache=True, entry=False)
def mark_occupied(instance: Instance, column: np.ndarray, center: FloatArray) -> None:
    """Mark the occupied discs that contain the centre (d,), in the last entries of (s + t,)."""
    s = len(instance.mass)
    for p in range(instance.discs.occupied):
        if squared_distance(instance.discs.center, p, center) <= instance.discs.reach[p]:
            column[s + p] = True


@njit(cache=True)
def in_discs(
    instance: Instance, columns: np.ndarray, mark: bool
) -> tuple[np.ndarray, FloatArray, np.ndarray]:
    """Return columns with their costs about their centres in discs, and which have a centre.

    `columns` (m, s + t): Not changed.
    """
    s = len(instance.mass)
    columns = columns.copy()
    costs, fits = np.zeros(len(columns)), np.zeros(len(columns), dtype=np.bool_)
    center = np.empty(instance.points.shape[1])
    for c in range(len(columns)):
        fits[c] = center_of(instance, columns[c], center)
        if mark:
            mark_occupied(instance, columns[c], center)
        for b in range(s):
            if columns[c, b]:
                costs[c] += instance.mass[b] * squared_distance(instance.points, b, center)
    return columns, costs, fits


# --- Boxes of centres: distances of a block to a box, and how a box is halved ---------------------


@njit(cache=True, entry=False)
def distance_range(
    points: FloatArray, b: int, low: FloatArray, high: FloatArray
) -> tuple[float, float]:
    """Return the least and the greatest squared distance of block b to the box."""
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

    `low`, `high` (t, d): Changed in rows ``top`` and ``top + 1``.
    """
    middle = 0.5 * (low[top, axis] + high[top, axis])
    if inside[axis] <= middle:
        low[top, axis] = middle
        high[top + 1, axis] = middle
    else:
        high[top, axis] = middle
        low[top + 1, axis] = middle
