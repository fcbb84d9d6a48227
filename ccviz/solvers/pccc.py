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
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Assigned,
    CentersMoved,
    Event,
    Finished,
    IncumbentFound,
    Noted,
    Restarted,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.no_assignment import no_assignment
from ccviz.solvers.common.seeding import AUTO, AUTO_DOC, INITS, given_centers, seed_centers

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
    step_limit: float = setting(
        200.0,
        "Seconds for one assignment; then its best is taken.",
        low=0.0,
        advanced=True,
        label="Step limit, s",
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        yield from self.steps_with(FIRST_S, problem, context)

    def steps_with(self, first_s: float, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events; after some seconds the first assignment shows its best so far."""
        step = _Step(contract(problem), self.nearest, self.step_limit, first_s, context.stop)
        rng, best = context.rng, np.inf
        for restart in range(self.n_init):
            seeds = given_centers(problem, context, restart)
            if seeds is None:
                seeds = seed_centers(step.blocks, rng, self.init)
            end = yield from self._start(step, seeds, best)
            if end.lacking is not None:
                proved = end.lacking.infeasible
                yield from no_assignment(problem, proved, self.step_limit, context.stop)
                return
            best = min(best, end.objective)
        yield Finished(termination="converged", message="No step improves the objective.")

    def _start(self, step: _Step, centers: FloatArray, best: float) -> Generator[Event, None, _End]:
        """Descend, and again from moved centres as long as that helps; at last open them all."""
        end = yield from self._descend(step, centers, _NONE, best)
        while self.reposition and end.lacking is None and step.can_move and not step.stop():
            moved = step.repositioned(end)
            other = yield from self._descend(step, moved, _NONE, min(best, end.objective))
            if not other.objective < end.objective:
                break
            end = other
        opened = step.opened(end.labels)
        if not len(opened) or step.stop():
            return end
        other = yield from self._descend(step, end.centers, opened, min(best, end.objective))
        return min(end, other, key=lambda each: each.objective)

    def _descend(
        self, step: _Step, centers: FloatArray, opened: IntArray, best: float
    ) -> Generator[Event, None, _End]:
        """Assign and update in turn until the objective stops falling."""
        end, labels, waits = _End(), np.full(step.blocks.s, -1), np.isinf(best)
        yield Restarted(restart=next(step.descents))
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            answer, price = step.assign(centers, labels, opened, step.first_s if waits else np.inf)
            if waits and answer.found and not answer.proved:
                best = yield from self._at_once(step, answer.labels, centers, price, best)
                answer, price = step.assign(centers, answer.labels, opened, np.inf)
            waits = False
            if not answer.found:
                return _End(lacking=answer)
            if step.stop() and not answer.proved:
                yield from self._at_once(step, answer.labels, centers, price, best)
                break
            if not answer.proved:
                yield Noted(text=f"Assignment {iteration} is not proved best for its centres.")
            lifted = step.blocks.lift(answer.labels)
            moved = int(step.blocks.count[answer.labels != labels].sum())
            total = price * answer.objective
            yield Assigned(iteration=iteration, labels=lifted, objective=total, moved=moved)
            labels, centers = answer.labels, step.means(answer.labels, centers)
            objective = step.objective(labels, centers, price)
            if not objective < end.objective:
                break
            end = _End(objective, labels, centers)
            yield CentersMoved(iteration=iteration, centers=centers)
            if objective < best:
                yield IncumbentFound(labels=lifted, source=self.name, objective=objective)
        return end

    def _at_once(
        self, step: _Step, labels: IntArray, centers: FloatArray, price: float, best: float
    ) -> Generator[Event, None, float]:
        """Yield what a step has found before it ends if it is better; return the best objective."""
        objective = step.objective(labels, step.means(labels, centers), price)
        if objective < best:
            lifted = step.blocks.lift(labels)
            yield IncumbentFound(labels=lifted, source=self.name, objective=objective)
        return min(objective, best)


FIRST_S = 1.0
"""Usual number of seconds until the first assignment shows its best so far."""

_NONE = np.zeros(0, dtype=np.int64)
_STRIP = 1 << 14  # objects whose nearest centres are searched at a time


@dataclass(frozen=True, eq=False)
class _End:
    """Where a descent ended: objective, labels of the blocks, centres; or the lack of any."""

    objective: float = np.inf
    labels: IntArray = field(default_factory=lambda: _NONE)
    centers: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    lacking: Assignment | None = None


class _Step:
    """What stays the same in all steps, and the reduced model for given centres."""

    def __init__(
        self,
        blocks: Blocks,
        nearest: int,
        time_limit: float,
        first_s: float,
        stop: Callable[[], bool],
    ) -> None:
        # Imported here: it loads numba.
        from ccviz.solvers.assignment import structure_of

        self.blocks, self._limit, self.first_s, self.stop = blocks, time_limit, first_s, stop
        self.descents = count()
        self._structure = structure_of(blocks)
        # With more candidates than conflicts, no block is ever left without one.
        conflicts = np.bincount(blocks.conflicts.ravel(), minlength=1).max()
        self._nearest = min(blocks.k, max(nearest, int(conflicts) + 1))

    @property
    def can_move(self) -> bool:
        """Whether a centre has anywhere to go."""
        return 1 < self.blocks.k < self.blocks.s

    def assign(
        self, centers: FloatArray, labels: IntArray, opened: IntArray, step_limit: float
    ) -> tuple[Assignment, float]:
        """Return an optimal assignment of the model, its costs in units of P, and P.

        Some blocks, those opened, can go to every centre.
        """
        step_limit = min(step_limit, self._limit)
        distances = scipy.spatial.distance.cdist(self.blocks.centroid, centers)
        among = self._candidates(distances)
        price = float(distances[among].mean()) or 1.0
        among[opened] = True
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
            cost,
            self._structure,
            warm_start=labels,
            time_limit=step_limit,
            stop=self.stop,
        )

    def _filled(self, answer: Assignment, cost: FloatArray) -> Assignment:
        """Give a block to each empty cluster: no conflict is broken by that."""
        from ccviz.solvers.assignment import Assignment, objective_of
        from ccviz.solvers.common.clusters import fill_cheapest

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
        near = float(self.blocks.mass @ self._distance(labels, centers))
        return near + price * self.confidence_broken(labels)

    def _distance(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        return np.linalg.norm(self.blocks.centroid - centers[labels], axis=1)

    def confidence_broken(self, labels: IntArray) -> float:
        """Return the confidence of the broken links between blocks."""
        pairs, price = self._structure.pairs, self._structure.price
        together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
        return self._structure.constant + float(price[together].sum())

    def opened(self, labels: IntArray) -> IntArray:
        """Return the blocks with a broken soft cannot-link that had not every centre."""
        links = self.blocks.soft_cannot
        if not len(labels) or self._nearest == self.blocks.k:
            return _NONE
        together = labels[links.pairs[:, 0]] == labels[links.pairs[:, 1]]
        return np.unique(links.pairs[together])

    def repositioned(self, end: _End) -> FloatArray:
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
