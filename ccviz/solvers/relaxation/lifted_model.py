"""What the lifted relaxation of a node computes once, and the ties between its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.certificate import beside, symmetric
from ccviz.solvers.relaxation.cuts import Cuts
from ccviz.solvers.relaxation.kernels import Rows
from ccviz.solvers.relaxation.model import Relaxation, pairs_apart
from ccviz.solvers.relaxation.soft_prices import compact

_EXCLUDED = -1e9  # in place of the pull of a class that a block does not fit into


@dataclass(frozen=True, eq=False)
class LiftedModel:
    """The constants of a lifted relaxation with q classes; letters as in `lifted`."""

    relaxation: Relaxation

    @classmethod
    def of(cls, relaxation: Relaxation) -> LiftedModel:
        """Return the model of a relaxation, the same one each time."""
        known = _MODELS.get(relaxation)
        if known is None:
            known = _MODELS[relaxation] = cls(relaxation)
        return known

    @property
    def q(self) -> int:
        """Number of classes."""
        return len(self.size)

    @property
    def size(self) -> FloatArray:
        """(q,) u."""
        assert self.relaxation.classes is not None
        return self.relaxation.classes.size

    @property
    def count(self) -> IntArray:
        """(q,) c."""
        assert self.relaxation.classes is not None
        return self.relaxation.classes.count

    @property
    def allowed(self) -> np.ndarray:
        """(q, s) whether a block may be in a cluster of the class."""
        assert self.relaxation.classes is not None
        return self.relaxation.classes.allowed

    @cached_property
    def share(self) -> FloatArray:
        """(q,) of all points that are in clusters of each class."""
        return self.size * self.count / self.relaxation.n

    @cached_property
    def cost(self) -> FloatArray:
        """(q, s + 1, s + 1) C of each class with an empty border: soft links cost by the size."""
        cost = np.zeros((self.q, self.relaxation.s + 1, self.relaxation.s + 1))
        for c, size in enumerate(self.size.tolist()):
            cost[c, 1:, 1:] = self.relaxation.cost + self.relaxation.prices(size)
        return cost

    @cached_property
    def kernel(self) -> FloatArray:
        """(q, s + 1) unit vectors that the matrices of clusters take to zero."""
        corner = -np.sqrt(self.size * self.count)
        root = np.broadcast_to(np.sqrt(self.relaxation.mass), (self.q, self.relaxation.s))
        vectors = np.concatenate([corner[:, None], root], axis=1)
        return vectors / np.linalg.norm(vectors, axis=1)[:, None]

    @cached_property
    def diagonal_of_one(self) -> FloatArray:
        """(q, s) W_ii of a block with p_i = 1."""
        return self.relaxation.mass / self.size[:, None]

    @cached_property
    def border(self) -> FloatArray:
        """(q, s) r_i of a block with p_i = 1."""
        return np.sqrt(self.relaxation.mass) / np.sqrt(self.size * self.count)[:, None]

    @cached_property
    def curvature(self) -> FloatArray:
        """(q, s) squared length of what p_i = 1 puts into the matrix."""
        return self.diagonal_of_one**2 + 2.0 * self.border**2

    @cached_property
    def barred(self) -> list[IntArray]:
        """Pairs of rows of B that have no cluster of each class in common."""
        relaxation = self.relaxation
        return [pairs_apart(relaxation.mass, relaxation.conflicts, size) + 1 for size in self.size]

    def shares(self, G: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return p (q, s) that project G on the ties, and their multipliers (s,).

        For each block the least of sum over classes of h p^2 - 2 l p with sum p = 1 and p >= 0 is
        p = max(0, (l - level) / h); the classes with the largest l have a part.
        """
        pull = self._pull(G)
        order = np.argsort(-pull, axis=0)
        sorted_pull = np.take_along_axis(pull, order, 0)
        inverse = np.take_along_axis(1.0 / self.curvature, order, 0)
        levels = (np.cumsum(sorted_pull * inverse, axis=0) - 1.0) / np.cumsum(inverse, axis=0)
        above = sorted_pull > levels
        last = self.q - 1 - np.argmax(above[::-1], axis=0)
        level = levels[last, np.arange(self.relaxation.s)]
        return np.maximum(0.0, (pull - level) / self.curvature), level

    def _pull(self, G: FloatArray) -> FloatArray:
        diagonal = np.diagonal(G, axis1=1, axis2=2)[:, 1:]
        pull = self.diagonal_of_one * diagonal + 2.0 * self.border * G[:, 0, 1:]
        return np.where(self.allowed, pull, _EXCLUDED)

    def diagonal(
        self, c: int, G: FloatArray, level: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return how W_ii of a class depends on G_ii, as `kernels.hildreth_sweep` takes it."""
        slope = np.zeros(self.relaxation.s + 1)
        offset = np.zeros(self.relaxation.s + 1)
        one, allowed = self.diagonal_of_one[c], self.allowed[c]
        slope[1:] = np.where(allowed, one**2 / self.curvature[c], 0.0)
        offset[1:] = np.where(allowed, (2.0 * self.border[c] * G[0, 1:] - level) / one, 0.0)
        return slope, offset, np.zeros(len(slope)), np.full(len(slope), np.inf)

    def tie(self, G: FloatArray, share: FloatArray) -> None:
        """Set corner, border and diagonal of the matrices to those of the shares."""
        at = np.arange(1, self.relaxation.s + 1)
        G[:, 0, 0] = 1.0
        G[:, 0, 1:] = G[:, 1:, 0] = self.border * share
        G[:, at, at] = self.diagonal_of_one * share


_MODELS: WeakKeyDictionary[Relaxation, LiftedModel] = WeakKeyDictionary()


def lifted_rows(cuts: Cuts, relaxation: Relaxation) -> Rows:
    """Return the rows of a class's cuts over its matrix B."""
    points = np.where(cuts.points >= 0, cuts.points + 1, -1)
    root = np.concatenate([[1.0], np.sqrt(relaxation.mass)])
    none = freeze(np.zeros((0, len(root)))), freeze(np.zeros(0))
    return kernels.cut_rows(points, cuts.kind, root, 0.0, *none)


# --- Certificates of the lifted relaxation: multipliers that prove a lower bound ------------------
#
# For each class take N with N_ij >= 0 where blocks i and j may share a cluster of it (row 0, the
# diagonal and the corner of either sign) and cut weights w >= 0, and put S = C - N - sum w A. With
# the letters of `lifted`, clusters have
#
#     <N, B> >= N_00 + sum over blocks of p_i g_i,    g_i = N_ii e_i / u + 2 N_0i sqrt(e_i / (u c)),
#
# and p_i >= 0 adds up to 1 over the classes that the block fits into. So the objective is at least
#
#     constant + sum over classes of (N_00 + <S, B>) + sum over blocks of the least g_i of a class,
#
# and <S, B> is at least 2 l_1 + l_2 + ... + l_c, the smallest eigenvalues of S on the complement of
# (-sqrt(u c), sqrt(e)).


@dataclass(frozen=True, eq=False)
class LiftedCertificate:
    """Multipliers as they are stored, and the bound they prove as stored."""

    # (q, (s + 1) (s + 2) / 2): Upper triangle of each class's N, row by row; classes by ascending
    # size.
    lifted: np.ndarray
    # points, kind: The cuts of all classes, see `ccviz.solvers.relaxation.cuts.Cuts`.
    points: IntArray
    kind: np.ndarray
    owner: IntArray  # (m,): The class of each cut
    weights: np.ndarray  # (m,): w, for the inequalities in terms of Z; not negative
    lower_bound: float  # Proved bound on the objective, less a margin for rounding
    soft: dict[str, np.ndarray]  # Prices of soft links by name

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

    `multiplier` (q, s + 1, s + 1): M = -N - sum w A, up to rounding. `weights` (m,): w >= 0 for the
    inequalities in terms of Z.
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
    kernels.add_rows(part, weights * rows.norm, rows)
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
