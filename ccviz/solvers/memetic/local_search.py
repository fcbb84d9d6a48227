"""From centres to a local optimum: BLP k-means (section 3.3) or a descent of our own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.memetic._descent import CHAINS, EJECTIONS, RELOCATIONS, descend
from ccviz.solvers.memetic.assignment import exact_step, swift_step
from ccviz.solvers.memetic.instance import Instance

DEPTH = {"relocations": RELOCATIONS, "ejections": EJECTIONS, "chains": CHAINS}
"""How far each descent looks."""

TOLERANCE = 1e-10
"""Smallest gain that counts, relative to the objective."""

ROUNDING = 1e-13
"""The same relative to the spread of the data: below it a gain may be rounding."""


@dataclass(frozen=True, eq=False)
class Member:
    """A solution of the population; always feasible.

    Attributes
    ----------
    labels : (s,) int64
    centers : (k, d) float64
        The clusters' means, in the coordinates of the instance.
    objective : float
        Sum of squares of the points.
    iterations : int
        Assignment steps and sweeps that its local search took.
    """

    labels: IntArray
    centers: FloatArray
    objective: float
    iterations: int


def blp_kmeans(
    instance: Instance,
    centers: FloatArray,
    feasible: IntArray,
    most_iterations: int,
    step_limit: float,
) -> Member:
    """Alternate exact assignments and means until they no longer improve (Baumann 2020).

    Parameters
    ----------
    centers : (k, d) float64
    feasible : (s,) int64
        Labels for the first assignment to start from.
    most_iterations : int
    step_limit : float
        Seconds for one assignment.
    """
    best: Member | None = None
    for iteration in range(1, most_iterations + 1):
        labels = exact_step(instance, centers, feasible, step_limit)
        assert labels is not None  # a feasible clustering exists
        member = member_of(instance, labels, iteration)
        if best is not None and member.objective >= best.objective:
            return replace(best, iterations=iteration)
        best, centers, feasible = member, member.centers, labels
    assert best is not None
    return best


def steep_descent(
    instance: Instance,
    centers: FloatArray,
    feasible: IntArray,
    depth: int,
    rng: np.random.Generator,
) -> Member:
    """Make one quick assignment step and descend from its labels, see `_descent`.

    Parameters
    ----------
    centers : (k, d) float64
    feasible : (s,) int64
        Feasible labels from which the descent starts if the step cannot be solved.
    depth : int
        One of `DEPTH`.
    """
    order = rng.permutation(instance.s)
    labels = swift_step(instance, centers, feasible, order)
    tolerance = TOLERANCE * member_of(instance, labels).objective + ROUNDING * instance.spread
    labels, sweeps = descend(instance.data, labels, centers, 0.0, order, depth, tolerance)
    return member_of(instance, labels, 1 + sweeps)


def member_of(instance: Instance, labels: IntArray, iterations: int = 0) -> Member:
    """Return a member from (s,) labels."""
    none = np.zeros((instance.k, instance.data.point.shape[1]))
    centers = instance.means(labels, none)
    return Member(labels, centers, instance.wcss(labels, centers), iterations)
