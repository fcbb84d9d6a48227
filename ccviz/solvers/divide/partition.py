"""Cut the blocks into parts that are alike: in each, every cluster's piece has its centroid.

For any cut the optima of the parts add up to a lower bound on the optimum of the whole. Nothing is
lost by the cut itself if every cluster of a good clustering is cut so that each piece has the
cluster's own centroid (anticlustering; Croella, Piccialli, Russo Russo and Sudoso 2025). Here that
is done in time linear in the number of blocks: a cluster is split into strata of near blocks, as
many in each as there are parts; a stratum is dealt to the parts, one each; then blocks of a
stratum are exchanged while that brings the pieces nearer to the centroids. Blocks that cannot-links
hold together go as bundles, with strata of their own.

A few blocks may be too heavy for any part: far points, and clusters of few. These are shared: each
part has all of them, with its share of their mass. The optima still add up to a lower bound, for
what a clustering costs is the sum of what it costs in each part with these masses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import never
from ccviz.solvers.divide.link_groups import bundled, nearest_centers, tied
from ccviz.solvers.search.tree import StoppedError

SHARED = -1
"""The part of a block that every part has."""

_HEAVY = 0.05  # a block that makes so much of a part's scatter is shared
_FEWEST = 4  # blocks a part that a cluster should have; smaller ones are shared whole
_MOST_BUNDLED = 8
_SCATTER_COUNTS = 0.3  # how much pieces should be alike in their scatter, next to their centroids
_MASS_COUNTS = 0.5  # and in their mass
_SWEEPS = (16, 6)  # of exchanges within the strata; then within kinds of bundles
_TRIES = 5  # exchanges tried for a bundle in a sweep


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut of the blocks into parts.

    Attributes
    ----------
    part_of : (s,) int64
        The part of each block; ``SHARED`` for those that every part has.
    parts : int
    """

    part_of: IntArray
    parts: int


def cut(
    blocks: Blocks,
    labels: IntArray,
    parts: int,
    most_shared: int,
    seed: int,
    alike: FloatArray | None = None,
    stop: Callable[[], bool] = never,
) -> Cut:
    """Cut the blocks into parts.

    Parameters
    ----------
    blocks : Blocks
    labels : (s,) int64
        A good clustering of the blocks.
    parts : int
        At most the number of blocks.
    most_shared : int
        At most so many blocks are shared.
    seed : int
    alike : (s, q) float64, optional
        More that the pieces of a cluster should have alike, in sum: `ccviz.solvers.divide.refine`.
    stop : callable
        Cheap; looked at between sweeps.

    Returns
    -------
    Cut

    Raises
    ------
    StoppedError
        If it is true.
    """
    centers = means(blocks, labels)
    deviation = blocks.mass[:, None] * (blocks.centroid - centers[labels])
    scatter = (deviation**2).sum(axis=1) / blocks.mass
    shared = _shared(labels, scatter, parts, most_shared)
    conflicts = tied(blocks.conflicts, nearest_centers(blocks.centroid, centers))
    root = bundled(conflicts, ~shared, _MOST_BUNDLED)
    rng = np.random.default_rng(seed)
    bundles = _Bundles.of(root, ~shared, labels)
    part_of = np.full(blocks.s, SHARED, dtype=np.int64)
    strata = _deal(bundles, blocks.centroid, part_of, parts, rng)
    features = _features(blocks, deviation, scatter, alike)
    _even_out(bundles, strata, features, labels, part_of, parts, rng, stop)
    return Cut(part_of, parts)


def means(blocks: Blocks, labels: IntArray) -> FloatArray:
    """Return (k, d) the means of the clusters, each of which has a block."""
    total = np.zeros((blocks.k, blocks.centroid.shape[1]))
    np.add.at(total, labels, blocks.mass[:, None] * blocks.centroid)
    return total / np.bincount(labels, blocks.mass, blocks.k)[:, None]


def _shared(labels: IntArray, scatter: FloatArray, parts: int, most: int) -> np.ndarray:
    """Mark the blocks of small clusters, then the heaviest others, as far as they are allowed."""
    shared = np.zeros(len(labels), dtype=bool)
    if parts == 1:
        return shared
    counts = np.bincount(labels)
    for cluster in np.argsort(counts, kind="stable"):
        if counts[cluster] < _FEWEST * parts and shared.sum() + counts[cluster] <= most:
            shared |= labels == cluster
    heaviest = np.argsort(-np.where(shared, 0.0, scatter), kind="stable")[: most - shared.sum()]
    shared[heaviest[scatter[heaviest] > _HEAVY * scatter.sum() / parts]] = True
    return shared


@dataclass(frozen=True, eq=False)
class _Bundles:
    """Bundles of blocks, those of a kind side by side: they have a block in the same clusters.

    Attributes
    ----------
    member : (s,) int64
        Blocks, bundle by bundle, within one by their cluster.
    start : (b + 1,) int64
        Where each bundle starts.
    kinds : list of (m,) int64
        The bundles of each kind.
    """

    member: IntArray
    start: IntArray
    kinds: list[IntArray]

    @classmethod
    def of(cls, root: IntArray, free: np.ndarray, labels: IntArray) -> _Bundles:
        member = np.flatnonzero(free)
        member = member[np.lexsort((labels[member], root[member]))]
        start = np.append(np.unique(root[member], return_index=True)[1], len(member))
        kinds: dict[bytes, list[int]] = {}
        of_kind = np.ascontiguousarray(labels[member])
        for bundle in range(len(start) - 1):
            key = of_kind[start[bundle] : start[bundle + 1]].tobytes()
            kinds.setdefault(key, []).append(bundle)
        return cls(member, start, [np.array(kind) for kind in kinds.values()])

    def members(self, kind: IntArray) -> IntArray:
        """Return (m, w) the blocks of bundles of a kind."""
        width = self.start[kind[0] + 1] - self.start[kind[0]]
        return self.member[self.start[kind][:, None] + np.arange(width)]


def _deal(
    bundles: _Bundles, points: FloatArray, part_of: IntArray, parts: int, rng: np.random.Generator
) -> list[IntArray]:
    """Deal the bundles of each stratum to different parts, and return the strata."""
    filled = np.zeros(parts, dtype=np.int64)
    strata = []
    for kind in bundles.kinds:
        members = bundles.members(kind)
        places = points[members].reshape(len(kind), -1)
        for stratum in _strata(places, np.arange(len(kind)), parts):
            stratum = rng.permutation(stratum)
            order = rng.permutation(parts)
            order = order[np.argsort(filled[order], kind="stable")]  # who is short comes first
            to = order[np.arange(len(stratum)) % parts]
            part_of[members[stratum]] = to[:, None]
            filled += np.bincount(to, minlength=parts) * members.shape[1]
            strata.append(kind[stratum])
    return strata


def _strata(points: FloatArray, index: IntArray, size: int) -> Iterator[IntArray]:
    """Halve the points across their widest feature until fewer than two parts' worth are left."""
    if len(index) < 2 * size:
        yield index
        return
    half = len(index) // size // 2 * size
    widest = int(points[index].std(axis=0).argmax())
    order = np.argpartition(points[index, widest], half)
    yield from _strata(points, index[order[:half]], size)
    yield from _strata(points, index[order[half:]], size)


def _features(
    blocks: Blocks, deviation: FloatArray, scatter: FloatArray, alike: FloatArray | None
) -> FloatArray:
    """Return (s, f) what pieces of a cluster should have alike: centroid, scatter and mass."""
    unit = float(scatter.mean()) or 1.0
    mass = blocks.mass / blocks.mass.mean()
    columns = [deviation / np.sqrt(unit), _SCATTER_COUNTS * scatter / unit, _MASS_COUNTS * mass]
    if alike is not None:  # as much as all the others together
        width = deviation.shape[1] + 2
        columns.append(alike * np.sqrt(width / (float((alike**2).sum()) / len(alike) or 1.0)))
    return np.column_stack(columns)


def _even_out(
    bundles: _Bundles,
    strata: list[IntArray],
    features: FloatArray,
    labels: IntArray,
    part_of: IntArray,
    parts: int,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> None:
    """Exchange bundles, first within strata and at last within kinds, until parts are alike."""
    member, start = bundles.member, bundles.start
    excess = np.zeros((parts, labels.max() + 1, features.shape[1]))
    np.add.at(excess, (part_of[member], labels[member]), features[member])
    excess -= excess.mean(axis=0)
    for groups, sweeps in zip((strata, bundles.kinds), _SWEEPS, strict=True):
        ends = np.cumsum([0, *map(len, groups)])
        order = np.concatenate([*groups, np.empty(0, np.int64)])
        for _ in range(sweeps):
            if stop():
                raise StoppedError
            draws = rng.random(_TRIES * len(order))
            _exchange(order, ends, member, start, features, labels, part_of, excess, draws)


@njit(cache=True)  # pragma: no cover - compiled
def _exchange(
    order: IntArray,
    ends: IntArray,
    member: IntArray,
    start: IntArray,
    features: FloatArray,
    labels: IntArray,
    part_of: IntArray,
    excess: FloatArray,
    draws: FloatArray,
) -> None:
    """Try a few exchanges of each bundle with others of its group; keep those that even out."""
    drawn = 0
    for group in range(len(ends) - 1):
        size = ends[group + 1] - ends[group]
        for t in range(_TRIES * size if size > 1 else 0):
            first = order[ends[group] + t % size]
            second = order[ends[group] + int(draws[drawn] * size)]
            drawn += 1
            one, other = part_of[member[start[first]]], part_of[member[start[second]]]
            if one == other:
                continue
            change = _move(first, -1.0, one, member, start, features, labels, excess)
            change += _move(second, -1.0, other, member, start, features, labels, excess)
            change += _move(first, 1.0, other, member, start, features, labels, excess)
            change += _move(second, 1.0, one, member, start, features, labels, excess)
            if change < -1e-14:
                part_of[member[start[first] : start[first + 1]]] = other
                part_of[member[start[second] : start[second + 1]]] = one
            else:
                _move(first, 1.0, one, member, start, features, labels, excess)
                _move(second, 1.0, other, member, start, features, labels, excess)
                _move(first, -1.0, other, member, start, features, labels, excess)
                _move(second, -1.0, one, member, start, features, labels, excess)


@njit(cache=True)  # pragma: no cover - compiled
def _move(
    bundle: int,
    sign: float,
    part: int,
    member: IntArray,
    start: IntArray,
    features: FloatArray,
    labels: IntArray,
    excess: FloatArray,
) -> float:
    """Add a bundle to a part, or take it out; return the change of the sum of squared excesses."""
    change = 0.0
    for m in range(start[bundle], start[bundle + 1]):
        block = member[m]
        row = excess[part, labels[block]]
        for f in range(features.shape[1]):
            value = sign * features[block, f]
            change += (2.0 * row[f] + value) * value
            row[f] += value
    return change
