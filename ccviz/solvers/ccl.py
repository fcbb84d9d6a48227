"""CCL: complete-link clustering on distances that the links have bent.

D. Klein, S. D. Kamvar, C. D. Manning: From instance-level constraints to space-level constraints
(ICML 2002). Must-linked points are put at distance 0, and all other distances become those of the
shortest paths through them; cannot-linked points are put farther apart than all others. Complete
link then keeps the clusters of cannot-linked points apart as long as it can: it may break a link
only where k clusters leave it no choice. Links have no weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, Event, Finished, IncumbentFound
from ccviz.problem.links import closure
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports
from ccviz.solvers.kmeans import note_broken_links


@dataclass(frozen=True)
class Ccl(Solver):
    """Constrained complete link."""

    name: ClassVar[str] = "ccl"
    title: ClassVar[str] = "Constrained complete link"
    paper: ClassVar[str] = "Klein, Kamvar and Manning (2002)"
    supports: ClassVar[Supports] = Supports(hard=False)
    most_points: ClassVar[float] = 10_000

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the one clustering that there is."""
        block_of = closure(problem.n, problem.must_link.pairs)
        distance = bent_distances(problem, block_of, context)
        if context.stop():
            return
        labels = cut(distance, problem.k)[block_of]
        widest = float(distance.max(initial=0.0))
        yield Assigned(iteration=1, labels=labels, objective=widest, moved=problem.n)
        yield IncumbentFound(labels=labels, source=self.name)
        yield from note_broken_links(problem, labels)
        yield Finished(
            termination="converged", message=f"The tree was cut at {problem.k} clusters."
        )


def bent_distances(problem: Problem, block_of: IntArray, context: Context) -> FloatArray:
    """Return (s, s) distances of blocks of must-linked points: points of a block are one.

    Shortest paths pass through blocks of several points only, since distances between points are
    the shortest there are. Two blocks that a cannot-link parts are farther apart than any.
    """
    s = int(block_of.max()) + 1
    distance = np.full((s, s), np.inf)
    for block in range(s):
        if context.stop():
            return distance
        to_points = scipy.spatial.distance.cdist(problem.X[block_of == block], problem.X)
        np.minimum.at(distance[block], block_of, to_points.min(axis=0))
    for through in np.flatnonzero(np.bincount(block_of) > 1):
        if context.stop():
            return distance
        np.minimum(distance, distance[:, [through]] + distance[through], out=distance)
    apart = block_of[problem.cannot_link.pairs]
    beyond = distance.max() + max(float(distance.max()), 1.0)
    distance[apart[:, 0], apart[:, 1]] = distance[apart[:, 1], apart[:, 0]] = beyond
    np.fill_diagonal(distance, 0.0)
    return distance


def cut(distance: FloatArray, k: int) -> IntArray:
    """Return (s,) labels of the complete-link tree's last k clusters."""
    if len(distance) == 1:
        return np.zeros(1, dtype=np.int64)
    # Rounding may leave a path and its way back unequal in the last digit.
    pairs = scipy.spatial.distance.squareform((distance + distance.T) / 2, checks=False)
    tree = scipy.cluster.hierarchy.linkage(pairs, "complete")
    # By number, not by height: cannot-links leave many of the last merges equally high.
    merges = tree[: len(distance) - k, :2].astype(np.int64)
    return closure(len(distance), _as_pairs(merges, len(distance)))


def _as_pairs(merges: IntArray, s: int) -> IntArray:
    """Return a leaf of each of two trees in place of the trees that are merged."""
    leaf = np.arange(s + len(merges))
    for number, (first, _) in enumerate(merges):
        leaf[s + number] = leaf[first]
    return leaf[merges]
