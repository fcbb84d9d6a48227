"""Cutting planes: pair (8), triangle (9) and clique (10) inequalities of Piccialli et al. 2022.

Pairs and triangles are the smallest 2-partition inequalities (Groetschel and Wakabayashi 1990).
With a centre i and members T,

    Z_ii - sum over T of Z_ij + sum over pairs in T of Z_jh >= 0.

If t members share the cluster C of i, the left side is at least (t - 1)(t - 2) / (2 |C|). One
member makes a pair, two a triangle; three to five make stronger cuts than the paper's.

A limit on a sum over each cluster is linear in each row of Z, see `row_limits`; so is that each
cluster is connected, see `separators`.

Over any k + 1 blocks the sum of Z_ij is at least 1 / (n - k + 1): two of them share a cluster, of
at most n - k + 1 points, or as many as the sizes allow. With weights n is the weight of all points,
less the k - 1 lightest blocks, 1 each at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.kernels import (
    CLIQUE,
    MOST_MEMBERS,
    ROW,
    SEPARATOR,
    TWO_PARTITION,
    Rows,
)
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.separators import separators


@dataclass(frozen=True, eq=False)
class Cuts:
    """A set of cuts."""

    # (m, w): The blocks of each cut, padded by -1; the centre of a 2-partition inequality first,
    # and of a row nothing else; of a separator i, j and S, see `sides_of`.
    points: IntArray
    # (m,): ``SEPARATOR``, ``TWO_PARTITION``, ``CLIQUE``, or ``ROW`` and the place of a limit
    kind: np.ndarray

    def __len__(self) -> int:
        return len(self.kind)

    def where(self, mask: np.ndarray) -> Cuts:
        """Return some of the cuts."""
        return Cuts(self.points[mask], self.kind[mask])

    def joined(self, more: Cuts) -> Cuts:
        """Return these cuts and then others."""
        width = max(self.points.shape[1], more.points.shape[1])
        points = [
            np.pad(each.points, ((0, 0), (0, width - each.points.shape[1])), constant_values=-1)
            for each in (self, more)
        ]
        return Cuts(np.concatenate(points), np.concatenate([self.kind, more.kind]))

    def merged(self, block_of: IntArray) -> tuple[Cuts, np.ndarray]:
        """Return the cuts over blocks that are unions of these, and which (m,) keep their form.

        ``block_of`` (s,) is the union of each block. Cuts with two blocks of one union go; of a
        separator S has each union once, and it goes if S has that of i or j.
        """
        points = np.where(self.points < 0, -1, block_of[self.points])
        ordered = np.sort(points, axis=1)
        proper = ~((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
        of_pair = self.kind == SEPARATOR
        across, divides = sides_of(self.points[of_pair])
        own = np.where(divides, -1, points[of_pair])
        across &= own[:, :1] != own[:, 1:2]  # which may be one block
        proper[of_pair] = ~(own[:, 2:, None] == own[:, None, :2]).any(axis=(1, 2))
        points[of_pair, 2:] = _each_once(own[:, 2:], across[:, 2:], own[:, 1:2])
        return Cuts(points, self.kind).where(proper), proper

    def counts(self) -> dict[str, int]:
        """Return the numbers of pair, triangle, wider 2-partition and clique inequalities."""
        members = (self.points >= 0).sum(axis=1) - 1
        two_partition = self.kind == TWO_PARTITION  # the centre of a row has no members
        return {
            "pair": int((two_partition & (members == 1)).sum()),
            "triangle": int((two_partition & (members == 2)).sum()),
            "wider": int((two_partition & (members > 2)).sum()),
            "clique": int((self.kind == CLIQUE).sum()),
            "rows": int((self.kind >= ROW).sum()),
            "separators": int((self.kind == SEPARATOR).sum()),
        }

    def keys(self) -> np.ndarray:
        """(m,) a number for each cut, equal for equal cuts."""
        mixed = (self.points + 1).astype(np.uint64) @ _MIXER[: self.points.shape[1]]
        return mixed + self.kind.astype(np.uint64)


def sides_of(points: IntArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where separators have entries of the row of j and not of i, and the j before those."""
    divides = (points == points[:, 1:2]) & (points[:, :1] != points[:, 1:2])
    divides[:, :2] = False
    return divides.cumsum(axis=1) > 0, divides


_OF_I, _IS_J, _OF_J, _NOWHERE = range(4)  # parts of a separator, in their order


def _each_once(sets: IntArray, across: NDArray[np.bool_], j: IntArray) -> IntArray:
    """Return sets with each block once: those of the row of i, j, and those of the row of j."""
    part = np.where(sets < 0, _NOWHERE, np.where(across, _OF_J, _OF_I))
    blocks, part = _sorted_rows(sets, part, (part, sets))
    part[:, 1:][blocks[:, 1:] == blocks[:, :-1]] = _NOWHERE
    divider = np.where((part == _OF_J).any(axis=1), _IS_J, _NOWHERE)
    blocks, part = np.column_stack([blocks, j]), np.column_stack([part, divider])
    blocks, part = _sorted_rows(blocks, part, (blocks, part))
    return np.where(part < _NOWHERE, blocks, -1)[:, : sets.shape[1]]


def _sorted_rows(
    blocks: IntArray, part: IntArray, keys: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray]:
    """Return both tables with each row in the order of keys, the last one first."""
    order = np.lexsort(keys)
    return np.take_along_axis(blocks, order, 1), np.take_along_axis(part, order, 1)


_MIXER = np.random.default_rng(5).integers(1 << 32, 1 << 63, size=4096, dtype=np.uint64)


def no_cuts(k: int) -> Cuts:
    """Return an empty set."""
    return Cuts(np.empty((0, _width(k)), np.int64), np.empty(0, np.int8))


def _width(k: int) -> int:
    return max(1 + MOST_MEMBERS, k + 1)


def clique_side(relaxation: Relaxation) -> float:
    """Return the right side of the clique inequalities in terms of Z."""
    largest = relaxation.heaviest
    if relaxation.limits is not None:
        largest = min(largest, float(relaxation.limits.most.max()))
    return 1.0 / largest


def rows_of(cuts: Cuts, relaxation: Relaxation) -> Rows:
    """Return the rows of cuts over a relaxation's blocks."""
    side = clique_side(relaxation)
    root_mass = np.sqrt(relaxation.mass)
    return kernels.cut_rows(cuts.points, cuts.kind, root_mass, side, *relaxation.row_sums)


def separate(
    relaxation: Relaxation,
    Y: FloatArray,
    known: Cuts,
    most: int,
    tolerance: float,
    first_members: int | None = None,
    most_members: int = MOST_MEMBERS,
) -> Cuts:
    """Return violated cuts that are not yet known, deepest first.

    `Y` (s, s): The point to be cut off, without negative entries. `tolerance`: Least violation,
    relative to the mean of Z's diagonal. `first_members`: Blocks tried as the first member for a
    centre, its nearest ones; all of them if None. `most_members`: Largest number of members of a
    2-partition inequality; two make the paper's triangles.
    """
    if most == 0:
        return no_cuts(relaxation.k)
    Z = relaxation.to_z(Y)
    least = tolerance * float(np.diag(Z).mean())
    two_partitions, depth = _two_partitions(
        relaxation, Z, least, first_members or relaxation.s, most_members
    )
    cliques, clique_depth = _cliques(relaxation, Z, least)
    rows, row_depth = _rows(relaxation, Z, least)
    paths, path_depth = _separators(relaxation, Z, least)
    found = two_partitions.joined(cliques).joined(rows).joined(paths)
    order = np.argsort(-np.concatenate([depth, clique_depth, row_depth, path_depth]), kind="stable")
    found = found.where(order)
    keys = found.keys()
    fresh = np.zeros(len(found), dtype=bool)
    fresh[np.unique(keys, return_index=True)[1]] = True
    fresh &= ~np.isin(keys, known.keys(), kind="sort")  # NumPy 2.0 has no table of such keys
    return found.where(np.flatnonzero(fresh)[:most])


def _two_partitions(
    relaxation: Relaxation, Z: FloatArray, least: float, first_members: int, most_members: int
) -> tuple[Cuts, FloatArray]:
    points = np.full((relaxation.s**2, _width(relaxation.k)), -1, np.int64)
    depth = np.empty(len(points))
    found = kernels.separate_two_partitions(
        Z, relaxation.mass, least, first_members, most_members, points, depth
    )
    return Cuts(points[:found], np.full(found, TWO_PARTITION, np.int8)), depth[:found]


def _rows(relaxation: Relaxation, Z: FloatArray, least: float) -> tuple[Cuts, FloatArray]:
    """Return the limits on sums that rows break."""
    values, own = relaxation.row_sums
    if not len(own):
        return no_cuts(relaxation.k), np.empty(0)
    below = -(values @ Z + own[:, None] * np.diagonal(Z))  # (r, s)
    scale = np.maximum(np.abs(values).max(axis=1), np.abs(own))[:, None]
    rule, center = np.nonzero(below > least * np.where(scale > 0.0, scale, 1.0))
    points = np.full((len(rule), _width(relaxation.k)), -1, np.int64)
    points[:, 0] = center
    found = Cuts(points, (ROW + rule).astype(np.int8))
    return found, below[rule, center] / rows_of(found, relaxation).norm


def _separators(relaxation: Relaxation, Z: FloatArray, least: float) -> tuple[Cuts, FloatArray]:
    if relaxation.graph is None:
        return no_cuts(relaxation.k), np.empty(0)
    points, depth = separators(relaxation.graph, Z, relaxation.mass, least)
    return Cuts(points, np.full(len(points), SEPARATOR, np.int8)), depth


def _cliques(relaxation: Relaxation, Z: FloatArray, least: float) -> tuple[Cuts, FloatArray]:
    size = relaxation.k + 1
    if size > relaxation.s:
        return no_cuts(relaxation.k), np.empty(0)
    points = np.full((relaxation.s, _width(relaxation.k)), -1, np.int64)
    depth = np.empty(relaxation.s)
    side = clique_side(relaxation)
    root_mass = np.sqrt(relaxation.mass)
    found = kernels.separate_cliques(Z, root_mass, size, side, least, points, depth)
    return Cuts(points[:found], np.full(found, CLIQUE, np.int8)), depth[:found]
