"""LCVQE: the linear CVQE, in which broken links are priced by points and not by centres.

D. Pelleg, D. Baras: K-means with large and noisy constraint sets (ECML 2007). A must-link that
stays broken costs half of what each end would cost in the other's cluster, and each end pulls the
other's centre with half its weight. Of a broken cannot-link the farther end moves to its next
centre, or stays at a price. One pass over the links an iteration, k distances a point: linear.
Links have no weights, and any may stay broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.vqe.descent import Settled, Vqe, descend_all


@dataclass(frozen=True)
class Lcvqe(Vqe):
    """Linear constrained vector quantization error."""

    name: ClassVar[str] = "lcvqe"
    title: ClassVar[str] = "LCVQE"
    paper: ClassVar[str] = "Pelleg and Baras (2007)"

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        yield from descend_all(self, problem, context, settle)


def settle(problem: Problem, centers: FloatArray, near: FloatArray) -> Settled:
    """Give every point its nearest centre, and then go through the broken links.

    Parameters
    ----------
    problem : Problem
    centers : (k, d) float64
    near : (n, k) float64
        Squared distances of points to centres.
    """
    # Imported here: it loads numba.
    from ccviz.solvers.vqe._kernels import settle_ends

    labels = near.argmin(axis=1)
    pull, weight = np.zeros_like(centers), np.zeros(problem.k)
    X = np.ascontiguousarray(problem.X)
    must, cannot = problem.must_link.pairs, problem.cannot_link.pairs
    price = settle_ends(X, near, labels, must, cannot, pull, weight)
    error = near[np.arange(problem.n), labels].sum() / 2
    return Settled(labels, float(error) + price, pull, weight)
