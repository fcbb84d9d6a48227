"""Divide and bound: certified gaps where one relaxation over all blocks would not fit."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class DivideSettings:
    """Settings of a `ccviz.solvers.divide.division.Division`."""

    tolerance: float = setting(1e-3, "Relative gap at which the run ends.", low=0.0)
    incumbent: str = setting(
        "auto",
        "Source of the clustering: the memetic solver, BLP k-means from crossed centres, or the "
        "former where it takes seconds. Under sizes it is BLP k-means.",
        choices=("auto", "memetic", "blp-kmeans"),
        label="First clustering",
    )
    part_size: int = setting(
        250,
        "Target blocks per part. Grows automatically if parts lose too much; problems with fewer "
        "than two parts are solved by `sdp`.",
        low=2,
    )
    largest_part: int = setting(
        2000,
        "Largest number of blocks of a part. Parts that stay open are merged up to it.",
        low=2,
        label="Largest part",
    )
    shared: float = setting(
        0.33,
        "Largest number of outlying blocks shared by all parts, relative to a part's size.",
        low=0.0,
        advanced=True,
        label="Shared blocks",
    )
