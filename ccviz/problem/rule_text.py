"""Rules as people write them: ``diameter<=3``, ``separation>=0.5``, ``size<=40``, and more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ccviz.problem.asked import AnyAsked, AskedEither
from ccviz.problem.problem import Problem
from ccviz.problem.rule_words import (
    Clusterings,
    Columns,
    check_either,
    looked_up,
    split_either,
    split_rule,
)
from ccviz.problem.rules import (
    Alternatives,
    Both,
    Either,
    MaxDiameter,
    MaxOverlap,
    MaxSize,
    MinDifference,
    Rule,
    SoftCannotLink,
    clusters_of,
    different_from,
)
from ccviz.problem.sums import sum_limit


@dataclass(frozen=True)
class MinSeparation:
    """Points of different clusters are at least ``limit`` apart (Euclidean).

    Parameters
    ----------
    limit : float
        In the units of X.
    """

    limit: float


@dataclass(frozen=True)
class MinSize:
    """A cluster holds at least ``limit`` points.

    Parameters
    ----------
    limit : int
        Points.
    """

    limit: int


@dataclass(frozen=True)
class MaxConflicts(Rule):
    """A cluster holds both points of at most ``limit`` soft cannot-links of the problem.

    Parameters
    ----------
    limit : int
        Soft cannot-links.
    """

    limit: int

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load in which the problem's soft cannot-links weigh 1."""
        return self.on(problem).alternatives(problem)

    def on(self, problem: Problem) -> SoftCannotLink:
        """Return the rule that names the problem's soft cannot-links.

        Parameters
        ----------
        problem : Problem
        """
        pairs = problem.cannot_link.soft.pairs.tolist()
        return SoftCannotLink(tuple((i, j) for i, j in pairs), self.limit)


Wish = Rule | MinSeparation | MinSize
"""Any rule on every cluster; `ccviz.problem.reduction` reduces some to links and sizes."""


def parse_rule(
    text: str, clustering: Clusterings | None = None, column: Columns | None = None
) -> Wish:
    """Parse a rule.

    Parameters
    ----------
    text : str
        ``diameter<=3``, ``separation>=0.5``, ``size<=40``, ``size>=5``; ``overlap(C)<=3`` for at
        most 3 points shared by any cluster and any cluster of the known clustering C, and
        ``difference(C)>=2`` for at least 2 points of each cluster of C that any cluster lacks;
        ``outside(C)<=2`` for at most 2 points of any cluster from outside some cluster of C;
        ``conflicts<=1`` for at most one soft cannot-link with both points in a cluster;
        ``sum(V)>=1000`` and ``sum(V)<=20%`` for the sum of the column V in any cluster, a number
        or a share of all points' sum. ``size<=40 or diameter<=3`` joins two or more rules, of which
        every cluster keeps at least one; ``separation>=``, ``size>=`` and ``sum(V)>=`` cannot be
        joined.
    clustering : callable, optional
        Returns the (n,) labels of C.
    column : callable, optional
        Returns the (n,) values of V.

    Returns
    -------
    Rule, MinSeparation or MinSize

    Raises
    ------
    ProblemError
        If the text is not a rule; the sentence shows the grammar.
    """
    texts = split_either(text)
    if len(texts) > 1:
        check_either(texts)
        return either(parse_rule(each, clustering, column) for each in texts)
    words = split_rule(text)
    return _MAKERS[words.kind](words, looked_up(text, words, clustering, column))


def either(wishes: Iterable[Wish]) -> Either:
    """Return the rule that every cluster keeps one of several.

    Parameters
    ----------
    wishes : iterable of Rule
        All anti-monotone, see `ccviz.problem.rule_words.check_either`.

    Returns
    -------
    Either
    """
    return Either(tuple(each for each in wishes if isinstance(each, Rule)))


def wish_of(rule: AnyAsked) -> Wish:
    """Return the rule that was asked for in words.

    Parameters
    ----------
    rule : AskedRule or AskedEither
    """
    if isinstance(rule, AskedEither):
        return either(wish_of(each) for each in rule.rules)
    return parse_rule(rule.text, lambda _: rule.known, lambda _: rule.known)


def overlap_of(labels: ArrayLike, limit: int) -> Both:
    """Return the rule that no cluster shares more than ``limit`` points with a known cluster.

    Parameters
    ----------
    labels : (n,) int
        The known clustering.
    limit : int
        Points.

    Returns
    -------
    Both
    """
    return Both(tuple(MaxOverlap(cluster, limit) for cluster in clusters_of(labels)))


def similar_to(labels: ArrayLike, limit: int) -> Either:
    """Return the rule that each cluster is in some known cluster, but for ``limit`` points.

    Parameters
    ----------
    labels : (n,) int
        The known clustering.
    limit : int
        Points.

    Returns
    -------
    Either
    """
    return Either(tuple(MinDifference(cluster, limit) for cluster in clusters_of(labels)))


_MAKERS: dict[str, Callable[..., Wish]] = {
    "diameter<=": lambda words, _: MaxDiameter(words.limit),
    "separation>=": lambda words, _: MinSeparation(words.limit),
    "size<=": lambda words, _: MaxSize(words.limit),
    "size>=": lambda words, _: MinSize(words.limit),
    "overlap()<=": lambda words, labels: overlap_of(labels, words.limit),
    "difference()>=": lambda words, labels: different_from(labels, words.limit),
    "sum()<=": lambda words, values: sum_limit(values, words),
    "sum()>=": lambda words, values: sum_limit(values, words),
    "outside()<=": lambda words, labels: similar_to(labels, words.limit),
    "conflicts<=": lambda words, _: MaxConflicts(words.limit),
}
"""How a rule is made, by its word and sign."""
