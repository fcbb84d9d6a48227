"""The master over stars by its duals alone: a barrier method whose every step is compiled.

The dual of the master over stars (`ccviz.solvers.colgen.stars`) has a number for each block and the
price of a cluster, and a constraint for each star: what its blocks gain, the sum of
max(0, dual - cost), is at most its own cost and the price. With w of each entry, w >= dual - cost
and w >= 0, that is a linear program, and its logarithmic barrier is greatest over w where

    1 / w + 1 / (w + cost - dual) = 1 / m    for each entry,    m + sum of w = own + price,

m being what is left of the star. One number solves it, whatever the weight of the barrier, so all
entries go: what remains is a smooth function of the blocks' duals and the price. Its Newton steps
have the same normal equations as a primal-dual method, but no variable of an entry is ever stored
or moved past where it should be, and any point on the way is a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.base import never
from ccviz.solvers.colgen.banded import band_of, factored
from ccviz.solvers.colgen.stars import Stars

_MOST_STEPS = 150
_BEGIN = 0.1  # gap to begin with, relative to the sum of the duals
_SMALLER = 0.1  # the gap becomes so many times smaller
_GOOD = 0.1  # after so much of a Newton step
_ENOUGH = 5e-3  # of the gap: a step that wins less is the last one
_TO_BOUNDARY = 0.99
_ARMIJO = 0.1
_LEAST_WEIGHT = 1e-13  # of the barrier: with less, what is left of a star is lost in rounding
_LIFT = 1e-13
_NO_PART = 1e-5  # entries of which the star holds less take no part in its outer product
_EXACT = 1e-9  # relative, of what is left of a star
_TURNS = 60
_USED = 1e-4
_ABOVE = 1.02  # so far above what the best star is worth the price is to begin with
_LEAST_PRICE = 1e-3  # of the sum of duals


class DualProgram(NamedTuple):
    """What the duals have to satisfy.

    Attributes
    ----------
    stars : Stars
    own : (p,) float64
        What a star costs besides.
    most : (s,) float64
        Upper limits of the duals.
    k : int
        Clusters, each of which costs the price.
    """

    stars: Stars
    own: FloatArray
    most: FloatArray
    k: int

    @property
    def barriers(self) -> int:
        """How many inequalities there are."""
        return 2 * len(self.stars.block) + len(self.own) + 2 * len(self.most) + 1


class DualPoint(NamedTuple):
    """A strictly feasible point.

    Attributes
    ----------
    row : (s,) float64
        Of the blocks.
    price : float
    left : (p,) float64
        What is left of each star.
    weight : float
        Of the barrier.
    """

    row: FloatArray
    price: float
    left: FloatArray
    weight: float


class Ascent(NamedTuple):
    """Where an ascent ended.

    Attributes
    ----------
    row : (s,) float64
        Duals of the blocks.
    price : float
    taken : (p,) float64
        How much of each star is: the multipliers of their constraints.
    missing : (s,) float64
        How much of each block is left out: those of the upper limits.
    held : (e,) float64
        How much of its star each entry holds, between 0 and 1.
    short : float
        By how much more than the sum the multipliers cost, about.
    """

    row: FloatArray
    price: float
    taken: FloatArray
    missing: FloatArray
    held: FloatArray
    short: float


def ascend(
    program: DualProgram,
    row: FloatArray,
    price: float,
    error: float,
    stop: Callable[[], bool] = never,
) -> Ascent:
    """Return duals whose sum, less the price of k clusters, is about as large as can be.

    Parameters
    ----------
    program : DualProgram
    row : (s,) float64
        Where to begin: between zero and the limits,
    price : float
        and with this price, or with as much more as stars ask for.
    error : float
        So far from the best they may stay.
    stop : callable
        True once it should end with what it has.
    """
    total = float(row.sum())
    gain = -program.stars.values(row)
    price = max(price, float((_ABOVE * gain - program.own).max(initial=0.0)), _LEAST_PRICE * total)
    most = price + float(program.own.max(initial=0.0))
    last = max(error / program.barriers, _LEAST_WEIGHT * most)
    weight = max(last, _BEGIN * total / program.barriers)
    point = DualPoint(row, price, np.ones(len(program.own)), weight)
    barrier = _barrier_at(program, point)
    system, step = _System(program), np.zeros(len(row) + 1)
    for _ in range(_MOST_STEPS):
        try:
            step, rise = system.step(point)
        except LinAlgError:  # as near as the arithmetic allows
            break
        if stop() or (point.weight <= last and rise < _ENOUGH * error):
            break
        point, barrier, far = _searched(program, point, barrier, step, rise)
        if far == 0.0:  # as near as the arithmetic allows
            break
        if far >= _GOOD:
            point = point._replace(weight=max(last, _SMALLER * point.weight))
    missing = point.weight / (program.most - point.row)
    taken, held = system.taken(point, step), _held(program, point)
    short = point.weight * program.barriers
    return Ascent(point.row, point.price, taken, missing, held, short)


def parts(program: DualProgram, found: Ascent, shares: tuple[float, ...]) -> np.ndarray:
    """Return (q, s) bool clusters that the stars in use are made of: what holds more than a share.

    Parameters
    ----------
    program : DualProgram
    found : Ascent
    shares : tuple of float
    """
    start, block, _ = program.stars
    used = np.flatnonzero(found.taken > _USED)
    made = np.zeros((len(used), len(shares), len(program.most)), dtype=np.bool_)
    for i, p in enumerate(used):
        entries = slice(start[p], start[p + 1])
        for j, share in enumerate(shares):
            made[i, j, block[entries][found.held[entries] > share]] = True
    return made.reshape(-1, len(program.most))


def _held(program: DualProgram, point: DualPoint) -> FloatArray:
    """Return (e,) m / (w + cost - dual) of each entry."""
    start, block, cost = program.stars
    return np.asarray(_shares_held(start, block, cost, point.row, point.left))


def _barrier_at(program: DualProgram, point: DualPoint) -> float:
    """Return the barrier, minus infinity outside; what is left of the stars is put in place."""
    (start, block, cost), own, most, _ = program
    return float(_barrier(start, block, cost, own, most, point.row, point.price, point.left))


def _objective(program: DualProgram, point: DualPoint, barrier: float) -> float:
    return float(point.row.sum()) - program.k * point.price + point.weight * barrier


def _searched(
    program: DualProgram, point: DualPoint, barrier: float, step: FloatArray, rise: float
) -> tuple[DualPoint, float, float]:
    """Go along a step as far as it is worth it: the point there, its barrier, and how far it is.

    A self-concordant function surely rises at 1 / (1 + decrement) of the step; mostly it does far
    beyond.
    """
    before = _objective(program, point, barrier)
    at = np.append(point.row, point.price)
    room = np.append(program.most - point.row, np.inf)
    fastest = float(np.maximum(-step / at, step / room).max())
    far = min(1.0, _TO_BOUNDARY / fastest) if fastest > 0.0 else 1.0
    least = 0.5 / (1.0 + np.sqrt(max(rise, 0.0) / point.weight))
    while far >= least:
        moved = at + far * step
        new = point._replace(row=moved[:-1], price=float(moved[-1]), left=point.left.copy())
        there = _barrier_at(program, new)
        if _objective(program, new, there) >= before + _ARMIJO * far * rise:
            return new, there, far
        far *= 0.5
    return point, barrier, 0.0  # rounding hides what it would win


class _System:
    """Newton's equations, in arrays that are used again."""

    def __init__(self, program: DualProgram) -> None:
        start, block, _ = program.stars
        s = len(program.most)
        self._program = program
        self._band = np.empty((band_of(start, block) + 1, s), order="F")
        self._border, self._residual = np.empty(s), np.empty(s + 1)
        self._share, self._kept = np.empty(len(block)), np.empty(len(program.own))

    def step(self, point: DualPoint) -> tuple[FloatArray, float]:
        """Return the Newton step (s + 1,), of the duals and the price, and its first-order rise."""
        (start, block, cost), _, most, k = self._program
        corner = _normal(
            start, block, cost, most, point.row, point.price, point.left,
            self._band, self._border, self._residual, self._share, self._kept,
        )  # fmt: skip
        # The last unknown is minus the price.
        slope = np.append(np.ones(len(most)), float(k)) / point.weight + self._residual
        step = factored(self._band, self._border, corner, _LIFT).solve(slope)
        rise = point.weight * float(slope @ step)
        step[-1] = -step[-1]
        return step, rise

    def taken(self, point: DualPoint, step: FloatArray) -> FloatArray:
        """Return (p,) the stars' multipliers after the step, to first order: they cover blocks."""
        stars = self._program.stars
        more = np.bincount(stars.star, self._share * step[stars.block], len(point.left)) - step[-1]
        return np.maximum(point.weight * (1.0 / point.left + self._kept * more), 0.0)


@njit(cache=True, error_model="numpy")
def _slacks(reduced: float, m: float) -> tuple[float, float]:
    """Return w of an entry and w + cost - dual, where nothing cancels in either."""
    half = 0.5 * reduced
    root = np.sqrt(m * m + half * half)
    far = m + abs(half) + root
    near = 2.0 * m * (m + root) / far
    return (near, far) if half > 0.0 else (far, near)


@njit(cache=True, error_model="numpy")
def _shares_held(
    start: np.ndarray, block: np.ndarray, cost: FloatArray, row: FloatArray, left: FloatArray
) -> FloatArray:
    """Return how much of its star each entry holds."""
    held = np.empty(len(block))
    for p in range(len(left)):
        for e in range(start[p], start[p + 1]):
            held[e] = left[p] / _slacks(cost[e] - row[block[e]], left[p])[1]
    return held


@njit(cache=True, error_model="numpy")
def _left_of(
    first: int,
    last: int,
    block: np.ndarray,
    cost: FloatArray,
    row: FloatArray,
    most: float,
    guess: float,
) -> float:
    """Return m > 0 with m + sum of w = most, by Newton's method; -1 if there is none.

    The left side is convex in m and rises, so after the first step the root is approached from
    above.
    """
    gain = 0.0
    for e in range(first, last):
        gain += max(0.0, row[block[e]] - cost[e])
    if not gain < most:
        return -1.0
    m = guess
    for _ in range(_TURNS):
        total, slope = m, 1.0
        for e in range(first, last):
            half = 0.5 * (cost[e] - row[block[e]])
            root = np.sqrt(m * m + half * half)
            total += m - half + root if half < 0.0 else m + m * m / (root + half)
            slope += 1.0 + m / root
        step = (total - most) / slope
        m = m - step if m > step else 0.1 * m
        if abs(step) <= _EXACT * m:
            break
    return m


@njit(cache=True, error_model="numpy")
def _barrier(
    start: np.ndarray,
    block: np.ndarray,
    cost: FloatArray,
    own: FloatArray,
    most: FloatArray,
    row: FloatArray,
    price: float,
    left: FloatArray,
) -> float:
    """Return the sum of all logarithms, minus infinity outside; fill in what is left of stars."""
    if not price > 0.0:
        return -np.inf
    total = np.log(price)
    for b in range(len(row)):
        if not 0.0 < row[b] < most[b]:
            return -np.inf
        total += np.log(row[b]) + np.log(most[b] - row[b])
    for p in range(len(own)):
        m = _left_of(start[p], start[p + 1], block, cost, row, own[p] + price, left[p])
        if not m > 0.0:
            return -np.inf
        left[p] = m
        product = m
        for e in range(start[p], start[p + 1]):
            half = 0.5 * (cost[e] - row[block[e]])
            # w times (w + cost - dual); their sum is 2 (m + root)
            product *= 2.0 * m * (m + np.sqrt(m * m + half * half))
            if not 1e-200 < product < 1e200:
                total += np.log(product)
                product = 1.0
        total += np.log(product)
    return total


@njit(cache=True, error_model="numpy")
def _normal(
    start: np.ndarray,
    block: np.ndarray,
    cost: FloatArray,
    most: FloatArray,
    row: FloatArray,
    price: float,
    left: FloatArray,
    band: FloatArray,
    border: FloatArray,
    residual: FloatArray,
    share: FloatArray,
    kept: FloatArray,
) -> float:
    """Fill in the barrier's gradient and minus its second derivatives; return their corner.

    Those are diagonal but for an outer product of each star, of its entries' shares.
    """
    s = len(row)
    band[:] = 0.0
    border[:] = 0.0
    diagonal = band[0]
    for b in range(s):
        below, above = 1.0 / row[b], 1.0 / (most[b] - row[b])
        residual[b] = below - above
        diagonal[b] = below * below + above * above
    residual[s] = -1.0 / price
    corner = 1.0 / (price * price)
    for p in range(len(left)):
        m = left[p]
        stiff = m * m
        for e in range(start[p], start[p + 1]):
            b = block[e]
            w, v = _slacks(cost[e] - row[b], m)  # v is w + cost - dual
            both = w * w + v * v
            share[e] = w * w / both
            stiff += v * v * share[e]
            residual[b] -= 1.0 / v
            diagonal[b] += 1.0 / both
        residual[s] -= 1.0 / m
        kept[p] = 1.0 / stiff
        corner += kept[p]
    _add_outer(start, block, share, kept, band, border)
    return corner


@njit(cache=True, error_model="numpy")
def _add_outer(
    start: np.ndarray,
    block: np.ndarray,
    share: FloatArray,
    kept: FloatArray,
    band: FloatArray,
    border: FloatArray,
) -> None:
    """Add each star's outer product of shares, but for those that are next to nothing.

    Of those the diagonal alone is left, and no border: so what is added has no negative eigenvalue.
    """
    some, value = np.empty(len(border), dtype=np.int64), np.empty(len(border))
    for p in range(len(kept)):
        count = 0
        for e in range(start[p], start[p + 1]):
            if share[e] > _NO_PART:
                some[count], value[count] = block[e], share[e]
                count += 1
            else:
                band[0, block[e]] += kept[p] * share[e] * share[e]
        for i in range(count):
            column = band[:, some[i]]
            scaled = kept[p] * value[i]
            border[some[i]] += scaled
            for j in range(i, count):
                column[some[j] - some[i]] += scaled * value[j]
