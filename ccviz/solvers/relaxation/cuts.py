"""Cutting planes: pair (8), triangle (9) and clique (10) inequalities of Piccialli et al. 2022.

Pairs and triangles are the smallest 2-partition inequalities (Groetschel and Wakabayashi 1990).
With a centre i and members T,

    Z_ii - sum over T of Z_ij + sum over pairs in T of Z_jh >= 0.

If t members share the cluster C of i, the left side is at least (t - 1)(t - 2) / (2 |C|). One
member makes a pair, two a triangle; three to five make stronger cuts than the paper's.

Over any k + 1 blocks the sum of Z_ij is at least 1 / (n - k + 1): two of them share a cluster, of
at most n - k + 1 points, or as many as the sizes allow. With weights n is the weight of all points,
less the k - 1 lightest blocks, 1 each at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.kernels import CLIQUE, MOST_MEMBERS, TWO_PARTITION
from ccviz.solvers.relaxation.model import Relaxation


@dataclass(frozen=True, eq=False)
class Cuts:
    """A set of cuts.

    Attributes
    ----------
    points : (m, w) int64
        The blocks of each cut, padded by -1; the centre of a 2-partition inequality first.
    kind : (m,) int8
        ``TWO_PARTITION`` or ``CLIQUE``.
    """

    points: IntArray
    kind: np.ndarray

    def __len__(self) -> int:
        return len(self.kind)

    def where(self, mask: np.ndarray) -> Cuts:
        """Return some of the cuts."""
        return Cuts(self.points[mask], self.kind[mask])

    def joined(self, more: Cuts) -> Cuts:
        """Return these cuts and then others."""
        return Cuts(
            np.concatenate([self.points, more.points]), np.concatenate([self.kind, more.kind])
        )

    def merged(self, block_of: IntArray) -> tuple[Cuts, np.ndarray]:
        """Return the cuts over blocks that are unions of these, and which (m,) keep their form.

        ``block_of`` (s,) is the union of each block. Cuts with two blocks of one union go.
        """
        points = np.where(self.points < 0, -1, block_of[self.points])
        ordered = np.sort(points, axis=1)
        proper = ~((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
        return Cuts(points, self.kind).where(proper), proper

    def counts(self) -> dict[str, int]:
        """Return the numbers of pair, triangle, wider 2-partition and clique inequalities."""
        members = (self.points >= 0).sum(axis=1) - 1
        two_partition = self.kind == TWO_PARTITION
        return {
            "pair": int((two_partition & (members == 1)).sum()),
            "triangle": int((two_partition & (members == 2)).sum()),
            "wider": int((two_partition & (members > 2)).sum()),
            "clique": int((~two_partition).sum()),
        }

    def keys(self) -> np.ndarray:
        """(m,) a number for each cut, equal for equal cuts."""
        mixed = self.points.astype(np.uint64) @ _MIXER[: self.points.shape[1]]
        return mixed + self.kind.astype(np.uint64)


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


@dataclass(frozen=True, eq=False)
class Rows:
    """Cuts as rows of Frobenius norm 1 over the entries of Y, as the kernels read them."""

    start: IntArray
    position: IntArray
    mirror: IntArray
    value: FloatArray
    side: FloatArray
    norm: FloatArray

    @property
    def entries(self) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """Where each row starts, its positions, their mirror images, its values."""
        return self.start, self.position, self.mirror, self.value


def rows_of(cuts: Cuts, relaxation: Relaxation) -> Rows:
    """Return the rows of cuts over a relaxation's blocks."""
    side = clique_side(relaxation)
    return Rows(*kernels.cut_rows(cuts.points, cuts.kind, np.sqrt(relaxation.mass), side))


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

    Parameters
    ----------
    relaxation : Relaxation
    Y : (s, s) float64
        The point to be cut off, without negative entries.
    known : Cuts
    most : int
        Largest number of cuts returned.
    tolerance : float
        Least violation, relative to the mean of Z's diagonal.
    first_members : int, optional
        Blocks tried as the first member for a centre, its nearest ones; all of them if None.
    most_members : int
        Largest number of members of a 2-partition inequality; two make the paper's triangles.
    """
    if most == 0:
        return no_cuts(relaxation.k)
    Z = relaxation.to_z(Y)
    least = tolerance * float(np.diag(Z).mean())
    two_partitions, depth = _two_partitions(
        relaxation, Z, least, first_members or relaxation.s, most_members
    )
    cliques, clique_depth = _cliques(relaxation, Z, least)
    found = two_partitions.joined(cliques)
    order = np.argsort(-np.concatenate([depth, clique_depth]), kind="stable")
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
