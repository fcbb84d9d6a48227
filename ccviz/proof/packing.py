"""Exhaustive search for a clustering that keeps links and sizes, in plain Python."""

from __future__ import annotations

import numpy as np

from ccviz.proof.budget import Budget

_LOOKS = 2000  # fixed work of a step, in elements visited


def packable(
    mass: np.ndarray, conflict: np.ndarray, lower: np.ndarray, upper: np.ndarray, budget: Budget
) -> bool | None:
    """Whether blocks fit into clusters of limited size; None if the budget runs out.

    Blocks are placed largest first, of equal ones those with most conflicts first. A branch ends
    if the unplaced blocks exceed the room left, or are too few for the lower limits.

    Parameters
    ----------
    mass : (s,) float64
    conflict : (s, s) bool
    lower, upper : (k,) int64
    budget : Budget

    Returns
    -------
    bool or None
    """
    order = np.lexsort((-conflict.sum(axis=1), -mass))
    mass, conflict = mass[order], conflict[np.ix_(order, order)]
    left = np.concatenate([np.cumsum(mass[::-1])[::-1], [0.0]])
    k, s = len(lower), len(mass)
    size = np.zeros(k)
    cluster = np.full(s, -1)
    tried = np.full(s + 1, -1)
    at = 0
    while at >= 0:
        if at == s:
            if (size >= lower).all():
                return True
            at -= 1
            continue
        if not budget.spend(_LOOKS + s + k):
            return None
        if cluster[at] >= 0:
            size[cluster[at]] -= mass[at]
            cluster[at] = -1
        place = _next_place(at, tried, size, cluster, mass, conflict, lower, upper)
        fits = place >= 0 and np.maximum(lower - size, 0).sum() <= left[at]
        if not fits or np.maximum(upper - size, 0).sum() < left[at]:
            tried[at] = -1
            at -= 1
            continue
        tried[at], cluster[at] = place, place
        size[place] += mass[at]
        at += 1
    return False


def _next_place(
    at: int,
    tried: np.ndarray,
    size: np.ndarray,
    cluster: np.ndarray,
    mass: np.ndarray,
    conflict: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> int:
    """Return the next cluster that may take a block, -1 if there is none.

    Of empty clusters with the same limits only the first is tried.
    """
    barred = set(cluster[:at][conflict[at, :at]].tolist())
    seen = {(int(lower[c]), int(upper[c])) for c in range(tried[at] + 1) if size[c] == 0.0}
    for c in range(tried[at] + 1, len(size)):
        limits = (int(lower[c]), int(upper[c]))
        if size[c] == 0.0 and limits in seen:
            continue
        if size[c] == 0.0:
            seen.add(limits)
        if c not in barred and size[c] + mass[at] <= upper[c]:
            return c
    return -1
