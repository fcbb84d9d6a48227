"""Stars: a centre with the blocks that may choose it, in place of a cluster that is fixed.

A column says which blocks are together. A star says where a centre is and which blocks may belong
to it, and leaves to the master which of them do: like a facility in a p-median problem, it stands
for every part of its blocks at once. Each part is a cluster that the rules permit, since the whole
is one, and costs no more than its squared distances to the star's centre; so a master of stars is a
restriction of the master of all columns, as one of columns is. Where a cluster's border is in
doubt, one star does what many columns would, and what it loses because a part's mean is not quite
the centre is of second order.

The linear program, with y of each star and x of each of its blocks, is

    min d'x + a'z   with   sum x + z - u = 1 for each block,   sum y + t = k,   y - x - v = 0,

all variables not negative; a star may have a cost of its own besides.
`ccviz.solvers.colgen.barrier` solves its dual.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.cluster import fits, join, squared_distance
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.places import center_of

_REACH = 1.4  # a block may choose a centre that costs it up to so many times its dual
_MOST_MORE = 1.0  # so many blocks, relative to the cluster's own, may be near besides,
_FEW_MORE = 10  # and so many more


class Stars(NamedTuple):
    """Stars, one after the other.

    Attributes
    ----------
    start : (p + 1,) int64
    block : (e,) int64
        Those of star c are ``block[start[c]:start[c + 1]]``, rising.
    cost : (e,) float64
        Mass times squared distance to the star's centre.
    """

    start: IntArray
    block: IntArray
    cost: FloatArray

    @property
    def star(self) -> IntArray:
        """(e,) which star an entry belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def values(self, duals: FloatArray) -> FloatArray:
        """Return the value of the best part of each star."""
        gain = np.minimum(self.cost - duals[self.block], 0.0)
        return np.bincount(self.star, gain, len(self.start) - 1).astype(np.float64)

    def chosen(self, mask: np.ndarray) -> Stars:
        """Return the stars of the mask."""
        sizes = np.diff(self.start)
        entries = np.repeat(mask, sizes)
        start = np.append(0, np.cumsum(sizes[mask]))
        return Stars(start, self.block[entries], self.cost[entries])

    def ordered(self, order: IntArray, rows: int, growth: float) -> Stars:
        """Return them over some of the rows, numbered in that order, with costs times growth."""
        rank = np.full(rows, -1)
        rank[order] = np.arange(len(order))
        kept = rank[self.block] >= 0
        star, place, cost = self.star[kept], rank[self.block[kept]], self.cost[kept]
        rising = np.lexsort((place, star))
        count = np.bincount(star, minlength=len(self.start) - 1)
        return Stars(np.append(0, np.cumsum(count)), place[rising], cost[rising] * growth)


def band_order(instance: Instance) -> IntArray:
    """Return the rows, blocks and taken places, along the first axis: a star's are a band."""
    place = instance.place[: instance.taken, 0]
    return np.argsort(np.append(instance.points[:, 0], place), kind="stable")


def make_stars(instance: Instance, columns: np.ndarray, duals: FloatArray) -> Stars:
    """Return a star at the centre of each (m, s + t) bool column, with near blocks that fit.

    Blocks count in the order of the instance, and places follow; ``duals`` (s,) say what is near.
    A place is like a block at the centre.
    """
    sizes = columns.sum(axis=1)
    most = sizes + (_MOST_MORE * sizes).astype(np.int64) + _FEW_MORE
    room = np.append(0, np.cumsum(most))
    block, cost = np.empty(room[-1], dtype=np.int64), np.empty(room[-1])
    count = _fill(instance, columns, duals, room, block, cost)
    used = np.arange(room[-1]) < np.repeat(room[:-1] + count, most)
    return Stars(np.append(0, np.cumsum(count)), block[used], cost[used])


@njit(cache=True)
def _fill(
    instance: Instance,
    columns: np.ndarray,
    duals: FloatArray,
    room: IntArray,
    block: IntArray,
    cost: FloatArray,
) -> IntArray:
    """Fill in the stars, each from its place in ``room``; return their sizes."""
    m, s = len(columns), len(instance.mass)
    d = instance.points.shape[1]
    order = np.argsort(instance.points[:, 0])
    place = instance.points[order, 0]
    reach = np.sqrt(_REACH * max(0.0, np.max(duals[:s] / instance.mass)))
    count = np.zeros(m, dtype=np.int64)
    load, center = np.zeros(len(instance.limit)), np.zeros(d)
    near, ratio = np.empty(s, dtype=np.int64), np.empty(s)
    for c in range(m):
        inside = np.zeros(s, dtype=np.bool_)
        load[:] = 0.0
        for b in np.flatnonzero(columns[c, :s]):
            join(instance, inside, load, b)
            count[c] += 1
        center_of(instance, columns[c], center)
        first = np.searchsorted(place, center[0] - reach)
        last = np.searchsorted(place, center[0] + reach, side="right")
        found = 0
        for b in order[first:last]:
            gap = instance.mass[b] * squared_distance(instance.points, b, center)
            if not inside[b] and gap < _REACH * duals[b]:
                near[found] = b
                ratio[found] = gap / duals[b]
                found += 1
        places = s + np.flatnonzero(columns[c, s:])
        most = room[c + 1] - room[c] - len(places)
        for i in np.argsort(ratio[:found]):
            if count[c] == most:
                break
            if fits(instance, inside, load, near[i]):
                join(instance, inside, load, near[i])
                count[c] += 1
        members = np.flatnonzero(inside)
        for i in range(len(members)):
            b = members[i]
            block[room[c] + i] = b
            cost[room[c] + i] = instance.mass[b] * squared_distance(instance.points, b, center)
        for entry in places:
            block[room[c] + count[c]] = entry
            cost[room[c] + count[c]] = 0.0
            count[c] += 1
    return count
