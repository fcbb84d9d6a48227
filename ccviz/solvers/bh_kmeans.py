"""BH-kmeans: k-means whose assignment step weighs distances against broken soft links.

P. Baumann, D. S. Hochbaum: A k-means algorithm for clustering with soft must-link and cannot-link
constraints (ICPRAM 2022), with the extension that its section 6 announces: a weight for each
link, a subset of hard links whose must-links are contracted to blocks, and a reduced assignment
model (see `ccviz.solvers.assignment`).

The distances are Euclidean, not squared. A broken link of weight w costs M p w, where M is the
largest distance of any point to any centre, computed in each step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy
from scipy.sparse import coo_array

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
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.no_assignment import no_assignment
from ccviz.solvers.common.seeding import AUTO, AUTO_DOC, INITS, given_centers, seed_centers
from ccviz.solvers.common.softening import soften

if TYPE_CHECKING:
    from ccviz.solvers.assignment import Assignment

FIRST_S = 1.0
"""Usual number of seconds until the first assignment shows its best so far."""


@dataclass(frozen=True)
class BhKMeans(Solver):
    """K-means with exact assignments under soft and hard links and sizes."""

    name: ClassVar[str] = "bh-kmeans"
    title: ClassVar[str] = "BH-kmeans"
    paper: ClassVar[str] = "Baumann and Hochbaum (2022)"
    supports: ClassVar[Supports] = Supports(
        soft=True, sizes=True, sums=True, weights=True, weighted_sizes=True, start=True
    )
    group: ClassVar[str] = "Noisy links"
    keeps_float32: ClassVar[bool] = True

    p: float = setting(
        1.0,
        "Price of a broken link of weight 1, in largest distances.",
        low=0.0,
        label="Price of a link",
    )
    links: str = setting(
        "as given",
        "Whether hard links stay hard, or count as soft ones of weight 1 as in the paper.",
        choices=("as given", "soft"),
        label="Hard links",
    )
    n_init: int = setting(1, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(300, "Iterations of a start at most.", low=1, label="Most iterations")
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
        softened = soften(problem) if self.links == "soft" else problem
        step = _Step(softened, self.p, self.step_limit, first_s, context.stop)
        rng, best = context.rng, np.inf
        for restart in range(self.n_init):
            if self.n_init > 1:
                yield Restarted(restart=restart)
            seeds = given_centers(problem, context, restart)
            if seeds is None:
                seeds = seed_centers(step.blocks, rng, self.init)
            end = yield from self._descend(step, seeds, best)
            if end.answer is not None:
                proved = end.answer.infeasible
                yield from no_assignment(problem, proved, self.step_limit, context.stop)
                return
            best = min(best, end.objective)
        yield Finished(termination="converged", message="No step improves the objective.")

    def _descend(
        self, step: _Step, centers: FloatArray, best: float
    ) -> Generator[Event, None, _End]:
        """Assign and update in turn until OFV, the objective (1), stops falling."""
        end, labels, waits = _End(np.inf), np.full(step.blocks.s, -1), np.isinf(best)
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            answer, total = step.assign(centers, labels, step.first_s if waits else np.inf)
            if waits and answer.found and not answer.proved:
                best = yield from self._at_once(step, answer.labels, best)
                answer, total = step.assign(centers, answer.labels, np.inf)
            waits = False
            if not answer.found:
                return _End(end.objective, answer)
            if step.stop() and not answer.proved:
                yield from self._at_once(step, answer.labels, best)
                break
            if not answer.proved:
                yield Noted(text=f"Assignment {iteration} is the best of {self.step_limit:g} s.")
            lifted = step.blocks.lift(answer.labels)
            moved = int(step.blocks.count[answer.labels != labels].sum())
            yield Assigned(iteration=iteration, labels=lifted, objective=total, moved=moved)
            labels, centers = answer.labels, step.means(lifted)
            objective = step.objective(centers, lifted)
            if not objective < end.objective:  # OFV_{t-1} - OFV_t is not positive
                break
            end = _End(objective)
            yield CentersMoved(iteration=iteration, centers=centers)
            if objective < best:
                yield IncumbentFound(labels=lifted, source=self.name, objective=objective)
        return end

    def _at_once(self, step: _Step, labels: IntArray, best: float) -> Generator[Event, None, float]:
        """Yield what a step has found before it ends if it is better; return the best objective."""
        lifted = step.blocks.lift(labels)
        centers = step.means(lifted)
        objective = step.objective(centers, lifted)
        if objective < best:
            yield IncumbentFound(labels=lifted, source=self.name, objective=objective)
        return min(objective, best)


@dataclass(frozen=True, eq=False)
class _End:
    """Where a start ended: the best OFV, and the assignment that broke it off, if one did."""

    objective: float
    answer: Assignment | None = None


class _Step:
    """The assignment step: what stays the same in all of them, and the model for given centres."""

    def __init__(
        self,
        problem: Problem,
        p: float,
        step_limit: float,
        first_s: float,
        stop: Callable[[], bool],
    ) -> None:
        # Imported here: it loads numba.
        from ccviz.solvers.assignment import structure_of

        self.problem, self.p, self.stop = problem, p, stop
        self.step_limit, self.first_s = step_limit, first_s
        self.blocks = contract(problem)
        self.structure = structure_of(self.blocks if p > 0 else without_soft_links(self.blocks))
        self.weights = problem.masses
        one = (self.weights, (self.blocks.block_of, np.arange(problem.n)))
        self.membership = coo_array(one, shape=(self.blocks.s, problem.n)).tocsr()

    def assign(
        self, centers: FloatArray, labels: IntArray, step_limit: float
    ) -> tuple[Assignment, float]:
        """Return an optimal assignment for the centres and its objective (1).

        All costs are divided by M p: so the links keep their prices, and what was worked out
        from them serves every step.
        """
        from ccviz.solvers.assignment import solve_assignment

        cost, price = self._model(centers)
        if self.blocks.s < self.problem.n or self.problem.weights is not None:
            cost = self.membership @ cost
        cost /= price
        answer = solve_assignment(
            cost,
            self.structure,
            nonempty=True,
            warm_start=labels,
            time_limit=min(step_limit, self.step_limit),
            stop=self.stop,
        )
        return answer, price * answer.objective + self._broken_inside(price)

    def means(self, labels: IntArray) -> FloatArray:
        """Return the mean of each cluster of points."""
        return cluster_means(self.problem.X, labels, self.problem.k, self.problem.weights)

    def objective(self, centers: FloatArray, labels: IntArray) -> float:
        """Return OFV: the objective (1) of labels at the centres, with the M of these centres."""
        distances, price = self._model(centers)
        near = float(self.weights @ distances[np.arange(len(labels)), labels])
        return near + (price * Partition(self.problem, labels).penalty if self.p > 0 else 0.0)

    def _model(self, centers: FloatArray) -> tuple[FloatArray, float]:
        """Return (n, k) distances and the price M p of a broken link; 1 where links are free."""
        distances = scipy.spatial.distance.cdist(self.problem.X, centers)
        return distances, float(distances.max()) * self.p or 1.0

    def _broken_inside(self, price: float) -> float:
        return price * self.blocks.penalty if self.p > 0 else 0.0


def without_soft_links(blocks: Blocks) -> Blocks:
    """Return the blocks with their hard links only."""
    none = Links(np.empty((0, 2), dtype=np.int64), np.empty(0))
    return replace(blocks, soft_must=none, soft_cannot=none)
