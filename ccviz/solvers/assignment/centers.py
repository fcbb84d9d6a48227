"""The other half of an iteration: centres from labels, and costs from centres."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.compiled import njit
from ccviz.solvers.assignment.structure import Structure
from ccviz.solvers.base import never


@njit(cache=True, fastmath={"reassoc", "contract"})
def squared_distance(x: FloatArray, y: FloatArray) -> float:
    """Return the squared Euclidean distance of two points."""
    total = 0.0
    for t in range(len(x)):
        total += (x[t] - y[t]) ** 2
    return total


@njit(cache=True, fastmath={"reassoc", "contract"})
def squared_distances(x: FloatArray, turned: FloatArray, distance: FloatArray) -> None:
    """Fill the squared distances of a point to all centres, given as columns."""
    distance[:] = 0.0
    for t in range(len(x)):
        for j in range(len(distance)):
            distance[j] += (x[t] - turned[t, j]) ** 2


@njit(cache=True)
def half_gaps(centers: FloatArray) -> FloatArray:
    """Return half the distance of each centre to the next one."""
    half = np.full(len(centers), np.inf)
    for i in range(len(centers)):
        for j in range(len(centers)):
            if i != j:
                half[i] = min(half[i], np.sqrt(squared_distance(centers[i], centers[j])) / 2)
    return half


@njit(cache=True)
def block_costs(centroid: FloatArray, mass: FloatArray, centers: FloatArray) -> FloatArray:
    """Return the (s, k) cost that each block adds to the WCSS at each centre, without its scatter.

    Differences are squared, not expanded: data far from the origin lose no digits.
    """
    s, k = len(centroid), len(centers)
    cost = np.empty((s, k))
    for b in range(s):
        for j in range(k):
            cost[b, j] = mass[b] * squared_distance(centroid[b], centers[j])
    return cost


@njit(cache=True, nogil=True)
def some_costs(
    centroid: FloatArray, mass: FloatArray, some: IntArray, centers: FloatArray
) -> FloatArray:
    """Return the (m, k) `block_costs` of some blocks, by their numbers."""
    cost = np.empty((len(some), len(centers)))
    for p in range(len(some)):
        for j in range(len(centers)):
            cost[p, j] = mass[some[p]] * squared_distance(centroid[some[p]], centers[j])
    return cost


@njit(cache=True, nogil=True)
def some_wcss(
    centroid: FloatArray, mass: FloatArray, some: IntArray, labels: IntArray, centers: FloatArray
) -> float:
    """Return the cost of (m,) labels of some blocks around given centres."""
    total = 0.0
    for p in range(len(some)):
        total += mass[some[p]] * squared_distance(centroid[some[p]], centers[labels[p]])
    return total


@njit(cache=True)
def block_means(
    centroid: FloatArray, mass: FloatArray, labels: IntArray, centers: FloatArray
) -> FloatArray:
    """Return (k, d) the mean of each cluster; an empty one keeps its centre."""
    total, weight = block_sums(centroid, mass, labels, len(centers))
    return means_of(total, weight, centers)


@njit(cache=True, nogil=True)
def block_sums(
    centroid: FloatArray, mass: FloatArray, labels: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Return (k, d) the sum of mass times centroid of each cluster, and (k,) its mass."""
    d = centroid.shape[1]
    total, weight = np.zeros((k, d)), np.zeros(k)
    for b in range(len(labels)):
        weight[labels[b]] += mass[b]
        row = total[labels[b]]  # by itself: the loop over it becomes vector instructions
        for t in range(d):
            row[t] += mass[b] * centroid[b, t]
    return total, weight


def row_sums(
    points: FloatArray, labels: IntArray, k: int, weights: FloatArray | None
) -> FloatArray:
    """Return (k, d) weighted sums of the clusters' points, as `cluster_sums` does."""
    mass = np.ones(len(points)) if weights is None else weights
    return np.asarray(block_sums(freeze(points), freeze(mass), labels, k)[0])


@njit(cache=True)
def means_of(total: FloatArray, weight: FloatArray, centers: FloatArray) -> FloatArray:
    """Return the means behind sums, in the sums' place; an empty cluster keeps its centre."""
    k, d = centers.shape
    for j in range(k):
        for t in range(d):
            total[j, t] = total[j, t] / weight[j] if weight[j] > 0 else centers[j, t]
    return total


@njit(cache=True, nogil=True)
def block_wcss(
    centroid: FloatArray, mass: FloatArray, labels: IntArray, centers: FloatArray
) -> float:
    """Return the WCSS of labels around given centres, without the blocks' scatter."""
    total = 0.0
    for b in range(len(labels)):
        total += mass[b] * squared_distance(centroid[b], centers[labels[b]])
    return total


# --- What an assignment step answers --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Assignment:
    """The answer of an assignment step."""

    labels: IntArray  # (s,): Centre of each block; -1 everywhere if none was found
    # Sum of the blocks' costs and of the broken soft links' weights, inf if none was found.
    objective: float
    proved: bool  # Whether the labels are proved optimal, or the lack of any is proved
    # Whether it is proved that no assignment keeps the conflicts, sizes and non-emptiness.
    infeasible: bool
    # (k,): Dual prices of the sizes, without links: negative for a full cluster, positive for one
    # at its smallest size. Each block is in the cluster of least cost minus price.
    prices: FloatArray | None = None
    # Whether better labels may be found without those limits that were asked for to save time.
    quick: bool = False
    # Whether the time limit ended the step: with more time there may be better labels.
    cut: bool = False

    @property
    def found(self) -> bool:
        """Whether there are labels."""
        return self.objective < np.inf

    @classmethod
    def impossible(cls, s: int) -> Assignment:
        """Return the answer that no assignment exists."""
        return cls(np.full(s, -1), np.inf, proved=True, infeasible=True)

    @classmethod
    def unknown(cls, s: int) -> Assignment:
        """Return the answer that none was found, though one may exist."""
        return cls(np.full(s, -1), np.inf, proved=False, infeasible=False)

    def of_size(self, s: int) -> Assignment:
        """Return the answer that none was found, for more blocks."""
        return Assignment(np.full(s, -1), np.inf, self.proved, self.infeasible)


def objective_of(labels: IntArray, cost: FloatArray, structure: Structure) -> float:
    """Return the cost of labels with the weights of broken soft links; inf on broken conflicts."""
    return float(cost[np.arange(len(labels)), labels].sum()) + links_cost(labels, structure)


def links_cost(labels: IntArray, structure: Structure) -> float:
    """Return the weights of broken soft links; inf on broken conflicts."""
    if len(structure.pairs) == 0:
        return 0.0
    first, second = structure.pairs.T
    shared = structure.price[labels[first] == labels[second]].sum()
    return structure.constant + float(shared)


def keeps_all(labels: IntArray, structure: Structure, nonempty: bool) -> bool:
    """Whether labels keep the conflicts, sizes and sums, and leave no cluster empty if asked."""
    if labels.min() < 0 or links_cost(labels, structure) == np.inf:
        return False
    sums = all(row.keep(labels, structure.k) for row in structure.sums)
    return sums and keeps_sizes(labels, structure, nonempty)


def keeps_sizes(labels: IntArray, structure: Structure, nonempty: bool) -> bool:
    """Whether labels keep the sizes, and leave no cluster empty if that is asked."""
    load = np.bincount(labels, weights=structure.mass, minlength=structure.k)
    if nonempty and not (load > 0).all():
        return False
    if structure.lower is None or structure.upper is None:
        return True
    return bool(((load >= structure.lower) & (load <= structure.upper)).all())


# --- When the steps of an assignment must end: a time limit, and a run that is to stop ------------


def _now() -> float:
    return time.monotonic()  # looked up at each call: a benchmark counts CPU seconds instead


@dataclass(frozen=True)
class Deadline:
    """A time limit in seconds that several steps share, and whether the run is to stop."""

    time_limit: float | None
    stop: Callable[[], bool] = never
    started: float = field(default_factory=_now)

    def judged(self, answer: Assignment) -> Assignment:
        """Return an answer, marked as cut off if the time was too short to prove it best."""
        return replace(answer, cut=True) if self.passed() and not answer.proved else answer

    def passed(self) -> bool:
        """Whether no time is left."""
        return self.left == 0.0

    @property
    def left(self) -> float | None:
        """Seconds left, never below 0; None without a limit."""
        if self.stop():
            return 0.0
        if self.time_limit is None:
            return None
        return max(self.time_limit - (_now() - self.started), 0.0)
