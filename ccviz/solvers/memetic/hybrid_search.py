"""The loop of HG-means: offspring of random parents, survivors without clones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.events import (
    Event,
    Finished,
    GenerationEnded,
    IncumbentFound,
    Noted,
)
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, never
from ccviz.solvers.common.seeding import farthest_moves, plain_kmeans
from ccviz.solvers.memetic._relocation import (
    Annotated,
    Fit,
    assign_likeliest,
    open_fit,
    posterior_cost,
    relocate,
    variance,
)
from ccviz.solvers.memetic.evolution import spread_of
from ccviz.solvers.memetic.local_search import Member, mix_centers
from ccviz.solvers.search.workforce import Workforce, in_order

# --- Members of the population of HG-means: made, crossed and mutated as labels of points ---------

VARIANCE_SHARE = 1e-3  # Least variance of a cluster, as a share of that of all points

MOST_ACCURATE = 1.0 - 1e-6
"""Largest accuracy of a link; 1 would give a broken link an infinite price."""

MOST_SWEEPS = 200
"""Limit of the sweeps of one local search, as assigning free points by likelihood need not
converge."""

LOOK_WORK = 10_000_000  # Usual number of a sweep's sums between two calls of ``stop``


@dataclass(frozen=True, eq=False)
class Annotations:
    """Picklable values that every local search of HG-means needs."""

    data: Annotated
    k: int

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # pickled arrays come out writable
        freeze(self.data.point)

    @classmethod
    def of(cls, problem: Problem, accuracy: float) -> Annotations:
        """Return the points of a problem with all its links, each counted once."""
        must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
        ends = np.concatenate([must, cannot, must[:, ::-1], cannot[:, ::-1]])
        kind = np.tile(np.repeat([0, 1], [len(must), len(cannot)]), 2)
        order = np.argsort(ends[:, 0], kind="stable")
        degree = np.bincount(ends[:, 0], minlength=problem.n)
        point = problem.X - problem.X.mean(axis=0)
        data = Annotated(
            point=freeze(point),
            start=np.concatenate([[0], np.cumsum(degree)]),
            neighbour=ends[order, 1],
            kind=kind[order],
            linked=np.flatnonzero(degree > 0),
            free=np.flatnonzero(degree == 0),
            accuracy=min(accuracy, MOST_ACCURATE),
            least_variance=max(VARIANCE_SHARE * float(point.var()), np.finfo(float).tiny),
        )
        return cls(data, problem.k)


def initial_member(instance: Annotations, seed: np.random.SeedSequence) -> Member:
    """Return k-means' clustering without links, as a member; no local search is made."""
    centers = _plain_centers(instance, np.random.default_rng(seed))
    labels = _nearest(instance, centers)
    cost = posterior_cost(instance.data, open_fit(instance.data, labels, instance.k))
    return Member(labels, _means(instance, labels), cost, 0)


def found(
    instance: Annotations, seed: np.random.SeedSequence, stop: Callable[[], bool] = never
) -> Member:
    """Return a member of the first population: k-means, then the local search."""
    rng = np.random.default_rng(seed)
    return _improve(instance, _plain_centers(instance, rng), rng, stop)


def cross(
    instance: Annotations,
    first: Member,
    second: Member,
    seed: np.random.SeedSequence,
    stop: Callable[[], bool] = never,
) -> Member:
    """Return an offspring: each centre from either parent, one of them relocated."""
    rng = np.random.default_rng(seed)
    coins = rng.random(instance.k) < 0.5
    centers = mix_centers(first.centers, second.centers, coins)
    centers[rng.integers(instance.k)] = instance.data.point[rng.integers(len(first.labels))]
    return _improve(instance, centers, rng, stop)


def _plain_centers(instance: Annotations, rng: np.random.Generator) -> FloatArray:
    drawn = int(rng.integers(2**31))
    kmeans = plain_kmeans(instance.data.point, instance.k, drawn, n_init=1, max_iter=200)
    centers: FloatArray = kmeans.cluster_centers_
    return centers


def _improve(
    instance: Annotations, centers: FloatArray, rng: np.random.Generator, stop: Callable[[], bool]
) -> Member:
    labels = _nearest(instance, centers)
    order = rng.permutation(instance.data.linked)
    labels, cost, sweeps = search(instance, labels, order, stop)
    return Member(labels, _means(instance, labels), cost, sweeps)


def search(
    instance: Annotations,
    labels: IntArray,
    order: IntArray,
    stop: Callable[[], bool],
    look_work: int = LOOK_WORK,
) -> tuple[IntArray, float, int]:
    """Relocate linked points by the posterior and assign free ones by likelihood, in turn.

    `labels` (n,): No cluster empty. `stop`: True once the search should end with what it has.
    `look_work`: Sums of a sweep between two calls of ``stop``.
    """
    data, k = instance.data, instance.k
    fit, sweeps, legs = open_fit(data, labels, k), 0, partial(_legs, stop, look_work)
    while sweeps < MOST_SWEEPS:
        before = sweeps
        while sweeps < MOST_SWEEPS and _relocate_linked(data, fit, order, legs):
            sweeps += 1
        while sweeps < MOST_SWEEPS and _assign_free(data, fit, legs):
            sweeps += 1
        if sweeps == before or stop():
            break
    fit = open_fit(data, fit.label, k)  # without the rounding of all those moves
    return fit.label, posterior_cost(data, fit), sweeps + 1


def _legs(
    stop: Callable[[], bool], look_work: int, points: IntArray, work: int
) -> Iterator[IntArray]:
    """Yield slices of the points, until there are none left or ``stop`` returns true.

    It is asked after `look_work` sums, of which there are `work` for a point.
    """
    step = max(1, look_work // work)
    for at in range(0, len(points), step):
        if stop():
            return
        yield points[at : at + step]


Legs = Callable[[IntArray, int], Iterator[IntArray]]


def _relocate_linked(data: Annotated, fit: Fit, order: IntArray, legs: Legs) -> bool:
    k, d = fit.total.shape
    work = k * (k + d) + len(data.neighbour) // max(1, len(order))
    moved = [relocate(data, fit, some) for some in legs(order, work)]
    return any(moved)


def _assign_free(data: Annotated, fit: Fit, legs: Legs) -> bool:
    k, d = fit.total.shape
    centers = fit.total / fit.size[:, None]
    spread = np.array([variance(r, data, fit) for r in range(k)])
    some = legs(data.free, k * d)
    moved = [assign_likeliest(data, fit, each, centers, spread) for each in some]
    return any(moved)


def _means(instance: Annotations, labels: IntArray) -> FloatArray:
    return cluster_means(instance.data.point, labels, instance.k)


def _nearest(instance: Annotations, centers: FloatArray) -> IntArray:
    """Return labels by distance; an empty cluster gets the point that is farthest from its own."""
    distance = cdist(instance.data.point, centers)
    labels = distance.argmin(axis=1)
    for point, empty in farthest_moves(labels, distance.min(axis=1), instance.k):
        labels[point] = empty
    return labels


SAME_COST = 1e-7  # Members whose costs differ by less, with the same cluster sizes, are clones


@dataclass(eq=False)
class HybridSearch:
    """One run."""

    problem: Problem
    instance: Annotations
    # survivors, population, generations: See the settings of `ccviz.solvers.hg_means`.
    survivors: int
    population: int
    generations: int
    workforce: Workforce
    context: Context
    best: Member | None = None
    local_searches: int = 0
    iterations: int = 0
    _members: list[Member] = field(default_factory=list)

    def steps(self) -> Iterator[Event]:
        """Yield the events of all generations."""
        yield from self._improved(initial_member(self.instance, self._seed(0, 0)), "k-means")
        yield from self._evolve(0, found, [(self.instance,)] * self.survivors)
        for generation in range(1, self.generations + 1):
            if self.context.stop():
                return
            yield from self._evolve(generation, cross, self._matings(generation))
        if self.best is not None and not self.context.stop():
            broken = Partition(self.problem, self.best.labels).violations
            yield Noted(
                text=f"The most probable clustering breaks {broken.must_link} of "
                f"{len(self.problem.must_link)} must-links and {broken.cannot_link} of "
                f"{len(self.problem.cannot_link)} cannot-links."
            )
            yield Finished.of("stalled")

    def _matings(self, generation: int) -> list[tuple[Any, ...]]:
        rng = np.random.default_rng(self._seed(generation))
        places = np.arange(len(self._members))
        pairs = [
            rng.choice(places, 2, replace=False) for _ in range(self.population - self.survivors)
        ]
        return [(self.instance, self._members[i], self._members[j]) for i, j in pairs]

    def _evolve(self, generation: int, make: Any, tasks: list[tuple[Any, ...]]) -> Iterator[Event]:
        seeded = [(*task, self._seed(generation, i)) for i, task in enumerate(tasks)]
        offspring: list[Member] = []
        for child in in_order(self.workforce, make, seeded, self.context.stop):
            offspring.append(child)
            self.local_searches += 1
            self.iterations += child.iterations
            yield from self._improved(child, "offspring")
        if len(offspring) == len(tasks):
            self._members, replaced = select(self._members, offspring, self.survivors)
            objectives = np.array([member.objective for member in self._members])
            yield GenerationEnded(
                generation=generation,
                objectives=objectives,
                diversity=spread_of(objectives),
                replaced=replaced,
                local_searches=self.local_searches,
                iterations=self.iterations,
            )

    def _improved(self, member: Member, source: str) -> Iterator[Event]:
        if self.best is None or member.objective < self.best.objective:
            self.best = member
            yield IncumbentFound(labels=member.labels, source=source, objective=member.objective)

    def _seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.context.seed, spawn_key=key)


def select(
    members: list[Member], offspring: list[Member], survivors: int
) -> tuple[list[Member], IntArray]:
    """Return the best members, clones last, and the place that each offspring got, -1 for none."""
    everyone = members + offspring
    ranked = sorted(range(len(everyone)), key=lambda i: everyone[i].objective)
    singular: list[int] = []
    clones: list[int] = []
    for i in ranked:
        is_clone = any(_are_clones(everyone[i], everyone[j]) for j in singular)
        (clones if is_clone else singular).append(i)
    kept = (singular + clones)[:survivors]
    replaced = np.full(len(offspring), -1)
    for place, i in enumerate(kept):
        if i >= len(members):
            replaced[i - len(members)] = place
    return [everyone[i] for i in kept], replaced


def _are_clones(first: Member, second: Member) -> bool:
    if abs(first.objective - second.objective) > SAME_COST:
        return False
    sizes, others = (np.sort(np.bincount(member.labels)) for member in (first, second))
    return bool(np.array_equal(sizes, others))
