"""The pricing problem: blocks and their duals, conflicts, limits and discs.

`ccviz.proof.pricing` solves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ccviz.errors import ProblemError
from ccviz.problem.problem import Problem
from ccviz.proof.reading import FlawError, Leaf, Pair
from ccviz.proof.rounding import Centroids, Unit, gamma, rescaled

_MOST_WAYS = 256  # most alternatives of the rules' disjunctive normal form


@dataclass(frozen=True, eq=False)
class Limit:
    """An upper limit on a cluster's load."""

    most: float
    weight: np.ndarray  # (s,): Weight of each block
    # (s, s): Additional weight of two blocks that are both in; symmetric, zero diagonal.
    together: np.ndarray

    def of(self, inside: np.ndarray) -> float:
        """Return the load of the cluster (s,) bool."""
        return float(self.weight[inside].sum() + 0.5 * self.together[np.ix_(inside, inside)].sum())


@dataclass(frozen=True, eq=False)
class Places:
    """Discs on which the tree has branched: occupied ("taken") or empty of cluster means."""

    center: np.ndarray
    radius: np.ndarray  # (r,): Rounded up for an occupied disc, rounded down for an empty one
    # (r,): Dual of an occupied disc, not negative, which every centre in it gains; nan for an empty
    # one.
    prize: np.ndarray

    @property
    def taken(self) -> np.ndarray:
        """(r,) bool: occupied discs."""
        return np.asarray(~np.isnan(self.prize))


NOWHERE = Places(np.zeros((0, 1)), np.zeros(0), np.zeros(0))
"""No discs."""


def discs_of(
    unit: Unit, means: Centroids, taken: np.ndarray, empty: np.ndarray, prize: np.ndarray
) -> Places:
    """Return discs from the points that define them, and the prizes of occupied ones.

    A computed mean has an error of at most the slip, by which radii are enlarged or reduced.
    """
    center, border = unit.A[np.concatenate([taken, empty])].transpose(1, 0, 2)
    radius = np.sqrt(((border - center) ** 2).sum(axis=1))
    side = np.where(np.arange(len(radius)) < len(taken), 1.0, -1.0)
    radius += side * (means.slip + gamma(center.shape[1] + 8) * (radius + means.slip))
    return Places(center, radius, np.append(prize, np.full(len(empty), np.nan)))


@dataclass(frozen=True, eq=False)
class Pricing:
    """A pricing problem: blocks, their duals, conflicts and limits."""

    points: np.ndarray  # (s, d): Centroids of the blocks
    mass: np.ndarray
    duals: np.ndarray
    conflict: np.ndarray
    limits: tuple[Limit, ...] = ()
    places: Places = NOWHERE

    def of(self, some: np.ndarray) -> Pricing:
        """Return the problem over some of the blocks."""
        limits = tuple(
            Limit(limit.most, limit.weight[some], limit.together[np.ix_(some, some)])
            for limit in self.limits
        )
        conflict = self.conflict[np.ix_(some, some)]
        return Pricing(
            self.points[some], self.mass[some], self.duals[some], conflict, limits, self.places
        )

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


def pricings(
    problem: Problem,
    block_of: np.ndarray,
    blocks: Centroids,
    duals: np.ndarray,
    places: Places = NOWHERE,
) -> list[Pricing]:
    """Return the pricing problems of a node: one for each alternative of the rules.

    Raises `FlawError` if the rules are malformed, or have too many alternatives.
    """
    try:
        choices = [rule.alternatives(problem) for rule in problem.rules]
    except ProblemError as wrong:
        raise FlawError(str(wrong).removesuffix(".")) from None
    if np.prod([float(len(each)) for each in choices]) > _MOST_WAYS:
        raise FlawError(f"the rules can be kept in more than {_MOST_WAYS} ways")
    return [
        Pricing(
            blocks.points, blocks.mass, duals, blocks.conflict,
            tuple(_over_blocks(load, block_of) for loads in way for load in loads), places,
        )
        for way in product(*choices)
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


# --- Zones: disjunctions over separate regions, whose increases of the bound add up ---------------
#
# The terms of a disjunction are *cases*: each changes the leaf's duals. The cases of one zone are
# the leaves of a tree of discs, so every clustering satisfies one of them. The box of a zone
# contains every centre at which a block with a raised dual has a positive gain, and every disc with
# a prize; boxes of different zones do not meet. Take the satisfied case of each zone, and apply all
# their changes at once. Let a cluster have its mean c in a zone's box. Its blocks raised by other
# zones gain nothing at c: they may be dropped with c unchanged. Blocks lowered by other zones gain
# less. So the cluster gains at most as much as some set of blocks about the centre c in its zone's
# case alone; outside all boxes, at most as much as some set about c under the leaf's own duals, and
# so about its own mean. Each case can therefore be checked alone, for all sets about centres in its
# box; the bound increases by the least increase of a case, summed over zones.
# ``docs/proof-format.md`` specifies the arrays.


_NAMES = ("case_zone", "case_places", "case_prizes", "case_blocks", "case_changes")


@dataclass(frozen=True, eq=False)
class Case:
    """One case of a zone."""

    zone: int
    # ((int, int), bool): Discs, from the root of the zone's tree down, and whether they are
    # occupied.
    decisions: tuple[tuple[Pair, bool], ...]
    prizes: np.ndarray  # (p,): Dual of each disc; 0 for an empty one
    change: np.ndarray  # (s,): Change of the duals

    @property
    def rise(self) -> float:
        """Change of the sum of the duals and prizes."""
        return float(self.change.sum() + self.prizes.sum())

    @property
    def size(self) -> float:
        """Sum of the terms' magnitudes, for the rounding error."""
        return float(np.abs(self.change).sum() + self.prizes.sum())


@dataclass(frozen=True, eq=False)
class Box:
    """Centres from ``low`` to ``high`` (d,); none where one is above the other."""

    low: np.ndarray
    high: np.ndarray

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing."""
        return bool((self.low > self.high).any())

    def meets(self, other: Box) -> bool:
        """Whether some centre is in both."""
        return bool(((self.low <= other.high) & (self.high >= other.low)).all())


def read_cases(leaf: Leaf, n: int, s: int, exponent: int) -> list[Case]:
    """Return the cases of a leaf, in the unit of the check; none if it has no zones.

    `exponent`: Exponent of the power of two that scales the numbers. Raises `FlawError` if they are
    malformed, or do not cover every clustering.
    """
    present = [name in leaf.certificate for name in _NAMES]
    if not any(present):
        return []
    if not all(present):
        raise FlawError(f"lacks its {_NAMES[present.index(False)]}")
    zone, places, prizes, blocks, changes = (leaf.certificate[name] for name in _NAMES)
    count = len(zone)
    if places.shape != (len(prizes), 4) or blocks.shape != (len(changes), 2):
        raise FlawError("has cases whose arrays do not go together")
    _require_range("case", np.append(places[:, 0], blocks[:, 0]), count)
    _require_range("point", places[:, 1:3], n)
    _require_range("block", blocks[:, 1], s)
    _require_range("side", places[:, 3], 2)
    if (places[:, 1] == places[:, 2]).any():
        raise FlawError("has a place of no size")
    if (prizes < 0.0).any() or prizes[places[:, 3] == 0].any():
        raise FlawError("has a prize that is negative, or an empty place's")
    prizes, changes = rescaled(prizes, exponent), rescaled(changes, exponent)
    cases = []
    for c in range(count):
        own, rows = places[:, 0] == c, blocks[:, 0] == c
        change = np.bincount(blocks[rows, 1], changes[rows], s)
        decisions = tuple(((int(i), int(j)), bool(side)) for _, i, j, side in places[own])
        cases.append(Case(int(zone[c]), decisions, prizes[own], change))
    for number in set(map(int, zone)):
        _check_cover(number, [case.decisions for case in cases if case.zone == number])
    return cases


def _require_range(what: str, values: np.ndarray, most: int) -> None:
    if values.size and (values.min() < 0 or values.max() >= most):
        raise FlawError(f"has cases with a {what} that there is not")


def _check_cover(zone: int, cases: list[tuple[tuple[Pair, bool], ...]]) -> None:
    """Check that cases are the leaves of a tree: all begin with one disc, on both its sides."""
    waiting = [(0, cases)]
    while waiting:
        depth, below = waiting.pop()
        if len(below) == 1 and len(below[0]) == depth:
            continue
        next_ones = {case[depth][0] if len(case) > depth else None for case in below}
        if len(next_ones) != 1 or None in next_ones:
            raise FlawError(f"has a zone {zone} whose cases do not cover it")
        taken = [case for case in below if case[depth][1]]
        empty = [case for case in below if not case[depth][1]]
        waiting += [(depth + 1, taken), (depth + 1, empty)]


def gain(cases: list[Case]) -> float:
    """Return the increase of the bound: the sum over zones of the least increase of a case."""
    rises: dict[int, float] = {}
    for case in cases:
        rises[case.zone] = min(rises.get(case.zone, np.inf), case.rise)
    return float(sum(rises.values()))


def boxes(
    cases: list[Case], places: list[Places], means: Centroids, duals: np.ndarray
) -> dict[int, Box]:
    """Return the box of each zone.

    `duals` (s,): The leaf's duals.
    """
    found: dict[int, Box] = {}
    for case, its in zip(cases, places, strict=True):
        raised = np.flatnonzero(case.change > 0.0)
        top = np.maximum(duals[raised] + case.change[raised], 0.0) / means.mass[raised]
        reach = np.sqrt(top) * (1.0 + gamma(16)) + means.slip
        won = np.flatnonzero(its.taken & (np.nan_to_num(its.prize) > 0.0))
        center = np.concatenate([means.points[raised], its.center[won]])
        # The rounding error grows with the distance from the middle.
        reach = np.append(reach, its.radius[won]) + gamma(8) * np.abs(center).max(axis=1, initial=0)
        box = Box(
            (center - reach[:, None]).min(axis=0, initial=np.inf),
            (center + reach[:, None]).max(axis=0, initial=-np.inf),
        )
        old = found.get(case.zone, box)
        found[case.zone] = Box(np.minimum(old.low, box.low), np.maximum(old.high, box.high))
    numbers = sorted(found)
    for i, first in enumerate(numbers):
        for second in numbers[i + 1 :]:
            if found[first].meets(found[second]):
                raise FlawError(f"has zones {first} and {second} that meet")
    return found
