"""First columns of a node under sizes or soft links: clusters found, and clusters near them."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.centers import block_costs
from ccviz.solvers.colgen.master.covering import cluster_columns
from ccviz.solvers.colgen.partitioning.pricer import Pricer
from ccviz.solvers.colgen.phases.start import clustering_from
from ccviz.solvers.relaxation.block_exchange import exchange_blocks
from ccviz.solvers.relaxation.model import relax


def improved(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return the (s,) labels after moves and swaps that keep links and sizes, without rules."""
    if blocks.rules:
        return labels
    return exchange_blocks(blocks, relax(blocks), labels)


def first_columns(
    blocks: Blocks, pricer: Pricer, found: tuple[IntArray, ...]
) -> tuple[np.ndarray, FloatArray]:
    """Return (m, s) bool clusters, each permitted and once, and their costs.

    Parameters
    ----------
    blocks : Blocks
    pricer : Pricer
    found : tuple of (s,) int64
        Labels of clusterings, the best one first.
    """
    columns = [np.eye(blocks.s, dtype=bool), *map(cluster_columns, found)]
    if found:
        columns.append(_near(blocks, found[0]))
    unique = np.unique(np.concatenate(columns), axis=0)
    kept = unique[np.array([pricer.permits(column) for column in unique], dtype=bool)]
    return kept, pricer.costs_of(kept)


def _near(blocks: Blocks, labels: IntArray) -> np.ndarray:
    """Return the clusters of a clustering with one block more, one less, or one swapped.

    They say to the first master how much a block saves and adds, also where no move keeps sizes.
    """
    clusters = cluster_columns(labels)
    mass = clusters @ blocks.mass
    means = (clusters * blocks.mass) @ blocks.centroid / mass[:, None]
    costs = block_costs(blocks.centroid, blocks.mass, means)
    near = []
    for cluster, cost in zip(clusters, costs.T, strict=True):
        inside, outside = (np.flatnonzero(side).tolist() for side in (cluster, ~cluster))
        near += [_changed(cluster, b, None) for b in inside if len(inside) > 1]
        near += [_changed(cluster, None, b) for b in outside]
        if len(outside) == 0:
            continue
        worst, best = inside[np.argmax(cost[inside])], outside[np.argmin(cost[outside])]
        near += [_changed(cluster, a, best) for a in inside]
        near += [_changed(cluster, worst, b) for b in outside]
    return np.array(near, dtype=bool).reshape(-1, blocks.s)


def _changed(cluster: np.ndarray, out: int | None, into: int | None) -> np.ndarray:
    """Return the cluster without one block, with another."""
    changed = cluster.copy()
    if out is not None:
        changed[out] = False
    if into is not None:
        changed[into] = True
    return changed


def labels_of(blocks: Blocks, columns: np.ndarray) -> IntArray | None:
    """Return (s,) labels of k clusters that partition the blocks, numbered as sizes ask for it.

    None if they are no partition, or if no numbering gives every cluster its size.
    """
    if len(columns) != blocks.k or not (columns.sum(axis=0) == 1).all():
        return None
    number = np.arange(blocks.k)
    if blocks.sizes is not None:
        numbers = blocks.sizes.numbers_of(columns @ blocks.mass)
        if numbers is None:
            return None
        number = numbers
    return number[np.argmax(columns, axis=0)]


def rebuilt(blocks: Blocks, columns: np.ndarray) -> IntArray | None:
    """Return (s,) labels that k-means with exact assignments makes of the means of k clusters.

    None if there are fewer than k, or if an assignment failed. The mean of the largest cluster
    gets the largest size.
    """
    if len(columns) != blocks.k:
        return None
    mass = columns @ blocks.mass
    means = (columns * blocks.mass) @ blocks.centroid / mass[:, None]
    order = np.argsort(mass, kind="stable")
    if blocks.sizes is None:
        return clustering_from(blocks, means)
    centers = np.empty_like(means)
    by_size = np.argsort(blocks.sizes.lower + blocks.sizes.upper, kind="stable")
    centers[by_size] = means[order]
    return clustering_from(blocks, centers)
