"""PCCC: k-means under certain links and links of any confidence, with small assignment models.

P. Baumann, D. S. Hochbaum: An algorithm for clustering with confidence-based must-link and
cannot-link constraints (INFORMS Journal on Computing 37, 2025; arXiv 2212.14437).

The weight of a link is its confidence, from 0 to 1 in the paper, and a hard link is certain.
Blocks of certain must-links become single objects, weighted by their points. The distances are
Euclidean, not squared, and a broken link of confidence w costs P w, where P is the mean distance
in the model of that step: there each object can go to its q nearest centres only, and to as many
as it takes to keep its cannot-links. When a descent has ended, the centre of the best cluster
(least confidence broken, then least inertia) is put on that of the worst one, as long as this
leads to a better end. At last every centre is open to the objects whose links are still broken.

Two things differ: a step is solved by our own code (see `ccviz.solvers.assignment`) and not by
Gurobi; and where the nearest centres leave no assignment, all centres are tried before it is said
that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Event, Restarted
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.bh_kmeans import FIRST_S, End, Step, all_starts, descend
from ccviz.solvers.common.hard_links import impossible_at_once, step_limit_setting
from ccviz.solvers.common.seeding import AUTO, AUTO_DOC, INITS, seed_centers

if TYPE_CHECKING:
    from ccviz.solvers.assignment import Assignment


@dataclass(frozen=True)
class Pccc(Solver):
    """K-means under hard links and soft ones, whose weight is their confidence."""

    name: ClassVar[str] = "pccc"
    title: ClassVar[str] = "PCCC"
    paper: ClassVar[str] = "Baumann and Hochbaum (2023)"
    supports: ClassVar[Supports] = Supports(
        soft=True, sizes=True, sums=True, weights=True, weighted_sizes=True, start=True
    )
    group: ClassVar[str] = "Noisy links"
    keeps_float32: ClassVar[bool] = True

    nearest: int = setting(
        5, "Centres q that a block can go to, the nearest ones.", low=1, label="Nearest centres"
    )
    reposition: bool = setting(
        True, "Whether centres are moved after a descent, to begin again.", label="Move centres"
    )
    n_init: int = setting(1, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(300, "Iterations of a descent at most.", low=1, label="Most iterations")
    init: str = setting(AUTO, AUTO_DOC, choices=(AUTO, *INITS), label="First centres")
    step_limit: float = step_limit_setting(200.0)

    def steps(
        self, problem: Problem, context: Context, first_s: float = FIRST_S
    ) -> Iterator[Event]:
        """Yield the events of all starts; after `first_s` the first assignment shows its best."""
        if impossible := impossible_at_once(problem):
            yield from impossible
            return
        step = _Step(contract(problem), self.nearest, self.step_limit, first_s, context.stop)
        start = partial(self._start, step)
        draw = partial(seed_centers, step.blocks, context.rng, self.init)
        yield from all_starts(self.n_init, start, draw, step, problem, context)

    def _start(
        self, step: _Step, number: int, centers: FloatArray, best: float
    ) -> Generator[Event, None, End]:
        """Descend, and again from moved centres as long as that helps; at last open them all."""
        end = yield from self._descend(step, centers, best)
        can_move = self.reposition and 1 < step.blocks.k < step.blocks.s
        while can_move and end.lacking is None and not step.stop():
            moved = step.repositioned(end)
            other = yield from self._descend(step, moved, min(best, end.objective))
            if not other.objective < end.objective:
                break
            end = other
        step.opened = step.to_open(end.labels)
        if len(step.opened) and not step.stop():
            other = yield from self._descend(step, end.centers, min(best, end.objective))
            end = min(end, other, key=lambda each: each.objective)
        step.opened = _NONE
        return end

    def _descend(
        self, step: _Step, centers: FloatArray, best: float
    ) -> Generator[Event, None, End]:
        yield Restarted(restart=next(step.descents))
        return (yield from descend(step, centers, best, self.max_iter, self.name))


_NONE = np.zeros(0, dtype=np.int64)
_STRIP = 1 << 14  # objects whose nearest centres are searched at a time


class _Step(Step):
    """The reduced model, of single objects for blocks."""

    unproved = "is not proved best for its centres."

    def __init__(
        self,
        blocks: Blocks,
        nearest: int,
        step_limit: float,
        first_s: float,
        stop: Callable[[], bool],
    ) -> None:
        # Imported here: it loads numba.
        from ccviz.solvers.assignment import structure_of

        super().__init__(blocks, step_limit, first_s, stop)
        self.descents, self.opened = count(), _NONE  # blocks that can go to every centre
        self._structure = structure_of(blocks)
        # With more candidates than conflicts, no block is ever left without one.
        conflicts = np.bincount(blocks.conflicts.ravel(), minlength=1).max()
        self._nearest = min(blocks.k, max(nearest, int(conflicts) + 1))

    def assign(
        self, centers: FloatArray, labels: IntArray, step_limit: float
    ) -> tuple[Assignment, float]:
        """Return an optimal assignment of the model, its costs in units of P, and P."""
        step_limit = min(step_limit, self.step_limit)
        distances = scipy.spatial.distance.cdist(self.blocks.centroid, centers)
        among = self._candidates(distances)
        price = float(distances[among].mean()) or 1.0
        among[self.opened] = True
        full = distances  # in its place: of many objects it is much of the memory
        full *= self.blocks.mass[:, None]
        full /= price
        answer = self._solve(np.where(among, full, np.inf), labels, step_limit)
        if not answer.found and not among.all():
            answer = self._solve(full, labels, step_limit)
        return (self._filled(answer, full) if answer.found else answer), price

    def _candidates(self, distances: FloatArray) -> NDArray[np.bool_]:
        among = np.zeros(distances.shape, dtype=bool)
        for at in range(0, len(distances), _STRIP):
            order = np.argpartition(distances[at : at + _STRIP], self._nearest - 1, axis=1)
            near = order[:, : self._nearest]
            np.put_along_axis(among[at : at + _STRIP], near, values=True, axis=1)
        return among

    def _solve(self, cost: FloatArray, labels: IntArray, step_limit: float) -> Assignment:
        from ccviz.solvers.assignment import solve_assignment

        return solve_assignment(
            cost, self._structure, warm_start=labels, time_limit=step_limit, stop=self.stop
        )

    def _filled(self, answer: Assignment, cost: FloatArray) -> Assignment:
        """Give a block to each empty cluster: no conflict is broken by that."""
        from ccviz.solvers.assignment import Assignment, objective_of
        from ccviz.solvers.common.seeding import fill_cheapest

        if np.bincount(answer.labels, minlength=self.blocks.k).all():
            return answer
        labels = fill_cheapest(answer.labels, cost)
        objective = objective_of(labels, cost, self._structure)
        return Assignment(labels, objective, proved=False, infeasible=False)

    def means(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        """Return the mean of each cluster."""
        from ccviz.solvers.assignment.centers import block_means

        return block_means(self.blocks.centroid, self.blocks.mass, labels, centers)

    def objective(self, labels: IntArray, centers: FloatArray, price: float) -> float:
        """Return the weighted distances of the blocks to their centres, and what links cost."""
        from ccviz.solvers.assignment.centers import links_cost

        near = float(self.blocks.mass @ self._distance(labels, centers))
        return near + price * links_cost(labels, self._structure)

    def _distance(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        return np.linalg.norm(self.blocks.centroid - centers[labels], axis=1)

    def to_open(self, labels: IntArray) -> IntArray:
        """Return the blocks with a broken soft cannot-link that had not every centre."""
        links = self.blocks.soft_cannot
        if not len(labels) or self._nearest == self.blocks.k:
            return _NONE
        together = labels[links.pairs[:, 0]] == labels[links.pairs[:, 1]]
        return np.unique(links.pairs[together])

    def repositioned(self, end: End) -> FloatArray:
        """Return centres, that of the best cluster moved to that of the worst one."""
        k, labels, links = self.blocks.k, end.labels, self.blocks.soft_cannot
        ends = labels[links.pairs]
        together = ends[:, 0] == ends[:, 1]
        confidence = np.bincount(ends[together, 0], links.weights[together], k)
        square = self._distance(labels, end.centers) ** 2
        inertia = np.bincount(labels, self.blocks.mass * square, k)
        rank = np.lexsort((inertia, confidence))
        centers = end.centers.copy()
        centers[rank[0]] = centers[rank[-1]]
        return centers
