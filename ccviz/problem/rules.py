"""The rules, each beside the kind in whose words it is asked for.

`RULE_KINDS` has all kinds, those of other modules too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ProblemError
from ccviz.problem.column_links import (  # noqa: F401 - their names of before
    MOST_PAIRS,
    NO_OUTLIERS,
    ApartBy,
    Diameter,
    DiameterOf,
    LabelsBy,
    MaxDiameter,
    MinSeparation,
    Separation,
    SeparationOf,
    TogetherBy,
    diameter,
    minimum_separation,
)
from ccviz.problem.counts import (
    LeastCount,
    LeastMean,
    LeastShare,
    MostCount,
    MostMean,
    MostShare,
)
from ccviz.problem.rule_base import (
    MOST_ALTERNATIVES,  # noqa: F401 - here for those who use rules
    NO_PAIRS,
    Alternatives,
    Both,
    Either,
    Load,
    Points,
    Reduction,
    Rule,
    RuleKind,
    RuleWords,
    conjunction,  # noqa: F401
)
from ccviz.problem.sums import LeastSum, MostSum


def _one(limit: float, weight: FloatArray, pairs: IntArray = NO_PAIRS) -> Alternatives:
    """Return the normal form of a rule that limits one load."""
    if limit < 0:
        raise ProblemError(f"a rule has the limit {limit}, but limits are at least 0.")
    return ((Load(float(limit), weight, pairs),),)


# --- Numbers of points in a cluster ---------------------------------------------------------------


@dataclass(frozen=True)
class MaxSize(Rule):
    """A cluster holds at most ``limit`` points.

    Parameters
    ----------
    limit : int
        Points.
    """

    limit: int

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load in which every point weighs 1."""
        return _one(self.limit, np.ones(problem.n))

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction | None:
        """Return the limit on sizes, which more solvers support."""
        return None if keeps_sizes else Reduction(largest=self.limit)


class _MostPoints(RuleKind):
    """An upper limit on the points of a cluster."""

    name, text, unit = "size<=", "size<=N", "points"
    words, label = "at most {limit} points a cluster", "Size at most"
    help_text = "Of every cluster."
    sample, stored = "size<=4", (MaxSize,)

    def rule(self, words: RuleWords, known: Any) -> MaxSize:
        return MaxSize(int(words.limit))

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        return float(np.bincount(labels, minlength=problem.k).max())


@dataclass(frozen=True)
class MinSize(Rule):
    """A cluster holds at least ``limit`` points.

    Parameters
    ----------
    limit : int
        Points.
    """

    limit: int

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return the limit on sizes."""
        if problem.outliers and self.limit > 1:
            raise ProblemError(NO_OUTLIERS)
        return Reduction(smallest=self.limit)


class _LeastPoints(RuleKind):
    """A lower limit on the points of a cluster."""

    name, text, unit = "size>=", "size>=N", "points"
    words, label = "at least {limit} points a cluster", "Size at least"
    help_text = "Of every cluster."
    sample, is_anti_monotone = "size>=2", False

    def rule(self, words: RuleWords, known: Any) -> MinSize:
        return MinSize(int(words.limit))

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        return float(np.bincount(labels, minlength=problem.k).min())


# --- Points shared with the clusters of a known clustering ----------------------------------------


@dataclass(frozen=True)
class MaxOverlap(Rule):
    """A cluster holds at most ``limit`` of the given points.

    Parameters
    ----------
    limit : int
        Points.
    """

    points: tuple[int, ...]
    limit: int

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load in which the given points weigh 1."""
        return _one(self.limit, _indicator(problem, self.points))


@dataclass(frozen=True)
class MinDifference(Rule):
    """A cluster holds at most ``limit`` points from outside the given ones.

    The paper's minimum difference constraint, which limits the points outside the given set.

    Parameters
    ----------
    limit : int
        Points.
    """

    points: tuple[int, ...]
    limit: int

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load in which the points that are not given weigh 1."""
        return _one(self.limit, 1.0 - _indicator(problem, self.points))


def _indicator(problem: Points, points: tuple[int, ...]) -> FloatArray:
    index = np.array(points, dtype=np.int64)
    _check_indices(problem, index)
    weight = np.zeros(problem.n)
    weight[index] = 1.0
    return weight


def _check_indices(problem: Points, index: IntArray) -> None:
    wrong = index[(index < 0) | (index >= problem.n)]
    if len(wrong):
        raise ProblemError(
            f"a rule names point {wrong[0]}, but the points are 0 to {problem.n - 1}."
        )


def different_from(labels: ArrayLike, by: int) -> Both:
    """Return the rule that finds a different clustering.

    Parameters
    ----------
    labels : (n,) int
        The known clustering.
    by : int
        Each new cluster lacks at least this many points of each known cluster. It may always hold
        one of them: otherwise points of a known cluster this small would fit into no cluster.
    """
    known = clusters_of(labels)
    return Both(tuple(MaxOverlap(cluster, max(len(cluster) - by, 1)) for cluster in known))


def overlap_of(labels: ArrayLike, limit: int) -> Both:
    """Return the rule that no cluster shares more than ``limit`` points with a known cluster.

    Parameters
    ----------
    labels : (n,) int
        The known clustering.
    limit : int
        Points.
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
    """
    return Either(tuple(MinDifference(cluster, limit) for cluster in clusters_of(labels)))


def clusters_of(labels: ArrayLike) -> list[tuple[int, ...]]:
    """Return the points of each cluster, by its label.

    Parameters
    ----------
    labels : (n,) int
    """
    labels = np.asarray(labels)
    return [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]


def _shared(labels: IntArray, known: Any) -> IntArray:
    """Return the number of points that each known cluster shares with each cluster."""
    row = np.unique(known, return_inverse=True)[1]
    table = np.zeros((row.max() + 1, labels.max() + 1), dtype=np.int64)
    np.add.at(table, (row, labels), 1)
    return table


class _Difference(RuleKind):
    """A lower limit on the points of each known cluster that a cluster lacks."""

    name, text, unit, names = "difference()>=", "difference(CLUSTERING)>=N", "points", "run"
    words, label = "unlike {name}, by {limit} points a cluster", "Different from a run"
    help_text = (
        "Another answer: every cluster lacks at least these points of each cluster of that run."
    )
    sample, stored = "difference(known)>=1", (MaxOverlap,)

    def rule(self, words: RuleWords, known: Any) -> Both:
        return different_from(known, int(words.limit))

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        table = _shared(labels, known)
        sizes, most = table.sum(axis=1), table.max(axis=1)
        missed = (sizes - most)[most > 1]
        return float(missed.min()) if len(missed) else np.inf


class _Overlap(RuleKind):
    """An upper limit on the points that a cluster shares with a known cluster."""

    name, text, unit, names = "overlap()<=", "overlap(CLUSTERING)<=N", "points", "run"
    words = "at most {limit} points shared with a cluster of {name}"
    label = "Overlap with a run at most"
    help_text = "No cluster shares more points than these with any cluster of that run."
    sample, stored = "overlap(known)<=2", (MaxOverlap,)

    def rule(self, words: RuleWords, known: Any) -> Both:
        return overlap_of(known, int(words.limit))

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        return float(_shared(labels, known).max())


class _Similarity(RuleKind):
    """An upper limit on the points of a cluster outside the known cluster most like it."""

    name, text, unit, names = "outside()<=", "outside(CLUSTERING)<=N", "points", "run"
    words = "at most {limit} points a cluster from outside a cluster of {name}"
    label = "Similar to a run, but for"
    help_text = (
        "Every cluster has a cluster of that run from outside which it takes at most these points."
    )
    sample, stored = "outside(known)<=1", (MinDifference,)

    def rule(self, words: RuleWords, known: Any) -> Either:
        return similar_to(known, int(words.limit))

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        return float((np.bincount(labels) - _shared(labels, known).max(axis=0)).max())


# --- Soft cannot-links with both points in a cluster ----------------------------------------------


@dataclass(frozen=True)
class SoftCannotLink(Rule):
    """A cluster holds at most ``limit`` of the given pairs.

    Parameters
    ----------
    limit : int
        Pairs.
    """

    pairs: tuple[tuple[int, int], ...]
    limit: int

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load in which the given pairs weigh 1."""
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        _check_indices(problem, pairs.ravel())
        return _one(self.limit, np.zeros(problem.n), np.unique(np.sort(pairs, axis=1), axis=0))


@dataclass(frozen=True)
class MaxConflicts(Rule):
    """A cluster holds both points of at most ``limit`` soft cannot-links of the problem.

    Parameters
    ----------
    limit : int
        Soft cannot-links.
    """

    limit: int

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load in which the problem's soft cannot-links weigh 1."""
        return self.settled(problem).alternatives(problem)

    def settled(self, problem: Points) -> SoftCannotLink:
        """Return the rule that names the problem's soft cannot-links."""
        pairs = problem.cannot_link.soft.pairs.tolist()
        return SoftCannotLink(tuple((i, j) for i, j in pairs), self.limit)


class _Conflicts(RuleKind):
    """An upper limit on the soft cannot-links inside a cluster."""

    name, text, unit = "conflicts<=", "conflicts<=N", "links"
    words = "at most {limit} soft cannot-links in a cluster"
    label = "Soft cannot-links at most"
    help_text = "Of every cluster: soft cannot-links, which have a weight, with both points in it."
    sample, stored = "conflicts<=1", (SoftCannotLink,)
    sample_links = ((0, 1, 1.0), (1, 2, 1.0))

    def rule(self, words: RuleWords, known: Any) -> MaxConflicts:
        return MaxConflicts(int(words.limit))

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        # As given: a limit of 0 has made hard links of them.
        i, j = problem.given.cannot_link.soft.pairs.T
        inside = labels[i][(labels[i] == labels[j]) & (labels[i] >= 0)]
        return float(np.bincount(inside, minlength=1).max())


RULE_KINDS: dict[str, RuleKind] = {
    kind.name: kind
    for kind in (
        Diameter(),
        Separation(),
        DiameterOf(),
        SeparationOf(),
        TogetherBy(),
        ApartBy(),
        LabelsBy(),
        _MostPoints(),
        _LeastPoints(),
        _Difference(),
        _Overlap(),
        _Similarity(),
        _Conflicts(),
        LeastSum(),
        MostSum(),
        MostCount(),
        LeastCount(),
        MostShare(),
        LeastShare(),
        MostMean(),
        LeastMean(),
    )
}
"""The kinds of rules by their names, in the order in which the page offers them."""

_JOINED: tuple[type[Rule], ...] = (Both, Either)

STORED = {
    rule.__name__: rule
    for rules in (_JOINED, *(kind.stored for kind in RULE_KINDS.values()))
    for rule in rules
}
"""The rules that stored runs may have, by the names of their classes."""
