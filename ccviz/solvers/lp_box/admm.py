"""The variables of the ℓp-box splitting and their updates (Bibi, Wu and Ghanem 2019).

The relaxed assignment x and the weights w are (n, k) arrays: column j of w says which mean the
points of cluster j have, c_j = Σ_i w_ij s_i. Equation numbers are the paper's. None of its
selection matrices exists: Ψᵀx is a sum over a row, Cx and QPᵀx are sums over a column, and E₁x,
E₂x are rows of x picked by index.

A variant keeps only the terms of the constraints that it has: cluster sizes bring y4, must-links
bring z3, y6 and y7, cannot-links bring z4, y8 and y9.
"""

from __future__ import annotations

import numpy as np
import scipy
from scipy.sparse.linalg import LinearOperator, cg

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.sizes import Sizes

# --- All links of a kind as one product constraint of the ℓp-box splitting ------------------------


class PairProduct:
    """The constraint (E z)ᵀ E′ x = target on linked pairs, with its copy z of x (eq. 4 and 5).

    By Lemmas 1 and 2 one product replaces all links of a kind: it counts the pairs that share a
    cluster, which are all must-links and no cannot-link.

    `target`: How many of the pairs should be together.
    """

    def __init__(self, x: FloatArray, pairs: IntArray, target: float) -> None:
        self.pairs, self.target = pairs, target
        self.z = np.zeros_like(x)
        self.y = 0.0
        self.y_copy = np.zeros_like(x)
        self.direction = np.zeros_like(x)

    def aim(self) -> None:
        """Set E′ᵀE z, the direction in which x is held."""
        self.direction = _carry(self.z, self.pairs[:, 0], self.pairs[:, 1])

    def gap(self, x: FloatArray) -> float:
        """Return how far the product misses its target."""
        return float((self.direction * x).sum()) - self.target

    def gradient(self, rho: float) -> FloatArray:
        """Return the linear terms in x, the targets of both penalties included."""
        return (self.y - rho * self.target) * self.direction + self.y_copy - rho * self.z

    def update_copy(self, x: FloatArray, rho: float) -> None:
        """Solve eq. 13 and 14: a multiple of the identity plus one rank, so in closed form."""
        across = _carry(x, self.pairs[:, 1], self.pairs[:, 0])
        right = self.y_copy / rho + x + (self.target - self.y / rho) * across
        step = float((across * right).sum()) / (1.0 + float((across * across).sum()))
        self.z = right - step * across

    def ascend(self, x: FloatArray, rho: float) -> None:
        """Move the multipliers along their residuals (eq. 15)."""
        self.aim()
        self.y += rho * self.gap(x)
        self.y_copy += rho * (x - self.z)


def _carry(rows: FloatArray, source: IntArray, goal: IntArray) -> FloatArray:
    """Add row ``source[e]`` to row ``goal[e]`` for each pair e."""
    total = np.zeros_like(rows)
    np.add.at(total, goal, rows[source])
    return total


CG_TOLERANCE = 1e-8
LEAST_SIZE = 1e-6  # a fractional cluster may be empty; its mean still needs a divisor


class Splitting:
    """All variables of problem (7), and one method for each update of Algorithm 1.

    The constraint x = Pw ⊙ Cx is eliminated: w is computed from the box copy z1 of x, so that the
    means are always those of a relaxed assignment. `CoupledSplitting` keeps it as the paper does.

    `X` (n, d): Points, scaled as the penalty expects. `x` (n, k): The assignment to start from.
    """

    def __init__(
        self,
        X: FloatArray,
        x: FloatArray,
        must_link: IntArray,
        cannot_link: IntArray,
        sizes: Sizes | None,
        rho: float,
    ) -> None:
        self.X, self.x, self.rho, self.sizes = X, x.copy(), rho, sizes
        self.pair_products = [
            PairProduct(x, pairs, target)
            for pairs, target in ((must_link, float(len(must_link))), (cannot_link, 0.0))
            if len(pairs)
        ]
        self.w = _weights_of(x)
        self.z_box, self.z_sphere, self.y_box, self.y_sphere = np.zeros((4, *x.shape))
        self.y_sum, self.y_size = np.zeros(len(x)), np.zeros(x.shape[1])
        self.size_target = x.sum(axis=0)
        self.dual_residual = np.inf

    @property
    def centers(self) -> FloatArray:
        """(k, d) the means of the clusters that w describes."""
        return self.w.T @ self.X

    @property
    def distances(self) -> FloatArray:
        """(n, k) squared distances to the means."""
        return scipy.spatial.distance.cdist(self.X, self.centers, "sqeuclidean")

    @property
    def objective(self) -> float:
        """The k-means objective at x and w."""
        return float((self.x * self.distances).sum())

    @property
    def primal_residual(self) -> float:
        """Norm of everything that should be zero."""
        return float(np.sqrt(sum(float((part**2).sum()) for part in self._gaps())))

    @property
    def fractional(self) -> float:
        """Mean distance of x to 0 or 1."""
        return float(np.minimum(np.abs(self.x), np.abs(1.0 - self.x)).mean())

    def iterate(self) -> None:
        """Make the updates of Algorithm 1 once."""
        before = self.z_box, self.z_sphere
        self.update_x()
        self.z_box = np.clip(self.x + self.y_box / self.rho, 0.0, 1.0)  # eq. 11
        self.z_sphere = to_sphere(self.x + self.y_sphere / self.rho)
        self.update_w()
        for each in self.pair_products:
            each.update_copy(self.x, self.rho)
        if self.sizes is not None:  # with exact sizes this is the paper's u
            column = self.x.sum(axis=0) + self.y_size / self.rho
            self.size_target = np.clip(column, self.sizes.lower, self.sizes.upper)
        self.ascend()
        moved = [self.z_box - before[0], self.z_sphere - before[1]]
        self.dual_residual = self.rho * float(np.linalg.norm(moved))

    def update_x(self) -> None:
        """Solve eq. 9 by conjugate gradients from the last x."""
        for each in self.pair_products:
            each.aim()
        # Divided by rho, the system keeps its scale while the penalty grows.
        matrix = LinearOperator(
            (self.x.size, self.x.size), dtype=np.float64,
            matvec=lambda flat: self.product(flat.reshape(self.x.shape)).ravel(),
        )  # fmt: skip
        right = -self.gradient().ravel() / self.rho
        solution, _ = cg(matrix, right, self.x.ravel(), rtol=CG_TOLERANCE)
        self.x = solution.reshape(self.x.shape)

    def gradient(self) -> FloatArray:
        """Return the term linear in x: the negative right side of eq. 9."""
        rho = self.rho
        total = self.distances + (self.y_sum - rho)[:, None]
        total += self.y_box - rho * self.z_box + self.y_sphere - rho * self.z_sphere
        if self.sizes is not None:
            total += self.y_size - rho * self.size_target
        for each in self.pair_products:
            total += each.gradient(rho)
        return total

    def product(self, x: FloatArray) -> FloatArray:
        """Multiply with the matrix of eq. 9, divided by rho."""
        total = (2.0 + len(self.pair_products)) * x + x.sum(axis=1)[:, None]
        if self.sizes is not None:
            total += x.sum(axis=0)
        for each in self.pair_products:
            total += each.direction * float((each.direction * x).sum())
        return total

    def update_w(self) -> None:
        """Let the means be those of the box copy."""
        self.w = _weights_of(self.z_box)

    def ascend(self) -> None:
        """Move all multipliers along their residuals (eq. 15)."""
        x, rho = self.x, self.rho
        self.y_sum += rho * (x.sum(axis=1) - 1.0)
        self.y_box += rho * (x - self.z_box)
        self.y_sphere += rho * (x - self.z_sphere)
        if self.sizes is not None:
            self.y_size += rho * (x.sum(axis=0) - self.size_target)
        for each in self.pair_products:
            each.ascend(x, rho)

    def _gaps(self) -> list[FloatArray]:
        x = self.x
        parts = [x.sum(axis=1) - 1.0, x - self.z_box, x - self.z_sphere]
        if self.sizes is not None:
            parts.append(x.sum(axis=0) - self.size_target)
        for each in self.pair_products:
            parts += [x - each.z, np.array(each.gap(x))]
        return parts


class CoupledSplitting(Splitting):
    """The splitting with x = Pw ⊙ Cx as one more penalised constraint, as the paper has it."""

    def __init__(self, X: FloatArray, x: FloatArray, *rest: object) -> None:
        super().__init__(X, x, *rest)  # type: ignore[arg-type]
        self.spectrum, self.axes = np.linalg.eigh(X.T @ X)
        self.y_means = np.zeros_like(x)

    def gradient(self) -> FloatArray:
        """Return the term linear in x."""
        return super().gradient() + self._off_means_transposed(self.y_means)

    def product(self, x: FloatArray) -> FloatArray:
        """Multiply with the matrix of eq. 9, divided by rho."""
        return super().product(x) + self._off_means_transposed(self._off_means(x))

    def update_w(self) -> None:
        """Solve eq. 10 cluster by cluster.

        Its matrix 2 m SᵀS + ρ m² I is a multiple of the identity plus rank d, so the eigenvectors
        of the d × d matrix SSᵀ give the exact solution for less than one step of an iteration.
        """
        size = self.x.sum(axis=0)
        size = np.where(np.abs(size) < LEAST_SIZE, LEAST_SIZE, size)
        right = 2.0 * self.X @ (self.X.T @ self.x) + size * (self.y_means + self.rho * self.x)
        flat, curved = self.rho * size**2, 2.0 * size
        inside = self.axes.T @ (self.X.T @ right)
        inside *= curved / (flat + curved * self.spectrum[:, None])
        self.w = (right - self.X @ (self.axes @ inside)) / flat

    def ascend(self) -> None:
        """Move all multipliers along their residuals (eq. 15)."""
        super().ascend()
        self.y_means += self.rho * self._off_means(self.x)

    def _off_means(self, x: FloatArray) -> FloatArray:
        return x - self.w * x.sum(axis=0)

    def _off_means_transposed(self, y: FloatArray) -> FloatArray:
        return y - (self.w * y).sum(axis=0)

    def _gaps(self) -> list[FloatArray]:
        return [*super()._gaps(), self._off_means(self.x)]


def _weights_of(x: FloatArray) -> FloatArray:
    return x / np.maximum(x.sum(axis=0), LEAST_SIZE)


def to_sphere(point: FloatArray) -> FloatArray:
    """Project on the sphere around ½ through all corners of the unit box (eq. 12)."""
    offset = point - 0.5
    norm = float(np.linalg.norm(offset))
    return 0.5 + offset * (0.5 * np.sqrt(point.size) / max(norm, np.finfo(float).tiny))
