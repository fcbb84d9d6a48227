"""How a node begins and how it is closed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StartParams:
    """How a root finds its first columns and their costs of being left out.

    Attributes
    ----------
    feasibility_s : float
        Seconds for the check of feasibility. Column generation decides what it leaves open.
    memetic_blocks, memetic_clusters : int
        The memetic solver gives the first clustering if there are more blocks and more clusters
        than these. With fewer, k-means finds as good a clustering.
    swap_clusters : int
        Least number of clusters at which swaps of centres improve that clustering further.
    least_swap_work, most_swap_work : int
        Range of blocks times clusters for those swaps. At the upper end they take about a minute.
    artificial : float
        First artificial cost of a point, as a multiple of its usual cost.
    artificial_move : float
        First artificial cost of a block, as a multiple of what the block adds to the second best
        cluster; the larger of the two counts.
    artificial_most : float
        Largest first artificial cost, as a multiple of the usual cost. Larger ones leave no digits
        for the costs of clusters that lie far apart.
    """

    feasibility_s: float = 2.0
    memetic_blocks: int = 200
    memetic_clusters: int = 5
    swap_clusters: int = 40
    least_swap_work: int = 300_000
    most_swap_work: int = 1_000_000
    artificial: float = 2.0
    artificial_move: float = 2.0
    artificial_most: float = 100.0


@dataclass(frozen=True)
class CertificateParams:
    """When a closed node gets a semidefinite certificate besides.

    Attributes
    ----------
    few_blocks : int
        Up to this number of blocks it costs next to nothing.
    many_blocks, large_clusters : int
        Up to the first number of blocks it is tried if clusters have the second on average:
        pricing with smaller clusters is quick to check.
    rounds : int
        Most rounds of cuts.
    share : float
        Share of the optimal gap that the target leaves; the rest is for rounding.
    """

    few_blocks: int = 100
    many_blocks: int = 400
    large_clusters: int = 12
    rounds: int = 60
    share: float = 0.9
