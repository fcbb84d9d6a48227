"""What divide and bound takes from the person."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class DivideSettings:
    """Settings of a `ccviz.solvers.divide.division.Division`."""

    tolerance: float = setting(1e-3, "Relative gap that is aimed at.", low=0.0)
    incumbent: str = setting(
        "auto",
        "What looks for the clustering: memetic where that takes seconds, or BLP k-means.",
        choices=("auto", "memetic", "blp-kmeans"),
        label="First clustering",
    )
    part_size: int = setting(
        250,
        "Blocks of a part, more where such parts lose much; fewer than two parts' go to sdp.",
        low=2,
    )
    largest_part: int = setting(
        1000, "Parts that stay open are merged, up to this size.", low=2, label="Largest part"
    )
    shared: float = setting(
        0.33,
        "Most far blocks that every part has a share of, relative to a part's size.",
        low=0.0,
        advanced=True,
        label="Shared blocks",
    )
