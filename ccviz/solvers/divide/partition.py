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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks, BoundedBlocks
from ccviz.problem.partition import cluster_means
from ccviz.solvers.base import never
from ccviz.solvers.common.hard_links import NO_LINKS
from ccviz.solvers.common.seeding import nearest_centers
from ccviz.solvers.search.tree import StoppedError

# --------------------------------------------------------------------------------------------------
# Groups of linked blocks that go to one part together, so that their cannot-links are kept.
#
# A cannot-link between two parts is dropped, which may weaken the bound: most where both ends are
# nearest to the same centre. So links join their ends into groups, those links first, up to a
# largest number of blocks.


def link_groups(conflicts: IntArray, free: np.ndarray, most: int) -> IntArray:
    """Return the group of each block, named by one of its blocks.

    `conflicts` (c, 2): In the order in which they join blocks.
    """
    both = free[conflicts[:, 0]] & free[conflicts[:, 1]]
    root = np.arange(len(free))
    _join(conflicts[both], root, np.ones(len(free), np.int64), most)
    return root


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _join(pairs: IntArray, root: IntArray, size: IntArray, most: int) -> None:
    for c in range(len(pairs)):
        a, b = _find(root, pairs[c, 0]), _find(root, pairs[c, 1])
        if a != b and size[a] + size[b] <= most:
            root[b] = a
            size[a] += size[b]
    for i in range(len(root)):
        root[i] = _find(root, i)


@njit(cache=True)  # pragma: no cover - compiled
def _find(root: IntArray, i: int) -> int:
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i


SHARED = -1  # Part number of a shared block
_HEAVY = 0.05  # Share of a part's scatter above which a block is shared
_FEWEST = 4  # Least number of a cluster's blocks per part; smaller clusters are shared whole
_LARGEST_GROUP = 8  # Largest number of blocks in a link group
_SCATTER_WEIGHT = 0.3  # Weight of a block's scatter among the features, whose centroid has weight 1
_MASS_WEIGHT = 0.5  # Weight of a block's mass among the features
_SWEEPS = (16, 6)  # Most sweeps of exchanges within the strata, then within the kinds of groups
_LEAST_GAIN = 1e-6  # Relative loss that a sweep has to save for another to follow
_TRIES = 5  # Exchanges tried for each group in a sweep


@dataclass(frozen=True, eq=False)
class Anticlustering:
    """A partition of the blocks into parts that are alike."""

    part_of: IntArray  # (s,): The part of each block, ``SHARED`` for shared blocks
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

    `labels` (s,): A good clustering of the blocks. `alike` (s, q): Further features whose sums
    should be alike, see `ccviz.solvers.divide.refine`. `stop`: Cheap; tested between sweeps.
    """
    centers = cluster_means(blocks.centroid, labels, blocks.k, blocks.mass)
    deviation = blocks.mass[:, None] * (blocks.centroid - centers[labels])
    scatter = (deviation**2).sum(axis=1) / blocks.mass
    shared = _shared(labels, scatter, parts, most_shared)
    ends = nearest_centers(blocks.centroid, centers)[blocks.conflicts]
    conflicts = blocks.conflicts[np.argsort(ends[:, 0] != ends[:, 1], kind="stable")]
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
    """Link groups by kind: groups of one kind have blocks in the same clusters."""

    member: IntArray  # (s,): Blocks, group by group, within a group by their cluster
    start: IntArray  # (b + 1,): Start of each group in ``member``
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
    linked = _Linked(member, start, features, labels, excess)
    of_loss = excess.shape[0] * excess.shape[1] / len(labels) ** 2
    loss = of_loss * float((excess**2).sum())
    for classes, sweeps in zip((strata, groups.kinds), _SWEEPS, strict=True):
        ends = np.cumsum([0, *map(len, classes)])
        order = np.concatenate([*classes, np.empty(0, np.int64)])
        for _ in range(sweeps):
            if stop():
                raise StoppedError
            draws = rng.random(_TRIES * len(order))
            _exchange(order, ends, linked, part_of, draws)
            before, loss = loss, of_loss * float((excess**2).sum())
            if before - loss < _LEAST_GAIN:
                break


class _Linked(NamedTuple):
    """Link groups, the features of their blocks, and what the parts have too much of."""

    member: IntArray  # As in `_Groups`
    start: IntArray
    features: FloatArray  # (s, f)
    labels: IntArray
    excess: FloatArray  # (parts, k, f): Sums of features, less those of the average part


@njit(cache=True, entry=True)  # pragma: no cover - compiled
def _exchange(
    order: IntArray, ends: IntArray, groups: _Linked, part_of: IntArray, draws: FloatArray
) -> None:
    """Try exchanges of each link group with others of its class; keep those that even out."""
    member, start, drawn = groups.member, groups.start, 0
    for number in range(len(ends) - 1):
        size = ends[number + 1] - ends[number]
        for t in range(_TRIES * size if size > 1 else 0):
            first = order[ends[number] + t % size]
            second = order[ends[number] + int(draws[drawn] * size)]
            drawn += 1
            one, other = part_of[member[start[first]]], part_of[member[start[second]]]
            if one == other:
                continue
            change = _move(first, -1.0, one, groups)
            change += _move(second, -1.0, other, groups)
            change += _move(first, 1.0, other, groups)
            change += _move(second, 1.0, one, groups)
            if change < -1e-14:
                part_of[member[start[first] : start[first + 1]]] = other
                part_of[member[start[second] : start[second + 1]]] = one
            else:
                _move(first, 1.0, one, groups)
                _move(second, 1.0, other, groups)
                _move(first, -1.0, other, groups)
                _move(second, -1.0, one, groups)


@njit(cache=True)  # pragma: no cover - compiled
def _move(group: int, sign: float, part: int, groups: _Linked) -> float:
    """Add a group to a part, or remove it; return the change of the sum of squared excesses."""
    member, start, features, labels, excess = groups
    change = 0.0
    for m in range(start[group], start[group + 1]):
        block = member[m]
        row = excess[part, labels[block]]
        for f in range(features.shape[1]):
            value = sign * features[block, f]
            change += (2.0 * row[f] + value) * value
            row[f] += value
    return change


# --- A part as a small clustering problem of its own ----------------------------------------------

_LEFT_OUT = -2  # Group of the blocks of parts that are not taken


@dataclass(frozen=True, eq=False)
class Part:
    """The blocks of a part, with masses that are whole numbers where points have no weights."""

    numbers: tuple[int, ...]  # The parts of the anticlustering that it is made of
    own: int  # Number of blocks before the shared ones
    blocks: BoundedBlocks  # Each block as one weighted point: the scatter inside blocks is left out
    labels: IntArray  # (s,): The whole's clustering of them, every cluster with a block
    scale: float  # Factor of the masses, by which shares of a mass are whole numbers

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

    `labels` (s,): A clustering of the blocks.
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


def _as_blocks(
    blocks: Blocks, index: IntArray, mass: FloatArray, conflicts: IntArray
) -> BoundedBlocks:
    order = np.argsort(index)
    ends = order[np.searchsorted(index, conflicts, sorter=order)]
    part = Blocks(
        block_of=np.arange(len(index)),
        mass=mass,
        centroid=blocks.centroid[index],
        scatter=0.0,
        conflicts=np.sort(ends.reshape(-1, 2), axis=1),
        soft_must=NO_LINKS,
        soft_cannot=NO_LINKS,
        penalty=0.0,
        k=min(blocks.k, len(index)),
        sizes=None,
    )
    return BoundedBlocks(part)  # neither sizes nor rules are left


def filled(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return labels of k clusters, all used: clusters are split where there are fewer.

    A block far from its centroid becomes a cluster, which costs nothing and breaks no conflict.
    """
    used, labels = np.unique(labels, return_inverse=True)
    for cluster in range(len(used), blocks.k):
        counts = np.bincount(labels)
        away = (blocks.centroid - means_of(blocks, labels)[labels]) ** 2
        gain = np.where(counts[labels] > 1, blocks.mass * away.sum(axis=1), -1.0)
        labels[int(gain.argmax())] = cluster
    return labels.astype(np.int64)


def means_of(blocks: Blocks, labels: IntArray) -> FloatArray:
    """Return the means of the clusters, every one used."""
    return cluster_means(blocks.centroid, labels, int(labels.max()) + 1, blocks.mass)


def cost(blocks: Blocks, labels: IntArray) -> float:
    """Return the cost of a clustering of blocks, without the scatter inside the blocks."""
    if not blocks.s:
        return 0.0
    away = blocks.centroid - means_of(blocks, labels)[labels]
    return float(blocks.mass @ (away**2).sum(axis=1))
