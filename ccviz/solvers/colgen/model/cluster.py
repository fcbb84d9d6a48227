"""Compiled: a cluster under construction, the blocks that may join, its reduced cost."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.model.instance import Instance


@njit(cache=True, entry=False)
def fits(instance: Instance, inside: np.ndarray, load: FloatArray, b: int) -> bool:
    """Whether block b may join the cluster ``inside`` (s,) bool, whose loads are ``load`` (q,)."""
    for e in range(instance.conflict_start[b], instance.conflict_start[b + 1]):
        if inside[instance.conflict[e]]:
            return False
    for a in range(len(instance.loads.limit)):
        if load[a] + added_load(instance, inside, a, b) > instance.loads.limit[a]:
            return False
    return True


@njit(cache=True, entry=False)
def added_load(instance: Instance, inside: np.ndarray, a: int, b: int) -> float:
    """Return the increase of load a when block b joins."""
    more = instance.loads.weight[a, b]
    for e in range(instance.loads.pair_start[a, b], instance.loads.pair_start[a, b + 1]):
        if inside[instance.loads.pair_other[e]]:
            more += instance.loads.pair_weight[e]
    return more


@njit(cache=True, entry=False)
def join(instance: Instance, inside: np.ndarray, load: FloatArray, b: int) -> None:
    """Put block b into the cluster."""
    for a in range(len(instance.loads.limit)):
        load[a] += added_load(instance, inside, a, b)
    inside[b] = True


@njit(cache=True, entry=False)
def leave(instance: Instance, inside: np.ndarray, load: FloatArray, b: int) -> None:
    """Take block b out of the cluster."""
    inside[b] = False
    for a in range(len(instance.loads.limit)):
        load[a] -= added_load(instance, inside, a, b)


@njit(cache=True)
def allowed(instance: Instance, column: np.ndarray) -> bool:
    """Whether the cluster ``column`` (s,) bool keeps all conflicts and loads."""
    inside = np.zeros(len(column), dtype=np.bool_)
    load = np.zeros(len(instance.loads.limit))
    for b in range(len(column)):
        if column[b]:
            if not fits(instance, inside, load, b):
                return False
            join(instance, inside, load, b)
    return True


@njit(cache=True, entry=False)
def reduced_cost(
    instance: Instance, duals: FloatArray, inside: np.ndarray, mean: FloatArray, among: IntArray
) -> float:
    """Return the reduced cost of a cluster, its cost less its duals, all ``among`` these blocks.

    ``mean`` (d,) is overwritten by its mean.
    """
    d = instance.points.shape[1]
    mass = 0.0
    mean[:] = 0.0
    for b in among:
        if inside[b]:
            mass += instance.mass[b]
            for j in range(d):
                mean[j] += instance.mass[b] * instance.points[b, j]
    if mass == 0.0:
        return 0.0
    for j in range(d):
        mean[j] /= mass
    total = 0.0
    for b in among:
        if inside[b]:
            total += instance.mass[b] * squared_distance(instance.points, b, mean) - duals[b]
    return total


@njit(cache=True, entry=False)
def squared_distance(points: FloatArray, b: int, center: FloatArray) -> float:
    """Return the squared distance of block b to a centre (d,)."""
    total = 0.0
    for j in range(points.shape[1]):
        gap = points[b, j] - center[j]
        total += gap * gap
    return total


@njit(cache=True, entry=False)
def signature(inside: np.ndarray, among: IntArray) -> int:
    """Return a hash of a cluster whose blocks are visited in this order."""
    mixed = 1469598103934665603
    for b in among:
        if inside[b]:
            step = (b + 1) * 2654435761
            step ^= step >> 13
            # Cut to a machine's word: uncompiled, integers are unlimited.
            mixed = (mixed + step * step * 40503 + step) & 0x7FFFFFFFFFFFFFFF
    return mixed


@njit(cache=True, entry=False)
def keep(
    inside: np.ndarray,
    reached: float,
    columns: np.ndarray,
    reduced_costs: FloatArray,
    signatures: IntArray,
    found: int,
) -> int:
    """Store a cluster and its reduced cost unless it is there; the last slot holds the newest.

    Returns the number stored.
    """
    mark = signature(inside, np.arange(len(inside)))
    for t in range(found):
        if signatures[t] == mark:
            return found
    t = min(found, len(reduced_costs) - 1)
    for b in range(len(inside)):
        columns[t, b] = inside[b]
    reduced_costs[t] = reached
    signatures[t] = mark
    return t + 1
