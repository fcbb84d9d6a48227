"""Whether a clustering keeps each rule of the problem, measured on the points themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.asked import AnyAsked, AskedEither, AskedRule
from ccviz.problem.problem import Problem
from ccviz.problem.rule_text import either, wish_of
from ccviz.problem.rules import diameter
from ccviz.problem.sums import sum_limit
from ccviz.problem.weights import exact_grid


@dataclass(frozen=True)
class KeptRule:
    """A rule, and the measured value of the quantity that it limits.

    Attributes
    ----------
    rule : AskedRule or AskedEither
    found : float
        The largest diameter, the smallest separation or size, the most shared points, the
        largest or smallest sum: whatever the rule limits. Of rules joined by *or* the number of
        clusters that keep none of them.
    holds : bool
    """

    rule: AnyAsked
    found: float
    holds: bool


def kept_rules(problem: Problem, labels: IntArray) -> tuple[KeptRule, ...]:
    """Return for each rule of the problem whether a clustering keeps it.

    Parameters
    ----------
    problem : Problem
    labels : (n,) int64
        0 to k - 1.

    Returns
    -------
    tuple of KeptRule
        In the order in which the rules were given.
    """
    rules = problem.given.rules
    single = [rule for rule in rules if isinstance(rule, AskedRule)]
    # One measurement answers all rules of a kind.
    found = {
        (rule.words.kind, rule.known): _MEASURES[rule.words.kind](problem, labels, rule)
        for rule in {(each.words.kind, each.known): each for each in single}.values()
    }
    return tuple(
        _joined(problem, labels, rule)
        if isinstance(rule, AskedEither)
        else _judged(rule, found[rule.words.kind, rule.known])
        for rule in rules
    )


def _joined(problem: Problem, labels: IntArray, rule: AskedEither) -> KeptRule:
    """Judge rules joined by *or*, cluster by cluster."""
    joined = either(map(wish_of, rule.rules))
    clusters = [np.flatnonzero(labels == j) for j in np.unique(labels[labels >= 0]).tolist()]
    broken = sum(not joined.allows(problem, points) for points in clusters)
    return KeptRule(rule, float(broken), not broken)


def _judged(rule: AskedRule, found: float) -> KeptRule:
    words = rule.words
    if words.names_column:
        limit = sum_limit(np.array(rule.known), words).limit
        return KeptRule(
            rule, found, found <= limit if words.kind.endswith("<=") else found >= limit
        )
    holds = found <= words.limit if words.kind.endswith("<=") else found >= words.limit
    return KeptRule(rule, found, holds)


def _diameter(problem: Problem, labels: IntArray, _: AskedRule) -> float:
    return max(diameter(problem.X[labels == j]) for j in np.unique(labels).tolist())


def _separation(problem: Problem, labels: IntArray, _: AskedRule) -> float:
    gaps = [np.inf]
    for j in np.unique(labels).tolist():
        here, there = problem.X[labels == j], problem.X[labels != j]
        if len(there):
            gaps.append(scipy.spatial.cKDTree(there).query(here)[0].min())
    return float(min(gaps))


def _sizes(problem: Problem, labels: IntArray) -> IntArray:
    return np.bincount(labels, minlength=problem.k)


def _shared(labels: IntArray, rule: AskedRule) -> tuple[IntArray, IntArray]:
    """Return the size of each known cluster, and its largest overlap with any cluster."""
    table = _table(labels, rule)
    return table.sum(axis=1), table.max(axis=1)


def _table(labels: IntArray, rule: AskedRule) -> IntArray:
    """Return the number of points that each known cluster shares with each cluster."""
    known = np.unique(rule.known, return_inverse=True)[1]
    table = np.zeros((known.max() + 1, labels.max() + 1), dtype=np.int64)
    np.add.at(table, (known, labels), 1)
    return table


def _overlap(_: Problem, labels: IntArray, rule: AskedRule) -> float:
    return float(_shared(labels, rule)[1].max())


def _difference(_: Problem, labels: IntArray, rule: AskedRule) -> float:
    """Return the fewest points of a known cluster that a cluster sharing two or more lacks."""
    sizes, most = _shared(labels, rule)
    missed = (sizes - most)[most > 1]
    return float(missed.min()) if len(missed) else np.inf


def _outside(_: Problem, labels: IntArray, rule: AskedRule) -> float:
    """Return the most points that a cluster has outside the known cluster most like it."""
    return float((np.bincount(labels) - _table(labels, rule).max(axis=0)).max())


def _conflicts(problem: Problem, labels: IntArray, _: AskedRule) -> float:
    i, j = problem.cannot_link.soft.pairs.T
    inside = labels[i][(labels[i] == labels[j]) & (labels[i] >= 0)]
    return float(np.bincount(inside, minlength=1).max())


def _sums(problem: Problem, labels: IntArray, rule: AskedRule) -> FloatArray:
    on_grid = exact_grid(np.array(rule.known))[1]
    return np.bincount(labels, on_grid, problem.k).astype(np.float64)


_MEASURES: dict[str, Callable[[Problem, IntArray, AskedRule], float]] = {
    "diameter<=": _diameter,
    "separation>=": _separation,
    "size<=": lambda problem, labels, _: float(_sizes(problem, labels).max()),
    "size>=": lambda problem, labels, _: float(_sizes(problem, labels).min()),
    "overlap()<=": _overlap,
    "difference()>=": _difference,
    "sum()<=": lambda problem, labels, rule: float(_sums(problem, labels, rule).max()),
    "sum()>=": lambda problem, labels, rule: float(_sums(problem, labels, rule).min()),
    "outside()<=": _outside,
    "conflicts<=": _conflicts,
}
