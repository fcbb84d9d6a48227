"""Reduction of rules to equivalent links and sizes, which more solvers support.

A maximum diameter is a cannot-link for each pair too far apart, a minimum separation a must-link
for each pair too near (Davidson and Ravi 2007). Points stay as they are, and so do labels: a
clustering of the reduced problem is one of the problem that was asked, and the reverse. An upper
limit on a column's sum stays a rule, and adds a cannot-link for each two blocks that together pass
it. A limit on soft cannot-links becomes a rule on those that the problem has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import scipy

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError
from ccviz.problem.asked import AnyAsked, Asked
from ccviz.problem.blocks import contract, refine
from ccviz.problem.problem import Problem
from ccviz.problem.rule_text import MaxConflicts, MinSeparation, MinSize, Wish, wish_of
from ccviz.problem.rules import (
    Both,
    Either,
    MaxDiameter,
    MaxSize,
    Rule,
    minimum_separation,
)
from ccviz.problem.sizes import Sizes
from ccviz.problem.sums import sum_limits, too_heavy

MOST_PAIRS = 50_000_000
"""Most pairs of points whose distances are computed."""

MOST_LINKS = 1_000_000
"""Most links that a rule is reduced to."""

_TOO_MANY = "the rule on the {} makes more than the {:,} {} that are kept."
_NO_PAIRS: IntArray = np.zeros((0, 2), dtype=np.int64)
_CELLS = 1 << 22  # distances computed at a time


def with_rules(problem: Problem, rules: Sequence[Wish | AnyAsked], keeps_rules: bool) -> Problem:
    """Return the problem with rules added, reduced to links and sizes where these are equivalent.

    Parameters
    ----------
    problem : Problem
        Its own rules are treated alike.
    rules : sequence of Rule, MinSeparation, MinSize, AskedRule or AskedEither
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
    ProblemError
        If the rules contradict the links, or would make too many links.
    """
    if not (rules or problem.rules):
        return problem
    if problem.fixed:
        raise ProblemError("centres cannot be fixed beside rules.")
    asked = tuple(each for each in rules if isinstance(each, AnyAsked))
    for rule in asked:
        rule.check(problem.n)
    wishes = [wish_of(each) if isinstance(each, AnyAsked) else each for each in rules]
    reduced = _reduced(problem, wishes, keeps_rules)
    if not asked:
        return reduced
    given = Asked(asked, problem.must_link, problem.cannot_link, problem.sizes)
    return replace(reduced, asked=given)


def _reduced(problem: Problem, wishes: Iterable[Wish], keeps_rules: bool) -> Problem:
    across, apart = np.inf, 0.0
    left: list[Rule] = []
    smallest, largest = 1, problem.n
    for wish in _flat([*problem.rules, *wishes]):
        if isinstance(wish, MaxDiameter):
            across = min(across, wish.limit)
        elif isinstance(wish, MinSeparation):
            apart = max(apart, wish.limit)
        elif isinstance(wish, MinSize):
            smallest = max(smallest, wish.limit)
        elif isinstance(wish, MaxSize) and not (keeps_rules and problem.sizes is None):
            largest = min(largest, wish.limit)
        else:
            left.append(_named(problem, wish))
    if problem.outliers and (smallest > 1 or apart > 0.0):
        raise ProblemError("points cannot be left out beside the rules size>= and separation>=.")
    sizes = _sizes(problem, smallest, largest)
    far = _far(problem, across) if across < np.inf else _NO_PAIRS
    near = _near(problem, apart) if apart > 0 else _NO_PAIRS
    reduced = refine(replace(problem, sizes=sizes, rules=tuple(left)), near, far)
    return _apart(reduced)


def _named(problem: Problem, rule: Rule) -> Rule:
    """Return a rule whose limits on soft cannot-links name these."""
    if isinstance(rule, MaxConflicts):
        return rule.on(problem)
    if isinstance(rule, Either):
        return Either(tuple(_named(problem, each) for each in rule.rules))
    if isinstance(rule, MaxDiameter):
        _check_pairs(problem.n)
    return rule


def _apart(problem: Problem) -> Problem:
    """Return the problem with a cannot-link for each two blocks that a limit on a sum parts."""
    limits = sum_limits(problem)
    for rule in limits:
        rule.check(problem)
    pairs = list(too_heavy(problem, contract(problem).block_of)) if limits else []
    if sum(map(len, pairs)) > MOST_LINKS:
        raise ProblemError(_TOO_MANY.format("sum", MOST_LINKS, "cannot-links"))
    return refine(problem, _NO_PAIRS, np.concatenate(pairs)) if pairs else problem


def _flat(wishes: Iterable[Wish]) -> Iterator[Wish]:
    """Yield single rules, with each `Both` replaced by its members."""
    for wish in wishes:
        if isinstance(wish, Both):
            yield from _flat(wish.rules)
        else:
            yield wish


def _far(problem: Problem, limit: float) -> IntArray:
    n, X = problem.n, problem.X
    _check_pairs(n)
    # Distances are computed in strips; the loop ends once there are too many pairs.
    strip, found, many = max(1, _CELLS // n), [], 0
    for first in range(0, n, strip):
        i, j = np.nonzero(scipy.spatial.distance.cdist(X[first : first + strip], X) > limit)
        pairs = np.column_stack([i + first, j])
        found.append(pairs[pairs[:, 0] < pairs[:, 1]])
        many += len(found[-1])
        if many > MOST_LINKS:
            raise ProblemError(_TOO_MANY.format("diameter", MOST_LINKS, "cannot-links"))
    return np.concatenate(found)


def _check_pairs(n: int) -> None:
    if n * (n - 1) // 2 > MOST_PAIRS:
        raise ProblemError(f"a maximum diameter looks at every pair, too many of {n:,} points.")


def _near(problem: Problem, limit: float) -> IntArray:
    tree = scipy.spatial.cKDTree(problem.X)
    if (tree.count_neighbors(tree, limit) - problem.n) // 2 > MOST_LINKS:
        raise ProblemError(_TOO_MANY.format("separation", MOST_LINKS, "must-links"))
    return np.array(minimum_separation(problem.X, limit), dtype=np.int64).reshape(-1, 2)


def _sizes(problem: Problem, smallest: int, largest: int) -> Sizes | None:
    if smallest <= 1 and largest >= problem.n:
        return problem.sizes
    k = problem.k
    given = problem.sizes or Sizes(np.ones(k, dtype=np.int64), np.full(k, problem.n))
    return Sizes(np.maximum(given.lower, smallest), np.minimum(given.upper, largest))
