"""Costs and optima of small problems in exact arithmetic, with no float in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from ccviz import Problem

Group = tuple[int, ...]


def exact_cost(X: np.ndarray, labels: np.ndarray) -> Fraction:
    """Return the sum of squares of a clustering."""
    labels, costs = np.asarray(labels), ExactCosts(X)
    groups = [tuple(np.flatnonzero(labels == j).tolist()) for j in np.unique(labels)]
    return sum(map(costs.of, groups)) * costs.unit


def exact_optimum(problem: Problem) -> Fraction | None:
    """Return the least cost of clusterings into k clusters that keep the links, if there is one."""
    costs = ExactCosts(problem.X)
    allowed = allowed_groups(problem)
    whole = (
        sum(map(costs.of, groups))
        for groups in set_partitions(problem.n, problem.k)
        if all(group in allowed for group in groups)
    )
    least = min(whole, default=None)
    return None if least is None else least * costs.unit


class ExactCosts:
    """Sums of squares of groups as whole numbers of one unit."""

    def __init__(self, X: np.ndarray) -> None:
        n, points = len(X), [[Fraction(float(value)) for value in row] for row in X]
        scale = max(value.denominator for row in points for value in row)  # a power of two
        self._axes = [[int(row[t] * scale) for row in points] for t in range(X.shape[1])]
        self._common = math.lcm(*range(1, n + 1))
        self._known: dict[Group, int] = {}
        self.unit = Fraction(1, scale * scale * self._common)

    def of(self, group: Group) -> int:
        """Return the sum of squared distances to the mean."""
        if group not in self._known:
            m = len(group)
            spread = sum(
                m * sum(axis[i] ** 2 for i in group) - sum(axis[i] for i in group) ** 2
                for axis in self._axes
            )
            self._known[group] = spread * (self._common // m)
        return self._known[group]


def allowed_groups(problem: Problem) -> set[Group]:
    """Return the groups that hold both points of each must-link or none, of no cannot-link both."""
    must, cannot = problem.must_link.pairs.tolist(), problem.cannot_link.pairs.tolist()
    every = (
        group for size in range(1, problem.n + 1) for group in combinations(range(problem.n), size)
    )
    return {
        group
        for group in every
        if all((i in group) == (j in group) for i, j in must)
        and not any(i in group and j in group for i, j in cannot)
    }


def set_partitions(n: int, k: int) -> Iterator[list[Group]]:
    """Yield the partitions of 0 to n - 1 into k groups that are not empty."""

    def extend(groups: list[Group], i: int) -> Iterator[list[Group]]:
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
