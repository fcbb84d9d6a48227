"""A part as a small clustering problem of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.links import Links
from ccviz.solvers.common.clusters import cluster_means
from ccviz.solvers.divide.partition import SHARED, Anticlustering

_LEFT_OUT = -2
"""Group of the blocks of parts that are not taken."""
_NO_LINKS = Links(np.empty((0, 2), np.int64), np.empty(0))


@dataclass(frozen=True, eq=False)
class Part:
    """The blocks of a part, with masses that are whole numbers where points have no weights.

    Attributes
    ----------
    numbers : tuple of int
        The parts of the anticlustering that it is made of.
    own : int
        Number of blocks before the shared ones.
    blocks : Blocks
        Each block as one weighted point: the scatter inside blocks is left out.
    labels : (s,) int64
        The whole's clustering of them, every cluster with a block.
    scale : float
        Factor of the masses, by which shares of a mass are whole numbers.
    """

    numbers: tuple[int, ...]
    own: int
    blocks: Blocks
    labels: IntArray
    scale: float

    @cached_property
    def piece(self) -> float:
        """Cost of the whole's clustering in the part, in its share of mass."""
        return cost(self.blocks, self.labels) / self.scale


def take_parts(
    blocks: Blocks,
    found: Anticlustering,
    labels: IntArray,
    groups: Sequence[tuple[int, ...]] | None = None,
) -> list[Part]:
    """Return the parts of an anticlustering, or some of them merged.

    Parameters
    ----------
    blocks : Blocks
    found : Anticlustering
    labels : (s,) int64
        A clustering of the blocks.
    groups : sequence of tuple of int, optional
        Parts to merge; no part is in two groups.
    """
    if groups is None:
        groups = [(number,) for number in range(found.parts)]
    place = np.full(found.parts + 1, _LEFT_OUT)
    place[SHARED] = SHARED
    for at, group in enumerate(groups):
        place[list(group)] = at
    group_of = place[found.part_of]
    shared = np.flatnonzero(group_of == SHARED)
    taken = np.flatnonzero(group_of >= 0)
    order = taken[np.argsort(group_of[taken], kind="stable")]
    own = np.split(order, np.cumsum(np.bincount(group_of[order], minlength=len(groups)))[:-1])
    conflicts = _by_group(blocks, group_of, len(groups))
    scale = float(found.parts) if len(shared) else 1.0
    parts = []
    for at, group in enumerate(groups):
        index = np.concatenate([own[at], shared])
        mass = blocks.mass[index]
        mass[: len(own[at])] *= scale
        mass[len(own[at]) :] *= len(group)  # a share for each part
        inside = np.concatenate([conflicts[at], conflicts[SHARED]])
        part = _as_blocks(blocks, index, mass, inside)
        parts.append(Part(group, len(own[at]), part, filled(part, labels[index]), scale))
    return parts


def dropped(blocks: Blocks, found: Anticlustering) -> int:
    """Return the number of conflicts between two parts, which are dropped."""
    ends = found.part_of[blocks.conflicts]
    return int(((ends != SHARED).all(axis=1) & (ends[:, 0] != ends[:, 1])).sum())


def _by_group(blocks: Blocks, group_of: IntArray, groups: int) -> list[IntArray]:
    """Return the conflicts within each group of parts, and last those between shared blocks."""
    ends = group_of[blocks.conflicts]
    part = ends.max(axis=1)
    kept = (ends == part[:, None]) | (ends == SHARED)
    kept = kept.all(axis=1) & (part > _LEFT_OUT)
    order = np.argsort(part[kept], kind="stable")
    counts = np.bincount(part[kept] + 1, minlength=groups + 1)
    shared, *own = np.split(blocks.conflicts[kept][order], np.cumsum(counts)[:-1])
    return [*own, shared]


def _as_blocks(blocks: Blocks, index: IntArray, mass: FloatArray, conflicts: IntArray) -> Blocks:
    order = np.argsort(index)
    ends = order[np.searchsorted(index, conflicts, sorter=order)]
    return Blocks(
        block_of=np.arange(len(index)),
        mass=mass,
        centroid=blocks.centroid[index],
        scatter=0.0,
        conflicts=np.sort(ends.reshape(-1, 2), axis=1),
        soft_must=_NO_LINKS,
        soft_cannot=_NO_LINKS,
        penalty=0.0,
        k=min(blocks.k, len(index)),
        sizes=None,
    )


def filled(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return labels of k clusters, all used: clusters are split where there are fewer.

    A block far from its centroid becomes a cluster, which costs nothing and breaks no conflict.
    """
    used, labels = np.unique(labels, return_inverse=True)
    for cluster in range(len(used), blocks.k):
        counts = np.bincount(labels)
        away = (blocks.centroid - _means(blocks, labels)[labels]) ** 2
        gain = np.where(counts[labels] > 1, blocks.mass * away.sum(axis=1), -1.0)
        labels[int(gain.argmax())] = cluster
    return labels.astype(np.int64)


def _means(blocks: Blocks, labels: IntArray) -> FloatArray:
    return cluster_means(blocks.centroid, blocks.mass, labels, int(labels.max()) + 1)


def cost(blocks: Blocks, labels: IntArray) -> float:
    """Return the cost of a clustering of blocks, without the scatter inside the blocks."""
    if not blocks.s:
        return 0.0
    away = blocks.centroid - _means(blocks, labels)[labels]
    return float(blocks.mass @ (away**2).sum(axis=1))
