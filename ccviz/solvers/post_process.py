"""Post-processing: cluster without links first, then enforce them by one assignment.

N.-V.-D. Nghiem, C. Vrain, T.-B.-H. Dao, I. Davidson: Constrained clustering via post-processing
(Discovery Science 2020). Any clustering gives degrees of membership, one a point and cluster; the
assignment that keeps the links and sizes and has the largest sum of degrees is the answer. A soft
link of weight w counts as w degrees.

The program is never given whole to a solver, see `ccviz.solvers.assignment`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray
from ccviz.events import Assigned, Event, Finished, IncumbentFound, Noted
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import impossible_at_once, no_assignment
from ccviz.solvers.common.seeding import plain_kmeans


@dataclass(frozen=True)
class PostProcess(Solver):
    """Links and sizes enforced on the memberships of a clustering without them."""

    name: ClassVar[str] = "post-process"
    title: ClassVar[str] = "Post-processing"
    paper: ClassVar[str] = "Nghiem, Vrain, Dao and Davidson (2020)"
    supports: ClassVar[Supports] = Supports(soft=True, sizes=True, sums=True)

    clustering: str = setting(
        "k-means",
        "What gives the memberships: distances to k-means centres, or a mixture of Gaussians.",
        choices=("k-means", "mixture"),
    )
    n_init: int = setting(
        10, "Starts of that clustering; its best is taken.", low=1, label="Starts"
    )
    step_limit: float = setting(
        60.0,
        "Seconds for the assignment; then its best is taken.",
        low=0.0,
        advanced=True,
        label="Step limit, s",
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        # Imported here: it loads numba.
        from ccviz.solvers.assignment import solve_assignment, structure_of

        if impossible := impossible_at_once(problem):
            yield from impossible
            return
        degrees = self._memberships(problem, context)
        if degrees is None:
            return
        free = degrees.argmax(axis=1)
        unsure = float((1.0 - degrees.max(axis=1)).sum())
        yield Assigned(iteration=0, labels=free, objective=unsure, moved=problem.n)
        blocks = contract(problem)
        missed = np.zeros((blocks.s, blocks.k))
        np.add.at(missed, blocks.block_of, 1.0 - degrees)
        answer = solve_assignment(
            missed,
            structure_of(blocks),
            nonempty=True,
            time_limit=self.step_limit,
            stop=context.stop,
        )
        if not answer.found:
            proved = answer.infeasible
            yield from no_assignment(problem, proved, self.step_limit, context.stop)
            return
        labels = blocks.lift(answer.labels)
        yield IncumbentFound(labels=labels, source=self.name)
        if not answer.proved:
            yield Noted(text=f"The assignment is the best of {self.step_limit:g} s.")
        moved = int((labels != free).sum())
        objective = answer.objective + blocks.penalty
        yield Assigned(iteration=1, labels=labels, objective=objective, moved=moved)
        yield Finished(
            termination="converged", message=f"{moved} points moved to keep the constraints."
        )

    def _memberships(self, problem: Problem, context: Context) -> FloatArray | None:
        """Return (n, k) degrees of membership, adding up to 1 for each point; None if stopped."""
        rng, best, degrees = context.rng, np.inf, None
        for _ in range(self.n_init):
            if context.stop():
                return None
            cost, found = self._one_start(problem, int(rng.integers(2**31)))
            if cost < best:
                best, degrees = cost, found
        return degrees

    def _one_start(self, problem: Problem, seed: int) -> tuple[float, FloatArray]:
        if self.clustering == "mixture":
            from sklearn.mixture import GaussianMixture

            # What keeps covariances regular, in the unit of the data.
            ridge = max(1e-6 * float(problem.X.var(axis=0).mean()), np.finfo(float).tiny)
            mixture = GaussianMixture(problem.k, reg_covar=ridge, random_state=seed)
            mixture.fit(problem.X)
            return -float(mixture.lower_bound_), mixture.predict_proba(problem.X)
        means = plain_kmeans(problem.X, problem.k, seed, n_init=1)
        square = scipy.spatial.distance.cdist(problem.X, means.cluster_centers_, "sqeuclidean")
        return float(means.inertia_), fuzzy_memberships(square)


def fuzzy_memberships(squared: FloatArray) -> FloatArray:
    """Return degrees in inverse proportion to squared distances: fuzzy c-means, exponent 2."""
    nearest = squared.min(axis=1, keepdims=True)
    ratio = np.where(squared > 0, nearest / np.where(squared > 0, squared, 1.0), 1.0)
    return ratio / ratio.sum(axis=1, keepdims=True)
