"""K-means with errors for broken links: CVQE and LCVQE, and the descent that both share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, CentersMoved, Event, Finished, IncumbentFound, Restarted
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.seeding import INITS, point_centers, start_centers
from ccviz.solvers.kmeans import note_broken_links

# --- What CVQE and LCVQE share: settings, and the loop of nearest centres, links, new centres -----


@dataclass(frozen=True, eq=False)
class Settled:
    """The assignment after all links."""

    labels: IntArray
    objective: float  # Quantization error plus the cost of broken links
    pull: FloatArray  # (k, d): Sum of the points that broken links add to the clusters' means
    weight: FloatArray  # (k,): Number of points that this sum counts for


Settle = Callable[[Problem, FloatArray, FloatArray], Settled]
"""From the problem, its (k, d) centres and (n, k) squared distances to where the points settle."""


@dataclass(frozen=True)
class Vqe(Solver):
    """Settings of both, and the descent."""

    settle: ClassVar[staticmethod[[Problem, FloatArray, FloatArray], Settled]]
    supports: ClassVar[Supports] = Supports(hard=False, start=True)

    n_init: int = setting(10, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(100, "Iterations of a start at most.", low=1, label="Most iterations")
    init: str = setting(
        "random", "How initial centres are drawn.", choices=INITS, label="First centres"
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts; the least objective is the answer."""
        rng, best, found = context.rng, np.inf, None
        for restart in range(self.n_init):
            yield Restarted(restart=restart)
            draw = partial(point_centers, problem, rng, self.init)
            centers = start_centers(problem, context, restart, draw)
            labels, objective = yield from _descend(problem, centers, self.max_iter, self.settle)
            if objective < best:
                best, found = objective, labels
                yield IncumbentFound(labels=labels, source=self.name, objective=objective)
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


# --- CVQE: k-means whose error counts, for each broken link, a distance between centres -----------
#
# I. Davidson, S. S. Ravi: Clustering with constraints: feasibility issues and the k-means algorithm
# (SDM 2005), section 5. A must-link that stays broken costs the squared distance between the two
# centres, a cannot-link that between the centre and its nearest other one; the ends of each broken
# link take whichever two clusters cost least, and the centres are pulled towards each other. Links
# have no weights, and any may stay broken.


def settle_pairwise(problem: Problem, centers: FloatArray, near: FloatArray) -> Settled:
    """Give every point its nearest centre, and then each broken link its cheapest two clusters.

    `near` (n, k): Squared distances of points to centres.
    """
    # Imported here: it loads numba.
    from ccviz.solvers.common.link_passes import settle_pairs

    labels = near.argmin(axis=1)
    between = scipy.spatial.distance.cdist(centers, centers, "sqeuclidean")
    np.fill_diagonal(between, np.inf)
    pulls = np.zeros_like(between)
    if problem.k > 1:
        must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
        settle_pairs(near, between, labels, must, cannot, pulls)
    error = near[np.arange(problem.n), labels].sum()
    price = (pulls * np.where(pulls > 0, between, 0.0)).sum()
    return Settled(labels, float(error + price) / 2, pulls @ centers, pulls.sum(axis=1))


@dataclass(frozen=True)
class Cvqe(Vqe):
    """Constrained vector quantization error."""

    name: ClassVar[str] = "cvqe"
    title: ClassVar[str] = "CVQE"
    paper: ClassVar[str] = "Davidson and Ravi (2005)"
    settle = staticmethod(settle_pairwise)


# --- LCVQE: the linear CVQE, in which broken links are priced by points and not by centres --------
#
# D. Pelleg, D. Baras: K-means with large and noisy constraint sets (ECML 2007). A must-link that
# stays broken costs half of what each end would cost in the other's cluster, and each end pulls the
# other's centre with half its weight. Of a broken cannot-link the farther end moves to its next
# centre, or stays at a price. One pass over the links an iteration, k distances a point: linear.
# Links have no weights, and any may stay broken.


def settle_local(problem: Problem, centers: FloatArray, near: FloatArray) -> Settled:
    """Give every point its nearest centre, and then go through the broken links.

    `near` (n, k): Squared distances of points to centres.
    """
    # Imported here: it loads numba.
    from ccviz.solvers.common.link_passes import settle_ends

    labels = near.argmin(axis=1)
    pull, weight = np.zeros_like(centers), np.zeros(problem.k)
    X = np.ascontiguousarray(problem.X)
    must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
    price = settle_ends(X, near, labels, must, cannot, pull, weight)
    error = near[np.arange(problem.n), labels].sum() / 2
    return Settled(labels, float(error) + price, pull, weight)


@dataclass(frozen=True)
class Lcvqe(Vqe):
    """Linear constrained vector quantization error."""

    name: ClassVar[str] = "lcvqe"
    title: ClassVar[str] = "LCVQE"
    paper: ClassVar[str] = "Pelleg and Baras (2007)"
    settle = staticmethod(settle_local)
