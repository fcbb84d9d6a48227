"""What CVQE and LCVQE share: settings, and the loop of nearest centres, links, new centres."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Assigned,
    CentersMoved,
    Event,
    Finished,
    IncumbentFound,
    Restarted,
)
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.seeding import INITS, given_centers, point_centers
from ccviz.solvers.kmeans import note_broken_links


@dataclass(frozen=True, eq=False)
class Settled:
    """The assignment after all links.

    Attributes
    ----------
    labels : (n,) int64
    objective : float
        Quantization error plus the cost of broken links.
    pull : (k, d) float64
        Sum of the points that broken links add to the clusters' means.
    weight : (k,) float64
        Number of points that this sum counts for.
    """

    labels: IntArray
    objective: float
    pull: FloatArray
    weight: FloatArray


Settle = Callable[[Problem, FloatArray, FloatArray], Settled]
"""From the problem, its (k, d) centres and (n, k) squared distances to where the points settle."""


@dataclass(frozen=True)
class Vqe(Solver):
    """Settings of both."""

    supports: ClassVar[Supports] = Supports(hard=False, start=True)

    n_init: int = setting(10, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(100, "Iterations of a start at most.", low=1, label="Most iterations")
    init: str = setting(
        "random", "How initial centres are drawn.", choices=INITS, label="First centres"
    )


def descend_all(solver: Vqe, problem: Problem, context: Context, settle: Settle) -> Iterator[Event]:
    """Yield the events of all starts; the least objective is the answer."""
    rng, best, found = context.rng, np.inf, None
    for restart in range(solver.n_init):
        yield Restarted(restart=restart)
        centers = given_centers(problem, context, restart)
        if centers is None:
            centers = point_centers(problem, rng, solver.init)
        labels, objective = yield from _descend(problem, centers, solver.max_iter, settle)
        if objective < best:
            best, found = objective, labels
            yield IncumbentFound(labels=labels, source=solver.name, objective=objective)
    yield from note_broken_links(problem, found)
    yield Finished(termination="converged", message="No pass over the links moves a point.")


def _descend(
    problem: Problem, centers: FloatArray, max_iter: int, settle: Settle
) -> Generator[Event, None, tuple[IntArray, float]]:
    """Return labels and objective of the best iteration: with links it need not be the last."""
    labels, best, found = np.full(problem.n, -1), np.inf, np.zeros(problem.n, dtype=np.int64)
    yield CentersMoved(iteration=0, centers=centers)
    for iteration in range(1, max_iter + 1):
        now = settle(
            problem, centers, scipy.spatial.distance.cdist(problem.X, centers, "sqeuclidean")
        )
        moved, labels = int((now.labels != labels).sum()), now.labels
        yield Assigned(iteration=iteration, labels=labels, objective=now.objective, moved=moved)
        if now.objective < best:
            best, found = now.objective, labels
        if moved == 0:
            break
        centers = _new_centers(problem, now, centers)
        yield CentersMoved(iteration=iteration, centers=centers)
    return found, best


def _new_centers(problem: Problem, now: Settled, centers: FloatArray) -> FloatArray:
    """Return the means of points and pulls; a centre of nothing stays."""
    belongs = np.zeros((problem.k, problem.n))
    belongs[now.labels, np.arange(problem.n)] = 1.0
    mass = belongs.sum(axis=1) + now.weight
    means = (belongs @ problem.X + now.pull) / np.where(mass > 0, mass, 1.0)[:, None]
    return np.where(mass[:, None] > 0, means, centers)
