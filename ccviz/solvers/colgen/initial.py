"""The first columns: clusters of k-means with exact assignments (section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ccviz.blocks import Blocks
from ccviz.links import IntArray
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs, block_means
from ccviz.solvers.seeding import seed_centers

_MOST_ROUNDS = 50
_ASSIGNMENT_S = 10.0  # a hard core that takes longer is left as it was found


def clusterings(blocks: Blocks, starts: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Yield the (s,) block labels at which BLP k-means ends, from several starts."""
    structure = structure_of(blocks)
    for _ in range(starts):
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
            centers = block_means(blocks.centroid, blocks.mass, labels, centers)
        if labels is not None:
            yield labels
