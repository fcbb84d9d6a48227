"""Crossover and mutation of S-MDEClust (sections 2 and 3.2)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.memetic.instance import Instance


def random_centers(instance: Instance, rng: np.random.Generator) -> FloatArray:
    """Return the centroids of k random blocks, each as likely as it has points."""
    mass = instance.data.mass
    chosen = rng.choice(instance.s, instance.k, replace=False, p=mass / mass.sum())
    return instance.data.point[chosen]


def match_centers(centers: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the centres in the order in which they match the reference best (Kuhn 1955)."""
    return centers[linear_sum_assignment(cdist(reference, centers, "sqeuclidean"))[1]]


def crossover(first: FloatArray, second: FloatArray, third: FloatArray, scale: float) -> FloatArray:
    """Return first + scale (second - third), once the centres correspond to each other."""
    return first + scale * (match_centers(second, first) - match_centers(third, first))


def relocate_center(
    instance: Instance,
    centers: FloatArray,
    removed: int,
    labels: IntArray | None,
    alpha: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Put a removed centre onto a block, rather one that the others serve badly (Algorithm 3).

    Parameters
    ----------
    centers : (k, d) float64
    removed : int
    labels : (s,) int64 or None
        The assignment to the k - 1 others. If it failed, every point is as likely as any other.
    alpha : float
        How much distance counts, 0 to 1.
    """
    data = instance.data
    share = data.mass / data.mass.sum()
    if labels is not None:
        far = data.mass * np.linalg.norm(data.point - centers[labels], axis=1)
        if far.sum() > 0:
            share = (1.0 - alpha) * share + alpha * far / far.sum()
    mutant = centers.copy()
    mutant[removed] = data.point[rng.choice(instance.s, p=share / share.sum())]
    return mutant
