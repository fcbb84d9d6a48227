"""The ℓp-box splitting of Bibi, Wu and Ghanem (2019): its variables, and the solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Assigned,
    CentersMoved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    Noted,
    ResidualsUpdated,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import impossible_at_once
from ccviz.solvers.common.seeding import plain_kmeans
from ccviz.solvers.lp_box.admm import CoupledSplitting, Splitting

if TYPE_CHECKING:
    from ccviz.solvers.assignment.centers import Assignment

LOOK_BACK = 10  # Iterations over which the objective may not change

REPAIR_S, STEP_S = 20.0, 5.0
"""Seconds for one repair, and for one assignment after it; then its best is taken."""

DIVERGED = 1e6  # Primal residual a point from which no splitting comes back


@dataclass(frozen=True)
class LpBox(Solver):
    """The ℓp-box ADMM with pairs and sizes."""

    name: ClassVar[str] = "lp-box"
    title: ClassVar[str] = "ℓp-box ADMM"
    paper: ClassVar[str] = "Bibi, Wu and Ghanem (2019)"
    supports: ClassVar[Supports] = Supports(hard=True, sizes=True)

    start: str = setting(
        "k-means",
        "First assignment: of one k-means run, or random.",
        choices=("k-means", "random"),
        label="First assignment",
    )
    rho: float = setting(0.1, "First penalty, in its unit.", low=1e-6, label="Penalty ρ")
    unit: str = setting(
        "data",
        "Unit of the penalty: the mean squared distance of the points to their mean, or one.",
        choices=("data", "one"),
        advanced=True,
        label="Unit of ρ",
    )
    growth: float = setting(
        1.1, "Factor of the penalty's growth.", low=1.0, high=10.0, label="Growth of ρ"
    )
    every: int = setting(5, "Iterations from one growth to the next.", low=1, label="Growth every")
    stillness: float = setting(
        1e-5, "Stop once ten objectives have no larger standard deviation.", low=0.0, advanced=True
    )
    max_iterations: int = setting(1500, "Iterations at most.", low=1, label="Most iterations")
    coupling: str = setting(
        "exact",
        "How means follow the assignment: exactly, or by a penalty as in the paper.",
        choices=("exact", "split"),
        advanced=True,
        label="Coupling of means",
    )
    descent: bool = setting(
        True, "Improve the repaired answer by exact assignments and means.", label="Final descent"
    )
    show_every: int = setting(
        5, "Iterations from one picture of x to the next.", low=1, label="Iterations a picture"
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        if impossible := impossible_at_once(problem):
            yield from impossible
            return
        splitting = self._start(problem, context.seed)
        if self.descent and self.coupling == "exact":  # not as printed: one that is stopped answers
            first = _repaired(problem, splitting.x, context.stop)
            if first.infeasible:
                yield from _impossible()
                return
            if first.found:
                yield IncumbentFound(labels=contract(problem).lift(first.labels), source="start")
        objectives: list[float] = []
        for iteration in range(self.max_iterations):
            if context.stop():
                return
            splitting.iterate()
            if not splitting.primal_residual < DIVERGED * problem.n:
                yield Finished(termination="stalled", message="The splitting diverged.")
                return
            objectives.append(splitting.objective)
            still = len(objectives) > LOOK_BACK and (
                np.std(objectives[-LOOK_BACK:]) <= self.stillness
            )
            yield self._residuals(problem, splitting, iteration, last=bool(still))
            if still:
                break
            if (iteration + 1) % self.every == 0:
                splitting.rho *= self.growth
        yield from self._answer(problem, splitting, bool(still), context.stop)

    def _start(self, problem: Problem, seed: int) -> Splitting:
        centred = problem.X - problem.X.mean(axis=0)
        spread = float((centred**2).sum() / problem.n) if self.unit == "data" else 1.0
        labels = first_labels(problem, self.start, seed)
        kind = Splitting if self.coupling == "exact" else CoupledSplitting
        return kind(
            centred / np.sqrt(spread or 1.0),
            np.eye(problem.k)[labels],
            problem.must_link.hard.pairs,
            problem.cannot_link.hard.pairs,
            problem.sizes,
            self.rho,
        )

    def _residuals(
        self, problem: Problem, splitting: Splitting, iteration: int, last: bool
    ) -> ResidualsUpdated:
        broken = Partition(problem, splitting.x.argmax(axis=1)).violations
        return ResidualsUpdated(
            iteration=iteration,
            primal_residual=splitting.primal_residual,
            dual_residual=splitting.dual_residual,
            rho=splitting.rho,
            objective=splitting.objective,
            fractional=splitting.fractional,
            violations=broken.must_link + broken.cannot_link + broken.sizes,
            x=splitting.x if last or iteration % self.show_every == 0 else None,
        )

    def _answer(
        self, problem: Problem, splitting: Splitting, converged: bool, stop: Callable[[], bool]
    ) -> Iterator[Event]:
        """Repair the relaxed assignment, descend from there, and finish."""
        blocks, answer = contract(problem), _repaired(problem, splitting.x, stop)
        if answer.infeasible:
            yield from _impossible()
            return
        if not answer.found:
            message = "No feasible assignment was found in time; one may exist."
            yield Finished(termination="stalled", message=message)
            return
        labels = blocks.lift(answer.labels)
        yield Noted(text=_repair_sentence(splitting.x, labels))
        yield IncumbentFound(labels=labels, source="repair")
        if self.descent:
            yield from _descend(blocks, answer.labels, stop)
        if stop():
            return
        if converged:
            yield Finished(termination="converged", message="The relaxed assignment is stable.")
            return
        message = f"The relaxed assignment still moved after {self.max_iterations} iterations."
        yield Finished(termination="stalled", message=message)


def _repaired(problem: Problem, x: FloatArray, stop: Callable[[], bool]) -> Assignment:
    """Return the labels of the blocks that agree most with a relaxed assignment."""
    # Imported here: it loads numba.
    from ccviz.solvers.assignment import solve_assignment, structure_of

    blocks = contract(problem)
    agreement = np.zeros((blocks.s, blocks.k))
    np.add.at(agreement, blocks.block_of, np.clip(x, 0.0, 1.0))
    structure = structure_of(blocks)
    return solve_assignment(-agreement, structure, nonempty=True, time_limit=REPAIR_S, stop=stop)


def _descend(blocks: Blocks, labels: IntArray, stop: Callable[[], bool]) -> Iterator[Event]:
    """Alternate means and exact assignments of the blocks while the objective falls."""
    # Imported here: they load numba.
    from ccviz.solvers.assignment import solve_assignment, structure_of
    from ccviz.solvers.assignment.centers import block_costs, block_means, block_wcss

    structure, (points, mass) = structure_of(blocks), (blocks.centroid, blocks.mass)
    centers = block_means(points, mass, labels, points[: blocks.k].copy())
    wcss, iteration = block_wcss(points, mass, labels, centers), 0
    while not stop():
        yield CentersMoved(iteration=iteration, centers=centers)
        answer = solve_assignment(
            block_costs(points, mass, centers), structure, nonempty=True, warm_start=labels,
            time_limit=STEP_S, stop=stop,
        )  # fmt: skip
        if not answer.found:
            return
        centers = block_means(points, mass, answer.labels, centers)
        fallen = block_wcss(points, mass, answer.labels, centers)
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
        wcss, labels = fallen, answer.labels


def _impossible() -> Iterator[Event]:
    yield InfeasibilityProved(reason="no clustering keeps the links and sizes.")
    yield Finished(termination="proved")


def first_labels(problem: Problem, start: str, seed: int) -> IntArray:
    """Return (n,) labels to start from, random ones with the problem's sizes where it has any."""
    if start == "k-means":
        model = plain_kmeans(problem.X, problem.k, seed, n_init=1)
        return match_sizes(model.labels_.astype(np.int64), problem.k, problem.sizes)
    rng = np.random.default_rng(seed)
    if problem.sizes is None:
        return rng.integers(problem.k, size=problem.n)
    return rng.permutation(np.repeat(np.arange(problem.k), _some_sizes(problem.sizes, problem.n)))


def match_sizes(labels: IntArray, k: int, sizes: Sizes | None) -> IntArray:
    """Renumber clusters so that the larger get the larger sizes asked for."""
    if sizes is None:
        return labels
    found = np.argsort(np.bincount(labels, minlength=k), kind="stable")
    asked = np.argsort(sizes.lower + sizes.upper, kind="stable")
    number = np.empty(k, dtype=np.int64)
    number[found] = asked
    return number[labels]


def _some_sizes(sizes: Sizes, n: int) -> IntArray:
    """Return sizes within the bounds that add up to n."""
    room = np.cumsum(sizes.upper - sizes.lower)
    filled = np.minimum(room, n - int(sizes.lower.sum()))
    return sizes.lower + np.diff(filled, prepend=0)


def _repair_sentence(x: FloatArray, labels: IntArray) -> str:
    moved = int((x.argmax(axis=1) != labels).sum())
    if moved == 0:
        return "The relaxed assignment was rounded; it kept every constraint and needed no repair."
    points = "1 point" if moved == 1 else f"{moved} points"
    return f"The rounded assignment broke constraints; the repair moved {points}."
