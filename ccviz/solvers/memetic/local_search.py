"""From centres to a local optimum: BLP k-means (section 3.3) or a descent of our own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.assignment import solve_assignment
from ccviz.solvers.assignment.kernels.search import SOLVED, assign
from ccviz.solvers.base import never
from ccviz.solvers.common.seeding import fill_cheapest
from ccviz.solvers.memetic import MemeticSettings
from ccviz.solvers.memetic._descent import CHAINS, EJECTIONS, RELOCATIONS, descend
from ccviz.solvers.memetic.instance import BlockData, Instance

# --------------------------------------------------------------------------------------------------
# The assignment steps of S-MDEClust (section 3.1) over blocks, and a quick step of our own.

SWIFT_NODES = 2_000  # Usual limit of the nodes that the swift step searches in a component

ANCHOR_MASS = 1e4
"""Mass at each centre in the swift step's descent, as a multiple of that of all points."""

SWIFT_GAIN = 1e-9  # Smallest gain of that descent, as a share of the spread of the data

LOOK_WORK = 200_000_000  # Sums of a descent's sweeps between two looks at ``stop``: about 1 s


def exact_step(
    instance: Instance, centers: FloatArray, warm: IntArray | None, time_limit: float
) -> IntArray | None:
    """Return labels of least cost that keep all conflicts and fill all clusters (problem 4).

    After the time limit they are the best so far, no worse than the warm ones. None if there are
    none, or none were found in time, which happens only for k - 1 centres.
    """
    structure = replace(instance.structure, k=len(centers))
    answer = solve_assignment(
        instance.costs(centers), structure, nonempty=True, warm_start=warm, time_limit=time_limit
    )
    return answer.labels if answer.found else None


def swift_step(
    instance: Instance,
    centers: FloatArray,
    feasible: IntArray,
    order: IntArray,
    stop: Callable[[], bool] = never,
    nodes: int = SWIFT_NODES,
) -> IntArray:
    """Return feasible labels of nearly least cost, fast whatever the conflicts.

    They are optimal if the search of each component ends within a number of nodes. If not, a
    descent starts from feasible labels, with a large mass at each centre that holds it in place.
    """
    costs = instance.costs(centers)
    structure = instance.structure
    outcome, labels, _ = assign(costs, structure.linked, structure.graph, feasible, nodes)
    if outcome == SOLVED:
        return fill_cheapest(labels, costs)
    inertia = ANCHOR_MASS * instance.data.mass.sum()
    tolerance = SWIFT_GAIN * instance.spread
    return _descend(instance, feasible, centers, inertia, order, CHAINS, tolerance, stop)[0]


def greedy_step(instance: Instance, centers: FloatArray) -> IntArray:
    """Return the labels of Algorithm 2: they may break conflicts."""
    labels = np.full(instance.s, -1)
    _assign_open(instance.costs(centers), instance.data, labels, -1)
    return labels


def greedy_without(instance: Instance, centers: FloatArray, removed: int) -> IntArray:
    """Return the greedy labels, the removed centre's blocks spread over the others (3.2)."""
    labels = greedy_step(instance, centers)
    labels[labels == removed] = -1
    _assign_open(instance.costs(centers), instance.data, labels, removed)
    return labels


def exact_without(
    instance: Instance, centers: FloatArray, removed: int, time_limit: float
) -> IntArray | None:
    """Return labels of least cost for the other k - 1 centres; None if they do not suffice."""
    others = np.delete(np.arange(instance.k), removed)
    if len(others) == 0:
        return None
    found = exact_step(instance, centers[others], None, time_limit)
    return None if found is None else others[found]


@njit(cache=True, entry=True)
def _assign_open(costs: FloatArray, data: BlockData, labels: IntArray, barred: int) -> None:
    """Give each block labelled -1 its cheapest centre without a conflict, or else its cheapest."""
    k = costs.shape[1]
    taken = np.zeros(k, np.bool_)
    for b in range(len(labels)):
        if labels[b] >= 0:
            continue
        taken[:] = False
        for e in range(data.start[b], data.start[b + 1]):
            if labels[data.neighbour[e]] >= 0:
                taken[labels[data.neighbour[e]]] = True
        labels[b] = _cheapest(costs[b], taken, barred)
        if labels[b] < 0:
            taken[:] = False
            labels[b] = _cheapest(costs[b], taken, barred)


@njit(cache=True)
def _cheapest(costs: FloatArray, taken: NDArray[np.bool_], barred: int) -> int:
    """Return the cheapest centre that is neither taken nor barred, -1 if none."""
    best = -1
    for c in range(len(costs)):
        if c != barred and not taken[c] and (best < 0 or costs[c] < costs[best]):
            best = c
    return best


DEPTH = {"relocations": RELOCATIONS, "ejections": EJECTIONS, "chains": CHAINS}
"""How far each descent looks."""

TOLERANCE = 1e-10  # Smallest gain that counts, relative to the objective
ROUNDING = 1e-13  # The same relative to the spread of the data: below it a gain may be rounding


@dataclass(frozen=True, eq=False)
class Member:
    """A solution of the population; always feasible."""

    labels: IntArray
    centers: FloatArray  # (k, d): The clusters' means, in the coordinates of the instance
    objective: float
    iterations: int  # Assignment steps and sweeps that its local search took


def blp_kmeans(
    instance: Instance,
    centers: FloatArray,
    feasible: IntArray,
    most_iterations: int,
    step_limit: float,
    stop: Callable[[], bool] = never,
) -> Member:
    """Alternate exact assignments and means until they no longer improve (Baumann 2020).

    `feasible` (s,): Labels for the first assignment to start from.
    """
    best: Member | None = None
    for iteration in range(1, most_iterations + 1):
        labels = exact_step(instance, centers, feasible, step_limit)
        assert labels is not None  # a feasible clustering exists
        member = member_of(instance, labels, iteration)
        if best is not None and member.objective >= best.objective:
            return replace(best, iterations=iteration)
        best, centers, feasible = member, member.centers, labels
        if stop():
            break
    assert best is not None
    return best


def _descend(
    instance: Instance,
    labels: IntArray,
    anchor: FloatArray,
    inertia: float,
    order: IntArray,
    depth: int,
    tolerance: float,
    stop: Callable[[], bool],
) -> tuple[IntArray, int]:
    """Descend to a local optimum, or until ``stop`` returns true; it is asked between two legs."""
    leg, sweeps = 1 + LOOK_WORK // (instance.s * anchor.size), 0
    while True:
        labels, made = descend(instance.data, labels, anchor, inertia, order, depth, tolerance, leg)
        sweeps += made
        if made < leg or stop():
            return labels, sweeps


def member_of(instance: Instance, labels: IntArray, iterations: int = 0) -> Member:
    """Return a member from (s,) labels."""
    none = np.zeros((instance.k, instance.data.point.shape[1]))
    centers = instance.means(labels, none)
    return Member(labels, centers, instance.wcss(labels, centers), iterations)


# --- Crossover and mutation of S-MDEClust (sections 2 and 3.2), and the crossover of HG-means -----


def random_centers(instance: Instance, rng: np.random.Generator) -> FloatArray:
    """Return the places of k random blocks or points, each as likely as its mass."""
    drawn = instance.drawn
    share = drawn.mass / drawn.mass.sum()
    return drawn.point[rng.choice(len(share), instance.k, replace=False, p=share)]


def match_centers(centers: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the centres in the order in which they match the reference best (Kuhn 1955)."""
    return centers[linear_sum_assignment(cdist(reference, centers, "sqeuclidean"))[1]]


def mix_centers(first: FloatArray, second: FloatArray, from_first: NDArray[np.bool_]) -> FloatArray:
    """Return each centre of the first, or the one of the second that matches it (HG-means)."""
    return np.where(from_first[:, None], first, match_centers(second, first))


def crossover(
    first: FloatArray, second: FloatArray, third: FloatArray, scale: float, reference: str = "first"
) -> FloatArray:
    """Return first + scale (second - third), the centres of two matched to the reference's."""
    to = first if reference == "first" else third
    first, second, third = (match_centers(each, to) for each in (first, second, third))
    return first + scale * (second - third)


def relocate_center(
    instance: Instance,
    centers: FloatArray,
    removed: int,
    labels: IntArray | None,
    alpha: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Put a removed centre where the others are far, onto a block or a point (Algorithm 3).

    `labels` (s,): The assignment to the k - 1 others. If it failed, every point is as likely as any
    other. `alpha`: How much distance counts, 0 to 1.
    """
    drawn = instance.drawn
    share = drawn.mass / drawn.mass.sum()
    if labels is not None:
        far = drawn.mass * np.linalg.norm(drawn.point - centers[labels[drawn.block]], axis=1)
        if far.sum() > 0:
            share = (1.0 - alpha) * share + alpha * far / far.sum()
    mutant = centers.copy()
    mutant[removed] = drawn.point[rng.choice(len(share), p=share / share.sum())]
    return mutant


# --- One solution of S-MDEClust from its parents: a pure function, for any executor ---------------


@dataclass(frozen=True, eq=False)
class Mating:
    """Three parents and the probability that their offspring mutates."""

    parents: tuple[Member, Member, Member]
    mutation_rate: float


def initial_member(
    instance: Instance,
    settings: MemeticSettings,
    seed: np.random.SeedSequence,
    stop: Callable[[], bool] = never,
) -> Member:
    """Return a member of a first population: random centres, then the local search."""
    rng = np.random.default_rng(seed)
    centers = random_centers(instance, rng)
    return _improve(instance, settings, centers, instance.feasible, rng, stop)


def breed(
    instance: Instance,
    settings: MemeticSettings,
    mating: Mating,
    seed: np.random.SeedSequence,
    stop: Callable[[], bool] = never,
) -> Member:
    """Return an offspring: crossover, maybe mutation, local search (Algorithm 1, lines 6 to 9)."""
    rng = np.random.default_rng(seed)
    first, second, third = mating.parents
    scale = rng.uniform(settings.scale_low, settings.scale_high)
    centers = crossover(first.centers, second.centers, third.centers, scale, settings.matching)
    if rng.random() < mating.mutation_rate:
        centers = _mutate(instance, settings, centers, rng)
    if settings.offspring == "means" and settings.assignment == "greedy":
        # The local search begins with the means of a membership that may break conflicts.
        centers = instance.means(greedy_step(instance, centers), centers)
    return _improve(instance, settings, centers, first.labels, rng, stop)


def _mutate(
    instance: Instance, settings: MemeticSettings, centers: FloatArray, rng: np.random.Generator
) -> FloatArray:
    removed = int(rng.integers(instance.k))
    labels: IntArray | None
    if settings.assignment == "exact":
        labels = exact_without(instance, centers, removed, settings.step_limit)
    else:
        labels = greedy_without(instance, centers, removed)
    return relocate_center(instance, centers, removed, labels, settings.alpha, rng)


def _improve(
    instance: Instance,
    settings: MemeticSettings,
    centers: FloatArray,
    feasible: IntArray,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> Member:
    if settings.local_search == "blp-kmeans":
        return blp_kmeans(
            instance, centers, feasible, settings.local_iterations, settings.step_limit, stop
        )
    # One quick assignment step, and a descent from its labels, see `_descent`.
    order, depth = rng.permutation(instance.s), DEPTH[settings.local_search]
    labels = swift_step(instance, centers, feasible, order, stop)
    tolerance = TOLERANCE * member_of(instance, labels).objective + ROUNDING * instance.spread
    labels, sweeps = _descend(instance, labels, centers, 0.0, order, depth, tolerance, stop)
    return member_of(instance, labels, 1 + sweeps)
