"""What the work on one node takes from the person, apart from the search over all of them."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class NodeSettings:
    """Settings of `advance`."""

    tolerance: float = setting(1e-6, "Relative gap that counts as solved.", low=0.0)
    stabilisation: str = setting(
        "interior",
        "At which duals to price.",
        choices=("interior", "smoothing", "perturbation", "none"),
    )
    smoothing: float = setting(
        0.5, "Share of the best duals so far in the duals priced at.", low=0.0, high=0.95,
        advanced=True,
    )  # fmt: skip
    pricing: str = setting(
        "both",
        "Exact pricing by splitting space, over blocks as in the paper, or both in turns.",
        choices=("both", "space", "blocks"),
        advanced=True,
        label="Exact pricing",
    )
    first: str = setting(
        "blp-kmeans",
        "What gives the first columns: S-MDEClust where there are many clusters and no rules, and "
        "runs of BLP k-means; or COP-k-means' best.",
        choices=("blp-kmeans", "cop-kmeans"),
        advanced=True,
        label="First columns by",
    )
    starts: int = setting(
        10,
        "Runs for the first columns; the paper has 500 of COP-k-means.",
        low=0,
        advanced=True,
        label="First k-means runs",
    )
    round_iterations: int = setting(5, "Iterations between two looks at the tree.", low=1,
                                    advanced=True, label="Iterations a round")  # fmt: skip
    cover_nodes: int = setting(
        200,
        "Nodes of the search for the best clustering in the pool.",
        low=0,
        advanced=True,
        label="Nodes for the pool",
    )
