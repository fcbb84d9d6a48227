"""The margin for rounding between a bound on the centred points and one on the given points.

Solvers move the points to about their mean, contract must-linked points to rounded means and add
up sums of squares in doubles. Sums of weights are exact (`ccviz.problem.weights`), and norms are
weighted by them. A clustering's cost is the square of the norm of the points less
their means, which is a projection of the points. So an error of norm e in the points moves the
root of every cost, and of the optimum, by at most e. The other errors are relative: each sum of
squares has only terms that are not negative, and so has the sum of the broken soft links' weights.
An error of norm e moves the root of a cost with weights by no more than that of its squares alone.

`gamma` is the relative error of a sum (Higham 2002, section 3.1), doubled to pay for the rounding
of the margin itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem

_UNIT = 2.0**-53
_TURNED = 8  # operations that a rotation makes on a coordinate, per entry: an upper bound
_NORMAL = 2.0**-1022  # the smallest double with all its digits


def gamma(count: float) -> float:
    """Return the relative error of a sum of products, safely.

    Parameters
    ----------
    count : float
        Terms that are added one after another.

    Returns
    -------
    float
    """
    return 2.0 * (count + 1) * _UNIT


@dataclass(frozen=True)
class Margin:
    """What rounding may have added to a lower bound.

    Attributes
    ----------
    relative : float
        Share of the bound.
    slip : float
        Norm of the error of the points, in their unit.
    """

    relative: float = 0.0
    slip: float = 0.0

    def below(self, bound: float) -> float:
        """Return a bound on the given points from a computed one.

        Parameters
        ----------
        bound : float
            Of costs in the unit of the points; returned as it is unless positive and finite.

        Returns
        -------
        float
        """
        if not (math.isfinite(bound) and bound > 0.0):
            return bound
        # Not more than the square of (root - slip).
        left = bound - (self.relative * bound + 2.0 * self.slip * math.sqrt(bound))
        return left if left >= _NORMAL else 0.0


def margin_of(problem: Problem) -> Margin:
    """Return the margin for solvers that work on the points about their mean.

    Parameters
    ----------
    problem : Problem
        As given, not centred.

    Returns
    -------
    Margin
    """
    n, d = problem.n, problem.d
    largest = float(contract(problem).count.max())
    lost = gamma(largest + 12) + (gamma(_TURNED * n * d) if d > n else 0.0)
    # `Partition.wcss` takes off rounded means: n u of a mean of n terms, which counts squared,
    # and differences from a point that may be sqrt(n) times as far off as the mean, the heaviest
    # of its cluster if there are weights.
    links = len(problem.must_link.soft) + len(problem.cannot_link.soft)
    relative = gamma(2.0 * math.sqrt(n) + d + 64 + links) + n * (n * _UNIT) ** 2
    return Margin(relative, lost * _norm(problem))


def _norm(problem: Problem) -> float:
    """Return the norm of the points less their mean, rounded up."""
    X, weights = problem.X, problem.masses
    if not weights.all():
        X, weights = X[weights > 0.0], weights[weights > 0.0]
    size, squares = max(-float(X.min()), float(X.max())) or 1.0, 0.0
    for column in X.T:  # a column at a time takes little memory
        moved = (column - column.mean(dtype=np.float64)) / size
        squares += float((weights * moved**2).sum())
    return math.sqrt(squares * (1.0 + gamma(problem.n + problem.d))) * size * (1.0 + gamma(4))
