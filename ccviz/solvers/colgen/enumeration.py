"""Exact pricing by set enumeration over blocks: algorithm 1 of Babaki, Guns and Nijssen 2014.

Kept as the paper has it (candidates reduced by cannot-links, by the other constraints and by the
compatibility test; a bound for every size of the cluster), with three changes: distances from the
cluster to its candidates are kept up to date instead of summed again; a candidate's distances to
the cluster and its dual are bounded together for each size, not sorted apart; and the candidate
with the largest dual a point is taken first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ccviz.links import FloatArray, IntArray
from ccviz.solvers.colgen.cluster import fits, join, leave, signature
from ccviz.solvers.colgen.instance import Instance


@njit(cache=True)
def search(
    instance: Instance,
    duals: FloatArray,
    cutoff: float,
    below: float,
    node_limit: int,
    columns: np.ndarray,
    values: FloatArray,
) -> tuple[int, float, int]:
    """Find the best cluster whose value is below ``cutoff``; as `ccviz.solvers.colgen.space`."""
    s = len(duals)
    apart = _pairwise(instance)
    candidates = np.zeros((s + 1, s), dtype=np.int64)
    count = np.zeros(s + 1, dtype=np.int64)
    chosen = np.zeros(s + 1, dtype=np.int64)
    limits = np.full(s + 1, -np.inf)
    reach = np.zeros((s + 1, s))
    inside = np.zeros(s, dtype=np.bool_)
    load = np.zeros(len(instance.limit))
    signatures = np.zeros(len(values), dtype=np.int64)
    scratch = np.empty((2, s))
    for b in np.argsort(duals / instance.mass):
        if duals[b] > 0.0 and fits(instance, inside, load, b):
            candidates[0, count[0]] = b
            count[0] += 1
    spread, mass, dual = np.zeros(s + 1), np.zeros(s + 1), np.zeros(s + 1)
    found, nodes, best, depth = 0, 0, cutoff, 0
    while depth >= 0:
        if count[depth] == 0 or limits[depth] >= best:
            if depth > 0:
                leave(instance, inside, load, chosen[depth])
            depth -= 1
            continue
        if nodes >= node_limit:
            break
        nodes += 1
        count[depth] -= 1
        b = candidates[depth, count[depth]]
        join(instance, inside, load, b)
        chosen[depth + 1] = b
        spread[depth + 1] = spread[depth] + reach[depth, b]
        mass[depth + 1] = mass[depth] + instance.mass[b]
        dual[depth + 1] = dual[depth] + duals[b]
        reached = spread[depth + 1] / mass[depth + 1] - dual[depth + 1]
        if reached < below and (found < len(values) or reached < best):
            found = _keep(inside, reached, columns, values, signatures, found)
        best = min(best, reached)
        depth += 1
        _reduce(instance, duals, apart, candidates, count, reach, inside, load, depth, b)
        limits[depth] = _bound(
            instance, duals, candidates, count, reach, scratch, depth,
            spread[depth], mass[depth], dual[depth],
        )  # fmt: skip
    lower_bound = best
    for level in range(depth + 1):
        if count[level] > 0:
            lower_bound = min(lower_bound, limits[level])
    return found, lower_bound, nodes


@njit(cache=True)
def _pairwise(instance: Instance) -> FloatArray:
    """Return (s, s) mass_a mass_b |x_a - x_b|^2: a cluster costs their sum over its mass."""
    s, d = instance.points.shape
    apart = np.zeros((s, s))
    for a in range(s):
        for b in range(a):
            gap = 0.0
            for j in range(d):
                gap += (instance.points[a, j] - instance.points[b, j]) ** 2
            apart[a, b] = apart[b, a] = instance.mass[a] * instance.mass[b] * gap
    return apart


@njit(cache=True)
def _keep(
    inside: np.ndarray,
    reached: float,
    columns: np.ndarray,
    values: FloatArray,
    signatures: np.ndarray,
    found: int,
) -> int:
    mark = signature(inside)
    for t in range(found):
        if signatures[t] == mark:
            return found
    t = min(found, len(values) - 1)
    columns[t] = inside
    values[t] = reached
    signatures[t] = mark
    return t + 1


@njit(cache=True)
def _reduce(
    instance: Instance,
    duals: FloatArray,
    apart: FloatArray,
    candidates: np.ndarray,
    count: IntArray,
    reach: FloatArray,
    inside: np.ndarray,
    load: FloatArray,
    depth: int,
    b: int,
) -> None:
    """Hand down the candidates that may still join (section 4.2)."""
    kept = 0
    for i in range(count[depth - 1]):
        c = candidates[depth - 1, i]
        together = apart[b, c] / (instance.mass[b] + instance.mass[c])
        if together - duals[b] - duals[c] > 0.0 or not fits(instance, inside, load, c):
            continue
        candidates[depth, kept] = c
        reach[depth, c] = reach[depth - 1, c] + apart[b, c]
        kept += 1
    count[depth] = kept


@njit(cache=True)
def _bound(
    instance: Instance,
    duals: FloatArray,
    candidates: np.ndarray,
    count: IntArray,
    reach: FloatArray,
    scratch: FloatArray,
    depth: int,
    spread: float,
    mass: float,
    dual: float,
) -> float:
    """Bound all clusters that extend this one by candidates (section 4.3), over their masses.

    For a mass in (low, high] a candidate adds at least reach / high - dual, if that is negative.
    """
    best = spread / mass - dual
    low = mass
    total = mass
    for i in range(count[depth]):
        total += instance.mass[candidates[depth, i]]
    while low < total:
        high = min(total, max(low + 1.0, np.floor(1.1 * low)))
        added = _extension(
            instance, duals, candidates, count, reach, scratch, depth, high, high - mass
        )
        best = min(best, spread / high - dual + added)
        low = high
    return best


@njit(cache=True)
def _extension(
    instance: Instance,
    duals: FloatArray,
    candidates: np.ndarray,
    count: IntArray,
    reach: FloatArray,
    scratch: FloatArray,
    depth: int,
    high: float,
    room: float,
) -> float:
    """Return the least that candidates of mass at most ``room`` add to a cluster of mass high."""
    gain, density = scratch[0], scratch[1]
    m = 0
    for i in range(count[depth]):
        c = candidates[depth, i]
        value = reach[depth, c] / high - duals[c]
        if value < 0.0:
            gain[m] = value
            density[m] = value / instance.mass[c]
            m += 1
    total, used = 0.0, 0.0
    for i in np.argsort(density[:m]):
        weight = gain[i] / density[i]
        share = min(1.0, (room - used) / weight)
        total += share * gain[i]
        used += weight
        if used >= room:
            break
    return total
