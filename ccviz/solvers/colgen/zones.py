"""Zones: parts of the plane far from each other, each with a tree of places of its own.

What is decided on in one part of the plane changes duals there and nowhere else, yet a tree of
nodes solves it again in every branch of what was decided elsewhere: what many places win adds up,
and what they take multiplies. So a node may have zones, boxes of centres that do not meet, and each
zone its *cases*: the leaves of a tree of places, one of which holds of every clustering. A case
changes the node's duals. It may lower any; it raises a block only where every centre that the block
is then worth going to is in the zone, and a taken place's only if its disc is.

A clustering makes one case true in each zone. Let the changes of all these be made at once. A
cluster with its centre in a zone is worth no more than under that zone's case alone, since the
others only lower what it is made of, and one with its centre in no zone no more than under the
node's duals. So if no cluster is worth more than the price in any case by itself, none is in any
combination of them, and the node's bound rises by the sum over zones of the least rise of a case.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.master import MasterSolution, cluster_columns, column_costs
from ccviz.solvers.colgen.spot import usual
from ccviz.solvers.colgen.trials import Trial
from ccviz.solvers.search.tree import Decision

_RAISED = 1.0  # times as many blocks as are near a spot may be raised in a box,
_CAP = 1.2  # to so many times the node's dual;
_STEP, _STEPS = 0.05, 5  # of its sides, and how often it grows by that on each, if there is room
_TRIED = 250  # middles
_TRUSTED = 2  # a trial counts like so many cases
_PACKING_NODES = 10_000  # of the search for some of them
MOST_CASES = 150  # in all zones; then the node is branched


class Case(NamedTuple):
    """A leaf of a zone's tree of places.

    Attributes
    ----------
    decisions : tuple of Decision
        From the zone's root down.
    duals : (z + t,) float64
        Of the zone's blocks and the taken places.
    columns : (m, z + t) bool
    solution : MasterSolution
        Over these columns.
    trials : tuple of Trial
        Of places that it may be split on.
    rise : float
        By how much its duals add up to more than the node's; no less than its parent's.
    least : float
        No cluster has a lower value under them.
    spot : (d,) float64 or None
        Where places are still to be tried, once that matters.
    stalled : int
        So many decisions, the last ones, won nothing.
    """

    decisions: tuple[Decision, ...]
    duals: FloatArray
    columns: np.ndarray
    solution: MasterSolution
    trials: tuple[Trial, ...]
    rise: float
    least: float
    spot: FloatArray | None = None
    stalled: int = 0

    @property
    def growth(self) -> float:
        """How fast cases multiply as they rise, by the best trial; infinite without any."""
        return min((trial.growth for trial in self.trials), default=np.inf)


class Box(NamedTuple):
    """Centres between two corners (d,), in the points' own axes."""

    low: FloatArray
    high: FloatArray


class Zone(NamedTuple):
    """A box of centres.

    Attributes
    ----------
    low, high : (d,) float64
        In the points' own axes.
    rows : (z,) int64
        Blocks that a centre in it may be worth going to.
    most : (z,) float64
        No case has a dual above it.
    cases : tuple of Case
        None before it is opened.
    """

    low: FloatArray
    high: FloatArray
    rows: IntArray
    most: FloatArray
    cases: tuple[Case, ...] = ()

    @property
    def gain(self) -> float:
        """The least rise of a case."""
        return min((case.rise for case in self.cases), default=0.0)

    def holds(self, center: FloatArray, border: FloatArray) -> bool:
        """Whether a place is inside, given by its centre and a point on its border (d,)."""
        radius = np.sqrt(((center - border) ** 2).sum())
        return bool((center - radius > self.low).all() and (center + radius < self.high).all())

    @property
    def worst(self) -> Case:
        """The case of least rise, the next to be split."""
        return min(self.cases, key=lambda case: case.rise)

    @property
    def is_ready(self) -> bool:
        """Whether it is opened, and its worst case has been tried."""
        return len(self.cases) > 0 and self.worst.spot is None

    def put(self, *cases: Case) -> Zone:
        """Return the zone with others in place of its worst case."""
        kept = [case for case in self.cases if case is not self.worst]
        return self._replace(cases=(*kept, *cases))

    @property
    def rate(self) -> float:
        """What the zone may gain for each case that is split, as far as cases become e times more.

        The best trial says how much they rise by then, and so, the more the more there are, do
        those there have been. A case that is higher already is split into fewer. Where the last
        decisions won nothing the next is not trusted to win much.
        """
        growth, count = self.worst.growth, len(self.cases)
        if not np.isfinite(growth):
            return 0.0
        if growth == 0.0:
            return np.inf
        seen = (count - 1) * self.gain / np.log(count) if count > 1 else 0.0
        ahead = (_TRUSTED / growth + seen) / (_TRUSTED + count - 1)
        above = np.array([case.rise for case in self.cases]) - self.gain
        more = np.expm1(np.maximum(1.0 - above / ahead, 0.0))
        return float(ahead / more.sum() / (1 + self.worst.stalled))


class Zones(NamedTuple):
    """A node's zones, and what no cluster is below under the node's own duals."""

    zones: tuple[Zone, ...]
    own: float

    @property
    def won(self) -> tuple[Zone, ...]:
        """Those that gain something."""
        return tuple(zone for zone in self.zones if zone.gain > 0.0)

    @property
    def least(self) -> float:
        """What no cluster is below in any of their cases either."""
        return min([self.own, *(case.least for zone in self.won for case in zone.cases)])

    @property
    def gain(self) -> float:
        """What all zones add to the node's bound, but for `least`."""
        return sum(zone.gain for zone in self.zones)

    @property
    def next(self) -> int | None:
        """The zone to work on, None if no place is worth it in any."""
        for z, zone in enumerate(self.zones):
            if not zone.is_ready:
                return z
        rates = [zone.rate for zone in self.zones]
        spent = sum(len(zone.cases) for zone in self.zones) >= MOST_CASES
        return None if spent or max(rates, default=0.0) <= 0.0 else int(np.argmax(rates))

    def put(self, z: int, zone: Zone) -> Zones:
        """Return them with one zone exchanged."""
        return self._replace(zones=(*self.zones[:z], zone, *self.zones[z + 1 :]))


def find_zones(
    instance: Instance,
    centroid: FloatArray,
    duals: FloatArray,
    price: float,
    middles: FloatArray,
    labels: IntArray,
) -> tuple[Zone, ...]:
    """Return zones that do not meet, around boxes where a clustering has most of its reduced costs.

    Those add up to all that the bound lacks of the clustering; and by no more than those of the
    clusters in it can a zone raise the bound.

    Parameters
    ----------
    instance : Instance
    centroid : (s, d) float64
        Of its blocks, in the points' own axes.
    duals : (s,) float64
    price : float
        No cluster is worth more.
    middles : (m, d) float64
        Where zones may have their middles.
    labels : (s,) int64
        The clustering.
    """
    k = int(labels.max()) + 1
    if len(middles) == 0:
        return ()
    clusters = cluster_columns(labels)
    reduced = column_costs(clusters, centroid, instance.mass) - clusters @ duals + price
    corners = [(centroid[own].min(axis=0), centroid[own].max(axis=0)) for own in clusters]
    least, most = (np.array(each) for each in zip(*corners, strict=True))
    # So far from a block lie the centres that it may be worth going to, if it is raised.
    reach = np.sqrt(_CAP * np.maximum(duals, 0.0) / instance.mass)
    boxes = [_box_at(centroid, reach, k, middle) for middle in middles[:_TRIED]]
    low, high = (np.array(each) for each in zip(*boxes, strict=True))
    inside = np.all(least > low[:, None], axis=2) & np.all(most < high[:, None], axis=2)
    meets = np.all((low[:, None] <= high) & (high[:, None] >= low), axis=2)
    weight = inside @ np.maximum(reduced, 0.0)
    chosen = [boxes[z] for z in _heaviest(weight, meets) if weight[z] > 0.0]
    if not chosen:
        return ()
    return tuple(_zone_in(instance, centroid, duals, reach, box) for box in _grown(chosen))


def _heaviest(weight: FloatArray, meets: np.ndarray) -> IntArray:
    """Return those of most weight together of which no two (m, m) meet."""
    first, second = np.nonzero(np.triu(meets, 1))
    rows = np.repeat(np.arange(len(first)), 2)
    pairs = (np.ones(len(rows)), (rows, np.stack([first, second], axis=1).ravel()))
    apart = LinearConstraint(csr_array(pairs, shape=(len(first), len(weight))), ub=1.0)
    every = np.ones(len(weight))
    found = milp(
        -weight, constraints=apart, integrality=every, bounds=Bounds(0.0, 1.0),
        options={"node_limit": _PACKING_NODES},
    )  # fmt: skip
    return np.zeros(0, dtype=np.int64) if found.x is None else np.flatnonzero(found.x > 0.5)


def _box_at(centroid: FloatArray, reach: FloatArray, k: int, middle: FloatArray) -> Box:
    """Return a box that all centres lie in which some hundred blocks may be worth going to."""
    width = np.abs(centroid - middle).max(axis=1) + reach
    count = min(len(width), int(_RAISED * usual(len(width), k)))
    half = float(np.partition(width, count - 1)[count - 1])
    return Box(middle - half, middle + half)


def _grown(boxes: list[Box]) -> list[Box]:
    """Return boxes that do not meet, each side by side a little larger as long as none meets."""
    low, high = (np.array(each) for each in zip(*boxes, strict=True))
    step = _STEP * (high - low)
    for _ in range(_STEPS):
        for b, axis in np.ndindex(low.shape):
            for side, way in ((low, -1.0), (high, 1.0)):
                side[b, axis] += way * step[b, axis]
                meets = np.all((low[b] <= high) & (high[b] >= low), axis=1)
                if meets.sum() > 1:
                    side[b, axis] -= way * step[b, axis]
    return [Box(*each) for each in zip(low, high, strict=True)]


def _zone_in(
    instance: Instance, centroid: FloatArray, duals: FloatArray, reach: FloatArray, box: Box
) -> Zone:
    """Return the zone of a box: the blocks that it has to do with, and how far they may rise."""
    low, high = box
    out = np.maximum(np.maximum(low - centroid, centroid - high), 0.0)
    near = np.flatnonzero((out**2).sum(axis=1) < reach**2)
    # With those at the ends of all axes no mean, of whatever blocks, is out of their box.
    ends = [instance.points.argmin(axis=0), instance.points.argmax(axis=0)]
    rows = np.unique(np.concatenate([near, *ends]))
    inside = np.minimum(centroid - low, high - centroid).min(axis=1) >= reach
    most = np.where(inside, _CAP, 1.0) * np.maximum(duals, 0.0)
    return Zone(low, high, rows, most[rows])


def certificate(zones: Zones, duals: FloatArray) -> dict[str, np.ndarray]:
    """Return the cases of all zones that gain something, as arrays.

    Parameters
    ----------
    zones : Zones
    duals : (s,) float64
        Of the node; a case says how it differs.

    Returns
    -------
    dict of arrays
        ``case_zone`` (c,), the zone of each case; ``case_places`` (p, 4), a row for each decision:
        the case, the two points of the place, and whether it is taken; ``case_prizes`` (p,), the
        dual of the place, 0 if it is empty; ``case_blocks`` (e, 2), a case and a block, and
        ``case_changes`` (e,), by how much its dual is raised.
    """
    cases = [(z, zone, case) for z, zone in enumerate(zones.won) for case in zone.cases]
    places, prizes, blocks, changes = [], [], [], []
    for c, (_, zone, case) in enumerate(cases):
        own, taken = np.split(case.duals, [len(zone.rows)])
        prize = iter(taken)
        for pair, side, _ in case.decisions:
            places.append((c, *pair, int(side)))
            prizes.append(float(next(prize)) if side else 0.0)
        change = own - duals[zone.rows]
        changed = np.flatnonzero(change)
        blocks += [(c, int(zone.rows[row])) for row in changed]
        changes.append(change[changed])
    return {
        "case_zone": np.array([z for z, _, _ in cases], dtype=np.int64),
        "case_places": np.array(places, dtype=np.int64).reshape(-1, 4),
        "case_prizes": np.array(prizes, dtype=np.float64),
        "case_blocks": np.array(blocks, dtype=np.int64).reshape(-1, 2),
        "case_changes": np.concatenate([np.zeros(0), *changes]),
    }
