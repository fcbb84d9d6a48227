"""Sizes without links: a transportation problem over the points that the prices leave in doubt.

Given a price for each cluster, every point has a cheapest one, and a gap to the second. Prices
near the right ones move few points, those of small gaps: only they are given to `transport`, with
the room that the others leave. If the prices have then changed by less than the gap of each point
that was left out, or it is at its cheapest cluster still, the assignment is optimal for all. If
not, more points come in.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.kernels.transport import transport

SAMPLED_FROM, SAMPLE_STEP = 1000, 8
"""Number of points from which the first prices come from a sample, every eighth point."""

LEFT_OUT_FROM, DOUBTED, DOUBTED_MORE = 20_000, 8, 32
"""Number of points from which all but an eighth of them are left out at first. Each time that is
too few, this part of the others is added to the points that are in a wrong cluster.
"""

BATCH = 1 << 16
"""Points whose costs are looked at together."""

Costs = Callable[[slice | IntArray], FloatArray]
"""Returns the (m, k) costs of some points, by their numbers or a slice of them."""


def solve_sizes(
    costs: Costs, n: int, lower: IntArray, upper: IntArray, prices: FloatArray | None
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

    Returns
    -------
    feasible : bool
    labels : (n,) int64
    prices : (k,) float64
        Every point is where its cost less the price is least.
    """
    start = _sample_prices(costs, n, lower, upper) if prices is None else prices
    if n < LEFT_OUT_FROM:
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


def _sample_prices(costs: Costs, n: int, lower: IntArray, upper: IntArray) -> FloatArray:
    """Return the prices of a sample of the points: they leave little to do for all of them."""
    if n < SAMPLED_FROM:
        return np.zeros(len(lower))
    number = np.arange(0, n, SAMPLE_STEP)
    share = len(number) / n
    least = np.floor(lower * share).astype(np.int64)
    most = np.ceil(upper * share).astype(np.int64)
    feasible, _, prices = solve_sizes(
        lambda rows: costs(number[rows]), len(number), least, most, None
    )
    return prices if feasible else np.zeros(len(lower))


def _priced(costs: Costs, n: int, prices: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each point's cheapest cluster under the prices, and the gap to the second."""
    labels, gap = np.empty(n, dtype=np.int64), np.empty(n)
    for at in range(0, n, BATCH):
        some = slice(at, min(n, at + BATCH))
        _best_two(costs(some), prices, labels[some], gap[some])
    return labels, gap


@njit(cache=True)
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
