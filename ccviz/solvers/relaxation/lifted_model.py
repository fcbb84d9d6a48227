"""What the lifted relaxation of a node computes once, and the ties between its classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.cuts import Cuts, Rows
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.size_classes import pairs_apart

_EXCLUDED = -1e9  # in place of the pull of a class that a block does not fit into


@dataclass(frozen=True, eq=False)
class LiftedModel:
    """The constants of a lifted relaxation with q classes; letters as in `lifted`.

    Attributes
    ----------
    relaxation : Relaxation
        With classes.
    """

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
    return Rows(*kernels.cut_rows(points, cuts.kind, root, 0.0))
