"""Separator inequalities: every cluster is connected in a graph of neighbours.

If blocks i and j share a connected cluster, a path within it joins them. So it meets every set S of
blocks that separates them, and for one v in S the entries Z_iv, Z_jv and Z_ij are equal:

    Z_ij <= sum over v in S of Z_iv or Z_jv, either for each v.

The cluster holds no block that is apart from i or j; S need only separate them without those. The
same holds within a block whose points are not joined among themselves: Z_ii <= sum of Z_iv.

A block of weight 0 has no row of Z, and so is in no S: a path may lead through it.

For a matrix Z the most violated S of i and j is a vertex cut of least capacity, where v has the
lesser of Z_iv and Z_jv (Ford and Fulkerson 1956, here with shortest augmenting paths).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.compiled import njit
from ccviz.feasibility.regions import connection_of
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.links import graph_of
from ccviz.problem.neighbors import Neighbors
from ccviz.problem.problem import Problem

MOST_SET = 40
"""Most blocks of a separator; those of more say little."""
_OF_ROW = 8  # Separators of a block and later ones that are kept in a round, the deepest ones


@dataclass(frozen=True, eq=False)
class Arcs:
    """A graph as compressed rows."""

    start: IntArray  # (s + 1,)
    other: IntArray  # (a,): The neighbours of each vertex
    back: IntArray  # (a,): The place of the same edge, seen from its other end

    def __post_init__(self) -> None:
        # Read-only in every process: a compiled kernel has one signature then, not one for each.
        for array in (self.start, self.other, self.back):
            freeze(array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        self.__post_init__()


@dataclass(frozen=True, eq=False)
class BlockGraph:
    """Which blocks are neighbours, and which no connected cluster holds together.

    Blocks of weight 0 are among them, the last ones.
    """

    arcs: Arcs
    apart: NDArray[np.bool_]  # (s, s)
    # Of each block with weight whose points are not joined among themselves: its number, the graph
    # in which its pieces are vertices of their own, the first in its place and the others last.
    torn: tuple[tuple[int, Arcs], ...] = ()

    def __post_init__(self) -> None:
        freeze(self.apart)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def block_graph(problem: Problem) -> BlockGraph | None:
    """Return the graph of a problem's blocks; None without neighbours, or with too many blocks."""
    if problem.neighbors is None or (apart := connection_of(problem).apart) is None:
        return None
    blocks = contract(problem)
    pieces = problem.neighbors.pieces(blocks.block_of)
    broken = np.unique(blocks.block_of[pieces > 0])
    broken = broken[broken < blocks.heavy]
    return BlockGraph(
        arcs_of(problem.neighbors, blocks.block_of, blocks.s),
        apart,
        tuple((int(b), _arcs_of_torn(problem.neighbors, blocks, pieces, b)) for b in broken),
    )


def _arcs_of_torn(neighbors: Neighbors, blocks: Blocks, pieces: IntArray, b: int) -> Arcs:
    is_other = (blocks.block_of == b) & (pieces > 0)
    vertex_of = np.where(is_other, blocks.s - 1 + pieces, blocks.block_of)
    return arcs_of(neighbors, vertex_of, int(vertex_of.max(initial=blocks.s - 1)) + 1)


def arcs_of(neighbors: Neighbors, vertex_of: IntArray, size: int) -> Arcs:
    """Return which vertices are neighbours, from (n,) the vertex of each point."""
    ends = vertex_of[neighbors.pairs]
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    graph = graph_of(ends, size)
    graph.sort_indices()
    start, other = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    row = np.repeat(np.arange(size), np.diff(start))
    back = np.lexsort((row, other))  # the edges by their other ends: place of each seen from there
    return Arcs(start, other, back.astype(np.int64))


def separators(
    graph: BlockGraph, Z: FloatArray, mass: FloatArray, least: float
) -> tuple[IntArray, FloatArray]:
    """Return violated separator inequalities.

    `least`: Least violation. Returns `points` (m, 2 + w): i, j and the blocks of S, padded by -1;
    those behind another j count by Z_jv. Returns `depth` (m,): How far each is from Z.
    """
    s = len(mass)
    points = np.full((s * _OF_ROW, 2 + MOST_SET), -1, np.int64)
    depth = np.zeros(len(points))
    arcs = graph.arcs
    count = find_separators(
        Z, mass, arcs.start, arcs.other, arcs.back, graph.apart, least, _OF_ROW, points, depth
    )
    points, depth = points[:count], depth[:count]
    more = [each for b, own in graph.torn for each in _within(graph, Z, mass, b, own, least)]
    if more:
        rows = np.full((len(more), 2 + MOST_SET), -1, np.int64)
        for row, (found, _) in zip(rows, more, strict=True):
            row[: len(found)] = found
        points = np.concatenate([points, rows])
        depth = np.append(depth, [violation for _, violation in more])
    width = max(2, int((points >= 0).sum(axis=1).max(initial=0)))
    return points[:, :width], depth


def _within(
    graph: BlockGraph, Z: FloatArray, mass: FloatArray, b: int, arcs: Arcs, least: float
) -> list[tuple[list[int], float]]:
    """Return violated separators of the pieces of a block, with their depths."""
    s, whole, size = len(Z), len(graph.apart), len(arcs.start) - 1
    # Other pieces of the block are always there, and so never in the cut.
    capacity, is_out = np.full(size, 2.0 * Z[b, b]), np.zeros(size, dtype=bool)
    capacity[:s], is_out[:whole] = Z[b], graph.apart[b]
    found = []
    for piece in range(whole, size):
        reached = np.empty((2, size), dtype=bool)
        flow = vertex_cut(
            b, piece, arcs.start, arcs.other, arcs.back, capacity, is_out, Z[b, b] - least, reached
        )
        chosen = np.flatnonzero(reached[0, :s] & ~reached[1, :s] & ~is_out[:s])
        if flow < Z[b, b] - least and len(chosen) <= MOST_SET:
            square = 1.0 / mass[b] ** 2 + 0.5 * (1.0 / (mass[b] * mass[chosen])).sum()
            violation = Z[b, b] - Z[b, chosen].sum()
            found.append(([b, b, *chosen.tolist()], float(violation / np.sqrt(square))))
    return found


@njit(cache=True)  # pragma: no cover - compiled
def find_separators(  # noqa: C901 - one compiled loop nest
    Z: Any,
    mass: Any,
    start: Any,
    other: Any,
    back: Any,
    apart: Any,
    least: float,
    most: int,
    points: Any,
    depth: Any,
) -> int:
    """Find for each block its deepest violated separators, up to a number; return how many."""
    s, whole = len(Z), len(apart)
    capacity = np.full(whole, 2.0 * Z.max())  # of weight 0: never in the cut
    is_out = np.empty(whole, np.bool_)
    is_near = np.zeros(whole, np.bool_)
    reached = np.empty((2, whole), np.bool_)
    found = 0
    for i in range(s):
        for t in range(start[i], start[i + 1]):
            is_near[other[t]] = True
        first = found
        for j in range(i + 1, s):
            if is_near[j] or apart[i, j] or Z[i, j] <= least:
                continue
            for v in range(whole):
                is_out[v] = apart[i, v] or apart[j, v]
            for v in range(s):
                capacity[v] = min(Z[i, v], Z[j, v])
            limit = Z[i, j] - least
            if vertex_cut(i, j, start, other, back, capacity, is_out, limit, reached) >= limit:
                continue
            violation, square, width, across = Z[i, j], 0.5 / (mass[i] * mass[j]), 2, 0
            for v in range(s):
                if reached[0, v] and not reached[1, v] and not is_out[v]:
                    violation -= capacity[v]
                    end = i if Z[i, v] <= Z[j, v] else j
                    if end == j:
                        across = 1
                    square += 0.5 / (mass[end] * mass[v])
                    width += 1
            if width + across > points.shape[1] or violation <= least:
                continue
            at, value = found, violation / np.sqrt(square)
            if found - first == most:  # in place of the least deep one
                at = first + int(np.argmin(depth[first:found]))
                if depth[at] >= value:
                    continue
            else:
                found += 1
            depth[at] = value
            points[at] = -1
            points[at, 0], points[at, 1] = i, j
            width = 2
            for side in range(1 + across):
                if side == 1:
                    points[at, width] = j
                    width += 1
                for v in range(s):
                    is_across = Z[i, v] > Z[j, v]
                    if not reached[0, v] or reached[1, v] or is_out[v] or is_across != (side == 1):
                        continue
                    points[at, width] = v
                    width += 1
        for t in range(start[i], start[i + 1]):
            is_near[other[t]] = False
    return found


@njit(cache=True)  # pragma: no cover - compiled
def vertex_cut(  # noqa: C901 - one compiled loop nest
    source: int,
    target: int,
    start: Any,
    other: Any,
    back: Any,
    capacity: Any,
    is_out: Any,
    limit: float,
    reached: Any,
) -> float:
    """Return the flow from one vertex to another through vertices of limited capacity.

    It ends where the flow reaches ``limit``. Vertices that ``is_out`` says are not there. In
    ``reached`` (2, v) a vertex is entered, and left, by what the last search reached: those entered
    and not left are the cut.
    """
    size = len(capacity)
    slight = 1e-9 * limit  # of several cuts the one with the fewest vertices
    used = np.zeros(size)
    along = np.zeros(len(other))  # the flow along each arc
    came = np.empty((2, size), np.int64)  # the arc by which each side was reached, -1: its own
    queue = np.empty(2 * size, np.int64)
    total = 0.0
    while total < limit:
        reached[:] = False
        reached[1, source] = True
        queue[0], head, tail = 2 * source + 1, 0, 1
        while head < tail and not reached[0, target]:
            v, side = queue[head] // 2, queue[head] % 2
            head += 1
            for t in range(start[v], start[v + 1]):
                w = other[t]
                # Out of a vertex along any arc; back from its entry where flow comes in.
                if side == 1 and not reached[0, w] and w != source and not is_out[w]:
                    reached[0, w] = True
                    came[0, w] = t
                    queue[tail] = 2 * w
                    tail += 1
                elif side == 0 and along[back[t]] > 0.0 and not reached[1, w] and w != source:
                    reached[1, w] = True
                    came[1, w] = t
                    queue[tail] = 2 * w + 1
                    tail += 1
            free = used[v] < capacity[v] + slight if side == 0 else used[v] > 0.0
            if v != source and free and not reached[1 - side, v]:
                reached[1 - side, v] = True
                came[1 - side, v] = -1
                queue[tail] = 2 * v + 1 - side
                tail += 1
        if not reached[0, target]:
            break
        step = limit - total
        for is_last in (False, True):  # what the path lets through, and then along it
            side, v = 0, target
            while side == 0 or v != source:
                arc = came[side, v]
                if arc < 0:  # through the vertex, or back
                    if is_last:
                        used[v] += step if side == 1 else -step
                    else:
                        step = min(step, capacity[v] + slight - used[v] if side == 1 else used[v])
                    side = 1 - side
                else:  # along the arc, or back along its other side
                    if is_last and side == 0:
                        along[arc] += step
                    elif is_last:
                        along[back[arc]] -= step
                    elif side == 1:
                        step = min(step, along[back[arc]])
                    side, v = 1 - side, other[back[arc]]
        total += step
    return total
