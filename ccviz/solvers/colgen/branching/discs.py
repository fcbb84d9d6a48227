"""Likely discs to branch on, by the cost of moving a solution's centres to their borders."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.colgen.model.discs import center_of
from ccviz.solvers.colgen.model.instance import Instance

_USED = 1e-4
"""Weight from which on a centre counts."""
_WHOLE = 0.98
"""Weight from which on a centre is decided and begins no disc."""
_MOST = 1000
"""Most centres of discs."""
_LEAST_COST = 1e-10
"""Least cost of a disc, as a share of the cost of one single cluster."""


def likely_discs(
    instance: Instance, columns: np.ndarray, weights: FloatArray, points: FloatArray
) -> list[tuple[int, int]]:
    """Return pairs of points that name discs to branch on, the likeliest first.

    A child keeps the solution if centres move to the disc's border: in the child *empty* all
    centres inside, in the child *occupied* the nearest ones outside, until their weights add up to
    1. The cost of the moves is an upper bound on the increase of the child's bound. It has to be
    large in both children.

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
    nearest = {int(((points - centers[row]) ** 2).sum(axis=1).argmin()) for row in halves[:_MOST]}
    found = []
    for near in sorted(nearest):
        radii = np.sqrt(((points - points[near]) ** 2).sum(axis=1))
        gaps = np.sqrt(((centers - points[near]) ** 2).sum(axis=1))
        cost = _moves(radii, gaps, weights, mass)
        far = int(cost.argmax())
        found.append((float(cost[far]), near, far))
    least = _LEAST_COST * float(instance.mass @ (instance.points**2).sum(axis=1))
    found.sort(key=lambda each: -each[0])
    return [(near, far) for cost, near, far in found if cost > least]


def _moves(
    radii: FloatArray, gaps: FloatArray, weights: FloatArray, mass: FloatArray
) -> FloatArray:
    """Return the cost of moving centres to borders with these radii (n,), the cheaper way.

    Each of the (m,) centres has a distance, a weight and a mass.
    """
    order = np.argsort(gaps, kind="stable")
    gaps, weights = gaps[order], weights[order]
    weights = np.diff(np.minimum(np.cumsum(weights), 1.0), prepend=0.0)  # one in all
    moved = weights * mass[order]
    powers = np.stack([moved, moved * gaps, moved * gaps**2])
    sums = np.concatenate([np.zeros((3, 1)), np.cumsum(powers, axis=1)], axis=1)
    inside = sums[:, np.searchsorted(gaps, radii)]
    ways = inside, sums[:, -1:] - inside
    emptied, occupied = (a * radii**2 - 2.0 * b * radii + c for a, b, c in ways)
    return np.minimum(emptied, occupied)
