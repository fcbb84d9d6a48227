"""One solution of S-MDEClust from its parents: a pure function, for any executor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.memetic.assignment import exact_without, greedy_step, greedy_without
from ccviz.solvers.memetic.instance import Instance
from ccviz.solvers.memetic.local_search import (
    DEPTH,
    Member,
    blp_kmeans,
    steep_descent,
)
from ccviz.solvers.memetic.operators import crossover, random_centers, relocate_center


@dataclass(frozen=True)
class OffspringParams:
    """How a solution is made; the fields are settings of `ccviz.solvers.s_mdeclust.SMdeClust`."""

    exact: bool
    from_means: bool
    alpha: float
    scale_low: float
    scale_high: float
    matching: str
    local_search: str
    local_iterations: int
    step_limit: float


@dataclass(frozen=True, eq=False)
class Mating:
    """Three parents and the probability that their offspring mutates."""

    parents: tuple[Member, Member, Member]
    mutation_rate: float


def initial_member(
    instance: Instance, params: OffspringParams, seed: np.random.SeedSequence
) -> Member:
    """Return a member of a first population: random centres, then the local search."""
    rng = np.random.default_rng(seed)
    centers = random_centers(instance, rng)
    return _improve(instance, params, centers, instance.feasible, rng)


def breed(
    instance: Instance, params: OffspringParams, mating: Mating, seed: np.random.SeedSequence
) -> Member:
    """Return an offspring: crossover, maybe mutation, local search (Algorithm 1, lines 6 to 9)."""
    rng = np.random.default_rng(seed)
    first, second, third = mating.parents
    scale = rng.uniform(params.scale_low, params.scale_high)
    centers = crossover(first.centers, second.centers, third.centers, scale, params.matching)
    if rng.random() < mating.mutation_rate:
        centers = _mutate(instance, params, centers, rng)
    if params.from_means and not params.exact:
        # The local search begins with the means of a membership that may break conflicts.
        centers = instance.means(greedy_step(instance, centers), centers)
    return _improve(instance, params, centers, first.labels, rng)


def _mutate(
    instance: Instance, params: OffspringParams, centers: FloatArray, rng: np.random.Generator
) -> FloatArray:
    removed = int(rng.integers(instance.k))
    labels: IntArray | None
    if params.exact:
        labels = exact_without(instance, centers, removed, params.step_limit)
    else:
        labels = greedy_without(instance, centers, removed)
    return relocate_center(instance, centers, removed, labels, params.alpha, rng)


def _improve(
    instance: Instance,
    params: OffspringParams,
    centers: FloatArray,
    feasible: IntArray,
    rng: np.random.Generator,
) -> Member:
    if params.local_search == "blp-kmeans":
        return blp_kmeans(instance, centers, feasible, params.local_iterations, params.step_limit)
    return steep_descent(instance, centers, feasible, DEPTH[params.local_search], rng)
