"""Settings of the work on one node; those of the search over nodes are apart."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class NodeSettings:
    """Settings of `advance`."""

    tolerance: float = setting(1e-6, "Relative gap that counts as solved.", low=0.0)
    stabilisation: str = setting(
        "interior",
        "Duals at which columns are priced.",
        choices=("interior", "smoothing", "perturbation", "none"),
    )
    smoothing: float = setting(
        0.5,
        "Weight of the best duals so far in the duals at which columns are priced.",
        low=0.0,
        high=0.95,
        advanced=True,
    )
    pricing: str = setting(
        "both",
        "Exact pricing by spatial branch and bound, by enumeration of blocks, or by both in turns. "
        "*printed*: enumeration with the bound that the paper prints, without heuristics.",
        choices=("both", "space", "blocks", "printed"),
        advanced=True,
        label="Exact pricing",
    )
    repair: str = setting(
        "artificial",
        "What makes a restricted master feasible: artificial columns, whose cost is raised, or "
        "Farkas pricing as in the paper, from the clusters of the first clusterings alone.",
        choices=("artificial", "farkas"),
        advanced=True,
        label="Infeasible masters",
    )
    first: str = setting(
        "blp-kmeans",
        "First columns from runs of BLP k-means, after S-MDEClust if there are many clusters and "
        "no rules; or from the best run of COP-k-means.",
        choices=("blp-kmeans", "cop-kmeans"),
        advanced=True,
        label="First columns by",
    )
    starts: int = setting(
        10,
        "Runs of k-means for the first columns. The paper uses 500 runs of COP-k-means.",
        low=0,
        advanced=True,
        label="First k-means runs",
    )
    round_iterations: int = setting(
        5,
        "Iterations on a node before the search picks the next node.",
        low=1,
        advanced=True,
        label="Iterations per round",
    )
    cover_nodes: int = setting(
        200,
        "Node limit of the search for the best clustering among the columns.",
        low=0,
        advanced=True,
        label="Nodes for the pool",
    )
