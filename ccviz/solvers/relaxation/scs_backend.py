"""The relaxation solved by SCS, a general conic solver: the second backend of a node.

The unknown is the lower triangle of Y, off-diagonal entries times sqrt 2, as SCS orders its
semidefinite cone. Its multipliers go through the same certificate as those of ADMM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix, eye_array, vstack

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation.admm import Iterate
from ccviz.solvers.relaxation.certificate import certify
from ccviz.solvers.relaxation.cuts import Rows, rows_of
from ccviz.solvers.relaxation.model import Relaxation


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


def solve_by_scs(
    relaxation: Relaxation, start: Iterate, accuracy: float, most_iterations: int = 100_000
) -> Iterate:
    """Solve the relaxation with the cuts of an iterate and certify the bound.

    Parameters
    ----------
    relaxation : Relaxation
    start : Iterate
        Gives the cuts and the unit of the objective.
    accuracy : float
        SCS's eps_abs and eps_rel.
    most_iterations : int
    """
    import scs  # here, for the other backend does not need it

    triangle = _triangle(relaxation.s)
    rows = rows_of(start.cuts, relaxation)
    equal, equal_side = _equalities(relaxation, triangle)
    free = np.ones(len(triangle.row), dtype=bool)
    free[triangle.index(relaxation.conflicts[:, 0], relaxation.conflicts[:, 1])] = False
    identity = eye_array(len(free), format="csr")
    cut, cut_side = _cut_matrix(rows, relaxation.s, triangle), rows.side
    A = vstack([equal, -identity[free], -cut, -identity], format="csc")
    b = np.concatenate([equal_side, np.zeros(free.sum()), -cut_side, np.zeros(len(free))])
    cone = {"z": len(equal_side), "l": int(free.sum()) + len(cut_side), "s": [relaxation.s]}
    c = triangle.vector(relaxation.cost / start.unit)
    data = {"A": csc_matrix(A), "b": b, "c": c}
    solver = scs.SCS(
        data, cone, eps_abs=accuracy, eps_rel=accuracy, max_iters=most_iterations, verbose=False
    )
    solution = solver.solve()
    return _read(solution, relaxation, start, triangle, rows, free, len(equal_side))


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


def _read(
    solution: dict[str, Any],
    relaxation: Relaxation,
    start: Iterate,
    triangle: _Triangle,
    rows: Rows,
    free: np.ndarray,
    equalities: int,
) -> Iterate:
    y = solution["y"]
    apart = y[relaxation.s + 1 : equalities]
    signs = y[equalities : equalities + int(free.sum())]
    after = equalities + len(signs)
    weights = np.maximum(y[after : after + len(rows.side)], 0.0)
    entries = np.zeros(len(free))
    entries[free] = -np.maximum(signs, 0.0)
    entries[triangle.index(relaxation.conflicts[:, 0], relaxation.conflicts[:, 1])] = apart
    cut_part = weights @ _cut_matrix(rows, relaxation.s, triangle)
    multiplier = triangle.matrix(entries - cut_part)
    weights = weights / rows.norm
    found = certify(relaxation, start.unit * multiplier, start.cuts, start.unit * weights)
    better = start.best is None or found.lower_bound > start.best.lower_bound
    return replace(
        start,
        Y=np.maximum(triangle.matrix(solution["x"]), 0.0),
        M=multiplier,
        weights=weights,
        iterations=start.iterations + int(solution["info"]["iter"]),
        best=found if better else start.best,
        residuals=(float(solution["info"]["res_pri"]), float(solution["info"]["res_dual"])),
    )
