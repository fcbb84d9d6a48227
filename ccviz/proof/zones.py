"""Zones: parts of the plane that are decided on by themselves, and add up.

A leaf's duals may be changed in *cases*. Those of one zone are the leaves of a tree of places, so
one of them holds of every clustering. The box of a zone holds every centre to which a block that
some case raises is then worth going, and every disc that has a prize; boxes of different zones do
not meet. Take the case that holds in each zone, and make all their changes at once. Let a cluster
have its mean c in a zone's box. Blocks of it that other zones raise are worth nothing to c: it may
do without them, c staying where it is. Those that others lower are worth less. So it is worth no
more than some set of blocks about the centre c in its zone's case alone; outside all boxes no more
than some set about c under the leaf's own duals, and then about its own mean. Each case need be
looked at by itself, for all sets about centres in its box; the bound rises by each zone's least
rise of a case. ``docs/proof-format.md`` has the arrays.
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
        Places, from the root of the zone's tree down, and whether they are taken.
    prizes : (p,) float64
        Of each; 0 of an empty one.
    change : (s,) float64
        What it adds to the duals.
    """

    zone: int
    decisions: tuple[tuple[Pair, bool], ...]
    prizes: np.ndarray
    change: np.ndarray

    @property
    def rise(self) -> float:
        """What it adds to the sum of the duals."""
        return float(self.change.sum() + self.prizes.sum())

    @property
    def size(self) -> float:
        """What that is made of, for rounding."""
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
        Power of two that numbers are scaled by.

    Raises
    ------
    FlawError
        If they are not what they should be, or do not cover what there is.
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
    """Check that cases are the leaves of a tree: all begin with one place, on both its sides."""
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
    """Return what the cases add to the bound: the least rise in each zone."""
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
        Those of each case.
    means : Centroids
    duals : (s,) float64
        Of the leaf.

    Raises
    ------
    FlawError
        If two of them meet.
    """
    found: dict[int, Box] = {}
    for case, its in zip(cases, places, strict=True):
        raised = np.flatnonzero(case.change > 0.0)
        top = np.maximum(duals[raised] + case.change[raised], 0.0) / means.mass[raised]
        reach = np.sqrt(top) * (1.0 + gamma(16)) + means.slip
        won = np.flatnonzero(its.taken & (np.nan_to_num(its.prize) > 0.0))
        center = np.concatenate([means.points[raised], its.center[won]])
        # What is far from the middle is rounded by as much more.
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
