"""PCK-means: k-means with a penalty for each broken link, assigned point by point.

S. Basu, A. Banerjee, R. J. Mooney: Active semi-supervision for pairwise constrained clustering
(SDM 2004), section 3. The objective is half the WCSS plus the weights of the broken links. Every
link may be broken, hard ones at the price of weight 1: a reference to compare with, not a way to
keep hard links.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, CentersMoved, Event, Finished, IncumbentFound, Restarted
from ccviz.problem.links import adjacency, closure
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import priced_graph, soften
from ccviz.solvers.common.seeding import last_incumbent
from ccviz.solvers.kmeans import KMeans, note_broken_links

_FREE_STARTS = 3  # Starts of the k-means without links
Graph = tuple[IntArray, IntArray, FloatArray]  # Links as compressed sparse rows, see `priced_graph`


@dataclass(frozen=True)
class PckMeans(Solver):
    """Pairwise constrained k-means with greedy assignments."""

    name: ClassVar[str] = "pck-means"
    title: ClassVar[str] = "PCK-means"
    paper: ClassVar[str] = "Basu, Banerjee and Mooney (2004)"
    supports: ClassVar[Supports] = Supports(hard=False, soft=True)
    group: ClassVar[str] = "Noisy links"

    w: float = setting(1.0, "Price of a broken link of weight 1.", low=0.0, label="Price of a link")
    scale: str = setting(
        "clusters",
        "Unit of the price: what a point adds to the objective on average in a k-means without "
        "links; the mean squared distance of the points to their mean (data); or one.",
        choices=("clusters", "data", "one"),
        label="Unit of the price",
    )
    n_init: int = setting(
        3,
        "Starts; the best answer is kept. The first of several begins at the means of a k-means "
        "without links.",
        low=1,
        label="Starts",
    )
    max_iter: int = setting(300, "Iterations of a start at most.", low=1, label="Most iterations")

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        soft, rng = soften(problem), context.rng
        free = None
        if self.n_init > 1 or self.scale == "clusters":
            free = means_without_links(soft, context)
        first = free if self.n_init > 1 else None
        price = self.w * self._unit(soft, free)
        graph = priced_graph(soft, price)
        best, found = np.inf, np.zeros(problem.n, dtype=np.int64)
        for restart in range(self.n_init):
            if self.n_init > 1:
                yield Restarted(restart=restart)
            centers = first_centers(soft, rng) if restart or first is None else first
            objective, labels = yield from self._descend(soft, centers, graph, price, rng, best)
            if objective < best:
                best, found = objective, labels
        yield from note_broken_links(problem, found, "only weighs links")
        yield Finished(termination="converged", message="No pass over the points improves more.")

    def _descend(
        self,
        soft: Problem,
        centers: FloatArray,
        graph: Graph,
        price: float,
        rng: np.random.Generator,
        known: float,
    ) -> Generator[Event, None, tuple[float, IntArray]]:
        """Assign and update in turn from first centres; return the best objective and its labels.

        An answer is an incumbent only if it is better than the known objective.
        """
        labels = scipy.spatial.distance.cdist(soft.X, centers).argmin(axis=1)
        best, found = np.inf, labels
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            before = labels
            labels = assign_in_turn(soft.X, centers, labels, graph, rng)
            means = cluster_means(soft.X, labels, soft.k)
            centers = np.where(np.isnan(means), centers, means)  # an empty cluster keeps its own
            near = float(((soft.X - centers[labels]) ** 2).sum())
            objective = 0.5 * near + price * Partition(soft, labels).penalty
            moved = int((labels != before).sum())
            yield Assigned(iteration=iteration, labels=labels, objective=objective, moved=moved)
            if not objective < best:
                break
            best, found = objective, labels
            yield CentersMoved(iteration=iteration, centers=centers)
            if objective < known:
                yield IncumbentFound(labels=labels, source=self.name, objective=objective)
        return best, found

    def _unit(self, problem: Problem, free: FloatArray | None) -> float:
        """Return the unit of the price; that of the data if all points lie on the free means."""
        if self.scale == "one":
            return 1.0
        if self.scale == "clusters" and free is not None:
            nearest = scipy.spatial.distance.cdist(problem.X, free, "sqeuclidean").min(axis=1)
            if nearest.any():
                return 0.5 * float(nearest.mean())
        return float(((problem.X - problem.X.mean(axis=0)) ** 2).sum() / problem.n)


def means_without_links(problem: Problem, context: Context) -> FloatArray | None:
    """Return the means of the best of a few starts of `k-means`, None if it is stopped at once."""
    events = KMeans(n_init=_FREE_STARTS).steps(problem, Context(context.seed))
    labels = last_incumbent(events, context.stop)
    return None if labels is None else cluster_means(problem.X, labels, problem.k)


def first_centers(problem: Problem, rng: np.random.Generator) -> FloatArray:
    """Return the means of the k largest must-link neighbourhoods, filled up where there are fewer.

    The paper fills up with a point that is cannot-linked to every neighbourhood, if there is one,
    and then with points near the mean of all.
    """
    component = closure(problem.n, problem.must_link.pairs)
    size = np.bincount(component)
    largest = np.argsort(-size, kind="stable")[: problem.k]
    chosen = largest[size[largest] > 1]
    centers = [problem.X[component == c].mean(axis=0) for c in chosen]
    if len(centers) < problem.k and (point := _apart_from_all(problem, component, chosen)) >= 0:
        centers.append(problem.X[point])
    mean, spread = problem.X.mean(axis=0), problem.X.std(axis=0)
    while len(centers) < problem.k:
        centers.append(mean + 0.5 * spread * rng.standard_normal(problem.d))
    return np.array(centers)


def _apart_from_all(problem: Problem, component: IntArray, chosen: IntArray) -> int:
    """Return the first point that is cannot-linked to every chosen neighbourhood, -1 if none."""
    if len(chosen) == 0:
        return -1
    apart: dict[int, set[int]] = {}
    for i, others in adjacency(problem.cannot_link.pairs.tolist()).items():
        apart[i] = set(component[others].tolist())
    return min((i for i, met in apart.items() if met >= set(chosen.tolist())), default=-1)


def assign_in_turn(
    X: FloatArray,
    centers: FloatArray,
    labels: IntArray,
    graph: tuple[IntArray, IntArray, FloatArray],
    rng: np.random.Generator,
) -> IntArray:
    """Give each point its cheapest cluster while the others stay: iterated conditional modes.

    The turn matters only for linked points, which take theirs in random order; the others depend
    on the centres alone.
    """
    cost = 0.5 * scipy.spatial.distance.cdist(X, centers, "sqeuclidean")
    start, neighbour, price = graph
    linked = np.flatnonzero(np.diff(start))
    new = cost.argmin(axis=1)
    new[linked] = labels[linked]
    for i in rng.permutation(linked).tolist():
        links = slice(start[i], start[i + 1])
        shared = np.bincount(new[neighbour[links]], price[links], len(centers))
        new[i] = (cost[i] + shared).argmin()
    return new
