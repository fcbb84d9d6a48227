"""Every clustering of a few points, and the best of those that keep the constraints."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem


@cache
def clusterings(n: int, k: int) -> np.ndarray:
    """Return (m, n) labels: each clustering of n points into k clusters once, none empty."""
    every = np.array([(0, *tail) for tail in product(range(k), repeat=n - 1)])
    before = np.maximum.accumulate(every, axis=1)
    in_order = (every[:, 1:] <= before[:, :-1] + 1).all(axis=1)  # new clusters are numbered so
    return every[in_order & (before[:, -1] == k - 1)]


@cache
def assignments(n: int, k: int) -> np.ndarray:
    """Return (k**n, n) labels: each assignment of n points to k clusters, empty ones too."""
    return np.array([*product(range(k), repeat=n)])


def feasible(problem: Problem) -> Iterator[Partition]:
    """Yield the clusterings that keep the hard constraints, cheapest first, up to rounding."""
    labels = _within_sizes(problem)
    for links, same in ((problem.must_link, True), (problem.cannot_link, False)):
        first, second = links.pairs[np.isinf(links.weights)].T
        labels = labels[((labels[:, first] == labels[:, second]) == same).all(axis=1)]
    for at in np.argsort(objectives(problem, labels), kind="stable"):
        partition = Partition(problem, labels[at])
        if partition.violations.none_hard:
            yield partition


def least_objective(problem: Problem) -> float:
    """Return the least objective of those clusterings, inf if there is none."""
    best = next(feasible(problem), None)
    return np.inf if best is None else best.objective


def least_wcss(problem: Problem) -> float:
    """Return the least WCSS of the clusterings that keep the hard constraints, inf if none does."""
    best = next(feasible(problem), None)
    return np.inf if best is None else best.wcss


def _within_sizes(problem: Problem) -> np.ndarray:
    if problem.sizes is None:
        return clusterings(problem.n, problem.k)
    labels = assignments(problem.n, problem.k)
    count = (labels[:, :, None] == np.arange(problem.k)).sum(axis=1)
    sizes = problem.sizes
    return labels[((count >= sizes.lower) & (count <= sizes.upper)).all(axis=1)]


def objectives(problem: Problem, labels: np.ndarray) -> np.ndarray:
    """Return (m,) objectives, each from squared distances of pairs, so nothing cancels."""
    X = np.asarray(problem.X, dtype=np.float64)
    apart = ((X[:, None] - X) ** 2).sum(axis=2)
    total = np.zeros(len(labels))
    for j in range(problem.k):
        inside = (labels == j) * problem.masses
        pairs = ((inside @ apart) * inside).sum(axis=1)
        weight = inside.sum(axis=1)
        total += 0.5 * pairs / np.where(weight > 0.0, weight, 1.0)
    for links, breaks in ((problem.must_link.soft, False), (problem.cannot_link.soft, True)):
        i, j = links.pairs.T
        total += ((labels[:, i] == labels[:, j]) == breaks) @ links.weights
    return total
