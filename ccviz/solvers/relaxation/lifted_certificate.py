"""Certificates of the lifted relaxation: multipliers that prove a lower bound.

For each class take N with N_ij >= 0 where blocks i and j may share a cluster of it (row 0, the
diagonal and the corner of either sign) and cut weights w >= 0, and put S = C - N - sum w A. With
the letters of `lifted`, clusters have

    <N, B> >= N_00 + sum over blocks of p_i g_i,    g_i = N_ii e_i / u + 2 N_0i sqrt(e_i / (u c)),

and p_i >= 0 adds up to 1 over the classes that the block fits into. So the objective is at least

    constant + sum over classes of (N_00 + <S, B>) + sum over blocks of the least g_i of any class,

and <S, B> is at least 2 l_1 + l_2 + ... + l_c, the smallest eigenvalues of S on the complement of
(-sqrt(u c), sqrt(e)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.certificate import beside, symmetric
from ccviz.solvers.relaxation.compact import compact
from ccviz.solvers.relaxation.cuts import Cuts
from ccviz.solvers.relaxation.lifted_model import LiftedModel, lifted_rows
from ccviz.solvers.relaxation.model import Relaxation


@dataclass(frozen=True, eq=False)
class LiftedCertificate:
    """Multipliers as they are stored, and the bound they prove as stored.

    Attributes
    ----------
    lifted : (q, (s + 1) (s + 2) / 2) float32 or float64
        Upper triangle of each class's N, row by row; classes by ascending size.
    points, kind : arrays
        The cuts of all classes, see `ccviz.solvers.relaxation.cuts.Cuts`.
    owner : (m,) int64
        The class of each cut.
    weights : (m,) float32 or float64
        w, for the inequalities in terms of Z; not negative.
    lower_bound : float
        Proved bound on the objective, less a margin for rounding.
    soft : dict of arrays
        Prices of soft links by name.
    """

    lifted: np.ndarray
    points: IntArray
    kind: np.ndarray
    owner: IntArray
    weights: np.ndarray
    lower_bound: float
    soft: dict[str, np.ndarray]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the multipliers by name, as events carry them."""
        return {
            "lifted": self.lifted,
            "points": self.points,
            "kind": self.kind,
            "owner": self.owner,
            "weights": self.weights,
            **self.soft,
        }


def certify(
    relaxation: Relaxation,
    multiplier: FloatArray,
    cuts: Sequence[Cuts],
    weights: Sequence[FloatArray],
) -> LiftedCertificate:
    """Return the certificate nearest to the multipliers of the alternating direction method.

    Parameters
    ----------
    relaxation : Relaxation
    multiplier : (q, s + 1, s + 1) float64
        M = -N - sum w A, up to rounding.
    cuts : sequence of Cuts
    weights : sequence of (m,) float64
        w >= 0 for the inequalities in terms of Z.
    """
    model = LiftedModel.of(relaxation)
    used = [each > 0.0 for each in weights]
    cuts = [own.where(mask) for own, mask in zip(cuts, used, strict=True)]
    sums = [w[mask] for w, mask in zip(weights, used, strict=True)]
    stored_weights = compact(np.concatenate(sums))
    owner = np.repeat(np.arange(model.q), [len(each) for each in sums])
    parts = [
        _cut_part(own, relaxation, stored_weights[owner == c].astype(np.float64))
        for c, own in enumerate(cuts)
    ]
    rows, columns = np.triu_indices(relaxation.s + 1)
    upper = compact(
        np.stack(
            [_feasible(model, c, -multiplier[c] - parts[c])[rows, columns] for c in range(model.q)]
        )
    )
    bound = lifted_bound(model, [symmetric(each, relaxation.s + 1) for each in upper], parts)
    joined = cuts[0]
    for own in cuts[1:]:
        joined = joined.joined(own)
    return LiftedCertificate(
        upper, joined.points, joined.kind, owner, stored_weights, bound,
        relaxation.priced.linear_arrays(),
    )  # fmt: skip


def _cut_part(cuts: Cuts, relaxation: Relaxation, weights: FloatArray) -> FloatArray:
    """Return the weighted sum of a class's cuts."""
    rows = lifted_rows(cuts, relaxation)
    part = np.zeros((relaxation.s + 1, relaxation.s + 1))
    kernels.add_rows(part, weights * rows.norm, *rows.entries)
    return part


def _feasible(model: LiftedModel, c: int, N: FloatArray) -> FloatArray:
    """Return N with the signs that a certificate needs."""
    free = np.zeros(N.shape, dtype=bool)
    kernels.forbid(free, model.barred[c], True)
    free[0] = free[:, 0] = True
    np.fill_diagonal(free, True)
    return np.where(free, N, np.maximum(N, 0.0))


def lifted_bound(model: LiftedModel, N: list[FloatArray], cut_part: list[FloatArray]) -> float:
    """Return the bound of the module's formula, less a margin for rounding."""
    relaxation = model.relaxation
    gain = np.stack(
        [
            np.diagonal(each)[1:] * model.diagonal_of_one[c] + 2.0 * each[0, 1:] * model.border[c]
            for c, each in enumerate(N)
        ]
    )
    total = float(np.where(model.allowed, gain, np.inf).min(axis=0).sum())
    size = abs(relaxation.constant) + float(np.abs(gain).max(axis=0).sum())
    for c, each in enumerate(N):
        S = model.cost[c] - each - cut_part[c]
        _, norm, smallest = beside(model.kernel[c], S, int(model.count[c]))
        total += float(each[0, 0]) + float(smallest.sum()) + float(smallest[0])
        size += abs(float(each[0, 0])) + (model.count[c] + 1) * norm
    margin = 8.0 * np.finfo(float).eps * (relaxation.s + 1) * size
    return relaxation.constant + total - margin
