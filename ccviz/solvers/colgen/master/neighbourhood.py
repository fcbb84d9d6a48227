"""Dual ascent in a neighbourhood: the master for some blocks, all other duals fixed.

A decision on a disc changes the duals of the blocks around it. So the duals of a few hundred
blocks are raised as far as the facilities allow, while all other duals and the cardinality dual
stay. What a facility gains from the fixed blocks is subtracted from the cardinality dual; the rest
is its own cost in the local master. Any duals that result give a bound. So a child that differs
from its parent by one disc gets its columns and its bound for a small part of the work of the
whole master, and a disc can be evaluated before it is branched on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.one_thread import one_blas_thread
from ccviz.solvers.base import never
from ccviz.solvers.colgen.master.barrier import DualProgram, ascend
from ccviz.solvers.colgen.master.facilities import Facilities, band_order, make_facilities
from ccviz.solvers.colgen.master.facility_master import FacilityDuals
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.params import NeighbourhoodParams

_WIDER = 2
"""Size of the region that holds all facilities with a near block, relative to a neighbourhood."""
_AMPLE = 4
"""Clusters of a local master, as a multiple of the expected number: its limit is not to bind."""
LEAST_SAVING = 0.9
"""Facilities that save less than this share of the cardinality dual are left out of a local
master: pricing finds them again."""
_INSIDE = 1e-3
"""Least distance of the first duals from their limits, as a share of these; a facility's own cost
is at least this share of the cardinality dual."""
_FINEST = 1e-9
"""Best relative accuracy of the barrier method."""


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

        Parameters
        ----------
        instance : Instance
        at : (d,) float64
            In the axes of the instance.
        share : float
            Size, as a multiple of the usual one.

        Returns
        -------
        near : (s,) bool
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
    """Duals raised in a neighbourhood.

    Attributes
    ----------
    duals : (s + t,) float64
        Elsewhere unchanged.
    weights : (m,) float64
        Of the columns in the local master; 0 for the others.
    """

    duals: FloatArray
    weights: FloatArray


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

    Parameters
    ----------
    instance : Instance
    columns : (m, s + t) bool
    before : FacilityDuals
        The duals, and the cardinality dual, positive: a facility may gain no more than that.
    artificial_cost : (s + t,) float64
        Upper limits of the duals.
    region : Region
    error : float
        Largest distance of the sum of duals from the best one.
    stop : callable
        True once it should end with what it has.
    """
    duals, cardinality_dual = before
    free = _free(instance, region)
    rows, facilities = _facilities(instance, columns, before, region, free)
    whole = band_order(instance)
    order = whole[free[whole]]
    small = facilities.ordered(order, len(free), 1.0 / cardinality_dual)
    left = cardinality_dual - _gained(facilities, ~free, duals)
    own = np.maximum(left, _INSIDE * cardinality_dual) / cardinality_dual
    most = artificial_cost[order] / cardinality_dual
    s, near = len(instance.mass), free[: len(instance.mass)]
    limit = _AMPLE * (1 + int(near.sum()) * region.neighbourhoods.k // s)
    row = np.clip(duals[order] / cardinality_dual, _INSIDE * most, (1.0 - _INSIDE) * most)
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
    instance: Instance,
    columns: np.ndarray,
    before: FacilityDuals,
    region: Region,
    free: np.ndarray,
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
    used = has_free & (in_disc | (saved >= LEAST_SAVING * before.cardinality_dual))
    return rows[used], facilities.chosen(used)


def _gained(facilities: Facilities, fixed: np.ndarray, duals: FloatArray) -> FloatArray:
    """Return (p,) what each facility gains from the fixed (s + t,) rows."""
    gain = np.maximum(duals[facilities.block] - facilities.cost, 0.0) * fixed[facilities.block]
    count = len(facilities.start) - 1
    return np.bincount(facilities.facility, gain, count).astype(np.float64)
