"""Objective bounds: the one gap function, and the one test of optimality."""

from __future__ import annotations

import math

OPTIMAL_GAP = 1e-4
"""A clustering proved to be within this relative gap of the optimum is called optimal."""

ROUNDING = 1e-7
"""Largest relative gap by rounding, in addition to a solver's tolerance."""


def relative_gap(upper_bound: float, lower_bound: float) -> float:
    """Return (upper - lower) / upper, at least 0, and ``inf`` while either bound is missing.

    The same gap as in papers on exact clustering: (UB - LB) / UB. Both bounds are sums of
    squares (or such sums plus penalties), so they are not negative.
    """
    if not (math.isfinite(upper_bound) and math.isfinite(lower_bound)):
        return math.inf
    if upper_bound <= max(lower_bound, 0.0):
        return 0.0
    return (upper_bound - max(lower_bound, 0.0)) / upper_bound


def is_closed(upper_bound: float, lower_bound: float, tolerance: float) -> bool:
    """Return whether two bounds agree within a tolerance, a share of the upper one, plus rounding.

    A lower bound clearly above the upper bound is a contradiction and proves nothing.
    """
    if not (math.isfinite(upper_bound) and math.isfinite(lower_bound)):
        return False
    left = upper_bound - max(lower_bound, 0.0)
    return -ROUNDING * upper_bound <= left <= (tolerance + ROUNDING) * upper_bound
