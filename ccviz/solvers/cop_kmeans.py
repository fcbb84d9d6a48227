"""COP-k-means: k-means with greedy assignments that keep the links, or a dead end.

Wagstaff, K., Cardie, C., Rogers, S., Schrödl, S. (2001): Constrained k-means clustering with
background knowledge. ICML 2001, 577-584, Table 1.

Blocks of must-links are assigned as one, so that only cannot-links and sizes can lead to a dead
end. A start that meets one says so and is given up; the next takes the blocks in another order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Assigned,
    CentersMoved,
    DeadEnded,
    Event,
    Finished,
    IncumbentFound,
    Restarted,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.seeding import INITS, seed_centers, start_centers

if TYPE_CHECKING:
    from ccviz.solvers.assignment.greedy import Rules


@dataclass(frozen=True)
class CopKMeans(Solver):
    """K-means with greedy assignments under hard links and sizes."""

    name: ClassVar[str] = "cop-kmeans"
    title: ClassVar[str] = "COP-k-means"
    paper: ClassVar[str] = "Wagstaff, Cardie, Rogers and Schrödl (2001)"
    supports: ClassVar[Supports] = Supports(
        sizes=True, weights=True, weighted_sizes=True, start=True
    )
    group: ClassVar[str] = "Quick"
    keeps_float32: ClassVar[bool] = True

    n_init: int = setting(10, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(100, "Iterations of a start at most.", low=1, label="Most iterations")
    init: str = setting(
        "random", "How initial centres are drawn.", choices=INITS, label="First centres"
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        from ccviz.solvers.assignment import structure_of
        from ccviz.solvers.assignment.greedy import greedy_rules

        blocks, rng = contract(problem), context.rng
        rules = greedy_rules(structure_of(blocks), nonempty=True)
        first_point = np.unique(blocks.block_of, return_index=True)[1]
        best, ended = np.inf, 0
        for restart in range(self.n_init):
            yield Restarted(restart=restart)
            draw = partial(seed_centers, blocks, rng, self.init)
            centers = start_centers(problem, context, restart, draw)
            order = rng.permutation(blocks.s)
            labels, wcss = yield from self._descend(blocks, rules, order, centers, first_point)
            ended += labels is None
            if labels is not None and wcss < best:
                best = wcss
                yield IncumbentFound(labels=blocks.lift(labels), source=self.name)
        yield _finished(self.n_init, ended)

    def _descend(
        self,
        blocks: Blocks,
        rules: Rules,
        order: IntArray,
        centers: FloatArray,
        first_point: IntArray,
    ) -> Generator[Event, None, tuple[IntArray | None, float]]:
        """Assign and update in turn until nothing moves; no labels after a dead end."""
        from ccviz.solvers.assignment.greedy import greedy_step, new_bounds

        labels, bounds = np.full(blocks.s, -1), new_bounds(blocks.s, centers)
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            step = greedy_step(blocks.centroid, blocks.mass, centers, order, rules, labels, bounds)
            yield Assigned(
                iteration=iteration,
                labels=blocks.lift(step.labels),
                objective=step.objective + blocks.scatter,
                moved=int(step.moved),
            )
            if step.done < blocks.s:
                yield DeadEnded(iteration=iteration, point=int(first_point[order[step.done]]))
                return None, np.inf
            labels, centers = step.labels, step.centers
            if step.moved == 0:
                break
            yield CentersMoved(iteration=iteration, centers=centers)
        return labels, step.wcss


def _finished(starts: int, ended: int) -> Finished:
    count = f"{ended} of {starts} starts" if starts > 1 else "the start"
    if ended < starts:
        return Finished(
            termination="converged",
            message=f"Nothing moves any more; {count} met a dead end." if ended else "",
        )
    who = f"All {starts} starts" if starts > 1 else "The only start"
    return Finished(
        termination="stalled",
        message=f"{who} met a dead end; a feasible clustering may still exist.",
    )
