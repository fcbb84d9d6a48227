"""Search for a cluster with a value below a threshold, under limits on its size.

Where clusters must partition the blocks, duals have any sign and clusters have limits l and u on
their points. The value of a cluster S is the least over centres c of the sum over S of
q_b(c) = mass_b |x_b - c|^2 - dual_b, taken at the mean, plus the weights of the soft cannot-links
inside and half the weights of the soft must-links that leave it. Boxes of centres are split, and
single blocks are put in or left out. For any price t of a point

    value(S) >= sum over S of (q_b - t mass_b) + (t l if t > 0 else t u),

so blocks with q_b >= t mass_b all over a box add nothing. Soft links become part of the duals: a
cannot-link counts once one of its blocks is in; half of a must-link between two open blocks is kept
as soon as one is in. Of open blocks that all exclude each other at most one is taken. The rest is
as in `ccviz.proof.pricing`. Limits of rules bind by single blocks only.

With few blocks all clusters are enumerated. Every bound is lowered by a bound on its rounding
error. Written independently of the solver's pricing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.problem.sums import MaxSum, MinSum, SumLimit
from ccviz.proof.blocks import PlainBlocks
from ccviz.proof.pricing import BATCH, FEW, Boxes, clique_gains, cliques_of, decide, halve
from ccviz.proof.question import Pricing, pricings
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import Centroids, gamma, rescaled
from ccviz.proof.soft import SoftCosts
from ccviz.proof.verdict import Budget

_UNDECIDED = 6  # open blocks of either sign up to which they are decided instead of the box split
_TINY = 1e-12  # boxes of this width, relative to the largest coordinate, are not split further


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits on the points of a cluster, and what soft links of two blocks add to its value."""

    lower: float
    upper: float
    # (s, s): Symmetric: weights of soft cannot-links, less those of soft must-links.
    pairs: np.ndarray
    cut: np.ndarray  # (s,): Half the weights of each block's soft must-links


@dataclass(frozen=True, eq=False)
class _View:
    """Boxes with the range [least, most] of the open terms over them, and their bounds."""

    boxes: Boxes
    least: np.ndarray
    most: np.ndarray
    bound: np.ndarray
    tied: np.ndarray  # the gain of blocks that exclude each other

    def take(self, rows: np.ndarray) -> _View:
        return _View(
            self.boxes.take(rows), self.least[rows], self.most[rows], self.bound[rows],
            self.tied[rows],
        )  # fmt: skip


def none_below_within(
    pricing: Pricing, limits: Limits, threshold: float, budget: Budget, few: int = FEW
) -> bool | None:
    """Whether no cluster within the limits has a value below the threshold.

    `pricing`: Without discs; duals of any sign. `few`: Most blocks whose clusters are all
    enumerated. Returns: None if the budget runs out.
    """
    s = len(pricing.mass)
    if s <= few:
        return _least_of_all(pricing, limits) >= threshold
    cliques = cliques_of(pricing.conflict)
    low, high = pricing.points.min(axis=0), pricing.points.max(axis=0)
    waiting = [Boxes(low[None], high[None], np.zeros((1, s), dtype=np.int8))]
    while waiting:
        boxes = waiting.pop()
        if len(boxes.mark) > BATCH:
            waiting += boxes.sides
            continue
        if not budget.spend((len(boxes.mark) + 8) * pricing.points.size):
            return None
        view = _look(pricing, limits, cliques, boxes)
        view = view.take(np.flatnonzero(view.bound < threshold))
        single = (view.boxes.mark != 0).all(axis=1)
        alone = view.boxes.mark[single] == 1
        if any(_is_below(pricing, limits, inside, threshold) for inside in alone):
            return False
        view = view.take(np.flatnonzero(~single))
        if len(view.bound):
            waiting.append(_split(pricing, view))
    return True


def _least_of_all(pricing: Pricing, limits: Limits) -> float:
    """Return a lower bound on the least value of all clusters by enumeration; inf if none."""
    s = len(pricing.mass)
    inside = (np.arange(1, 1 << s)[:, None] >> np.arange(s) & 1).astype(np.float64)
    mass = inside @ pricing.mass
    allowed = ((inside @ pricing.conflict) * inside).sum(axis=1) == 0.0
    allowed &= (mass >= limits.lower) & (mass <= limits.upper)
    for limit in pricing.limits:
        pairs = 0.5 * ((inside @ limit.together) * inside).sum(axis=1)
        allowed &= inside @ limit.weight + pairs <= limit.most
    return least_value(pricing, limits, inside[allowed])


def least_value(pricing: Pricing, limits: Limits, inside: np.ndarray) -> float:
    """Return a lower bound on the least value of clusters (p, s) of 0 and 1; inf of none."""
    if len(inside) == 0:
        return np.inf
    (s, d), mass = pricing.points.shape, inside @ pricing.mass
    gaps = ((pricing.points[:, None] - pricing.points) ** 2).sum(axis=2)
    apart = np.outer(pricing.mass, pricing.mass) * gaps
    costs = 0.5 * ((inside @ apart) * inside).sum(axis=1) / mass
    pairs = 0.5 * ((inside @ limits.pairs) * inside).sum(axis=1)
    size = costs + inside @ (np.abs(pricing.duals) + limits.cut)
    size += 0.5 * ((inside @ np.abs(limits.pairs)) * inside).sum(axis=1)
    values = costs - inside @ (pricing.duals - limits.cut) + pairs
    return float((values - gamma(d + 3 * s + 16) * size).min())


def _is_below(pricing: Pricing, limits: Limits, inside: np.ndarray, threshold: float) -> bool:
    """Whether the cluster (s,) bool is allowed and may have a value below the threshold."""
    mass = float(pricing.mass[inside].sum())
    if not inside.any() or not limits.lower <= mass <= limits.upper:
        return False
    if not pricing.allows(inside):
        return False
    pairs = limits.pairs[np.ix_(inside, inside)]
    value = pricing.value(inside) + float(limits.cut[inside].sum() + 0.5 * pairs.sum())
    size = float(np.abs(pricing.duals[inside]).sum() + limits.cut[inside].sum())
    size += float(np.abs(pairs).sum()) + abs(value)
    return value - gamma(3 * len(inside) + pricing.points.shape[1] + 16) * 2.0 * size < threshold


def _look(pricing: Pricing, limits: Limits, cliques: np.ndarray, boxes: Boxes) -> _View:
    """Leave out blocks that are too large, and bound the boxes."""
    inside, s = boxes.mark == 1, len(pricing.mass)
    sure = inside @ pricing.mass
    mark = np.where(
        (boxes.mark == 0) & (sure[:, None] + pricing.mass > limits.upper), -1, boxes.mark
    ).astype(np.int8)
    free = mark == 0
    possible = sure + free @ pricing.mass
    is_empty = (sure > limits.upper) | (possible < limits.lower)
    middle = 0.5 * (boxes.low + boxes.high)
    half = np.maximum(boxes.high - middle, middle - boxes.low) * (1.0 + gamma(2))
    off = pricing.points - middle[:, None, :]
    duals, size = _with_links(pricing, limits, inside, free)
    here = pricing.mass * (off * off).sum(axis=2) - duals
    price = _price(pricing.mass, limits, free, sure, here)
    duals = duals + price[:, None] * pricing.mass
    size = size + np.abs(price)[:, None] * pricing.mass
    wide, gap = half[:, None, :], np.abs(off)
    near = np.maximum(0.0, gap * (1.0 - gamma(2)) - wide * (1.0 + gamma(2)))
    least = pricing.mass * (near * near).sum(axis=2) - duals
    most = pricing.mass * ((gap + wide) ** 2).sum(axis=2) - duals
    error = gamma(s + off.shape[2] + 16) * (np.abs(least) + np.abs(most) + 2.0 * size)
    least, most = least - error, most + error
    gain = np.where(free, np.maximum(-least, 0.0), 0.0)
    among = free & (gain > 0.0)
    shared, best = clique_gains(cliques, among, gain)
    total = price * np.where(price > 0.0, limits.lower, limits.upper)
    bound, lost = _joint(pricing, inside, among & ~shared, least, most, duals, off, half)
    reach = np.abs(total) + best + np.where(inside, size, 0.0).sum(axis=1) + lost
    bound = bound + total - best - gamma(2 * s + off.shape[2] + 32) * reach
    bound = np.where(is_empty, np.inf, bound)
    tied = np.where(shared, gain, 0.0)
    return _View(Boxes(boxes.low, boxes.high, mark), least, most, bound, tied)


def _with_links(
    pricing: Pricing, limits: Limits, inside: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (p, s) duals less what soft links add at least, and sizes of what they are made of."""
    added = inside.astype(np.float64) @ limits.pairs
    kept = free.astype(np.float64) @ np.minimum(limits.pairs, 0.0)
    added = np.where(free, added + 0.5 * kept, np.where(inside, 0.5 * added, 0.0))
    size = np.abs(pricing.duals) + limits.cut + np.abs(limits.pairs).sum(axis=1)
    return pricing.duals - limits.cut - added, np.broadcast_to(size, added.shape)


def _price(
    mass: np.ndarray, limits: Limits, free: np.ndarray, sure: np.ndarray, here: np.ndarray
) -> np.ndarray:
    """Return (p,) a price of a point for each box; any is valid.

    It is what the last block costs a point that a cluster within the limits takes at the middle.
    """
    rows = np.arange(len(sure))
    density = np.where(free, here / mass, np.inf)
    order = np.argsort(density, axis=1)
    ordered = np.take_along_axis(density, order, axis=1)
    weight = np.where(np.isfinite(ordered), mass[order], 0.0)
    after = sure[:, None] + np.cumsum(weight, axis=1)
    last = density.shape[1] - 1
    needed = np.minimum((after < limits.lower).sum(axis=1), last)
    over = np.minimum((after <= limits.upper).sum(axis=1), last)
    at_lower, at_upper = ordered[rows, needed], ordered[rows, over]
    below = (sure < limits.lower) & (at_lower > 0.0) & np.isfinite(at_lower)
    above = (after[:, -1] > limits.upper) & (at_upper < 0.0)
    return np.where(below, at_lower, np.where(above, at_upper, 0.0))


def _joint(
    pricing: Pricing,
    inside: np.ndarray,
    gaining: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    duals: np.ndarray,
    off: np.ndarray,
    half: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Bound the terms of the blocks inside, and of those that gain, by one sum of quadratics.

    Returns (p,) bounds, and sizes of what they are sums of.
    """
    share = np.where(most > 0.0, -least / np.where(most > 0.0, most - least, 1.0), 1.0)
    share = np.where(inside, 1.0, np.where(gaining, np.clip(share, 0.0, 1.0), 0.0))
    # min(0, q) >= share q - chord, for any share from 0 to 1.
    chord = np.maximum(share * np.maximum(most, 0.0), (1.0 - share) * np.maximum(-least, 0.0))
    chord = np.where(gaining & ~inside, chord, 0.0).sum(axis=1)
    weight = share * pricing.mass
    total = weight.sum(axis=1)
    first = np.einsum("ps,psd->pd", weight, off)
    second = np.einsum("ps,psd,psd->p", weight, off, off)
    mean = first / np.where(total > 0.0, total, 1.0)[:, None]
    center = np.clip(mean, -half, half)
    squares = second - 2.0 * (center * first).sum(axis=1) + total * (center**2).sum(axis=1)
    gained = (share * duals).sum(axis=1)
    size = 6.0 * second + (share * np.abs(duals)).sum(axis=1) + chord
    return squares - gained - chord, size


def _split(pricing: Pricing, view: _View) -> Boxes:
    """Return the children of the boxes: halves, or with a block in and out."""
    free = view.boxes.mark == 0
    torn = np.where(free, np.minimum(-view.least, view.most), -np.inf)
    undecided = torn > 0.0
    spread = np.where(undecided, np.minimum(0.0, view.most) - view.least, 0.0).sum(axis=1)
    tied = view.tied.sum(axis=1)
    boxes = view.boxes
    width = boxes.high - boxes.low
    narrow = width.max(axis=1) <= _TINY * float(np.abs(pricing.points).max())
    by_block = (undecided.sum(axis=1) <= _UNDECIDED) | (tied > spread) | narrow
    block = np.where(free, torn + view.tied, -np.inf).argmax(axis=1)
    rows = np.flatnonzero(~by_block)
    off = np.abs(pricing.points - 0.5 * (boxes.high + boxes.low)[:, None, :])
    varied = np.einsum("ps,psd->pd", np.where(undecided, pricing.mass, 0.0), off) * width
    axis = (varied + 1e-9 * width**2).argmax(axis=1)
    chosen = np.flatnonzero(by_block)
    halves = halve(boxes.take(rows), axis[rows])
    return Boxes.join([*halves, *decide(pricing, boxes, chosen, block)])


# --- The bound of duals under sizes or soft links: a least value for every class of clusters ------
#
# Clusters with the same limits on their points make a class. With duals of any sign and a value v_q
# below which no cluster of class q lies, c_q of them in a clustering, every clustering costs at
# least the sum of the duals plus the sum of c_q v_q between its blocks. Without sizes there is one
# class. A cluster's value includes its soft links.


class SizeClass(NamedTuple):
    """Clusters with the same limits on their points, and their number."""

    lower: float
    upper: float
    clusters: int


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The duals of the blocks, and the classes with their claimed least values."""

    duals: np.ndarray
    least: np.ndarray
    classes: tuple[SizeClass, ...]
    links: SoftCosts

    @property
    def counts(self) -> np.ndarray:
        """(q,) float64 numbers of clusters."""
        return np.array([each.clusters for each in self.classes], dtype=np.float64)

    @property
    def total(self) -> float:
        """The bound that is claimed, rounded."""
        return float(self.duals.sum() + self.counts @ self.least)


def needs_classes(problem: Problem) -> bool:
    """Return whether splitting a cluster may cost something or be forbidden."""
    return problem.sizes is not None or problem.is_soft


def classes_within(problem: Problem) -> tuple[SizeClass, ...]:
    """Return the classes of a problem's clusters by ascending limits; one without sizes."""
    if problem.sizes is None:
        weights = problem.masses
        least = float(weights[weights > 0.0].min())
        return (SizeClass(least, float(weights.sum()), problem.k),)
    limits = np.stack([problem.sizes.lower, problem.sizes.upper], axis=1)
    rows, counts = np.unique(limits, axis=0, return_counts=True)
    return tuple(
        SizeClass(float(low), float(high), int(count))
        for (low, high), count in zip(rows.tolist(), counts, strict=True)
    )


def class_values(
    problem: Problem,
    certificate: dict[str, np.ndarray],
    exponent: int,
    blocks: int,
    links: SoftCosts,
) -> ClassValues:
    """Return the duals and least values of a leaf.

    `exponent`: Its numbers are multiplied by 2 to that power.
    """
    if {"taken", "case_zone"} & set(certificate):
        raise FlawError("has places or zones under sizes or soft links")
    if "least" not in certificate:
        raise FlawError("lacks its least")
    duals = rescaled(certificate["duals"], exponent)
    least = rescaled(certificate["least"], exponent)
    classes = classes_within(problem)
    if duals.shape != (blocks,):
        raise FlawError(f"has {duals.size} duals, not those of {blocks} blocks")
    if least.shape != (len(classes),):
        raise FlawError(f"has {least.size} least values, not those of {len(classes)} classes")
    # A cluster that pays more than this has a value above all of these: no digits for the rest.
    heaviest = 2.0 * float(np.abs(duals).sum() + np.abs(least).max())
    return ClassValues(duals, least, classes, links.limited(heaviest))


def class_bound(
    problem: Problem,
    block_of: np.ndarray,
    means: Centroids,
    values: ClassValues,
    needed: float,
    search: Callable[[Pricing, Limits, float], bool | None],
) -> tuple[float, bool]:
    """Return the bound that duals prove between the blocks, and whether all searches ended.

    The least values are lowered where the bound is ``needed`` only so far. `search`: Whether no
    cluster has a value below the threshold, as `none_below_within`.
    """
    duals, least, counts = values.duals, values.least, values.counts
    size = float(np.abs(duals).sum() + counts @ np.abs(least)) + abs(needed)
    margin = gamma(len(duals) + len(least) + 8) * size
    if math.isfinite(needed):
        excess = values.total - needed - 4.0 * margin
        least = least - max(0.0, excess) / problem.k
    links = values.links.pairs, values.links.cut
    answers = [
        search(pricing, Limits(each.lower, each.upper, *links), value)
        for pricing in pricings(problem, block_of, means, duals)
        for each, value in zip(values.classes, least.tolist(), strict=True)
    ]
    if False in answers:
        raise FlawError("overlooks a cluster of lower value")
    total = replace(values, least=least).total
    return total - margin - gamma(8) * float(counts @ np.abs(least)), None not in answers


# --- Every cluster that keeps all constraints of a node, where a proof says they are few ----------
#
# A leaf with the array ``listed`` has duals and least values of all clusters that keep every rule,
# also those rules that parts of a cluster may break; its solver has looked at each. Here they are
# found once more: sets of blocks grow by a block after their last one, as long as they keep what
# only forbids and may still reach what is asked for at least.


_PASSES = 8  # Elements of an array that are looked at for each set and block

Floor = tuple[np.ndarray, float]
"""Values (s,), and the least that those of a cluster add up to; all sums are exact."""


def floors_of(problem: Problem, blocks: PlainBlocks) -> tuple[Floor, ...]:
    """Return what a cluster has to reach: by rules, and by sizes beside weights."""
    s, found = len(blocks.mass), []
    for rule in problem.rules:
        if isinstance(rule, SumLimit) and not isinstance(rule, MaxSum):
            if len(rule.values) != problem.n:
                raise FlawError("a rule has not one value for each point")
            sign = 1.0 if isinstance(rule, MinSum) else -1.0
            values = sign * np.bincount(blocks.block_of, rule.values, s)
            found.append((values, sign * rule.limit))
    if problem.weights is not None and problem.sizes is not None:
        found.append((blocks.count, float(problem.sizes.lower.min())))
        found.append((-blocks.count, -float(problem.sizes.upper.max())))
    return tuple(found)


def none_listed_below(
    pricing: Pricing,
    limits: Limits,
    threshold: float,
    floors: tuple[Floor, ...],
    budget: Budget,
) -> bool | None:
    """Whether no cluster within the limits has a value below the threshold, by looking at each.

    Returns: None if the budget runs out.
    """
    for inside in _clusters(pricing, limits, floors, budget):
        if inside is None or not budget.spend(_PASSES * inside.size):
            return None
        if least_value(pricing, limits, inside) < threshold:
            return False
    return True


def _clusters(
    pricing: Pricing, limits: Limits, floors: tuple[Floor, ...], budget: Budget
) -> Iterator[np.ndarray | None]:
    """Yield (p, s) clusters of 0 and 1, and then more; None if the budget runs out."""
    mass, s = pricing.mass, len(pricing.mass)
    needs = ((mass, limits.lower), *floors)
    inside, last = np.zeros((1, s)), np.array([-1])
    while len(inside):
        weight = inside @ mass
        grows = weight + mass.min() <= limits.upper
        inside, weight, last = inside[grows], weight[grows], last[grows]
        if not budget.spend(_PASSES * inside.size):
            yield None
            return
        free = (np.arange(s) > last[:, None]) & (inside @ pricing.conflict == 0.0)
        free &= weight[:, None] + mass <= limits.upper
        for limit in pricing.limits:
            pairs = inside @ limit.together
            load = inside @ limit.weight + 0.5 * (pairs * inside).sum(axis=1)
            free &= load[:, None] + limit.weight + pairs <= limit.most
        for values, least in needs:
            most = inside @ values + free @ np.maximum(values, 0.0)
            free &= (most >= least)[:, None]
        rows, last = np.nonzero(free)
        if not budget.spend(len(rows) * s):
            yield None
            return
        inside = inside[rows]
        inside[np.arange(len(rows)), last] = 1.0
        is_whole = [inside @ values >= least for values, least in needs]
        yield inside[np.all(is_whole, axis=0)]
