"""Facilities: a centre with the blocks that may be assigned to it, instead of a fixed cluster.

A column fixes the blocks of a cluster. A facility fixes a centre and the blocks that may be
assigned to it; the master decides which are, as in a p-median problem. So it represents every part
of its blocks at once. Each part is a cluster that the rules permit, since the whole is one, and
costs no more than its squared distances to the facility's centre; so the facility master is a
restriction of the master over all columns, as one over some columns is. Where a cluster's border is
undecided, one facility replaces many columns; what it loses because a part's mean is not quite the
centre is of second order.

The linear program, with y of each facility and x of each of its blocks, is

    min d'x + a'z   with   sum x + z - u = 1 for each block,   sum y + t = k,   y - x - v = 0,

all variables not negative; a facility may have a cost of its own.
`ccviz.solvers.colgen.master.barrier` solves its dual.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.discs import center_of
from ccviz.solvers.colgen.instance import Instance, fits, join, squared_distance

_REACH = 1.4
"""Largest cost at which a block may be assigned to a facility, as a multiple of its dual."""
_MOST_MORE = 1.0  # Most blocks that a facility has besides its cluster's, as a share of these,
_FEW_MORE = 10  # and in addition to that share


class Facilities(NamedTuple):
    """Facilities, one after the other."""

    start: IntArray
    block: IntArray  # (e,): Those of facility c are ``block[start[c]:start[c + 1]]``, ascending
    cost: FloatArray  # (e,): Mass times squared distance to the facility's centre

    @property
    def facility(self) -> IntArray:
        """(e,) the facility of each entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def reduced_costs(self, duals: FloatArray) -> FloatArray:
        """Return the reduced cost of the best part of each facility."""
        gain = np.minimum(self.cost - duals[self.block], 0.0)
        return np.bincount(self.facility, gain, len(self.start) - 1).astype(np.float64)

    def chosen(self, mask: np.ndarray) -> Facilities:
        """Return the facilities of the mask."""
        sizes = np.diff(self.start)
        entries = np.repeat(mask, sizes)
        start = np.append(0, np.cumsum(sizes[mask]))
        return Facilities(start, self.block[entries], self.cost[entries])

    def ordered(self, order: IntArray, rows: int, growth: float) -> Facilities:
        """Return them over some of the rows, numbered in that order, with costs times growth."""
        rank = np.full(rows, -1)
        rank[order] = np.arange(len(order))
        kept = rank[self.block] >= 0
        facility, coordinate, cost = self.facility[kept], rank[self.block[kept]], self.cost[kept]
        rising = np.lexsort((coordinate, facility))
        count = np.bincount(facility, minlength=len(self.start) - 1)
        return Facilities(np.append(0, np.cumsum(count)), coordinate[rising], cost[rising] * growth)


def band_order(instance: Instance) -> IntArray:
    """Return the rows, blocks and occupied discs, along the first axis: facilities are a band."""
    coordinate = instance.discs.center[: instance.discs.occupied, 0]
    return np.argsort(np.append(instance.points[:, 0], coordinate), kind="stable")


def make_facilities(instance: Instance, columns: np.ndarray, duals: FloatArray) -> Facilities:
    """Return a facility at the centre of each (m, s + t) bool column, with near blocks that fit.

    Blocks are in the order of the instance, and occupied discs follow, like blocks at the centre. A
    block is near if its cost is small beside its dual, of ``duals`` (s + t,).
    """
    sizes = columns.sum(axis=1)
    most = sizes + (_MOST_MORE * sizes).astype(np.int64) + _FEW_MORE
    room = np.append(0, np.cumsum(most))
    block, cost = np.empty(room[-1], dtype=np.int64), np.empty(room[-1])
    count = _fill(instance, columns, duals, room, block, cost)
    used = np.arange(room[-1]) < np.repeat(room[:-1] + count, most)
    return Facilities(np.append(0, np.cumsum(count)), block[used], cost[used])


@njit(cache=True, entry=True)
def _fill(
    instance: Instance,
    columns: np.ndarray,
    duals: FloatArray,
    room: IntArray,
    block: IntArray,
    cost: FloatArray,
) -> IntArray:
    """Fill in the facilities, each from its position in ``room``; return their sizes."""
    m, s = len(columns), len(instance.mass)
    d = instance.points.shape[1]
    order = np.argsort(instance.points[:, 0])
    coordinate = instance.points[order, 0]
    reach = np.sqrt(_REACH * max(0.0, np.max(duals[:s] / instance.mass)))
    count = np.zeros(m, dtype=np.int64)
    load, center = np.zeros(len(instance.loads.limit)), np.zeros(d)
    near, ratio = np.empty(s, dtype=np.int64), np.empty(s)
    for c in range(m):
        inside = np.zeros(s, dtype=np.bool_)
        load[:] = 0.0
        for b in np.flatnonzero(columns[c, :s]):
            join(instance, inside, load, b)
            count[c] += 1
        center_of(instance, columns[c], center)
        first = np.searchsorted(coordinate, center[0] - reach)
        last = np.searchsorted(coordinate, center[0] + reach, side="right")
        found = 0
        for b in order[first:last]:
            gap = instance.mass[b] * squared_distance(instance.points, b, center)
            if not inside[b] and gap < _REACH * duals[b]:
                near[found] = b
                ratio[found] = gap / duals[b]
                found += 1
        discs = s + np.flatnonzero(columns[c, s:])
        most = room[c + 1] - room[c] - len(discs)
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
        for entry in discs:
            block[room[c] + count[c]] = entry
            cost[room[c] + count[c]] = 0.0
            count[c] += 1
    return count
