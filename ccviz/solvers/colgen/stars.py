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

all variables not negative; a star may have a cost of its own besides. The rows y - x - v = 0 are
eliminated from the normal equations block by block, and what is left of a star there is one column
with entries between 0 and 1 and a diagonal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.banded import Bordered, add_outer, band_of, factored
from ccviz.solvers.colgen.cluster import fits, join, squared_distance
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.interior import Iterate
from ccviz.solvers.colgen.places import center_of

_REACH = 1.4  # a block may choose a centre that costs it up to so many times its dual
_MOST_MORE = 1.0  # so many blocks, relative to the cluster's own, may be near besides,
_FEW_MORE = 10  # and so many more
_LEAST_PRICE = 1e-6  # of the sum of duals
_HALVINGS = 45
_USED = 1e-4
_ABOVE = 1.05  # so far above what the best star is worth the price is to begin with


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


class StarProgram(NamedTuple):
    """The linear program of stars; variables (x, v, y, z, u, t), rows (blocks, limit, entries)."""

    stars: Stars
    star: IntArray  # (e,) of each entry
    s: int
    cost: FloatArray
    right: FloatArray

    def split(self, z: FloatArray) -> tuple[FloatArray, ...]:
        """Return x, v, y, z, u and t."""
        e, p, s = len(self.star), len(self.stars.start) - 1, self.s
        x, v, y, missing, over, rest = np.split(z, np.cumsum([e, e, p, s, s]))
        return x, v, y, missing, over, rest

    def summed(self, entries: FloatArray) -> FloatArray:
        """Return the sum over each star's entries."""
        return np.bincount(self.star, entries, len(self.stars.start) - 1).astype(np.float64)

    def covered(self, entries: FloatArray) -> FloatArray:
        """Return the sum over each block's entries."""
        return np.bincount(self.stars.block, entries, self.s).astype(np.float64)

    def times(self, z: FloatArray) -> FloatArray:
        """Return the constraint matrix times the variables."""
        x, v, y, missing, over, rest = self.split(z)
        cover = self.covered(x) + missing - over
        return np.concatenate([cover, y.sum() + rest, y[self.star] - x - v])

    def transposed(self, duals: FloatArray) -> FloatArray:
        """Return its transpose times duals."""
        row, last, entry = duals[: self.s], duals[self.s], duals[self.s + 1 :]
        x = row[self.stars.block] - entry
        return np.concatenate([x, -entry, last + self.summed(entry), row, -row, [last]])

    def factor(self, weight: FloatArray, lift: float = 0.0) -> _Factor:
        """Factor the matrix times diag(weight) times its transpose, with its diagonal lifted."""
        x, v, y, missing, over, rest = self.split(weight)
        both = x + v
        kept = 1.0 / (1.0 / y + self.summed(1.0 / both))  # of a star, once its entries are gone
        share = x / both
        start, block = self.stars.start, self.stars.block
        normal = np.zeros((band_of(start, block) + 1, self.s), order="F")
        add_outer(start, block, share, kept, normal)
        normal[0] += self.covered(x * v / both) + missing + over
        border = self.covered(share * kept[self.star])
        bordered = factored(normal, border, float(kept.sum() + rest[0]), lift)
        return _Factor(self, x, both, kept, bordered)


class _Factor(NamedTuple):
    """Normal equations of which the rows of entries are eliminated."""

    program: StarProgram
    x: FloatArray
    both: FloatArray
    kept: FloatArray
    bordered: Bordered

    def _entries(self, right: FloatArray) -> FloatArray:
        """Solve for the entries' rows alone."""
        alone = right / self.both
        return alone - (self.kept * self.program.summed(alone))[self.program.star] / self.both

    def solve(self, right: FloatArray) -> FloatArray:
        program, s = self.program, self.program.s
        entry = right[s + 1 :]
        alone = self._entries(entry)
        cover = right[:s] + program.covered(self.x * alone)
        last = right[s] - float((self.kept[program.star] / self.both) @ entry)
        rows = self.bordered.solve(np.append(cover, last))
        moved = entry + self.x * rows[program.stars.block]
        solved = self._entries(moved) - rows[s] * self.kept[program.star] / self.both
        return np.concatenate([rows, solved])


def make_program(
    stars: Stars, artificial: FloatArray, k: int, own: FloatArray | None = None
) -> StarProgram:
    """Return the program.

    Parameters
    ----------
    stars : Stars
    artificial : (s,) float64
        What it costs to leave a block out.
    k : int
    own : (p,) float64, optional
        What a star costs besides.
    """
    e, p, s = len(stars.block), len(stars.start) - 1, len(artificial)
    own = np.zeros(p) if own is None else own
    cost = np.concatenate([stars.cost, np.zeros(e), own, artificial, np.zeros(s + 1)])
    right = np.concatenate([np.ones(s), [float(k)], np.zeros(e)])
    return StarProgram(stars, stars.star, s, cost, right)


def central(program: StarProgram, row: FloatArray, price: float, mean: float) -> Iterate:
    """Return the point whose every product of variable and slack is the mean, with these duals.

    With the duals of the blocks (0 < row < artificial) and the price of the limit given, all else
    follows, whichever stars there are: so a solution of other stars tells where to begin. The price
    is raised to where no star is better than it.
    """
    s, e = program.s, len(program.star)
    reduced = program.cost[:e] - row[program.stars.block]
    gain = -program.summed(np.minimum(reduced, 0.0))
    own, artificial = np.split(program.cost[e + e : -s - 1], [len(gain)])
    price = max(price, float((_ABOVE * gain - own).max(initial=0.0)))
    price = max(price, _LEAST_PRICE * float(row.sum()))
    y = _central_weights(program, reduced, own + price, mean)
    entry = _central_entries(reduced, y[program.star], mean)
    artificial = artificial - row
    slack = np.concatenate([reduced + entry, entry, mean / y, artificial, row, [price]])
    return Iterate(mean / slack, np.concatenate([row, [-price], entry]), slack)


def _central_entries(reduced: FloatArray, y: FloatArray, mean: float) -> FloatArray:
    """Return w > 0 with mean / (reduced + w) + mean / w = y: x and v of an entry add up to y."""
    product = y * reduced
    root = np.hypot(2.0 * mean, product)
    positive = 2.0 * mean - product
    # The same number twice, each where nothing cancels.
    far = 4.0 * product * mean / np.where(positive < 0.0, root - positive, 1.0)
    return np.where(positive >= 0.0, positive + root, far) / (2.0 * y)


def _central_weights(
    program: StarProgram, reduced: FloatArray, price: FloatArray, mean: float
) -> FloatArray:
    """Return y of each star such that its slack, its price less the entries' w, is mean / y."""
    low, high = np.log(mean / price) - 30.0, np.full(len(price), 7.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        y = np.exp(middle)
        entry = _central_entries(reduced, y[program.star], mean)
        short = price - program.summed(entry) < mean / y
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.exp(0.5 * (low + high))


def parts(program: StarProgram, z: FloatArray, shares: tuple[float, ...]) -> np.ndarray:
    """Return (q, s) bool clusters that the stars in use are made of: blocks above a share of y."""
    x, _, y, *_ = program.split(z)
    used = np.flatnonzero(y > _USED)
    found = []
    for share in shares:
        inside = x > share * y[program.star]
        for c in used:
            column = np.zeros(program.s, dtype=np.bool_)
            entries = slice(program.stars.start[c], program.stars.start[c + 1])
            column[program.stars.block[entries][inside[entries]]] = True
            found.append(column)
    return np.array(found, dtype=np.bool_).reshape(-1, program.s)
