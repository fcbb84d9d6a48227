"""From a repaired assignment downhill: means and exact assignments in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ccviz.arrays import IntArray
from ccviz.events import Assigned, CentersMoved, Event, IncumbentFound
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs, block_means, block_wcss

STEP_S = 5.0
"""Seconds for one assignment; then its best is taken."""


def descend(blocks: Blocks, labels: IntArray, stop: Callable[[], bool]) -> Iterator[Event]:
    """Alternate means and exact assignments of the blocks while the objective falls."""
    structure = structure_of(blocks)
    first = blocks.centroid[: blocks.k].copy()
    centers = block_means(blocks.centroid, blocks.mass, labels, first)
    wcss, iteration = block_wcss(blocks.centroid, blocks.mass, labels, centers), 0
    while not stop():
        yield CentersMoved(iteration=iteration, centers=centers)
        cost = block_costs(blocks.centroid, blocks.mass, centers)
        answer = solve_assignment(
            cost, structure, nonempty=True, warm_start=labels, time_limit=STEP_S, stop=stop
        )
        if not answer.found:
            return
        moved = block_means(blocks.centroid, blocks.mass, answer.labels, centers)
        fallen = block_wcss(blocks.centroid, blocks.mass, answer.labels, moved)
        if not fallen < wcss:
            return
        iteration += 1
        yield Assigned(
            iteration=iteration,
            labels=blocks.lift(answer.labels),
            objective=answer.objective + blocks.scatter,
            moved=int(blocks.count[answer.labels != labels].sum()),
        )
        yield IncumbentFound(labels=blocks.lift(answer.labels), source="descent")
        centers, wcss, labels = moved, fallen, answer.labels
