"""Clusters of given sizes as the relaxation sees them: limits of a block, classes of one size.

A block i in a cluster of c points has Z_ii = 1 / c. So limits on the sizes are limits on the
diagonal of Z, strong where all clusters are alike. Where every cluster has a given size and sizes
differ, the clusters of one size make a class with a matrix of its own, see `lifted`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.sizes import Sizes

MOST_CLASSES = 12
"""Different sizes up to which each has a matrix of its own; with more, limits serve."""


@dataclass(frozen=True, eq=False)
class SizeLimits:
    """Fewest and most points of the cluster that a block is in.

    Attributes
    ----------
    fewest, most : (s,) float64
    """

    fewest: FloatArray
    most: FloatArray


@dataclass(frozen=True, eq=False)
class SizeClasses:
    """The different sizes of clusters.

    Attributes
    ----------
    size : (q,) float64
        Points of a cluster of each class, ascending.
    count : (q,) int64
        Clusters of each class.
    allowed : (q, s) bool
        Whether a block fits into a cluster of the class.
    """

    size: FloatArray
    count: IntArray
    allowed: np.ndarray

    def __len__(self) -> int:
        return len(self.size)


def limits_of(sizes: Sizes, mass: FloatArray) -> SizeLimits:
    """Return each block's limits: those of all clusters, and its own points.

    Parameters
    ----------
    sizes : Sizes
    mass : (s,) float64
    """
    fewest = np.maximum(float(sizes.lower.min()), mass)
    return SizeLimits(fewest, np.full(len(mass), float(sizes.upper.max())))


def classes_of(sizes: Sizes, mass: FloatArray) -> SizeClasses | None:
    """Return the classes of clusters of one size, None where limits say as much or must do.

    Parameters
    ----------
    sizes : Sizes
    mass : (s,) float64
    """
    if not sizes.is_exact:
        return None
    size, count = np.unique(sizes.lower, return_counts=True)
    if not 1 < len(size) <= MOST_CLASSES:
        return None
    allowed = mass[None, :] <= size[:, None]
    return SizeClasses(size.astype(np.float64), count.astype(np.int64), allowed)


def pairs_apart(mass: FloatArray, conflicts: IntArray, most: float) -> IntArray:
    """Return the (m, 2) pairs of blocks that conflict, or hold more points than a cluster may.

    Parameters
    ----------
    mass : (s,) float64
    conflicts : (c, 2) int64
    most : float
        Points of the largest cluster.
    """
    apart = mass[:, None] + mass[None, :] > most
    apart[conflicts[:, 0], conflicts[:, 1]] = True
    return np.argwhere(np.triu(apart, 1))
