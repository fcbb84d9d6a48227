"""BH-kmeans: k-means whose assignment step weighs distances against broken soft links.

P. Baumann, D. S. Hochbaum: A k-means algorithm for clustering with soft must-link and cannot-link
constraints (ICPRAM 2022), with the extension that its section 6 announces: a weight for each
link, a subset of hard links whose must-links are contracted to blocks, and a reduced assignment
model (see `ccviz.solvers.assignment`).

The distances are Euclidean, not squared. A broken link of weight w costs M p w, where M is the
largest distance of any point to any centre, computed in each step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy
from scipy.sparse import coo_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, CentersMoved, Event, IncumbentFound, Noted, Restarted
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import (
    NO_LINKS,
    impossible_at_once,
    no_assignment,
    no_gain,
    soften,
    step_limit_setting,
)
from ccviz.solvers.common.seeding import AUTO, AUTO_DOC, INITS, seed_centers, start_centers

if TYPE_CHECKING:
    from ccviz.solvers.assignment import Assignment

FIRST_S = 1.0  # Usual number of seconds until the first assignment shows its best so far


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
    step_limit: float = step_limit_setting(200.0)

    def steps(
        self, problem: Problem, context: Context, first_s: float = FIRST_S
    ) -> Iterator[Event]:
        """Yield the events of all starts; after `first_s` the first assignment shows its best."""
        softened = soften(problem) if self.links == "soft" else problem
        if impossible := impossible_at_once(softened):
            yield from impossible
            return
        step = _Step(softened, self.p, self.step_limit, first_s, context.stop)

        def start(number: int, seeds: FloatArray, best: float) -> Generator[Event, None, End]:
            if self.n_init > 1:
                yield Restarted(restart=number)
            return (yield from descend(step, seeds, best, self.max_iter, self.name))

        draw = partial(seed_centers, step.blocks, context.rng, self.init)
        yield from all_starts(self.n_init, start, draw, step, problem, context)


# --- The descent that BH-kmeans and PCCC share ----------------------------------------------------


@dataclass(frozen=True, eq=False)
class End:
    """Where a descent ended: objective, labels of the blocks, centres; or the lack of any."""

    objective: float = np.inf
    labels: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    centers: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    lacking: Assignment | None = None


class Step(ABC):
    """What stays the same in all steps, and the model of a step for given centres."""

    unproved: str  # What is said of an assignment that is not proved optimal, after its number
    paid_inside = 0.0  # Weight of the links that are broken inside blocks
    was_cut = False  # Whether the time limit ended an assignment

    def __init__(
        self, blocks: Blocks, step_limit: float, first_s: float, stop: Callable[[], bool]
    ) -> None:
        self.blocks, self.step_limit, self.first_s, self.stop = blocks, step_limit, first_s, stop

    @abstractmethod
    def assign(
        self, centers: FloatArray, labels: IntArray, step_limit: float
    ) -> tuple[Assignment, float]:
        """Return an optimal assignment, its costs in units of a price, and that price."""

    @abstractmethod
    def means(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        """Return the mean of each cluster."""

    @abstractmethod
    def objective(self, labels: IntArray, centers: FloatArray, price: float) -> float:
        """Return the objective of labels of the blocks at the centres."""


def all_starts(
    count: int,
    start: Callable[[int, FloatArray, float], Generator[Event, None, End]],
    draw: Callable[[], FloatArray],
    step: Step,
    problem: Problem,
    context: Context,
) -> Iterator[Event]:
    """Yield the events of a number of starts, and the end of the run.

    `start`: Of its number, first centres and the best objective so far. `draw`: Returns centres.
    """
    best = np.inf
    for number in range(count):
        seeds = start_centers(problem, context, number, draw)
        end = yield from start(number, seeds, best)
        if end.lacking is not None:
            proved = end.lacking.infeasible
            yield from no_assignment(problem, proved, step.step_limit, context.stop)
            return
        best = min(best, end.objective)
    yield no_gain(step.was_cut, step.step_limit)


def descend(
    step: Step, centers: FloatArray, best: float, max_iter: int, source: str
) -> Generator[Event, None, End]:
    """Assign and update in turn until the objective stops falling."""
    end, labels, waits = End(), np.full(step.blocks.s, -1), np.isinf(best)
    yield CentersMoved(iteration=0, centers=centers)
    for iteration in range(1, max_iter + 1):
        answer, price = step.assign(centers, labels, step.first_s if waits else np.inf)
        if waits and answer.found and not answer.proved:
            best = yield from _at_once(step, answer.labels, centers, price, best, source)
            answer, price = step.assign(centers, answer.labels, np.inf)
        waits = False
        if not answer.found:
            return End(lacking=answer)
        step.was_cut |= answer.cut
        if step.stop() and not answer.proved:
            yield from _at_once(step, answer.labels, centers, price, best, source)
            break
        if not answer.proved:
            yield Noted(text=f"Assignment {iteration} {step.unproved}")
        lifted = step.blocks.lift(answer.labels)
        moved = int(step.blocks.count[answer.labels != labels].sum())
        total = price * answer.objective + price * step.paid_inside
        yield Assigned(iteration=iteration, labels=lifted, objective=total, moved=moved)
        labels, centers = answer.labels, step.means(answer.labels, centers)
        objective = step.objective(labels, centers, price)
        if not objective < end.objective:
            break
        end = End(objective, labels, centers)
        yield CentersMoved(iteration=iteration, centers=centers)
        if objective < best:
            yield IncumbentFound(labels=lifted, source=source, objective=objective)
    return end


def _at_once(
    step: Step, labels: IntArray, centers: FloatArray, price: float, best: float, source: str
) -> Generator[Event, None, float]:
    """Yield what a step has found before it ends if it is better; return the best objective."""
    objective = step.objective(labels, step.means(labels, centers), price)
    if objective < best:
        lifted = step.blocks.lift(labels)
        yield IncumbentFound(labels=lifted, source=source, objective=objective)
    return min(objective, best)


class _Step(Step):
    """The step with Euclidean distances of single points, and the objective (1), OFV."""

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

        super().__init__(contract(problem), step_limit, first_s, stop)
        self.problem, self.p = problem, p
        self.unproved = f"is the best of {step_limit:g} s."
        self.paid_inside = self.blocks.penalty if p > 0 else 0.0
        hard = replace(self.blocks, soft_must=NO_LINKS, soft_cannot=NO_LINKS)
        self.structure = structure_of(self.blocks if p > 0 else hard)
        self.weights = problem.masses
        one = (self.weights, (self.blocks.block_of, np.arange(problem.n)))
        self.membership = coo_array(one, shape=(self.blocks.s, problem.n)).tocsr()

    def assign(
        self, centers: FloatArray, labels: IntArray, step_limit: float
    ) -> tuple[Assignment, float]:
        """Return an optimal assignment for the centres, its costs divided by M p, and M p.

        So the links keep their prices, and what was worked out from them serves every step.
        """
        from ccviz.solvers.assignment import solve_assignment

        cost, price = self._model(centers)
        if self.blocks.s < self.problem.n or self.problem.weights is not None:
            cost = self.membership @ cost
        cost /= price
        answer = solve_assignment(
            cost, self.structure, nonempty=True, warm_start=labels,
            time_limit=min(step_limit, self.step_limit), stop=self.stop,
        )  # fmt: skip
        return answer, price

    def means(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        """Return the mean of each cluster of points."""
        X, labels = self.problem.X, self.blocks.lift(labels)
        return cluster_means(X, labels, self.problem.k, self.problem.weights)

    def objective(self, labels: IntArray, centers: FloatArray, price: float) -> float:
        """Return OFV: the objective (1) of labels at the centres, with the M of these centres."""
        (distances, price), labels = self._model(centers), self.blocks.lift(labels)
        near = float(self.weights @ distances[np.arange(len(labels)), labels])
        return near + (price * Partition(self.problem, labels).penalty if self.p > 0 else 0.0)

    def _model(self, centers: FloatArray) -> tuple[FloatArray, float]:
        """Return (n, k) distances and the price M p of a broken link; 1 where links are free."""
        distances = scipy.spatial.distance.cdist(self.problem.X, centers)
        return distances, float(distances.max()) * self.p or 1.0
