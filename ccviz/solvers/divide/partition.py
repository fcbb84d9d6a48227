"""Anticlustering: a partition of the blocks into parts that are alike.

For any partition of the blocks the optima of the parts add up to a lower bound on the whole's
optimum. The partition itself loses nothing if in every part each cluster of an optimal clustering
has the cluster's own centroid (Croella, Piccialli, Russo Russo and Sudoso 2025). Here this takes
time linear in the number of blocks: a cluster is split into strata of near blocks, with a block for
each part; the blocks of a stratum are dealt to the parts; then they are exchanged while that moves
the pieces' centroids towards the clusters'. Groups of linked blocks have strata of their own.

A few blocks may be too heavy for one part: outliers, and clusters of few blocks. These are shared:
each part has all of them, with its share of their mass. The optima still add up to a lower bound,
since a clustering's cost is the sum of its costs in the parts with these masses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import never
from ccviz.solvers.common.clusters import cluster_means, nearest_centers
from ccviz.solvers.divide.link_groups import link_groups, most_likely_lost_first
from ccviz.solvers.search.tree import StoppedError

SHARED = -1
"""Part number of a shared block."""

_HEAVY = 0.05
"""Share of a part's scatter above which a block is shared."""
_FEWEST = 4
"""Least number of a cluster's blocks per part; smaller clusters are shared whole."""
_LARGEST_GROUP = 8
"""Largest number of blocks in a link group."""
_SCATTER_WEIGHT = 0.3
"""Weight of a block's scatter among the features, whose centroid has weight 1."""
_MASS_WEIGHT = 0.5
"""Weight of a block's mass among the features."""
_SWEEPS = (16, 6)
"""Most sweeps of exchanges within the strata, then within the kinds of groups."""
_LEAST_GAIN = 1e-6
"""Relative loss that a sweep has to save for another to follow."""
_TRIES = 5
"""Exchanges tried for each group in a sweep."""


@dataclass(frozen=True, eq=False)
class Anticlustering:
    """A partition of the blocks into parts that are alike.

    Attributes
    ----------
    part_of : (s,) int64
        The part of each block, ``SHARED`` for shared blocks.
    parts : int
    """

    part_of: IntArray
    parts: int


def anticluster(
    blocks: Blocks,
    labels: IntArray,
    parts: int,
    most_shared: int,
    seed: int,
    alike: FloatArray | None = None,
    stop: Callable[[], bool] = never,
) -> Anticlustering:
    """Partition the blocks into parts that are alike.

    Parameters
    ----------
    blocks : Blocks
    labels : (s,) int64
        A good clustering of the blocks.
    parts : int
        At most the number of blocks.
    most_shared : int
        Largest number of shared blocks.
    seed : int
    alike : (s, q) float64, optional
        Further features whose sums should be alike, see `ccviz.solvers.divide.refine`.
    stop : callable
        Cheap; tested between sweeps.

    Returns
    -------
    Anticlustering

    Raises
    ------
    StoppedError
        If ``stop`` returns true.
    """
    centers = cluster_means(blocks.centroid, blocks.mass, labels, blocks.k)
    deviation = blocks.mass[:, None] * (blocks.centroid - centers[labels])
    scatter = (deviation**2).sum(axis=1) / blocks.mass
    shared = _shared(labels, scatter, parts, most_shared)
    conflicts = most_likely_lost_first(blocks.conflicts, nearest_centers(blocks.centroid, centers))
    root = link_groups(conflicts, ~shared, _LARGEST_GROUP)
    rng = np.random.default_rng(seed)
    groups = _Groups.of(root, ~shared, labels)
    part_of = np.full(blocks.s, SHARED, dtype=np.int64)
    strata = _deal(groups, blocks.centroid, part_of, parts, rng)
    features = _features(blocks, deviation, scatter, alike)
    _even_out(groups, strata, features, labels, part_of, parts, rng, stop)
    return Anticlustering(part_of, parts)


def _shared(labels: IntArray, scatter: FloatArray, parts: int, most: int) -> np.ndarray:
    """Mark the blocks of small clusters, then the heaviest others, up to the largest number."""
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
class _Groups:
    """Link groups by kind: groups of one kind have blocks in the same clusters.

    Attributes
    ----------
    member : (s,) int64
        Blocks, group by group, within a group by their cluster.
    start : (b + 1,) int64
        Start of each group in ``member``.
    kinds : list of (m,) int64
        The groups of each kind.
    """

    member: IntArray
    start: IntArray
    kinds: list[IntArray]

    @classmethod
    def of(cls, root: IntArray, free: np.ndarray, labels: IntArray) -> _Groups:
        member = np.flatnonzero(free)
        member = member[np.lexsort((labels[member], root[member]))]
        start = np.append(np.unique(root[member], return_index=True)[1], len(member))
        return cls(member, start, _kinds(labels[member], start))

    def members(self, kind: IntArray) -> IntArray:
        """Return (m, w) the blocks of groups of a kind."""
        width = self.start[kind[0] + 1] - self.start[kind[0]]
        return self.member[self.start[kind][:, None] + np.arange(width)]


def _kinds(labels: IntArray, start: IntArray) -> list[IntArray]:
    """Return the groups with the same labels, the kind of the first group first."""
    sizes = np.diff(start)
    kind = np.zeros(len(sizes), dtype=np.int64)
    for place in range(sizes.max(initial=0)):
        label = np.full(len(sizes), -1)
        label[sizes > place] = labels[start[:-1][sizes > place] + place]
        kind = np.unique(kind * (labels.max() + 2) + label + 1, return_inverse=True)[1]
    order = np.argsort(kind, kind="stable")
    kinds = np.split(order, np.flatnonzero(np.diff(kind[order])) + 1)
    return sorted(kinds, key=lambda groups: int(groups[0])) if len(order) else []


def _deal(
    groups: _Groups, points: FloatArray, part_of: IntArray, parts: int, rng: np.random.Generator
) -> list[IntArray]:
    """Deal the groups of each stratum to different parts, and return the strata."""
    filled = np.zeros(parts, dtype=np.int64)
    strata = []
    for kind in groups.kinds:
        members = groups.members(kind)
        places = points[members].reshape(len(kind), -1)
        for stratum in _strata(places, np.arange(len(kind)), parts):
            stratum = rng.permutation(stratum)
            order = rng.permutation(parts)
            order = order[np.argsort(filled[order], kind="stable")]  # the smallest part first
            to = order[np.arange(len(stratum)) % parts]
            part_of[members[stratum]] = to[:, None]
            filled += np.bincount(to, minlength=parts) * members.shape[1]
            strata.append(kind[stratum])
    return strata


def _strata(points: FloatArray, index: IntArray, size: int) -> Iterator[IntArray]:
    """Halve the points across their widest feature, down to fewer than ``2 * size`` points."""
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
    """Return (s, f) the features whose sums should be alike: centroid, scatter and mass."""
    unit = float(scatter.mean()) or 1.0
    mass = blocks.mass / blocks.mass.mean()
    columns = [deviation / np.sqrt(unit), _SCATTER_WEIGHT * scatter / unit, _MASS_WEIGHT * mass]
    if alike is not None:  # with the weight of all the others together
        width = deviation.shape[1] + 2
        columns.append(alike * np.sqrt(width / (float((alike**2).sum()) / len(alike) or 1.0)))
    return np.column_stack(columns)


def _even_out(
    groups: _Groups,
    strata: list[IntArray],
    features: FloatArray,
    labels: IntArray,
    part_of: IntArray,
    parts: int,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> None:
    """Exchange groups, first within strata and then within kinds, to make the parts alike."""
    member, start = groups.member, groups.start
    excess = np.zeros((parts, labels.max() + 1, features.shape[1]))
    np.add.at(excess, (part_of[member], labels[member]), features[member])
    excess -= excess.mean(axis=0)
    of_loss = excess.shape[0] * excess.shape[1] / len(labels) ** 2
    loss = of_loss * float((excess**2).sum())
    for classes, sweeps in zip((strata, groups.kinds), _SWEEPS, strict=True):
        ends = np.cumsum([0, *map(len, classes)])
        order = np.concatenate([*classes, np.empty(0, np.int64)])
        for _ in range(sweeps):
            if stop():
                raise StoppedError
            draws = rng.random(_TRIES * len(order))
            _exchange(order, ends, member, start, features, labels, part_of, excess, draws)
            before, loss = loss, of_loss * float((excess**2).sum())
            if before - loss < _LEAST_GAIN:
                break


@njit(cache=True, entry=True)  # pragma: no cover - compiled
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
    """Try exchanges of each link group with others of its class; keep those that even out."""
    drawn = 0
    for number in range(len(ends) - 1):
        size = ends[number + 1] - ends[number]
        for t in range(_TRIES * size if size > 1 else 0):
            first = order[ends[number] + t % size]
            second = order[ends[number] + int(draws[drawn] * size)]
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
    group: int,
    sign: float,
    part: int,
    member: IntArray,
    start: IntArray,
    features: FloatArray,
    labels: IntArray,
    excess: FloatArray,
) -> float:
    """Add a group to a part, or remove it; return the change of the sum of squared excesses."""
    change = 0.0
    for m in range(start[group], start[group + 1]):
        block = member[m]
        row = excess[part, labels[block]]
        for f in range(features.shape[1]):
            value = sign * features[block, f]
            change += (2.0 * row[f] + value) * value
            row[f] += value
    return change
