"""Every clustering of a drawn problem, what each costs, and the optimum, in exact arithmetic.

A group of points is a set of bits. What a group costs is a fraction, worked out once for all groups
of a problem; clusterings are added up in floats that are never negative, so that few digits are
lost, and those near the least are added up again as fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations

import numpy as np

from tests.truth.kinds import KINDS, Drawn

_NEAR = 1.0 + 1e-11
"""Factor within which the floats of two costs do not tell which is less."""


@cache
def partitions(n: int, k: int) -> np.ndarray:
    """Return (m, n) labels: each partition of n points into k groups once, none empty."""
    found = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, n):
        used = found.max(axis=1) + 1
        rows = [(found[used >= j], j) for j in range(min(k, int(used.max()) + 1))]
        found = np.concatenate([np.column_stack([part, np.full(len(part), j)]) for part, j in rows])
    return found[found.max(axis=1) == k - 1]


@cache
def groups_of(n: int, k: int) -> np.ndarray:
    """Return (m, k) the groups of each partition, as sets of bits."""
    labels = partitions(n, k)
    return np.stack([(labels == j) @ (1 << np.arange(n)) for j in range(k)], axis=1)


@cache
def bits(n: int) -> np.ndarray:
    """Return (2^n, n) bool: the points of each group."""
    return (np.arange(1 << n)[:, None] >> np.arange(n)) & 1 == 1


@dataclass(frozen=True, eq=False)
class Some:
    """Clusterings that keep every hard constraint, given centres as points after the others."""

    labels: np.ndarray
    groups: np.ndarray
    costs: np.ndarray


class Truth:
    """All that is true of a drawn problem."""

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn
        self.n, self.q = drawn.n, len(drawn.fixed_centers)
        self.soft = [
            (i, j, weight, name == "must_link")
            for name in ("must_link", "cannot_link")
            for (i, j), weight in drawn.soft(name).items()
        ]

    @cached_property
    def allowed(self) -> np.ndarray:
        """(2^(n + q),) bool: groups that may be a cluster."""
        inside = bits(self.n + self.q)
        kept = inside[:, self.n :].sum(axis=1) <= 1
        kept &= inside.any(axis=1)
        for kind in KINDS:
            if kind.allows is not None:
                kept &= kind.allows(self.drawn, inside[:, : self.n])
        return kept

    @cached_property
    def group_costs(self) -> list[Fraction]:
        """The cost of each group."""
        drawn, n = self.drawn, self.n
        weights = [Fraction(value) for value in drawn.weights or [1.0] * n]
        rows = [[Fraction(value) for value in row] for row in (*drawn.X, *drawn.fixed_centers)]
        unit = math.lcm(*(value.denominator for row in rows for value in row))
        share = math.lcm(*(weight.denominator for weight in weights))
        whole = [[int(value * unit) for value in row] for row in rows]
        mass = [int(weight * share) for weight in weights]
        sums = _sums_over_groups(whole, mass, n)
        costs = [
            Fraction(0) if not total else Fraction(total * square - cross, total * unit**2 * share)
            for total, square, cross in sums
        ]
        for q in range(self.q):
            center = whole[n + q]
            each = [
                Fraction(m * sum((a - b) ** 2 for a, b in zip(row, center, strict=True)),
                         unit**2 * share)
                for row, m in zip(whole[:n], mass, strict=True)
            ]  # fmt: skip
            about = [Fraction(0)] * (1 << n)
            for group in range(1, 1 << n):
                low = (group & -group).bit_length() - 1
                about[group] = about[group & (group - 1)] + each[low]
            costs += about + [Fraction(0)] * (len(costs) - (1 << n))
        return costs

    @cached_property
    def all(self) -> Some:
        """The clusterings that keep every hard constraint."""
        drawn, size = self.drawn, self.n + self.q
        most = min(drawn.outliers, size - drawn.k)
        parts = [self._kept(drawn.k + out, out) for out in range(most + 1)]
        wide = drawn.k + most
        return Some(
            np.concatenate([part.labels for part in parts]),
            np.concatenate([_padded(part.groups, wide) for part in parts]),
            np.concatenate([part.costs for part in parts]),
        )

    def _kept(self, k: int, out: int) -> Some:
        labels, groups = partitions(self.n + self.q, k), groups_of(self.n + self.q, k)
        kept = self.allowed[groups].all(axis=1)
        labels, groups = labels[kept], groups[kept]
        if out:
            linked = {point for pair in self.drawn.hard("must_link") for point in pair}
            free = [1 << point for point in range(self.n) if point not in linked]
            fits = np.isin(groups, free).sum(axis=1) >= out
            labels, groups = labels[fits], groups[fits]
        if self.drawn.sizes is not None and len(groups):
            points = bits(self.n + self.q)[:, : self.n].sum(axis=1)
            count = np.sort(points[groups], axis=1)
            if self.q:  # given centres have the sizes of the first clusters
                which = (self.n + np.arange(self.q))[:, None]
                own = np.argmax(groups[:, None] >> which & 1, axis=2)
                count = np.take_along_axis(points[groups], _first(own, groups.shape[1]), axis=1)
            kinds, which = np.unique(count, axis=0, return_inverse=True)
            fits = np.array([_can_have(self.drawn.sizes, row, self.q) for row in kinds.tolist()])
            labels, groups = labels[fits[which.ravel()]], groups[fits[which.ravel()]]
        table = np.array([float(cost) for cost in self.group_costs])
        costs = table[groups].sum(axis=1) + self._penalties(labels)
        return Some(labels, groups, costs)

    def _penalties(self, labels: np.ndarray) -> np.ndarray:
        total = np.zeros(len(labels))
        for i, j, weight, together in self.soft:
            total += weight * ((labels[:, i] == labels[:, j]) != together)
        return total

    def exact(self, at: int) -> Fraction:
        """Return the cost of one of `all`."""
        labels = self.all.labels[at]
        broken = [Fraction(w) for i, j, w, same in self.soft if (labels[i] == labels[j]) != same]
        inside = [self.group_costs[group] for group in self.all.groups[at].tolist()]
        return sum(inside, Fraction(0)) + sum(broken, Fraction(0))

    def least(self, which: np.ndarray | None = None) -> Fraction | None:
        """Return the least cost of some clusterings (m,) bool, None if there are none."""
        costs = self.all.costs if which is None else np.where(which, self.all.costs, np.inf)
        if not len(costs) or not np.isfinite(costs.min()):
            return None
        return min(self.exact(at) for at in np.flatnonzero(costs <= costs.min() * _NEAR).tolist())

    @cached_property
    def optimum(self) -> Fraction | None:
        return self.least()

    @property
    def is_empty(self) -> bool:
        return not len(self.all.costs)

    def together(self, i: int, j: int) -> np.ndarray:
        """Return (m,) bool: the clusterings with two points in one cluster."""
        return self.all.labels[:, i] == self.all.labels[:, j]

    def judged(self, labels: Iterable[int]) -> Fraction | None:
        """Return the cost of labels as people see them, None if they break a hard constraint.

        Clusters with given centres come first; the label -1 is of points left out.
        """
        labels, drawn = np.asarray(labels), self.drawn
        if labels.shape != (self.n,) or labels.min() < -1 or labels.max() >= drawn.k:
            return None
        out = np.flatnonzero(labels == -1)
        linked = {point for pair in drawn.hard("must_link") for point in pair}
        if len(out) > drawn.outliers or not linked.isdisjoint(out.tolist()):
            return None
        groups = [int((labels == j) @ (1 << np.arange(self.n))) for j in range(drawn.k)]
        for q in range(self.q):
            groups[q] |= 1 << (self.n + q)
        if not self.allowed[groups].all():
            return None
        if drawn.sizes is not None:
            count = np.bincount(labels, minlength=drawn.k)
            if (count < drawn.sizes[0]).any() or (count > drawn.sizes[1]).any():
                return None
        broken = [
            Fraction(w) for i, j, w, same in self.soft
            if (labels[i] == labels[j] and labels[i] >= 0) != same
        ]  # fmt: skip
        costs = (self.group_costs[group] for group in groups)
        return sum(costs, Fraction(0)) + sum(broken, Fraction(0))

    @cached_property
    def scale(self) -> Fraction:
        """Scatter about the mean or about a given centre, and soft weights."""
        every = (1 << self.n) - 1
        whole = [every, *(every | 1 << (self.n + q) for q in range(self.q))]
        scatter = max(self.group_costs[group] for group in whole)
        return scatter + sum((Fraction(weight) for _, _, weight, _ in self.soft), Fraction(0))

    @cached_property
    def range(self) -> float:
        """The scale as a multiple of the optimum.

        Where the optimum is 0, or there is none, the least positive cost of a group stands for it.
        """
        scale = self.scale
        least = self.optimum or min(filter(None, self.group_costs), default=scale)
        return float(scale / least) if least else 1.0


def _sums_over_groups(rows: list[list[int]], mass: list[int], n: int) -> list[tuple[int, int, int]]:
    """Return of each group its mass, its weighted squares, and the square of its weighted sum."""
    d = len(rows[0])
    total, square = [0] * (1 << n), [0] * (1 << n)
    sums = [[0] * d for _ in range(1 << n)]
    squares = [sum(value * value for value in row) for row in rows[:n]]
    for group in range(1, 1 << n):
        low, rest = (group & -group).bit_length() - 1, group & (group - 1)
        total[group] = total[rest] + mass[low]
        square[group] = square[rest] + mass[low] * squares[low]
        sums[group] = [a + mass[low] * b for a, b in zip(sums[rest], rows[low], strict=True)]
    cross = [sum(value * value for value in each) for each in sums]
    return list(zip(total, square, cross, strict=True))


@cache
def _fits_in(sizes: tuple[tuple[int, ...], tuple[int, ...]], count: tuple[int, ...]) -> bool:
    """Return whether clusters of these sizes can be numbered so that each keeps its limits."""
    if not count:
        return True
    low, high = sizes
    return any(
        low[j] <= count[0] <= high[j]
        and _fits_in((low[:j] + low[j + 1 :], high[:j] + high[j + 1 :]), count[1:])
        for j in range(len(low))
    )


def _can_have(sizes: tuple[tuple[int, ...], tuple[int, ...]], count: list[int], q: int) -> bool:
    """Return whether the first q clusters keep their own sizes, and the others some numbering's."""
    low, high = sizes
    own = all(low[j] <= count[j] <= high[j] for j in range(q))
    return own and _fits_in((low[q:], high[q:]), tuple(count[q:]))


def _first(own: np.ndarray, k: int) -> np.ndarray:
    """Return (m, k) the clusters of (m, q) given centres, and then the others."""
    is_own = (own[:, :, None] == np.arange(k)).any(axis=1)
    others = np.argsort(is_own, axis=1, kind="stable")[:, : k - own.shape[1]]
    return np.concatenate([own, others], axis=1)


def _padded(groups: np.ndarray, k: int) -> np.ndarray:
    """Return groups with empty ones after them, which cost nothing."""
    return np.pad(groups, [(0, 0), (0, k - groups.shape[1])])


def pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))
