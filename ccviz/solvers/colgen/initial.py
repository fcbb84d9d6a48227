"""The first columns: clusters of k-means, with exact assignments or greedy ones (section 6)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import IncumbentFound
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs, block_means
from ccviz.solvers.base import Context
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.seeding import seed_centers

_MOST_ROUNDS = 50
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
