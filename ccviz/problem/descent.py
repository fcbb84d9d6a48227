"""A short descent from a clustering that breaks links, in numpy: for answers at once.

Blocks take their nearest centre. Those with conflicts choose one after the other, the ones with the
most to lose first, among the clusters that their partners have left. Means follow, as in k-means.
Solvers have stronger ways, whose compiled code takes half a second to load.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.links import adjacency
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem

_ITERATIONS = 20
_MOST_WORK = 5_000_000
"""Blocks times clusters times features up to which an iteration takes some milliseconds."""

_MOST_CONFLICTS = 2_000
"""Conflicts up to which the choices of an iteration take some milliseconds."""


def quick_repair(problem: Problem, labels: IntArray) -> IntArray | None:
    """Return a clustering near to a given one that keeps all links.

    Parameters
    ----------
    problem : Problem
        With hard links only, and without sizes and rules.
    labels : (n,) int64

    Returns
    -------
    (n,) int64 or None
        None where the problem is too large or has other constraints, or no clustering was found.
    """
    if problem.sizes is not None or problem.rules or problem.is_soft:
        return None
    blocks = contract(problem)
    if blocks.s * blocks.k * problem.d > _MOST_WORK or len(blocks.conflicts) > _MOST_CONFLICTS:
        return None
    centers = Partition(problem, labels).centers
    best, least = None, np.inf
    for _ in range(_ITERATIONS):
        if not np.isfinite(centers).all():
            break
        found = _assigned(blocks, centers)
        if found is None:
            break
        partition = Partition(problem, blocks.lift(found))
        if not partition.violations.none_hard or partition.wcss >= least:
            break
        best, least, centers = partition.labels, partition.wcss, partition.centers
    return best


def _assigned(blocks: Blocks, centers: FloatArray) -> IntArray | None:
    """Return (s,) clusters that keep the conflicts; None where a block has none left."""
    points = blocks.centroid.astype(np.float64, copy=False)
    square = (centers**2).sum(axis=1) - 2.0 * points @ centers.T
    labels = square.argmin(axis=1).astype(np.int64)
    partners = adjacency(blocks.conflicts.tolist())
    if not partners:
        return labels
    two = np.partition(square[list(partners)], 1, axis=1)[:, :2]
    loss = dict(zip(partners, blocks.mass[list(partners)] * (two[:, 1] - two[:, 0]), strict=True))
    placed: dict[int, int] = {}
    for block in sorted(partners, key=lambda each: -loss[each]):
        taken = [placed[other] for other in partners[block] if other in placed]
        cost = square[block].copy()
        cost[taken] = np.inf
        placed[block] = int(cost.argmin())
        if not np.isfinite(cost[placed[block]]):
            return None
    labels[list(placed)] = list(placed.values())
    return labels
