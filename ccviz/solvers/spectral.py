"""Spectral clustering with links: they change the affinities, and eigenvectors do the rest.

S. D. Kamvar, D. Klein, C. D. Manning: Spectral learning (IJCAI 2003). Affinities fall with the
squared distance, and are kept between nearest neighbours only; a must-link's becomes 1, a
cannot-link's 0; the matrix is normalised by adding to its diagonal what each row lacks of the
largest sum, and k-means clusters the rows of its first k eigenvectors.

With ``propagation="exhaustive"`` links first spread over a graph of nearest neighbours (Z. Lu,
H. H. S. Ip: Constrained spectral clustering via exhaustive and efficient constraint propagation,
ECCV 2010), and the normalisation is by the degrees. Links have no weights, and any may be broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from scipy.linalg import eigh, solve

from ccviz.arrays import FloatArray
from ccviz.events import Assigned, Event, Finished, IncumbentFound
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.seeding import farthest_moves, plain_kmeans
from ccviz.solvers.kmeans import note_broken_links


@dataclass(frozen=True)
class Spectral(Solver):
    """Spectral learning from links."""

    name: ClassVar[str] = "spectral"
    title: ClassVar[str] = "Spectral clustering with links"
    paper: ClassVar[str] = "Kamvar, Klein and Manning (2003)"
    supports: ClassVar[Supports] = Supports(hard=False)
    most_points: ClassVar[float] = 5_000

    propagation: str = setting(
        "links",
        "What links change: their own affinities, or all, spread over nearest neighbours.",
        choices=("links", "exhaustive"),
    )
    width: float = setting(
        1.0,
        "Width σ of the affinities, in median distances between points.",
        low=1e-3,
        label="Width σ",
    )
    neighbours: int = setting(
        20,
        "Nearest neighbours of a point whose affinities count.",
        low=1,
        label="Nearest neighbours",
    )
    alpha: float = setting(
        0.8, "How far links spread.", low=0.0, high=0.99, advanced=True, label="Spread, α"
    )
    n_init: int = setting(10, "Starts of k-means over the eigenvectors.", low=1, label="Starts")

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the clustering of the best of the starts."""
        affinity = nearest(affinities(problem, self.width), self.neighbours)
        if context.stop():
            return
        if self.propagation == "exhaustive":
            affinity = self._spread(problem, affinity)
            rows = leading_rows(by_degrees(affinity), problem.k)
        else:
            _set_links(affinity, problem, 1.0, 0.0)
            rows = leading_rows(additively(affinity), problem.k)
        rng, best, found = context.rng, np.inf, None
        for start in range(self.n_init):
            if context.stop():
                return
            model = plain_kmeans(rows, problem.k, int(rng.integers(2**31)), n_init=1)
            if model.inertia_ < best:
                best = float(model.inertia_)
                found = model.labels_.astype(np.int64)
                paid = ((rows - model.cluster_centers_[found]) ** 2).sum(axis=1)
                for row, empty in farthest_moves(found, paid, problem.k):
                    found[row] = empty
                yield Assigned(iteration=start, labels=found, objective=best, moved=problem.n)
                yield IncumbentFound(labels=found, source=self.name, objective=best)
        yield from note_broken_links(problem, found)
        yield Finished(termination="converged", message="The eigenvectors' rows were clustered.")

    def _spread(self, problem: Problem, affinity: FloatArray) -> FloatArray:
        """Return the affinities as spread links change them (Lu and Ip, equations 12 and 14)."""
        damped = np.eye(problem.n) - self.alpha * by_degrees(affinity)
        given = np.zeros_like(affinity)
        _set_links(given, problem, 1.0, -1.0)
        across = solve(damped, given, assume_a="pos")
        spread = (1.0 - self.alpha) ** 2 * solve(damped, across.T, assume_a="pos").T
        spread = np.clip((spread + spread.T) / 2, -1.0, 1.0)
        closer = 1.0 - (1.0 - spread) * (1.0 - affinity)
        return np.where(spread >= 0, closer, (1.0 + spread) * affinity)


def affinities(problem: Problem, width: float) -> FloatArray:
    """Return (n, n) affinities exp(-distance² / 2σ²), 1 on the diagonal."""
    square = scipy.spatial.distance.cdist(problem.X, problem.X, "sqeuclidean")
    sigma = width * np.sqrt(np.median(square)) or np.sqrt(square.max()) or 1.0
    return np.exp(-square / (2.0 * sigma**2))


def _set_links(matrix: FloatArray, problem: Problem, must: float, cannot: float) -> None:
    for links, value in ((problem.must_link, must), (problem.cannot_link, cannot)):
        i, j = links.pairs.T
        matrix[i, j] = matrix[j, i] = value


def nearest(affinity: FloatArray, neighbours: int) -> FloatArray:
    """Return the affinities of points of which one is among the other's nearest neighbours."""
    n = len(affinity)
    graph = np.zeros_like(affinity)
    most = min(neighbours + 1, n)  # each is its own nearest
    chosen = np.argpartition(-affinity, most - 1, axis=1)[:, :most]
    rows = np.repeat(np.arange(n), most)
    graph[rows, chosen.ravel()] = affinity[rows, chosen.ravel()]
    return np.maximum(graph, graph.T)


def additively(affinity: FloatArray) -> FloatArray:
    """Return (A + max D - D) / max D, whose rows all add up to 1 (Kamvar et al., section 2)."""
    degree = affinity.sum(axis=1)
    most = degree.max()
    normal = affinity / most
    normal[np.diag_indices_from(normal)] += (most - degree) / most
    return normal


def by_degrees(affinity: FloatArray) -> FloatArray:
    """Return D^-1/2 A D^-1/2."""
    root = np.sqrt(np.maximum(affinity.sum(axis=1), np.finfo(float).tiny))
    return affinity / root[:, None] / root


def leading_rows(matrix: FloatArray, k: int) -> FloatArray:
    """Return (n, k) rows of the eigenvectors of the k largest eigenvalues, each of length 1."""
    n = len(matrix)
    _, vectors = eigh(matrix, subset_by_index=[n - k, n - 1])
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)
