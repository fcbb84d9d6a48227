"""Compiled passes over points with many features; `ccviz.solvers.assignment.wide` calls them.

Centres are in the order of their groups. A lower bound of a point and a group holds for the
distances to the group's centres but the point's own one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment.centers import half_gaps, squared_distance, squared_distances

SinglesArray = NDArray[np.float32]

_DOWN, _UP = np.float32(1.0 - 2.0**-21), 1.0 + 2.0**-21
"""Factors that keep bounds valid when they are rounded to float32."""


@njit(cache=True, nogil=True)
def lower_bounds(
    points: FloatArray,
    rows: IntArray,
    centers: FloatArray,
    start: IntArray,
    fall: SinglesArray,
    labels: IntArray,
    paid: FloatArray,
    lower: SinglesArray,
) -> int:
    """Measure the distances to the own centres, and lower the bounds by what the others moved.

    `start` (g + 1,): First centre of each group. `fall` (g,): At least the distance that each
    centre of a group moved since the last pass. `paid` (m,): Squared distances to the own centres,
    filled in.
    """
    total = 0
    for p in range(len(rows)):
        paid[p] = squared_distance(points[rows[p]], centers[labels[p]])
        reach, bound = np.float32(np.sqrt(paid[p]) * _UP), lower[p]
        for g in range(len(fall)):
            bound[g] = bound[g] * _DOWN - fall[g]
            total += (start[g + 1] - start[g]) * (bound[g] < reach)
    return total


@njit(cache=True, nogil=True)
def search_open(
    points: FloatArray,
    rows: IntArray,
    centers: FloatArray,
    start: IntArray,
    group_of: IntArray,
    labels: IntArray,
    paid: FloatArray,
    lower: SinglesArray,
) -> None:
    """Give each point its nearest centre by looking at open groups only, in place.

    The arguments are those of `lower_bounds`, as it left them, and the group of each centre.
    """
    left, was = np.empty(len(centers), np.int64), np.empty(len(centers))
    for p in range(len(rows)):
        own, best, bound, passed = labels[p], paid[p], lower[p], 0
        reach = np.float32(np.sqrt(best) * _UP)
        for g in range(len(bound)):
            if bound[g] >= reach:
                continue
            least = np.inf
            for j in range(start[g], start[g + 1]):
                if j == own:
                    continue
                square = squared_distance(points[rows[p]], centers[j])
                if square < best:
                    left[passed], was[passed] = own, best
                    passed += 1
                    own, best, reach = j, square, np.float32(np.sqrt(square) * _UP)
                else:
                    least = min(least, square)
            bound[g] = np.float32(np.sqrt(least)) * _DOWN
        for r in range(passed):  # centres that were the nearest until then
            g = group_of[left[r]]
            bound[g] = min(bound[g], np.float32(np.sqrt(was[r])) * _DOWN)
        labels[p], paid[p] = own, best


@njit(cache=True, nogil=True)
def search_near(
    points: FloatArray,
    rows: IntArray,
    centers: FloatArray,
    start: IntArray,
    group_of: IntArray,
    labels: IntArray,
    paid: FloatArray,
    lower: SinglesArray,
    times: SinglesArray,
    alone: SinglesArray,
    square: SinglesArray,
    unit: float,
) -> int:
    """Do as `search_open` does, but for centres that leading coordinates show not to be nearer.

    `times` (m, k): Products of the points' and the centres' leading coordinates, times -2, in units
    of ``unit`` squared; written over. `alone`, `square` (m,): Squares of the points' leading
    coordinates, less what rounding may add to a squared distance, and of the centres'.
    """
    left, was, total = np.empty(len(centers), np.int64), np.empty(len(centers)), 0
    scale, zero = np.float32(unit), np.float32(0.0)
    for p in range(len(rows)):
        own, best, bound, passed = labels[p], paid[p], lower[p], 0
        row, reach = times[p], np.float32(best / unit**2 * _UP)
        open_below = np.float32(np.sqrt(best) * _UP)
        for j in range(len(row)):
            row[j] += alone[p] + square[j]
        row[own] = np.float32(np.inf)
        for g in range(len(bound)):
            if bound[g] >= open_below:
                continue
            least = np.float32(np.inf)
            for j in range(start[g], start[g + 1]):
                if row[j] < reach:
                    total += 1
                    full = squared_distance(points[rows[p]], centers[j])
                    if full < best:
                        left[passed], was[passed] = own, best
                        passed += 1
                        own, best, reach = j, full, np.float32(full / unit**2 * _UP)
                        open_below = np.float32(np.sqrt(best) * _UP)
                        continue
                    row[j] = np.float32(full / unit**2) * _DOWN
                least = min(least, row[j])
            bound[g] = max(bound[g], np.sqrt(max(least, zero)) * scale * _DOWN)
        for r in range(passed):  # centres that were the nearest until then
            g = group_of[left[r]]
            bound[g] = min(bound[g], np.float32(np.sqrt(was[r])) * _DOWN)
        labels[p], paid[p] = own, best
    return total


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _least(row: SinglesArray) -> np.float32:
    """Return the least number of a row, without the look at NaN that ``row.min()`` takes."""
    least = np.float32(np.inf)
    for j in range(len(row)):
        least = min(least, row[j])
    return least


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _span_below(row: SinglesArray, limit: np.float32) -> tuple[np.int32, np.int32]:
    """Return the first number of a row that is not above a limit, and one after the last.

    A loop of vector instructions, as a search that stops at the first one is not.
    """
    size, zero = np.int32(len(row)), np.int32(0)
    begin, end = size, zero
    for j in range(size):
        begin = min(begin, np.int32(j) if row[j] <= limit else size)
        end = max(end, np.int32(j + 1) if row[j] <= limit else zero)
    return begin, end


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def search_all(  # noqa: C901 - one compiled loop nest
    points: FloatArray,
    rows: IntArray,
    centers: FloatArray,
    start: IntArray,
    rank: IntArray,
    labels: IntArray,
    paid: FloatArray,
    lower: SinglesArray,
    times: SinglesArray,
    alone: SinglesArray,
    square: SinglesArray,
    doubt: SinglesArray,
    unit: float,
) -> None:
    """Give each point its nearest centre from rounded distances, in place.

    Centres that rounding leaves in doubt are measured in float64. Of centres as near as each other
    the own one wins, or else the first.

    `rank` (k,): The centres' numbers before they were grouped. `times` (m, k): Products of the
    points and the centres, times -2, in units of ``unit`` squared; written over. `doubt` (m,): The
    most by which rounding changes a squared distance.
    """
    groups, down, zero = len(start) - 1, np.float32(unit) * _DOWN, np.float32(0.0)
    for p in range(len(rows)):
        row, least, own, off = times[p], lower[p], alone[p], doubt[p]
        for j in range(len(row)):
            row[j] += own + square[j]
        if groups == len(row):  # one centre each: a loop of vector instructions
            for j in range(groups):
                least[j] = row[j]
        else:
            for g in range(groups):
                least[g] = _least(row[start[g] : start[g + 1]])
        limit = np.float32((_least(least) + 2.0 * off) * _UP)
        begin, end = _span_below(least, limit)
        first, best, home = labels[p], np.inf, 0
        for g in range(begin, end):
            if least[g] > limit:
                continue
            for j in range(start[g], start[g + 1]):
                if row[j] <= limit:
                    full = squared_distance(points[rows[p]], centers[j])
                    is_first = j == labels[p] or (first != labels[p] and rank[j] < rank[first])
                    if full < best or (full == best and is_first):
                        first, best, home = j, full, g
        labels[p], paid[p] = first, best
        least[home] = np.float32(np.inf)
        for j in range(start[home], start[home + 1]):
            if j != first:
                least[home] = min(least[home], row[j])
        for g in range(groups):
            least[g] = np.sqrt(max(least[g] - off, zero)) * down


# --- Compiled nearest centres of blocks without links, with bounds that spare most distances ------
#
# Hamerly (2010): a block whose own centre is nearer than any other can have come since the last
# pass, or nearer than half the way to the next centre, keeps it without looking at the others.


@njit(cache=True, nogil=True)
def assign_nearest(
    centroid: FloatArray,
    mass: FloatArray,
    free: IntArray,
    centers: FloatArray,
    drift: FloatArray,
    labels: IntArray,
    lower: FloatArray,
) -> float:
    """Give each free block its nearest centre, in place; return their cost.

    `free` (f,): The blocks to look at. `drift` (k,): Distance that each centre moved since the last
    pass. `labels` (s,): Those of the last pass, -1 where there are none. `lower` (f,): Lower bound
    on the distance to the second nearest centre, kept from pass to pass.
    """
    k = len(centers)
    turned = np.ascontiguousarray(centers.T)
    half = half_gaps(centers)
    furthest = np.argmax(drift)
    most, second = drift[furthest], 0.0
    for j in range(k):
        if j != furthest:
            second = max(second, drift[j])
    distance, cost = np.empty(k), 0.0
    for p in range(len(free)):
        b = free[p]
        own = labels[b]
        if own >= 0:
            paid = squared_distance(centroid[b], centers[own])
            lower[p] -= second if own == furthest else most
            if np.sqrt(paid) <= max(lower[p], half[own]):
                cost += mass[b] * paid
                continue
        squared_distances(centroid[b], turned, distance)
        best, other = (0, np.inf) if own < 0 else (own, np.inf)
        for j in range(k):
            if distance[j] < distance[best]:
                best = j
        for j in range(k):
            if j != best and distance[j] < other:
                other = distance[j]
        labels[b], lower[p] = best, np.sqrt(other)
        cost += mass[b] * distance[best]
    return cost
