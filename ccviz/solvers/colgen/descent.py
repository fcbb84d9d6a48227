"""Heuristic pricing: alternate a cluster and its centre, then add, drop and swap blocks.

For a fixed centre c the best cluster without conflicts takes every block whose term
mass |x - c|^2 - dual is negative; for a fixed cluster the best centre is its mean. From every
seed this falls to a local optimum of the reduced cost, which single moves then improve.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ccviz.links import FloatArray
from ccviz.solvers.colgen.cluster import fits, join, leave, signature, squared_distance, value
from ccviz.solvers.colgen.instance import Instance

_MOST_SWEEPS = 50


@njit(cache=True)
def descend(
    instance: Instance,
    duals: FloatArray,
    seeds: FloatArray,
    below: float,
    columns: np.ndarray,
    values: FloatArray,
) -> int:
    """Fill in columns of value below ``below`` from seed centres.

    Parameters
    ----------
    instance : Instance
    duals : (s,) float64
    seeds : (p, d) float64
        Centres to start from, in the instance's axes.
    below : float
    columns : (m, s) bool
        Overwritten with the clusters found, each once.
    values : (m,) float64
        Overwritten with their cost less their duals.

    Returns
    -------
    int
        How many were found.
    """
    s, d = instance.points.shape
    inside = np.zeros(s, dtype=np.bool_)
    load = np.zeros(len(instance.limit))
    center = np.empty(d)
    term = np.empty(s)
    signatures = np.empty(len(values), dtype=np.int64)
    found = 0
    for p in range(len(seeds)):
        if found == len(values):
            break
        center[:] = seeds[p]
        reached = _alternate(instance, duals, inside, load, center, term)
        if reached >= 0.0:
            continue
        reached = _improve(instance, duals, inside, load, center, reached)
        if reached < below:
            found = _keep(inside, reached, columns, values, signatures, found)
    return found


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
    columns[found] = inside
    values[found] = reached
    signatures[found] = mark
    return found + 1


@njit(cache=True)
def _alternate(
    instance: Instance,
    duals: FloatArray,
    inside: np.ndarray,
    load: FloatArray,
    center: FloatArray,
    term: FloatArray,
) -> float:
    best = np.inf
    for _ in range(30):
        _gather(instance, duals, inside, load, center, term)
        reached = value(instance, duals, inside, center)
        if reached >= best - 1e-12 * abs(reached):
            break
        best = reached
    return reached


@njit(cache=True)
def _gather(
    instance: Instance,
    duals: FloatArray,
    inside: np.ndarray,
    load: FloatArray,
    center: FloatArray,
    term: FloatArray,
) -> None:
    """Take blocks greedily, the most negative term first, as far as they fit."""
    s = len(duals)
    inside[:] = False
    load[:] = 0.0
    count = 0
    for b in range(s):
        term[b] = instance.mass[b] * squared_distance(instance.points, b, center) - duals[b]
        if term[b] < 0.0:
            count += 1
    for b in np.argsort(term)[:count]:
        if fits(instance, inside, load, b):
            join(instance, inside, load, b)


@njit(cache=True)
def _improve(
    instance: Instance,
    duals: FloatArray,
    inside: np.ndarray,
    load: FloatArray,
    center: FloatArray,
    reached: float,
) -> float:
    """Add, drop and swap blocks while that lowers the value."""
    s = len(duals)
    mass = 0.0
    for b in range(s):
        if inside[b]:
            mass += instance.mass[b]
    for _ in range(_MOST_SWEEPS):
        moved = False
        for b in range(s):
            gain, out = _best_move(instance, duals, inside, load, center, mass, b)
            if not gain < -1e-11 * (1.0 + abs(reached)):
                continue
            if out >= 0:
                mass = _shift(instance, inside, load, center, mass, out)
            if out != b:
                mass = _shift(instance, inside, load, center, mass, b)
            moved = True
        reached = value(instance, duals, inside, center)
        if not moved:
            break
    return reached


@njit(cache=True)
def _best_move(
    instance: Instance,
    duals: FloatArray,
    inside: np.ndarray,
    load: FloatArray,
    center: FloatArray,
    mass: float,
    b: int,
) -> tuple[float, int]:
    """Return the change of value by moving block b and the block that leaves, -1 for none."""
    m = instance.mass[b]
    gap = squared_distance(instance.points, b, center)
    if inside[b]:
        if mass <= m:
            return 0.0, b
        return duals[b] - m * mass / (mass - m) * gap, b
    change = m * mass / (mass + m) * gap - duals[b]
    if change >= 0.0:
        return 0.0, -1
    if fits(instance, inside, load, b):
        return change, -1
    blocker = _only_blocker(instance, inside, b)
    if blocker < 0 or instance.mass[blocker] >= mass:
        return 0.0, -1
    return _swap(instance, duals, inside, load, center, mass, b, blocker)


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
    instance: Instance,
    duals: FloatArray,
    inside: np.ndarray,
    load: FloatArray,
    center: FloatArray,
    mass: float,
    b: int,
    out: int,
) -> tuple[float, int]:
    leave(instance, inside, load, out)
    possible = fits(instance, inside, load, b)
    join(instance, inside, load, out)
    if not possible:
        return 0.0, -1
    m, lost = instance.mass[b], instance.mass[out]
    change = duals[out] - lost * mass / (mass - lost) * squared_distance(
        instance.points, out, center
    )
    left = mass - lost
    gap = 0.0
    for j in range(len(center)):
        kept = (mass * center[j] - lost * instance.points[out, j]) / left
        gap += (instance.points[b, j] - kept) ** 2
    return change + m * left / (left + m) * gap - duals[b], out


@njit(cache=True)
def _shift(
    instance: Instance,
    inside: np.ndarray,
    load: FloatArray,
    center: FloatArray,
    mass: float,
    b: int,
) -> float:
    """Move block b in or out, with the centre; return the new mass."""
    m = -instance.mass[b] if inside[b] else instance.mass[b]
    for j in range(len(center)):
        center[j] += m / (mass + m) * (instance.points[b, j] - center[j])
    if inside[b]:
        leave(instance, inside, load, b)
    else:
        join(instance, inside, load, b)
    return mass + m
