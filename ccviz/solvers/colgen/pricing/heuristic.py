"""Heuristic pricing: alternate a cluster and its centre, then add, drop and swap blocks.

For a fixed centre c the best cluster without conflicts takes every block whose term
mass |x - c|^2 - dual is negative; for a fixed cluster the best centre is its mean. From every
seed this descends to a local optimum of the reduced cost, which single moves then improve. A seed
that reaches a cluster of an earlier one is given up: both would end alike.

A block has a negative term only where its disc |x - c|^2 <= dual / mass holds the centre, so only
blocks are visited that lie along the widest axis within the radius of the largest disc.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.instance import (
    Instance,
    fits,
    join,
    keep,
    leave,
    reduced_cost,
    signature,
    squared_distance,
)

_MOST_SWEEPS = 50  # Most passes of single moves over the blocks near a cluster


class _Cluster(NamedTuple):
    """A cluster under construction: its blocks, its loads, its centre and (1,) its mass.

    All its blocks, and all that may join, are in ``order`` from ``window[0]`` to ``window[1]``.
    """

    inside: np.ndarray
    load: FloatArray
    center: FloatArray
    mass: FloatArray
    order: IntArray
    coordinate: FloatArray
    window: IntArray
    reach: float


@njit(cache=True)
def descend(
    instance: Instance,
    duals: FloatArray,
    seeds: FloatArray,
    below: float,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> int:
    """Fill in columns of reduced cost below ``below`` from seed centres.

    `seeds` (p, d): Centres to start from, in the instance's axes. `columns` (m, s): Overwritten
    with the clusters found, each once. `values` (m,): Overwritten with their cost less their duals.
    """
    s, d = instance.points.shape
    order = np.argsort(instance.points[:, 0].copy())  # contiguous, as all that is sorted here
    richest = 0.0
    for b in range(s):
        richest = max(richest, duals[b] / instance.mass[b])
    cluster = _Cluster(
        np.zeros(s, dtype=np.bool_),
        np.zeros(len(instance.loads.limit)),
        np.empty(d),
        np.zeros(1),
        order,
        instance.points[order, 0],
        np.zeros(2, dtype=np.int64),
        np.sqrt(richest) * (1.0 + 1e-9),
    )
    signatures = np.empty(len(reduced_costs), dtype=np.int64)
    seen = {np.int64(0)}  # which is no cluster's
    found = 0
    for p in range(len(seeds)):
        if found == len(reduced_costs):
            break
        for j in range(d):
            cluster.center[j] = seeds[p, j]
        reached = _alternate(instance, duals, cluster, seen)
        if reached >= 0.0:
            continue
        reached = _improve(instance, duals, cluster, reached)
        if reached < below:
            found = keep(cluster.inside, reached, columns, reduced_costs, signatures, found)
    return found


@njit(cache=True)
def _alternate(instance: Instance, duals: FloatArray, cluster: _Cluster, seen: set[int]) -> float:
    """Return the reduced cost this ends with, 0 where an earlier seed ended."""
    best, last = np.inf, 0
    reached = 0.0  # bound before the loop: numba asks for that from Python 3.12 on
    for _ in range(30):
        _gather(instance, duals, cluster)
        mark = signature(cluster.inside, _near(cluster))
        if mark == last:
            break
        if mark in seen:
            return 0.0
        seen.add(mark)
        last = mark
        reached = reduced_cost(instance, duals, cluster.inside, cluster.center, _near(cluster))
        if reached >= best - 1e-12 * abs(reached):
            break
        best = reached
    return reached


@njit(cache=True)
def _near(cluster: _Cluster) -> IntArray:
    return cluster.order[cluster.window[0] : cluster.window[1]]


@njit(cache=True)
def _look(cluster: _Cluster, reach: float) -> None:
    """Widen the window to all blocks within reach of the centre."""
    first = np.searchsorted(cluster.coordinate, cluster.center[0] - reach)
    last = np.searchsorted(cluster.coordinate, cluster.center[0] + reach, side="right")
    if cluster.window[0] < cluster.window[1]:
        first, last = min(first, cluster.window[0]), max(last, cluster.window[1])
    cluster.window[0], cluster.window[1] = first, last


@njit(cache=True)
def _gather(instance: Instance, duals: FloatArray, cluster: _Cluster) -> None:
    """Take blocks greedily, the most negative term first, as far as they fit."""
    cluster.inside[:] = False
    cluster.load[:] = 0.0
    cluster.mass[0] = 0.0
    cluster.window[:] = 0
    _look(cluster, cluster.reach)
    near = _near(cluster)
    block = np.empty(len(near), dtype=np.int64)
    term = np.empty(len(near))
    count = 0
    for b in near:
        gap = squared_distance(instance.points, b, cluster.center)
        block[count] = b
        term[count] = instance.mass[b] * gap - duals[b]
        if term[count] < 0.0:
            count += 1
    for b in block[np.argsort(term[:count])]:
        if fits(instance, cluster.inside, cluster.load, b):
            join(instance, cluster.inside, cluster.load, b)
            cluster.mass[0] += instance.mass[b]


@njit(cache=True)
def _improve(instance: Instance, duals: FloatArray, cluster: _Cluster, reached: float) -> float:
    """Add, drop and swap blocks while that lowers the reduced cost."""
    for _ in range(_MOST_SWEEPS):
        moved = False
        # A block that moves the centre as it joins may be farther, by a root of 1 + m / mass.
        _look(cluster, 1.5 * cluster.reach)
        for b in _near(cluster):
            gain, out = _best_move(instance, duals, cluster, b)
            if not gain < -1e-11 * (1.0 + abs(reached)):
                continue
            if out >= 0:
                _shift(instance, cluster, out)
            if out != b:
                _shift(instance, cluster, b)
            moved = True
        reached = reduced_cost(instance, duals, cluster.inside, cluster.center, _near(cluster))
        if not moved:
            break
    return reached


@njit(cache=True)
def _best_move(
    instance: Instance, duals: FloatArray, cluster: _Cluster, b: int
) -> tuple[float, int]:
    """Return the change of reduced cost by moving block b, and the block that leaves or -1."""
    m, mass = instance.mass[b], cluster.mass[0]
    gap = squared_distance(instance.points, b, cluster.center)
    if cluster.inside[b]:
        if mass <= m:
            return 0.0, b
        return duals[b] - m * mass / (mass - m) * gap, b
    change = m * mass / (mass + m) * gap - duals[b]
    if change >= 0.0:
        return 0.0, -1
    if fits(instance, cluster.inside, cluster.load, b):
        return change, -1
    blocker = _only_blocker(instance, cluster.inside, b)
    if blocker < 0 or instance.mass[blocker] >= mass:
        return 0.0, -1
    return _swap(instance, duals, cluster, b, blocker)


@njit(cache=True)
def _only_blocker(instance: Instance, inside: np.ndarray, b: int) -> int:
    """Return the one block inside that excludes b, -1 if there is none or more than one."""
    blocker = -1
    for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
        if inside[instance.conflict[e]]:
            if blocker >= 0:
                return -1
            blocker = instance.conflict[e]
    return blocker


@njit(cache=True)
def _swap(
    instance: Instance, duals: FloatArray, cluster: _Cluster, b: int, out: int
) -> tuple[float, int]:
    leave(instance, cluster.inside, cluster.load, out)
    possible = fits(instance, cluster.inside, cluster.load, b)
    join(instance, cluster.inside, cluster.load, out)
    if not possible:
        return 0.0, -1
    center, mass = cluster.center, cluster.mass[0]
    m, lost = instance.mass[b], instance.mass[out]
    left = mass - lost
    change = duals[out] - lost * mass / left * squared_distance(instance.points, out, center)
    gap = 0.0
    for j in range(len(center)):
        kept = (mass * center[j] - lost * instance.points[out, j]) / left
        gap += (instance.points[b, j] - kept) ** 2
    return change + m * left / (left + m) * gap - duals[b], out


@njit(cache=True)
def _shift(instance: Instance, cluster: _Cluster, b: int) -> None:
    """Move block b in or out, with the centre and the mass."""
    m = -instance.mass[b] if cluster.inside[b] else instance.mass[b]
    mass = cluster.mass[0] + m
    for j in range(len(cluster.center)):
        cluster.center[j] += m / mass * (instance.points[b, j] - cluster.center[j])
    cluster.mass[0] = mass
    if cluster.inside[b]:
        leave(instance, cluster.inside, cluster.load, b)
    else:
        join(instance, cluster.inside, cluster.load, b)
