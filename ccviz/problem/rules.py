"""Anti-monotone constraints on a single cluster, beyond cannot-links.

A constraint is anti-monotone if every part of a cluster that keeps it keeps it too (Babaki, Guns
and Nijssen 2014, section 2). Each rule here limits a load of the cluster: the sum of weights of
its points and of pairs of its points; `Both` and `Either` join rules. A rule applies to every
cluster of a clustering.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray, IntArray, row_strips
from ccviz.errors import ProblemError
from ccviz.problem.problem import Problem

MOST_ALTERNATIVES = 256
"""Most disjuncts of a problem's rules: pricing solves one subproblem for each."""


@dataclass(frozen=True, eq=False)
class Load:
    """A rule in normal form: the load of a cluster must not pass the limit.

    Attributes
    ----------
    limit : float
    weight : (n,) float64
        Weight of each point, at least 0.
    pairs : (p, 2) int64
        Pairs of points that weigh 1 when together.
    """

    limit: float
    weight: FloatArray
    pairs: IntArray

    @property
    def is_conflict(self) -> bool:
        """Whether the load only forbids its pairs to share a cluster."""
        return self.limit < 1 and not self.weight.any()

    def of(self, points: IntArray) -> float:
        """Return the load of a cluster given by the indices of its points.

        Parameters
        ----------
        points : (m,) int64

        Returns
        -------
        float
        """
        inside = np.zeros(len(self.weight), dtype=bool)
        inside[points] = True
        return float(self.weight[points].sum() + inside[self.pairs].all(axis=1).sum())


Alternatives = tuple[tuple[Load, ...], ...]
"""A rule in disjunctive normal form: a cluster must keep all loads of at least one tuple."""


class Rule:
    """Base of all rules."""

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return the rule in disjunctive normal form over the problem's points.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        tuple of tuples of Load

        Raises
        ------
        ProblemError
            If it names points that do not exist.
        """
        raise NotImplementedError

    def allows(self, problem: Problem, points: IntArray) -> bool:
        """Whether the cluster of these points keeps the rule.

        Parameters
        ----------
        problem : Problem
        points : (m,) int64

        Returns
        -------
        bool
        """
        alternatives = self.alternatives(problem)
        return any(all(load.of(points) <= load.limit for load in loads) for loads in alternatives)


@dataclass(frozen=True)
class MaxSize(Rule):
    """A cluster holds at most ``limit`` points.

    Parameters
    ----------
    limit : int
        Points.
    """

    limit: int

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load in which every point weighs 1."""
        return _one(self.limit, np.ones(problem.n))


@dataclass(frozen=True)
class MaxOverlap(Rule):
    """A cluster holds at most ``limit`` of the given points.

    Parameters
    ----------
    points : tuple of int
    limit : int
        Points.
    """

    points: tuple[int, ...]
    limit: int

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load in which the given points weigh 1."""
        return _one(self.limit, _indicator(problem, self.points))


@dataclass(frozen=True)
class MinDifference(Rule):
    """A cluster holds at most ``limit`` points from outside the given ones.

    The paper's minimum difference constraint, which limits the points outside the given set.

    Parameters
    ----------
    points : tuple of int
    limit : int
        Points.
    """

    points: tuple[int, ...]
    limit: int

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load in which the points that are not given weigh 1."""
        return _one(self.limit, 1.0 - _indicator(problem, self.points))


@dataclass(frozen=True)
class SoftCannotLink(Rule):
    """A cluster holds at most ``limit`` of the given pairs.

    Parameters
    ----------
    pairs : tuple of pairs of int
    limit : int
        Pairs.
    """

    pairs: tuple[tuple[int, int], ...]
    limit: int

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load in which the given pairs weigh 1."""
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        _check_indices(problem, pairs.ravel())
        return _one(self.limit, np.zeros(problem.n), np.unique(np.sort(pairs, axis=1), axis=0))


@dataclass(frozen=True)
class MaxDiameter(Rule):
    """No two points of a cluster are further apart than ``limit`` (Euclidean).

    Parameters
    ----------
    limit : float
        In the units of X.
    """

    limit: float

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return one load with limit 0 in which the pairs too far apart weigh 1."""
        gaps = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(problem.X))
        far = np.argwhere(np.triu(gaps > self.limit))
        return _one(0, np.zeros(problem.n), far)

    def allows(self, problem: Problem, points: IntArray) -> bool:
        """Whether no two of these points are too far apart, without the list of such pairs."""
        return diameter(problem.X[points]) <= self.limit


def diameter(points: FloatArray) -> float:
    """Return the largest distance between two points, computed in strips.

    Parameters
    ----------
    points : (m, d) float64

    Returns
    -------
    float
        0.0 of no points.
    """
    strips = (
        scipy.spatial.distance.cdist(points[rows], points)
        for rows in row_strips(len(points), len(points))
    )
    return float(max((gaps.max() for gaps in strips), default=0.0))


@dataclass(frozen=True)
class Both(Rule):
    """Every one of the rules holds.

    Parameters
    ----------
    rules : tuple of Rule
    """

    rules: tuple[Rule, ...]

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return all ways to take an alternative of each rule."""
        return conjunction(problem, self.rules)

    def allows(self, problem: Problem, points: IntArray) -> bool:
        """Whether the cluster of these points keeps every rule."""
        return all(rule.allows(problem, points) for rule in self.rules)


@dataclass(frozen=True)
class Either(Rule):
    """At least one of the rules holds, cluster by cluster.

    Parameters
    ----------
    rules : tuple of Rule
    """

    rules: tuple[Rule, ...]

    def alternatives(self, problem: Problem) -> Alternatives:
        """Return the alternatives of all rules."""
        return tuple(loads for rule in self.rules for loads in rule.alternatives(problem))

    def allows(self, problem: Problem, points: IntArray) -> bool:
        """Whether the cluster of these points keeps one of the rules."""
        return any(rule.allows(problem, points) for rule in self.rules)


def conjunction(problem: Problem, rules: Iterable[Rule]) -> Alternatives:
    """Return the disjunctive normal form of several rules that must hold together.

    Parameters
    ----------
    problem : Problem
    rules : iterable of Rule

    Returns
    -------
    tuple of tuples of Load
        A cluster is allowed if it keeps all loads of one of them.

    Raises
    ------
    ProblemError
        If there are more than `MOST_ALTERNATIVES` alternatives.
    """
    joined: Alternatives = ((),)
    for rule in rules:
        choices = rule.alternatives(problem)
        if len(joined) * len(choices) > MOST_ALTERNATIVES:
            raise ProblemError(
                f"the rules multiply out to more than {MOST_ALTERNATIVES} alternatives."
            )
        joined = tuple(ours + theirs for ours, theirs in product(joined, choices))
    return joined


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


def clusters_of(labels: ArrayLike) -> list[tuple[int, ...]]:
    """Return the points of each cluster, by its label.

    Parameters
    ----------
    labels : (n,) int
    """
    labels = np.asarray(labels)
    return [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]


def minimum_separation(X: ArrayLike, distance: float) -> list[tuple[int, int]]:
    """Return the must-links that keep points of different clusters at least ``distance`` apart.

    Points nearer to each other than ``distance`` must share a cluster (Davidson and Ravi 2007).

    Parameters
    ----------
    X : (n, d) array of float
    distance : float
        Euclidean, in the units of X.

    Returns
    -------
    list of pairs of int
    """
    X = np.asarray(X, dtype=np.float64)
    near = scipy.spatial.cKDTree(X).query_pairs(distance, output_type="ndarray")
    gaps = np.linalg.norm(X[near[:, 0]] - X[near[:, 1]], axis=1)
    return sorted(map(tuple, near[gaps < distance].tolist()))


def _one(limit: float, weight: FloatArray, pairs: IntArray | None = None) -> Alternatives:
    if limit < 0:
        raise ProblemError(f"a rule has the limit {limit}, but limits are at least 0.")
    if pairs is None:
        pairs = np.zeros((0, 2), dtype=np.int64)
    return ((Load(float(limit), weight, pairs),),)


def _indicator(problem: Problem, points: tuple[int, ...]) -> FloatArray:
    index = np.array(points, dtype=np.int64)
    _check_indices(problem, index)
    weight = np.zeros(problem.n)
    weight[index] = 1.0
    return weight


def _check_indices(problem: Problem, index: IntArray) -> None:
    wrong = index[(index < 0) | (index >= problem.n)]
    if len(wrong):
        raise ProblemError(
            f"a rule names point {wrong[0]}, but the points are 0 to {problem.n - 1}."
        )
