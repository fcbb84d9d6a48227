"""What to change where constraints cannot all be kept: of each the least change that will do.

A cure changes one thing: the limit of a rule, the sizes or the number of clusters, or it gives a
rule or some links up. All else stays, and a feasibility check says that a clustering exists then. A
change is the least one if a check says that a step less will not do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from ccviz.arrays import FloatArray
from ccviz.errors import UnfillableError
from ccviz.feasibility.conflict import Conflict, checked, enumerated, in_words, is_explained
from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked, AskedRule
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes, sizes_text

_CHECK_S = 2.0  # Most seconds of one feasibility check
_MOST_POINTS = 2000  # whose distances are tried as limits
_MOST_STEPS = 1 << 20
_DIGITS = 3  # Significant digits of limits that are no whole numbers


@dataclass(frozen=True)
class Cure:
    """A change after which a clustering exists.

    Attributes
    ----------
    words : str
        Such as ``raise sum(w)<=10 to sum(w)<=12``.
    is_least : bool
        Whether it is proved that a step less will not do.
    rule : int
        The place of the rule that changes, of the problem's and then of the further ones; -1 if
        none does.
    text : str
        That rule with its new limit; empty if it is given up.
    sizes : str
        The new sizes, as `ccviz.problem.sizes.read_sizes` reads them; empty if they stay.
    k : int
        The new number of clusters; 0 if it stays.
    must_link, cannot_link : tuple of (int, int)
        Links that are given up.
    """

    words: str
    is_least: bool
    rule: int = -1
    text: str = ""
    sizes: str = ""
    k: int = 0
    must_link: tuple[tuple[int, int], ...] = ()
    cannot_link: tuple[tuple[int, int], ...] = ()

    @property
    def sentence(self) -> str:
        """The words, and whether less will do."""
        return f"{self.words} (no less will do)" if self.is_least else self.words


def cures(
    problem: Problem,
    time_limit: float = 10.0,
    rules: Sequence[AnyAsked] = (),
    conflict: Conflict | None = None,
) -> tuple[Cure, ...]:
    """Return single changes that make an infeasible problem feasible.

    Parameters
    ----------
    problem : Problem
    time_limit : float
        Seconds for all feasibility checks together.
    rules : sequence of AskedRule or AskedEither, optional
        Further rules, with which `ccviz.problem.reduction.with_rules` refuses the problem.
    conflict : Conflict, optional
        What `explain_conflict` found, with the links to give up.

    Returns
    -------
    tuple of Cure
        Changes of rules first, then of sizes, of k, and links to give up. Empty if no single change
        will do or none was found in time, if points may be left out or centres are fixed, or if
        there are rules that feasibility checks do not know.
    """
    found = _Search(problem, rules, time.monotonic() + time_limit).found()
    return (*found, *([] if conflict is None else _links_given_up(conflict)))


def said_of(found: Sequence[Cure]) -> str:
    """Return some cures as a sentence, empty if there are none."""
    if not found:
        return ""
    *most, last = (cure.sentence for cure in found)
    listed = f"{', '.join(most)}, or {last}" if most else last
    return f"A clustering exists if you {listed}."


def _links_given_up(conflict: Conflict) -> Iterator[Cure]:
    must, cannot = (
        tuple((int(i), int(j)) for i, j in pairs.tolist())
        for pairs in (conflict.give_up_must, conflict.give_up_cannot)
    )
    if must or cannot:
        links = enumerated([*in_words("must-link", must), *in_words("cannot-link", cannot)])
        yield Cure(f"give up {links}", conflict.is_fewest, must_link=must, cannot_link=cannot)


class _Search:
    """The changes, each tried by feasibility checks."""

    def __init__(self, problem: Problem, more: Sequence[AnyAsked], end: float) -> None:
        given, self._end = problem.given, end
        self._rules = [*given.rules, *more]
        self._base = problem
        if problem.asked is not None:
            self._base = replace(
                problem, must_link=given.must_link, cannot_link=given.cannot_link,
                sizes=given.sizes, rules=(), asked=None,
            )  # fmt: skip

    def found(self) -> Iterator[Cure]:
        """Yield the cures."""
        known = (*self._base.rules, *self._rules)
        special = self._base.outliers or self._base.fixed
        if special or not all(is_explained(self._base, each) for each in known):
            return
        if self._check(self._rules) is not False:
            return
        for at, rule in enumerate(self._rules):
            if self._check([*self._rules[:at], *self._rules[at + 1 :]]):
                limited = self._limited(at, rule) if isinstance(rule, AskedRule) else None
                yield limited or Cure(f"give up {rule.text}", False, at)
        sizes = self._base.sizes
        if sizes is None:
            yield from filter(None, [self._with_k(1), self._with_k(-1)])
        elif self._check(self._rules, sizes=None):
            yield from filter(None, [self._widened(sizes)])

    def _check(self, rules: Sequence[AnyAsked], **changes: Any) -> bool | None:
        """Return whether a clustering exists after changes, None if that is not known in time."""
        left = self._end - time.monotonic()
        if left <= 0.0:
            return None
        try:
            base = replace(self._base, **changes)
        except UnfillableError:
            return False
        return checked(base, rules, min(left, _CHECK_S)).feasible

    def _limited(self, at: int, rule: AskedRule) -> Cure | None:
        """Return the least change of a rule's limit."""
        limits = _limits(rule, self._base)
        if limits is None:
            return None

        def changed(step: int) -> AskedRule | None:
            limit = limits(step)
            share = "%" * rule.words.is_share
            text = (
                None
                if limit is None
                else rule.kind.written(f"{limit:.15g}{share}", rule.words.name)
            )
            return None if text is None else replace(rule, text=text)

        def holds(step: int) -> bool | None:
            other = changed(step)
            if other is None:
                return None
            return self._check([*self._rules[:at], other, *self._rules[at + 1 :]])

        step, is_least = _least(holds)
        other = changed(step) if step else None
        if other is None:
            return None
        verb = "raise" if rule.kind.is_upper else "lower"
        return Cure(f"{verb} {rule.text} to {other.text}", is_least, at, other.text)

    def _widened(self, sizes: Sizes) -> Cure | None:
        """Return the least number of points by which all sizes must give way."""
        n = self._base.n

        def wider(step: int) -> Sizes | None:
            if step >= n:
                return None
            return Sizes(np.maximum(sizes.lower - step, 1), np.minimum(sizes.upper + step, n))

        def holds(step: int) -> bool | None:
            other = wider(step)
            return None if other is None else self._check(self._rules, sizes=other)

        step, is_least = _least(holds)
        other = wider(step) if step else None
        if other is None:
            return None
        limits = (other.lower.tolist(), other.upper.tolist())
        text = sizes_text(*limits)
        if len({*zip(*limits, strict=True)}) == 1:
            text = sizes_text(limits[0][:1], limits[1][:1])
        return Cure(f"allow sizes of {text}", is_least, sizes=text)

    def _with_k(self, sign: int) -> Cure | None:
        """Return the next number of clusters, upwards or downwards, that will do."""
        k, n = self._base.k, self._base.n

        def holds(step: int) -> bool | None:
            if not 1 <= k + sign * step <= n:
                return None
            return self._check(self._rules, k=k + sign * step)

        step, is_least = _least(holds)
        if not step:
            return None
        taken = k + sign * step
        return Cure(f"take {count(taken, 'cluster')}", is_least, k=taken)


def _least(holds: Callable[[int], bool | None]) -> tuple[int, bool]:
    """Return the least step that holds, 0 if none was found, and whether one less does not.

    Steps are doubled until one holds; the step is looked for below it.
    """
    fails, step, is_known = 0, 1, True
    while not (answer := holds(step)):
        is_known = answer is False
        if answer is None or step >= _MOST_STEPS:
            return 0, False
        fails, step = step, 2 * step
    while step - fails > 1:
        middle = (fails + step) // 2
        answer = holds(middle)
        if answer:
            step = middle
        else:
            fails, is_known = middle, answer is False
    return step, is_known


def _limits(rule: AskedRule, problem: Problem) -> Callable[[int], float | None] | None:
    """Return the function from a step to a weaker limit, None where a rule has no such limits."""
    kind, words = rule.kind, rule.words
    if not kind.needs_limit:
        return None
    sign = 1 if kind.is_upper else -1
    if kind.unit == "distance":
        return _distances(problem.X, words.limit, sign)
    values = np.array(rule.known)
    if kind.is_whole or words.is_share or (kind.name[:3] == "sum" and (values % 1.0 == 0.0).all()):
        unit = 1.0
    else:
        scale = float(np.ptp(values)) or abs(words.limit) or 1.0
        unit = 10.0 ** (math.floor(math.log10(scale)) - _DIGITS + 1)
    first = (math.floor if sign > 0 else math.ceil)(words.limit / unit)
    least = -math.inf if kind.is_signed else 0.0

    def limit(step: int) -> float | None:
        value = (first + sign * step) * unit
        return value if value >= least else None

    return limit


def _distances(X: FloatArray, limit: float, sign: int) -> Callable[[int], float | None] | None:
    """Return the distances beyond a limit, the nearest first, as limits that hold for them."""
    if len(X) > _MOST_POINTS:
        return None
    gaps = np.unique(scipy.spatial.distance.pdist(X))
    beyond = gaps[gaps > limit] if sign > 0 else gaps[gaps < limit][::-1]
    steps = np.unique([_rounded(gap, sign) for gap in beyond.tolist()])[::sign]
    return lambda step: float(steps[step - 1]) if step <= len(steps) else None


def _rounded(value: float, sign: int) -> float:
    """Return a number of few digits, no smaller if the sign is positive, otherwise no larger."""
    if value == 0.0:
        return 0.0
    digits = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    return float((math.ceil if sign > 0 else math.floor)(value * 10.0**digits)) / 10.0**digits
