"""Anticlustering in several passes, so that no part has a much better clustering than its piece.

An anticlustering costs nothing as long as the optimum of every part is its piece of the whole's
clustering. Where clusters are not well apart, a part of few blocks has a better clustering, and the
difference is the loss. So each part's optimum is searched by exchanges, from the whole's clustering
and from a few others. With the centres of that optimum, the increase of each block's cost is one
more feature that the parts should have alike: then a part gains no more by these centres than the
whole does, which gains nothing. Many such features are reduced to a few principal directions.

The relaxation of a part loses more than its optimum does: it adapts to the part's second moments.
So their sums are made alike, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.problem.partition import cluster_means
from ccviz.solvers.common.seeding import nearest_centers
from ccviz.solvers.divide.partition import (
    SHARED,
    Anticlustering,
    Part,
    anticluster,
    cost,
    means_of,
    take_parts,
)
from ccviz.solvers.relaxation.exchange import exchange
from ccviz.solvers.relaxation.model import relax

_PASSES = 4  # Largest number of anticlusterings that are made
_MOST_BLOCKS = 400_000
"""Largest number of blocks in all passes together: with more, one pass takes long enough."""
_PROGRESS = 0.9  # Share of the least loss so far; a pass with a larger loss is the last
_SEARCHED = 40  # Largest number of parts whose optima are searched in a pass
_STARTS = 3  # Starts of a part's search, besides its piece of the whole's clustering
_NEAR_OPTIMAL = 1.02
"""Largest cost of a clustering whose centres are used, as a multiple of the piece's cost."""
_MOST_CENTERS = 160  # Largest number of sets of centres that make features
_MOST_COSTS = 20_000_000  # Largest number of blocks times sets of centres
_DIRECTIONS = 40  # Principal directions to which the features are reduced
_AXES = 12  # Principal axes of the points whose products are features


def refine(
    blocks: Blocks,
    labels: IntArray,
    parts: int,
    most_shared: int,
    seed: int,
    allowed: float,
    stop: Callable[[], bool],
) -> tuple[Anticlustering, float]:
    """Return the best anticlustering of several passes.

    `blocks`, `labels`, `parts`, `most_shared`, `seed`: As for
    `ccviz.solvers.divide.partition.anticluster`. `allowed`: Relative loss at which no more passes
    are made. `stop`: Ends the search; the best anticlustering so far is returned. Returns `loss`:
    The relative loss that was found; better clusterings of the parts may exist. Raises
    `StoppedError` if ``stop`` returns true within a pass.
    """
    best = found = anticluster(blocks, labels, parts, most_shared, seed, stop=stop)
    rng = np.random.default_rng(seed)
    least, centers = np.inf, list[FloatArray]()
    moments: FloatArray | None = None
    passes = min(_PASSES, max(1, _MOST_BLOCKS // blocks.s)) if parts > 1 else 0
    for left in reversed(range(passes)):
        loss, near = _own_optima(blocks, found, labels, rng, stop)
        loss += _lost_by_centroids(blocks, found, labels)
        gains = loss < _PROGRESS * least
        if loss < least:
            best, least = found, loss
        if not left or least <= allowed or not gains or not near or stop():
            break
        centers += near
        most = min(_MOST_CENTERS, max(1, _MOST_COSTS // blocks.s))
        if moments is None:
            moments = _second_moments(blocks, labels, blocks.s // (parts * blocks.k))
        alike = np.column_stack([_costs(blocks, labels, centers[-most:]), moments])
        found = anticluster(blocks, labels, parts, most_shared, seed, alike, stop)
    return best, least if parts > 1 else 0.0


def _lost_by_centroids(blocks: Blocks, found: Anticlustering, labels: IntArray) -> float:
    """Return the relative loss by pieces of clusters whose centroids differ from the clusters'."""
    away = blocks.centroid - means_of(blocks, labels)[labels]
    own = found.part_of != SHARED
    piece = found.part_of[own] * blocks.k + labels[own]
    mass = np.bincount(piece, blocks.mass[own])
    moment = np.zeros((len(mass), away.shape[1]))
    np.add.at(moment, piece, blocks.mass[own, None] * away[own])
    lost = float(((moment**2).sum(axis=1)[mass > 0.0] / mass[mass > 0.0]).sum())
    whole = float(blocks.mass @ (away**2).sum(axis=1))
    return lost / whole if whole > 0.0 else 0.0


def _own_optima(
    blocks: Blocks,
    found: Anticlustering,
    labels: IntArray,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> tuple[float, list[FloatArray]]:
    """Return the relative loss of single parts, and (k, d) centres of their near optima."""
    searched = [(number,) for number in range(min(found.parts, _SEARCHED))]
    own = pieces = 0.0
    centers: list[FloatArray] = []
    for part in take_parts(blocks, found, labels, searched):
        if stop():
            break
        if part.blocks.s <= part.blocks.k:
            continue
        piece = cost(part.blocks, part.labels)
        known = _clusterings(part, rng)
        costs = [cost(part.blocks, each) for each in known]
        own, pieces = own + min(costs), pieces + piece
        if part.blocks.k == blocks.k:
            centers += [
                means_of(part.blocks, each)
                for each, value in zip(known, costs, strict=True)
                if value < _NEAR_OPTIMAL * piece
            ]
    return 1.0 - own / pieces if pieces > 0.0 else 0.0, centers


def _clusterings(part: Part, rng: np.random.Generator) -> list[IntArray]:
    """Return local optima of a part, from one start only if it has conflicts."""
    relaxation = relax(part.blocks)
    found = [exchange(part.blocks, relaxation, part.labels)]
    if len(part.blocks.conflicts):
        return found
    points = part.blocks.centroid
    for _ in range(_STARTS):
        seeds = points[rng.choice(len(points), part.blocks.k, replace=False)]
        start = nearest_centers(points, seeds)
        if len(np.unique(start)) == part.blocks.k:
            found.append(exchange(part.blocks, relaxation, start))
    return found


def _costs(blocks: Blocks, labels: IntArray, centers: list[FloatArray]) -> FloatArray:
    """Return (s, q) principal directions of the increases of the blocks' costs by other centres."""
    points, own = blocks.centroid, means_of(blocks, labels)
    now = ((points - own[labels]) ** 2).sum(axis=1)
    squares = ([((points - center) ** 2).sum(axis=1) for center in each] for each in centers)
    more = np.column_stack([np.min(each, axis=0) - now for each in squares])
    more *= blocks.mass[:, None]
    more -= more.mean(axis=0)
    vectors = np.linalg.eigh(more.T @ more)[1]
    return _of_unit_scatter(more @ vectors[:, : -_DIRECTIONS - 1 : -1])


def _second_moments(blocks: Blocks, labels: IntArray, most: int) -> FloatArray:
    """Return (s, q) products of the points' coordinates on leading principal axes.

    There are at most ``most`` products: a piece of few blocks cannot be alike in many.
    """
    axes_of_most = int((math.sqrt(8.0 * most + 1.0) - 1.0) / 2.0)
    points = blocks.centroid - np.average(blocks.centroid, axis=0, weights=blocks.mass)
    d = points.shape[1]
    count = min(d, _AXES, axes_of_most)
    scatter = (blocks.mass * points.T) @ points
    axes = eigh(scatter, subset_by_index=(d - count, d - 1))[1] if count else np.empty((d, 0))
    one, other = np.triu_indices(axes.shape[1])
    on_axes = points @ axes
    products = blocks.mass[:, None] * on_axes[:, one] * on_axes[:, other]
    means = cluster_means(products, labels, blocks.k)
    return _of_unit_scatter(products - means[labels])


def _of_unit_scatter(features: FloatArray) -> FloatArray:
    """Return the features with a mean squared norm of one."""
    return features / np.sqrt(float((features**2).sum()) / len(features) or 1.0)
