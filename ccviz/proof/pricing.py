"""Does any cluster have a value below a threshold? A plain branch and bound in NumPy.

The value of a cluster S is its sum of squares less the duals of its blocks, the least over centres
c of the sum over S of q_b(c) = mass_b |x_b - c|^2 - dual_b, taken at the mean. Boxes of centres are
split, and single blocks are put in or left out where conflicts or rules bind. In the smallest
cluster of least value every block has q_b < 0 at the mean, or it could leave: blocks with q_b >= 0
all over a box are dropped there. What the rest can add in the box is bounded below three ways:

- min(0, q) lies above the chord of q over the box, and a sum of quadratics is least at a mean;
- of blocks that all exclude each other at most one is taken;
- within a rule's limit at most the blocks that gain most for their weight are taken.

Written apart from the solver's pricing, so that `ccviz.proof.verify` shares no code with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ccviz.problem.problem import Problem

_BATCH = 256  # boxes looked at together
_ROUNDING = 1e-13
_TINY = 1e-12  # width of a box, relative to the points, that is not split further


@dataclass(frozen=True, eq=False)
class Limit:
    """What a cluster may hold at most.

    Attributes
    ----------
    most : float
    weight : (s,) float64
        What each block weighs.
    together : (s, s) float64
        What two blocks weigh on top when both are in; symmetric, zero diagonal.
    """

    most: float
    weight: np.ndarray
    together: np.ndarray

    def of(self, inside: np.ndarray) -> float:
        """Return what the cluster (s,) bool weighs."""
        return float(self.weight[inside].sum() + 0.5 * self.together[np.ix_(inside, inside)].sum())


@dataclass(frozen=True, eq=False)
class Pricing:
    """The question: blocks, their duals, and what may share a cluster.

    Attributes
    ----------
    points : (s, d) float64
        Centroids of the blocks.
    mass : (s,) float64
    duals : (s,) float64
    conflict : (s, s) bool
    limits : tuple of Limit
    """

    points: np.ndarray
    mass: np.ndarray
    duals: np.ndarray
    conflict: np.ndarray
    limits: tuple[Limit, ...] = ()

    def allows(self, inside: np.ndarray) -> bool:
        """Whether the cluster (s,) bool keeps all conflicts and limits."""
        if self.conflict[np.ix_(inside, inside)].any():
            return False
        return all(limit.of(inside) <= limit.most for limit in self.limits)

    def value(self, inside: np.ndarray) -> float:
        """Return the value of the cluster (s,) bool."""
        points, mass = self.points[inside], self.mass[inside]
        gaps = points - mass @ points / mass.sum()
        return float(mass @ (gaps * gaps).sum(axis=1) - self.duals[inside].sum())


@dataclass(frozen=True, eq=False)
class _Boxes:
    """Open nodes: boxes of centres (p, d), and mark (p, s): 1 in, 0 free, -1 out."""

    low: np.ndarray
    high: np.ndarray
    mark: np.ndarray

    def take(self, rows: np.ndarray) -> _Boxes:
        return _Boxes(self.low[rows], self.high[rows], self.mark[rows])

    @staticmethod
    def join(parts: Iterable[_Boxes]) -> _Boxes:
        parts = list(parts)
        return _Boxes(
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.high for part in parts]),
            np.concatenate([part.mark for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class _View:
    """Boxes with the range [least, most] of every q_b over them, and their bounds."""

    boxes: _Boxes
    least: np.ndarray
    most: np.ndarray
    bound: np.ndarray
    center: np.ndarray

    def take(self, rows: np.ndarray) -> _View:
        return _View(
            self.boxes.take(rows), self.least[rows], self.most[rows], self.bound[rows],
            self.center[rows],
        )  # fmt: skip


def pricings(
    problem: Problem, block_of: np.ndarray, conflict: np.ndarray, duals: np.ndarray
) -> list[Pricing]:
    """Return the questions of a node: one for each way in which a cluster can keep the rules.

    Parameters
    ----------
    problem : Problem
    block_of : (n,) int64
    conflict : (s, s) bool
    duals : (s,) float64
    """
    mass = np.bincount(block_of).astype(float)
    points = np.zeros((len(mass), problem.d))
    np.add.at(points, block_of, problem.X - problem.X.mean(axis=0))
    points /= mass[:, None]
    ways = product(*(rule.alternatives(problem) for rule in problem.rules))
    return [
        Pricing(
            points, mass, duals, conflict,
            tuple(_over_blocks(load, block_of) for loads in way for load in loads),
        )
        for way in ways
    ]  # fmt: skip


def _over_blocks(load: Any, block_of: np.ndarray) -> Limit:
    """Return a rule's load over points as one over blocks."""
    s = int(block_of.max()) + 1
    weight = np.bincount(block_of, load.weight, s).astype(float)
    together = np.zeros((s, s))
    ends = block_of[load.pairs].reshape(-1, 2)
    np.add.at(together, (ends[:, 0], ends[:, 1]), 1.0)
    weight += together.diagonal()
    together += together.T
    np.fill_diagonal(together, 0.0)
    return Limit(load.limit, weight, together)


def none_below(pricing: Pricing, threshold: float, most_boxes: int) -> bool | None:
    """Whether no cluster has a value below the threshold; None if that took too many boxes.

    Parameters
    ----------
    pricing : Pricing
    threshold : float
        Not positive.
    most_boxes : int
    """
    cliques = _cliques(pricing.conflict)
    waiting = [_root(pricing)]
    seen = 0
    while waiting:
        boxes = waiting.pop()
        if len(boxes.mark) > _BATCH:
            waiting.append(boxes.take(np.arange(_BATCH, len(boxes.mark))))
            boxes = boxes.take(np.arange(_BATCH))
        seen += len(boxes.mark)
        if seen > most_boxes:
            return None
        view = _look(pricing, cliques, boxes)
        view = view.take(np.flatnonzero(view.bound < threshold))
        children, counterexample = _split(pricing, view, threshold)
        if counterexample:
            return False
        if len(children.mark):
            waiting.append(children)
    return True


def _root(pricing: Pricing) -> _Boxes:
    alone = np.eye(len(pricing.mass), dtype=bool)
    able = (pricing.duals > 0.0) & np.array([pricing.allows(each) for each in alone])
    if not able.any():
        empty = np.zeros((0, pricing.points.shape[1]))
        return _Boxes(empty, empty, np.zeros((0, len(able)), dtype=np.int8))
    points = pricing.points[able]
    mark = np.where(able, 0, -1).astype(np.int8)
    return _Boxes(points.min(axis=0)[None], points.max(axis=0)[None], mark[None])


def _cliques(conflict: np.ndarray) -> np.ndarray:
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


def _look(pricing: Pricing, cliques: np.ndarray, boxes: _Boxes) -> _View:
    """Drop what cannot belong to a least cluster in each box, and bound the rest."""
    under = boxes.low[:, None, :] - pricing.points
    over = pricing.points - boxes.high[:, None, :]
    near = np.maximum(0.0, np.maximum(under, over))
    far = np.maximum(-under, -over)
    least = pricing.mass * (near * near).sum(axis=2) - pricing.duals
    most = pricing.mass * (far * far).sum(axis=2) - pricing.duals
    mark = np.where((boxes.mark == 0) & (least >= 0.0), -1, boxes.mark).astype(np.int8)
    boxes = _Boxes(boxes.low, boxes.high, mark)
    bound, center = _bound(pricing, cliques, boxes, least, most)
    impossible = ((mark == 1) & (least >= 0.0)).any(axis=1) | (mark < 0).all(axis=1)
    return _View(boxes, least, most, np.where(impossible, np.inf, bound), center)


def _bound(
    pricing: Pricing, cliques: np.ndarray, boxes: _Boxes, least: np.ndarray, most: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    inside, free = boxes.mark == 1, boxes.mark == 0
    gain = np.where(free, -least, 0.0)
    crowded, best = _crowded(cliques, free, gain)
    joint = inside | (free & ~crowded)
    share = np.where(most > 0.0, -least / np.where(most > 0.0, most - least, 1.0), 1.0)
    share = np.where(inside, 1.0, np.where(joint, share, 0.0))
    weight = share * pricing.mass
    total = weight.sum(axis=1)
    first = weight @ pricing.points
    mean = first / np.where(total > 0.0, total, 1.0)[:, None]
    center = np.clip(mean, boxes.low, boxes.high)
    second = weight @ (pricing.points**2).sum(axis=1)
    squares = second - 2.0 * (center * first).sum(axis=1) + total * (center**2).sum(axis=1)
    chord = np.where(inside, 0.0, share * np.maximum(most, 0.0))
    bound = squares - (share * pricing.duals).sum(axis=1) - chord.sum(axis=1) - best
    for limit in pricing.limits:
        bound = np.maximum(bound, _within(limit, inside, free, least, gain))
    size = second + (share * pricing.duals).sum(axis=1) + best
    return bound - _ROUNDING * size, center


def _crowded(
    cliques: np.ndarray, free: np.ndarray, gain: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return which blocks share a clique with another free one, and what such cliques gain."""
    order = np.argsort(cliques, kind="stable")
    starts = np.searchsorted(cliques[order], np.arange(cliques.max() + 1))
    count = np.add.reduceat(free[:, order].astype(np.int64), starts, axis=1)
    best = np.maximum.reduceat(gain[:, order], starts, axis=1)
    crowded = count > 1
    return crowded[:, cliques] & free, (best * crowded).sum(axis=1)


def _within(
    limit: Limit, inside: np.ndarray, free: np.ndarray, least: np.ndarray, gain: np.ndarray
) -> np.ndarray:
    """Bound by what a limit lets in, fractions of blocks allowed."""
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


def _split(pricing: Pricing, view: _View, threshold: float) -> tuple[_Boxes, bool]:
    """Return the children of the boxes, and whether a cluster below the threshold was met."""
    free = view.boxes.mark == 0
    gaps = ((pricing.points - view.center[:, None, :]) ** 2).sum(axis=2)
    taken = (view.boxes.mark == 1) | (free & (pricing.mass * gaps < pricing.duals))
    stake, blocks = np.zeros(len(taken)), np.full(len(taken), -1)
    for row, inside in enumerate(taken):
        wrong = _wrong(pricing, inside) & free[row]
        if wrong.any():
            blocks[row] = int(np.flatnonzero(wrong)[view.least[row, wrong].argmin()])
            stake[row] = -view.least[row, blocks[row]]
        elif inside.any() and pricing.allows(inside) and pricing.value(inside) < threshold:
            return view.boxes, True
    open_terms = free & (view.most > 0.0)
    spread = np.where(open_terms, -view.least, 0.0).sum(axis=1)
    axis, width = _widest(pricing, view.boxes, open_terms)
    tiny = width <= _TINY * np.abs(pricing.points).max()
    by_block = (blocks >= 0) & ((stake >= spread) | tiny)
    stuck = (blocks < 0) & tiny  # without free blocks its one cluster was just looked at
    left = np.flatnonzero(stuck & free.any(axis=1))
    blocks[left] = np.where(free[left], view.least[left], np.inf).argmin(axis=1)
    by_block[left] = True
    halves = _halve(view.boxes.take(np.flatnonzero(~by_block & ~stuck)), axis[~by_block & ~stuck])
    chosen = np.flatnonzero(by_block)
    return _Boxes.join([*halves, *_decide(pricing, view.boxes, chosen, blocks)]), False


def _wrong(pricing: Pricing, inside: np.ndarray) -> np.ndarray:
    """Return the blocks of a cluster that take part in a broken conflict or limit."""
    wrong = inside & (pricing.conflict @ inside)
    for limit in pricing.limits:
        if limit.of(inside) > limit.most:
            wrong |= inside & ((limit.weight > 0.0) | (limit.together @ inside > 0.0))
    return np.asarray(wrong)


def _widest(
    pricing: Pricing, boxes: _Boxes, open_terms: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the axis along which open terms vary most, and the box's width there."""
    width = boxes.high - boxes.low
    middle = 0.5 * (boxes.high + boxes.low)
    weight = np.where(open_terms, pricing.mass, 0.0)
    off = np.abs(pricing.points - middle[:, None, :]) + 0.25 * width[:, None, :]
    varied = np.einsum("pb,pbj->pj", weight, off) * width
    axis = np.where(varied.max(axis=1) > 0.0, varied.argmax(axis=1), width.argmax(axis=1))
    return axis, np.take_along_axis(width, axis[:, None], axis=1)[:, 0]


def _halve(boxes: _Boxes, axis: np.ndarray) -> tuple[_Boxes, _Boxes]:
    rows = np.arange(len(axis))
    middle = 0.5 * (boxes.low[rows, axis] + boxes.high[rows, axis])
    low, high = boxes.low.copy(), boxes.high.copy()
    low[rows, axis] = middle
    high[rows, axis] = middle
    return _Boxes(boxes.low, high, boxes.mark), _Boxes(low, boxes.high, boxes.mark)


def _decide(
    pricing: Pricing, boxes: _Boxes, rows: np.ndarray, blocks: np.ndarray
) -> tuple[_Boxes, _Boxes]:
    """Put a block in, with all that follows, and leave it out."""
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
