"""The master near a spot, all else as it is: what a place changes, it changes around it.

The duals of a few hundred blocks are raised as far as the stars allow, while those of all others
and the price of a cluster stay. What a star gains from the others then comes off the price, and is
its own. Whatever duals come out, they give a bound; so a child that differs from its parent by one
place has its columns and its bound for a small part of what the whole master takes, and a place
can be tried before it is branched on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.barrier import DualProgram, ascend
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.stars import Stars, band_order, make_stars

_BLOCKS = 700  # so many are near a spot,
_CLUSTERS = 4, 12  # but no fewer, and no more, than so many clusters have
_PART = 4  # if there are so many times as many blocks, a spot has a master of its own
_OVERLAP = 2.0  # times as many blocks as there are, near some spot of a sweep
_WIDER = 2  # times as many blocks: of one of them is every star that has a near block
_AMPLE = 4
_WORTH = 0.9  # stars worth less of the price have no part: they are soon found again
_STRICT = 1e-3
_FINEST = 1e-9  # accuracy of the interior-point method, relative


class Near(NamedTuple):
    """Duals raised near a spot.

    Attributes
    ----------
    duals : (s + t,) float64
        Elsewhere as they were.
    weights : (m,) float64
        Of the columns that have a part in it; of the others 0.
    """

    duals: FloatArray
    weights: FloatArray


def blocks_near(instance: Instance, spot: FloatArray, k: int, share: float = 1.0) -> np.ndarray:
    """Return which blocks are near a spot.

    Parameters
    ----------
    instance : Instance
    spot : (d,) float64
    k : int
        Clusters, of all blocks.
    share : float
        Times as many blocks as usual.

    Returns
    -------
    near : (s,) bool
    """
    gaps = ((instance.points - spot) ** 2).sum(axis=1)
    return np.asarray(gaps <= reach_of(instance, spot, k, share))


def reach_of(instance: Instance, spot: FloatArray, k: int, share: float = 1.0) -> float:
    """Return how far off the farthest of the blocks near a spot is, squared; see `blocks_near`."""
    s = len(instance.mass)
    count = min(s, 1 + int(share * usual(s, k)))
    gaps = ((instance.points - spot) ** 2).sum(axis=1)
    return float(np.partition(gaps, count - 1)[count - 1])


def usual(s: int, k: int) -> float:
    """Return how many of s blocks in k clusters are near a spot."""
    least, most = (clusters * s / k for clusters in _CLUSTERS)
    return float(np.clip(_BLOCKS, least, most))


def is_local(s: int, k: int) -> bool:
    """Whether a spot of s blocks is so small a part that the master is rather solved there."""
    return _PART * usual(s, k) <= s


def part_of(instance: Instance, rows: IntArray) -> Instance:
    """Return some blocks as an instance, of one where nothing excludes or limits any."""
    nothing = instance._replace(
        conflict_start=np.zeros(len(rows) + 1, dtype=np.int64),
        conflict=np.zeros(0, dtype=np.int64),
        limit=np.zeros(0),
        weight=np.zeros((0, len(rows))),
        pair_start=np.zeros((0, len(rows) + 1), dtype=np.int64),
        pair_other=np.zeros(0, dtype=np.int64),
        pair_weight=np.zeros(0),
    )
    points, mass, away = instance.points[rows], instance.mass[rows], instance.away[rows]
    return nothing._replace(points=points, mass=mass, away=away)


def cover(instance: Instance, k: int) -> FloatArray:
    """Return (q, d) spots, each a block far from those before it, that all blocks are near to."""
    points = instance.points
    count = int(np.ceil(_OVERLAP * len(points) / usual(len(points), k)))
    gaps = np.full(len(points), np.inf)
    spots = [points[np.argmax((points**2).sum(axis=1))]]
    for _ in range(count - 1):
        gaps = np.minimum(gaps, ((points - spots[-1]) ** 2).sum(axis=1))
        spots.append(points[gaps.argmax()])
    return np.array(spots)


def raised(
    instance: Instance,
    columns: np.ndarray,
    duals: FloatArray,
    price: float,
    artificial_cost: FloatArray,
    spot: FloatArray,
    k: int,
    error: float,
    share: float = 1.0,
    stop: Callable[[], bool] = never,
) -> Near:
    """Raise the duals near a spot as far as stars at the columns' centres allow.

    Parameters
    ----------
    instance : Instance
    columns : (m, s + t) bool
    duals : (s + t,) float64
    price : float
        Positive: a star may gain no more from its blocks.
    artificial_cost : (s + t,) float64
        No dual is above it.
    spot : (d,) float64
    k : int
    error : float
        How far from the best they may stay.
    share : float
        Times as many blocks as usual.
    stop : callable
        True once it should end with what it has.
    """
    near = blocks_near(instance, spot, k, share)
    off = ((instance.place[: instance.taken] - spot) ** 2).sum(axis=1)
    free = np.append(near, off <= reach_of(instance, spot, k, share))
    wide = blocks_near(instance, spot, k, share * _WIDER)
    rows = np.flatnonzero((columns & np.append(wide, free[len(wide) :])).any(axis=1))
    stars = make_stars(instance, columns[rows], duals)
    has_free = np.bincount(stars.star, free[stars.block], len(rows)) > 0.0
    # What a place is worth may rise by much at once, so that all its stars have to hold it.
    prized = (columns[rows, len(near) :] & free[len(near) :]).any(axis=1)
    worth = has_free & (prized | (-stars.values(duals) >= _WORTH * price))
    rows, stars = rows[worth], stars.chosen(worth)
    whole = band_order(instance)
    order = whole[free[whole]]
    small = stars.ordered(order, len(free), 1.0 / price)
    own = np.maximum(price - _gained(stars, ~free, duals), _STRICT * price) / price
    most = artificial_cost[order] / price
    limit = _AMPLE * (1 + int(near.sum()) * k // len(near))  # is not to bind
    row = np.clip(duals[order] / price, _STRICT * most, (1.0 - _STRICT) * most)
    error = max(error / price, _FINEST * float(row.sum()))
    with threadpool_limits(1, "blas"):  # as in `interior`
        last = ascend(DualProgram(small, own, most, limit), row, 0.0, error, stop)
    found, weights = duals.copy(), np.zeros(len(columns))
    found[order] = last.row * price
    weights[rows] = last.taken
    return Near(found, weights)


def _gained(stars: Stars, fixed: np.ndarray, duals: FloatArray) -> FloatArray:
    """Return (p,) what each star gains from the fixed (s + t,) rows."""
    gain = np.maximum(duals[stars.block] - stars.cost, 0.0) * fixed[stars.block]
    return np.bincount(stars.star, gain, len(stars.start) - 1).astype(np.float64)
