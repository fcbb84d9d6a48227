"""Costs and optima of small problems in exact rational arithmetic."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ccviz import Partition, Problem


def exact_points(X: np.ndarray) -> list[list[Fraction]]:
    """Return the coordinates of points as fractions."""
    return [[Fraction(float(value)) for value in row] for row in X]


def exact_cost(X: np.ndarray, labels: np.ndarray) -> Fraction:
    """Return the sum of squares of a clustering."""
    points, labels = exact_points(X), np.asarray(labels)
    groups = [np.flatnonzero(labels == j) for j in np.unique(labels)]
    return sum((scatter([points[i] for i in group]) for group in groups), Fraction(0))


def scatter(points: list[list[Fraction]]) -> Fraction:
    """Return the sum of squared distances to the mean."""
    return sum((sum(x * x for x in axis) - sum(axis) ** 2 / len(axis)
                for axis in zip(*points, strict=True)), Fraction(0))  # fmt: skip


def exact_optimum(problem: Problem) -> Fraction | None:
    """Return the least cost of clusterings into k clusters that keep the links, if there is one."""
    points, spread = exact_points(problem.X), {}

    def cost(group: tuple[int, ...]) -> Fraction:
        if group not in spread:
            spread[group] = scatter([points[i] for i in group])
        return spread[group]

    costs = [
        sum(map(cost, groups))
        for groups in set_partitions(problem.n, problem.k)
        if keeps(problem, groups)
    ]
    return min(costs, default=None)


def keeps(problem: Problem, groups: list[tuple[int, ...]]) -> bool:
    """Return whether a partition keeps every hard link."""
    labels = np.zeros(problem.n, dtype=np.int64)
    for j, group in enumerate(groups):
        labels[list(group)] = j
    return Partition(problem, labels).violations.none_hard


def set_partitions(n: int, k: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield the partitions of 0 to n - 1 into k groups that are not empty."""

    def extend(groups: list[tuple[int, ...]], i: int) -> Iterator[list[tuple[int, ...]]]:
        if n - i < k - len(groups):
            return
        if i == n:
            yield groups
            return
        for j, group in enumerate(groups):
            yield from extend([*groups[:j], (*group, i), *groups[j + 1 :]], i + 1)
        if len(groups) < k:
            yield from extend([*groups, (i,)], i + 1)

    return extend([], 0)
