"""The master's linear program by an interior-point method that stops early.

Mehrotra's predictor-corrector method on

    min c'x + a'y   with   Ax + y - u = 1,   1'x + t = k,   x, y, u, t >= 0.

Column generation does not want the optimal vertex: well centred duals some way before the optimum
make better columns, and the way to them is shorter (Gondzio, Gonzalez-Brevis and Munari 2013).
The normal equations have one row a block and one more. Two blocks meet in them only if a column
holds both, so with blocks ordered along their widest axis they are a band as wide as a cluster,
bordered by the row of the limit: in the plane with a hundred clusters a fifteenth of the work of
a dense factorisation, and where clusters reach across all blocks no more than that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded
from scipy.sparse import csc_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.system import one_blas_thread

# --- Normal equations that are a band with one more row and column --------------------------------


class Bordered(NamedTuple):
    """A factored band with one more row and column: lower factor, border, its solution, corner."""

    lower: FloatArray
    border: FloatArray
    tip: FloatArray
    corner: float

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve for a right-hand side of the band's rows and one more."""
        inner = cho_solve_banded((self.lower, True), right[:-1], check_finite=False)
        last = (right[-1] - float(self.border @ inner)) / self.corner
        return np.append(inner - last * self.tip, last)


def factored(band: FloatArray, border: FloatArray, corner: float, lift: float) -> Bordered:
    """Factor a lower band, which is overwritten, with its border; the diagonal lifted."""
    band[0] *= 1.0 + lift
    lower = cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False)
    tip = cho_solve_banded((lower, True), border, check_finite=False)
    corner = corner * (1.0 + lift) - float(border @ tip)
    if not corner > 0.0:
        raise LinAlgError("The border is lost in rounding.")
    return Bordered(lower, border, tip, corner)


@njit(cache=True)
def band_of(start: IntArray, index: IntArray) -> int:
    """Return the largest difference between two rows of one column; indices are sorted."""
    widest = 0
    for j in range(len(start) - 1):
        if start[j + 1] > start[j]:
            widest = max(widest, index[start[j + 1] - 1] - index[start[j]])
    return widest


@njit(cache=True)
def add_outer(
    start: IntArray, index: IntArray, entry: FloatArray, weight: FloatArray, band: FloatArray
) -> None:
    """Add weight times the outer product of each sparse column with itself, lower band."""
    for j in range(len(weight)):
        for b in range(start[j], start[j + 1]):
            first = index[b]
            column = band[:, first]
            scaled = weight[j] * entry[b]
            for a in range(b, start[j + 1]):
                column[index[a] - first] += scaled * entry[a]


_MOST_STEPS = 80  # Most Newton steps
_TO_BOUNDARY = 0.995  # Longest step, as a share of the way to the boundary
_FEASIBLE = 1e-9  # Best relative feasibility
_CORRECTORS = 3  # Most correctors of a step
_FARTHER = 1.5  # Length of step that a corrector aims at, as a multiple of the last one
_LEAST_GAIN = 0.02  # Least gain of length by a corrector
_LEAST_TARGET = 1e-3  # Least target of the products, as a share of their mean
_MIDDLE = 0.03  # Relative gap below which a point is too near the boundary for a warm start


class Point(NamedTuple):
    """The point at which the method stopped."""

    weights: FloatArray  # (m,): Of the columns
    uncovered: FloatArray  # (s,): The artificial part y of each row
    duals: FloatArray  # (s + 1,): Of the rows; the last, of the limit k, is not positive
    middle: Iterate  # A point on the way, well inside: the warm start once there are more columns


class Iterate(NamedTuple):
    """A point inside: variables (x, y, u, t), duals of the rows, and the variables' slacks."""

    z: FloatArray
    duals: FloatArray
    slack: FloatArray

    def kept(self, mask: np.ndarray) -> Iterate:
        """Return it without the columns outside the mask, which come first."""
        every = np.concatenate([mask, np.ones(len(self.z) - len(mask), dtype=bool)])
        return Iterate(self.z[every], self.duals, self.slack[every])


class _Columns(NamedTuple):
    """The master's program over columns."""

    columns: csc_array  # (s, m)
    start: IntArray  # (m + 1,) of the columns' entries, as kernels take them,
    entries: IntArray  # and their rows
    cost: FloatArray  # (m + 2s + 1,) of x, y, u, t
    right: FloatArray  # (s + 1,)

    def times(self, z: FloatArray) -> FloatArray:
        """Return the constraint matrix times (x, y, u, t)."""
        s, m = self.columns.shape
        x, y, u, t = z[:m], z[m : m + s], z[m + s : -1], z[-1]
        return np.append(self.columns @ x + y - u, x.sum() + t)

    def transposed(self, duals: FloatArray) -> FloatArray:
        """Return its transpose times duals."""
        row, last = duals[:-1], duals[-1]
        return np.concatenate([self.columns.T @ row + last, row, -row, [last]])

    def factor(self, weight: FloatArray, lift: float = 0.0) -> Bordered:
        """Factor the matrix times diag(weight) times its transpose, with its diagonal lifted."""
        s, m = self.columns.shape
        x = weight[:m]
        normal = np.zeros((band_of(self.start, self.entries) + 1, s), order="F")
        add_outer(self.start, self.entries, self.columns.data, x, normal)
        normal[0] += weight[m : m + s] + weight[m + s : -1]
        return factored(normal, self.columns @ x, float(x.sum() + weight[-1]), lift)


def solve(
    columns: csc_array,
    costs: FloatArray,
    artificial: FloatArray,
    k: int,
    accuracy: float,
    middle: Iterate | None = None,
) -> Point:
    """Solve to a relative gap of about ``accuracy``.

    `columns` (s, m): Rows that share columns near each other, if there is such an order; indices
    sorted. `middle`: Of the last time, when there were only the first of these columns.
    """
    s = columns.shape[0]
    cost = np.concatenate([costs, artificial, np.zeros(s + 1)])
    start, entries = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    program = _Columns(columns, start, entries, cost, np.append(np.ones(s), float(k)))
    with one_blas_thread():
        first = _start(program) if middle is None else _extended(program, middle)
        last, middle = _iterate(program, first, accuracy)
    m = len(costs)
    return Point(last.z[:m], last.z[m : m + s], last.duals, middle)


def _iterate(program: _Columns, first: Iterate, accuracy: float) -> tuple[Iterate, Iterate]:
    """Go on to a relative gap of about ``accuracy``; also return the last point still inside."""
    cost = program.cost
    z, duals, slack = middle = first
    for _ in range(_MOST_STEPS):
        primal = program.right - program.times(z)
        dual = cost - program.transposed(duals) - slack
        gap = float(z @ slack) / (1.0 + abs(float(cost @ z)))
        scale = 1.0 + float(np.abs(cost).max())
        small = max(_FEASIBLE, 0.01 * accuracy)
        if gap < accuracy and np.abs(primal).max() < small and np.abs(dual).max() < small * scale:
            break
        if gap > _MIDDLE:
            middle = Iterate(z, duals, slack)
        try:
            z, duals, slack = _step(program, z, duals, slack, primal, dual)
        except LinAlgError:  # as near as the arithmetic allows
            break
    return Iterate(z, duals, slack), middle


def _extended(program: _Columns, middle: Iterate) -> Iterate:
    """Return the middle with weight for the columns that are new, as central as the others.

    A new column's slack is its reduced cost, where that is positive; where it is not, the column
    is what the last master lacked, and is put as far inside (Gondzio 1998).
    """
    s, m = program.columns.shape
    known = len(middle.z) - 2 * s - 1
    new = program.columns[:, known:]
    reduced = program.cost[known:m] - new.T @ middle.duals[:-1] - middle.duals[-1]
    usual = float(np.median(middle.slack[:known]))
    slack = np.maximum(np.abs(reduced), usual)
    weight = float(middle.z @ middle.slack) / len(middle.z) / slack
    return Iterate(
        np.concatenate([middle.z[:known], weight, middle.z[known:]]),
        middle.duals,
        np.concatenate([middle.slack[:known], slack, middle.slack[known:]]),
    )


def _start(program: _Columns) -> Iterate:
    """Return Mehrotra's starting point."""
    ones = np.ones(len(program.cost))
    factor = program.factor(ones)
    z = program.transposed(factor.solve(program.right))
    duals = factor.solve(program.times(program.cost))
    slack = program.cost - program.transposed(duals)
    z += max(-1.5 * z.min(), 0.0) + 1e-3
    slack += max(-1.5 * slack.min(), 0.0) + 1e-3
    product = float(z @ slack)
    return Iterate(z + 0.5 * product / slack.sum(), duals, slack + 0.5 * product / z.sum())


def _step(
    program: _Columns,
    z: FloatArray,
    duals: FloatArray,
    slack: FloatArray,
    primal: FloatArray,
    dual: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Take a predictor step, then the centred and corrected one, corrected as long as that helps.

    A factorisation costs as much as many solutions, so several of them are used for a longer step:
    products far from the mean are pulled back (Gondzio 1996).
    """
    weight = z / slack
    factor = program.factor(weight, 1e-13)

    def direction(aim: FloatArray) -> Iterate:
        d_duals = factor.solve(primal + program.times(weight * dual - aim / slack))
        d_slack = dual - program.transposed(d_duals)
        return Iterate(aim / slack - weight * d_slack, d_duals, d_slack)

    def lengths(step: Iterate) -> tuple[float, float]:
        return _length(z, step.z), _length(slack, step.slack)

    mean = float(z @ slack) / len(z)
    step = direction(-z * slack)
    far_z, far_slack = lengths(step)
    ahead = float((z + far_z * step.z) @ (slack + far_slack * step.slack)) / len(z)
    target = min(1.0, ahead / mean) ** 3 * mean
    # What is of second order counts as far as the predictor comes (Colombo and Gondzio 2008).
    aim = target - z * slack - far_z * far_slack * step.z * step.slack
    step = direction(aim)
    usual = max(target, _LEAST_TARGET * mean)
    for _ in range(_CORRECTORS):
        far_z, far_slack = lengths(step)
        farther = [min(1.0, _FARTHER * far + 0.1) for far in (far_z, far_slack)]
        products = (z + farther[0] * step.z) * (slack + farther[1] * step.slack)
        pull = np.clip(products, 0.1 * usual, 10.0 * usual) - products
        aim = aim + np.maximum(pull, -10.0 * usual)
        corrected = direction(aim)
        if sum(lengths(corrected)) < far_z + far_slack + _LEAST_GAIN:
            break
        step = corrected
    far_z = min(1.0, _TO_BOUNDARY * _length(z, step.z, 2.0))
    far_slack = min(1.0, _TO_BOUNDARY * _length(slack, step.slack, 2.0))
    return z + far_z * step.z, duals + far_slack * step.duals, slack + far_slack * step.slack


def _length(at: FloatArray, direction: FloatArray, most: float = 1.0) -> float:
    """Return the longest step at which no coordinate is negative."""
    fastest = float((direction / at).min())
    return most if fastest >= 0.0 else min(most, -1.0 / fastest)
