"""Column generation over facilities: at a node, and in the neighbourhoods of a large one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FacilityParams:
    """The master over facilities.

    Attributes
    ----------
    pairs, pairs_if_few : int
        Column generation begins over facilities if at least this number of pairs of blocks would
        share a cluster, were all clusters of one size; the second holds for few clusters, whose
        pricing is slow with links.
    few_clusters : int
        Below this number of clusters the second limit holds.
    most_dimensions : int
        With more dimensions a facility has too many near blocks.
    seeds : int
        Blocks that heuristic pricing descends from.
    visit_factor : int
        Multiple of `PricingParams.visits` for an exact pricing.
    slow_rounds : int
        Iterations over which the growth of the bound is measured.
    slow_share : float
        A node is branched if these iterations gain less than this share of the missing bound.
    slow_share_local : float
        The same where nodes below have local masters: they inherit all that this node gains.
    left_out, raised_cap : float
        A block of which more than this share is left out has the cap of its dual multiplied.
    child_accuracy : float
        Least relative accuracy of a child's first master, which lacks facilities anyway.
    """

    pairs: int = 50_000
    pairs_if_few: int = 200_000
    few_clusters: int = 10
    most_dimensions: int = 3
    seeds: int = 500
    visit_factor: int = 20
    slow_rounds: int = 3
    slow_share: float = 0.25
    slow_share_local: float = 0.05
    left_out: float = 1e-2
    raised_cap: float = 2.0
    child_accuracy: float = 1e-3


@dataclass(frozen=True)
class NeighbourhoodParams:
    """The size of a neighbourhood.

    Attributes
    ----------
    blocks : int
        Blocks of a neighbourhood,
    least_clusters, most_clusters : float
        clipped to the blocks of this number of average clusters.
    parts : int
        Local masters are used if all blocks are at least this multiple of a neighbourhood.
    overlap : float
        Sizes of all neighbourhoods of a cycle together, as a multiple of the number of blocks.
    """

    blocks: int = 700
    least_clusters: float = 4.0
    most_clusters: float = 12.0
    parts: int = 4
    overlap: float = 2.0


@dataclass(frozen=True)
class LocalParams:
    """Column generation in one neighbourhood.

    Attributes
    ----------
    rounds : int
        Most iterations.
    gap : float
        Distance of bound and local master at which it ends, as a share of the node's tolerance.
    error : float
        Accuracy of the local master, as a share of the tolerance,
    rough_rounds, rough_error : int, float
        and in the first iterations.
    around : float
        Size of the priced region, as a multiple of a neighbourhood.
    useful : float
        Facilities whose best part saves at least this share of the cardinality dual are kept.
    """

    rounds: int = 8
    gap: float = 0.2
    error: float = 0.1
    rough_rounds: int = 2
    rough_error: float = 0.5
    around: float = 3.0
    useful: float = 0.985
