"""Compiled: the reduced cost of a cluster with soft links, and local search under size limits."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.instance import fits, join, keep, leave, squared_distance
from ccviz.solvers.colgen.partitioning.master import Model

_MOST_ROUNDS = 30  # Most alternations of a cluster and its mean
_MOST_SWEEPS = 20  # Most passes of moves and swaps over all blocks
_LEAST_GAIN = 1e-10  # Least gain of a move, relative to the reduced cost


@njit(cache=True, entry=False)
def soft_change(model: Model, inside: np.ndarray, b: int) -> float:
    """Return the change of the soft links' cost when block b joins."""
    change = model.cut[b]
    for e in range(model.start[b], model.start[b + 1]):
        if inside[model.other[e]]:
            change += model.weight[e]
    return change


@njit(cache=True)
def reduced_cost(
    model: Model, duals: FloatArray, inside: np.ndarray, mean: FloatArray
) -> tuple[float, float]:
    """Return a cluster's cost less its duals, and its mass; ``mean`` (d,) becomes its mean."""
    points, masses = model.instance.points, model.instance.mass
    mass, total = 0.0, 0.0
    mean[:] = 0.0
    for b in range(len(masses)):
        if inside[b]:
            mass += masses[b]
            for j in range(len(mean)):
                mean[j] += masses[b] * points[b, j]
    if mass == 0.0:
        return np.inf, 0.0
    for j in range(len(mean)):
        mean[j] /= mass
    for b in range(len(masses)):
        if inside[b]:
            # Both ends of a soft pair add half of it.
            soft = 0.5 * (soft_change(model, inside, b) - model.cut[b]) + model.cut[b]
            total += masses[b] * squared_distance(points, b, mean) - duals[b] + soft
    return total, mass


@njit(cache=True)
def gather(
    model: Model,
    density: FloatArray,
    order: IntArray,
    lower: float,
    upper: float,
    inside: np.ndarray,
    load: FloatArray,
    mass: float,
) -> tuple[float, float]:
    """Let blocks join in the order of their density, as they fit.

    `density` (s,): Cost that each block adds, over its mass. `order` (m,): The blocks that may
    join, by ascending density. `lower`, `upper`: Limits on the mass: blocks that cost something
    join only below the first one. Returns `multiplier`: A price of a unit of mass at which the
    blocks that joined are about those that gain.
    """
    multiplier, paid = 0.0, False
    for i in range(len(order)):
        b = order[i]
        if density[b] >= 0.0 and mass >= lower:
            break
        if mass + model.instance.mass[b] > upper:
            if not paid and density[b] < 0.0:
                multiplier, paid = density[b], True
            continue
        if fits(model.instance, inside, load, b):
            join(model.instance, inside, load, b)
            mass += model.instance.mass[b]
            if density[b] > 0.0:
                multiplier = density[b]
    return mass, multiplier


@njit(cache=True)
def descend(
    model: Model,
    duals: FloatArray,
    lower: float,
    upper: float,
    seeds: FloatArray,
    below: float,
    columns: np.ndarray,
    reduced_costs: FloatArray,
) -> int:
    """Fill in clusters of reduced cost below ``below`` from (p, d) seeds; return their number.

    A cluster and its mean alternate, then single moves and swaps go on.
    """
    s = len(duals)
    inside, best = np.zeros(s, dtype=np.bool_), np.zeros(s, dtype=np.bool_)
    load = np.zeros(len(model.instance.loads.limit))
    mean = np.empty(model.instance.points.shape[1])
    signatures = np.zeros(len(reduced_costs), dtype=np.int64)
    found = 0
    for p in range(len(seeds)):
        mean[:] = seeds[p]
        inside[:] = False
        reached = np.inf
        for _ in range(_MOST_ROUNDS):
            mass = _take(model, duals, mean, lower, upper, inside, load)
            value, mass = reduced_cost(model, duals, inside, mean)
            if mass < lower or not value < reached - _LEAST_GAIN * abs(value):
                break
            reached = value
            best[:] = inside
        if reached == np.inf:
            continue
        reached = _improve(model, duals, lower, upper, best, load, mean, reached)
        if reached < below:
            found = keep(best, reached, columns, reduced_costs, signatures, found)
    return found


@njit(cache=True)
def _take(
    model: Model,
    duals: FloatArray,
    center: FloatArray,
    lower: float,
    upper: float,
    inside: np.ndarray,
    load: FloatArray,
) -> float:
    """Overwrite the cluster with the blocks that are best at a centre; return its mass."""
    density = np.empty(len(duals))
    for b in range(len(duals)):
        gain = (duals[b] - soft_change(model, inside, b)) / model.instance.mass[b]
        density[b] = squared_distance(model.instance.points, b, center) - gain
    inside[:] = False
    load[:] = 0.0
    order = np.argsort(density)
    return gather(model, density, order, lower, upper, inside, load, 0.0)[0]


@njit(cache=True)
def _improve(
    model: Model,
    duals: FloatArray,
    lower: float,
    upper: float,
    inside: np.ndarray,
    load: FloatArray,
    mean: FloatArray,
    reached: float,
) -> float:
    """Add, drop and swap blocks while that lowers the reduced cost, which is returned."""
    s = len(duals)
    out = np.zeros(s, dtype=np.bool_)
    load[:] = 0.0
    for b in range(s):
        if inside[b]:
            join(model.instance, out, load, b)
    for _ in range(_MOST_SWEEPS):
        before = reached
        for b in range(s):
            value, mass = reduced_cost(model, duals, inside, mean)
            gain, partner = _best_move(model, duals, lower, upper, inside, load, mean, mass, b)
            if gain >= -_LEAST_GAIN * (1.0 + abs(value)):
                continue
            _move(model, inside, load, b)
            if partner >= 0:
                _move(model, inside, load, partner)
        reached, _ = reduced_cost(model, duals, inside, mean)
        if not reached < before - _LEAST_GAIN * (1.0 + abs(reached)):
            break
    return reached


@njit(cache=True)
def _move(model: Model, inside: np.ndarray, load: FloatArray, b: int) -> None:
    if inside[b]:
        leave(model.instance, inside, load, b)
    else:
        join(model.instance, inside, load, b)


@njit(cache=True)
def _best_move(
    model: Model,
    duals: FloatArray,
    lower: float,
    upper: float,
    inside: np.ndarray,
    load: FloatArray,
    mean: FloatArray,
    mass: float,
    b: int,
) -> tuple[float, int]:
    """Return the change by moving block b in or out, and the block that goes the other way or -1.

    A swap takes the partner that alone would be best; its change is exact.
    """
    m, points = model.instance.mass[b], model.instance.points
    gap = squared_distance(points, b, mean)
    if inside[b]:
        if mass - m < lower or mass - m <= 0.0:
            return 0.0, -1
        return duals[b] - soft_change(model, inside, b) - m * mass / (mass - m) * gap, -1
    alone = m * mass / (mass + m) * gap + soft_change(model, inside, b) - duals[b]
    if mass + m <= upper and fits(model.instance, inside, load, b):
        return alone, -1
    best, partner = 0.0, -1
    for a in range(len(duals)):
        if not inside[a]:
            continue
        out = model.instance.mass[a]
        left = mass - out
        if left <= 0.0 or left + m < lower or left + m > upper:
            continue
        change = _swap(model, duals, inside, mean, mass, a, b)
        if change < best:
            leave(model.instance, inside, load, a)
            if fits(model.instance, inside, load, b):
                best, partner = change, a
            join(model.instance, inside, load, a)
    return best, partner


@njit(cache=True)
def _swap(
    model: Model,
    duals: FloatArray,
    inside: np.ndarray,
    mean: FloatArray,
    mass: float,
    a: int,
    b: int,
) -> float:
    """Return the change of reduced cost when a leaves and b joins."""
    points, masses = model.instance.points, model.instance.mass
    left = mass - masses[a]
    change = duals[a] - soft_change(model, inside, a)
    change -= masses[a] * mass / left * squared_distance(points, a, mean)
    gap = 0.0
    for j in range(len(mean)):
        kept = (mass * mean[j] - masses[a] * points[a, j]) / left
        gap += (points[b, j] - kept) ** 2
    soft = soft_change(model, inside, b)
    for e in range(model.start[b], model.start[b + 1]):
        if model.other[e] == a:
            soft -= model.weight[e]
    return change + masses[b] * left / (left + masses[b]) * gap + soft - duals[b]
