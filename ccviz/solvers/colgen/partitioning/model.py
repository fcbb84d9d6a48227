"""The blocks of a node with size classes and soft links, as plain arrays for compiled code.

A cluster costs its sum of squares, the weights of the soft cannot-links inside it, and half the
weight of each soft must-link that leaves it: over the clusters of a partition these add up to the
objective. Every cluster has a class, which limits its size; clusters with the same limits make one
class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.problem.rules import Load
from ccviz.solvers.colgen.model.instance import Instance, make_instance


class SizeClass(NamedTuple):
    """Clusters with the same limits on their points, and their number."""

    lower: float
    upper: float
    clusters: int


class Model(NamedTuple):
    """A node's blocks under one alternative of the rules.

    Attributes
    ----------
    instance : Instance
    start, other, weight : int64, int64 and float64 arrays
        Soft pairs as compressed sparse rows: by how much two blocks in one cluster change its cost;
        positive for cannot-links, negative for must-links.
    cut : (s,) float64
        Half the weight of each block's soft must-links: its cost while all of them are broken.
    """

    instance: Instance
    start: IntArray
    other: IntArray
    weight: FloatArray
    cut: FloatArray


def needs_partition(problem: Problem) -> bool:
    """Return whether splitting a cluster may cost something or be forbidden."""
    return problem.sizes is not None or problem.is_soft


def size_classes(blocks: Blocks) -> tuple[SizeClass, ...]:
    """Return the classes of a problem's clusters, by ascending limits; one without sizes."""
    if blocks.sizes is None:
        mass = blocks.mass
        return (SizeClass(float(mass.min()), float(mass.sum()), blocks.k),)
    limits = np.stack([blocks.sizes.lower, blocks.sizes.upper], axis=1)
    rows, counts = np.unique(limits, axis=0, return_counts=True)
    return tuple(
        SizeClass(float(low), float(high), int(count))
        for (low, high), count in zip(rows.tolist(), counts, strict=True)
    )


def make_model(blocks: Blocks, loads: tuple[Load, ...] = ()) -> Model:
    """Return the arrays of a node under one conjunction of loads."""
    s = blocks.s
    must, cannot = blocks.soft_must, blocks.soft_cannot
    ends = np.concatenate([cannot.pairs, must.pairs]).reshape(-1, 2)
    weight = np.concatenate([cannot.weights, -must.weights])
    rows = np.concatenate([ends[:, 0], ends[:, 1]])
    columns = np.concatenate([ends[:, 1], ends[:, 0]])
    graph = coo_array((np.concatenate([weight, weight]), (rows, columns)), (s, s)).tocsr()
    cut = 0.5 * np.bincount(must.pairs.ravel(), np.repeat(must.weights, 2), minlength=s)
    return Model(
        make_instance(blocks, loads),
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int64),
        graph.data.astype(np.float64),
        cut.astype(np.float64),
    )


def cluster_costs(model: Model, columns: np.ndarray) -> FloatArray:
    """Return the (m,) costs of (m, s) bool clusters, soft links included."""
    points, mass = model.instance.points, model.instance.mass
    pairs = _half_pairs(model)
    costs = np.empty(len(columns))
    for t, column in enumerate(columns):
        inside, weight = points[column], mass[column]
        gaps = inside - weight @ inside / weight.sum()
        squares = weight @ (gaps * gaps).sum(axis=1)
        broken = model.cut[column].sum() + pairs[column][:, column].sum()
        costs[t] = squares + broken
    return costs


def _half_pairs(model: Model) -> coo_array:
    """Return the soft pairs as a sparse matrix whose two halves each have half the weight."""
    s = len(model.cut)
    rows = np.repeat(np.arange(s), np.diff(model.start))
    return coo_array((0.5 * model.weight, (rows, model.other)), (s, s)).tocsr()
