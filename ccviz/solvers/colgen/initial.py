"""The first columns: clusters of k-means, with exact assignments or greedy ones (section 6).

With many clusters k-means misses the best clustering by per cents, and the duals of a clustering
that bad mislead: there the memetic solver comes first, where it can keep what is asked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import IncumbentFound
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs, block_means
from ccviz.solvers.base import Context
from ccviz.solvers.colgen.master import cluster_columns
from ccviz.solvers.common.seeding import seed_centers
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.start.annealing import annealed
from ccviz.solvers.start.memetic import memetic_incumbent

_MOST_ROUNDS = 50
_FEW_BLOCKS, _FEW_CLUSTERS = 200, 5  # up to here k-means finds what there is to find
_MANY_CLUSTERS = 40  # from which on a swap of centres matters to few of them;
_LEAST_WORK, _MOST_WORK = 300_000, 1_000_000  # blocks times clusters: it takes about a minute
_ASSIGNMENT_S = 1.0  # a hard core that takes longer is left as it was found, and ends the run


def best_of_cop_kmeans(
    problem: Problem, runs: int, seed: int, stop: Callable[[], bool]
) -> IntArray | None:
    """Return the (n,) labels of the best of so many runs of COP-k-means, None if all died."""
    best = None
    for event in CopKMeans(n_init=runs).steps(problem, Context(seed=seed, stop=stop)):
        if isinstance(event, IncumbentFound):
            best = event.labels
        if stop():
            break
    return best


def clustering(blocks: Blocks, rng: np.random.Generator) -> IntArray | None:
    """Return the (s,) block labels at which one run of BLP k-means ends, None if it found none."""
    structure = structure_of(blocks)
    centers = seed_centers(blocks, rng)
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


def is_thorough(problem: Problem, blocks: Blocks) -> bool:
    """Whether the memetic solver is worth its time, and can keep all that is asked."""
    large = blocks.s > _FEW_BLOCKS and blocks.k > _FEW_CLUSTERS
    return large and not problem.rules and problem.sizes is None


def best_of_memetic(
    problem: Problem, blocks: Blocks, seed: int, stop: Callable[[], bool]
) -> IntArray | None:
    """Return the (s,) block labels that the memetic solver finds, None if it found none.

    With so many clusters that a swap of centres matters to few of them, and no conflicts, swaps
    are tried after that.
    """
    labels = memetic_incumbent(problem, seed, stop=stop)
    if labels is None:
        return None
    found = blocks.project(labels)
    worth = blocks.k >= _MANY_CLUSTERS and len(blocks.conflicts) == 0
    worth = worth and _LEAST_WORK <= blocks.s * blocks.k <= _MOST_WORK
    return annealed(blocks, found, seed, stop) if worth else found


def neighbours(blocks: Blocks, labels: IntArray) -> tuple[list[np.ndarray], FloatArray]:
    """Return the clusters that one move changes, and what each block adds where it would go.

    Where the relaxation is tight and the clustering best, a block's dual lies between what it
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
