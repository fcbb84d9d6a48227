"""The clustering that a relaxation leans to: cluster colours at a node that has none yet."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import RelaxationSolved
from ccviz.problem.partition import cluster_means
from ccviz.problem.problem import Problem

_STEPS = 10


def guess(problem: Problem, event: RelaxationSolved) -> IntArray:
    """Return (n,) labels read off the matrix; links may be broken, it is not an answer.

    Row i of Z holds the weights of point i's own cluster, so the rows of Z X are the centres that
    the points would like to have (Peng and Wei 2007, section 4.2). These are put into k groups,
    from seeds that lie far apart.
    """
    wished = _wished(problem.X, event)
    labels = _nearest(wished, wished[_far_apart(wished, problem.k)])
    for _ in range(_STEPS):
        centers = cluster_means(wished, labels, problem.k)
        moved = _nearest(wished, np.where(np.isnan(centers), np.inf, centers))
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def _wished(X: FloatArray, event: RelaxationSolved) -> FloatArray:
    total = np.zeros((len(event.Z), X.shape[1]))
    np.add.at(total, event.block_of, X)
    return (event.Z @ total)[event.block_of]


def _far_apart(points: FloatArray, k: int) -> list[int]:
    chosen = [int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmax())]
    distance = np.full(len(points), np.inf)
    while len(chosen) < k:
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return chosen


def _nearest(points: FloatArray, centers: FloatArray) -> IntArray:
    distance = ((points[:, None, :] - centers) ** 2).sum(axis=2)
    return np.where(np.isnan(distance), np.inf, distance).argmin(axis=1)
