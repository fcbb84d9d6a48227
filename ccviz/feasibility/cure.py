"""What to change where constraints cannot all be kept: of each the least change that will do.

A cure changes one thing: the limit of a rule, the sizes or the number of clusters, or it gives a
rule or some links up. All else stays, and a feasibility check says that a clustering exists then.
What is said not to do was checked too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import scipy

from ccviz.arrays import FloatArray
from ccviz.errors import UnfillableError
from ccviz.feasibility.conflict import (
    Conflict,
    as_given,
    checked,
    enumerated,
    explain_conflict,
    in_words,
    is_explained,
)
from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked, AskedRule
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes, sizes_text

_CHECK_S = 2.0  # Most seconds of one feasibility check
_MOST_POINTS = 2000  # whose distances are tried as limits
_ONE_BY_ONE = 16  # Numbers of clusters: where one will do, the next one may not
_DIGITS = 3  # Significant digits of limits that are no whole numbers
_MORE_DIGITS = 6  # The same where as few do not suffice


@dataclass(frozen=True)
class Cure:
    """A change after which a clustering exists.

    Attributes
    ----------
    words : str
        Such as ``raise sum(w)<=10 to sum(w)<=12``.
    is_least : bool
        Whether it is proved that no smaller change of this kind will do.
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
    fails : tuple of str
        Smaller changes that are proved not to do: a rule, sizes, or a number of clusters.
    """

    words: str
    is_least: bool
    rule: int = -1
    text: str = ""
    sizes: str = ""
    k: int = 0
    must_link: tuple[tuple[int, int], ...] = ()
    cannot_link: tuple[tuple[int, int], ...] = ()
    fails: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The words, and what less will not do."""
        if self.is_least:
            fewer = "fewer" if self.must_link or self.cannot_link else "less"
            return f"{self.words} (no {fewer} will do)"
        if not self.fails:
            return self.words
        neither = "neither " * (len(self.fails) > 1)
        verb = "will do" if neither else "will not do"
        return f"{self.words} ({neither}{' nor '.join(self.fails)} {verb})"


@dataclass(frozen=True)
class Cures:
    """The changes that were found.

    Attributes
    ----------
    found : tuple of Cure
        Changes of rules first, then of sizes, of k, and links to give up.
    unknown : str
        A sentence on what was not tried; empty if each change of one rule, of the sizes and of the
        number of clusters was tried to its end.
    """

    found: tuple[Cure, ...]
    unknown: str = ""

    @property
    def sentence(self) -> str:
        """What to change, and what is not known."""
        if not self.found:
            return self.unknown or _NO_SINGLE
        *most, last = (cure.sentence for cure in self.found)
        listed = f"{', '.join(most)}, or {last}" if most else last
        return f"A clustering exists if you {listed}. {self.unknown}".rstrip()


_NO_SINGLE = "No change of one rule, of the sizes or of the number of clusters alone will do."
_NOT_IN_TIME = "Not all changes could be tried in time."
_UNKNOWN_RULES = "Beside {} no other change is known."


def explain(
    problem: Problem, time_limit: float = 10.0, rules: Sequence[AnyAsked] = ()
) -> tuple[Conflict | None, Cures]:
    """Return why no clustering keeps the constraints, and what to change.

    Parameters
    ----------
    problem : Problem
    time_limit : float
        Seconds for both together.
    rules : sequence of AskedRule or AskedEither, optional
        Further rules, with which `ccviz.problem.reduction.with_rules` refuses the problem.
    """
    began = time.monotonic()
    conflict = explain_conflict(problem, time_limit / 2.0, rules)
    left = time_limit - (time.monotonic() - began)
    return conflict, cures(problem, left, rules, conflict)


def cures(
    problem: Problem,
    time_limit: float = 10.0,
    rules: Sequence[AnyAsked] = (),
    conflict: Conflict | None = None,
) -> Cures:
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
    Cures
        Beside a rule that feasibility checks do not know, as those joined by *or*, the only change
        is to give it up, where a clustering keeps all else; beside several there is none.
    """
    search = _Search(problem, rules, time.monotonic() + time_limit)
    if unknown := search.unknown_rules:
        return Cures(tuple(search.without_unknown()), _UNKNOWN_RULES.format(enumerated(unknown)))
    found = (*search.found(), *([] if conflict is None else _links_given_up(conflict)))
    return Cures(found, _NOT_IN_TIME if search.is_undecided else "")


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
        self._problem, self._end = problem, end
        self._rules, self._base = [*problem.given.rules, *more], as_given(problem)
        self._sizes = None if problem.outliers_asked else self._base.sizes
        self.is_undecided = False

    @property
    def unknown_rules(self) -> list[str]:
        """Those that feasibility checks do not know."""
        rules = [each for each in self._rules if not is_explained(self._base, each)]
        kept = [each for each in self._base.rules if not is_explained(self._base, each)]
        return [*(f"the rule {each.text}" for each in rules),
                *(f"a rule {type(each).__name__}" for each in kept)]  # fmt: skip

    def without_unknown(self) -> Iterator[Cure]:
        """Yield the only rule that feasibility checks do not know, if all else can be kept."""
        several = [at for at, each in enumerate(self._rules) if not is_explained(self._base, each)]
        rules = [each for at, each in enumerate(self._rules) if at not in several]
        if len(self.unknown_rules) == len(several) == 1 and self._check(rules):
            yield Cure(f"give up {self._rules[several[0]].text}", False, several[0])

    def found(self) -> Iterator[Cure]:
        """Yield the cures."""
        if self._check(self._rules) is not False:
            self.is_undecided = True
            return
        for at, rule in enumerate(self._rules):
            if self._check([*self._rules[:at], *self._rules[at + 1 :]]):
                limited = self._limited(at, rule) if isinstance(rule, AskedRule) else None
                yield limited or Cure(f"give up {rule.text}", False, at)
        if self._sizes is not None and self._check(self._rules, sizes=None):
            yield from self._widened(self._sizes)
        yield from filter(None, [self._with_k(1), self._with_k(-1)])

    def _check(self, rules: Sequence[AnyAsked], **changes: Any) -> bool | None:
        """Return whether a clustering exists after changes, None if that is not known in time."""
        left = self._end - time.monotonic()
        answer = None
        if left > 0.0:
            try:
                base = as_given(self._problem, **changes)
            except UnfillableError:
                return False
            answer = checked(base, rules, min(left, _CHECK_S)).feasible
        self.is_undecided |= answer is None
        return answer

    def _limited(self, at: int, rule: AskedRule) -> Cure | None:
        """Return the least change of a rule's limit."""
        limits = _limits(rule, self._base)
        if limits is None:
            return None

        def changed(limit: float) -> str:
            return rule.kind.written(f"{limit:.15g}{'%' * rule.words.is_share}", rule.words.name)

        def with_limit(text: str) -> list[AnyAsked]:
            return [*self._rules[:at], replace(rule, text=text), *self._rules[at + 1 :]]

        def holds(step: int) -> bool | None:
            return self._check(with_limit(changed(limits.at(step))))

        step, is_known = _least(holds, limits.most)
        if not step:
            return None
        limit, less, is_exact = limits.shown(step)
        text = changed(limit)
        tried = changed(limits.at(step))
        if text != tried and not self._check(with_limit(text)):
            # Its distance is a rounding error above it.
            limit = _rounded(limits.at(step), 1 if rule.kind.is_upper else -1, _MORE_DIGITS)
            text, less, is_exact = changed(limit), None, False
        verb = "raise" if rule.kind.is_upper else "lower"
        fails = (changed(less),) if is_known and less is not None else ()
        words = f"{verb} {rule.text} to {text}"
        return Cure(words, is_known and is_exact, at, text, fails=fails)

    def _widened(self, sizes: Sizes) -> Iterator[Cure]:
        """Yield the sizes with one side that gives way as little as will do; both if none does."""
        n, lower, upper = self._base.n_points, sizes.lower, sizes.upper
        fewest_of = (np.arange(len(lower)) >= self._base.fixed).astype(np.int64)

        def wider(down: int, up: int) -> Sizes:
            return Sizes(np.maximum(lower - down, fewest_of), np.minimum(upper + up, n))

        def least(steps: Callable[[int], tuple[int, int]]) -> tuple[int, bool]:
            return _least(lambda step: self._check(self._rules, sizes=wider(*steps(step))), n)

        def cure(down: int, up: int, is_known: bool) -> Cure:
            less = [(down - 1, up)] * (down > 0) + [(down, up - 1)] * (up > 0)
            text, *fails = (_sizes_text(wider(*each)) for each in [(down, up), *less])
            is_least = is_known and not (down and up)
            return Cure(
                f"allow sizes of {text}", is_least, sizes=text,
                fails=tuple(fails) if is_known else (),
            )  # fmt: skip

        down, is_down_known = least(lambda step: (step, 0))
        if down:
            yield cure(down, 0, is_down_known)
        up, is_up_known = least(lambda step: (0, step))
        if up:
            yield cure(0, up, is_up_known)
        if down or up:
            return
        both, _ = least(lambda step: (step, step))
        if both:
            fewer, is_fewer_known = least(lambda step: (step, both))
            fewest, is_known = least(lambda step: (fewer, step))
            if fewer and fewest:
                yield cure(fewer, fewest, is_known and is_fewer_known)

    def _with_k(self, sign: int) -> Cure | None:
        """Return the next number of clusters, upwards or downwards, that will do."""
        problem, sizes = self._problem, self._sizes
        k, text = problem.n_clusters, ""
        most = (
            problem.n_points - problem.outliers_asked - k if sign > 0 else k - max(1, problem.fixed)
        )
        if sizes is not None:
            limits = {*zip(sizes.lower.tolist(), sizes.upper.tolist(), strict=True)}
            if len(limits) > 1:
                return None  # sizes of single clusters
            text = _sizes_text(sizes)

        def holds(step: int) -> bool | None:
            other = k + sign * step
            alike = None if sizes is None else _alike(sizes, other)
            return self._check(self._rules, k=other, sizes=alike)

        step, is_known = _least(holds, most, _ONE_BY_ONE) if most > 0 else (0, False)
        if not step:
            return None
        taken = k + sign * step
        fails = (str(taken - sign),) if is_known and step > 1 else ()
        return Cure(f"take {count(taken, 'cluster')}", False, sizes=text, k=taken, fails=fails)


def _alike(sizes: Sizes, k: int) -> Sizes:
    """Return the same limits for another number of clusters."""
    return Sizes(np.full(k, sizes.lower[0]), np.full(k, sizes.upper[0]))


def _sizes_text(sizes: Sizes) -> str:
    limits = (sizes.lower.tolist(), sizes.upper.tolist())
    if len({*zip(*limits, strict=True)}) == 1:
        return sizes_text(limits[0][:1], limits[1][:1])
    return sizes_text(*limits)


def _least(holds: Callable[[int], bool | None], most: int, one_by_one: int = 1) -> tuple[int, bool]:
    """Return a step that holds, 0 if none was found, and whether one less is known not to.

    Steps are tried one by one, then doubled until one holds; the step is looked for below it. It is
    the least one if all larger ones hold too.
    """
    fails, step, is_known = 0, 1, True
    while not (answer := holds(step)):
        is_known = answer is False
        if answer is None or step >= most:
            return 0, False
        fails, step = step, min(step + 1 if step < one_by_one else 2 * step, most)
    while step - fails > 1:
        middle = (fails + step) // 2
        answer = holds(middle)
        if answer:
            step = middle
        else:
            fails, is_known = middle, answer is False
    return step, is_known


class _Limits:
    """Weaker limits of a rule, by steps of a unit."""

    most = 1 << 20

    def __init__(self, first: float, sign: int, unit: float, least: float, is_exact: bool) -> None:
        self._first, self._sign, self._unit = first, sign, unit
        self._least, self._is_exact = least, is_exact

    def at(self, step: int) -> float:
        """Return the limit after some steps."""
        return max((self._first + self._sign * step) * self._unit, self._least)

    def shown(self, step: int) -> tuple[float, float | None, bool]:
        """Return the limit to show, one that fails if a step less does, and whether it is least."""
        return self.at(step), self.at(step - 1) if step > 1 else None, self._is_exact


class _Distances(_Limits):
    """The distances beyond a limit, the nearest first."""

    def __init__(self, gaps: FloatArray, sign: int) -> None:
        self._gaps, self._sign, self.most = gaps.tolist(), sign, len(gaps)

    def at(self, step: int) -> float:
        # A distance may be computed in another order where the rule is read.
        return float(self._gaps[step - 1] * (1.0 + 1e-9 * self._sign))

    def shown(self, step: int) -> tuple[float, float | None, bool]:
        gap = self._gaps[step - 1]
        limit, less = _rounded(gap, self._sign), _rounded(gap, -self._sign)
        return limit, less if less != limit else None, less == limit


def _limits(rule: AskedRule, problem: Problem) -> _Limits | None:
    """Return the weaker limits of a rule, None where it has no such limits."""
    kind, words = rule.kind, rule.words
    if not kind.needs_limit:
        return None
    sign = 1 if kind.is_upper else -1
    if kind.unit == "distance":
        if problem.n > _MOST_POINTS:
            return None
        places = kind.seen(problem, words, rule.known)
        gaps = np.unique(places.way(scipy.spatial.distance.pdist(places.at)))
        gaps = gaps[gaps > words.limit] if sign > 0 else gaps[gaps < words.limit][::-1]
        return _Distances(gaps, sign) if len(gaps) else None
    values = np.array(rule.known)
    are_whole = kind.is_whole or (kind.name[:3] == "sum" and bool((values % 1.0 == 0.0).all()))
    unit = 1.0
    if not (are_whole or words.is_share):
        scale = float(np.ptp(values)) or abs(words.limit) or 1.0
        unit = 10.0 ** (math.floor(math.log10(scale)) - _DIGITS + 1)
    first = (math.floor if sign > 0 else math.ceil)(words.limit / unit)
    least = -math.inf if kind.is_signed else 0.0
    return _Limits(first, sign, unit, least, are_whole and not words.is_share)


def _rounded(value: float, sign: int, digits: int = _DIGITS) -> float:
    """Return a number of few digits, no smaller if the sign is positive, otherwise no larger."""
    near = Decimal(f"{value:.12g}")  # without the last digits, which are rounding errors
    way = ROUND_CEILING if sign > 0 else ROUND_FLOOR
    return float(Context(prec=digits, rounding=way).plus(near))
