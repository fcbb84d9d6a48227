"""Sizes without links: a transportation problem over the points whose cluster is in doubt.

Given a price for each cluster, every point has a cheapest one, and a gap to the second. Nearly
right prices move few points, those of small gaps: only they are given to `transport`, with the
room that the others leave. The assignment is optimal for all points if each point that was left
out is still at its cheapest cluster, which holds if the prices changed by less than its gap. If
not, more points are added.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.kernels.transport import transport

SAMPLED_FROM, SAMPLE_STEP = 1000, 8
"""Number of points from which the first prices are those of a sample, and its step: every eighth
point."""

LEFT_OUT_FROM = 20_000
"""Usual number of points from which some are left out."""
DOUBTED = 8
"""One of this number of points is kept at first, those of the smallest gaps."""
DOUBTED_MORE = 32
"""One of this number is added, besides points in a wrong cluster, each time that is too few."""

BATCH = 1 << 16
"""Points whose costs are computed together."""

Costs = Callable[[slice | IntArray], FloatArray]
"""Returns the (m, k) costs of some points, by their numbers or a slice of them."""


def solve_sizes(
    costs: Costs,
    n: int,
    lower: IntArray,
    upper: IntArray,
    prices: FloatArray | None,
    left_out_from: int = LEFT_OUT_FROM,
) -> tuple[bool, IntArray, FloatArray]:
    """Assign n points at least cost so that cluster j gets lower[j] to upper[j] of them.

    Parameters
    ----------
    costs : callable
        See `Costs`; there never is a table of all points unless they are few.
    n : int
    lower, upper : (k,) int64
    prices : (k,) float64 or None
        Those of a similar problem save most of the work.
    left_out_from : int
        Number of points from which some are left out. It changes the time only.

    Returns
    -------
    feasible : bool
    labels : (n,) int64
    prices : (k,) float64
        Every point is where its cost less the price is least.
    """
    start = prices
    if start is None:
        start = _sample_prices(costs, n, lower, upper, left_out_from)
    if n < left_out_from:
        return _transported(costs(slice(0, n)), start, lower, upper)
    labels, gap = _priced(costs, n, start)
    doubted = _least(gap, n // DOUBTED)
    while True:
        settled = np.bincount(labels[~doubted], minlength=len(lower))
        if (settled > upper).any():
            doubted |= (settled > upper)[labels]
            continue
        some = np.flatnonzero(doubted)
        feasible, found, paid = _transported(costs(some), start, lower - settled, upper - settled)
        if not feasible and not doubted.all():
            doubted[:] = True
            continue
        labels[some] = found
        risen = paid - start
        if not feasible or (doubted | (gap >= risen.max() - risen[labels])).all():
            return feasible, labels, paid
        cheapest, gap = _priced(costs, n, paid)
        wrong = ~doubted & (cheapest != labels)
        if not wrong.any():
            return True, labels, paid
        doubted |= wrong | _least(gap, n // DOUBTED_MORE)
        labels, start = cheapest, paid


def _least(gap: FloatArray, number: int) -> NDArray[np.bool_]:
    """Return the points of the smallest gaps."""
    return gap <= np.partition(gap, number)[number]


def _transported(
    cost: FloatArray, prices: FloatArray, lower: IntArray, upper: IntArray
) -> tuple[bool, IntArray, FloatArray]:
    feasible, flow = transport(cost, prices, lower, upper)
    return feasible, flow.labels, flow.potential[:-1] - flow.potential[-1]


def _sample_prices(
    costs: Costs, n: int, lower: IntArray, upper: IntArray, left_out_from: int
) -> FloatArray:
    """Return the prices of a sample of the points, which are nearly right for all of them."""
    if n < SAMPLED_FROM:
        return np.zeros(len(lower))
    number = np.arange(0, n, SAMPLE_STEP)
    share = len(number) / n
    least = np.floor(lower * share).astype(np.int64)
    most = np.ceil(upper * share).astype(np.int64)
    feasible, _, prices = solve_sizes(
        lambda rows: costs(number[rows]), len(number), least, most, None, left_out_from
    )
    return prices if feasible else np.zeros(len(lower))


def _priced(costs: Costs, n: int, prices: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each point's cheapest cluster under the prices, and the gap to the second."""
    labels, gap = np.empty(n, dtype=np.int64), np.empty(n)
    for at in range(0, n, BATCH):
        some = slice(at, min(n, at + BATCH))
        _best_two(costs(some), prices, labels[some], gap[some])
    return labels, gap


@njit(cache=True, entry=True)
def _best_two(cost: FloatArray, prices: FloatArray, labels: IntArray, gap: FloatArray) -> None:
    for p in range(len(cost)):
        best, least, second = 0, np.inf, np.inf
        for j in range(len(prices)):
            paid = cost[p, j] - prices[j]
            if paid < least:
                best, least, second = j, paid, least
            elif paid < second:
                second = paid
        labels[p] = best
        gap[p] = second - least if least < np.inf else 0.0
