"""Limits on the sum of a column in each cluster: ``sum(people)>=1000``, ``sum(revenue)<=20%``.

Values are rounded to a grid on which their sums are exact in doubles, in any order, and limits are
rounded to the same grid. So every program agrees on whether a cluster keeps a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ProblemError, UnfillableError
from ccviz.problem.points import checked_values, exact_grid
from ccviz.problem.rule_base import (
    NO_PAIRS,
    Alternatives,
    Load,
    Points,
    Rule,
    RuleKind,
    RuleWords,
    check_links,
)


@dataclass(frozen=True)
class SumLimit(Rule):
    """Base of the limits on a column's sum in each cluster."""

    is_signed: ClassVar[bool] = False
    """Whether values may be below 0."""
    rounding: ClassVar[Any] = np.floor
    """What moves a limit to the grid, so that it allows the same sums."""

    values: tuple[float, ...]
    limit: float

    def __post_init__(self) -> None:
        values = checked_values(self.values, "a rule's column", self.is_signed)
        shift, on_grid = exact_grid(values)
        limit = float(self.limit)
        if not 0.0 <= limit < np.inf:
            raise ProblemError(f"a rule has the limit {self.limit}, but limits are at least 0.")
        object.__setattr__(self, "values", tuple(on_grid.tolist()))
        limit = float(np.ldexp(self.rounding(np.ldexp(limit, shift)), -shift))
        object.__setattr__(self, "limit", limit)

    @property
    def between(self) -> tuple[float, float]:
        """The least and the largest sum of a cluster."""
        raise NotImplementedError

    def weights(self, problem: Points) -> FloatArray:
        """Return (n,) the value of each point."""
        if len(self.values) != problem.n:
            raise ProblemError(
                f"a rule has a column of {len(self.values):,} values, "
                f"but there are {problem.n:,} points."
            )
        return np.array(self.values)

    def allows(self, problem: Points, points: IntArray) -> bool:
        """Whether the cluster of these points keeps the rule."""
        low, high = self.between
        return bool(low <= self.weights(problem)[points].sum() <= high)


@dataclass(frozen=True)
class MaxSum(SumLimit):
    """The values of a cluster's points add up to at most ``limit``.

    `values`: The column's value of each point, not negative and finite.
    """

    parts_blocks: ClassVar[bool] = True

    @property
    def between(self) -> tuple[float, float]:
        """The limits of a cluster's sum."""
        return 0.0, self.limit

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load, which weighs points by their values."""
        return ((Load(self.limit, self.weights(problem), NO_PAIRS),),)

    def check(self, problem: Points) -> None:
        """Raise `UnfillableError` if k clusters cannot hold all."""
        total = float(self.weights(problem).sum())
        if total > problem.k * self.limit:
            raise UnfillableError(
                f"{problem.k} clusters with a sum of at most {self.limit:.6g} each cannot hold "
                f"{total:.6g} in all."
            )

    def apart(self, problem: Points, block_of: IntArray) -> IntArray:
        """Return pairs of points whose blocks together pass the limit."""
        first = np.unique(block_of, return_index=True)[1]
        heavy = np.bincount(block_of, self.weights(problem))
        if heavy.max() > self.limit:
            at = int(first[heavy.argmax()])
            raise UnfillableError(
                f"point {at}, with the points must-linked to it, has {heavy.max():.6g}, more than "
                f"the sum of {self.limit:.6g} that a cluster may have."
            )
        large = int((2.0 * heavy > self.limit).sum())
        if large > problem.k:
            raise UnfillableError(
                f"{large} blocks of points have more than half of the sum of {self.limit:.6g} that "
                f"a cluster may have, but there are {problem.k} clusters."
            )
        # Of blocks in ascending order, each conflicts with all from some place on.
        order = np.argsort(heavy, kind="stable")
        ascending = heavy[order]
        start = np.searchsorted(ascending, self.limit - ascending, side="right")
        start = np.maximum(start, np.arange(len(order)) + 1)
        count = len(order) - start
        check_links(int(count.sum()), "sum", "cannot-links")
        lower = np.repeat(np.arange(len(order)), count)
        upper = np.arange(len(lower)) - np.repeat(np.cumsum(count) - count, count) + start[lower]
        return first[order[np.column_stack([lower, upper])]]


@dataclass(frozen=True)
class MinSum(SumLimit):
    """The values of a cluster's points add up to at least ``limit``.

    Parts of a cluster that keeps it may break it: it is not anti-monotone, has no normal form, and
    cannot be a part of other rules.

    `values`: The column's value of each point, not negative and finite.
    """

    rounding: ClassVar[Any] = np.ceil

    @property
    def between(self) -> tuple[float, float]:
        """The limits of a cluster's sum."""
        return self.limit, np.inf

    def check(self, problem: Points) -> None:
        """Raise `UnfillableError` if there is too little for k clusters."""
        total = float(self.weights(problem).sum())
        if total < problem.k * self.limit:
            raise UnfillableError(
                f"{problem.k} clusters with a sum of at least {self.limit:.6g} each need "
                f"{problem.k * self.limit:.6g}, but all points have {total:.6g}."
            )


@dataclass(frozen=True)
class ImpliedMax(MaxSum):
    """An upper limit that follows from a lower one: what k - 1 clusters need is in no other."""


@dataclass(frozen=True)
class ImpliedMin(MinSum):
    """A lower limit that follows from an upper one: what k - 1 clusters cannot hold is left."""


IMPLIED = (ImpliedMax, ImpliedMin)
"""Limits that were not asked for: where one is broken, one that was asked for is too."""


def implied_sums(
    problem: Points, given: Iterable[SumLimit], sizes: tuple[int, int]
) -> Iterator[ImpliedMax | ImpliedMin]:
    """Yield the limits that follow from others, where these alone would allow more.

    Of a total T a cluster has at most T - (k - 1) L, if each of the k has at least L, and at least
    T - (k - 1) U, if each has at most U. `sizes`: Fewest and most points of a cluster.
    """
    limits: dict[tuple[float, ...], tuple[float, float]] = {}
    for rule in given:
        if isinstance(rule, MinSum | MaxSum):
            (low, high), (least, most) = rule.between, limits.get(rule.values, (0.0, np.inf))
            limits[rule.values] = max(low, least), min(high, most)
    for values, (least, most) in limits.items():
        ascending = np.sort(values)
        total, others = float(ascending.sum()), problem.k - 1
        top, bottom = total - others * least, total - others * most
        if top < min(most, float(ascending[-sizes[1] :].sum())):
            yield ImpliedMax(values, max(top, 0.0))
        if bottom > max(least, float(ascending[: sizes[0]].sum())):
            yield ImpliedMin(values, bottom)


class _Sum(RuleKind):
    """Base of the limits on a column's sum, which may be shares of the sum over all points."""

    names, takes_share = "column", True
    _rule: ClassVar[type[SumLimit]]

    def rule(self, words: RuleWords, known: Any) -> SumLimit:
        return self._rule(*self._limit(words, known))

    def limit(self, words: RuleWords, known: Any) -> float:
        return self.rule(words, known).limit

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        on_grid = exact_grid(np.array(known))[1]
        sums = np.bincount(labels, on_grid, problem.k).astype(np.float64)
        return float(sums.max() if self.is_upper else sums.min())

    def _limit(self, words: RuleWords, known: Any) -> tuple[tuple[float, ...], float]:
        """Return a column's values, and the limit on their sums.

        Decimal fractions and shares are rounded in binary, so a sum that passes such a limit by no
        more than that rounding keeps it. Whole numbers are exact.
        """
        values = checked_values(known, f"the column {words.name!r} of a rule")
        limit = words.limit * float(values.sum()) / 100.0 if words.is_share else words.limit
        slack = len(values) * float(np.ldexp(1.0, -exact_grid(values)[0]))
        is_whole = bool((values == np.rint(values)).all())
        if is_whole:  # the next whole number, if rounding alone parts the limit from it
            slack = min(slack, 0.25)
        limit = limit + slack if self.is_upper else max(0.0, limit - slack)
        if is_whole:
            limit = float(np.floor(limit) if self.is_upper else np.ceil(limit))
        return tuple(values.tolist()), limit


class LeastSum(_Sum):
    """A lower limit on a column's sum in each cluster."""

    name, text, unit = "sum()>=", "sum(COLUMN)>=S", "number or 10%"
    words, label = "at least {limit} of {name} a cluster", "Sum of a column at least"
    help_text = (
        "In every cluster; a share is of the column's sum over all points. Values as in the table."
    )
    sample, is_anti_monotone, stored = "sum(column)>=40%", False, (MinSum, ImpliedMin)
    _rule = MinSum


class MostSum(_Sum):
    """An upper limit on a column's sum in each cluster."""

    name, text, unit = "sum()<=", "sum(COLUMN)<=S", "number or 20%"
    words, label = "at most {limit} of {name} a cluster", "Sum of a column at most"
    help_text = LeastSum.help_text
    sample, stored = "sum(column)<=60%", (MaxSum, ImpliedMax)
    _rule = MaxSum


def sum_limits(problem: Points) -> tuple[SumLimit, ...]:
    """Return the problem's limits on sums."""
    return tuple(rule for rule in problem.rules if isinstance(rule, SumLimit))


def row_limits(problem: Points) -> tuple[tuple[FloatArray, float], ...]:
    """Return what limits on sums say of a row of the matrix Z of a clustering, each as two numbers.

    In row i the entries of the points in the cluster of i are equal, and the others are 0. So a
    limit on the sum over a cluster is linear in the row: with values a and a number c,
    sum of a_j Z_ij + c Z_ii >= 0. Returns `a` (n,) and `c` of each, in the order of the rules.
    """
    rows: list[tuple[FloatArray, float]] = []
    for rule in sum_limits(problem):
        values, (low, high) = rule.weights(problem), rule.between
        if np.isfinite(low) and not (low <= 0.0 and values.min() >= 0.0):
            rows.append((values, -low))
        if np.isfinite(high):
            rows.append((-values, high))
    return tuple(rows)
