"""A node's work in zones: open one, or split a case of one, until the bound is enough."""

from __future__ import annotations

from dataclasses import replace

from ccviz.arrays import FloatArray
from ccviz.solvers.colgen.cases import Setting, opened, split, tested
from ccviz.solvers.colgen.places import likely_places
from ccviz.solvers.colgen.pool import Pool, Round
from ccviz.solvers.colgen.spot import is_local
from ccviz.solvers.colgen.zones import Zones, find_zones


def may_begin(pool: Pool) -> bool:
    """Whether a node that has no places is to be worked on in zones: in many blocks, once."""
    local = is_local(pool.blocks.s, pool.blocks.k)
    return local and pool.early and pool.zones is None and pool.labels is not None


def begun(setting: Setting, pool: Pool) -> Pool:
    """Return the pool with zones that are not opened yet, around likely places."""
    assert pool.solution is not None
    assert pool.labels is not None
    weights = pool.solution.weights
    likely = likely_places(setting.instance, pool.columns, weights, setting.points)
    middles = setting.own[[near for near, _ in likely]].reshape(-1, setting.own.shape[1])
    found = find_zones(
        setting.instance, pool.blocks.centroid, setting.duals, setting.price, middles, pool.labels
    )
    return replace(pool, zones=Zones(found, pool.least))


def advanced(setting: Setting, pool: Pool) -> tuple[Pool, Round]:
    """Open the next zone, try places, or split a case; without anything to do give them up."""
    zones, found = pool.zones, 0
    assert zones is not None
    assert pool.solution is not None
    z = zones.next
    if z is None:
        zones = Zones((), pool.least)
    elif not zones.zones[z].cases:
        zone = opened(setting, zones.zones[z], pool.columns, pool.solution.weights)
        zones = zones.put(z, zone)
    elif not zones.zones[z].is_ready:
        zones = zones.put(z, tested(setting, zones.zones[z]))
    else:
        zone, found = split(setting, zones.zones[z])
        zones = zones.put(z, zone)
    pool = replace(pool, zones=zones, iteration=pool.iteration + 1)
    return pool, _shown(pool, found, setting.duals)


def _shown(pool: Pool, found: int, duals: FloatArray) -> Round:
    """Return what there is to show: the bound is all that moves, no master is solved as a whole."""
    assert pool.zones is not None
    return Round(
        iteration=pool.iteration,
        columns=found,
        pool=len(pool.columns),
        best_reduced_cost=pool.zones.least - pool.least,
        exact=True,
        master_objective=pool.told,
        bound=pool.told,
        duals=duals,
        center=pool.stabiliser.center,
    )
