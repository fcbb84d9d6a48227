"""CVQE: k-means whose error counts, for each broken link, a distance between centres.

I. Davidson, S. S. Ravi: Clustering with constraints: feasibility issues and the k-means algorithm
(SDM 2005), section 5. A must-link that stays broken costs the squared distance between the two
centres, a cannot-link that between the centre and its nearest other one; the ends of each broken
link take whichever two clusters cost least, and the centres are pulled towards each other. Links
have no weights, and any may stay broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from ccviz.arrays import FloatArray
from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.vqe.descent import Settled, Vqe, descend_all


@dataclass(frozen=True)
class Cvqe(Vqe):
    """Constrained vector quantization error."""

    name: ClassVar[str] = "cvqe"
    title: ClassVar[str] = "CVQE"
    paper: ClassVar[str] = "Davidson and Ravi (2005)"

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        yield from descend_all(self, problem, context, settle)


def settle(problem: Problem, centers: FloatArray, near: FloatArray) -> Settled:
    """Give every point its nearest centre, and then each broken link its cheapest two clusters.

    Parameters
    ----------
    problem : Problem
    centers : (k, d) float64
    near : (n, k) float64
        Squared distances of points to centres.
    """
    # Imported here: it loads numba.
    from ccviz.solvers.vqe._kernels import settle_pairs

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
