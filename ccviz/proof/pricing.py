"""Branch and bound in NumPy for a cluster with a value below a threshold.

The value of a cluster S is its sum of squares less the duals of its blocks, the least over centres
c of the sum over S of q_b(c) = mass_b |x_b - c|^2 - dual_b, taken at the mean. Boxes of centres are
split, and single blocks are put in or left out where conflicts or rules bind. In the smallest
cluster of least value every block has q_b < 0 at the mean, or it could leave: blocks with q_b >= 0
all over a box are dropped there. The sum of the others in the box is bounded below in three ways:

- min(0, q) lies above the chord of q over the box, and a sum of quadratics is least at a mean;
- of blocks that all exclude each other at most one is taken;
- within a rule's limit at most the blocks that gain most for their weight are taken.

The tree may branch on discs ("places"): in an occupied ("taken") disc some cluster has its mean,
in an empty one none has. Then a cluster's centre c lies in no empty disc, and the prize (the dual)
of an occupied disc is subtracted from the bound of every box that the disc meets; beyond a border
the sum of quadratics is greater by its weight times the squared distance. Blocks with q_b >= 0 at c
may still be dropped: c stays where it was, so c is searched for in the whole box of the points, and
a cluster may end with no block.

With few blocks all clusters are enumerated, without boxes. Every bound is lowered by a bound on its
rounding error; distances are taken from the middle of a box, so that this error is small beside
the values of the clusters there. Written independently of the solver's pricing:
`ccviz.proof.verify` shares no code with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ccviz.proof.question import Box, Limit, Pricing
from ccviz.proof.rounding import gamma
from ccviz.proof.verdict import Budget

BATCH = 256  # boxes bounded at a time
FEW = 14  # most blocks whose clusters are all enumerated
_TINY = 1e-12  # boxes of this width, relative to the largest coordinate, are not split further


@dataclass(frozen=True, eq=False)
class Boxes:
    """Open nodes: boxes of centres (p, d), and mark (p, s): 1 in, 0 free, -1 out."""

    low: np.ndarray
    high: np.ndarray
    mark: np.ndarray

    def take(self, rows: np.ndarray) -> Boxes:
        """Return some of the boxes."""
        return Boxes(self.low[rows], self.high[rows], self.mark[rows])

    def among(self, some: np.ndarray) -> Boxes:
        """Return the boxes with the marks of some blocks only; the others are out of all boxes."""
        return Boxes(self.low, self.high, self.mark[:, some])

    @property
    def sides(self) -> tuple[Boxes, Boxes]:
        """Split the boxes into halves along the axis of their largest spread."""
        middle = self.low + self.high
        axis = np.ptp(middle, axis=0).argmax()
        order = np.argsort(middle[:, axis], kind="stable")
        half = len(order) // 2
        return self.take(order[:half]), self.take(order[half:])

    @staticmethod
    def join(parts: Iterable[Boxes]) -> Boxes:
        """Return the boxes of several parts."""
        parts = list(parts)
        return Boxes(
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.high for part in parts]),
            np.concatenate([part.mark for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class _View:
    """Boxes with the range [least, most] of every q_b over them, and their bounds."""

    boxes: Boxes
    least: np.ndarray
    most: np.ndarray
    bound: np.ndarray
    center: np.ndarray
    undecided: np.ndarray  # whether the border of a disc crosses the box

    def take(self, rows: np.ndarray) -> _View:
        return _View(
            self.boxes.take(rows), self.least[rows], self.most[rows], self.bound[rows],
            self.center[rows], self.undecided[rows],
        )  # fmt: skip


class _Joint(NamedTuple):
    """Bounds (p,), and the minimised sum of quadratics.

    Where it is least, in the box and anywhere (p, d), from the boxes' middles; its weight (p,), and
    its terms' weighted squared distances (p,) from there.
    """

    bound: np.ndarray
    center: np.ndarray
    mean: np.ndarray
    weight: np.ndarray
    second: np.ndarray


def none_below(
    pricing: Pricing, threshold: float, budget: Budget, box: Box | None = None
) -> bool | None:
    """Whether no cluster has a value below the threshold; None if the budget runs out.

    `box`: Only clusters with their centres in it are looked for; others have no such value.
    """
    useful = np.flatnonzero(pricing.duals > 0.0)
    somewhere = len(pricing.places.radius) > 0
    if len(useful) <= FEW and not somewhere:
        return least_value(pricing.of(useful)) >= threshold
    cliques = cliques_of(pricing.conflict)
    tiny = _TINY * float(np.abs(pricing.points).max())
    waiting = [(np.arange(len(pricing.mass)), _root(pricing, box))]
    while waiting:
        some, boxes = waiting.pop()
        if len(boxes.mark) > BATCH:
            waiting += [(some, side) for side in boxes.sides]
            continue
        # A batch of neighbouring boxes uses few blocks: the others are out of all of its boxes.
        used = np.flatnonzero((boxes.mark >= 0).any(axis=0))
        here = used if len(used) > 0 else np.zeros(1, dtype=np.int64)
        some, boxes = some[here], boxes.among(here)
        part = pricing.of(some)
        if not budget.spend((len(boxes.mark) + 8) * part.points.size):
            return None
        view = _look(part, np.unique(cliques[some], return_inverse=True)[1], boxes)
        view = view.take(np.flatnonzero(view.bound < threshold))
        if somewhere and _is_undecidable(view, tiny):
            return None
        children, counterexample = _split(part, view, threshold, tiny)
        if counterexample:
            return False
        if len(children.mark):
            waiting.append((some, children))
    return True


def least_value(pricing: Pricing) -> float:
    """Return a lower bound on the least value of all clusters by enumeration; 0 if none."""
    s, d = pricing.points.shape
    if s == 0:
        return 0.0
    inside = (np.arange(1 << s)[:, None] >> np.arange(s) & 1).astype(np.float64)
    allowed = ((inside @ pricing.conflict) * inside).sum(axis=1) == 0.0
    for limit in pricing.limits:
        pairs = 0.5 * ((inside @ limit.together) * inside).sum(axis=1)
        allowed &= inside @ limit.weight + pairs <= limit.most
    inside = inside[allowed]
    gaps = ((pricing.points[:, None] - pricing.points) ** 2).sum(axis=2)
    apart = np.outer(pricing.mass, pricing.mass) * gaps  # a cluster costs their sum over its mass
    mass = np.where(inside.any(axis=1), inside @ pricing.mass, 1.0)
    costs = 0.5 * ((inside @ apart) * inside).sum(axis=1) / mass
    gains = inside @ pricing.duals
    return float((costs - gains - gamma(d + 2 * s + 8) * (costs + gains)).min())


def _root(pricing: Pricing, box: Box | None = None) -> Boxes:
    alone = np.eye(len(pricing.mass), dtype=bool)
    able = (pricing.duals > 0.0) & np.array([pricing.allows(each) for each in alone])
    won = (np.nan_to_num(pricing.places.prize) > 0.0).any()  # also by a cluster without blocks
    if not (able.any() or won):
        empty = np.zeros((0, pricing.points.shape[1]))
        return Boxes(empty, empty, np.zeros((0, len(able)), dtype=np.int8))
    mark = np.where(able, 0, -1).astype(np.int8)
    if box is not None:
        return Boxes(box.low[None], box.high[None], mark[None])
    points = pricing.points[able | (len(pricing.places.radius) > 0)]
    return Boxes(points.min(axis=0)[None], points.max(axis=0)[None], mark[None])


def cliques_of(conflict: np.ndarray) -> np.ndarray:
    """Return (s,) the clique of each block, from a greedy partition of the conflict graph."""
    s = len(conflict)
    clique = np.full(s, -1)
    for b in np.argsort(-conflict.sum(axis=1), kind="stable"):
        if clique[b] >= 0:
            continue
        clique[b] = b
        common = conflict[b] & (clique < 0)
        while common.any():
            other = int(np.flatnonzero(common)[conflict[common][:, common].sum(axis=1).argmax()])
            clique[other] = b
            common &= conflict[other]
    return np.unique(clique, return_inverse=True)[1]


def _look(pricing: Pricing, cliques: np.ndarray, boxes: Boxes) -> _View:
    """Drop blocks that cannot belong to a least cluster in each box, and bound the rest."""
    middle = 0.5 * (boxes.low + boxes.high)
    half = np.maximum(boxes.high - middle, middle - boxes.low) * (1.0 + gamma(2))
    off = pricing.points - middle[:, None, :]
    size, wide = np.abs(off), half[:, None, :]
    near = np.maximum(0.0, size * (1.0 - gamma(2)) - wide * (1.0 + gamma(2)))
    least = _term(pricing, near, -1.0)
    most = _term(pricing, size + wide, 1.0)
    mark = np.where((boxes.mark == 0) & (least >= 0.0), -1, boxes.mark).astype(np.int8)
    boxes = Boxes(boxes.low, boxes.high, mark)
    joint = _bound(pricing, cliques, mark, least, most, off, half)
    change, undecided, is_empty = _in_places(pricing, joint, middle, half)
    bound = np.where((mark < 0).all(axis=1), 0.0, joint.bound) + change
    impossible = ((mark == 1) & (least >= 0.0)).any(axis=1) | is_empty
    bound = np.where(impossible, np.inf, bound)
    return _View(boxes, least, most, bound, middle + joint.center, undecided)


def _in_places(
    pricing: Pricing, joint: _Joint, middle: np.ndarray, half: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (p,) the change of the bounds by discs, if a border crosses, if all is empty.

    The minimiser of the joint terms may lie in an empty disc, where no centre is allowed, or
    outside an occupied disc, without its prize. The bound grows by the squared distance to the
    nearest allowed centre, or the nearest with the prize.
    """
    places, (p, d) = pricing.places, middle.shape
    if len(places.radius) == 0:
        return np.zeros(p), np.zeros(p, dtype=bool), np.zeros(p, dtype=bool)
    wide, off = half[:, None, :], np.abs(places.center - middle[:, None, :])
    near = np.maximum(0.0, off * (1.0 - gamma(2)) - wide * (1.0 + gamma(2)))
    least = np.sqrt((near * near).sum(axis=2)) * (1.0 - gamma(d + 4))
    most = np.sqrt(((off + wide) ** 2).sum(axis=2)) * (1.0 + gamma(d + 4))
    taken, meets, within = places.taken, least <= places.radius, most < places.radius
    crossed = meets & ~within
    gap = np.sqrt(((places.center - (middle + joint.mean)[:, None, :]) ** 2).sum(axis=2))
    out = np.where(crossed & ~taken, np.maximum(places.radius - gap, 0.0), 0.0).max(axis=1) ** 2
    reach = ((joint.center - joint.mean) ** 2).sum(axis=1)
    out = np.maximum(out, reach)
    # Prizes of the nearest occupied disc, of the two nearest, and so on, with the distance.
    into = np.where(crossed & taken, np.maximum(gap - places.radius, 0.0) ** 2, np.inf)
    prize = np.where(taken, np.nan_to_num(places.prize), 0.0)
    nearer = into[:, None, :] <= into[:, :, None]
    won = np.where(nearer & np.isfinite(into)[:, None, :], prize, 0.0).sum(axis=2)
    further = np.where(np.isfinite(into), np.maximum(into, out[:, None]), np.inf)
    costs = joint.weight[:, None] * np.where(np.isfinite(further), further - reach[:, None], 0.0)
    change = joint.weight * (out - reach)
    change = np.minimum(change, np.where(np.isfinite(further), costs - won, np.inf).min(axis=1))
    if pricing.limits:  # may bound better than the joint terms, but ignore centres
        change = -np.where(crossed, prize, 0.0).sum(axis=1)
    sure = np.where(within, prize, 0.0).sum(axis=1)
    # The rounding error of the mean is covered by the sum of squares about the box's middle.
    far = ((off + places.radius[:, None]) ** 2).sum(axis=2).max(axis=1)
    size = joint.second + joint.weight * far + prize.sum()
    slack = gamma(sum(pricing.points.shape) + len(taken) + 32) * 16.0 * size
    return change - sure - slack, crossed.any(axis=1), (within & ~taken).any(axis=1)


def _term(pricing: Pricing, gap: np.ndarray, side: float) -> np.ndarray:
    """Return (p, s) q_b at gaps (p, s, d), rounded down or up."""
    squares = pricing.mass * np.einsum("psd,psd->ps", gap, gap)
    slack = gamma(gap.shape[2] + 8) * (squares + np.abs(pricing.duals))
    return squares - pricing.duals + side * slack


def _bound(
    pricing: Pricing,
    cliques: np.ndarray,
    mark: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    off: np.ndarray,
    half: np.ndarray,
) -> _Joint:
    """Bound boxes; ``off`` is from their middles."""
    inside, free = mark == 1, mark == 0
    gain = np.where(free, -least, 0.0)
    crowded, best = clique_gains(cliques, free, gain)
    joint = inside | (free & ~crowded)
    share = np.where(most > 0.0, -least / np.where(most > 0.0, most - least, 1.0), 1.0)
    share = np.where(inside, 1.0, np.where(joint, np.clip(share, 0.0, 1.0), 0.0))
    # min(0, q) >= share q - chord, for any share from 0 to 1.
    chord = np.maximum(share * np.maximum(most, 0.0), (1.0 - share) * -np.minimum(least, 0.0))
    chord = np.where(joint & ~inside, chord, 0.0).sum(axis=1)
    weight = share * pricing.mass
    total = weight.sum(axis=1)
    first = np.einsum("ps,psd->pd", weight, off)
    second = np.einsum("ps,psd,psd->p", weight, off, off)
    mean = first / np.where(total > 0.0, total, 1.0)[:, None]
    center = np.clip(mean, -half, half)
    squares = second - 2.0 * (center * first).sum(axis=1) + total * (center**2).sum(axis=1)
    gained = share @ pricing.duals
    bound = squares - gained - chord - best
    for limit in pricing.limits:
        bound = np.maximum(bound, _within(limit, inside, free, least, gain))
    size = 6.0 * second + share @ np.abs(pricing.duals) + chord + best
    size += np.where(inside, np.abs(least), 0.0).sum(axis=1) + gain.sum(axis=1)
    bound -= gamma(sum(pricing.points.shape) + 32) * size
    return _Joint(bound, center, mean, total, second)


def clique_gains(
    cliques: np.ndarray, free: np.ndarray, gain: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the blocks that share a clique with another free one, and such cliques' gain."""
    if cliques.max() == len(cliques) - 1:  # of one block each
        return np.zeros(free.shape, dtype=bool), np.zeros(len(free))
    order = np.argsort(cliques, kind="stable")
    starts = np.searchsorted(cliques[order], np.arange(cliques.max() + 1))
    count = np.add.reduceat(free[:, order].astype(np.int64), starts, axis=1)
    best = np.maximum.reduceat(gain[:, order], starts, axis=1)
    crowded = count > 1
    return crowded[:, cliques] & free, (best * crowded).sum(axis=1)


def _within(
    limit: Limit, inside: np.ndarray, free: np.ndarray, least: np.ndarray, gain: np.ndarray
) -> np.ndarray:
    """Bound by a limit's fractional knapsack."""
    weight = limit.weight + inside @ limit.together
    pairs = 0.5 * np.einsum("pi,ij,pj->p", inside, limit.together, inside)
    room = limit.most - (inside @ limit.weight + pairs)
    density = np.where(free, gain / np.maximum(weight, 1e-12), 0.0)
    order = np.argsort(-density, axis=1)
    heavy = np.take_along_axis(np.where(free, weight, 0.0), order, axis=1)
    before = np.cumsum(heavy, axis=1) - heavy
    share = np.clip((room[:, None] - before) / np.maximum(heavy, 1e-12), 0.0, 1.0)
    share = np.where(heavy <= 0.0, 1.0, share)
    gained = (share * np.take_along_axis(gain, order, axis=1)).sum(axis=1)
    bound = np.where(inside, least, 0.0).sum(axis=1) - gained
    return np.where(room < 0.0, np.inf, bound)


def _split(pricing: Pricing, view: _View, threshold: float, tiny: float) -> tuple[Boxes, bool]:
    """Return the children of the boxes, and whether a cluster below the threshold was met."""
    free = view.boxes.mark == 0
    gaps = ((pricing.points - view.center[:, None, :]) ** 2).sum(axis=2)
    taken = (view.boxes.mark == 1) | (free & (pricing.mass * gaps < pricing.duals))
    stake, blocks = np.zeros(len(taken)), np.full(len(taken), -1)
    tied = bool(pricing.limits) or pricing.conflict.any()
    for row, inside in enumerate(taken):
        wrong = _wrong(pricing, inside) & free[row] if tied else inside[:0]
        if wrong.any():
            blocks[row] = int(np.flatnonzero(wrong)[view.least[row, wrong].argmin()])
            stake[row] = -view.least[row, blocks[row]]
        elif (
            inside.any()
            and (not tied or pricing.allows(inside))
            and _is_below(pricing, inside, threshold)
        ):
            return view.boxes, True
    open_terms = free & (view.most > 0.0)
    spread = np.where(open_terms, -view.least, 0.0).sum(axis=1)
    axis, width = _widest(pricing, view.boxes, open_terms, view.undecided)
    narrow = width <= tiny
    spread = np.where(view.undecided, np.inf, spread)
    by_block = (blocks >= 0) & ((stake >= spread) | narrow)
    stuck = (blocks < 0) & narrow  # without free blocks the box's single cluster was just checked
    left = np.flatnonzero(stuck & free.any(axis=1))
    blocks[left] = np.where(free[left], view.least[left], np.inf).argmin(axis=1)
    by_block[left] = True
    halves = halve(view.boxes.take(np.flatnonzero(~by_block & ~stuck)), axis[~by_block & ~stuck])
    chosen = np.flatnonzero(by_block)
    return Boxes.join([*halves, *decide(pricing, view.boxes, chosen, blocks)]), False


def _is_undecidable(view: _View, tiny: float) -> bool:
    """Whether a box too small to split crosses a disc's border, or has a single cluster left.

    That cluster's own mean may lie elsewhere; but together with a further block, which adds nothing
    at a centre in the box, its mean could lie in the box.
    """
    small = (view.boxes.high - view.boxes.low).max(axis=1) <= tiny
    return bool((small & (view.undecided | (view.boxes.mark != 0).all(axis=1))).any())


def _is_below(pricing: Pricing, inside: np.ndarray, threshold: float) -> bool:
    """Whether the cluster (s,) bool, at its own mean, has a value below the threshold."""
    points, mass, places = pricing.points[inside], pricing.mass[inside], pricing.places
    gaps = np.sqrt(((places.center - mass @ points / mass.sum()) ** 2).sum(axis=1))
    within = gaps < places.radius
    if (within & ~places.taken).any():
        return False
    prize = float(places.prize[within].sum())
    return pricing.value(inside) - prize < threshold


def _wrong(pricing: Pricing, inside: np.ndarray) -> np.ndarray:
    """Return the blocks of a cluster that take part in a broken conflict or limit."""
    wrong = inside & (pricing.conflict @ inside)
    for limit in pricing.limits:
        if limit.of(inside) > limit.most:
            wrong |= inside & ((limit.weight > 0.0) | (limit.together @ inside > 0.0))
    return np.asarray(wrong)


def _widest(
    pricing: Pricing, boxes: Boxes, open_terms: np.ndarray, undecided: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the axis along which open terms vary most, and the box's width there.

    If a border crosses the box, return its longest axis.
    """
    width = boxes.high - boxes.low
    middle = 0.5 * (boxes.high + boxes.low)
    weight = np.where(open_terms, pricing.mass, 0.0)
    off = np.abs(pricing.points - middle[:, None, :]) + 0.25 * width[:, None, :]
    varied = np.einsum("pb,pbj->pj", weight, off) * width
    varies = (varied.max(axis=1) > 0.0) & ~undecided
    axis = np.where(varies, varied.argmax(axis=1), width.argmax(axis=1))
    return axis, np.take_along_axis(width, axis[:, None], axis=1)[:, 0]


def halve(boxes: Boxes, axis: np.ndarray) -> tuple[Boxes, Boxes]:
    """Return the lower and the upper halves of the boxes along an axis each."""
    rows = np.arange(len(axis))
    middle = 0.5 * (boxes.low[rows, axis] + boxes.high[rows, axis])
    low, high = boxes.low.copy(), boxes.high.copy()
    low[rows, axis] = middle
    high[rows, axis] = middle
    return Boxes(boxes.low, high, boxes.mark), Boxes(low, boxes.high, boxes.mark)


def decide(
    pricing: Pricing, boxes: Boxes, rows: np.ndarray, blocks: np.ndarray
) -> tuple[Boxes, Boxes]:
    """Branch on a block: in, with all implied decisions, and out."""
    without, within = boxes.take(rows), boxes.take(rows)
    for i, row in enumerate(rows):
        without.mark[i, blocks[row]] = -1
        mark = within.mark[i]
        mark[blocks[row]] = 1
        mark[(mark == 0) & pricing.conflict[blocks[row]]] = -1
        inside = mark == 1
        for limit in pricing.limits:
            room = limit.most - limit.of(inside)
            mark[(mark == 0) & (limit.weight + limit.together @ inside > room)] = -1
    return without, within
