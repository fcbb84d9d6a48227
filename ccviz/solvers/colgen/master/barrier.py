"""A barrier method for the dual of the facility master, whose every step is compiled.

The dual of the master over facilities (`ccviz.solvers.colgen.master.facilities`) has a variable for
each block and the cardinality dual, and a constraint for each facility: the gain of its blocks, the
sum of max(0, dual - cost), is at most its own cost and the cardinality dual. With w of each entry,
w >= dual - cost and w >= 0, that is a linear program, and its logarithmic barrier is greatest over
w where

    1 / w + 1 / (w + cost - dual) = 1 / m  for each entry,  m + sum of w = own + cardinality dual,

m being the slack of the facility. One number solves it, whatever the weight of the barrier, so all
entries are eliminated: what remains is a smooth function of the blocks' duals and the cardinality
dual. Its Newton steps have the same normal equations as a primal-dual method, but no variable of an
entry is stored or moved outside, and any point on the way is a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.base import never
from ccviz.solvers.colgen.master.facilities import Facilities
from ccviz.solvers.colgen.master.interior import band_of, factored

# --- Compiled loops of the barrier method: slacks, barrier, derivatives ---------------------------

_NO_PART = 1e-5  # Entries of which the facility holds less are left out of its outer product
_EXACT = 1e-9  # Relative accuracy of a facility's slack
_TURNS = 60  # Most iterations for a facility's slack


@njit(cache=True, error_model="numpy")
def _slacks(reduced: float, m: float) -> tuple[float, float]:
    """Return w of an entry and w + cost - dual, where nothing cancels in either."""
    half = 0.5 * reduced
    root = np.sqrt(m * m + half * half)
    far = m + abs(half) + root
    near = 2.0 * m * (m + root) / far
    return (near, far) if half > 0.0 else (far, near)


@njit(cache=True, error_model="numpy")
def shares_held(
    start: np.ndarray, block: np.ndarray, cost: FloatArray, row: FloatArray, left: FloatArray
) -> FloatArray:
    """Return the share of its facility that each entry holds."""
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
def barrier(
    start: np.ndarray,
    block: np.ndarray,
    cost: FloatArray,
    own: FloatArray,
    most: FloatArray,
    row: FloatArray,
    cardinality_dual: float,
    left: FloatArray,
) -> float:
    """Return the sum of all logarithms, minus infinity outside; fill in the facilities' slacks."""
    if not cardinality_dual > 0.0:
        return -np.inf
    total = np.log(cardinality_dual)
    for b in range(len(row)):
        if not 0.0 < row[b] < most[b]:
            return -np.inf
        total += np.log(row[b]) + np.log(most[b] - row[b])
    for p in range(len(own)):
        m = _left_of(start[p], start[p + 1], block, cost, row, own[p] + cardinality_dual, left[p])
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
def normal(
    start: np.ndarray,
    block: np.ndarray,
    cost: FloatArray,
    most: FloatArray,
    row: FloatArray,
    cardinality_dual: float,
    left: FloatArray,
    band: FloatArray,
    border: FloatArray,
    residual: FloatArray,
    share: FloatArray,
    kept: FloatArray,
) -> float:
    """Fill in the barrier's gradient and minus its second derivatives; return their corner.

    Those are diagonal but for an outer product of each facility, of its entries' shares.
    """
    s = len(row)
    band[:] = 0.0
    border[:] = 0.0
    diagonal = band[0]
    for b in range(s):
        below, above = 1.0 / row[b], 1.0 / (most[b] - row[b])
        residual[b] = below - above
        diagonal[b] = below * below + above * above
    residual[s] = -1.0 / cardinality_dual
    corner = 1.0 / (cardinality_dual * cardinality_dual)
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
    """Add each facility's outer product of shares, without negligible ones.

    Of these only the diagonal is kept, and no border: so the sum has no negative eigenvalue.
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


_MOST_STEPS = 150  # Most Newton steps
_BEGIN = 0.1  # First gap, as a share of the sum of the duals
_SMALLER = 0.1  # Factor by which the gap falls after a long step
_GOOD = 0.1  # Share of a Newton step from which on it counts as long
_ENOUGH = 5e-3  # Least gain of a step, as a share of the gap; a smaller one is the last
_TO_BOUNDARY = 0.99  # Longest step, as a share of the way to the boundary
_ARMIJO = 0.1  # Least gain of a step, as a share of its first-order gain
_LEAST_WEIGHT = 1e-13
"""Least weight of the barrier: with less, the slack of a facility is lost in rounding."""
_LIFT = 1e-13  # Relative lift of the diagonal of the normal equations
_USED = 1e-4  # Weight from which on a facility is part of a solution
_ABOVE = 1.02  # First cardinality dual, as a multiple of the best facility's gain
_LEAST_PRICE = 1e-3  # Least first cardinality dual, as a share of the sum of duals


class DualProgram(NamedTuple):
    """The constraints on the duals."""

    facilities: Facilities
    own: FloatArray  # (p,): A facility's own cost
    most: FloatArray  # (s,): Upper limits of the duals
    k: int

    @property
    def barriers(self) -> int:
        """The number of inequalities."""
        return 2 * len(self.facilities.block) + len(self.own) + 2 * len(self.most) + 1


class DualPoint(NamedTuple):
    """A strictly feasible point."""

    row: FloatArray  # (s,): Of the blocks
    cardinality_dual: float
    left: FloatArray  # (p,): The slack of each facility
    weight: float


class Ascent(NamedTuple):
    """The result of an ascent."""

    row: FloatArray  # (s,): Duals of the blocks
    cardinality_dual: float
    taken: FloatArray  # (p,): Weight of each facility: the multipliers of their constraints
    missing: FloatArray  # (s,): Share of each block that is left out: those of the upper limits
    held: FloatArray  # (e,): Share of its facility that each entry holds, between 0 and 1
    short: float  # Excess of the multipliers' cost over the sum, approximately


def ascend(
    program: DualProgram,
    row: FloatArray,
    cardinality_dual: float,
    error: float,
    stop: Callable[[], bool] = never,
) -> Ascent:
    """Return duals whose sum, less k times the cardinality dual, is nearly as large as possible.

    `row` (s,): First duals, between zero and the limits. `cardinality_dual`: The first one; it is
    raised as far as facilities require. `stop`: True once it should end with what it has.
    """
    total = float(row.sum())
    gain = -program.facilities.reduced_costs(row)
    cardinality_dual = max(
        cardinality_dual,
        float((_ABOVE * gain - program.own).max(initial=0.0)),
        _LEAST_PRICE * total,
    )
    most = cardinality_dual + float(program.own.max(initial=0.0))
    last = max(error / program.barriers, _LEAST_WEIGHT * most)
    weight = max(last, _BEGIN * total / program.barriers)
    point = DualPoint(row, cardinality_dual, np.ones(len(program.own)), weight)
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
    return Ascent(point.row, point.cardinality_dual, taken, missing, held, short)


def parts(program: DualProgram, found: Ascent, shares: tuple[float, ...]) -> np.ndarray:
    """Return (q, s) bool clusters of the used facilities: entries that hold more than a share."""
    start, block, _ = program.facilities
    used = np.flatnonzero(found.taken > _USED)
    made = np.zeros((len(used), len(shares), len(program.most)), dtype=np.bool_)
    for i, p in enumerate(used):
        entries = slice(start[p], start[p + 1])
        for j, share in enumerate(shares):
            made[i, j, block[entries][found.held[entries] > share]] = True
    return made.reshape(-1, len(program.most))


def _held(program: DualProgram, point: DualPoint) -> FloatArray:
    """Return (e,) m / (w + cost - dual) of each entry."""
    start, block, cost = program.facilities
    return np.asarray(shares_held(start, block, cost, point.row, point.left))


def _barrier_at(program: DualProgram, point: DualPoint) -> float:
    """Return the barrier, minus infinity outside; fill in the slacks of the facilities."""
    (start, block, cost), own, most, _ = program
    return float(
        barrier(start, block, cost, own, most, point.row, point.cardinality_dual, point.left)
    )


def _objective(program: DualProgram, point: DualPoint, barrier: float) -> float:
    return float(point.row.sum()) - program.k * point.cardinality_dual + point.weight * barrier


def _searched(
    program: DualProgram, point: DualPoint, barrier: float, step: FloatArray, rise: float
) -> tuple[DualPoint, float, float]:
    """Search along a step: return the point, its barrier, and the share of the step.

    A self-concordant function surely rises at 1 / (1 + decrement) of the step; mostly it rises far
    beyond.
    """
    before = _objective(program, point, barrier)
    at = np.append(point.row, point.cardinality_dual)
    room = np.append(program.most - point.row, np.inf)
    fastest = float(np.maximum(-step / at, step / room).max())
    far = min(1.0, _TO_BOUNDARY / fastest) if fastest > 0.0 else 1.0
    least = 0.5 / (1.0 + np.sqrt(max(rise, 0.0) / point.weight))
    while far >= least:
        moved = at + far * step
        new = point._replace(
            row=moved[:-1], cardinality_dual=float(moved[-1]), left=point.left.copy()
        )
        there = _barrier_at(program, new)
        if _objective(program, new, there) >= before + _ARMIJO * far * rise:
            return new, there, far
        far *= 0.5
    return point, barrier, 0.0  # rounding hides the gain


class _System:
    """Newton's equations, in arrays that are reused."""

    def __init__(self, program: DualProgram) -> None:
        start, block, _ = program.facilities
        s = len(program.most)
        self._program = program
        self._band = np.empty((band_of(start, block) + 1, s), order="F")
        self._border, self._residual = np.empty(s), np.empty(s + 1)
        self._share, self._kept = np.empty(len(block)), np.empty(len(program.own))

    def step(self, point: DualPoint) -> tuple[FloatArray, float]:
        """Return the Newton step (s + 1,), of duals and cardinality dual, and its linear gain."""
        (start, block, cost), _, most, k = self._program
        corner = normal(
            start, block, cost, most, point.row, point.cardinality_dual, point.left,
            self._band, self._border, self._residual, self._share, self._kept,
        )  # fmt: skip
        # The last unknown is minus the cardinality dual.
        slope = np.append(np.ones(len(most)), float(k)) / point.weight + self._residual
        step = factored(self._band, self._border, corner, _LIFT).solve(slope)
        rise = point.weight * float(slope @ step)
        step[-1] = -step[-1]
        return step, rise

    def taken(self, point: DualPoint, step: FloatArray) -> FloatArray:
        """Return (p,) the facilities' multipliers after the step, to first order."""
        facilities = self._program.facilities
        more = (
            np.bincount(facilities.facility, self._share * step[facilities.block], len(point.left))
            - step[-1]
        )
        return np.maximum(point.weight * (1.0 / point.left + self._kept * more), 0.0)
