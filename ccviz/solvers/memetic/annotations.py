"""Members of the population of HG-means: made, crossed and mutated as labels of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.problem import Problem
from ccviz.solvers.memetic._posterior import Annotated, search
from ccviz.solvers.memetic.local_search import Member
from ccviz.solvers.memetic.operators import match_centers
from ccviz.solvers.seeding import plain_kmeans

VARIANCE_SHARE = 1e-3
"""Least variance of a cluster, as a share of that of all points."""

MOST_ACCURATE = 1.0 - 1e-6
"""Accuracy 1 would give a broken link an infinite price."""

MOST_SWEEPS = 200
"""Sweeps of one local search: assigning free points by likelihood alone need not converge."""


@dataclass(frozen=True, eq=False)
class Annotations:
    """Picklable values that every local search of HG-means needs."""

    data: Annotated
    k: int

    @classmethod
    def of(cls, problem: Problem, accuracy: float) -> Annotations:
        """Return the points of a problem with all its links, each counted once."""
        must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
        ends = np.concatenate([must, cannot, must[:, ::-1], cannot[:, ::-1]])
        kind = np.tile(np.repeat([0, 1], [len(must), len(cannot)]), 2)
        order = np.argsort(ends[:, 0], kind="stable")
        degree = np.bincount(ends[:, 0], minlength=problem.n)
        point = problem.X - problem.X.mean(axis=0)
        data = Annotated(
            point=point,
            start=np.concatenate([[0], np.cumsum(degree)]),
            neighbour=ends[order, 1],
            kind=kind[order],
            linked=np.flatnonzero(degree > 0),
            free=np.flatnonzero(degree == 0),
            accuracy=min(accuracy, MOST_ACCURATE),
            least_variance=max(VARIANCE_SHARE * float(point.var()), np.finfo(float).tiny),
        )
        return cls(data, problem.k)


def found(instance: Annotations, seed: np.random.SeedSequence) -> Member:
    """Return a member of the first population: k-means, then the local search."""
    rng = np.random.default_rng(seed)
    drawn = int(rng.integers(2**31))
    kmeans = plain_kmeans(instance.data.point, instance.k, drawn, n_init=1, max_iter=200)
    return _improve(instance, kmeans.cluster_centers_, rng)


def cross(
    instance: Annotations, first: Member, second: Member, seed: np.random.SeedSequence
) -> Member:
    """Return an offspring: each centre from either parent, one of them relocated."""
    rng = np.random.default_rng(seed)
    coins = rng.random(instance.k) < 0.5
    centers = np.where(coins[:, None], first.centers, match_centers(second.centers, first.centers))
    centers[rng.integers(instance.k)] = instance.data.point[rng.integers(len(first.labels))]
    return _improve(instance, centers, rng)


def _improve(instance: Annotations, centers: FloatArray, rng: np.random.Generator) -> Member:
    labels = _nearest(instance, centers)
    order = rng.permutation(instance.data.linked)
    labels, cost, sweeps = search(instance.data, labels, instance.k, order, MOST_SWEEPS)
    means = np.stack([instance.data.point[labels == r].mean(axis=0) for r in range(instance.k)])
    return Member(labels, means, cost, sweeps)


def _nearest(instance: Annotations, centers: FloatArray) -> IntArray:
    """Return labels by distance; an empty cluster gets the point that is farthest from its own."""
    distance = cdist(instance.data.point, centers)
    labels = distance.argmin(axis=1)
    for empty in np.flatnonzero(np.bincount(labels, minlength=instance.k) == 0):
        shared = np.bincount(labels, minlength=instance.k)[labels] > 1
        own = distance[np.arange(len(labels)), labels]
        labels[np.where(shared, own, -1.0).argmax()] = empty
    return labels
