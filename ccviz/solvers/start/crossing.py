"""Centres of a good k-means clustering of many blocks, by crossing good ones.

The search of HG-means (Gribel and Vidal 2019) with k-means as its local search. A child takes a
centre of each pair of its parents' matched centres; then one of its centres moves to a block that
is far from the others. Links are ignored but for must-links, whose blocks are weighted points.
`benchmarks/results/first_clustering.md` compares the search with five starts of k-means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.common.seeding import plain_kmeans
from ccviz.solvers.memetic.operators import mix_centers

_STARTS = 10
"""Members of the population, from k-means++."""
_CHILDREN = 100
"""Largest number of children."""
_PATIENCE = 30
"""Children in a row without a new best that end the search."""
_ALIKE = 1e-4
"""Relative difference of costs below which members count as one."""
_SAMPLE = 100_000
"""Largest number of blocks; of more blocks a sample is drawn."""


@dataclass(frozen=True, eq=False)
class _Member:
    cost: float
    centers: FloatArray


def crossed_centers(blocks: Blocks, seed: int, stop: Callable[[], bool]) -> FloatArray:
    """Return (k, d) centres of the best clustering found.

    Parameters
    ----------
    blocks : Blocks
    seed : int
    stop : callable
        Ends the search with the best so far.
    """
    rng = np.random.default_rng(seed)
    points, mass = blocks.centroid, blocks.mass
    if blocks.s > _SAMPLE:
        drawn = rng.choice(blocks.s, _SAMPLE, replace=False)
        points, mass = points[drawn], mass[drawn]
    members = [_descend(points, mass, blocks.k, rng)]
    while len(members) < _STARTS and not stop():
        members.append(_descend(points, mass, blocks.k, rng))
    members.sort(key=lambda member: member.cost)
    since = 0
    for _ in range(_CHILDREN):
        members = _distinct(members)
        if since == _PATIENCE or len(members) == 1 or stop():
            break
        child = _descend(points, mass, blocks.k, rng, _cross(points, mass, members, rng))
        since = 0 if child.cost < members[0].cost * (1.0 - _ALIKE) else since + 1
        members = sorted([*members, child], key=lambda member: member.cost)[:_STARTS]
    return members[0].centers


def _descend(
    points: FloatArray,
    mass: FloatArray,
    k: int,
    rng: np.random.Generator,
    centers: FloatArray | None = None,
) -> _Member:
    """Return where k-means ends, from the given centres or from k-means++."""
    init = "k-means++" if centers is None else centers
    seed = int(rng.integers(1 << 31))
    found = plain_kmeans(points, k, seed, mass, init=init, n_init=1)
    return _Member(float(found.inertia_), found.cluster_centers_)


def _distinct(members: list[_Member]) -> list[_Member]:
    """Return the members, best first, without those that cost what the one before costs."""
    kept = members[:1]
    for member in members[1:]:
        if member.cost > kept[-1].cost * (1.0 + _ALIKE):
            kept.append(member)
    return kept


def _cross(
    points: FloatArray, mass: FloatArray, members: list[_Member], rng: np.random.Generator
) -> FloatArray:
    """Return the centres of a child of two random members."""
    i, j = rng.choice(len(members), 2, replace=False)
    from_first = rng.integers(2, size=len(members[i].centers)) == 0
    centers = mix_centers(members[i].centers, members[j].centers, from_first)
    others = np.delete(centers, rng.integers(len(centers)), axis=0)
    far = mass * cdist(points, others, "sqeuclidean").min(axis=1, initial=np.inf)
    total = float(far.sum())
    if not 0.0 < total < np.inf:  # one cluster, or all points on the other centres
        return centers
    return np.vstack([others, points[rng.choice(len(points), p=far / total)]])
