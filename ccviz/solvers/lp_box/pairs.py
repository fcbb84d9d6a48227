"""All links of a kind as one product constraint of the ℓp-box splitting."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray


class PairProduct:
    """The constraint (E z)ᵀ E′ x = target on linked pairs, with its copy z of x (eq. 4 and 5).

    By Lemmas 1 and 2 one product replaces all links of a kind: it counts the pairs that share a
    cluster, which are all must-links and no cannot-link.

    Parameters
    ----------
    x : (n, k) float64
    pairs : (m, 2) int64
    target : float
        How many of the pairs should be together.
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
