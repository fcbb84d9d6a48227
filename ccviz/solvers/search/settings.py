"""Settings of a search over a tree of nodes, with any method that bounds a node."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class TreeSettings:
    """Settings of `ccviz.solvers.search.branch_and_bound`."""

    order: str = setting(
        "best", "Order of the open nodes.", choices=("best", "depth", "breadth"), label="Next node"
    )
    incumbent: str = setting(
        "none",
        "Source of the first clustering.",
        choices=("none", "memetic"),
        advanced=True,
        label="First clustering",
    )
