"""Crossover and mutation of S-MDEClust (sections 2 and 3.2), and the crossover of HG-means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.memetic.instance import Instance


def random_centers(instance: Instance, rng: np.random.Generator) -> FloatArray:
    """Return the places of k random blocks or points, each as likely as its mass."""
    drawn = instance.drawn
    share = drawn.mass / drawn.mass.sum()
    return drawn.point[rng.choice(len(share), instance.k, replace=False, p=share)]


def match_centers(centers: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the centres in the order in which they match the reference best (Kuhn 1955)."""
    return centers[linear_sum_assignment(cdist(reference, centers, "sqeuclidean"))[1]]


def mix_centers(first: FloatArray, second: FloatArray, from_first: NDArray[np.bool_]) -> FloatArray:
    """Return each centre of the first, or the one of the second that matches it (HG-means).

    Parameters
    ----------
    first, second : (k, d) float64
    from_first : (k,) bool
    """
    return np.where(from_first[:, None], first, match_centers(second, first))


def crossover(
    first: FloatArray,
    second: FloatArray,
    third: FloatArray,
    scale: float,
    reference: str = "first",
) -> FloatArray:
    """Return first + scale (second - third), the centres of two matched to those of the reference.

    Parameters
    ----------
    first, second, third : (k, d) float64
    scale : float
    reference : {"first", "third"}
    """
    to = first if reference == "first" else third
    first, second, third = (match_centers(each, to) for each in (first, second, third))
    return first + scale * (second - third)


def relocate_center(
    instance: Instance,
    centers: FloatArray,
    removed: int,
    labels: IntArray | None,
    alpha: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Put a removed centre where the others are far, onto a block or a point (Algorithm 3).

    Parameters
    ----------
    centers : (k, d) float64
    removed : int
    labels : (s,) int64 or None
        The assignment to the k - 1 others. If it failed, every point is as likely as any other.
    alpha : float
        How much distance counts, 0 to 1.
    """
    drawn = instance.drawn
    share = drawn.mass / drawn.mass.sum()
    if labels is not None:
        far = drawn.mass * np.linalg.norm(drawn.point - centers[labels[drawn.block]], axis=1)
        if far.sum() > 0:
            share = (1.0 - alpha) * share + alpha * far / far.sum()
    mutant = centers.copy()
    mutant[removed] = drawn.point[rng.choice(len(share), p=share / share.sum())]
    return mutant
