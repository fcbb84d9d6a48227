"""BLP k-means: k-means whose assignment step is solved exactly as a binary linear program.

Baumann, P. (2020): A binary linear programming-based k-means algorithm for clustering with
must-link and cannot-link constraints. IEEM 2020, 324-328.

The program is never given whole to a solver, see `ccviz.solvers.assignment`. As long as the WCSS
falls, a step whose program stays large takes a good assignment without a proof; unless `max_iter`
ends it before, a start ends with an exact step, or with the best of a step within its limit. Of
hundreds of thousands of points the first centres are those of a sample
(`ccviz.solvers.assignment.step`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, CentersMoved, Event, Finished, IncumbentFound, Restarted
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import (
    impossible_at_once,
    no_gain,
    step_limit_setting,
    why_infeasible,
)
from ccviz.solvers.common.seeding import AUTO, AUTO_DOC, INITS, start_centers

if TYPE_CHECKING:
    from ccviz.solvers.assignment.centers import Assignment
    from ccviz.solvers.assignment.step import Descent, Passes


@dataclass(frozen=True)
class BlpKMeans(Solver):
    """K-means with exact assignments under hard links and sizes."""

    name: ClassVar[str] = "blp-kmeans"
    title: ClassVar[str] = "BLP k-means"
    paper: ClassVar[str] = "Baumann (2020)"
    supports: ClassVar[Supports] = Supports(
        sizes=True, sums=True, weights=True, weighted_sizes=True, outliers=True, fixed=True,
        start=True,
    )  # fmt: skip
    group: ClassVar[str] = "Quick"
    keeps_float32: ClassVar[bool] = True

    n_init: int = setting(1, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(300, "Iterations of a start at most.", low=1, label="Most iterations")
    init: str = setting(AUTO, AUTO_DOC, choices=(AUTO, *INITS), label="First centres")
    step_limit: float = step_limit_setting(5.0)
    threads: int = setting(
        1,
        "Threads for the passes over the points; the answer is the same by however many.",
        low=1,
        high=256,
        advanced=True,
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        # Imported here: they load numba.
        from ccviz.solvers.assignment.given_centers import is_unlinked_transport, transport_labels
        from ccviz.solvers.assignment.step import open_passes

        if impossible := impossible_at_once(problem):
            yield from impossible
            return
        if is_unlinked_transport(problem):
            labels = transport_labels(problem)
            yield IncumbentFound(labels=labels, source=self.name)
            yield Finished(termination="converged", message="No assignment costs less.")
            return
        blocks = contract(problem)
        with open_passes(blocks, self.threads) as passes:
            yield from self._starts(problem, context, blocks, passes)

    def _starts(
        self, problem: Problem, context: Context, blocks: Blocks, passes: Passes
    ) -> Iterator[Event]:
        from ccviz.solvers.assignment.step import Descent, first_centers

        rng, best = context.rng, np.inf
        descent = Descent(blocks, self.step_limit, passes, context.stop)

        def draw() -> FloatArray:
            return _with_given(problem, first_centers(blocks, rng, self.init))

        for restart in range(self.n_init):
            yield Restarted(restart=restart)
            seeds = start_centers(problem, context, restart, draw)
            end = yield from self._descend(problem, descent, passes, seeds, best)
            if end.infeasible:
                yield why_infeasible(problem)
                yield Finished(termination="proved", message="The constraints cannot be kept.")
                return
            if end.wcss < best and _in_place(problem, blocks.lift(end.labels)):
                best = end.wcss
                yield IncumbentFound(labels=blocks.lift(end.labels), source=self.name)
        if best < np.inf:
            yield no_gain(descent.was_cut, self.step_limit)
        else:
            yield Finished(
                termination="stalled",
                message=f"None of {self.n_init} starts found an assignment within its time; "
                "a feasible clustering may exist.",
            )

    def _descend(
        self, problem: Problem, descent: Descent, passes: Passes, centers: FloatArray, best: float
    ) -> Generator[Event, None, _End]:
        """Assign and update in turn until the objective stops falling."""
        blocks = contract(problem)
        end = _End(np.full(blocks.s, -1), np.inf)
        descent.begin()
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            answer, moved, wcss = _improved_step(descent, passes, centers, end.wcss)
            if not answer.found:
                return _End(end.labels, end.wcss, infeasible=answer.infeasible)
            lifted = blocks.lift(answer.labels)
            yield Assigned(
                iteration=iteration,
                labels=lifted,
                objective=answer.objective + blocks.scatter,
                moved=int(blocks.count[answer.labels != end.labels].sum()),
            )
            if not wcss < end.wcss:
                break
            centers, end = moved, _End(answer.labels, wcss)
            yield CentersMoved(iteration=iteration, centers=centers)
            # A run that is stopped has an answer; at powers of 2, for it is checked from scratch.
            is_due = wcss < best and iteration & (iteration - 1) == 0
            if is_due and _in_place(problem, lifted):
                yield IncumbentFound(labels=lifted, source=self.name)
        return end


def _with_given(problem: Problem, centers: FloatArray) -> FloatArray:
    """Return centres of which the first are those that are given, in their order."""
    if not (problem.fixed and problem.limits_sizes):
        return centers
    given, free = problem.X[problem.n_points :], centers
    for center in given:
        free = np.delete(free, ((free - center) ** 2).sum(axis=1).argmin(), axis=0)
    return np.concatenate([given, free])


def _in_place(problem: Problem, labels: IntArray) -> bool:
    """Whether each given centre has the cluster of its sizes; very near ones may change places."""
    own = labels[problem.n_points :]
    return problem.sizes is None or bool((own == np.arange(problem.fixed)).all())


def _improved_step(
    descent: Descent, passes: Passes, centers: FloatArray, before: float
) -> tuple[Assignment, FloatArray, float]:
    """Return an assignment, its means and their WCSS; an exact one if a quick one does not gain."""
    for quick in (True, False):
        answer = descent.assign(centers, quick)
        if not answer.found:
            return answer, centers, np.inf
        means = passes.means(answer.labels, centers)
        wcss = passes.wcss(answer.labels, means)
        if wcss < before or not answer.quick:
            break
    return answer, means, wcss


@dataclass(frozen=True, eq=False)
class _End:
    """Where a start ended: labels of the blocks, their WCSS (inf if there are none), or a proof."""

    labels: IntArray
    wcss: float
    infeasible: bool = False
