"""Means of clusters from pass to pass, from the points that changed their cluster."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.partition import cluster_sums
from ccviz.problem.problem import Problem

_FEW = 8
"""All points over those that changed, from which on only the latter are added up."""
_AFRESH = 16
"""Passes after which all points are added up again, so that rounding stays what it is."""

Sums = Callable[[FloatArray, IntArray, int, FloatArray | None], FloatArray]


class RunningMeans:
    """Means of the clusters of a problem.

    Parameters
    ----------
    problem : Problem
    sums : callable
        What adds up the points of each cluster: `cluster_sums`, or as that does.
    """

    def __init__(self, problem: Problem, sums: Sums = cluster_sums) -> None:
        self._problem, self._add, self._passes = problem, sums, 0
        self._labels: IntArray = np.full(problem.n, -1)
        self._sums = np.empty((0, 0))

    def of(self, labels: IntArray) -> FloatArray:
        """Return (k, d) means, NaN for those without weight.

        Parameters
        ----------
        labels : (n,) int64
        """
        problem, self._passes = self._problem, self._passes + 1
        X, k, weights = problem.X, problem.k, problem.weights
        rows = np.flatnonzero(labels != self._labels)
        if self._passes % _AFRESH == 1 or _FEW * len(rows) > problem.n:
            self._sums = self._add(X, labels, k, weights)
        elif len(rows):
            some, mass = X[rows], None if weights is None else weights[rows]
            joined = self._add(some, labels[rows], k, mass)
            self._sums = self._sums + joined - self._add(some, self._labels[rows], k, mass)
        self._labels = labels.copy()
        size = np.bincount(labels, weights, k)[:, None]
        return self._sums / np.where(size > 0.0, size, np.nan)
