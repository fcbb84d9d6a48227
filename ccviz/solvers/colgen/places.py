"""Places: discs in which some cluster has its mean, or none has.

Where a relaxation cannot tell between two arrangements of clusters, each by half, to put two blocks
together or keep them apart says next to nothing: others take their part. Whether some cluster has
its mean in a disc says which arrangement it is. A disc is named by two points, its centre and one
on its border, so that it is the same whatever axes or unit are in use.

A column is then a cluster with a centre that need not be its mean. In a node where a place is
empty, no centre is inside; in one where it is taken, the place is covered like a block, by columns
with their centre there: it has a dual, no mass and no cost. Every clustering of the node is made
of such columns, its clusters with their means, so the bound of Lagrange holds as it stands. A
cluster whose mean is on the wrong side of a border has its centre on the border; that costs more,
and so the bound rises.

A column's entries are its blocks and, after them, the taken places that its centre is in.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.cluster import squared_distance
from ccviz.solvers.colgen.instance import ON_BORDER, Instance

PLANE = 2
_USED, _WHOLE = 1e-4, 0.98  # weights of centres that count, and of those that are decided
_TRIED = 1000
_LEAST = 1e-10  # of what one single cluster costs, for a place to be worth it


@njit(cache=True)
def center_of(instance: Instance, column: np.ndarray, center: FloatArray) -> bool:
    """Set where a column's centre is: as near to its mean as places let it; False if nowhere.

    Parameters
    ----------
    instance : Instance
    column : (s + t,) bool
    center : (d,) float64
        Overwritten.
    """
    s = len(instance.mass)
    center[:] = 0.0
    mass = 0.0
    for b in range(s):
        if column[b]:
            mass += instance.mass[b]
            center += instance.mass[b] * instance.points[b]
    center /= mass
    return move_in(instance, column, center)


@njit(cache=True)
def move_in(instance: Instance, column: np.ndarray, center: FloatArray) -> bool:
    """Move a mean (d,) as little as places ask; False if it may be nowhere.

    It goes to the nearest point of one border, or to where two borders meet. Only in the plane:
    elsewhere there are no places.

    Parameters
    ----------
    instance : Instance
    column : (s + t,) bool
        Of which only the last t count.
    center : (d,) float64
        Overwritten.
    """
    r = len(instance.place_reach)
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
                    center[:] = at
    return nearest < np.inf


@njit(cache=True)
def _is_allowed(instance: Instance, column: np.ndarray, center: FloatArray) -> bool:
    """Whether a centre (d,) is in all places that the column is marked for, and in no empty one."""
    s = len(instance.mass)
    for p in range(len(instance.place_reach)):
        gap, reach = squared_distance(instance.place, p, center), instance.place_reach[p]
        if p >= instance.taken:
            if gap < reach * (1.0 - ON_BORDER):
                return False
        elif column[s + p] and gap > reach * (1.0 + ON_BORDER):
            return False
    return True


@njit(cache=True)
def _border(instance: Instance, p: int, mean: FloatArray, at: FloatArray) -> bool:
    """Set the point (2,) of a place's border that is nearest to a mean."""
    radius = np.sqrt(instance.place_reach[p])
    gap = np.sqrt(squared_distance(instance.place, p, mean))
    if gap == 0.0:  # all are as near
        at[0], at[1] = instance.place[p, 0] + radius, instance.place[p, 1]
        return True
    for j in range(2):
        at[j] = instance.place[p, j] + radius / gap * (mean[j] - instance.place[p, j])
    return True


@njit(cache=True)
def _meet(instance: Instance, p: int, q: int, side: float, at: FloatArray) -> bool:
    """Set the point (2,) where two borders meet, on one side; False if they do not."""
    first, second = instance.place[p], instance.place[q]
    apart = np.sqrt(squared_distance(instance.place, p, second))
    if apart == 0.0:
        return False
    along = 0.5 * (apart + (instance.place_reach[p] - instance.place_reach[q]) / apart)
    square = instance.place_reach[p] - along * along
    if square < 0.0:
        return False
    off = side * np.sqrt(square)
    x, y = (second[0] - first[0]) / apart, (second[1] - first[1]) / apart
    at[0] = first[0] + along * x - off * y
    at[1] = first[1] + along * y + off * x
    return True


@njit(cache=True)
def mark_taken(instance: Instance, column: np.ndarray, center: FloatArray) -> None:
    """Mark the taken places that the centre (d,) is in, in the column's (s + t,) last entries."""
    s = len(instance.mass)
    for p in range(instance.taken):
        if squared_distance(instance.place, p, center) <= instance.place_reach[p]:
            column[s + p] = True


@njit(cache=True)
def placed(
    instance: Instance, columns: np.ndarray, mark: bool
) -> tuple[np.ndarray, FloatArray, np.ndarray]:
    """Return columns with their costs about their centres, and which have a centre at all.

    Parameters
    ----------
    instance : Instance
    columns : (m, s + t) bool
        Not changed.
    mark : bool
        Whether they are to be in every place that their centre is in.

    Returns
    -------
    columns : (m, s + t) bool
    costs : (m,) float64
    fits : (m,) bool
    """
    s = len(instance.mass)
    columns = columns.copy()
    costs, fits = np.zeros(len(columns)), np.zeros(len(columns), dtype=np.bool_)
    center = np.empty(instance.points.shape[1])
    for c in range(len(columns)):
        fits[c] = center_of(instance, columns[c], center)
        if mark:
            mark_taken(instance, columns[c], center)
        for b in range(s):
            if columns[c, b]:
                costs[c] += instance.mass[b] * squared_distance(instance.points, b, center)
    return columns, costs, fits


def likely_places(
    instance: Instance, columns: np.ndarray, weights: FloatArray, points: FloatArray
) -> list[tuple[int, int]]:
    """Return pairs of points that name places which may be worth deciding on, the likeliest first.

    A child keeps the solution if it moves centres to the place's border: all that are inside if it
    is empty; if it is taken the nearest outside, until there is one in all. What that costs is the
    most that the child's bound can rise by. It is to be much in both.

    Parameters
    ----------
    instance : Instance
    columns : (m, s + t) bool
    weights : (m,) float64
        Of a solution.
    points : (n, d) float64
        In the axes of the instance.
    """
    used = np.flatnonzero(weights > _USED)
    weights = weights[used]
    mass = columns[used, : len(instance.mass)] @ instance.mass
    centers = np.empty((len(used), points.shape[1]))
    for row, c in zip(centers, used, strict=True):
        center_of(instance, columns[c], row)
    halves = [row for row in np.argsort(-weights, kind="stable") if weights[row] < _WHOLE]
    nearest = {int(((points - centers[row]) ** 2).sum(axis=1).argmin()) for row in halves[:_TRIED]}
    found = []
    for near in sorted(nearest):
        radii = np.sqrt(((points - points[near]) ** 2).sum(axis=1))
        gaps = np.sqrt(((centers - points[near]) ** 2).sum(axis=1))
        worth = _moves(radii, gaps, weights, mass)
        far = int(worth.argmax())
        found.append((float(worth[far]), near, far))
    least = _LEAST * float(instance.mass @ (instance.points**2).sum(axis=1))
    found.sort(key=lambda each: -each[0])
    return [(near, far) for worth, near, far in found if worth > least]


def _moves(
    radii: FloatArray, gaps: FloatArray, weights: FloatArray, mass: FloatArray
) -> FloatArray:
    """Return what it costs to move centres to borders with these radii (n,), the lesser way.

    Of each (m,) centre are given its distance, its weight and its mass.
    """
    order = np.argsort(gaps, kind="stable")
    gaps, weights = gaps[order], weights[order]
    weights = np.diff(np.minimum(np.cumsum(weights), 1.0), prepend=0.0)  # one in all
    moved = weights * mass[order]
    powers = np.stack([moved, moved * gaps, moved * gaps**2])
    sums = np.concatenate([np.zeros((3, 1)), np.cumsum(powers, axis=1)], axis=1)
    inside = sums[:, np.searchsorted(gaps, radii)]
    ways = inside, sums[:, -1:] - inside
    emptied, taken = (a * radii**2 - 2.0 * b * radii + c for a, b, c in ways)
    return np.minimum(emptied, taken)
