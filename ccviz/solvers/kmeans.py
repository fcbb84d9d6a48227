"""K-means without constraints, the baseline of the other methods: it ignores links.

With outliers, each iteration leaves out the points that are farthest from their centres: S. Chawla
and A. Gionis: k-means-- (SIAM International Conference on Data Mining 2013).

S. P. Lloyd: Least squares quantization in PCM (IEEE Transactions on Information Theory 28, 1982);
first centres after D. Arthur and S. Vassilvitskii: k-means++ (SODA 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, CentersMoved, Event, Finished, IncumbentFound, Noted, Restarted
from ccviz.problem.partition import Partition, cluster_sums
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.scaling import is_wide
from ccviz.solvers.common.seeding import INITS, farthest_moves, point_centers, start_centers

# --- Means of clusters from pass to pass, from the points that changed their cluster --------------

_FEW = 8  # All points over those that changed, from which on only the latter are added up
_AFRESH = 16  # Passes after which all points are added up again, so that rounding stays what it is

Sums = Callable[[FloatArray, IntArray, int, FloatArray | None], FloatArray]


class RunningMeans:
    """Means of the clusters of a problem.

    `sums`: What adds up the points of each cluster: `cluster_sums`, or as that does.
    """

    def __init__(self, problem: Problem, sums: Sums = cluster_sums) -> None:
        self._problem, self._add, self._passes = problem, sums, 0
        self._labels: IntArray = np.full(problem.n, -1)
        self._sums = np.empty((0, 0))

    def of(self, labels: IntArray) -> FloatArray:
        """Return (k, d) means, NaN for those without weight."""
        problem, self._passes = self._problem, self._passes + 1
        X, k, weights = problem.X, problem.k, problem.weights
        rows = np.flatnonzero(labels != self._labels)
        if self._passes % _AFRESH == 1 or _FEW * len(rows) > problem.n:
            self._sums = self._add(X, labels, k, weights)
        elif len(rows):
            some, mass = X[rows], None if weights is None else weights[rows]
            joined = self._add(some, labels[rows], k, mass)
            self._sums = self._sums + joined - self._add(some, self._labels[rows], k, mass)
        self._labels = labels.copy()
        size = np.bincount(labels, weights, k)[:, None]
        return self._sums / np.where(size > 0.0, size, np.nan)


_STRIP = 1 << 16  # Points whose distances are computed together

Nearest = Callable[[FloatArray], tuple[IntArray, FloatArray]]
"""Returns (n,) nearest of the given (k, d) centres and squared distances to them."""


@dataclass(frozen=True)
class KMeans(Solver):
    """Nearest centres and means in turn, without the links."""

    name: ClassVar[str] = "k-means"
    title: ClassVar[str] = "K-means without constraints"
    paper: ClassVar[str] = "Lloyd (1982)"
    supports: ClassVar[Supports] = Supports(hard=False, weights=True, outliers=True, start=True)
    keeps_float32: ClassVar[bool] = True

    n_init: int = setting(10, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(300, "Iterations of a start at most.", low=1, label="Most iterations")
    init: str = setting(
        "k-means++", "How initial centres are drawn.", choices=INITS, label="First centres"
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        rng, best, found = context.rng, np.inf, None
        for restart in range(self.n_init):
            yield Restarted(restart=restart)
            draw = partial(point_centers, problem, rng, self.init)
            centers = start_centers(problem, context, restart, draw)
            labels, wcss = yield from self._descend(problem, centers)
            if wcss < best:
                best, found = wcss, labels
                yield IncumbentFound(labels=labels, source=self.name)
        yield from note_broken_links(problem, found)
        yield Finished(termination="converged", message="No point changes its cluster any more.")

    def _descend(
        self, problem: Problem, centers: FloatArray
    ) -> Generator[Event, None, tuple[IntArray, float]]:
        labels, wcss = np.full(problem.n, -1), np.inf
        nearest, means = _loops_for(problem)
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            new, wcss = _assigned(problem, centers, nearest)
            moved = int((new != labels).sum())
            labels = new
            yield Assigned(iteration=iteration, labels=labels, objective=wcss, moved=moved)
            if moved == 0:
                break
            centers = means.of(labels)
            yield CentersMoved(iteration=iteration, centers=centers)
        return labels, wcss


def _loops_for(problem: Problem) -> tuple[Nearest, RunningMeans]:
    """Return what finds nearest centres and means, for the passes of one start."""
    if not is_wide(problem.n, problem.k, problem.X.shape[1]):
        return partial(_nearest, problem.X), RunningMeans(problem)
    # Imported here: they load numba.
    from ccviz.solvers.assignment.centers import row_sums
    from ccviz.solvers.assignment.wide import WideNearest

    return WideNearest(problem.X, np.arange(problem.n)).assign, RunningMeans(problem, row_sums)


def _nearest(
    X: FloatArray, centers: FloatArray, strip: int = _STRIP
) -> tuple[IntArray, FloatArray]:
    labels, paid = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    for at in range(0, len(X), strip):  # a table of all points by all centres may not fit
        some = slice(at, at + strip)
        square = scipy.spatial.distance.cdist(X[some], centers, "sqeuclidean")
        labels[some] = square.argmin(axis=1)
        paid[some] = square.min(axis=1)
    return labels, paid


def _assigned(problem: Problem, centers: FloatArray, nearest: Nearest) -> tuple[IntArray, float]:
    """Return the label of each point's nearest centre, no cluster left empty, and the WCSS."""
    X, counted, centers = problem.X, np.flatnonzero(problem.masses), centers[: problem.n_clusters]
    labels, paid = nearest(centers)
    for place, empty in farthest_moves(labels[counted], paid[counted], len(centers)):
        point = counted[place]
        labels[point] = empty
        paid[point] = float(((X[point] - centers[empty]) ** 2).sum())
    if problem.outliers:
        _leave_out(problem, labels, paid)
    return labels, float(paid.sum() if problem.weights is None else problem.weights @ paid)


def _leave_out(problem: Problem, labels: IntArray, paid: FloatArray) -> None:
    """Give the farthest points clusters of their own, in place; none that is linked or alone."""
    may = np.ones(problem.n, dtype=bool)
    may[problem.must_link.hard.pairs] = False
    size, out = np.bincount(labels), problem.n_clusters
    for point in np.flatnonzero(may)[np.argsort(-paid[may], kind="stable")].tolist():
        if out == problem.k:
            break
        if size[labels[point]] > 1:
            size[labels[point]] -= 1
            labels[point], paid[point], out = out, 0.0, out + 1


def note_broken_links(
    problem: Problem, labels: IntArray | None, why: str = "does not promise to keep any"
) -> Iterator[Event]:
    """Yield a note on the hard links that an answer breaks, if there are any.

    `why`: What the method does with links.
    """
    if labels is None:
        return
    broken = Partition(problem, labels).violations.hard
    if broken:
        yield Noted(text=f"{broken} hard links are broken: this method {why}.")
