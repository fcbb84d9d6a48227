"""The relaxation as the paper prints it (eq. 7 with 8 to 10), in cvxpy: to be read, and to test by.

The compiled node solver works on the same model in scaled variables, see `relaxation`.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.relaxation.cuts import Cuts, clique_side
from ccviz.solvers.relaxation.kernels import CLIQUE
from ccviz.solvers.relaxation.model import Relaxation


def solve_textbook(relaxation: Relaxation, cuts: Cuts) -> tuple[float, FloatArray]:
    """Return the optimal value (a sum of squares) and Z (s, s).

    Raises `cvxpy.error.SolverError` if the relaxation is infeasible or the solver gives up.
    """
    e, s = relaxation.mass, relaxation.s
    sums = np.sqrt(e)[:, None] * relaxation.factor
    W = sums @ sums.T
    Z = cp.Variable((s, s), PSD=True)
    rules = [Z @ e == np.ones(s), cp.trace(np.diag(e) @ Z) == relaxation.k, Z >= 0]
    rules += [Z[i, j] == 0 for i, j in relaxation.conflicts.tolist()]
    rules += [_cut(Z, points, kind, relaxation) for points, kind in _each(cuts)]
    problem = cp.Problem(cp.Minimize(relaxation.constant - cp.trace(W @ Z)), rules)
    problem.solve(solver=cp.CLARABEL)
    if problem.status != cp.OPTIMAL:
        raise cp.error.SolverError(f"the textbook relaxation is {problem.status}.")
    return float(problem.value), np.asarray(Z.value)


def _each(cuts: Cuts) -> list[tuple[list[int], int]]:
    return [
        ([p for p in points if p >= 0], kind)
        for points, kind in zip(cuts.points.tolist(), cuts.kind.tolist(), strict=True)
    ]


def _cut(Z: cp.Variable, points: list[int], kind: int, relaxation: Relaxation) -> cp.Constraint:
    if kind == CLIQUE:
        return _pairs(Z, points) >= clique_side(relaxation)
    apex, leaves = points[0], points[1:]
    return Z[apex, apex] + _pairs(Z, leaves) >= sum(Z[apex, leaf] for leaf in leaves)


def _pairs(Z: cp.Variable, points: list[int]) -> cp.Expression:
    return sum(Z[i, j] for a, i in enumerate(points) for j in points[:a])
