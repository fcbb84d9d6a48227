"""The rules of a problem: reduced to links and sizes, and measured in a clustering.

A rule that is equivalent to links or sizes becomes these, which more solvers support. Points stay
as they are, and so do labels: a clustering of the reduced problem is one of the problem that was
asked, and the reverse. Other rules stay, and may add cannot-links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import ContradictionError, ProblemError, UnfillableError
from ccviz.numbers import count, number
from ccviz.problem.asked import AnyAsked, Asked, AskedEither, rule_of
from ccviz.problem.blocks import contract, refine
from ccviz.problem.column_links import MOST_PAIRS
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.rule_base import MOST_LINKS, NO_PAIRS, Both, Reduction, Rule, check_links
from ccviz.problem.sizes import Sizes, sizes_with, spare_points
from ccviz.problem.sums import SumLimit, implied_sums

__all__ = ["MOST_LINKS", "MOST_PAIRS", "KeptRule", "kept_rules", "with_rules"]

_FEW_POINTS = 500
"""Most points for which implied limits are added: with more they only slow searches down."""


def with_rules(problem: Problem, rules: Sequence[Rule | AnyAsked], keeps_rules: bool) -> Problem:
    """Return the problem with rules added, reduced to links and sizes where these are equivalent.

    Parameters
    ----------
    problem : Problem
        Its own rules are treated alike.
    rules : sequence of Rule, AskedRule or AskedEither
        What was asked in words is kept too, see `ccviz.Problem.given`.
    keeps_rules : bool
        Whether the solver supports rules. If it does, limits on size stay rules; otherwise they
        become sizes, which more solvers support.

    Returns
    -------
    Problem
        Over the same points; its clusterings are those that keep all the rules.

    Raises
    ------
    ContradictionError
        If the rules contradict the links, or each other; it says which links they made.
    ProblemError
        If the rules would make too many links.
    """
    if not (rules or problem.rules):
        return problem
    if problem.fixed:
        raise ProblemError("centres cannot be fixed beside rules.")
    asked = tuple(each for each in rules if isinstance(each, AnyAsked))
    for rule in asked:
        rule.check(problem.n)
    added = [rule_of(each) if isinstance(each, AnyAsked) else each for each in rules]
    problem = _with_fewer_outliers(problem, added)
    try:
        reduced = _reduced(problem, [*problem.rules, *added], keeps_rules)
    except ContradictionError as wrong:
        raise ContradictionError(wrong.pair, wrong.chain, _made(problem, asked, wrong)) from None
    if not asked:
        return reduced
    given = Asked(asked, problem.must_link, problem.cannot_link, problem.sizes)
    return replace(reduced, asked=given)


def _with_fewer_outliers(problem: Problem, rules: Sequence[Rule]) -> Problem:
    """Return the problem with as many outliers as the must-links of rules allow beside its own."""
    if not problem.outliers or problem.limits_sizes:
        return problem
    made = [rule.reduction(problem, False) for rule in flat(rules)]
    tied = [each.must_link for each in made if each is not None and each.weight == np.inf]
    pairs = np.concatenate([problem.must_link.hard.pairs, *tied])
    n, k = problem.n, problem.n_clusters
    spare = spare_points(pairs, n, k, problem.outliers)
    if spare == problem.outliers:
        return problem
    sizes = sizes_with(spare, n, k + spare) if spare else None
    return replace(problem, k=k + spare, outliers=spare, sizes=sizes)


def _made(problem: Problem, asked: Sequence[AnyAsked], wrong: ContradictionError) -> str:
    """Return which links of a contradiction rules have made, in words."""
    given = [
        set(map(frozenset, links.hard.pairs.tolist()))
        for links in (problem.must_link, problem.cannot_link)
    ]
    ties = [(a, b) for a, b in pairwise(wrong.chain) if frozenset((a, b)) not in given[0]]
    parts = [] if frozenset(wrong.pair) in given[1] else [wrong.pair]
    made = ", ".join(f"{a}-{b}" for a, b in [*ties, *parts])
    texts = " and ".join(repr(rule.text) for rule in asked)
    return f" ({made} follow{'s' if len(ties + parts) == 1 else ''} from {texts})" if made else ""


def _reduced(problem: Problem, rules: Iterable[Rule], keeps_rules: bool) -> Problem:
    left: list[Rule] = []
    found = [Reduction()]
    for rule in flat(rules):
        reduction = rule.reduction(problem, keeps_rules and problem.sizes is None)
        if reduction is None:
            left.append(rule.settled(problem))
        else:
            found.append(reduction)
    soft = [each for each in found if each.weight < np.inf]
    reduced = refine(
        replace(
            problem,
            must_link=_with_soft(problem.must_link, [(e.must_link, e.weight) for e in soft]),
            cannot_link=_with_soft(problem.cannot_link, [(e.cannot_link, e.weight) for e in soft]),
            sizes=_sizes(problem, found),
            rules=tuple(left),
        ),
        _together([each.must_link for each in found if each.weight == np.inf]),
        _together([each.cannot_link for each in found if each.weight == np.inf]),
    )
    for rule in left:
        rule.check(reduced)
    if implied := _implied(reduced, left):
        left += implied
        reduced = replace(reduced, rules=tuple(left))
    parting = [rule for rule in left if rule.parts_blocks]
    if not parting:
        return reduced
    block_of = contract(reduced).block_of
    pairs = np.concatenate([rule.apart(reduced, block_of) for rule in parting])
    check_links(len(pairs), "sum", "cannot-links")
    return refine(reduced, NO_PAIRS, pairs)


def _implied(problem: Problem, rules: Sequence[Rule]) -> list[Rule]:
    """Return the limits on sums that follow from others, and that bounds of few points count.

    One that no clustering keeps is left out: the limits that were asked for say why.
    """
    if problem.n > _FEW_POINTS or problem.outliers:
        return []
    found: list[Rule] = []
    block_of, sizes = contract(problem).block_of, problem.sizes
    between = (1, problem.n - problem.k + 1)
    if sizes is not None:
        between = int(sizes.lower.min()), int(sizes.upper.max())
    sums = [rule for rule in rules if isinstance(rule, SumLimit)]
    for rule in implied_sums(problem, sums, between):
        with suppress(UnfillableError):
            rule.apart(problem, block_of)
            found.append(rule)
    return found


def flat(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield single rules, with each `Both` replaced by its members."""
    for rule in rules:
        if isinstance(rule, Both):
            yield from flat(rule.rules)
        else:
            yield rule


def _together(pairs: Sequence[IntArray]) -> IntArray:
    """Return each pair once: several limits on one quantity have pairs in common."""
    some = [each for each in pairs if len(each)]
    return some[0] if len(some) == 1 else np.unique(np.concatenate(pairs), axis=0)


def _with_soft(links: Links, made: Sequence[tuple[IntArray, float]]) -> Links:
    """Return links with soft ones added; the weights of a pair add up."""
    if not made:
        return links
    soft = [(links.soft.pairs, links.soft.weights)]
    soft += [(pairs, np.full(len(pairs), weight)) for pairs, weight in made]
    pairs, weights = map(np.concatenate, zip(*soft, strict=True))
    once, which = np.unique(pairs, axis=0, return_inverse=True)
    added = np.bincount(which, weights, len(once))
    return Links(
        np.concatenate([links.hard.pairs, once]), np.concatenate([links.hard.weights, added])
    )


def _sizes(problem: Problem, found: Sequence[Reduction]) -> Sizes | None:
    smallest, largest = max(each.smallest for each in found), min(each.largest for each in found)
    if smallest <= 1 and largest >= problem.n:
        return problem.sizes
    k = problem.k
    given = problem.sizes or Sizes(np.ones(k, dtype=np.int64), np.full(k, problem.n))
    return Sizes(np.maximum(given.lower, smallest), np.minimum(given.upper, largest))


@dataclass(frozen=True)
class KeptRule:
    """A rule, and the measured value of the quantity that it limits.

    Attributes
    ----------
    found : float
        The largest diameter, the smallest separation or size, the most shared points, the
        largest or smallest sum: whatever the rule limits. Of rules joined by *or* the number of
        clusters that keep none of them.
    """

    rule: AnyAsked
    found: float
    holds: bool

    @property
    def measure(self) -> str:
        """The unit behind what is found, with a blank; empty if none is."""
        return "" if isinstance(self.rule, AskedEither) else self.rule.kind.measure(self.rule.words)

    def said(self, digits: int = 6) -> str:
        """Return what is found in the unit of the limit, as a share of 30 %; empty without one."""
        if isinstance(self.rule, AskedEither):
            return f"{count(int(self.found), 'cluster')} with none of these"
        kind, words = self.rule.kind, self.rule.words
        if not kind.needs_limit:
            return ""
        limit = kind.limit(words, self.rule.known) if words.is_share else 0.0
        if limit > 0.0:
            return f"{number(self.found * words.limit / limit, digits)} %"
        return number(self.found, digits) + self.measure


def kept_rules(problem: Problem, labels: IntArray) -> tuple[KeptRule, ...]:
    """Return for each rule of the problem whether a clustering keeps it, in their order.

    Parameters
    ----------
    labels : (n,) int64
        0 to k - 1.
    """
    measured: dict[tuple[str, str, tuple[float, ...]], float] = {}
    kept = []
    for rule in problem.given.rules:
        if isinstance(rule, AskedEither):
            joined = rule_of(rule)
            numbers = np.unique(labels[labels >= 0]).tolist()
            broken = sum(not joined.allows(problem, np.flatnonzero(labels == j)) for j in numbers)
            kept.append(KeptRule(rule, float(broken), not broken))
            continue
        kind, quantity = rule.kind, (rule.words.kind, rule.words.name, rule.known)
        if quantity not in measured:  # one measurement answers all rules of a kind
            seen = kind.seen(problem, rule.words, rule.known)
            measured[quantity] = kind.found(problem, labels, seen)
        found, limit = measured[quantity], kind.limit(rule.words, rule.known)
        kept.append(KeptRule(rule, found, found <= limit if kind.is_upper else found >= limit))
    return tuple(kept)
