"""The first phase of a root: clusterings, whose clusters are its first columns.

They come from k-means with exact assignments, or from COP-k-means as in the paper (section 6). With
many clusters k-means misses the best clustering by per cents, and the duals of such a clustering
mislead: there the memetic solver comes first, where it honours all constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs, block_means
from ccviz.solvers.base import Context
from ccviz.solvers.colgen.master.covering import cluster_columns
from ccviz.solvers.colgen.params import StartParams
from ccviz.solvers.colgen.partitioning.master import needs_partition
from ccviz.solvers.colgen.state import NodeInput
from ccviz.solvers.common.seeding import last_incumbent, seed_centers
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.s_mdeclust import memetic_incumbent
from ccviz.solvers.search.tree import Report
from ccviz.solvers.start.annealing import annealed

_MOST_ROUNDS = 50  # Most rounds of one run of k-means
_MOST_WITH_CONFLICTS = 500_000  # Blocks times clusters of a memetic start under conflicts
_ASSIGNMENT_S = 1.0
"""Seconds for one exact assignment. A harder one is taken as it was found, and ends the run."""


@dataclass(frozen=True, eq=False)
class StartPhase:
    """A root that still looks for its first columns."""

    found: tuple[IntArray, ...]  # (s,): Block labels
    tries: int = 0  # Runs of k-means so far


def advance_start(given: NodeInput, phase: StartPhase) -> Report:
    """Report on one run of k-means, or on all runs of COP-k-means at once."""
    blocks = contract(given.problem)
    if given.settings.first == "cop-kmeans":
        return _tried_cop(given, blocks, phase)
    task, params = given.task, given.params.start
    first = phase.tries == 0 and not task.decisions
    if first and is_thorough(given.problem, blocks, params):
        labels = best_of_memetic(given.problem, blocks, task.seed, task.stop, params)
        source = "s-mdeclust"
    else:
        rng = np.random.default_rng((task.seed, task.node, phase.tries))
        labels, source = clustering(blocks, rng), "k-means"
    found = phase.found if labels is None else (*phase.found, labels)
    return _started(given, blocks, StartPhase(found, phase.tries + 1), source)


def _tried_cop(given: NodeInput, blocks: Blocks, phase: StartPhase) -> Report:
    """Report on COP-k-means, of which only the best run counts, as in the paper."""
    task, runs = given.task, given.settings.starts
    context = Context(seed=task.seed, stop=task.stop)
    labels = last_incumbent(CopKMeans(n_init=runs).steps(given.problem, context), task.stop)
    found = phase.found if labels is None else (blocks.project(labels),)
    return _started(given, blocks, StartPhase(found, runs), "cop-kmeans")


def _started(given: NodeInput, blocks: Blocks, phase: StartPhase, source: str) -> Report:
    candidates = [Partition(given.problem, blocks.lift(labels)) for labels in phase.found]
    allowed = [partition for partition in candidates if partition.violations.none_hard]
    best = min(allowed, key=lambda partition: partition.objective).labels if allowed else None
    bound = max(given.task.lower_bound, blocks.scatter)
    return Report("go on", bound, labels=best, source=source, state=phase)


def clustering(blocks: Blocks, rng: np.random.Generator) -> IntArray | None:
    """Return the (s,) block labels at which one run of BLP k-means ends, None if it found none."""
    return clustering_from(blocks, seed_centers(blocks, rng))


def clustering_from(blocks: Blocks, centers: FloatArray) -> IntArray | None:
    """Return the (s,) block labels at which BLP k-means from (k, d) centres ends, or None."""
    structure = structure_of(blocks)
    labels: IntArray | None = None
    for _ in range(_MOST_ROUNDS):
        answer = solve_assignment(
            block_costs(blocks.centroid, blocks.mass, centers),
            structure,
            nonempty=True,
            warm_start=labels,
            time_limit=_ASSIGNMENT_S,
        )
        if not answer.found:
            break
        if labels is not None and (answer.labels == labels).all():
            break
        labels = np.array(answer.labels)
        if not answer.proved:
            break
        centers = block_means(blocks.centroid, blocks.mass, labels, centers)
    return labels


def is_thorough(problem: Problem, blocks: Blocks, params: StartParams) -> bool:
    """Whether the memetic solver pays off, and honours all constraints."""
    large = blocks.s > params.memetic_blocks and blocks.k > params.memetic_clusters
    # A local search under conflicts looks at no limit before its end, some seconds beyond this.
    large &= len(blocks.conflicts) == 0 or blocks.s * blocks.k <= _MOST_WITH_CONFLICTS
    return large and not problem.rules and not needs_partition(problem)


def best_of_memetic(
    problem: Problem, blocks: Blocks, seed: int, stop: Callable[[], bool], params: StartParams
) -> IntArray | None:
    """Return the (s,) block labels that the memetic solver finds, None if it found none.

    With many clusters a swap of centres concerns few of them: without conflicts, swaps are tried
    after that.
    """
    labels = memetic_incumbent(problem, seed, stop=stop)
    if labels is None:
        return None
    found = blocks.project(labels)
    swaps = blocks.k >= params.swap_clusters and len(blocks.conflicts) == 0
    swaps = swaps and params.least_swap_work <= blocks.s * blocks.k <= params.most_swap_work
    return annealed(blocks, found, seed, stop) if swaps else found


def counted_mass(problem: Problem, blocks: Blocks) -> FloatArray:
    """Return the (s,) masses of blocks by which first artificial costs are shared out.

    A given centre is so heavy that nothing would be left for the points, and that later costs would
    have no digits for them; it counts as much as all of them.
    """
    return np.minimum(blocks.mass, problem.n - problem.fixed) if problem.fixed else blocks.mass


def neighbours(blocks: Blocks, labels: IntArray) -> tuple[list[np.ndarray], FloatArray]:
    """Return the clusters that one move changes, and what each block adds where it would go.

    Where the relaxation is tight and the clustering optimal, a block's dual lies between what it
    saves by leaving its cluster and what it adds to the next best: the (s, s) bool columns of
    both say so to the first master, and the (s,) costs cap its duals.
    """
    clusters = cluster_columns(labels)
    home = np.argmax(clusters, axis=0)
    mass = clusters @ blocks.mass
    means = (clusters * blocks.mass) @ blocks.centroid / mass[:, None]
    added = block_costs(blocks.centroid, blocks.mass, means)
    added *= mass / (blocks.mass[:, None] + mass)
    every = np.arange(blocks.s)
    added[every, home] = np.inf
    near = np.argmin(added, axis=1)
    joined, left = clusters[near], clusters[home]
    joined[every, every] = True
    left[every, every] = False
    costs = added[every, near]
    left = left[left.any(axis=1)]
    if len(clusters) == 1:
        return [left], np.zeros(blocks.s)
    return [joined, left], costs
