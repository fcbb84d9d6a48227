"""A good clustering to begin with: its gap is what the parts will certify."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, IncumbentFound, InfeasibilityProved
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver
from ccviz.solvers.bh_kmeans import BhKMeans
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.common.seeding import nearest_centers, plain_kmeans
from ccviz.solvers.memetic.local_search import mix_centers
from ccviz.solvers.relaxation.exchange import exchanged, needs_swaps
from ccviz.solvers.relaxation.model import relax_to_search
from ccviz.solvers.s_mdeclust import SMdeClust

_MEMETIC_WORK = 60_000  # blocks times clusters up to which the memetic solver is used
_STARTS = 5  # starts of BLP k-means for larger problems, and under sizes
_SWAPPED = 6_000  # blocks up to which all swaps of a pair are tried, under sizes or soft links

Answer = tuple[IntArray, str] | InfeasibilityProved


def staged_clusterings(
    problem: Problem, blocks: Blocks, context: Context, method: str
) -> Iterator[Answer]:
    """Yield clusterings of the blocks, (s,) labels and their source, or the proof of none.

    The first comes after an assignment or two, however many points there are. Under sizes all
    clusterings come from BLP k-means, and swaps that keep the sizes; under rules from BLP k-means
    alone. With soft links BH-kmeans takes its place. Otherwise BLP k-means starts from the centres
    of `crossed_centers`, and with cannot-links from others, too.

    `method`: Source of the clusterings after one start of BLP k-means; "auto" is the memetic solver
    where that takes seconds, else BLP k-means again. Under sizes it is always BLP k-means.
    """
    found: Answer | None = None
    first = BhKMeans() if problem.is_soft else BlpKMeans()
    for solver in (first, _thorough(method, problem, blocks)):
        if isinstance(solver, BlpKMeans) and solver is not first and _is_plain(blocks):
            centers = crossed_centers(blocks, context.seed, context.stop)
            crossed = blocks.lift(nearest_centers(blocks.centroid, centers))
            context = replace(context, labels=crossed)
        for found in _answers(solver, problem, blocks, context):
            yield found
            if isinstance(found, InfeasibilityProved) or context.stop():
                return
        if isinstance(found, tuple):  # of the solver's answers the last is the best
            labels = found[0]
            if not (blocks.rules or (needs_swaps(blocks) and blocks.s > _SWAPPED)):
                labels = exchanged(blocks, relax_to_search(blocks), labels, context.stop)
            yield labels, "exchange"
    if found is not None:
        return
    if (known := check_feasibility(problem, stop=context.stop)).labels is not None:
        yield blocks.project(known.labels), "feasibility"


def _thorough(method: str, problem: Problem, blocks: Blocks) -> Solver:
    if problem.is_soft:
        return BhKMeans(n_init=_STARTS)
    if not _is_plain(blocks):
        return BlpKMeans(n_init=_STARTS)
    if method == "memetic" or (method == "auto" and blocks.s * blocks.k <= _MEMETIC_WORK):
        return SMdeClust(restarts=0)
    return BlpKMeans(n_init=_STARTS if len(blocks.conflicts) else 1)


def _is_plain(blocks: Blocks) -> bool:
    """Whether no cluster has sizes or rules to keep."""
    return blocks.sizes is None and not blocks.rules


def _answers(
    solver: Solver, problem: Problem, blocks: Blocks, context: Context
) -> Iterator[Answer]:
    """Yield what a solver finds; if it is stopped on its way, its last assignment as well."""
    last: IntArray | None = None
    for event in solver.steps(problem, replace(context, history=())):
        match event:
            case Assigned():
                last = blocks.project(event.labels)
            case IncumbentFound():
                last = None
                yield blocks.project(event.labels), solver.name
            case InfeasibilityProved():
                yield event
        if context.stop():
            break
    if last is not None:
        yield last, solver.name


# --- Centres of a good k-means clustering of many blocks, by crossing good ones -------------------
#
# The search of HG-means (Gribel and Vidal 2019) with k-means as its local search. A child takes a
# centre of each pair of its parents' matched centres; then one of its centres moves to a block that
# is far from the others. Links are ignored but for must-links, whose blocks are weighted points.
# `benchmarks/results/first_clustering.md` compares the search with five starts of k-means.

_CROSSING_STARTS = 10  # Members of the population, from k-means++
_CHILDREN = 100  # Largest number of children
_PATIENCE = 30  # Children in a row without a new best that end the search
_ALIKE = 1e-4  # Relative difference of costs below which members count as one
_SAMPLE = 100_000  # Largest number of blocks; of more blocks a sample is drawn


@dataclass(frozen=True, eq=False)
class _Member:
    cost: float
    centers: FloatArray


def crossed_centers(blocks: Blocks, seed: int, stop: Callable[[], bool]) -> FloatArray:
    """Return (k, d) centres of the best clustering found.

    `stop`: Ends the search with the best so far.
    """
    rng = np.random.default_rng(seed)
    points, mass = blocks.centroid, blocks.mass
    if blocks.s > _SAMPLE:
        drawn = rng.choice(blocks.s, _SAMPLE, replace=False)
        points, mass = points[drawn], mass[drawn]
    members = [_descend(points, mass, blocks.k, rng)]
    while len(members) < _CROSSING_STARTS and not stop():
        members.append(_descend(points, mass, blocks.k, rng))
    members.sort(key=lambda member: member.cost)
    since = 0
    for _ in range(_CHILDREN):
        members = _distinct(members)
        if since == _PATIENCE or len(members) == 1 or stop():
            break
        child = _descend(points, mass, blocks.k, rng, _cross(points, mass, members, rng))
        since = 0 if child.cost < members[0].cost * (1.0 - _ALIKE) else since + 1
        members = sorted([*members, child], key=lambda member: member.cost)[:_CROSSING_STARTS]
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
