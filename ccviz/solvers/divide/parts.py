"""A part as a small clustering problem of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.links import Links
from ccviz.solvers.divide.cutting import SHARED, Cut

_NO_LINKS = Links(np.empty((0, 2), np.int64), np.empty(0))


@dataclass(frozen=True, eq=False)
class Part:
    """The blocks of a part, with masses that are whole numbers.

    Attributes
    ----------
    number : int
    blocks : Blocks
        Each block as one weighted point: the scatter inside blocks is left out.
    labels : (s,) int64
        The whole's clustering of them, every cluster with a block.
    scale : float
        What masses were multiplied by, so that shares of a mass are whole numbers.
    """

    number: int
    blocks: Blocks
    labels: IntArray
    scale: float


def take_parts(blocks: Blocks, cut: Cut, labels: IntArray) -> list[Part]:
    """Return the parts of a cut.

    Parameters
    ----------
    blocks : Blocks
    cut : Cut
    labels : (s,) int64
        A clustering of the blocks.
    """
    shared = np.flatnonzero(cut.part_of == SHARED)
    order = np.argsort(cut.part_of, kind="stable")[len(shared) :]
    own = np.split(order, np.cumsum(np.bincount(cut.part_of[order], minlength=cut.parts))[:-1])
    conflicts = _by_part(blocks, cut)
    scale = float(cut.parts) if len(shared) else 1.0
    parts = []
    for number in range(cut.parts):
        index = np.concatenate([own[number], shared])
        mass = blocks.mass[index]
        mass[: len(own[number])] *= scale
        inside = np.concatenate([conflicts[number], conflicts[SHARED]])
        parts.append(_part(number, blocks, index, mass, inside, labels[index], scale))
    return parts


def dropped(blocks: Blocks, cut: Cut) -> int:
    """Return how many conflicts of the blocks lie between two parts, and so are lost."""
    ends = cut.part_of[blocks.conflicts]
    return int(((ends != SHARED).all(axis=1) & (ends[:, 0] != ends[:, 1])).sum())


def _by_part(blocks: Blocks, cut: Cut) -> list[IntArray]:
    """Return the conflicts within each part, and last those between shared blocks."""
    ends = cut.part_of[blocks.conflicts]
    part = ends.max(axis=1)
    kept = (ends == part[:, None]) | (ends == SHARED)
    kept = kept.all(axis=1)
    order = np.argsort(part[kept], kind="stable")
    counts = np.bincount(part[kept] + 1, minlength=cut.parts + 1)
    shared, *own = np.split(blocks.conflicts[kept][order], np.cumsum(counts)[:-1])
    return [*own, shared]


def _part(
    number: int,
    blocks: Blocks,
    index: IntArray,
    mass: FloatArray,
    conflicts: IntArray,
    labels: IntArray,
    scale: float,
) -> Part:
    order = np.argsort(index)
    ends = order[np.searchsorted(index, conflicts, sorter=order)]
    k = min(blocks.k, len(index))
    part = Blocks(
        block_of=np.arange(len(index)),
        mass=mass,
        centroid=blocks.centroid[index],
        scatter=0.0,
        conflicts=np.sort(ends.reshape(-1, 2), axis=1),
        soft_must=_NO_LINKS,
        soft_cannot=_NO_LINKS,
        penalty=0.0,
        k=k,
        sizes=None,
    )
    return Part(number, part, filled(part, labels), scale)


def filled(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return labels 0 to k - 1 of every cluster used, having split clusters if they are too few.

    That costs nothing and breaks no conflict: a block far from its centroid goes off by itself.
    """
    used, labels = np.unique(labels, return_inverse=True)
    for cluster in range(len(used), blocks.k):
        counts = np.bincount(labels)
        away = (blocks.centroid - _centroids(blocks, labels)[labels]) ** 2
        worth = np.where(counts[labels] > 1, blocks.mass * away.sum(axis=1), -1.0)
        labels[int(worth.argmax())] = cluster
    return labels.astype(np.int64)


def _centroids(blocks: Blocks, labels: IntArray) -> FloatArray:
    total = np.zeros((labels.max() + 1, blocks.centroid.shape[1]))
    np.add.at(total, labels, blocks.mass[:, None] * blocks.centroid)
    return total / np.bincount(labels, blocks.mass)[:, None]


def cost(blocks: Blocks, labels: IntArray) -> float:
    """Return what a clustering of blocks costs, without the scatter inside the blocks."""
    away = blocks.centroid - _centroids(blocks, labels)[labels]
    return float(blocks.mass @ (away**2).sum(axis=1))
