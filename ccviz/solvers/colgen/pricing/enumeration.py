"""Exact pricing by set enumeration over blocks: algorithm 1 of Babaki, Guns and Nijssen 2014.

It follows the paper (candidates reduced by cannot-links, by the other constraints and by the
compatibility test; a bound for every size of the cluster), with three changes: distances from the
cluster to its candidates are kept up to date instead of summed again; a candidate's distances to
the cluster and its dual are bounded together for each size, not sorted apart, unless the bound is
to be as printed (`printed_bound`); and the candidate with the largest dual a point is taken first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.instance import Instance, fits, join, keep, leave

# --- The bound of section 4.3 of Babaki, Guns and Nijssen 2014, as printed ------------------------
#
# For every size of the cluster the candidates' distances (1) are bounded by those of the candidates
# that are nearest per point, and their duals (4) by those with the largest per point: two orders,
# each of its own. Distances between candidates (2) count as 0.

_EPS = float(np.finfo(np.float64).eps)


@njit(cache=True, entry=False)
def printed_bound(
    beta: FloatArray,
    gain: FloatArray,
    mass: FloatArray,
    inside: tuple[float, float, float],
    step: float,
) -> float:
    """Return a lower bound on every cluster that extends one by some of m candidates.

    `beta` (m,): Sum of squared distances that a candidate adds, to the cluster and within itself.
    `gain` (m,): Its duals. `mass` (m,): Its points: whole numbers. `inside`: Sum of squared
    distances, duals and points of the cluster itself. `step`: Relative error of each sum, by which
    the bound is lowered.
    """
    distances, duals, size = inside
    near, rich = np.argsort(beta / mass), np.argsort(-gain / mass)
    least = distances / size * (1.0 - step) - duals * (1.0 + step)
    i, j = 0, 0
    low, filled, covered = 0.0, 0.0, 0.0
    while j < len(rich) or low < covered:
        if low >= covered:  # more points need one more of the richest
            covered += mass[rich[j]]
            duals += gain[rich[j]]
            j += 1
        # From low + 1 to high points more, both sums stay.
        fits = filled + mass[near[i]] if i < len(near) else np.inf
        high = min(covered, fits - 1.0)
        if high > low:
            value = distances / (size + high) * (1.0 - step) - duals * (1.0 + step)
            least = min(least, value)
            low = high
        if high < covered:
            distances += beta[near[i]]
            filled = fits
            i += 1
    return least


@njit(cache=True)
def least_extension(
    apart: FloatArray,
    spread: float,
    dual: float,
    inside: np.ndarray,
    candidates: IntArray,
    block: tuple[FloatArray, FloatArray, FloatArray],
) -> float:
    """Return the printed bound of a cluster of blocks, without the blocks' own scatter.

    `apart` (s,): Mass-weighted squared distances of each candidate's mean to the means in the
    cluster. `spread`, `dual`: Sums of the same, and of duals, over the cluster. `block` (s,): Mass,
    dual and scatter of each block. With a scatter w the paper's dual is w more, and the squared
    distances of its points to m other points are m w more.
    """
    mass, duals, scatter = block
    size, within = 0.0, 0.0
    for b in range(len(mass)):
        if inside[b]:
            size += mass[b]
            within += scatter[b]
    beta, gain = np.empty(len(candidates)), np.empty(len(candidates))
    for i, c in enumerate(candidates):
        beta[i] = apart[c] + scatter[c] * (mass[c] + size) + mass[c] * within
        gain[i] = duals[c] + scatter[c]
    whole = (spread + size * within, dual + within, size)
    return printed_bound(beta, gain, mass[candidates], whole, 8.0 * (len(mass) + 32.0) * _EPS)


class Levels(NamedTuple):
    """The cluster at each depth: its candidates, the block taken last, its bound and its sums."""

    candidates: IntArray
    n_left: IntArray
    chosen: IntArray
    limits: FloatArray
    reach: FloatArray
    spread: FloatArray
    mass: FloatArray
    dual: FloatArray


def make_levels(s: int) -> Levels:
    """Return the levels of a search over s blocks, which begins with the empty cluster."""
    return Levels(
        candidates=np.zeros((s + 1, s), dtype=np.int64),
        n_left=np.zeros(s + 1, dtype=np.int64),
        chosen=np.zeros(s + 1, dtype=np.int64),
        limits=np.full(s + 1, -np.inf),
        reach=np.zeros((s + 1, s)),
        spread=np.zeros(s + 1),
        mass=np.zeros(s + 1),
        dual=np.zeros(s + 1),
    )


class Enumeration(NamedTuple):
    """One search: the cluster under construction up to level ``depth[0]``, and scratch arrays.

    ``scatter`` (s,) is that of each block, for the bound as printed; without any, ours is used.
    """

    depth: IntArray
    levels: Levels
    apart: FloatArray
    inside: np.ndarray
    load: FloatArray
    signatures: IntArray
    scratch: FloatArray
    scatter: FloatArray


def make_enumeration(
    instance: Instance, columns: int, scatter: FloatArray | None = None
) -> Enumeration:
    """Return an empty search of an instance, with room for that number of columns.

    With the (s,) scatter of the blocks it has the paper's bound.
    """
    s = len(instance.mass)
    return Enumeration(
        depth=np.full(1, -1, dtype=np.int64),
        levels=make_levels(s),
        apart=np.zeros((s, s)),
        inside=np.zeros(s, dtype=np.bool_),
        load=np.zeros(len(instance.loads.limit)),
        signatures=np.zeros(columns, dtype=np.int64),
        scratch=np.empty((2, s)),
        scatter=np.empty(0) if scatter is None else scatter,
    )


@njit(cache=True)
def open_root(instance: Instance, duals: FloatArray, at: Enumeration) -> None:
    """Begin with the empty cluster, which all blocks with a positive dual may join."""
    _fill_apart(instance, at.apart)
    for b in np.argsort(duals / instance.mass):
        if duals[b] > 0.0 and fits(instance, at.inside, at.load, b):
            at.levels.candidates[0, at.levels.n_left[0]] = b
            at.levels.n_left[0] += 1
    at.depth[0] = 0


@njit(cache=True)
def search(
    instance: Instance,
    duals: FloatArray,
    cutoff: float,
    below: float,
    visit_limit: int,
    at: Enumeration,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> tuple[int, float, int]:
    """Find the cluster of least reduced cost below ``cutoff``; as `spatial.search`."""
    found, visits, best, depth = 0, 0, cutoff, at.depth[0]
    while depth >= 0:
        if at.levels.n_left[depth] == 0 or at.levels.limits[depth] >= best:
            if depth > 0:
                leave(instance, at.inside, at.load, at.levels.chosen[depth])
            depth -= 1
            continue
        if visits >= visit_limit:
            break
        at.levels.n_left[depth] -= 1
        b = at.levels.candidates[depth, at.levels.n_left[depth]]
        depth += 1
        _take(instance, duals, at, depth, b)
        visits += 1 + at.levels.n_left[depth]
        reached = at.levels.spread[depth] / at.levels.mass[depth] - at.levels.dual[depth]
        if reached < below and (found < len(reduced_costs) or reached < best):
            found = keep(at.inside, reached, columns, reduced_costs, at.signatures, found)
        best = min(best, reached)
    at.depth[0] = depth
    lower_bound = best
    for level in range(depth + 1):
        if at.levels.n_left[level] > 0:
            lower_bound = min(lower_bound, at.levels.limits[level])
    return found, lower_bound, visits


@njit(cache=True)
def _take(instance: Instance, duals: FloatArray, at: Enumeration, depth: int, b: int) -> None:
    """Put block b into the cluster, pass on its candidates and bound what they may add."""
    join(instance, at.inside, at.load, b)
    at.levels.chosen[depth] = b
    at.levels.spread[depth] = at.levels.spread[depth - 1] + at.levels.reach[depth - 1, b]
    at.levels.mass[depth] = at.levels.mass[depth - 1] + instance.mass[b]
    at.levels.dual[depth] = at.levels.dual[depth - 1] + duals[b]
    _reduce(instance, duals, at, depth, b)
    if len(at.scatter) == 0:
        at.levels.limits[depth] = _bound(instance, duals, at, depth)
        return
    at.levels.limits[depth] = least_extension(
        at.levels.reach[depth],
        at.levels.spread[depth],
        at.levels.dual[depth],
        at.inside,
        at.levels.candidates[depth, : at.levels.n_left[depth]],
        (instance.mass, duals, at.scatter),
    )


@njit(cache=True)
def _fill_apart(instance: Instance, apart: FloatArray) -> None:
    """Fill in mass_a mass_b |x_a - x_b|^2: a cluster costs their sum over its mass."""
    s, d = instance.points.shape
    for a in range(s):
        for b in range(a):
            gap = 0.0
            for j in range(d):
                gap += (instance.points[a, j] - instance.points[b, j]) ** 2
            apart[a, b] = apart[b, a] = instance.mass[a] * instance.mass[b] * gap


@njit(cache=True)
def _reduce(instance: Instance, duals: FloatArray, at: Enumeration, depth: int, b: int) -> None:
    """Pass on the candidates that may still join (section 4.2)."""
    kept = 0
    for i in range(at.levels.n_left[depth - 1]):
        c = at.levels.candidates[depth - 1, i]
        together = at.apart[b, c] / (instance.mass[b] + instance.mass[c])
        worthless = together - duals[b] - duals[c] > 0.0
        if worthless or not fits(instance, at.inside, at.load, c):
            continue
        at.levels.candidates[depth, kept] = c
        at.levels.reach[depth, c] = at.levels.reach[depth - 1, c] + at.apart[b, c]
        kept += 1
    at.levels.n_left[depth] = kept


@njit(cache=True)
def _bound(instance: Instance, duals: FloatArray, at: Enumeration, depth: int) -> float:
    """Bound all clusters that extend this one by candidates (section 4.3), over their masses.

    For a mass in (low, high] a candidate adds at least reach / high - dual, if that is negative.
    """
    spread, mass, dual = at.levels.spread[depth], at.levels.mass[depth], at.levels.dual[depth]
    best = spread / mass - dual
    low, total = mass, mass
    for i in range(at.levels.n_left[depth]):
        total += instance.mass[at.levels.candidates[depth, i]]
    while low < total:
        high = min(total, max(low + 1.0, np.floor(1.1 * low)))
        added = _extension(instance, duals, at, depth, high, high - mass)
        best = min(best, spread / high - dual + added)
        low = high
    return best


@njit(cache=True)
def _extension(
    instance: Instance, duals: FloatArray, at: Enumeration, depth: int, high: float, room: float
) -> float:
    """Return the least that candidates of mass at most ``room`` add to a cluster of mass high."""
    gain, density = at.scratch[0], at.scratch[1]
    m = 0
    for i in range(at.levels.n_left[depth]):
        c = at.levels.candidates[depth, i]
        term = at.levels.reach[depth, c] / high - duals[c]
        if term < 0.0:
            gain[m] = term
            density[m] = term / instance.mass[c]
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
