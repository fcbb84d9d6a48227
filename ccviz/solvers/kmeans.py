"""K-means without constraints, the yardstick of all others: links are not looked at.

S. P. Lloyd: Least squares quantization in PCM (IEEE Transactions on Information Theory 28, 1982);
first centres after D. Arthur and S. Vassilvitskii: k-means++ (SODA 2007).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist

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
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.seeding import INITS, point_centers


@dataclass(frozen=True)
class KMeans(Solver):
    """Nearest centres and means in turn, whatever the links say."""

    name: ClassVar[str] = "k-means"
    title: ClassVar[str] = "K-means without constraints"
    paper: ClassVar[str] = "Lloyd (1982)"
    supports: ClassVar[Supports] = Supports(hard=False)

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
            centers = point_centers(problem, rng, self.init)
            labels, wcss = yield from self._descend(problem, centers)
            if wcss < best:
                best, found = wcss, labels
                yield IncumbentFound(labels=labels, source=self.name)
        yield from told_of_broken_links(problem, found)
        yield Finished(termination="converged", message="No point changes its cluster any more.")

    def _descend(
        self, problem: Problem, centers: FloatArray
    ) -> Generator[Event, None, tuple[IntArray, float]]:
        labels, wcss = np.full(problem.n, -1), np.inf
        yield CentersMoved(iteration=0, centers=centers)
        for iteration in range(1, self.max_iter + 1):
            square = cdist(problem.X, centers, "sqeuclidean")
            new = filled(square.argmin(axis=1), square)
            moved = int((new != labels).sum())
            wcss = float(square[np.arange(problem.n), new].sum())
            labels = new
            yield Assigned(iteration=iteration, labels=labels, objective=wcss, moved=moved)
            if moved == 0:
                break
            centers = cluster_means(problem.X, labels, problem.k)
            yield CentersMoved(iteration=iteration, centers=centers)
        return labels, wcss


def filled(labels: IntArray, square: FloatArray) -> IntArray:
    """Give each empty cluster the point that is farthest from its own centre and not alone.

    Parameters
    ----------
    labels : (n,) int64
    square : (n, k) float64
        Squared distances of the points to the centres.
    """
    for empty in np.setdiff1d(np.arange(square.shape[1]), labels):
        spare = np.flatnonzero(np.bincount(labels, minlength=square.shape[1])[labels] > 1)
        far = square[spare, labels[spare]].argmax()
        labels[spare[far]] = empty
    return labels


def told_of_broken_links(problem: Problem, labels: IntArray | None) -> Iterator[Event]:
    """Yield a note on the hard links that an answer breaks, if there are any."""
    if labels is None:
        return
    broken = Partition(problem, labels).violations.hard
    if broken:
        yield Noted(
            text=f"{broken} hard links are broken: this method does not promise to keep any."
        )
