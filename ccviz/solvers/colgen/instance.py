"""What pricing works on: the blocks of a node as plain arrays that compiled code can read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.links import graph_of
from ccviz.problem.rules import Load

ON_BORDER = 1e-9  # of the squared radius: on the border is inside and outside


class Instance(NamedTuple):
    """Blocks, conflicts and loads of a node.

    Attributes
    ----------
    points : (s, d) float64
        Centroids in principal axes about the mean, the axis of largest spread first, so that
        boxes can be split where it matters.
    mass : (s,) float64
        Points in each block.
    conflict_start : (s + 1,) int64
    conflict : (2c,) int64
        Blocks that block b excludes: ``conflict[conflict_start[b]:conflict_start[b + 1]]``.
    limit : (q,) float64
        Most that each load may weigh in one cluster.
    weight : (q, s) float64
        What each block weighs by itself.
    pair_start : (q, s + 1) int64
    pair_other : (p,) int64
    pair_weight : (p,) float64
        What two blocks weigh together, on top: neighbours of b under load a from
        ``pair_start[a, b]`` to ``pair_start[a, b + 1]``.
    place : (r, d) float64
        Centres of the discs of `ccviz.solvers.colgen.places`,
    place_reach : (r,) float64
        their squared radii,
    taken : int
        and how many of them are taken: these come first. The others are empty.
    away : (s,) float64
        Squared distance that no centre is nearer to a block than, for an empty place is around it.
    """

    points: FloatArray
    mass: FloatArray
    conflict_start: IntArray
    conflict: IntArray
    limit: FloatArray
    weight: FloatArray
    pair_start: IntArray
    pair_other: IntArray
    pair_weight: FloatArray
    place: FloatArray
    place_reach: FloatArray
    taken: int
    away: FloatArray


class Discs(NamedTuple):
    """Places as they are in the points' own axes: those that are taken, and the empty ones.

    Attributes
    ----------
    center : (r, d) float64
    border : (r, d) float64
        A point on it.
    taken : int
        So many of them, the first.
    """

    center: FloatArray
    border: FloatArray
    taken: int


def make_instance(
    blocks: Blocks, loads: tuple[Load, ...] = (), discs: Discs | None = None
) -> Instance:
    """Return the arrays of a node, under one conjunction of loads."""
    discs = discs or Discs(blocks.centroid[:0], blocks.centroid[:0], 0)
    turn = principal_axes(blocks.centroid, blocks.mass)
    kept = [load for load in loads if not (load.is_conflict and _all_between(blocks, load))]
    extra = [_block_pairs(blocks, load) for load in loads if load.is_conflict]
    pairs = np.unique(np.concatenate([blocks.conflicts, *extra]), axis=0)
    graph = graph_of(pairs, blocks.s)
    graph.sort_indices()
    points, place = turn.of(blocks.centroid), turn.of(discs.center)
    reach = ((discs.border - discs.center).astype(np.float64) ** 2).sum(axis=1)
    return Instance(
        points,
        np.ascontiguousarray(blocks.mass, dtype=np.float64),
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int64),
        *_loads(blocks, kept),
        place,
        reach,
        discs.taken,
        _away(points, place[discs.taken :], reach[discs.taken :]),
    )


def _away(points: FloatArray, place: FloatArray, reach: FloatArray) -> FloatArray:
    """Return how near a centre may be to each point (s, d), squared, with these places empty."""
    away = np.zeros(len(points))
    for center, square in zip(place, reach, strict=True):
        gaps = np.sqrt(((points - center) ** 2).sum(axis=1))
        out = np.sqrt(square) * (1.0 - ON_BORDER) - gaps
        away = np.maximum(away, np.maximum(out, 0.0) ** 2)
    return away


def with_place(instance: Instance, center: FloatArray, border: FloatArray, side: bool) -> Instance:
    """Return the instance with one place more, the last of those that are taken, or empty.

    Parameters
    ----------
    instance : Instance
    center, border : (d,) float64
        In its axes.
    side : bool
        Whether it is taken.
    """
    at = instance.taken if side else len(instance.place)
    reach = ((border - center) ** 2).sum()
    away = instance.away
    if not side:
        away = np.maximum(away, _away(instance.points, center[None], reach[None]))
    return instance._replace(
        place=np.insert(instance.place, at, center, axis=0),
        place_reach=np.insert(instance.place_reach, at, reach),
        taken=instance.taken + side,
        away=away,
    )


class Turn(NamedTuple):
    """A move to principal axes: (d,) where they begin, and (q, d) where they point."""

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


def _all_between(blocks: Blocks, load: Load) -> bool:
    """Whether no block breaks the load by itself: then conflicts say it all."""
    return bool((blocks.block_of[load.pairs[:, 0]] != blocks.block_of[load.pairs[:, 1]]).all())


def _block_pairs(blocks: Blocks, load: Load) -> IntArray:
    ends = np.sort(blocks.block_of[load.pairs], axis=1).reshape(-1, 2)
    return ends[ends[:, 0] != ends[:, 1]]


def _loads(
    blocks: Blocks, loads: list[Load]
) -> tuple[FloatArray, FloatArray, IntArray, IntArray, FloatArray]:
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
    return limit, weight, start, np.concatenate(other), np.concatenate(together)
