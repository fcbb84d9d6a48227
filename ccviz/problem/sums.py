"""Limits on the sum of a column in each cluster: ``sum(people)>=1000``, ``sum(revenue)<=20%``.

Values are rounded to a grid on which their sums are exact in doubles, in any order, and limits are
rounded to the same grid. So every program agrees on whether a cluster keeps a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ProblemError, UnfillableError
from ccviz.problem.problem import Problem
from ccviz.problem.rule_words import RuleWords
from ccviz.problem.rules import Alternatives, Load, Rule
from ccviz.problem.weights import checked_values, exact_grid

_NO_PAIRS: IntArray = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class SumLimit(Rule):
    """Base of the limits on a column's sum in each cluster.

    Parameters
    ----------
    values : tuple of float
        The column's value of each point, not negative and finite.
    limit : float
    """

    values: tuple[float, ...]
    limit: float

    def __post_init__(self) -> None:
        values = checked_values(self.values, "a rule's column")
        shift, on_grid = exact_grid(values)
        limit = float(self.limit)
        if not 0.0 <= limit < np.inf:
            raise ProblemError(f"a rule has the limit {self.limit}, but limits are at least 0.")
        object.__setattr__(self, "values", tuple(on_grid.tolist()))
        object.__setattr__(self, "limit", self._rounded(limit, shift))

    @staticmethod
    def _rounded(limit: float, shift: int) -> float:
        """Return the limit on the grid that allows the same sums."""
        raise NotImplementedError

    def weights(self, problem: Problem) -> FloatArray:
        """Return (n,) the value of each point.

        Parameters
        ----------
        problem : Problem

        Raises
        ------
        ProblemError
            If there is not one for each point.
        """
        if len(self.values) != problem.n:
            raise ProblemError(
                f"a rule has a column of {len(self.values):,} values, "
                f"but there are {problem.n:,} points."
            )
        return np.array(self.values)

    def check(self, problem: Problem) -> None:
        """Raise `UnfillableError` if the points' total alone makes the limit impossible."""
        raise NotImplementedError


@dataclass(frozen=True)
class MaxSum(SumLimit):
    """The values of a cluster's points add up to at most ``limit``.

    Parameters
    ----------
    values : tuple of float
        The column's value of each point, not negative and finite.
    limit : float
    """

    @staticmethod
    def _rounded(limit: float, shift: int) -> float:
        return _on_grid(np.floor, limit, shift)

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load, which weighs points by their values."""
        return ((Load(self.limit, self.weights(problem), _NO_PAIRS),),)

    def check(self, problem: Problem) -> None:
        """Raise `UnfillableError` if k clusters cannot hold all."""
        total = float(self.weights(problem).sum())
        if total > problem.k * self.limit:
            raise UnfillableError(
                f"{problem.k} clusters with a sum of at most {self.limit:.6g} each cannot hold "
                f"{total:.6g} in all."
            )


@dataclass(frozen=True)
class MinSum(SumLimit):
    """The values of a cluster's points add up to at least ``limit``.

    Parts of a cluster that keeps it may break it: it is not anti-monotone, has no normal form, and
    cannot be a part of other rules.

    Parameters
    ----------
    values : tuple of float
        The column's value of each point, not negative and finite.
    limit : float
    """

    @staticmethod
    def _rounded(limit: float, shift: int) -> float:
        return _on_grid(np.ceil, limit, shift)

    def alternatives(self, problem: Problem) -> Alternatives:
        """Raise `ProblemError`: no load describes it."""
        raise ProblemError("a lower limit on a sum cannot be a part of another rule.")

    def allows(self, problem: Problem, points: IntArray) -> bool:
        """Whether the cluster of these points keeps the rule."""
        return float(self.weights(problem)[points].sum()) >= self.limit

    def check(self, problem: Problem) -> None:
        """Raise `UnfillableError` if there is too little for k clusters."""
        total = float(self.weights(problem).sum())
        if total < problem.k * self.limit:
            raise UnfillableError(
                f"{problem.k} clusters with a sum of at least {self.limit:.6g} each need "
                f"{problem.k * self.limit:.6g}, but all points have {total:.6g}."
            )


def sum_limit(values: FloatArray, words: RuleWords) -> SumLimit:
    """Return the rule of a column's values and a rule's words.

    Decimal fractions and shares are rounded in binary, so a sum that passes such a limit by no
    more than that rounding keeps it. Whole numbers are exact.

    Parameters
    ----------
    values : (n,) float64
    words : RuleWords

    Returns
    -------
    MaxSum or MinSum
    """
    values = checked_values(values, f"the column {words.name!r} of a rule")
    limit = words.limit * float(values.sum()) / 100.0 if words.is_share else words.limit
    slack = len(values) * float(np.ldexp(1.0, -exact_grid(values)[0]))
    is_whole = bool((values == np.rint(values)).all())
    if is_whole:  # the next whole number, if rounding alone parts the limit from it
        slack = min(slack, 0.25)
    column = tuple(values.tolist())
    if words.kind.endswith("<="):
        return MaxSum(column, float(np.floor(limit + slack)) if is_whole else limit + slack)
    least = max(0.0, limit - slack)
    return MinSum(column, float(np.ceil(least)) if is_whole else least)


def sum_limits(problem: Problem) -> tuple[SumLimit, ...]:
    """Return the problem's limits on sums.

    Parameters
    ----------
    problem : Problem
    """
    return tuple(rule for rule in problem.rules if isinstance(rule, SumLimit))


def too_heavy(problem: Problem, block_of: IntArray) -> Iterator[IntArray]:
    """Yield (m, 2) pairs of points that no cluster can hold under each upper limit on a sum.

    Parameters
    ----------
    problem : Problem
    block_of : (n,) int64
        Blocks of must-linked points.

    Raises
    ------
    UnfillableError
        If a block alone is too heavy.
    """
    first = np.unique(block_of, return_index=True)[1]
    for rule in sum_limits(problem):
        if not isinstance(rule, MaxSum):
            continue
        heavy = np.bincount(block_of, rule.weights(problem))
        if heavy.max() > rule.limit:
            at = int(first[heavy.argmax()])
            raise UnfillableError(
                f"point {at}, with the points must-linked to it, has {heavy.max():.6g}, more than "
                f"the sum of {rule.limit:.6g} that a cluster may have."
            )
        large = int((2.0 * heavy > rule.limit).sum())
        if large > problem.k:
            raise UnfillableError(
                f"{large} blocks of points have more than half of the sum of {rule.limit:.6g} that "
                f"a cluster may have, but there are {problem.k} clusters."
            )
        # Of blocks in ascending order, each conflicts with all from some place on.
        order = np.argsort(heavy, kind="stable")
        ascending = heavy[order]
        start = np.searchsorted(ascending, rule.limit - ascending, side="right")
        start = np.maximum(start, np.arange(len(order)) + 1)
        count = len(order) - start
        lower = np.repeat(np.arange(len(order)), count)
        upper = np.arange(len(lower)) - np.repeat(np.cumsum(count) - count, count) + start[lower]
        yield first[order[np.column_stack([lower, upper])]]


def _on_grid(rounding: Any, limit: float, shift: int) -> float:
    return float(np.ldexp(rounding(np.ldexp(limit, shift)), -shift))
