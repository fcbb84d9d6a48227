"""Zones: disjunctions over separate regions, whose increases of the bound add up.

The terms of a disjunction are *cases*: each changes the leaf's duals. The cases of one zone are the
leaves of a tree of discs, so every clustering satisfies one of them. The box of a zone contains
every centre at which a block with a raised dual has a positive gain, and every disc with a prize;
boxes of different zones do not meet. Take the satisfied case of each zone, and apply all their
changes at once. Let a cluster have its mean c in a zone's box. Its blocks raised by other zones
gain nothing at c: they may be dropped with c unchanged. Blocks lowered by other zones gain less.
So the cluster gains at most as much as some set of blocks about the centre c in its zone's case
alone; outside all boxes, at most as much as some set about c under the leaf's own duals, and so
about its own mean. Each case can therefore be checked alone, for all sets about centres in its box;
the bound increases by the least increase of a case, summed over zones. ``docs/proof-format.md``
specifies the arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.proof.question import Places
from ccviz.proof.reading import FlawError, Leaf, Pair
from ccviz.proof.rounding import Centroids, gamma, rescaled

_NAMES = ("case_zone", "case_places", "case_prizes", "case_blocks", "case_changes")


@dataclass(frozen=True, eq=False)
class Case:
    """One case of a zone.

    Attributes
    ----------
    zone : int
    decisions : tuple of ((int, int), bool)
        Discs, from the root of the zone's tree down, and whether they are occupied.
    prizes : (p,) float64
        Dual of each disc; 0 for an empty one.
    change : (s,) float64
        Change of the duals.
    """

    zone: int
    decisions: tuple[tuple[Pair, bool], ...]
    prizes: np.ndarray
    change: np.ndarray

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

    Parameters
    ----------
    leaf : Leaf
    n, s : int
        Points and blocks.
    exponent : int
        Exponent of the power of two that scales the numbers.

    Raises
    ------
    FlawError
        If they are malformed, or do not cover every clustering.
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

    Parameters
    ----------
    cases : list of Case
    places : list of Places
        The discs of each case.
    means : Centroids
    duals : (s,) float64
        The leaf's duals.

    Raises
    ------
    FlawError
        If two boxes meet.
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
