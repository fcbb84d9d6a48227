"""Decisions on the way to a node of the search tree, and their form in events.

A decision is about a pair of points or about a disc. Events carry both as the fields ``pair``,
``together`` and ``place``: with ``place``, the pair is a disc's centre and a point on its border,
and ``together`` is whether the disc is occupied.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self, TypedDict

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import NodeBranched, NodeOpened


@dataclass(frozen=True)
class PairDecision:
    """Two points in one cluster, or in different clusters.

    Attributes
    ----------
    first, second : int
    together : bool
    """

    first: int
    second: int
    together: bool

    @property
    def opposite(self) -> Self:
        """The decision of the sibling."""
        return replace(self, together=not self.together)


@dataclass(frozen=True)
class DiscDecision:
    """A disc that contains the mean of some cluster, or of none.

    Attributes
    ----------
    center, border : int
        The point at its centre, and a point on its border.
    occupied : bool
    """

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
