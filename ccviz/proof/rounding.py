"""Bounds on rounding errors, with which every bound of the check is rigorous.

Numbers are doubles, rounded to nearest. A sum of products of ``count`` terms, added in any order,
is off by at most ``gamma(count)`` times the sum of the terms' magnitudes (Higham 2002, section
3.1; that holds for a matrix product of BLAS as well). `gamma` is twice the textbook's, which covers
the rounding of the bound itself.

The points are moved to about their mean and scaled by a power of two, so that the largest
coordinate is near 1 and nothing overflows or is lost below the smallest double. A difference of
doubles has a relative error of 2^-53 whatever it is taken from, and no shift changes what a
clustering costs: so the points as doubles are the data, and the centred ones have an error that
is bounded. A sum of squares is the square of a norm, so an error of norm e in the points moves
its root by at most e: that is how `Centroids.whole` takes it off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.proof.blocks import PlainBlocks
from ccviz.proof.reading import FlawError

_UNIT = 2.0**-53
UNDERFLOW = 1e-290
"""Upper bound on all underflow, in the unit of the scaled points."""


_LARGEST = 1e100  # largest number of a certificate, in that unit: sums of squares stay finite


def gamma(count: int) -> float:
    """Return a bound on the relative error of a sum of ``count`` products."""
    return 2.0 * (count + 1) * _UNIT


def rescaled(values: np.ndarray, exponent: int) -> np.ndarray:
    """Return a certificate's numbers times 2 to a power.

    Raises `FlawError` if they would be too large to add up.
    """
    with np.errstate(over="ignore"):
        scaled = np.ldexp(values, exponent)
    if not (np.abs(scaled) <= _LARGEST).all():
        raise FlawError("has numbers that are too large to add up")
    return scaled


@dataclass(frozen=True, eq=False)
class Unit:
    """The unit in which a problem is checked."""

    # (n, d): The points as given; those of float32 by their values. Points of weight 0 are moved to
    # another point: they count nowhere.
    X: np.ndarray
    # (n, d): 2^exponent times the points less about their mean, no coordinate above 1.
    A: np.ndarray
    exponent: int
    norm: float  # Root of the weighted sum of squares of A, rounded up
    error: float  # Not less than the norm of the error of A, weighted likewise
    weights: np.ndarray

    @property
    def more(self) -> int:
        """Roundings more in each term of a sum: none where all weights are 1."""
        return 0 if (self.weights == 1.0).all() else 4

    def back(self, value: float) -> float:
        """Return a sum of squares in the unit of the points."""
        return math.ldexp(value, -2 * self.exponent) if math.isfinite(value) else value

    def scaled(self, value: float) -> float:
        """Return a sum of squares in the unit of the check; inf if that is beyond all doubles."""
        try:
            return math.ldexp(value, 2 * self.exponent)
        except OverflowError:
            return math.copysign(math.inf, value)


def unit_of(problem: Problem) -> Unit:
    """Return the unit of a problem."""
    X, weights = np.asarray(problem.X, dtype=np.float64), problem.masses
    counted = np.flatnonzero(weights)
    if len(counted) < len(X):
        X = np.where(weights[:, None] > 0.0, X, X[counted[0]])
    # Zero where points coincide, which a mean would spoil; and no weight multiplies a large error.
    near = X - X[np.argmax(weights)]
    share = weights / weights.max()
    moved = near - share @ near / share.sum()
    exponent = -int(np.frexp(np.abs(moved).max())[1])
    near, A = np.ldexp(near, exponent), np.ldexp(moved, exponent)
    unit = Unit(X, A, exponent, 0.0, 0.0, weights)
    norm, before = (_norm_up(unit, each) for each in (A, near))
    return replace(unit, norm=norm, error=gamma(2) * (norm + before))


def _norm_up(unit: Unit, rows: np.ndarray) -> float:
    """Return the weighted norm of (n, d) rows, rounded up."""
    squares = float((unit.weights[:, None] * (rows * rows)).sum())
    return root_up(squares, rows.size + unit.more)


def root_up(squares: float, count: int) -> float:
    """Return the root of a computed sum of ``count`` squares, rounded up."""
    return math.sqrt(squares * (1.0 + gamma(count + 4)) + UNDERFLOW)


@dataclass(frozen=True, eq=False)
class Centroids:
    """The blocks of a node as points with masses, and the rounding error of these."""

    points: np.ndarray  # (s, d): Means of the blocks; bounds are proved for these doubles
    mass: np.ndarray  # (s,): Weights of the blocks, which are exact (`ccviz.problem.points`)
    conflict: np.ndarray
    # Lower bound on the weighted sum of squared distances of the points to their blocks' means.
    inside: float
    # Not less than the norm of the error of the points, each weighted by the root of its mass.
    slip: float

    @property
    def most(self) -> float:
        """Upper bound on the cost of any clustering of `points`: one cluster of all costs more."""
        off = self.points - self.mass @ self.points / self.mass.sum()
        squares = float(self.mass @ (off * off).sum(axis=1))
        return squares * (1.0 + gamma(off.size + 4)) + UNDERFLOW

    def whole(self, between: float) -> float:
        """Return a bound for the exact points, with scatter inside blocks, from one on `points`."""
        if not math.isfinite(between):
            return between
        root = max(0.0, math.sqrt(max(0.0, between)) * (1.0 - gamma(4)) - self.slip)
        return (self.inside + root * root) * (1.0 - gamma(4))


def centroids(unit: Unit, blocks: PlainBlocks) -> Centroids:
    """Return the means of the blocks in the unit."""
    mass, block_of = blocks.mass, blocks.block_of
    total = np.zeros((len(mass), unit.A.shape[1]))
    np.add.at(total, block_of, unit.weights[:, None] * unit.A)
    slip = unit.norm * gamma(int(np.bincount(block_of).max()) + 4 + unit.more) + unit.error
    inside = _scatter_below(unit, block_of, mass)
    return Centroids(total / mass[:, None], mass, blocks.conflict, inside, slip)


def _scatter_below(unit: Unit, group: np.ndarray, mass: np.ndarray) -> float:
    """Return a lower bound on the sum of squared distances of points to their groups' means."""
    off, total, _ = _off_means(unit, group, mass)
    widest, weights = int(np.bincount(group).max()), unit.weights[:, None]
    # The means are off by what the distances to them add up to.
    sums, sizes = np.zeros((2, *total.shape))
    np.add.at(sums, group, weights * off)
    np.add.at(sizes, group, weights * np.abs(off))
    astray = np.abs(sums) + gamma(widest + 2 + unit.more) * sizes
    squares = float((weights * (off * off)).sum())
    squares -= gamma(off.size + 4 + unit.more) * squares
    squares -= 1.01 * float((astray**2 / mass[:, None]).sum())
    root = math.sqrt(max(0.0, squares)) * (1.0 - gamma(2)) - gamma(2) * _reach(unit, group)
    return max(0.0, root) ** 2 * (1.0 - gamma(2))


def scatter_above(unit: Unit, group: np.ndarray, mass: np.ndarray) -> float:
    """Return an upper bound on the sum of squared distances of points to their groups' means.

    Zero only if all points of a group coincide.
    """
    off, _, differ = _off_means(unit, group, mass)
    root = _norm_up(unit, off) if differ else 0.0
    root += gamma(2) * _reach(unit, group)
    return root * root * (1.0 + gamma(2))


def _off_means(
    unit: Unit, group: np.ndarray, mass: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the points less about the means of their groups, and whether any group is spread."""
    near = _from_first(unit, group)
    total = np.zeros((len(mass), near.shape[1]))
    np.add.at(total, group, unit.weights[:, None] * near)
    return near - (total / mass[:, None])[group], total, bool(near.any())


def _from_first(unit: Unit, group: np.ndarray) -> np.ndarray:
    """Return the points less the first of their group with weight, each exact to a unit.

    Points of weight 0 are taken for that first one: no sum counts them.
    """
    counted_first = np.argsort(unit.weights == 0.0, kind="stable")
    first = counted_first[np.unique(group[counted_first], return_index=True)[1]]
    moved = np.where(unit.weights[:, None] > 0.0, unit.X - unit.X[first[group]], 0.0)
    scaled = np.ldexp(moved, unit.exponent)
    return np.where((moved != 0.0) & (scaled == 0.0), np.finfo(float).tiny, scaled)


def _reach(unit: Unit, group: np.ndarray) -> float:
    near = _from_first(unit, group)
    return _norm_up(unit, near) if near.any() else 0.0
