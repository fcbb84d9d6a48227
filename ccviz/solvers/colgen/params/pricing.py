"""Effort of pricing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PricingParams:
    """Effort of pricing in one iteration.

    Attributes
    ----------
    few_clusters : int
        Up to this number of clusters every iteration is priced exactly, for its bound.
    exact_every : int
        With more clusters, iterations between two exact pricings.
    visits : int
        Blocks that an exact pricing visits before the task ends; the next task goes on with it.
    features : int
        Most features for which `visits` holds. With more, it falls in inverse proportion.
    most_seeds, least_seeds : int
        Limits of the number of blocks that heuristic pricing descends from.
    seed_work : float
        Seeds times blocks times features: about a second of descents.
    new_per_cluster, new_at_least : int
        Most columns added in an iteration, per cluster, and in all if that is more.
    """

    few_clusters: int = 20
    exact_every: int = 5
    visits: int = 2_000_000
    features: int = 100
    most_seeds: int = 300
    least_seeds: int = 20
    seed_work: float = 3e7
    new_per_cluster: int = 10
    new_at_least: int = 60


@dataclass(frozen=True)
class TurnParams:
    """How two methods of exact pricing take turns.

    Attributes
    ----------
    most_enumerated : int
        Most blocks that are enumerated: that takes memory quadratic in them.
    visits, visits_per_block : int
        Blocks that each method visits in its first turn, and the same per block if that is more.
        Every later turn has twice as many.
    """

    most_enumerated: int = 3000
    visits: int = 50_000
    visits_per_block: int = 500
