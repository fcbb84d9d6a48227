"""Outliers: points that may be left out, as clusters of one point each.

To leave a point out is to give it a cluster of its own, which costs nothing. So up to m points left
out of k clusters are k + m clusters, the last m of one point each. That they are exactly m loses
nothing: wherever fewer are left out, another point can be, at no more cost; if its cluster is empty
then, another cluster falls into two. Bounds and proofs under sizes hold for it as they are.

A point left out shares a cluster with no other. So its cannot-links are kept, and a point with a
must-link is never left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError, quote
from ccviz.problem.links import closure
from ccviz.problem.sizes import Sizes

NO_SIZES = (
    "points cannot be left out beside cluster sizes; an upper limit alone can be the rule size<=."
)


def read_outliers(given: Any, n: int, k: int) -> int:
    """Return the largest number of points to leave out.

    `n`, `k`: Points, and clusters without those of points left out. Raises `ProblemError` if it is
    no whole number of at least 0, or leaves fewer points than clusters.
    """
    try:
        outliers = int(given)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"outliers = {quote(given)} is not a number of points.") from None
    if outliers != given or outliers < 0:
        raise ProblemError(f"outliers = {quote(given)} is not a whole number of at least 0.")
    if outliers > n - k:
        raise ProblemError(
            f"outliers = {quote(outliers)} of {n} points leave fewer than {k} for the clusters."
        )
    return outliers


def spare_points(must_link: IntArray, n: int, k: int, outliers: int) -> int:
    """Return how many points can be left out: no linked ones, and k blocks stay.

    `must_link` (m, 2): Hard pairs.
    """
    count = np.bincount(closure(n, must_link))
    return max(0, min(outliers, int((count == 1).sum()), len(count) - k))


def sizes_with(outliers: int, n: int, k: int) -> Sizes:
    """Return the sizes of k clusters, the last ``outliers`` of them of one point."""
    lower = np.ones(k, dtype=np.int64)
    upper = np.append(np.full(k - outliers, n - k + 1), np.ones(outliers, dtype=np.int64))
    return Sizes(lower, upper)


def check_sizes(sizes: Sizes, outliers: int) -> None:
    """Raise unless the last ``outliers`` clusters are of one point, and no other has a least size.

    `sizes`: Of all clusters, those of points left out included.
    """
    kept = len(sizes.lower) - outliers
    if kept < 1 or (sizes.lower > 1).any() or (sizes.upper[kept:] > 1).any():
        raise ProblemError(NO_SIZES)


def refuse_beside(is_soft: bool, has_rules: bool, is_weighted: bool, has_neighbors: bool) -> None:
    """Raise if a problem with outliers has what they cannot be combined with."""
    for asked, words in (
        (is_soft, "soft links"),
        (has_rules, "rules other than diameter<= and size<="),
        (is_weighted, "weights of points"),
        (has_neighbors, "neighbours"),
    ):
        if asked:
            raise ProblemError(f"points cannot be left out beside {words}.")
