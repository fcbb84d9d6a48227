"""Exact pricing under size limits and soft links, by set enumeration over blocks.

As `ccviz.solvers.colgen.pricing.enumeration` (Babaki, Guns and Nijssen 2014, algorithm 1), for
duals of any sign: the bound of all clusters that extend one is taken over the masses within the
limits, and candidates that cost something fill up to the mass. Soft links are exact inside the
cluster; a must-link between two candidates counts as kept by half as soon as one of them joins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.cluster import fits, join, keep, leave
from ccviz.solvers.colgen.partitioning.cluster import soft_change
from ccviz.solvers.colgen.partitioning.model import Model
from ccviz.solvers.colgen.pricing.enumeration import Levels, make_levels

_WIDER = 1.1
"""Factor between the masses at the ends of an interval that has one bound."""


class Enumeration(NamedTuple):
    """One search: the cluster at each depth up to ``depth[0]``, and scratch arrays."""

    depth: IntArray
    levels: Levels
    apart: FloatArray
    open: np.ndarray
    inside: np.ndarray
    load: FloatArray
    signatures: IntArray
    scratch: FloatArray


def make_enumeration(model: Model, duals: FloatArray, columns: int) -> Enumeration:
    """Return a search that begins with the empty cluster.

    Parameters
    ----------
    model : Model
    duals : (s,) float64
        For the order of the blocks: those with the largest dual a point are taken first.
    columns : int
        Most clusters that it returns.
    """
    points, mass = model.instance.points, model.instance.mass
    s = len(mass)
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    at = Enumeration(
        depth=np.zeros(1, dtype=np.int64),
        levels=make_levels(s),
        apart=np.outer(mass, mass) * gaps,
        open=np.zeros(s, dtype=np.bool_),
        inside=np.zeros(s, dtype=np.bool_),
        load=np.zeros(len(model.instance.loads.limit)),
        signatures=np.zeros(columns, dtype=np.int64),
        scratch=np.empty((3, s)),
    )
    at.levels.candidates[0] = np.argsort((duals - model.cut) / mass, kind="stable")
    at.levels.n_left[0] = s
    return at


@njit(cache=True)
def search(
    model: Model,
    duals: FloatArray,
    lower: float,
    upper: float,
    cutoff: float,
    below: float,
    slack: float,
    visit_limit: int,
    at: Enumeration,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> tuple[int, float, int]:
    """Find the cluster of least reduced cost below ``cutoff``; as `spatial.search`."""
    found, visits, best, depth = 0, 0, cutoff, at.depth[0]
    while depth >= 0:
        if at.levels.n_left[depth] == 0 or at.levels.limits[depth] >= best - slack:
            if depth > 0:
                leave(model.instance, at.inside, at.load, at.levels.chosen[depth])
            depth -= 1
            continue
        if visits >= visit_limit:
            break
        at.levels.n_left[depth] -= 1
        b = at.levels.candidates[depth, at.levels.n_left[depth]]
        if not fits(model.instance, at.inside, at.load, b):
            continue
        if at.levels.mass[depth] + model.instance.mass[b] > upper:
            continue
        depth += 1
        _join(model, duals, at, depth, b)
        visits += 1 + at.levels.n_left[depth]
        mass = at.levels.mass[depth]
        reached = at.levels.spread[depth] / mass - at.levels.dual[depth]
        if lower <= mass <= upper:
            if reached < below and (found < len(reduced_costs) or reached < best):
                found = keep(at.inside, reached, columns, reduced_costs, at.signatures, found)
            best = min(best, reached)
        at.levels.limits[depth] = _bound(model, duals, at, depth, lower, upper)
    at.depth[0] = depth
    return found, best - slack, visits


@njit(cache=True)
def _join(model: Model, duals: FloatArray, at: Enumeration, depth: int, b: int) -> None:
    """Take block b into the cluster and pass on the candidates that may still join."""
    before = depth - 1
    instance = model.instance
    at.levels.dual[depth] = at.levels.dual[before] + duals[b] - soft_change(model, at.inside, b)
    at.levels.spread[depth] = at.levels.spread[before] + at.levels.reach[before, b]
    at.levels.mass[depth] = at.levels.mass[before] + instance.mass[b]
    join(instance, at.inside, at.load, b)
    at.levels.chosen[depth] = b
    kept = 0
    for i in range(at.levels.n_left[before]):
        c = at.levels.candidates[before, i]
        if fits(instance, at.inside, at.load, c):
            at.levels.candidates[depth, kept] = c
            at.levels.reach[depth, c] = at.levels.reach[before, c] + at.apart[b, c]
            kept += 1
    at.levels.n_left[depth] = kept


@njit(cache=True)
def _bound(
    model: Model, duals: FloatArray, at: Enumeration, depth: int, lower: float, upper: float
) -> float:
    """Bound all larger clusters that extend this one by candidates, over their masses."""
    spread, mass, dual = at.levels.spread[depth], at.levels.mass[depth], at.levels.dual[depth]
    gained, total = at.scratch[2], mass
    for i in range(at.levels.n_left[depth]):
        at.open[at.levels.candidates[depth, i]] = True
    for i in range(at.levels.n_left[depth]):
        c = at.levels.candidates[depth, i]
        total += model.instance.mass[c]
        gained[c] = duals[c] - soft_change(model, at.inside, c)
        for e in range(model.start[c], model.start[c + 1]):
            if at.open[model.other[e]] and model.weight[e] < 0.0:
                gained[c] -= 0.5 * model.weight[e]
    for i in range(at.levels.n_left[depth]):
        at.open[at.levels.candidates[depth, i]] = False
    total = min(total, upper)
    best, low = np.inf, max(mass, lower)
    if low > total:
        return np.inf
    if lower > mass:  # the least mass by itself
        best = (
            spread / low - dual + _extension(model, gained, at, depth, low, low - mass, low - mass)
        )
    while low < total:
        high = min(total, max(low + 1.0, np.floor(_WIDER * low)))
        added = _extension(model, gained, at, depth, high, low - mass, high - mass)
        best = min(best, spread / high - dual + added)
        low = high
    return best


@njit(cache=True)
def _extension(
    model: Model,
    gained: FloatArray,
    at: Enumeration,
    depth: int,
    high: float,
    needed: float,
    room: float,
) -> float:
    """Return the least that candidates add to a cluster of mass high, fractions allowed.

    Their mass is at least ``needed`` and at most ``room``.
    """
    term, density = at.scratch[0], at.scratch[1]
    count = at.levels.n_left[depth]
    for i in range(count):
        c = at.levels.candidates[depth, i]
        term[i] = at.levels.reach[depth, c] / high - gained[c]
        density[i] = term[i] / model.instance.mass[c]
    total, used = 0.0, 0.0
    for i in np.argsort(density[:count]):
        if used >= room or (used >= needed and term[i] >= 0.0):
            break
        weight = model.instance.mass[at.levels.candidates[depth, i]]
        most = room if term[i] < 0.0 else needed
        share = min(1.0, (most - used) / weight)
        total += share * term[i]
        used += share * weight
    return total
