"""The rules, each beside the kind in whose words it is asked for.

A maximum diameter is a cannot-link for each pair too far apart, a minimum separation a must-link
for each pair too near (Davidson and Ravi 2007). `RULE_KINDS` has all kinds, those of other modules
too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray, IntArray, row_strips
from ccviz.errors import ProblemError
from ccviz.problem.column_links import ApartBy, LabelsBy, TogetherBy
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
    check_links,
    conjunction,  # noqa: F401
)
from ccviz.problem.sums import LeastSum, MostSum


def _one(limit: float, weight: FloatArray, pairs: IntArray = NO_PAIRS) -> Alternatives:
    """Return the normal form of a rule that limits one load."""
    if limit < 0:
        raise ProblemError(f"a rule has the limit {limit}, but limits are at least 0.")
    return ((Load(float(limit), weight, pairs),),)


# --- Distances between points ---------------------------------------------------------------------


MOST_PAIRS = 50_000_000
"""Most pairs of points whose distances are computed."""

_CELLS = 1 << 22  # distances computed at a time
_NO_OUTLIERS = "points cannot be left out beside the rules size>= and separation>=."


@dataclass(frozen=True)
class MaxDiameter(Rule):
    """No two points of a cluster are further apart than ``limit`` (Euclidean).

    Parameters
    ----------
    limit : float
        In the units of X.
    """

    limit: float

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load with limit 0 in which the pairs too far apart weigh 1."""
        gaps = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(problem.X))
        return _one(0, np.zeros(problem.n), np.argwhere(np.triu(gaps > self.limit)))

    def allows(self, problem: Points, points: IntArray) -> bool:
        """Whether no two of these points are too far apart, without the list of such pairs."""
        return diameter(problem.X[points]) <= self.limit

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return a cannot-link for each two points too far apart."""
        _check_pairs(problem.n)
        n, X = problem.n, problem.X
        # Distances are computed in strips; the loop ends once there are too many pairs.
        strip, found, many = max(1, _CELLS // n), [], 0
        for first in range(0, n, strip):
            far = scipy.spatial.distance.cdist(X[first : first + strip], X) > self.limit
            i, j = np.nonzero(far)
            pairs = np.column_stack([i + first, j])
            found.append(pairs[pairs[:, 0] < pairs[:, 1]])
            many += len(found[-1])
            check_links(many, "diameter", "cannot-links")
        return Reduction(cannot_link=np.concatenate(found))

    def settled(self, problem: Points) -> MaxDiameter:
        """Return itself, if there are not too many pairs to look at."""
        _check_pairs(problem.n)
        return self


def _check_pairs(n: int) -> None:
    if n * (n - 1) // 2 > MOST_PAIRS:
        raise ProblemError(f"a maximum diameter looks at every pair, too many of {n:,} points.")


def diameter(points: FloatArray) -> float:
    """Return the largest distance between two points, 0 of no points, computed in strips.

    Parameters
    ----------
    points : (m, d) float64
    """
    strips = (
        scipy.spatial.distance.cdist(points[rows], points)
        for rows in row_strips(len(points), len(points))
    )
    return float(max((gaps.max() for gaps in strips), default=0.0))


class _Diameter(RuleKind):
    """An upper limit on the distance of two points in a cluster."""

    name, text, unit = "diameter<=", "diameter<=D", "distance"
    words, label = "diameter at most {limit}", "Diameter at most"
    help_text = (
        "No two points of a cluster are further apart; in the units of the features as scaled."
    )
    sample, is_links, stored = "diameter<=5", True, (MaxDiameter,)

    def rule(self, words: RuleWords, known: Any) -> MaxDiameter:
        return MaxDiameter(words.limit)

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        return max(diameter(problem.X[labels == j]) for j in np.unique(labels).tolist())


@dataclass(frozen=True)
class MinSeparation(Rule):
    """Points of different clusters are at least ``limit`` apart (Euclidean).

    Parameters
    ----------
    limit : float
        In the units of X.
    """

    limit: float

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return a must-link for each two points too near."""
        if self.limit <= 0.0:
            return Reduction()
        if problem.outliers:
            raise ProblemError(_NO_OUTLIERS)
        tree = scipy.spatial.cKDTree(problem.X)
        near = (tree.count_neighbors(tree, self.limit) - problem.n) // 2
        check_links(near, "separation", "must-links")
        pairs = np.array(minimum_separation(problem.X, self.limit), dtype=np.int64)
        return Reduction(must_link=pairs.reshape(-1, 2))


def minimum_separation(X: ArrayLike, distance: float) -> list[tuple[int, int]]:
    """Return the must-links that keep points of different clusters at least ``distance`` apart.

    Points nearer to each other than ``distance`` must share a cluster (Davidson and Ravi 2007).

    Parameters
    ----------
    X : (n, d) array of float
    distance : float
        Euclidean, in the units of X.
    """
    X = np.asarray(X, dtype=np.float64)
    near = scipy.spatial.cKDTree(X).query_pairs(distance, output_type="ndarray")
    gaps = np.linalg.norm(X[near[:, 0]] - X[near[:, 1]], axis=1)
    return sorted(map(tuple, near[gaps < distance].tolist()))


class _Separation(RuleKind):
    """A lower limit on the distance of two points in different clusters."""

    name, text, unit = "separation>=", "separation>=D", "distance"
    words, label = "separation at least {limit}", "Separation at least"
    help_text = (
        "Points of different clusters are no nearer; in the units of the features as scaled."
    )
    sample, is_links, is_anti_monotone = "separation>=1.5", True, False

    def rule(self, words: RuleWords, known: Any) -> MinSeparation:
        return MinSeparation(words.limit)

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        gaps = [np.inf]
        for j in np.unique(labels).tolist():
            here, there = problem.X[labels == j], problem.X[labels != j]
            if len(there):
                gaps.append(scipy.spatial.cKDTree(there).query(here)[0].min())
        return float(min(gaps))


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
            raise ProblemError(_NO_OUTLIERS)
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
        _Diameter(),
        _Separation(),
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
