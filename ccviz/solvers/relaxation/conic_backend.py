"""The relaxation in cvxpy, solved by any conic solver that it finds: the second backend of a node.

The unknown is the lower triangle of Y, off-diagonal entries times sqrt 2, so that its products are
those of matrices. The solver's multipliers go through the same certificate as those of ADMM.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation.admm import Iterate
from ccviz.solvers.relaxation.certificate import certify
from ccviz.solvers.relaxation.cuts import Rows, rows_of
from ccviz.solvers.relaxation.model import Relaxation

_SCS_ITERATIONS = 100_000
"""Iterations after which SCS is stopped; the bound of its last multipliers is certified as any."""


@dataclass(frozen=True, eq=False)
class _Triangle:
    """Positions of a symmetric matrix's entries in the column-wise lower triangle."""

    row: IntArray
    column: IntArray
    scale: FloatArray

    def index(self, i: IntArray, j: IntArray) -> IntArray:
        low, high = np.minimum(i, j), np.maximum(i, j)
        s = int(self.row[-1]) + 1
        return low * s - low * (low - 1) // 2 + (high - low)

    def vector(self, matrix: FloatArray) -> FloatArray:
        return matrix[self.row, self.column] * self.scale

    def matrix(self, vector: FloatArray) -> FloatArray:
        s = int(self.row[-1]) + 1
        full = np.zeros((s, s))
        full[self.row, self.column] = full[self.column, self.row] = vector / self.scale
        return full


def _triangle(s: int) -> _Triangle:
    column, row = np.triu_indices(s)
    return _Triangle(row, column, np.where(row == column, 1.0, np.sqrt(2.0)))


def solve_by_cvxpy(
    relaxation: Relaxation, start: Iterate, solver: str, accuracy: float
) -> Iterate | None:
    """Solve the relaxation with the cuts of an iterate and certify the bound.

    Parameters
    ----------
    relaxation : Relaxation
    start : Iterate
        Gives the cuts and the unit of the objective.
    solver : str
        A name of `ccviz.solvers.sdp.settings.CONIC`.
    accuracy : float
        SCS's eps_abs and eps_rel; other solvers have their own default.

    Returns
    -------
    Iterate or None
        None if the solver ended without multipliers.
    """
    # Imported here: cvxpy takes a second, and the other backend does not need it.
    import cvxpy as cp

    triangle = _triangle(relaxation.s)
    rows = rows_of(start.cuts, relaxation)
    cut = _cut_matrix(rows, relaxation.s, triangle)
    free = np.ones(len(triangle.row), dtype=bool)
    free[triangle.index(relaxation.conflicts[:, 0], relaxation.conflicts[:, 1])] = False
    left, right = _equalities(relaxation, triangle)
    y = cp.Variable(len(free))
    equal = left @ y == right
    signs = y[np.flatnonzero(free)] >= 0
    limits = [cut @ y >= rows.side] if len(rows.side) else []
    shape = (relaxation.s, relaxation.s)
    convex = cp.reshape(_square(triangle) @ y, shape, order="F") >> 0
    cost = triangle.vector(relaxation.cost / start.unit)
    model = cp.Problem(cp.Minimize(cost @ y), [equal, signs, convex, *limits])
    name = None if solver == "cvxpy" else solver.upper()
    precise = {"eps_abs": accuracy, "eps_rel": accuracy, "max_iters": _SCS_ITERATIONS}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate solution has a certified bound, too
            model.solve(solver=name, **(precise if name == cp.SCS else {}))
    except cp.error.SolverError:
        return None
    if y.value is None or equal.dual_value is None:
        return None
    weights = np.maximum(limits[0].dual_value, 0.0) if limits else np.zeros(0)
    entries = _apart(relaxation, triangle, equal.dual_value)
    entries[free] = -np.maximum(signs.dual_value, 0.0)
    M = triangle.matrix(entries - weights @ cut)
    weights = weights / rows.norm
    found = certify(relaxation, start.unit * M, start.cuts, start.unit * weights)
    return replace(
        start,
        Y=np.maximum(triangle.matrix(y.value), 0.0),
        M=M,
        weights=weights,
        iterations=start.iterations + int(model.solver_stats.num_iters or 0),
        best=max(found, start.best or found, key=lambda each: each.lower_bound),
    )


def _square(triangle: _Triangle) -> csr_matrix:
    """Return the matrix that makes a symmetric matrix's entries of a triangle."""
    s = int(triangle.row[-1]) + 1
    position = triangle.index(*np.divmod(np.arange(s * s), s))
    entry = np.arange(s * s)
    shape = (s * s, len(triangle.row))
    return csr_matrix((1.0 / triangle.scale[position], (entry, position)), shape)


def _equalities(relaxation: Relaxation, triangle: _Triangle) -> tuple[csr_matrix, FloatArray]:
    """Y u = u, trace Y = k, Y_ij = 0 on conflicts; in this order."""
    s, u = relaxation.s, relaxation.u
    i, j = np.divmod(np.arange(s * s), s)
    position = triangle.index(i, j)
    weight = u[j] / triangle.scale[position]
    diagonal = triangle.index(np.arange(s), np.arange(s))
    apart = triangle.index(relaxation.conflicts[:, 0], relaxation.conflicts[:, 1])
    row = np.concatenate([i, np.full(s, s), s + 1 + np.arange(len(apart))])
    column = np.concatenate([position, diagonal, apart])
    value = np.concatenate([weight, np.ones(s), np.ones(len(apart))])
    shape = (s + 1 + len(apart), len(triangle.row))
    side = np.concatenate([u, [float(relaxation.k)], np.zeros(len(apart))])
    return csr_matrix((value, (row, column)), shape=shape), side


def _cut_matrix(rows: Rows, s: int, triangle: _Triangle) -> csr_matrix:
    i, j = np.divmod(rows.position, s)
    position = triangle.index(i, j)
    value = rows.value * triangle.scale[position]
    shape = (len(rows.side), len(triangle.row))
    return csr_matrix((value, position, rows.start), shape=shape)


def _apart(relaxation: Relaxation, triangle: _Triangle, duals: FloatArray) -> FloatArray:
    """Return the multipliers of the conflicts at their entries."""
    entries = np.zeros(len(triangle.row))
    i, j = relaxation.conflicts.T
    entries[triangle.index(i, j)] = duals[relaxation.s + 1 :]
    return entries
