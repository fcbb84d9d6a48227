"""Certificates: multipliers that prove a lower bound, whatever the accuracy of the solver.

For N with N_ij >= 0 off the conflicts and cut weights w >= 0 put

    S = C - N - sum_c w_c A_c.

Every feasible Y = u u^T + R has <N, Y> >= 0 and <A_c, Y> >= b_c, so its objective is at least

    constant + u^T S u + (sum of the k - 1 smallest eigenvalues of S on the complement of u)
             + sum_c w_c b_c,

because 0 <= R <= I, R u = 0 and trace R = k - 1. With sizes, e_i / most <= Y_ii <= e_i / fewest:
N_ii may then be of either sign, and the least of the sum of N_ii Y_ii joins the bound. Multipliers
of soft links within their caps add their terms to S, and their gain (`soft_prices`). This is the
best case of the perturbation bound of Piccialli et al. 2022, Theorem 3.2 (after Jansson et al.
2008).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import eigh

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels, soft_prices
from ccviz.solvers.relaxation.cuts import Cuts, rows_of
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.soft_prices import SoftPrices, compact


@dataclass(frozen=True, eq=False)
class Certificate:
    """Multipliers as they are stored, and the bound they prove as stored."""

    # (s (s + 1) / 2,): Upper triangle of N, row by row; of either sign on conflicts.
    nonnegativity: np.ndarray
    points: IntArray  # points, kind: The cuts, see `ccviz.solvers.relaxation.cuts.Cuts`
    kind: np.ndarray
    weights: np.ndarray  # (m,): w, for the inequalities in terms of Z; not negative
    lower_bound: float  # Proved bound on the objective, less a margin for rounding
    # Multipliers of soft links by name, see `soft_prices.arrays`.
    soft: dict[str, np.ndarray] = field(default_factory=dict)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the multipliers by name, as events carry them."""
        return {
            "nonnegativity": self.nonnegativity,
            "points": self.points,
            "kind": self.kind,
            "weights": self.weights,
            **self.soft,
        }


def certify(
    relaxation: Relaxation,
    multiplier: FloatArray,
    cuts: Cuts,
    weights: FloatArray,
    prices: SoftPrices | None = None,
) -> Certificate:
    """Return the certificate nearest to the multipliers of ADMM.

    `multiplier` (s, s): M = -N - sum_c w_c A_c, up to rounding. `weights` (m,): w >= 0 for the
    inequalities in terms of Z.
    """
    used = weights > 0.0
    cuts, weights = cuts.where(used), compact(weights[used])
    rows = rows_of(cuts, relaxation)
    scaled = weights * rows.norm
    cut_part = np.zeros_like(multiplier)
    kernels.add_rows(cut_part, scaled, rows)
    gain, soft = 0.0, relaxation.priced.linear_arrays()
    if prices is not None:
        prices = soft_prices.stored(relaxation, prices)
        part, gain = soft_prices.part_of(relaxation, prices)
        cut_part += part
        soft = soft_prices.arrays(relaxation, prices)
    N = -multiplier - cut_part
    free = _free_mask(relaxation)
    N = compact(np.where(free, N, np.maximum(N, 0.0)))
    stored = N[np.triu_indices(relaxation.s)]
    N = symmetric(stored, relaxation.s)
    S = relaxation.cost - N - cut_part
    bound = spectral_bound(relaxation, S) + float(scaled @ rows.side) + gain
    bound += _diagonal_part(relaxation, N)
    return Certificate(stored, cuts.points, cuts.kind, weights, bound, soft)


def _free_mask(relaxation: Relaxation) -> np.ndarray:
    """Where N may have either sign: on conflicts, and on the diagonal if sizes are given."""
    mask = np.zeros((relaxation.s, relaxation.s), dtype=bool)
    one, other = relaxation.conflicts.T
    mask[one, other] = mask[other, one] = True
    np.fill_diagonal(mask, relaxation.limits is not None)
    return mask


def _diagonal_part(relaxation: Relaxation, N: FloatArray) -> float:
    """Return the least that the diagonals of N and of a feasible Y give, less its rounding."""
    if relaxation.limits is None:
        return 0.0
    low, high = relaxation.diagonal_limits
    least = np.minimum(np.diagonal(N) * low, np.diagonal(N) * high)
    return float(least.sum()) - 8.0 * np.finfo(float).eps * relaxation.s * float(
        np.abs(least).sum()
    )


def symmetric(upper: np.ndarray, s: int) -> FloatArray:
    """Return the (s, s) symmetric matrix of an upper triangle, row by row."""
    full = np.zeros((s, s))
    full[np.triu_indices(s)] = upper
    return full + np.triu(full, 1).T


def spectral_bound(relaxation: Relaxation, S: FloatArray) -> float:
    """Return constant + min <S, Y> over Y = u u^T + R, less a margin for rounding."""
    s, k = relaxation.s, relaxation.k
    inner, size, smallest = beside(relaxation.u, S, k - 1)
    margin = 8.0 * np.finfo(float).eps * s * (k * size + abs(relaxation.constant))
    return relaxation.constant + inner + float(smallest.sum()) - margin


def beside(u: FloatArray, S: FloatArray, count: int) -> tuple[float, float, FloatArray]:
    """Return u'Su, the norm of S, and its smallest eigenvalues on the complement of u.

    `u` (s,): Unit vector. `S` (s, s): Symmetric.
    """
    image = S @ u
    inner, size = float(u @ image), float(np.linalg.norm(S))
    if count == 0:
        return inner, size, np.empty(0)
    inside = S - np.outer(u, image) - np.outer(image, u) + np.outer(u, (inner + 2.0 * size) * u)
    smallest = eigh(
        inside,
        eigvals_only=True,
        subset_by_index=[0, count - 1],
        check_finite=False,
        overwrite_a=True,
    )
    return inner, size, smallest
