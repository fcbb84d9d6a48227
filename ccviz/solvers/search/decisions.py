"""Decisions on the way to a node of the search tree, and their form in events.

A decision is about a pair of points or about a disc. Events carry both as the fields ``pair``,
``together`` and ``place``: with ``place``, the pair is a disc's centre and a point on its border,
and ``together`` is whether the disc is occupied.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self, TypedDict

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import NodeBranched, NodeOpened
from ccviz.problem.blocks import contract, refine
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import AnyProblem


@dataclass(frozen=True)
class PairDecision:
    """Two points in one cluster, or in different clusters."""

    first: int
    second: int
    together: bool

    @property
    def opposite(self) -> Self:
        """The decision of the sibling."""
        return replace(self, together=not self.together)


@dataclass(frozen=True)
class DiscDecision:
    """A disc that contains the mean of some cluster, or of none."""

    center: int
    border: int
    occupied: bool

    @property
    def opposite(self) -> Self:
        """The decision of the sibling."""
        return replace(self, occupied=not self.occupied)


Decision = PairDecision | DiscDecision


class OpenedFields(TypedDict):
    """The fields of `NodeOpened` that carry a decision."""

    pair: tuple[int, int] | None
    together: bool
    place: bool


class BranchedFields(TypedDict):
    """The fields of `NodeBranched` that carry what its children decide."""

    pair: tuple[int, int]
    place: bool


def decided_pairs(decisions: Iterable[Decision], together: bool) -> IntArray:
    """Return the (m, 2) pairs of points that are decided to be together, or apart."""
    pairs = [
        (each.first, each.second)
        for each in decisions
        if isinstance(each, PairDecision) and each.together == together
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def under_decisions(problem: AnyProblem, decisions: Iterable[Decision]) -> AnyProblem:
    """Return a problem with the pairs that a node decided on as links.

    Raises `ContradictionError` or `ProblemError` if they leave no clustering.
    """
    decisions = tuple(decisions)
    return refine(problem, *(decided_pairs(decisions, side) for side in (True, False)))


def decided_discs(decisions: Iterable[Decision], occupied: bool) -> IntArray:
    """Return (m, 2) centres and border points of the discs decided to be occupied, or empty."""
    discs = [
        (each.center, each.border)
        for each in decisions
        if isinstance(each, DiscDecision) and each.occupied == occupied
    ]
    return np.array(discs, dtype=np.int64).reshape(-1, 2)


def opened_fields(decision: Decision | None) -> OpenedFields:
    """Return the fields of `NodeOpened` for a node's last decision; None at the root."""
    match decision:
        case PairDecision(first, second, together):
            return OpenedFields(pair=(first, second), together=together, place=False)
        case DiscDecision(center, border, occupied):
            return OpenedFields(pair=(center, border), together=occupied, place=True)
    return OpenedFields(pair=None, together=False, place=False)


def branched_fields(decision: Decision) -> BranchedFields:
    """Return the fields of `NodeBranched` for the decision of either child."""
    match decision:
        case PairDecision(first, second):
            return BranchedFields(pair=(first, second), place=False)
        case DiscDecision(center, border):
            return BranchedFields(pair=(center, border), place=True)


def decision_of(event: NodeOpened) -> Decision | None:
    """Return the last decision of the node that an event opened; None at the root."""
    if event.pair is None:
        return None
    kind = DiscDecision if event.place else PairDecision
    return kind(*event.pair, event.together)


def children_of(event: NodeBranched) -> tuple[Decision, Decision]:
    """Return the decisions of both children: together or occupied first."""
    kind = DiscDecision if event.place else PairDecision
    first = kind(*event.pair, True)
    return first, first.opposite


# --------------------------------------------------------------------------------------------------
# The margin for rounding between a bound on the centred points and one on the given points.
#
# Solvers move the points to about their mean, contract must-linked points to rounded means and add
# up sums of squares in doubles. Sums of weights are exact (`ccviz.problem.points`), and norms are
# weighted by them. A clustering's cost is the square of the norm of the points less their means,
# which is a projection of the points. So an error of norm e in the points moves the root of every
# cost, and of the optimum, by at most e. The other errors are relative: each sum of squares has
# only terms that are not negative, and so has the sum of the broken soft links' weights. An error
# of norm e moves the root of a cost with weights by no more than that of its squares alone.
#
# `gamma` is the relative error of a sum (Higham 2002, section 3.1), doubled to pay for the rounding
# of the margin itself.

_UNIT = 2.0**-53
_TURNED = 8  # operations that a rotation makes on a coordinate, per entry: an upper bound
_NORMAL = 2.0**-1022  # the smallest double with all its digits


def gamma(count: float) -> float:
    """Return the relative error of a sum of products, safely.

    `count`: Terms that are added one after another.
    """
    return 2.0 * (count + 1) * _UNIT


@dataclass(frozen=True)
class Margin:
    """What rounding may have added to a lower bound."""

    relative: float = 0.0
    slip: float = 0.0  # Norm of the error of the points, in their unit

    def below(self, bound: float) -> float:
        """Return a bound on the given points from a computed one.

        `bound`: Of costs in the unit of the points; returned as it is unless positive and finite.
        """
        if not (math.isfinite(bound) and bound > 0.0):
            return bound
        # Not more than the square of (root - slip).
        left = bound - (self.relative * bound + 2.0 * self.slip * math.sqrt(bound))
        return left if left >= _NORMAL else 0.0


def margin_of(problem: Problem) -> Margin:
    """Return the margin for solvers that work on the points about their mean."""
    n, d = problem.n, problem.d
    largest = float(contract(problem).count.max())
    lost = gamma(largest + 12) + (gamma(_TURNED * n * d) if d > n else 0.0)
    # `Partition.wcss` takes off rounded means: n u of a mean of n terms, which counts squared,
    # and differences from a point that may be sqrt(n) times as far off as the mean, the heaviest
    # of its cluster if there are weights.
    links = len(problem.must_link.soft) + len(problem.cannot_link.soft)
    relative = gamma(2.0 * math.sqrt(n) + d + 64 + links) + n * (n * _UNIT) ** 2
    return Margin(relative, lost * _norm(problem))


def _norm(problem: Problem) -> float:
    """Return the norm of the points less their mean, rounded up."""
    X, weights = problem.X, problem.masses
    if not weights.all():
        X, weights = X[weights > 0.0], weights[weights > 0.0]
    size, squares = max(-float(X.min()), float(X.max())) or 1.0, 0.0
    for column in X.T:  # a column at a time takes little memory
        moved = (column - column.mean(dtype=np.float64)) / size
        squares += float((weights * moved**2).sum())
    return math.sqrt(squares * (1.0 + gamma(problem.n + problem.d))) * size * (1.0 + gamma(4))
