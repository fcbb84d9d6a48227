"""The master over facilities, for the first phase of column generation with many blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.master.barrier import Ascent, DualProgram, ascend, parts
from ccviz.solvers.colgen.master.covering import MasterSolution, unit_of
from ccviz.solvers.colgen.master.facilities import Facilities, band_order, make_facilities
from ccviz.solvers.colgen.params import NeighbourhoodParams
from ccviz.system import one_blas_thread

LEAST_SAVING = 0.7
"""Facilities whose best part saves less than this share of the cardinality dual are left out."""
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Clusters of a solution: entries of which the facility holds more than these shares."""
_INSIDE = 1e-6  # Least first dual, as a share of its cap
_EXACTER = 1e-3
"""Accuracy of the barrier method, as a share of the requested one, so that unused facilities have
next to no weight."""
_UNKNOWN = 0.5  # First dual of a block before any is known, as a share of its artificial cost


class FacilityDuals(NamedTuple):
    """Duals over facilities: what the next solution begins with, in the unit of costs."""

    duals: FloatArray  # (s + t,): Of the blocks and occupied discs
    cardinality_dual: float


class FacilityMaster:
    """The master over facilities, one at the centre of every column of a growing pool.

    An occupied disc is one more row; facilities with their centre inside always cover it.

    `artificial_cost` (s + t,): Cost of leaving a block, or an occupied disc, uncovered: an upper
    bound on its dual. `stop`: True once a solution should end with what it has.
    """

    def __init__(
        self,
        instance: Instance,
        k: int,
        artificial_cost: FloatArray,
        stop: Callable[[], bool] = never,
    ) -> None:
        s = len(instance.mass) + instance.occupied
        self.instance, self.k = instance, k
        self.stop = stop
        self.columns = np.zeros((0, s), dtype=np.bool_)
        self.costs = np.zeros(0)
        self.middle: FacilityDuals | None = None
        self._growth = unit_of(artificial_cost)
        self.artificial_cost = artificial_cost
        self._order = band_order(instance)
        self._last: tuple[DualProgram, Ascent] | None = None

    def add(self, columns: np.ndarray, costs: FloatArray) -> None:
        """Add (m, s) bool columns with their (m,) costs."""
        self.columns = np.concatenate([self.columns, columns])
        self.costs = np.concatenate([self.costs, costs])

    def keep(self, mask: np.ndarray) -> None:
        """Drop the columns outside the mask."""
        self.columns, self.costs = self.columns[mask], self.costs[mask]

    def reduced_costs(self, duals: FloatArray) -> FloatArray:
        """Return the columns' reduced costs, without the cardinality dual."""
        return self.costs - self.columns @ duals

    def solve(self, accuracy: float) -> MasterSolution:
        """Solve by the barrier method to a relative accuracy."""
        s, order, growth = len(self._order), self._order, self._growth
        facilities, used = self._facilities()
        most = self.artificial_cost[order] * growth
        program = DualProgram(facilities, np.zeros(len(used)), most, self.k)
        row, cardinality_dual = self._first()
        row, cardinality_dual = row[order] * growth, cardinality_dual * growth
        error = _EXACTER * accuracy * (1.0 + abs(float(row.sum()) - self.k * cardinality_dual))
        with one_blas_thread():
            last = ascend(program, row, cardinality_dual, error, self.stop)
        self._last = program, last
        weights = np.zeros(len(self.costs))
        weights[used] = last.taken
        duals, uncovered = np.empty(s), np.empty(s)
        duals[order], uncovered[order] = last.row / growth, last.missing
        cardinality_dual = last.cardinality_dual / growth
        self.middle = FacilityDuals(duals, cardinality_dual)
        objective = float(duals.sum() - self.k * cardinality_dual) + last.short / growth
        return MasterSolution(objective, duals, cardinality_dual, weights, uncovered)

    def parts(self, accuracy: float) -> np.ndarray:
        """Return (q, s + t) bool clusters that make up the last solution.

        It is solved again, to the accuracy, if another process solved it.
        """
        if self._last is None:
            self.solve(accuracy)
        assert self._last is not None
        ordered = np.unique(parts(*self._last, _SHARES), axis=0)
        found = np.empty_like(ordered)
        found[:, self._order] = ordered
        return found[found.any(axis=1)]

    def _facilities(self) -> tuple[Facilities, IntArray]:
        """Return the facilities that save enough at the last duals, over ordered blocks; which."""
        middle, order = self.middle, self._order
        near = _UNKNOWN * self.artificial_cost if middle is None else middle.duals
        facilities = make_facilities(self.instance, self.columns, near)
        used = np.ones(len(self.costs), dtype=np.bool_)
        if middle is not None:
            used = -facilities.reduced_costs(middle.duals) >= LEAST_SAVING * middle.cardinality_dual
        facilities = facilities.chosen(used)
        return facilities.ordered(order, len(order), self._growth), np.flatnonzero(used)

    def _first(self) -> tuple[FloatArray, float]:
        """Return the first duals and cardinality dual."""
        most = self.artificial_cost
        if self.middle is None:
            return _UNKNOWN * most, 0.0
        return np.clip(
            self.middle.duals, _INSIDE * most, (1.0 - 1e-3) * most
        ), self.middle.cardinality_dual


# --- Dual ascent in a neighbourhood: the master for some blocks, all other duals fixed ------------
#
# A decision on a disc changes the duals of the blocks around it. So the duals of a few hundred
# blocks are raised as far as the facilities allow, while all other duals and the cardinality dual
# stay. What a facility gains from the fixed blocks is subtracted from the cardinality dual; the
# rest is its own cost in the local master. Any duals that result give a bound. So a child that
# differs from its parent by one disc gets its columns and its bound for a small part of the work of
# the whole master, and a disc can be evaluated before it is branched on.

_WIDER = 2
"""Size of the region that holds all facilities with a near block, relative to a neighbourhood."""
_AMPLE = 4
"""Clusters of a local master, as a multiple of the expected number: its limit is not to bind."""
LEAST_LOCAL_SAVING = 0.9
"""Facilities that save less than this share of the cardinality dual are left out of a local
master: pricing finds them again."""
_INSIDE_LOCAL = 1e-3
"""Least distance of the first duals from their limits, as a share of these; a facility's own cost
is at least this share of the cardinality dual."""
_FINEST = 1e-9  # Best relative accuracy of the barrier method


@dataclass(frozen=True)
class Neighbourhoods:
    """The neighbourhoods of points among blocks in k clusters."""

    k: int
    params: NeighbourhoodParams = field(default_factory=NeighbourhoodParams)

    def size(self, s: int) -> float:
        """Return how many of s blocks a neighbourhood has."""
        clusters = self.params.least_clusters, self.params.most_clusters
        least, most = (each * s / self.k for each in clusters)
        return float(np.clip(self.params.blocks, least, most))

    def are_local(self, s: int) -> bool:
        """Whether a neighbourhood is so small a part of s blocks that local masters are used."""
        return self.params.parts * self.size(s) <= s

    def reach(self, instance: Instance, at: FloatArray, share: float = 1.0) -> float:
        """Return the squared distance from a point to the farthest block of its neighbourhood."""
        s = len(instance.mass)
        count = min(s, 1 + int(share * self.size(s)))
        gaps = ((instance.points - at) ** 2).sum(axis=1)
        return float(np.partition(gaps, count - 1)[count - 1])

    def blocks(self, instance: Instance, at: FloatArray, share: float = 1.0) -> np.ndarray:
        """Return which blocks are in the neighbourhood of a point.

        `at` (d,): In the axes of the instance. `share`: Size, as a multiple of the usual one.
        """
        gaps = ((instance.points - at) ** 2).sum(axis=1)
        return np.asarray(gaps <= self.reach(instance, at, share))

    def cover(self, instance: Instance) -> FloatArray:
        """Return (q, d) points whose neighbourhoods cover the blocks.

        Each is the block farthest from those before it.
        """
        points = instance.points
        count = int(np.ceil(self.params.overlap * len(points) / self.size(len(points))))
        gaps = np.full(len(points), np.inf)
        chosen = [points[np.argmax((points**2).sum(axis=1))]]
        for _ in range(count - 1):
            gaps = np.minimum(gaps, ((points - chosen[-1]) ** 2).sum(axis=1))
            chosen.append(points[gaps.argmax()])
        return np.array(chosen)


class LocalAscent(NamedTuple):
    """Duals raised in a neighbourhood."""

    duals: FloatArray  # (s + t,): Elsewhere unchanged
    weights: FloatArray  # (m,): Of the columns in the local master; 0 for the others


class Region(NamedTuple):
    """Where duals are raised: a point, and the size relative to its neighbourhood."""

    at: FloatArray
    neighbourhoods: Neighbourhoods
    share: float = 1.0


def ascend_near(
    instance: Instance,
    columns: np.ndarray,
    before: FacilityDuals,
    artificial_cost: FloatArray,
    region: Region,
    error: float,
    stop: Callable[[], bool] = never,
) -> LocalAscent:
    """Raise the duals in a region as far as facilities at the columns' centres allow.

    `before`: The duals, and the cardinality dual, positive: a facility may gain no more than that.
    `artificial_cost` (s + t,): Upper limits of the duals. `error`: Largest distance of the sum of
    duals from the best one. `stop`: True once it should end with what it has.
    """
    duals, cardinality_dual = before
    free = _free(instance, region)
    rows, facilities = _facilities(instance, columns, before, region, free)
    whole = band_order(instance)
    order = whole[free[whole]]
    small = facilities.ordered(order, len(free), 1.0 / cardinality_dual)
    fixed = ~free[facilities.block]  # what each facility gains from these rows stays
    gain = np.maximum(duals[facilities.block] - facilities.cost, 0.0) * fixed
    gained = np.bincount(facilities.facility, gain, len(facilities.start) - 1)
    left = cardinality_dual - gained.astype(np.float64)
    own = np.maximum(left, _INSIDE_LOCAL * cardinality_dual) / cardinality_dual
    most = artificial_cost[order] / cardinality_dual
    s, near = len(instance.mass), free[: len(instance.mass)]
    limit = _AMPLE * (1 + int(near.sum()) * region.neighbourhoods.k // s)
    row = np.clip(
        duals[order] / cardinality_dual, _INSIDE_LOCAL * most, (1.0 - _INSIDE_LOCAL) * most
    )
    error = max(error / cardinality_dual, _FINEST * float(row.sum()))
    with one_blas_thread():
        last = ascend(DualProgram(small, own, most, limit), row, 0.0, error, stop)
    found, weights = duals.copy(), np.zeros(len(columns))
    found[order] = last.row * cardinality_dual
    weights[rows] = last.taken
    return LocalAscent(found, weights)


def _free(instance: Instance, region: Region) -> np.ndarray:
    """Return which (s + t,) blocks and occupied discs are in the region."""
    at, neighbourhoods, share = region
    gaps = ((instance.discs.center[: instance.discs.occupied] - at) ** 2).sum(axis=1)
    near = neighbourhoods.blocks(instance, at, share)
    return np.append(near, gaps <= neighbourhoods.reach(instance, at, share))


def _facilities(
    instance: Instance, columns: np.ndarray, before: FacilityDuals, region: Region, free: np.ndarray
) -> tuple[IntArray, Facilities]:
    """Return the columns whose facilities are in the local master, and these facilities.

    Facilities in an occupied disc of the region are all in it: its dual may rise at once by more
    than they save now.
    """
    s = len(instance.mass)
    wide = region.neighbourhoods.blocks(instance, region.at, region.share * _WIDER)
    rows = np.flatnonzero((columns & np.append(wide, free[s:])).any(axis=1))
    facilities = make_facilities(instance, columns[rows], before.duals)
    has_free = np.bincount(facilities.facility, free[facilities.block], len(rows)) > 0.0
    in_disc = (columns[rows, s:] & free[s:]).any(axis=1)
    saved = -facilities.reduced_costs(before.duals)
    used = has_free & (in_disc | (saved >= LEAST_LOCAL_SAVING * before.cardinality_dual))
    return rows[used], facilities.chosen(used)
