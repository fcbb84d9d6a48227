"""Branching on discs, and disjunctions of discs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StrongParams:
    """Strong branching on discs.

    Attributes
    ----------
    most, most_near : int
        Most discs evaluated at a node, and near one point.
    patience : int
        Discs evaluated after the best one before it stops.
    reach : float
        Size of the region whose evaluations a disc invalidates, relative to a neighbourhood.
    apart : float
        Discs with centres nearer than this share of the larger radius count as alike.
    tight : float
        Facilities that save less than this share of the cardinality dual are left out.
    size : float
        Size of the local master, relative to a neighbourhood.
    error : float
        Accuracy, as a share of the missing bound.
    """

    most: int = 40
    most_near: int = 4
    patience: int = 8
    reach: float = 0.5
    apart: float = 0.5
    tight: float = 0.99
    size: float = 0.7
    error: float = 0.05


@dataclass(frozen=True)
class DisjunctionParams:
    """Where disjunctions lie and how long they are refined.

    Attributes
    ----------
    size : float
        Blocks whose duals a disjunction may raise, relative to a neighbourhood.
    cap : float
        Largest dual in a term, as a multiple of the node's.
    step, steps : float, int
        Share of its side by which a box grows on each side, and how often, while no two meet.
    candidates : int
        Most middles of boxes; none at all turns disjunctions off.
    packing_nodes : int
        Most nodes of the search for the boxes of largest total weight that do not meet.
    trusted : float
        Weight of a candidate's growth rate against the observed one, in terms.
    most_terms : int
        Most terms of all disjunctions together; then the node is branched.
    """

    size: float = 1.0
    cap: float = 1.2
    step: float = 0.05
    steps: int = 5
    candidates: int = 250
    packing_nodes: int = 10_000
    trusted: float = 2.0
    most_terms: int = 150


@dataclass(frozen=True)
class TermParams:
    """Column generation in one term of a disjunction.

    Attributes
    ----------
    rounds : int
        Most iterations.
    gap : float
        Distance of bound and local master at which it ends, as a share of the node's tolerance,
    left : float
        or as a share of what the local master gains, if that is less,
    nothing : float
        but at least this share of the tolerance. A term that gains less counts as stalled.
    error : float
        Accuracy of the local master, as a share of the tolerance,
    rough_rounds, rough_error : int, float
        and in the first iterations.
    first, useful : float
        Facilities that save at least this share of the cardinality dual are a disjunction's first,
        and are kept in a term.
    wide : float
        Size of the region when a worst term is worked on again, relative to a neighbourhood.
    column : float
        Columns that gain less than this share of the tolerance, over all clusters, are not added.
    """

    rounds: int = 8
    gap: float = 0.08
    left: float = 0.25
    nothing: float = 0.005
    error: float = 0.05
    rough_rounds: int = 2
    rough_error: float = 0.2
    first: float = 0.9
    useful: float = 0.985
    wide: float = 2.0
    column: float = 0.25
