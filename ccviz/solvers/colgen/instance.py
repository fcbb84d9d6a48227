"""The blocks of a node as plain arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.problem.links import graph_of
from ccviz.problem.rule_base import Load

ON_BORDER = 1e-9
"""Width of a disc's border, as a share of its squared radius: there a centre is in and out."""


class Loads(NamedTuple):
    """Limits of what blocks may weigh together in one cluster."""

    limit: FloatArray  # (q,): The largest weight of each load in one cluster
    weight: FloatArray  # (q, s): Weight of each block by itself
    pair_start: IntArray
    pair_other: IntArray
    # (p,): Weight that two blocks add when together: the other blocks of b under load a are
    # ``pair_other[pair_start[a, b]:pair_start[a, b + 1]]``.
    pair_weight: FloatArray


class DiscArrays(NamedTuple):
    """Discs of `ccviz.solvers.colgen.discs`, in the axes of an instance."""

    center: FloatArray
    reach: FloatArray  # (r,): Squared radii
    occupied: int  # How many are occupied: they come first. The others are empty.


class Instance(NamedTuple):
    """Blocks, conflicts, loads and discs of a node.

    Every array is made with one data type, one layout and writable, so that each kernel compiles
    once.
    """

    # (s, d): Centroids in principal axes about the mean, the axis of largest spread first, so that
    # boxes can be split where it matters.
    points: FloatArray
    mass: FloatArray
    conflict_start: IntArray
    # (2c,): Blocks that block b excludes: ``conflict[conflict_start[b]:conflict_start[b + 1]]``.
    conflict: IntArray
    loads: Loads
    discs: DiscArrays
    # (s,): Least squared distance of a block to any centre, which empty discs around it enforce.
    away: FloatArray

    @property
    def occupied(self) -> int:
        """How many discs are occupied; kernels read it from the discs."""
        return self.discs.occupied


class Discs(NamedTuple):
    """Discs in the points' own axes: the occupied ones and then the empty ones."""

    center: FloatArray
    border: FloatArray
    occupied: int


def make_instance(
    blocks: Blocks, loads: tuple[Load, ...] = (), discs: Discs | None = None
) -> Instance:
    """Return the arrays of a node, under one conjunction of loads."""
    discs = discs or Discs(blocks.centroid[:0], blocks.centroid[:0], 0)
    turn = principal_axes(blocks.centroid, blocks.mass)
    kept, excluded = [], [blocks.conflicts]
    for load in loads:
        ends = np.sort(blocks.block_of[load.pairs].reshape(-1, 2), axis=1)
        is_between = ends[:, 0] != ends[:, 1]
        if load.is_conflict:
            excluded.append(ends[is_between])
        if not (load.is_conflict and is_between.all()):  # a block may break it by itself
            kept.append(load)
    pairs = np.unique(np.concatenate(excluded), axis=0)
    graph = graph_of(pairs, blocks.s)
    graph.sort_indices()
    points, center = turn.of(blocks.centroid), turn.of(discs.center)
    reach = ((discs.border - discs.center).astype(np.float64) ** 2).sum(axis=1)
    return _plain(
        Instance(
            points,
            blocks.mass,
            graph.indptr,
            graph.indices,
            _loads(blocks, kept),
            DiscArrays(center, reach, discs.occupied),
            _away(points, center[discs.occupied :], reach[discs.occupied :]),
        )
    )


def _plain(instance: Instance) -> Instance:
    """Return the instance with arrays of one type: float64 or int64, in C order, writable."""
    loads = instance.loads
    return Instance(
        _array(instance.points, np.float64),
        _array(instance.mass, np.float64),
        _array(instance.conflict_start, np.int64),
        _array(instance.conflict, np.int64),
        Loads(
            _array(loads.limit, np.float64),
            _array(loads.weight, np.float64),
            _array(loads.pair_start, np.int64),
            _array(loads.pair_other, np.int64),
            _array(loads.pair_weight, np.float64),
        ),
        DiscArrays(
            _array(instance.discs.center, np.float64),
            _array(instance.discs.reach, np.float64),
            int(instance.discs.occupied),
        ),
        _array(instance.away, np.float64),
    )


def _array(values: Any, kind: DTypeLike) -> Any:
    return np.require(values, kind, ["C", "A", "W", "O"])


def _away(points: FloatArray, center: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the least squared distance of each point (s, d) to any centre, these discs empty."""
    away = np.zeros(len(points))
    for middle, square in zip(center, reach, strict=True):
        gaps = np.sqrt(((points - middle) ** 2).sum(axis=1))
        out = np.sqrt(square) * (1.0 - ON_BORDER) - gaps
        away = np.maximum(away, np.maximum(out, 0.0) ** 2)
    return away


def with_disc(instance: Instance, center: FloatArray, border: FloatArray, side: bool) -> Instance:
    """Return the instance with one disc more, the last of the occupied or of the empty ones.

    `center`, `border` (d,): In its axes.
    """
    discs = instance.discs
    at = discs.occupied if side else len(discs.center)
    reach = ((border - center) ** 2).sum()
    away = instance.away
    if not side:
        away = np.maximum(away, _away(instance.points, center[None], reach[None]))
    more = DiscArrays(
        np.insert(discs.center, at, center, axis=0),
        np.insert(discs.reach, at, reach),
        discs.occupied + side,
    )
    return _plain(instance._replace(discs=more, away=away))


def part_of(instance: Instance, rows: IntArray) -> Instance:
    """Return some blocks as an instance, of one without conflicts and loads; the discs stay."""
    z, nothing, none = len(rows), np.zeros(0), np.zeros(0, dtype=np.int64)
    start = np.zeros((0, z + 1), dtype=np.int64)
    loads = Loads(nothing, np.zeros((0, z)), start, none, nothing)
    return _plain(
        instance._replace(
            points=instance.points[rows],
            mass=instance.mass[rows],
            conflict_start=np.zeros(z + 1, dtype=np.int64),
            conflict=none,
            loads=loads,
            away=instance.away[rows],
        )
    )


class Turn(NamedTuple):
    """A move to principal axes: their origin (d,) and their directions (q, d)."""

    origin: FloatArray
    axes: FloatArray

    def of(self, points: FloatArray) -> FloatArray:
        """Return points in these axes; distances stay."""
        return np.ascontiguousarray((points - self.origin) @ self.axes.T)


def principal_axes(centroid: FloatArray, mass: FloatArray) -> Turn:
    """Return the principal axes of centroids with masses."""
    origin = mass @ centroid / mass.sum()
    weighted = (centroid - origin) * np.sqrt(mass)[:, None]
    # At most as many axes as blocks matter: of a hundred features and ten blocks, ten.
    _, _, axes = np.linalg.svd(weighted, full_matrices=False)
    return Turn(origin, axes)


def _loads(blocks: Blocks, loads: list[Load]) -> Loads:
    weight = np.zeros((len(loads), blocks.s))
    start = np.zeros((len(loads), blocks.s + 1), dtype=np.int64)
    other: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    together: list[FloatArray] = [np.zeros(0)]
    for a, load in enumerate(loads):
        np.add.at(weight[a], blocks.block_of, load.weight)
        ends = blocks.block_of[load.pairs].reshape(-1, 2)
        inside = ends[:, 0] == ends[:, 1]
        np.add.at(weight[a], ends[inside, 0], 1.0)
        between, count = np.unique(np.sort(ends[~inside], axis=1), axis=0, return_counts=True)
        graph = graph_of(between.reshape(-1, 2), blocks.s)
        graph.sort_indices()
        tally = {(int(i), int(j)): float(c) for (i, j), c in zip(between, count, strict=True)}
        rows = np.repeat(np.arange(blocks.s), np.diff(graph.indptr))
        start[a] = graph.indptr + sum(map(len, other))
        other.append(graph.indices.astype(np.int64))
        together.append(
            np.array(
                [tally[min(i, j), max(i, j)] for i, j in zip(rows, graph.indices, strict=True)],
                dtype=np.float64,
            )
        )
    limit = np.array([load.limit for load in loads], dtype=np.float64)
    return Loads(limit, weight, start, np.concatenate(other), np.concatenate(together))


# --- Compiled: a cluster under construction, the blocks that may join, its reduced cost -----------


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
