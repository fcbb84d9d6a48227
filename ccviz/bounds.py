"""Objective bounds and the one gap function."""

from __future__ import annotations

import math


def relative_gap(upper_bound: float, lower_bound: float) -> float:
    """Return (upper - lower) / upper, at least 0, and ``inf`` while either bound is missing.

    The same gap as in papers on exact clustering: (UB - LB) / UB. Both bounds are sums of
    squares (or such sums plus penalties), so they are not negative.

    Parameters
    ----------
    upper_bound, lower_bound : float

    Returns
    -------
    float
    """
    if not (math.isfinite(upper_bound) and math.isfinite(lower_bound)):
        return math.inf
    if upper_bound <= lower_bound:
        return 0.0
    return (upper_bound - lower_bound) / upper_bound
